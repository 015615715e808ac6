// SELECT in the AR: joins and subqueries in FROM are in from.ts, WITH is in with.ts.
import type { LockingClause, Node, SelectStmt } from "libpg-query";
import type { Expression, LockClause, Output, Query, Relation } from "../../../program/expression";
import { setCallsIn } from "../../../program/operands";
import { strongerLock } from "../../../program/rowLocks";
import { offsetOf, TRUE } from "../expressions";
import { emptyQuery, whereTrue } from "../terms";
import { constantOf, itemsOf, lastName, stringsOf } from "./ast";
import { lowerFrom } from "./from";
import { hasAggregate } from "./functions";
import { lowerAll, lowerExpression, lowerQuery } from "./recursion";
import { columnOf, lose, loseColumns, NO_SOURCES, taint, type Scope, type Work } from "./scope";
import { withQueries } from "./with";

/** A SELECT, VALUES or set operation, called by `lowerQuery` of recursion.ts. */
export function queryOf(select: SelectStmt, outer: Scope | undefined, before: Work): Query {
  const work = withQueries(select.withClause, outer, before);
  if (select.larg !== undefined && select.rarg !== undefined) {
    return setOperation(select, select.larg, select.rarg, outer, work);
  }
  if (select.valuesLists !== undefined) return values(select, outer, work);
  return simpleQuery(select, outer, work);
}

function simpleQuery(select: SelectStmt, outer: Scope | undefined, work: Work): Query {
  const from = lowerFrom(select.fromClause, outer, work);
  const { relations } = from;
  const where =
    select.whereClause === undefined
      ? TRUE
      : whereTrue(lowerExpression(select.whereClause, from.scope, work));
  const grouped =
    (select.groupClause ?? select.havingClause) !== undefined ||
    (select.targetList ?? []).some(hasAggregate);
  const windows = select.windowClause ?? [];
  const scope: Scope = { ...from.scope, windowRows: { relations, where, windows, grouped } };
  const outputs = outputsOf(select.targetList, scope, work);
  // A plain DISTINCT is a clause with one empty node.
  const distinctOn = (select.distinctClause ?? [])
    .filter((node) => Object.keys(node).length > 0)
    .map((node) => orderValue(node, outputs, scope, work));
  if (select.intoClause !== undefined) taint(work, "SELECT INTO a new table", "opaque");
  const lock = lockOf(select.lockingClause, scope, work);
  const groupBy = groups(select.groupClause, outputs, scope, work);
  // Set-returning calls in GROUP BY are expanded before grouping, those in other outputs after it.
  if (groupBy.some((each) => setCallsIn(each).length > 0))
    taint(work, "GROUP BY a function that gives several rows");
  return {
    relations,
    where,
    outputs,
    groupBy,
    ...(select.havingClause === undefined
      ? {}
      : { having: lowerExpression(select.havingClause, scope, work) }),
    ...orderAndLimit(select, outputs, scope, work),
    distinct: select.distinctClause !== undefined,
    ...(distinctOn.length === 0 ? {} : { distinctOn }),
    setOperations: [],
    ...(lock === undefined ? {} : { lock }),
  };
}

function orderAndLimit(
  select: SelectStmt,
  outputs: readonly Output[],
  scope: Scope,
  work: Work,
): Pick<Query, "orderBy" | "limit" | "offset"> {
  const orderBy = (select.sortClause ?? []).flatMap((node) => {
    if (!("SortBy" in node)) return [];
    const { SortBy: sort } = node;
    if (sort.sortby_dir === "SORTBY_USING") taint(work, "ORDER BY ... USING");
    const nulls = sort.sortby_nulls;
    const descending = sort.sortby_dir === "SORTBY_DESC";
    const unusual = descending ? "SORTBY_NULLS_LAST" : "SORTBY_NULLS_FIRST";
    if (nulls === unusual) taint(work, "the order of NULLs");
    return [{ value: orderValue(sort.node, outputs, scope, work), descending }];
  });
  if (select.limitOption === "LIMIT_OPTION_WITH_TIES") taint(work, "FETCH ... WITH TIES");
  const limit = boundOf(select.limitCount, scope, work);
  const offset = boundOf(select.limitOffset, scope, work);
  return {
    orderBy,
    ...(limit === undefined ? {} : { limit }),
    ...offsetOf(offset),
  };
}

/** LIMIT ALL and LIMIT NULL are no limit. */
function boundOf(node: Node | undefined, scope: Scope, work: Work): Expression | undefined {
  if (node === undefined) return undefined;
  if ("A_Const" in node && constantOf(node.A_Const) === null) return undefined;
  return lowerExpression(node, scope, work);
}

/** A number or an output's name in ORDER BY refers to that output. */
function orderValue(
  node: Node | undefined,
  outputs: readonly Output[],
  scope: Scope,
  work: Work,
): Expression {
  return outputNamed(node, outputs) ?? lowerExpression(node, scope, work);
}

function outputNamed(node: Node | undefined, outputs: readonly Output[]): Expression | undefined {
  if (node === undefined) return undefined;
  if ("A_Const" in node) {
    const position = constantOf(node.A_Const);
    return typeof position === "number" ? outputs[position - 1]?.value : undefined;
  }
  if (!("ColumnRef" in node)) return undefined;
  const path = stringsOf(node.ColumnRef.fields);
  return path.length === 1 ? outputs.find(({ name }) => name === path[0])?.value : undefined;
}

function groups(
  nodes: readonly Node[] | undefined,
  outputs: readonly Output[],
  scope: Scope,
  work: Work,
): readonly Expression[] {
  return (nodes ?? []).map((node) => {
    if ("GroupingSet" in node) return lose(work, "GROUPING SETS");
    if ("A_Const" in node) return orderValue(node, outputs, scope, work);
    const isColumn = "ColumnRef" in node && isColumnOf(node, scope);
    // Unlike in ORDER BY, a column takes precedence over an output of that name.
    return isColumn
      ? lowerExpression(node, scope, work)
      : (outputNamed(node, outputs) ?? lowerExpression(node, scope, work));
  });
}

function isColumnOf(node: Extract<Node, { readonly ColumnRef: unknown }>, scope: Scope): boolean {
  const path = stringsOf(node.ColumnRef.fields);
  const [name = ""] = path;
  return path.length > 1 || scope.sources.some(({ columns }) => columns?.includes(name) !== false);
}

/** The outputs of a select list or RETURNING clause, with `*` expanded as far as the columns are known. */
export function outputsOf(
  targets: readonly Node[] | undefined,
  scope: Scope,
  work: Work,
): readonly Output[] {
  return (targets ?? []).flatMap((node): readonly Output[] => {
    if (!("ResTarget" in node)) return [];
    const { name, val } = node.ResTarget;
    const star = val === undefined ? undefined : starOf(val);
    if (star !== undefined) return allColumns(star.qualifier, scope, work);
    return [{ name: name ?? outputName(val), value: lowerExpression(val, scope, work) }];
  });
}

function starOf(node: Node): { readonly qualifier: string | undefined } | undefined {
  if (!("ColumnRef" in node)) return undefined;
  const fields = node.ColumnRef.fields ?? [];
  const last = fields.at(-1);
  if (last === undefined || !("A_Star" in last)) return undefined;
  return { qualifier: stringsOf(fields).at(-1) };
}

function allColumns(qualifier: string | undefined, scope: Scope, work: Work): readonly Output[] {
  const merged = qualifier === undefined ? scope.merged : undefined;
  const seen = new Set<string>();
  const chosen = scope.sources.filter(
    ({ relation }) => qualifier === undefined || relation.alias === qualifier,
  );
  if (chosen.length === 0 && qualifier !== undefined) loseColumns(work, qualifier);
  return chosen.flatMap((source) => {
    const { columns } = source;
    if (columns === undefined || source.isRecord === true) {
      loseColumns(work, source.relation.table);
      return [];
    }
    return columns.flatMap((name): readonly Output[] => {
      if (merged?.has(name) === true && seen.has(name)) return [];
      seen.add(name);
      return [{ name, value: columnOf(source, name) }];
    });
  });
}

/** PostgreSQL's name for an output without AS. */
export function outputName(node: Node | undefined): string {
  if (node === undefined) return "?column?";
  if ("ColumnRef" in node) return lastName(node.ColumnRef.fields) || "?column?";
  if ("FuncCall" in node) return lastName(node.FuncCall.funcname);
  if ("A_Indirection" in node) {
    const field = lastName(node.A_Indirection.indirection);
    return field === "" ? outputName(node.A_Indirection.arg) : field;
  }
  if ("TypeCast" in node) {
    const { arg } = node.TypeCast;
    const inner = arg !== undefined && "TypeCast" in arg ? "?column?" : outputName(arg);
    return inner === "?column?" ? lastName(node.TypeCast.typeName?.names) : inner;
  }
  if ("CollateClause" in node) return outputName(node.CollateClause.arg);
  if ("CaseExpr" in node) {
    const inner = outputName(node.CaseExpr.defresult);
    return inner === "?column?" ? "case" : inner;
  }
  if ("CoalesceExpr" in node) return "coalesce";
  if ("MinMaxExpr" in node) return node.MinMaxExpr.op === "IS_LEAST" ? "least" : "greatest";
  if ("A_ArrayExpr" in node) return "array";
  if ("RowExpr" in node) return "row";
  if ("A_Expr" in node) return node.A_Expr.kind === "AEXPR_NULLIF" ? "nullif" : "?column?";
  if ("SQLValueFunction" in node) {
    return (node.SQLValueFunction.op ?? "")
      .replace(/^SVFOP_/, "")
      .replace(/_N$/, "")
      .toLowerCase();
  }
  if ("SubLink" in node) return subLinkName(node.SubLink.subLinkType ?? "", node.SubLink.subselect);
  return "?column?";
}

function subLinkName(type: string, query: Node | undefined): string {
  if (type === "EXISTS_SUBLINK") return "exists";
  if (type === "ARRAY_SUBLINK") return "array";
  if (type !== "EXPR_SUBLINK" || query === undefined || !("SelectStmt" in query)) return "?column?";
  const [first] = query.SelectStmt.targetList ?? [];
  if (first === undefined || !("ResTarget" in first)) return "?column?";
  return first.ResTarget.name ?? outputName(first.ResTarget.val);
}

/** VALUES (1, 2), (3, 4) as constant queries, one per row. */
function values(select: SelectStmt, outer: Scope | undefined, work: Work): Query {
  const scope = outer ?? NO_SOURCES;
  const rows = (select.valuesLists ?? []).map((list) => {
    const row = lowerAll(itemsOf(list), scope, work);
    return emptyQuery(row.map((value, at) => ({ name: `column${at + 1}`, value })));
  });
  const [first, ...others] = rows;
  if (first === undefined) return emptyQuery([]);
  const united: Query = {
    ...first,
    setOperations: others.map((query) => ({ operator: "union all", query })),
  };
  return finished(select, united, scope, work);
}

function setOperation(
  select: SelectStmt,
  left: SelectStmt,
  right: SelectStmt,
  outer: Scope | undefined,
  work: Work,
): Query {
  const first = lowerQuery(left, outer, work);
  const second = lowerQuery(right, outer, work);
  const operation = { operator: operatorOf(select, work), query: second };
  // A first query with its own order or limit becomes a derived relation.
  const bounded = first.orderBy.length > 0 || (first.limit ?? first.offset) !== undefined;
  const base = bounded ? wrapped(first) : first;
  const united: Query = { ...base, setOperations: [...base.setOperations, operation] };
  return finished(select, united, outer ?? NO_SOURCES, work);
}

function operatorOf(select: SelectStmt, work: Work): Query["setOperations"][number]["operator"] {
  switch (select.op) {
    case "SETOP_UNION":
      return select.all === true ? "union all" : "union";
    case "SETOP_INTERSECT":
      if (select.all === true) taint(work, "INTERSECT ALL");
      return "intersect";
    case "SETOP_EXCEPT":
      if (select.all === true) taint(work, "EXCEPT ALL");
      return "except";
    default:
      taint(work, "a set operation");
      return "union all";
  }
}

/** Order and limit of the whole, which the AR only has for a single query. */
function finished(select: SelectStmt, query: Query, outer: Scope, work: Work): Query {
  const { sortClause, limitCount, limitOffset } = select;
  if (sortClause === undefined && limitCount === undefined && limitOffset === undefined) {
    return query;
  }
  const whole = wrapped(query);
  const relation = whole.relations[0];
  const sources =
    relation === undefined ? [] : [{ relation, columns: query.outputs.map(({ name }) => name) }];
  return { ...whole, ...orderAndLimit(select, whole.outputs, { sources, outer }, work) };
}

function wrapped(query: Query): Query {
  const alias = "rows";
  const relation: Relation = { alias, table: alias, kind: "derived", query, join: "inner" };
  const outputs = query.outputs.map(({ name }): Output => {
    return { name, value: { kind: "column", relation: alias, column: name } };
  });
  return { ...emptyQuery(outputs), relations: [relation] };
}

const STRENGTHS = {
  LCS_FORUPDATE: "update",
  LCS_FORNOKEYUPDATE: "no-key-update",
  LCS_FORSHARE: "share",
  LCS_FORKEYSHARE: "key-share",
  LCS_NONE: "update",
} as const;

/** FOR UPDATE and the like; several clauses give the strongest lock on all relations that they name. */
function lockOf(
  nodes: readonly Node[] | undefined,
  scope: Scope,
  work: Work,
): LockClause | undefined {
  const clauses = (nodes ?? []).flatMap((node): readonly LockClause[] =>
    "LockingClause" in node ? [lockClause(node.LockingClause)] : [],
  );
  const [first, ...others] = clauses;
  if (first === undefined) return undefined;
  for (const { of } of clauses) {
    for (const name of of) {
      const known = scope.sources.some(({ relation }) => relation.alias === name);
      if (!known) taint(work, `${name} is not known here`);
    }
  }
  if (others.length > 0) taint(work, "several lock clauses");
  return others.reduce((strongest, each) => {
    const all = strongest.of.length === 0 || each.of.length === 0;
    const strength = strongerLock(strongest.strength, each.strength);
    const { wait } = strength === strongest.strength ? strongest : each;
    return { strength, wait, of: all ? [] : [...strongest.of, ...each.of] };
  }, first);
}

function lockClause(clause: LockingClause): LockClause {
  const of = (clause.lockedRels ?? []).flatMap((node) =>
    "RangeVar" in node ? (node.RangeVar.relname ?? []) : [],
  );
  const { waitPolicy } = clause;
  return {
    strength: STRENGTHS[clause.strength ?? "LCS_FORUPDATE"],
    of,
    wait:
      waitPolicy === "LockWaitSkip"
        ? "skip-locked"
        : waitPolicy === "LockWaitError"
          ? "nowait"
          : "block",
  };
}
