// Where transactions begin and end in the code. While it is evaluated, marks stand among the commands; at the end,
// what lies between two of them becomes one `atomic` command.
import { atBegin, namedLevel, type DeclaredLevel } from "../../../../program/declaredLevel";
import type { SourceRange } from "../../../../protocol/source";
import type { Command } from "../../../../program/statement";
import { findLevel } from "../../../../isolation/levels";
import type { Dialect } from "../../../../program/dialect";
import { literal } from "../../../sql/expressions";
import type { TransactionOptions } from "../../libraries/library";
import { UNDEFINED, type Connection, type Value } from "../../values";
import { emitStatement } from "../sql/emitStatement";
import { USER_ERROR } from "../values/member";
import { collectCommands, emit, lose, type State } from "../state";
import { loseOpenReturns, someCommand } from "./openReturns";
import { isOther, loseConnection, splitAtOwn } from "./otherConnections";

/** The reason why an error goes on behind the savepoint that it undid. */
export const RETHROWN = "an error leaves a nested transaction";

const BEGIN = "#begin ";
const COMMIT = "#commit ";

/** A transaction begins on a connection. */
export function beginTransaction(
  state: State,
  connection: Connection | undefined,
  options: Omit<TransactionOptions, "level"> & {
    readonly level?: string | undefined;
    /** Its snapshot is that of BEGIN. */
    readonly isAtBegin?: boolean;
    readonly source: SourceRange;
  },
): void {
  const id = connection?.id ?? "?";
  const { source } = options;
  if (state.open.some((each) => each.connection === id)) {
    lose(state, "a transaction begins while one is open on this connection", source);
    return;
  }
  const isInside = isOther(state, connection);
  if (isInside) loseConnection(state, source);
  const mark = state.ids.fresh("t");
  const level = options.level ?? state.nextLevel.get(id);
  state.nextLevel.delete(id);
  state.levels.set(mark, options.isAtBegin === true ? atBegin(level) : level);
  state.open = [...state.open, { connection: id, source, mark }];
  noteErrors(state);
  if (isInside) return;
  emit(state, { kind: "assign", variable: `${BEGIN}${mark}`, value: literal(true), source });
}

/** Notes whether the server's refusals in a transaction that begins leave the function. */
function noteErrors({ catching, throwing }: State): void {
  if (catching === 0) throwing.isAny = true;
}

/** True if a transaction is open on a connection. */
export function isOpen(state: State, connection: Connection | undefined): boolean {
  return state.open.some((each) => each.connection === (connection?.id ?? "?"));
}

/** The level of the open transaction, or of the next one. */
export function setLevel(
  state: State,
  connection: Connection | undefined,
  level: string | undefined,
  _source: SourceRange,
): void {
  const id = connection?.id ?? "?";
  const open = state.open.find((each) => each.connection === id);
  if (open) state.levels.set(open.mark, level);
  else if (level !== undefined) state.nextLevel.set(id, level);
}

/** The open transaction of a connection commits. */
export function commitTransaction(
  state: State,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  const open = close(state, connection);
  if (!open) return;
  emit(state, { kind: "assign", variable: `${COMMIT}${open.mark}`, value: literal(true), source });
}

/** The open transaction of a connection is undone. */
export function rollbackTransaction(
  state: State,
  connection: Connection | undefined,
  source: SourceRange,
): void {
  const open = close(state, connection);
  if (!open) return;
  for (const library of state.workspace.libraries) {
    library.undone?.(connection, state.evaluator.tools(state, library));
  }
  emit(state, { kind: "rollback", why: "ROLLBACK", source, leaves: "atomic" });
}

function close(state: State, connection: Connection | undefined) {
  const id = connection?.id ?? "?";
  const open = state.open.find((each) => each.connection === id);
  state.open = state.open.filter((each) => each !== open);
  return open;
}

/** Runs a callback in a transaction of its own; inside of an open one it joins that one, or is taken to. */
export function inTransaction(
  state: State,
  connection: Connection,
  options: TransactionOptions & { readonly source: SourceRange },
  run: () => Value,
): Value {
  if (state.open.some((each) => each.connection === connection.id)) {
    if (options.isNew === true) {
      const why = "a transaction of its own inside of another one is taken to be a part of it";
      lose(state, why, options.source, "opaque");
    }
    return options.isNested === true ? inSavepoint(state, options.source, run) : run();
  }
  const { source } = options;
  const isInside = isOther(state, connection);
  if (isInside) loseConnection(state, source);
  const outer = state.open;
  const mark = state.ids.fresh("t");
  state.levels.set(mark, options.level);
  const isAny = connection.isAny === true;
  state.open = [...outer, { connection: connection.id, source, mark, ...(isAny && { isAny }) }];
  noteErrors(state);
  let result: Value = UNDEFINED;
  const { emitted } = state;
  const losses = state.taint.length;
  const commands = collectCommands(state, () => {
    result = run();
    // Who was given the client may have run anything: what has no statement at all would look as if it did nothing.
    const lost = state.taint.slice(losses).find(({ effect }) => effect === "opaque");
    if (state.emitted > emitted || !lost) return;
    const unread = { kind: "opaque", tables: [], writes: true, taint: [lost.reason] } as const;
    emitStatement(state, connection, unread, lost.source ?? source);
  });
  state.open = outer;
  const all = isInside ? commands : transactionOf(state, mark, commands, source);
  for (const each of all) emit(state, each);
  return result;
}

/** Libraries write what the code changed in memory: the transaction of the connection commits. */
export function writeChanges(
  state: State,
  connection: Connection,
  options: Pick<TransactionOptions, "readOnly"> & { readonly source: SourceRange },
): void {
  for (const library of state.workspace.libraries) {
    library.committed?.(connection, options, state.evaluator.tools(state, library));
  }
}

/** A transaction inside of an open one: an error that leaves it undoes what it did, and goes on from there. */
function inSavepoint(state: State, source: SourceRange, run: () => Value): Value {
  let result: Value = UNDEFINED;
  const commands = collectCommands(state, () => {
    result = run();
  });
  const rethrown: Command = { kind: "rollback", why: RETHROWN, code: USER_ERROR, source };
  const body: Command = { kind: "sequence", commands };
  emit(state, { kind: "try", body, handler: rethrown, source });
  return result;
}

/** A transaction, behind what runs on other connections before its first own statement. */
function transactionOf(
  state: State,
  mark: string,
  commands: readonly Command[],
  source: SourceRange,
): readonly Command[] {
  const level = declaredLevel(state.levels.get(mark), state.workspace.dialect, source);
  const isAtBegin = level !== undefined && namedLevel(level.name).isAtBegin;
  const all = flat(commands);
  const { before, inside } = isAtBegin ? { before: [], inside: all } : splitAtOwn(all);
  if (before.length > 0 && inside.length === 0) return before;
  const body: Command = { kind: "sequence", commands: inside };
  const behind = before.length > 0 && { afterBegin: true as const };
  return [...before, { kind: "atomic", body, source, ...behind, ...(level && { level }) }];
}

/** A level as the code names it: `Serializable`, `REPEATABLE READ`, `TRANSACTION_SERIALIZABLE`. */
function declaredLevel(
  name: string | undefined,
  dialect: Dialect,
  source: SourceRange,
): DeclaredLevel | undefined {
  if (name === undefined) return undefined;
  const { name: written, isAtBegin } = namedLevel(name);
  if (isAtBegin) {
    const level = declaredLevel(written, dialect, source);
    return { from: "sql", source, ...level, name: atBegin(level?.name) };
  }
  const words = name
    .replace(/^.*(?:TRANSACTION_|IsolationLevel\.|Isolation\.)/u, "")
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .replaceAll(/[\s_]+/gu, "-");
  const full = `${dialect}:${words}`;
  return { name: findLevel(full) ? full : name, from: "sql", source };
}

/** The commands with what stands between the marks of a transaction put into one `atomic` command each. */
export function groupTransactions(state: State, command: Command): Command {
  switch (command.kind) {
    case "sequence":
      return { ...command, commands: groupedList(state, flat(command.commands)) };
    case "if": {
      const { otherwise } = command;
      const then = groupTransactions(state, command.then);
      return {
        ...command,
        then,
        ...(otherwise && { otherwise: groupTransactions(state, otherwise) }),
      };
    }
    case "loop":
    case "atomic":
      return { ...command, body: groupTransactions(state, command.body) };
    case "try":
      return {
        ...command,
        body: groupTransactions(state, command.body),
        handler: groupTransactions(state, command.handler),
      };
    default:
      return command;
  }
}

function flat(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((each) => (each.kind === "sequence" ? flat(each.commands) : [each]));
}

function groupedList(state: State, commands: readonly Command[]): readonly Command[] {
  const made: Command[] = [];
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (!command) break;
    const mark = markOf(command, BEGIN);
    if (mark === undefined) {
      if (markOf(command, COMMIT) === undefined)
        made.push(groupTransactions(state, ended(command, commands[at + 1])));
      continue;
    }
    const end = commands.findIndex((each, index) => index > at && markOf(each, COMMIT) === mark);
    const rest = commands.slice(at + 1, end === -1 ? commands.length : end);
    const isEnd = (each: Command): boolean => markOf(each, COMMIT) === mark;
    if (end !== -1 || someCommand(rest, isEnd)) loseOpenReturns(state, rest, isEnd);
    const body = groupedList(state, rest);
    made.push(...transactionOf(state, mark, body, sourceOf(command)));
    at = end === -1 ? commands.length : end;
  }
  return made;
}

/** A ROLLBACK before the end of the function ends it. */
function ended(command: Command, next: Command | undefined): Command {
  if (command.kind !== "rollback" || command.leaves === undefined) return command;
  if (next?.kind !== "return" && next?.kind !== "rollback") return command;
  const { leaves: _, ...alone } = command;
  return alone;
}

function markOf(command: Command, prefix: string): string | undefined {
  if (command.kind !== "assign" || !command.variable.startsWith(prefix)) return undefined;
  return command.variable.slice(prefix.length);
}

function sourceOf(command: Command): SourceRange {
  if (command.kind === "assign") return command.source;
  throw new Error("a mark is an assignment");
}
