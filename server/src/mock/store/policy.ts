// Decisions of a level in the mock database: which version a read returns, and whether a transaction may go on.
import type { Key, Lookup, ReadRequest, Value } from "../../exploration/client";
import type { Random } from "../../exploration/randomNumbers";
import type { Transaction, Version } from "./database";

/** Which of the versions that the level allows are preferred. */
export type Strategy = "uniform" | "latest" | "stale";

/** Preference of each transaction. */
export type StrategyOf = (transaction: Transaction) => Strategy;

/** The reason why a transaction is at its end: an SQLSTATE with its text. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** Only the statement has failed: its transaction goes on. */
  readonly goesOn?: boolean;
}

/** How long a statement waits for others, in milliseconds, and what it fails with then. */
export interface Patience {
  readonly milliseconds: number;
  readonly failure: Failure;
}

export interface ReadContext {
  readonly transaction: Transaction;
  readonly random: Random;
  /** The statement reads in order to write, or locks what it reads. */
  readonly current: boolean;
  readonly purpose: ReadRequest["purpose"];
  /** How many had committed when the client sent the statement. */
  readonly arrived: number;
}

/** Beginnings of keys and look-ups: also keys that do not exist yet belong to them. */
export interface Predicates {
  readonly scans: readonly string[];
  readonly lookups: readonly Lookup[];
}

/** How one level answers. Every method may assume that the transaction is open. */
export interface Policy {
  /** `level`: what the client asked for, as SQL says it. */
  begin(transaction: Transaction, random: Random, level: string | undefined): void;
  /** Waits until these keys, and all that the predicates are about, may be read. */
  before?(context: ReadContext, keys: readonly Key[], predicates: Predicates): Waited;
  /** A new statement of the transaction starts to read. */
  statement(context: ReadContext): void;
  /** One of the committed versions of the key, of which this is the last. */
  choose(key: Key, newest: Version, context: ReadContext): Version | Failure;
  /** Waits until the key may be written. "no version" if writing that value changes nothing. */
  write?(transaction: Transaction, key: Key, value: Value): Waited<"no version">;
  /** Just before the commit. */
  validate(transaction: Transaction): Failure | undefined;
  /** Just after the commit. */
  committed(transaction: Transaction): void;
  /** True if one committed transaction must come before the other; absent where they come as they committed. */
  precedes?(one: number, other: number): boolean;
  /**
   * How many commits the oldest snapshot contains that is open or will be taken from now on; absent where every version may
   * still be read.
   */
  oldestSnapshot?(): number;
  /** After commit and rollback alike. */
  ended?(transaction: Transaction): void;
  /** From now on statements of the transaction wait so long; one that waits now counts as having begun to. */
  patience?(transaction: Transaction, patience: Patience | undefined): void;
}

/** Undefined where it may go on: at once, unless it has to wait for others. */
export type Waited<More = never> = Failure | More | undefined | Promise<Failure | More | undefined>;

/** Goes on behind a wait, and at once where there is none. */
export function after<T, U>(
  waited: T | Promise<T>,
  goOn: (end: T) => U | Promise<U>,
): U | Promise<U> {
  return waited instanceof Promise ? waited.then(goOn) : goOn(waited);
}

export function isFailure(answer: Version | Failure): answer is Failure {
  return "code" in answer;
}

export const SERIALIZATION_FAILURE: Failure = {
  code: "40001",
  message: "could not serialize access due to concurrent update",
};

/** A point of an interval, both ends included: its end, its start, or either end or something between. */
export function pick(from: number, to: number, strategy: Strategy, random: Random): number {
  if (strategy === "latest" || from >= to) return to;
  if (strategy === "stale") return from;
  return random(2) === 0 ? to : from + random(to - from + 1);
}
