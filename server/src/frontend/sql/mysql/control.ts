// START TRANSACTION, COMMIT and ROLLBACK inside of stored routines: the boundaries of their transactions.
import { atBegin } from "../../../program/declaredLevel";
import type { DeclaredLevel } from "../../../program/program";
import type { Command } from "../../../program/statement";
import type { Control, Modes } from "../control";
import { readDialectControl } from "../dialectControl";
import { collectCommands, emit, lossAt, sourceAt } from "../routine/state";
import { endsAlways, withoutExits } from "../routine/withoutReturns";
import type { Span } from "../text/split";
import { emitContinuation } from "./continuation";
import { endsRoutine } from "./handlers";
import { returnOf } from "./returns";
import type { Part, Run, State } from "./state";
import { someStatement, type RoutineStatement } from "./tree";

/** The control meaning of a statement, undefined if none is known. */
export function controlOf(state: Pick<State, "body" | "dialect">, span: Span): Control | undefined {
  return readDialectControl(state.body.text, span.start, span.end, state.dialect);
}

/** True if some statement begins or ends a transaction. */
export function controlsTransactions(
  state: Pick<State, "body" | "dialect">,
  statements: readonly RoutineStatement[],
): boolean {
  return someStatement(statements, (each) => {
    const kind = each.kind === "control" ? controlOf(state, each.span)?.kind : undefined;
    return ["begin", "commit", "rollback", "autocommit", "implicitCommit"].includes(kind ?? "");
  });
}

/** True if some statement begins a transaction, so that what comes before is outside of it. */
export function beginsTransactions(
  state: Pick<State, "body" | "dialect">,
  statements: readonly RoutineStatement[],
): boolean {
  return someStatement(statements, (each) => {
    const control = each.kind === "control" ? controlOf(state, each.span) : undefined;
    return control?.kind === "begin" || (control?.kind === "autocommit" && !control.on);
  });
}

/** Lowers a control statement; `run` lowers what is computed behind it. */
export function lowerControl(state: State, span: Span, run: Run): void {
  const control = controlOf(state, span);
  switch (control?.kind) {
    case undefined:
      return;
    case "begin":
      begin(state, span, control.modes);
      return;
    case "commit":
    case "rollback":
      endAndGoOn(state, control, span, run);
      return;
    case "autocommit":
      // A setting without a change has no effect.
      if (control.on === state.autocommit) return;
      state.autocommit = control.on;
      if (control.on) end(state, "commit", span, run);
      else if (state.part.kind !== "explicit") begin(state, span, {});
      return;
    case "implicitCommit":
      commitBefore(state, span, run);
      return;
    case "savepoint":
    case "release":
    case "rollbackTo":
      emit(state, { kind: control.kind, name: control.name, source: sourceAt(state, span) });
      return;
    case "setNext":
    case "setTransaction":
      state.nextLevel = declared(state, control.modes, span) ?? state.nextLevel;
      return;
    case "setSession":
      state.sessionLevel = declared(state, control.modes, span) ?? state.sessionLevel;
      return;
    case "twoPhase":
      return;
    default:
      control satisfies never;
  }
}

/** A statement that cannot be in a transaction ends the open one, which continues after it. */
export function commitBefore(state: State, span: Span, run: Run): void {
  const { part } = state;
  if (part.kind === "outside") return;
  if (state.callers.length > 0) {
    const reason = "a statement of a routine that is called commits the transaction that is open";
    lossAt(state, reason, span, "approx");
  } else if (state.nested > part.depth) {
    end(state, "commit", span, run);
  } else {
    finishPart(state);
    if (!state.autocommit) begin(state, span, {});
    state.part = { ...state.part, continues: true };
  }
}

/** Ends the transaction; after AND CHAIN, and without autocommit, the next one begins. */
function endAndGoOn(
  state: State,
  { kind, chain }: Extract<Control, { readonly kind: "commit" | "rollback" }>,
  span: Span,
  run: Run,
): void {
  const { part } = state;
  end(state, kind, span, run);
  const goesOn = !state.autocommit && state.part !== part && touchesTables(state.following[0]);
  if (chain || goesOn) begin(state, span, {});
}

function declared(state: State, modes: Modes, span: Span): DeclaredLevel | undefined {
  if (modes.level === undefined) return undefined;
  return { name: modes.level.name, from: "sql", source: sourceAt(state, span) };
}

function begin(state: State, span: Span, modes: Modes): void {
  const { part } = state;
  if (state.callers.length > 0) {
    lossAt(state, "a transaction that begins in a routine that is called", span, "approx");
    return;
  }
  if (part.kind === "explicit" && state.nested > part.depth) {
    lossAt(state, "a transaction that begins in the middle of another one", span, "approx");
    return;
  }
  const continues = part.kind === "explicit";
  if (continues) {
    const message = "A transaction starts here before the last one has ended, which commits it.";
    const source = sourceAt(state, span);
    state.shared.note({ severity: "warning", code: "nested-begin", message, source });
  }
  finishPart(state);
  const named = declared(state, modes, span) ?? state.nextLevel ?? state.sessionLevel;
  const level: DeclaredLevel | undefined = modes.isAtBegin
    ? { from: "sql", source: sourceAt(state, span), ...named, name: atBegin(named?.name) }
    : named;
  state.nextLevel = undefined;
  state.part = {
    ...{ kind: "explicit", level, depth: state.nested, start: span, loose: undefined },
    ...(continues && { continues }),
  };
}

function end(state: State, kind: "commit" | "rollback", span: Span, run: Run): void {
  const { part } = state;
  // Outside of a transaction there is nothing to end, except a continued one.
  if (part.kind === "outside" || (part.kind === "routine" && part.continues)) {
    if (part.continues && state.nested === part.depth) finishPart(state);
    return;
  }
  const source = sourceAt(state, span);
  if (kind === "commit" && state.callers.length === 0) emitContinuation(state, span, run);
  const command: Command =
    kind === "rollback" ? { kind: "rollback", why: "ROLLBACK", source } : returnOf(state, span);
  if (state.callers.length > 0) {
    emit(state, command);
    if (kind === "commit")
      lossAt(state, "COMMIT in a routine that is called: what follows is left out", span, "approx");
    return;
  }
  if (state.nested > part.depth) {
    emit(state, command);
    const leaves = state.following[0]?.some(
      (each) =>
        each.kind === "leave" ||
        each.kind === "return" ||
        (each.kind === "signal" && endsRoutine(state, each.condition)),
    );
    if (touchesTables(state.following[0])) loseRest(state, span);
    else if (leaves !== true) part.loose ??= { span, depth: state.nested, isOpen: false };
    return;
  }
  if (kind === "rollback" || "value" in command) emit(state, command);
  finishPart(state);
}

function touchesTables(statements: readonly RoutineStatement[] = []): boolean {
  return someStatement(statements, ({ kind }) => kind === "sql" || kind === "call");
}

function loseRest(state: State, span: Span): void {
  const reason = "what follows the end of the transaction in a branch is left out";
  lossAt(state, reason, span, "outside");
}

/** Reports a statement after a branch that ended the transaction and continued. */
export function checkLoose(state: State): void {
  const { loose } = state.part;
  if (loose?.isOpen !== true) return;
  state.part.loose = undefined;
  loseRest(state, loose.span);
}

/** After a statement with branches: if all of them have ended the transaction, it is over. */
export function endedInBranches(state: State, command: Command | undefined): void {
  const { part } = state;
  if (part.loose !== undefined && part.loose.depth > state.nested) {
    part.loose = { ...part.loose, depth: state.nested, isOpen: true };
  }
  if (part.kind === "outside" || state.nested !== part.depth || state.callers.length > 0) return;
  if (command === undefined || !endsAlways([command])) return;
  finishPart(state);
}

/** Closes the current part: its statements are a transaction, or several outside of any. */
export function finishPart(state: State): void {
  const { part } = state;
  let command: Command = { kind: "sequence", commands: state.commands };
  state.commands = [];
  // Leaving a block in the middle of the transaction keeps it open; it ends with the routine.
  for (const frame of state.frames.toReversed()) {
    if (frame.kind !== "block" || !frame.left) continue;
    const source = sourceAt(state, part.start);
    command = withoutExits(command, frame.id, { done: `${frame.id} left`, source });
  }
  const commands = command.kind === "sequence" ? command.commands : [command];
  const isInLoop = state.frames.some((frame) => frame.kind === "loop");
  const before = [
    // A transaction in a branch may not have run.
    ...state.finished.map((each) => ({ ...each, isCertain: each.part.depth === 0 })),
    { commands: state.enclosing.flat(), isCertain: true },
  ];
  state.finished.push({ part, commands, before: isInLoop ? undefined : before });
  state.part = outside(state, part.kind === "routine" ? "routine" : state.initialKind);
}

function outside(state: State, kind: Part["kind"]): Part {
  const level = kind === "routine" ? state.nextLevel : undefined;
  return { kind, level, depth: 0, start: { start: 0, end: 0 }, loose: undefined };
}

/** A list of statements as a command: a branch, or the rounds of a loop. */
export function innerList(state: State, run: () => void): Command {
  const outer = state.enclosing;
  state.enclosing = [...outer, state.commands];
  state.nested++;
  const command = collectCommands(state, () => {
    run();
    closeList(state);
  });
  const { loose } = state.part;
  if (loose !== undefined) state.part.loose = { ...loose, isOpen: false };
  state.nested--;
  state.enclosing = outer;
  return command;
}

/** A list of statements ends inside of a transaction that began in it. */
function closeList(state: State): void {
  const { part } = state;
  if (part.kind !== "explicit" || part.depth !== state.nested || state.nested === 0) return;
  lossAt(
    state,
    "a transaction that begins in a branch and ends outside of it",
    part.start,
    "approx",
  );
  finishPart(state);
}
