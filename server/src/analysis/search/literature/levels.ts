// Which levels of axioms allow something: asked from the strongest on, with what one answer says about other levels.
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

/** A built-in axiom, or the literal of one that a user wrote. */
export type AnyAxiom = Axiom | WrittenLiteral;

/** One level, or the mixture that the tuple's transactions run at. */
export interface SearchedLevel {
  readonly name: string;
  /** Levels at which the store judges witnesses. */
  readonly levels: Levels;
  readonly assumptions: readonly string[];
  /** Axioms that hold for every instance. */
  readonly inAll: readonly AnyAxiom[];
  /** Axioms that hold for some instance. */
  readonly inSome: readonly AnyAxiom[];
  /** Nothing but serial histories: never of units, whose transactions others come between at every level. */
  readonly isSerial: boolean;
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
  /** All axioms of these levels that users wrote; a literal's number is the place here. */
  readonly written: readonly WrittenAxiom[];
}

/**
 * The levels of instances of these transactions (ids); `defined` are users' levels to compare with. Pairs that are kept
 * serializable are so at compared levels too.
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

/** True if each level allows something; undefined while nobody knows. */
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

/** True if every history of `strong` is one of `weak`. */
export function contains(strong: SearchedLevel, weak: SearchedLevel): boolean {
  return weak === strong || weak.inSome.every((axiom) => strong.inAll.includes(axiom));
}

function literalOf(axiom: AnyAxiom): string {
  const builtIn = AXIOMS.find((each) => each === axiom);
  return builtIn === undefined ? axiom : axiomLiteral(builtIn);
}

/** Axioms that users wrote, each text once. */
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
