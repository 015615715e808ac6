// How columns of each type are described to MySQL's clients.
import type { ResultColumn } from "../session";
import { elementOf, type BaseType } from "../../sqlstore/values/types";
import { TYPES } from "./parameters";
import type { ColumnDefinition } from "./replies";

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

export function columnDefinition({ name, type, origin }: ResultColumn): ColumnDefinition {
  const base = elementOf(type) === undefined && isBase(type) ? type : "text";
  const { declared, table = "" } = origin ?? {};
  const [word = "", ...attributes] = declared?.listed?.split(/[ (]/) ?? [];
  const usual = base === "text" && declared === undefined ? TEXT : CODES[base];
  const [code, length] = LISTED.get(word) ?? usual ?? TEXT;
  const isTime = code === TYPES.time || code === TYPES.dateTime || code === TYPES.timestamp;
  return {
    name,
    table,
    type: code,
    unsigned: base === "uint8" && (declared === undefined || attributes.includes("unsigned")),
    binary: base === "bytea" || NUMBERS.has(base) || code === TYPES.date || isTime,
    decimals: isTime
      ? (declared?.seconds ?? 0)
      : base === "float4" || base === "float8"
        ? VARYING_DECIMALS
        : (declared?.scale ?? 0),
    length: word === "tinyint" && declared?.listed === "tinyint(1)" ? 1 : length,
  };
}

function isBase(name: string): name is BaseType {
  return !name.endsWith("[]");
}
