// The fields that MySQL's packets are made of: "Basic Types" of the MySQL client/server protocol.

import { bytesOfText, isWellFormed, textOfBytes } from "../../frontend/sql/text/bytes";
import type { ByteWriter } from "../byteWriter";

/** Bytes that no client of this protocol sends. */
export class MalformedPacket extends Error {}

export interface FieldReader {
  readonly left: number;
  uint8(): number;
  uint16(): number;
  uint32(): number;
  bytes(count: number): Buffer;
  /** A whole number in one, three, four or nine bytes. */
  lengthEncoded(): number;
  /** A text with its length before it. */
  text(): string;
  /** Bytes with their length before them. */
  lengthEncodedBytes(): Buffer;
  /** A text up to the next zero, or to the end. */
  zeroEnded(): string;
  /** All that is left, as text. */
  rest(): string;
}

/** Reads a payload from its first byte on. Every method throws `MalformedPacket` where the payload ends too early. */
export function readFields(payload: Buffer): FieldReader {
  let at = 0;
  function skip(count: number): number {
    const start = at;
    if (start + count > payload.length)
      throw new MalformedPacket("a packet that ends before its last field");
    at += count;
    return start;
  }
  function bytes(count: number): Buffer {
    const start = skip(count);
    return payload.subarray(start, start + count);
  }
  function lengthEncoded(): number {
    const first = payload.readUInt8(skip(1));
    if (first < LONG) return first;
    if (first === 0xfc) return payload.readUInt16LE(skip(2));
    if (first === 0xfd) return payload.readUIntLE(skip(3), 3);
    if (first !== 0xfe) throw new MalformedPacket("a length that is none");
    const long = payload.readBigUInt64LE(skip(8));
    if (long > 0xffffffffn) throw new MalformedPacket("a length beyond four gigabytes");
    return Number(long);
  }
  return {
    get left() {
      return payload.length - at;
    },
    uint8: () => payload.readUInt8(skip(1)),
    uint16: () => payload.readUInt16LE(skip(2)),
    uint32: () => payload.readUInt32LE(skip(4)),
    bytes,
    lengthEncoded,
    text: () => textOfBytes(bytes(lengthEncoded())),
    lengthEncodedBytes: () => bytes(lengthEncoded()),
    zeroEnded() {
      const end = payload.indexOf(0, at);
      const text = payload.toString("utf8", at, end === -1 ? payload.length : end);
      at = end === -1 ? payload.length : end + 1;
      return text;
    },
    rest() {
      const text = textOfBytes(payload.subarray(at));
      at = payload.length;
      return text;
    },
  };
}

export function uint8(value: number): Buffer {
  return Buffer.of(value & 0xff);
}

export function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A whole number that is not negative in as few bytes as it needs. */
export function lengthEncodedInteger(value: number | bigint): Buffer {
  if (value < LONG) return uint8(Number(value));
  if (value <= 0xffff) return Buffer.concat([Buffer.of(0xfc), uint16(Number(value))]);
  const bytes = Buffer.alloc(value <= 0xffffff ? 4 : 9);
  if (bytes.length === 4) {
    bytes.writeUInt8(0xfd);
    bytes.writeUIntLE(Number(value), 1, 3);
  } else {
    bytes.writeUInt8(0xfe);
    bytes.writeBigUInt64LE(BigInt(value), 1);
  }
  return bytes;
}

/** Bytes or a text with the length before it. */
export function lengthEncodedText(value: string | Buffer): Buffer {
  const bytes = typeof value === "string" ? bytesOfText(value) : value;
  return Buffer.concat([lengthEncodedInteger(bytes.length), bytes]);
}

/** As `lengthEncodedText`, behind what is written. */
export function writeText(into: ByteWriter, value: string): void {
  const at = into.reserve(1);
  // A byte for each unit at least; most cells are short.
  if (value.length < LONG && isWellFormed(value)) {
    const size = into.text(value);
    if (size < LONG) {
      into.putUint8(size, at);
      return;
    }
    into.shift(at + 1, 2);
    into.putUint8(0xfc, at);
    into.putUint16LE(size, at + 1);
    return;
  }
  const bytes = bytesOfText(value);
  const length = lengthEncodedInteger(bytes.length);
  into.putUint8(length[0] ?? 0, at);
  into.bytes(length.subarray(1));
  into.bytes(bytes);
}

/** Lengths from here on take more than a byte. */
const LONG = 0xfb;
