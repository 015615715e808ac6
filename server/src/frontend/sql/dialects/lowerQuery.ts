// SELECT of MySQL, MariaDB, SQL Server and SQLite in the AR.
import type { Expression, LockClause, Output, Query, Relation } from "../../../program/expression";
import { literal, offsetOf, TRUE } from "../expressions";
import { columnsOf, type Scope, type Source } from "../nsp/scope";
import { compare, emptyQuery, connective, withColumnNames } from "../terms";
import { lowerCondition, lowerValue, lowerValues } from "./lowerExpression";
import type {
  SyntaxExpression,
  SyntaxOrder,
  SyntaxOutput,
  SyntaxQuery,
  SyntaxRelation,
  SyntaxWith,
} from "./syntax";
import { loseColumns, weaken, type Expressions, type Work } from "./work";

/** A query with its set operations. Names resolve in its own relations first, then in `outer`. */
export function lowerQuery(query: SyntaxQuery, outer: Scope | undefined, before: Work): Query {
  const work = withCtes(query.with, outer, before);
  for (const reason of query.losses) weaken(work, reason);
  if (query.rows !== undefined) return valuesQuery(query.rows, outer, work);
  const { scope, relations } = sourcesOf(query.from, outer, work);
  const of = expressions(scope, work);
  const inner = query.outputs.filter((output) => output.value.kind !== "star");
  const aliases = new Map(
    inner.flatMap((each) => (each.alias === undefined ? [] : [[each.alias, each] as const])),
  );
  const grouped = { ...of, work: { ...work, aliases } };
  const outputs = lowerOutputs(query.outputs, of);
  const lock = lockOf(query, scope);
  return {
    relations,
    where: query.where === undefined ? TRUE : lowerCondition(query.where, of),
    outputs,
    groupBy: query.groupBy.map((each) => positional(each, outputs) ?? lowerValue(each, grouped)),
    ...(query.having === undefined ? {} : { having: lowerCondition(query.having, grouped) }),
    orderBy: orderOf(query.orderBy, outputs, grouped),
    ...(query.limit === undefined ? {} : { limit: lowerValue(query.limit, of) }),
    ...offsetOf(query.offset && lowerValue(query.offset, of)),
    distinct: query.distinct,
    setOperations: query.setOperations.map(({ operator, query: next }) => ({
      operator,
      query: lowerQuery(next, outer, work),
    })),
    ...(lock === undefined ? {} : { lock }),
  };
}

/** The context for lowering expressions in that scope. */
export function expressions(scope: Scope, work: Work): Expressions {
  return { scope, work, lowerQuery, value: lowerValue, condition: lowerCondition };
}

/** The work inside of a WITH clause. */
export function withCtes(
  definitions: readonly SyntaxWith[],
  outer: Scope | undefined,
  work: Work,
): Work {
  let result = work;
  for (const { name, columns, query, recursive } of definitions) {
    if (recursive) weaken(work, `the recursive query ${name}`);
    const lowered = withColumnNames(lowerQuery(query, outer, result), columns);
    result = { ...result, ctes: new Map([...result.ctes, [name, lowered]]) };
  }
  return result;
}

/** VALUES ROW(1, 2), ROW(3, 4): the union of its rows. */
function valuesQuery(
  rows: readonly (readonly SyntaxExpression[])[],
  outer: Scope | undefined,
  work: Work,
): Query {
  const scope: Scope = outer === undefined ? { sources: [] } : { sources: [], outer };
  const of = expressions(scope, work);
  const queries = rows.map((row) =>
    emptyQuery(row.map((each, at) => ({ name: `column_${at}`, value: lowerValue(each, of) }))),
  );
  const [first = emptyQuery([]), ...others] = queries;
  return {
    ...first,
    setOperations: others.map((query) => ({ operator: "union all" as const, query })),
  };
}

export interface Relations {
  readonly scope: Scope;
  readonly relations: readonly Relation[];
}

/** The relations of FROM with their conditions, and their scope. */
export function sourcesOf(
  from: readonly SyntaxRelation[],
  outer: Scope | undefined,
  work: Work,
): Relations {
  const withOuter = outer === undefined ? {} : { outer };
  let sources: readonly Source[] = [];
  for (const each of from) {
    // MySQL's name for no table.
    if ((each.written ?? each.table) === "dual" && work.context.table("dual")?.inferred !== false)
      continue;
    const added = sourceOf(each, sources.length, outer, work);
    const scope: Scope = { sources: [...sources, added], ...withOuter };
    const on = joinCondition(each, added, sources, expressions(scope, work));
    const relation: Relation = on === undefined ? added.relation : { ...added.relation, on };
    sources = [...sources, { ...added, relation }];
  }
  const scope: Scope = { sources, ...withOuter };
  return { scope, relations: sources.map(({ relation }) => relation) };
}

function sourceOf(
  node: SyntaxRelation,
  position: number,
  outer: Scope | undefined,
  work: Work,
): Source {
  const { join } = node;
  if (node.query !== undefined) {
    const alias = node.alias ?? `query${position + 1}`;
    const query = withColumnNames(lowerQuery(node.query, outer, work), node.columns);
    const relation: Relation = { alias, table: alias, kind: "derived", query, join };
    return { relation, columns: columnsOf(relation, work) };
  }
  const { table = "" } = node;
  if (node.unknown !== undefined || table === "") {
    weaken(work, `${node.unknown ?? "a relation"} in FROM`);
    const alias = node.alias ?? `relation${position + 1}`;
    return { relation: { alias, table: alias, kind: "opaque", join }, columns: undefined };
  }
  const alias = node.alias ?? node.written ?? table;
  const cte = node.schema === undefined ? work.ctes.get(node.written ?? table) : undefined;
  const query = cte ?? work.context.view?.(table);
  const relation: Relation =
    query === undefined
      ? { alias, table, kind: "base", join }
      : { alias, table, kind: "derived", query, join };
  return { relation, columns: columnsOf(relation, work) };
}

function joinCondition(
  node: SyntaxRelation,
  added: Source,
  before: readonly Source[],
  of: Expressions,
): Expression | undefined {
  if (node.on !== undefined) return lowerCondition(node.on, of);
  const shared = node.natural ? sharedColumns(added, before, of.work) : node.using;
  if (shared.length === 0) return undefined;
  return connective(
    "and",
    shared.map((column) => {
      const left = before.find(({ columns }) => columns?.includes(column) !== false);
      const relation = left?.relation.alias ?? added.relation.alias;
      return compare(
        "=",
        { kind: "column", relation, column },
        { kind: "column", relation: added.relation.alias, column },
      );
    }),
  );
}

function sharedColumns(added: Source, before: readonly Source[], work: Work): readonly string[] {
  const known = before.flatMap(({ columns }) => columns ?? []);
  if (added.columns === undefined || before.some(({ columns }) => columns === undefined)) {
    weaken(work, "a natural join of tables whose columns are not known");
  }
  return (added.columns ?? []).filter((column) => known.includes(column));
}

/** Outputs under the result's labels, which keep the query's case. */
export function withLabels(
  outputs: readonly Output[],
  nodes: readonly SyntaxOutput[],
): readonly Output[] {
  // A star expands to the columns, labelled as declared.
  if (nodes.length !== outputs.length) {
    const labels = new Map(
      nodes.flatMap(({ label }) => (label ? [[label.toLowerCase(), label]] : [])),
    );
    return outputs.map((each) => ({
      ...each,
      name: labels.get(each.name.toLowerCase()) ?? each.name,
    }));
  }
  return outputs.map((each, at) => ({ ...each, name: nodes[at]?.label ?? each.name }));
}

/** The outputs of a select list or RETURNING clause, with `*` expanded as far as the columns are known. */
export function lowerOutputs(nodes: readonly SyntaxOutput[], of: Expressions): readonly Output[] {
  return nodes.flatMap(({ value, alias, text }): readonly Output[] => {
    if (value.kind === "star") return allColumns(value.path.at(-1), of);
    const assigned = value.kind === "assign" ? value.value : value;
    const own = assigned.kind === "name" ? assigned.path.at(-1) : undefined;
    const name = alias ?? own ?? text.replaceAll(/\s+/g, " ").toLowerCase();
    return [{ name, value: lowerValue(assigned, of) }];
  });
}

function allColumns(
  qualifier: string | undefined,
  { scope, work }: Expressions,
): readonly Output[] {
  const chosen = scope.sources.filter(
    ({ relation }) => qualifier === undefined || relation.alias === qualifier,
  );
  if (chosen.length === 0) loseColumns(work, qualifier ?? "*");
  return chosen.flatMap(({ relation, columns }) => {
    if (columns === undefined) loseColumns(work, relation.table);
    return (columns ?? []).map((column): Output => {
      return { name: column, value: { kind: "column", relation: relation.alias, column } };
    });
  });
}

/** ORDER BY: by alias, by position or by expression. */
export function orderOf(
  order: readonly SyntaxOrder[],
  outputs: readonly Output[],
  of: Expressions,
): Query["orderBy"] {
  return order.map(({ value, descending }) => ({
    value: positional(value, outputs) ?? lowerValue(value, of),
    descending,
  }));
}

function positional(node: SyntaxExpression, outputs: readonly Output[]): Expression | undefined {
  if (node.kind !== "literal" || typeof node.value !== "number") return undefined;
  return outputs[node.value - 1]?.value;
}

/** The lock of a query: by its clause, or by SQL Server's hints. */
function lockOf(query: SyntaxQuery, scope: Scope): LockClause | undefined {
  if (query.lock !== undefined) return query.lock;
  const hinted = query.from.flatMap((relation, at) => {
    const strength = relation.hints.some((hint) => hint === "updlock" || hint === "xlock")
      ? ("update" as const)
      : relation.hints.some((hint) => /^(holdlock|serializable|repeatableread)$/.test(hint))
        ? ("share" as const)
        : undefined;
    const alias = scope.sources[at]?.relation.alias;
    if (strength === undefined || alias === undefined) return [];
    const wait: LockClause["wait"] = relation.hints.includes("readpast")
      ? "skip-locked"
      : relation.hints.includes("nowait")
        ? "nowait"
        : "block";
    return [{ strength, alias, wait }];
  });
  const strongest = hinted.find(({ strength }) => strength === "update") ?? hinted[0];
  if (strongest === undefined) return undefined;
  const of = hinted.map(({ alias }) => alias);
  const all = of.length === scope.sources.length;
  return { strength: strongest.strength, of: all ? [] : of, wait: strongest.wait };
}

/** The values of a row-independent list: limits, arguments of calls. */
export function lowerFree(nodes: readonly SyntaxExpression[], work: Work): readonly Expression[] {
  return lowerValues(nodes, expressions({ sources: [] }, work));
}

/** A row-independent value. */
export function lowerFreeValue(node: SyntaxExpression | undefined, work: Work): Expression {
  return node === undefined ? literal(null) : lowerValue(node, expressions({ sources: [] }, work));
}
