// Sessions of client code as the explorer sees them, and their requests to the store. Keys are strings, versions are opaque values; SQL,
// rows and assertions are layers above. The code must be deterministic: it is re-run for each history, and must make the same requests for
// the same answers.

/** The name of a unit of reading and writing, such as a row: `table/primary key`. */
export type Key = string;

/** A version of a key: plain JSON data; `undefined` if the key does not exist (an absent row). */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };

/** A session's request to the store; the session waits for the answer. */
export type Request =
  /** `level`: the client's requested level in SQL's terms; stores with a single level ignore it. */
  | { readonly kind: "begin"; readonly name?: string; readonly level?: string }
  | ReadRequest
  /** `value: undefined` removes the key. Other transactions see the last write of a key after its commit. */
  | { readonly kind: "write"; readonly key: Key; readonly value: Value }
  /** `result` is the transaction's return value, for assertions. */
  | { readonly kind: "commit"; readonly result?: Value }
  | { readonly kind: "abort"; readonly result?: Value };

/** The reads of one statement, or of a part of it. */
export interface ReadRequest {
  readonly kind: "read";
  readonly keys: readonly Key[];
  /** Reads all keys with one of these prefixes too, as a table predicate needs; keys that do not exist yet count. */
  readonly scans?: readonly string[];
  /** Reads all keys whose versions hold one of these values too. Only for stores with indexes. */
  readonly lookups?: readonly Lookup[];
  /** Indexes by which keys will be asked for: a store that has indexes keeps them from now on. */
  readonly indexes?: readonly LookupIndex[];
  /** True for a locking read, or a read before an in-place write: real databases read and lock the newest version. */
  readonly current?: boolean;
  /** A locking read of keys on whose being there a foreign key relies, or which are about to go; else to change their rows. */
  readonly purpose?: "reference" | "end";
  /** True if it belongs to the same statement as the transaction's previous read, and so reads the same snapshot. */
  readonly continues?: boolean;
}

/** All keys with this prefix that have ever held a value of an index; keys that no longer hold it may be included. */
export interface Lookup {
  readonly prefix: string;
  /** The same name means the same `valueOf`. */
  readonly index: string;
  readonly value: string;
  /** The value held by a version, if any. */
  readonly valueOf: (version: Value) => string | undefined;
  /** Only versions in this part of an order; the name of the index says which order. */
  readonly range?: LookupRange;
}

/** The index of a look-up that has no value yet. */
export type LookupIndex = Omit<Lookup, "value">;

/** A part of an order, both ends included. */
export interface LookupRange {
  /** The place of a version in the order; it is outside of all ranges if it has none. */
  readonly orderOf: (version: Value) => number | undefined;
  readonly from: number;
  readonly to: number;
  /** About so many keys from one end of it alone; the answer says which part they are. */
  readonly most?: RangeLimit;
}

export interface RangeLimit {
  readonly count: number;
  readonly side: "low" | "high";
}

/** The part of a range that was read, and whether nothing of it is left. */
export interface RangePart {
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

/** The store's answer. */
export type Reply =
  | { readonly kind: "done" }
  /** One entry per key: the requested ones in order, then those found by scans, sorted. No key occurs twice. */
  | {
      readonly kind: "values";
      readonly values: ReadonlyMap<Key, Value>;
      /** The part of its range that a look-up with a limit covers; the request has no other look-up. */
      readonly part?: RangePart;
    }
  /**
   * The transaction is over and has no effect, as if rolled back; `code` is an SQLSTATE such as 40001. With `goesOn` only the request is
   * refused.
   */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly goesOn?: boolean;
    };

/**
 * A session: a sequence of transactions, `begin` to `commit` or `abort`. Each run starts it afresh, so its state between transactions
 * belongs inside. Its return value and yields other than requests are ignored; an exception ends it and rolls back its open transaction.
 */
export type Session = SyncSession | AsyncSession;

/** Code that only needs the store: the fast path. */
export interface SyncSession {
  readonly kind: "sync";
  readonly name: string;
  readonly run: () => Generator<Request, void, Reply>;
}

/** Application code: it may await the store's answers, but nothing else that takes time. */
export interface AsyncSession {
  readonly kind: "async";
  readonly name: string;
  readonly run: (ask: Ask) => Promise<void>;
}

/** Sends one request at a time to the store. Never rejects, except to end the session when the run is over. */
export type Ask = (request: Request) => Promise<Reply>;

/** A client program: the initial state, and concurrent sessions. */
export interface Client {
  readonly initial: ReadonlyMap<Key, Value>;
  readonly sessions: readonly Session[];
  /**
   * The unique values held by a version of a key, such as `account.email/ann`. No two coexisting versions hold one value, at any level but
   * `any`; sessions check before they write.
   */
  readonly uniqueValues?: (key: Key, value: Value) => readonly string[];
}
