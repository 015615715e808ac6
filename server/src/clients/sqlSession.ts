// A session of the workspace's transactions for the explorer: the store's evaluator executes their statements, the explorer decides what
// they read.
import type { Key, Reply, Request, SyncSession, Value } from "../exploration/client";
import type { Program } from "../program/program";
import type { Command, Statement } from "../program/statement";
import type { WitnessInstance } from "../protocol/witness";
import { runQuery } from "../store/evaluateQuery";
import { executeStatement } from "../store/executeStatement";
import { NotExecutable, SqlFailure } from "../store/failure";
import type { ResultRows } from "../store/frame";
import { freshValuesFrom } from "../store/freshValues";
import {
  deliver,
  environmentOf,
  handleFailure,
  isUnit,
  nextOf,
  startMachine,
  type Machine,
  type Undo,
} from "../store/machine";
import { readCells, openRecorder, type CellRead } from "../store/recorder";
import type { Write } from "../store/row";
import type { StatementResult } from "../store/statementFrame";
import { toValue } from "../store/value";
import type { ResultValue } from "./assertionValues";
import { encodeRow, rowKey } from "./rowKeys";
import { openView, ownRows, ReadFirst, type AccessRules } from "./statementView";

/** Options of a session. */
export interface SqlSessionOptions {
  readonly program: Program;
  readonly rules: AccessRules;
  /** The start of an instance's generated values; instances share none. */
  readonly firstFresh: (instance: string) => number;
  /** Receives every statement and end, for explaining a run. */
  readonly observe?: (step: ObservedStep) => void;
}

/** One executed statement, or the end of a transaction. */
export interface ObservedStep {
  readonly instance: string;
  readonly statement: Statement | "commit" | "rollback";
  /** The relevant cells of rows that were read; a cell's writer is a step of the transaction itself, or INITIAL. */
  readonly cells: readonly CellRead[];
  readonly writes: readonly Write[];
  readonly rows: ResultRows;
  readonly affected: number;
  /** The reason for a failure or rollback. */
  readonly why?: string;
}

/** A session that runs these instances in sequence. */
export function sqlSession(
  name: string,
  instances: readonly WitnessInstance[],
  options: SqlSessionOptions,
): SyncSession {
  return {
    kind: "sync",
    name,
    *run() {
      for (const instance of instances) yield* runInstance(instance, options);
    },
  };
}

/** Thrown through a transaction that the store has ended. */
class Ended extends Error {}

function* runInstance(
  instance: WitnessInstance,
  options: SqlSessionOptions,
): Generator<Request, void, Reply> {
  const fresh = freshValuesFrom(options.firstFresh(instance.instance));
  const machine = startMachine(options.program, instance, fresh);
  if (isUnit(machine))
    throw new NotExecutable(`${instance.transaction} commits before its end: that is not explored`);
  const running: Running = {
    machine,
    options,
    log: [],
    buffers: undoes(machine.transaction.body),
    last: undefined,
    step: 0,
  };
  try {
    yield* ask({ kind: "begin", name: instance.instance });
    yield* runBody(running);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    observeEnd(running, "rollback", error.message);
  }
}

interface Running {
  readonly machine: Machine;
  readonly options: SqlSessionOptions;
  log: readonly Write[];
  /** True if writes are buffered until the commit, because a part of them may be undone. */
  readonly buffers: boolean;
  /** The last statement's result for its caller. */
  last: Given | undefined;
  step: number;
}

interface Given {
  readonly value: ResultValue;
  /** True if the caller sees the rows of the query. */
  readonly shown: boolean;
}

function* runBody(running: Running): Generator<Request, void, Reply> {
  const { machine } = running;
  const undo: Undo = {
    mark: () => running.log.length,
    undoTo: (mark) => {
      running.log = running.log.slice(0, mark);
    },
  };
  for (;;) {
    const next = nextOf(machine, undo);
    switch (next.kind) {
      case "statement":
        if (yield* runStatement(running, next.statement, undo)) break;
        return;
      case "commit":
        if (running.buffers) yield* writeRows(running.log, running.log);
        yield* ask({ kind: "commit", result: resultOf(running) });
        observeEnd(running, "commit");
        return;
      case "rollback":
        yield* ask({ kind: "abort", result: next.why });
        observeEnd(running, "rollback", next.why);
        return;
      case "failure":
        yield* fail(running, next.failure);
        return;
    }
  }
}

/** Runs the current statement; false if the transaction has ended. */
function* runStatement(
  running: Running,
  statement: Statement,
  undo: Undo,
): Generator<Request, boolean, Reply> {
  const { machine, options } = running;
  const view = openView(options.program.schema, options.rules, running.log);
  running.step += 1;
  for (;;) {
    const drawn = { ...machine.drawn };
    const recorder = openRecorder();
    let result: StatementResult;
    try {
      result = executeStatement(statement, {
        environment: environmentOf(machine, drawn),
        schema: options.program.schema,
        tables: view.tables,
        runQuery,
        scope: undefined,
        acting: view.acting(running.step),
        recorder,
        once: new Map(),
      });
    } catch (error) {
      if (error instanceof ReadFirst) {
        const reply = yield* ask(error.request);
        if (reply.kind === "values") view.take(error.request, reply.values);
        continue;
      }
      if (!(error instanceof SqlFailure)) throw named(error, statement);
      const why = failureText(error);
      const cells = readCells(recorder, running.step);
      observe(running, { statement, cells, writes: [], rows: [], affected: 0, why });
      if (handleFailure(machine, error, undo)) return true;
      yield* fail(running, error);
      return false;
    }
    running.log = [...running.log, ...result.writes];
    if (!running.buffers) yield* writeRows(running.log, result.writes);
    const { rows, affected, writes } = result;
    observe(running, {
      statement,
      cells: readCells(recorder, running.step),
      writes,
      rows,
      affected,
    });
    running.last = givenBy(statement, result) ?? running.last;
    deliver(machine, statement, { ...result, drawn });
    return true;
  }
}

/** The store's answer; throws if the store ended the transaction. */
function* ask(request: Request): Generator<Request, Reply, Reply> {
  const reply = yield request;
  if (reply.kind === "failed") throw new Ended(`${reply.message} (${reply.code})`);
  return reply;
}

function* fail(running: Running, failure: SqlFailure): Generator<Request, void, Reply> {
  const why = failureText(failure);
  yield* ask({ kind: "abort", result: why });
  observeEnd(running, "rollback", why);
}

function failureText(failure: SqlFailure): string {
  return `${failure.message} (${failure.code})`;
}

/** Adds the statement to the error that its effect is unknown. */
function named(error: unknown, statement: Statement): unknown {
  if (!(error instanceof NotExecutable)) return error;
  const words = statement.text.replace(/\s+/gu, " ").slice(0, 60);
  return new NotExecutable(`"${words}" cannot be executed: ${error.message}`);
}

function* writeRows(
  log: readonly Write[],
  made: readonly Write[],
): Generator<Request, void, Reply> {
  for (const [key, value] of versionsOf(log, made)) yield* ask({ kind: "write", key, value });
}

/** The versions after these writes, the last ones of a log. */
function versionsOf(log: readonly Write[], made: readonly Write[]): ReadonlyMap<Key, Value> {
  const rows = ownRows(log);
  const versions = new Map<Key, Value>();
  for (const { table, key } of made) {
    const name = rowKey(table, key);
    const row = rows.get(name);
    versions.set(name, row?.alive === true ? encodeRow(row.values) : undefined);
  }
  return versions;
}

/** True if a part of the transaction can be undone while it continues. */
function undoes(command: Command): boolean {
  switch (command.kind) {
    case "sequence":
      return command.commands.some(undoes);
    case "if":
      return undoes(command.then) || (command.otherwise !== undefined && undoes(command.otherwise));
    case "loop":
    case "atomic":
      return undoes(command.body);
    case "try":
      return true;
    case "rollbackTo":
      return true;
    default:
      return false;
  }
}

/** A transaction's result for its caller: the rows that a routine shows, its return value, else the last statement's result. */
function resultOf({ machine, last }: Running): Value {
  const showsRows = machine.transaction.boundary === "routine" && last?.shown === true;
  if (machine.returned !== undefined && !showsRows) return toValue(machine.returned);
  return last === undefined ? null : plainResult(last.value);
}

/** The rows of a query, or the number of rows that a statement changed. */
function givenBy(statement: Statement, { rows, affected }: StatementResult): Given | undefined {
  switch (statement.kind) {
    case "select":
      return statement.discarded ? undefined : { value: rowsForCaller(rows), shown: true };
    case "insert":
    case "update":
    case "delete":
      return statement.returning === undefined
        ? { value: affected, shown: false }
        : { value: rowsForCaller(rows), shown: false };
    case "lock":
    case "opaque":
      return undefined;
  }
}

function rowsForCaller(rows: ResultRows): readonly ResultValue[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toValue(value)])),
  );
}

/** Results and versions are both JSON. */
function plainResult(value: ResultValue): Value {
  return value;
}

function observe(running: Running, step: Omit<ObservedStep, "instance">): void {
  running.options.observe?.({ instance: running.machine.instance, ...step });
}

function observeEnd(running: Running, statement: "commit" | "rollback", why?: string): void {
  const nothing = { cells: [], writes: [], rows: [], affected: 0 };
  observe(running, { statement, ...nothing, ...(why !== undefined && { why }) });
}
