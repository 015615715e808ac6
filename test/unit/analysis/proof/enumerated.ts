// The anomalies of a small program whose runs are enumerated from random starts: every interleaving at the databases' levels,
// every history at the papers'. Shares no code with proofs or encodings.
import type { Level, PaperLevel } from "../../../../server/src/isolation/levels";
import type { AxiomaticLevel } from "../../../../server/src/exploration/exploration";
import type { Program } from "../../../../server/src/program/program";
import { ownEntry, setEntry } from "../../../../server/src/protocol/dictionary";
import type { Row, Value } from "../../../../server/src/protocol/witness";
import type { Setup } from "../../../../server/src/store/execution";
import { NotExecutable } from "../../../../server/src/store/failure";
import { ENGINE_LEVELS } from "../../engines/compareEngines";
import { exploreStart, openStart } from "../../engines/exploredOutcomes";
import { enumerated } from "../agreement";
import type { Random } from "./random";

export interface EnumerationSize {
  /** Random starts. */
  readonly starts: number;
  /** Instances of a start: from two to so many. */
  readonly instances: number;
}

/** The first start from which some run differs from every serial order, as text; undefined where none does. */
export async function shownAnomaly(
  program: Program,
  level: Level,
  random: Random,
  { starts, instances }: EnumerationSize,
): Promise<string | undefined> {
  if (program.transactions.length === 0) return undefined;
  for (let at = 0; at < starts; at += 1) {
    const setup = randomStart(program, random, 2 + (at % (instances - 1)));
    if (await isAnomalous(program, level, setup))
      return JSON.stringify({ instances: setup.instances, initial: setup.initial });
  }
  return undefined;
}

async function isAnomalous(program: Program, level: Level, setup: Setup): Promise<boolean> {
  try {
    if (level.family === "product") return enumerated(program, level, setup).worst !== "none";
    const name = explorable(level);
    if (name === undefined) return false;
    return (await exploreStart(await openStart(program, setup), name)).worstUnmerged !== "none";
  } catch (refused) {
    // No database starts from rows that break what it keeps.
    if (refused instanceof NotExecutable) return false;
    throw refused;
  }
}

function explorable({ name }: PaperLevel): AxiomaticLevel | undefined {
  return ENGINE_LEVELS.find((each) => each === name);
}

/** Instances of random transactions, with few rows and arguments, so that they meet. */
function randomStart(program: Program, random: Random, count: number): Setup {
  const { transactions } = program;
  const initial: Record<string, readonly Row[]> = {};
  for (const { name, columns, primaryKey, foreignKeys } of program.schema.tables) {
    const rows = new Map<string, Row>();
    for (let at = random(4); at > 0; at -= 1) {
      const row = Object.fromEntries(
        columns.map((column): [string, Value] => [
          column.name,
          primaryKey.includes(column.name) ? 1 + random(2) : random(4),
        ]),
      );
      const parents = foreignKeys.every(({ table, columns: own, referenced }) =>
        (ownEntry(initial, table) ?? []).some((parent) =>
          own.every(
            (column, place) =>
              ownEntry(row, column) === ownEntry(parent, referenced[place] ?? column),
          ),
        ),
      );
      if (parents) rows.set(JSON.stringify(primaryKey.map((column) => ownEntry(row, column))), row);
    }
    setEntry(initial, name, [...rows.values()]);
  }
  const instances = Array.from({ length: count }, (_, at) => {
    const transaction = transactions[random(transactions.length)];
    const passed = (transaction?.parameters ?? []).map(({ name }): [string, Value] => [
      name,
      random(4) === 0 ? 2 : 1,
    ]);
    return {
      instance: `T${String(at + 1)}`,
      transaction: transaction?.id ?? "",
      arguments: Object.fromEntries(passed),
    };
  });
  return { instances, initial };
}
