// Joins as they are carried out: tuples grow by one relation after the other, where keys are known before the tables that
// they lead to, so that few rows are read.
import { indexesOf } from "../catalog";
import { failure } from "../sqlError";
import type { SqlRow } from "../values/value";
import {
  sourcesOf,
  type Condition,
  type Plan,
  type ReadTable,
  type RowsOf,
  type Tuple,
} from "./joinPlan";
import type { Bound, Lookup } from "./lookups";
import type { ColumnRange, Env, Page, TableRead, Truth } from "./node";
import type { Slices } from "./slices";

export type Extend = (env: Env, tuple: Tuple) => Slices<readonly Tuple[]>;

/** The functions that extend a tuple by the relations of a plan, once those in `bound` are in it. */
export function runner(
  plan: Plan,
  bound: ReadonlySet<number>,
  around: readonly Condition[],
): Extend {
  switch (plan.kind) {
    case "source":
      return sourceRunner(plan, bound, around);
    case "inner":
      return innerRunner(plan, bound, around);
    case "outer":
      return outerRunner(plan, bound);
    default:
      return plan satisfies never;
  }
}

function sourceRunner(
  plan: Extract<Plan, { readonly kind: "source" }>,
  bound: ReadonlySet<number>,
  conditions: readonly Condition[],
): Extend {
  const { source, read, rows } = plan;
  const fixed = read === undefined ? undefined : lookupOf(read, bound, conditions);
  if (read === undefined || fixed === undefined) {
    return function* (env, tuple) {
      const all =
        read !== undefined && env.page?.source === source
          ? yield* pageOf(
              { table: read.table, fixed: new Map(), current: read.current },
              env,
              env.page,
            )
          : yield* allOf(rows({ ...env, tuple }));
      return all.map((row) => tuple.with(source, row));
    };
  }
  return function* (env, tuple) {
    const wanted = fixed({ ...env, tuple });
    const rows =
      env.page?.source === source
        ? yield* pageOf(wanted, env, env.page)
        : yield* rowsOf(wanted, env);
    return rows.map((row) => tuple.with(source, row));
  };
}

/** The rows of a table that conditions lead to, given the relations that are known. */
function lookupOf(
  read: ReadTable,
  bound: ReadonlySet<number>,
  conditions: readonly Condition[],
): ((env: Env) => TableRead) | undefined {
  const usable = new Map<number, Lookup>();
  for (const each of conditions.flatMap(({ lookups }) => lookups)) {
    if (each.source !== read.source || usable.has(each.column)) continue;
    if ([...each.uses].every((use) => bound.has(use))) usable.set(each.column, each);
  }
  const bounds = conditions
    .flatMap((each) => each.bounds)
    .filter(
      ({ source, uses }) => source === read.source && [...uses].every((use) => bound.has(use)),
    );
  const isKnown = (column = -1): boolean =>
    usable.has(column) || bounds.some((each) => each.column === column);
  if (!indexesOf(read.table).some(([first]) => isKnown(first))) return undefined;
  return (env) => ({
    table: read.table,
    fixed: new Map([...usable].map(([column, { values }]) => [column, values(env)] as const)),
    ...(bounds.length > 0 && { ranges: rangesOf(bounds, env) }),
    current: read.current,
  });
}

function rangesOf(bounds: readonly Bound[], env: Env): ReadonlyMap<number, ColumnRange> {
  const ranges = new Map<number, ColumnRange>();
  for (const { column, side, place } of bounds) {
    const at = place(env);
    if (at === undefined) continue;
    const { from, to } = ranges.get(column) ?? {
      from: Number.NEGATIVE_INFINITY,
      to: Number.POSITIVE_INFINITY,
    };
    ranges.set(
      column,
      side === "from" ? { from: Math.max(from, at), to } : { from, to: Math.min(to, at) },
    );
  }
  return ranges;
}

interface Step {
  readonly extend: Extend;
  readonly tests: readonly Truth[];
  readonly reads?: (env: Env) => TableRead;
}

function innerRunner(
  plan: Extract<Plan, { readonly kind: "inner" }>,
  before: ReadonlySet<number>,
  around: readonly Condition[],
): Extend {
  const bound = new Set(before);
  const waiting = [...plan.items];
  const conditions = [...plan.conditions, ...around];
  const left = [...plan.conditions];
  const steps: Step[] = [];
  while (waiting.length > 0) {
    const next = nextItem(waiting, bound, conditions);
    waiting.splice(waiting.indexOf(next), 1);
    const extend = runner(next, new Set(bound), conditions);
    const reads =
      next.kind === "source" && next.read !== undefined
        ? lookupOf(next.read, new Set(bound), conditions)
        : undefined;
    for (const source of sourcesOf(next)) bound.add(source);
    const ready = left.filter((each) => [...each.uses].every((use) => bound.has(use)));
    for (const each of ready) left.splice(left.indexOf(each), 1);
    const tests = ready.map((each) => each.test);
    steps.push({ extend, tests, ...(reads === undefined ? {} : { reads }) });
  }
  // Conditions about relations around the query, or about none.
  const rest = left.map((each) => each.test);
  return function* (env, start) {
    let tuples: readonly Tuple[] = [start];
    for (const { extend, tests, reads } of steps) {
      if (reads !== undefined && tuples.length > 1) {
        const lacking = env.work.lacking(tuples.map((tuple) => reads({ ...env, tuple })));
        if (lacking !== undefined) yield lacking;
      }
      const found: Tuple[] = [];
      for (const tuple of tuples) {
        for (const longer of yield* extend(env, tuple)) {
          if (env.work.isDue()) yield;
          const inside = { ...env, tuple: longer };
          if (tests.every((test) => test(inside) === true)) found.push(longer);
        }
      }
      tuples = found;
    }
    if (rest.length === 0) return tuples;
    const kept: Tuple[] = [];
    for (const tuple of tuples) {
      if (env.work.isDue()) yield;
      if (rest.every((test) => test({ ...env, tuple }) === true)) kept.push(tuple);
    }
    return kept;
  };
}

/** The first relation of which one row can be left, else the one of whose indexes most is known, else the first that needs no other. */
function nextItem(
  waiting: readonly Plan[],
  bound: ReadonlySet<number>,
  conditions: readonly Condition[],
): Plan {
  const free = waiting.filter(
    (item) => item.kind !== "source" || [...item.uses].every((use) => bound.has(use)),
  );
  let best = free[0] ?? waiting[0];
  let most = 0;
  for (const item of free) {
    if (item.kind !== "source" || item.read === undefined) continue;
    const worth = worthOf(item.read, bound, conditions);
    if (worth > most) {
      most = worth;
      best = item;
    }
  }
  if (best === undefined) throw failure("internal", "no relation is left to join");
  return best;
}

/** How many columns at the beginning of an index are known; a range counts half, and a whole unique key more than all. */
function worthOf(
  { source, table }: ReadTable,
  bound: ReadonlySet<number>,
  conditions: readonly Condition[],
): number {
  const isUsable = (each: Lookup | Bound): boolean =>
    each.source === source && [...each.uses].every((use) => bound.has(use));
  const known = new Set<number>();
  const bounded = new Set<number>();
  for (const { lookups, bounds } of conditions) {
    for (const each of lookups) if (isUsable(each)) known.add(each.column);
    for (const each of bounds) if (isUsable(each)) bounded.add(each.column);
  }
  if (table.keys.some(({ columns }) => columns.every((column) => known.has(column))))
    return Number.POSITIVE_INFINITY;
  const worths = indexesOf(table).map((columns) => {
    const end = columns.findIndex((column) => !known.has(column));
    if (end < 0) return columns.length;
    return end + (bounded.has(columns[end] ?? -1) ? 1 / 2 : 0);
  });
  return Math.max(...worths, 0);
}

function outerRunner(
  plan: Extract<Plan, { readonly kind: "outer" }>,
  bound: ReadonlySet<number>,
): Extend {
  const lefts = runner(plan.left, bound, []);
  const known = new Set([...bound, ...sourcesOf(plan.left)]);
  const rights = runner(plan.right, plan.full ? bound : known, plan.full ? [] : plan.conditions);
  const tests = plan.conditions.map((each) => each.test);
  const holds = (env: Env, tuple: Tuple): boolean =>
    tests.every((test) => test({ ...env, tuple }) === true);
  if (plan.full) {
    const own = sourcesOf(plan.left);
    return function* (env, tuple) {
      const all = yield* rights(env, tuple);
      const matched = new Set<Tuple>();
      const found: Tuple[] = [];
      for (const left of yield* lefts(env, tuple)) {
        const before = found.length;
        for (const right of all) {
          if (env.work.isDue()) yield;
          const pair = right.map((row, at) => (own.has(at) ? left[at] : row));
          if (!holds(env, pair)) continue;
          matched.add(right);
          found.push(pair);
        }
        if (found.length === before) found.push(left);
      }
      return [...found, ...all.filter((right) => !matched.has(right))];
    };
  }
  const reads =
    plan.right.kind === "source" && plan.right.read !== undefined
      ? lookupOf(plan.right.read, known, plan.conditions)
      : undefined;
  return function* (env, start) {
    const kept = yield* lefts(env, start);
    if (reads !== undefined && kept.length > 1) {
      const lacking = env.work.lacking(kept.map((tuple) => reads({ ...env, tuple })));
      if (lacking !== undefined) yield lacking;
    }
    const found: Tuple[] = [];
    for (const tuple of kept) {
      const before = found.length;
      for (const pair of yield* rights(env, tuple)) {
        if (env.work.isDue()) yield;
        if (holds(env, pair)) found.push(pair);
      }
      if (found.length === before) found.push(tuple);
    }
    return found;
  };
}

/** The rows of a table, which are read where they are not there. */
export function* rowsOf(read: TableRead, { work }: Env): Slices<readonly SqlRow[]> {
  return yield* work.rowsInTurns(read);
}

/** The next rows in the order of a column; all of them where no index has that order. */
function* pageOf(read: TableRead, env: Env, page: Page): Slices<readonly SqlRow[]> {
  const { column, most, rest } = page;
  const { ranges = new Map<number, ColumnRange>() } = read;
  const whole = ranges.get(column) ?? rest;
  const range = { from: Math.max(whole.from, rest.from), to: Math.min(whole.to, rest.to) };
  const wanted = { ...read, ranges: new Map([...ranges, [column, range]]) };
  let found = env.work.page(wanted, column, most);
  if (found !== undefined && "kind" in found) {
    yield found;
    found = env.work.page(wanted, column, most);
  }
  if (found === undefined || "kind" in found) {
    page.part = undefined;
    return yield* rowsOf(read, env);
  }
  page.part = found;
  const { from, to } = found;
  return yield* rowsOf({ ...read, ranges: new Map([...ranges, [column, { from, to }]]) }, env);
}

/** All rows of a relation. */
export function* allOf(rows: ReturnType<RowsOf>): Slices<readonly SqlRow[]> {
  return Symbol.iterator in rows && "next" in rows ? yield* rows : rows;
}
