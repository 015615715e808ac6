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
  /** 0 or absent: a free one. */
  readonly port?: number;
}

export interface OpenedStore {
  readonly host: "127.0.0.1";
  readonly port: number;
  /** For clients that take one; any user and database will do. */
  readonly url: string;
  /** What was read and written since the start, or since the last reset. */
  history(): RecordedHistory;
  /** The levels of the literature with the verdict on the run so far. */
  verdicts(): Readonly<Record<string, "ok" | "violated" | "unknown">>;
  /** Runs a query over what is there in the end, as texts; the history does not mention it. Throws for bad SQL. */
  rows(sql: string): readonly Readonly<Record<string, string | null>>[];
  /** The first rows again, and an empty history. Transactions that are open are rolled back. */
  reset(): void;
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
