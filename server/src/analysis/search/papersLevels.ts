// Which papers' levels allow something: asked from the strongest on, with what one answer says about other levels.
import { PAPER_LEVELS } from "../../isolation/levels";
import type { PaperLevel } from "../../isolation/levels";
import { axiomLiteral } from "../encoding/relationalRelations";
import { levelAssumptions } from "../encoding/relational";
import type { Queries } from "./papersQueries";

/** The levels that might allow an anomaly, strongest first (a level comes before every level that it contains). */
export const SEARCHED_LEVELS: readonly PaperLevel[] = [...PAPER_LEVELS]
  .reverse()
  .filter((level) => !level.axioms.includes("total"));

/** Whether each level allows something; undefined while nobody knows. */
export interface LevelVector {
  get(level: PaperLevel): boolean | undefined;
  /** Asks the solver unless the answer follows from earlier ones. */
  decide(level: PaperLevel): boolean | undefined;
  /** It was seen at this level, so weaker ones allow it as well. */
  allow(level: PaperLevel): void;
}

/** The vector of what `context` (assumptions) describes. */
export function makeLevelVector(queries: Queries, context: readonly string[]): LevelVector {
  const known = new Map<string, boolean>();
  const learn = (level: PaperLevel, allowed: boolean): void => {
    if (!known.has(level.name)) known.set(level.name, allowed);
  };
  const vector: LevelVector = {
    get: (level) => (level.axioms.includes("total") ? false : known.get(level.name)),
    allow: (level) => {
      for (const other of SEARCHED_LEVELS) if (contains(level, other)) learn(other, true);
    },
    decide: (level) => {
      const before = vector.get(level);
      if (before !== undefined) return before;
      const answer = queries.ask([...context, ...levelAssumptions(level)]);
      if (answer === "sat") vector.allow(level);
      if (answer === "unsat") {
        const core = new Set(queries.core());
        const blamed = level.axioms.filter((axiom) => core.has(axiomLiteral(axiom)));
        for (const other of SEARCHED_LEVELS) {
          if (blamed.every((axiom) => other.axioms.includes(axiom))) learn(other, false);
        }
      }
      return vector.get(level);
    },
  };
  return vector;
}

/** Whether every history of `strong` is one of `weak`. */
export function contains(strong: PaperLevel, weak: PaperLevel): boolean {
  return weak.axioms.every((axiom) => strong.axioms.includes(axiom));
}
