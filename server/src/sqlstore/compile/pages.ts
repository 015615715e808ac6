// ORDER BY key LIMIT n over one table: its rows are read in parts, in the order of an index, until there are enough.
import type { SqlExpression, SqlOrder, SqlQuery } from "../tree";
import { isPlaced } from "../values/places";
import { primaryKeyOf } from "../catalog";
import type { ReadTable } from "./joinPlan";
import type { ColumnRange, Env, Page, Scope } from "./node";
import { bounds } from "./ordering";
import { findColumn } from "./scope";
import type { Slices } from "./slices";

/** Reads parts, each by `take`, which gives the number of all rows so far. */
type Pages = (env: Env, take: (env: Env) => Slices<number>) => Slices<void>;

/** Rows of the first part, and how many times as many the next one has. */
const FEWEST = 64;
const GROWTH = 4;

/** How the rows of a query are read in parts; undefined for queries that need all of them. */
export function pagesOf(
  query: SqlQuery,
  order: readonly (SqlOrder & { readonly value: SqlExpression })[],
  tables: readonly ReadTable[],
  scope: Scope,
): Pages | undefined {
  const [first] = order;
  const [read, ...others] = tables;
  const isOne = scope.sources.length === 1 && others.length === 0 && query.locks.length === 0;
  // A query for each row of another one has its rows from one whole read.
  if (scope.parent !== undefined || query.limit === undefined || !isOne || read === undefined)
    return undefined;
  const found = first?.value.kind === "column" ? findColumn(scope, first.value.path) : undefined;
  const column = found && read.table.columns[found.column];
  if (first === undefined || found === undefined || column === undefined) return undefined;
  const isThere =
    column.notNull || primaryKeyOf(read.table)?.columns.includes(found.column) === true;
  // NULL has no place in an index.
  if (!isThere || !isPlaced(column.declared.type)) return undefined;
  const limit = bounds(query, scope);
  const side = first.descending ? "high" : "low";
  return function* (env, take) {
    const { first: offset, most } = limit(env);
    const wanted = offset + (most ?? Infinity);
    if (!Number.isFinite(wanted)) {
      yield* take(env);
      return;
    }
    let count = Math.max(FEWEST, 2 * wanted);
    let rest: ColumnRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
    for (;;) {
      const page: Page = {
        source: read.source,
        column: found.column,
        most: { count, side },
        rest,
        part: undefined,
      };
      const so = yield* take({ ...env, page });
      const { part } = page;
      if (part === undefined || part.isLast || so >= wanted) return;
      // Nothing is behind the last place that there is.
      if (!Number.isFinite(side === "low" ? part.to : part.from)) return;
      rest =
        side === "low"
          ? { from: nextNumber(part.to), to: rest.to }
          : { from: rest.from, to: -nextNumber(-part.from) };
      count *= GROWTH;
    }
  };
}

const bits = new DataView(new ArrayBuffer(8));

/** The smallest number that is greater. */
function nextNumber(number: number): number {
  if (!Number.isFinite(number)) return number;
  if (number === 0) return Number.MIN_VALUE;
  bits.setFloat64(0, number);
  bits.setBigInt64(0, bits.getBigInt64(0) + (number > 0 ? 1n : -1n));
  return bits.getFloat64(0);
}
