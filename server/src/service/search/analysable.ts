// The analysable part of a program: transactions of reasonable size that flatten without error.
import { TooLarge } from "../../analysis/operations/expression";
import { flattenProgram } from "../../analysis/operations/flatten";
import { HIDDEN, type FlatProgram } from "../../analysis/operations/operation";
import { accessedBy } from "../../program/accessedTables";
import { UNROLL } from "../../engine/runJob";
import type { Program, Transaction } from "../../program/program";
import type { Unknown } from "../../protocol/report";
import { reasonOf } from "../../protocol/fault";
import { EXISTENCE } from "../../store/row";
import { statementsOf } from "../statements";

export interface Analysable {
  /** The program without the excluded transactions. */
  readonly program: Program;
  /** Its flat form, in the same order. */
  readonly flat: FlatProgram;
  /** Excluded parts with the reason. */
  readonly leftOut: readonly Unknown[];
}

/** Larger transactions are data scripts; the dependencies between two of them number in the millions. */
const MOST_STATEMENTS = 300;
const MOST_OPERATIONS = 600;

/** Flattens a program. A transaction that cannot be analysed is excluded alone; never throws. */
export function analysablePart(program: Program, unroll = UNROLL): Analysable {
  const leftOut: Unknown[] = [];
  const ambiguous = ambiguousTables(program);
  const sane = program.transactions.filter((each) => {
    const statements = statementsOf(each.body);
    const count = statements.length;
    if (count > MOST_STATEMENTS) leftOut.push(tooLarge(each, `${String(count)} statements`));
    const tables = new Set(ambiguous.size > 0 ? statements.flatMap(accessedBy) : []);
    const [reserved] = [...tables].flatMap((table) => ambiguous.get(table) ?? []);
    if (reserved !== undefined) leftOut.push(leftOutFor(each, reserved));
    return count <= MOST_STATEMENTS && reserved === undefined;
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

/** Tables with a column whose name is reserved in executions and reports, with the message. */
function ambiguousTables({ schema }: Program): ReadonlyMap<string, string> {
  const isTaken = (name: string): boolean => name === EXISTENCE || name.startsWith(HIDDEN);
  return new Map(
    schema.tables.flatMap(({ name, columns }) => {
      const column = columns.find((each) => isTaken(each.name));
      const why = `the name of the column "${column?.name ?? ""}" of ${name} has a meaning of its own`;
      return column === undefined ? [] : [[name, why] as const];
    }),
  );
}

/**
 * The form in which two rounds represent any number of rounds of a loop; if it is too large, the searched form `flat`, whose loops are
 * marked as having more rounds.
 */
export function withAnyRounds(program: Program, flat: FlatProgram, unroll: number): FlatProgram {
  try {
    return flattenProgram(program, { unroll, anyRounds: true });
  } catch (error) {
    if (error instanceof TooLarge || error instanceof RangeError) return flat;
    throw error;
  }
}

function tooLarge(transaction: Transaction, size: string): Unknown {
  return leftOutFor(transaction, `${size} in one transaction are too many`);
}

function leftOutFor({ id, name, header }: Transaction, why: string): Unknown {
  const { file, range } = header;
  return { reason: `${name} is not analysed: ${why}`, transactions: [id], file, range };
}

/** Finds the transaction on which flattening fails (by a defect or by its depth) by trying each alone. */
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
    // The loop below finds the transaction and reports the reason with it.
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
      leftOut.push(leftOutFor(each, why));
      return false;
    }
  });
  return { transactions, flat: flattenProgram({ ...program, transactions }, { unroll }) };
}
