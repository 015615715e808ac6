// Agreement within the relational encoding: statements and whole transactions as what is seen, from read-atomic
// on, and the rejection of tuples by their pairs with the whole question.
import { encodeRelational } from "../../../server/src/analysis/encoding/relational/encoding";
import type { Tier } from "../../../server/src/analysis/encoding/relational/encoding";
import { axiomLiteral } from "../../../server/src/analysis/encoding/relational/relations";
import type { FlatProgram } from "../../../server/src/analysis/operations/operation";
import { mayCycle } from "../../../server/src/analysis/search/literature/meeting";
import { tupleLevels } from "../../../server/src/analysis/search/literature/levels";
import { planPapers } from "../../../server/src/analysis/search/literature/backend";
import type { PaperLevel, PaperLevelName } from "../../../server/src/isolation/levels";
import type { SolverFactory } from "../../../server/src/solver/solver";
import { LIMITS, levelOf } from "./papersHarness";

export const WHOLE_LEVELS: readonly PaperLevelName[] = [
  "read-atomic",
  "causal",
  "prefix",
  "parallel-snapshot-isolation",
  "snapshot-isolation",
];

/** Where a program's tuples of that size disagree, in words; and how many questions were compared. */
export function compareTiers(
  solvers: SolverFactory,
  flat: FlatProgram,
  size: number,
): { readonly disagreements: readonly string[]; readonly compared: number; readonly sat: number } {
  const disagreements: string[] = [];
  let compared = 0;
  let sat = 0;
  const [weakest] = WHOLE_LEVELS;
  if (weakest === undefined) return { disagreements, compared, sat };
  for (const { transactions } of planPapers(flat, levelOf(weakest), size)) {
    const byStatement = cycles(solvers, flat, transactions, "statement");
    const byTransaction = cycles(solvers, flat, transactions, "transaction");
    const ids = transactions.map((index) => flat.transactions[index]?.id ?? "");
    for (const name of WHOLE_LEVELS) {
      compared += 1;
      const where = `${ids.join(" ")} at ${name}`;
      const [one, other] = [byStatement.get(name), byTransaction.get(name)];
      if (one !== other) disagreements.push(`${where}: ${String(one)} by statements`);
      if (other === "sat") sat += 1;
      const { base } = tupleLevels(levelOf(name), ids);
      const rejected = size > 2 && !mayCycle(solvers, flat, base, transactions, LIMITS);
      if (rejected && other !== "unsat") disagreements.push(`${where}: rejected by its pairs`);
    }
  }
  return { disagreements, compared, sat };
}

function cycles(
  solvers: SolverFactory,
  flat: FlatProgram,
  tuple: readonly number[],
  tier: Tier,
): ReadonlyMap<PaperLevelName, string> {
  const encoding = encodeRelational(flat, tuple, tier);
  const solver = solvers.open({ resourceLimit: 0 });
  try {
    solver.add(encoding.text);
    const assumed = encoding.run.database.assumptions.all().map(({ literal }) => literal);
    const ask = (level: PaperLevel): string =>
      solver.check([...level.axioms.map(axiomLiteral), ...assumed]);
    return new Map(WHOLE_LEVELS.map((name) => [name, ask(levelOf(name))]));
  } finally {
    solver.dispose();
  }
}
