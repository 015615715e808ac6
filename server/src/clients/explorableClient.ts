// A client program as it is explored, whatever it was written in: sessions of named transactions that can be run
// afresh, with or without some of them.
import type { Client, Key, Session, Value } from "../exploration/client";
import type { Range } from "../protocol/source";
import type { WitnessInstance } from "../protocol/witness";
import type { ObservedStep } from "./sqlSession";

export interface ExplorableClient {
  readonly initial: ReadonlyMap<Key, Value>;
  readonly uniqueValues: NonNullable<Client["uniqueValues"]>;
  /** Per session its transactions in order. */
  readonly transactions: readonly (readonly ClientTransaction[])[];
  /** The sessions, to be run afresh; `observe` is told of every statement. */
  readonly open: (observe?: (step: ObservedStep) => void) => readonly Session[];
  /** Remarks on what of the client's own code could not be carried out as it is written, as far as it has been run. */
  readonly remarks?: () => readonly string[];
  /** The same client without these transactions, by name. */
  readonly without: (left: ReadonlySet<string>) => ExplorableClient;
}

/**
 * The prefix of transactions that do nothing but carry what the function of that name gave. All other
 * transactions are called as assertions call them, with `#2` and so on behind it for further ones of the same function.
 */
export const RESULT_MARK = "= ";

/** As assertions call the function or call that a transaction is of. */
export function baseName(transaction: string): string {
  const bare = transaction.startsWith(RESULT_MARK)
    ? transaction.slice(RESULT_MARK.length)
    : transaction;
  return bare.replace(/#\d+$/u, "");
}

export interface ClientTransaction {
  /** As assertions name it: `s1[0]`. */
  readonly name: string;
  /** For people, such as `withdraw(1, 60)`. */
  readonly title: string;
  /** The call, with its arguments. */
  readonly instance: WitnessInstance;
  /** Where it stands in the client program. */
  readonly range: Range;
}
