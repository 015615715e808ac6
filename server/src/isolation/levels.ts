// Isolation levels as data: the papers' levels as sets of axioms, the products' levels as lock and snapshot rules.
import { atBegin } from "../program/declaredLevel";
import type { Dialect } from "../program/dialect";
import type { WrittenAxiom } from "./formula";
import { MODELLED_LEVELS, spelledOutLevels } from "./productLevels";
import type { Product, ProductLevel, ProductLevelName } from "./productLevels";

export { MODELLED_LEVELS };
export type { Product, ProductLevel, ProductLevelName };

/**
 * Axioms over statements, with visibility `vis` and arbitration `ar` (a total order that contains `vis`).
 * Every paper's level has the base: program order is visible, `vis` is contained in `ar`.
 *
 * - `atomicVisibility`: who sees one write of a transaction sees all of them, and comes after its reads (CLOTHO's
 *   Psi_RC, which speaks of all statements of a transaction).
 * - `atomicArbitration`: the statements of two transactions are not interleaved in arbitration (AR-ATOMIC).
 * - `monotonic`: what a statement sees, the transaction's later statements see.
 * - `repeatable`: all statements of a transaction see the same.
 * - `causal`: visibility is transitive and contains session order.
 * - `prefix`: who sees a transaction sees all that were arbitrated before it.
 * - `uniqueKeys`: of two transactions that insert a row with the same primary key, or give two rows the same values in
 *   a unique key, the later sees the earlier: SQL databases keep their keys at every level, only replicas that meet
 *   later do not.
 * - `noConflict`: of two transactions that write the same row, the later sees the earlier.
 * - `total`: arbitration is visibility.
 */
export type Axiom =
  | "atomicVisibility"
  | "atomicArbitration"
  | "monotonic"
  | "repeatable"
  | "causal"
  | "prefix"
  | "uniqueKeys"
  | "noConflict"
  | "total";

export const AXIOMS: readonly Axiom[] = [
  "atomicVisibility",
  "atomicArbitration",
  "monotonic",
  "repeatable",
  "causal",
  "prefix",
  "uniqueKeys",
  "noConflict",
  "total",
];

/** A level defined by axioms: one of the papers', or a user's extension of one. */
export interface PaperLevel {
  readonly family: "paper";
  /** A `PaperLevelName`, or the user's own name. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly label: string;
  /** Its guarantee, in one sentence for the level picker. */
  readonly summary: string;
  readonly axioms: readonly Axiom[];
  /** The user-written axioms of a user's level; absent at the papers' own. */
  readonly own?: readonly WrittenAxiom[];
}

export type Level = PaperLevel | ProductLevel;

export type PaperLevelName =
  | "eventual"
  | "read-committed"
  | "read-atomic"
  | "causal"
  | "prefix"
  | "parallel-snapshot-isolation"
  | "snapshot-isolation"
  | "serializable"
  | "clotho:read-committed"
  | "clotho:repeatable-read"
  | "clotho:causal"
  | "anode:psi";

// Each of the papers' levels extends a weaker one.
const MONOTONIC: readonly Axiom[] = [
  "atomicVisibility",
  "atomicArbitration",
  "monotonic",
  "uniqueKeys",
];
const READ_ATOMIC: readonly Axiom[] = [...MONOTONIC, "repeatable"];
const CAUSAL: readonly Axiom[] = [...READ_ATOMIC, "causal"];
const PREFIX: readonly Axiom[] = [...CAUSAL, "prefix"];
const SNAPSHOT: readonly Axiom[] = [...PREFIX, "noConflict"];

/** Weak to strong where the order is total; `causal`, `prefix` and PSI are not all comparable. */
export const PAPER_LEVELS: readonly PaperLevel[] = [
  {
    family: "paper",
    name: "eventual",
    aliases: ["ec", "eventual-consistency"],
    label: "eventual consistency",
    summary: "Writes arrive anywhere, in any order that everyone agrees on in the end.",
    axioms: [],
  },
  {
    family: "paper",
    name: "read-committed",
    aliases: ["rc"],
    label: "read committed (monotonic atomic view)",
    summary: "A transaction's writes become visible together; later statements may see more.",
    axioms: MONOTONIC,
  },
  {
    family: "paper",
    name: "read-atomic",
    aliases: ["ra"],
    label: "read atomic",
    summary: "All statements of a transaction see the same set of whole transactions.",
    axioms: READ_ATOMIC,
  },
  {
    family: "paper",
    name: "causal",
    aliases: ["cc", "tcc", "causal-consistency"],
    label: "causal consistency",
    summary: "Who sees a transaction sees everything that it saw.",
    axioms: CAUSAL,
  },
  {
    family: "paper",
    name: "prefix",
    aliases: ["pc", "prefix-consistency"],
    label: "prefix consistency",
    summary:
      "Everyone sees a prefix of one order of commits; concurrent writes may overwrite each other.",
    axioms: PREFIX,
  },
  {
    family: "paper",
    name: "parallel-snapshot-isolation",
    aliases: ["psi"],
    label: "parallel snapshot isolation",
    summary: "Causal snapshots, and no two concurrent transactions write the same row.",
    axioms: [...CAUSAL, "noConflict"],
  },
  {
    family: "paper",
    name: "snapshot-isolation",
    aliases: ["si"],
    label: "snapshot isolation",
    summary: "Everyone reads one snapshot, and no two concurrent transactions write the same row.",
    axioms: SNAPSHOT,
  },
  {
    family: "paper",
    name: "serializable",
    aliases: ["ser"],
    label: "serializability",
    summary: "As if one transaction ran after the other.",
    axioms: [...SNAPSHOT, "total"],
  },
];

/**
 * Levels exactly as two papers print them, to compare with their results: CLOTHO's Table 1, whose arbitration may interleave transactions,
 * and ANODE's PSI, which does not require causal visibility. They take no part in comparisons of levels.
 */
export const PRINTED_LEVELS: readonly PaperLevel[] = [
  {
    family: "paper",
    name: "clotho:read-committed",
    aliases: ["clotho:rc"],
    label: "CLOTHO's read committed",
    summary: "As printed in CLOTHO: a transaction's writes become visible together, in any order.",
    axioms: ["atomicVisibility"],
  },
  {
    family: "paper",
    name: "clotho:repeatable-read",
    aliases: ["clotho:rr"],
    label: "CLOTHO's repeatable read",
    summary: "As printed in CLOTHO: all statements of a transaction see the same writes.",
    axioms: ["repeatable"],
  },
  {
    family: "paper",
    name: "clotho:causal",
    aliases: ["clotho:cc"],
    label: "CLOTHO's causal consistency",
    summary: "As printed in CLOTHO: visibility of single statements is transitive.",
    axioms: ["causal"],
  },
  {
    family: "paper",
    name: "anode:psi",
    aliases: ["anode:parallel-snapshot-isolation"],
    label: "ANODE's parallel snapshot isolation",
    summary:
      "As printed in ANODE: of two writers of a row one sees the other; nothing about causes.",
    axioms: [...READ_ATOMIC, "noConflict"],
  },
];

/** The products' levels for checks. */
export const PRODUCT_LEVELS: readonly ProductLevel[] = MODELLED_LEVELS;

export const LEVELS: readonly Level[] = [...PRODUCT_LEVELS, ...PAPER_LEVELS, ...PRINTED_LEVELS];

const SPELLED_OUT = spelledOutLevels();

export const DEFAULT_LEVEL: ProductLevelName = "postgres:read-committed";

/**
 * The level of that name or alias (case-insensitive), or undefined; `defined` are user-defined levels. SQL's READ COMMITTED without a
 * product is not a name here: the papers' level of that name is another one.
 */
export function findLevel(name: string, defined: readonly PaperLevel[] = []): Level | undefined {
  const wanted = name.trim().toLowerCase().replaceAll("_", "-").replaceAll(" ", "-");
  const level = [...LEVELS, ...SPELLED_OUT, ...defined].find(
    (each) => each.name === wanted || each.aliases.includes(wanted),
  );
  return level?.name === "read-committed" && /\s/.test(name.trim()) ? undefined : level;
}

/** The level with the snapshot taken at BEGIN; itself if there is no difference. */
export function snapshotAtBegin(level: Level): Level {
  return findLevel(atBegin(level.name)) ?? level;
}

/** The product's weakest level at which all reads share a snapshot; the level itself if they do, or at the papers' levels. */
export function withOneSnapshot(level: Level): Level {
  if (level.family !== "product" || level.snapshot !== "statement") return level;
  const one = MODELLED_LEVELS.find(
    ({ product, plainRead, snapshot }) =>
      product === level.product && plainRead === "snapshot" && snapshot === "first-statement",
  );
  return one ?? level;
}

/**
 * The default level of a dialect. If the database's own default is not modelled, one of the papers' levels replaces it, which the caller
 * must report.
 */
export function defaultLevel(dialect: Dialect): Level {
  const [own, substitute] = DEFAULTS[dialect];
  const level = findLevel(own) ?? findLevel(substitute);
  if (!level) throw new Error(`the default level ${substitute} is not in the table of levels`);
  return level;
}

const DEFAULTS: Readonly<Record<Dialect, readonly [string, PaperLevelName | ProductLevelName]>> = {
  postgres: [DEFAULT_LEVEL, DEFAULT_LEVEL],
  mysql: ["mysql:repeatable-read", "read-committed"],
  mariadb: ["mariadb:repeatable-read", "read-committed"],
  sqlserver: ["sqlserver:read-committed", "read-committed"],
  sqlite: ["sqlite:serializable", "serializable"],
};

/** True if a database of that dialect has the level; the papers' levels fit any. */
export function isLevelOf(level: Level, dialect: Dialect): boolean {
  if (level.family === "paper" || level.product === dialect) return true;
  const products: readonly string[] = ["mysql", "mariadb"];
  return products.includes(level.product) && products.includes(dialect);
}

/** The levels in `preventedBy` and `allowedAt` of a finding at this level. */
export function comparableLevels(level: Level): readonly Level[] {
  if (level.family === "paper") return PAPER_LEVELS;
  const others = PRODUCT_LEVELS.filter((other) => other.product === level.product);
  // A version-specific name represents the name with the same rules.
  return others.map((other) =>
    level.name.startsWith(`${other.name}(`) && isSpelledOut(level) ? level : other,
  );
}

function isSpelledOut(level: Level): boolean {
  return SPELLED_OUT.some(({ name }) => name === level.name);
}

/** True if a comment or SET TRANSACTION that names `own` can apply in a check at `asked`. */
export function sameProduct(own: Level, asked: Level): boolean {
  if (own.family === "paper" || asked.family === "paper") return own.family === asked.family;
  return own.product === asked.product;
}
