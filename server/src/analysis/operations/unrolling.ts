// How the rounds of loops are run while a transaction is flattened.
import type { Command } from "../../program/statement";
import type { Term } from "./operation";

export type Loop = Extract<Command, { kind: "loop" }>;

/** The paths on which a running loop is left, and on which its round ends early. */
export interface Leaves {
  readonly exits: Term[];
  readonly continues: Term[];
}

/** How the rounds of a loop are run. */
export interface Unrolling {
  /** Rounds that are looked at where the loop does not say how many it has. */
  readonly unroll: number;
  /** Two rounds stand for all where the number of rounds is open. */
  readonly anyRounds: boolean;
  readonly leaves: Map<string, Leaves>;
  /** Loops that may have more rounds than were looked at, with the rounds that were. */
  readonly uncovered: Map<string, number>;
  /** The conditions under which they have. */
  readonly exceeds: Term[];
  readonly run: (body: Command, path: Term) => Term;
}
