// A recording as a file: a line of JSON for each statement, readable by its owner alone. Lines are written as statements
// are complete, those of one turn of the process together, so that what came before a cut is there; a line that is cut off is passed over and said.
import { closeSync, writeSync } from "node:fs";
import { readTextFileNow } from "../workspace/textFile";
import type { Protocol } from "./events";
import { checkWritable, openPrivate } from "./privateFile";
import type { RecordedStatement } from "./statements";

export interface RecordingHead {
  readonly isolens: "recording";
  readonly formatVersion: 1;
  readonly protocol: Protocol;
  /** The key of the words that stand for texts. */
  readonly key: string;
}

export interface RecordingWriter {
  add(statement: RecordedStatement): void;
  close(): void;
}

export interface RecordingFile {
  readonly file: string;
  /** The content of the file stays. */
  readonly isContinued: boolean;
  /** The key of the words that it has already. */
  readonly key?: string;
}

/**
 * A writer that makes the file with the first statement, so that a session without any changes nothing. Throws the
 * system's error where the file cannot be written from the start; `failed` gets one that comes later.
 */
export function openRecording(
  { file, isContinued }: RecordingFile,
  { protocol, key }: Pick<RecordingHead, "protocol" | "key">,
  failed: (error: unknown) => void,
): RecordingWriter {
  checkWritable(file);
  let handle: number | undefined;
  /** Lines of this turn of the process, which are written together when it ends. */
  let lines: string[] = [];
  let next: NodeJS.Immediate | undefined;
  const write = (): void => {
    next = undefined;
    if (lines.length === 0) return;
    const text = lines.join("");
    lines = [];
    try {
      handle ??= opened();
      writeSync(handle, text);
    } catch (error) {
      failed(error);
    }
  };
  const opened = (): number => {
    const own = openPrivate(file, isContinued ? "a" : "w");
    const head: RecordingHead = { isolens: "recording", formatVersion: 1, protocol, key };
    writeSync(own, `${JSON.stringify(head)}\n`);
    return own;
  };
  return {
    add: (statement) => {
      lines.push(`${JSON.stringify(statement)}\n`);
      next ??= setImmediate(write);
    },
    close: () => {
      clearImmediate(next);
      write();
      if (handle !== undefined) closeSync(handle);
    },
  };
}

export interface ReadRecording {
  readonly protocol: Protocol;
  readonly key: string;
  readonly statements: readonly RecordedStatement[];
  /** Lines that are no statement: cut off, or of something else. */
  readonly lost: number;
}

/** A gigabyte of statements is more than any test run gives. */
const LARGEST = 1024 * 1024 * 1024;

/** The statements of a file; a reason where it is none. */
export function readRecording(file: string): ReadRecording | { readonly reason: string } {
  const read = readTextFileNow(file, { largest: LARGEST });
  if (!read.ok) return { reason: read.reason };
  let head: RecordingHead | undefined;
  let session = 0;
  let most = 0;
  let lost = 0;
  const statements: RecordedStatement[] = [];
  for (const line of read.text.split("\n")) {
    if (line === "") continue;
    const parsed = parsedLine(line);
    if (isHead(parsed)) {
      head = parsed;
      // Connections and orders are numbered anew by each session that appended to the file.
      session = most;
    } else if (isStatement(parsed)) {
      const connection = parsed.connection + session;
      const order = parsed.order + session * ORDERS;
      most = Math.max(most, connection);
      statements.push({ ...parsed, connection, order });
    } else lost++;
  }
  if (head === undefined) return { reason: "it is no recording of isolens" };
  const { protocol, key } = head;
  return { protocol, key, statements, lost };
}

/** More statements than a connection's session has. */
const ORDERS = 1_000_000;

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The line that was being written when the recording was cut short.
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isHead(value: unknown): value is RecordingHead {
  return (
    isRecord(value) &&
    value["isolens"] === "recording" &&
    (value["protocol"] === "postgres" || value["protocol"] === "mysql") &&
    typeof value["key"] === "string"
  );
}

function isStatement(value: unknown): value is RecordedStatement {
  return (
    isRecord(value) &&
    typeof value["text"] === "string" &&
    typeof value["kind"] === "string" &&
    typeof value["connection"] === "number" &&
    typeof value["order"] === "number" &&
    typeof value["status"] === "string" &&
    typeof value["count"] === "number" &&
    [value["arguments"], value["forms"], value["columns"], value["rows"]].every(Array.isArray)
  );
}
