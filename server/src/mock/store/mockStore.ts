// The store behind the mock database: sessions that run side by side, whose reads return what the level allows.
import type { Key, RangePart, ReadRequest, Reply, Request, Value } from "../../exploration/client";
import type { AxiomaticLevel } from "../../exploration/exploration";
import { isAbout } from "../../exploration/lookups";
import { randomNumbers, type Random } from "../../exploration/randomNumbers";
import type { ProductLevel } from "../../isolation/levels";
import { choosingPolicy } from "./choosingPolicy";
import { createdKeys, type CreatedKeys } from "./createdKeys";
import {
  createDatabase,
  isWriter,
  readsOf,
  versionsOf,
  type Database,
  type ReadFrom,
  type Transaction,
} from "./database";
import { finalState } from "./finalState";
import type { Indexes } from "./indexes";
import {
  after,
  isFailure,
  SERIALIZATION_FAILURE,
  type Failure,
  type Patience,
  type Policy,
  type ReadContext,
  type Strategy,
  type StrategyOf,
} from "./policy";
import { productPolicy } from "./productPolicy";
import { recordHistory, type RecordedHistory } from "./recordHistory";
import { parallelPolicy, prefixPolicy } from "./snapshotPolicy";

export interface MockStoreOptions {
  readonly level: MockLevel;
  readonly initial: ReadonlyMap<Key, Value>;
  readonly seed: number;
  readonly strategy: Strategy;
  /** Where nobody will ask for the history, a product's level forgets transactions that are over; false if absent. */
  readonly isForgetful?: boolean;
  /** Who creates a key beside another one overwrites it, as in MonkeyDB's store of keys; else one of both is refused. */
  readonly overwritesKeys?: boolean;
  /** Those of a store whose final state is the start of this one, and which is given up for it. */
  readonly indexes?: Indexes;
}

/** Levels that the store keeps: the papers' levels that have no predicates of their own, and products' levels. */
export type MockLevel = AxiomaticLevel | ProductLevel;

export interface MockStore {
  /** A new session; its number seeds its choices, so that they do not depend on those of others. */
  open(): StoreSession;
  /** True if no transaction is open. */
  isIdle(): boolean;
  /** The indexes that are made: they know the final state. */
  indexes(): Indexes;
  /** Reads and writes since the start. */
  history(): RecordedHistory;
  /** Final state when all that has committed has arrived everywhere: the last versions in an order that the reads so far allow. */
  finalState(): ReadonlyMap<Key, Value>;
}

export interface StoreSession {
  /** Answers one request at a time, at once where nobody is in the way; a transaction that has failed is over. */
  readonly ask: (request: Request) => Reply | Promise<Reply>;
  /** How long requests wait for others from now on, also one that waits already; as long as it takes if undefined. */
  patience(patience: Patience | undefined): void;
  /** Transactions that begin from now on read the newest versions, and fail at the literature's levels where those have changed. */
  strong(isStrong: boolean): void;
  /** The client has sent a statement, which may run only later. */
  arrived(): void;
  /** Rolls back what is open. */
  close(): void;
}

export function createMockStore({
  level,
  initial,
  seed,
  strategy,
  isForgetful = false,
  overwritesKeys = false,
  indexes,
}: MockStoreOptions): MockStore {
  const isReal = typeof level !== "string";
  const database = createDatabase(initial, isForgetful && isReal, indexes);
  const strong = new Set<number>();
  const policy = policyOf(level, database, ({ number }) =>
    strong.has(number) ? "latest" : strategy,
  );
  // The locks of products see to it.
  const created = level === "any" || isReal || overwritesKeys ? undefined : createdKeys(isAbsent);
  let sessions = 0;
  function isAbsent(key: Key, writer: number): boolean {
    const version = versionsOf(database.newest(key)).find((each) => each.writer === writer);
    return version !== undefined && version.value === undefined;
  }
  return {
    open() {
      const number = sessions++;
      return openSession(
        { database, policy, created, isForgetful, strong, isReal },
        number,
        randomNumbers(seed * 1_000_003 + number),
      );
    },
    isIdle: () => database.open.length === 0,
    indexes: () => database.indexes.whole(),
    history: () => recordHistory(database),
    finalState: () => finalState(database, policy),
  };
}

function policyOf(level: MockLevel, database: Database, strategy: StrategyOf): Policy {
  if (typeof level !== "string") return productPolicy(level, database, strategy);
  switch (level) {
    case "any":
    case "read-committed":
    case "read-atomic":
    case "causal":
      return choosingPolicy(level, database, strategy);
    case "parallel-snapshot-isolation":
      return parallelPolicy(database, strategy);
    default:
      return prefixPolicy(level, database, strategy);
  }
}

const DONE: Reply = { kind: "done" };
/** Keys that a plain read takes before others have their turn. */
const MOST_AT_ONCE = 5000;
const NO_TRANSACTION: Failure = { code: "25P01", message: "there is no transaction in progress" };

interface Store {
  readonly database: Database;
  readonly policy: Policy;
  /** Absent where keys may be created twice. */
  readonly created: CreatedKeys | undefined;
  readonly isForgetful: boolean;
  /** Open transactions that read the newest versions. */
  readonly strong: Set<number>;
  /** A product's level, whose locks do what there is to do. */
  readonly isReal: boolean;
}

function openSession(
  { database, policy, created, isForgetful, strong, isReal }: Store,
  session: number,
  random: Random,
): StoreSession {
  let open: Transaction | undefined;
  let patience: Patience | undefined;
  /** How many had committed when the statement was sent that is about to run. */
  let arrived: number | undefined;
  /** True if the statement that runs has written: then it cannot fail alone. */
  let hasWritten = false;
  let isStrong = false;

  function end(status: "committed" | "aborted"): void {
    if (!open) return;
    const ended = open;
    open = undefined;
    strong.delete(ended.number);
    if (status === "aborted") database.abort(ended);
    policy.ended?.(ended);
    const oldest = isForgetful ? policy.oldestSnapshot?.() : undefined;
    if (oldest !== undefined) database.forget(ended, oldest);
  }

  function fail({ code, message, goesOn = false }: Failure): Reply {
    if (goesOn && !hasWritten) return { kind: "failed", code, message, goesOn };
    end("aborted");
    return { kind: "failed", code, message };
  }

  /** A look-up of so many keys, as one of the part of its range that they are. */
  function within(request: ReadRequest): readonly [ReadRequest, RangePart | undefined] {
    const [lookup] = request.lookups ?? [];
    const part = lookup && database.indexes.part(lookup);
    if (part === undefined || lookup?.range === undefined) return [request, undefined];
    const { orderOf } = lookup.range;
    const range = { orderOf, from: part.from, to: part.to };
    return [{ ...request, lookups: [{ ...lookup, range }] }, part];
  }

  function read(transaction: Transaction, whole: ReadRequest): Reply | Promise<Reply> {
    const { lookups = [], indexes = [], current = false, purpose } = whole;
    if (whole.continues !== true) hasWritten = false;
    const context: ReadContext = {
      transaction,
      random,
      current,
      purpose,
      arrived: arrived ?? database.commits.length,
    };
    arrived = undefined;
    return after(
      database.prepare(indexes.length === 0 ? lookups : [...lookups, ...indexes]),
      () => {
        const [request, part] = within(whole);
        const { scans = [], lookups: found = [] } = request;
        return after(
          policy.before?.(context, asked(transaction, request), { scans, lookups: found }),
          (failure) => (failure ? fail(failure) : readNow(context, request, part)),
        );
      },
    );
  }

  function asked(transaction: Transaction, request: ReadRequest): readonly Key[] {
    const { keys, scans = [], lookups = [] } = request;
    if (scans.length + lookups.length === 0) return keys;
    if (keys.length + lookups.length === 0) return keysOf(transaction, scans);
    return [
      ...new Set([
        ...keys,
        ...keysOf(transaction, scans),
        ...lookups.flatMap((lookup) => database.found(lookup)),
      ]),
    ];
  }

  function readNow(
    context: ReadContext,
    request: ReadRequest,
    part: RangePart | undefined,
  ): Reply | Promise<Reply> {
    const { transaction, current } = context;
    const { scans = [], lookups = [], continues = false } = request;
    if (!continues) policy.statement(context);
    const reads: ReadFrom[] = [];
    const entry = { kind: "read", reads, scans, ...(lookups.length > 0 && { lookups }) } as const;
    transaction.log.push(entry);
    if (scans.length + lookups.length > 0) transaction.predicates.push(entry);
    const values = new Map<Key, Value>();
    const keys = asked(transaction, request);
    const choose = (first: number, end: number): Failure | undefined => {
      for (const key of keys.slice(first, end)) {
        if (transaction.writes.has(key)) {
          values.set(key, transaction.writes.get(key));
          continue;
        }
        const version = policy.choose(key, database.newest(key), context);
        if (isFailure(version)) return version;
        const { writer: from, write, value } = version;
        reads.push({ key, from, ...(write !== undefined && { write }) });
        values.set(key, value);
      }
      return undefined;
    };
    const answer = (failure: Failure | undefined): Reply =>
      failure ? fail(failure) : { kind: "values", values, ...(part && { part }) };
    // A product's snapshot stays what it is while others go on.
    if (!isReal || current || keys.length <= MOST_AT_ONCE) return answer(choose(0, keys.length));
    const inTurns = async (): Promise<Reply> => {
      for (let first = 0; first < keys.length; first += MOST_AT_ONCE) {
        if (first > 0) await new Promise((resolve) => setImmediate(resolve));
        if (open !== transaction) return fail(NO_TRANSACTION);
        const failure = choose(first, first + MOST_AT_ONCE);
        if (failure) return answer(failure);
      }
      return answer(undefined);
    };
    return inTurns();
  }

  /** The keys that exist, or that the transaction has written, and that begin so. */
  function keysOf(transaction: Transaction, scans: readonly string[]): readonly Key[] {
    if (scans.length === 0) return [];
    const own = [...transaction.writes.keys()].filter((key) =>
      scans.some((prefix) => key.startsWith(prefix)),
    );
    const [first = "", ...others] = scans;
    if (others.length + own.length === 0) return database.keys(first);
    return [...new Set([...scans.flatMap((prefix) => database.keys(prefix)), ...own])].sort();
  }

  function write(transaction: Transaction, key: Key, value: Value): Reply | Promise<Reply> {
    database.announce(key, value);
    return after(policy.write?.(transaction, key, value), (hindrance) => {
      if (hindrance === "no version") return DONE;
      if (hindrance) return fail(hindrance);
      hasWritten = true;
      database.write(transaction, key, value);
      return DONE;
    });
  }

  /** Look-ups of others that did not find a key whose version is about to hold their value have read another version. */
  function readByOthers(key: Key, value: Value): void {
    for (const other of database.open) {
      if (other.number === open?.number || other.writes.has(key)) continue;
      const isMissed = other.predicates.some(({ lookups = [] }) =>
        lookups.some((lookup) => key.startsWith(lookup.prefix) && isAbout(lookup, value)),
      );
      if (!isMissed || [...readsOf(other)].some((each) => each.key === key)) continue;
      const arrivedThen = database.commits.length;
      const version = policy.choose(key, database.newest(key), {
        transaction: other,
        random: () => 0,
        current: false,
        purpose: undefined,
        arrived: arrivedThen,
      });
      if (isFailure(version)) continue;
      const { writer: from } = version;
      other.log.push({ kind: "read", reads: [{ key, from }], scans: [] });
    }
  }

  /** A strong transaction is serializable among such: it comes after all that have committed. */
  function overtaken(transaction: Transaction): Failure | undefined {
    if (isReal || !strong.has(transaction.number) || !isWriter(transaction)) return undefined;
    for (const { key, from } of readsOf(transaction))
      if (database.newest(key).writer !== from) return SERIALIZATION_FAILURE;
    return undefined;
  }

  function commit(transaction: Transaction): Reply {
    const failure =
      overtaken(transaction) ?? policy.validate(transaction) ?? created?.validate(transaction);
    if (failure) return fail(failure);
    for (const [key, value] of transaction.writes) readByOthers(key, value);
    database.commit(transaction);
    policy.committed(transaction);
    created?.committed(transaction);
    end("committed");
    return DONE;
  }

  function answer(request: Request): Reply | Promise<Reply> {
    if (request.kind === "begin") {
      // SET TRANSACTION as a transaction's first statement begins it anew.
      if (open?.log.length === 0) database.drop(open);
      end("aborted");
      open = database.begin(session);
      if (isStrong) strong.add(open.number);
      hasWritten = false;
      policy.begin(open, random, request.level);
      policy.patience?.(open, patience);
      return DONE;
    }
    if (!open) return fail(NO_TRANSACTION);
    switch (request.kind) {
      case "read":
        return read(open, request);
      case "write":
        return write(open, request.key, request.value);
      case "commit":
        return commit(open);
      case "abort":
        end("aborted");
        return DONE;
    }
  }

  return {
    ask: answer,
    patience(limit) {
      patience = limit;
      if (open) policy.patience?.(open, limit);
    },
    strong(wanted) {
      isStrong = wanted;
    },
    arrived() {
      arrived = database.commits.length;
    },
    close: () => {
      end("aborted");
    },
  };
}
