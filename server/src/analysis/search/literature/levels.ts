// The levels of axioms that allow something: asked from the strongest on, with the consequences of each answer for other levels.
import type { WrittenAxiom } from "../../../isolation/formula";
import { AXIOMS, PAPER_LEVELS } from "../../../isolation/levels";
import type { Axiom, Level, PaperLevel } from "../../../isolation/levels";
import { arePaired, distinctLevels, paperLevelAt } from "../../../isolation/mixedLevels";
import type { Levels, SerializablePair } from "../../../isolation/mixedLevels";
import { MIXED_LEVELS, axiomLiteral } from "../../encoding/relational/relations";
import type { Mixture } from "../../encoding/relational/relations";
import { writtenLiteral } from "../../encoding/relational/writes";
import type { WrittenLiteral } from "../../encoding/relational/writes";
import type { Queries } from "./queries";

/** A built-in axiom, or the literal of a user-written one. */
export type AnyAxiom = Axiom | WrittenLiteral;

/** One level, or the mixed levels of the tuple's transactions. */
export interface SearchedLevel {
  readonly name: string;
  /** The levels at which the store judges witnesses. */
  readonly levels: Levels;
  readonly assumptions: readonly string[];
  /** Axioms that hold for every instance. */
  readonly inAll: readonly AnyAxiom[];
  /** Axioms that hold for some instance. */
  readonly inSome: readonly AnyAxiom[];
  /** True if the level allows only serial histories; never for units, whose transactions interleave with others at every level. */
  readonly isSerial: boolean;
}

/** The levels in the search of one tuple. */
export interface TupleLevels {
  /** The level at which anomalies are searched. */
  readonly base: SearchedLevel;
  /** Levels that may allow what the base allows, the base included, strongest first. */
  readonly searched: readonly SearchedLevel[];
  /** Levels that a finding is compared at, weak to strong. */
  readonly compared: readonly SearchedLevel[];
  /** The mixture for the encoding; absent for a single level. */
  readonly mixture?: Mixture;
  /** All user-written axioms of these levels; a literal's number is its index here. */
  readonly written: readonly WrittenAxiom[];
}

/**
 * The levels of instances of these transactions (ids); `defined` are user-defined levels for the comparison. Pairs that are kept
 * serializable are so at the compared levels too.
 */
export function tupleLevels(
  levels: Levels,
  transactions: readonly string[],
  defined: readonly PaperLevel[] = [],
  hasUnits = false,
): TupleLevels {
  if (levels.family === "product") throw new Error(`${levels.name} is no paper's level`);
  const pairs = levels.family === "mixed" ? levels.serializablePairs : [];
  const written = writtenIn([...distinctLevels(levels), ...defined]);
  const compared = [...PAPER_LEVELS, ...defined].map((level) =>
    oneLevel(level, written, pairs, transactions, hasUnits),
  );
  const base =
    levels.family === "paper"
      ? (compared.find((each) => each.name === levels.name) ??
        oneLevel(levels, written, [], transactions, hasUnits))
      : mixedLevel(levels, written, transactions, hasUnits);
  const strongestFirst = [...compared].reverse().filter((each) => !each.isSerial);
  const searched = strongestFirst.includes(base) ? strongestFirst : [...strongestFirst, base];
  const shown =
    compared.includes(base) || levels.family === "mixed" ? compared : [base, ...compared];
  if (levels.family === "paper") return { base, searched, compared: shown, written };
  const mixture: Mixture = {
    levels: transactions.map((id) => paperLevelAt(levels, id)),
    pairs: transactions.flatMap((a, i) =>
      transactions.flatMap((b, j): [number, number][] =>
        i < j && arePaired(levels, a, b) ? [[i, j]] : [],
      ),
    ),
  };
  return { base, searched, compared: shown, mixture, written };
}

/** For each level, whether it allows something; undefined if not known yet. */
export interface LevelVector {
  get(level: SearchedLevel): boolean | undefined;
  /** Asks the solver, unless earlier answers imply the result. */
  decide(level: SearchedLevel): boolean | undefined;
  /** Records that this level, hence every weaker one, allows it. */
  allow(level: SearchedLevel): void;
  /** Records that the solver refused it at this level; `core` holds the assumptions responsible. */
  refuse(core: ReadonlySet<string>, level: SearchedLevel): void;
}

/** The vector of what `context` (assumptions, read at each question) describes, over the searched levels. */
export function makeLevelVector(
  queries: Queries,
  context: () => readonly string[],
  searched: readonly SearchedLevel[],
): LevelVector {
  const known = new Map<string, boolean>();
  const literals = new Map(
    searched.flatMap((level) => level.inSome).map((axiom) => [axiom, literalOf(axiom)] as const),
  );
  const learn = (level: SearchedLevel, allowed: boolean): void => {
    if (!known.has(level.name)) known.set(level.name, allowed);
  };
  const vector: LevelVector = {
    get: (level) => (level.isSerial ? false : known.get(level.name)),
    allow: (level) => {
      learn(level, true);
      for (const other of searched) if (contains(level, other)) learn(other, true);
    },
    refuse: (core, level) => {
      learn(level, false);
      if (core.has(MIXED_LEVELS)) return;
      const blamed = [...literals].flatMap(([axiom, literal]) =>
        core.has(literal) ? [axiom] : [],
      );
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

/** True if every history of `strong` is a history of `weak`. */
export function contains(strong: SearchedLevel, weak: SearchedLevel): boolean {
  return weak === strong || weak.inSome.every((axiom) => strong.inAll.includes(axiom));
}

function literalOf(axiom: AnyAxiom): string {
  const builtIn = AXIOMS.find((each) => each === axiom);
  return builtIn === undefined ? axiom : axiomLiteral(builtIn);
}

/** The user-written axioms, each text once. */
function writtenIn(levels: readonly Level[]): readonly WrittenAxiom[] {
  const all = levels.flatMap((level) => (level.family === "paper" ? (level.own ?? []) : []));
  return [...new Map(all.map((axiom) => [axiom.text, axiom])).values()];
}

function axiomsOf(level: PaperLevel, written: readonly WrittenAxiom[]): readonly AnyAxiom[] {
  const own = (level.own ?? []).map(({ text }) => written.findIndex((each) => each.text === text));
  return [...level.axioms, ...own.map(writtenLiteral)];
}

function oneLevel(
  level: PaperLevel,
  written: readonly WrittenAxiom[],
  pairs: readonly SerializablePair[],
  transactions: readonly string[],
  hasUnits: boolean,
): SearchedLevel {
  const perTransaction = Object.fromEntries(transactions.map((id) => [id, level]));
  const axioms = axiomsOf(level, written);
  return {
    name: level.name,
    levels:
      pairs.length === 0 ? level : { family: "mixed", perTransaction, serializablePairs: pairs },
    assumptions: axioms.map(literalOf),
    inAll: axioms,
    inSome: axioms,
    isSerial: !hasUnits && axioms.includes("total"),
  };
}

function mixedLevel(
  levels: Levels,
  written: readonly WrittenAxiom[],
  transactions: readonly string[],
  hasUnits: boolean,
): SearchedLevel {
  const axioms = transactions.map((id) => axiomsOf(paperLevelAt(levels, id), written));
  const some = new Set(axioms.flat());
  const inAll = [...some].filter((axiom) => axioms.every((each) => each.includes(axiom)));
  return {
    name: MIXED_LEVELS,
    levels,
    assumptions: [MIXED_LEVELS],
    inAll,
    inSome: [...some],
    isSerial: !hasUnits && inAll.includes("total"),
  };
}
