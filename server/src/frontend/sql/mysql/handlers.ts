// DECLARE ... HANDLER: the handler for a condition, and its effect.
import { ERRORS, isCaught, lockErrorsOf } from "../../../program/errors";
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import { tablesByWords } from "../fallback";
import { freshVariable } from "../routine/names";
import { collectCommands, emit, lossAt, sourceAt } from "../routine/state";
import type { Span } from "../text/split";
import { caughtBy, closeness, isException, resolveCondition, signalState } from "./conditions";
import { emitReturn } from "./returns";
import type { BlockFrame, Frame, Run, State } from "./state";
import {
  someStatement,
  type Condition,
  type HandlerDeclaration,
  type RoutineStatement,
} from "./tree";

interface Active {
  readonly frame: BlockFrame;
  /** The number of frames around the handler's. */
  readonly around: number;
  readonly handler: HandlerDeclaration;
}

/** The condition of a name in scope. */
export function declaredCondition(frames: readonly Frame[], name: string): Condition | undefined {
  for (const frame of frames.toReversed()) {
    const found = frame.kind === "block" ? frame.conditions.get(name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function conditionsOf(state: State, handler: HandlerDeclaration): readonly Condition[] {
  return handler.conditions.map((each) =>
    resolveCondition(each, (name) => declaredCondition(state.frames, name)),
  );
}

/** The handler that catches a condition: of the innermost block with one, the most specific. */
function handlerFor(state: State, code: string): Active | undefined {
  for (let around = state.frames.length - 1; around >= 0; around--) {
    const frame = state.frames[around];
    if (frame?.kind !== "block") continue;
    let best: HandlerDeclaration | undefined;
    let closest = 0;
    for (const handler of frame.handlers) {
      for (const condition of conditionsOf(state, handler)) {
        const close = closeness(condition, code) ?? 0;
        if (close <= closest) continue;
        closest = close;
        best = handler;
      }
    }
    if (best !== undefined) return { frame, around, handler: best };
  }
  return undefined;
}

/** The handler that catches a condition here. */
export function handlerOf(state: State, code: string): HandlerDeclaration | undefined {
  return handlerFor(state, code)?.handler;
}

/** True if an enclosing handler catches a condition. */
export function isHandled(state: State, code: string): boolean {
  return handlerFor(state, code) !== undefined;
}

/** True if an enclosing handler catches what IGNORE makes of errors. */
export function handlesIgnored(state: State): boolean {
  return state.frames.some((frame) => frame.kind === "block" && frame.catchesIgnored);
}

/** True if one of them catches warnings that have the number or SQLSTATE of an error, and are no exceptions. */
export function catchIgnored(handlers: readonly HandlerDeclaration[]): boolean {
  return handlers
    .flatMap(({ conditions }) => conditions)
    .some((each) => each.kind !== "exception" && IGNORED.some((code) => closeness(each, code)));
}

const { duplicate, missingParent, notNull, check } = ERRORS;
const IGNORED = [duplicate, missingParent, notNull, check, "01000"];

/** True if SIGNAL of a condition leaves the routine, and its handler, if any, touches no table. */
export function endsRoutine(state: State, condition: Condition | undefined): boolean {
  const named = condition?.kind === "named" ? condition.name : undefined;
  const code = signalState(
    named === undefined ? condition : declaredCondition(state.frames, named),
  );
  const active = handlerFor(state, code);
  if (active === undefined) return isException(code);
  const { frame, handler } = active;
  const touches = someStatement(handler.body, ({ kind }) => kind === "sql" || kind === "call");
  return frame.isOutermost && handler.action !== "continue" && !touches;
}

/** Runs the handler for a condition that holds here: no row was found, a warning was signalled. */
export function raiseHere(state: State, code: string, span: Span, run: Run): void {
  const active = handlerFor(state, code);
  if (active !== undefined) runHandler(state, active, code, span, run);
}

/** The handler's statements, and for EXIT the exit from its block. */
function runHandler(state: State, active: Active, code: string, span: Span, run: Run): void {
  const { frame, around, handler } = active;
  const frames = state.frames;
  state.frames = frames.slice(0, around);
  state.handled.push(code);
  run(state, handler.body);
  state.handled.pop();
  state.frames = frames;
  if (handler.action !== "continue") leaveBlock(state, frame, span);
}

/** Leaves a block; leaving the outermost one ends the routine. */
export function leaveBlock(state: State, frame: BlockFrame, span: Span): void {
  const source = sourceAt(state, span);
  if (frame.isOutermost && frame.depth === state.callers.length) {
    emitReturn(state, span);
    return;
  }
  frame.left = true;
  emit(state, { kind: "exit", loop: frame.id, source });
}

/** Error handlers around a statement, innermost block first, up to a block with its own `try`. */
function activeHandlers(state: State): readonly Active[] {
  const found: Active[] = [];
  for (let around = state.frames.length - 1; around >= 0; around--) {
    const frame = state.frames[around];
    if (frame?.kind !== "block") continue;
    if (frame.mode === "block") break;
    found.push(...errorHandlers(state, frame, around));
  }
  return found;
}

/** True if errors of a statement here run handlers. */
export function handlesErrors(state: State): boolean {
  return activeHandlers(state).length > 0;
}

/** True if a deadlock or lock timeout runs a handler that continues after the statement. */
export function handlesRefusedLocks(state: State): boolean {
  return activeHandlers(state).some(({ handler }) => {
    const codes = codesOf(state, handler);
    return REFUSED_LOCKS.some((code) => isCaught(code, codes));
  });
}

/** A block's error handlers, most specific first. */
function errorHandlers(state: State, frame: BlockFrame, around: number): readonly Active[] {
  const close = (handler: HandlerDeclaration): number =>
    Math.max(...conditionsOf(state, handler).map((each) => CLOSENESS[each.kind]));
  return frame.handlers
    .filter((handler) => conditionsOf(state, handler).some(isOfErrors))
    .toSorted((a, b) => close(b) - close(a))
    .map((handler) => ({ frame, around, handler }));
}

const CLOSENESS = { number: 3, state: 2, named: 0, exception: 1, notFound: 0, warning: 0 } as const;

function isOfErrors(condition: Condition): boolean {
  const caught = caughtBy(condition);
  return caught === undefined || caught.some(isException);
}

const { deadlock, lockTimeout = deadlock, changedRow } = lockErrorsOf("mysql");
const REFUSED_LOCKS = [deadlock, lockTimeout, changedRow];

/** Limit of copied handler statements. */
const MOST_COPIED = 2000;

/** Runs something that may fail: each enclosing CONTINUE handler becomes a `try` around it. */
export function mayFail(state: State, span: Span, body: () => void, run: Run): void {
  const active = activeHandlers(state);
  if (active.length === 0) {
    body();
    return;
  }
  state.copied += active.reduce((sum, { handler }) => sum + sizeOf(handler.body), 0);
  if (state.copied > MOST_COPIED) {
    lossAt(state, "handlers of very many statements", span);
    body();
    return;
  }
  state.nested++;
  const tried = collectCommands(state, body);
  state.nested--;
  emitTry(state, tried, active, span, run);
}

function sizeOf(statements: readonly RoutineStatement[]): number {
  let size = 0;
  someStatement(statements, () => {
    size++;
    return false;
  });
  return size;
}

/** A block's body with its error handlers, if one `try` around it represents them. */
export function emitBlockHandlers(
  state: State,
  frame: BlockFrame,
  body: Command,
  span: Span,
  run: Run,
): void {
  const around = state.frames.length;
  emitTry(
    state,
    body,
    errorHandlers({ ...state, frames: [...state.frames, frame] }, frame, around),
    span,
    run,
  );
}

function emitTry(
  state: State,
  body: Command,
  active: readonly Active[],
  span: Span,
  run: Run,
): void {
  const source = sourceAt(state, span);
  const error = freshVariable(state.names, "sqlstate");
  state.names.types.set(error, "text");
  const code: Expression = { kind: "variable", name: error };
  const caught = active.map(({ handler }) => codesOf(state, handler));
  const catchesAll = caught.includes(undefined);
  const choose = (at: number): void => {
    const each = active[at];
    if (each === undefined) return;
    const codes = caught[at];
    const isLast = at === active.length - 1 && !catchesAll;
    if (codes === undefined || isLast) {
      runHandler(state, each, "HY000", span, run);
      return;
    }
    const then = collectCommands(state, () => {
      runHandler(state, each, codes[0] ?? "HY000", span, run);
    });
    const otherwise = collectCommands(state, () => {
      choose(at + 1);
    });
    emit(state, { kind: "if", condition: isOneOf(code, codes), then, otherwise, source });
  };
  state.nested++;
  const handler = collectCommands(state, () => {
    choose(0);
  });
  state.nested--;
  const catches = catchesAll ? {} : { catches: [...new Set(caught.flatMap((each) => each ?? []))] };
  emit(state, { kind: "try", body, handler, ...catches, undoes: "statement", error, source });
}

/** The SQLSTATEs and classes that a handler catches; undefined for all errors. */
function codesOf(state: State, handler: HandlerDeclaration): readonly string[] | undefined {
  const codes = conditionsOf(state, handler).map(caughtBy);
  return codes.includes(undefined) ? undefined : codes.flatMap((each) => each ?? []);
}

/** True if the error is one of these; a class contributes the followed ones. */
function isOneOf(code: Expression, caught: readonly string[]): Expression {
  const codes = caught.flatMap((each) =>
    each.length === 5 ? [each] : Object.values(ERRORS).filter((known) => isCaught(known, [each])),
  );
  return { kind: "in", operand: code, values: [...new Set(codes)].map(literal) };
}

/**
 * The relevant handlers of a block. A handler that begins with ROLLBACK acts like an unhandled error (it ends and undoes the transaction),
 * unless enclosing blocks have error handlers too.
 */
export function followedHandlers(
  state: State,
  handlers: readonly HandlerDeclaration[],
): readonly HandlerDeclaration[] {
  const isAlone = !state.frames.some(
    (frame) => frame.kind === "block" && errorHandlers(state, frame, 0).length > 0,
  );
  if (!isAlone) return handlers;
  return handlers.filter((handler) => {
    const isForErrors = handler.conditions.every((each) =>
      each.kind === "named" ? false : isOfErrors(each),
    );
    if (!isForErrors || !rollsBack(handler.body)) return true;
    const { text } = state.body;
    const changes = someStatement(handler.body, ({ kind, span }) => {
      if (kind === "call") return true;
      return kind === "sql" && tablesByWords(text.slice(span.start, span.end)).tables.length > 0;
    });
    if (changes) lossAt(state, "what a handler does behind its ROLLBACK", handler.span, "outside");
    // The statements after it run outside of the transaction, one by one.
    const goesOn = handler.action === "continue" || state.frames.length > 0;
    const raises = someStatement(handler.body, ({ kind }) => /^(?:re)?signal$/.test(kind));
    if (goesOn && !raises) lossAt(state, BEHIND_ROLLBACK, handler.span, "outside");
    return false;
  });
}

const BEHIND_ROLLBACK = "what runs behind the ROLLBACK of a handler that goes on";

/** True if the statements undo the transaction before any other visible effect. */
function rollsBack(statements: readonly RoutineStatement[]): boolean {
  for (const statement of statements) {
    switch (statement.kind) {
      case "set":
      case "diagnostics":
      case "session":
        continue;
      case "block":
        if (statement.block.declarations.some(({ kind }) => kind === "handler")) return false;
        return rollsBack(statement.block.body);
      case "control":
        return statement.isRollback;
      case "signal":
      case "resignal":
        return true;
      default:
        return false;
    }
  }
  return false;
}
