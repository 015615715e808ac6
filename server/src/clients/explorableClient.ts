// A client program ready to be explored, whatever its source: sessions of named transactions that can be re-run, with or without some of
// them.
import type { Client, Key, Session, Value } from "../exploration/client";
import type { Range } from "../protocol/source";
import type { WitnessInstance } from "../protocol/witness";
import type { ObservedStep } from "./sqlSession";

export interface ExplorableClient {
  readonly initial: ReadonlyMap<Key, Value>;
  readonly uniqueValues: NonNullable<Client["uniqueValues"]>;
  /** The transactions of each session in order. */
  readonly transactions: readonly (readonly ClientTransaction[])[];
  /** Starts the sessions afresh; `observe` receives every statement. */
  readonly open: (observe?: (step: ObservedStep) => void) => readonly Session[];
  /** Remarks on parts of the client's own code that could not be executed as written, so far. */
  readonly remarks?: () => readonly string[];
  /** The same client without the named transactions. */
  readonly without: (left: ReadonlySet<string>) => ExplorableClient;
}

/**
 * Prefix of transactions that only carry the result of the named function. Other transactions are named as in assertions, with suffixes
 * `#2` and so on for further ones of the same function.
 */
export const RESULT_MARK = "= ";

/** The assertion name of a transaction's function or call. */
export function baseName(transaction: string): string {
  const bare = transaction.startsWith(RESULT_MARK)
    ? transaction.slice(RESULT_MARK.length)
    : transaction;
  return bare.replace(/#\d+$/u, "");
}

export interface ClientTransaction {
  /** The name in assertions: `s1[0]`. */
  readonly name: string;
  /** The name for people, such as `withdraw(1, 60)`. */
  readonly title: string;
  /** The call, with its arguments. */
  readonly instance: WitnessInstance;
  /** Its place in the client program. */
  readonly range: Range;
}
