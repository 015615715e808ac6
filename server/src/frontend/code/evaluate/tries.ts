// try, catch and finally: which handlers are kept, and which errors reach them.
import type { Command } from "../../../program/statement";
import { literal } from "../../sql/expressions";
import type { HirStatement } from "../hir";
import { unknown, type Scope } from "../values";
import { bind, innerScope } from "./bindings";
import { joinPaths, tried, type Path } from "./join";
import { THROWN } from "./member";
import { emit, lose, sourceOf, type State } from "./state";
import { doomed, ofName, passing, rethrown, type Thrown } from "./thrown";

type Of<Kind extends HirStatement["kind"]> = Extract<HirStatement, { kind: Kind }>;

/** What a handler throws instead of what it caught. */
function thrownAtEnd(state: State, commands: readonly Command[]): Thrown | undefined {
  const last = commands.at(-1);
  if (last?.kind === "sequence") return thrownAtEnd(state, last.commands);
  return last?.kind === "rollback" ? state.thrown.get(last) : undefined;
}

/** Whether commands throw an error of the code's own. */
function throwsItself(commands: readonly Command[]): boolean {
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
        return throwsItself([command.body, command.handler]);
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
  hir: Of<"try">,
  handlers: readonly { readonly hasStatements: boolean }[],
): boolean {
  const loop = state.loops.at(-1);
  const isInLoop = loop !== undefined && loop.frame === state.frame && loop.round === undefined;
  if (!isInLoop || loop.isSwitch || handlers.some(({ hasStatements }) => hasStatements))
    return false;
  const last = hir.body.at(-1);
  return last?.kind === "return" || (last?.kind === "break" && last.label === undefined);
}

interface Handled {
  readonly path: Path;
  readonly hasStatements: boolean;
  readonly types: readonly string[];
}

/** What a handler does, which is not done here. */
function handled(
  state: State,
  scope: Scope,
  { pattern, types, body }: Of<"try">["handlers"][number],
): Handled {
  const outer = state.caught;
  const before = state.emitted;
  if (pattern?.kind === "bind") {
    const { name } = pattern;
    const [type] = types;
    const isPlain = types.length === 1 && type !== undefined && !BROAD.test(type);
    const thrown: Thrown = { ...(isPlain ? ofName(state, scope, type) : { classes: [] }), isCaught: true }; // prettier-ignore
    state.caught = { name, thrown };
  }
  const path = tried(state, () => {
    const own = innerScope(scope);
    if (pattern) bind(state, own, pattern, unknown("what an error says"), true);
    return state.evaluator.block(state, own, body);
  });
  state.caught = outer;
  return { path, hasStatements: state.emitted > before, types };
}

/** Whoever throws what these caught throws what was thrown. */
const BROAD = /^(?:java\.lang\.)?(?:Exception|Throwable|RuntimeException)$/u;

/** Whether commands end the function as one that has done its work. */
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

/**
 * A handler that runs no statement and leaves ends the function as the error does: the body alone is kept. Others are a
 * handler of the AR, before which only the statement that failed is undone.
 */
export function evaluateTry(state: State, scope: Scope, hir: Of<"try">): boolean {
  const inner = innerScope(scope);
  if (state.evaluator.block(state, inner, hir.resources)) return true;
  const handlers = hir.handlers.map((each) => handled(state, inner, each));
  const isOpen = state.open.length > 0;
  // Behind a handler that returns, the transaction around it commits.
  const isKept = handlers.some(
    ({ path, hasStatements }) => hasStatements || !path.left || (isOpen && returns(path.commands)),
  );
  const source = sourceOf(state, hir.span);
  let left: boolean;
  if (!isKept || isRetried(state, hir, handlers)) {
    const start = state.commands.length;
    left = state.evaluator.block(state, innerScope(inner), hir.body);
    for (const { path, types } of handlers) {
      const thrown = thrownAtEnd(state, path.commands);
      if (thrown) rethrown(state, state.commands.slice(start), types, thrown);
    }
  } else {
    const [handler] = handlers;
    const body = tried(state, () => state.evaluator.block(state, innerScope(inner), hir.body));
    const path: Path = handler?.path ?? { commands: [], written: new Map(), left: true };
    const flag = state.ids.fresh("caught");
    const condition = { kind: "variable", name: flag } as const;
    if (!body.left || !path.left) {
      emit(state, { kind: "assign", variable: flag, value: literal(false), source });
      path.commands.unshift({ kind: "assign", variable: flag, value: literal(true), source });
    }
    left = joinPaths(state, condition, path, body, source);
    // PostgreSQL undoes the whole transaction at an error of a statement: only errors of the code itself are caught,
    // and those that a savepoint is for.
    const isSaved = path.commands.some(({ kind }) => kind === "rollbackTo");
    const isAborted = state.workspace.dialect === "postgres" && state.open.length > 0 && !isSaved;
    if (isAborted && !throwsItself(body.commands)) {
      for (const command of body.commands) emit(state, command);
    } else if (body.commands.length > 0) {
      const commands = isOpen ? doomed(state, body.commands) : body.commands;
      const types = handlers.flatMap((each) => each.types);
      const around = (inside: readonly Command[]): Command => {
        const whole: Command = { kind: "sequence", commands: inside };
        if (isAborted && !throwsItself(inside)) return whole;
        return {
          kind: "try",
          ...(isAborted && { catches: [THROWN] }),
          body: whole,
          handler: { kind: "sequence", commands: path.commands },
          undoes: "statement",
          source,
        };
      };
      for (const command of passing(state, commands, types, around)) emit(state, command);
    }
    if (handlers.length > 1) lose(state, "only the first handler is followed", source);
  }
  if (hir.last.length > 0) {
    const before = state.emitted;
    const run = (): boolean => state.evaluator.block(state, innerScope(inner), hir.last);
    if (!left) return run();
    tried(state, run);
    if (state.emitted > before) lose(state, "statements of a finally are not followed", source);
  }
  return left;
}
