// Reads the files of a recorded history in chunks, in the judging thread.
import path from "node:path";
import type { History } from "../../history/history";
import { placeText, type Fault } from "../../history/formats/fault";
import { startReading } from "../../history/formats/readHistory";
import { fileErrorText, openRegularFile } from "../../workspace/regularFile";
import type { HistoryInput } from "./files";

export type ReadHistoryResult =
  | { readonly ok: true; readonly history: History }
  /** `message` names the file and the place. */
  | { readonly ok: false; readonly message: string; readonly place?: ReadFaultPlace };

export interface ReadFaultPlace {
  /** Absolute path. */
  readonly file: string;
  readonly line?: number;
  readonly byte?: number;
}

export interface ReadEvents {
  /** Bytes read so far. */
  progress(bytes: number): void;
  /** Polled between chunks; true stops the reading. */
  stopped(): boolean;
}

const CHUNK = 1 << 20;

/** Reads everything into memory as columns; blocks. Undefined if it was stopped. */
export function readHistory(
  input: HistoryInput,
  events: ReadEvents,
): ReadHistoryResult | undefined {
  const reading = startReading(input.format, input.bytes);
  const chunk = new Uint8Array(CHUNK);
  let total = 0;
  for (const file of input.files) {
    reading.file(path.basename(file));
    const opened = openRegularFile(file);
    if (!opened.ok) return { ok: false, message: `${nameOf(input, file)}: ${opened.reason}` };
    try {
      for (;;) {
        if (events.stopped()) return undefined;
        const count = opened.file.read(chunk);
        if (count === 0) break;
        const fault = reading.feed(chunk.subarray(0, count));
        if (fault) return faulty(input, file, fault);
        total += count;
        events.progress(total);
      }
      const fault = reading.endFile();
      if (fault) return faulty(input, file, fault);
    } catch (error) {
      if (!isFileError(error)) throw error;
      return { ok: false, message: `${nameOf(input, file)}: not read: ${fileErrorText(error)}` };
    } finally {
      opened.file.close();
    }
  }
  return { ok: true, history: reading.finish() };
}

function faulty(input: HistoryInput, file: string, { place, message }: Fault): ReadHistoryResult {
  return {
    ok: false,
    message: `${nameOf(input, file)}, ${placeText(place)}: ${message}`,
    place: { file, ...place },
  };
}

function nameOf(input: HistoryInput, file: string): string {
  return input.files.length === 1 ? input.name : `${input.name}/${path.basename(file)}`;
}

/** True for file system errors: they have a code and a system call, defects do not. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
