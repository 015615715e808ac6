// MySQL's packets: three bytes of length, one of sequence; a packet of the full length is continued by the next.
import { createByteQueue } from "../byteQueue";

const FULL = 0xffffff;
const HEADER = 4;

export interface PacketReader {
  /**
   * The payloads that are complete with these bytes, each with the sequence number of its last packet. Throws
   * `PacketTooLong` for bytes that no client of this protocol sends.
   */
  read(chunk: Buffer): readonly Packet[];
  /** The client has introduced itself: what comes now may be long. */
  introduced(): void;
}

export interface Packet {
  readonly sequence: number;
  /** Undefined where it was longer than is accepted; its bytes are gone. */
  readonly payload: Buffer | undefined;
}

/** A client sent more than is accepted in one command. */
export class PacketTooLong extends Error {}

/** An introduction is a few names and values. */
const LONGEST_INTRODUCTION = 64 * 1024;
/** MySQL's own bound of max_allowed_packet. */
const LONGEST_EVER = 2 ** 30;

/** Nothing is kept of payloads of more than `longest` bytes. */
export function createPacketReader(longest: number): PacketReader {
  const queue = createByteQueue();
  let parts: Buffer[] = [];
  let length = 0;
  let limit = LONGEST_INTRODUCTION;
  /** Bytes of the present packet that are not kept. */
  let unwanted = 0;
  let isFull = false;
  let last = 0;

  /** The end of a payload that is too long, if it is there; undefined while more of it is to come. */
  function dropped(): Packet | undefined {
    unwanted -= queue.drop(unwanted);
    if (unwanted > 0 || isFull) return undefined;
    parts = [];
    length = 0;
    return { sequence: last, payload: undefined };
  }

  function next(): Packet | undefined {
    for (;;) {
      if (unwanted > 0) {
        const end = dropped();
        if (end || unwanted > 0) return end;
      }
      const header = queue.peek(4);
      if (!header) return undefined;
      const size = header.readUIntLE(0, 3);
      const sequence = header.readUInt8(3);
      if (length + size > limit)
        throw new PacketTooLong(`a command of more than ${String(limit)} bytes`);
      if (length + size > longest) {
        length += size;
        unwanted = size + 4;
        isFull = size === FULL;
        last = sequence;
        parts = [];
        continue;
      }
      const bytes = queue.take(size + 4);
      if (!bytes) return undefined;
      parts.push(bytes.subarray(4));
      length += size;
      if (size === FULL) continue;
      const payload = Buffer.concat(parts, length);
      parts = [];
      length = 0;
      return { sequence, payload };
    }
  }

  return {
    read(chunk) {
      queue.push(chunk);
      const packets: Packet[] = [];
      for (let each = next(); each; each = next()) packets.push(each);
      return packets;
    },
    introduced() {
      limit = LONGEST_EVER;
    },
  };
}

/** The payloads as packets, numbered from `sequence` on. */
export function packets(payloads: readonly Buffer[], sequence: number): Buffer {
  let size = 0;
  for (const { length } of payloads) size += length + HEADER * (Math.floor(length / FULL) + 1);
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  let number = sequence;
  for (const payload of payloads) {
    for (let at = 0; at <= payload.length; at += FULL) {
      const length = Math.min(payload.length - at, FULL);
      bytes.writeUIntLE(length, end, 3);
      bytes.writeUInt8(number & 0xff, end + 3);
      payload.copy(bytes, end + HEADER, at, at + length);
      end += HEADER + length;
      number++;
    }
  }
  return bytes;
}
