// One check: a program at one level, from units to the report. No files and no threads here.
import { counterCandidates } from "../analysis/assumptions/counters";
import { flattenProgram } from "../analysis/operations/flatten";
import type { FlatProgram } from "../analysis/operations/operation";
import { explain } from "../analysis/explain/explain";
import { createCycleTest } from "../analysis/proof/cycleTest";
import type { SolvePool } from "../engine/pool";
import { UNROLL } from "../engine/runJob";
import type { Level, PaperLevel } from "../isolation/levels";
import { basisOf } from "../isolation/levelBasis";
import { distinctLevels, levelAt, restrictLevels } from "../isolation/mixedLevels";
import type { Levels, SerializablePair } from "../isolation/mixedLevels";
import type { Note, Program, Transaction } from "../program/program";
import type { ProofReport, SufficientLevel } from "../protocol/proof";
import type {
  Anomaly,
  Assumption,
  LevelBasis,
  LevelReport,
  ReportTransaction,
  Unknown,
  Verdict,
  TableUse,
} from "../protocol/report";
import type { FileId } from "../protocol/source";
import type { SkippedFile } from "../workspace/projects";
import { compareLevels } from "./search/alternatives";
import type { FoundAnomaly } from "./search/alternatives";
import { analysablePart, withAnyRounds } from "./search/analysable";
import { recordAssumptions, reportAssumptions, unsafeAssumptions } from "./verdict/assumptions";
import { extentOf, type Extent } from "./verdict/extent";
import { tableUses } from "./verdict/tableUse";
import { versionNotes } from "./verdict/versionNotes";
import { askInvariants, settleInvariants, invariantRemarks } from "./invariants";
import { selectAnomalies } from "./findings/anomalies";
import { effectiveLevels, isSerializable } from "./verdict/effectiveLevels";
import type { EffectiveLevels } from "./verdict/effectiveLevels";
import { planner, type Planner } from "./search/plan";
import { proveProgram } from "./proof";
import { isAlarming } from "./findings/harm";
import { refusalsOf } from "./search/contention";
import { largestSize, search } from "./search/search";
import type { SearchResult, TupleFinding } from "./search/search";
import { sufficientLevels } from "./verdict/sufficient";
import { statementsOf, transactionPrecision } from "./statements";
import { recordedAssumptions } from "./verdict/pathAssumptions";
import { lockAssumptions } from "./verdict/lockAssumptions";
import { sequenceAssumptions } from "./verdict/sequenceAssumptions";
import { unitAssumptions } from "./verdict/unitAssumptions";
import { timeLimit, type Patience } from "./timeLimit";
import { tupleSolver } from "./search/tupleSolver";
import type { SolveCache, SolveCounters } from "./search/tupleSolver";
import {
  coverageOf,
  isGap,
  noteUnknown,
  skippedUnknowns,
  undecidedTuples,
  unconfirmedCandidates,
  unreadParts,
  weakenings,
} from "./verdict/unknowns";
import type { EndedBy } from "./verdict/unknowns";

export interface CheckInput {
  readonly program: Program;
  readonly skipped: readonly SkippedFile[];
  readonly level: Level;
  /** True if the user asked for this level in place of the project's own. */
  readonly levelIsOverride?: boolean;
  /** Levels that the user defined, for transactions that name them and for comparisons. */
  readonly defined?: readonly PaperLevel[];
  /** Pairs of transactions (names or ids) that are kept serializable, at the papers' levels. */
  readonly serializablePairs?: readonly SerializablePair[];
  readonly maxTransactions: number;
  /** Loop unrolling bound; one round by default. */
  readonly unroll?: number;
  /** True to attempt a proof for any number of transactions if nothing was found. */
  readonly prove?: boolean;
  /** False to skip comparing the anomalies at other levels. */
  readonly isCompared?: boolean;
  /** The refusals of the server are told; by default with all else. */
  readonly isContended?: boolean;
  /** Time budget of the search in milliseconds of process time; a proof gets the same again. */
  readonly budget: number;
  /** Limits for a search without a budget of the user's: it continues while it finds alarming anomalies. */
  readonly patience?: Patience;
  readonly pool: SolvePool;
  readonly cache: SolveCache;
  /** The number of concurrent questions: that of the workers. */
  readonly lanes: number;
  /** "isolens 0.1.0". */
  readonly tool: string;
  /** Open files in the editor, most recent first: their transactions are searched first. */
  readonly first?: readonly FileId[];
}

export interface CheckEvents {
  /** Tuples of transactions: done, known so far, and the size of the current ones. */
  progress?(done: number, total: number, size: number): void;
  /** An anomaly as soon as it is confirmed; the report repeats it with the other levels' verdicts. */
  found?(anomaly: Anomaly): void;
}

/** The rank of each transaction: the index of the first of these files that it has code in. */
function rankOf(
  transactions: readonly Transaction[],
  first: readonly FileId[],
): (member: number) => number {
  const ranks = transactions.map((each) => {
    const places = [each.source, ...statementsOf(each.body).map(({ source }) => source)];
    const found = places.map(({ file }) => first.indexOf(file)).filter((at) => at >= 0);
    return Math.min(first.length, ...found);
  });
  return (member) => ranks[member] ?? first.length;
}

export interface CheckTimings {
  /** Milliseconds until the first anomaly, until the last one that is alarming, and of the whole check. */
  readonly firstAnomaly?: number;
  readonly lastAlarm?: number;
  readonly whole: number;
}

export interface CheckResult {
  readonly report: LevelReport;
  /** True if neither a timeout, nor a stop, nor a crash influenced the result: the same input gives the same report. */
  readonly repeatable: boolean;
  /** Remarks that only a check can make: invariants that transactions break. */
  readonly notes: readonly Note[];
  readonly counters: SolveCounters;
  readonly timings: CheckTimings;
}

/**
 * Checks a program at a level. Resolves promptly with what is known on abort (verdict `cancelled`) or at the end of the budget (`unknown`).
 * Bad input becomes part of the report; only an internal defect rejects.
 */
export async function check(
  input: CheckInput,
  signal: AbortSignal,
  events: CheckEvents = {},
): Promise<CheckResult> {
  const started = performance.now();
  if (signal.aborted) return cancelledCheck(input);
  const unroll = input.unroll ?? UNROLL;
  const { program: analysable, flat, leftOut } = analysablePart(input.program, unroll);
  const defined = input.defined ?? [];
  const effectiveAt = (level: Level, transactions = input.program.transactions) =>
    effectiveLevels(transactions, level, {
      serializablePairs: input.serializablePairs ?? [],
      defined,
      isOverride: input.levelIsOverride ?? false,
    });
  const effective = effectiveAt(input.level);
  const { levels } = effective;
  const counters: SolveCounters = { units: 0, cached: 0, queries: 0 };
  const cycles = createCycleTest(withAnyRounds(analysable, flat, unroll), levels);
  const plan = planner(flat, { levels, may: cycles.may });
  const searching = timeLimit(signal, input.budget, input.patience);
  const { limit, release } = searching;
  const releases = [release];
  const { pool, hasFailed } = watchedPool(input.pool);
  try {
    const { transactions } = analysable;
    const ids = transactions.map((each) => each.id);
    const ask = askInvariants(pool, input.cache, counters, { unroll, signal: limit });
    const settled = isSerializable(levels, flat)
      ? { invariants: [], transactions, notes: [], unsafe: new Map<string, string>() }
      : await settleInvariants(analysable, counterCandidates(flat), ask);
    const { invariants } = settled;
    const program = { ...analysable, invariants, transactions: settled.transactions };
    const { solve, assumed } = recordAssumptions(
      tupleSolver(program, pool, input.cache, counters, { unroll, defined }),
    );
    const finds = collectFinds(program, events);
    const { maxTransactions, lanes, first = [] } = input;
    const rank = first.length > 0 ? { rank: rankOf(transactions, first) } : {};
    const planFree: Planner = (...asked) => searching.prepare(() => plan(...asked));
    const asking = { ids, plan: planFree, levels, maxTransactions, solve, lanes, ...rank };
    const searched = await search(asking, limit, {
      progress: (done, total, size) => events.progress?.(done, total, size),
      found: (found) => {
        if (finds.add(found)) searching.extend();
      },
    });
    const spent = searching.spent();
    const { firstAt, alarmAt } = finds.times();
    const endedBy: EndedBy = signal.aborted ? "cancel" : "budget";
    const isCompared = input.isCompared ?? true;
    // A patient search that used up its time still gets time to compare its findings at other levels.
    const comparing = input.patience ? timeLimit(signal, input.budget) : searching;
    releases.push(comparing.release);
    const compared = isCompared
      ? await compareLevels(plan, finds.all(), solve, comparing.limit)
      : finds.all().map(({ anomaly }) => anomaly);
    const anomalies = selectAnomalies(compared);
    const assumptions = [
      ...reportAssumptions(program, assumed),
      ...unitAssumptions(flat.transactions, levels),
      ...lockAssumptions(program.transactions),
      ...sequenceAssumptions(program.transactions),
      ...recordedAssumptions(program.transactions),
    ];
    const notes = [
      ...settled.notes,
      ...invariantRemarks(program),
      ...versionNotes(input.program.transactions, levels),
    ];
    // The texts may prove that no cycle of the searched size exists, for any number of rounds.
    const largest = Math.max(2, searched.completed);
    const apart = { has: (id: string): boolean => cycles.isApart(ids.indexOf(id), largest) };
    const gapsOf = (form: FlatProgram, at: Levels = levels): readonly Unknown[] => [
      ...notes.filter(isGap).map(noteUnknown),
      ...unsafeAssumptions(assumptions, settled.unsafe),
      ...unreadParts(input.program, input.skipped, {
        flat: form,
        levelOf: (id) => levelAt(at, id),
        apart: form === flat ? apart : NONE,
      }),
      ...leftOut,
      ...weakenings(program, form, (id) => levelAt(at, id), {
        serializable: isSerializable(at, form),
        apart: form === flat ? apart : NONE,
      }),
      ...effective.unknown,
    ];
    const doubts = [
      ...unconfirmedCandidates(anomalies),
      ...uncompared(anomalies, isCompared && comparing.limit.aborted && !searched.cut),
    ];
    const isFree = !anomalies.some(({ status }) => status === "confirmed");
    const opened = (): FlatProgram => flattenProgram(program, { unroll, anyRounds: true });
    const asked = input.prove === true && ids.length > 0;
    // The proof has its own time budget.
    const proofTime = asked ? timeLimit(signal, input.budget) : { limit, release };
    releases.push(proofTime.release);
    const proving = { program, pool, cache: input.cache, counters, unroll };
    const proof =
      asked && isFree
        ? await proveProgram(
            { ...proving, levels, gaps: [...gapsOf(opened()), ...doubts] },
            proofTime.limit,
          )
        : undefined;
    const sufficient = asked
      ? await sufficientLevels(
          {
            ...proving,
            flat,
            level: input.level,
            anomalies,
            levelsAt: (level, transactions) =>
              restrictLevels(
                effectiveAt(level, transactions).levels,
                transactions.map(({ id }) => id),
              ),
            gapsAt: (level) => gapsOf(opened(), effectiveAt(level).levels),
          },
          proofTime.limit,
        )
      : undefined;
    const refusals = (input.isContended ?? isCompared) ? refusalsOf(analysable, flat, levels) : [];
    const isProved = proof?.report.status === "proved";
    // A proof settles tuples that the bounded search left open.
    const undecided = undecidedTuples(
      program,
      searched,
      endedBy,
      input.patience ? wholeSeconds(spent) : input.budget,
    );
    const gaps = isProved ? [] : gapsOf(flat);
    const unknown = isProved ? [] : [...gaps, ...undecided, ...doubts];
    const open = new Set(gaps.flatMap((gap) => gap.transactions));
    const isOpen = (id: string): boolean => open.has(id);
    const opaque = program.transactions.filter((each) => transactionPrecision(each) === "opaque");
    const unknowable = new Set(isProved ? [] : opaque.map(({ id }) => id));
    const isOpaque = (id: string): boolean => unknowable.has(id);
    const extent = extentOf({ flat, plan, levels, may: cycles.may, isOpen, isOpaque }, searched);
    const cancelled = !isProved && searched.cut && endedBy === "cancel";
    const verdict = verdictOf(anomalies, unknown, cancelled);
    return {
      report: reportOf(input, {
        verdict,
        bound: boundOf(searched, input),
        anomalies,
        refusals,
        unknown,
        assumptions: isProved ? reportAssumptions(program, proof.assumed) : assumptions,
        effective,
        ...(extent && { extent }),
        tables: tableUses(flat.transactions),
        ...(proof && { proof: proof.report }),
        ...(sufficient && { sufficient }),
      }),
      notes,
      repeatable: !limit.aborted && !proofTime.limit.aborted && !searched.cut && !hasFailed(),
      counters,
      timings: {
        ...(firstAt !== undefined && { firstAnomaly: firstAt - started }),
        ...(alarmAt !== undefined && { lastAlarm: alarmAt - started }),
        whole: performance.now() - started,
      },
    };
  } finally {
    for (const each of releases) each();
  }
}

function wholeSeconds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds / 1000)) * 1000;
}

/** The program was read and not searched. */
function cancelledCheck(input: CheckInput): CheckResult {
  const { program, level, levelIsOverride = false, defined = [], serializablePairs = [] } = input;
  const effective = effectiveLevels(program.transactions, level, {
    serializablePairs,
    defined,
    isOverride: levelIsOverride,
  });
  const unread = [
    ...skippedUnknowns(input.skipped),
    ...program.notes.filter(isGap).map(noteUnknown),
  ];
  const unknown = [{ reason: "cancelled", transactions: [] }, ...unread];
  const verdict = "cancelled";
  return {
    report: reportOf(input, {
      verdict,
      bound: 0,
      anomalies: [],
      unknown,
      assumptions: [],
      effective,
    }),
    notes: [],
    repeatable: false,
    counters: { units: 0, cached: 0, queries: 0 },
    timings: { whole: 0 },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** A pool that records whether any job failed. */
function watchedPool(inner: SolvePool) {
  let failed = false;
  const pool: SolvePool = {
    ...inner,
    solve: async (job, signal) => {
      const result = await inner.solve(job, signal);
      failed ||= result.kind === "failed";
      return result;
    },
  };
  return { pool, hasFailed: () => failed };
}

interface Finds {
  /** Every anomaly once, however often its tuple was solved. */
  readonly all: () => readonly FoundAnomaly[];
  /** Adds a finding; true if it is confirmed, new and harmful. */
  readonly add: (from: TupleFinding) => boolean;
  /** The times of the first confirmed anomaly and of the last one that is alarming. */
  readonly times: () => {
    readonly firstAt: number | undefined;
    readonly alarmAt: number | undefined;
  };
}

/** Explains findings as they arrive; each confirmed anomaly is announced once. */
function collectFinds(program: Program, events: CheckEvents): Finds {
  const all = new Map<string, FoundAnomaly>();
  const announced = new Set<string>();
  let firstAt: number | undefined;
  let alarmAt: number | undefined;
  return {
    all: () => [...all.values()],
    add: (from) => {
      const anomaly = explain(program, from.levels, from.finding);
      all.set(`${from.members.join()} ${anomaly.id} ${JSON.stringify(anomaly.witness)}`, {
        anomaly,
        from,
      });
      if (anomaly.status !== "confirmed" || announced.has(anomaly.id)) return false;
      firstAt ??= performance.now();
      announced.add(anomaly.id);
      events.found?.(anomaly);
      if (!isAlarming(anomaly)) return false;
      alarmAt = performance.now();
      return true;
    },
    times: () => ({ firstAt, alarmAt }),
  };
}

interface Findings {
  readonly verdict: Verdict;
  readonly bound: number;
  readonly anomalies: readonly Anomaly[];
  readonly refusals?: readonly Anomaly[];
  readonly unknown: readonly Unknown[];
  readonly assumptions: readonly Assumption[];
  readonly effective: EffectiveLevels;
  readonly extent?: Extent;
  readonly tables?: ReadonlyMap<string, readonly TableUse[]>;
  readonly proof?: ProofReport;
  readonly sufficient?: readonly SufficientLevel[];
}

function reportOf(input: CheckInput, findings: Findings): LevelReport {
  const { verdict, bound, anomalies, unknown, assumptions, effective, extent, proof, sufficient } =
    findings;
  const { refusals = [] } = findings;
  const rounds = (input.unroll ?? UNROLL) > UNROLL && { unroll: input.unroll };
  return {
    tool: input.tool,
    formatVersion: 1,
    level: input.level.name,
    levels: effective.reported,
    basis: basisOfLevels(input, effective),
    verdict,
    rests: proof?.scheme === undefined ? { bound, ...rounds } : { proved: proof.scheme },
    transactions: input.program.transactions.map((each) => reportTransaction(each, findings)),
    ...(extent && { search: extent.whole }),
    anomalies,
    ...(refusals.length > 0 && { refusals }),
    unknown,
    assumptions,
    coverage: coverageOf(input.program),
    ...(proof && { proof }),
    ...(sufficient && { sufficient }),
  };
}

/** One entry per level that some transaction runs at; the requested level if there are no transactions. */
function basisOfLevels({ level }: CheckInput, { levels }: EffectiveLevels): readonly LevelBasis[] {
  const used = distinctLevels(levels);
  return (used.length > 0 ? used : [level]).map(basisOf);
}

/** The reason for the report if the comparison of levels was interrupted. */
function uncompared(anomalies: readonly Anomaly[], interrupted: boolean): readonly Unknown[] {
  if (!interrupted || anomalies.length === 0) return [];
  const reason = "it was not decided at which other levels the anomalies are prevented";
  return [{ reason, transactions: [] }];
}

/** The number of transactions up to which the search is complete. */
function boundOf(result: SearchResult, input: CheckInput): number {
  const asked = largestSize(input.maxTransactions);
  return result.stopped || result.failure ? Math.min(result.completed, asked) : asked;
}

function verdictOf(
  anomalies: readonly Anomaly[],
  unknown: readonly Unknown[],
  cancelled: boolean,
): Verdict {
  if (anomalies.some((anomaly) => anomaly.status === "confirmed")) return "anomaly";
  if (cancelled) return "cancelled";
  return unknown.length > 0 ? "unknown" : "safe";
}

/** A transaction as reports name it, with its tables and the number of its pairs that were searched, if known. */
export function reportTransaction(
  transaction: Transaction,
  known: Pick<Findings, "extent" | "tables"> = {},
): ReportTransaction {
  const pairs = known.extent?.pairs.get(transaction.id);
  const tables = known.tables?.get(transaction.id);
  return {
    name: transaction.id,
    file: transaction.source.file,
    range: transaction.source.range,
    precision: transactionPrecision(transaction),
    ...(pairs && { pairs }),
    ...(tables && { tables }),
  };
}
