// Bytes of many small fields, in one piece that grows: rows of results have too many cells for a buffer each.

export interface ByteWriter {
  /** Bytes since the last `take`. */
  readonly length: number;
  /** Leaves room for so many bytes; the place where it begins. */
  reserve(count: number): number;
  bytes(piece: Uint8Array): void;
  /** A text as UTF-8; how many bytes it took. */
  text(text: string): number;
  /** Moves all from a place on by so many bytes. */
  shift(from: number, by: number): void;
  putUint8(value: number, at: number): void;
  putUint16LE(value: number, at: number): void;
  putInt16BE(value: number, at: number): void;
  putInt32BE(value: number, at: number): void;
  /** All bytes, as a piece of its own; the writer is empty then. */
  take(): Buffer;
}

const START = 16 * 1024;
/** Room that is kept for the next rows. */
const MOST_KEPT = 1024 * 1024;
/** The most bytes of UTF-8 for one unit of UTF-16. */
const WIDEST = 3;

export function createByteWriter(): ByteWriter {
  let into = Buffer.allocUnsafe(START);
  let end = 0;

  function grow(count: number): void {
    if (end + count <= into.length) return;
    const wider = Buffer.allocUnsafe(Math.max(into.length * 2, end + count));
    into.copy(wider, 0, 0, end);
    into = wider;
  }

  return {
    get length() {
      return end;
    },
    reserve(count) {
      grow(count);
      const at = end;
      end += count;
      return at;
    },
    bytes(piece) {
      grow(piece.length);
      into.set(piece, end);
      end += piece.length;
    },
    text(text) {
      grow(text.length * WIDEST);
      const size = into.write(text, end);
      end += size;
      return size;
    },
    shift(from, by) {
      grow(by);
      into.copyWithin(from + by, from, end);
      end += by;
    },
    putUint8(value, at) {
      into[at] = value;
    },
    putUint16LE(value, at) {
      into.writeUInt16LE(value, at);
    },
    putInt16BE(value, at) {
      into.writeInt16BE(value, at);
    },
    putInt32BE(value, at) {
      into.writeInt32BE(value, at);
    },
    take() {
      const whole = into.subarray(0, end);
      end = 0;
      if (into.length <= MOST_KEPT) return Buffer.from(whole);
      into = Buffer.allocUnsafe(START);
      return whole;
    },
  };
}
