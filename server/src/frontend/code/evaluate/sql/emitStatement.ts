// Adds statements to the commands: their ids, places and what was lost in them.
import { attribute } from "../../../../query/nodes";
import type { Expression } from "../../../../program/expression";
import type { Taint } from "../../../../program/precision";
import type { SourceRange } from "../../../../protocol/source";
import type { Statement } from "../../../../program/statement";
import { offsetsOf } from "../../../sql/text/lines";
import { walkExpression, walkStatement } from "../../../sql/walk";
import type { StatementDraft } from "../../libraries/library";
import type { Connection } from "../../values";
import { emit, type State } from "../state";
import { besideTransaction, isOther, loseConnection } from "../transactions/otherConnections";
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
  const taint = [
    ...statement.taint,
    ...unknowns(state, statement),
    ...pooledLock(state, connection, statement),
  ];
  const through = throughTo(state, statement.source);
  notePoint(state, source);
  const called = through.length > 0 && { through };
  const isAnswered = statement.kind === "insert" && state.catching + state.answering > 0;
  const own: Statement = { ...statement, taint, ...called, ...(isAnswered && { isAnswered }) };
  const placed = isOther(state, connection) ? beside(state, connection, own, source) : own;
  const command = { kind: "statement", statement: placed } as const;
  if (connection?.isGiven === true) onGiven.set(command.statement, true);
  emit(state, command);
}

/** A session's lock that is asked for on a pool excludes nobody for certain: the next statement may get another connection, or this one. */
function pooledLock(
  { open }: State,
  connection: Connection | undefined,
  statement: Statement,
): readonly Taint[] {
  if (statement.kind !== "lock" || statement.outlives !== true) return [];
  if (connection?.isPool === false && connection.mayBeOne !== true) return [];
  const isWithin = open.length > 0 && connection?.isPool !== true;
  const reason =
    "a lock of a session on a pool, of which each statement may get another connection";
  return isWithin ? [] : [{ effect: "outside", reason, source: statement.source }];
}

const onGiven = attribute<Statement, true>();

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

/** On a connection that the caller gave, or inside of several transactions, it may be a part of one of these. */
function beside(
  state: State,
  connection: Connection | undefined,
  statement: Statement,
  source: SourceRange,
): Statement {
  const message =
    "This runs on another connection than the transaction around it: it is no part of that, commits by itself, and holds no lock that it takes. Run it on the connection of the transaction.";
  if (!state.isTrial)
    state.notes.push({ severity: "warning", code: "other-connection", message, source });
  if (state.open.length === 1 && connection?.isGiven !== true)
    return besideTransaction(statement, source);
  loseConnection(state, source);
  return statement;
}
