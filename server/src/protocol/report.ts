// The result of a check, as the CLI prints it in JSON and as every view renders it. `formatVersion` guards it.
import type { Cause } from "./cause";
import type { HistoryReason } from "./history";
import type { ProofReport, SufficientLevel } from "./proof";
import type { Range } from "./source";
import type { Row, SerialOutcome, Value, Witness } from "./witness";

export type Verdict = "anomaly" | "safe" | "unknown" | "cancelled";
export type Precision = "exact" | "over" | "approx" | "opaque";
export type Dependency = "wr" | "ww" | "rw" | "so";
/** Part that differs from every serial order: the final state, a returned value, or only what was read on the way. */
export type Severity = "state" | "value" | "unused";

/** Kinds of harm, the worst first; `service/findings/harm.ts` ranks findings by them. */
export type Harm =
  /** A stated invariant breaks. */
  | "invariant"
  /** More than there is, below zero, none left. */
  | "limit"
  /** A change of an amount or a number of things is lost. */
  | "amount"
  /** Two rows, or one number twice, where one may be. */
  | "duplicate"
  /** A row refers to one that is gone. */
  | "dangling"
  /** Which rows there are. */
  | "rows"
  /** Any other value that no order leaves. */
  | "value"
  /** Each value is one that some order leaves: the last writer wins. */
  | "choice"
  /** Only what was noted about a change: when, by whom, a log. */
  | "noted"
  /** Only what was returned. */
  | "returned"
  /** Nothing: the server ends a transaction, whose work is undone. */
  | "refused"
  /** The same is deleted or written a second time, which changes nothing but what is returned. */
  | "repetition"
  /** Only what was read on the way. */
  | "unused";

/** How loudly a finding is told; `off` keeps it out of everything but JSON. */
export type FindingSeverity = "error" | "warning" | "information" | "hint" | "off";

/** The reason why a finding is not told: a comment in the text, or an entry of a baseline. */
export interface Suppressed {
  readonly by: "comment" | "baseline";
  /** The user's words; empty where there are none. */
  readonly reason: string;
  /** Where the comment stands. */
  readonly file?: string;
  readonly range?: Range;
}

/**
 * The ground of a verdict: a bound on the number of transactions (and on the rounds of loops, where more than one was
 * asked for), or a proof.
 */
export type Rests =
  { readonly bound: number; readonly unroll?: number | undefined } | { readonly proved: string };

export interface ReportTransaction {
  readonly name: string;
  readonly file: string;
  readonly range: Range;
  readonly precision: Precision;
  /** How far it is decided, two at a time; absent where it was not searched. */
  readonly pairs?: SearchedPairs;
}

/** A transaction and those that share a table with it which one of the two writes; itself is one of them where it writes. */
export interface SearchedPairs {
  readonly sharing: number;
  /** The transactions that it races with, as a number. */
  readonly racing: number;
  /** The number of those with which nothing is found and nothing is open. */
  readonly settled: number;
}

/** Pairs of transactions, each also with itself, that share a table which one of the two writes. */
export interface SearchExtent {
  readonly pairs: number;
  /** The number of those with which the texts alone rule a race out. */
  readonly ruledOut: number;
  /** The number of those that were asked about to the end. */
  readonly searched: number;
}

/** One end of a dependency: a statement of an instance. `statement` is the id of the AR statement. */
export interface CycleEnd {
  readonly instance: string;
  readonly file: string;
  readonly range: Range;
  readonly text: string;
}

export interface CycleEdge {
  /** `waits`: the one waits for a lock that the other has. */
  readonly dependency: Dependency | "waits";
  readonly from: CycleEnd;
  readonly to: CycleEnd;
  readonly table: string;
  readonly columns: readonly string[];
  /** The reason of a dependency of a recorded run, where the two ends alone do not show it. */
  readonly reason?: HistoryReason;
}

/** One cell that a step read or wrote; `key` is the row's primary key as text, `column` "@" the row's existence, "" the key itself. */
export interface StepCell {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly value: Value;
  /** Writes: the value before. */
  readonly before?: Value;
  /** Reads: the instance whose write was read; null for the row as it was at the start. */
  readonly writer?: string | null;
}

/** A call in application code, as its function is written there; or a statement at which a trigger fires. */
export interface StepCall {
  readonly name: string;
  /** Absent: a call. */
  readonly kind?: "trigger";
  readonly file: string;
  readonly range: Range;
}

/** One line of an explanation. `effect` says what was read or written, `because` why the level allows it. */
export interface Step {
  readonly instance: string;
  readonly file: string;
  readonly range: Range;
  readonly text: string;
  readonly effect: string;
  readonly because: string;
  /** 1-based among the executed statements of the instance; "commit" and "rollback" end its transaction. */
  readonly statement: number | "commit" | "rollback";
  /** A transaction ends with this step: its commit follows at once and has no step of its own. */
  readonly commits: boolean;
  readonly reads: readonly StepCell[];
  readonly writes: readonly StepCell[];
  /** The instance that this step waited for. */
  readonly waitedFor?: string;
  /** The calls and triggers that lead from the transaction to the statement, outermost first. */
  readonly through?: readonly StepCall[];
}

export interface Anomaly {
  /** Stable over edits elsewhere: a hash of kind, transactions, tables and level. */
  readonly id: string;
  /** The literature's name in kebab-case, e.g. `lost-update`. */
  readonly kind: string;
  /** `refused`: nothing differs, the server ends one transaction for what others do. */
  readonly severity: Severity | "refused";
  readonly status: "confirmed" | "unconfirmed";
  /** The reason why it is unconfirmed. */
  readonly reason?: string;
  /** Names, one per instance, in the order of the cycle. */
  readonly transactions: readonly string[];
  readonly tables: readonly string[];
  readonly cycle: readonly CycleEdge[];
  /** Instead of a cycle: from a write that was never committed (or was replaced by its own transaction) to its read. */
  readonly dirtyRead?: CycleEdge;
  readonly witness: Witness;
  /** Outcomes of the same transactions one after the other, in every order. */
  readonly serial: readonly SerialOutcome[];
  readonly steps: readonly Step[];
  /** Consequence for the data, in one clause without a full stop: "Two bookings for room 63 on 2025-01-01". */
  readonly title: string;
  readonly harm: Harm;
  /**
   * One sentence for a squiggle: the title, how it comes about in the code's own names, the kind's name. Where `outside` is
   * there, a second one says so.
   */
  readonly message: string;
  /**
   * Names of those that are no single transaction, between whose statements the others come: they commit on the way, so
   * that no level of their transactions keeps the others out.
   */
  readonly outside?: readonly string[];
  /** Stated invariants that it breaks; absent: none. */
  readonly breaches?: readonly Breach[];
  /** Gaps of the level's rules that its statements use; absent where nothing is. */
  readonly leftOut?: readonly LeftOut[];
  readonly preventedBy: readonly string[];
  readonly allowedAt: readonly string[];
  /** A hash of its kind, the names of its transactions and the texts of its statements, without places and layout. */
  readonly fingerprint?: string;
  /** By its kind and what differs, as configured; absent where nothing was configured yet, which is `warning`. */
  readonly reportedAs?: FindingSeverity;
  readonly suppressed?: Suppressed;
  /** The id of its cause; absent before causes were looked for. */
  readonly cause?: string;
  /** The id of the anomaly that is told in its place: of the same cause. */
  readonly representative?: string;
}

/** True if a finding leaves data, or gives an answer, that no serial order does; a refusal by the server does not. */
export function breaksData({ severity }: Pick<Anomaly, "severity">): boolean {
  return severity !== "refused";
}

/** Findings that are told. */
export interface Shown {
  /** Those that are off as well, and every one of a group. */
  readonly all?: boolean;
  readonly suppressed?: boolean;
}

/** True if a finding is told, by itself or by another in its place. */
export function isTold(anomaly: Anomaly, { all = false, suppressed = false }: Shown = {}): boolean {
  if (anomaly.suppressed && !suppressed) return false;
  return all || anomaly.reportedAs !== "off";
}

/** True if a finding is told by itself. */
export function isShown(anomaly: Anomaly, shown: Shown = {}): boolean {
  return isTold(anomaly, shown) && (shown.all === true || anomaly.representative === undefined);
}

/** Edges that a figure of the anomaly draws: its cycle, or the one read that no serial order has. */
export function shownEdges({ cycle, dirtyRead }: Anomaly): readonly CycleEdge[] {
  return dirtyRead ? [dirtyRead] : cycle;
}

/** The statement at which an anomaly is reported: where its cycle starts, or where it reads what was never committed. */
export function mainEnd({ cycle, dirtyRead }: Anomaly): CycleEnd | undefined {
  return dirtyRead?.to ?? cycle[0]?.from;
}

/** An invariant that the user states and that a run leaves broken; its start and every serial order keep it. */
export interface Breach {
  readonly text: string;
  /** The place where it is stated. */
  readonly file?: string;
  readonly range?: Range;
  /** Both sides of its comparison and the row that it is about: "2 against 1 for event 1"; empty where it has neither. */
  readonly how: string;
  /** Rows at the end of the run. */
  readonly state: Readonly<Record<string, readonly Row[]>>;
}

/** Where the invariants that an anomaly breaks are stated, each with what happens to it. */
export function placedBreaches({ breaches = [] }: Anomaly): readonly {
  readonly file: string;
  readonly range: Range;
  readonly text: string;
}[] {
  return breaches.flatMap(({ file, range, how }) =>
    file !== undefined && range
      ? [{ file, range, text: `This no longer holds at the end${how === "" ? "" : `: ${how}`}` }]
      : [],
  );
}

/** Something that a real server does and the executed rules do not, at the statement that uses it. */
export interface LeftOut {
  readonly reason: string;
  readonly file: string;
  readonly range: Range;
}

/** Part of the input that was not read: nothing is said of what it does. */
export type UnreadKind = "file" | "folder" | "part" | "routine" | "call" | "library";

/** Something that could not be decided, or that was weakened, with the reason and what to do. */
export interface Unknown {
  readonly reason: string;
  /** It was not read at all, so that "nothing found" is not about it. */
  readonly unread?: UnreadKind;
  /** How many questions it stands for; absent: one. */
  readonly count?: number;
  readonly transactions: readonly string[];
  readonly file?: string;
  readonly range?: Range;
}

/** How many questions are undecided. */
export function undecidedCount(unknown: readonly Unknown[]): number {
  return unknown.reduce((sum, { count = 1 }) => sum + count, 0);
}

/**
 * Something without which the answer might be another: an invariant that the user wrote, a counter that
 * was inferred, a CHECK of the schema, arguments that the user says are distinct, that no transaction is rolled back but
 * where its text says so, or that one that was recorded takes no other path.
 */
export interface Assumption {
  readonly kind: "invariant" | "counter" | "check" | "distinct" | "rollbacks" | "recorded";
  readonly text: string;
  /** Where it is written; absent where it was inferred. */
  readonly file?: string;
  readonly range?: Range;
  /** The transactions whose answers rest on it. */
  readonly transactions: readonly string[];
}

/** Basis of a level's rules. */
export interface LevelBasis {
  readonly level: string;
  /** Compared with outcomes of a real server, derived from documentation, or defined. */
  readonly evidence: "measured" | "predicted" | "axioms";
  /** In words: "measured on PostgreSQL 15 and 18". */
  readonly text: string;
  /** Where the name means something else in other versions of the product: which, and what to say. */
  readonly version?: string;
}

export interface Coverage {
  readonly statements: number;
  readonly exact: number;
  readonly over: number;
  readonly approx: number;
  readonly opaque: number;
}

/** One file of a check: how much of it was understood, and what was found of its transactions. */
export interface FileCoverage extends Coverage {
  readonly file: string;
  readonly transactions: number;
  /** Transactions that take part in an anomaly, that something is undecided about, and all others. */
  readonly anomaly: number;
  readonly undecided: number;
  readonly nothingFound: number;
  /** Calls of the database that nothing that was followed leads to. */
  readonly unreached: number;
  /** The reason why it was not read. */
  readonly skipped?: string;
}

export interface LevelReport {
  readonly tool: string;
  readonly formatVersion: 1;
  readonly level: string;
  readonly levels: {
    readonly default: string;
    /** The line that says it, where it was found in the workspace's settings: `docker-compose.yml:12`. */
    readonly from?: string;
    readonly perTransaction: Readonly<Record<string, string>>;
    /** Names of transactions whose instances are kept serializable with each other, whatever their levels. */
    readonly serializablePairs?: readonly (readonly [string, string])[];
  };
  /** Bases of these levels' rules, one entry for each of them that some transaction runs at. */
  readonly basis?: readonly LevelBasis[];
  readonly verdict: Verdict;
  readonly rests: Rests;
  readonly transactions: readonly ReportTransaction[];
  /** How far the search went; absent where nothing was searched, or too much to count. */
  readonly search?: SearchExtent;
  readonly anomalies: readonly Anomaly[];
  /**
   * Runs in which the server ends a transaction for what others do: no verdict rests on them. They are among the anomalies
   * once these were judged.
   */
  readonly refusals?: readonly Anomaly[];
  /** The mistakes behind the anomalies, the worst first; absent before they were looked for. */
  readonly causes?: readonly Cause[];
  readonly unknown: readonly Unknown[];
  /** Assumptions of the verdict beside the text of the program. */
  readonly assumptions: readonly Assumption[];
  readonly coverage: Coverage;
  /** True if the verdict holds for any number of transactions; absent where that was not asked. */
  readonly proof?: ProofReport;
  /** Which levels would do, for each part that shares no table with the rest; absent where no proof was asked for. */
  readonly sufficient?: readonly SufficientLevel[];
  /** File by file; absent where that was not asked. */
  readonly files?: readonly FileCoverage[];
}
