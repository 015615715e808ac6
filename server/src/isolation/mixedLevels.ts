// Mixed levels: one per transaction, and pairs of transactions that are kept serializable.
import { ownEntry, setEntry } from "../protocol/dictionary";
import { findLevel } from "./levels";
import type { Level, PaperLevel, ProductLevel } from "./levels";

/** Levels of one family (and product) for the transactions of a program. */
export interface MixedLevels {
  readonly family: "mixed";
  /** By transaction id; complete for the program. */
  readonly perTransaction: Readonly<Record<string, Level>>;
  /** The levels declared by transactions of units, by the unit's id and the declared name. */
  readonly inside?: Readonly<Record<string, Readonly<Record<string, Level>>>>;
  /**
   * Selective serializability (ANODE, section 2): of two instances of such a pair, one sees all of the other and comes
   * after it. A transaction may be paired with itself. Papers' levels only.
   */
  readonly serializablePairs: readonly SerializablePair[];
}

/** Ids of two transactions. */
export type SerializablePair = readonly [string, string];

/** One level for all transactions, or a mixture. */
export type Levels = Level | MixedLevels;

/** A level by its full name; a user-defined one by value, since its name means nothing elsewhere. */
type LevelReference = string | PaperLevel;

/** References instead of levels, for messages between threads and for keys. */
export type LevelNames =
  | LevelReference
  | {
      readonly perTransaction: Readonly<Record<string, LevelReference>>;
      readonly inside?: Readonly<Record<string, Readonly<Record<string, LevelReference>>>>;
      readonly serializablePairs: readonly SerializablePair[];
    };

/**
 * The level of a transaction, by its id; with `declared`, of the unit's transactions that declare that name. Throws for an unknown
 * transaction: an internal defect.
 */
export function levelAt(levels: Levels, transaction: string, declared?: string): Level {
  if (levels.family !== "mixed") return levels;
  const own =
    declared === undefined ? undefined : ownEntry(ownEntry(levels.inside, transaction), declared);
  const level = own ?? ownEntry(levels.perTransaction, transaction);
  if (level === undefined) throw new Error(`no level is known for ${transaction}`);
  return level;
}

/** As `levelAt`, for papers' levels only. */
export function paperLevelAt(levels: Levels, transaction: string): PaperLevel {
  const level = levelAt(levels, transaction);
  if (level.family !== "paper") throw new Error(`${level.name} is no paper's level`);
  return level;
}

/** As `levelAt`, for products' levels only. */
export function productLevelAt(
  levels: Levels,
  transaction: string,
  declared?: string,
): ProductLevel {
  const level = levelAt(levels, transaction, declared);
  if (level.family !== "product") throw new Error(`${level.name} is no product's level`);
  return level;
}

/** True if instances of the two transactions are kept serializable with each other. */
export function arePaired(levels: Levels, a: string, b: string): boolean {
  if (levels.family !== "mixed") return false;
  return levels.serializablePairs.some(
    ([one, other]) => (one === a && other === b) || (one === b && other === a),
  );
}

/**
 * The levels restricted to some transactions: a single level if all of them run at it and no pair among them is kept serializable.
 * Independent of the order of the ids, so that equal questions have equal texts.
 */
export function restrictLevels(levels: Levels, transactions: readonly string[]): Levels {
  if (levels.family !== "mixed") return levels;
  const ids = [...new Set(transactions)].sort();
  const pairs = levels.serializablePairs
    .filter(([a, b]) => ids.includes(a) && ids.includes(b))
    .map(([a, b]): SerializablePair => (a < b ? [a, b] : [b, a]))
    .sort((a, b) => (a.join("\n") < b.join("\n") ? -1 : 1));
  const own = ids.flatMap((id) => {
    const known = ownEntry(levels.inside, id);
    return known === undefined ? [] : [[id, known] as const];
  });
  const [first, ...rest] = [
    ...ids.map((id) => levelAt(levels, id)),
    ...own.flatMap(([, known]) => Object.values(known)),
  ];
  if (first !== undefined && pairs.length === 0 && rest.every((each) => each === first))
    return first;
  const perTransaction = Object.fromEntries(ids.map((id) => [id, levelAt(levels, id)]));
  const inside = own.length > 0 && { inside: Object.fromEntries(own) };
  return { family: "mixed", perTransaction, ...inside, serializablePairs: pairs };
}

/** The distinct levels that occur. */
export function distinctLevels(levels: Levels): readonly Level[] {
  if (levels.family !== "mixed") return [levels];
  const inside = Object.values(levels.inside ?? {}).flatMap((own) => Object.values(own));
  return [...new Set([...Object.values(levels.perTransaction), ...inside])];
}

/** Levels by references to them. */
export function namesOfLevels(levels: Levels): LevelNames {
  if (levels.family !== "mixed") return referenceTo(levels);
  const { inside } = levels;
  return {
    perTransaction: mapped(levels.perTransaction, referenceTo),
    ...(inside && { inside: mapped(inside, (own) => mapped(own, referenceTo)) }),
    serializablePairs: levels.serializablePairs,
  };
}

function mapped<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function referenceTo(level: Level): LevelReference {
  return level.family === "paper" && level.own !== undefined ? level : level.name;
}

function referred(reference: LevelReference): Level | undefined {
  return typeof reference === "string" ? findLevel(reference) : reference;
}

/** The levels of these references; undefined if one does not exist. */
export function findLevels(names: LevelNames): Levels | undefined {
  if (typeof names === "string" || "family" in names) return referred(names);
  const perTransaction = allReferred(names.perTransaction);
  if (perTransaction === undefined) return undefined;
  const inside: Record<string, Readonly<Record<string, Level>>> = {};
  for (const [id, references] of Object.entries(names.inside ?? {})) {
    const own = allReferred(references);
    if (own === undefined) return undefined;
    setEntry(inside, id, own);
  }
  return {
    family: "mixed",
    perTransaction,
    ...(names.inside && { inside }),
    serializablePairs: names.serializablePairs,
  };
}

function allReferred(
  references: Readonly<Record<string, LevelReference>>,
): Readonly<Record<string, Level>> | undefined {
  const levels: Record<string, Level> = {};
  for (const [id, reference] of Object.entries(references)) {
    const level = referred(reference);
    if (level === undefined) return undefined;
    setEntry(levels, id, level);
  }
  return levels;
}

/** Cache key of levels: equal for equal levels, including users' axioms. */
export function keyOfLevels(levels: Levels): string {
  const names = namesOfLevels(levels);
  return typeof names === "string" ? names : JSON.stringify(names);
}

/** The levels in a sentence: one level's label, else "the mixture of a at X and b at Y", with serializable pairs in parentheses. */
export function labelOfLevels(levels: Levels): string {
  if (levels.family !== "mixed") return levels.label;
  const byLabel = new Map<string, string[]>();
  const add = (label: string, who: string): void => {
    const known = byLabel.get(label) ?? [];
    if (!known.includes(who)) byLabel.set(label, [...known, who]);
  };
  for (const [id, { label }] of Object.entries(levels.perTransaction)) add(label, id);
  for (const [id, own] of Object.entries(levels.inside ?? {}))
    for (const { label } of Object.values(own)) add(label, `a transaction of ${id}`);
  const parts = [...byLabel].map(([label, ids]) => `${ids.join(", ")} at ${label}`);
  const [only] = byLabel.keys();
  const runs =
    byLabel.size === 1 && only !== undefined ? only : `the mixture of ${parts.join(" and ")}`;
  const pairs = levels.serializablePairs.map(([a, b]) => `${a} with ${b}`);
  return pairs.length === 0 ? runs : `${runs} (${pairs.join(", ")} kept serializable)`;
}
