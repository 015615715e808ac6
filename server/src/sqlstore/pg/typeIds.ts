// Object ids of PostgreSQL's types (src/include/catalog/pg_type.dat): they never change.
import { elementOf, type BaseType, type SqlType } from "../values/types";

interface TypeId {
  readonly id: number;
  readonly array: number;
  /** Bytes in binary form; -1 where it varies. */
  readonly size: number;
}

const TEXT: TypeId = { id: 25, array: 1009, size: -1 };

const IDS: Readonly<Record<BaseType, TypeId>> = {
  bool: { id: 16, array: 1000, size: 1 },
  int2: { id: 21, array: 1005, size: 2 },
  int4: { id: 23, array: 1007, size: 4 },
  int8: { id: 20, array: 1016, size: 8 },
  numeric: { id: 1700, array: 1231, size: -1 },
  uint8: { id: 1700, array: 1231, size: -1 },
  float4: { id: 700, array: 1021, size: 4 },
  float8: { id: 701, array: 1022, size: 8 },
  text: TEXT,
  varchar: { id: 1043, array: 1015, size: -1 },
  bpchar: { id: 1042, array: 1014, size: -1 },
  bytea: { id: 17, array: 1001, size: -1 },
  uuid: { id: 2950, array: 2951, size: 16 },
  enum: TEXT,
  date: { id: 1082, array: 1182, size: 4 },
  time: { id: 1083, array: 1183, size: 8 },
  timestamp: { id: 1114, array: 1115, size: 8 },
  timestamptz: { id: 1184, array: 1185, size: 8 },
  interval: { id: 1186, array: 1187, size: 16 },
  json: { id: 114, array: 199, size: -1 },
  jsonb: { id: 3802, array: 3807, size: -1 },
  record: { id: 2249, array: 2287, size: -1 },
  unknown: TEXT,
  void: { id: 2278, array: 2278, size: 4 },
};

/** The object id of a type and the size of its values. */
export function typeId(type: SqlType): { readonly id: number; readonly size: number } {
  const element = elementOf(type);
  if (element !== undefined) return { id: IDS[element].array, size: -1 };
  return isBase(type) ? IDS[type] : TEXT;
}

/** All types that have an id of their own, with the ids of their arrays. */
export function typeIds(): readonly (TypeId & { readonly type: BaseType })[] {
  return Object.keys(IDS)
    .filter(isBase)
    .filter((type) => !SHARED.includes(type))
    .map((type) => ({ type, ...IDS[type] }));
}

/** Types that have the id of another one, or are no types of values. */
const SHARED: readonly BaseType[] = ["uint8", "enum", "unknown", "record", "void"];

function isBase(name: string): name is BaseType {
  return Object.hasOwn(IDS, name);
}

/** The type with that object id; undefined for 0, which leaves it open, and for types that are not known here. */
export function typeOfId(id: number): SqlType | undefined {
  return BY_ID.get(id);
}

/** The object id of an array's elements; undefined for what is no array. */
export function elementId(id: number): number | undefined {
  const type = BY_ID.get(id);
  const element = type === undefined ? undefined : elementOf(type);
  return element === undefined ? undefined : IDS[element].id;
}

/** Where two types share an id, the first that is listed. */
const BY_ID: ReadonlyMap<number, SqlType> = new Map(
  Object.keys(IDS)
    .filter(isBase)
    .reverse()
    .flatMap((base): readonly (readonly [number, SqlType])[] => [
      [IDS[base].array, `${base}[]`],
      [IDS[base].id, base],
    ]),
);
