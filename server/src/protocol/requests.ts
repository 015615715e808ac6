// Messages between the editor's client and the language server beyond the Language Server Protocol, and between the
// panel's page and its host. Plain data only; every method is documented by what it owes.
import type { HistoryVerdict } from "./history";
import type { FixReport } from "./fixes";
import type { ProofReport, SufficientLevel } from "./proof";
import type {
  Anomaly,
  Coverage,
  FindingSeverity,
  Rests,
  Suppressed,
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
  /** It is the level of the current findings. */
  readonly inForce: boolean;
  /** It is the level that the workspace is configured with. */
  readonly configured: boolean;
  /** Result of the last check of the present text at this level; absent when it was not checked. */
  readonly known?: {
    readonly verdict: Verdict;
    readonly anomalies: number;
    /** The number of anomalies at the level in force, of which so many stay; absent where that level is not decided. */
    readonly of?: number;
    readonly unknown: number;
  };
  /** It is a level of the database that the project is written for. */
  readonly own: boolean;
  /** It is proved safe for any number of transactions; so many anomalies of the present findings go. */
  readonly proved?: { readonly removes: number };
}

/** One anomaly in a list. */
export interface AnomalySummary {
  readonly id: string;
  readonly kind: string;
  /** Consequence for the data: "Two bookings for room 63". */
  readonly title: string;
  readonly message: string;
  readonly level: LevelName;
  readonly severity: Anomaly["severity"];
  readonly status: Anomaly["status"];
  readonly transactions: readonly string[];
  /** Where its diagnostic stands. */
  readonly place: Place;
  /** The text of one of its transactions was changed since it was found. */
  readonly stale: boolean;
  /** It is told by itself; others are told by one of the same cause. */
  readonly shown: boolean;
  /** Part of the anomaly at the requested position. */
  readonly near: "finding" | "statement" | "transaction" | "elsewhere";
}

/** An anomaly of the same cause, known by the transaction that the cause meets in it. */
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
  /** Meaning of this kind in the literature, in one sentence; empty for a kind without a name. */
  readonly definition: string;
  readonly reference: string;
  /** Partners of its cause, "deposit, transfer and itself", where it has several anomalies. */
  readonly races?: string;
  readonly rests: Rests;
  /** Basis of its level's rules, in words; absent for levels that axioms define. */
  readonly basis?: string;
  /** Assumptions of the answers about its transactions, in words. */
  readonly assumptions?: readonly string[];
  /** Labels of the levels that the anomaly's `preventedBy` and `allowedAt` name. */
  readonly labels: Readonly<Record<string, string>>;
  /** The document of every file that the anomaly names. */
  readonly uris: Readonly<Record<string, string>>;
  readonly stale: boolean;
  /** The check is still running: other levels were not compared yet, and the witness may still get shorter. */
  readonly partial: boolean;
  /** The anomalies of the same check that are told by themselves, in its order, and this one. */
  readonly siblings: readonly Pick<AnomalySummary, "id" | "title" | "transactions">[];
  /** The anomalies of its cause, the worst first, this one included; absent where it is the only one. */
  readonly partners?: readonly PanelPartner[];
  /** The page that explains its kind. */
  readonly documentation?: string;
  /** It was found in a recorded run: nothing was executed, and the levels are those that the run keeps or not. */
  readonly recorded?: {
    readonly verdicts: readonly { readonly level: LevelName; readonly verdict: HistoryVerdict }[];
  };
}

/** Facts about a transaction; each has an icon of its own shape. */
export type TransactionVerdict =
  | "anomaly"
  /** All that was found is suppressed or off. */
  | "hidden"
  | "unknown"
  | "nothing"
  /** It was edited since, or the check still runs. */
  | "checking"
  | "cancelled";

/** An anomaly in the tree, below each transaction that takes part in it. */
export interface TreeAnomaly {
  readonly id: string;
  readonly title: string;
  readonly message: string;
  /** The transactions that take part. */
  readonly transactions: readonly string[];
  readonly severity: FindingSeverity;
  readonly place: Place;
  readonly stale: boolean;
  readonly suppressed?: Suppressed;
  /** It could not be executed. */
  readonly unconfirmed: boolean;
}

export interface TreeTransaction {
  readonly name: string;
  readonly place: Place;
  readonly verdict: TransactionVerdict;
  /** Open questions, in sentences. */
  readonly undecided: readonly string[];
  /** Those that are told come first. */
  readonly anomalies: readonly TreeAnomaly[];
}

/** A file in the tree, with what was understood of it. */
export interface TreeFile extends Coverage {
  readonly uri: string;
  /** Relative to its project. */
  readonly name: string;
  /** Its project: a folder, or empty where there is only one. */
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
  /** The ids of broken assertions' executions, for `isolens/anomaly`. */
  readonly violations: readonly string[];
}

/** Verdict on a recorded run. */
export interface HistorySummary {
  readonly uri: string;
  /** One sentence: "violates snapshot isolation: lost update", "serializability holds", "not read: ...". */
  readonly message: string;
  /** From weak to strong; empty when the file could not be read. */
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
  /** Where one was asked for. */
  readonly proof?: ProofView;
  /** Which levels would do, for each part that shares no table with the rest. */
  readonly sufficient?: readonly SufficientLevel[];
}

/** The answer for any number of transactions, with the documents of the files that it names. */
export interface ProofView {
  readonly level: LevelName;
  readonly proof: ProofReport;
  readonly uris: Readonly<Record<string, string>>;
}

/**
 * How far checks have come: files while these are read, then groups of transactions, the smallest first. What is counted
 * has one total from its first to its last count.
 */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly unit?: ProgressUnit;
}

export type ProgressUnit = "files" | "pairs" | "groups of three" | "larger groups";

export interface ServerStatus {
  /** `degraded`: it answers, and something is missing (the message says what). */
  readonly health: "ok" | "busy" | "degraded";
  readonly message: string;
  /** The level in force: chosen by command, else configured. */
  readonly level: LevelName;
  readonly chosen: boolean;
  /** The line of the workspace's settings that says the level, where it was found there: `docker-compose.yml:12`. */
  readonly levelFrom?: string;
  readonly anomalies: number;
  readonly unknown: number;
  /** Files that cannot be read as they are, in sentences that name the place: "bank.sql:12: END is missing. ...". */
  readonly open: readonly string[];
  readonly progress?: Progress;
  /** Wall time of the last check that ended. */
  readonly milliseconds?: number;
}

/** Fixes of an anomaly, with the document of every file that they edit. */
export interface FixesAnswer extends FixReport {
  readonly uris: Readonly<Record<string, string>>;
}

/** Requests from the client to the server, by method. */
export interface Requests {
  /**
   * Checks at a level and makes it the level in force until the next such request; without a level, returns to what
   * is configured. Answers when the check has ended or was cancelled.
   */
  readonly "isolens/check": {
    readonly params: {
      readonly level?: string;
      readonly uri?: string;
      /** Ask for a proof for any number of transactions as well, from now on. */
      readonly prove?: boolean;
    };
    readonly result: readonly CheckSummary[];
  };
  /**
   * The report at another level of the document's project, without making it the level in force: remembered for the present
   * text, so that `isolens/levels` knows it. Cancelled with its request; null where nothing could be asked.
   */
  readonly "isolens/tryLevel": {
    readonly params: { readonly level?: string; readonly uri?: string };
    readonly result: CheckSummary | null;
  };
  /** Findings of the last checks, without checking again. */
  readonly "isolens/summaries": {
    readonly params: Readonly<Record<string, never>>;
    readonly result: readonly CheckSummary[];
  };
  /** The files of all projects that were checked, with their transactions and anomalies. */
  readonly "isolens/tree": {
    readonly params: Readonly<Record<string, never>>;
    readonly result: readonly TreeFile[];
  };
  /** All levels, in the order of the picker. */
  readonly "isolens/levels": {
    readonly params: { readonly uri?: string };
    readonly result: readonly LevelChoice[];
  };
  /** The anomalies of a document's project; those at the position first. All anomalies without a document. */
  readonly "isolens/anomalies": {
    readonly params: { readonly uri?: string; readonly position?: Position };
    readonly result: readonly AnomalySummary[];
  };
  /** One anomaly of the present findings, or null when there is none of that id. */
  readonly "isolens/anomaly": {
    readonly params: { readonly id: string };
    readonly result: AnomalyPayload | null;
  };
  /**
   * Verified fixes of one anomaly of the present findings, the cheapest first, and why other kinds are not offered. Null
   * when there is none of that id, or its text has changed since. Answers within about a second with what is verified by
   * then (`isPartial`); the rest is looked for meanwhile, and asked for by asking again.
   */
  readonly "isolens/fixes": {
    readonly params: { readonly id: string };
    readonly result: FixesAnswer | null;
  };
  /**
   * Judges a recorded run: a file, or a folder of logs. Answers when it is decided or was cancelled. What is violated
   * becomes diagnostics of the file.
   */
  readonly "isolens/checkHistory": {
    readonly params: { readonly uri: string; readonly strict?: boolean };
    readonly result: HistorySummary;
  };
  /**
   * Explores a client program, at its own level unless another one is named. Answers when it is decided or was cancelled.
   * Assertions that break become diagnostics of the file.
   */
  readonly "isolens/explore": {
    readonly params: { readonly uri: string; readonly level?: string };
    readonly result: ExplorationSummary;
  };
  /** The client program was edited: its diagnostics go. */
  readonly "isolens/forgetExploration": {
    readonly params: { readonly uri: string };
    readonly result: null;
  };
  /** The file was edited: its diagnostics go. */
  readonly "isolens/forgetHistory": {
    readonly params: { readonly uri: string };
    readonly result: null;
  };
  /** Stops every running check; the status says so at once. Answers with the number of checks that were stopped. */
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
  /** The user trusts the workspace from now on. */
  readonly "isolens/trust": { readonly trusted: boolean };
}

/** Given by the client at `initialize`. */
export interface InitializationOptions {
  /** False where the user does not trust the workspace: nothing of it runs then. Editors that do not ask leave it out. */
  readonly trusted?: boolean;
  /** The client runs `command:` links in hovers. */
  readonly commandLinks?: boolean;
  /** The client lists anomalies itself, so that a lens may run `isolens.showAnomaly`. */
  readonly showAnomaly?: boolean;
  /** Another Node executable for the solver's process. */
  readonly nodePath?: string;
  /** Absolute path of a folder in which results are kept between starts; the user's own without it. */
  readonly cacheFolder?: string;
}

/** Settings below `isolens.` that the server reads. */
export interface Settings {
  readonly check: "onChange" | "onSave" | "manual";
  readonly scope: "openFiles" | "workspace";
  /** The level where no isolens.json governs; empty for the default. */
  readonly level: string;
  readonly codeLens: boolean;
  /** True if reads that go stale carry a hint of what they may miss. */
  readonly inlayHints: boolean;
  /** How many transactions are looked at together where no isolens.json governs. */
  readonly maxTransactions: number;
  /** Milliseconds that a check may take where no isolens.json governs. */
  readonly budget: number;
  /** How many rounds of a loop are looked at where no isolens.json governs. */
  readonly unroll: number;
  /** True if a proof is asked for where no isolens.json says it. */
  readonly prove: boolean;
  /** How loudly kinds of anomalies are told, where no isolens.json says it of the kind. */
  readonly severities: Readonly<Record<string, FindingSeverity>>;
}

/** State of a panel. */
export type PanelState =
  | {
      readonly kind: "empty";
      readonly status: PanelStatus;
      /** One for each project where one was asked for. */
      readonly proofs?: readonly ProofView[];
    }
  | { readonly kind: "loading"; readonly status: PanelStatus }
  | { readonly kind: "anomaly"; readonly payload: AnomalyPayload; readonly tab?: PanelTab }
  /** It was there and is not found any more; `last` is what was shown. */
  | { readonly kind: "gone"; readonly last: AnomalyPayload; readonly status: PanelStatus }
  | {
      readonly kind: "unknown";
      readonly unknown: readonly Unknown[];
      readonly status: PanelStatus;
      readonly proofs?: readonly ProofView[];
    };

export interface PanelStatus {
  readonly level: LevelName;
  readonly anomalies: number;
  readonly progress?: Progress;
}

export type PanelTab = "schedule" | "cycle" | "serial";

/** Requests of the page to its host. */
export interface PanelHost {
  /** The page can receive: the host must answer with `show`. */
  ready(params: Readonly<Record<string, never>>): void;
  /** Mark these places in their documents; with `takeFocus`, the first of them takes the keyboard as well. */
  reveal(params: { readonly places: readonly Place[]; readonly takeFocus: boolean }): void;
  /** Show another anomaly of the same check. */
  open(params: { readonly id: string }): void;
  /** Run one of the product's commands, on the anomaly that is shown where the command is about one. */
  run(params: { readonly command: PanelCommand }): void;
  /** Apply a fix of those that were shown last, by its number from 0. */
  applyFix(params: { readonly fix: number }): void;
  /** Keep a figure as a file, or a text in the clipboard. */
  export(params: PanelExport): void;
  /** Show the anomaly at the cursor from now on, or not any more. */
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

/** Fixes of the anomaly that is shown. */
export interface PanelFixes {
  readonly id: string;
  /** Null where its text has changed since. */
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
  /** The reason why it was not replayed, or what was left out. */
  readonly reason?: string;
  /** The rows that were left, by table, as the server printed them. */
  readonly rows?: Readonly<Record<string, readonly string[]>>;
}

/** Requests of the host to the page. */
export interface PanelPage {
  show(params: PanelState): void;
  /** Move the selection among the steps. */
  move(params: { readonly to: "next" | "previous" | "first" | "last" }): void;
  tab(params: { readonly tab: PanelTab }): void;
  fixes(params: PanelFixes): void;
  replayed(params: PanelReplay): void;
  /** The user moved to this place in an editor: select a step that stands there, if there is one. */
  locate(params: Place): void;
}

/** One call of an interface as a message. */
export type Call<Interface> = {
  [Method in keyof Interface]: Interface[Method] extends (params: infer Params) => void
    ? { readonly method: Method; readonly params: Params }
    : never;
}[keyof Interface];

/** Memory of the page over reloads. */
export interface PanelMemory {
  readonly state: PanelState;
  readonly tab: PanelTab;
  readonly step: number;
}
