// Compares proofs with the bounded search and the store: what is proved safe must have no confirmed anomaly.
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import { prove } from "../../../../server/src/analysis/proof/prove";
import { planPapers, solvePapers } from "../../../../server/src/analysis/search/papers";
import { planProduct, solveProduct } from "../../../../server/src/analysis/search/products";
import type { SearchLimits } from "../../../../server/src/analysis/search/unit";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Level } from "../../../../server/src/isolation/levels";
import type { FileId } from "../../../../server/src/protocol/source";
import type { SolverFactory } from "../../../../server/src/solver/solver";
import { generator } from "./random";
import { randomProofProgram } from "./randomPrograms";

const LIMITS: SearchLimits = { resourceLimit: 2_000_000, maxFindings: 2, stopped: () => false };

export const PROVED_LEVELS: readonly string[] = [
  "postgres:read-committed",
  "read-committed",
  "snapshot-isolation",
  "parallel-snapshot-isolation",
  "postgres:repeatable-read",
  "mysql:read-committed",
  "mysql:repeatable-read",
  "mariadb:repeatable-read(snapshot-isolation=on)",
  "oracle:read-committed",
  "prefix",
  "causal",
  "read-atomic",
];

export interface Comparison {
  readonly proved: boolean;
  /** The transactions of an anomaly of what was proved to have none. */
  readonly contradiction?: string;
}

/** Proves a program at a level, and where that succeeds looks for anomalies of up to so many transactions. */
export function compare(
  solvers: SolverFactory,
  text: string,
  levelName: string,
  most: number,
): Comparison {
  // Any name will do for a single file.
  const read = readProgram([{ file: "random.sql" as FileId, text }], {});
  const level = findLevel(levelName);
  if (!level) throw new Error(`no level ${levelName}`);
  const candidates = counterCandidates(flattenProgram(read, { unroll: 1 }));
  const invariants = candidates.flatMap((each) => each.slice(0, 1));
  const program = { ...read, invariants };
  const flat = flattenProgram(program, { unroll: 1 });
  const answer = prove(solvers, flat, level, LIMITS);
  if (answer.kind !== "proved") return { proved: false };
  for (let size = 2; size <= most; size += 1) {
    const units = planOf(flat, level, size);
    for (const unit of units) {
      const result =
        level.family === "paper"
          ? solvePapers(solvers, program, flat, level, unit, LIMITS)
          : solveProduct(solvers, program, flat, level, unit, LIMITS);
      const found = result.findings.find(({ confirmation }) => confirmation.status === "confirmed");
      if (found)
        return {
          proved: true,
          contradiction: unit.transactions.map((each) => flat.transactions[each]?.id).join(),
        };
    }
  }
  return { proved: true };
}

function planOf(flat: ReturnType<typeof flattenProgram>, level: Level, size: number) {
  return level.family === "paper" ? planPapers(flat, level, size) : planProduct(flat, level, size);
}

/** The text of the random program with that seed. */
export function programOf(seed: number): string {
  return randomProofProgram(generator(seed));
}
