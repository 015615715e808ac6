// Reads one file of unknown content as text.
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileErrorText, openRegularFile, type RegularFile } from "./regularFile";

export { fileErrorText } from "./regularFile";

export type TextResult =
  | { readonly ok: true; readonly text: string }
  /** `isData`: it is evidently no source file. */
  | {
      readonly ok: false;
      readonly reason: string;
      readonly isMissing?: boolean;
      readonly isData?: boolean;
    };

/** Larger files are data dumps: their rows say nothing about transactions, and parsing them takes long. */
export const LARGEST_FILE = 8 * 1024 * 1024;

export interface TextFileOptions {
  /** The folder that links may lead to, by default the file's own workspace. */
  readonly workspace?: string | undefined;
  /** In bytes. */
  readonly largest?: number;
}

/** As `readTextFileNow`, after a turn of the event loop. */
export async function readTextFile(
  path: string,
  options: TextFileOptions = {},
): Promise<TextResult> {
  await nextTurn();
  return readTextFileNow(path, options);
}

/**
 * The text of a regular file: UTF-8 or UTF-16 by its byte order mark, else Windows-1252 if it is not valid UTF-8. For binary, too large,
 * unreadable and irregular files, and those outside of the workspace, the reason instead.
 */
export function readTextFileNow(
  path: string,
  { workspace, largest = LARGEST_FILE }: TextFileOptions = {},
): TextResult {
  const opened = openRegularFile(path, workspace);
  if (!opened.ok) return opened;
  const { file } = opened;
  try {
    return file.size > largest ? tooLarge(file.size, largest) : textOf(file);
  } catch (error) {
    return { ok: false, reason: `not read: ${fileErrorText(error)}` };
  } finally {
    file.close();
  }
}

/** The number of bytes that show binary content. */
const HEAD = 65_536;

function textOf(file: RegularFile): TextResult {
  const bytes = new Uint8Array(file.size);
  let length = 0;
  while (length < bytes.length) {
    const isHead = length < HEAD;
    const count = file.read(bytes.subarray(length, isHead ? HEAD : bytes.length));
    if (count === 0) break;
    length += count;
    if (isHead && isBinary(bytes.subarray(0, length)))
      return { ok: false, reason: "not read: binary, not text", isData: true };
  }
  return decodeText(bytes.subarray(0, length));
}

function tooLarge(size: number, largest: number): TextResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return {
    ok: false,
    reason: `not read: ${megabytes} MB, more than ${String(largest / 1024 / 1024)} MB`,
    isData: true,
  };
}

function isBinary(head: Uint8Array): boolean {
  return encodingOf(head) === undefined && head.subarray(0, HEAD).includes(0);
}

function encodingOf(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function decodeText(bytes: Uint8Array): TextResult {
  const marked = encodingOf(bytes);
  if (marked !== undefined) return decoded(marked, bytes);
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // Not UTF-8: files in an old Western code page are still read, since their identifiers are ASCII.
    return decoded("windows-1252", bytes);
  }
}

function decoded(encoding: string, bytes: Uint8Array): TextResult {
  return { ok: true, text: new TextDecoder(encoding).decode(bytes) };
}
