// PostgreSQL's types as the coarse types of the AR.
import type { ValueType } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";

const TYPES = dictionary<ValueType>({
  ...each("int", "int2 int4 int8 smallint integer int bigint oid smallserial serial bigserial"),
  ...each("int", "serial2 serial4 serial8 xid xid8"),
  ...each("decimal", "numeric decimal float4 float8 real money"),
  ...each("text", "text varchar bpchar char name citext uuid inet cidr macaddr"),
  ...each("bool", "bool boolean"),
  ...each("time", "date timestamp timestamptz time timetz"),
  ...each("json", "json jsonb"),
  ...each("bytes", "bytea"),
});

function each(type: ValueType, names: string): Record<string, ValueType> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

/** The type for a `typeText` name: `other` for arrays, intervals and unknown types. */
export function valueTypeOf(name: string): ValueType {
  return TYPES[name] ?? "other";
}

/** True for 64-bit integers. */
export function isWide(name: string): boolean {
  return /^(?:int8|bigint|bigserial|serial8|xid8)$/u.test(name);
}

/** True if a column of this type is auto-incremented. */
export function isSerial(name: string): boolean {
  return /^(small|big)?serial[248]?$/.test(name);
}
