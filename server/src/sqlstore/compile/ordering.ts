// ORDER BY, LIMIT and OFFSET.
import { failure } from "../sqlError";
import type { SqlExpression, SqlOrder } from "../tree";
import { comparer } from "../values/compare";
import type { SqlValue } from "../values/value";
import {
  convertNode,
  isPostgres,
  type Compiler,
  type Env,
  type Node,
  type Scope,
  type Sort,
} from "./node";
import { compileExpression } from "./recursion";
import { toEnd, type Slices } from "./slices";

/** How rows are ordered by a node: NULLs come last in PostgreSQL and first in MySQL, unless DESC turns it around. */
export function sortOf(node: Node, order: SqlOrder, compiler: Compiler): Sort {
  const { descending } = order;
  const nullsFirst =
    order.nulls === undefined ? isPostgres(compiler) === descending : order.nulls === "first";
  const compare = comparer(node.type, compiler.dialect, node.origin?.declared.labels);
  return { node, compare, descending, nullsFirst };
}

/** A stable sort by several keys. */
export function sortRows<T>(
  items: readonly T[],
  sorts: readonly Sort[],
  keyOf: (item: T, sort: Sort) => SqlValue,
): readonly T[] {
  return toEnd(sortInTurns(items, sorts, keyOf, () => false));
}

/** Rows that are sorted without a stop. */
const RUN = 1024;

/** As `sortRows`, in slices: parts are sorted one by one, and then merged. */
export function* sortInTurns<T>(
  items: readonly T[],
  sorts: readonly Sort[],
  keyOf: (item: T, sort: Sort) => SqlValue,
  isDue: () => boolean,
): Slices<readonly T[]> {
  if (sorts.length === 0 || items.length < 2) return items;
  const compare = (left: Keyed<T>, right: Keyed<T>): number => {
    for (const [at, sort] of sorts.entries()) {
      const order = compareKeys(left.keys[at] ?? null, right.keys[at] ?? null, sort);
      if (order !== 0) return order;
    }
    return 0;
  };
  const keyed: Keyed<T>[] = [];
  for (const item of items) {
    if (isDue()) yield;
    keyed.push({ item, keys: sorts.map((sort) => keyOf(item, sort)) });
  }
  return (yield* sortedInTurns(keyed, compare, isDue)).map(({ item }) => item);
}

/** A stable sort in slices. */
export function* sortedInTurns<T>(
  items: readonly T[],
  compare: (left: T, right: T) => number,
  isDue: () => boolean,
): Slices<readonly T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    if (isDue()) yield;
    runs.push(items.slice(from, from + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      longer.push(yield* merged(runs[at] ?? [], runs[at + 1] ?? [], compare, isDue));
    runs = longer;
  }
  return runs[0] ?? [];
}

interface Keyed<T> {
  readonly item: T;
  readonly keys: readonly SqlValue[];
}

/** Of equals those of the first come first. */
function* merged<T>(
  first: T[],
  second: T[],
  compare: (left: T, right: T) => number,
  isDue: () => boolean,
): Slices<T[]> {
  if (second.length === 0) return first;
  const all: T[] = [];
  let at = 0;
  for (const each of second) {
    if (isDue()) yield;
    for (let next = first[at]; next !== undefined && compare(next, each) <= 0; next = first[++at])
      all.push(next);
    all.push(each);
  }
  return all.concat(first.slice(at));
}

function compareKeys(left: SqlValue, right: SqlValue, sort: Sort): number {
  if (left === null || right === null) {
    if (left === right) return 0;
    return (left === null) === sort.nullsFirst ? -1 : 1;
  }
  const order = sort.compare(left, right);
  return sort.descending ? -order : order;
}

interface Limited {
  readonly limit?: SqlExpression;
  readonly offset?: SqlExpression;
}

/** LIMIT and OFFSET. */
export function limits(
  query: Limited,
  scope: Scope,
): <T>(env: Env, rows: readonly T[]) => readonly T[] {
  if (query.limit === undefined && query.offset === undefined) return (_, rows) => rows;
  const cut = bounds(query, scope);
  return (env, rows) => {
    const { first, most } = cut(env);
    return rows.slice(first, most === undefined ? undefined : first + most);
  };
}

/** The values of LIMIT and OFFSET. */
export function bounds(
  query: Limited,
  scope: Scope,
): (env: Env) => { readonly first: number; readonly most: number | undefined } {
  const { compiler } = scope;
  const count = (expression: SqlExpression | undefined): Node | undefined =>
    expression && convertNode(compileExpression(expression, scope), "int8", compiler);
  const [limit, offset] = [count(query.limit), count(query.offset)];
  return (env) => {
    const most = limit?.run(env) ?? null;
    const first = Number(offset?.run(env) ?? 0);
    if (most !== null && Number(most) < 0) throw failure("badLimit", "LIMIT must not be negative");
    if (first < 0) throw failure("badOffset", "OFFSET must not be negative");
    return { first, most: most === null ? undefined : Number(most) };
  };
}
