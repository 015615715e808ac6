// How columns of each type are described to MySQL's clients.
import type { ResultColumn } from "../session";
import { elementOf, type BaseType, type DeclaredType } from "../../sqlstore/values/types";
import { TYPES } from "./parameters";
import { COLUMN_FLAGS, type ColumnDefinition } from "./replies";

/** Number of the type in the protocol, and the width that clients are told. */
type Code = readonly [number, number];

const TEXT: Code = [TYPES.varString, 65535];

const CODES: Readonly<Partial<Record<BaseType, Code>>> = {
  bool: [TYPES.tiny, 1],
  int2: [TYPES.short, 6],
  int4: [TYPES.long, 11],
  int8: [TYPES.longLong, 20],
  uint8: [TYPES.longLong, 20],
  numeric: [TYPES.newDecimal, 66],
  float4: [TYPES.float, 12],
  float8: [TYPES.double, 22],
  text: [TYPES.blob, 65535],
  bpchar: [TYPES.string, 255],
  bytea: [TYPES.blob, 65535],
  uuid: [TYPES.string, 36],
  enum: [TYPES.string, 255],
  date: [TYPES.date, 10],
  time: [TYPES.time, 17],
  timestamp: [TYPES.dateTime, 26],
  timestamptz: [TYPES.timestamp, 26],
  json: [TYPES.json, 65535],
  jsonb: [TYPES.json, 65535],
  void: [TYPES.null, 0],
};

/** Types of columns that are other ones while they are computed with, by the first word of how they are listed. */
const LISTED: ReadonlyMap<string, Code> = new Map([
  ["tinyint", [TYPES.tiny, 4]],
  ["smallint", [TYPES.short, 6]],
  ["mediumint", [TYPES.int24, 9]],
  ["int", [TYPES.long, 11]],
  ["year", [TYPES.year, 4]],
  ["bit", [TYPES.bit, 1]],
  ["binary", [TYPES.string, 255]],
  ["varbinary", TEXT],
  ["timestamp", [TYPES.timestamp, 26]],
  ["set", [TYPES.string, 255]],
]);

const VARYING_DECIMALS = 31;
const NUMBERS: ReadonlySet<BaseType> = new Set([
  "bool",
  "int2",
  "int4",
  "int8",
  "uint8",
  "numeric",
  "float4",
  "float8",
] as const);

/** Digits of an INT without a sign, and characters of a moment without a fraction. */
const WHOLE_DIGITS = 10;
const MOMENT = 19;

/** Bytes of one character. */
const WIDEST = 4;

export function columnDefinition({ name, type, origin, stored }: ResultColumn): ColumnDefinition {
  const base = elementOf(type) === undefined && isBase(type) ? type : "text";
  const { declared, table = "" } = origin ?? {};
  const [word = "", ...attributes] = declared?.listed?.split(/[ (]/) ?? [];
  const usual = base === "text" && declared === undefined ? TEXT : CODES[base];
  const [code, length] = LISTED.get(word) ?? usual ?? TEXT;
  const isTime = code === TYPES.time || code === TYPES.dateTime || code === TYPES.timestamp;
  const isUnsigned =
    base === "uint8" && (declared === undefined || attributes.includes("unsigned"));
  const flags =
    (stored?.flags ?? 0) |
    (isUnsigned ? COLUMN_FLAGS.unsigned : 0) |
    (base === "bytea" || code === TYPES.date || isTime ? COLUMN_FLAGS.binary : 0) |
    (word === "enum" ? COLUMN_FLAGS.enumeration : 0) |
    (word === "set" ? COLUMN_FLAGS.set : 0) |
    (code === TYPES.blob ? COLUMN_FLAGS.blob : 0);
  return {
    name,
    original: stored?.name ?? (table === "" ? "" : name),
    table,
    schema: stored?.database ?? "",
    type: code,
    flags,
    binary: base === "bytea" || NUMBERS.has(base) || code === TYPES.date || isTime,
    decimals: isTime
      ? (declared?.seconds ?? 0)
      : base === "float4" || base === "float8"
        ? VARYING_DECIMALS
        : (declared?.scale ?? 0),
    length: lengthOf(declared, isUnsigned) ?? length,
  };
}

/** Bytes that a value of a declared type takes at most as text; undefined where nothing limits it. */
function lengthOf(declared: DeclaredType | undefined, isUnsigned: boolean): number | undefined {
  if (declared === undefined) return undefined;
  const { listed, precision, scale = 0, length, type, labels, seconds = 0 } = declared;
  if (listed === "tinyint(1)") return 1;
  if (listed?.startsWith("int unsigned") === true) return WHOLE_DIGITS;
  if (labels !== undefined) return WIDEST * Math.max(0, ...labels.map((label) => label.length));
  if (type === "timestamp") return MOMENT + (seconds > 0 ? seconds + 1 : 0);
  // Beside the digits a point and a sign.
  if (precision !== undefined) return precision + (scale > 0 ? 1 : 0) + (isUnsigned ? 0 : 1);
  if (length === undefined || type === "bytea") return length;
  return length * WIDEST;
}

function isBase(name: string): name is BaseType {
  return !name.endsWith("[]");
}
