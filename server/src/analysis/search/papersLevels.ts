// Which papers' levels allow something: asked from the strongest on, with what one answer says about other levels.
import { AXIOMS, PAPER_LEVELS } from "../../isolation/levels";
import type { Axiom, PaperLevel } from "../../isolation/levels";
import { arePaired, paperLevelAt } from "../../isolation/mixedLevels";
import type { Levels, SerializablePair } from "../../isolation/mixedLevels";
import { MIXED, axiomLiteral } from "../encoding/relationalRelations";
import type { Mixture } from "../encoding/relationalRelations";
import { levelAssumptions } from "../encoding/relational";
import type { Queries } from "./papersQueries";

/** One level, or the mixture that the tuple's transactions run at. */
export interface SearchedLevel {
  readonly name: string;
  /** What the store judges witnesses at. */
  readonly levels: Levels;
  readonly assumptions: readonly string[];
  /** Axioms that hold for every instance. */
  readonly inAll: readonly Axiom[];
  /** Axioms that hold for some instance. */
  readonly inSome: readonly Axiom[];
}

/** The levels that the search of one tuple is about. */
export interface TupleLevels {
  /** At which anomalies are looked for. */
  readonly base: SearchedLevel;
  /** Levels that might allow what the base allows, the base among them, strongest first. */
  readonly searched: readonly SearchedLevel[];
  /** Levels that a finding is compared over, from weak to strong. */
  readonly compared: readonly SearchedLevel[];
  /** For the encoding, where one level does not say it all. */
  readonly mixture?: Mixture;
}

/** The levels of instances of these transactions (ids). Pairs that are kept serializable are so at compared levels too. */
export function tupleLevels(levels: Levels, transactions: readonly string[]): TupleLevels {
  if (levels.family === "product") throw new Error(`${levels.name} is no paper's level`);
  const pairs = levels.family === "mixed" ? levels.serializablePairs : [];
  const compared = PAPER_LEVELS.map((level) => oneLevel(level, pairs, transactions));
  const base =
    levels.family === "paper"
      ? (compared.find((each) => each.name === levels.name) ?? oneLevel(levels, [], transactions))
      : mixedLevel(levels, transactions);
  const strongestFirst = [...compared].reverse().filter((each) => !isSerial(each));
  const searched = strongestFirst.includes(base) ? strongestFirst : [...strongestFirst, base];
  const shown =
    compared.includes(base) || levels.family === "mixed" ? compared : [base, ...compared];
  if (levels.family === "paper") return { base, searched, compared: shown };
  const mixture: Mixture = {
    levels: transactions.map((id) => paperLevelAt(levels, id)),
    pairs: transactions.flatMap((a, i) =>
      transactions.flatMap((b, j): [number, number][] =>
        i < j && arePaired(levels, a, b) ? [[i, j]] : [],
      ),
    ),
  };
  return { base, searched, compared: shown, mixture };
}

/** Whether each level allows something; undefined while nobody knows. */
export interface LevelVector {
  get(level: SearchedLevel): boolean | undefined;
  /** Asks the solver unless the answer follows from earlier ones. */
  decide(level: SearchedLevel): boolean | undefined;
  /** It was seen at this level, so weaker ones allow it as well. */
  allow(level: SearchedLevel): void;
  /** The solver refused it at this level; `core` holds the assumptions that were to blame. */
  refuse(core: ReadonlySet<string>, level: SearchedLevel): void;
}

/** The vector of what `context` (assumptions, asked for at each question) describes, over the searched levels. */
export function makeLevelVector(
  queries: Queries,
  context: () => readonly string[],
  searched: readonly SearchedLevel[],
): LevelVector {
  const known = new Map<string, boolean>();
  const learn = (level: SearchedLevel, allowed: boolean): void => {
    if (!known.has(level.name)) known.set(level.name, allowed);
  };
  const vector: LevelVector = {
    get: (level) => (isSerial(level) ? false : known.get(level.name)),
    allow: (level) => {
      learn(level, true);
      for (const other of searched) if (contains(level, other)) learn(other, true);
    },
    refuse: (core, level) => {
      learn(level, false);
      if (core.has(MIXED)) return;
      const blamed = AXIOMS.filter((axiom) => core.has(axiomLiteral(axiom)));
      for (const other of searched) {
        if (blamed.every((axiom) => other.inAll.includes(axiom))) learn(other, false);
      }
    },
    decide: (level) => {
      const before = vector.get(level);
      if (before !== undefined) return before;
      const answer = queries.ask([...context(), ...level.assumptions]);
      if (answer === "sat") vector.allow(level);
      if (answer === "unsat") vector.refuse(new Set(queries.core()), level);
      return vector.get(level);
    },
  };
  return vector;
}

/** Whether every history of `strong` is one of `weak`. */
export function contains(strong: SearchedLevel, weak: SearchedLevel): boolean {
  return weak === strong || weak.inSome.every((axiom) => strong.inAll.includes(axiom));
}

/** Nothing but serial histories. */
function isSerial(level: SearchedLevel): boolean {
  return level.inAll.includes("total");
}

function oneLevel(
  level: PaperLevel,
  pairs: readonly SerializablePair[],
  transactions: readonly string[],
): SearchedLevel {
  const perTransaction = Object.fromEntries(transactions.map((id) => [id, level]));
  return {
    name: level.name,
    levels:
      pairs.length === 0 ? level : { family: "mixed", perTransaction, serializablePairs: pairs },
    assumptions: levelAssumptions(level),
    inAll: level.axioms,
    inSome: level.axioms,
  };
}

function mixedLevel(levels: Levels, transactions: readonly string[]): SearchedLevel {
  const axioms = transactions.map((id) => paperLevelAt(levels, id).axioms);
  const some = new Set(axioms.flat());
  return {
    name: MIXED,
    levels,
    assumptions: [MIXED],
    inAll: [...some].filter((axiom) => axioms.every((each) => each.includes(axiom))),
    inSome: [...some],
  };
}
