// Answer of a proof attempt: plain data that survives a structured clone.
import type { StatementId } from "../../program/statement";
import type { ProofScheme } from "../../protocol/proof";
import type { Dependency } from "../../protocol/dependency";

/** A part of a transaction that rules out every proof. */
export interface Restriction {
  readonly transaction: string;
  readonly reason: string;
}

/** The answer about a program; transactions are indexes into it. */
export type ProofAnswer =
  | {
      readonly kind: "proved";
      readonly scheme: ProofScheme;
      readonly induction?: InductionSummary;
      /** The refuted chains, for levels at which each statement has its own snapshot. */
      readonly moments?: { readonly refuted: InductionSummary["refuted"] };
      /** The length from which on no path is chordless. */
      readonly length?: number;
      /** Names of assumptions and lemmas that the refutations needed. */
      readonly assumed: readonly string[];
      readonly queries: number;
    }
  | {
      readonly kind: "blocked";
      readonly restrictions: readonly Restriction[];
      readonly obstacles: readonly Obstacle[];
      /** Transactions that may lie on a cycle; the others do not. */
      readonly open: readonly number[];
      readonly reason?: string;
      readonly queries: number;
    }
  | { readonly kind: "unknown"; readonly reason: string; readonly queries: number };

export interface InductionSummary {
  readonly ordered: readonly { readonly members: readonly number[]; readonly forward: boolean }[];
  readonly refuted: { readonly pairs: number; readonly triples: number };
  readonly readersEarly: boolean;
}

/** A chain of transactions, each of which depends on the previous one; closed chains lead back to the first. */
export interface Obstacle {
  readonly members: readonly number[];
  readonly closed: boolean;
  readonly steps: readonly ObstacleStep[];
  /** Changes of the program that make the chain impossible. */
  readonly remedies?: readonly Remedy[];
}

/** A fix for that step: its reader locks what it reads, or updates the row. */
export interface Remedy {
  readonly kind: "lock" | "change";
  readonly step: number;
}

export interface ObstacleStep {
  readonly dependency: Exclude<Dependency, "so">;
  readonly table: string;
  readonly columns: readonly string[];
  readonly from: StatementId;
  readonly to: StatementId;
}
