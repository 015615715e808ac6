// The part of a program that the analysis can take on: transactions of a sane size that flattening does not fail on.
import { TooLarge } from "../analysis/operations/expression";
import { flattenProgram } from "../analysis/operations/flatten";
import type { FlatProgram } from "../analysis/operations/operation";
import { UNROLL } from "../engine/runJob";
import type { Program, Transaction } from "../program/program";
import type { Unknown } from "../protocol/report";
import { reasonOf } from "../protocol/fault";
import { statementsOf } from "./statements";

export interface Analysable {
  /** Without the transactions that are left out. */
  readonly program: Program;
  /** Its flat form, in the same order. */
  readonly flat: FlatProgram;
  /** What is left out, with the reason. */
  readonly leftOut: readonly Unknown[];
}

/** Beyond these a transaction is a script of data, and dependencies between two of them are counted in millions. */
const MOST_STATEMENTS = 300;
const MOST_OPERATIONS = 600;

/** Flattens a program. What cannot be analysed costs its own verdict, not that of the others; never throws. */
export function analysablePart(program: Program, unroll = UNROLL): Analysable {
  const leftOut: Unknown[] = [];
  const sane = program.transactions.filter((each) => {
    const count = statementsOf(each.body).length;
    if (count > MOST_STATEMENTS) leftOut.push(tooLarge(each, `${String(count)} statements`));
    return count <= MOST_STATEMENTS;
  });
  const { transactions, flat } = flattenSafely({ ...program, transactions: sane }, unroll, leftOut);
  const fits = flat.transactions.map(({ operations }) => operations.length <= MOST_OPERATIONS);
  transactions.forEach((each, n) => {
    const count = flat.transactions[n]?.operations.length ?? 0;
    if (!fits[n]) leftOut.push(tooLarge(each, `${String(count)} accesses to tables`));
  });
  return {
    program: { ...program, transactions: transactions.filter((_, n) => fits[n]) },
    flat: { ...flat, transactions: flat.transactions.filter((_, n) => fits[n]) },
    leftOut,
  };
}

function tooLarge(transaction: Transaction, size: string): Unknown {
  const { file, range } = transaction.header;
  const reason = `${transaction.name} is not analysed: ${size} in one transaction are too many`;
  return { reason, transactions: [transaction.id], file, range };
}

/** A transaction on which flattening fails, by a defect of ours or by its depth, is found out by trying each alone. */
function flattenSafely(
  program: Program,
  unroll: number,
  leftOut: Unknown[],
): { readonly transactions: readonly Transaction[]; readonly flat: FlatProgram } {
  try {
    return {
      transactions: program.transactions,
      flat: flattenProgram(program, { unroll }),
    };
  } catch {
    // The reason is found below, where it can be told with its transaction.
  }
  const transactions = program.transactions.filter((each) => {
    try {
      flattenProgram({ ...program, transactions: [each] }, { unroll });
      return true;
    } catch (error) {
      const why =
        error instanceof RangeError
          ? "it is nested too deeply"
          : error instanceof TooLarge
            ? "it has too many rounds, rows and cases to go through them all"
            : reasonOf(error);
      const { file, range } = each.header;
      const reason = `${each.name} is not analysed: ${why}`;
      leftOut.push({ reason, transactions: [each.id], file, range });
      return false;
    }
  });
  return { transactions, flat: flattenProgram({ ...program, transactions }, { unroll }) };
}
