// Messages of a PostgreSQL server that a recording needs: protocol 3, "Message Formats". The rows of COPY and
// whatever is longer than a recording keeps are passed over without being gathered.
import { createByteQueue } from "../../mock/byteQueue";
import { LONGEST_ROW } from "../events";

export interface ColumnField {
  readonly name: string;
  /** Object id of its type. */
  readonly type: number;
  readonly isBinary: boolean;
}

export type ServerMessage =
  /** The way in which the client is to say who it is. */
  | { readonly kind: "authentication"; readonly code: number }
  | { readonly kind: "parameterTypes"; readonly types: readonly number[] }
  | { readonly kind: "columns"; readonly columns: readonly ColumnField[] }
  | { readonly kind: "noData" }
  | { readonly kind: "row"; readonly cells: readonly (Buffer | null)[] }
  | { readonly kind: "complete"; readonly tag: string }
  | { readonly kind: "empty" }
  | { readonly kind: "suspended" }
  | { readonly kind: "parsed" }
  | { readonly kind: "bound" }
  | { readonly kind: "closed" }
  | { readonly kind: "error"; readonly code: string }
  | { readonly kind: "ready"; readonly status: string }
  | { readonly kind: "parameterStatus"; readonly name: string; readonly value: string };

export interface ServerReader {
  /** The messages that are complete with these bytes. Throws RangeError for bytes of no server of this protocol. */
  read(chunk: Buffer): readonly ServerMessage[];
}

const NO_TYPE = 0;

/** Reads from the server's first message on (behind its answer to a request for TLS). */
export function createServerReader(): ServerReader {
  const queue = createByteQueue();
  let passing = 0;

  function next(): ServerMessage | "passed" | undefined {
    if (passing > 0) {
      passing -= queue.drop(passing);
      return passing > 0 ? undefined : "passed";
    }
    const header = queue.peek(5);
    if (header === undefined) return undefined;
    const type = String.fromCharCode(header.readUInt8(0));
    const size = header.readInt32BE(1);
    if (size < 4) throw new RangeError(`a message of ${String(size)} bytes`);
    if (!READ.has(type) || size > LONGEST_ROW) {
      passing = size + 1;
      return type === "D" ? { kind: "row", cells: [] } : "passed";
    }
    const bytes = queue.take(size + 1);
    return bytes && message(type, bytes.subarray(5));
  }

  return {
    read(chunk) {
      queue.push(chunk);
      const messages: ServerMessage[] = [];
      for (let each = next(); each !== undefined; each = next())
        if (each !== "passed") messages.push(each);
      return messages;
    },
  };
}

/** The types of messages that are looked at. */
const READ = new Set("RtTnDCIs123EZS");

function message(type: string, bytes: Buffer): ServerMessage {
  switch (type) {
    case "R":
      return { kind: "authentication", code: bytes.readInt32BE(0) };
    case "t":
      return { kind: "parameterTypes", types: parameterTypes(bytes) };
    case "T":
      return { kind: "columns", columns: columnsOf(bytes) };
    case "D":
      return { kind: "row", cells: cellsOf(bytes) };
    case "C":
      return { kind: "complete", tag: text(bytes, 0) };
    case "n":
      return { kind: "noData" };
    case "I":
      return { kind: "empty" };
    case "s":
      return { kind: "suspended" };
    case "1":
      return { kind: "parsed" };
    case "2":
      return { kind: "bound" };
    case "3":
      return { kind: "closed" };
    case "E":
      return { kind: "error", code: errorCode(bytes) };
    case "S": {
      const name = text(bytes, 0);
      const value = text(bytes, Buffer.byteLength(name) + 1);
      return { kind: "parameterStatus", name, value };
    }
    default:
      return { kind: "ready", status: text(Buffer.concat([bytes, Buffer.of(0)]), 0) };
  }
}

function text(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at);
  return bytes.toString("utf8", at, end < 0 ? bytes.length : end);
}

function parameterTypes(bytes: Buffer): readonly number[] {
  const count = bytes.readUInt16BE(0);
  return Array.from({ length: count }, (_, at) => bytes.readUInt32BE(2 + 4 * at));
}

function columnsOf(bytes: Buffer): readonly ColumnField[] {
  const columns: ColumnField[] = [];
  let at = 2;
  for (let left = bytes.readUInt16BE(0); left > 0; left--) {
    const name = text(bytes, at);
    at = bytes.indexOf(0, at) + 1;
    const type = bytes.readUInt32BE(at + 6);
    columns.push({ name, type: type || NO_TYPE, isBinary: bytes.readInt16BE(at + 16) === 1 });
    at += 18;
  }
  return columns;
}

function cellsOf(bytes: Buffer): readonly (Buffer | null)[] {
  const cells: (Buffer | null)[] = [];
  let at = 2;
  for (let left = bytes.readUInt16BE(0); left > 0; left--) {
    const size = bytes.readInt32BE(at);
    at += 4;
    cells.push(size < 0 ? null : bytes.subarray(at, at + size));
    at += Math.max(0, size);
  }
  return cells;
}

/** The field C of an error; where it is missing, XX000. */
function errorCode(bytes: Buffer): string {
  for (let at = 0; at < bytes.length && bytes[at] !== 0; at = bytes.indexOf(0, at) + 1) {
    if (bytes[at] === 0x43) return text(bytes, at + 1);
    if (bytes.indexOf(0, at) < 0) break;
  }
  return "XX000";
}
