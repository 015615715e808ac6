// What functions were found to do, kept from one reading of a workspace to the next for as long as nothing has changed
// that they were seen to use. Where they only moved, so does what is known of them.
import type { Taint } from "../../program/precision";
import type { Note, Transaction } from "../../program/program";
import type { FileId, SourceRange } from "../../protocol/source";
import type { HirFunction } from "./hir";
import { createMover, type Mover, type Snapshot } from "./movedResults";
import { originOf } from "./origins";
import type { Site } from "./sites";
import type { Dependency, Facts } from "./trace";

/** A function that was evaluated by itself. */
export interface ReadFunction {
  /** Unique in the workspace. */
  readonly key: string;
  /** The key by which callers know it, where it is another. */
  readonly calledAs?: string;
  readonly statements: number;
  /** The functions that it was found to call, by key. */
  readonly inlined: ReadonlySet<string>;
  /** The calls of databases that it came to. */
  readonly reached: ReadonlySet<Site>;
  /** Functions that were not followed, by key, with what is lost if they run statements. */
  readonly unfollowed: readonly { readonly key: string; readonly loss: Taint }[];
  /** Where its transactions and statements stand. */
  readonly places: readonly SourceRange[];
  /** The places of each of its transactions, with those of what is inside. */
  readonly atomics: readonly (readonly SourceRange[])[];
  readonly notes: readonly Note[];
  /** Absent where it does nothing with a database. */
  readonly transaction?: Transaction;
}

/** A function that was not looked at, or not to its end. */
export interface PassedFunction {
  readonly key: string;
  readonly name: string;
  /** Its header. */
  readonly source: SourceRange;
}

/** What a root did, with the functions that run by themselves because of it. */
export interface RootReading {
  readonly evaluated: readonly ReadFunction[];
  readonly passed: readonly PassedFunction[];
  /** The keys of all functions that it was the first to lead to. */
  readonly own: ReadonlySet<string>;
  /** The keys of functions that it leads to as well and that others led to before, so that they are theirs. */
  readonly elsewhere: ReadonlySet<string>;
  /** Steps that this took, and whether they were all there were. */
  readonly steps: number;
  readonly isCut: boolean;
}

/** A root as it is asked for. */
export interface AskedRoot {
  /** The file that has it. */
  readonly file: FileId;
  readonly name: string;
  readonly function: HirFunction;
  /** Steps that it may take. */
  readonly steps: number;
}

/** One reading of a workspace. */
export interface Present {
  readonly snapshot: Snapshot;
  readonly facts: Facts;
  /** What else readings depend on: each part is compared by identity. */
  readonly environment: readonly unknown[];
}

export interface CodeMemory {
  /** What is known of a root, if it would be found again. */
  recall(root: AskedRoot, present: Present): RootReading | undefined;
  keep(
    root: AskedRoot,
    present: Present,
    dependencies: readonly Dependency[],
    reading: RootReading,
  ): void;
}

interface Kept {
  readonly root: Omit<AskedRoot, "function">;
  readonly environment: readonly unknown[];
  readonly facts: readonly { readonly on: Dependency; readonly was: unknown }[];
  readonly files: ReadonlySet<FileId>;
  /** Where the places of the reading are right. */
  snapshot: Snapshot;
  reading: RootReading;
}

/** A reading goes over each root once or twice: before and after tables are inferred. */
const MOST_PER_ROOT = 2;

/** A function is a root of each class that inherits it. */
const MOST_PER_FUNCTION = 60;

/** A memory that holds the last readings of each root. */
export function createCodeMemory(): CodeMemory {
  const known = new WeakMap<HirFunction, readonly Kept[]>();
  const moverOf = createMovers();
  return {
    recall: (root, { snapshot, facts, environment }) => {
      const found = (known.get(originOf(root.function)) ?? []).find(
        (each) =>
          isFor(each, root) &&
          same(each.environment, environment) &&
          each.facts.every(({ on, was }) => facts(on) === was),
      );
      if (!found) return undefined;
      const mover = moverOf(found.snapshot, snapshot);
      if (mover?.movedAmong(found.files)) {
        const reading = mover.move(found.reading);
        if (!reading) return undefined;
        found.reading = reading;
      }
      found.snapshot = snapshot;
      return found.reading;
    },
    keep: (root, { snapshot, facts, environment }, dependencies, reading) => {
      const { function: hir, ...asked } = root;
      const origin = originOf(hir);
      const own: Kept = {
        root: asked,
        environment,
        facts: dependencies.map((on) => ({ on, was: facts(on) })),
        files: new Set([root.file, ...dependencies.flatMap((on) => fileOf(on))]),
        snapshot,
        reading,
      };
      // What is of this root with other tables may be asked for again: that of before, or after, tables were inferred.
      const others = (known.get(origin) ?? []).filter(
        (each) =>
          !isFor(each, root) ||
          !same(each.environment, environment) ||
          differsByTables(each, facts),
      );
      const isSame = ({ root: each }: Kept): boolean =>
        each.file === own.root.file && each.name === own.root.name;
      const kept = [own, ...others.filter(isSame)].slice(0, MOST_PER_ROOT);
      const elsewhere = others.filter((each) => !isSame(each));
      known.set(origin, [...kept, ...elsewhere].slice(0, MOST_PER_FUNCTION));
    },
  };
}

/** Whether it would be found again, had the tables stayed the same. */
function differsByTables({ facts: own }: Kept, now: Facts): boolean {
  const changed = own.filter(({ on, was }) => now(on) !== was);
  return changed.length > 0 && changed.every(({ on }) => on.kind === "table");
}

function isFor({ root, reading }: Kept, asked: AskedRoot): boolean {
  if (root.file !== asked.file || root.name !== asked.name) return false;
  // What had enough of fewer steps is the same with more.
  return root.steps === asked.steps || (!reading.isCut && reading.steps <= asked.steps);
}

function fileOf(on: Dependency): readonly FileId[] {
  return "file" in on ? [on.file] : [];
}

function same(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}

/** Movers between the snapshots of readings; none where they are the same. */
function createMovers(): (before: Snapshot, now: Snapshot) => Mover | undefined {
  const known = new WeakMap<Snapshot, { readonly now: Snapshot; readonly mover: Mover }>();
  return (before, now) => {
    if (before === now) return undefined;
    const last = known.get(before);
    if (last?.now === now) return last.mover;
    const mover = createMover(before, now);
    known.set(before, { now, mover });
    return mover;
  };
}
