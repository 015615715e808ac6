// Access paths: keys, beginnings of keys or values of indexes that lead to the rows that a statement reads.
import type { Key as StoreKey, Lookup, LookupIndex, Value } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import { ofNode } from "../../query/nodes";
import { indexesOf, primaryKeyOf, type Table } from "../catalog";
import type { TableRead } from "../compile/node";
import { placeOf } from "../values/places";
import type { SqlType } from "../values/types";
import { decodedField, isInexact, keyPart, tablePrefix } from "./versions";

export interface AccessPath {
  readonly keys: readonly StoreKey[];
  readonly scans: readonly string[];
  readonly lookups: readonly Lookup[];
  /** The column in whose order the index of the look-ups is. */
  readonly ordered?: number;
}

/** Combinations of values beyond which a table is scanned instead. */
const MOST_KEYS = 1000;

/** Keys where all columns of the primary key are fixed, else values of the best index, else beginnings of keys. */
export function accessPathOf(
  { table, fixed, ranges = new Map() }: Omit<TableRead, "current">,
  dialect: Dialect,
  hasIndexes: boolean,
): AccessPath {
  const prefix = tablePrefix(table);
  const columns = primaryKeyOf(table)?.columns ?? [];
  const { starts, depth } = combinations(table, columns, fixed, dialect);
  if (depth > 0 && depth === columns.length)
    return { keys: starts.map((start) => prefix + start), scans: [], lookups: [] };
  const lookups = hasIndexes ? lookupsOf({ table, fixed, ranges }, depth, dialect) : undefined;
  if (lookups !== undefined) return { keys: [], scans: [], ...lookups };
  const scans = depth === 0 ? [prefix] : starts.map((start) => `${prefix}${start},`);
  return { keys: [], scans, lookups: [] };
}

/** The key that tells look-ups apart. */
export function lookupName({ index, value, range }: Lookup): string {
  const name = `${index}=${value}`;
  if (range === undefined) return name;
  const { from, to, most } = range;
  const limit = most === undefined ? "" : `, ${most.count} from the ${most.side} end`;
  return `${name} from ${from} to ${to}${limit}`;
}

interface Field {
  readonly name: string;
  readonly type: SqlType;
}

/**
 * Values of the index of which most columns are fixed, if those are more than of the primary key; of two a range of the
 * next column decides.
 */
function lookupsOf(
  { table, fixed, ranges = new Map() }: Omit<TableRead, "current">,
  depth: number,
  dialect: Dialect,
): Pick<AccessPath, "lookups" | "ordered"> | undefined {
  let best: readonly number[] = [];
  let ordered: number | undefined;
  let most = depth;
  for (const columns of indexesOf(table)) {
    const end = columns.findIndex((column) => !fixed.has(column));
    const known = end < 0 ? columns : columns.slice(0, end);
    const next = end < 0 ? undefined : columns[end];
    const isWithin = next !== undefined && ranges.has(next);
    const worth = known.length + (isWithin ? HALF : 0);
    if (worth <= most) continue;
    most = worth;
    best = known;
    ordered = isWithin ? next : undefined;
  }
  if (most === depth) return undefined;
  const { starts, depth: reached } = combinations(table, best, fixed, dialect);
  if (reached < best.length) return undefined;
  const { prefix, index: name, valueOf } = indexOn(table, best, dialect);
  const limits = ordered === undefined ? undefined : ranges.get(ordered);
  if (ordered === undefined || limits === undefined)
    return { lookups: starts.map((value) => ({ prefix, index: name, value, valueOf })) };
  const field = fieldOf(table, ordered);
  const index = `${name} in the order of ${field.name} ${field.type}`;
  const orderOf = (version: Value): number | undefined =>
    placeOf(decodedField(version, field.name, field.type));
  const range = { ...limits, orderOf };
  return { lookups: starts.map((value) => ({ prefix, index, value, valueOf, range })), ordered };
}

function fieldOf(table: Table, at: number): Field {
  const { name = "", declared } = table.columns[at] ?? {};
  return { name, type: declared?.type ?? "unknown" };
}

const indexes = ofNode((_table: Table) => new Map<string, LookupIndex>());

/** The index of a table by the values of some columns. */
function indexOn(table: Table, columns: readonly number[], dialect: Dialect): LookupIndex {
  const own = indexes(table);
  const id = `${dialect} ${columns.join()}`;
  const known = own.get(id);
  if (known !== undefined) return known;
  const prefix = tablePrefix(table);
  const fields = columns.map((at) => fieldOf(table, at));
  const index = `${prefix}@${fields.map((field) => `${field.name} ${field.type}`).join()}`;
  const valueOf = (version: Value): string | undefined => {
    const parts: string[] = [];
    for (const field of fields) {
      const part = keyPart(decodedField(version, field.name, field.type), field.type, dialect);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.join(",");
  };
  const fresh = { prefix, index, valueOf };
  own.set(id, fresh);
  return fresh;
}

/** The indexes that a table declares on single columns: by more columns nobody knows yet which of them will be asked for. */
export function declaredIndexes(table: Table, dialect: Dialect): readonly LookupIndex[] {
  const { keys, indexes: others = [] } = table;
  return [...keys.filter(({ primary }) => !primary), ...others].flatMap(({ columns, where }) =>
    columns.length === 1 && where === undefined ? [indexOn(table, columns, dialect)] : [],
  );
}

/** A range is worth less than a value. */
const HALF = 0.5;

/** Texts of the values of the first columns, as far as those are fixed. */
function combinations(
  table: Table,
  columns: readonly number[],
  fixed: TableRead["fixed"],
  dialect: Dialect,
): { readonly starts: readonly string[]; readonly depth: number } {
  let starts: readonly string[] = [""];
  let depth = 0;
  for (const column of columns) {
    const values = fixed.get(column);
    const type = table.columns[column]?.declared.type ?? "unknown";
    if (values === undefined || values.some((value) => isInexact(value, type))) break;
    const parts = [...new Set(values.flatMap((value) => keyPart(value, type, dialect) ?? []))];
    if (starts.length * parts.length > MOST_KEYS) break;
    starts = starts.flatMap((start) =>
      parts.map((part) => (depth === 0 ? part : `${start},${part}`)),
    );
    depth++;
  }
  return { starts, depth };
}
