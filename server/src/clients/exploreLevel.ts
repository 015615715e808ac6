// A client program at one level, from its serial orders to a report: violations by serial orders come first, then the level is explored,
// and each violation is shown by the smallest part of the client that has it.
import { leftOutAt } from "../exploration/copyRules";
import type { StoreLevel } from "../exploration/exploration";
import { indexOfId } from "../exploration/history";
import { findLevel, type Level } from "../isolation/levels";
import type { Program } from "../program/program";
import type {
  ExplorationReport,
  ExplorationUnknown,
  ExplorationViolation,
} from "../protocol/exploration";
import type { Verdict } from "../protocol/report";
import type { Range } from "../protocol/source";
import { durationWords } from "../workspace/duration";
import type { Assertion } from "./assertions";
import {
  exploreClient,
  openJudge,
  randomClient,
  type BrokenAssertion,
  type ClientExploration,
} from "./exploreClient";
import type { ExplorableClient } from "./explorableClient";
import {
  exploreParts,
  historiesIn,
  partRunner,
  type PartRunner,
  type PartsBegin,
  type PartsResult,
} from "./exploreParts";
import { smallestBreak, type SmallestBreak } from "./minimise";
import { serialOutcomes, type SerialOutcomes } from "./serialOutcomes";
import { violationOf } from "./tellViolation";

export interface ExploreLevelInput {
  /** The user's name of the client. */
  readonly name: string;
  readonly client: ExplorableClient;
  readonly assertions: readonly Assertion[];
  readonly program: Program;
  readonly tool: string;
}

export interface ExploreLevelOptions {
  readonly level: StoreLevel;
  readonly driver:
    | { readonly kind: "exhaustive" }
    | { readonly kind: "random"; readonly runs: number; readonly seed: number };
  /** Milliseconds for the exploration; minimisation gets a fraction of it in addition. */
  readonly budget: number;
  readonly now: () => number;
  readonly cancelled: () => boolean;
  readonly progress: (progress: ExploreProgress) => void;
  readonly turn?: () => Promise<void>;
  /** Helpers that explore parts for the assertions at these indexes; used if an exploration takes longer. */
  readonly helpers?: (assertions: readonly number[]) => readonly PartRunner[];
  /** The saved state of an exhaustive exploration of the same client at the same level. */
  readonly begin?: SavedExploration;
}

/** The state of a stopped exhaustive exploration: its findings and remaining work. */
export interface SavedExploration extends PartsBegin {
  /** Indexes of its assertions. */
  readonly assertions: readonly number[];
}

export interface LevelOutcome {
  readonly report: ExplorationReport;
  /** The state from which an exhaustive exploration can continue. */
  readonly saved?: SavedExploration;
}

export interface ExploreProgress {
  readonly stage: "serial" | "exploring" | "smallest";
  readonly histories: number;
  /** The number of violated assertions so far. */
  readonly broken: number;
}

/** Explores and reports. Never rejects for the client's behaviour. */
export async function exploreLevel(
  input: ExploreLevelInput,
  options: ExploreLevelOptions,
): Promise<LevelOutcome> {
  const { client, assertions } = input;
  const { level, now, cancelled, progress, budget } = options;
  const end = now() + budget;
  const stop = (): boolean => cancelled() || now() > end;
  const turn = options.turn && { turn: options.turn };

  progress({ stage: "serial", histories: 0, broken: 0 });
  const serialEnd = now() + budget / 4;
  const serial = await serialOutcomes(client, {
    states: MOST_SERIAL_STATES,
    stop: () => cancelled() || now() > serialEnd,
    ...turn,
  });
  const serialJudge = openJudge(assertions);
  for (const { history, state } of serial.outcomes) await serialJudge.takeOutcome(history, [state]);

  const places =
    options.begin?.assertions ??
    assertions.flatMap((_, at) => (serialJudge.broken.has(at) ? [] : [at]));
  const concurrent = places.flatMap((at) => assertions[at] ?? []);
  const explored = await explore(
    client,
    concurrent,
    options,
    stop,
    places,
    serialJudge.broken.size,
  );

  progress({ stage: "smallest", histories: explored.histories, broken: explored.broken.size });
  const violations: ExplorationViolation[] = [];
  const smallestEnd = now() + Math.min(MOST_FOR_SMALLEST, Math.max(1000, budget / 2));
  const enough = (): boolean => cancelled() || now() > smallestEnd;
  for (const [at, assertion] of assertions.entries()) {
    const broken = serialJudge.broken.get(at);
    if (broken === undefined) continue;
    const asked = { level, stop: enough, serial: true, ...turn };
    const smallest =
      (await smallestBreak(client, assertion, asked)) ?? wholeClient(client, broken, serial);
    violations.push(
      await violationOf(input, assertion, levelOf(level), smallest, {
        cause: "serial",
        every: broken.count === serial.outcomes.length && serial.exhausted,
        broken,
        stop: enough,
        ...turn,
      }),
    );
  }
  for (const [at, assertion] of concurrent.entries()) {
    const broken = explored.broken.get(at);
    if (broken === undefined || serialJudge.broken.has(places[at] ?? -1)) continue;
    const asked = { level, stop: enough, ...turn };
    const smallest =
      (await smallestBreak(client, assertion, asked)) ?? wholeClient(client, broken, serial);
    const known = [serial, smallest.serial].some(
      ({ exhausted, problems }) => exhausted && problems.length === 0,
    );
    violations.push(
      await violationOf(input, assertion, levelOf(level), smallest, {
        cause: known ? "isolation" : "unknown",
        every: false,
        broken,
        stop: enough,
        ...turn,
      }),
    );
  }
  // Unhandled errors surface when the event loop turns.
  await options.turn?.();
  const unknown = unknowns(input, options, serial, explored, concurrent, serialJudge.result());
  // A run that cannot be repeated is no evidence.
  const repeatable = ![...serial.problems, ...explored.problems].some(
    ({ kind }) => kind === "not-deterministic",
  );
  if (!repeatable) violations.length = 0;
  const report: ExplorationReport = {
    tool: input.tool,
    formatVersion: 1,
    client: input.name,
    level,
    driver: options.driver.kind,
    ...(options.driver.kind === "random" && { seed: options.driver.seed }),
    verdict: verdictOf(violations, unknown, explored.exhausted, cancelled()),
    sessions: client.transactions.length,
    transactions: client.transactions.flat().length,
    histories: explored.histories,
    exhausted: explored.exhausted,
    statesSeen: explored.statesSeen,
    serial: { states: serialJudge.result().statesSeen, exhausted: serial.exhausted },
    violations,
    holding: assertions
      .filter((_, at) => repeatable && !serialJudge.broken.has(at))
      .filter((each) => !explored.broken.has(concurrent.indexOf(each)))
      .filter((each) => !explored.faults.has(concurrent.indexOf(each)))
      .map(({ text }) => text),
    unknown,
  };
  if (!("segments" in explored)) return { report };
  const { segments, states, universe } = explored;
  return { report, saved: { assertions: places, segments, states, universe } };
}

const MOST_SERIAL_STATES = 100_000;
/** Milliseconds for minimisation; then the smallest known part is shown. */
const MOST_FOR_SMALLEST = 10_000;

async function explore(
  client: ExplorableClient,
  assertions: readonly Assertion[],
  options: ExploreLevelOptions,
  stop: () => boolean,
  places: readonly number[],
  brokenBefore: number,
): Promise<ClientExploration | PartsResult> {
  const { level, driver, turn, begin, helpers, now } = options;
  const told = (histories: number, broken: number): void => {
    options.progress({ stage: "exploring", histories, broken: broken + brokenBefore });
  };
  const asked = { level, stop, ...(turn && { turn }) };
  if (driver.kind === "random")
    return randomClient(client, assertions, {
      ...asked,
      progress: told,
      runs: driver.runs,
      seed: driver.seed,
    });
  // This thread explores alone until helpers are started.
  const alone = now() + BEFORE_HELP;
  const enough = (): boolean => stop() || (helpers !== undefined && now() > alone);
  const before = begin === undefined ? 0 : historiesIn(begin.segments);
  const first = await exploreParts(
    [
      (part) =>
        exploreClient(client, assertions, {
          ...asked,
          ...part,
          stop: enough,
          progress: (histories, broken) => {
            told(before + histories, broken);
          },
        }),
    ],
    { stop: enough, ...(begin && { begin }) },
  );
  if (first.exhausted || stop() || helpers === undefined) return first;
  const own = partRunner(client, assertions, { ...asked, now });
  const { segments, states, universe } = first;
  return exploreParts([own, ...helpers(places)], {
    stop,
    progress: told,
    begin: { segments, states, universe },
  });
}

/** Milliseconds after which an exploration is divided. */
const BEFORE_HELP = 1000;

function wholeClient(
  client: ExplorableClient,
  broken: BrokenAssertion,
  serial: SerialOutcomes,
): SmallestBreak {
  return { client, broken, serial, leftOut: [] };
}

/** `any` has no name elsewhere: eventual consistency is the weakest named level. */
function levelOf(level: StoreLevel): Level {
  const found = findLevel(level === "any" ? "eventual" : level);
  if (found === undefined) throw new Error(`the level ${level} is not in the table of levels`);
  return found;
}

/** The verdict. An incomplete exploration decides nothing but the violations that it found. */
function verdictOf(
  violations: readonly ExplorationViolation[],
  unknown: readonly ExplorationUnknown[],
  exhausted: boolean,
  cancelled: boolean,
): Verdict {
  if (violations.length > 0) return "anomaly";
  if (cancelled) return "cancelled";
  return exhausted && unknown.length === 0 ? "safe" : "unknown";
}

function unknowns(
  { client, assertions }: ExploreLevelInput,
  { driver, budget, cancelled, level }: ExploreLevelOptions,
  serial: SerialOutcomes,
  explored: ClientExploration | PartsResult,
  concurrent: readonly Assertion[],
  inOrder: Pick<ClientExploration, "faults">,
): readonly ExplorationUnknown[] {
  const found: ExplorationUnknown[] = [];
  const add = (reason: string, range?: Range): void => {
    if (found.some((each) => each.reason === reason)) return;
    found.push({ reason, ...(range && { range }) });
  };
  for (const { session, transaction, kind, message } of [
    ...serial.problems,
    ...explored.problems,
  ]) {
    const at = transaction === undefined ? undefined : indexOfId(transaction);
    const own = at === undefined ? undefined : client.transactions[session]?.[at];
    const who = own === undefined ? `session ${String(session + 1)}` : `${own.name} ${own.title}`;
    add(`${who} ${PROBLEM_WORDS[kind]}${message}`, own?.range);
  }
  for (const remark of client.remarks?.() ?? []) add(remark);
  if ("remarks" in explored) for (const remark of explored.remarks) add(remark);
  for (const [at, fault] of inOrder.faults) {
    const assertion = assertions[at];
    if (assertion)
      add(`the assertion "${assertion.text}" has no answer: ${fault}`, assertion.range);
  }
  for (const [at, fault] of explored.faults) {
    const assertion = concurrent[at];
    if (assertion)
      add(`the assertion "${assertion.text}" has no answer: ${fault}`, assertion.range);
  }
  if ("failure" in explored && explored.failure !== undefined)
    add(
      `a thread that explored gave up: ${explored.failure}; ${countText(explored.histories, "history was", "histories were")} explored`,
    );
  else if (cancelled()) add("it was cancelled; what was found by then is told");
  else if (!explored.exhausted && driver.kind === "exhaustive")
    add(
      `the time of ${durationWords(budget)} was over after ${countText(explored.histories, "history", "histories")} (--budget gives more; --work keeps what is left for later; fewer sessions or transactions need less)`,
    );
  else if (driver.kind === "random")
    add(
      `${countText(explored.histories, "random run", "random runs")} are a sample, not all that can happen`,
    );
  const leftOut = client.transactions.length > 1 ? leftOutAt(level) : undefined;
  if (leftOut !== undefined) add(leftOut);
  if (!serial.exhausted && !cancelled())
    add(
      "not all serial orders were tried, so what breaks an assertion may do so without concurrency",
    );
  return found;
}

const PROBLEM_WORDS = {
  thrown: "fails: ",
  stuck: "",
  "too-many-events": "",
  "too-many-transactions": "",
  "wrong-request": "",
  "not-deterministic": "",
} as const;

function countText(count: number, one: string, many: string): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;
}
