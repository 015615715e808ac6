// The result of a check, as JSON of the CLI and as input of every view. Versioned by `formatVersion`.
import type { Cause } from "./cause";
import type { HistoryReason } from "./history";
import type { ProofReport, SufficientLevel } from "./proof";
import type { Range, SourceRange } from "./source";
import type { Row, SerialOutcome, Value, Witness } from "./witness";
import type { Dependency, CycleEnd } from "./dependency";

export type Verdict = "anomaly" | "safe" | "unknown" | "cancelled";
export type Precision = "exact" | "over" | "approx" | "opaque";
/** The part that differs from every serial order: the final state, a returned value, or only what was read on the way. */
export type Severity = "state" | "value" | "unused";

/** Kinds of harm, worst first; `service/findings/harm.ts` ranks findings by them. */
export type Harm =
  /** A stated invariant breaks. */
  | "invariant"
  /** A limit breaks: more than there is, below zero, none left. */
  | "limit"
  /** A change of an amount or a count is lost. */
  | "amount"
  /** Two rows, or one number twice, where one is allowed. */
  | "duplicate"
  /** A row refers to a deleted one. */
  | "dangling"
  /** The set of rows differs. */
  | "rows"
  /** Another value that no order leaves. */
  | "value"
  /** Each value is one that some order leaves: the last writer wins. */
  | "choice"
  /** Only notes about a change differ: when, by whom, a log. */
  | "noted"
  /** Only returned values differ. */
  | "returned"
  /** Nothing: the server aborts a transaction and undoes its work. */
  | "refused"
  /** The same is deleted or written a second time, which only changes what is returned. */
  | "repetition"
  /** Only unused reads differ. */
  | "unused";

/** The severity of a finding; `off` removes it from everything but JSON. */
export type FindingSeverity = "error" | "warning" | "information" | "hint" | "off";

/** The reason why a finding is suppressed: a comment in the text, or a baseline entry. */
export interface Suppressed {
  readonly by: "comment" | "baseline";
  /** The user's words; empty if there are none. */
  readonly reason: string;
  /** The place of the comment. */
  readonly file?: string;
  readonly range?: Range;
}

/** The basis of a verdict: a bound on the number of transactions (and on loop rounds, if more than one was requested), or a proof. */
export type Rests =
  { readonly bound: number; readonly unroll?: number | undefined } | { readonly proved: string };

export interface ReportTransaction {
  readonly name: string;
  readonly file: string;
  readonly range: Range;
  readonly precision: Precision;
  /** The decided share of its pairs; absent if it was not searched. */
  readonly pairs?: SearchedPairs;
  /** The tables that it reads and writes; absent where it was not searched. */
  readonly tables?: readonly TableUse[];
}

export interface TableUse {
  readonly name: string;
  readonly reads: boolean;
  readonly writes: boolean;
}

/** A transaction and its partners: those that share a table with it that one of the two writes; itself included if it writes. */
export interface SearchedPairs {
  readonly sharing: number;
  /** The number of partners. */
  readonly racing: number;
  /** The number of partners with nothing found and nothing open. */
  readonly settled: number;
  /** A part of it may read or write any table: with whom it shares one is not known. */
  readonly isOpaque?: true;
}

/** Pairs of transactions, each also with itself, that share a table that one of the two writes. */
export interface SearchExtent {
  readonly pairs: number;
  /** The number of pairs that the texts alone rule out. */
  readonly ruledOut: number;
  /** The number of pairs that were searched completely. */
  readonly searched: number;
}

export interface CycleEdge {
  /** `waits`: the source waits for a lock of the target. */
  readonly dependency: Dependency | "waits";
  readonly from: CycleEnd;
  readonly to: CycleEnd;
  readonly table: string;
  readonly columns: readonly string[];
  /** The reason for a dependency of a recorded run, if its ends alone do not show it. */
  readonly reason?: HistoryReason;
}

/** One cell that a step read or wrote; `key` is the rendered primary key, `column` "@" the row's existence, "" the key itself. */
export interface StepCell {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly value: Value;
  /** For writes: the old value. */
  readonly before?: Value;
  /** For reads: the instance whose write was read; null for the initial row. */
  readonly writer?: string | null;
}

/** A call in application code, with its function as written there; or a statement at which a trigger fires. */
export interface StepCall {
  readonly name: string;
  /** A call if absent. */
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
  /** True if the transaction commits right after this step, without a step of its own. */
  readonly commits: boolean;
  readonly reads: readonly StepCell[];
  readonly writes: readonly StepCell[];
  /** The instance that this step waited for. */
  readonly waitedFor?: string;
  /** The calls and triggers that lead from the transaction to the statement, outermost first. */
  readonly through?: readonly StepCall[];
}

export interface Anomaly {
  /** Stable under edits elsewhere: a hash of kind, transactions, tables and level. */
  readonly id: string;
  /** The literature's name in kebab-case, e.g. `lost-update`. */
  readonly kind: string;
  /** `refused`: nothing differs, but the server aborts a transaction because of concurrent ones. */
  readonly severity: Severity | "refused";
  readonly status: "confirmed" | "unconfirmed";
  /** The reason why it is unconfirmed. */
  readonly reason?: string;
  /** Names, one per instance, in the order of the cycle. */
  readonly transactions: readonly string[];
  readonly tables: readonly string[];
  readonly cycle: readonly CycleEdge[];
  /** A dirty read instead of a cycle: from a write that was never committed (or was replaced by its own transaction) to its read. */
  readonly dirtyRead?: CycleEdge;
  readonly witness: Witness;
  /** Outcomes of the same transactions in every serial order. */
  /** The part of the code that no run could pass, which leaves it unconfirmed. */
  readonly obstacle?: SourceRange;
  readonly serial: readonly SerialOutcome[];
  readonly steps: readonly Step[];
  /** The consequence for the data, in one clause without a full stop: "Two bookings for room 63 on 2025-01-01". */
  readonly title: string;
  readonly harm: Harm;
  /** The message for a squiggle: the title, the cause in the code's own names, the kind's name. A second sentence covers `outside`. */
  readonly message: string;
  /**
   * Names of participants that are not single transactions: others run between their commits, so that no level of their transactions
   * excludes the anomaly.
   */
  readonly outside?: readonly string[];
  /** Stated invariants that it breaks; none if absent. */
  readonly breaches?: readonly Breach[];
  /** Gaps of the level's model that its statements touch; absent if there are none. */
  readonly leftOut?: readonly LeftOut[];
  readonly preventedBy: readonly string[];
  readonly allowedAt: readonly string[];
  /** A hash of its kind, the names of its transactions and the texts of its statements, without places and layout. */
  readonly fingerprint?: string;
  /** By its kind and what differs, as configured; absent where nothing was configured yet, which is `warning`. */
  readonly reportedAs?: FindingSeverity;
  readonly suppressed?: Suppressed;
  /** The id of its cause; absent before causes are computed. */
  readonly cause?: string;
  /** The id of the anomaly of the same cause that is reported in its place. */
  readonly representative?: string;
}

/** True if a finding leaves data, or returns an answer, that no serial order does; false for refusals by the server. */
export function breaksData({ severity }: Pick<Anomaly, "severity">): boolean {
  return severity !== "refused";
}

/** Which findings are shown. */
export interface Shown {
  /** True to include those that are off, and every one of a group. */
  readonly all?: boolean;
  readonly suppressed?: boolean;
}

/** True if a finding is reported, by itself or by a representative. */
export function isTold(anomaly: Anomaly, { all = false, suppressed = false }: Shown = {}): boolean {
  if (anomaly.suppressed && !suppressed) return false;
  return all || anomaly.reportedAs !== "off";
}

/** True if a finding is reported by itself. */
export function isShown(anomaly: Anomaly, shown: Shown = {}): boolean {
  return isTold(anomaly, shown) && (shown.all === true || anomaly.representative === undefined);
}

/** The edges of an anomaly's figure: its cycle, or its dirty read. */
export function shownEdges({ cycle, dirtyRead }: Anomaly): readonly CycleEdge[] {
  return dirtyRead ? [dirtyRead] : cycle;
}

/** The statement at which an anomaly is reported: the start of its cycle, or the dirty read. */
export function mainEnd({ cycle, dirtyRead }: Anomaly): CycleEnd | undefined {
  return dirtyRead?.to ?? cycle[0]?.from;
}

/** The statement at which an anomaly is told: the read of its cause, or else where its cycle starts. */
export function toldEnd({ causes }: LevelReport, anomaly: Anomaly): CycleEnd | undefined {
  const cause = causes?.find(({ id }) => id === anomaly.cause);
  return cause?.read ?? mainEnd(anomaly);
}

/** A stated invariant that a run breaks; its start and every serial order preserve it. */
export interface Breach {
  readonly text: string;
  /** The place of its declaration. */
  readonly file?: string;
  readonly range?: Range;
  /** Both sides of its comparison and the row that it concerns: "2 against 1 for event 1"; empty if it has neither. */
  readonly how: string;
  /** The final rows of the run. */
  readonly state: Readonly<Record<string, readonly Row[]>>;
}

/** The declarations of the invariants that an anomaly breaks, each with its violation. */
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

/** A behaviour of the real server that the executed rules lack, at the statement that uses it. */
export interface LeftOut {
  readonly reason: string;
  readonly file: string;
  readonly range: Range;
}

/** The kind of an unread part of the input: nothing is said about its behaviour. */
export type UnreadKind = "file" | "folder" | "part" | "routine" | "call" | "library";

/** Something that was undecided or weakened, with the reason and advice. */
export interface Unknown {
  readonly reason: string;
  /** Set if it was not read at all, so that "nothing found" does not cover it. */
  readonly unread?: UnreadKind;
  /** The number of undecided questions that it represents; one if absent. */
  readonly count?: number;
  readonly transactions: readonly string[];
  readonly file?: string;
  readonly range?: Range;
}

/** The number of undecided questions. */
export function undecidedCount(unknown: readonly Unknown[]): number {
  return unknown.reduce((sum, { count = 1 }) => sum + count, 0);
}

/**
 * Something without which the answer might differ: a user's invariant, an inferred counter, a CHECK of the schema, arguments declared
 * distinct, the absence of rollbacks that the text does not show, that refused locks are meant, that numbers of sequences have no order, or that a recorded transaction takes no other path.
 */
export interface Assumption {
  readonly kind:
    | "invariant"
    | "counter"
    | "check"
    | "distinct"
    | "rollbacks"
    | "refusals"
    | "sequences"
    | "recorded";
  readonly text: string;
  /** Its declaration; absent if it was inferred. */
  readonly file?: string;
  readonly range?: Range;
  /** The transactions whose results rest on it. */
  readonly transactions: readonly string[];
}

/** The basis of a level's rules. */
export interface LevelBasis {
  readonly level: string;
  /** Compared with a real server's outcomes, derived from documentation, or defined. */
  readonly evidence: "measured" | "predicted" | "axioms";
  /** In words: "measured on PostgreSQL 15 and 18". */
  readonly text: string;
  /** A note for names with another meaning in other versions of the product. */
  readonly version?: string;
}

export interface Coverage {
  readonly statements: number;
  readonly exact: number;
  readonly over: number;
  readonly approx: number;
  readonly opaque: number;
}

/** One file of a check: the share that was understood, and the results for its transactions. */
export interface FileCoverage extends Coverage {
  readonly file: string;
  readonly transactions: number;
  /** Numbers of transactions in an anomaly, undecided, and others. */
  readonly anomaly: number;
  readonly undecided: number;
  readonly nothingFound: number;
  /** Database calls that no followed code reaches. */
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
    /** The line of the workspace's settings that determines it: `docker-compose.yml:12`. */
    readonly from?: string;
    readonly perTransaction: Readonly<Record<string, string>>;
    /** Names of transactions whose instances are kept serializable with each other, whatever their levels. */
    readonly serializablePairs?: readonly (readonly [string, string])[];
  };
  /** The bases of the levels' rules, one entry per level in use. */
  readonly basis?: readonly LevelBasis[];
  readonly verdict: Verdict;
  readonly rests: Rests;
  readonly transactions: readonly ReportTransaction[];
  /** The extent of the search; absent if nothing was searched, or if there are too many pairs to count. */
  readonly search?: SearchExtent;
  readonly anomalies: readonly Anomaly[];
  /**
   * Runs in which the server aborts a transaction because of concurrent ones: no verdict rests on them. They are among the anomalies after
   * judging.
   */
  readonly refusals?: readonly Anomaly[];
  /** The mistakes behind the anomalies, worst first; absent before they are computed. */
  readonly causes?: readonly Cause[];
  readonly unknown: readonly Unknown[];
  /** Assumptions of the verdict beyond the program text. */
  readonly assumptions: readonly Assumption[];
  readonly coverage: Coverage;
  /** The verdict for any number of transactions; absent if not requested. */
  readonly proof?: ProofReport;
  /** Sufficient levels for each part that shares no table with the rest; absent if no proof was requested. */
  readonly sufficient?: readonly SufficientLevel[];
  /** Results per file; absent if not requested. */
  readonly files?: readonly FileCoverage[];
}
