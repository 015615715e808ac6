// Parts that the searches for refusals share: the refusal, the limits of its runs, and the rows and levels that these start from.
import type { ProductLevel } from "../../isolation/levels";
import { levelAt, productLevelAt, type Levels } from "../../isolation/mixedLevels";
import type { KeptError, Program, Transaction } from "../../program/program";
import type { StatementId } from "../../program/statement";
import type { Reached, RefusedRun } from "../../store/conflictRuns";
import type { Setup } from "../../store/execution";
import type { LevelOf } from "../../store/server";
import type { FlatProgram } from "../operations/operation";
import { dressings } from "../search/readableValues";
import { statedStart } from "../search/statedStart";
import { meetingSetup, type Filling, type Meeting } from "./rows";

/** A run of transactions in which the server refuses one of them. */
export interface Refusal {
  readonly kind:
    | "deadlock"
    | "serialization-failure"
    | "duplicate-key"
    | "swallowed-error"
    | "retry-in-transaction"
    | "repeated-effect";
  /** The handler of the error, for the last three kinds. */
  readonly kept?: KeptError;
  /** Ids, one per instance. */
  readonly transactions: readonly string[];
  readonly setup: Setup;
  readonly run: RefusedRun;
  /** The statements at which the instances had acquired the locks that others want. */
  readonly holds: readonly Reached[];
  /** The read on which the key of a duplicate, or whether it is inserted, rests. */
  readonly looks?: Reached;
}

/** Limits of runs per group of transactions, and in total: further refusals are not reported. */
export const MOST_TRIES = { group: 9, deadlocks: 200, others: 60 };

/** Limit of operations: for longer transactions the heuristics rarely find rows and arguments that lead to their locks. */
export const MOST_OPERATIONS = 60;

interface Budget {
  tries: number;
}

export interface Search {
  readonly program: Program;
  readonly flat: FlatProgram;
  readonly levels: Levels;
  readonly budget: Budget;
}

/** The statements whose errors the transaction swallows. */
export function keptStatements({ keptErrors = [] }: Transaction): ReadonlySet<StatementId> {
  return new Set(keptErrors.flatMap(({ statements }) => statements));
}

/** The level of a transaction, if its locks were compared with a server's, or with those of one with the same engine. */
export function measuredLevel(levels: Levels, transaction: string): ProductLevel | undefined {
  const level = levelAt(levels, transaction);
  if (level.family !== "product") return undefined;
  return level.evidence === "measured" || level.product === "mysql" ? level : undefined;
}

/** The setup of a meeting with rows that satisfy the stated invariants, as far as they were found. */
export function startOf(program: Program, meeting: Meeting, filling: Filling): Setup | undefined {
  const setup = meetingSetup(meeting, filling);
  return setup && statedStart(program, setup);
}

/** The levels of a setup's instances. */
export function levelsIn(levels: Levels, { instances }: Setup): LevelOf {
  const transactionOf = new Map(instances.map((each) => [each.instance, each.transaction]));
  return (instance, declared) =>
    productLevelAt(levels, transactionOf.get(instance) ?? "", declared);
}

/** The setup with readable texts, if it has the same outcome. */
export function dressed(
  { program, flat }: Search,
  refusal: Refusal,
  run: (setup: Setup) => Refusal | undefined,
): Refusal {
  for (const setup of dressings(program, flat, refusal.setup)) {
    const other = run(setup);
    if (other) return other;
  }
  return refusal;
}
