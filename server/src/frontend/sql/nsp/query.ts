// node-sql-parser's SELECT in the AR.
import type { Expression, Output, Query, Relation } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { literal, offsetOf, TRUE } from "../expressions";
import { child, children, identifier, isNode, text, type Node } from "./ast";
import { lowerExpression } from "./expression";
import { columnsOf, lose, type Scope, type Source, type Work } from "./scope";

/** A query inside an expression or a FROM clause. */
export function lowerSubquery(node: Node | undefined, outer: Scope, work: Work): Query {
  return lowerQuery(node ?? {}, outer, work);
}

/** A SELECT with its set operations. Columns resolve in its own relations first, then in `outer`. */
export function lowerQuery(node: Node, outer: Scope | undefined, before: Work): Query {
  const work = withCtes(node, outer, before);
  const scope = sourcesOf(children(node, "from"), outer, work);
  const joins = scope.sources.map(({ relation }) => relation);
  const having = child(node, "having");
  const { limit, offset } = limits(node, scope, work);
  const distinct = text(child(node, "distinct"), "type");
  if (distinct === "DISTINCT ON") lose(work, "DISTINCT ON", []);
  const outputs = outputsOf(columnNodes(node), scope, work);
  return {
    relations: joins,
    where: isNode(node["where"]) ? lowerExpression(child(node, "where"), scope, work) : TRUE,
    outputs,
    groupBy: groupNodes(node).map((each) => groupValue(each, outputs, scope, work)),
    ...(having === undefined ? {} : { having: lowerExpression(having, scope, work) }),
    orderBy: children(node, "orderby").map((each) => ({
      value: orderValue(child(each, "expr"), outputs, scope, work),
      descending: each["type"] === "DESC",
    })),
    ...(limit === undefined ? {} : { limit }),
    ...offsetOf(offset),
    distinct: distinct === "DISTINCT",
    setOperations: setOperations(node, outer, work),
  };
}

function groupNodes(node: Node): readonly Node[] {
  const direct = children(node, "groupby");
  return direct.length > 0 ? direct : children(child(node, "groupby"), "columns");
}

function withCtes(node: Node, outer: Scope | undefined, work: Work): Work {
  const definitions = children(node, "with");
  if (definitions.length === 0) return work;
  const ctes = new Map(work.ctes);
  let result = { ...work, ctes };
  for (const definition of definitions) {
    const name = identifier(definition, "name") ?? "";
    const statement = child(definition, "stmt");
    const query = lowerQuery(child(statement, "ast") ?? statement ?? {}, outer, result);
    ctes.set(name, renamed(query, children(definition, "columns")));
    result = { ...result, ctes };
  }
  return result;
}

function renamed(query: Query, names: readonly Node[]): Query {
  if (names.length === 0) return query;
  const outputs = query.outputs.map((output, at) => {
    const name = names[at];
    const column =
      name === undefined ? undefined : (identifier(name, "column") ?? text(name, "value"));
    return { ...output, name: column ?? output.name };
  });
  return { ...query, outputs };
}

function sourcesOf(from: readonly Node[], outer: Scope | undefined, work: Work): Scope {
  const withOuter = outer === undefined ? {} : { outer };
  let scope: Scope = { sources: [], ...withOuter };
  for (const each of from) {
    if (each["type"] === "dual") continue;
    const added = sourceOf(each, outer, work);
    const wider: Scope = { sources: [...scope.sources, added], ...withOuter };
    const on = joinCondition(each, added, scope, wider, work);
    const relation: Relation = on === undefined ? added.relation : { ...added.relation, on };
    const sources: readonly Source[] = [...scope.sources, { ...added, relation }];
    scope = { sources, ...withOuter };
  }
  return scope;
}

const JOINS = dictionary<Relation["join"]>({
  "LEFT JOIN": "left",
  "RIGHT JOIN": "right",
  "FULL JOIN": "full",
  "CROSS JOIN": "cross",
});

function sourceOf(node: Node, outer: Scope | undefined, work: Work): Source {
  const join = JOINS[text(node, "join") ?? ""] ?? "inner";
  const inner = child(child(node, "expr"), "ast");
  const alias = aliasOf(node);
  if (inner !== undefined) {
    const query = lowerQuery(inner, outer, work);
    const name = alias ?? "subquery";
    const relation: Relation = { alias: name, table: name, kind: "derived", query, join };
    return { relation, columns: columnsOf(relation, work) };
  }
  const table = identifier(node, "table");
  if (table === undefined) {
    lose(work, "a function or list of values in FROM", []);
    const name = alias ?? "values";
    return { relation: { alias: name, table: name, kind: "opaque", join }, columns: undefined };
  }
  const query = node["db"] === null || node["db"] === undefined ? work.ctes.get(table) : undefined;
  const relation: Relation =
    query === undefined
      ? { alias: alias ?? table, table, kind: "base", join }
      : { alias: alias ?? table, table, kind: "derived", query, join };
  return { relation, columns: columnsOf(relation, work) };
}

function aliasOf(node: Node): string | undefined {
  return text(node, "as")?.replace(/\(.*$/s, "");
}

function joinCondition(
  node: Node,
  added: Source,
  before: Scope,
  scope: Scope,
  work: Work,
): Expression | undefined {
  const on = child(node, "on");
  if (on !== undefined) return lowerExpression(on, scope, work);
  const using = children(node, "using");
  if (using.length === 0) return undefined;
  const operands = using.map((each): Expression => {
    const column = text(each, "value") ?? "";
    const left = before.sources.find(({ columns }) => columns?.includes(column) !== false);
    const relation = left?.relation.alias ?? added.relation.alias;
    return {
      kind: "comparison",
      operator: "=",
      left: { kind: "column", relation, column },
      right: { kind: "column", relation: added.relation.alias, column },
    };
  });
  const [first] = operands;
  return first !== undefined && operands.length === 1 ? first : { kind: "and", operands };
}

function columnNodes(node: Node): readonly Node[] {
  const columns = node["columns"];
  if (columns === "*") return [{ expr: { type: "column_ref", table: null, column: "*" } }];
  return children(node, "columns");
}

/** The outputs of a select list or RETURNING clause, with `*` expanded as far as the columns are known. */
export function outputsOf(nodes: readonly Node[], scope: Scope, work: Work): readonly Output[] {
  return nodes.flatMap((node): readonly Output[] => {
    const expression = child(node, "expr");
    if (expression?.["type"] === "column_ref" && expression["column"] === "*") {
      return allColumns(identifier(expression, "table"), scope, work);
    }
    const value = lowerExpression(expression, scope, work);
    return [{ name: text(node, "as") ?? outputName(expression), value }];
  });
}

function allColumns(qualifier: string | undefined, scope: Scope, work: Work): readonly Output[] {
  return scope.sources
    .filter(({ relation }) => qualifier === undefined || relation.alias === qualifier)
    .flatMap(({ relation, columns }) => {
      if (columns === undefined) lose(work, `the columns of ${relation.table} are not known`, []);
      return (columns ?? []).map((column): Output => {
        return { name: column, value: { kind: "column", relation: relation.alias, column } };
      });
    });
}

/** PostgreSQL's name for an output without AS. */
function outputName(node: Node | undefined): string {
  switch (node?.["type"]) {
    case "column_ref":
      return identifier(node, "column") ?? "?column?";
    case "aggr_func":
      return (text(node, "name") ?? "").toLowerCase();
    case "function": {
      const name = children(child(node, "name"), "name").at(-1);
      return (text(name, "value") ?? "").toLowerCase();
    }
    case "case":
      return "case";
    case "cast": {
      const inner = outputName(child(node, "expr"));
      if (inner !== "?column?") return inner;
      const [target] = children(node, "target");
      return (text(target, "dataType") ?? "").toLowerCase().replace(/^int(eger)?$/, "int4");
    }
    default:
      return subqueryName(node);
  }
}

function subqueryName(node: Node | undefined): string {
  const [first] = children(child(node, "ast"), "columns");
  if (first === undefined) return "?column?";
  return text(first, "as") ?? outputName(child(first, "expr"));
}

/** Unlike in ORDER BY, a column takes precedence over an output of that name. */
function groupValue(node: Node, outputs: readonly Output[], scope: Scope, work: Work): Expression {
  const column = node["type"] === "column_ref" ? identifier(node, "column") : undefined;
  const isOwn =
    column !== undefined &&
    scope.sources.some(({ columns }) => columns?.includes(column) !== false);
  return isOwn ? lowerExpression(node, scope, work) : orderValue(node, outputs, scope, work);
}

function orderValue(
  node: Node | undefined,
  outputs: readonly Output[],
  scope: Scope,
  work: Work,
): Expression {
  if (node?.["type"] === "number") {
    const output = outputs[Number(text(node, "value")) - 1];
    if (output !== undefined) return output.value;
  }
  if (node?.["type"] === "column_ref" && !isNode(node["table"]) && node["table"] !== "string") {
    const name = identifier(node, "column");
    const output = outputs.find((each) => each.name === name);
    if (output !== undefined && typeof node["table"] !== "string") return output.value;
  }
  return lowerExpression(node, scope, work);
}

function limits(
  node: Node,
  scope: Scope,
  work: Work,
): { readonly limit?: Expression; readonly offset?: Expression } {
  const clause = child(node, "limit");
  const values = children(clause, "value").map((each) =>
    each["value"] === "all" ? literal(null) : lowerExpression(each, scope, work),
  );
  const [first, second] = values;
  if (first === undefined) return {};
  if (second !== undefined) return { limit: first, offset: second };
  return text(clause, "seperator") === "offset" ? { offset: first } : { limit: first };
}

function setOperations(node: Node, outer: Scope | undefined, work: Work): Query["setOperations"] {
  const next = child(node, "_next");
  if (next === undefined) return [];
  const operator = (text(node, "set_op") ?? "").toLowerCase();
  const query = lowerQuery(next, outer, work);
  const { setOperations: others, ...rest } = query;
  const known = SET_OPERATORS.find((each) => each === operator);
  if (known === undefined) lose(work, `the set operation ${operator}`, []);
  return [{ operator: known ?? "union all", query: { ...rest, setOperations: [] } }, ...others];
}

const SET_OPERATORS = ["union", "union all", "intersect", "except"] as const;
