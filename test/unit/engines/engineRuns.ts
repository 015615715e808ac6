// Random programs on which three engines must agree, and the smallest ones on which they do not.
import { findLevel, type PaperLevel } from "../../../server/src/isolation/levels";
import { readRandom } from "../analysis/productsHarness";
import { routinesText, smallerThan, type RandomTransactions } from "../analysis/randomTransactions";
import { openComparison, type EngineAgreement, type EngineLevel } from "./compareEngines";

export interface ProgramAgreement extends EngineAgreement {
  /** Of the program, those that were compared. */
  readonly transactions: RandomTransactions;
}

/**
 * The verdicts on a program at these levels: on its transaction run twice, on its two, or of three on each pair and,
 * where no pair has an anomaly, on all three, as the search does it.
 */
export async function compareProgram(
  transactions: RandomTransactions,
  levels: readonly EngineLevel[],
): Promise<readonly ProgramAgreement[]> {
  const program = await readRandom(routinesText(transactions));
  const results: ProgramAgreement[] = [];
  const compare = async (
    members: readonly number[],
    asked: readonly EngineLevel[],
  ): Promise<readonly EngineLevel[]> => {
    const compared = [...new Set(members)].flatMap((each) => {
      const own = transactions[each];
      return own === undefined ? [] : [own];
    });
    const at = openComparison(program, members);
    const quiet: EngineLevel[] = [];
    for (const level of asked) {
      const result = await at(paperLevel(level));
      results.push({ ...result, transactions: compared });
      if (result.kind === "same" && result.claimed === "none") quiet.push(level);
    }
    return quiet;
  };
  if (transactions.length < 2) await compare([0, 0], levels);
  else if (transactions.length === 2) await compare([0, 1], levels);
  else {
    let quiet = levels;
    for (const pair of [
      [0, 1],
      [0, 2],
      [1, 2],
    ]) {
      const still = await compare(pair, levels);
      quiet = quiet.filter((level) => still.includes(level));
    }
    await compare([0, 1, 2], quiet);
  }
  return results;
}

/** The smallest of the programs like this one that give the same kind of disagreement at the level. */
export async function smallest(
  transactions: RandomTransactions,
  level: EngineLevel,
  kind: EngineAgreement["kind"],
): Promise<ProgramAgreement | undefined> {
  const [own] = (await compareProgram(transactions, [level])).filter((each) => each.kind === kind);
  if (own === undefined) return undefined;
  for (const smaller of smallerThan(transactions)) {
    const found = await smallest(smaller, level, kind);
    if (found !== undefined) return found;
  }
  return own;
}

function paperLevel(name: EngineLevel): PaperLevel & { readonly name: EngineLevel } {
  const level = findLevel(name);
  if (level?.family !== "paper") throw new Error(`${name} is no level of the papers`);
  return { ...level, name };
}
