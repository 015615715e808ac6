// Unrolling of loops during flattening.
import type { Command } from "../../program/statement";
import type { Term } from "./operation";

export type Loop = Extract<Command, { kind: "loop" }>;

/** The paths that leave a running loop, and those that end its round early. */
export interface Leaves {
  readonly exits: Term[];
  readonly continues: Term[];
}

/** Parameters of unrolling. */
export interface Unrolling {
  /** Unrolling bound for loops of unknown length. */
  readonly unroll: number;
  /** True if two rounds represent all of a loop of unknown length. */
  readonly anyRounds: boolean;
  readonly leaves: Map<string, Leaves>;
  /** Loops that may have more rounds than were unrolled, with the number of those. */
  readonly uncovered: Map<string, number>;
  /** The conditions under which they have more. */
  readonly exceeds: Term[];
  readonly run: (body: Command, path: Term) => Term;
}
