// The text format of PolySI, Plume and IsoVista: one operation per line, r(key,value,session,transaction) or w(...). Read byte by byte,
// since histories of millions of operations come in it.
import type { HistoryBuilder } from "../builder";
import { ABORTED, FAILED_WRITE, READ, WRITE } from "../history";
import { highHalf } from "../intern";
import { excerpt, type Fault } from "./fault";
import { lineBlocks } from "./lines";
import {
  halves,
  keyNumber,
  sessionNumber,
  versionNumber,
  wholeNumber,
  type FormatReader,
  type WholeNumber,
} from "./reader";

const [LF, OPEN, CLOSE, COMMA, R, W] = [10, 40, 41, 44, 114, 119];

/** Numbers with more digits than this are not exact as doubles. */
const MOST_DIGITS = 15;

const LINE = /^\s*([rw])\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*,\s*(-?\d+)\s*\)\s*$/u;

/**
 * A transaction is identified by its number and belongs to its operations' session; transaction -1 marks an aborted write. Value 0 is the
 * initial value.
 */
export function textReader(builder: HistoryBuilder): FormatReader {
  const decoder = new TextDecoder();
  let line = 1;
  /** The position after the digits that `digits` read. */
  let position = 0;
  let lastSession = -1;
  let lastName = -1;
  let transaction = -1;
  const batch = createBatch();
  let held = 0;

  /** The number at a position, or -1 if there is none that is exact as a double. */
  function digits(bytes: Uint8Array, from: number): number {
    let at = from;
    let value = 0;
    for (;;) {
      const digit = (bytes[at] ?? 0) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at += 1;
    }
    position = at;
    return at === from || at - from > MOST_DIGITS ? -1 : value;
  }

  /** The fast path for an operation in its usual form; returns the position after it, or -1. */
  function quick(bytes: Uint8Array, from: number): number {
    const kind = bytes[from];
    if ((kind !== R && kind !== W) || bytes[from + 1] !== OPEN) return -1;
    const key = digits(bytes, from + 2);
    if (key < 0 || bytes[position] !== COMMA) return -1;
    const value = digits(bytes, position + 1);
    if (value < 0 || bytes[position] !== COMMA) return -1;
    const session = digits(bytes, position + 1);
    if (session < 0 || bytes[position] !== COMMA) return -1;
    const name = digits(bytes, position + 1);
    if (name < 0 || bytes[position] !== CLOSE || bytes[position + 1] !== LF) return -1;
    if (name !== lastName || session !== lastSession) {
      const owner = builder.session(session | 0, highHalf(session));
      transaction = builder.transaction(owner, name | 0, highHalf(name));
      if (!builder.standsIn(transaction, owner)) return -1;
      lastName = name;
      lastSession = session;
    }
    batch.kind[held] = kind === W ? WRITE : READ;
    batch.transaction[held] = transaction;
    batch.line[held] = line;
    batch.keyLow[held] = key | 0;
    batch.keyHigh[held] = highHalf(key);
    batch.valueLow[held] = value | 0;
    batch.valueHigh[held] = highHalf(value);
    held += 1;
    if (held === BATCH) flush();
    return position + 2;
  }

  /** Loops with one look-up each: the processor overlaps their cache misses, which dominate the time. */
  function flush(): void {
    const { key, version, kind, line: lines, keyLow, keyHigh, valueLow, valueHigh } = batch;
    for (let at = 0; at < held; at += 1) key[at] = builder.key(keyLow[at] ?? 0, keyHigh[at] ?? 0);
    for (let at = 0; at < held; at += 1)
      version[at] = builder.version(key[at] ?? 0, valueLow[at] ?? 0, valueHigh[at] ?? 0);
    for (let at = 0; at < held; at += 1) {
      const operation = kind[at] === WRITE ? WRITE : READ;
      const owner = batch.transaction[at] ?? 0;
      builder.add(operation, owner, key[at] ?? 0, version[at] ?? 0, lines[at] ?? 0);
    }
    held = 0;
  }

  function slow(bytes: Uint8Array): Fault | undefined {
    flush();
    const text = decoder.decode(bytes);
    if (text.trim() === "") return undefined;
    const match = LINE.exec(text);
    if (!match) {
      const found = excerpt(bytes);
      const message = `expected r(key,value,session,transaction) or w(...) with whole numbers, found ${found}`;
      return { place: { line }, message };
    }
    const [, kind, key = "", value = "", session = "", name = ""] = match;
    const isPlaced = add(
      kind === "w",
      wholeNumber(key),
      wholeNumber(value),
      wholeNumber(session),
      wholeNumber(name),
    );
    if (isPlaced) return undefined;
    const message = `expected transaction ${name} in one session only: it stands in another one than ${session} before`;
    return { place: { line }, message };
  }

  /** False if the transaction belongs to another session. */
  function add(
    isWrite: boolean,
    key: WholeNumber,
    value: WholeNumber,
    session: WholeNumber,
    name: WholeNumber,
  ): boolean {
    const owner = sessionNumber(builder, session);
    const own = keyNumber(builder, key);
    const version = versionNumber(builder, own, value);
    lastName = -1;
    if (name === -1) {
      // Reads of an aborted transaction are ignored.
      if (!isWrite) return true;
      const aborted = builder.textTransaction(
        owner,
        `aborted writes of session ${String(session)}`,
      );
      builder.setStatus(aborted, ABORTED);
      builder.add(FAILED_WRITE, aborted, own, version, line);
      return true;
    }
    const bits = halves(name);
    const found = bits
      ? builder.transaction(owner, bits.low, bits.high)
      : builder.textTransaction(owner, String(name));
    if (!builder.standsIn(found, owner)) return false;
    builder.add(isWrite ? WRITE : READ, found, own, version, line);
    return true;
  }

  const lines = lineBlocks(
    (bytes, from, to) => {
      let at = from;
      while (at < to) {
        const next = quick(bytes, at);
        if (next >= 0) at = next;
        else {
          const end = bytes.indexOf(LF, at);
          const stop = end === -1 || end >= to ? to : end;
          const fault = slow(bytes.subarray(at, stop));
          if (fault) return fault;
          at = stop + 1;
        }
        line += 1;
      }
      return undefined;
    },
    () => line,
  );
  return {
    feed: (bytes) => lines.feed(bytes),
    end() {
      const fault = lines.end();
      flush();
      return fault;
    },
  };
}

const BATCH = 1 << 12;

function createBatch() {
  const column = (): Int32Array => new Int32Array(BATCH);
  return {
    kind: new Uint8Array(BATCH),
    transaction: column(),
    line: new Uint32Array(BATCH),
    keyLow: column(),
    keyHigh: column(),
    valueLow: column(),
    valueHigh: column(),
    key: column(),
    version: column(),
  };
}
