// The search at one level: plans tuples of growing size, skips supersets of anomalous ones, and collects findings and undecided tuples.
import type { Finding } from "../../analysis/search/unit";
import type { JobFailure } from "../../engine/jobs";
import { restrictLevels } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Planner } from "./plan";
import { RESOURCE_LIMIT } from "./tupleSolver";
import type { Effort, TupleAnswer, TupleSolver } from "./tupleSolver";
import { containsSmaller, gatherTuples } from "./tuples";
import type { Tuple } from "./tuples";

export interface TupleFinding {
  readonly members: readonly number[];
  /** The levels of its members. */
  readonly levels: Levels;
  readonly tuple: Tuple;
  readonly finding: Finding;
}

export interface UndecidedTuple {
  readonly members: readonly number[];
  readonly reason: string;
}

export interface SearchResult {
  readonly findings: readonly TupleFinding[];
  readonly undecided: readonly UndecidedTuple[];
  /** Planned tuples that were not reached before the search stopped. */
  readonly unreached: readonly (readonly number[])[];
  /** The largest size that was searched completely. */
  readonly completed: number;
  /** True if the search was aborted or gave up. */
  readonly cut: boolean;
  /** True if the search is incomplete: it was cut, or the plan was too large. */
  readonly stopped: boolean;
  /** The reason why the solver became unusable. */
  readonly failure?: JobFailure;
}

export interface SearchEvents {
  progress(done: number, total: number, size: number): void;
  found(found: TupleFinding): void;
}

export interface SearchInput {
  /** Ids of the transactions. */
  readonly ids: readonly string[];
  readonly levels: Levels;
  readonly plan: Planner;
  readonly maxTransactions: number;
  readonly solve: TupleSolver;
  /** The number of tuples that are solved concurrently. */
  readonly lanes: number;
  /** The priority of a transaction's tuples within one size, lowest first. */
  readonly rank?: (member: number) => number;
}

/** Outcomes are compared with every serial order; larger tuples have too many orders. */
const MOST_TRANSACTIONS = 4;

/** The tuple size that is searched for a requested maximum. */
export function largestSize(maxTransactions: number): number {
  return Math.min(maxTransactions, MOST_TRANSACTIONS);
}

/** Searches until done or aborted; findings so far are kept. */
export async function search(
  input: SearchInput,
  signal: AbortSignal,
  events: SearchEvents,
): Promise<SearchResult> {
  const state: SearchState = {
    input,
    signal,
    events,
    findings: [],
    undecided: [],
    unreached: [],
    decidedBySmaller: new Set(),
    racing: new Set(),
    complete: true,
    crashes: 0,
    done: 0,
    total: 0,
    failure: undefined,
  };
  const largest = largestSize(input.maxTransactions);
  let completed = 1;
  let cut = false;
  for (let size = 2; size <= largest; size += 1) {
    // Planning is synchronous; a turn of the event loop delivers a pending abort.
    await new Promise((resolve) => setImmediate(resolve));
    const tasks = planSize(state, size);
    state.total += tasks.length;
    await runTasks(state, tasks, size);
    cut = state.unreached.length > 0 || state.failure !== undefined;
    if (cut) break;
    if (state.complete) completed = size;
    cut = signal.aborted && size < largest;
    if (cut) break;
  }
  if (!cut && completed >= 3 && mayHideBehindPairs(state)) {
    const tasks = planSize(state, 3).map((task) => ({ ...task, tuple: evenPartly(task.tuple) }));
    state.total += tasks.length;
    await runTasks(state, tasks, 3);
    cut = state.unreached.length > 0 || state.failure !== undefined;
  }
  return {
    findings: state.findings,
    undecided: state.undecided,
    unreached: state.unreached,
    completed,
    cut,
    stopped: cut || !state.complete,
    ...(state.failure && { failure: state.failure }),
  };
}

/** True if nothing was found or left open, so that triples which contain a harmless two-cycle are worth searching. */
function mayHideBehindPairs({ findings, undecided, signal }: SearchState): boolean {
  return findings.length + undecided.length === 0 && !signal.aborted;
}

function evenPartly(tuple: Tuple): Tuple {
  return { ...tuple, units: tuple.units.map((unit) => ({ ...unit, evenPartly: true })) };
}

interface SearchState {
  readonly input: SearchInput;
  readonly signal: AbortSignal;
  readonly events: SearchEvents;
  readonly findings: TupleFinding[];
  readonly undecided: UndecidedTuple[];
  readonly unreached: (readonly number[])[];
  /** Anomalous multisets of members: their supersets are skipped. */
  readonly decidedBySmaller: Set<string>;
  /** Members of tuples with a confirmed finding. */
  readonly racing: Set<number>;
  /** True if every size so far was planned completely. */
  complete: boolean;
  crashes: number;
  done: number;
  total: number;
  failure: JobFailure | undefined;
}

interface Task {
  readonly tuple: Tuple;
  readonly levels: Levels;
}

/** After this many crashes in one search, the next tuple is expected to crash as well. */
const MOST_CRASHES = 3;

function planSize(state: SearchState, size: number): readonly Task[] {
  const { plan, levels, ids } = state.input;
  const { units, omitted } = plan(levels, size);
  for (const reason of omitted) state.undecided.push({ members: [], reason });
  if (omitted.length > 0) state.complete = false;
  return gatherTuples(units)
    .filter((tuple) => !containsSmaller(tuple.members, state.decidedBySmaller))
    .map((tuple) => {
      const own = tuple.members.map((member) => ids[member] ?? "");
      return { tuple, levels: restrictLevels(levels, own) };
    });
}

/** Fewer tasks per worker do not pay for its start. */
const TASKS_PER_LANE = 30;

/**
 * Effort limits of the rounds over all tasks, so that no task starves the others; the last round is unlimited. Each round is several times
 * as long as the one before, so repeated work is cheap. Effort counts questions, which keeps answers and their order independent of the
 * machine's load.
 */
const TURNS: readonly (Effort | undefined)[] = [
  { questions: 8, resourceLimit: 100_000 },
  { questions: 40, resourceLimit: 300_000 },
  { questions: 200, resourceLimit: RESOURCE_LIMIT },
  undefined,
];

/** Fewer tasks are solved without rounds. */
const FEW_TASKS = 20;

/** Keeps up to `lanes` questions in flight. Results are collected in task order, whichever finishes first. */
async function runTasks(state: SearchState, tasks: readonly Task[], size: number): Promise<void> {
  const answers: (Answered | undefined)[] = tasks.map(() => undefined);
  const lanes = Math.min(state.input.lanes, 1 + Math.floor(tasks.length / TASKS_PER_LANE));
  let open = inLine(tasks, state.input.rank);
  state.events.progress(state.done, state.total, size);
  for (const effort of tasks.length > FEW_TASKS ? TURNS : [undefined]) {
    const next = newestFirst(state, tasks, open);
    const later = new Set<number>();
    const lane = async (): Promise<void> => {
      while (!state.signal.aborted && !state.failure) {
        const number = next() ?? -1;
        const task = tasks[number];
        if (!task) return;
        const answer = await state.input.solve(task.tuple, task.levels, state.signal, effort);
        if (answer.kind === "cancelled") return;
        answers[number] = answer;
        receive(state, task, answer);
        if (isPartial(answer)) later.add(number);
        else state.done += 1;
        state.events.progress(state.done, state.total, size);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    if (state.signal.aborted || state.failure) break;
    open = open.filter((number) => later.has(number));
  }
  for (const [number, task] of tasks.entries()) {
    const answer = answers[number];
    if (answer) collect(state, task, answer);
    if (!answer || isPartial(answer)) state.unreached.push(task.tuple.members);
  }
}

/**
 * Gives the tasks in their order, but those behind all others of whose members each was found to race already: they tell
 * the same once more, as a rule.
 */
function newestFirst(
  { racing }: SearchState,
  tasks: readonly Task[],
  open: readonly number[],
): () => number | undefined {
  const left = [...open].reverse();
  const behind: number[] = [];
  return () => {
    for (let number = left.pop(); number !== undefined; number = left.pop()) {
      if (tasks[number]?.tuple.members.every((member) => racing.has(member)) !== true)
        return number;
      behind.push(number);
    }
    return behind.shift();
  };
}

function isPartial(answer: Answered): boolean {
  return answer.kind === "solved" && answer.partial === true;
}

/** The indexes of the tasks in solving order. */
function inLine(tasks: readonly Task[], rank: SearchInput["rank"]): readonly number[] {
  const numbers = [...tasks.keys()];
  if (!rank) return numbers;
  const ranks = tasks.map(({ tuple }) => Math.min(...tuple.members.map(rank)));
  return numbers.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b);
}

type Answered = Exclude<TupleAnswer, { readonly kind: "cancelled" }>;

/** Handles answers that cannot wait for the other tasks: findings are announced, and a lost solver ends the search. */
function receive(state: SearchState, { tuple, levels }: Task, answer: Answered): void {
  if (answer.kind === "failed") {
    state.crashes += 1;
    const { failure } = answer;
    if (failure.code === "missing" || state.crashes >= MOST_CRASHES) state.failure ??= failure;
    return;
  }
  for (const finding of answer.results.flatMap((result) => result.findings)) {
    if (finding.confirmation.status === "confirmed")
      for (const member of tuple.members) state.racing.add(member);
    state.events.found({ members: tuple.members, levels, tuple, finding });
  }
}

function collect(state: SearchState, { tuple, levels }: Task, answer: Answered): void {
  const { members } = tuple;
  if (answer.kind === "failed") {
    const { failure } = answer;
    if (failure.code !== "missing") state.undecided.push({ members, reason: failure.message });
    else state.unreached.push(members);
    return;
  }
  const findings = answer.results.flatMap((result) => result.findings);
  if (findings.length > 0) state.decidedBySmaller.add(members.join());
  for (const finding of findings) {
    state.findings.push({ members, levels, tuple, finding });
  }
  // A group that is partly solved counts as unreached.
  if (isPartial(answer)) return;
  const reasons = new Set(answer.results.flatMap((result) => result.undecided));
  for (const reason of reasons) state.undecided.push({ members, reason });
}
