// A session of SQL as others see it: what it is made with, what it is asked, what it gives.
import type { Reply, Request } from "../exploration/client";
import type { QueryColumn } from "./compile/node";
import type { AdvisoryLocks } from "./advisoryLocks";
import type { LockingRule } from "./run/rows";
import type { SqlError } from "./sqlError";
import type { SqlType } from "./values/types";
import type { SqlRow } from "./values/value";
import type { SqlCopy } from "./statementTree";

export type ResultColumn = QueryColumn;

export interface SqlResult {
  /** `SELECT`, `INSERT`, `BEGIN`, ... */
  readonly command: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly SqlRow[];
  /** Rows that were given, or found by a change. */
  readonly rowCount: number;
  /** Rows that a change left different; MySQL tells both. */
  readonly changedRows?: number;
  /** The first number that AUTO_INCREMENT gave. */
  readonly insertId?: number;
  /** Rows are to come from the client, or go to it. */
  readonly copy?: SqlCopy;
  readonly notices?: readonly Notice[];
  /** Rows that a procedure of MySQL has selected, before its own end. */
  readonly sets?: readonly SqlResult[];
  /** Values that it has given to parameters of the client. */
  readonly outputs?: SqlResult;
}

/** Message beside a result. */
export interface Notice {
  readonly severity: "NOTICE" | "WARNING" | "INFO" | "LOG" | "DEBUG";
  readonly code: string;
  readonly message: string;
}

export type SqlOutcome =
  | { readonly ok: true; readonly results: readonly SqlResult[] }
  | { readonly ok: false; readonly error: SqlError };

/** Numbers for serial and AUTO_INCREMENT columns: outside transactions, never given twice. */
export interface Sequences {
  readonly next: (name: string, start: number, increment?: number) => number;
  /** A row was given this number by the application (MySQL goes on behind it). */
  readonly reached: (name: string, value: number) => void;
  /**
   * Sets the next number, that of the start if undefined, and gives the one before; absent where sessions that run side by
   * side have numbers of their own.
   */
  readonly set?: (name: string, next: number | undefined) => number | undefined;
}

/** The databases of a server, beside that which answers to all other names. */
export interface Databases {
  readonly has: (name: string) => boolean;
  readonly names: () => readonly string[];
  readonly create: (name: string) => void;
  readonly drop: (name: string) => void;
  /** How many sessions are in it. */
  readonly sessions: (name: string) => number;
}

export interface SessionOptions {
  readonly sequences: Sequences;
  /** Microseconds since 1970; must be the same whenever the code is run again. */
  readonly now: () => number;
  /** From 0 up to 1; must give the same whenever the code is run again. */
  readonly random: () => number;
  readonly rule: LockingRule;
  /** The store finds keys by values of their versions (`Lookup`); false if absent. */
  readonly hasIndexes?: boolean;
  readonly user?: string;
  readonly database?: string;
  readonly identifier?: number;
  /** Absent where there is one database, whatever names are given to it. */
  readonly databases?: Databases;
  /** Settings, by their names in lower case, that the session starts with. */
  readonly settings?: ReadonlyMap<string, string>;
  /** Told what LISTEN and UNLISTEN (without a name: of all) say, and of notifications when they are committed. */
  readonly channels?: {
    readonly listen: (channel: string, isWanted: boolean) => void;
    readonly forget: () => void;
    readonly notify: (channel: string, payload: string) => void;
  };
  /** Gives up what a session runs, or ends the session; false where none has that number. */
  readonly interrupt?: (session: number, what: "statement" | "session") => boolean;
  /** Locks that applications name; those of nobody else if absent. */
  readonly locks?: AdvisoryLocks;
  /** The level of transactions that ask for none, as SQL says it; the dialect's own if absent. */
  readonly level?: string;
  /** True when a statement has run so long that others should have their turn: it then asks for nothing (`PAUSE`). */
  readonly isDue?: () => boolean;
  /** A name for each transaction, for people. */
  readonly transactionName?: () => string | undefined;
}

export type TransactionStatus = "idle" | "open" | "failed";

export interface SqlSession {
  /** Runs a text of one or more statements, as requests to the store. Never throws for bad SQL. */
  readonly execute: (
    sql: string,
    parameters?: readonly unknown[],
    types?: ReadonlyMap<number, SqlType>,
  ) => Generator<Request, SqlOutcome, Reply>;
  /**
   * Statements share one transaction from now on, as those of one message of PostgreSQL's clients do, until it is settled;
   * BEGIN makes it an ordinary one.
   */
  readonly group: () => void;
  /** Ends what `group` began: commits what is open but for a transaction that BEGIN began. */
  readonly settle: () => Generator<Request, SqlOutcome, Reply>;
  /** Columns and types of parameters of a text with one statement, before it runs; `types` as far as the client says them. */
  readonly describe: (
    sql: string,
    types?: ReadonlyMap<number, SqlType>,
  ) =>
    | {
        readonly ok: true;
        readonly columns: readonly ResultColumn[];
        /** By their numbers; "unknown" where nothing tells the type. */
        readonly parameters: ReadonlyMap<number, SqlType>;
      }
    | { readonly ok: false; readonly error: SqlError };
  readonly cursorColumns: (name: string) => readonly ResultColumn[] | undefined;
  /** Stores the rows that COPY ... FROM asked for. */
  readonly copyIn: (
    copy: SqlCopy,
    rows: readonly (readonly (string | null)[])[],
  ) => Generator<Request, SqlOutcome, Reply>;
  /** The name of the database. */
  readonly database: () => string;
  readonly status: () => TransactionStatus;
  /** True if statements outside of transactions commit by themselves. */
  readonly autocommit: () => boolean;
  /** How many conditions MySQL would tell of the last statement. */
  readonly warnings: () => number;
  /** A setting by its name, as the session or its defaults have it; undefined for one that there is not. */
  readonly setting: (name: string) => string | undefined;
  /** The settings that the session was given or has set. */
  readonly settings: () => ReadonlyMap<string, string>;
}
