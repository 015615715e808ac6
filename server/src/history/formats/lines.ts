// Cuts a stream of byte chunks into blocks of whole lines.
import type { Fault } from "./fault";

/** Takes whole lines: `bytes[from, to)` ends with a line feed, except at the end of the file. */
export type TakeLines = (bytes: Uint8Array, from: number, to: number) => Fault | undefined;

/** Readers must copy what they keep with `new Uint8Array(bytes)`: the slice of a Buffer is no copy. */
export interface LineBlocks {
  feed(bytes: Uint8Array): Fault | undefined;
  end(): Fault | undefined;
}

/** Limit of a line, which must fit in memory; longer ones are no history. */
const LONGEST_LINE = 64 * 1024 * 1024;

const LINE_FEED = 10;

/** Passes blocks of whole lines to `take`; only lines split by chunks are copied. `line` returns the number of the next line. */
export function lineBlocks(take: TakeLines, line: () => number): LineBlocks {
  let rest: Uint8Array[] = [];
  let restLength = 0;

  function keep(bytes: Uint8Array): Fault | undefined {
    if (bytes.length === 0) return undefined;
    rest.push(new Uint8Array(bytes));
    restLength += bytes.length;
    if (restLength <= LONGEST_LINE) return undefined;
    return {
      place: { line: line() },
      message: `the line has more than ${String(LONGEST_LINE / 1024 / 1024)} MB`,
    };
  }

  function takeRest(more: Uint8Array): Fault | undefined {
    const joined = join([...rest, more], restLength + more.length);
    rest = [];
    restLength = 0;
    return take(joined, 0, joined.length);
  }

  return {
    feed(bytes) {
      let from = 0;
      if (restLength > 0) {
        const first = bytes.indexOf(LINE_FEED);
        if (first === -1) return keep(bytes);
        const fault = takeRest(bytes.subarray(0, first + 1));
        if (fault) return fault;
        from = first + 1;
      }
      const to = bytes.lastIndexOf(LINE_FEED) + 1;
      if (to > from) {
        const fault = take(bytes, from, to);
        if (fault) return fault;
      }
      return keep(bytes.subarray(Math.max(from, to)));
    },
    end() {
      return restLength === 0 ? undefined : takeRest(new Uint8Array(0));
    },
  };
}

/** Copies byte arrays one after the other. */
export function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Passes every non-blank line to `take`, trimmed, with its number from 1. */
export function eachLine(take: (text: string, line: number) => Fault | undefined): LineBlocks {
  const decoder = new TextDecoder();
  let line = 1;
  return lineBlocks(
    (bytes, from, to) => {
      let at = from;
      while (at < to) {
        const found = bytes.indexOf(LINE_FEED, at);
        const stop = found === -1 || found >= to ? to : found;
        const text = decoder.decode(bytes.subarray(at, stop)).trim();
        const fault = text === "" ? undefined : take(text, line);
        if (fault) return fault;
        at = stop + 1;
        line += 1;
      }
      return undefined;
    },
    () => line,
  );
}
