// Messages of a PostgreSQL server: protocol 3.0, "Message Formats" in PostgreSQL's documentation.
import type { Format } from "./frontendMessages";
import { int16, int32 } from "./integers";

export interface ColumnDescription {
  readonly name: string;
  /** Object id of the type. */
  readonly type: number;
  /** Bytes of a value of that type; -1 where it varies. */
  readonly size: number;
  /** -1: none. */
  readonly modifier: number;
  /** Object id of the table and the column's number in it; 0 and 0 for what is computed. */
  readonly table: number;
  readonly position: number;
  readonly format: Format;
}

export interface ErrorFields {
  readonly severity: "ERROR" | "FATAL" | "WARNING";
  readonly code: string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** From one. */
  readonly position?: number | undefined;
  /** The constraint that is violated. */
  readonly constraint?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

/** Idle, inside a transaction, or inside one that has failed. */
export type TransactionStatus = "I" | "T" | "E";

export const authenticationOk = message("R", int32(0));
export const parseComplete = message("1");
export const bindComplete = message("2");
export const closeComplete = message("3");
export const noData = message("n");
export const emptyQueryResponse = message("I");
export const portalSuspended = message("s");
/** The one byte that refuses TLS or GSS; the client goes on without. */
export const encryptionRefused = Buffer.from("N");

export function parameterStatus(name: string, value: string): Buffer {
  return message("S", text(name), text(value));
}

export function backendKeyData(process: number, secret: number): Buffer {
  return message("K", int32(process), int32(secret));
}

export function readyForQuery(status: TransactionStatus): Buffer {
  return message("Z", Buffer.from(status));
}

export function parameterDescription(types: readonly number[]): Buffer {
  return message("t", int16(types.length), ...types.map(int32));
}

export function rowDescription(columns: readonly ColumnDescription[]): Buffer {
  const parts = columns.flatMap(({ name, type, size, modifier, table, position, format }) => [
    text(name),
    int32(table),
    int16(position),
    int32(type),
    int16(size),
    int32(modifier),
    int16(format === "binary" ? 1 : 0),
  ]);
  return message("T", int16(columns.length), ...parts);
}

/** The first byte of a row, which its length, the number of its cells and the cells follow. */
export const DATA_ROW = 0x44;

/** `tag` such as `UPDATE 3`. */
export function commandComplete(tag: string): Buffer {
  return message("C", text(tag));
}

/** COPY begins; all columns are in one format. */
export function copyResponse(direction: "in" | "out", isBinary: boolean, columns: number): Buffer {
  const format = isBinary ? 1 : 0;
  const formats = Array.from({ length: columns }, () => int16(format));
  return message(direction === "in" ? "G" : "H", Buffer.of(format), int16(columns), ...formats);
}

export function copyData(bytes: Buffer): Buffer {
  return message("d", bytes);
}

export const copyDone = message("c");

export function notification(sender: number, channel: string, payload: string): Buffer {
  return message("A", int32(sender), text(channel), text(payload));
}

/** NOTICE: a message beside a result, with the fields of an error. */
export function noticeResponse(severity: string, code: string, said: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${said}`];
  return message("N", ...fields.map(text), Buffer.of(0));
}

export function errorResponse(fields: ErrorFields): Buffer {
  return message(fields.severity === "WARNING" ? "N" : "E", ...errorParts(fields));
}

function errorParts(fields: ErrorFields): Buffer[] {
  const coded: readonly (readonly [string, string | undefined])[] = [
    ["S", fields.severity],
    ["V", fields.severity],
    ["C", fields.code],
    ["M", fields.message],
    ["D", fields.detail],
    ["H", fields.hint],
    ["P", fields.position?.toString()],
    ["s", fields.table === undefined ? undefined : "public"],
    ["t", fields.table],
    ["c", fields.column],
    ["n", fields.constraint],
  ];
  const parts = coded.flatMap(([letter, value]) =>
    value === undefined ? [] : [text(letter + value)],
  );
  return [...parts, Buffer.of(0)];
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 4);
  return Buffer.concat([Buffer.from(type), int32(length), ...parts], length + 1);
}

function text(value: string): Buffer {
  return Buffer.from(`${value.replaceAll("\0", "")}\0`);
}
