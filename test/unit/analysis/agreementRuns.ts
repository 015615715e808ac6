// Random transactions compared at one level, and the smallest ones that still disagree.
import type { Levels } from "../../../server/src/isolation/mixedLevels";
import { compareVerdicts, type Agreement } from "./agreement";
import { readRandom } from "./productsHarness";
import {
  routinesText,
  smallerThan,
  type RandomTransactions,
  type ValueKey,
} from "./randomTransactions";

export interface ProgramAgreement extends Agreement {
  /** Of the program, those that were compared. */
  readonly transactions: RandomTransactions;
}

/** The seed of one of many programs, so that each can be made alone. */
export function randomSeed(seed: number, number: number): number {
  return (seed * 1_000_003 + number * 7919) & 0x7fffffff;
}

/**
 * The verdicts on a program: on its transaction run twice, on its two, or of three on each pair and, where no pair has
 * an anomaly, on all three, as the search does it.
 */
export async function compareProgram(
  transactions: RandomTransactions,
  levels: Levels,
  key?: ValueKey,
): Promise<readonly ProgramAgreement[]> {
  const program = await readRandom(routinesText(transactions, key));
  const compare = async (members: readonly number[]): Promise<ProgramAgreement> => ({
    ...(await compareVerdicts(program, levels, members)),
    transactions: [...new Set(members)].flatMap((each) => {
      const own = transactions[each];
      return own === undefined ? [] : [own];
    }),
  });
  if (transactions.length < 2) return [await compare([0, 0])];
  if (transactions.length === 2) return [await compare([0, 1])];
  const pairs: ProgramAgreement[] = [];
  for (const pair of [
    [0, 1],
    [0, 2],
    [1, 2],
  ])
    pairs.push(await compare(pair));
  const quiet = pairs.every(({ kind, claimed }) => kind === "same" && claimed === "none");
  return quiet ? [...pairs, await compare([0, 1, 2])] : pairs;
}

/** The smallest of the programs like this one that give the same kind of disagreement. */
export async function smallest(
  transactions: RandomTransactions,
  levels: Levels,
  kind: Agreement["kind"],
  key?: ValueKey,
): Promise<RandomTransactions> {
  for (const smaller of smallerThan(transactions)) {
    const results = await compareProgram(smaller, levels, key);
    if (results.some((each) => each.kind === kind)) return smallest(smaller, levels, kind, key);
  }
  return transactions;
}
