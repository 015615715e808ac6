// The FROM clause: a tree of joins as a list of relations.
import type {
  FuncCall,
  JoinExpr,
  Node,
  RangeFunction,
  RangeSubselect,
  RangeVar,
} from "libpg-query";
import type { Expression, Output, Relation } from "../../../program/expression";
import type { CallResult } from "../lowering";
import { withDistinctNames, emptyQuery, connective, whereTrue, withColumnNames } from "../terms";
import { kindOf, lastName, schemaOf, stringsOf, tableName } from "./ast";
import { nameOfRelation } from "./relationNames";
import { callArguments } from "./call";
import { callsOwn } from "./functionNames";
import { isSystemName, systemRows } from "./outside";
import { lowerExpression, lowerQueryNode } from "./recursion";
import {
  columnOf,
  columnsOf,
  lose,
  taint,
  type Cte,
  type Scope,
  sourceOfRelation,
  type Source,
  type Work,
  findView,
} from "./scope";
import { functionRows, ordinality, type FunctionRows } from "./sets";
import { lossesOf } from "./schema/viewLosses";

export interface From {
  readonly relations: readonly Relation[];
  readonly scope: Scope;
}

interface State {
  readonly work: Work;
  readonly outer: Scope | undefined;
  readonly sources: Source[];
  readonly relations: Relation[];
  readonly merged: Set<string>;
}

/** The relations of a FROM clause (or USING, or UPDATE ... FROM after `first`) with the names that they introduce. */
export function lowerFrom(
  nodes: readonly Node[] | undefined,
  outer: Scope | undefined,
  work: Work,
  first: readonly Source[] = [],
): From {
  const state: State = { work, outer, sources: [...first], relations: [], merged: new Set() };
  for (const node of nodes ?? []) addItem(state, node, "inner");
  return { relations: state.relations, scope: scopeOf(state) };
}

function scopeOf({ sources, outer, merged }: State): Scope {
  const base = { sources: [...sources], merged };
  return outer === undefined ? base : { ...base, outer };
}

function addItem(state: State, node: Node, join: Relation["join"]): void {
  const { work } = state;
  if ("RangeVar" in node) addTable(state, node.RangeVar, join);
  else if ("RangeSubselect" in node) addSubselect(state, node.RangeSubselect, join);
  else if ("JoinExpr" in node) addJoin(state, node.JoinExpr, join);
  else if ("RangeFunction" in node) {
    addFunction(state, node.RangeFunction, join);
  } else if ("RangeTableSample" in node) {
    taint(work, "TABLESAMPLE");
    if (node.RangeTableSample.relation !== undefined) {
      addItem(state, node.RangeTableSample.relation, join);
    }
  } else {
    taint(work, `${kindOf(node)} in FROM`, "outside");
    addOpaque(state, "rows", undefined, join);
  }
}

function add(state: State, relation: Relation, columns: readonly string[] | undefined): void {
  const taken = state.sources.some((each) => each.relation.alias === relation.alias);
  if (taken) taint(state.work, `the name ${relation.alias} stands twice in FROM`, "opaque");
  state.sources.push({ ...sourceOfRelation(relation, state.work), columns });
  state.relations.push(relation);
}

function addTable(state: State, table: RangeVar, join: Relation["join"]): void {
  const { work } = state;
  const name = nameOfRelation(table, work.context);
  const written = tableName(table);
  const alias = table.alias?.aliasname ?? written;
  const names = stringsOf(table.alias?.colnames);
  const cte = table.schemaname === undefined ? work.ctes.get(name) : undefined;
  if (cte?.kind === "rows") {
    addRows(state, cte, alias, names);
    return;
  }
  if (cte?.kind === "opaque") {
    taint(work, "the rows of a change in WITH");
    addOpaque(state, alias, cte.columns, join);
    return;
  }
  const query = cte?.query ?? findView(name, work);
  if (query !== undefined) {
    for (const { reason, effect } of lossesOf(query)) taint(work, reason, effect);
    const named = withColumnNames(query, names);
    const relation: Relation = { alias, table: name, kind: "derived", query: named, join };
    add(state, relation, columnsOf(relation, work));
    return;
  }
  const known = work.context.table(name);
  if (isSystemName(table.schemaname ?? "", written) && (known === undefined || known.inferred)) {
    const outputs = [{ name: alias, value: systemRows(written, work) }];
    addFunctionRows(state, { outputs, isScalar: true, isRecord: true }, alias, names, join);
    return;
  }
  const relation: Relation = { alias, table: name, kind: "base", join };
  if (names.length === 0) {
    add(state, relation, columnsOf(relation, work));
    return;
  }
  // A table with renamed columns is a query on it.
  const source = sourceOfRelation(relation, work);
  const outputs = (source.columns ?? names).map((column, at): Output => {
    return { name: names[at] ?? column, value: columnOf(source, column) };
  });
  const inner: Relation = { ...relation, join: "inner" };
  const renamed = { ...emptyQuery(outputs), relations: [inner] };
  add(
    state,
    { alias, table: name, kind: "derived", query: renamed, join },
    outputs.map((output) => output.name),
  );
}

/** The rows of an earlier statement in the same WITH: no relation, its columns are fields of its result. */
function addRows(
  state: State,
  cte: Extract<Cte, { readonly kind: "rows" }>,
  alias: string,
  names: readonly string[],
): void {
  const { result } = cte;
  // A subquery cannot iterate over these rows.
  if (state.outer !== undefined && cte.count !== "one") {
    taint(state.work, "the rows of a change inside a subquery");
    addOpaque(state, alias, cte.columns, "inner");
    return;
  }
  if (cte.count !== "one") state.work.usedRows.add(result);
  const at = cte.count === "many" ? { loop: loopOver(result) } : "first";
  const fields = new Map(
    cte.columns.map((field, index) => {
      const value: Expression = { kind: "field", result, field, at };
      return [names[index] ?? cte.names[index] ?? field, value] as const;
    }),
  );
  const relation: Relation = { alias, table: alias, kind: "opaque", join: "inner" };
  state.sources.push({ relation, columns: [...fields.keys()], fields });
}

/** The loop that runs a statement once per row of an earlier one. */
export function loopOver(result: string): string {
  return `each ${result}`;
}

function addOpaque(
  state: State,
  alias: string,
  columns: readonly string[] | undefined,
  join: Relation["join"],
): void {
  add(state, { alias, table: alias, kind: "opaque", join }, columns);
}

function addSubselect(state: State, subselect: RangeSubselect, join: Relation["join"]): void {
  const { work } = state;
  const alias = subselect.alias?.aliasname ?? work.context.ids.fresh("subquery");
  // Only LATERAL sees the preceding relations; otherwise those of enclosing queries are in scope.
  const lateral = subselect.lateral === true;
  const outer = lateral ? scopeOf(state) : (state.outer ?? { sources: [] });
  const query = lowerQueryNode(subselect.subquery, outer, work);
  const named = withColumnNames(query, stringsOf(subselect.alias?.colnames));
  const relation: Relation = {
    alias,
    table: alias,
    kind: "derived",
    query: named,
    join,
    ...(lateral ? { lateral: true } : {}),
  };
  add(state, relation, columnsOf(relation, work));
}

function addFunction(state: State, node: RangeFunction, join: Relation["join"]): void {
  const { work } = state;
  const { functions = [], alias, coldeflist, ordinality: counts } = node;
  const calls = functions.map(callOf);
  const [first] = calls;
  const name = first?.call === undefined ? "a function" : lastName(first.call.funcname);
  const names = stringsOf(alias?.colnames);
  const own = alias?.aliasname ?? name;
  const scope = scopeOf(state);
  const rows = calls.map(({ call, columns }) =>
    call && !callsOwn(call, scope, work)
      ? functionRows(call, own, columns ?? coldeflist, scope, work)
      : undefined,
  );
  const [only] = rows;
  if (rows.every((each) => each !== undefined) && only !== undefined) {
    const all: FunctionRows = {
      outputs: rows.flatMap(({ outputs }) => outputs),
      isScalar: only.isScalar && rows.length === 1 && counts !== true,
    };
    addFunctionRows(state, counts === true ? withOrdinality(all) : all, own, names, join);
    return;
  }
  if (first?.call !== undefined) {
    const isFirst = scope.sources.length === 0 && scope.outer === undefined;
    const args = callArguments(first.call, scope, work);
    const called = isFirst
      ? work.context.call?.(name, args, schemaOf(first.call.funcname))
      : undefined;
    if (called !== undefined) {
      addCalled(state, called, own, names, join);
      return;
    }
  }
  taint(work, `the function ${name}() in FROM`, "outside");
  addOpaque(state, own, names.length > 0 ? names : undefined, join);
}

/** One function of ROWS FROM, with the columns listed after it. */
function callOf(node: Node): {
  readonly call: FuncCall | undefined;
  readonly columns: readonly Node[] | undefined;
} {
  const [function_, columns] = "List" in node ? (node.List.items ?? []) : [node];
  const call = function_ !== undefined && "FuncCall" in function_ ? function_.FuncCall : undefined;
  return {
    call,
    columns: columns !== undefined && "List" in columns ? columns.List.items : undefined,
  };
}

/** The rows of functions as a query without relations, evaluated for each row of the relations in its arguments. */
function addFunctionRows(
  state: State,
  { outputs, isScalar, isRecord = false }: FunctionRows,
  alias: string,
  names: readonly string[],
  join: Relation["join"],
): void {
  const named = withColumnNames(emptyQuery(outputs), names);
  // A single value's column takes the alias, unless the function names it.
  const query = { ...named, outputs: withDistinctNames(named.outputs) };
  const [column] = query.outputs;
  const lateral = state.sources.length > 0 ? { lateral: true as const } : {};
  const relation: Relation = { alias, table: alias, kind: "derived", query, join, ...lateral };
  add(state, relation, columnsOf(relation, state.work));
  const source = state.sources.pop();
  if (source === undefined) return;
  state.sources.push(
    isScalar && column !== undefined ? { ...source, scalar: column.name, isRecord } : source,
  );
}

function withOrdinality(rows: FunctionRows): FunctionRows {
  return { ...rows, outputs: [...rows.outputs, ordinality(rows)] };
}

/** The row returned by a workspace routine, which ran before the statement. */
function addCalled(
  state: State,
  called: CallResult,
  alias: string,
  names: readonly string[],
  join: Relation["join"],
): void {
  const { work } = state;
  const { columns, rows, value, values } = called;
  if (rows?.outputs.length === columns.length) {
    const outputs = rows.outputs.map((output, at): Output => ({
      ...output,
      name: names[at] ?? (columns.length === 1 ? alias : (columns[at] ?? output.name)),
    }));
    const limit = { kind: "literal", value: 1, type: "int" } as const;
    const query = { ...rows, outputs, ...(called.isSet || rows.limit ? {} : { limit }) };
    const relation: Relation = { alias, table: alias, kind: "derived", query, join };
    add(state, relation, columnsOf(relation, work));
    return;
  }
  if (called.isSet) taint(work, `the rows of ${alias}()`);
  const outputs = columns.map((column, at): Output => {
    const name = names[at] ?? (columns.length === 1 ? alias : column);
    if (columns.length === 1) return { name, value };
    const known = values?.[at];
    if (known !== undefined) return { name, value: known };
    return { name, value: lose(work, `the columns of what ${alias}() returns`, [value]) };
  });
  const query = emptyQuery(outputs);
  const relation: Relation = { alias, table: alias, kind: "derived", query, join };
  add(state, relation, columnsOf(relation, work));
}

const JOINS = {
  JOIN_INNER: "inner",
  JOIN_LEFT: "left",
  JOIN_RIGHT: "right",
  JOIN_FULL: "full",
} as const;

function addJoin(state: State, node: JoinExpr, outermost: Relation["join"]): void {
  const { work } = state;
  const { larg, rarg } = node;
  const kind = Object.entries(JOINS).find(([name]) => name === node.jointype)?.[1];
  if (kind === undefined) taint(work, "a join of an unusual kind");
  const join = kind ?? "inner";
  const before = state.sources.length;
  if (larg !== undefined) addItem(state, larg, outermost);
  if (before > 0 && (join === "right" || join === "full")) {
    taint(work, `a ${join} join after a comma`);
  }
  const middle = state.sources.length;
  if (rarg !== undefined) addItem(state, rarg, join);
  const several = state.sources.length - middle > 1;
  if (several && (join !== "inner" || hasOuterJoin(rarg)))
    taint(work, "an outer join inside a join");
  const on = joinCondition(state, node, before, middle);
  if (on !== undefined) attach(state, on);
  else if (join === "inner" && node.quals === undefined && !several) markCross(state);
  if (node.alias !== undefined) taint(work, "the alias of a join");
}

function hasOuterJoin(node: Node | undefined): boolean {
  if (node === undefined || !("JoinExpr" in node)) return false;
  const { jointype, larg, rarg } = node.JoinExpr;
  return jointype !== "JOIN_INNER" || hasOuterJoin(larg) || hasOuterJoin(rarg);
}

/** Attaches a condition to the last added relation. */
function attach(state: State, on: Expression): void {
  const last = state.relations.pop();
  if (last === undefined) return;
  const relation: Relation = {
    ...last,
    on: last.on === undefined ? on : connective("and", [last.on, on]),
  };
  replaceLast(state, relation);
}

function markCross(state: State): void {
  const last = state.relations.pop();
  if (last !== undefined) replaceLast(state, { ...last, join: "cross" });
}

function replaceLast(state: State, relation: Relation): void {
  state.relations.push(relation);
  const at = state.sources.findLastIndex((each) => each.relation.alias === relation.alias);
  const source = state.sources[at];
  if (source !== undefined) state.sources[at] = { ...source, relation };
}

function joinCondition(
  state: State,
  node: JoinExpr,
  before: number,
  middle: number,
): Expression | undefined {
  if (node.quals !== undefined)
    return whereTrue(lowerExpression(node.quals, scopeOf(state), state.work));
  const left = state.sources.slice(before, middle);
  const right = state.sources.slice(middle);
  const columns =
    node.isNatural === true ? commonColumns(left, right) : stringsOf(node.usingClause);
  if (node.isNatural === true && [...left, ...right].some((each) => each.columns === undefined)) {
    taint(state.work, "NATURAL JOIN of tables whose columns are not known");
  }
  if (columns.length === 0) return undefined;
  const find = (sources: readonly Source[], column: string): Source | undefined =>
    sources.find((source) => source.columns?.includes(column) === true) ??
    sources.find((source) => source.columns === undefined);
  const operands = columns.flatMap((column): readonly Expression[] => {
    state.merged.add(column);
    const first = find(left, column);
    const second = find(right, column);
    if (first === undefined || second === undefined) return [];
    return [
      {
        kind: "comparison",
        operator: "=",
        left: columnOf(first, column),
        right: columnOf(second, column),
      },
    ];
  });
  return operands.length === 0 ? undefined : connective("and", operands);
}

function commonColumns(left: readonly Source[], right: readonly Source[]): readonly string[] {
  const known = new Set(left.flatMap(({ columns }) => columns ?? []));
  return right.flatMap(({ columns }) => columns ?? []).filter((column) => known.has(column));
}
