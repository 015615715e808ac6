// Expressions of PL/pgSQL: each is a query of its own, so what it reads becomes a statement before it is used.
import type { Node } from "libpg-query";
import type { Expression } from "../../../program/expression";
import { operandsOf } from "../../../program/operands";
import type { Query, Statement } from "../../../program/statement";
import { literal } from "../expressions";
import { sourceOf, textOf } from "../lowering";
import type { Span } from "../split";
import { pieceOf } from "../routine/body";
import { emit, lossAt, sourceAt, unknownAt } from "../routine/state";
import { contextFor, type State } from "./plState";
import { lowerExpression } from "./recursion";
import { NO_SOURCES, type Work } from "./scope";
import { lowerStatement, startWork } from "./statement";
import { emptyQuery } from "./terms";

/** The value of an expression; `shown` is the statement that it belongs to. Queries inside run before. */
export function expressionAt(state: State, span: Span, shown: Span = span): Expression {
  const [value] = expressionsAt(state, span, shown);
  return value ?? literal(null);
}

/** The values of a list of expressions with commas. */
export function expressionsAt(state: State, span: Span, shown: Span = span): readonly Expression[] {
  const piece = pieceOf(state.body, span, { before: "SELECT ", shown });
  const parsed = state.shared.parser.parse(piece.sql);
  if (!parsed.ok) {
    const source = sourceAt(state, span);
    const message = `PostgreSQL cannot read this expression: ${parsed.message}.`;
    state.shared.note({ severity: "error", code: "syntax", message, source });
    return [unknownAt(state, "an expression that cannot be read", span)];
  }
  const node = parsed.statements[0]?.node;
  if (node === undefined || !("SelectStmt" in node))
    return [unknownAt(state, "no expression", span)];
  const { SelectStmt: select } = node;
  const context = contextFor(state, piece, span);
  const isQuery = select.fromClause !== undefined || select.larg !== undefined;
  if (isQuery || select.valuesLists !== undefined) {
    // `x := balance FROM accounts WHERE ...`
    const lowered = lowerStatement(node, context);
    for (const statement of lowered.statements) emitRead(state, statement);
    const { result } = lowered;
    return (result?.columns ?? []).map((field) => {
      return { kind: "field", result: result?.name ?? "", field, at: "first" };
    });
  }
  const work = startWork(context);
  const values = (select.targetList ?? []).map((target) => targetValue(target, work));
  return hoisted(state, values, work, span);
}

function targetValue(target: Node, work: Work): Expression {
  return "ResTarget" in target
    ? lowerExpression(target.ResTarget.val, NO_SOURCES, work)
    : literal(null);
}

function emitRead(state: State, statement: Statement): void {
  const quiet: Statement =
    statement.kind === "select" ? { ...statement, discarded: true } : statement;
  emit(state, { kind: "statement", statement: quiet });
}

/** Values without queries: a lone subquery or EXISTS runs as it is, anything else as a SELECT of the values. */
function hoisted(
  state: State,
  values: readonly Expression[],
  work: Work,
  span: Span,
): readonly Expression[] {
  const queries = values.flatMap(queriesOf);
  if (queries.length === 0) {
    for (const { reason, effect } of work.taint) lossAt(state, reason, span, effect);
    return values;
  }
  const [only] = queries;
  const base = {
    id: state.ids.statement(),
    source: sourceOf(work.context.piece),
    text: textOf(work.context.piece),
    discarded: true,
    taint: work.taint,
  };
  const into = state.ids.result();
  const isAlone = queries.length === 1 && only !== undefined && only.kind !== "inQuery";
  if (isAlone) {
    emit(state, {
      kind: "statement",
      statement: { ...base, kind: "select", query: only.query, into },
    });
    return values.map((value) => replaced(value, only, resultOf(only, into)));
  }
  const outputs = values.map((value, at) => ({ name: `value${at + 1}`, value }));
  const query: Query = emptyQuery(outputs);
  emit(state, { kind: "statement", statement: { ...base, kind: "select", query, into } });
  return outputs.map(({ name }) => ({ kind: "field", result: into, field: name, at: "first" }));
}

type WithQuery = Extract<Expression, { readonly kind: "subquery" | "exists" | "inQuery" }>;

function resultOf(expression: WithQuery, result: string): Expression {
  if (expression.kind === "exists") {
    const left: Expression = { kind: "size", result };
    return { kind: "comparison", operator: ">", left, right: literal(0) };
  }
  const field = expression.query.outputs[0]?.name ?? "";
  return { kind: "field", result, field, at: "first" };
}

/** The outermost queries inside an expression. */
function queriesOf(expression: Expression): readonly WithQuery[] {
  if (
    expression.kind === "subquery" ||
    expression.kind === "exists" ||
    expression.kind === "inQuery"
  ) {
    return [expression];
  }
  return operandsOf(expression).flatMap(queriesOf);
}

/** The expression with one of its parts, found by identity, replaced. */
function replaced(expression: Expression, part: Expression, by: Expression): Expression {
  if (expression === part) return by;
  return mapParts(expression, (each) => replaced(each, part, by));
}

/** The expression with its direct parts mapped; queries keep what is inside them. */
function mapParts(expression: Expression, map: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case "arithmetic":
    case "comparison":
    case "sameValue":
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case "negate":
    case "not":
    case "isNull":
    case "inQuery":
      return { ...expression, operand: map(expression.operand) };
    case "and":
    case "or":
    case "coalesce":
      return { ...expression, operands: expression.operands.map(map) };
    case "in": {
      const operand = map(expression.operand);
      return { ...expression, operand, values: expression.values.map(map) };
    }
    case "like":
      return { ...expression, operand: map(expression.operand), pattern: map(expression.pattern) };
    case "conditional":
      return {
        ...expression,
        condition: map(expression.condition),
        then: map(expression.then),
        otherwise: map(expression.otherwise),
      };
    case "call":
      return { ...expression, arguments: expression.arguments.map(map) };
    case "unknown":
      return { ...expression, dependsOn: expression.dependsOn.map(map) };
    case "aggregate":
      return expression.operand === undefined
        ? expression
        : { ...expression, operand: map(expression.operand) };
    case "literal":
    case "parameter":
    case "variable":
    case "column":
    case "field":
    case "size":
    case "affected":
    case "exists":
    case "subquery":
    case "excluded":
    case "fresh":
      return expression;
    default:
      return expression satisfies never;
  }
}

/** Whether an expression asks the database. */
export function hasQuery(expression: Expression): boolean {
  return queriesOf(expression).length > 0;
}
