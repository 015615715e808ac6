// Events of a recording: one for each statement that went over the wire, as plain data.

/** A value as the server writes it as text; null for NULL. */
export type Value = string | null;

export type Protocol = "postgres" | "mysql";

/** True if the connection is outside of a transaction, in one, or in one that has failed. */
export type TransactionStatus = "idle" | "open" | "failed";

export interface StatementEvent {
  readonly connection: number;
  /** Statements in the order in which they were sent, over all connections. */
  readonly order: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly sql: string;
  /** The arguments of a prepared statement, in the order of its parameters. */
  readonly arguments: readonly Value[];
  readonly columns: readonly string[];
  /** The first rows; `count` says how many there were. */
  readonly rows: readonly (readonly Value[])[];
  readonly count: number;
  /** Rows that were changed; absent where the server says none. */
  readonly affected?: number;
  /** The key that MySQL chose for the inserted row. */
  readonly insertId?: string;
  /** SQLSTATE or number of the error that ended the statement. */
  readonly error?: string;
  /** The status of the connection behind the statement. */
  readonly status: TransactionStatus;
  /** The level that the session asked for when it began, as the client wrote it. */
  readonly level?: string;
  /** The database that the session is in. */
  readonly database?: string;
  /** It comes from a log, which says nothing of what was read or changed. */
  readonly hasNoResult?: boolean;
}

/** Rows of a result that are kept. */
export const KEPT_ROWS = 50;
/** Rows of more bytes are counted, and their cells are not kept. */
export const LONGEST_ROW = 1024 * 1024;

/** A statement whose answer is on its way. */
export interface AnsweredStatement {
  readonly order: number;
  readonly sql: string;
  readonly database?: string;
  readonly columns: readonly AnswerColumn[];
  /** Rows that have come. */
  readonly rows: number;
  /** True if a row or the end of rows is what comes next. */
  readonly isInRows: boolean;
}

export interface AnswerColumn {
  /** The number of its type in the protocol. */
  readonly type: number;
  readonly isBinary: boolean;
  readonly unsigned?: boolean;
  /** The largest of its whole numbers. */
  readonly largest: number | undefined;
}

/** Takes the events of one connection as they are complete. */
export type EventSink = (event: StatementEvent) => void;

/** A decoder reads the bytes of one connection and leaves them as they are. */
export interface Decoder {
  fromClient(chunk: Buffer): void;
  fromServer(chunk: Buffer): void;
  /** The statement that the server's next bytes are about; undefined where that is none. */
  answering(): AnsweredStatement | undefined;
  /** The connection is over: what is complete is handed on. */
  end(): void;
}

/** The reason why a connection is no longer looked at, for the user; its bytes go on. */
export type Remark = (text: string) => void;
