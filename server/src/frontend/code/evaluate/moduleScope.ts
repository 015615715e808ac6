// The tops of modules: what their names are, evaluated when somebody asks.
import { ofNode } from "../../../query/nodes";
import type { Note } from "../../../program/program";
import type { FileId } from "../../../protocol/source";
import type { HirExport, HirModule, HirStatement } from "../hir";
import type { Library } from "../libraries/library";
import { exportsOf } from "../modules/modules";
import { declarations } from "../queries/dependencies";
import { UNDEFINED, unknown, type Cell, type ModuleScope, type Scope, type Value } from "../values";
import { patternExport } from "../libraries/tsPattern";
import { contractExport } from "../libraries/validators/tsRest";
import { zodExport } from "../libraries/validators/zod";
import { madeKey } from "../queries/origins";
import { semanticsIn } from "../semantics";
import { effectModule } from "./builtins/effect";
import { errorsAsValues } from "./builtins/errorsAsValues";
import { neverReturns } from "./errors/noReturn";
import { bind } from "./bindings";
import { livingOn } from "./values/moduleState";
import { livingCell, staticsOf, variableIn } from "./values/variables";
import { declaredInput, heldValue, typedValue } from "./transactions/instances";
import { globalValue, moduleBuiltin } from "./builtins/globals";
import { javaName } from "./calls/javaNames";
import { createNameValues, type NameValues } from "./nameValues";
import { createModuleIds, type State, type Workspace } from "./state";

/**
 * Modules of a workspace with their names; a module is made when it is asked for. What a name is does not depend on who
 * asks for it first: `fresh` gives each a state of its own.
 */
export function createModuleScopes(
  fresh: (file: FileId) => State,
): (file: FileId) => ModuleScope | undefined {
  const known = new Map<FileId, ModuleScope | undefined>();
  const values = createNameValues();
  const scopeOf = (file: FileId): ModuleScope | undefined => {
    if (known.has(file)) return known.get(file);
    const state = fresh(file);
    const hir = state.workspace.untraced.moduleOf(file);
    const scope = hir && moduleScope(file, hir, fresh, scopeOf, values);
    known.set(file, scope);
    return scope;
  };
  return scopeOf;
}

type Scopes = (file: FileId) => ModuleScope | undefined;

function moduleScope(
  file: FileId,
  hir: HirModule,
  fresh: (file: FileId) => State,
  scopes: Scopes,
  values: NameValues,
): ModuleScope {
  const { trace } = fresh(file).workspace;
  const declared = declarations(hir);
  // Writes of functions there are undone when they are read.
  const variables = new Map<string, Cell>();
  const module: ModuleScope = {
    file,
    lookup: (name) => {
      const entry = trace.entry(trace.facts.name.cell(file, name));
      trace.use(entry.on);
      const value = values(entry, () =>
        trace.during(entry.inner, () =>
          atTop({ ...fresh(file), ids: createModuleIds(file, name) }, entry.notes, (state) =>
            valueOf(state, name),
          ),
        ),
      );
      return variables.get(name)?.value ?? value;
    },
    variable: (name) => {
      if (declared.has(name)) module.lookup(name);
      return variables.get(name);
    },
    get scope() {
      return scope;
    },
  };
  const scope: Scope = { bindings: new Map(), module };
  function valueOf(state: State, name: string): Value | undefined {
    const statement = declared.get(name);
    if (statement) {
      const value = declaredValue(state, { scope, hir, variables }, statement, name);
      return livingOn(state, hir, value, { name, type: statement.kind === "let" ? statement.type : undefined }); // prettier-ignore
    }
    if (!semanticsIn(hir.language).namesByImport)
      return javaName({ state, file, hir, scope, scopes }, name);
    const { imports } = headOf(state, file) ?? hir;
    const imported = imports.find(({ local }) => local === name);
    if (imported) return importedValue(state, file, imported.from, imported.imported, scopes);
    return undefined;
  }
  return module;
}

/** A module of which only imports and exports are looked at. */
function headOf({ workspace }: State, file: FileId): Head | undefined {
  workspace.trace.use(workspace.trace.facts.head.cell(file));
  return workspace.untraced.moduleOf(file);
}

type Head = Pick<HirModule, "imports" | "exports">;

/** A module, and what its variables hold that functions assign. */
interface Top {
  readonly scope: Scope;
  readonly hir: HirModule;
  readonly variables: Map<string, Cell>;
}

function declaredValue(
  state: State,
  { scope, hir, variables }: Top,
  statement: HirStatement,
  name: string,
): Value | undefined {
  switch (statement.kind) {
    case "function":
      return { kind: "function", function: statement.function, scope, name };
    case "class":
      return {
        ...{ kind: "class", class: statement.class, scope },
        statics: staticsOf(state, hir, scope, statement.class),
      };
    case "type":
      return typedValue(state, statement.type, scope);
    case "let": {
      const { type: text } = statement;
      const value = statement.value
        ? state.evaluator.expression(state, scope, statement.value)
        : statement.isMutable
          ? UNDEFINED
          : ambientValue(state, scope, name, text);
      // A place that can be assigned later is known where it is made by a library.
      if (statement.isMutable && value.kind !== "handle") {
        if (statement.pattern.kind !== "bind") return undefined;
        const found = variableIn(state, hir, scope, { name, type: text, initial: value });
        if (found) variables.set(name, livingCell(state, found));
        if (found) return found;
      }
      if (statement.pattern.kind === "bind") {
        const { module } = scope;
        const isSaid = text === undefined || !UNSAID.has(value.kind) || isDataAccess(value);
        const declared = isSaid ? undefined : declaredInput(state, { text, module }, name);
        return declared ?? madeHere(named(value, name), name, module);
      }
      const inner: Scope = { bindings: new Map(), parent: scope, module: scope.module };
      bind(state, inner, statement.pattern, value, true);
      return inner.bindings.get(name)?.value;
    }
    default:
      return undefined;
  }
}

/** `declare const x: X`: the global of that name, or what its type says; nobody here makes it. */
function ambientValue(state: State, scope: Scope, name: string, type: string | undefined): Value {
  const typed = type === undefined ? undefined : heldValue(state, type, scope);
  return globalValue(name) ?? typed ?? unknown(`${name} is made elsewhere`);
}

/** Values that say nothing of what they are. */
const UNSAID: ReadonlySet<Value["kind"]> = new Set(["external", "unknown", "builtin"]);

function isDataAccess(value: Value): boolean {
  return value.kind === "external" && value.isDataAccess === true;
}

function named(value: Value, name: string): Value {
  return value.kind === "function" && value.name === undefined ? { ...value, name } : value;
}

/** Functions that a call gave are told apart by what they are called, also in a record. */
function madeHere(value: Value, name: string, module: ModuleScope): Value {
  if (value.kind === "object" && !value.class) {
    for (const [key, cell] of value.fields) {
      if (cell.value?.kind !== "function") continue;
      value.fields.set(key, { ...cell, value: madeHere(cell.value, `${name}.${key}`, module) });
    }
    return value;
  }
  if (value.kind !== "function" || !value.scope.parent || value.made !== undefined) return value;
  return { ...value, made: madeKey(module.file, name) };
}

/**
 * Code at the top runs once, when the module is loaded: its statements and losses are of no transaction, and what
 * it makes is older than all that functions make. What is to be told of them goes to `notes`.
 */
export function atTop<Result>(state: State, notes: Note[], run: (state: State) => Result): Result {
  const { counts } = state.workspace;
  const { births } = counts;
  state.frame = { ...state.frame, isRoot: false };
  counts.births = Math.min(births, 0) - OLDER;
  const mark = state.trail.length;
  try {
    const value = run(state);
    notes.push(...state.notes);
    return value;
  } finally {
    for (const { cell, old } of state.trail.slice(mark).reverse()) {
      if (cell.isLiving) cell.value = old;
    }
    counts.births = births;
  }
}

/** No top of a module makes as many cells. */
const OLDER = 1e9;

function importedValue(
  state: State,
  file: FileId,
  from: string,
  name: string,
  scopes: Scopes,
): Value | undefined {
  const library = libraryOf(state, file, from);
  const target = library ? undefined : state.workspace.untraced.resolve(file, from);
  if (target !== undefined) {
    state.files.add(target);
    const whole = wholeModule(state, target, name);
    if (whole !== undefined) return scopes(target)?.lookup(whole);
    return name === "*"
      ? namespaceOf(state, target, scopes)
      : exportOf(state, target, name, scopes);
  }
  const builtin =
    moduleBuiltin(from, name) ??
    zodExport(from, name) ??
    contractExport(from, name) ??
    errorsAsValues(from, name) ??
    effectModule(from, name) ??
    patternExport(from, name);
  if (builtin) return builtin;
  if (neverReturns(from, name)) return { kind: "builtin", name: "process.exit" };
  if (!library) {
    const external = name === "default" || name === "*" ? from : name;
    return {
      kind: "external",
      name: external,
      ...(!from.startsWith(".") && { module: from.replace(/^node:/u, "") }),
      ...(isOfOthers(from) && { isOfOthers: true }),
    };
  }
  const tools = state.evaluator.tools(state, library);
  const own = library.imported?.(name, from, tools);
  return (
    own ?? {
      kind: "handle",
      library,
      path: name === "default" || name === "*" ? library.name : name,
    }
  );
}

/** True if a package, by its name, has nothing to do with a database. */
function isOfOthers(from: string): boolean {
  return /^(?:@[\w-]+\/)?\w/u.test(from) && !OF_DATABASES.test(from);
}

const OF_DATABASES =
  /db|data|sql|pg|postgres|maria|prisma|knex|kysely|drizzle|sequelize|orm|repo|store|dao|persist|model|entit/iu;

/** Result of `import("x")` in a file, or `require("x")`; undefined for what is none of the workspace's, or of a known library. */
export function moduleFrom(state: State, file: FileId, from: string): Value | undefined {
  // Where it leads to is looked up for the function that asks.
  state.workspace.modules.resolve(file, from);
  const value = importedValue(state, file, from, "*", state.workspace.moduleScope);
  return value?.kind === "external" ? undefined : value;
}

/** The name in a CommonJS module of the value that it is (`module.exports = x`), where that is asked for. */
function wholeModule(state: State, file: FileId, name: string): string | undefined {
  if (name !== "*" && name !== "default") return undefined;
  const exports = headOf(state, file)?.exports ?? [];
  if (name === "default" && exports.some((each) => each.name === "default")) return undefined;
  return exports.find((each) => each.name === "*" && each.from === undefined)?.local;
}

/** The library that a module is, or a part of. */
function libraryOf({ workspace }: State, file: FileId, from: string): Library | undefined {
  const known = librariesIn(workspace);
  const key = `${file}\0${from}`;
  if (known.has(key)) return known.get(key);
  const { libraries, models } = workspace;
  const found = libraries.find(
    ({ modules, isModule, name }) =>
      modules.includes(from) || isModule?.(from, file, models(name)) === true,
  );
  known.set(key, found);
  return found;
}

/** Barrels of many modules are asked for every name that comes through them. */
const librariesIn = ofNode((_workspace: Workspace) => new Map<string, Library | undefined>());

function namespaceOf(state: State, file: FileId, scopes: Scopes): Value {
  return { kind: "namespace", lookup: (name) => exportOf(state, file, name, scopes) };
}

/** The export of a module under a name, followed through re-exports. */
export function exportOf(
  state: State,
  file: FileId,
  name: string,
  scopes: Scopes,
  seen: ReadonlySet<string> = new Set(),
): Value | undefined {
  const key = `${file}#${name}`;
  if (seen.has(key)) return undefined;
  const hir = headOf(state, file);
  const scope = scopes(file);
  if (!hir || !scope) return undefined;
  const own = exportsOf(hir).get(name);
  if (own) return exportedAs(state, file, own, scopes, new Set([...seen, key]));
  const isOfLibrary = (each: HirExport): boolean =>
    each.from !== undefined && libraryOf(state, file, each.from) !== undefined;
  // A library gives a handle for any name: what the workspace itself has of that name comes first.
  const stars = hir.exports.filter(({ name }) => name === "*");
  const [foreign, ours] = [stars.filter(isOfLibrary), stars.filter((each) => !isOfLibrary(each))];
  for (const each of [...ours, ...foreign]) {
    if (each.from === undefined) continue;
    const library = libraryOf(state, file, each.from);
    const target = library ? undefined : state.workspace.untraced.resolve(file, each.from);
    const value =
      target === undefined
        ? library && importedValue(state, file, each.from, name, scopes)
        : exportOf(state, target, name, scopes, new Set([...seen, key]));
    if (value) return value;
  }
  // Java has no exports, and `module.exports = { f }` may be read as none.
  return hir.exports.length === 0 ? scope.lookup(name) : undefined;
}

function exportedAs(
  state: State,
  file: FileId,
  { name, local, from }: HirExport,
  scopes: Scopes,
  seen: ReadonlySet<string>,
): Value | undefined {
  if (from === undefined) return scopes(file)?.lookup(local ?? name);
  const target = state.workspace.untraced.resolve(file, from);
  if (target === undefined) return importedValue(state, file, from, local ?? name, scopes);
  if (local === undefined || local === "*") return namespaceOf(state, target, scopes);
  return exportOf(state, target, local, scopes, seen);
}
