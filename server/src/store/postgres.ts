// An operational simulator of PostgreSQL's three levels at the granularity of statements: snapshots, row locks that
// block, re-checking of changed rows (EvalPlanQual), first-updater-wins and deadlocks. Serialization failures of
// SERIALIZABLE are not simulated: a history that is not serializable is refused as a whole (serializable.ts).
import type { ProductLevel } from "../isolation/levels";
import type { Program } from "../program/program";
import type { Schema } from "../program/schema";
import type { Statement } from "../program/statement";
import type { Setup } from "./execution";
import { runQuery } from "./evaluateQuery";
import { executeStatement } from "./executeStatement";
import { NotExecutable, SqlFailure } from "./failure";
import { WaitFor, type Acting, type Tables } from "./frame";
import type { FreshValues } from "./freshValues";
import { excludes, type HeldLock } from "./locks";
import {
  copyMachine,
  deliver,
  environmentOf,
  handleFailure,
  nextOf,
  startMachine,
  type Machine,
  type Undo,
} from "./machine";
import { lockRow } from "./postgresLocks";
import { COMMITTED, type Run, type StepRecord } from "./runRecord";
import { cellsRead, openRecorder } from "./recorder";
import { applyWrite, findTable, initialRows, type TableRows, type Write } from "./row";

/** The database after some commits. Immutable: a snapshot is a reference to one. */
export interface Committed {
  readonly tables: ReadonlyMap<string, TableRows>;
  /** Instances whose commits are in it, in commit order. */
  readonly instances: readonly string[];
}

/** One session. */
export interface Session {
  readonly machine: Machine;
  readonly level: ProductLevel;
  /** Of the transaction, or of the statement that waits. */
  snapshot: Committed | undefined;
  log: readonly Write[];
  locks: readonly HeldLock[];
  /** Set while a statement waits. */
  waiting: { readonly holders: readonly string[]; readonly since: number } | undefined;
  ended: string | undefined;
}

/** The server in the middle of a run. */
export interface Server {
  readonly schema: Schema;
  readonly sessions: ReadonlyMap<string, Session>;
  newest: Committed;
  steps: readonly StepRecord[];
}

export type Event =
  | { readonly kind: "executed" | "ended"; readonly instance: string }
  | { readonly kind: "waits"; readonly instance: string; readonly holders: readonly string[] }
  /** The server refused a statement and aborted the transaction. */
  | { readonly kind: "aborted"; readonly instance: string; readonly failure: SqlFailure };

/** A server with the setup's rows and one idle session per instance. Throws NotExecutable. */
export function startServer(
  program: Program,
  setup: Setup,
  levelOf: (instance: string) => ProductLevel,
  fresh: FreshValues,
): Server {
  const sessions = setup.instances.map((instance): [string, Session] => [
    instance.instance,
    {
      machine: startMachine(program, instance, fresh),
      level: levelOf(instance.instance),
      snapshot: undefined,
      log: [],
      locks: [],
      waiting: undefined,
      ended: undefined,
    },
  ]);
  return {
    schema: program.schema,
    sessions: new Map(sessions),
    newest: { tables: initialRows(program.schema, setup.initial), instances: [] },
    steps: [],
  };
}

/** A server that goes on independently. */
export function copyServer(server: Server): Server {
  const sessions = [...server.sessions].map(([name, session]): [string, Session] => [
    name,
    { ...session, machine: copyMachine(session.machine) },
  ]);
  return { ...server, sessions: new Map(sessions) };
}

/** What the session would do next: the number of its next statement, or "end". Undefined when it has ended. */
export function nextStatement(session: Session): number | "end" | undefined {
  if (session.ended !== undefined) return undefined;
  const next = nextOf(session.machine, undoOf(session));
  return next.kind === "statement" ? session.machine.executed + 1 : "end";
}

/**
 * Lets one session that does not wait execute its next statement or end, and then those that waited for it. Throws
 * NotExecutable when a statement's effect is not known.
 */
export function advance(server: Server, name: string): readonly Event[] {
  const session = sessionOf(server, name);
  const next = nextOf(session.machine, undoOf(session));
  switch (next.kind) {
    case "statement":
      if (session.snapshot === undefined || session.level.snapshot === "statement")
        session.snapshot = server.newest;
      return attempt(server, session, next.statement, undefined);
    case "commit":
      return end(server, session, { status: COMMITTED });
    case "rollback":
      return end(server, session, { status: `rolled back: ${next.why}`, why: next.why });
    case "failure":
      return abort(server, session, next.failure);
  }
}

/** The finished run; the final rows are those of all commits. */
export function runOf(server: Server): Run {
  const sessions = [...server.sessions.values()];
  return {
    schema: server.schema,
    steps: server.steps,
    writes: sessions
      .filter((session) => session.ended === COMMITTED)
      .flatMap((session) => session.log)
      .sort((a, b) => a.step - b.step),
    status: Object.fromEntries(
      sessions.map((session) => [session.machine.instance, session.ended ?? "running"]),
    ),
    machines: sessions.map((session) => session.machine),
    final: server.newest.tables,
  };
}

function sessionOf(server: Server, name: string): Session {
  const session = server.sessions.get(name);
  if (session === undefined) throw new Error(`no session ${name}`);
  return session;
}

/** Executes a statement that may already have waited; its snapshot stays the one it began with. */
function attempt(
  server: Server,
  session: Session,
  statement: Statement,
  waitedFor: string | undefined,
): readonly Event[] {
  const { machine } = session;
  const snapshot = session.snapshot ?? server.newest;
  const drawn = { ...machine.drawn };
  const recorder = openRecorder();
  const tables = visibleTables(server, session, snapshot);
  const recordOf = (did: Pick<StepRecord, "writes" | "rows" | "affected" | "why">): StepRecord => ({
    instance: machine.instance,
    statement: machine.executed + 1,
    source: statement,
    sees: snapshot.instances,
    cells: cellsRead(recorder, server.steps.length),
    scans: recorder.scans,
    used: recorder.used,
    saw: sightOf(snapshot, server.steps),
    ...did,
    ...(waitedFor === undefined ? {} : { waitedFor }),
  });
  try {
    const result = executeStatement(statement, {
      environment: environmentOf(machine, drawn),
      schema: server.schema,
      tables,
      runQuery,
      scope: undefined,
      acting: actingOf(server, session),
      recorder,
      once: new Map(),
    });
    const { writes, rows, affected } = result;
    server.steps = [...server.steps, recordOf({ writes, rows, affected })];
    session.log = [...session.log, ...result.writes];
    session.waiting = undefined;
    deliver(machine, statement, { ...result, drawn });
    return [{ kind: "executed", instance: machine.instance }];
  } catch (failure) {
    if (failure instanceof WaitFor) return wait(server, session, failure.holders);
    if (failure instanceof SqlFailure)
      return refuse(server, session, failure, recordOf({ ...NOTHING, why: failureText(failure) }));
    throw failure;
  }
}

/** Constraint searches see all that is committed, others their snapshot. */
function sightOf(snapshot: Committed, steps: readonly StepRecord[]): StepRecord["saw"] {
  const before = steps.length;
  const instances = new Set(snapshot.instances);
  return (step, scan) => {
    if (scan.newest) return step < before;
    const writer = steps[step]?.instance;
    return writer !== undefined && instances.has(writer);
  };
}

function wait(server: Server, session: Session, holders: readonly string[]): readonly Event[] {
  const { instance } = session.machine;
  const since = session.waiting?.since ?? nextTurn(server);
  session.waiting = { holders, since };
  const event: Event = { kind: "waits", instance, holders };
  const victim = deadlockVictim(server, session);
  if (victim === undefined) return [event];
  return [event, ...abort(server, victim, new SqlFailure("40P01", "deadlock detected"))];
}

function nextTurn(server: Server): number {
  return Math.max(
    0,
    ...[...server.sessions.values()].map((each) => (each.waiting?.since ?? 0) + 1),
  );
}

/** Of a cycle of waiting sessions the one that has waited longest: its deadlock_timeout ends first. */
function deadlockVictim(server: Server, start: Session): Session | undefined {
  const onCycle: Session[] = [];
  const visit = (name: string, path: readonly Session[]): void => {
    const session = sessionOf(server, name);
    if (path.includes(session)) {
      if (session === start) onCycle.push(...path);
      return;
    }
    for (const holder of session.waiting?.holders ?? []) visit(holder, [...path, session]);
  };
  visit(start.machine.instance, []);
  return onCycle.sort((a, b) => (a.waiting?.since ?? 0) - (b.waiting?.since ?? 0))[0];
}

/** The statement failed: a handler of the program goes on, else the transaction is aborted. */
function refuse(
  server: Server,
  session: Session,
  failure: SqlFailure,
  record: StepRecord,
): readonly Event[] {
  if (!handleFailure(session.machine, failure, undoOf(session)))
    return abort(server, session, failure);
  // What it read before it failed decided that the handler runs.
  server.steps = [...server.steps, record];
  session.waiting = undefined;
  return [{ kind: "executed", instance: session.machine.instance }];
}

/** What a statement that fails does. */
const NOTHING = { writes: [], rows: [], affected: 0 };

function failureText(failure: SqlFailure): string {
  return `${failure.code} ${failure.message}`;
}

function abort(server: Server, session: Session, failure: SqlFailure): readonly Event[] {
  const { instance } = session.machine;
  const why = failureText(failure);
  const [, ...woken] = end(server, session, { status: `rolled back: ${why}`, why });
  return [{ kind: "aborted", instance, failure }, ...woken];
}

function end(
  server: Server,
  session: Session,
  how: { readonly status: string; readonly why?: string },
): readonly Event[] {
  const { instance } = session.machine;
  session.ended = how.status;
  session.waiting = undefined;
  session.locks = [];
  if (how.status === COMMITTED) server.newest = committedWith(server, session);
  const record: StepRecord = {
    instance,
    statement: how.status === COMMITTED ? "commit" : "rollback",
    sees: [],
    cells: [],
    scans: [],
    used: new Set(),
    saw: () => false,
    writes: [],
    rows: [],
    affected: 0,
    ...(how.why === undefined ? {} : { why: how.why }),
  };
  server.steps = [...server.steps, record];
  return [{ kind: "ended", instance }, ...wake(server, instance)];
}

/** Those that waited for an instance try again, in the order in which they began to wait. */
function wake(server: Server, instance: string): readonly Event[] {
  const waiting = [...server.sessions.values()]
    .filter((session) => session.waiting?.holders.includes(instance) === true)
    .sort((a, b) => (a.waiting?.since ?? 0) - (b.waiting?.since ?? 0));
  const events: Event[] = [];
  for (const session of waiting) {
    if (session.waiting === undefined) continue;
    const next = nextOf(session.machine, undoOf(session));
    if (next.kind === "statement")
      events.push(...attempt(server, session, next.statement, instance));
  }
  return events;
}

function committedWith(server: Server, session: Session): Committed {
  const { newest } = server;
  return {
    tables: withWrites(server.schema, newest.tables, session.log),
    instances: [...newest.instances, session.machine.instance],
  };
}

function withWrites(
  schema: Schema,
  tables: ReadonlyMap<string, TableRows>,
  writes: readonly Write[],
): ReadonlyMap<string, TableRows> {
  if (writes.length === 0) return tables;
  const after = new Map(tables);
  for (const write of writes)
    after.set(
      write.table,
      applyWrite(findTable(schema, write.table), after.get(write.table) ?? [], write),
    );
  return after;
}

/** A snapshot with the session's own writes. */
function visibleTables(server: Server, session: Session, snapshot: Committed): Tables {
  const tables = withWrites(server.schema, snapshot.tables, session.log);
  const doubled = doubledTables(session, snapshot);
  return {
    rows: (table) => {
      if (doubled.includes(table))
        throw new NotExecutable(
          `the snapshot shows a row of ${table} beside the one inserted in its place`,
        );
      return tables.get(table) ?? [];
    },
  };
}

/**
 * Tables in which PostgreSQL shows two rows with one key: that of the transaction's snapshot, which another one has
 * deleted since, and the transaction's own.
 */
function doubledTables(session: Session, snapshot: Committed): readonly string[] {
  const own = (write: Write) =>
    session.log.some(
      (each) => each.alive === false && each.table === write.table && each.key === write.key,
    );
  const shown = (write: Write) =>
    snapshot.tables.get(write.table)?.some((row) => row.key === write.key && row.alive) === true;
  return session.log
    .filter((write) => write.alive === true && shown(write) && !own(write))
    .map((write) => write.table);
}

function actingOf(server: Server, session: Session): Acting {
  const newest = visibleTables(server, session, server.newest);
  const others = [...server.sessions.values()].filter(
    (each) => each !== session && each.ended === undefined,
  );
  const take = (name: string, mode: string): void => {
    const holders = others
      .filter((each) =>
        each.locks.some((held) => held.name === name && excludes(name, held.mode, mode)),
      )
      .map((each) => each.machine.instance);
    if (holders.length > 0) throw new WaitFor(holders);
    if (!session.locks.some((held) => held.name === name && held.mode === mode))
      session.locks = [...session.locks, { name, mode }];
  };
  return {
    lock: (row, strength, waiting) =>
      lockRow({ level: session.level, newest, take }, row, strength, waiting),
    lockObject: take,
    current: newest.rows,
    awaitDecided: (table, concerns) => {
      const holders = others
        .filter((each) =>
          each.log.some((write) => write.table === table && mayConcern(write, concerns)),
        )
        .map((each) => each.machine.instance);
      if (holders.length > 0) throw new WaitFor(holders);
    },
    firstUpdaterWins: session.level.conflict === "first-updater-wins",
    step: server.steps.length,
  };
}

function mayConcern(write: Write, concerns: (values: Write["values"]) => boolean): boolean {
  const before = write.before?.values;
  return (before !== undefined && concerns(before)) || concerns({ ...before, ...write.values });
}

/** Savepoints and handlers undo the writes since their mark and release the locks taken since. */
function undoOf(session: Session): Undo {
  return {
    mark: () => session.log.length * MARK + session.locks.length,
    undoTo: (mark) => {
      session.log = session.log.slice(0, Math.floor(mark / MARK));
      session.locks = session.locks.slice(0, mark % MARK);
    },
  };
}

/** More locks than a session ever takes: a mark holds two positions in one number. */
const MARK = 1_000_000;
