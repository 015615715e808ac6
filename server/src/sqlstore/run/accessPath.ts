// Access paths: keys, beginnings of keys or values of indexes that lead to the rows that a statement reads.
import type { Key as StoreKey, Lookup, Value } from "../../exploration/client";
import type { Dialect } from "../../program/dialect";
import { indexesOf, primaryKeyOf, type Table } from "../catalog";
import type { TableRead } from "../compile/node";
import { decodedField, isInexact, keyPart, tablePrefix } from "./versions";

export interface AccessPath {
  readonly keys: readonly StoreKey[];
  readonly scans: readonly string[];
  readonly lookups: readonly Lookup[];
}

/** Combinations of values beyond which a table is scanned instead. */
const MOST_KEYS = 1000;

/** Keys where all columns of the primary key are fixed, else values of the best index, else beginnings of keys. */
export function accessPathOf(
  table: Table,
  fixed: TableRead["fixed"],
  dialect: Dialect,
  hasIndexes: boolean,
): AccessPath {
  const prefix = tablePrefix(table);
  const columns = primaryKeyOf(table)?.columns ?? [];
  const { starts, depth } = combinations(table, columns, fixed, dialect);
  if (depth > 0 && depth === columns.length)
    return { keys: starts.map((start) => prefix + start), scans: [], lookups: [] };
  const lookups = hasIndexes ? lookupsOf(table, fixed, depth, dialect) : undefined;
  if (lookups !== undefined) return { keys: [], scans: [], lookups };
  const scans = depth === 0 ? [prefix] : starts.map((start) => `${prefix}${start},`);
  return { keys: [], scans, lookups: [] };
}

/** The key that tells look-ups apart. */
export function lookupName({ index, value }: Lookup): string {
  return `${index}=${value}`;
}

/** Values of the index of which most columns are fixed, if those are more than of the primary key. */
function lookupsOf(
  table: Table,
  fixed: TableRead["fixed"],
  depth: number,
  dialect: Dialect,
): readonly Lookup[] | undefined {
  let best: readonly number[] = [];
  for (const columns of indexesOf(table)) {
    const end = columns.findIndex((column) => !fixed.has(column));
    const known = end < 0 ? columns : columns.slice(0, end);
    if (known.length > Math.max(depth, best.length)) best = known;
  }
  const { starts, depth: reached } = combinations(table, best, fixed, dialect);
  if (reached === 0 || reached < best.length) return undefined;
  const prefix = tablePrefix(table);
  const fields = best.map((at) => {
    const { name = "", declared } = table.columns[at] ?? {};
    return { name, type: declared?.type ?? ("unknown" as const) };
  });
  const index = `${prefix}@${fields.map(({ name, type }) => `${name} ${type}`).join()}`;
  const valueOf = (version: Value): string | undefined => {
    const parts: string[] = [];
    for (const { name, type } of fields) {
      const part = keyPart(decodedField(version, name, type), type, dialect);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return parts.join(",");
  };
  return starts.map((value) => ({ prefix, index, value, valueOf }));
}

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
