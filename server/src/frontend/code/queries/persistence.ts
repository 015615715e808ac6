// Persistent form of readings: plain data that another process understands. It refers to functions by their numbers in the text of their
// file, and to dependencies by digests.
import type { FileId } from "../../../protocol/source";
import type { Uses } from "../../../query/database";
import { declaringPlaces } from "../workspace/declarationCalls";
import type { Snapshot } from "./relocation";
import type { PartNumber, PartNumbers } from "./stableIds";
import {
  filesOf,
  shapeOf,
  type Dependency,
  type FactBase,
  type FactKind,
  type KeyParts,
} from "./dependencies";
import type {
  AskedRoot,
  PassedFunction,
  ReadFunction,
  RootReading,
  Surroundings,
} from "./rootReading";

/** The reading of a file: numbers, texts, lists, records and sets, which structured clones preserve. */
export interface LastingFile {
  readonly basis: LastingBasis;
  readonly facts: () => LastingFacts;
  readonly rounds: () => readonly LastingRound[];
}

/** The texts that a reading of a file depends on. */
export interface LastingBasis {
  /** A digest of everything that is not code. */
  readonly environment: string;
  readonly files: readonly FileId[];
  /** The digest of these texts. */
  readonly texts: string;
}

/** The dependencies of a reading, with a digest of those values that do not follow from the texts alone. */
export interface LastingFacts {
  readonly on: readonly LastingDependency[];
  readonly tables: string;
  readonly others: string;
}

export type LastingRound =
  | { readonly before: string }
  | {
      readonly root: Omit<AskedRoot, "function">;
      readonly function: PartNumber;
      /** The indexes of the file's facts that it depends on. */
      readonly facts: Uint32Array;
      readonly reading: LastingReading;
    };

interface LastingReading extends Omit<RootReading, "evaluated"> {
  readonly evaluated: readonly (Omit<ReadFunction, "reached"> & {
    readonly reached: readonly PartNumber[];
  })[];
}

/** A dependency with numbers for its files and functions. */
type LastingDependency = readonly [
  kind: FactKind,
  ...of: (string | number | PartNumber | readonly string[])[],
];

/** Readings that outlive the process. */
export interface LastingReadings {
  /** The persisted readings of a file, latest first. */
  readonly find: (file: FileId) => readonly LastingFile[];
}

/** The state that determines whether persisted readings are valid. */
export interface LastingTeller {
  /** Everything besides code that readings depend on: SQL and schema texts, configuration. */
  readonly environment: string;
  /** The digest of a text. */
  readonly digest: (text: string) => string;
}

/** Digests of declaring calls, cached for the modules of one reading. */
export function declaringDigests(
  { moduleOf }: Pick<Snapshot, "moduleOf">,
  files: readonly FileId[],
  { digest, digestOf }: Pick<Surroundings, "digest" | "digestOf">,
): Surroundings["declaring"] {
  const known = new Map<string, string>();
  return (names) => {
    const key = [...names].join();
    const own =
      known.get(key) ??
      digest(
        files
          .flatMap((file) => {
            const places = declaringPlaces(moduleOf(file), names);
            return places.length > 0 ? [`${file}:${places.join()}:${digestOf(file)}`] : [];
          })
          .join("\n"),
      );
    known.set(key, own);
    return own;
  };
}

/** The persistent form of dependencies; undefined if one of them is on a function in none of the files. */
export function lastingFacts(
  { cells, values }: Uses,
  more: Iterable<FileId>,
  around: Surroundings,
): { readonly basis: LastingBasis; readonly facts: LastingFacts } | undefined {
  const files = [...new Set([...more, ...cells.flatMap(filesOf)])];
  const form = persistentParts(files, around.numbers);
  const on = cells.map((each): LastingDependency | undefined => {
    const { kind, parts } = shapeOf(each);
    // A part is what its row says.
    const of = each.key.map((part, at) => form.write[parts[at] ?? "text"](part as never));
    return isComplete(of) ? [kind, ...of] : undefined;
  });
  if (!isComplete(on)) return undefined;
  return { basis: basisOf(files, around), facts: { on, ...valuesOf({ cells, values }, around) } };
}

function basisOf(files: readonly FileId[], around: Surroundings): LastingBasis {
  const { environment, digest, digestOf } = around;
  return { environment, files, texts: digest(files.map(digestOf).join()) };
}

/** True if the texts and the environment are the ones that it depends on. */
export function lastsStill(
  { environment, files, texts }: LastingBasis,
  around: Surroundings,
): boolean {
  return environment === around.environment && texts === basisOf(files, around).texts;
}

/** The persisted dependencies of a file, if all of them still have their values. */
export function presentFacts(
  { basis, facts }: LastingFile,
  around: Surroundings,
  { facts: queries, database }: Pick<FactBase, "facts" | "database">,
): Uses | undefined {
  if (!lastsStill(basis, around)) return undefined;
  const { on: lasting, tables, others } = facts();
  const form = persistentParts(basis.files, around.numbers);
  const cells = lasting.map(([kind, ...of]): Dependency | undefined => {
    const { cell } = queries[kind];
    const { parts } = shapeOf({ name: kind });
    // `lastingFacts` wrote these parts.
    const key = of.map((part, at) => form.read[parts[at] ?? "text"](part as never));
    return isComplete(key) ? cell(...(key as [never, never])) : undefined;
  });
  if (!isComplete(cells)) return undefined;
  // A file has two readings, before and after tables were inferred; the tables tell these apart.
  const ofTables = database.usesOf(cells.filter(isOfTables));
  if (valuesOf(ofTables, around).tables !== tables) return undefined;
  const own = database.usesOf(cells);
  return valuesOf(own, around).others === others ? own : undefined;
}

/** The digests of the dependencies' values. */
function valuesOf({ cells, values }: Uses, around: Surroundings): Omit<LastingFacts, "on"> {
  const short = (isOf: (on: Dependency) => boolean): string =>
    around.digest(
      JSON.stringify(
        cells.flatMap((on, at) => (isOf(on) ? [lastingValue(on, values[at], around)] : [])),
      ),
    );
  return { tables: short(isOfTables), others: short((on) => shapeOf(on).of === undefined) };
}

export function isOfTables(on: Dependency): boolean {
  return shapeOf(on).of === "tables";
}

/** The persistent form of a reading; undefined if it refers to functions in none of the files. */
export function lastingReading(
  reading: RootReading,
  files: Iterable<FileId>,
  numbers: PartNumbers,
): LastingReading | undefined {
  const own = withKeys(reading, numbers.lastingKey);
  if (own === undefined) return undefined;
  const evaluated = own.evaluated.map((each) => {
    const reached = [...each.reached].map((site) => numbers.numberOfSite(site, files));
    return isComplete(reached) ? { ...each, reached } : undefined;
  });
  return isComplete(evaluated) ? { ...own, evaluated } : undefined;
}

/** Restores a persisted reading for the present modules. */
export function presentReading(
  lasting: LastingReading,
  numbers: PartNumbers,
): RootReading | undefined {
  const evaluated = lasting.evaluated.map((each) => {
    const reached = each.reached.map(numbers.siteAt);
    return isComplete(reached) ? { ...each, reached: new Set(reached) } : undefined;
  });
  return isComplete(evaluated)
    ? withKeys({ ...lasting, evaluated }, numbers.presentKey)
    : undefined;
}

function isComplete<Item>(items: readonly (Item | undefined)[]): items is readonly Item[] {
  return items.every((each) => each !== undefined);
}

/** The same data with other keys; undefined if one of them has no counterpart. */
function withKeys(
  reading: RootReading,
  keyOf: (key: string) => string | undefined,
): RootReading | undefined {
  let isLost = false;
  const renamed = (key: string): string => {
    const own = keyOf(key);
    isLost ||= own === undefined;
    return own ?? key;
  };
  const all = (keys: ReadonlySet<string>): ReadonlySet<string> => new Set([...keys].map(renamed));
  const evaluated = reading.evaluated.map((each): ReadFunction => ({
    ...each,
    key: renamed(each.key),
    ...(each.calledAs !== undefined && { calledAs: renamed(each.calledAs) }),
    inlined: all(each.inlined),
    unfollowed: each.unfollowed.map(({ key, loss }) => ({ key: renamed(key), loss })),
  }));
  const passed = reading.passed.map((each): PassedFunction => ({
    ...each,
    key: renamed(each.key),
  }));
  const { own, elsewhere } = reading;
  const made = { ...reading, evaluated, passed, own: all(own), elsewhere: all(elsewhere) };
  return isLost ? undefined : made;
}

/** The written form of the parts of keys: files and functions are numbers. */
interface Written {
  readonly file: number;
  readonly text: string;
  readonly function: PartNumber;
  readonly names: readonly string[];
}

/** Writes and reads the parts of keys; undefined for those that are in none of the files. */
function persistentParts(
  files: readonly FileId[],
  numbers: PartNumbers,
): {
  readonly write: { [Part in keyof KeyParts]: (part: KeyParts[Part]) => Written[Part] | undefined };
  readonly read: { [Part in keyof KeyParts]: (part: Written[Part]) => KeyParts[Part] | undefined };
} {
  const indexes = new Map(files.map((file, at) => [file, at] as const));
  return {
    write: {
      file: (file) => indexes.get(file),
      text: (text) => text,
      function: (hir) => numbers.numberOfFunction(hir, files),
      names: (names) => [...names],
    },
    read: {
      file: (at) => files[at],
      text: (text) => text,
      function: numbers.functionAt,
      names: sameNames,
    },
  };
}

const namesByText = new Map<string, ReadonlySet<string>>();

/** Interns sets: dependencies on names are identified by their set. */
function sameNames(names: readonly string[]): ReadonlySet<string> {
  const key = names.join();
  const own = namesByText.get(key) ?? new Set(names);
  namesByText.set(key, own);
  return own;
}

/** The value that a dependency had, in a form that does not depend on identity. */
function lastingValue(
  on: Dependency,
  was: unknown,
  { digest, declaring }: Pick<Surroundings, "digest" | "declaring">,
): unknown {
  if (shapeOf(on).kind === "declaring") return declaring(on.key[0] as ReadonlySet<string>); // its row
  if (was === undefined) return "";
  return typeof was === "string" ? digest(was) : was;
}
