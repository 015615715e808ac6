// Reading one file of unknown content as text.
import { readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";

export type TextResult =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Larger files are dumps of data: their rows say nothing about transactions, and parsing them takes long. */
export const LARGEST_FILE = 8 * 1024 * 1024;

/**
 * The text of a file: UTF-8 or UTF-16 by its mark, else Windows-1252 where it is not valid UTF-8.
 * Binary, too large and unreadable files give the reason instead.
 */
export async function readTextFile(path: string): Promise<TextResult> {
  try {
    const { size } = await stat(path);
    return size > LARGEST_FILE ? tooLarge(size, LARGEST_FILE) : decodeText(await readFile(path));
  } catch (error) {
    return { ok: false, reason: `not read: ${fileErrorText(error)}` };
  }
}

/** The same at once, for files of at most `largest` bytes: many small ones are read faster so. */
export function readTextFileNow(path: string, largest: number): TextResult {
  try {
    const { size } = statSync(path);
    return size > largest ? tooLarge(size, largest) : decodeText(readFileSync(path));
  } catch (error) {
    return { ok: false, reason: `not read: ${fileErrorText(error)}` };
  }
}

function tooLarge(size: number, largest: number): TextResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  return {
    ok: false,
    reason: `not read: ${megabytes} MB, more than ${String(largest / 1024 / 1024)} MB`,
  };
}

/** What went wrong with a file, in a few words for people. */
export function fileErrorText(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return FILE_ERRORS[code] ?? (error instanceof Error ? error.message : String(error));
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  EMFILE: "too many open files",
};

function decodeText(bytes: Uint8Array): TextResult {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decoded("utf-16le", bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decoded("utf-16be", bytes);
  if (bytes.subarray(0, 65_536).includes(0))
    return { ok: false, reason: "not read: binary, not text" };
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // Not UTF-8: old files in a Western code page are read all the same; their identifiers are ASCII.
    return decoded("windows-1252", bytes);
  }
}

function decoded(encoding: string, bytes: Uint8Array): TextResult {
  return { ok: true, text: new TextDecoder(encoding).decode(bytes) };
}
