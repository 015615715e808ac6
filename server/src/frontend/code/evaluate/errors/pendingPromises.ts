// Calls of async functions whose promise is not awaited at once: they run where they are called, and what they throw
// waits in the promise for whoever awaits it.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import type { HirExpression } from "../../hir";
import type { Cell, StartedPromise, Value } from "../../values";
import { walkCommand } from "../../../sql/walk";
import { fork, type Path } from "../fork";
import { merge } from "../merge";
import { USER_ERROR } from "../values/member";
import { collectCommands, emit, lose, undone, write, type State } from "../state";
import { isPending, settle } from "../calls/awaits";
import { semanticsOf } from "../../semantics";
import { enterHandler } from "./failures";
import { attempting, beginAttempt, isChanged, notePoint } from "./attempts";
import { addTry, mayFailItself, throwsItself } from "./tryCatch";

/** Notes that an expression's value is not awaited where it stands. Linear in the calls whose value it is. */
export function notePending({ callUses }: State, hir: HirExpression): void {
  eachCall(hir, (call) => {
    callUses.pending.add(call);
    callUses.leaving.delete(call);
  });
}

/** Notes that a function returns an expression's value without awaiting it: none of its handlers is for what fails in it. */
export function noteLeaving({ callUses }: State, hir: HirExpression): void {
  eachCall(hir, (call) => {
    callUses.pending.add(call);
    callUses.leaving.add(call);
  });
}

/** Notes that an expression's value is what its function gives. */
export function noteReturned({ callUses }: State, hir: HirExpression): void {
  eachCall(hir, (call) => {
    callUses.returned.add(call);
  });
}

/** True if something that is returned here leaves a handler of this function. */
export function leavesHandler({ attempts, frame }: State): boolean {
  if (!semanticsOf(frame.file).hasPromises) return false;
  return frame.isLeaving === true || attempts.some((each) => each.isKept && each.frame === frame);
}

/** Result of a function that returns a value past its handlers: what is pending runs here, and fails behind it. */
export function returnedPast(state: State, value: Value, source: SourceRange): Value {
  const isStarted = isRunning(value) || !isPending(value);
  const promise = isStarted ? value : runPending(state, source, () => settle(state, value), true);
  // Nobody awaits what the outermost function gives.
  return state.frame.isRoot ? (startedIn(promise)?.value ?? promise) : promise;
}

/** The opposite: of a function that is awaited, what it returns is. */
export function noteAwait({ callUses }: State, hir: HirExpression): void {
  eachCall(hir, (call) => {
    callUses.pending.delete(call);
    callUses.leaving.delete(call);
  });
}

/** The calls whose value an expression gives. */
export function eachCall(hir: HirExpression, note: (call: HirExpression) => void): void {
  switch (hir.kind) {
    case "call":
      note(hir);
      return;
    case "unary":
      if (hir.operator === "void") eachCall(hir.operand, note);
      return;
    case "typed":
      eachCall(hir.operand, note);
      return;
    case "conditional":
      eachCall(hir.then, note);
      eachCall(hir.otherwise, note);
      return;
    case "array":
      for (const { value } of hir.items) eachCall(value, note);
      return;
    default:
  }
}

/**
 * True if it makes no difference what else runs behind an error before it is thrown: all of it is undone, and nobody here
 * catches the error.
 */
export function isUndoneWhole(state: State): boolean {
  return state.open.length > 0 && !state.attempts.some(({ isKept }) => isKept);
}

/** The commands that ran, and may have failed. */
interface Outcome {
  /** As they stand among the commands around, which is as `raw`, or with what is thrown caught and told by `flag`. */
  readonly commands: Command[];
  readonly raw: readonly Command[];
  readonly written: ReadonlyMap<Cell, Value | undefined>;
  readonly flag: string;
  readonly source: SourceRange;
  /** Where it stands. */
  readonly into: readonly Command[];
  readonly around: Pick<State, "frame" | "attempts">;
  /** The facts that hold where it did not fail. */
  readonly present: State["present"];
  readonly value: Value;
  isCaught: boolean;
}

/**
 * Runs a call; gives its promise, or its value where nothing in it can fail. `isLeft`: handlers stand around it that are
 * not for what the database refuses in it.
 */
export function runPending(
  state: State,
  source: SourceRange,
  run: () => Value,
  isLeft = false,
): Value {
  const { commands: into, frame, attempts, present, open } = state;
  const flag = state.ids.fresh("rejected");
  const attempt = beginAttempt(state, false);
  let raw: readonly Command[] = [];
  const { result: value, written } = undone(state, () => {
    let result: Value | undefined;
    raw = collectCommands(state, () => {
      result = attempting(state, attempt, run);
    });
    return result;
  });
  if (!value) throw new Error("a call gives a value");
  const outcome: Outcome = {
    commands: [],
    raw,
    written,
    flag,
    source,
    into,
    around: { frame, attempts },
    present: state.present,
    value,
    isCaught: throwsItself(raw) || (isLeft && mayFailItself(raw)),
  };
  if (outcome.isCaught) {
    state.present = present;
    state.open = open;
    const path = fork(state, () => {
      enterHandler(state, attempt, raw);
      return false;
    });
    const start: Command = {
      kind: "assign",
      variable: attempt.variable,
      value: literal(0),
      source,
    };
    if (isChanged(attempt)) outcome.commands.push(start);
    catchIn(state, outcome, path);
  } else {
    for (const [cell, last] of written) write(state, cell, last);
    if (!mayFailItself(raw)) {
      for (const command of raw) emit(state, command);
      return value;
    }
    outcome.commands.push(...raw);
  }
  emit(state, { kind: "sequence", commands: outcome.commands });
  return {
    kind: "deferred",
    run: () => {
      awaited(state, outcome);
      return value;
    },
    started: {
      value,
      isRejected: () => (outcome.isCaught ? flagOf(outcome) : undefined),
      failsAlone: (isInLoop) => {
        if ((isInLoop || !isLast(state, outcome)) && mayBeRefused(raw)) catchLate(state, outcome);
      },
      swallow: () => {
        catchLate(state, outcome);
      },
    },
  };
}

function startedIn(value: Value): StartedPromise | undefined {
  return value.kind === "deferred" ? value.started : undefined;
}

/** True if a promise is one of what runs already. */
export function isRunning(promise: Value): boolean {
  return startedIn(promise) !== undefined;
}

/** The promises of the rounds of a loop, of which `flag` says whether one was rejected; awaited they are `value`. */
export function promiseList(state: State, flag: string, value: Value, source: SourceRange): Value {
  const run = (): Value => {
    rethrownIf(state, { kind: "variable", name: flag }, source);
    return value;
  };
  // Each round caught its own errors.
  const started = { isRejected: nothing, failsAlone: nothing, swallow: nothing };
  return { kind: "deferred", run, started };
}

function nothing(): undefined {
  return undefined;
}

/** The condition that a promise was rejected where commands caught what it threw; undefined: nothing was. */
export function rejectionOf(promise: Value): Expression | undefined {
  return startedIn(promise)?.isRejected();
}

/** The commands that wait for a promise beside others: they go on where it fails, if the database may refuse what it does. */
export function failsAlone(promise: Value, isInLoop = false): void {
  startedIn(promise)?.failsAlone(isInLoop);
}

/** True if nothing ran behind it. */
function isLast(state: State, { into, commands }: Outcome): boolean {
  const last = into.at(-1);
  return state.commands === into && last?.kind === "sequence" && last.commands === commands;
}

function mayBeRefused(commands: readonly Command[]): boolean {
  let may = false;
  walkCommand(
    { kind: "sequence", commands },
    {
      command: (each) => {
        may ||= each.kind === "statement" && each.statement.kind !== "select";
      },
    },
  );
  return may;
}

/** Throws here what a flag says that was thrown before. */
export function rethrownIf(state: State, condition: Expression, source: SourceRange): void {
  notePoint(state, source);
  const then: Command = {
    kind: "rollback",
    why: "a promise was rejected",
    code: USER_ERROR,
    source,
  };
  emit(state, { kind: "if", condition, then, source });
}

/** Nobody awaits the promise: what fails in it goes no further. Says whether it is one. */
export function swallow(promise: Value): boolean {
  const started = startedIn(promise);
  started?.swallow();
  return started !== undefined;
}

/** Puts what catches all errors around the commands, and says with the flag whether there was one. */
function catchIn(state: State, outcome: Outcome, failed: Path): void {
  const { commands, raw, written, flag, source } = outcome;
  const set = (to: boolean): Command => {
    return { kind: "assign", variable: flag, value: literal(to), source };
  };
  commands.push(set(false));
  const path: Path = { ...failed, commands: [set(true), ...failed.commands] };
  const body: Path = { commands: [...raw], written, left: false };
  merge(state, flagOf(outcome), path, body, source);
  commands.push(
    ...collectCommands(state, () => {
      addTry(state, { types: [], source }, body, path);
    }),
  );
}

/** The same where the database alone may fail, once somebody asks. */
function catchLate(state: State, outcome: Outcome): void {
  const { around, commands, written, source, raw } = outcome;
  if (outcome.isCaught || !isOpen(state, around.frame)) return;
  outcome.isCaught = true;
  const [first] = [...written.keys()].filter(({ birth }) => birth < state.workspace.counts.births);
  if (first && written.size > 0 && raw.some(({ kind }) => kind === "assign")) {
    lose(state, "what a call assigned before it failed is not followed", source);
  }
  commands.length = 0;
  catchIn(
    state,
    { ...outcome, written: new Map() },
    { commands: [], written: new Map(), left: false },
  );
}

function flagOf({ flag }: Outcome): Expression {
  return { kind: "variable", name: flag };
}

/** Its error is thrown here. */
function awaited(state: State, outcome: Outcome): void {
  const { around, commands, raw, written, source } = outcome;
  const isSame = state.attempts === around.attempts && state.frame === around.frame;
  if (isSame && isLast(state, outcome)) {
    // Nothing ran meanwhile.
    if (!outcome.isCaught) return;
    commands.splice(0, commands.length, ...raw);
    for (const [cell, value] of written) write(state, cell, value);
    state.present = outcome.present;
    outcome.isCaught = false;
    return;
  }
  const isCaughtHere = state.attempts.some(
    (each) => each.isKept && !around.attempts.includes(each),
  );
  if (isCaughtHere) catchLate(state, outcome);
  if (!outcome.isCaught) return;
  rethrownIf(state, flagOf(outcome), source);
  state.present = new Set([...state.present, ...outcome.present]);
}

/** True if a function still runs: its commands are as they were emitted. */
function isOpen(state: State, frame: State["frame"]): boolean {
  for (let at: State["frame"] | undefined = state.frame; at; at = at.caller) {
    if (at === frame) return true;
  }
  return false;
}
