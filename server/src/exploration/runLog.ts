// Runs a client with serial transactions over a log, where every read chooses its writer. A driver makes the choices: the session to
// continue, and the version to read.
import type { Key, Reply, Request } from "./client";
import { CommitOrder } from "./commitOrder";
import type { WeakLevel } from "./commitOrder";
import type { RunProblem } from "./exploration";
import { awaitValue, startAll } from "./ground";
import type { FinalRun, Ground, Steps } from "./ground";
import { INITIAL, OWN } from "./history";
import type { Event, History, Transaction, TransactionId } from "./history";
import { Log, endTransaction, openTransaction, writesOf } from "./log";
import type { OpenTransaction } from "./log";
import type { Point } from "./unfolding";

export interface Driver {
  /** Picks one of the sessions that want to begin a transaction; they are sorted, and there is at least one. */
  readonly nextSession: (waiting: readonly number[]) => number;
  /** Picks one of the writers that the level allows, latest first; `INITIAL` is the initial state. */
  readonly read: (writers: readonly TransactionId[], at: ReadPlace) => TransactionId;
  /** Called after each commit. */
  readonly committed?: (transactions: readonly Transaction[], order: CommitOrder) => void;
  /**
   * Rejects histories that the log's level allows: a writer is not offered, or a commit fails with 40001. The last transaction may be open.
   */
  readonly admits?: (history: History) => boolean;
}

/** The place of a read in a run; when the run is over, its transaction is in the list. */
export interface ReadPlace {
  readonly transactions: readonly Transaction[];
  /** The index of the transaction, and of its read. */
  readonly index: number;
  readonly place: number;
}

/** The history of a run up to a read, which now reads from that writer. */
export function beginningAt(
  { transactions, index, place }: ReadPlace,
  from: TransactionId,
): History {
  const cut = transactions[index];
  const read = cut?.events[place];
  if (cut === undefined || read?.kind !== "read")
    throw new Error("the run had not come to its end");
  const { id, session, name } = cut;
  const events: Event[] = [...cut.events.slice(0, place), { ...read, from }];
  return {
    transactions: [
      ...transactions.slice(0, index),
      { id, session, index: cut.index, name, events, status: "open" },
    ],
  };
}

/** Follows `plan`, whose last transaction may be open, then the driver. */
export function* runLog(
  ground: Ground,
  level: WeakLevel,
  plan: History,
  driver: Driver,
): Steps<FinalRun> {
  const log = new Log(ground.client.initial);
  const order = new CommitOrder(level);
  const problems: RunProblem[] = [];
  const points = yield* startAll(ground);
  for (;;) {
    yield undefined;
    const planned = plan.transactions[log.transactions.length];
    const session = planned?.session ?? pick(points, driver);
    const begin = points[session ?? -1];
    if (session === undefined || begin?.request === undefined) break;
    const run: Running = { ground, log, order, planned, driver, problems };
    points[session] = yield* runTransaction(run, begin);
    const last = log.transactions.at(-1);
    if (planned?.status !== "committed" && last?.status === "committed")
      driver.committed?.(log.transactions, order);
  }
  if (log.transactions.length < plan.transactions.length)
    problems.push(strayed(plan.transactions[log.transactions.length]?.session ?? 0));
  for (const { problem } of points) if (problem !== undefined) problems.push(problem);
  return { history: log.history(), problems, points };
}

function pick(points: readonly Point[], driver: Driver): number | undefined {
  const waiting: number[] = [];
  points.forEach((point, session) => {
    if (point.request !== undefined) waiting.push(session);
  });
  return waiting.length === 0 ? undefined : driver.nextSession(waiting);
}

interface Running {
  readonly ground: Ground;
  readonly log: Log;
  readonly order: CommitOrder;
  /** The planned transaction. */
  readonly planned: Transaction | undefined;
  readonly driver: Driver;
  readonly problems: RunProblem[];
}

const DONE: Reply = { kind: "done" };
const REFUSED = {
  kind: "failed",
  code: "40001",
  message: "could not serialize access due to concurrent transactions",
} as const;

/** Runs a transaction from `begin` to its end, and appends it to the log. */
function* runTransaction(run: Running, begin: Point): Steps<Point> {
  const { unfolding } = run.ground;
  const name = begin.request?.kind === "begin" ? begin.request.name : undefined;
  const open = openTransaction(begin.session, begin.begun, name);
  run.order.enter(begin.session);
  let point = yield* awaitValue(unfolding.answer(begin, DONE));
  while (point.request !== undefined) {
    const { request } = point;
    if (request.kind === "commit" || request.kind === "abort") {
      const refused = request.kind === "commit" && !mayCommit(run, open);
      const { result } = request;
      close(
        run,
        refused
          ? endTransaction(open, { status: "aborted", failure: REFUSED.message })
          : endTransaction(open, {
              status: request.kind === "commit" ? "committed" : "aborted",
              ...(result !== undefined && { result }),
            }),
      );
      return yield* awaitValue(unfolding.answer(point, refused ? REFUSED : DONE));
    }
    point = yield* awaitValue(unfolding.answer(point, answerTo(run, open, request)));
  }
  close(
    run,
    endTransaction(open, { status: "aborted", failure: point.problem?.message ?? "ended" }),
  );
  return point;
}

function mayCommit({ driver, log }: Running, open: OpenTransaction): boolean {
  if (driver.admits === undefined || open.writes.size === 0) return true;
  const committed = endTransaction({ ...open, events: [...open.events] }, { status: "committed" });
  return driver.admits({ transactions: [...log.transactions, committed] });
}

function close({ log, order, ground }: Running, transaction: Transaction): void {
  log.add(transaction);
  const keys = [...writesOf(transaction).keys()];
  order.commit(keys);
  for (const key of keys) ground.universe.wrote(key);
}

function answerTo(run: Running, open: OpenTransaction, request: Request): Reply {
  switch (request.kind) {
    case "read": {
      if (request.continues !== true) open.statement++;
      return {
        kind: "values",
        values: new Map(
          run.ground.universe.keysOf(request).map((key) => {
            const from = open.writes.has(key) ? OWN : choose(run, open, key);
            const { statement } = open;
            open.events.push({ kind: "read", key, from, statement });
            return [key, run.log.value(open, key, from)];
          }),
        ),
      };
    }
    case "write":
      open.events.push({ kind: "write", key: request.key, value: request.value });
      open.writes.set(request.key, request.value);
      return DONE;
    case "begin":
    case "commit":
    case "abort":
      return DONE;
  }
}

/** The writer of the open transaction's read: as planned, or as the driver picks. */
function choose(run: Running, open: OpenTransaction, key: Key): TransactionId {
  const { log, order, planned, driver } = run;
  const plan = planned?.events[open.events.length];
  if (plan !== undefined) {
    const from = plan.kind === "read" && plan.key === key ? plan.from : undefined;
    const position = from === undefined ? -1 : log.position(from);
    if (position < 0) run.problems.push(strayed(open.session));
    order.read(key, Math.max(0, position), open.statement);
    return position < 0 ? INITIAL : (from ?? INITIAL);
  }
  const beginning = (from: TransactionId): History => {
    const { id, session, index, name, events, statement } = open;
    const read: Event = { kind: "read", key, from, statement };
    const cut = { id, session, index, name, events: [...events, read], status: "open" } as const;
    return { transactions: [...log.transactions, cut] };
  };
  const writers = [...log.writersOf(key)]
    .reverse()
    .concat(INITIAL)
    .filter((from) => order.allows(key, log.position(from), open.statement))
    .filter((from) => driver.admits?.(beginning(from)) ?? true);
  const at = {
    transactions: log.transactions,
    index: log.transactions.length,
    place: open.events.length,
  };
  const from = writers.length > 0 ? driver.read(writers, at) : INITIAL;
  order.read(key, log.position(from), open.statement);
  return from;
}

function strayed(session: number): RunProblem {
  return {
    session,
    kind: "not-deterministic",
    message:
      "did not do what the history that was to be followed says, although all answers were the same. Clocks, random numbers and variables outside of the session are the usual reasons.",
  };
}
