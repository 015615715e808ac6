// Facts on which the result of an evaluation may depend outside of its own function: top-level names, imports and exports, reachability of
// a database, tables. Each is a query of the engine, so that a later reading can tell whether the result would be the same.
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import { createDatabase, type Cell, type Database, type Derived } from "../../../query/database";
import { sameElements } from "../../../query/interner";
import { ofNode } from "../../../query/nodes";
import { assignedText } from "../effects/assignments";
import { boundNames } from "../modules/boundNames";
import type { ChangedElsewhere } from "../effects/importedState";
import { changesOf } from "../effects/modRef";
import { declaringText } from "../workspace/declarationCalls";
import type { HirFunction, HirModule, HirStatement } from "../hir";
import type { CodeModules } from "../modules/modules";
import type { Reach, NameReachability } from "../callGraph/reachability";
import { semanticsOf } from "../semantics";
import { originOf } from "./origins";

/** The code in which facts are looked up: its files, and what is known of all of them. */
export interface World {
  readonly modules: CodeModules;
  readonly reach: Reach;
  readonly leads: NameReachability;
  readonly changedElsewhere: ChangedElsewhere;
  readonly files: readonly FileId[];
}

/** Tables by name, as SQL and schema files declare them. */
export interface DeclaredTables {
  /** One list for equal tables: `table` and `spelling` follow from it. */
  readonly tables: unknown;
  readonly table: (name: string) => Table | undefined;
  readonly spelling: (written: string) => string;
}

/** The parts of a fact's key. A function is the one that was read, wherever it was moved. */
export interface KeyParts {
  readonly file: FileId;
  readonly text: string;
  readonly function: HirFunction;
  readonly names: ReadonlySet<string>;
}

export type KeyPart = keyof KeyParts;

type KeyOf<Parts extends readonly KeyPart[]> = {
  readonly [At in keyof Parts]: KeyParts[Parts[At]];
};

/** The world as facts see it: each of these is a query of its own. */
interface Seen {
  readonly module: (file: FileId) => HirModule | undefined;
  /** Another object where the files that imports of this file resolve to may be others. */
  readonly resolution: (file: FileId) => unknown;
  /** The names that reach a database. */
  readonly reaching: () => ReadonlySet<string>;
  readonly files: () => readonly FileId[];
  /** The statements of a file with calls of these names. */
  readonly declaring: (file: FileId, names: ReadonlySet<string>) => string;
  readonly tables: () => DeclaredTables;
  /** All of it; another object for each reading. */
  readonly world: () => World;
  /** The same for a part that follows from what else the fact asks. */
  readonly present: () => World;
}

interface Row<Parts extends readonly KeyPart[]> {
  readonly parts: Parts;
  readonly value: (seen: Seen, ...key: KeyOf<Parts>) => unknown;
  /** The value follows from the texts of the files of its key, or is about tables. */
  readonly of?: "texts" | "tables";
}

function row<const Parts extends readonly KeyPart[]>(
  parts: Parts,
  value: Row<Parts>["value"],
  of?: "texts" | "tables",
): Row<Parts> {
  return { parts, value, ...(of && { of }) };
}

const ROWS = {
  /** The top-level statement that declares a name; none if nothing does. */
  name: row(["file", "text"], ({ module }, file, name) => declaredIn(module(file), name), "texts"),
  /** A module's changes to the value of a top-level name. */
  changes: row(
    ["file", "text"],
    ({ module }, file, name) => changesText(module(file), name),
    "texts",
  ),
  /** The same by other modules. */
  changedElsewhere: row(["file", "text"], ({ world }, file, name) =>
    [...world().changedElsewhere(file, name)].sort().join(),
  ),
  /** The imports and exports of a module, and the files that they resolve to. */
  head: row(["file"], ({ module, resolution, present }, file) => {
    resolution(file);
    return headText(module(file), (from) => present().modules.resolve(file, from));
  }),
  /** A module as a whole. */
  module: row(["file"], ({ module }, file) => module(file), "texts"),
  /** The file that an import resolves to. */
  import: row(["file", "text"], ({ resolution, present }, file, specifier) => {
    resolution(file);
    return present().modules.resolve(file, specifier);
  }),
  /** True if a function may reach a database. */
  reach: row(["function"], ({ reaching, present }, hir) => {
    reaching();
    return present().reach.mayReach(hir);
  }),
  /** True if an implementation of an interface's method may reach a database. */
  implemented: row(["text", "text"], ({ reaching, present }, interfaceName, method) => {
    reaching();
    return present().reach.isReachedBy(interfaceName, method);
  }),
  /** True if that name may reach a database. */
  reaching: row(["text"], ({ reaching, present }, name) => {
    reaching();
    return present().reach.isReaching(name);
  }),
  /** True if anything calls that name. */
  called: row(["text"], ({ world }, name) => world().reach.isCalled(name)),
  /** True if a function may open a transaction. */
  opens: row(["function"], ({ world }, hir) => world().reach.mayOpen(hir)),
  /** True if the enclosing scope of a function may reach a database by its names. */
  leads: row(["file", "function"], ({ world }, file, hir) => world().leads.mayLead(file, hir)),
  /** The amount of code reachable from a function. */
  extent: row(["file", "function"], ({ world }, file, hir) =>
    JSON.stringify(world().leads.extentOf(file, hir)),
  ),
  /** True if a value of a type may be or contain a client of a database. */
  holds: row(["file", "text"], ({ world }, file, type) => world().leads.mayHold(file, type)),
  /** The calls of methods of those names in all files. */
  declaring: row(["names"], ({ files, declaring }, names) =>
    files()
      .map((file) => `${file}:${declaring(file, names)}`)
      .join(),
  ),
  /** Facts about the table of a name. */
  table: row(["text"], ({ tables }, name) => tableText(tables().table(name)), "tables"),
  /** The spelling of a name that SQL has in any case. */
  spelling: row(["text"], ({ tables }, name) => tables().spelling(name), "tables"),
};

export type FactKind = keyof typeof ROWS;

/** The queries of all kinds of facts. */
export type Facts = {
  readonly [Kind in FactKind]: Derived<KeyOf<(typeof ROWS)[Kind]["parts"]>, unknown>;
};

/** A fact that a result depends on. */
export type Dependency = Cell;

export interface FactBase {
  readonly facts: Facts;
  readonly database: Database;
  /** The code that is read, made anew unless it rests on the same as the last time. */
  readonly worldOf: (rests: readonly unknown[], make: () => World) => World;
  /** Begins a reading, or another phase of it. */
  readonly begin: (world: World, tables: DeclaredTables) => void;
}

/** An engine with the facts of a workspace, which lasts from one reading to the next. */
export function createFacts(): FactBase {
  const database = createDatabase();
  const code = database.input<[], World>("code");
  const declared = database.input<[], DeclaredTables>("tables", {
    durability: "high",
    equals: (a, b) => a.tables === b.tables,
  });
  const world = (): World => begun(code.get());
  let present: World | undefined;
  let latest: { readonly rests: readonly unknown[]; readonly world: World } | undefined;
  const module = database.derived("module of", (file: FileId) => world().modules.moduleOf(file));
  const resolution = database.derived("resolution", () => world().modules.resolution);
  const reaching = database.derived("names that reach", () => world().reach.reaching);
  const files = database.derived("files", () => world().files, { equals: sameElements });
  const declaring = database.derived(
    "declaring statements",
    (file: FileId, names: ReadonlySet<string>) => declaringText(module.get(file), names),
  );
  const seen: Seen = {
    module: module.get,
    // Classes of Java are found by what all files hold.
    resolution: (file) => (semanticsOf(file).namesByImport ? resolution.get() : world()),
    reaching: reaching.get,
    tables: () => begun(declared.get()),
    files: files.get,
    declaring: declaring.get,
    world,
    present: () => present ?? world(),
  };
  const facts = Object.entries(ROWS).map(([kind, { value }]) => {
    const of = (...key: readonly unknown[]): unknown => value(seen, ...(key as [never, never]));
    return [kind, database.derived(kind, of)] as const;
  });
  return {
    // One query for each row, with the row's key.
    facts: Object.fromEntries(facts) as unknown as Facts,
    database,
    worldOf: (rests, make) => {
      if (!latest || !sameElements(latest.rests, rests)) latest = { rests, world: make() };
      return latest.world;
    },
    begin: (world, tables) => {
      present = world;
      code.set(world);
      declared.set(tables);
    },
  };
}

function begun<State>(state: State | undefined): State {
  if (state === undefined) throw new Error("facts were asked for before the first reading");
  return state;
}

/** The kind of a fact, with the parts of its key. */
export function shapeOf({ name }: Pick<Dependency, "name">): {
  readonly kind: FactKind;
  readonly parts: readonly KeyPart[];
  readonly of?: "texts" | "tables";
} {
  // Facts alone are dependencies, and each is named by its row.
  const kind = name as FactKind;
  return { kind, ...(ROWS[kind] satisfies Pick<Row<readonly KeyPart[]>, "parts" | "of">) };
}

/** The files of a fact's key. */
export function filesOf(dependency: Dependency): readonly FileId[] {
  const { parts } = shapeOf(dependency);
  // A part is what its row says.
  return dependency.key.filter((_, at) => parts[at] === "file") as readonly FileId[];
}

/** A dependency with the dependencies of its value. */
export interface Entry {
  readonly on: Dependency;
  readonly inner: Set<Entry>;
  /** The notes that concern every user of the value. */
  readonly notes: Note[];
}

/** Entries that were used during an evaluation. */
export type Dependencies = Set<Entry>;

export interface Trace {
  readonly facts: Facts;
  /** The entry of a dependency; there is one for each. */
  readonly entry: (on: Dependency) => Entry;
  readonly use: (on: Dependency) => void;
  /** Runs a function and collects its dependencies in `into` alone. */
  readonly during: <Result>(into: Dependencies, run: () => Result) => Result;
}

/** A trace of one reading. */
export function createTrace(facts: Facts): Trace {
  const entries = new Map<Dependency, Entry>();
  let current: Dependencies | undefined;
  const entry = (on: Dependency): Entry => {
    const known = entries.get(on) ?? { on, inner: new Set<Entry>(), notes: [] };
    entries.set(on, known);
    return known;
  };
  return {
    facts,
    entry,
    use: (on) => {
      current?.add(entry(on));
    },
    during: (into, run) => {
      const outer = current;
      current = into;
      try {
        return run();
      } finally {
        current = outer;
      }
    },
  };
}

/** All dependencies, direct and transitive. */
export function unionOfDependencies(...used: readonly Dependencies[]): Dependencies {
  const seen = new Set<Entry>(used.flatMap((each) => [...each]));
  // Grows during iteration.
  for (const { inner } of seen) for (const each of inner) seen.add(each);
  return seen;
}

export function dependencies(used: Dependencies): readonly Dependency[] {
  return [...used].map(({ on }) => on);
}

function changesText(module: HirModule | undefined, name: string): string | undefined {
  return module && `${[...changesOf(module, name)].sort().join()} ${assignedText(module, name)}`;
}

const textOfTable = ofNode((table: Table) => JSON.stringify(table));

function tableText(table: Table | undefined): string | undefined {
  return table && textOfTable(table);
}

/** Top-level statements of a module by the names that they declare. */
export const declarations = ofNode((hir: HirModule): ReadonlyMap<string, HirStatement> => {
  // A value may have the same name as a type; the value takes precedence.
  const types = hir.body.filter(({ kind }) => kind === "type");
  return new Map(
    [...types, ...hir.body.filter(({ kind }) => kind !== "type")].flatMap((statement) =>
      boundNames(statement).map((name) => [name, statement]),
    ),
  );
});

function declaredIn(hir: HirModule | undefined, name: string): unknown {
  const statement = hir && declarations(hir).get(name);
  return statement && originOf(statement);
}

/** Imports and exports without their positions. */
function headText(
  hir: HirModule | undefined,
  resolve: (from: string) => FileId | undefined,
): string {
  if (hir === undefined) return "";
  const to = (from: string | undefined): string | undefined =>
    from === undefined ? undefined : resolve(from);
  const imports = hir.imports.map(({ local, imported, from, isStatic }) => {
    return [local, imported, from, isStatic, to(from)];
  });
  const exports = hir.exports.map(({ name, local, from }) => [name, local, from, to(from)]);
  return JSON.stringify([hir.language, imports, exports]);
}

/** Wraps modules and reachability so that each use is recorded in a trace. */
export function withTrace(
  { use, facts }: Trace,
  modules: CodeModules,
  reach: Reach,
  leads: NameReachability,
): { readonly modules: CodeModules; readonly reach: Reach; readonly leads: NameReachability } {
  /** The same function, of which each use is recorded. */
  const traced =
    <Arguments extends readonly unknown[], Result>(
      cell: (...of: Arguments) => Dependency,
      answer: (...of: Arguments) => Result,
    ) =>
    (...of: Arguments): Result => {
      use(cell(...of));
      return answer(...of);
    };
  const byOrigin =
    (fact: Facts["reach" | "opens"]) =>
    (hir: HirFunction): Dependency =>
      fact.cell(originOf(hir));
  const inFile =
    (fact: Facts["leads" | "extent"]) =>
    (file: FileId, hir: HirFunction): Dependency =>
      fact.cell(file, originOf(hir));
  return {
    modules: {
      ...modules,
      moduleOf: traced(facts.module.cell, modules.moduleOf),
      resolve: traced(facts.import.cell, modules.resolve),
    },
    leads: {
      mayLead: traced(inFile(facts.leads), leads.mayLead),
      mayHold: traced(facts.holds.cell, leads.mayHold),
      extentOf: traced(inFile(facts.extent), leads.extentOf),
    },
    reach: {
      ...reach,
      mayReach: traced(byOrigin(facts.reach), reach.mayReach),
      isReachedBy: traced(facts.implemented.cell, reach.isReachedBy),
      mayOpen: traced(byOrigin(facts.opens), reach.mayOpen),
      isReaching: traced(facts.reaching.cell, reach.isReaching),
      isCalled: traced(facts.called.cell, reach.isCalled),
    },
  };
}
