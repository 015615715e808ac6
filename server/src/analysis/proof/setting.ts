// Setting of a proof: the program in open form, its levels, and what was proved of its snapshots before.
import { PAPER_LEVELS } from "../../isolation/levels";
import type { Axiom, Level, PaperLevel } from "../../isolation/levels";
import { distinctLevels, levelAt } from "../../isolation/mixedLevels";
import type { Levels } from "../../isolation/mixedLevels";
import type { Assumption, Assumptions } from "../encoding/assumptions";
import { writtenColumns } from "../encoding/relational/meeting";
import type { FlatProgram } from "../operations/operation";
import { openForm } from "./openForm";

/** Facts that every snapshot of every execution keeps, each justified by its own proof (`lemmas.ts`). */
export interface Lemmas {
  /** By the name of a lemma, or of an invariant that is kept: the names of what its own proof needs. */
  readonly rests: ReadonlyMap<string, ReadonlySet<string>>;
  /** Columns that no write makes smaller, or none makes larger; their rows are never deleted. */
  readonly monotone: readonly MonotoneColumn[];
  /** Tables whose rows are never deleted. */
  readonly kept: readonly string[];
  /** Tables and key columns whose values only their own insertions make. */
  readonly fresh: readonly { readonly table: string; readonly column: string }[];
  /** Tables whose rows always have the row that they refer to. */
  readonly parents: readonly Parent[];
  /** Texts of invariants that hold in every snapshot. */
  readonly invariants: readonly string[];
}

export interface MonotoneColumn {
  readonly table: string;
  readonly column: string;
  readonly direction: "grows" | "shrinks";
}

/** Rows of a table have a row of another, which some of their columns give the key of. */
export interface Parent {
  readonly child: string;
  readonly table: string;
  /** In the order of the other table's key. */
  readonly columns: readonly string[];
}

export const NO_LEMMAS: Lemmas = {
  rests: new Map(),
  monotone: [],
  kept: [],
  fresh: [],
  parents: [],
  invariants: [],
};

export interface Setting {
  /** In open form. */
  readonly flat: FlatProgram;
  readonly levels: Levels;
  /** Axioms that hold for every transaction. */
  readonly axioms: ReadonlySet<Axiom>;
  /**
   * A row that was locked by a read is not changed by others before its reader ends, and what changed since the
   * reader's snapshot is not locked.
   */
  readonly locks: boolean;
  /** Columns that someone writes: elsewhere all snapshots agree. */
  readonly written: ReadonlySet<string>;
  readonly lemmas: Lemmas;
  /** Names of assumptions and lemmas that are not to be used. */
  readonly without: ReadonlySet<string>;
  /** Who inserts a row that another deleted may not have seen that (`reusedKeys.ts`). */
  readonly reuse?: boolean;
}

/** The reason why the induction does not speak about these levels; else the setting without lemmas. */
export function settingOf(
  flat: FlatProgram,
  levels: Levels,
  without: ReadonlySet<string> = new Set(),
): { readonly setting: Setting } | { readonly reason: string } {
  const rows = flat.transactions.map(({ id }) => {
    const level = levelAt(levels, id);
    return { level, paper: asPaper(level) };
  });
  const outside = rows.find(({ paper }) => !paper?.axioms.includes("repeatable"));
  if (outside)
    return {
      reason: `at ${outside.level.name} the statements of a transaction see different states; the proofs need one snapshot for each transaction`,
    };
  const papers = rows.flatMap(({ paper }) => (paper ? [paper] : []));
  const axioms = new Set(
    (papers[0]?.axioms ?? []).filter((axiom) =>
      papers.every((each) => each.axioms.includes(axiom)),
    ),
  );
  const missing = (["atomicVisibility", "atomicArbitration"] as const).find(
    (axiom) => !axioms.has(axiom),
  );
  if (missing) return { reason: "at these levels transactions are not seen as a whole" };
  return {
    setting: {
      flat: openForm(flat),
      levels: paperLevels(flat, levels),
      axioms,
      locks: distinctLevels(levels).every((level) => level.family === "product"),
      written: writtenColumns(
        flat,
        flat.transactions.map((_, at) => at),
      ),
      lemmas: NO_LEMMAS,
      without,
    },
  };
}

/** The assumptions of a text that may be used. */
export function usable(
  { without }: Pick<Setting, "without">,
  assumptions: Assumptions,
): readonly Assumption[] {
  return assumptions.all().filter(({ name }) => !without.has(name));
}

/** True if versions of a row are seen one by the next writer, and what is seen brings what it saw. */
export function hasLemmas({ axioms }: Setting): boolean {
  return axioms.has("noConflict") && axioms.has("causal");
}

/** The papers' level whose executions contain those of the level, if there is one that proofs can use. */
export function asPaper(level: Level): PaperLevel | undefined {
  if (level.family === "paper") return level;
  const snapshots =
    level.plainRead === "snapshot" &&
    (level.snapshot === "first-statement" || level.snapshot === "begin") &&
    level.candidates === "snapshot" &&
    level.conflict === "first-updater-wins";
  return snapshots ? PAPER_LEVELS.find(({ name }) => name === "snapshot-isolation") : undefined;
}

function paperLevels(flat: FlatProgram, levels: Levels): Levels {
  if (levels.family === "mixed") {
    const perTransaction = Object.fromEntries(
      flat.transactions.map(({ id }) => {
        const own = levelAt(levels, id);
        return [id, asPaper(own) ?? own] as const;
      }),
    );
    return { ...levels, perTransaction };
  }
  return asPaper(levels) ?? levels;
}
