// Conditions over rows in the form that the AR has for invariants: combinations of rows, and one row that must exist.
import type { Expression, Query, Relation } from "../../../program/expression";
import { operandsOf } from "../../../program/operands";
import type { Invariant } from "../../../program/program";

/** A base table of its query without joins. */
export function plainRelation({ alias, table }: Relation): Relation {
  return { alias, table, kind: "base", join: "cross" };
}

/** The rows that a condition ranges over. */
export interface Rows {
  readonly relations: readonly Relation[];
  readonly where: Expression;
}

/** A part of an invariant. */
export type Clause = Rows & Pick<Invariant, "condition">;

const NEVER: Expression = { kind: "literal", value: false, type: "bool" };

/** The parts of a condition over rows in the form of an Invariant; a text gives the reason why there are none. */
export function normalize(rows: Rows, condition: Expression): readonly Clause[] | string {
  if (!hasQuery(condition)) return [{ ...rows, condition }];
  switch (condition.kind) {
    case "and":
      return all(condition.operands.map((each) => normalize(rows, each)));
    case "or": {
      const plain = condition.operands.filter((each) => !hasQuery(each));
      const [query, another] = condition.operands.filter(hasQuery);
      if (!query || another) return "only one alternative of an OR can have a subquery.";
      const others = plain.map((operand): Expression => ({ kind: "not", operand }));
      return normalize(restricted(rows, others), query);
    }
    case "exists":
      return existsClause(rows, condition.query);
    case "inQuery": {
      const query = memberQuery(condition);
      if (typeof query === "string") return query;
      const given: Expression = {
        kind: "not",
        operand: { kind: "isNull", operand: condition.operand },
      };
      return existsClause(restricted(rows, [given]), query);
    }
    case "not":
      return denied(rows, condition.operand);
    default:
      return NO_AGGREGATES;
  }
}

/** The parts of the negation. */
function denied(rows: Rows, condition: Expression): readonly Clause[] | string {
  switch (condition.kind) {
    case "or":
      return all(condition.operands.map((operand) => normalize(rows, { kind: "not", operand })));
    case "not":
      return normalize(rows, condition.operand);
    case "exists":
      return absentClause(rows, condition.query);
    case "inQuery": {
      const query = memberQuery(condition);
      return typeof query === "string" ? query : absentClause(rows, query);
    }
    default:
      return condition.kind === "and"
        ? "NOT over AND with a subquery; write NOT EXISTS with all conditions inside."
        : NO_AGGREGATES;
  }
}

/** The condition concerns more than single rows. */
export const NO_AGGREGATES =
  "sums, counts and values of subqueries cannot be assumed; say what holds for each row, or use EXISTS.";

function all(parts: readonly (readonly Clause[] | string)[]): readonly Clause[] | string {
  const clauses: Clause[] = [];
  for (const part of parts) {
    if (typeof part === "string") return part;
    clauses.push(...part);
  }
  return clauses;
}

function restricted(rows: Rows, conditions: readonly Expression[]): Rows {
  return { ...rows, where: { kind: "and", operands: [rows.where, ...conditions] } };
}

/** `operand IN (query)` as the query of an EXISTS. */
function memberQuery({ operand, query }: Extract<Expression, { kind: "inQuery" }>): Query | string {
  const [output] = query.outputs;
  if (!output) return NO_AGGREGATES;
  const equal: Expression = {
    kind: "comparison",
    operator: "=",
    left: output.value,
    right: operand,
  };
  return { ...query, where: { kind: "and", operands: [query.where, equal] } };
}

/** A query of base tables and conditions only; a text gives the obstacle. */
function plainQuery(query: Query): Rows | string {
  const simple =
    query.groupBy.length === 0 &&
    query.having === undefined &&
    query.limit === undefined &&
    query.offset === undefined &&
    query.setOperations.length === 0 &&
    query.relations.every(
      ({ kind, join }) => kind === "base" && (join === "inner" || join === "cross"),
    );
  if (!simple) return "its subquery may only have tables, inner joins and conditions.";
  const on = query.relations.flatMap((relation) => relation.on ?? []);
  const where: Expression = { kind: "and", operands: [query.where, ...on] };
  if (hasQuery(where)) return "a subquery inside a subquery is too deep; split the invariant.";
  return { relations: query.relations.map(plainRelation), where };
}

function existsClause(rows: Rows, query: Query): readonly Clause[] | string {
  const inner = plainQuery(query);
  if (typeof inner === "string") return inner;
  if (inner.relations.length !== 1) return "EXISTS may ask for a row of one table only.";
  if (hasQuery(rows.where)) return "its WHERE has a subquery.";
  const clash = clashing(rows, inner);
  if (clash !== undefined) return clash;
  const plain: Query = { ...query, ...inner };
  return [{ ...rows, condition: { kind: "exists", query: plain } }];
}

/** No row of the query exists: its tables are added to those of the invariant. */
function absentClause(rows: Rows, query: Query): readonly Clause[] | string {
  const inner = plainQuery(query);
  if (typeof inner === "string") return inner;
  const clash = clashing(rows, inner);
  if (clash !== undefined) return clash;
  const relations = [...rows.relations, ...inner.relations];
  const where: Expression = { kind: "and", operands: [rows.where, inner.where] };
  return [{ relations, where, condition: NEVER }];
}

function clashing(rows: Rows, inner: Rows): string | undefined {
  const twice = inner.relations.find(({ alias }) =>
    rows.relations.some((each) => each.alias === alias),
  );
  return twice && `the name ${twice.alias} stands for two tables; give the inner one another name.`;
}

function hasQuery(expression: Expression): boolean {
  return namesIn(expression).includes("query") || hasAggregate(expression);
}

function hasAggregate(expression: Expression): boolean {
  return [...allParts(expression)].some(({ kind }) => kind === "aggregate");
}

/** The expression and all its parts, except those of queries. */
export function* allParts(expression: Expression): Iterable<Expression> {
  yield expression;
  for (const part of operandsOf(expression)) yield* allParts(part);
}

/** The kinds of names in the expression: parameters, queries. */
export function namesIn(expression: Expression): readonly ("parameter" | "query")[] {
  return [...allParts(expression)].flatMap((each) =>
    each.kind === "parameter" ? ["parameter"] : "query" in each ? ["query"] : [],
  );
}
