// The bincode of the dbcop that PolySI uses: little-endian numbers of 64 bits, read field by field from chunks.
import type { HistoryBuilder } from "../builder";
import { ABORTED, FAILED_WRITE, READ, WRITE } from "../history";
import type { Fault } from "./fault";
import { join } from "./lines";
import type { FormatReader } from "./reader";

const HEADER_NUMBERS = 5;
const HEADER_STRINGS = 3;
const EVENT_BYTES = 18;
const LONGEST_STRING = 1 << 20;

type Expected =
  | { readonly kind: "number" }
  | { readonly kind: "length"; readonly string: number }
  | { readonly kind: "string"; readonly string: number; readonly bytes: number }
  | { readonly kind: "sessions" }
  | { readonly kind: "transactions" }
  | { readonly kind: "events" }
  | { readonly kind: "event" }
  | { readonly kind: "success" }
  | { readonly kind: "end" };

/**
 * Five numbers and three texts, then sessions of transactions of events. A failed transaction is aborted; a failed event wrote nothing
 * readable and read nothing.
 */
export function bincodeReader(builder: HistoryBuilder): FormatReader {
  let rest = new Uint8Array(0);
  let offset = 0;
  let expected: Expected = { kind: "number" };
  let numbers = 0;
  let sessions = 0;
  let transactions = 0;
  let events = 0;
  let session = 0;
  let transaction = 0;

  function size(): number {
    switch (expected.kind) {
      case "string":
        return expected.bytes;
      case "event":
        return EVENT_BYTES;
      case "success":
        return 1;
      case "end":
        return 1;
      default:
        return 8;
    }
  }

  /** A 64-bit count; a file cannot hold more than 2^32 of anything. */
  function count(view: DataView, at: number, what: string): number | Fault {
    if (view.getUint32(at + 4, true) === 0) return view.getUint32(at, true);
    return fault(offset + at, `the number of ${what} is more than any file can hold`);
  }

  function afterTransaction(): void {
    transactions -= 1;
    expected = { kind: "events" };
    if (transactions === 0) afterSession();
  }

  function afterSession(): void {
    sessions -= 1;
    expected = sessions === 0 ? { kind: "end" } : { kind: "transactions" };
  }

  function event(bytes: Uint8Array, view: DataView, at: number): Fault | undefined {
    const [isWrite, success] = [bytes[at] ?? 0, bytes[at + EVENT_BYTES - 1] ?? 0];
    if (isWrite > 1 || success > 1)
      return fault(offset + at, "expected an event, whose first and last bytes are 0 or 1");
    const half = (from: number): number => view.getInt32(at + from, true);
    if (isWrite === 1 || success === 1) {
      const key = builder.key(half(1), half(5));
      const version = builder.version(key, half(9), half(13));
      const kind = isWrite === 0 ? READ : success === 1 ? WRITE : FAILED_WRITE;
      builder.add(kind, transaction, key, version, offset + at);
    }
    events -= 1;
    if (events === 0) expected = { kind: "success" };
    return undefined;
  }

  function field(bytes: Uint8Array, view: DataView, at: number): Fault | undefined {
    switch (expected.kind) {
      case "number":
        numbers += 1;
        if (numbers === HEADER_NUMBERS) expected = { kind: "length", string: 0 };
        return undefined;
      case "length": {
        const length = count(view, at, "bytes of a text");
        if (typeof length !== "number") return length;
        if (length > LONGEST_STRING)
          return fault(offset + at, `expected the length of a text, found ${String(length)}`);
        expected = { kind: "string", string: expected.string, bytes: length };
        return undefined;
      }
      case "string":
        expected =
          expected.string + 1 === HEADER_STRINGS
            ? { kind: "sessions" }
            : { kind: "length", string: expected.string + 1 };
        return undefined;
      case "sessions": {
        const read = count(view, at, "sessions");
        if (typeof read !== "number") return read;
        sessions = read;
        expected = read === 0 ? { kind: "end" } : { kind: "transactions" };
        return undefined;
      }
      case "transactions": {
        const read = count(view, at, "transactions");
        if (typeof read !== "number") return read;
        session = builder.newSession();
        transactions = read;
        expected = { kind: "events" };
        if (read === 0) afterSession();
        return undefined;
      }
      case "events": {
        const read = count(view, at, "events");
        if (typeof read !== "number") return read;
        transaction = builder.newTransaction(session);
        events = read;
        expected = read === 0 ? { kind: "success" } : { kind: "event" };
        return undefined;
      }
      case "event":
        return event(bytes, view, at);
      case "success": {
        const byte = bytes[at] ?? 0;
        if (byte > 1) return fault(offset + at, "expected 0 or 1 for the success of a transaction");
        if (byte === 0) builder.setStatus(transaction, ABORTED);
        afterTransaction();
        return undefined;
      }
      case "end":
        return fault(offset + at, "expected the end of the file after the last session");
    }
  }

  return {
    feed(fed) {
      const bytes = rest.length === 0 ? fed : join([rest, fed], rest.length + fed.length);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      for (;;) {
        const length = size();
        if (at + length > bytes.length) break;
        const wrong = field(bytes, view, at);
        if (wrong) return wrong;
        at += length;
      }
      rest = new Uint8Array(bytes.subarray(at));
      offset += at;
      return undefined;
    },
    end() {
      if (expected.kind === "end") return undefined;
      const missing = { number: "header", length: "header", string: "header" };
      const what = expected.kind in missing ? "header" : expected.kind;
      return fault(offset + rest.length, `the file ends early: expected ${WORDS[what] ?? what}`);
    },
  };
}

const WORDS: Readonly<Record<string, string>> = {
  header: "the rest of the header",
  sessions: "the number of sessions",
  transactions: "the number of transactions of the next session",
  events: "the number of events of the next transaction",
  event: "the next event of 18 bytes",
  success: "whether the transaction succeeded",
};

function fault(byte: number, message: string): Fault {
  return { place: { byte }, message };
}
