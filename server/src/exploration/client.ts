// Sessions of client code as the explorer sees them, and their requests to the store. Keys are strings, versions are
// opaque values; SQL, rows and assertions are layers above. The code must be deterministic: it is run again for each
// history, and must ask the same when it is answered the same.

/** The name of what is read and written as a whole, such as a row: `table/primary key`. */
export type Key = string;

/** A version of a key: plain data, as in JSON; `undefined` where the key does not exist (a row that is not there). */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };

/** Request of a session to the store; it waits for the answer before it goes on. */
export type Request =
  /** `level`: what the client asked for, as SQL says it; stores of one level for all pass it by. */
  | { readonly kind: "begin"; readonly name?: string; readonly level?: string }
  | ReadRequest
  /** `value: undefined` removes the key. Others see a transaction's last write of a key, once it has committed. */
  | { readonly kind: "write"; readonly key: Key; readonly value: Value }
  /** `result` is what the transaction returned, for assertions. */
  | { readonly kind: "commit"; readonly result?: Value }
  | { readonly kind: "abort"; readonly result?: Value };

/** The reads of one statement, or of a part of it. */
export interface ReadRequest {
  readonly kind: "read";
  readonly keys: readonly Key[];
  /** Also all keys that begin with one of these, as a predicate over a table needs; keys that do not exist yet count. */
  readonly scans?: readonly string[];
  /** Also all keys whose versions hold one of these values. Asked only of stores that say that they have indexes. */
  readonly lookups?: readonly Lookup[];
  /** Reads for update, or before a write in place: real databases read the newest version here, and lock it. */
  readonly current?: boolean;
  /** Belongs to the same statement as the transaction's previous read, and so sees the same snapshot. */
  readonly continues?: boolean;
}

/** All keys that begin so and have ever held a value of an index; keys that do not hold it now may come with them. */
export interface Lookup {
  readonly prefix: string;
  /** The same name for the same `valueOf`. */
  readonly index: string;
  readonly value: string;
  /** The value that a version holds, if any. */
  readonly valueOf: (version: Value) => string | undefined;
}

/** The store's answer. */
export type Reply =
  | { readonly kind: "done" }
  /** One entry per key: those asked for in their order, then those found by scans, sorted. No key occurs twice. */
  | { readonly kind: "values"; readonly values: ReadonlyMap<Key, Value> }
  /**
   * The transaction is over and has no effect, as if it had rolled back; `code` is an SQLSTATE such as 40001. Where it
   * `goesOn`, only the request is refused.
   */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly goesOn?: boolean;
    };

/**
 * A session: transactions one after the other, `begin` to `commit` or `abort`. Each run starts it afresh, so what it
 * keeps between its transactions belongs inside. What it returns or yields besides requests is ignored; what it throws
 * ends it, and rolls back its open transaction.
 */
export type Session = SyncSession | AsyncSession;

/** Code that needs nothing but the store: the fast path. */
export interface SyncSession {
  readonly kind: "sync";
  readonly name: string;
  readonly run: () => Generator<Request, void, Reply>;
}

/** Application code: it may await the store's answers, and nothing else that takes time. */
export interface AsyncSession {
  readonly kind: "async";
  readonly name: string;
  readonly run: (ask: Ask) => Promise<void>;
}

/** Asks the store, one request at a time. Never rejects, save when the run is over and the session is to end. */
export type Ask = (request: Request) => Promise<Reply>;

/** A client program: what exists at the start, and sessions that run side by side. */
export interface Client {
  readonly initial: ReadonlyMap<Key, Value>;
  readonly sessions: readonly Session[];
  /**
   * The names of the unique values that a version of a key holds, such as `account.email/ann`. No two versions that are
   * there at the same time hold one value, at any level but `any`; sessions look before they write.
   */
  readonly uniqueValues?: (key: Key, value: Value) => readonly string[];
}
