// The refusals of a program by the server: deadlocks, serialization failures, and those that code swallows.
import { findRefusals } from "../../analysis/contention/refusals";
import { explainRefusal } from "../../analysis/explain/refusal";
import type { FlatProgram } from "../../analysis/operations/operation";
import type { Levels } from "../../isolation/mixedLevels";
import type { Program, Transaction } from "../../program/program";
import type { Command } from "../../program/statement";
import type { Anomaly } from "../../protocol/report";
import { selectAnomalies } from "../findings/anomalies";
import { statementsOf } from "../statements";
import { analysablePart } from "./analysable";

/** Loop rounds: the second item of a list may equal the first of another list. */
const ROUNDS = 2;
/** Longer transactions are not unrolled for this. */
const MOST_STATEMENTS = 12;

/** The refusals of a program with flat form `flat`, sorted for people; transactions with loops also contend round against round. */
export function refusalsOf(
  program: Program,
  flat: FlatProgram,
  levels: Levels,
): readonly Anomaly[] {
  const looping = { ...program, transactions: program.transactions.filter(mayLockInRounds) };
  const rounds = analysablePart(looping, ROUNDS);
  const parts = [{ program, flat }, ...rounds.program.transactions.map((each, at) => ({
    program: { ...program, transactions: [each] },
    flat: { ...rounds.flat, transactions: rounds.flat.transactions.slice(at, at + 1) },
  }))]; // prettier-ignore
  return selectAnomalies(
    parts.flatMap((part) =>
      findRefusals(part.program, part.flat, levels).map((each) =>
        explainRefusal(part.program, levels, each),
      ),
    ),
  );
}

/** True if a loop changes or locks rows. */
function mayLockInRounds({ body }: Transaction): boolean {
  return statementsOf(body).length <= MOST_STATEMENTS && locksInLoop(body, false);
}

function locksInLoop(command: Command, isInside: boolean): boolean {
  switch (command.kind) {
    case "sequence":
      return command.commands.some((each) => locksInLoop(each, isInside));
    case "statement": {
      const { statement } = command;
      return isInside && (statement.kind !== "select" || statement.query.lock !== undefined);
    }
    case "if":
      return [command.then, command.otherwise].some((each) => each && locksInLoop(each, isInside));
    case "loop":
      return locksInLoop(command.body, true);
    case "atomic":
      return locksInLoop(command.body, isInside);
    case "try":
      return locksInLoop(command.body, isInside);
    default:
      return false;
  }
}
