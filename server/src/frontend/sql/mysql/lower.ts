// Statements of stored routines of MySQL and MariaDB as commands of the AR.
import type { Expression } from "../../../program/expression";
import type { Command } from "../../../program/statement";
import { literal } from "../expressions";
import { tablesByWords } from "../fallback";
import { emitBranches } from "../routine/branches";
import { find, openLevel, closeLevel } from "../routine/names";
import { collectCommands, emit, lossAt, sourceAt } from "../routine/state";
import { withoutExits } from "../routine/withoutReturns";
import { unfollowedSetting } from "../script/settings";
import type { Span } from "../text/split";
import { compare } from "../terms";
import { lowerCall } from "./callStatement";
import { caughtBy, isException, signalState } from "./conditions";
import {
  checkLoose,
  commitBefore,
  controlsTransactions,
  endedInBranches,
  innerList,
  lowerControl,
} from "./control";
import { fetchAhead, fetchRow, openCursor } from "./cursors";
import { declareAll } from "./declare";
import { execute, prepare, runImmediate } from "./dynamic";
import {
  declaredCondition,
  emitBlockHandlers,
  catchIgnored,
  followedHandlers,
  isHandled,
  leaveBlock,
  mayFail,
  raiseHere,
} from "./handlers";
import { lowerLoop } from "./loops";
import { conditionAt, runOpaque, runSql, setTarget, setUnknown, valueAt } from "./run";
import { ROW_COUNT, type BlockFrame, type State } from "./state";
import type { Block, Branch, HandlerDeclaration, RoutineStatement } from "./tree";

/** The statements in order. */
export function lowerAll(state: State, statements: readonly RoutineStatement[]): void {
  const { following } = state;
  for (let at = 0; at < statements.length; at++) {
    const statement = statements[at];
    if (statement === undefined) break;
    state.following = [statements.slice(at + 1), ...following];
    const taken = fetchAhead(state, statements, at, lowerAll);
    if (taken > 0) {
      at += taken - 1;
      continue;
    }
    lowerOne(state, statement);
    const { kind } = statement;
    if (kind === "if" || kind === "case" || kind === "loop")
      endedInBranches(state, state.commands.at(-1));
  }
  state.following = following;
}

/** A list of statements as a command. */
export function lowerInner(state: State, statements: readonly RoutineStatement[]): Command {
  return innerList(state, () => {
    lowerAll(state, statements);
  });
}

function lowerOne(state: State, statement: RoutineStatement): void {
  const { span } = statement;
  switch (statement.kind) {
    case "block":
      lowerBlock(state, statement.block, span);
      return;
    case "if":
      lowerBranches(state, statement.branches, statement.otherwise, span);
      return;
    case "case":
      lowerCase(state, statement);
      return;
    case "loop":
      lowerLoop(state, statement, lowerAll);
      return;
    case "leave":
    case "iterate":
      lowerJump(state, statement);
      return;
    case "set":
      for (const { target, value } of statement.items)
        setTarget(state, target, valueAt(state, value, span), span);
      return;
    case "session": {
      const setting = unfollowedSetting(state.body.text, span);
      if (setting !== undefined) lossAt(state, `what ${setting} changes`, span, "approx");
      return;
    }
    case "sql":
      if (/^truncate\b/i.test(state.body.text.slice(span.start, span.start + 9)))
        commitBefore(state, span, lowerAll);
      checkLoose(state);
      runSql(state, span, lowerAll, { into: statement.into, ...without(statement.into?.span) });
      return;
    case "ddl":
      lowerDdl(state, statement);
      return;
    case "call":
      checkLoose(state);
      lowerCall(state, statement, lowerAll);
      return;
    case "return":
      emit(state, {
        kind: "return",
        value: valueAt(state, statement.value, span),
        source: sourceAt(state, span),
      });
      return;
    case "signal":
    case "resignal":
      lowerSignal(state, statement);
      return;
    case "open":
      openCursor(state, statement, lowerAll);
      return;
    case "fetch":
      fetchRow(state, statement, lowerAll);
      return;
    case "close": {
      const binding = find(state.names, [statement.cursor])?.binding;
      if (binding?.kind === "cursor") binding.opened = undefined;
      return;
    }
    case "prepare":
      prepare(state, statement);
      return;
    case "execute":
      checkLoose(state);
      execute(state, statement, lowerAll);
      return;
    case "executeImmediate":
      checkLoose(state);
      runImmediate(state, statement, lowerAll);
      return;
    case "diagnostics":
      for (const { target, what } of statement.items) {
        if (what === "row_count") {
          setTarget(state, target, { kind: "variable", name: ROW_COUNT }, span);
        } else {
          setUnknown(state, [target], `what ${what.toUpperCase()} says`, span);
        }
      }
      return;
    case "control":
      lowerControl(state, span, lowerAll);
      return;
    case "broken": {
      const source = sourceAt(state, span);
      const message = `Here ${statement.message}.`;
      state.shared.note({ severity: "error", code: "syntax", message, source });
      return;
    }
    default:
      statement satisfies never;
  }
}

/** A schema change commits the previous statements; its effect on rows is not followed. */
function lowerDdl(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "ddl" }>,
): void {
  const { span, isTemporary } = statement;
  const text = state.body.text.slice(span.start, span.end);
  const { tables } = tablesByWords(text);
  if (isTemporary || tables.some((table) => state.temporary.has(table))) return;
  commitBefore(state, span, lowerAll);
  checkLoose(state);
  const reason = "a change of the schema inside of a routine";
  mayFail(state, span, () => runOpaque(state, text, reason, span), lowerAll);
}

function without(span: Span | undefined): { readonly without?: Span } {
  return span === undefined ? {} : { without: span };
}

/** A block: its declarations, its body, and its handlers. */
function lowerBlock(state: State, block: Block, span: Span): void {
  openLevel(state.names, block.label);
  const declared = block.declarations.filter(
    (each): each is HandlerDeclaration => each.kind === "handler",
  );
  const frame = frameOf(state, block, declared);
  declareAll(state, block.declarations);
  const outer = state.frames;
  const isOneTry = frame.mode === "block" && frame.handlers.some(isForErrors);
  const run = (): void => {
    state.frames = [...outer, frame];
    lowerAll(state, block.body);
    state.frames = outer;
  };
  const source = sourceAt(state, span);
  const done = `${frame.id} left`;
  const outside = (command: Command): Command =>
    frame.left ? withoutExits(command, frame.id, { done, source }) : command;
  if (isOneTry) {
    state.nested++;
    const body = collectCommands(state, run);
    state.nested--;
    const whole = collectCommands(state, () =>
      emitBlockHandlers(state, frame, body, span, lowerAll),
    );
    emit(state, outside(whole));
  } else {
    // In place, since a transaction may begin in the block and end after it.
    const list = state.commands;
    const before = list.length;
    run();
    if (frame.left) {
      const commands = state.commands.splice(state.commands === list ? before : 0);
      emit(state, outside({ kind: "sequence", commands }));
    }
  }
  closeLevel(state.names);
}

function frameOf(state: State, block: Block, declared: readonly HandlerDeclaration[]): BlockFrame {
  const conditions = new Map(
    block.declarations.flatMap((each) =>
      each.kind === "condition" ? [[each.name, each.condition] as const] : [],
    ),
  );
  const known = (name: string) => conditions.get(name) ?? declaredCondition(state.frames, name);
  const handlers = declared.map((handler) => ({
    ...handler,
    conditions: handler.conditions.map((each) =>
      each.kind === "named" ? (known(each.name) ?? each) : each,
    ),
  }));
  const followed = followedHandlers(state, handlers);
  const forErrors = followed.filter(isForErrors);
  const isEach =
    forErrors.some(({ action }) => action === "continue") ||
    state.frames.some(
      (frame) =>
        frame.kind === "block" && frame.mode === "each" && frame.handlers.some(isForErrors),
    ) ||
    controlsTransactions(state, block.body);
  return {
    kind: "block",
    id: state.ids.fresh("block"),
    label: block.label,
    handlers: followed,
    catchesIgnored: catchIgnored(handlers),
    conditions,
    mode: isEach ? "each" : "block",
    isOutermost: state.frames.length === state.base,
    depth: state.callers.length,
    left: false,
  };
}

function isForErrors(handler: HandlerDeclaration): boolean {
  return handler.conditions.some((each) => caughtBy(each)?.some(isException) ?? true);
}

/** IF and ELSEIF. */
function lowerBranches(
  state: State,
  branches: readonly Branch[],
  otherwise: readonly RoutineStatement[] | undefined,
  span: Span,
): void {
  emitBranches(state, span, {
    branches: branches.map((branch) => ({
      at: branch.condition,
      condition: () => conditionAt(state, branch.condition),
      then: () => lowerInner(state, branch.body),
    })),
    otherwise:
      otherwise === undefined ? undefined : () => emit(state, lowerInner(state, otherwise)),
    inner: (run) => innerList(state, run),
  });
}

/** CASE: without a matching branch and ELSE it is an error. */
function lowerCase(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "case" }>,
): void {
  const { subject, branches, otherwise, span } = statement;
  const left = subject === undefined ? undefined : valueAt(state, subject);
  const conditionOf = (at: Span): Expression =>
    left === undefined ? conditionAt(state, at) : compare("=", left, valueAt(state, at));
  emitBranches(state, span, {
    branches: branches.map((branch) => ({
      at: branch.condition,
      condition: () => conditionOf(branch.condition),
      then: () => lowerInner(state, branch.body),
    })),
    otherwise: () => {
      if (otherwise !== undefined) emit(state, lowerInner(state, otherwise));
      else emitError(state, "20000", "no branch of CASE matches", span);
    },
    inner: (run) => innerList(state, run),
  });
}

function lowerJump(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "leave" | "iterate" }>,
): void {
  const { kind, label, span } = statement;
  const isWanted = (frame: State["frames"][number]): boolean =>
    label === undefined ? frame.kind === "loop" || frame.isLoop === true : frame.label === label;
  const frame = state.frames.findLast(isWanted);
  const source = sourceAt(state, span);
  if (frame === undefined || (kind === "iterate" && frame.kind === "block")) {
    const message = `There is no ${kind === "leave" ? "block or loop" : "loop"} ${label ?? ""} here.`;
    state.shared.note({ severity: "error", code: "syntax", message, source });
    lossAt(state, `${kind.toUpperCase()} of something that is not there`, span, "opaque");
  } else if (frame.kind === "block") {
    leaveBlock(state, frame, span);
  } else if (kind === "iterate") {
    emit(state, { kind: "continue", loop: frame.id, source });
  } else {
    if (frame.left !== undefined) {
      frame.left.used = true;
      emit(state, { kind: "assign", variable: frame.left.variable, value: literal(true), source });
    }
    emit(state, { kind: "exit", loop: frame.id, source });
  }
}

/** An unhandled SIGNAL ends the transaction: the caller is assumed to ROLLBACK. */
function lowerSignal(
  state: State,
  statement: Extract<RoutineStatement, { readonly kind: "signal" | "resignal" }>,
): void {
  const { condition, span, kind, text } = statement;
  const named = condition?.kind === "named" ? condition.name : undefined;
  const known = named === undefined ? condition : declaredCondition(state.frames, named);
  const again = kind === "resignal" && condition === undefined ? state.handled.at(-1) : undefined;
  const code = again ?? signalState(known);
  if (!isException(code)) {
    if (isHandled(state, code)) raiseHere(state, code, span, lowerAll);
    return;
  }
  emitError(state, code, `${kind.toUpperCase()} ${text}`.trim(), span);
}

function emitError(state: State, code: string, why: string, span: Span): void {
  const source = sourceAt(state, span);
  mayFail(state, span, () => emit(state, { kind: "rollback", why, code, source }), lowerAll);
}
