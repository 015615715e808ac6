// A client program as it is explored, whatever it was written in: sessions of named transactions that can be run
// afresh, with or without some of them.
import type { Key, Session, Value } from "../exploration/client";
import type { Range } from "../protocol/source";
import type { WitnessInstance } from "../protocol/witness";
import type { ObservedStep } from "./sqlSession";

export interface ExplorableClient {
  readonly initial: ReadonlyMap<Key, Value>;
  /** Per session its transactions in order. */
  readonly transactions: readonly (readonly ClientTransaction[])[];
  /** The sessions, to be run afresh; `observe` is told of every statement. */
  readonly open: (observe?: (step: ObservedStep) => void) => readonly Session[];
  /** The same client without these transactions, by name. */
  readonly without: (left: ReadonlySet<string>) => ExplorableClient;
}

export interface ClientTransaction {
  /** As assertions name it: `s1[0]`. */
  readonly name: string;
  /** For people, such as `withdraw(1, 60)`. */
  readonly title: string;
  /** What it calls, with its arguments. */
  readonly instance: WitnessInstance;
  /** Where it stands in the client program. */
  readonly range: Range;
}
