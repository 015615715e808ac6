// MySQL's packets: three bytes of length, one of sequence; a packet of the full length is continued by the next.
import { createByteQueue } from "../byteQueue";

const FULL = 0xffffff;

export interface PacketReader {
  /**
   * The payloads that are complete with these bytes, each with the sequence number of its last packet. Throws
   * `PacketTooLong`.
   */
  read(chunk: Buffer): readonly Packet[];
}

export interface Packet {
  readonly sequence: number;
  readonly payload: Buffer;
}

/** A client sent more than is accepted in one command. */
export class PacketTooLong extends Error {}

/** Payloads of more than `longest` bytes are refused before they arrive. */
export function createPacketReader(longest: number): PacketReader {
  const queue = createByteQueue();
  let parts: Buffer[] = [];
  let length = 0;

  function next(): Packet | undefined {
    for (;;) {
      const header = queue.peek(4);
      if (!header) return undefined;
      const size = header.readUIntLE(0, 3);
      const sequence = header.readUInt8(3);
      if (length + size > longest)
        throw new PacketTooLong(`a command of more than ${String(longest)} bytes`);
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
  };
}

/** The payloads as packets, numbered from `sequence` on. */
export function packets(payloads: readonly Buffer[], sequence: number): Buffer {
  const parts: Buffer[] = [];
  let number = sequence;
  for (const payload of payloads) {
    for (let at = 0; at <= payload.length; at += FULL) {
      const part = payload.subarray(at, at + FULL);
      const header = Buffer.alloc(4);
      header.writeUIntLE(part.length, 0, 3);
      header.writeUInt8(number & 0xff, 3);
      parts.push(header, part);
      number++;
    }
  }
  return Buffer.concat(parts);
}
