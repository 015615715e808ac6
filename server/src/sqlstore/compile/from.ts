// FROM and WHERE: relations, joins and conditions as a plan that gives the rows of all relations together. Inner joins
// are put in an order in which keys are known before the tables that they lead to, so that few rows are read.
import { indexesOf, primaryKeyOf, type Table } from "../catalog";
import { shownColumn, shownInView } from "../mysql/spelling";
import { failure } from "../sqlError";
import { sequenceTable } from "../system/sequenceTable";
import type { SystemTable } from "../system/systemTable";
import { systemTableOf } from "../system/systemTables";
import type { SqlExpression, SqlRelation } from "../tree";
import type { SqlRow } from "../values/value";
import { keyValue, lookupsOf, type Lookup } from "./lookups";
import {
  isPostgres,
  truth,
  type Env,
  type Node,
  type TableRead,
  type Truth,
  type Scope,
  type ScopeColumn,
} from "./node";
import { binary, unify } from "./operators";
import { compileExpression, compileQuery } from "./recursion";
import { columnsOfQuery, findColumn, renameColumn, track } from "./scope";
import { setFunction } from "./setFunctions";
import { conjunctsOf } from "./walk";

export type Tuple = readonly (SqlRow | undefined)[];

/** A table that the query reads, by its position among the relations. */
export interface ReadTable {
  readonly source: number;
  readonly table: Table;
  readonly alias: string;
  /** True if its newest versions are read; set before the statement runs. */
  current: boolean;
}

export interface From {
  /** All combinations of rows for which the conditions hold. */
  readonly tuples: (env: Env) => readonly Tuple[];
  readonly tables: readonly ReadTable[];
  /** The conditions on a tuple whose relations are all known, to be judged again on newer versions. */
  readonly holds: Truth;
}

interface Condition {
  readonly test: Truth;
  readonly uses: ReadonlySet<number>;
  readonly lookups: readonly Lookup[];
}

type Plan =
  | {
      readonly kind: "source";
      readonly source: number;
      readonly rows: (env: Env) => readonly SqlRow[];
      /** Relations beside it that it refers to. */
      readonly uses: ReadonlySet<number>;
      readonly read?: ReadTable;
    }
  | {
      readonly kind: "inner";
      readonly items: readonly Plan[];
      readonly conditions: readonly Condition[];
    }
  | {
      readonly kind: "outer";
      readonly full: boolean;
      readonly left: Plan;
      readonly right: Plan;
      readonly conditions: readonly Condition[];
    };

/** Adds the relations to the scope and compiles the condition over them. */
export function compileFrom(
  relations: readonly SqlRelation[],
  where: SqlExpression | undefined,
  scope: Scope,
): From {
  const tables: ReadTable[] = [];
  const items = relations.map((relation) => addRelation(relation, scope, tables));
  const filters = conjunctsOf(where).map((each) => condition(each, scope, "WHERE"));
  const plan = pushed({ kind: "inner", items, conditions: [] }, filters);
  const run = runner(plan, new Set(), []);
  const all = [...conditionsOf(plan)];
  return {
    tuples: (env) =>
      run(
        env,
        scope.sources.map((_, at) => env.tuple[at]),
      ),
    tables,
    holds: (env) => all.every(({ test }) => test(env) === true),
  };
}

function condition(expression: SqlExpression, scope: Scope, where: string): Condition {
  const { result, uses } = track(scope, () =>
    truth(compileExpression(expression, scope), scope.compiler, where),
  );
  return { test: result, uses, lookups: lookupsOf(expression, scope) };
}

/** All conditions that rows must satisfy whatever joins they are in; those of outer joins are not among them. */
function conditionsOf(plan: Plan): readonly Condition[] {
  if (plan.kind !== "inner") return [];
  return [...plan.conditions, ...plan.items.flatMap(conditionsOf)];
}

function addRelation(relation: SqlRelation, scope: Scope, tables: ReadTable[]): Plan {
  switch (relation.kind) {
    case "table":
      return addTable(relation, scope, tables);
    case "query": {
      const parent = relation.lateral ? scope : scope.parent;
      const compile = (): ReturnType<typeof compileQuery> =>
        compileQuery(relation.query, scope.compiler, parent, scope.withs);
      const { result: query, uses } = track(scope, compile);
      const source = addSource(
        scope,
        relation.alias ?? "",
        columnsOfQuery(query, relation.columns),
      );
      if (relation.lateral) return { kind: "source", source, rows: query.run, uses };
      return { kind: "source", source, rows: once(query.run), uses: new Set() };
    }
    case "function": {
      const { result: made, uses } = track(scope, () => setFunction(relation, scope));
      const source = addSource(scope, relation.alias ?? relation.call.name, made.columns);
      return { kind: "source", source, rows: made.rows, uses };
    }
    case "join":
      return addJoin(relation, scope, tables);
    default:
      return relation satisfies never;
  }
}

/** A query that refers to nothing beside it gives the same rows for each of them. */
function once(run: (env: Env) => readonly SqlRow[]): (env: Env) => readonly SqlRow[] {
  const last: { env?: Env; rows: readonly SqlRow[] } = { rows: [] };
  return (env) => {
    const around = env.up ?? env;
    if (last.env === around) return last.rows;
    last.rows = run(around);
    last.env = around;
    return last.rows;
  };
}

function addSource(
  scope: Scope,
  alias: string,
  columns: readonly ScopeColumn[],
  table?: Table,
): number {
  if (alias !== "" && scope.sources.some((each) => each.alias === alias)) {
    throw isPostgres(scope.compiler)
      ? failure("duplicateAlias", `table name "${alias}" specified more than once`)
      : failure("duplicateAlias", `Not unique table/alias: '${alias}'`);
  }
  const key = table && primaryKeyOf(table)?.columns;
  scope.sources.push({
    alias,
    columns,
    merged: new Set(),
    ...(key && { key }),
    ...(table && { indexed: new Set(indexesOf(table).flat()) }),
  });
  return scope.sources.length - 1;
}

type TableRelation = Extract<SqlRelation, { readonly kind: "table" }>;

function addTable(relation: TableRelation, scope: Scope, tables: ReadTable[]): Plan {
  const { name, alias = name } = relation;
  const { catalog } = scope.compiler;
  const known = relation.schema === undefined ? scope.withs.get(name) : undefined;
  if (known !== undefined) {
    const { number, query } = known;
    const columns = known.columns.map((column, at) => renameColumn(column, relation.columns[at]));
    const source = addSource(scope, alias, columns);
    const rows = (env: Env): readonly SqlRow[] => {
      const before = env.work.withRows.get(number);
      if (before !== undefined) return before;
      const computed = query.run(env.work.withEnvs.get(number) ?? env);
      env.work.withRows.set(number, computed);
      return computed;
    };
    return { kind: "source", source, rows, uses: new Set() };
  }
  const system = systemTableOf(scope.compiler.dialect, relation.schema, name);
  if (system !== undefined) return addSystemTable(system, relation, scope);
  const view = catalog.views.get(name);
  if (view !== undefined) {
    const query = compileQuery(view.query, scope.compiler, undefined, new Map());
    const names = relation.columns.length > 0 ? relation.columns : view.columns;
    const columns = columnsOfQuery(query, names).map((column) => ({
      ...column,
      shown: column.shown ?? shownInView(catalog, name, column.name),
    }));
    const source = addSource(scope, alias, columns);
    return { kind: "source", source, rows: once(query.run), uses: new Set() };
  }
  const table = catalog.tables.get(name);
  const sequence = catalog.dialect === "mariadb" ? catalog.sequences.get(name) : undefined;
  if (table === undefined && sequence !== undefined)
    return addSystemTable(sequenceTable(name, sequence), relation, scope);
  if (table === undefined) {
    const shown = relation.schema === undefined ? name : `${relation.schema}.${name}`;
    throw isPostgres(scope.compiler)
      ? failure("noTable", `relation "${shown}" does not exist`)
      : failure("noTable", `Table '${shown}' doesn't exist`, { table: shown });
  }
  const columns = table.columns.map((column, at) => {
    const { name: own, declared } = column;
    const shown = shownColumn(catalog, table, own);
    const origin = { declared, table: table.name, position: at + 1 };
    return renameColumn({ name: own, type: declared.type, shown, origin }, relation.columns[at]);
  });
  const source = addSource(scope, alias, columns, table);
  const read: ReadTable = { source, table, alias, current: false };
  tables.push(read);
  const rows = (env: Env): readonly SqlRow[] =>
    env.work.rows({ table, fixed: new Map(), current: read.current });
  return { kind: "source", source, rows, uses: new Set(), read };
}

/** A table about the database: its rows are computed when a statement first asks for them. */
function addSystemTable(system: SystemTable, relation: TableRelation, scope: Scope): Plan {
  const { compiler } = scope;
  const columns = system.columns.map((column, at) => renameColumn(column, relation.columns[at]));
  const source = addSource(scope, relation.alias ?? relation.name, columns);
  const known = new WeakMap<Env["work"], readonly SqlRow[]>();
  const rows = ({ work }: Env): readonly SqlRow[] => {
    const computed =
      known.get(work) ??
      system.rows({
        catalog: compiler.catalog,
        session: work.session,
        setting: work.setting,
        viewColumns: (view) =>
          columnsOfQuery(compileQuery(view.query, compiler, undefined, new Map()), view.columns),
      });
    known.set(work, computed);
    return computed;
  };
  return { kind: "source", source, rows, uses: new Set() };
}

type JoinRelation = Extract<SqlRelation, { readonly kind: "join" }>;

function addJoin(relation: JoinRelation, scope: Scope, tables: ReadTable[]): Plan {
  const first = scope.sources.length;
  const left = addRelation(relation.left, scope, tables);
  const middle = scope.sources.length;
  const right = addRelation(relation.right, scope, tables);
  const names = relation.natural ? commonNames(scope, first, middle) : relation.using;
  const conditions = [
    ...names.map((name) => merge(name, first, middle, relation, scope)),
    ...conjunctsOf(relation.on).map((each) => condition(each, scope, "JOIN/ON")),
  ];
  switch (relation.join) {
    case "inner":
    case "cross":
      return { kind: "inner", items: [left, right], conditions };
    case "left":
    case "full":
      return { kind: "outer", full: relation.join === "full", left, right, conditions };
    case "right":
      return { kind: "outer", full: false, left: right, right: left, conditions };
    default:
      return relation.join satisfies never;
  }
}

function commonNames(scope: Scope, first: number, middle: number): readonly string[] {
  const names = (from: number, to?: number): readonly string[] =>
    scope.sources
      .slice(from, to)
      .flatMap(({ columns, merged }) =>
        columns.filter((_, at) => !merged.has(at)).map((column) => column.name),
      );
  const right = new Set(names(middle));
  return [...new Set(names(first, middle))].filter((name) => right.has(name));
}

/** One column of USING: equal on both sides, and shown once. */
function merge(
  name: string,
  first: number,
  middle: number,
  relation: JoinRelation,
  scope: Scope,
): Condition {
  const before = scope.using.get(name);
  const at = (from: number, to: number): { source: number; column: number } => {
    for (let source = from; source < to; source++) {
      const each = scope.sources[source];
      const column = each?.columns.findIndex((own) => own.name === name) ?? -1;
      if (column >= 0 && each?.merged.has(column) === false) return { source, column };
    }
    throw failure("noColumn", `column "${name}" specified in USING clause does not exist`);
  };
  const left = at(first, middle);
  const right = at(middle, scope.sources.length);
  const node = (which: { source: number; column: number }): Node => ({
    type: scope.sources[which.source]?.columns[which.column]?.type ?? "unknown",
    run: (env) => env.tuple[which.source]?.[which.column] ?? null,
    constant: false,
  });
  const [a, b] = [before ?? node(left), node(right)];
  const test = truth(binary("=", a, b, scope.compiler), scope.compiler, "USING");
  const uses = new Set([left.source, right.source]);
  const key = (
    side: { source: number; column: number },
    other: Node,
    from: number,
  ): readonly Lookup[] => {
    const { indexed, columns = [] } = scope.sources[side.source] ?? {};
    if (indexed?.has(side.column) !== true) return [];
    const value = keyValue(other, columns[side.column]?.type ?? "unknown", scope);
    return value ? [{ ...side, uses: new Set([from]), values: (env) => [value.run(env)] }] : [];
  };
  const lookups = [...key(left, b, right.source), ...key(right, a, left.source)];
  scope.sources[right.source]?.merged.add(right.column);
  if (relation.join !== "inner" && relation.join !== "cross" && relation.join !== "left") {
    // The side that may be missing gives nothing, so either side's value is shown.
    scope.sources[left.source]?.merged.add(left.column);
    const [x, y] = unify([a, b], scope.compiler, "JOIN/USING");
    const merged = x === undefined || y === undefined ? a : firstOf(x, y);
    scope.using.set(name, merged);
  } else if (before === undefined) {
    // A plain look-up finds the left column, since the right one is hidden.
    findColumn(scope, [name]);
  }
  return { test, uses, lookups };
}

function firstOf(left: Node, right: Node): Node {
  return { type: left.type, constant: false, run: (env) => left.run(env) ?? right.run(env) };
}

/** Puts conditions as deep as they can go: to the side of an outer join that keeps all of its rows. */
function pushed(plan: Plan, conditions: readonly Condition[]): Plan {
  if (conditions.length === 0 && plan.kind !== "inner") return plan;
  switch (plan.kind) {
    case "source":
      return { kind: "inner", items: [plan], conditions };
    case "outer": {
      if (plan.full) return { kind: "inner", items: [plan], conditions };
      const own = sourcesOf(plan.left);
      const goes = (each: Condition): boolean => [...each.uses].every((use) => own.has(use));
      const left = pushed(plan.left, conditions.filter(goes));
      const rest = conditions.filter((each) => !goes(each));
      const outer: Plan = { ...plan, left };
      return rest.length === 0 ? outer : { kind: "inner", items: [outer], conditions: rest };
    }
    case "inner": {
      const flat = plan.items.map((item) => pushed(item, []));
      const items = flat.flatMap((item) => (item.kind === "inner" ? item.items : [item]));
      const inherited = flat.flatMap((item) => (item.kind === "inner" ? item.conditions : []));
      const all = [...plan.conditions, ...inherited, ...conditions];
      // A condition that concerns one outer join alone is its own affair.
      const rest: Condition[] = [];
      const mine = new Map<number, Condition[]>();
      for (const each of all) {
        const at = items.findIndex((item) => {
          const sources = sourcesOf(item);
          return (
            item.kind === "outer" &&
            each.uses.size > 0 &&
            [...each.uses].every((use) => sources.has(use))
          );
        });
        const list = mine.get(at) ?? [];
        if (at >= 0) mine.set(at, [...list, each]);
        else rest.push(each);
      }
      return {
        kind: "inner",
        items: items.map((item, at) => {
          const own = mine.get(at);
          return own === undefined ? item : pushed(item, own);
        }),
        conditions: rest,
      };
    }
    default:
      return plan satisfies never;
  }
}

function sourcesOf(plan: Plan): ReadonlySet<number> {
  switch (plan.kind) {
    case "source":
      return new Set([plan.source]);
    case "inner":
      return new Set(plan.items.flatMap((item) => [...sourcesOf(item)]));
    case "outer":
      return new Set([...sourcesOf(plan.left), ...sourcesOf(plan.right)]);
    default:
      return plan satisfies never;
  }
}

type Extend = (env: Env, tuple: Tuple) => readonly Tuple[];

/** The functions that extend a tuple by the relations of a plan, once those in `bound` are in it. */
function runner(plan: Plan, bound: ReadonlySet<number>, around: readonly Condition[]): Extend {
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
    return (env, tuple) => rows({ ...env, tuple }).map((row) => tuple.with(source, row));
  }
  return (env, tuple) =>
    env.work.rows(fixed({ ...env, tuple })).map((row) => tuple.with(source, row));
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
  if (!indexesOf(read.table).some(([first = -1]) => usable.has(first))) return undefined;
  return (env) => ({
    table: read.table,
    fixed: new Map([...usable].map(([column, { values }]) => [column, values(env)] as const)),
    current: read.current,
  });
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
  return (env, start) => {
    let tuples: readonly Tuple[] = [start];
    for (const { extend, tests, reads } of steps) {
      if (reads !== undefined && tuples.length > 1) {
        env.work.prepare(tuples.map((tuple) => reads({ ...env, tuple })));
      }
      const found: Tuple[] = [];
      for (const tuple of tuples) {
        for (const longer of extend(env, tuple)) {
          const inside = { ...env, tuple: longer };
          if (tests.every((test) => test(inside) === true)) found.push(longer);
        }
      }
      tuples = found;
    }
    if (rest.length === 0) return tuples;
    return tuples.filter((tuple) => rest.every((test) => test({ ...env, tuple }) === true));
  };
}

/** The first relation whose whole key is known, else one of whose key a part is, else the first that needs no other. */
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
    const { source } = item;
    const isKnown = (column: number): boolean =>
      conditions.some(({ lookups }) =>
        lookups.some(
          (each) =>
            each.source === source &&
            each.column === column &&
            [...each.uses].every((use) => bound.has(use)),
        ),
      );
    const share = Math.max(
      ...indexesOf(item.read.table).map(
        (columns) => columns.filter(isKnown).length / columns.length,
      ),
      0,
    );
    if (share > most) {
      most = share;
      best = item;
    }
  }
  if (best === undefined) throw failure("internal", "no relation is left to join");
  return best;
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
    return (env, tuple) => {
      const all = rights(env, tuple);
      const matched = new Set<Tuple>();
      const found = lefts(env, tuple).flatMap((left) => {
        const pairs = all.flatMap((right) => {
          const pair = right.map((row, at) => (own.has(at) ? left[at] : row));
          if (!holds(env, pair)) return [];
          matched.add(right);
          return [pair];
        });
        return pairs.length === 0 ? [left] : pairs;
      });
      return [...found, ...all.filter((right) => !matched.has(right))];
    };
  }
  const reads =
    plan.right.kind === "source" && plan.right.read !== undefined
      ? lookupOf(plan.right.read, known, plan.conditions)
      : undefined;
  return (env, start) => {
    const kept = lefts(env, start);
    if (reads !== undefined && kept.length > 1) {
      env.work.prepare(kept.map((tuple) => reads({ ...env, tuple })));
    }
    return kept.flatMap((tuple) => {
      const pairs = rights(env, tuple).filter((pair) => holds(env, pair));
      return pairs.length === 0 ? [tuple] : pairs;
    });
  };
}
