// Subqueries inside expressions.
import type { Node, SubLink } from "libpg-query";
import type { Expression, Query, Relation } from "../../../program/expression";
import { literal } from "../expressions";
import { compare, withDistinctNames, emptyQuery, connective, negatedIf } from "../terms";
import { lastName, rowOf, stringsOf } from "./ast";
import { lowerAll, lowerExpression, lowerQueryNode } from "./recursion";
import { lose, type Scope, type Work } from "./scope";

/** EXISTS, IN, ANY, ALL, ARRAY and scalar subqueries. */
export function lowerSubLink(link: SubLink, scope: Scope, work: Work): Expression {
  const rows = rowsBehind(link.subselect, work);
  if (rows !== undefined && link.subLinkType === "EXISTS_SUBLINK") {
    const size: Expression = { kind: "size", result: rows.result };
    return { kind: "comparison", operator: ">", left: size, right: literal(0) };
  }
  if (rows?.value !== undefined && link.subLinkType === "EXPR_SUBLINK") return rows.value;
  const query = lowerQueryNode(link.subselect, scope, work);
  switch (link.subLinkType) {
    case "EXISTS_SUBLINK":
      return { kind: "exists", query };
    case "EXPR_SUBLINK":
      return scalar(query);
    case "ANY_SUBLINK":
    case "ALL_SUBLINK":
      return quantified(link, query, scope, work);
    case "ARRAY_SUBLINK":
      return arrayOf(query, work.context.ids.fresh("rows"));
    default:
      return lose(work, "a subquery of several columns", [{ kind: "exists", query }]);
  }
}

/** ARRAY (SELECT ...): the query's values; without any an empty array. */
function arrayOf(query: Query, alias: string): Expression {
  const relation: Relation = { alias, table: alias, kind: "derived", query, join: "inner" };
  const [output] = query.outputs;
  const value: Expression = { kind: "column", relation: alias, column: output?.name ?? "?column?" };
  const operand: Expression = {
    kind: "call",
    name: "row",
    arguments: [value],
    deterministic: true,
  };
  const all: Expression = {
    kind: "aggregate",
    function: "other",
    name: "array",
    operand,
    distinct: false,
  };
  const gathering = { ...emptyQuery([{ name: "array", value: all }]), relations: [relation] };
  const empty: Expression = { kind: "literal", value: "{}", type: "other" };
  return { kind: "coalesce", operands: [{ kind: "subquery", query: gathering }, empty] };
}

/** `SELECT column FROM name` with the name of a data change in WITH. */
function rowsBehind(
  node: Node | undefined,
  work: Work,
): { readonly result: string; readonly value: Expression | undefined } | undefined {
  if (node === undefined || !("SelectStmt" in node)) return undefined;
  const { fromClause = [], targetList = [], whereClause, larg, withClause } = node.SelectStmt;
  const { groupClause, havingClause, limitOffset } = node.SelectStmt;
  const others = whereClause ?? larg ?? withClause ?? groupClause ?? havingClause ?? limitOffset;
  const [from] = fromClause;
  if (others !== undefined || fromClause.length !== 1 || from === undefined) return undefined;
  const cte = "RangeVar" in from ? work.ctes.get(from.RangeVar.relname ?? "") : undefined;
  if (cte?.kind !== "rows") return undefined;
  const [target] = targetList;
  if (target === undefined || !("ResTarget" in target)) return undefined;
  const { val } = target.ResTarget;
  const { result } = cte;
  const name = val !== undefined && "ColumnRef" in val ? lastName(val.ColumnRef.fields) : "";
  const field = cte.columns.find((column, at) => (cte.names[at] ?? column) === name);
  const counts =
    val !== undefined && "FuncCall" in val && val.FuncCall.agg_star === true
      ? lastName(val.FuncCall.funcname) === "count"
      : false;
  if (counts) return { result, value: { kind: "size", result } };
  if (field === undefined) return { result, value: undefined };
  return { result, value: { kind: "field", result, field, at: "first" } };
}

/** A query on only the rows of an earlier statement is that row's value. */
export function scalar(query: Query): Expression {
  const [output] = query.outputs;
  const own = query.relations.length === 0 && query.setOperations.length === 0;
  const always = query.where.kind === "literal" && query.where.value === true;
  if (own && always && output !== undefined && query.limit === undefined) return output.value;
  return { kind: "subquery", query };
}

function quantified(link: SubLink, query: Query, scope: Scope, work: Work): Expression {
  const isAny = link.subLinkType === "ANY_SUBLINK";
  const operator = stringsOf(link.operName).at(-1) ?? "=";
  const row = link.testexpr === undefined ? undefined : rowOf(link.testexpr);
  if (row !== undefined) return rowIn(lowerAll(row, scope, work), query, operator, isAny, work);
  const operand = lowerExpression(link.testexpr, scope, work);
  if (isAny && operator === "=") return { kind: "inQuery", operand, query };
  if (!isAny && (operator === "<>" || operator === "!=")) {
    return { kind: "not", operand: { kind: "inQuery", operand, query } };
  }
  const compared = comparedRows([operand], operator, query, work);
  if (compared !== undefined) return ofAll(compared, isAny);
  const what = `${operator} ${isAny ? "ANY" : "ALL"} of a subquery`;
  return lose(work, what, [operand, { kind: "exists", query }], "bool");
}

interface Compared {
  /** The rows of the query under a further condition. */
  readonly where: (condition: Expression) => Query;
  /** The comparison with the current row. */
  readonly condition: Expression;
}

/** The columnwise comparison of values with a query's rows; several columns only by `=`. */
function comparedRows(
  values: readonly Expression[],
  operator: string,
  query: Query,
  work: Work,
): Compared | undefined {
  const alias = work.context.ids.fresh("compared");
  const named = { ...query, outputs: withDistinctNames(query.outputs) };
  const conditions = values.flatMap((value, at): readonly Expression[] => {
    const output = named.outputs[at];
    if (output === undefined) return [];
    const right: Expression = { kind: "column", relation: alias, column: output.name };
    const compared = valueOfOperator(operator, value, right);
    return compared === undefined ? [] : [compared];
  });
  if (conditions.length < values.length || (values.length > 1 && operator !== "="))
    return undefined;
  const relation: Relation = { alias, table: alias, kind: "derived", query: named, join: "inner" };
  const all: Query = {
    ...emptyQuery([{ name: "value", value: literal(1) }]),
    relations: [relation],
  };
  return { where: (where) => ({ ...all, where }), condition: connective("and", conditions) };
}

/** ANY: true if the comparison is true for a row, else NULL if it may be. ALL is the negated ANY of the opposite comparison. */
function ofAll({ where, condition }: Compared, isAny: boolean): Expression {
  const some = (sought: Expression): Expression => ({ kind: "exists", query: where(sought) });
  const sought: Expression = isAny ? condition : { kind: "not", operand: condition };
  const otherwise: Expression = {
    kind: "conditional",
    condition: some({ kind: "isNull", operand: condition }),
    then: literal(null),
    otherwise: literal(!isAny),
  };
  return { kind: "conditional", condition: some(sought), then: literal(isAny), otherwise };
}

const COMPARISONS = ["=", "<>", "<", "<=", ">", ">="] as const;

function valueOfOperator(
  operator: string,
  left: Expression,
  right: Expression,
): Expression | undefined {
  const known = COMPARISONS.find((each) => each === (operator === "!=" ? "<>" : operator));
  if (known !== undefined) return compare(known, left, right);
  const like = /^(!?)~~(\*?)$/.exec(operator);
  if (like === null) return undefined;
  const insensitive = like[2] === "*";
  return negatedIf(like[1] === "!", { kind: "like", operand: left, pattern: right, insensitive });
}

/** `(a, b) IN (SELECT x, y ...)` with two more conditions on the query's rows, if these hide no name. */
function rowIn(
  values: readonly Expression[],
  query: Query,
  operator: string,
  isAny: boolean,
  work: Work,
): Expression {
  const simple =
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.setOperations.length === 0;
  const hidden = values.some(
    (value) =>
      value.kind === "column" && query.relations.some(({ alias }) => alias === value.relation),
  );
  const plain = values.every((value) =>
    ["column", "literal", "parameter", "variable", "field"].includes(value.kind),
  );
  if (!simple || hidden || !plain || !isAny || operator !== "=") {
    const compared = isAny ? comparedRows(values, operator, query, work) : undefined;
    if (compared !== undefined) return ofAll(compared, true);
    return lose(work, "a row IN a subquery", [...values, { kind: "exists", query }], "bool");
  }
  const equal = values.map((left, at): Expression => ({
    kind: "comparison",
    operator: "=",
    left,
    right: query.outputs[at]?.value ?? literal(null),
  }));
  const where = (more: Expression): Query => ({
    ...query,
    where: connective("and", [query.where, more]),
  });
  return ofAll({ where, condition: connective("and", equal) }, true);
}
