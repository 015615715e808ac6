// The search at one level: plans tuples of growing size, skips those that contain an anomalous smaller one, and
// collects findings and what stayed undecided.
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
  /** Those of its members. */
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
  /** Tuples that were planned and not reached, because the search was stopped. */
  readonly unreached: readonly (readonly number[])[];
  /** The largest size that was searched to its end. */
  readonly completed: number;
  /** It was aborted, or gave up, before its end. */
  readonly cut: boolean;
  /** Not all that was asked for was searched: it was cut, or the plan was too large. */
  readonly stopped: boolean;
  /** The reason why the solver could not be used any more. */
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
  /** How many tuples are asked about at the same time. */
  readonly lanes: number;
  /** The place in line of a transaction's tuples among those of one size: the lowest first. */
  readonly rank?: (member: number) => number;
}

/** Outcomes are compared with every serial order: of more transactions there are too many. */
const MOST_TRANSACTIONS = 4;

/** How many transactions at a time are searched when so many are asked for. */
export function largestSize(maxTransactions: number): number {
  return Math.min(maxTransactions, MOST_TRANSACTIONS);
}

/** Searches until done or until the signal aborts; what was found until then is kept. */
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
    // Planning is synchronous; a turn of the event loop lets an abort that came meanwhile be seen.
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

/**
 * Nothing was found or left open: then it is worth while to look for three of which two form a cycle that is harmless by
 * itself.
 */
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
  /** Members of anomalous multisets: their supersets need no question. */
  readonly decidedBySmaller: Set<string>;
  /** True if every size so far was planned whole. */
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

/** So many crashes in one search mean that the next tuple will crash as well. */
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
 * How far each task is followed in turn, so that none eats the time of the others before they were asked; at last as far
 * as it goes. Each turn is several times as long as the one before: what is asked again costs little beside it. Effort is
 * counted in questions, so that a busy machine gives the same answers in the same order, later.
 */
const TURNS: readonly (Effort | undefined)[] = [
  { questions: 8, resourceLimit: 100_000 },
  { questions: 40, resourceLimit: 300_000 },
  { questions: 200, resourceLimit: RESOURCE_LIMIT },
  undefined,
];

/** So few tasks need no turns. */
const FEW_TASKS = 20;

/** Keeps up to `lanes` questions in flight. What is collected is in the order of the tasks, whoever ended first. */
async function runTasks(state: SearchState, tasks: readonly Task[], size: number): Promise<void> {
  const answers: (Answered | undefined)[] = tasks.map(() => undefined);
  const lanes = Math.min(state.input.lanes, 1 + Math.floor(tasks.length / TASKS_PER_LANE));
  let open = inLine(tasks, state.input.rank);
  state.events.progress(state.done, state.total, size);
  for (const effort of tasks.length > FEW_TASKS ? TURNS : [undefined]) {
    let next = 0;
    const later = new Set<number>();
    const lane = async (): Promise<void> => {
      while (!state.signal.aborted && !state.failure) {
        const number = open[next] ?? -1;
        const task = tasks[number];
        next += 1;
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

function isPartial(answer: Answered): boolean {
  return answer.kind === "solved" && answer.partial === true;
}

/** The numbers of the tasks as they are asked. */
function inLine(tasks: readonly Task[], rank: SearchInput["rank"]): readonly number[] {
  const numbers = [...tasks.keys()];
  if (!rank) return numbers;
  const ranks = tasks.map(({ tuple }) => Math.min(...tuple.members.map(rank)));
  return numbers.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b);
}

type Answered = Exclude<TupleAnswer, { readonly kind: "cancelled" }>;

/** Messages that cannot wait for the other tasks: findings are announced, and a solver that is gone ends the search. */
function receive(state: SearchState, { tuple, levels }: Task, answer: Answered): void {
  if (answer.kind === "failed") {
    state.crashes += 1;
    const { failure } = answer;
    if (failure.code === "missing" || state.crashes >= MOST_CRASHES) state.failure ??= failure;
    return;
  }
  for (const finding of answer.results.flatMap((result) => result.findings))
    state.events.found({ members: tuple.members, levels, tuple, finding });
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
  // An unfinished group stands among what was not reached.
  if (isPartial(answer)) return;
  const reasons = new Set(answer.results.flatMap((result) => result.undecided));
  for (const reason of reasons) state.undecided.push({ members, reason });
}
