// Messages of a client of PostgreSQL: protocol 3.0, "Message Formats" in PostgreSQL's documentation.
import { createByteQueue } from "../byteQueue";

export type Format = "text" | "binary";
export type Target = "statement" | "portal";

export type FrontendMessage =
  | { readonly kind: "encryption" }
  /** Asks on a connection of its own that the statement of another one be given up. */
  | { readonly kind: "cancel"; readonly process: number; readonly secret: number }
  | { readonly kind: "startup"; readonly options: ReadonlyMap<string, string> }
  | { readonly kind: "query"; readonly sql: string }
  | {
      readonly kind: "parse";
      readonly name: string;
      readonly sql: string;
      /** Object ids of the parameters' types; 0 where the server is to find out. */
      readonly types: readonly number[];
    }
  | {
      readonly kind: "bind";
      readonly portal: string;
      readonly statement: string;
      readonly parameters: readonly Parameter[];
      /** One for all columns, or one for each; empty: text. */
      readonly formats: readonly Format[];
    }
  | { readonly kind: "describe"; readonly target: Target; readonly name: string }
  | { readonly kind: "close"; readonly target: Target; readonly name: string }
  /** `limit` 0: all rows. */
  | { readonly kind: "execute"; readonly portal: string; readonly limit: number }
  | { readonly kind: "flush" }
  | { readonly kind: "sync" }
  | { readonly kind: "terminate" }
  /** More bytes than are accepted; they are gone. */
  | { readonly kind: "tooLong"; readonly type: string; readonly size: number }
  | { readonly kind: "copy data"; readonly bytes: Buffer }
  | { readonly kind: "copy done" }
  | { readonly kind: "copy fail"; readonly reason: string }
  /** An answer to a question about a password, which is not asked for here. */
  | { readonly kind: "other"; readonly type: string };

/** `bytes` is null for NULL. */
export interface Parameter {
  readonly format: Format;
  readonly bytes: Buffer | null;
}

/** Bytes that no client of this protocol sends, or more than are accepted: the connection cannot go on. */
export class ProtocolViolation extends Error {}

export interface FrontendReader {
  /** The messages that are complete with these bytes. Throws `ProtocolViolation`. */
  read(chunk: Buffer): readonly FrontendMessage[];
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const VERSION_3 = 3;
/** A start-up packet is a few names and values; PostgreSQL takes no more either. */
const LONGEST_STARTUP = 10_000;

/** No client of PostgreSQL sends as much: who announces more does not speak its protocol. */
const LONGEST_EVER = 2 ** 30;

/** Reads one connection from its first byte. Of messages longer than `longest` bytes nothing is kept. */
export function createFrontendReader(longest: number): FrontendReader {
  const queue = createByteQueue();
  let started = false;
  let dropping: { readonly message: FrontendMessage; left: number } | undefined;

  function next(): FrontendMessage | undefined {
    if (dropping) {
      dropping.left -= queue.drop(dropping.left);
      if (dropping.left > 0) return undefined;
      const { message: dropped } = dropping;
      dropping = undefined;
      return dropped;
    }
    const header = queue.peek(started ? 5 : 4);
    if (!header) return undefined;
    const size = header.readInt32BE(started ? 1 : 0);
    const limit = started ? LONGEST_EVER : LONGEST_STARTUP;
    if (size < 4 || size > limit)
      throw new ProtocolViolation(
        `a message of ${String(size)} bytes; up to ${String(limit)} are taken`,
      );
    if (started && size > longest) {
      const type = String.fromCharCode(header[0] ?? 0);
      dropping = { message: { kind: "tooLong", type, size }, left: size + 1 };
      return next();
    }
    const bytes = queue.take(size + (started ? 1 : 0));
    if (!bytes) return undefined;
    if (started) return message(String.fromCharCode(bytes[0] ?? 0), fields(bytes.subarray(5)));
    const first = startup(fields(bytes.subarray(4)));
    started = first.kind === "startup";
    return first;
  }

  return {
    read(chunk) {
      queue.push(chunk);
      const messages: FrontendMessage[] = [];
      for (let each = next(); each; each = next()) messages.push(each);
      return messages;
    },
  };
}

function startup(from: Fields): FrontendMessage {
  const code = from.int32();
  if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: "encryption" };
  if (code === CANCEL_REQUEST)
    return { kind: "cancel", process: from.int32(), secret: from.int32() };
  if (code >> 16 !== VERSION_3)
    throw new ProtocolViolation("not a client of PostgreSQL's protocol 3");
  const options = new Map<string, string>();
  for (let name = from.text(); name !== ""; name = from.text()) options.set(name, from.text());
  return { kind: "startup", options };
}

function message(type: string, from: Fields): FrontendMessage {
  switch (type) {
    case "Q":
      return { kind: "query", sql: from.text() };
    case "P":
      return {
        kind: "parse",
        name: from.text(),
        sql: from.text(),
        types: from.list(() => from.int32()),
      };
    case "B":
      return bind(from);
    case "D":
      return { kind: "describe", target: target(from.byte()), name: from.text() };
    case "C":
      return { kind: "close", target: target(from.byte()), name: from.text() };
    case "E":
      return { kind: "execute", portal: from.text(), limit: from.int32() };
    case "H":
      return { kind: "flush" };
    case "S":
      return { kind: "sync" };
    case "X":
      return { kind: "terminate" };
    case "d":
      return { kind: "copy data", bytes: from.rest() };
    case "c":
      return { kind: "copy done" };
    case "f":
      return { kind: "copy fail", reason: from.text() };
    case "p":
    case "F":
      return { kind: "other", type };
    default:
      throw new ProtocolViolation(`a message of the unknown type ${JSON.stringify(type)}`);
  }
}

function bind(from: Fields): FrontendMessage {
  const portal = from.text();
  const statement = from.text();
  const parameterFormats = from.list(() => format(from.int16()));
  const values = from.list(() => {
    const size = from.int32();
    return size === -1 ? null : from.bytes(size);
  });
  const parameters = values.map((bytes, index) => ({
    format: formatOf(parameterFormats, index),
    bytes,
  }));
  return {
    kind: "bind",
    portal,
    statement,
    parameters,
    formats: from.list(() => format(from.int16())),
  };
}

/** The format of a column or parameter: none is given for text, one for all, or one for each. */
export function formatOf(formats: readonly Format[], index: number): Format {
  return (formats.length === 1 ? formats[0] : formats[index]) ?? "text";
}

function format(code: number): Format {
  if (code !== 0 && code !== 1) throw new ProtocolViolation(`the format ${String(code)}`);
  return code === 1 ? "binary" : "text";
}

function target(code: number): Target {
  if (code === 0x53) return "statement";
  if (code === 0x50) return "portal";
  throw new ProtocolViolation("a name that is neither of a statement nor of a portal");
}

interface Fields {
  byte(): number;
  int16(): number;
  int32(): number;
  /** Up to the next zero. */
  text(): string;
  bytes(count: number): Buffer;
  rest(): Buffer;
  /** As many as the 16-bit number says that comes first. */
  list<T>(read: () => T): T[];
}

function fields(bytes: Buffer): Fields {
  let at = 0;
  function skip(count: number): number {
    const start = at;
    if (count < 0 || start + count > bytes.length)
      throw new ProtocolViolation("a message that ends before its last field");
    at += count;
    return start;
  }
  const int16 = (): number => bytes.readInt16BE(skip(2));
  return {
    byte: () => bytes.readUInt8(skip(1)),
    int16,
    int32: () => bytes.readInt32BE(skip(4)),
    text() {
      const end = bytes.indexOf(0, at);
      if (end === -1) throw new ProtocolViolation("a text without its end");
      const start = skip(end + 1 - at);
      return bytes.toString("utf8", start, end);
    },
    bytes(count) {
      const start = skip(count);
      return bytes.subarray(start, at);
    },
    rest() {
      const start = skip(bytes.length - at);
      return bytes.subarray(start);
    },
    list<T>(read: () => T): T[] {
      const count = int16();
      const found: T[] = [];
      for (let index = 0; index < (count & 0xffff); index++) found.push(read());
      return found;
    },
  };
}
