// How columns of each type are described to MySQL's clients.
import type { ResultColumn } from "../session";
import { elementOf, type BaseType } from "../../sqlstore/values/types";
import { TYPES } from "./parameters";
import type { ColumnDefinition } from "./replies";

/** Number of the type in the protocol, and the width that clients are told. */
const CODES: Readonly<Record<BaseType, readonly [number, number]>> = {
  bool: [TYPES.tiny, 1],
  int2: [TYPES.short, 6],
  int4: [TYPES.long, 11],
  int8: [TYPES.longLong, 20],
  uint8: [TYPES.longLong, 20],
  numeric: [TYPES.newDecimal, 66],
  float4: [TYPES.float, 12],
  float8: [TYPES.double, 22],
  text: [TYPES.blob, 65535],
  varchar: [TYPES.varString, 65535],
  bpchar: [TYPES.string, 255],
  bytea: [TYPES.blob, 65535],
  uuid: [TYPES.string, 36],
  enum: [TYPES.string, 255],
  date: [TYPES.date, 10],
  time: [TYPES.time, 17],
  timestamp: [TYPES.dateTime, 26],
  timestamptz: [TYPES.timestamp, 26],
  interval: [TYPES.varString, 255],
  json: [TYPES.json, 65535],
  jsonb: [TYPES.json, 65535],
  record: [TYPES.varString, 65535],
  unknown: [TYPES.varString, 65535],
  void: [TYPES.null, 0],
};

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

export function columnDefinition({ name, type, table }: ResultColumn): ColumnDefinition {
  const base = elementOf(type) === undefined && isBase(type) ? type : "text";
  const [code, length] = CODES[base];
  return {
    name,
    table: table ?? "",
    type: code,
    unsigned: base === "uint8",
    binary: base === "bytea" || NUMBERS.has(base) || code === TYPES.date || code === TYPES.dateTime,
    decimals: base === "float4" || base === "float8" ? VARYING_DECIMALS : 0,
    length,
  };
}

function isBase(name: string): name is BaseType {
  return Object.hasOwn(CODES, name);
}
