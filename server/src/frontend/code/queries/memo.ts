// Memo of function summaries, kept from one reading of a workspace to the next as long as none of their dependencies has changed. If code
// only moved, the positions in its summaries are moved along.
import type { FileId } from "../../../protocol/source";
import { createInterner, sameElements } from "../../../query/interner";
import type { Cell, Uses } from "../../../query/database";
import type { HirFunction, HirModule } from "../hir";
import { createReaches, type MakeReach } from "../callGraph/reachability";
import {
  isOfTables,
  lastingFacts,
  lastingReading,
  lastsStill,
  presentFacts,
  presentReading,
  type LastingFile,
  type LastingReadings,
  type LastingRound,
} from "./persistence";
import { createMover, type Mover, type Snapshot } from "./relocation";
import { originOf } from "./origins";
import { createFacts, filesOf, type Dependency, type FactBase } from "./dependencies";
import type { RootReading, AskedRoot, Present, Surroundings } from "./rootReading";

/** A root of a file: its result, or its key if an earlier root had led to it. */
export type Round = { readonly reading: RootReading } | { readonly before: string };

export interface CodeMemory {
  /** The facts on which readings depend. */
  readonly base: FactBase;
  /** Computes which functions of modules may reach a database. */
  readonly reachOf: MakeReach;
  /** The result of a root, if it is still valid. */
  recall(root: AskedRoot, present: Present): RootReading | undefined;
  keep(
    root: AskedRoot,
    present: Present,
    dependencies: readonly Dependency[],
    reading: RootReading,
  ): void;
  /** The results of the roots of a file in which nothing has moved, in order, if they are still valid. */
  recallFile(file: FileId, present: Present): readonly Round[] | undefined;
  /** `dependencies` are those of finding the roots; those of kept or recalled roots are added. */
  keepFile(
    file: FileId,
    present: Present,
    dependencies: readonly Dependency[],
    rounds: readonly Round[],
  ): void;
  /** Marks the beginning of a reading. */
  begin(): void;
  /** The persistent form of each file that was read since then: linear in what was read anew, one file at a time. */
  lasting(): Generator<
    { readonly file: FileId; readonly readings: readonly LastingFile[] },
    void,
    void
  >;
}

/** The kept results of a file. */
interface KeptFile extends Held {
  readonly environment: readonly unknown[];
  readonly rounds: readonly (Kept | { readonly before: string })[];
  /** The persistent form, as it was when it was kept or found. */
  lasting?: LastingFile;
}

/** The facts that a result rests on. */
interface Held {
  readonly uses: Uses;
  /** The last revision in which they were known to hold. */
  verifiedAt: number;
}

/** The latest readings of a file: before and after tables were inferred. */
const MOST_PER_FILE = 2;

interface Kept extends Held {
  readonly root: Omit<AskedRoot, "function">;
  readonly function: HirFunction;
  readonly environment: readonly unknown[];
  readonly files: ReadonlySet<FileId>;
  /** The snapshot that the positions of the reading refer to. */
  snapshot: Snapshot;
  reading: RootReading;
}

/** A reading evaluates each root once or twice: before and after tables are inferred. */
const MOST_PER_ROOT = 2;

/** A function is a root of each class that inherits it. */
const MOST_PER_FUNCTION = 60;

/** A memo that keeps the latest readings of each root, and looks up those of files among persisted readings. */
export function createCodeMemory(kept?: LastingReadings): CodeMemory {
  let used = new Map<FileId, { readonly read: KeptFile; readonly present: Present }[]>();
  const known = new WeakMap<HirFunction, readonly Kept[]>();
  const byReading = new WeakMap<RootReading, Kept>();
  const byModule = new WeakMap<HirModule, readonly KeptFile[]>();
  const moverOf = createMovers();
  const environmentOf = createInterner<readonly unknown[]>(sameElements);
  const base = createFacts();
  const { database } = base;
  /** Facts with the values that they have now. */
  const held = (cells: readonly Cell[]): Held => ({
    uses: database.usesOf(cells),
    verifiedAt: database.revision(),
  });
  const stillHolds = (kept: Held): boolean => {
    if (!database.holds(kept.uses, kept.verifiedAt)) return false;
    kept.verifiedAt = database.revision();
    return true;
  };
  /** The reading with its present positions; undefined if one of them no longer exists. */
  const readingNow = (kept: Kept, snapshot: Snapshot): RootReading | undefined => {
    const mover = moverOf(kept.snapshot, snapshot);
    if (mover?.movedAmong(kept.files)) {
      const reading = mover.move(kept.reading);
      if (!reading) return undefined;
      kept.reading = reading;
      byReading.set(reading, kept);
    }
    kept.snapshot = snapshot;
    return kept.reading;
  };
  /** True if facts have changed and all of these are about tables. */
  const differsByTables = ({ uses: { cells, values } }: Kept): boolean => {
    const changed = cells.filter((each, at) => !Object.is(database.valueOf(each), values[at]));
    return changed.length > 0 && changed.every(isOfTables);
  };
  const remember = (root: HirFunction, own: Kept): void => {
    const origin = originOf(root);
    // The root's result with other tables may be needed again: the one from before or after tables were inferred.
    const others = (known.get(origin) ?? []).filter(
      (each) =>
        !isFor(each, own.root) || each.environment !== own.environment || differsByTables(each),
    );
    const isSame = ({ root: each }: Kept): boolean =>
      each.file === own.root.file && each.name === own.root.name;
    const latest = [own, ...others.filter(isSame)].slice(0, MOST_PER_ROOT);
    const elsewhere = others.filter((each) => !isSame(each));
    known.set(origin, [...latest, ...elsewhere].slice(0, MOST_PER_FUNCTION));
    byReading.set(own.reading, own);
  };
  const rememberFile = (
    file: FileId,
    module: HirModule,
    read: KeptFile,
    present: Present,
  ): void => {
    const others = (byModule.get(module) ?? []).filter((each) => each !== read);
    byModule.set(module, [read, ...others].slice(0, MOST_PER_FILE));
    used.set(file, [{ read, present }, ...(used.get(file) ?? [])]);
  };
  /** The persisted reading of a file, if it is still valid. */
  const revived = (file: FileId, present: Present): KeptFile | undefined => {
    const { lasting: around, snapshot, environment } = present;
    if (!around) return undefined;
    const surroundings = { ...around, present };
    for (const lasting of kept?.find(file) ?? []) {
      const uses = presentFacts(lasting, surroundings, base);
      if (!uses) continue;
      const revive = (round: LastingRound): Kept | { readonly before: string } | undefined => {
        if ("before" in round) {
          const before = around.numbers.presentKey(round.before);
          return before === undefined ? undefined : { before };
        }
        const { root } = round;
        const reading = presentReading(round.reading, around.numbers);
        const hir = around.numbers.functionAt(round.function);
        if (!reading || !hir) return undefined;
        const own = held([...round.facts].flatMap((at) => uses.cells[at] ?? []));
        const files = new Set([root.file, ...own.uses.cells.flatMap(filesOf)]);
        const of = { root, function: hir, environment: environmentOf(environment), files };
        const one: Kept = { ...of, ...own, snapshot, reading };
        remember(hir, one);
        return one;
      };
      const rounds = lasting.rounds().map(revive);
      if (!rounds.every((each) => each !== undefined)) continue;
      const own = { uses, verifiedAt: database.revision() };
      return { ...own, environment: environmentOf(environment), rounds, lasting };
    }
    return undefined;
  };
  return {
    base,
    reachOf: createReaches(),
    begin: () => {
      used = new Map();
    },
    lasting: () => lastingOf(used),
    recall: (root, { snapshot, environment }) => {
      const found = (known.get(originOf(root.function)) ?? []).find(
        (each) =>
          isFor(each, root) && each.environment === environmentOf(environment) && stillHolds(each),
      );
      return found && readingNow(found, snapshot);
    },
    keep: (root, { snapshot, environment }, dependencies, reading) => {
      const { function: hir, ...asked } = root;
      const own: Kept = {
        root: asked,
        function: hir,
        environment: environmentOf(environment),
        ...held(dependencies),
        files: new Set([root.file, ...dependencies.flatMap(filesOf)]),
        snapshot,
        reading,
      };
      remember(hir, own);
    },
    recallFile: (file, present) => {
      const { snapshot, environment } = present;
      const module = snapshot.moduleOf(file);
      if (!module) return undefined;
      const found =
        (byModule.get(module) ?? []).find(
          (each) => each.environment === environmentOf(environment) && stillHolds(each),
        ) ?? revived(file, present);
      const rounds = found?.rounds.map((each): Round | undefined => {
        if ("before" in each) return each;
        const reading = readingNow(each, snapshot);
        return reading && { reading };
      });
      if (!found || !rounds?.every((each) => each !== undefined)) return undefined;
      rememberFile(file, module, found, present);
      return rounds;
    },
    keepFile: (file, present, dependencies, given) => {
      const module = present.snapshot.moduleOf(file);
      const rounds = given.map((each) => ("before" in each ? each : byReading.get(each.reading)));
      if (!module || !rounds.every((each) => each !== undefined)) return;
      const all = rounds.flatMap((each) => ("before" in each ? [] : each.uses.cells));
      const own = held([...new Set([...dependencies, ...all])]);
      const environment = environmentOf(present.environment);
      rememberFile(file, module, { ...own, environment, rounds }, present);
    },
  };
}

/** The reading of each file, and when it was made. */
type UsedFiles = ReadonlyMap<
  FileId,
  readonly { readonly read: KeptFile; readonly present: Present }[]
>;

function* lastingOf(used: UsedFiles): ReturnType<CodeMemory["lasting"]> {
  for (const [file, all] of used) {
    const readings = all.flatMap(({ read, present }) => {
      const { lasting: around } = present;
      if (!around) return [];
      const surroundings = { ...around, present };
      if (!read.lasting || !lastsStill(read.lasting.basis, surroundings)) {
        const made = lastingFile(file, read, surroundings);
        if (made) read.lasting = made;
        else delete read.lasting;
      }
      return read.lasting ?? [];
    });
    yield { file, readings: [...new Set(readings)] };
  }
}

/** True if the reading's positions are those of the modules. A later reading may have moved them. */
function isPlaced({ files, snapshot }: Kept, now: Snapshot): boolean {
  if (snapshot === now) return true;
  return [...files].every((file) => snapshot.moduleOf(file) === now.moduleOf(file));
}

/** The persistent form of a file's reading, unless it depends on functions that no longer exist. Linear in what was read. */
function lastingFile(
  file: FileId,
  { uses, rounds }: KeptFile,
  around: Surroundings,
): LastingFile | undefined {
  const indexes = new Map(uses.cells.map((each, at) => [each, at] as const));
  const indexOf = (cell: Cell): number => indexes.get(cell) ?? -1;
  const lasting = lastingFacts(uses, [file], around);
  const made = rounds.map((each): LastingRound | undefined => {
    if ("before" in each) {
      const before = around.numbers.lastingKey(each.before);
      return before === undefined ? undefined : { before };
    }
    // A function that failed with an error may succeed in another process.
    if (each.reading.isBroken || !isPlaced(each, around.present.snapshot)) return undefined;
    const number = around.numbers.numberOfFunction(each.function, each.files);
    const reading = lastingReading(each.reading, each.files, around.numbers);
    if (!number || !reading) return undefined;
    const { root } = each;
    return { root, function: number, facts: Uint32Array.from(each.uses.cells, indexOf), reading };
  });
  if (!lasting || !made.every((each) => each !== undefined)) return undefined;
  return { basis: lasting.basis, facts: () => lasting.facts, rounds: () => made };
}

function isFor({ root, reading }: Kept, asked: Omit<AskedRoot, "function">): boolean {
  if (root.file !== asked.file || root.name !== asked.name) return false;
  if (root.argument !== asked.argument) return false;
  // A function that finished within fewer steps has the same result with more.
  return root.steps === asked.steps || (!reading.isCut && reading.steps <= asked.steps);
}

/** Creates movers between the snapshots of readings; undefined for equal ones. */
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
