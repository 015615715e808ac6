// Arguments of prepared statements and cells of their rows in MySQL's binary form.
import { textOfBytes } from "../../frontend/sql/text/bytes";
import { MalformedPacket, uint16, uint32, uint8, type FieldReader } from "./fields";

export interface ParameterType {
  /** The number of the type in the protocol. */
  readonly type: number;
  readonly unsigned: boolean;
}

/** Text and numbers are told apart, as they are compared differently; bytes stay bytes. */
export type Parameter = null | number | bigint | string | Buffer;

/** Numbers of the types in the protocol. */
export const TYPES = {
  decimal: 0x00,
  tiny: 0x01,
  short: 0x02,
  long: 0x03,
  float: 0x04,
  double: 0x05,
  null: 0x06,
  timestamp: 0x07,
  longLong: 0x08,
  int24: 0x09,
  date: 0x0a,
  time: 0x0b,
  dateTime: 0x0c,
  year: 0x0d,
  varchar: 0x0f,
  bit: 0x10,
  json: 0xf5,
  newDecimal: 0xf6,
  enum: 0xf7,
  set: 0xf8,
  tinyBlob: 0xf9,
  mediumBlob: 0xfa,
  longBlob: 0xfb,
  blob: 0xfc,
  varString: 0xfd,
  string: 0xfe,
} as const;

/** Throws `MalformedPacket` for unknown types and missing bytes. */
export function readParameters(
  from: FieldReader,
  types: readonly ParameterType[],
  isNull: (index: number) => boolean,
  long: ReadonlyMap<number, Buffer>,
): readonly Parameter[] {
  return types.map((type, index) => {
    const sent = long.get(index);
    if (sent) return isBytes(type.type) ? sent : textOfBytes(sent);
    return isNull(index) || type.type === TYPES.null ? null : readParameter(from, type);
  });
}

function isBytes(type: number): boolean {
  return type >= TYPES.tinyBlob && type <= TYPES.blob;
}

function readParameter(from: FieldReader, { type, unsigned }: ParameterType): Parameter {
  switch (type) {
    case TYPES.tiny:
      return unsigned ? from.uint8() : from.bytes(1).readInt8();
    case TYPES.short:
    case TYPES.year:
      return unsigned ? from.uint16() : from.bytes(2).readInt16LE();
    case TYPES.long:
    case TYPES.int24:
      return unsigned ? from.uint32() : from.bytes(4).readInt32LE();
    case TYPES.longLong: {
      const bytes = from.bytes(8);
      const value = unsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE();
      return Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    case TYPES.float:
      return from.bytes(4).readFloatLE();
    case TYPES.double:
      return from.bytes(8).readDoubleLE();
    case TYPES.date:
    case TYPES.dateTime:
    case TYPES.timestamp:
      return readMoment(from, type === TYPES.date);
    case TYPES.time:
      return readTime(from);
    default:
      if (isBytes(type)) return from.lengthEncodedBytes();
      if (TEXTS.has(type)) return from.text();
      throw new MalformedPacket(`an argument of the unknown type ${String(type)}`);
  }
}

const TEXTS: ReadonlySet<number> = new Set([
  TYPES.decimal,
  TYPES.varchar,
  TYPES.bit,
  TYPES.json,
  TYPES.newDecimal,
  TYPES.enum,
  TYPES.set,
  TYPES.varString,
  TYPES.string,
]);

function readMoment(from: FieldReader, isDate: boolean): string {
  const size = from.uint8();
  const [year, month, day] = size >= 4 ? [from.uint16(), from.uint8(), from.uint8()] : [0, 0, 0];
  const [hours, minutes, seconds] =
    size >= 7 ? [from.uint8(), from.uint8(), from.uint8()] : [0, 0, 0];
  const micros = size >= 11 ? from.uint32() : 0;
  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  if (isDate && size <= 4) return date;
  return `${date} ${clock(hours, minutes, seconds, micros)}`;
}

function readTime(from: FieldReader): string {
  const size = from.uint8();
  if (size === 0) return "00:00:00";
  const sign = from.uint8() === 1 ? "-" : "";
  const days = from.uint32();
  const [hours, minutes, seconds] = [from.uint8(), from.uint8(), from.uint8()];
  return sign + clock(days * 24 + hours, minutes, seconds, size >= 12 ? from.uint32() : 0);
}

function clock(hours: number, minutes: number, seconds: number, micros: number): string {
  const whole = `${digits(hours, 2)}:${digits(minutes, 2)}:${digits(seconds, 2)}`;
  return micros === 0 ? whole : `${whole}.${digits(micros, 6)}`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, "0");
}

/** A cell in binary form, from its text; `type` is one of `TYPES`. Undefined for those that are texts there as well. */
export function binaryCell(text: string, type: number): Buffer | undefined {
  switch (type) {
    case TYPES.tiny:
      return uint8(Number(text));
    case TYPES.short:
    case TYPES.year:
      return uint16(Number(text) & 0xffff);
    case TYPES.long:
    case TYPES.int24:
      return uint32(Number(text) >>> 0);
    case TYPES.longLong: {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(text)));
      return bytes;
    }
    case TYPES.float: {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatLE(Number(text));
      return bytes;
    }
    case TYPES.double: {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(text));
      return bytes;
    }
    case TYPES.date:
    case TYPES.dateTime:
    case TYPES.timestamp:
      return binaryMoment(text);
    case TYPES.time:
      return binaryTime(text);
    default:
      return undefined;
  }
}

function binaryMoment(text: string): Buffer {
  const [date = "", time = ""] = text.split(/[ T]/);
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const start = Buffer.concat([uint16(year), uint8(month), uint8(day)]);
  if (time === "") return Buffer.concat([uint8(4), start]);
  const { hours, minutes, seconds, micros } = clockParts(time);
  const clockBytes = Buffer.of(hours, minutes, seconds);
  return micros === 0
    ? Buffer.concat([uint8(7), start, clockBytes])
    : Buffer.concat([uint8(11), start, clockBytes, uint32(micros)]);
}

function binaryTime(text: string): Buffer {
  const { hours, minutes, seconds, micros } = clockParts(text.replace("-", ""));
  const parts = [
    uint8(text.startsWith("-") ? 1 : 0),
    uint32(Math.floor(hours / 24)),
    Buffer.of(hours % 24, minutes, seconds),
    ...(micros === 0 ? [] : [uint32(micros)]),
  ];
  return Buffer.concat([uint8(micros === 0 ? 8 : 12), ...parts]);
}

function clockParts(text: string): {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly micros: number;
} {
  const [hours = "0", minutes = "0", rest = "0"] = text.split(":");
  const [seconds = "0", fraction = ""] = rest.split(".");
  return {
    hours: Number(hours),
    minutes: Number(minutes),
    seconds: Number(seconds),
    micros: Number(fraction.padEnd(6, "0").slice(0, 6)),
  };
}
