// Explores all histories at the levels up to causal consistency: explore-ce of Bouajjani, Enea and Roman-Calvo (PLDI 2023)
// with a repaired condition for moved reads (`reorderings.ts`). Sound, complete, no history twice, none given up half-way.
import type { Client, Key, Reply, Request } from "./client";
import { CommitOrder } from "./commitOrder";
import type { WeakLevel } from "./commitOrder";
import type { RunProblem, Work } from "./exploration";
import { INITIAL, OWN } from "./history";
import type { Event, History, Transaction, TransactionId } from "./history";
import { Log, ended, openTransaction } from "./log";
import type { OpenTransaction } from "./log";
import { reorderings } from "./reorderings";
import type { Point, Unfolding } from "./unfolding";
import type { Universe } from "./universe";

/** What the explorers run on. */
export interface Ground {
  readonly client: Client;
  readonly unfolding: Unfolding;
  readonly universe: Universe;
}

/** A run that came to its end: the history, and the last points of the sessions. */
export interface Finished {
  readonly history: History;
  readonly problems: readonly RunProblem[];
  readonly points: readonly Point[];
}

/** Yields what has to be awaited before it can go on. */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/**
 * Runs the first history that begins with `work`, and hands on the beginnings of all others. Of these the last one is
 * to be explored first; then no more of them are kept at a time than decisions of one history allow.
 */
export function* runCausal(
  ground: Ground,
  level: WeakLevel,
  work: History,
  more: (work: Work) => void,
): Steps<Finished> {
  const planned = work.transactions;
  const log = new Log(ground.client.initial);
  const order = new CommitOrder(level);
  const problems: RunProblem[] = [];
  const points = yield* startAll(ground);
  for (;;) {
    const plan = planned[log.transactions.length];
    const session = plan?.session ?? points.findIndex((point) => point.request !== undefined);
    const waiting = points[session];
    if (waiting?.request === undefined) {
      if (plan !== undefined) problems.push(strayed(plan));
      break;
    }
    const run: Running = { ground, log, order, plan, more };
    const point = yield* runTransaction(run, waiting);
    points[session] = point;
    if (plan?.status === "committed" || log.transactions.at(-1)?.status !== "committed") continue;
    for (const history of reorderings(log.transactions, order, level))
      more({ kind: "history", history });
  }
  for (const { problem } of points) if (problem !== undefined) problems.push(problem);
  return { history: log.history(), problems, points };
}

/** The first points of all sessions. */
export function* startAll({ client, unfolding }: Ground): Steps<Point[]> {
  const points: Point[] = [];
  for (let session = 0; session < client.sessions.length; session++)
    points.push(yield* settled(unfolding.start(session)));
  return points;
}

/** The value, awaited where it is not there yet. */
export function* settled<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  let result: { readonly value: T } | undefined;
  yield value.then((got) => (result = { value: got }));
  if (result === undefined) throw new Error("went on before what was waited for was there");
  return result.value;
}

interface Running {
  readonly ground: Ground;
  readonly log: Log;
  readonly order: CommitOrder;
  /** The transaction as it was in the history that this run begins with. */
  readonly plan: Transaction | undefined;
  readonly more: (work: Work) => void;
}

const DONE: Reply = { kind: "done" };

/** Runs a transaction from its `begin` to its end, and puts it into the log. */
function* runTransaction(run: Running, begin: Point): Steps<Point> {
  const { unfolding, universe } = run.ground;
  const name = begin.request?.kind === "begin" ? begin.request.name : undefined;
  const open = openTransaction(begin.session, begin.begun, name);
  run.order.enter(begin.session);
  let point = yield* settled(unfolding.answer(begin, DONE));
  while (point.request !== undefined) {
    const { request } = point;
    const reply = answerTo(run, open, request);
    point = yield* settled(unfolding.answer(point, reply));
    if (request.kind !== "commit" && request.kind !== "abort") continue;
    const status = request.kind === "commit" ? "committed" : "aborted";
    const { result } = request;
    close(run, ended(open, { status, ...(result !== undefined && { result }) }));
    for (const key of open.writes.keys()) universe.wrote(key);
    return point;
  }
  close(run, ended(open, { status: "aborted", failure: point.problem?.message ?? "ended" }));
  return point;
}

function close({ log, order }: Running, transaction: Transaction): void {
  log.add(transaction);
  const keys = new Set<Key>();
  if (transaction.status === "committed")
    for (const event of transaction.events) if (event.kind === "write") keys.add(event.key);
  order.commit(keys);
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

/** Whom the open transaction reads from: as planned, or the latest writer, and the others are handed on. */
function choose(run: Running, open: OpenTransaction, key: Key): TransactionId {
  const { log, order, plan } = run;
  const planned = plan?.events[open.events.length];
  if (planned !== undefined) {
    const from = planned.kind === "read" && planned.key === key ? planned.from : INITIAL;
    order.read(key, Math.max(0, log.position(from)));
    return from;
  }
  const writers = log.writersOf(key);
  let chosen: TransactionId | undefined;
  const others: TransactionId[] = [];
  for (let index = writers.length - 1; index >= -1; index--) {
    const from = writers[index] ?? INITIAL;
    if (!order.allows(key, log.position(from))) continue;
    if (chosen === undefined) chosen = from;
    else others.push(from);
  }
  for (const from of others.reverse()) {
    const { id, session, index, name, events, statement } = open;
    const read: Event = { kind: "read", key, from, statement };
    const cut: Transaction = {
      id,
      session,
      index,
      name,
      events: [...events, read],
      status: "open",
    };
    run.more({
      kind: "history",
      history: { transactions: [...log.transactions, cut] },
    });
  }
  chosen ??= INITIAL;
  order.read(key, log.position(chosen));
  return chosen;
}

function strayed(plan: Transaction): RunProblem {
  return {
    session: plan.session,
    kind: "not-deterministic",
    message: "ended before a transaction that it had run earlier with the same answers.",
  };
}
