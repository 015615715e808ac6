// Control flow that the search leaves out, so that "nothing found" would claim too much: loop rounds beyond the unrolling bound, and errors
// that a handler may catch and nothing models.
import type { FlatTransaction, Operation } from "../../analysis/operations/operation";
import type { Level } from "../../isolation/levels";
import { amongIn } from "../../program/membership";
import { ERRORS, isCaught, lockErrorsOf } from "../../program/errors";
import type { Expression } from "../../program/expression";
import type { Program, Transaction } from "../../program/program";
import { isDeferred, type Table, type UniqueKey } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import { asksForLocks, statementsOf } from "../statements";

export interface SearchGap {
  readonly reason: string;
  readonly source: SourceRange;
}

export interface SearchedAs {
  /** The searched form; absent if the transaction was not searched. */
  readonly flat?: FlatTransaction | undefined;
  /** The level of its search; absent if it was not searched. */
  readonly level?: Level | undefined;
  /** True if it is on no cycle, for any number of loop rounds. */
  readonly isApart?: () => boolean;
  /** Tables in which some transaction locks rows until its end. */
  readonly lasting?: ReadonlySet<string>;
}

/** The tables in which the transactions lock rows that no savepoint or handler releases. */
export function lastingLocks(transactions: readonly FlatTransaction[]): ReadonlySet<string> {
  const locking = transactions
    .flatMap(({ operations }) => operations)
    .filter(
      ({ kind, lock, undone }) => undone === undefined && (kind !== "read" || lock !== "none"),
    );
  return new Set(locking.map(({ table }) => table));
}

/** The unsearched parts of a transaction in text order. */
export function unsearchedParts(
  program: Program,
  transaction: Transaction,
  as: SearchedAs,
): readonly SearchGap[] {
  // Handlers outside of code that a code reader recognised as one transaction are unknown.
  const isRoutine = transaction.boundary === "routine" || transaction.boundary === "script";
  const visit = (command: Command, isOpen = isRoutine): readonly SearchGap[] => {
    const inside = (each: Command): readonly SearchGap[] => visit(each, isOpen);
    switch (command.kind) {
      case "sequence":
        return command.commands.flatMap(inside);
      case "if":
        return [
          ...furtherRows(command.condition, command.source, as),
          ...[command.then, ...(command.otherwise ? [command.otherwise] : [])].flatMap(inside),
        ];
      case "atomic":
        return [...earlierBegin(command, as), ...visit(command.body, true)];
      case "loop":
        return [...furtherRounds(command, as), ...inside(command.body)];
      case "try":
        return [
          ...unseenErrors(program, command, as, isOpen),
          ...inside(command.body),
          ...inside(command.handler),
        ];
      case "statement":
        return [
          ...furtherRows(command.statement, command.statement.source, as),
          ...lateKeys(program, command.statement, as),
        ];
      case "assign":
        return furtherRows(command.value, command.source, as);
      case "exit":
      case "continue":
      case "rollback":
      case "return":
      case "savepoint":
      case "release":
      case "rollbackTo":
        return [];
    }
  };
  return [
    ...visit(transaction.body),
    ...releasedLocks(transaction, as),
    ...reopened(transaction, as),
  ];
}

/** InnoDB knows nothing of a savepoint before the first statement: a return to it ends all locks, and the snapshot. */
function reopened({ header }: Transaction, { flat, level }: SearchedAs): readonly SearchGap[] {
  if (level?.family !== "product" || level.snapshot === "begin") return [];
  const isInnodb = level.product === "mysql" || level.product === "mariadb";
  if (!isInnodb || !flat?.operations.some(({ reopens }) => reopens === true)) return [];
  const reason =
    "runs in which returning to a savepoint before the first statement gives up all locks and the snapshot are not searched";
  return [{ reason, source: header }];
}

/** Locks that are released before their transaction ends, while the search takes them to be held. */
function releasedLocks(
  { header }: Transaction,
  { flat, level, lasting = new Set(), isApart = () => false }: SearchedAs,
): readonly SearchGap[] {
  if (level?.family !== "product" || level.candidates !== "snapshot") return [];
  const operations = flat?.operations ?? [];
  const isReleased = ({
    kind,
    lock,
    unlocks,
    caught = [],
    undone = [],
    ...own
  }: Operation): boolean => {
    if (kind === "insert") return false;
    if (kind === "read") return unlocks === true && lock !== "none" && lock !== "key-share";
    // A statement that is undone for its own failure alone has already waited for every lock it met, so a rollback directly after it does
    // not count.
    const after = caught.length > 0 ? own.step + 1 : own.step;
    // Locks that are released with the whole transaction are released at its end anyway.
    const part = flat?.parts?.find(({ from, to }) => from <= own.step && own.step < to);
    const end = part?.to ?? Infinity;
    return lasting.has(own.table) && undone.some(({ from }) => from > after && from < end);
  };
  if (!operations.some(isReleased) || isApart()) return [];
  const reason =
    "runs in which returning to a savepoint, or a handler, gives up the locks of what came before are not searched";
  return [{ reason, source: header }];
}

/** A snapshot taken at BEGIN is older than what runs on other connections before the first statement. */
function earlierBegin(
  { afterBegin, source }: Extract<Command, { kind: "atomic" }>,
  { level }: SearchedAs,
): readonly SearchGap[] {
  if (afterBegin !== true || level?.family !== "product" || level.snapshot !== "begin") return [];
  return [
    { reason: "what runs on another connection after BEGIN is searched as before it", source },
  ];
}

function furtherRounds(
  loop: Extract<Command, { kind: "loop" }>,
  { flat, isApart = () => false }: SearchedAs,
): readonly SearchGap[] {
  const rounds = flat ? flat.uncovered?.find((each) => each.loop === loop.id)?.rounds : 1;
  if (rounds === undefined || isApart()) return [];
  if (loop.over.kind === "recursion") {
    const reason = `deeper calls of ${loop.over.of}() within itself are not searched`;
    return [{ reason, source: loop.source }];
  }
  const first = rounds > 1 ? `first ${String(rounds)}` : "first";
  return [
    { reason: `rounds of this loop after the ${first} are not searched`, source: loop.source },
  ];
}

/** Rows that a condition ranges over beyond the represented ones. */
function furtherRows(
  of: Statement | Expression,
  source: SourceRange,
  { flat, isApart = () => false }: SearchedAs,
): readonly SearchGap[] {
  const rounds = amongIn(of).flatMap(({ loop }) => {
    const asked = flat ? flat.uncovered?.find((each) => each.loop === loop)?.rounds : 1;
    return asked ?? [];
  });
  if (rounds.length === 0 || isApart()) return [];
  const most = Math.max(...rounds);
  const first = most > 1 ? `first ${String(most)}` : "first";
  const reason = `rows of the list that this asks about, after the ${first}, are not searched`;
  return [{ reason, source }];
}

/** Deferred keys, which are checked at the commit, at levels of products other than PostgreSQL. */
function lateKeys(
  program: Program,
  statement: Statement,
  { level }: SearchedAs,
): readonly SearchGap[] {
  const key = lateKeyOf(program, statement);
  if (key === undefined || level === undefined) return [];
  if (level.family === "product" && level.product === "postgres") return [];
  const reason = `that the key (${key.columns.join(", ")}) is checked at the commit is not searched at ${level.name}`;
  return [{ reason, source: statement.source }];
}

/** Errors of a body that its handler catches and no searched run raises; `isOpen`: inside of a transaction. */
function unseenErrors(
  program: Program,
  block: Extract<Command, { kind: "try" }>,
  { level }: SearchedAs,
  isOpen: boolean,
): readonly SearchGap[] {
  const catches = (code: string): boolean => isCaught(code, block.catches);
  const statements = statementsOf(block.body);
  // Concurrency errors of statements exist at product levels only.
  const readsLock = level?.family === "product" && level.plainRead === "locking";
  const locks = level?.family !== "paper" && statements.some((each) => takesLocks(each, readsLock));
  const fails = locks && (level === undefined || level.conflict === "first-updater-wins");
  const refused = lockErrorsOf(level?.family === "product" ? level.product : productOf(program));
  const unseen = [
    ...(locks && catches(refused.deadlock) ? ["a deadlock"] : []),
    ...(locks && refused.lockTimeout !== undefined && catches(refused.lockTimeout)
      ? ["a lock that does not come in time"]
      : []),
    ...(fails && catches(refused.changedRow) ? ["a serialization failure"] : []),
    ...(catches("55P03") && statements.some((each) => asksForLocks(each, "nowait"))
      ? ["a lock that is taken"]
      : []),
    ...(catches(ERRORS.divisionByZero) && divides(block.body) ? ["a division by zero"] : []),
    ...(catches(ERRORS.duplicate) && statements.some((each) => changesKey(program, each))
      ? ["a key that an UPDATE makes twice"]
      : []),
    ...(!isOpen &&
    catches(ERRORS.duplicate) &&
    statements.some((each) => givesLateKey(program, each))
      ? ["a commit that is refused for a key"]
      : []),
    ...(catches(ERRORS.missingParent) && statements.some((each) => concernsParents(program, each))
      ? ["a broken foreign key"]
      : []),
  ];
  if (unseen.length === 0) return [];
  const reason = `runs in which its exception handler acts on ${unseen.join(" or ")} are not searched`;
  return [{ reason, source: block.source }];
}

/** The product whose errors the handlers of a program mean, if no level says it. */
function productOf({ dialects = [] }: Program): string {
  return dialects.find((each) => each !== "postgres") ?? "postgres";
}

function takesLocks(statement: Statement, readsLock: boolean): boolean {
  switch (statement.kind) {
    case "select":
      return readsLock || statement.query.lock !== undefined;
    case "insert":
    case "update":
    case "delete":
    case "lock":
      return true;
    case "opaque":
      return statement.writes;
  }
}

function changesKey(program: Program, statement: Statement): boolean {
  if (statement.kind !== "update") return false;
  const table = tableOf(program, statement.relation.table);
  const unique = (table?.uniqueKeys ?? []).filter((key) => !isDeferred(key));
  const keys = [table?.primaryKey ?? [], ...unique.map((each) => each.columns)];
  return statement.set.some(({ column }) => keys.some((key) => key.includes(column)));
}

function givesLateKey(program: Program, statement: Statement): boolean {
  return lateKeyOf(program, statement) !== undefined;
}

/** A deferred key whose value the statement may set. */
function lateKeyOf(program: Program, statement: Statement): UniqueKey | undefined {
  switch (statement.kind) {
    case "insert":
      return tableOf(program, statement.table)?.uniqueKeys.find(isDeferred);
    case "update":
      return tableOf(program, statement.relation.table)?.uniqueKeys.find(
        (key) =>
          isDeferred(key) && statement.set.some(({ column }) => key.columns.includes(column)),
      );
    default:
      return undefined;
  }
}

/** True if the statement concerns a row that refers to another, or that others refer to. */
function concernsParents(program: Program, statement: Statement): boolean {
  switch (statement.kind) {
    case "insert":
      return (tableOf(program, statement.table)?.foreignKeys.length ?? 0) > 0;
    case "update":
    case "delete": {
      const { table } = statement.relation;
      const refersTo = program.schema.tables.some((each) =>
        each.foreignKeys.some((key) => key.table === table),
      );
      const own = tableOf(program, table)?.foreignKeys ?? [];
      return refersTo || (statement.kind === "update" && own.length > 0);
    }
    default:
      return false;
  }
}

function tableOf(program: Program, name: string): Table | undefined {
  return program.schema.tables.find((each) => each.name === name);
}

/** True if the command contains a division by anything but a number. */
function divides(command: Command): boolean {
  const open: unknown[] = [command];
  while (open.length > 0) {
    const part = open.pop();
    if (typeof part !== "object" || part === null) continue;
    if (isDivision(part)) return true;
    open.push(...Object.values<unknown>({ ...part }));
  }
  return false;
}

function isDivision(part: object): boolean {
  if (!("kind" in part) || part.kind !== "arithmetic" || !("operator" in part)) return false;
  if (part.operator !== "/" && part.operator !== "%") return false;
  // Every arithmetic expression has a right operand.
  const { right } = part as Extract<Expression, { kind: "arithmetic" }>;
  return right.kind !== "literal" || right.value === 0;
}
