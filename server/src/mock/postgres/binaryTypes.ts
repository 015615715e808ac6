// Values in PostgreSQL's binary format, from and to their text: drivers ask for it type by type (the "send" and "receive"
// functions of PostgreSQL's types).
import { elementId } from "../../sqlstore/pg/typeIds";
import { ProtocolViolation } from "./frontendMessages";
import { decodeNumeric, encodeNumeric } from "./numericBinary";

interface Binary {
  encode(text: string): Buffer;
  decode(bytes: Buffer): string;
}

/** Whether values of the type with that object id have a binary form here. */
export function hasBinary(type: number): boolean {
  return BINARY.has(elementId(type) ?? type);
}

/** The binary form of a value of the type with that object id; undefined for types that have none here. */
export function toBinary(text: string, type: number): Buffer | undefined {
  const element = elementId(type);
  if (element !== undefined) return encodeArray(text, element);
  return BINARY.get(type)?.encode(text);
}

/** The text of a value in binary form; undefined for types that have none here. Throws `ProtocolViolation` for wrong bytes. */
export function fromBinary(bytes: Buffer, type: number): string | undefined {
  try {
    const element = elementId(type);
    if (element !== undefined) return decodeArray(bytes, element);
    return BINARY.get(type)?.decode(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      throw new ProtocolViolation(`a binary value of type ${String(type)} of the wrong size`);
    throw error;
  }
}

function sized(size: number, write: (into: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return bytes;
}

const plainText: Binary = {
  encode: (text) => Buffer.from(text),
  decode: (bytes) => bytes.toString("utf8"),
};

/** Microseconds of a day. */
const DAY = 86_400_000_000n;
/** 2000-01-01, the day from which PostgreSQL counts, in milliseconds of Unix time. */
const EPOCH = Date.UTC(2000, 0, 1);

const date: Binary = {
  encode: (text) => sized(4, (into) => into.writeInt32BE(Number(daysOf(text)))),
  decode: (bytes) => dayText(BigInt(bytes.readInt32BE(0))),
};

const time: Binary = {
  encode: (text) => sized(8, (into) => into.writeBigInt64BE(microsOf(text))),
  decode: (bytes) => timeText(bytes.readBigInt64BE(0)),
};

const timestamp: Binary = {
  encode(text) {
    const [day = "", clock = "00:00:00"] = text.replace(/(\+00|Z)$/, "").split(/[ T]/);
    return sized(8, (into) => into.writeBigInt64BE(daysOf(day) * DAY + microsOf(clock)));
  },
  decode(bytes) {
    const micros = bytes.readBigInt64BE(0);
    const rest = ((micros % DAY) + DAY) % DAY;
    return `${dayText((micros - rest) / DAY)} ${timeText(rest)}`;
  },
};

const BINARY: ReadonlyMap<number, Binary> = new Map<number, Binary>([
  [
    16,
    {
      encode: (text) => Buffer.of(text.startsWith("t") ? 1 : 0),
      decode: (bytes) => (bytes.readUInt8(0) === 0 ? "f" : "t"),
    },
  ],
  [
    17,
    {
      encode: (text) => Buffer.from(text.replace(/^\\x/, ""), "hex"),
      decode: (bytes) => `\\x${bytes.toString("hex")}`,
    },
  ],
  [
    20,
    {
      encode: (text) => sized(8, (into) => into.writeBigInt64BE(BigInt(text))),
      decode: (bytes) => bytes.readBigInt64BE(0).toString(),
    },
  ],
  [
    21,
    {
      encode: (text) => sized(2, (into) => into.writeInt16BE(Number(text))),
      decode: (bytes) => String(bytes.readInt16BE(0)),
    },
  ],
  [
    23,
    {
      encode: (text) => sized(4, (into) => into.writeInt32BE(Number(text))),
      decode: (bytes) => String(bytes.readInt32BE(0)),
    },
  ],
  [25, plainText],
  [
    26,
    {
      encode: (text) => sized(4, (into) => into.writeUInt32BE(Number(text))),
      decode: (bytes) => String(bytes.readUInt32BE(0)),
    },
  ],
  [19, plainText],
  [114, plainText],
  [
    700,
    {
      encode: (text) => sized(4, (into) => into.writeFloatBE(Number(text))),
      decode: (bytes) => String(Math.fround(bytes.readFloatBE(0))),
    },
  ],
  [
    701,
    {
      encode: (text) => sized(8, (into) => into.writeDoubleBE(Number(text))),
      decode: (bytes) => String(bytes.readDoubleBE(0)),
    },
  ],
  [705, plainText],
  [1042, plainText],
  [1043, plainText],
  [1082, date],
  [1083, time],
  [1114, timestamp],
  [1184, { encode: timestamp.encode, decode: (bytes) => `${timestamp.decode(bytes)}+00` }],
  [1700, { encode: encodeNumeric, decode: decodeNumeric }],
  [
    2950,
    {
      encode: (text) => Buffer.from(text.replaceAll("-", ""), "hex"),
      decode: (bytes) =>
        bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"),
    },
  ],
  [
    3802,
    {
      encode: (text) => Buffer.concat([Buffer.of(1), Buffer.from(text)]),
      decode: (bytes) => bytes.toString("utf8", 1),
    },
  ],
]);

/** Days since 2000-01-01. */
function daysOf(text: string): bigint {
  return BigInt(Math.round((Date.parse(`${text}T00:00:00Z`) - EPOCH) / 86_400_000));
}

function dayText(days: bigint): string {
  return new Date(EPOCH + Number(days) * 86_400_000).toISOString().slice(0, 10);
}

function microsOf(clock: string): bigint {
  const [hours = "0", minutes = "0", seconds = "0"] = clock.split(":");
  const [whole = "0", fraction = ""] = seconds.split(".");
  const full = (Number(hours) * 60 + Number(minutes)) * 60 + Number(whole);
  return BigInt(full) * 1_000_000n + BigInt(fraction.padEnd(6, "0").slice(0, 6));
}

function timeText(micros: bigint): string {
  const seconds = micros / 1_000_000n;
  const two = (value: bigint): string => value.toString().padStart(2, "0");
  const clock = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  const fraction = micros % 1_000_000n;
  return fraction === 0n
    ? clock
    : `${clock}.${fraction.toString().padStart(6, "0").replace(/0+$/, "")}`;
}

/** An array of one dimension. */
function encodeArray(text: string, element: number): Buffer | undefined {
  const items = arrayItems(text);
  const parts = items.map((item) => {
    if (item === null) return sized(4, (into) => into.writeInt32BE(-1));
    const bytes = toBinary(item, element);
    return bytes && Buffer.concat([sized(4, (into) => into.writeInt32BE(bytes.length)), bytes]);
  });
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const header = sized(items.length === 0 ? 12 : 20, (into) => {
    into.writeInt32BE(items.length === 0 ? 0 : 1, 0);
    into.writeInt32BE(items.includes(null) ? 1 : 0, 4);
    into.writeUInt32BE(element, 8);
    if (items.length === 0) return;
    into.writeInt32BE(items.length, 12);
    into.writeInt32BE(1, 16);
  });
  return Buffer.concat([header, ...known]);
}

function decodeArray(bytes: Buffer, element: number): string | undefined {
  const dimensions = bytes.readInt32BE(0);
  if (dimensions === 0) return "{}";
  if (dimensions !== 1) return undefined;
  const count = bytes.readInt32BE(12);
  const items: string[] = [];
  let at = 20;
  for (let index = 0; index < count; index++) {
    const size = bytes.readInt32BE(at);
    at += 4;
    if (size === -1) items.push("NULL");
    else {
      const text = fromBinary(bytes.subarray(at, at + size), element);
      if (text === undefined) return undefined;
      items.push(`"${text.replace(/["\\]/g, "\\$&")}"`);
      at += size;
    }
  }
  return `{${items.join(",")}}`;
}

/** The items of an array's text of one dimension, such as `{1,NULL,"a b"}`. */
function arrayItems(text: string): (string | null)[] {
  const inside = text.slice(1, -1);
  if (inside === "") return [];
  const items: (string | null)[] = [];
  for (const [, quoted, bare] of inside.matchAll(/(?:"((?:[^"\\]|\\.)*)"|([^,]*))(?:,|$)/gs)) {
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, "$1"));
    else if (bare !== undefined && bare !== "")
      items.push(bare.toUpperCase() === "NULL" ? null : bare);
  }
  return items;
}
