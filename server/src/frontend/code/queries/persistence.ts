// Persistent form of readings: plain data that another process understands. It refers to functions by their numbers in the text of their
// file, and to dependencies by digests.
import type { FileId } from "../../../protocol/source";
import { declaringPlaces } from "../workspace/declarationCalls";
import type { HirFunction } from "../hir";
import type { Snapshot } from "./relocation";
import type { PartNumber, PartNumbers } from "./stableIds";
import type { Dependency } from "./dependencies";
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
  kind: Dependency["kind"],
  ...of: (string | number | readonly string[])[],
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

interface Fact {
  readonly on: Dependency;
  readonly was: unknown;
}

/** The persistent form of dependencies; undefined if one of them is on a function in none of the files. */
export function lastingFacts(
  facts: readonly Fact[],
  more: Iterable<FileId>,
  around: Surroundings,
): { readonly basis: LastingBasis; readonly facts: LastingFacts } | undefined {
  const files = [
    ...new Set([...more, ...facts.flatMap(({ on }) => ("file" in on ? [on.file] : []))]),
  ];
  const indexes = new Map(files.map((file, at) => [file, at] as const));
  const on = facts.map((each) => lastingDependency(each.on, files, indexes, around.numbers));
  if (!isComplete(on)) return undefined;
  return { basis: basisOf(files, around), facts: { on, ...valuesOf(facts, around) } };
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
): readonly Fact[] | undefined {
  if (!lastsStill(basis, around)) return undefined;
  const { on: lasting, tables, others } = facts();
  const { numbers, present } = around;
  const found = lasting.map((each) => presentDependency(each, basis.files, numbers));
  if (!isComplete(found)) return undefined;
  const now = (on: Dependency): Fact => ({ on, was: present.facts(on) });
  // A file has two readings, before and after tables were inferred; the tables tell these apart.
  if (valuesOf(found.filter(isOfTables).map(now), around).tables !== tables) return undefined;
  const own = found.map(now);
  return valuesOf(own, around).others === others ? own : undefined;
}

/** The digests of the dependencies' values. */
function valuesOf(facts: readonly Fact[], around: Surroundings): Omit<LastingFacts, "on"> {
  const short = (own: readonly Fact[]): string =>
    around.digest(JSON.stringify(own.map((each) => lastingValue(each, around))));
  return {
    tables: short(facts.filter(({ on }) => isOfTables(on))),
    others: short(facts.filter(({ on }) => !isOfTables(on) && !isOfText(on))),
  };
}

export function isOfTables({ kind }: Dependency): boolean {
  return kind === "table" || kind === "spelling";
}

/** True if the value follows from the text of a file. */
function isOfText({ kind }: Dependency): boolean {
  return kind === "name" || kind === "changes" || kind === "module";
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

function lastingDependency(
  on: Dependency,
  files: readonly FileId[],
  indexes: ReadonlyMap<FileId, number>,
  numbers: PartNumbers,
): LastingDependency | undefined {
  const at = (file: FileId): number => indexes.get(file) ?? -1;
  const part = (hir: HirFunction, ...before: readonly number[]): LastingDependency | undefined => {
    const number = numbers.numberOfFunction(hir, files);
    return number && [on.kind, ...before, at(number[0]), number[1]];
  };
  switch (on.kind) {
    case "name":
    case "changes":
    case "changedElsewhere":
      return [on.kind, at(on.file), on.name];
    case "head":
    case "module":
      return [on.kind, at(on.file)];
    case "import":
      return [on.kind, at(on.file), on.specifier];
    case "holds":
      return [on.kind, at(on.file), on.type];
    case "reach":
    case "opens":
      return part(on.function);
    case "leads":
    case "extent":
      return part(on.function, at(on.file));
    case "implemented":
      return [on.kind, on.interfaceName, on.method];
    case "declaring":
      return [on.kind, [...on.names]];
    case "called":
    case "reaching":
    case "table":
    case "spelling":
      return [on.kind, on.name];
    default:
      return on satisfies never;
  }
}

/** Only `lastingDependency` writes these lists. */
function presentDependency(
  [kind, ...of]: LastingDependency,
  files: readonly FileId[],
  numbers: PartNumbers,
): Dependency | undefined {
  const text = (at: number): string => of[at] as string;
  const file = (at = 0): FileId | undefined => files[of[at] as number];
  const own = file();
  const part = (at: number): HirFunction | undefined => {
    const within = file(at);
    return within && numbers.functionAt([within, of[at + 1] as number]);
  };
  switch (kind) {
    case "name":
    case "changes":
    case "changedElsewhere":
      return own && { kind, file: own, name: text(1) };
    case "head":
    case "module":
      return own && { kind, file: own };
    case "import":
      return own && { kind, file: own, specifier: text(1) };
    case "holds":
      return own && { kind, file: own, type: text(1) };
    case "reach":
    case "opens": {
      const hir = part(0);
      return hir && { kind, function: hir };
    }
    case "leads":
    case "extent": {
      const hir = part(1);
      return own && hir && { kind, file: own, function: hir };
    }
    case "implemented":
      return { kind, interfaceName: text(0), method: text(1) };
    case "declaring":
      return { kind, names: sameNames(of[0] as readonly string[]) };
    case "called":
    case "reaching":
    case "table":
    case "spelling":
      return { kind, name: text(0) };
    default:
      return kind satisfies never;
  }
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
function lastingValue({ on, was }: Fact, { digest, declaring }: Surroundings): unknown {
  if (on.kind === "declaring") return declaring(on.names);
  if (was === undefined) return "";
  return typeof was === "string" ? digest(was) : was;
}
