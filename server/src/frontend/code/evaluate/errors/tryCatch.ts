// try, catch and finally: which handlers are kept, and which errors reach them.
import type { Expression } from "../../../../program/expression";
import type { Command } from "../../../../program/statement";
import { mayStayInPart } from "../../../../program/unit";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import { walkCommand } from "../../../sql/walk";
import type { Span } from "../../../sql/text/split";
import type { HirStatement } from "../../hir";
import { AN_ERROR, type Scope } from "../../values";
import { bind, innerScope } from "../bindings";
import { isOnGiven } from "../sql/emitStatement";
import { follow, fork, type Path, speculate, within } from "../fork";
import { mayGoOn, merge } from "../merge";
import { finishJumps, writtenFrom } from "../jumps";
import { withinTransactions } from "../transactions/otherConnections";
import { groupTransactions } from "../transactions/transactions";
import { USER_ERROR } from "../values/member";
import { emit, lose, sourceOf, type State, type Attempt } from "../state";
import { enterHandler } from "./failures";
import { attempting, beginAttempt, isChanged } from "./attempts";
import { mayMeanRefusals, repeating, tellsErrorsApart } from "./repetition";
import { branching, commandsBeforeRollback, ofName, passing, markRethrown } from "./exceptionFlow";
import type { ErrorClass } from "./errorClass";

type Of<Kind extends HirStatement["kind"]> = Extract<HirStatement, { kind: Kind }>;

/** The error of a handler instead of the one that it caught. */
function thrownAtEnd(state: State, commands: readonly Command[]): ErrorClass | undefined {
  const last = commands.at(-1);
  if (last?.kind === "sequence") return thrownAtEnd(state, last.commands);
  return last?.kind === "rollback" ? state.thrown.get(last) : undefined;
}

/** True if commands throw an error of the code's own. */
export function throwsItself(commands: readonly Command[]): boolean {
  return commands.some((command) => {
    switch (command.kind) {
      case "rollback":
        return command.code !== undefined;
      case "sequence":
        return throwsItself(command.commands);
      case "if":
        return throwsItself([command.then, ...(command.otherwise ? [command.otherwise] : [])]);
      case "loop":
      case "atomic":
        return throwsItself([command.body]);
      case "try":
        return throwsItself(command.catches ? [command.body, command.handler] : [command.handler]);
      default:
        return false;
    }
  });
}

/**
 * An error lets the loop around begin again, and without one the loop is left: what failed has done nothing, and the
 * attempt that did not is all there is.
 */
function isRetried(
  state: State,
  { leavesLoop }: Trying,
  handlers: readonly { readonly hasStatements: boolean }[],
): boolean {
  const loop = state.loops.at(-1);
  const isInLoop = loop !== undefined && loop.frame === state.frame && loop.round === undefined;
  if (!isInLoop || loop.isSwitch || handlers.some(({ hasStatements }) => hasStatements))
    return false;
  return leavesLoop;
}

/** Something that is tried, with what handles its errors. */
interface Trying {
  /** Gives whether every path left before the end, as all that runs here. */
  readonly body: () => boolean;
  readonly handlers: readonly Handler[];
  /** Without an error the loop around is left. */
  readonly leavesLoop: boolean;
  readonly span: Span;
}

interface Handler {
  /** The types of what it catches; none: everything. */
  readonly types: readonly string[];
  readonly run: () => boolean;
  /** It names the errors that it is about, and none that the server ends a transaction with. */
  readonly isOfOthers?: boolean;
  /** It tells errors apart. */
  readonly tellsApart?: boolean;
}

interface Handled {
  readonly path: Path;
  readonly hasStatements: boolean;
  readonly types: readonly string[];
}

/** Effect of a handler, which is not done here. */
function handled(
  state: State,
  { types, run }: Handler,
  enter: () => void = () => undefined,
): Handled {
  const before = state.emitted;
  const path = within(state, { caught: state.caught }, () =>
    fork(state, () => {
      enter();
      return run();
    }),
  );
  return { path, hasStatements: state.emitted > before, types };
}

/** A handler as it is written. */
function written(
  state: State,
  scope: Scope,
  { pattern, types, body }: Of<"try">["handlers"][number],
): Handler {
  const run = (): boolean => {
    if (pattern?.kind === "bind") {
      const { name } = pattern;
      const [type] = types;
      const isPlain = types.length === 1 && type !== undefined && !BROAD.test(type);
      const thrown: ErrorClass = { ...(isPlain ? ofName(state, scope, type) : { classes: [] }), isCaught: true }; // prettier-ignore
      state.caught = { name, thrown };
    }
    const own = innerScope(scope);
    if (pattern) bind(state, own, pattern, AN_ERROR, true);
    return state.evaluator.block(state, own, body);
  };
  const isNarrow = types.length > 0 && !types.some((each) => BROAD.test(each));
  const tellsApart = isNarrow || tellsErrorsApart(body);
  return { types, run, isOfOthers: !mayMeanRefusals(body), tellsApart };
}

/** Whoever throws what these caught throws what was thrown. */
const BROAD = /^(?:java\.lang\.)?(?:Exception|Throwable|RuntimeException)$/u;

/** True if commands end the function as one that has done its work. */
function returns(commands: readonly Command[]): boolean {
  return commands.some((command) => {
    switch (command.kind) {
      case "return":
        return true;
      case "sequence":
        return returns(command.commands);
      case "if":
        return returns([command.then, ...(command.otherwise ? [command.otherwise] : [])]);
      default:
        return false;
    }
  });
}

/** True if a handler ends with an error, whatever it does before. */
function throwsOn({ path }: Handled): boolean {
  return path.left && !path.commands.some(mayGoOn) && !returns(path.commands);
}

/** Notes a handler in an open transaction that does not throw what the server says. */
function noteKept(
  state: State,
  { span, leavesLoop, handlers: [handler] }: Trying,
  handlers: readonly Handled[],
  body: readonly Command[],
): void {
  const source = sourceOf(state, span);
  const place = JSON.stringify(source);
  state.keptErrors.delete(place);
  const [first] = handlers;
  if (!first || first.types.some((each) => !OF_SERVERS.test(each))) return;
  const { commands } = first.path;
  const again = handler?.isOfOthers !== true && triesAgain(leavesLoop, first);
  const isUndone = undoes(commands);
  if (throwsOn(first) || (!again && !isUndone && throwsItself(commands))) return;
  const statements: string[] = [];
  for (const each of body) walkCommand(each, { statement: ({ id }) => void statements.push(id) });
  if (statements.length === 0) return;
  state.keptErrors.set(place, {
    then: isUndone ? "undoes" : again ? "tries again" : "goes on",
    statements,
    source,
  });
}

/** True if a handler lets the loop around begin another round. */
function triesAgain(leavesLoop: boolean, { path }: Handled): boolean {
  return leavesLoop && (path.commands.some(mayGoOn) || !path.left);
}

/** Types of Java by which a handler takes what a server says. */
const OF_SERVERS =
  /(?:^|\.)(?:Exception|Throwable|RuntimeException|\w*(?:SQL|DataAccess|Persistence|Lock)\w*)$/u;

/** True if commands return to a savepoint, or end the transaction by a ROLLBACK of their own. */
function undoes(commands: readonly Command[]): boolean {
  let found = false;
  for (const each of commands)
    walkCommand(each, {
      command: (inner) => {
        if (inner.kind === "rollbackTo" || (inner.kind === "rollback" && inner.leaves === "atomic"))
          found = true;
      },
    });
  return found;
}

/** Handlers of handlers of handlers are taken to do something. */
const MOST_PROBES = 3;

/**
 * Behind a handler that returns, the transaction around it commits, and a function goes on that called this one; behind
 * one that jumps, the loop around goes on, or what follows it.
 */
function isNeeded(state: State, { path, hasStatements }: Handled): boolean {
  const goesOn = state.open.length > 0 || !state.frame.isRoot || state.handed.isGiven;
  const isRound = path.commands.some(mayGoOn);
  return hasStatements || !path.left || isRound || (goesOn && returns(path.commands));
}

/**
 * A handler that runs no statement and leaves ends the function as the error does: the body alone is kept. Others are a
 * handler of the AR, before which only the statement that failed is undone, or branches where nothing but the code
 * itself and what it calls may throw.
 */
export function evaluateTry(state: State, scope: Scope, hir: Of<"try">): boolean {
  const inner = innerScope(scope);
  if (state.evaluator.block(state, inner, hir.resources)) return true;
  const start = state.commands.length;
  const returned = state.frame.returns.length;
  const jumped = state.jumps.length;
  const left = evaluateBody(state, inner, hir);
  if (hir.last.length === 0) return left;
  const body = state.commands.slice(start);
  const mayLeave = left || state.frame.returns.length > returned || body.some(ends);
  const emitted = state.emitted;
  const run = (): boolean => state.evaluator.block(state, innerScope(inner), hir.last);
  const before = { from: jumped, to: state.jumps.length, mark: state.trail.length };
  let leftAfter = left;
  if (left) finishJumps(state, before, fork(state, run).written);
  else {
    leftAfter = run();
    finishJumps(state, before, writtenFrom(state, before.mark));
  }
  if (mayLeave && state.emitted > emitted) {
    lose(state, "statements of a finally are not followed", sourceOf(state, hir.span));
  }
  return leftAfter;
}

/** True if a command may end the function. */
function ends(command: Command): boolean {
  let found = false;
  walkCommand(command, {
    command: ({ kind }) => {
      if (kind === "rollback" || kind === "return") found = true;
    },
  });
  return found;
}

function evaluateBody(state: State, scope: Scope, hir: Of<"try">): boolean {
  const last = hir.body.at(-1);
  return runWithHandlers(state, {
    body: () => state.evaluator.block(state, innerScope(scope), hir.body),
    handlers: hir.handlers.map((each) => written(state, scope, each)),
    leavesLoop: last?.kind === "return" || (last?.kind === "break" && last.label === undefined),
    span: hir.span,
  });
}

/** Runs something with handlers; gives whether every path left. */
export function runWithHandlers(state: State, trying: Trying): boolean {
  const isDeep = state.probes >= MOST_PROBES;
  const handlers = isDeep
    ? []
    : speculate(state, () => trying.handlers.map((each) => handled(state, each)));
  const isKept =
    (isDeep && trying.handlers.length > 0) || handlers.some((each) => isNeeded(state, each));
  const isRetry = !isDeep && isRetried(state, trying, handlers);
  const attempt = beginAttempt(state, isKept && !isRetry);
  const isInside = state.open.length > 0 && !isDeep;
  const isCatching = isDeep || handlers.some((each) => !throwsOn(each));
  const catching = state.catching + (isCatching ? 1 : 0);
  const isAnswer = isCatching || trying.handlers.some(({ tellsApart }) => tellsApart);
  const answering = state.answering + (isAnswer ? 1 : 0);
  const run = (): boolean =>
    within(state, { catching, answering }, () => attempting(state, attempt, trying.body));
  if (attempt.isKept) {
    const path = fork(state, run);
    if (isInside) noteKept(state, trying, handlers, path.commands);
    return keepHandler(state, trying, attempt, path);
  }
  const start = state.commands.length;
  const runAll = () => ({ left: run(), commands: state.commands.slice(start) });
  const { left, commands } =
    isRetry && state.open.length === 0 && isOfRefusals(trying, handlers)
      ? repeating(state, sourceOf(state, trying.span), runAll)
      : runAll();
  if (isInside) noteKept(state, trying, handlers, commands);
  if (isRetry && state.open.length === 0 && staysInPart(state, commands)) {
    lose(state, RETRIED_IN_PART, sourceOf(state, trying.span), "opaque");
  }
  for (const { path, types } of handlers) {
    const thrown = thrownAtEnd(state, path.commands);
    if (thrown) markRethrown(state, commands, types, thrown);
  }
  // A handler may work with values that the body assigned.
  const behind = (): Handled | undefined => handledBehind(state, trying, attempt, commands);
  if (isChanged(attempt) && !isRetry && speculate(state, behind)?.hasStatements === true) {
    state.commands.length = start;
    const path = behind()?.path;
    if (path) addTry(state, partsOf(state, trying), { commands, written: new Map(), left }, path);
  }
  return left;
}

/** True if what is tried is run again where the server refuses it. */
function isOfRefusals(
  { handlers: [handler], leavesLoop }: Trying,
  [first]: readonly Handled[],
): boolean {
  if (handler?.isOfOthers === true || !first || !triesAgain(leavesLoop, first)) return false;
  return first.types.every((each) => OF_SERVERS.test(each));
}

function handledBehind(
  state: State,
  { handlers }: Trying,
  attempt: Attempt,
  body: readonly Command[],
): Handled | undefined {
  const [first] = handlers;
  return first && handled(state, first, () => enterHandler(state, attempt, body));
}

function keepHandler(state: State, trying: Trying, attempt: Attempt, body: Path): boolean {
  if (!mayFailItself(body.commands) && !throwsItself(body.commands)) {
    follow(state, body);
    return body.left;
  }
  const handler = handledBehind(state, trying, attempt, body.commands);
  const path: Path = handler?.path ?? { commands: [], written: new Map(), left: true };
  const source = sourceOf(state, trying.span);
  const flag = state.ids.fresh("caught");
  const condition = { kind: "variable", name: flag } as const;
  if (!body.left || !path.left) {
    emit(state, { kind: "assign", variable: flag, value: literal(false), source });
    path.commands.unshift({ kind: "assign", variable: flag, value: literal(true), source });
  }
  if (isChanged(attempt)) {
    emit(state, { kind: "assign", variable: attempt.variable, value: literal(0), source });
  }
  const left = merge(state, condition, path, body, source);
  addTry(state, partsOf(state, trying), body, path);
  if (trying.handlers.length > 1) lose(state, "only the first handler is followed", source);
  return left;
}

interface Parts {
  /** The types of what is caught; none: everything. */
  readonly types: readonly string[];
  readonly source: SourceRange;
}

function partsOf(state: State, { handlers, span }: Trying): Parts {
  return { types: handlers.flatMap((each) => each.types), source: sourceOf(state, span) };
}

/** Adds a body with its handler. */
export function addTry(state: State, { types, source }: Parts, body: Path, path: Path): void {
  if (body.commands.length === 0) return;
  if (types.length === 0 && !mayFailItself(body.commands)) {
    for (const command of branching(state, body.commands, path.commands)) emit(state, command);
    return;
  }
  // PostgreSQL undoes the whole transaction at an error of a statement: only errors of the code itself are caught,
  // and those that a savepoint is for.
  const isGiven = state.open.length === 0 && runsOnGiven(body.commands);
  const isOpen = state.open.length > 0 || isGiven;
  const mayBeOpen = state.handed.isEither && state.lacks.given === undefined;
  if (mayBeOpen && state.open.length === 0 && path.commands.length > 0) {
    lose(state, "whether a transaction is open in which an error occurs is not known", source);
  }
  const isSaved = path.commands.some(({ kind }) => kind === "rollbackTo");
  const isAborted = state.workspace.dialect === "postgres" && isOpen && !isSaved;
  if (isAborted && !throwsItself(body.commands)) {
    // An error on another connection undoes nothing here, and is caught.
    for (const command of body.commands) emit(state, withinTransactions(state, command));
    return;
  }
  const commands = isOpen ? commandsBeforeRollback(state, body.commands) : body.commands;
  const around = (inside: readonly Command[]): Command => {
    const whole: Command = { kind: "sequence", commands: inside };
    if (isAborted && !throwsItself(inside)) return whole;
    return {
      kind: "try",
      ...(isAborted && { catches: [USER_ERROR] }),
      body: whole,
      handler: { kind: "sequence", commands: path.commands },
      undoes: "statement",
      source,
    };
  };
  for (const command of passing(state, commands, types, around)) emit(state, command);
}

/** True if something in the commands is a part of the caller's transaction. */
function runsOnGiven(commands: readonly Command[]): boolean {
  let found = false;
  for (const each of commands) {
    walkCommand(each, {
      statement: (statement) => {
        if (isOnGiven(statement)) found = true;
      },
    });
  }
  return found;
}

/** True if the database may refuse something in the commands, or a transaction ends in them. */
export function mayFailItself(commands: readonly Command[]): boolean {
  return commands.some((command) => {
    switch (command.kind) {
      case "statement":
      case "atomic":
        return true;
      case "sequence":
        return mayFailItself(command.commands);
      case "if":
        return mayFailItself([command.then, ...(command.otherwise ? [command.otherwise] : [])]);
      case "loop":
        return mayFailItself([command.body]);
      case "try":
        return mayFailItself(command.catches ? [command.body, command.handler] : [command.handler]);
      default:
        return false;
    }
  });
}

/** True if something runs no statement and throws: whoever runs it for an error might leave the error alone. */
export function leavesAtOnce(state: State, run: () => unknown): boolean {
  return speculate(state, () => {
    const before = state.emitted;
    const { commands } = fork(state, () => {
      run();
      return false;
    });
    return commands.at(-1)?.kind === "rollback" && state.emitted === before;
  });
}

/** True if something that is run again when it fails may fail where a part of it was done, which stays. */
export function mayRepeatParts(state: State, run: () => unknown): boolean {
  if (state.probes >= MOST_PROBES) return true;
  return speculate(state, () => {
    const { commands } = fork(state, () =>
      attempting(state, beginAttempt(state, true), () => {
        run();
        return false;
      }),
    );
    return staysInPart(state, commands);
  });
}

function staysInPart(state: State, commands: readonly Command[]): boolean {
  return mayStayInPart(groupTransactions(state, { kind: "sequence", commands }));
}

/** Said where something that is run again when it fails may fail where a part of it was done. */
export const RETRIED_IN_PART = "what is retried may have run in part before";

/** Runs something whose errors go no further; gives whether there was one, as a condition. */
export function catchAll(state: State, source: SourceRange, run: () => void): Expression {
  const attempt = beginAttempt(state, true);
  const body = fork(state, () =>
    attempting(state, attempt, () => {
      run();
      return false;
    }),
  );
  if (body.commands.length === 0) {
    follow(state, body);
    return literal(false);
  }
  const flag = state.ids.fresh("caught");
  const condition: Expression = { kind: "variable", name: flag };
  const set = (to: boolean): Command => {
    return { kind: "assign", variable: flag, value: literal(to), source };
  };
  const path: Path = { commands: [set(true)], written: new Map(), left: false };
  emit(state, set(false));
  merge(state, condition, path, body, source);
  addTry(state, { types: [], source }, body, path);
  return condition;
}
