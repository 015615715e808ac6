// Which errors leave what a transaction stands around, and whether it is undone at them: Java's frameworks commit where
// an error is thrown that is none of those that they undo for.
import type { Command } from "../../../../program/statement";
import { literal } from "../../../sql/expressions";
import { withoutExits } from "../../../sql/routine/withoutReturns";
import { compare } from "../../../sql/terms";
import type { SourceRange } from "../../../../protocol/source";
import type { HirExpression, HirFunction } from "../../hir";
import type { Scope, Value } from "../../values";
import { USER_ERROR } from "../values/member";
import { superclassOf } from "../values/methods";
import { emit, lose, type State } from "../state";
import { semanticsOf } from "../../semantics";
import { notePoint } from "./attempts";
import type { ErrorClass, UndoRule } from "./errorClass";

const RUNTIME = ["RuntimeException", "Exception", "Throwable"];
/** Values that throw without a `throw`: an empty Optional, nothing that is asked for a field. */
const OF_THE_LANGUAGE: ErrorClass = { classes: RUNTIME, isChecked: false };

/** Classes of Java's own library that must be declared. */
const CHECKED =
  /^(?:Throwable|Exception|(?:IO|FileNotFound|EOF|UnsupportedEncoding|MalformedURL|UnknownHost|Socket|SQL|BatchUpdate|SQLTimeout|ClassNotFound|NoSuchMethod|NoSuchField|Interrupted|Execution|Timeout|Parse|GeneralSecurity|NoSuchAlgorithm|InvalidKey|CloneNotSupported|URISyntax|JsonProcessing|Messaging|Naming)Exception)$/u;

/** Classes that need not be declared: Java's own, Spring's and JPA's. */
const UNCHECKED =
  /^(?:RuntimeException|\w*Error|(?:Illegal(?:Argument|State)|NullPointer|UnsupportedOperation|\w*IndexOutOfBounds|Arithmetic|ClassCast|NumberFormat|NoSuchElement|InputMismatch|ConcurrentModification|DateTime|UncheckedIO|Security|ResponseStatus|ErrorResponse|\w*DataAccess|DataIntegrityViolation|DuplicateKey|\w*LockingFailure|CannotAcquireLock|\w*Lock|PersistenceException|Entity(?:NotFound|Exists)|NoResult|NonUniqueResult|ConstraintViolation|WebApplication|NotFound|BadRequest|Forbidden)Exception)$/u;

/** The error of a `throw`; undefined outside of Java. */
export function thrownBy(
  state: State,
  scope: Scope,
  hir: HirExpression,
  value: Value,
): ErrorClass | undefined {
  if (!semanticsOf(scope.module.file).catchesByClass) return undefined;
  if (hir.kind === "name" && hir.name === state.caught?.name) return state.caught.thrown;
  if (hir.kind === "typed") return thrownBy(state, scope, hir.operand, value);
  if (value.kind === "object" && value.class) return ofClass(state, value.class);
  const made = hir.kind === "new" && hir.callee.kind === "name" ? hir.callee.name : undefined;
  return made === undefined ? { classes: [] } : ofName(state, scope, made);
}

/** The error of a function that makes one (`() -> new NotFound()`, `NotFound::new`). */
export function thrownByMaker(
  state: State,
  { function: hir, scope }: { readonly function: HirFunction; readonly scope: Scope },
): ErrorClass {
  const [only] = hir.body;
  const made = only?.kind === "return" ? only.value : undefined;
  const name = made?.kind === "new" && made.callee.kind === "name" ? made.callee.name : undefined;
  return name === undefined ? { classes: [] } : ofName(state, scope, name);
}

/** An error of a class by its name. */
export function ofName(state: State, scope: Scope, name: string): ErrorClass {
  const found = scope.module.lookup(name);
  return found?.kind === "class"
    ? ofClass(state, found)
    : known(state, [name.replace(/^.*\./u, "")]);
}

function ofClass(state: State, of: NonNullable<Parameters<typeof superclassOf>[0]>): ErrorClass {
  const classes: string[] = [];
  for (let at: typeof of | undefined = of, depth = 0; at && depth < 12; depth += 1) {
    classes.push(at.class.name ?? "");
    const parent = superclassOf(at);
    if (!parent && at.class.superclass !== undefined) {
      classes.push(at.class.superclass.replace(/^.*\./u, ""));
    }
    at = parent;
  }
  return known(state, classes);
}

function known(state: State, classes: readonly string[]): ErrorClass {
  if (classes.some((name) => UNCHECKED.test(name))) {
    return { classes: [...classes, ...RUNTIME], isChecked: false };
  }
  const isChecked = classes.some((name) => CHECKED.test(name));
  if (isChecked) return { classes: [...classes, "Exception", "Throwable"], isChecked };
  // The compiler demands that the others are declared where they are thrown, if they are checked.
  const isDeclared = classes.some((name) => state.frame.declares?.includes(name) === true);
  return isDeclared ? { classes } : { classes: [...classes, ...RUNTIME], isChecked: false };
}

/** Adds the command that throws, with what it throws. */
export function emitThrow(
  state: State,
  thrown: ErrorClass | undefined,
  { why, source }: { readonly why: string; readonly source: SourceRange },
): void {
  const command: Command = { kind: "rollback", why, code: USER_ERROR, source };
  if (thrown) state.thrown.set(command, thrown);
  notePoint(state, source);
  emit(state, command);
}

type Rollback = Extract<Command, { kind: "rollback" }>;

interface Left {
  readonly inside: readonly Command[];
  readonly behind: readonly Command[];
}

/** The commands with each error that leaves them replaced. */
function replacing(
  commands: readonly Command[],
  by: (command: Rollback) => Command,
): readonly Command[] {
  const go = (command: Command): Command => {
    switch (command.kind) {
      case "rollback":
        return command.code === USER_ERROR ? by(command) : command;
      case "sequence":
        return { ...command, commands: command.commands.map(go) };
      case "if": {
        const { otherwise } = command;
        return {
          ...command,
          then: go(command.then),
          ...(otherwise && { otherwise: go(otherwise) }),
        };
      }
      case "loop":
        return { ...command, body: go(command.body) };
      case "try": {
        const isCaught = command.catches?.includes(USER_ERROR) !== false;
        return {
          ...command,
          ...(!isCaught && { body: go(command.body) }),
          handler: go(command.handler),
        };
      }
      default:
        return command;
    }
  };
  return commands.map(go);
}

/**
 * The commands of a transaction of its own, in which errors that it is not undone for return, and what then throws them
 * behind it.
 */
export function committing(state: State, commands: readonly Command[], undoes: UndoRule): Left {
  return leaving(
    state,
    commands,
    ({ source }, thrown) => {
      const isUndone = thrown.isDoom === true ? true : undoes(thrown);
      if (isUndone === undefined) {
        const why = "whether the transaction is undone at this error is not known";
        lose(state, why, source, "opaque");
      }
      return isUndone === false;
    },
    (source) => ({ kind: "return", source }),
  );
}

/** The commands in which some errors leave by a jump, and what throws them behind that. */
function leaving(
  state: State,
  commands: readonly Command[],
  leaves: (command: Rollback, thrown: ErrorClass) => boolean,
  jump: (source: SourceRange) => Command,
): Left {
  const flag = state.ids.fresh("thrown");
  const behind: Command[] = [];
  const inside = replacing(commands, (command) => {
    const thrown = state.thrown.get(command) ?? OF_THE_LANGUAGE;
    if (!leaves(command, thrown)) return command;
    const { source } = command;
    const again: Command = { ...command };
    state.thrown.set(again, thrown);
    const number = literal(behind.length + 1);
    const condition = compare("=", { kind: "variable", name: flag }, number);
    behind.push({ kind: "if", condition, then: again, source });
    const set: Command = { kind: "assign", variable: flag, value: number, source };
    return { kind: "sequence", commands: [set, jump(source)] };
  });
  const [first] = behind;
  if (first?.kind !== "if") return { inside: commands, behind };
  const { source } = first;
  const start: Command = { kind: "assign", variable: flag, value: literal(0), source };
  return { inside: [start, ...inside], behind };
}

/** A part of an open transaction throws an error that it is undone for: that undoes all, whoever catches it. */
export function dooming(state: State, commands: readonly Command[], undoes: UndoRule): void {
  replacing(commands, (command) => {
    const thrown = state.thrown.get(command) ?? OF_THE_LANGUAGE;
    if (undoes(thrown) === true) state.thrown.set(command, { ...thrown, isDoom: true });
    return command;
  });
}

/** The commands that a handler in an open transaction stands around. */
export function commandsBeforeRollback(
  state: State,
  commands: readonly Command[],
): readonly Command[] {
  return replacing(commands, (command) => {
    if (state.thrown.get(command)?.isDoom !== true) return command;
    const { code: _, ...all } = command;
    return all;
  });
}

/** Says of what is thrown in the commands, and is of those types, that a handler throws something else instead. */
export function markRethrown(
  state: State,
  commands: readonly Command[],
  types: readonly string[],
  thrown: ErrorClass,
): void {
  if (thrown.isCaught === true) return;
  replacing(commands, (command) => {
    if (isFor(types, state.thrown.get(command))) state.thrown.set(command, thrown);
    return command;
  });
}

/** True if a handler for those types, of which none are all, is for an error. */
function isFor(types: readonly string[], { classes } = OF_THE_LANGUAGE): boolean {
  if (types.length === 0 || classes.length === 0) return true;
  return types.some((type) => classes.includes(type.replace(/^.*\./su, "")));
}

/** The commands with a handler `around` them, which errors of other types than its own pass by. */
export function passing(
  state: State,
  commands: readonly Command[],
  types: readonly string[],
  around: (commands: readonly Command[]) => Command,
): readonly Command[] {
  const loop = state.ids.fresh("try");
  const passed = leaving(
    state,
    commands,
    ({ code }, thrown) => code === USER_ERROR && !isFor(types, thrown),
    (source) => ({ kind: "exit", loop, source }),
  );
  const [first] = passed.behind;
  if (first?.kind !== "if") return [around(commands)];
  const { source } = first;
  const body = { kind: "sequence", commands: passed.inside } as const;
  const inside = withoutExits(body, loop, { done: state.ids.fresh("done"), source });
  return [around([inside]), ...passed.behind];
}

/** The commands, of which nothing else can fail, with the handler run at each error in place of what would follow. */
export function branching(
  state: State,
  commands: readonly Command[],
  handler: readonly Command[],
): readonly Command[] {
  const sites: SourceRange[] = [];
  replacing(commands, (command) => {
    sites.push(command.source);
    return command;
  });
  const [source, another] = sites;
  if (source === undefined) return commands;
  const loop = state.ids.fresh("try");
  const exit: Command = { kind: "exit", loop, source };
  const flag = another && state.ids.fresh("thrown");
  const set = (to: boolean): Command[] =>
    flag === undefined ? [] : [{ kind: "assign", variable: flag, value: literal(to), source }];
  const instead: Command = {
    kind: "sequence",
    commands: [...(flag === undefined ? handler : set(true)), exit],
  };
  const body: Command = {
    kind: "sequence",
    commands: [...set(false), ...replacing(commands, () => instead)],
  };
  const inside = withoutExits(body, loop, { done: state.ids.fresh("done"), source });
  if (flag === undefined) return [inside];
  const then: Command = { kind: "sequence", commands: handler };
  return [inside, { kind: "if", condition: { kind: "variable", name: flag }, then, source }];
}
