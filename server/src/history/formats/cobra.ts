// Cobra's logs: one file per session, records with big-endian 64-bit numbers.
import type { HistoryBuilder } from "../builder";
import { READ, UNKNOWN, WRITE } from "../history";
import type { Fault } from "./fault";
import { join } from "./lines";
import type { FormatReader } from "./reader";

const [BEGIN, COMMIT, WRITE_RECORD, READ_RECORD] = [83, 67, 87, 82];
const LENGTHS: Readonly<Record<number, number>> = { 83: 9, 67: 9, 87: 25, 82: 33 };

/** Write ids without a writer: of the initial value, and of no value. */
const INITIAL_IDS = [0xbebeebee | 0, 0xdeadbeef | 0, 0];

/**
 * Reads one log as one session, `session`. The values of a history are the write ids. A transaction without a commit in the log has an
 * unknown fate.
 */
export function cobraReader(builder: HistoryBuilder, session: number): FormatReader {
  let rest = new Uint8Array(0);
  let offset = 0;
  let transaction: number | undefined;

  function record(bytes: Uint8Array, view: DataView, at: number): Fault | undefined {
    const tag = bytes[at] ?? 0;
    const place = offset + at;
    const half = (number: number, part: 0 | 4): number => view.getInt32(at + 1 + 8 * number + part);
    if (tag === BEGIN) {
      if (transaction !== undefined) builder.setStatus(transaction, UNKNOWN);
      const before = builder.transactions;
      transaction = builder.transaction(session, half(0, 4), half(0, 0));
      if (builder.transactions > before) return undefined;
      return fault(place, "expected the start of a transaction that did not start before");
    }
    if (transaction === undefined)
      return fault(place, "expected the record of a transaction's start (S)");
    if (tag === COMMIT) {
      transaction = undefined;
      return undefined;
    }
    // A read names the writing transaction before the write id, which is redundant.
    const first = tag === WRITE_RECORD ? 0 : 1;
    const key = builder.key(half(first + 1, 4), half(first + 1, 0));
    const [low, high] = [half(first, 4), half(first, 0)];
    const initial = tag === READ_RECORD && high === 0 && INITIAL_IDS.includes(low);
    const version = initial ? builder.initialVersion(key) : builder.version(key, low, high);
    builder.add(tag === WRITE_RECORD ? WRITE : READ, transaction, key, version, place);
    return undefined;
  }

  return {
    feed(fed) {
      const bytes = rest.length === 0 ? fed : join([rest, fed], rest.length + fed.length);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      while (at < bytes.length) {
        const length = LENGTHS[bytes[at] ?? 0];
        if (length === undefined) {
          const found = String(bytes[at]);
          return fault(offset + at, `expected a record S, C, W or R, found a byte ${found}`);
        }
        if (at + length > bytes.length) break;
        const wrong = record(bytes, view, at);
        if (wrong) return wrong;
        at += length;
      }
      rest = new Uint8Array(bytes.subarray(at));
      offset += at;
      return undefined;
    },
    end() {
      if (rest.length > 0) return fault(offset, "the file ends inside a record: it was cut off");
      if (transaction !== undefined) builder.setStatus(transaction, UNKNOWN);
      return undefined;
    },
  };
}

function fault(byte: number, message: string): Fault {
  return { place: { byte }, message };
}
