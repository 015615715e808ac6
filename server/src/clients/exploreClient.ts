// One exploration of a client at one level: every execution is checked against the assertions.
import type { Client, Key, Value } from "../exploration/client";
import type {
  ExploreEvent,
  ExploreSummary,
  Run,
  RunProblem,
  StoreLevel,
  Work,
} from "../exploration/exploration";
import { exploreAsync, exploreSync } from "../exploration/explore";
import { randomRuns } from "../exploration/randomRuns";
import { INITIAL, OWN, type FinalState, type History } from "../exploration/history";
import type { TransactionOutcome } from "./assertionExpression";
import { AssertionFault, isRecord, type ResultValue } from "./assertionValues";
import { abortReason, plainResult, type Assertion } from "./assertions";
import { baseName, RESULT_MARK, type ExplorableClient } from "./explorableClient";

export interface ClientExploration {
  /** Different histories (exhaustive), or runs (random). */
  readonly histories: number;
  /** True if every history of the level was seen. */
  readonly exhausted: boolean;
  /** The number of different outcomes: results of all transactions, and final rows. */
  readonly statesSeen: number;
  /** A text per different outcome. */
  readonly states: ReadonlySet<string>;
  /** By index of the assertion. */
  readonly broken: ReadonlyMap<number, BrokenAssertion>;
  /** Assertions without a value in some execution, by index. */
  readonly faults: ReadonlyMap<number, string>;
  /** Problems of the client's own code, without duplicates. */
  readonly problems: readonly RunProblem[];
  /** The number of runs that could not be completed at the level. */
  readonly blocked: number;
  /** The remaining work of a stopped exhaustive exploration. */
  readonly remaining: readonly Work[];
  readonly universe: readonly string[];
  /** True if a key turned up that other parts of the exploration lack: all parts must restart. */
  readonly restarted: boolean;
}

export interface BrokenAssertion {
  /** The history, in a possible commit order for the state. */
  readonly history: History;
  readonly state: ReadonlyMap<Key, Value>;
  /** The number of histories that violate it. */
  readonly count: number;
  /** The number of the first one, from 1. */
  readonly first: number;
  /** The number of stale reads: fewer are clearer. */
  readonly stale: number;
}

export interface ExploreClientOptions {
  readonly level: StoreLevel;
  /** Polled between runs. */
  readonly stop: () => boolean;
  /** Called after each run with the number of runs and of violated assertions. */
  readonly progress?: (runs: number, broken: number) => void;
  /** True to end when each assertion has been violated once. */
  readonly first?: boolean;
  readonly turn?: () => Promise<void>;
  /** The part of an exhaustive exploration, and the known keys; see `ExploreOptions`. */
  readonly from?: readonly Work[];
  readonly universe?: readonly string[];
}

/** Explores a client exhaustively. */
export async function exploreClient(
  client: ExplorableClient,
  assertions: readonly Assertion[],
  options: ExploreClientOptions,
): Promise<ClientExploration> {
  const { initial, uniqueValues } = client;
  const runnable: Client = { initial, uniqueValues, sessions: client.open() };
  let judge = openJudge(assertions);
  let done = false;
  let restarted = false;
  const { level, turn, from, universe } = options;
  const asked = {
    level,
    stop: () => done || options.stop(),
    ...(turn && { turn }),
    ...(from && { from }),
    ...(universe && { universe }),
  };
  const take = async (event: ExploreEvent): Promise<void> => {
    if (event.kind === "restart") {
      judge = openJudge(assertions);
      restarted = options.from !== undefined;
      return;
    }
    await judge.take(event.run);
    options.progress?.(judge.runs(), judge.broken.size);
    done = options.first === true && judge.broken.size === assertions.length;
  };
  let summary: ExploreSummary;
  if (runnable.sessions.every(({ kind }) => kind === "sync")) {
    const steps = exploreSync(runnable, asked);
    for (;;) {
      const step = steps.next();
      if (step.done === true) {
        summary = step.value;
        break;
      }
      await take(step.value);
    }
  } else {
    const steps = exploreAsync(runnable, asked);
    for (;;) {
      const step = await steps.next();
      if (step.done === true) {
        summary = step.value;
        break;
      }
      await take(step.value);
    }
  }
  const { histories, exhausted, blocked, remaining } = summary;
  return {
    ...judge.result(),
    histories,
    exhausted,
    blocked,
    remaining,
    universe: summary.universe,
    restarted,
  };
}

/** Runs a client at random; seeds are counted from the given one. */
export async function randomClient(
  client: ExplorableClient,
  assertions: readonly Assertion[],
  options: ExploreClientOptions & { readonly runs: number; readonly seed: number },
): Promise<ClientExploration> {
  const { initial, uniqueValues } = client;
  const runnable: Client = { initial, uniqueValues, sessions: client.open() };
  const judge = openJudge(assertions);
  const { level, turn } = options;
  const driver = randomRuns(runnable, { level, ...(turn && { turn }) });
  const sync = runnable.sessions.every(({ kind }) => kind === "sync");
  while (judge.runs() < options.runs && !options.stop()) {
    const seed = options.seed + judge.runs();
    await judge.take(sync ? driver.runSync(seed) : await driver.run(seed));
    options.progress?.(judge.runs(), judge.broken.size);
    if (options.first === true && judge.broken.size === assertions.length) break;
  }
  return {
    ...judge.result(),
    histories: judge.runs(),
    exhausted: false,
    blocked: 0,
    remaining: [],
    universe: driver.universe(),
    restarted: false,
  };
}

type Judged = Pick<ClientExploration, "statesSeen" | "states" | "broken" | "faults" | "problems">;

/** Evaluates assertions on runs. */
export interface Judge {
  readonly broken: ReadonlyMap<number, BrokenAssertion>;
  /** Takes a run; a faulty run is counted, and violates nothing. */
  readonly take: (run: Run) => Promise<void>;
  /** Takes a run by its history and possible final states. */
  readonly takeOutcome: (history: History, states: readonly FinalState[]) => Promise<void>;
  readonly runs: () => number;
  readonly result: () => Judged;
}

export function openJudge(assertions: readonly Assertion[]): Judge {
  const broken = new Map<number, BrokenAssertion>();
  const faults = new Map<number, string>();
  const problems = new Map<string, RunProblem>();
  /** Violated assertions by outcome text: many histories share few outcomes. */
  const known = new Map<string, readonly number[]>();
  const seen = new Set<string>();
  let runs = 0;

  async function brokenBy(
    outcomes: Outcomes,
    state: ReadonlyMap<Key, Value>,
  ): Promise<readonly number[]> {
    const found: number[] = [];
    for (const [at, assertion] of assertions.entries()) {
      try {
        if (!(await assertion.holds({ outcome: outcomes.of, state }))) found.push(at);
      } catch (error) {
        if (!(error instanceof AssertionFault)) throw error;
        if (!faults.has(at)) faults.set(at, error.message);
      }
    }
    return found;
  }

  async function takeOutcome(history: History, finals: readonly FinalState[]): Promise<void> {
    runs += 1;
    const outcomes = outcomesOf(history);
    const here = new Map<number, FinalState>();
    for (const final of finals) {
      const state = valuesOf(final);
      const text = `${outcomes.text}\u0001${stateText(state)}`;
      seen.add(text);
      let places = known.get(text);
      if (places === undefined) {
        places = await brokenBy(outcomes, state);
        known.set(text, places);
      }
      for (const at of places) if (!here.has(at)) here.set(at, final);
    }
    for (const [at, final] of here) {
      const before = broken.get(at);
      const stale = staleReads(history);
      const better = before === undefined || stale < before.stale;
      broken.set(at, {
        history: better ? inCommitOrder(history, final) : before.history,
        state: better ? valuesOf(final) : before.state,
        stale: better ? stale : before.stale,
        count: (before?.count ?? 0) + 1,
        first: before?.first ?? runs,
      });
    }
  }

  return {
    broken,
    runs: () => runs,
    async take(run) {
      for (const problem of run.problems)
        problems.set(`${problem.kind} ${problem.message}`, problem);
      // An incomplete run says nothing about its end.
      if (run.problems.length > 0) runs += 1;
      else await takeOutcome(run.history, run.finalStates());
    },
    takeOutcome,
    result: () => ({
      statesSeen: seen.size,
      states: seen,
      broken,
      faults,
      problems: [...problems.values()],
    }),
  };
}

interface Outcomes {
  readonly byName: ReadonlyMap<string, TransactionOutcome>;
  readonly of: (session: number, transaction: number) => TransactionOutcome | undefined;
  readonly text: string;
}

/** Outcomes of the client's transactions, by name. */
export function outcomesOf({ transactions }: History): Outcomes {
  const byName = new Map<string, TransactionOutcome>();
  const ordered = [...transactions].sort((a, b) => a.id - b.id);
  for (const { name = "", status, result, failure } of ordered) {
    const carried = name.startsWith(RESULT_MARK);
    byName.set(
      baseName(name),
      carried
        ? carriedOutcome(plainResult(result))
        : status === "committed"
          ? { status: "committed", result: plainResult(result) }
          : { status: "aborted", result: null, error: failure ?? abortReason(result) },
    );
  }
  const text = JSON.stringify([...byName]);
  const of = (session: number, transaction: number): TransactionOutcome | undefined =>
    byName.get(`s${String(session + 1)}[${String(transaction)}]`);
  return { byName, of, text };
}

/** A function's result: a value, or the error that it threw. */
function carriedOutcome(result: ResultValue): TransactionOutcome {
  if (!isRecord(result)) return { status: "committed", result };
  const { value = null, error } = result;
  return typeof error === "string"
    ? { status: "aborted", result: null, error }
    : { status: "committed", result: value };
}

/**
 * The history in an order that ends in this state: writers before their readers, sessions in order, and the last writer of each key after
 * its other writers. Unchanged if there is no such order.
 */
function inCommitOrder({ transactions }: History, final: FinalState): History {
  const before = new Map<number, Set<number>>(transactions.map(({ id }) => [id, new Set()]));
  for (const [at, { id, session, events, status }] of transactions.entries()) {
    const own = before.get(id);
    const previous = transactions.slice(0, at).findLast((each) => each.session === session);
    if (previous) own?.add(previous.id);
    for (const event of events) {
      if (event.kind === "read") {
        if (before.has(event.from)) own?.add(event.from);
      } else if (status === "committed") {
        const last = final.get(event.key)?.writer;
        if (last !== undefined && last !== id) before.get(last)?.add(id);
      }
    }
  }
  const waiting = [...transactions];
  const ordered: typeof waiting = [];
  while (waiting.length > 0) {
    const ready = waiting.findIndex(({ id }) =>
      [...(before.get(id) ?? [])].every((each) => ordered.some((done) => done.id === each)),
    );
    if (ready < 0) return { transactions };
    ordered.push(...waiting.splice(ready, 1));
  }
  return { transactions: ordered };
}

/** A state without its writers. */
export function valuesOf(final: FinalState): ReadonlyMap<Key, Value> {
  return new Map([...final].map(([key, { value }]) => [key, value]));
}

function stateText(state: ReadonlyMap<Key, Value>): string {
  const keys = [...state.keys()].sort();
  return keys.map((key) => `${key}=${JSON.stringify(state.get(key)) ?? ""}`).join("\u0000");
}

/** The number of reads of a version that another transaction had already replaced, in run order. */
export function staleReads({ transactions }: History): number {
  const newest = new Map<Key, number>();
  let stale = 0;
  for (const { id, events, status } of transactions) {
    for (const event of events)
      if (event.kind === "read" && event.from !== OWN)
        stale += Number(event.from !== (newest.get(event.key) ?? INITIAL));
    if (status !== "committed") continue;
    for (const event of events) if (event.kind === "write") newest.set(event.key, id);
  }
  return stale;
}
