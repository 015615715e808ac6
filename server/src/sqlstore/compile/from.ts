// FROM and WHERE: relations, joins and conditions as a plan that gives the rows of all relations together. Inner joins
// are put in an order in which keys are known before the tables that they lead to, so that few rows are read.
import { indexesOf, primaryKeyOf, type Table, type View } from "../catalog";
import { shownColumn, shownInView } from "../mysql/spelling";
import { shownName } from "../schemaMap";
import { failure, SqlFailure } from "../sqlError";
import { sequenceTable } from "../system/sequenceTable";
import type { SystemTable } from "../system/systemTable";
import { systemTableOf } from "../system/systemTables";
import type { SqlExpression, SqlRelation } from "../tree";
import type { SqlRow } from "../values/value";
import { boundsOf, keyValue, lookupsOf, type Lookup } from "./lookups";
import {
  isPostgres,
  truth,
  type CompiledQuery,
  type Compiler,
  type Env,
  type Node,
  type Truth,
  type Scope,
  type ScopeColumn,
} from "./node";
import { binary, unify } from "./operators";
import { compileExpression, compileQuery } from "./recursion";
import { columnsOfQuery, findColumn, renameColumn, track } from "./scope";
import { setFunction } from "./setFunctions";
import {
  conditionsOf,
  pushDown,
  type Condition,
  type Plan,
  type ReadTable,
  type RowsOf,
  type Tuple,
} from "./joinPlan";
import { allOf, rowsOf, runner } from "./joins";
import type { Slices } from "./slices";
import { conjunctsOf } from "./walk";

export interface From {
  /** All combinations of rows for which the conditions hold. */
  readonly tuples: (env: Env) => Slices<readonly Tuple[]>;
  readonly tables: readonly ReadTable[];
  /** The conditions on a tuple whose relations are all known, to be judged again on newer versions. */
  readonly holds: Truth;
}

/** Adds the relations to the scope and compiles the condition over them. */
export function compileFrom(
  relations: readonly SqlRelation[],
  where: SqlExpression | undefined,
  scope: Scope,
): From {
  const tables: ReadTable[] = [];
  const items = relations.map((relation) => addRelation(relation, scope, tables));
  const filters = conjunctsOf(where).map((each) => condition(each, scope, "WHERE"));
  const plan = pushDown({ kind: "inner", items, conditions: [] }, filters);
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
  const lookups = lookupsOf(expression, scope);
  return { test: result, uses, lookups, bounds: boundsOf(expression, scope) };
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
      if (relation.lateral)
        return { kind: "source", source, rows: query.slices ?? query.run, uses };
      return { kind: "source", source, rows: once(query), uses: new Set() };
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
function once(query: CompiledQuery): RowsOf {
  const last: { env?: Env; rows: readonly SqlRow[] } = { rows: [] };
  const kept = (env: Env, rows: readonly SqlRow[]): readonly SqlRow[] => {
    last.rows = rows;
    last.env = env;
    return rows;
  };
  return (env) => {
    const around = env.up ?? env;
    if (last.env === around) return last.rows;
    const { slices, run } = query;
    if (slices === undefined) return kept(around, run(around));
    return (function* () {
      return kept(around, yield* slices(around));
    })();
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
    const rows: RowsOf = (env) => {
      const before = env.work.withRows.get(number);
      if (before !== undefined) return before;
      const own = env.work.withEnvs.get(number) ?? env;
      return (function* () {
        const computed = yield* allOf((query.slices ?? query.run)(own));
        env.work.withRows.set(number, computed);
        return computed;
      })();
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
    return { kind: "source", source, rows: once(query), uses: new Set() };
  }
  const table = catalog.tables.get(name);
  const sequence = catalog.dialect === "mariadb" ? catalog.sequences.get(name) : undefined;
  if (table === undefined && sequence !== undefined)
    return addSystemTable(sequenceTable(name, sequence), relation, scope);
  if (table === undefined) {
    const shown = relation.schema === undefined ? shownName(name) : `${relation.schema}.${name}`;
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
  const rows: RowsOf = (env) => rowsOf({ table, fixed: new Map(), current: read.current }, env);
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
        viewColumns: (view) => columnsOfView(view, compiler),
      });
    known.set(work, computed);
    return computed;
  };
  return { kind: "source", source, rows, uses: new Set() };
}

/** The columns of a view; MySQL lists none for one whose table is gone, which stays. */
function columnsOfView(view: View, compiler: Compiler): readonly ScopeColumn[] {
  try {
    return columnsOfQuery(compileQuery(view.query, compiler, undefined, new Map()), view.columns);
  } catch (error) {
    if (!(error instanceof SqlFailure) || isPostgres(compiler)) throw error;
    return [];
  }
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
  return { test, uses, lookups, bounds: [] };
}

function firstOf(left: Node, right: Node): Node {
  return { type: left.type, constant: false, run: (env) => left.run(env) ?? right.run(env) };
}
