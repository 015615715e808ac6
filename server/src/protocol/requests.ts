// Messages between the editor's client and the language server beyond LSP, and between the panel's page and its host. Plain data only.
import type { Allocation } from "./allocation";
import type { HistoryVerdict } from "./history";
import type { FixReport } from "./fixes";
import type { ProofReport, SufficientLevel } from "./proof";
import type {
  Anomaly,
  Coverage,
  FindingSeverity,
  Rests,
  Suppressed,
  TableUse,
  Unknown,
  Verdict,
} from "./report";
import type { Position, Range } from "./source";

/** A place in a document of the editor. */
export interface Place {
  readonly uri: string;
  readonly range: Range;
}

export interface LevelName {
  /** The full name, e.g. `postgres:read-committed`. */
  readonly name: string;
  /** For people, e.g. "PostgreSQL READ COMMITTED". */
  readonly label: string;
}

/** A level as the picker shows it. */
export interface LevelChoice extends LevelName {
  readonly summary: string;
  readonly family: "product" | "paper";
  /** True for the level of the current findings. */
  readonly inForce: boolean;
  /** True for the configured level. */
  readonly configured: boolean;
  /** The result of the last check of the current text at this level; absent if there is none. */
  readonly known?: {
    readonly verdict: Verdict;
    readonly anomalies: number;
    /** The number of anomalies at the level in force that remain; absent if that level is not decided. */
    readonly of?: number;
    readonly unknown: number;
  };
  /** True for levels of the project's database. */
  readonly own: boolean;
  /** Set if it is proved safe for any number of transactions, with the number of current anomalies that it removes. */
  readonly proved?: { readonly removes: number };
  /** How many of the transactions need this level for all to be serializable together; absent as long as nobody has asked. */
  readonly needed?: {
    readonly by: number;
    readonly of: number;
    readonly isWeakest: boolean;
    /** False if a weaker level may do for some. */
    readonly isDecided: boolean;
  };
}

/** One anomaly in a list. */
export interface AnomalySummary {
  readonly id: string;
  readonly kind: string;
  /** The consequence for the data: "Two bookings for room 63". */
  readonly title: string;
  readonly message: string;
  readonly level: LevelName;
  readonly severity: Anomaly["severity"];
  readonly status: Anomaly["status"];
  readonly transactions: readonly string[];
  /** The place of its diagnostic. */
  readonly place: Place;
  /** True if the text of one of its transactions was edited since it was found. */
  readonly stale: boolean;
  /** True if it is reported by itself, not by another of the same cause. */
  readonly shown: boolean;
  /** The part of the anomaly at the requested position. */
  readonly near: "finding" | "statement" | "transaction" | "elsewhere";
}

/** An anomaly of the same cause, identified by the cause's partner in it. */
export interface PanelPartner {
  readonly id: string;
  /** A transaction's name, or "itself". */
  readonly partner: string;
}

/** Everything that the panel needs to show one anomaly. */
export interface AnomalyPayload {
  readonly anomaly: Anomaly;
  readonly level: LevelName;
  readonly title: string;
  /** The kind's definition in one sentence; empty for a kind without a name. */
  readonly definition: string;
  readonly reference: string;
  /** Partners of its cause, "deposit, transfer and itself", if it has several anomalies. */
  readonly races?: string;
  readonly rests: Rests;
  /** The basis of its level's rules, in words; absent for axiomatic levels. */
  readonly basis?: string;
  /** Assumptions of the results for its transactions, in words. */
  readonly assumptions?: readonly string[];
  /** Labels of the levels in the anomaly's `preventedBy` and `allowedAt`. */
  readonly labels: Readonly<Record<string, string>>;
  /** The document of every file that the anomaly names. */
  readonly uris: Readonly<Record<string, string>>;
  readonly stale: boolean;
  /** True while the check is running: other levels are not compared yet, and the witness may get shorter. */
  readonly partial: boolean;
  /** The reported anomalies of the same check, in order, and this one. */
  readonly siblings: readonly Pick<AnomalySummary, "id" | "title" | "transactions">[];
  /** The anomalies of its cause, worst first, this one included; absent if it is the only one. */
  readonly partners?: readonly PanelPartner[];
  /** The documentation page of its kind. */
  readonly documentation?: string;
  /** Set if it was found in a recorded run: nothing was executed, and the levels are those that the run satisfies or violates. */
  readonly recorded?: {
    readonly verdicts: readonly { readonly level: LevelName; readonly verdict: HistoryVerdict }[];
  };
}

/** The state of a transaction; each has its own icon shape. */
export type TransactionVerdict =
  | "anomaly"
  /** Everything found is suppressed or off. */
  | "hidden"
  | "unknown"
  | "nothing"
  /** It was edited since, or the check is still running. */
  | "checking"
  | "cancelled";

/** An anomaly in the tree, below each of its transactions. */
export interface TreeAnomaly {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  /** The participating transactions. */
  readonly transactions: readonly string[];
  readonly severity: FindingSeverity;
  readonly place: Place;
  readonly stale: boolean;
  readonly suppressed?: Suppressed;
  /** True if it could not be executed. */
  readonly unconfirmed: boolean;
}

/** An anomaly, with the transactions that take part in it; one that takes part twice stands twice. */
export interface TreeRace {
  readonly id: string;
  readonly title: string;
  readonly transactions: readonly string[];
  /** It could not be executed. */
  readonly unconfirmed: boolean;
}

export interface TreeTransaction {
  readonly name: string;
  readonly place: Place;
  readonly verdict: TransactionVerdict;
  /** The tables that it reads and writes; none before it was searched. */
  readonly tables: readonly TableUse[];
  /** All its anomalies, the worst first, including those that another of the same cause stands for. */
  readonly races: readonly TreeRace[];
  /** True if every pair with another transaction, or with itself, either races or was found not to. */
  readonly isDecided: boolean;
  /** Undecided questions, in sentences. */
  readonly undecided: readonly string[];
  /** The anomalies, reported ones first. */
  readonly anomalies: readonly TreeAnomaly[];
}

/** A file in the tree, with its coverage. */
export interface TreeFile extends Coverage {
  readonly uri: string;
  /** Relative to its project. */
  readonly name: string;
  /** The project's folder; empty if there is only one. */
  readonly project: string;
  readonly level: LevelName;
  readonly transactions: readonly TreeTransaction[];
  /** The reason why it was not read. */
  readonly skipped?: string;
}

/** Summary of the exploration of a client program. */
export interface ExplorationSummary {
  readonly uri: string;
  /** One sentence: "2 assertions fail at snapshot isolation", "3 assertions hold in all 120 executions", "not explored: ...". */
  readonly message: string;
  /** The ids of the executions of violated assertions, for `isolens/anomaly`. */
  readonly violations: readonly string[];
}

/** Verdict on a recorded run. */
export interface HistorySummary {
  readonly uri: string;
  /** One sentence: "violates snapshot isolation: lost update", "serializability holds", "not read: ...". */
  readonly message: string;
  /** Weak to strong; empty if the file could not be read. */
  readonly verdicts: readonly { readonly level: LevelName; readonly verdict: HistoryVerdict }[];
  /** The id of the violation, for `isolens/anomaly`. */
  readonly violation?: string;
}

/** The result of a check of one project (a folder with its configuration, or the workspace folder). */
export interface CheckSummary {
  readonly folder: string;
  readonly level: LevelName;
  readonly verdict: Verdict;
  readonly rests: Rests;
  readonly anomalies: number;
  readonly transactions: number;
  readonly unknown: readonly Unknown[];
  /** The proof, if one was requested. */
  readonly proof?: ProofView;
  /** Sufficient levels for each part that shares no table with the rest. */
  readonly sufficient?: readonly SufficientLevel[];
}

/** The verdict for any number of transactions, with the documents of the files that it names. */
export interface ProofView {
  readonly level: LevelName;
  readonly proof: ProofReport;
  readonly uris: Readonly<Record<string, string>>;
}

/** Progress of checks: files while reading, then tuples of transactions, smallest first. Each count keeps its total from first to last. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly unit?: ProgressUnit;
}

export type ProgressUnit = "files" | "pairs" | "groups of three" | "larger groups";

export interface ServerStatus {
  /** `degraded`: it works, but something is missing (the message says what). */
  readonly health: "ok" | "busy" | "degraded";
  readonly message: string;
  /** The level in force: chosen by command, else configured. */
  readonly level: LevelName;
  readonly chosen: boolean;
  /** The line of the workspace's settings that determines the level: `docker-compose.yml:12`. */
  readonly levelFrom?: string;
  readonly anomalies: number;
  readonly unknown: number;
  /** Files that cannot be read, in sentences that name the place: "bank.sql:12: END is missing. ...". */
  readonly open: readonly string[];
  readonly progress?: Progress;
  /** Wall time of the last completed check. */
  readonly milliseconds?: number;
}

/** Fixes of an anomaly, with the document of every file that they edit. */
export interface FixesAnswer extends FixReport {
  readonly uris: Readonly<Record<string, string>>;
}

/** Requests from the client to the server, by method. */
export interface Requests {
  /**
   * Checks at a level and makes it the level in force until the next such request; without a level, returns to the configured one. Answers
   * when the check has ended or was cancelled.
   */
  readonly "isolens/check": {
    readonly params: {
      readonly level?: string;
      readonly uri?: string;
      /** Requests a proof for any number of transactions as well, from now on. */
      readonly prove?: boolean;
    };
    readonly result: readonly CheckSummary[];
  };
  /**
   * The report at another level of the document's project, without changing the level in force. It is cached for the current text, so that
   * `isolens/levels` knows it. Cancelled with its request; null if nothing could be checked.
   */
  readonly "isolens/tryLevel": {
    readonly params: { readonly level?: string; readonly uri?: string };
    readonly result: CheckSummary | null;
  };
  /** The weakest level per transaction of a document's project; `isolens/levels` counts them from then on. */
  readonly "isolens/allocation": {
    readonly params: { readonly uri?: string };
    readonly result: Allocation | null;
  };
  /** Findings of the last checks, without checking again. */
  readonly "isolens/summaries": {
    readonly params: Readonly<Record<string, never>>;
    readonly result: readonly CheckSummary[];
  };
  /** The files of all checked projects, with their transactions and anomalies. */
  readonly "isolens/tree": {
    readonly params: Readonly<Record<string, never>>;
    readonly result: readonly TreeFile[];
  };
  /** All levels, in the order of the picker. */
  readonly "isolens/levels": {
    readonly params: { readonly uri?: string };
    readonly result: readonly LevelChoice[];
  };
  /** The anomalies of a document's project; those at the position first. Without a document, all anomalies. */
  readonly "isolens/anomalies": {
    readonly params: { readonly uri?: string; readonly position?: Position };
    readonly result: readonly AnomalySummary[];
  };
  /** One anomaly of the current findings, or null if there is none with the id. */
  readonly "isolens/anomaly": {
    readonly params: { readonly id: string };
    readonly result: AnomalyPayload | null;
  };
  /**
   * Verified fixes of one anomaly of the current findings, cheapest first, and reasons against other kinds. Null if there is none with the
   * id, or if its text has changed since. Answers within about a second with those verified so far (`isPartial`); the search continues, and
   * a repeated request returns its result.
   */
  readonly "isolens/fixes": {
    readonly params: { readonly id: string };
    readonly result: FixesAnswer | null;
  };
  /**
   * Judges a recorded run: a file, or a folder of logs. Answers when it is decided or was cancelled. Violations become diagnostics of the
   * file.
   */
  readonly "isolens/checkHistory": {
    readonly params: { readonly uri: string; readonly strict?: boolean };
    readonly result: HistorySummary;
  };
  /**
   * Explores a client program, at its own level unless another one is named. Answers when it is decided or was cancelled. Violated
   * assertions become diagnostics of the file.
   */
  readonly "isolens/explore": {
    readonly params: { readonly uri: string; readonly level?: string };
    readonly result: ExplorationSummary;
  };
  /** The client program was edited: removes its diagnostics. */
  readonly "isolens/forgetExploration": {
    readonly params: { readonly uri: string };
    readonly result: null;
  };
  /** The file was edited: removes its diagnostics. */
  readonly "isolens/forgetHistory": {
    readonly params: { readonly uri: string };
    readonly result: null;
  };
  /** Stops all running checks; the status changes at once. Answers with the number of stopped checks. */
  readonly "isolens/cancel": {
    readonly params: Readonly<Record<string, never>>;
    readonly result: number;
  };
}

/** Notifications from the server to the client, by method. */
export interface Notifications {
  readonly "isolens/status": ServerStatus;
  /** The findings changed: what was fetched before may be stale or gone. */
  readonly "isolens/findings": { readonly revision: number };
}

/** Notifications from the client to the server, by method. */
export interface ClientNotifications {
  /** The user now trusts the workspace. */
  readonly "isolens/trust": { readonly trusted: boolean };
}

/** Sent by the client at `initialize`. */
export interface InitializationOptions {
  /** False if the user does not trust the workspace: none of its code runs then. Absent in editors without workspace trust. */
  readonly trusted?: boolean;
  /** True if the client runs `command:` links in hovers. */
  readonly commandLinks?: boolean;
  /** True if the client lists anomalies itself, so that a lens may run `isolens.showAnomaly`. */
  readonly showAnomaly?: boolean;
  /** Another Node executable for the solver's process. */
  readonly nodePath?: string;
  /** Absolute path of the cache folder; the user's default without it. */
  readonly cacheFolder?: string;
}

/** Settings below `isolens.` that the server reads. */
export interface Settings {
  readonly check: "onChange" | "onSave" | "manual";
  readonly scope: "openFiles" | "workspace";
  /** The level without an isolens.json; empty for the default. */
  readonly level: string;
  readonly codeLens: boolean;
  /** True to show inlay hints at stale reads. */
  readonly inlayHints: boolean;
  /** The tuple size limit without an isolens.json. */
  readonly maxTransactions: number;
  /** Time budget of a check in milliseconds, without an isolens.json. */
  readonly budget: number;
  /** Loop unrolling bound without an isolens.json. */
  readonly unroll: number;
  /** True to request a proof unless isolens.json says otherwise. */
  readonly prove: boolean;
  /** Severities of kinds that no isolens.json sets. */
  readonly severities: Readonly<Record<string, FindingSeverity>>;
}

/** State of a panel. */
export type PanelState =
  | {
      readonly kind: "empty";
      readonly status: PanelStatus;
      /** One per project with a requested proof. */
      readonly proofs?: readonly ProofView[];
    }
  | { readonly kind: "loading"; readonly status: PanelStatus }
  | { readonly kind: "anomaly"; readonly payload: AnomalyPayload; readonly tab?: PanelTab }
  /** The anomaly is gone; `last` is what was shown. */
  | { readonly kind: "gone"; readonly last: AnomalyPayload; readonly status: PanelStatus }
  | {
      readonly kind: "unknown";
      readonly unknown: readonly Unknown[];
      readonly status: PanelStatus;
      readonly proofs?: readonly ProofView[];
    }
  /** The transactions of all projects, the tables that they share, and which of them race. */
  | { readonly kind: "map"; readonly files: readonly TreeFile[]; readonly status: PanelStatus };

export interface PanelStatus {
  readonly level: LevelName;
  readonly anomalies: number;
  readonly progress?: Progress;
}

export type PanelTab = "schedule" | "cycle" | "serial";

/** Requests of the page to its host. */
export interface PanelHost {
  /** The page is ready: the host must answer with `show`. */
  ready(params: Readonly<Record<string, never>>): void;
  /** Highlights these places in their documents; with `takeFocus`, the first of them gets the keyboard focus. */
  reveal(params: { readonly places: readonly Place[]; readonly takeFocus: boolean }): void;
  /** Shows another anomaly of the same check. */
  open(params: { readonly id: string }): void;
  /** Shows the map of all transactions. */
  openMap(params: Readonly<Record<string, never>>): void;
  /** Runs one of the product's commands, on the shown anomaly if the command concerns one. */
  run(params: { readonly command: PanelCommand }): void;
  /** Applies one of the last shown fixes, by index. */
  applyFix(params: { readonly fix: number }): void;
  /** Saves a figure as a file, or copies a text to the clipboard. */
  export(params: PanelExport): void;
  /** Starts or stops following the anomaly at the cursor. */
  follow(params: { readonly on: boolean }): void;
}

export type PanelCommand =
  | "isolens.check"
  | "isolens.showAnomaly"
  | "isolens.cancel"
  | "isolens.reproduce"
  | "isolens.createTest"
  | "isolens.copyScript"
  | "isolens.openDocumentation"
  | "isolens.prove";

/** `svg` and texts as they are, `png` as base64. */
export interface PanelExport {
  readonly format: "svg" | "png" | "mermaid" | "markdown";
  readonly content: string;
}

/** Fixes of the shown anomaly. */
export interface PanelFixes {
  readonly id: string;
  /** Null if its text has changed since. */
  readonly report: FixReport | null;
}

/** Result of a replay. */
export interface PanelReplay {
  readonly id: string;
  /** "PostgreSQL 15.4"; empty while it runs. */
  readonly server: string;
  readonly verdict:
    | "running"
    | "reproduced"
    | "reproduced in part"
    | "followed"
    | "not reproduced"
    | "not replayed";
  /** The reason why it was not replayed, or what was omitted. */
  readonly reason?: string;
  /** The final rows by table, as the server printed them. */
  readonly rows?: Readonly<Record<string, readonly string[]>>;
}

/** Requests of the host to the page. */
export interface PanelPage {
  show(params: PanelState): void;
  /** Moves the selection among the steps. */
  move(params: { readonly to: "next" | "previous" | "first" | "last" }): void;
  tab(params: { readonly tab: PanelTab }): void;
  fixes(params: PanelFixes): void;
  replayed(params: PanelReplay): void;
  /** The user moved to this place in an editor: selects a step at it, if there is one. */
  locate(params: Place): void;
}

/** One call of an interface as a message. */
export type Call<Interface> = {
  [Method in keyof Interface]: Interface[Method] extends (params: infer Params) => void
    ? { readonly method: Method; readonly params: Params }
    : never;
}[keyof Interface];

/** The page's state across reloads. */
export interface PanelMemory {
  readonly state: PanelState;
  readonly tab: PanelTab;
  readonly step: number;
}
