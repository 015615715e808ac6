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
  oid: { id: 26, array: 1028, size: 4 },
  int8: { id: 20, array: 1016, size: 8 },
  numeric: { id: 1700, array: 1231, size: -1 },
  uint8: { id: 1700, array: 1231, size: -1 },
  float4: { id: 700, array: 1021, size: 4 },
  float8: { id: 701, array: 1022, size: 8 },
  text: TEXT,
  varchar: { id: 1043, array: 1015, size: -1 },
  name: { id: 19, array: 1003, size: 64 },
  bpchar: { id: 1042, array: 1014, size: -1 },
  char: { id: 18, array: 1002, size: 1 },
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
  int2vector: { id: 22, array: 1006, size: -1 },
  oidvector: { id: 30, array: 1013, size: -1 },
  record: { id: 2249, array: 2287, size: -1 },
  inet: { id: 869, array: 1041, size: -1 },
  cidr: { id: 650, array: 651, size: -1 },
  macaddr: { id: 829, array: 1040, size: 6 },
  bit: { id: 1560, array: 1561, size: -1 },
  varbit: { id: 1562, array: 1563, size: -1 },
  money: { id: 790, array: 791, size: 8 },
  timetz: { id: 1266, array: 1270, size: 12 },
  xml: { id: 142, array: 143, size: -1 },
  point: { id: 600, array: 1017, size: 16 },
  tsvector: { id: 3614, array: 3643, size: -1 },
  int4range: { id: 3904, array: 3905, size: -1 },
  int8range: { id: 3926, array: 3927, size: -1 },
  numrange: { id: 3906, array: 3907, size: -1 },
  tsrange: { id: 3908, array: 3909, size: -1 },
  tstzrange: { id: 3910, array: 3911, size: -1 },
  daterange: { id: 3912, array: 3913, size: -1 },
  unknown: TEXT,
  void: { id: 2278, array: 2278, size: 4 },
};

/** Types that are other ones here, by the names under which they are listed. */
const LISTED: ReadonlyMap<string, { readonly id: number; readonly size: number }> = new Map([
  ["xid", { id: 28, size: 4 }],
]);

/** The object id of a type that is listed by another name than its own. */
export function listedTypeId(
  name: string | undefined,
): { readonly id: number; readonly size: number } | undefined {
  return name === undefined ? undefined : LISTED.get(name);
}

/** The object id of a type and the size of its values. */
export function typeId(type: SqlType): { readonly id: number; readonly size: number } {
  if (isBase(type)) return IDS[type];
  const element = elementOf(type);
  return element === undefined ? TEXT : { id: IDS[element].array, size: -1 };
}

/** All types that have an id of their own, with the ids of their arrays. */
export function typeIds(): readonly (TypeId & { readonly type: BaseType })[] {
  return Object.keys(IDS)
    .filter(isBase)
    .filter((type) => !SHARED.includes(type))
    .map((type) => ({ type, ...IDS[type] }));
}

/** Types that have the id of another one, or are no types of values. */
const SHARED: readonly BaseType[] = [
  "uint8",
  "enum",
  "unknown",
  "record",
  "int2vector",
  "oidvector",
  "void",
];

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
