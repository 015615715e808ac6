// Hoists queries out of routines' expressions into statements before them.
import type { Expression, Query } from "../../../program/expression";
import { mapParts, operandsOf } from "../../../program/operands";
import type { Taint } from "../../../program/precision";
import { literal } from "../expressions";
import { sourceOf, textOf, type SqlPiece } from "../lowering";
import type { Span } from "../text/split";
import { emptyQuery } from "../terms";
import { emit, lossAt, type RoutineState } from "./state";

export interface Hoisting {
  /** The displayed statement. */
  readonly piece: SqlPiece;
  /** Losses in the values. */
  readonly taint: readonly Taint[];
  readonly span: Span;
}

/** The values without queries: a single subquery or EXISTS runs as it is, anything else as a SELECT of the values. */
export function hoistQueries(
  state: RoutineState,
  values: readonly Expression[],
  { piece, taint, span }: Hoisting,
): readonly Expression[] {
  const queries = values.flatMap(queriesOf);
  if (queries.length === 0) {
    for (const { reason, effect } of taint) lossAt(state, reason, span, effect);
    return values;
  }
  const [only] = queries;
  const base = {
    id: state.ids.statement(),
    source: sourceOf(piece),
    text: textOf(piece),
    discarded: true,
    taint,
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

/** The expression with one of its parts, by identity, replaced. */
function replaced(expression: Expression, part: Expression, by: Expression): Expression {
  if (expression === part) return by;
  return mapParts(expression, (each) => replaced(each, part, by));
}

/** True if an expression contains a query. */
export function hasQuery(expression: Expression): boolean {
  return queriesOf(expression).length > 0;
}
