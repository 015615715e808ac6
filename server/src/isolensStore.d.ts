// The types of `isolens/store`, for applications' tests; test/cli/library.test.ts holds the code to them.

export interface StoreOptions {
  /** Whose clients may connect; `postgres` if absent. */
  readonly protocol?: "postgres" | "mysql";
  /** A level by its name, as `read-committed`, `causal` or `postgres:repeatable-read`. */
  readonly level: string;
  /** SQL that makes the tables and the first rows. */
  readonly schema?: string;
  /** The same seed gives the same choices to the same client; 1 if absent. */
  readonly seed?: number;
  /** Which of the versions that the level allows reads prefer; `uniform` if absent. */
  readonly strategy?: "uniform" | "latest" | "stale";
  /** Answers come after a moment that differs from one to the next. */
  readonly delay?: boolean;
  /** Seconds that a statement waits for a lock unless its session says otherwise, 0 for ever; 50 if absent. */
  readonly lockTimeout?: number;
  /** As `--overwrite-keys`: keys that are created side by side are overwritten, as in MonkeyDB's store. */
  readonly overwriteKeys?: boolean;
  /** As `--strong-until`: seconds, or how the statement begins that ends the loading of first rows. */
  readonly strongUntil?: string;
  /** As `--weak-for`: whose reads are as weak as the level allows. */
  readonly weakFor?: readonly string[];
  /** 0 or absent: a free one. */
  readonly port?: number;
}

export interface OpenedStore {
  readonly host: "127.0.0.1";
  readonly port: number;
  /** For clients that take one; any user and database will do. */
  readonly url: string;
  /** Reads and writes since the start, or since the last reset. */
  history(): RecordedHistory;
  /** The levels of the literature with the verdict on the run so far. */
  verdicts(): Readonly<Record<string, "ok" | "violated" | "unknown">>;
  /** Runs a query over what is there in the end, as texts; the history does not mention it. Throws for bad SQL. */
  rows(sql: string): readonly Readonly<Record<string, string | null>>[];
  /** Requests of clients since the start or the last reset, in the order in which they were answered. */
  statements(): readonly TracedStatement[];
  /** The first rows again, an empty history, and another seed if one is given. Transactions that are open are rolled back. */
  reset(seed?: number): void;
  /** Ends all connections and gives the port back. */
  close(): Promise<void>;
}

/** In our own JSON, which `isolens history` reads: sessions of transactions, null for the version at the start. */
export interface RecordedHistory {
  readonly format: "isolens-history";
  readonly version: 1;
  readonly sessions: readonly (readonly {
    readonly id: string;
    readonly status: "committed" | "aborted";
    readonly ops: readonly (
      { readonly r: readonly [string, number | null] } | { readonly w: readonly [string, number] }
    )[];
  }[])[];
}

/** Starts a database on 127.0.0.1. Rejects for an unknown level, a schema that is refused, or a port that is taken. */
export declare function openStore(options: StoreOptions): Promise<OpenedStore>;

export interface TracedStatement {
  /** From 1, in the order in which sessions connected. */
  readonly session: number;
  readonly sql: string;
  readonly values: readonly (string | number | bigint | boolean | null)[];
  /** Rows, the count of changed rows, or the error. */
  readonly answer: string;
}

export interface Trial {
  /**
   * Calls the application, with as many requests at once as the assertion is about. Best returns them all, so that the
   * next run waits also for those that go on when the level has ended one of them.
   */
  readonly run: () => Promise<void> | readonly Promise<unknown>[] | void;
  /** Throws if the assertion does not hold when all is over. */
  readonly check: () => Promise<void> | void;
  /** How many runs are tried, each with a seed of its own; 100 if absent. */
  readonly runs?: number;
  /** How many more are tried for a smaller one once the assertion has broken; 20 if absent. */
  readonly further?: number;
  /** Seed of the first run; 1 if absent. */
  readonly seed?: number;
}

export interface AssertionFailure {
  /** `reset(seed)` and the same calls repeat the run, if the application repeats itself. */
  readonly seed: number;
  /** How many runs it took until the assertion broke first. */
  readonly runs: number;
  /** Error that `check` threw. */
  readonly error: unknown;
  /** Statements of the sessions with their answers, as SQL. */
  readonly script: string;
}

/**
 * Runs the application again and again from the first rows, and returns the failing run with the fewest statements;
 * undefined if the assertion holds in all. A run that the level itself has ended (40001, a deadlock) says nothing; where
 * all have ended so, nothing was checked, which is an error, as is any other error of the application.
 */
export declare function smallestFailure(
  store: OpenedStore,
  trial: Trial,
): Promise<AssertionFailure | undefined>;

/** As `smallestFailure`, for tests: fails with the script of the smallest failing run. */
export declare function assertAlways(store: OpenedStore, trial: Trial): Promise<void>;
