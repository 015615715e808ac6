// Expressions of PL/pgSQL: each is a query, so its reads become a statement before its use.
import type { Node } from "libpg-query";
import type { Expression } from "../../../../program/expression";
import type { LockStatement, Statement } from "../../../../program/statement";
import { literal } from "../../expressions";
import { askedFor } from "../../lockRequests";
import type { Span } from "../../text/split";
import { pieceOf } from "../../routine/body";
import { hoistQueries } from "../../routine/hoist";
import { emit, sourceAt, unknownAt } from "../../routine/state";
import { lowerExpression } from "../recursion";
import { NO_SOURCES, type Work } from "../scope";
import { lowerStatement, startWork } from "../statement";
import { contextFor, type State } from "./state";

/** The value of an expression; `shown` is the enclosing statement. Its queries run before. */
export function expressionAt(state: State, span: Span, shown: Span = span): Expression {
  const [value] = expressionsAt(state, span, shown);
  return value ?? literal(null);
}

/** The values of a comma-separated list of expressions. */
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
  const locks: LockStatement[] = [];
  const work = { ...startWork(context), locks };
  const values = (select.targetList ?? []).map((target) => targetValue(target, work));
  for (const statement of askedFor(locks, values)) emit(state, { kind: "statement", statement });
  return hoistQueries(state, values, { piece, taint: work.taint, span });
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
