// The store behind the mock database: sessions that run side by side, whose reads return what the level allows.
import type { Ask, Key, Reply, Request, Value } from "../../exploration/client";
import { randomNumbers, type Random } from "../../exploration/randomNumbers";
import { choosingPolicy } from "./choosingPolicy";
import { createDatabase, type Database, type Transaction } from "./database";
import { recordHistory, type RecordedHistory } from "./recordHistory";
import { isFailure, type Policy, type Strategy } from "./policy";
import { parallelPolicy, prefixPolicy } from "./snapshotPolicy";

export interface MockStoreOptions {
  readonly level: MockLevel;
  readonly initial: ReadonlyMap<Key, Value>;
  readonly seed: number;
  readonly strategy: Strategy;
}

export type MockLevel =
  | "any"
  | "read-committed"
  | "read-atomic"
  | "causal"
  | "prefix"
  | "parallel-snapshot-isolation"
  | "snapshot-isolation"
  | "serializable";

export interface MockStore {
  /** A new session; its number seeds its choices, so that they do not depend on those of others. */
  open(): StoreSession;
  /** What was read and written since the start. */
  history(): RecordedHistory;
}

export interface StoreSession {
  /** Answers one request at a time; a transaction that has failed is over. */
  readonly ask: Ask;
  /** Rolls back what is open. */
  close(): void;
}

export function createMockStore({ level, initial, seed, strategy }: MockStoreOptions): MockStore {
  const database = createDatabase(initial);
  const policy = policyOf(level, database, strategy);
  let sessions = 0;
  return {
    open() {
      const number = sessions++;
      return openSession(database, policy, number, randomNumbers(seed * 1_000_003 + number));
    },
    history: () => recordHistory(database),
  };
}

function policyOf(level: MockLevel, database: Database, strategy: Strategy): Policy {
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

function openSession(
  database: Database,
  policy: Policy,
  session: number,
  random: Random,
): StoreSession {
  let open: Transaction | undefined;

  function abort(): void {
    if (open) open.status = "aborted";
    open = undefined;
  }

  function fail({ code, message }: { readonly code: string; readonly message: string }): Reply {
    abort();
    return { kind: "failed", code, message };
  }

  function read(
    transaction: Transaction,
    { keys, scans = [], current = false, continues = false }: Request & { readonly kind: "read" },
  ): Reply {
    const context = { transaction, random, current };
    if (!continues) policy.statement(context);
    const reads: { readonly key: Key; readonly from: number }[] = [];
    transaction.log.push({ kind: "read", reads, scans });
    const values = new Map<Key, Value>();
    const found = scans.flatMap((prefix) => database.keys(prefix)).sort();
    const own = [...transaction.writes.keys()]
      .filter((key) => scans.some((prefix) => key.startsWith(prefix)))
      .sort();
    for (const key of new Set([...keys, ...found, ...own])) {
      if (transaction.writes.has(key)) {
        values.set(key, transaction.writes.get(key));
        continue;
      }
      const version = policy.choose(key, database.versions(key), context);
      if (isFailure(version)) return fail(version);
      reads.push({ key, from: version.writer });
      values.set(key, version.value);
    }
    return { kind: "values", values };
  }

  function commit(transaction: Transaction): Reply {
    const failure = policy.validate(transaction);
    if (failure) return fail(failure);
    database.commit(transaction);
    policy.committed(transaction);
    open = undefined;
    return DONE;
  }

  function answer(request: Request): Reply {
    if (request.kind === "begin") {
      abort();
      open = database.begin(session);
      policy.begin(open, random);
      return DONE;
    }
    if (!open) return { kind: "failed", code: "25P01", message: "there is no transaction" };
    switch (request.kind) {
      case "read":
        return read(open, request);
      case "write":
        open.writes.set(request.key, request.value);
        open.log.push({ kind: "write", key: request.key });
        return DONE;
      case "commit":
        return commit(open);
      case "abort":
        abort();
        return DONE;
    }
  }

  return { ask: (request) => Promise.resolve(answer(request)), close: abort };
}
