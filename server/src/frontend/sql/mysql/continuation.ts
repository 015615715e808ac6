// The statements behind the end of a transaction that compute what the routine gives back: the transaction's results, too.
import { tablesByWords } from "../fallback";
import { collectCommands, emit, lossAt } from "../routine/state";
import { touchesTables } from "../routine/transactions";
import { walkCommand } from "../walk";
import type { Command } from "../../../program/statement";
import type { Span } from "../text/split";
import type { Run, State } from "./state";
import { assignedBy, someStatement, type RoutineStatement } from "./tree";

/** Runs them before the transaction ends, which changes nothing where they touch no table; otherwise they are a loss. */
export function emitContinuation(state: State, span: Span, run: Run): void {
  const rest = reached(state);
  if (!someStatement(rest, (each) => givesBack(state, each))) return;
  const isInLoop = state.frames.some(({ kind }) => kind === "loop");
  if (!isInLoop && !someStatement(rest, (each) => !isLocal(state, each))) {
    const computed = rest.filter((each) => each.kind !== "sql" || givesBack(state, each));
    const command = collectCommands(state, () => run(state, computed));
    if (!touchesTables([command]) && !asksForLock(command)) {
      emit(state, command);
      return;
    }
  }
  lossAt(state, "what the routine gives back is computed behind the end of a transaction", span);
}

/** The statements up to one that leaves the routine. */
function reached({ following, frames, base }: State): readonly RoutineStatement[] {
  const all = following.flat();
  const outermost = frames[base];
  const label = outermost?.kind === "block" ? outermost.label : undefined;
  const end = all.findIndex((each) => each.kind === "leave" && each.label === label);
  return end === -1 ? all : all.slice(0, end);
}

/** True if it sets an OUT argument, or sends values that it reads nowhere. */
function givesBack(state: State, statement: RoutineStatement): boolean {
  const { definition, body } = state;
  const assigned = assignedBy(statement, body.text);
  if (definition.arguments.some(({ name, isOutput }) => isOutput && assigned.includes(name)))
    return true;
  const { kind, span } = statement;
  if (kind !== "sql" || statement.into !== undefined) return false;
  const text = body.text.slice(span.start, span.end);
  return /^select\b/i.test(text) && tablesByWords(text).tables.length === 0;
}

/** True if it computes only, by its words. */
function isLocal({ body }: State, statement: RoutineStatement): boolean {
  switch (statement.kind) {
    case "set":
      return statement.items.every(({ value: { start, end } }) =>
        isFree(`SELECT ${body.text.slice(start, end)}`),
      );
    case "sql":
      return isFree(body.text.slice(statement.span.start, statement.span.end));
    case "if":
    case "case":
    case "diagnostics":
    case "session":
    case "close":
      return true;
    default:
      return false;
  }
}

function isFree(sql: string): boolean {
  return tablesByWords(sql).tables.length === 0;
}

function asksForLock(command: Command): boolean {
  let asks = false;
  walkCommand(command, {
    statement: ({ kind }) => {
      asks ||= kind === "lock";
    },
  });
  return asks;
}
