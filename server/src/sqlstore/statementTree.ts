// Statements as both translations give them.
import type { SqlDefinition } from "./definitionTree";
import type { SqlQuery, SqlChange, SqlExpression } from "./tree";

export type SqlStatement =
  | SqlQuery
  | SqlChange
  | {
      readonly kind: "truncate";
      readonly tables: readonly string[];
      /** The numbers of their columns begin again. */
      readonly restart: boolean;
      /** Tables that refer to them are emptied as well. */
      readonly cascade: boolean;
    }
  | { readonly kind: "definition"; readonly definition: SqlDefinition; readonly tag: string }
  | ({ readonly kind: "begin" } & TransactionModes)
  | { readonly kind: "commit" | "rollback"; readonly chain: boolean }
  | { readonly kind: "savepoint" | "release" | "rollback to"; readonly name: string }
  /** SET TRANSACTION, and what is said of all transactions of the session. */
  | ({ readonly kind: "set modes"; readonly session: boolean } & TransactionModes)
  | {
      readonly kind: "set";
      readonly assignments: readonly {
        readonly name: string;
        /** A user variable of MySQL, else a setting of the session. */
        readonly user: boolean;
        readonly value?: SqlExpression;
        /** SET LOCAL: until the transaction ends. */
        readonly local?: boolean;
      }[];
    }
  | {
      readonly kind: "show";
      readonly name: string;
      readonly of?: ShowRequest;
      /** SHOW ... WHERE of MySQL, over the columns of its answer. */
      readonly where?: SqlExpression;
    }
  /** SET STATEMENT ... FOR of MariaDB: settings for one statement. */
  | {
      readonly kind: "with settings";
      readonly settings: ReadonlyMap<string, string>;
      readonly statement: SqlStatement;
    }
  /** SELECT ... INTO @a, @b of MySQL. */
  | {
      readonly kind: "select into";
      readonly query: SqlQuery;
      readonly variables: readonly string[];
    }
  | SqlXa
  /** A statement of routines that stands alone: SIGNAL, RESIGNAL. */
  | { readonly kind: "routine statement"; readonly text: string }
  | {
      readonly kind: "explain";
      readonly statement: SqlStatement;
      readonly format: string;
      /** ANALYZE: it is carried out. */
      readonly isRun: boolean;
      readonly hasCosts: boolean;
    }
  | { readonly kind: "prepare"; readonly name: string; readonly statement: SqlStatement }
  /** PREPARE of a text that is read when it is prepared. */
  | { readonly kind: "prepare text"; readonly name: string; readonly text: SqlExpression }
  | {
      readonly kind: "execute";
      readonly name: string;
      readonly arguments: readonly SqlExpression[];
    }
  /** Without a name: all. */
  | { readonly kind: "deallocate" | "close"; readonly name?: string | undefined }
  | {
      readonly kind: "declare";
      readonly name: string;
      readonly query: SqlQuery;
      /** WITH HOLD: it outlives its transaction. */
      readonly isHeld: boolean;
    }
  | {
      readonly kind: "fetch";
      readonly name: string;
      readonly direction: "forward" | "backward" | "absolute" | "relative";
      /** Undefined: all. */
      readonly count: number | undefined;
      readonly isMove: boolean;
    }
  | SqlCopy
  | { readonly kind: "listen"; readonly channel: string }
  | { readonly kind: "unlisten"; readonly channel?: string | undefined }
  | { readonly kind: "notify"; readonly channel: string; readonly payload: string }
  /** DISCARD ALL, or RESET ALL, which leaves all but the settings. */
  | { readonly kind: "discard"; readonly onlySettings?: boolean }
  | {
      readonly kind: "table as";
      readonly table: string;
      readonly columns: readonly string[];
      readonly query: SqlQuery;
      readonly ifNotExists: boolean;
      readonly isEmpty: boolean;
      /** A materialized view. */
      readonly isView: boolean;
    }
  | { readonly kind: "do"; readonly body: string }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly SqlExpression[] }
  /** SET CONSTRAINTS; without names: all. */
  | {
      readonly kind: "set constraints";
      readonly names: readonly string[];
      readonly deferred: boolean;
    }
  | SqlDatabaseStatement
  /** The session goes over to the database of that name. */
  | { readonly kind: "use"; readonly name: string }
  /** KILL of MySQL. */
  | {
      readonly kind: "kill";
      readonly session: SqlExpression;
      readonly what: "statement" | "session";
    }
  /** DO of MySQL: values that nobody wants. */
  | { readonly kind: "evaluate"; readonly values: readonly SqlExpression[] }
  /** LOCK TABLE, ANALYZE and the like: accepted, without effect on rows. */
  | { readonly kind: "nothing"; readonly tag: string };

/** CREATE DATABASE and DROP DATABASE. */
export interface SqlDatabaseStatement {
  readonly kind: "create database" | "drop database";
  readonly name: string;
  /** IF EXISTS, IF NOT EXISTS. */
  readonly guarded: boolean;
  /** Sessions of others are no hindrance. */
  readonly isForced: boolean;
}

/** XA of MySQL. */
export type SqlXa =
  | { readonly kind: "xa"; readonly action: "recover"; readonly inHex: boolean }
  | {
      readonly kind: "xa";
      readonly action: "start" | "end" | "prepare" | "commit" | "rollback";
      readonly xid: Xid;
      /** COMMIT ... ONE PHASE. */
      readonly isOnePhase: boolean;
    };

/** The name of a transaction that a transaction manager gives; its parts are bytes. */
export interface Xid {
  readonly format: number;
  readonly global: string;
  readonly branch: string;
}

export interface TransactionModes {
  /** The level, in lower case. */
  readonly level?: string;
  readonly readOnly?: boolean;
}

/** Rows from the client, or to it. */
export interface SqlCopy {
  readonly kind: "copy";
  readonly isFrom: boolean;
  readonly table?: string;
  readonly columns: readonly string[];
  readonly query?: SqlQuery;
  readonly options: CopyOptions;
  /** LOAD DATA LOCAL of MySQL. */
  readonly load?: LoadOptions;
}

export interface LoadOptions {
  /** The name by which the client knows it. */
  readonly file: string;
  readonly fieldEnd: string;
  readonly lineEnd: string;
  /** Empty for none. */
  readonly quote: string;
  readonly escape: string;
  /** Lines at the start that are no rows. */
  readonly skipped: number;
  /** How rows end that repeat a key. */
  readonly conflict: "ignore" | "replace";
}

export interface CopyOptions {
  readonly format: "text" | "csv" | "binary";
  readonly delimiter: string;
  readonly null: string;
  readonly header: boolean;
  readonly quote: string;
  readonly escape: string;
}

/** The subject of SHOW and DESCRIBE of MySQL; `like` is a pattern of LIKE. */
export type ShowRequest =
  | { readonly kind: "tables"; readonly full: boolean; readonly like?: string }
  | {
      readonly kind: "columns";
      readonly table: string;
      readonly full: boolean;
      readonly like?: string;
    }
  | { readonly kind: "indexes" | "create table"; readonly table: string }
  | {
      readonly kind: "create object";
      readonly what: "view" | "trigger" | "procedure" | "function";
      readonly name: string;
    }
  | { readonly kind: "triggers"; readonly like?: string }
  | {
      readonly kind: "routines";
      readonly what: "procedure" | "function";
      readonly like?: string;
    }
  | { readonly kind: "create database"; readonly name: string }
  | { readonly kind: "table status"; readonly like?: string }
  | { readonly kind: "character sets" | "grants" }
  | { readonly kind: "variables"; readonly like?: string }
  /** SHOW WARNINGS and SHOW ERRORS, or how many they are. */
  | {
      readonly kind: "diagnostics";
      readonly what: "warnings" | "errors";
      readonly isCount: boolean;
      readonly limit?: number;
      readonly offset?: number;
    }
  | { readonly kind: "databases"; readonly like?: string }
  /** Questions about the server that have no rows here: warnings, status, engines, ... */
  | { readonly kind: "none"; readonly columns: readonly string[] };
