// Interface of the database behind the wire protocols: one session for each connection, values as text.
import type { ColumnOrigin, Shape } from "../sqlstore/compile/node";
import type { Notice } from "../sqlstore/session";
import type { SqlError } from "../sqlstore/sqlError";
import type { SqlType } from "../sqlstore/values/types";
import type { SqlCopy } from "../sqlstore/statementTree";

export interface ResultColumn {
  readonly name: string;
  readonly type: SqlType;
  /** The column of a table that it is, or what it was cast to. */
  readonly origin?: ColumnOrigin;
  /** Fields of rows. */
  readonly shape?: Shape;
  /** The column of a table behind it, for MySQL's clients. */
  readonly stored?: StoredColumn | undefined;
  /** How PostgreSQL's clients are told of it; absent where its type says all. */
  readonly object?: ColumnObject | undefined;
}

export interface StoredColumn {
  readonly name: string;
  readonly database: string;
  /** Keys and the like, as the protocol numbers them. */
  readonly flags: number;
}

/** Object ids of PostgreSQL. */
export interface ColumnObject {
  readonly type: number;
  readonly size: number;
  readonly modifier: number;
  /** 0 and 0 for what is no column of a table. */
  readonly table: number;
  readonly position: number;
}

/** Result of a statement. */
export interface StatementResult {
  /** Absent for statements that return no rows. */
  readonly columns?: readonly ResultColumn[] | undefined;
  /** Cells as text, null for NULL. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** As PostgreSQL says it, such as `UPDATE 3`. */
  readonly tag: string;
  /** Rows that were changed or, under MySQL, found by an UPDATE if the client asked for that. */
  readonly affected: number;
  /** Rows that an UPDATE of MySQL found, and those that it left different. */
  readonly found?: { readonly matched: number; readonly changed: number };
  /** The first number that AUTO_INCREMENT gave. */
  readonly inserted?: number | bigint | undefined;
  /** Rows are wanted from the client, for these columns, or go to it as COPY writes them. */
  readonly copy?: SqlCopy | undefined;
  readonly notices?: readonly Notice[] | undefined;
  /** Rows that a procedure of MySQL has selected, before its own end. */
  readonly sets?: readonly StatementResult[];
  /** Values that it has given to parameters of a prepared CALL. */
  readonly outputs?: StatementResult;
}

export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: SqlError };

/** A statement whose parameters are not known yet. */
export interface PreparedStatement {
  readonly parameters: readonly SqlType[];
  /** Absent for statements that return no rows. */
  readonly columns?: readonly ResultColumn[] | undefined;
  /** Arguments as text or numbers, or null; one for each parameter. */
  run(values: readonly MockArgument[]): Promise<Outcome<StatementResult>>;
}

export type MockArgument = string | number | bigint | boolean | null;

/** Names by which a client tells who it is, and wants to be connected to. */
export interface ClientNames {
  readonly user?: string | undefined;
  readonly database?: string | undefined;
  readonly applicationName?: string | undefined;
  /** Settings that it brings along. */
  readonly settings?: ReadonlyMap<string, string>;
}

export interface MockSession {
  /** The single statements of a text, without comments and white space around them. */
  split(sql: string): readonly string[];
  /** `types` as far as the client says them. */
  prepare(
    sql: string,
    types: readonly (SqlType | undefined)[],
  ): Promise<Outcome<PreparedStatement>>;
  /** The columns of an open cursor; undefined where none has that name. */
  cursorColumns?(name: string): readonly ResultColumn[] | undefined;
  /** Stores rows that COPY asked for. */
  copyIn?(
    copy: SqlCopy,
    rows: readonly (readonly (string | null)[])[],
  ): Promise<Outcome<StatementResult>>;
  /** Statements share one transaction from now on, until it is settled; one that BEGIN began goes on. */
  group?(): void;
  settle?(): Promise<Outcome<undefined>>;
  /** Who is told of notifications that the session listens to. */
  onNotification?(listener: (channel: string, payload: string, sender: number) => void): void;
  readonly status: "idle" | "transaction" | "failed";
  readonly autocommit: boolean;
  /** Conditions that the last statement met. */
  readonly warnings?: number;
  /** The name of the database in which the client is, or where it wants to be after USE. */
  readonly database?: string;
  settings?(): ReadonlyMap<string, string>;
  /** A setting by its name in lower case. */
  setting?(name: string): string | undefined;
  /** Gives up a statement that computes or waits for a lock, which then fails as others do. */
  cancel?(): void;
  /** Milliseconds for which the client may be silent now; 0 or absent: for ever. */
  readonly longestSilence?: number;
  /** Another session ends this one: what it runs is given up. */
  end?(): void;
  /** Who is told that another session has ended it. */
  onEnd?(listener: () => void): void;
  /** From now on statements fail where they would have to wait for others, and so does one that waits now. */
  giveUp?(): void;
  /** Rolls back what is open. */
  close(): void;
}
