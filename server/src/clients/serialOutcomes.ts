// The outcomes of a client's serial orders that keep each session's order. Orders that reach the same state of rows and sessions are
// merged, so that few runs cover many orders.
import type { Key, Reply, Request, Value } from "../exploration/client";
import type { RunLimits, RunProblem } from "../exploration/exploration";
import {
  INITIAL,
  OWN,
  transactionId,
  type Event,
  type FinalState,
  type History,
  type Transaction,
} from "../exploration/history";
import { unfold, type Point, type Unfolding } from "../exploration/unfolding";
import type { ExplorableClient } from "./explorableClient";

export interface SerialOutcome {
  /** The run of one order with this outcome. */
  readonly history: History;
  readonly state: FinalState;
}

export interface SerialOutcomes {
  readonly outcomes: readonly SerialOutcome[];
  /** True if all orders are covered. */
  readonly exhausted: boolean;
  readonly problems: readonly RunProblem[];
}

export interface SerialLimits extends RunLimits {
  /** Limit of different intermediate states. */
  readonly states: number;
  /** Polled at every request. */
  readonly stop: () => boolean;
}

/** Runs all serial orders. At most one run per outcome is kept. */
export async function serialOutcomes(
  client: ExplorableClient,
  limits: SerialLimits,
): Promise<SerialOutcomes> {
  const sessions = client.open();
  const unfolding = unfold({ initial: client.initial, sessions }, limits);
  const first: Point[] = [];
  for (const session of sessions.keys()) first.push(await unfolding.start(session));
  const numbers = new Map<Point, number>();
  const numberOf = (point: Point): number => {
    const known = numbers.get(point) ?? numbers.size;
    numbers.set(point, known);
    return known;
  };
  const outcomes: SerialOutcome[] = [];
  const problems: RunProblem[] = [];
  const seen = new Set<string>();
  let layer: readonly Standing[] = [{ points: first, rows: initialRows(client), run: undefined }];
  let exhausted = true;
  while (layer.length > 0) {
    const next: Standing[] = [];
    for (const standing of layer) {
      let ended = true;
      for (const [session, point] of standing.points.entries()) {
        if (point.request === undefined) continue;
        ended = false;
        if (seen.size >= limits.states || limits.stop()) {
          exhausted = false;
          continue;
        }
        const after = await runTransaction(unfolding, standing, session, limits.stop);
        if (after === undefined) {
          exhausted = false;
          continue;
        }
        const place = `${after.points.map(numberOf).join(" ")}|${rowsText(after.rows)}`;
        if (seen.has(place)) continue;
        seen.add(place);
        next.push(after);
      }
      if (!ended) continue;
      const wrong = standing.points.flatMap(({ problem }) => problem ?? []);
      problems.push(...wrong);
      // An incomplete order has no outcome.
      if (wrong.length === 0)
        outcomes.push({ history: historyOf(standing.run), state: existing(standing.rows) });
    }
    layer = next;
  }
  return { outcomes, exhausted, problems };
}

/** An intermediate state of orders. */
interface Standing {
  readonly points: readonly Point[];
  readonly rows: FinalState;
  readonly run: Ran | undefined;
}

interface Ran {
  readonly transaction: Transaction;
  readonly before: Ran | undefined;
}

/** Undefined if it was stopped half-way. */
async function runTransaction(
  unfolding: Unfolding,
  { points, rows, run }: Standing,
  session: number,
  stop: () => boolean,
): Promise<Standing | undefined> {
  const begin = points[session];
  const index = begin?.begun ?? 0;
  const id = transactionId(session, index);
  const events: Event[] = [];
  const own = new Map<Key, Value>();
  let statement = -1;
  let status: Transaction["status"] = "aborted";
  let name: string | undefined;
  let result: Value;
  const answer = (request: Request): Reply => {
    switch (request.kind) {
      case "begin":
        ({ name } = request);
        return DONE;
      case "read": {
        if (request.continues !== true) statement += 1;
        const values = new Map<Key, Value>();
        for (const key of keysOf(request, rows, own)) {
          const from = own.has(key) ? OWN : (rows.get(key)?.writer ?? INITIAL);
          events.push({ kind: "read", key, from, statement });
          values.set(key, from === OWN ? own.get(key) : rows.get(key)?.value);
        }
        return { kind: "values", values };
      }
      case "write":
        events.push({ kind: "write", key: request.key, value: request.value });
        own.set(request.key, request.value);
        return DONE;
      case "commit":
        status = "committed";
        ({ result } = request);
        return DONE;
      case "abort":
        ({ result } = request);
        return DONE;
    }
  };
  let point = begin;
  while (point?.request !== undefined) {
    const { request }: { readonly request?: Request | undefined } = point;
    if (request === undefined) break;
    if (stop()) return undefined;
    point = await unfolding.answer(point, answer(request));
    if (request.kind === "commit" || request.kind === "abort") break;
  }
  const after = new Map(rows);
  // The compiler does not track assignments made while answering.
  if ((status as Transaction["status"]) === "committed")
    for (const [key, value] of own) after.set(key, { value, writer: id });
  const transaction: Transaction = {
    id,
    session,
    index,
    name,
    events,
    status,
    ...(result !== undefined && { result }),
    ...(point?.problem !== undefined && { failure: point.problem.message }),
  };
  return {
    points: points.map((each, at) => (at === session && point !== undefined ? point : each)),
    rows: after,
    run: { transaction, before: run },
  };
}

const DONE: Reply = { kind: "done" };

/** The requested keys, then those found by scans, sorted. */
function keysOf(
  { keys, scans = [] }: Extract<Request, { kind: "read" }>,
  rows: FinalState,
  own: ReadonlyMap<Key, Value>,
): readonly Key[] {
  if (scans.length === 0) return keys;
  const asked = new Set(keys);
  const met = [...new Set([...rows.keys(), ...own.keys()])].filter(
    (key) => !asked.has(key) && scans.some((scan) => key.startsWith(scan)),
  );
  return [...keys, ...met.sort()];
}

function initialRows({ initial }: ExplorableClient): FinalState {
  return new Map([...initial].map(([key, value]) => [key, { value, writer: INITIAL }]));
}

/** The state without removed keys. */
function existing(rows: FinalState): FinalState {
  return new Map([...rows].filter(([, { value }]) => value !== undefined));
}

function rowsText(rows: FinalState): string {
  return [...rows]
    .map(([key, { value }]) => `${key}=${JSON.stringify(value) ?? ""}`)
    .sort()
    .join("\u0000");
}

function historyOf(run: Ran | undefined): History {
  const transactions: Transaction[] = [];
  for (let at = run; at !== undefined; at = at.before) transactions.push(at.transaction);
  return { transactions: transactions.reverse() };
}
