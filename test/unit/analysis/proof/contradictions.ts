// Compares proofs with the bounded search and with enumeration: what is proved safe must have no anomaly by either.
import { counterCandidates } from "../../../../server/src/analysis/assumptions/counters";
import { flattenProgram } from "../../../../server/src/analysis/operations/flatten";
import type { FlatProgram } from "../../../../server/src/analysis/operations/operation";
import { prove } from "../../../../server/src/analysis/proof/prove";
import { planPapers, solvePapers } from "../../../../server/src/analysis/search/literature/backend";
import { planProduct, solveProduct } from "../../../../server/src/analysis/search/products/backend";
import type { SearchLimits } from "../../../../server/src/analysis/search/unit";
import { findLevel } from "../../../../server/src/isolation/levels";
import type { Level } from "../../../../server/src/isolation/levels";
import type { Program } from "../../../../server/src/program/program";
import type { SolverFactory } from "../../../../server/src/solver/solver";
import { readRandom } from "../productsHarness";
import { shownAnomaly } from "./enumerated";
import type { EnumerationSize } from "./enumerated";
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
  /** An anomaly of what was proved to have none: its transactions, or where it starts from. */
  readonly contradiction?: string;
}

interface ComparisonSize extends EnumerationSize {
  /** Transactions of an anomaly that the search looks for, at the most. */
  readonly most: number;
}

/** Proves the random program with that seed at a level, and where that succeeds looks for anomalies of it. */
export async function compare(
  solvers: SolverFactory,
  seed: number,
  levelName: string,
  size: ComparisonSize,
): Promise<Comparison> {
  const read = await readRandom(programOf(seed));
  const level = findLevel(levelName);
  if (!level) throw new Error(`no level ${levelName}`);
  const candidates = counterCandidates(flattenProgram(read, { unroll: 1 }));
  const invariants = candidates.flatMap((each) => each.slice(0, 1));
  const program = { ...read, invariants };
  const open = flattenProgram(program, { unroll: 1, anyRounds: true });
  if (prove(solvers, open, level, LIMITS, { brief: true }).kind !== "proved")
    return { proved: false };
  const contradiction =
    searchedAnomaly(solvers, program, level, size.most) ??
    (await shownAnomaly(program, level, generator(seed + 1), size));
  return { proved: true, ...(contradiction !== undefined && { contradiction }) };
}

/** The transactions of the first anomaly that the bounded search finds and the store confirms. */
function searchedAnomaly(
  solvers: SolverFactory,
  program: Program,
  level: Level,
  most: number,
): string | undefined {
  const flat = flattenProgram(program, { unroll: 1 });
  for (let size = 2; size <= most; size += 1)
    for (const unit of planOf(flat, level, size)) {
      const result =
        level.family === "paper"
          ? solvePapers(solvers, program, flat, level, unit, LIMITS)
          : solveProduct(solvers, program, flat, level, unit, LIMITS);
      if (result.findings.some(({ confirmation }) => confirmation.status === "confirmed"))
        return unit.transactions.map((each) => flat.transactions[each]?.id).join();
    }
  return undefined;
}

function planOf(flat: FlatProgram, level: Level, size: number) {
  return level.family === "paper" ? planPapers(flat, level, size) : planProduct(flat, level, size);
}

/** The text of the random program with that seed. */
export function programOf(seed: number): string {
  return randomProofProgram(generator(seed));
}
