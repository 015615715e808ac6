// Random programs against exhaustive enumeration at the products' levels: what the search claims, and what some
// interleaving shows.
import assert from "node:assert/strict";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import { labelOfLevels, type Levels } from "../../../server/src/isolation/mixedLevels";
import type { Dialect } from "../../../server/src/program/dialect";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { compareVerdicts } from "./agreement";

const parser = loadPgParser();

export type Choose = <T>(items: readonly [T, ...T[]]) => T;

/** A linear congruential generator: the same programs on every run. */
export function chooser(seed: number): Choose {
  let state = seed;
  return (items) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return items[(state >>> 8) % items.length] ?? items[0];
  };
}

/** The program of a text of PostgreSQL's. */
export async function readRandom(text: string, dialect?: Dialect): Promise<Program> {
  // Any name will do for the only file.
  const files = [{ file: "random.sql" as FileId, text }];
  return readProgram(files, { pg: await parser }, { dialect });
}

export interface RandomCheck {
  readonly seed: number;
  readonly rounds: number;
  readonly programs: (choose: Choose) => string;
  readonly levelsOf: (program: Program) => readonly Levels[];
  readonly unroll?: number;
}

/**
 * Checks `rounds` random programs of two transactions: nothing that some interleaving shows may be missed, and nothing
 * found that none shows. Returns how many have an anomaly.
 */
export async function checkRandom(check: RandomCheck): Promise<number> {
  const { seed, rounds, programs, levelsOf, unroll = 1 } = check;
  const choose = chooser(seed);
  let anomalous = 0;
  for (let round = 0; round < rounds; round += 1) {
    const text = programs(choose);
    const program = await readRandom(text);
    for (const levels of levelsOf(program)) {
      const { kind, shown, claimed, reasons } = await compareVerdicts(
        program,
        levels,
        [0, 1],
        unroll,
      );
      // An anomaly that the search could not confirm it has not called safe; but one that is there it must confirm.
      const agrees = kind === "same" || (shown === "none" && claimed === "none");
      assert.ok(
        agrees,
        `${labelOfLevels(levels)}: ${shown} by enumeration, ${claimed} by the search (${reasons.join("; ")}) in\n${text}`,
      );
      if (claimed !== "none") anomalous += 1;
    }
  }
  return anomalous;
}
