// Values in PostgreSQL's binary format, from and to their text: drivers ask for it type by type (the "send" and "receive"
// functions of PostgreSQL's types).
import { elementId } from "../../sqlstore/pg/typeIds";
import { parseArrayText, type ArrayItem } from "../../sqlstore/values/format";
import { formatInterval, parseInterval } from "../../sqlstore/values/temporal";
import { ProtocolViolation } from "./frontendMessages";
import { decodeNumeric, encodeNumeric } from "./numericBinary";

interface Binary {
  encode(text: string): Buffer;
  decode(bytes: Buffer): string;
}

/** True if values of the type with that object id have a binary form here. */
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

/** Bounds of infinite ranges. */
const LAST = 2n ** 63n - 1n;
const FIRST = -(2n ** 63n);

const interval: Binary = {
  encode(text) {
    const { months = 0, days = 0, micros = 0 } = parseInterval(text) ?? {};
    return sized(16, (into) => {
      into.writeBigInt64BE(BigInt(micros), 0);
      into.writeInt32BE(days, 8);
      into.writeInt32BE(months, 12);
    });
  },
  decode(bytes) {
    const micros = Number(bytes.readBigInt64BE(0));
    return formatInterval({
      kind: "interval",
      micros,
      days: bytes.readInt32BE(8),
      months: bytes.readInt32BE(12),
    });
  },
};

const zonedTime: Binary = {
  encode(text) {
    const [, clock = "", sign = "+", hours = "0", minutes = "0"] =
      /^(.*)([+-])(\d+)(?::(\d+))?$/.exec(text) ?? [];
    const west = (Number(hours) * 60 + Number(minutes)) * (sign === "+" ? -60 : 60);
    return sized(12, (into) => {
      into.writeBigInt64BE(microsOf(clock), 0);
      into.writeInt32BE(west, 8);
    });
  },
  decode(bytes) {
    const west = bytes.readInt32BE(8);
    const minutes = Math.abs(west) / 60;
    const two = (value: number): string => String(value).padStart(2, "0");
    const rest = minutes % 60 === 0 ? "" : `:${two(minutes % 60)}`;
    const zone = `${west > 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${rest}`;
    return timeText(bytes.readBigInt64BE(0)) + zone;
  },
};

const bits: Binary = {
  encode(text) {
    const size = Math.ceil(text.length / 8);
    const digits = text.padEnd(size * 8, "0").match(/.{8}/g) ?? [];
    return Buffer.concat([
      sized(4, (into) => into.writeInt32BE(text.length)),
      Buffer.from(digits.map((each) => parseInt(each, 2))),
    ]);
  },
  decode: (bytes) =>
    [...bytes.subarray(4)]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("")
      .slice(0, bytes.readInt32BE(0)),
};

const FAMILIES = { short: 2, long: 3 } as const;

/** An address, with the length of its network. */
const address: Binary = {
  encode(text) {
    const [host = "", length] = text.split("/");
    const isLong = host.includes(":");
    const bytes = isLong ? longAddressBytes(host) : Buffer.from(host.split(".").map(Number));
    const most = isLong ? 128 : 32;
    const head = [isLong ? FAMILIES.long : FAMILIES.short, Number(length ?? most), 0, bytes.length];
    return Buffer.concat([Buffer.from(head), bytes]);
  },
  decode(bytes) {
    const isLong = bytes.readUInt8(0) === FAMILIES.long;
    const length = bytes.readUInt8(1);
    const host = bytes.subarray(4);
    const shown = isLong
      ? (host.toString("hex").match(/.{4}/g) ?? []).join(":")
      : [...host].join(".");
    return `${shown}/${String(length)}`;
  },
};

function longAddressBytes(host: string): Buffer {
  const [left = "", right] = host.split("::");
  const words = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [first, last] = [words(left), words(right ?? "")];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const all = right === undefined ? first : [...first, ...zeros, ...last];
  return Buffer.from(all.map((each) => each.padStart(4, "0")).join(""), "hex");
}

const EMPTY = 0x01;
const BOUNDS = { low: 0x02, high: 0x04, noLow: 0x08, noHigh: 0x10 } as const;

/** A range of values of the type with that object id. */
function range(element: number): Binary {
  return {
    encode(text) {
      if (text === "empty") return Buffer.of(EMPTY);
      const [, open, low = "", high = "", close] =
        /^([[(])("[^"]*"|[^,"]*),("[^"]*"|[^,"]*)([\])])$/.exec(text) ?? [];
      const flags =
        (low === "" ? BOUNDS.noLow : open === "[" ? BOUNDS.low : 0) |
        (high === "" ? BOUNDS.noHigh : close === "]" ? BOUNDS.high : 0);
      const bounds = [low, high].filter((each) => each !== "");
      const parts = bounds.flatMap((each) => {
        const bytes = toBinary(each.replaceAll('"', ""), element) ?? Buffer.alloc(0);
        return [sized(4, (into) => into.writeInt32BE(bytes.length)), bytes];
      });
      return Buffer.concat([Buffer.of(flags), ...parts]);
    },
    decode(bytes) {
      const flags = bytes.readUInt8(0);
      if ((flags & EMPTY) !== 0) return "empty";
      let at = 1;
      const bound = (isOpen: boolean): string => {
        if (isOpen) return "";
        const size = bytes.readInt32BE(at);
        const text = fromBinary(bytes.subarray(at + 4, at + 4 + size), element) ?? "";
        at += 4 + size;
        return `"${text}"`;
      };
      const low = bound((flags & BOUNDS.noLow) !== 0);
      const high = bound((flags & BOUNDS.noHigh) !== 0);
      const open = (flags & BOUNDS.low) === 0 ? "(" : "[";
      return `${open}${low},${high}${(flags & BOUNDS.high) === 0 ? ")" : "]"}`;
    },
  };
}

const timestamp: Binary = {
  encode(text) {
    if (text.endsWith("infinity"))
      return sized(8, (into) => into.writeBigInt64BE(text.startsWith("-") ? FIRST : LAST));
    const [day = "", clock = "00:00:00"] = text.replace(/(\+00|Z)$/, "").split(/[ T]/);
    return sized(8, (into) => into.writeBigInt64BE(daysOf(day) * DAY + microsOf(clock)));
  },
  decode(bytes) {
    const micros = bytes.readBigInt64BE(0);
    if (micros === LAST || micros === FIRST) return micros === LAST ? "infinity" : "-infinity";
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
  [142, plainText],
  [18, plainText],
  [1186, interval],
  [1266, zonedTime],
  [1560, bits],
  [1562, bits],
  [869, address],
  [650, address],
  [
    829,
    {
      encode: (text) => Buffer.from(text.replaceAll(":", ""), "hex"),
      decode: (bytes) => (bytes.toString("hex").match(/../g) ?? []).join(":"),
    },
  ],
  [
    790,
    {
      encode: (text) =>
        sized(8, (into) => into.writeBigInt64BE(BigInt(text.replace(/[$,.]/g, "")))),
      decode: (bytes) => (Number(bytes.readBigInt64BE(0)) / 100).toFixed(2),
    },
  ],
  [
    600,
    {
      encode(text) {
        const [x = 0, y = 0] = text.slice(1, -1).split(",").map(Number);
        return sized(16, (into) => {
          into.writeDoubleBE(x, 0);
          into.writeDoubleBE(y, 8);
        });
      },
      decode: (bytes) => `(${String(bytes.readDoubleBE(0))},${String(bytes.readDoubleBE(8))})`,
    },
  ],
  [3904, range(23)],
  [3926, range(20)],
  [3906, range(1700)],
  [3908, range(1114)],
  [3910, range(1184)],
  [3912, range(1082)],
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

/** The binary form of a row from its text; undefined where a field has none or the text is no row of so many fields. */
export function recordToBinary(text: string, types: readonly number[]): Buffer | undefined {
  const fields = fieldsOfRow(text);
  if (fields.length !== types.length) return undefined;
  const parts: Buffer[] = [sized(4, (into) => into.writeInt32BE(types.length))];
  for (const [at, field] of fields.entries()) {
    const type = types[at] ?? 0;
    const bytes = field === null ? null : toBinary(field, type);
    if (bytes === undefined) return undefined;
    parts.push(sized(4, (into) => into.writeUInt32BE(type)));
    parts.push(sized(4, (into) => into.writeInt32BE(bytes === null ? -1 : bytes.length)));
    if (bytes !== null) parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** `(1,"a b",)` as its fields; nothing stands for NULL. */
function fieldsOfRow(text: string): readonly (string | null)[] {
  const inside = text.slice(1, -1);
  const found = [...inside.matchAll(/(?:^|,)("(?:[^"\\]|\\.|"")*"|[^,]*)/gs)];
  return found.map(([, field = ""]) => {
    if (field === "") return null;
    return field.startsWith('"') ? field.slice(1, -1).replace(/(["\\])\1/g, "$1") : field;
  });
}

/** An array of any number of dimensions. */
function encodeArray(text: string, element: number): Buffer | undefined {
  const items = parseArrayText(text);
  if (items === undefined) return undefined;
  const sizes: number[] = [];
  for (let at: ArrayItem | undefined = items; typeof at === "object" && at?.length; at = at[0])
    sizes.push(at.length);
  const flat = items.flatMap(flattened);
  const parts: Buffer[] = [];
  for (const item of flat) {
    const bytes = item === null ? null : toBinary(item, element);
    if (bytes === undefined) return undefined;
    parts.push(sized(4, (into) => into.writeInt32BE(bytes === null ? -1 : bytes.length)));
    if (bytes !== null) parts.push(bytes);
  }
  const header = sized(12 + 8 * sizes.length, (into) => {
    into.writeInt32BE(sizes.length, 0);
    into.writeInt32BE(flat.includes(null) ? 1 : 0, 4);
    into.writeUInt32BE(element, 8);
    for (const [at, size] of sizes.entries()) {
      into.writeInt32BE(size, 12 + 8 * at);
      into.writeInt32BE(1, 16 + 8 * at);
    }
  });
  return Buffer.concat([header, ...parts]);
}

function flattened(item: ArrayItem): readonly (string | null)[] {
  return item === null || typeof item === "string" ? [item] : item.flatMap(flattened);
}

function decodeArray(bytes: Buffer, element: number): string | undefined {
  const dimensions = bytes.readInt32BE(0);
  if (dimensions === 0) return "{}";
  const sizes = Array.from({ length: dimensions }, (_, at) => bytes.readInt32BE(12 + 8 * at));
  let at = 12 + 8 * dimensions;
  const read = (depth: number): string => {
    const size = sizes[depth];
    if (size === undefined) return item();
    return `{${Array.from({ length: size }, () => read(depth + 1)).join(",")}}`;
  };
  const item = (): string => {
    const size = bytes.readInt32BE(at);
    at += 4;
    if (size === -1) return "NULL";
    const text = fromBinary(bytes.subarray(at, at + size), element) ?? "";
    at += size;
    return `"${text.replace(/["\\]/g, "\\$&")}"`;
  };
  return hasBinary(element) ? read(0) : undefined;
}
