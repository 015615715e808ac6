// Adds statements to the commands: their ids, places and what was lost in them.
import type { Expression } from "../../../../program/expression";
import type { Taint } from "../../../../program/precision";
import type { SourceRange } from "../../../../protocol/source";
import type { Statement } from "../../../../program/statement";
import { offsetsOf } from "../../../sql/text/lines";
import { walkExpression, walkStatement } from "../../../sql/walk";
import type { StatementDraft } from "../../libraries/library";
import type { Connection } from "../../values";
import { emit, lose, type State } from "../state";
import { notePoint } from "../errors/attempts";
import { throughTo } from "../calls/callChains";
import { standsForLarge } from "../values/largeValues";

/** Adds a statement of a library's making; gives its id. */
export function emitStatement(
  state: State,
  connection: Connection | undefined,
  draft: StatementDraft,
  source: SourceRange,
): string {
  const id = state.ids.statement();
  addStatement(state, connection, drafted(state, draft, id, source), source);
  return id;
}

/** Adds a statement. Unknown values in it are losses of it. */
export function addStatement(
  state: State,
  connection: Connection | undefined,
  statement: Statement,
  source: SourceRange,
): void {
  state.emitted += 1;
  if (connection?.isGiven === true) state.ranOn.given = true;
  else state.ranOn.own = true;
  otherConnection(state, connection, source);
  const taint = [...statement.taint, ...unknowns(state, statement)];
  const through = throughTo(state, statement.source);
  notePoint(state, source);
  const called = through.length > 0 && { through };
  const command = { kind: "statement", statement: { ...statement, taint, ...called } } as const;
  if (connection?.isGiven === true) onGiven.add(command.statement);
  emit(state, command);
}

const onGiven = new WeakSet<Statement>();

/** True if a statement runs on a connection that the caller gave. */
export function isOnGiven(statement: Statement): boolean {
  return onGiven.has(statement);
}

function drafted(state: State, draft: StatementDraft, id: string, source: SourceRange): Statement {
  const lines = state.workspace.lines(source.file);
  const { start, end } = offsetsOf(lines, source.range);
  const reasons = draft.taint ?? [];
  const effect = draft.kind === "opaque" ? "opaque" : "over";
  const taint = reasons.map((reason): Taint => ({ effect, reason, source }));
  return { ...draft, id, source, text: lines.text.slice(start, end), taint };
}

/** Values that are not known, each of which weakens the statement. */
function unknowns(state: State, statement: Statement): readonly Taint[] {
  const known = new Set(statement.taint.map(({ reason }) => reason));
  const losses: Taint[] = [];
  const see = (expression: Expression): void => {
    const large = standsForLarge(state, expression);
    if (large) walkExpression(large, [], { expression: see });
    if (expression.kind !== "unknown" || known.has(expression.why)) return;
    known.add(expression.why);
    losses.push({ effect: "over", reason: expression.why, source: statement.source });
  };
  walkStatement(statement, { expression: see });
  return losses;
}

/** A statement on another connection than the open transaction's is not part of it. */
function otherConnection(
  state: State,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  const open = state.open.at(-1);
  if (!open || open.isAny === true) return;
  if (connection === undefined || open.connection === connection.id) return;
  lose(state, "this statement runs on another connection, outside of the open transaction", source);
}
