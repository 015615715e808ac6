// A simulator of the products' levels at statement granularity: snapshots, blocking row and gap locks, changed rows, and deadlocks.
// levelActions.ts interprets the table of levels. Serialization failures of `ssi` levels are not simulated: a non-serializable history is
// refused as a whole (serializable.ts).
import type { ProductLevel } from "../isolation/levels";
import type { Program } from "../program/program";
import { readsWith } from "../program/snapshotGroup";
import type { Statement } from "../program/statement";
import { checkOpenKeys, openKeysOf } from "./deferredKeys";
import type { Setup } from "./execution";
import { runQuery } from "./evaluateQuery";
import { executeStatement } from "./executeStatement";
import { actingOf, readModeOf, readTables, usesSnapshot } from "./levelActions";
import { NotExecutable, REFUSALS, SqlFailure } from "./failure";
import { StartAgain, WaitFor } from "./frame";
import type { FreshValues } from "./freshValues";
import type { HeldLock } from "./locks";
import {
  commitsAtOnce,
  continueUnit,
  copyMachine,
  declaredLevel,
  deliver,
  endsPart,
  environmentOf,
  handleFailure,
  handleRefusedCommit,
  isUnit,
  nextOf,
  partOf,
  placeOf,
  startMachine,
  type Machine,
  type Next,
  type Undo,
} from "./machine";
import { COMMITTED, transactionAt, type Run, type StepRecord } from "./runRecord";
import { readCells, openRecorder } from "./recorder";
import { initialRows } from "./row";
import { failureText } from "./vendorErrors";
import { withWrites } from "./views";
import type { DatabaseState, Session, Server, Skips } from "./serverState";

export type Event =
  | { readonly kind: "executed" | "ended"; readonly instance: string }
  | {
      readonly kind: "waits";
      readonly instance: string;
      readonly holders: readonly string[];
      readonly wants: HeldLock | undefined;
    }
  /** The server refused a statement and aborted the transaction. */
  | {
      readonly kind: "aborted";
      readonly instance: string;
      readonly failure: SqlFailure;
      /** The product's error text. */
      readonly why: string;
    };

/** The level of an instance or, in a unit, of the transactions that declare a name. */
export type LevelOf = (instance: string, declared?: string) => ProductLevel;

/** A server with the setup's rows and one idle session per instance. Throws NotExecutable. */
export function startServer(
  program: Program,
  setup: Setup,
  levelOf: LevelOf,
  fresh: FreshValues,
  isSerial?: true,
): Server {
  const sessions = setup.instances.map((instance): [string, Session] => [
    instance.instance,
    {
      machine: startMachine(program, instance, fresh),
      level: levelOf(instance.instance),
      levels: (declared) => levelOf(instance.instance, declared),
      snapshot: undefined,
      snapshotOf: undefined,
      isLaterPart: false,
      after: undefined,
      over: 0,
      log: [],
      kept: [],
      locks: [],
      openKeys: [],
      waiting: undefined,
      passed: [],
      searches: 0,
      skips: NO_SKIPS,
      ended: undefined,
    },
  ]);
  const newest = { tables: initialRows(program.schema, setup.initial), instances: [] };
  const { schema } = program;
  const start = { schema, sessions: new Map(sessions), newest, past: [newest], steps: [] };
  return isSerial ? { ...start, isSerial } : start;
}

const NO_SKIPS: Skips = { has: () => false, add: () => undefined };

/** The rows that the session's statement passes by: told where locks are met, repeated where there are none. */
function skipsOf(server: Server, { machine }: Session, { id }: Statement): Skips {
  const { instance, fresh } = machine;
  const isOwn = (step: StepRecord): boolean => step.instance === instance && step.source?.id === id;
  const place = `${instance} ${id} ${String(server.steps.filter(isOwn).length)}`;
  return server.isSerial
    ? { has: (name) => fresh.skipped.has(`${place} ${name}`), add: () => undefined }
    : { has: () => false, add: (name) => fresh.skipped.add(`${place} ${name}`) };
}

/** An independent copy of a server. */
export function copyServer(server: Server): Server {
  const sessions = [...server.sessions].map(([name, session]): [string, Session] => [
    name,
    { ...session, machine: copyMachine(session.machine) },
  ]);
  return { ...server, sessions: new Map(sessions) };
}

/** The number of the session's next statement, or "end". Undefined if it has ended. */
export function nextStatement(session: Session): number | "end" | undefined {
  if (session.ended !== undefined) return undefined;
  const next = nextOfSession(session);
  return next.kind === "statement" ? session.machine.executed + 1 : "end";
}

/** The session's next or waiting statement; undefined if it is about to end, or has ended. */
export function pendingStatement(session: Session): Statement | undefined {
  if (session.ended !== undefined) return undefined;
  const next = nextOfSession(session);
  return next.kind === "statement" ? next.statement : undefined;
}

/** True if the session ends a transaction of a unit next and then continues. */
export function isBetween(session: Session): boolean {
  return session.ended === undefined && endsPart(nextOfSession(session));
}

/**
 * Runs the next statement or end of a session that does not wait, and then of those that waited for it. `begun` is the state at its BEGIN,
 * for levels with a snapshot of BEGIN. Throws NotExecutable if a statement's effect is unknown.
 */
export function advance(server: Server, name: string, begun?: DatabaseState): readonly Event[] {
  const session = sessionOf(server, name);
  const next = nextOfSession(session);
  switch (next.kind) {
    case "statement":
      refuseOtherSnapshot(server, session, next.statement);
      if (opensSnapshot(next.statement)) openSnapshot(server, session, begun);
      session.passed = [];
      return attempt(server, session, next.statement, undefined);
    case "commit":
      return commit(server, session, next, undefined);
    case "rollback":
      if (next.goesOn) return endPart(server, session, next.why);
      return end(server, session, { status: `rolled back: ${next.why}`, why: next.why });
    case "failure":
      return abort(server, session, next.failure);
  }
}

/** Commits the open transaction after checking its open keys. */
function commit(
  server: Server,
  session: Session,
  next: Extract<Next, { kind: "commit" }>,
  waitedFor: string | undefined,
): readonly Event[] {
  try {
    checkOpenKeys(server, session);
  } catch (failure) {
    if (failure instanceof WaitFor) return wait(server, session, failure);
    if (failure instanceof SqlFailure) return refuseCommit(server, session, failure);
    throw failure;
  }
  if (next.goesOn) return endPart(server, session, undefined, waitedFor);
  return end(server, session, { status: COMMITTED, waitedFor });
}

/** Undoes a transaction whose commit failed; in a unit an enclosing handler continues. */
function refuseCommit(server: Server, session: Session, failure: SqlFailure): readonly Event[] {
  const { machine } = session;
  const why = failureText(session.level.product, failure);
  const record = endRecord(machine, why);
  if (!isUnit(machine) || !handleRefusedCommit(machine, failure, undoOf(session)))
    return abort(server, session, failure);
  server.steps = [...server.steps, record];
  const event: Event = { kind: "executed", instance: machine.instance };
  return [event, ...closePart(server, session, false)];
}

/** The finished run; the final rows are those of all commits. */
export function runOf(server: Server): Run {
  const sessions = [...server.sessions.values()];
  return {
    schema: server.schema,
    steps: server.steps,
    writes: sessions.flatMap((session) => session.kept).sort((a, b) => a.step - b.step),
    status: Object.fromEntries(
      sessions.map((session) => [session.machine.instance, session.ended ?? "running"]),
    ),
    machines: sessions.map((session) => session.machine),
    final: server.newest.tables,
  };
}

/** The session's next action, which determines the level. */
function nextOfSession(session: Session): Next {
  const next = nextOf(session.machine, undoOf(session));
  session.level = session.levels(declaredLevel(session.machine));
  return next;
}

function sessionOf(server: Server, name: string): Session {
  const session = server.sessions.get(name);
  if (session === undefined) throw new Error(`no session ${name}`);
  return session;
}

/** Throws NotExecutable if something commits between statements that share a snapshot. */
function refuseOtherSnapshot(server: Server, session: Session, statement: Statement): void {
  const { level, snapshot, snapshotOf, after } = session;
  session.snapshotOf = statement.snapshotOf;
  session.isLaterPart = snapshotOf !== undefined && readsWith(statement, snapshotOf);
  // InnoDB goes to the newest rows where it changes any, whatever its snapshot.
  const seen = isInnodb(level) ? after : snapshot;
  if ((level.snapshot !== "statement" && !isInnodb(level)) || seen === server.newest) return;
  if (session.isLaterPart)
    throw new NotExecutable("nothing commits between the parts of one statement");
}

/**
 * A client's LOCK TABLE runs without a snapshot, so that later statements see the previous holders' writes. A request that may be refused
 * takes it when it is granted: it does not wait, but is made later.
 */
function opensSnapshot(statement: Statement): boolean {
  if (statement.kind !== "lock" || statement.isCalled === true) return true;
  return statement.table === undefined && statement.granted === undefined;
}

function isInnodb({ product }: ProductLevel): boolean {
  return product === "mysql" || product === "mariadb";
}

function openSnapshot(server: Server, session: Session, begun: DatabaseState | undefined): void {
  switch (session.level.snapshot) {
    case "statement":
      // InnoDB's snapshot is taken by the statement's first plain read: a subquery of SET runs after its row is locked.
      session.snapshot = isInnodb(session.level) ? undefined : server.newest;
      return;
    case "first-statement":
      session.snapshot ??= server.newest;
      return;
    case "begin":
      session.snapshot ??= begun ?? server.newest;
      return;
    case "first-plain-read":
      // The read itself takes it; other statements take none.
      return;
  }
}

/** The states of which one may have been the newest at the BEGIN of a session that is about to start. */
export function possibleBegins(
  server: Server,
  name: string,
): readonly (DatabaseState | undefined)[] {
  const session = sessionOf(server, name);
  nextOfSession(session);
  const { level, snapshot, over } = session;
  return level.snapshot === "begin" && snapshot === undefined
    ? server.past.slice(over)
    : [undefined];
}

/** Executes a statement that may have waited before; it keeps the snapshot that it began with. */
function attempt(
  server: Server,
  session: Session,
  statement: Statement,
  waitedFor: string | undefined,
): readonly Event[] {
  const { machine } = session;
  const drawn = { ...machine.drawn };
  const recorder = openRecorder();
  const given: Parameters<typeof openKeysOf>[2][number][] = [];
  session.searches = 0;
  session.skips = skipsOf(server, session, statement);
  const tables = readTables(server, session, statement);
  const recordOf = (
    did: Pick<StepRecord, "writes" | "rows" | "shown" | "affected" | "why">,
  ): StepRecord => ({
    instance: machine.instance,
    statement: machine.executed + 1,
    ...placeOf(machine),
    ...(commitsAtOnce(machine) && { commits: true }),
    level: session.level,
    source: statement,
    sees: seenBy(server, session, statement),
    ...(usesSnapshot(session, statement) ? {} : { current: true }),
    cells: readCells(recorder, server.steps.length),
    scans: recorder.scans,
    attempts: recorder.attempts,
    used: recorder.used,
    saw: sightOf(server, session, statement),
    ...did,
    ...(waitedFor === undefined ? {} : { waitedFor }),
  });
  let withoutStatement: Partial<Session> = {};
  try {
    const result = executeStatement(statement, {
      environment: environmentOf(machine, drawn),
      schema: server.schema,
      tables,
      runQuery,
      scope: undefined,
      acting: {
        ...actingOf(server, session),
        ...(session.level.product === "postgres" && {
          defer: (write, key) => given.push({ write, key }),
        }),
      },
      recorder,
      once: new Map(),
    });
    // The part before it would have waited, too, where it leaves no locks on what it passed by.
    if (waitedFor !== undefined && session.isLaterPart && session.level.locks === "matching")
      throw new NotExecutable("nothing commits between the parts of one statement");
    const { writes, rows, shown, affected } = result;
    const isWhole = commitsAtOnce(machine);
    withoutStatement = { log: session.log, openKeys: session.openKeys };
    session.log = [...session.log, ...writes];
    session.openKeys = [...session.openKeys, ...openKeysOf(server, session, given)];
    if (isWhole) checkOpenKeys(server, session);
    server.steps = [...server.steps, recordOf({ writes, rows, affected, ...(shown && { shown }) })];
    session.waiting = undefined;
    session.passed = [];
    session.after = server.newest;
    if (statement.kind === "lock" && statement.granted !== undefined)
      openSnapshot(server, session, undefined);
    deliver(machine, statement, { ...result, drawn });
    const event: Event = { kind: "executed", instance: machine.instance };
    if (isWhole) return [event, ...closePart(server, session, true)];
    const isFreed = statement.kind === "lock" && statement.releases === true;
    return isFreed ? [event, ...wake(server, machine.instance)] : [event];
  } catch (failure) {
    // Its commit check failed: it will be executed again, or undone.
    Object.assign(session, withoutStatement);
    if (failure instanceof WaitFor) return wait(server, session, failure);
    if (failure instanceof StartAgain) {
      session.snapshot = server.newest;
      return attempt(server, session, statement, waitedFor);
    }
    if (failure instanceof SqlFailure) {
      const why = failureText(session.level.product, failure);
      return refuse(server, session, failure, recordOf({ ...NOTHING, why }));
    }
    throw failure;
  }
}

/** The instances whose commits a statement sees; at READ UNCOMMITTED also those with uncommitted writes. */
function seenBy(server: Server, session: Session, statement: Statement): readonly string[] {
  // Every statement reports a snapshot of BEGIN: a schedule has no step for BEGIN itself.
  if (usesSnapshot(session, statement) || session.level.snapshot === "begin")
    return (session.snapshot ?? server.newest).instances;
  const { instances } = server.newest;
  if (readModeOf(session, statement) !== "uncommitted") return instances;
  const writing = [...server.sessions.values()].filter(
    (each) => each !== session && each.ended === undefined && each.log.length > 0,
  );
  return [...instances, ...writing.map(({ machine }) => openTransaction(machine))];
}

/** Visibility of the statement's searches: current and constraint searches see everything committed, others their snapshot. */
function sightOf(server: Server, session: Session, statement: Statement): StepRecord["saw"] {
  const { steps } = server;
  const before = steps.length;
  // Rows may have been inserted behind the search's position while the statement waited.
  const since = session.waiting?.step ?? before;
  const everything = readModeOf(session, statement) === "uncommitted";
  const instances = new Set((session.snapshot ?? server.newest).instances);
  return (step, scan) => {
    if (scan.newest === "searched") return step < since;
    if (scan.newest || everything) return step < before;
    const writer = steps[step];
    return writer !== undefined && instances.has(transactionAt(writer));
  };
}

function wait(server: Server, session: Session, { holders, wants }: WaitFor): readonly Event[] {
  const { instance } = session.machine;
  const since = session.waiting?.since ?? nextTurn(server);
  session.waiting = { holders, since, step: session.waiting?.step ?? server.steps.length, wants };
  const event: Event = { kind: "waits", instance, holders, wants };
  const victim = deadlockVictim(server, session);
  if (victim === undefined) return [event];
  return [event, ...abort(server, victim, new SqlFailure(REFUSALS.deadlock, "deadlock detected"))];
}

function nextTurn(server: Server): number {
  return Math.max(
    0,
    ...[...server.sessions.values()].map((each) => (each.waiting?.since ?? 0) + 1),
  );
}

/**
 * The victim in a cycle of waiting sessions. PostgreSQL: the one that has waited longest, whose deadlock_timeout ends first. Others: the
 * one that has done least; of equal ones the last to wait.
 */
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
  const since = (session: Session): number => session.waiting?.since ?? 0;
  if (start.level.product === "postgres") return onCycle.sort((a, b) => since(a) - since(b))[0];
  const weight = ({ log, locks }: Session): number => log.length + locks.length;
  return onCycle.sort((a, b) => weight(a) - weight(b) || since(b) - since(a))[0];
}

/** Handles a failed statement: a handler continues, or the transaction is aborted. */
function refuse(
  server: Server,
  session: Session,
  failure: SqlFailure,
  record: StepRecord,
): readonly Event[] {
  if (!handleFailure(session.machine, failure, undoOf(session)))
    return abort(server, session, failure);
  // The reads of the failed statement decided that the handler runs.
  server.steps = [...server.steps, record];
  session.waiting = undefined;
  const event: Event = { kind: "executed", instance: session.machine.instance };
  // The statement was its whole transaction.
  return record.commits === true ? [event, ...closePart(server, session, false)] : [event];
}

/** The effect of a failed statement. */
const NOTHING = { writes: [], rows: [], affected: 0 };

function abort(server: Server, session: Session, failure: SqlFailure): readonly Event[] {
  const { instance } = session.machine;
  const why = failureText(session.level.product, failure);
  const [, ...woken] = end(server, session, { status: `rolled back: ${why}`, why });
  return [{ kind: "aborted", instance, failure, why }, ...woken];
}

function end(
  server: Server,
  session: Session,
  how: {
    readonly status: string;
    readonly why?: string;
    readonly waitedFor?: string | undefined;
  },
): readonly Event[] {
  const { machine } = session;
  const { instance } = machine;
  const commits = how.status === COMMITTED;
  // A unit's commits before its failure stay.
  session.ended = session.kept.length > 0 ? COMMITTED : how.status;
  const isBehind = isUnit(machine) && commits && !isOpen(server, session);
  if (!isBehind) server.steps = [...server.steps, endRecord(machine, how.why, how.waitedFor)];
  return [{ kind: "ended", instance }, ...closePart(server, session, commits && !isBehind)];
}

/** True if a transaction of a unit has begun and not ended. */
function isOpen({ steps }: Server, { machine }: Session): boolean {
  const last = steps.findLast((step) => step.instance === machine.instance);
  return last?.part === partOf(machine);
}

/** Ends a transaction inside of a unit, which continues. */
function endPart(
  server: Server,
  session: Session,
  why?: string,
  waitedFor?: string,
): readonly Event[] {
  server.steps = [...server.steps, endRecord(session.machine, why, waitedFor)];
  const event: Event = { kind: "executed", instance: session.machine.instance };
  return [event, ...closePart(server, session, why === undefined)];
}

/** Commits or undoes the open transaction, releases its locks and snapshot, and wakes the sessions that wait for it. */
function closePart(server: Server, session: Session, commits: boolean): readonly Event[] {
  session.waiting = undefined;
  session.locks =
    session.ended === undefined ? session.locks.filter(({ outlives }) => outlives === true) : [];
  session.openKeys = [];
  if (commits) {
    server.newest = committedWith(server, session);
    server.past = [...server.past, server.newest];
    session.kept = [...session.kept, ...session.log];
  }
  if (isUnit(session.machine)) {
    session.log = [];
    session.snapshot = undefined;
    session.after = undefined;
    session.over = server.past.length - 1;
    continueUnit(session.machine);
  }
  return wake(server, session.machine.instance);
}

function endRecord(machine: Machine, why: string | undefined, waitedFor?: string): StepRecord {
  return {
    instance: machine.instance,
    statement: why === undefined ? "commit" : "rollback",
    ...placeOf(machine),
    sees: [],
    cells: [],
    scans: [],
    used: new Set(),
    saw: () => false,
    writes: [],
    rows: [],
    affected: 0,
    ...(why === undefined ? {} : { why }),
    ...(waitedFor === undefined ? {} : { waitedFor }),
  };
}

/** The name of an instance's current transaction. */
function openTransaction(machine: Machine): string {
  return transactionAt({ instance: machine.instance, ...placeOf(machine) });
}

/** Retries the sessions that waited for an instance, in the order of their waits. */
function wake(server: Server, instance: string): readonly Event[] {
  const waiting = [...server.sessions.values()]
    .filter((session) => session.waiting?.holders.includes(instance) === true)
    .sort((a, b) => (a.waiting?.since ?? 0) - (b.waiting?.since ?? 0));
  const events: Event[] = [];
  for (const session of waiting) {
    if (session.waiting === undefined) continue;
    const next = nextOfSession(session);
    // Table locks are taken before the statement begins.
    const begins = session.waiting.wants?.name.startsWith("table ") === true;
    if (begins && session.level.snapshot === "statement") session.snapshot = server.newest;
    if (next.kind === "statement")
      events.push(...attempt(server, session, next.statement, instance));
    if (next.kind === "commit") events.push(...commit(server, session, next, instance));
  }
  return events;
}

function committedWith(server: Server, session: Session): DatabaseState {
  const { newest } = server;
  return {
    tables: withWrites(server.schema, newest.tables, session.log),
    instances: [...newest.instances, openTransaction(session.machine)],
  };
}

/**
 * Savepoints and handlers undo the writes since their mark; PostgreSQL and similar products release the locks taken since. InnoDB knows
 * nothing of a savepoint before the first statement: a return to it ends all that it holds, and its snapshot.
 */
function undoOf(session: Session): Undo {
  return {
    mark: () =>
      isInnodb(session.level) && session.level.snapshot !== "begin" && session.after === undefined
        ? BEFORE_ALL
        : session.log.length * MARK + session.locks.length,
    undoTo: (mark) => {
      if (mark === BEFORE_ALL) {
        const locks = session.locks.filter(({ outlives }) => outlives);
        Object.assign(session, { log: [], locks, snapshot: undefined, after: undefined });
        return;
      }
      session.log = session.log.slice(0, Math.floor(mark / MARK));
      if (session.level.candidates === "snapshot")
        session.locks = session.locks.filter((each, at) => at < mark % MARK || each.outlives);
    },
  };
}

/** Above the number of a session's locks: a mark encodes two positions in one number. */
const MARK = 1_000_000;
const BEFORE_ALL = -1;
