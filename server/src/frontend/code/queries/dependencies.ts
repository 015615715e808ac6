// Dependencies of an evaluation outside of its own function, by which a later reading can tell whether it would have the same result:
// top-level names, imports and exports, reachability of a database, tables.
import type { Note } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { FileId } from "../../../protocol/source";
import { assignedText } from "../effects/assignments";
import { boundNames } from "../modules/boundNames";
import type { ChangedElsewhere } from "../effects/importedState";
import { changesOf } from "../effects/modRef";
import { declaringText } from "../workspace/declarationCalls";
import type { HirFunction, HirModule, HirStatement } from "../hir";
import type { CodeModules } from "../modules/modules";
import type { Reach, NameReachability } from "../callGraph/reachability";
import { originOf } from "./origins";

export type Dependency =
  /** The top-level statement that declares a name; none if nothing does. */
  | { readonly kind: "name"; readonly file: FileId; readonly name: string }
  /** A module's changes to the value of a top-level name. */
  | { readonly kind: "changes"; readonly file: FileId; readonly name: string }
  /** The same by other modules. */
  | { readonly kind: "changedElsewhere"; readonly file: FileId; readonly name: string }
  /** The imports and exports of a module, and the files that they resolve to. */
  | { readonly kind: "head"; readonly file: FileId }
  /** A module as a whole. */
  | { readonly kind: "module"; readonly file: FileId }
  /** The file that an import resolves to. */
  | { readonly kind: "import"; readonly file: FileId; readonly specifier: string }
  /** True if a function may reach a database. */
  | { readonly kind: "reach"; readonly function: HirFunction }
  /** True if an implementation of an interface's method may reach a database. */
  | { readonly kind: "implemented"; readonly interfaceName: string; readonly method: string }
  /** True if the enclosing scope of a function may reach a database by its names. */
  | { readonly kind: "leads"; readonly file: FileId; readonly function: HirFunction }
  /** The amount of code reachable from a function. */
  | { readonly kind: "extent"; readonly file: FileId; readonly function: HirFunction }
  /** True if a value of a type may be or contain a client of a database. */
  | { readonly kind: "holds"; readonly file: FileId; readonly type: string }
  /** True if a function may open a transaction. */
  | { readonly kind: "opens"; readonly function: HirFunction }
  /** True if anything calls that name. */
  | { readonly kind: "called"; readonly name: string }
  /** True if that name may reach a database. */
  | { readonly kind: "reaching"; readonly name: string }
  /** The calls of methods of those names in all files. */
  | { readonly kind: "declaring"; readonly names: ReadonlySet<string> }
  /** Facts about the table of a name. */
  | { readonly kind: "table"; readonly name: string }
  /** The spelling of a name that SQL has in any case. */
  | { readonly kind: "spelling"; readonly name: string };

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
  /** The entry of a dependency; there is one for each. */
  readonly entry: (on: Dependency) => Entry;
  readonly use: (entry: Entry) => void;
  /** Runs a function and collects its dependencies in `into` alone. */
  readonly during: <Result>(into: Dependencies, run: () => Result) => Result;
}

/** A trace of one reading. */
export function createTrace(): Trace {
  const entries = new Map<unknown, Map<unknown, Entry>>();
  let current: Dependencies | undefined;
  return {
    entry: (on) => {
      const [group, key] = keysOf(on);
      let own = entries.get(group);
      if (!own) entries.set(group, (own = new Map<unknown, Entry>()));
      let known = own.get(key);
      if (!known) own.set(key, (known = { on, inner: new Set<Entry>(), notes: [] }));
      return known;
    },
    use: (entry) => {
      current?.add(entry);
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

const REACH = Symbol("reach");
const CALLED = Symbol("called");
const REACHING = Symbol("reaching");
const DECLARING = Symbol("declaring");
const OPENS = Symbol("opens");
const LEADS = Symbol("leads");
const EXTENT = Symbol("extent");
const IMPLEMENTED = Symbol("implemented");
const TABLE = Symbol("table");
const SPELLING = Symbol("spelling");

/** Two keys that identify a dependency. A name contains no NUL. */
function keysOf(on: Dependency): readonly [unknown, unknown] {
  switch (on.kind) {
    case "name":
      return [on.file, on.name];
    case "called":
      return [CALLED, on.name];
    case "reaching":
      return [REACHING, on.name];
    case "declaring":
      return [DECLARING, on.names];
    case "table":
      return [TABLE, on.name];
    case "spelling":
      return [SPELLING, on.name];
    case "import":
      return [on.file, `\0import\0${on.specifier}`];
    case "reach":
      return [REACH, originOf(on.function)];
    case "leads":
      return [LEADS, originOf(on.function)];
    case "extent":
      return [EXTENT, originOf(on.function)];
    case "changes":
      return [on.file, `\0changes\0${on.name}`];
    case "changedElsewhere":
      return [on.file, `\0changed\0${on.name}`];
    case "holds":
      return [on.file, `\0holds\0${on.type}`];
    case "implemented":
      return [IMPLEMENTED, `${on.interfaceName}\0${on.method}`];
    case "opens":
      return [OPENS, originOf(on.function)];
    default:
      return [on.file, `\0${on.kind}`];
  }
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

/** The state that dependencies are looked up in: tables as declared by SQL, and the files of the code. */
interface Asked {
  readonly files: readonly FileId[];
  readonly changedElsewhere: ChangedElsewhere;
  readonly table: (name: string) => Table | undefined;
  readonly spelling: (written: string) => string;
}

/** The present value of a dependency; two values are compared by identity. */
export type Facts = (on: Dependency) => unknown;

export function createFacts(
  modules: CodeModules,
  reach: Reach,
  leads: NameReachability,
  { table, spelling, files, changedElsewhere }: Asked,
): Facts {
  // Shared by all dependents; computing it is slow.
  const callTexts = new Map<ReadonlySet<string>, string>();
  const callText = (names: ReadonlySet<string>): string => {
    const text =
      callTexts.get(names) ??
      files.map((file) => `${file}:${declaringText(modules.moduleOf(file), names)}`).join();
    callTexts.set(names, text);
    return text;
  };
  const heads = new Map<FileId, string>();
  const headOf = (file: FileId): string => {
    const known = heads.get(file) ?? headText(modules, file);
    heads.set(file, known);
    return known;
  };
  return (on) => {
    switch (on.kind) {
      case "name":
        return declaredIn(modules.moduleOf(on.file), on.name);
      case "changes":
        return changesText(modules.moduleOf(on.file), on.name);
      case "changedElsewhere":
        return [...changedElsewhere(on.file, on.name)].sort().join();
      case "head":
        return headOf(on.file);
      case "module":
        return modules.moduleOf(on.file);
      case "import":
        return modules.resolve(on.file, on.specifier);
      case "reach":
        return reach.mayReach(on.function);
      case "implemented":
        return reach.isReachedBy(on.interfaceName, on.method);
      case "opens":
        return reach.mayOpen(on.function);
      case "called":
        return reach.isCalled(on.name);
      case "reaching":
        return reach.isReaching(on.name);
      case "declaring":
        return callText(on.names);
      case "leads":
        return leads.mayLead(on.file, on.function);
      case "extent":
        return JSON.stringify(leads.extentOf(on.file, on.function));
      case "holds":
        return leads.mayHold(on.file, on.type);
      case "table":
        return tableText(table(on.name));
      case "spelling":
        return spelling(on.name);
      default:
        return on satisfies never;
    }
  };
}

function changesText(module: HirModule | undefined, name: string): string | undefined {
  return module && `${[...changesOf(module, name)].sort().join()} ${assignedText(module, name)}`;
}

const tableTexts = new WeakMap<Table, string>();

/** Tables are built anew in each reading, so they are compared by content. */
function tableText(table: Table | undefined): string | undefined {
  if (table === undefined) return undefined;
  const text = tableTexts.get(table) ?? JSON.stringify(table);
  tableTexts.set(table, text);
  return text;
}

const declared = new WeakMap<HirModule, ReadonlyMap<string, HirStatement>>();

/** Top-level statements of a module by the names that they declare. */
export function declarations(hir: HirModule): ReadonlyMap<string, HirStatement> {
  const known = declared.get(hir);
  if (known) return known;
  // A value may have the same name as a type; the value takes precedence.
  const types = hir.body.filter(({ kind }) => kind === "type");
  const own = new Map(
    [...types, ...hir.body.filter(({ kind }) => kind !== "type")].flatMap((statement) =>
      boundNames(statement).map((name) => [name, statement]),
    ),
  );
  declared.set(hir, own);
  return own;
}

function declaredIn(hir: HirModule | undefined, name: string): unknown {
  const statement = hir && declarations(hir).get(name);
  return statement && originOf(statement);
}

interface Head {
  readonly resolution: unknown;
  readonly text: string;
}

const knownHeads = new WeakMap<HirModule, Head>();

/** Imports and exports without their positions. */
function headText(modules: CodeModules, file: FileId): string {
  const hir = modules.moduleOf(file);
  if (hir === undefined) return "";
  const { resolution } = modules;
  const known = knownHeads.get(hir);
  if (known && known.resolution === resolution) return known.text;
  const to = (from: string | undefined): string | undefined =>
    from === undefined ? undefined : modules.resolve(file, from);
  const imports = hir.imports.map(({ local, imported, from, isStatic }) => {
    return [local, imported, from, isStatic, to(from)];
  });
  const exports = hir.exports.map(({ name, local, from }) => [name, local, from, to(from)]);
  const text = JSON.stringify([hir.language, imports, exports]);
  knownHeads.set(hir, { resolution, text });
  return text;
}

/** Wraps modules and reachability so that each use is recorded in a trace. */
export function withTrace(
  trace: Trace,
  modules: CodeModules,
  reach: Reach,
  leads: NameReachability,
): { readonly modules: CodeModules; readonly reach: Reach; readonly leads: NameReachability } {
  const use = (on: Dependency): void => {
    trace.use(trace.entry(on));
  };
  return {
    modules: {
      ...modules,
      moduleOf: (file) => {
        use({ kind: "module", file });
        return modules.moduleOf(file);
      },
      resolve: (file, specifier) => {
        use({ kind: "import", file, specifier });
        return modules.resolve(file, specifier);
      },
    },
    leads: {
      mayLead: (file, hir) => {
        use({ kind: "leads", file, function: originOf(hir) });
        return leads.mayLead(file, hir);
      },
      mayHold: (file, type) => {
        use({ kind: "holds", file, type });
        return leads.mayHold(file, type);
      },
      extentOf: (file, hir) => {
        use({ kind: "extent", file, function: originOf(hir) });
        return leads.extentOf(file, hir);
      },
    },
    reach: {
      ...reach,
      mayReach: (hir) => {
        use({ kind: "reach", function: originOf(hir) });
        return reach.mayReach(hir);
      },
      isReachedBy: (interfaceName, method) => {
        use({ kind: "implemented", interfaceName, method });
        return reach.isReachedBy(interfaceName, method);
      },
      mayOpen: (hir) => {
        use({ kind: "opens", function: originOf(hir) });
        return reach.mayOpen(hir);
      },
      isReaching: (name) => {
        use({ kind: "reaching", name });
        return reach.isReaching(name);
      },
      isCalled: (name) => {
        use({ kind: "called", name });
        return reach.isCalled(name);
      },
    },
  };
}
