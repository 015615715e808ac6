// Writes of modules to other modules' top-level state: fields of their imports.
import { ofNode } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirModule } from "../hir";
import { exportsOf, type CodeModules } from "../modules/modules";
import { semanticsIn } from "../semantics";
import { addToSet } from "../multimap";
import { ANY_CHANGE, fieldOfChange } from "./writeTargets";
import { changesOf } from "./modRef";
import {
  createChangedByHelpers,
  handedIn,
  type ChangedByHelpers,
  type Place,
} from "./parameterEffects";

/**
 * The fields of a top-level name's value that importing modules change, or that helpers change to which the value is passed. For
 * `Class.this`: the fields of its objects that helpers change.
 */
export type ChangedElsewhere = (file: FileId, name: string) => ReadonlySet<string>;

type Modules = Pick<CodeModules, "moduleOf" | "resolve">;

interface Changed {
  readonly from: string;
  readonly imported: string;
  readonly fields: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();

/** Answers queries about a fixed set of modules; the first one is linear in the imports of all files. */
export function createChangedElsewhere(
  files: readonly FileId[],
  modules: Modules,
): ChangedElsewhere {
  let all: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  const places = new Map<string, readonly Place[]>();
  const byHelpers = createChangedByHelpers({
    moduleOf: (file) => modules.moduleOf(file),
    imported: (file, local) => {
      const key = keyOf(file, local);
      const known = places.get(key) ?? importedAt(modules, file, local);
      places.set(key, known);
      return known;
    },
  });
  return (file, name) => {
    all ??= collected(files, modules, byHelpers);
    const others = all.get(keyOf(file, name)) ?? NONE;
    const own = byHelpers(file, name);
    if (own.size === 0 || others.size === 0) return own.size === 0 ? others : own;
    return new Set([...others, ...own]);
  };
}

function keyOf(file: FileId, name: string): string {
  return `${file}\0${name}`;
}

function collected(
  files: readonly FileId[],
  modules: Modules,
  byHelpers: ChangedByHelpers,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (file: FileId, name: string, field: string): void => {
    for (const at of declaredAt(modules, file, name)) {
      const key = keyOf(at.file, at.name);
      addToSet(found, key, field);
    }
  };
  for (const file of files) {
    const module = modules.moduleOf(file);
    for (const { from, imported, fields } of module ? changedImports(module) : []) {
      const target = modules.resolve(file, from);
      if (target === undefined) continue;
      for (const field of fields) {
        add(target, imported, field);
        // The fields of a whole module are its exported names.
        if (imported === "*") add(target, field, ANY_CHANGE);
      }
    }
    for (const { local, imported, from } of module ? handedImports(module) : []) {
      const fields = byHelpers(file, local);
      const target = fields.size > 0 ? modules.resolve(file, from) : undefined;
      if (target !== undefined) for (const field of fields) add(target, imported, field);
    }
  }
  return found;
}

/** The changes of a module to its imports. Java has no imports of values. */
const changedImports = ofNode((module: HirModule): readonly Changed[] => {
  const imports = semanticsIn(module.language).namesByImport ? module.imports : [];
  return imports.flatMap(({ local, imported, from }) => {
    const fields = [...changesOf(module, local)].map((change) => fieldOfChange(change).field);
    return fields.length > 0 ? [{ from, imported, fields }] : [];
  });
});

/** The imports that a module passes on. Java has no imports of values. */
function handedImports(module: HirModule): HirModule["imports"] {
  const handed = semanticsIn(module.language).namesByImport ? handedIn(module) : undefined;
  return handed ? module.imports.filter(({ local }) => handed.has(local)) : [];
}

/** The declarations of a name that a file imports. */
function importedAt(modules: Modules, file: FileId, local: string): readonly Place[] {
  const imports = modules.moduleOf(file)?.imports ?? [];
  return imports.flatMap((each) => {
    const target = each.local === local ? modules.resolve(file, each.from) : undefined;
    if (target === undefined) return [];
    return each.imported === "*"
      ? [{ file: target, name: "*" }]
      : declaredAt(modules, target, each.imported);
  });
}

/** The declarations of a name that a module exports, across re-exports; each module is visited once. */
function declaredAt(
  modules: Modules,
  file: FileId,
  name: string,
  seen = new Set<string>(),
): readonly Place[] {
  const module = modules.moduleOf(file);
  const key = keyOf(file, name);
  if (!module || seen.has(key)) return [];
  seen.add(key);
  const exports = exportsOf(module);
  const own = exports.get(name) ?? (name === "default" ? exports.get("*") : undefined);
  if (own && (own.name !== "*" || own.from === undefined)) {
    const { from, local = name } = own;
    if (from === undefined) return [{ file, name: local }];
    const target = modules.resolve(file, from);
    return target === undefined ? [] : declaredAt(modules, target, local, seen);
  }
  // Java has no exports, and `module.exports = { f }` may not have been read as one.
  if (module.exports.length === 0) return [{ file, name }];
  return module.exports.flatMap(({ name: all, from }) => {
    const target = all === "*" && from !== undefined ? modules.resolve(file, from) : undefined;
    return target === undefined ? [] : declaredAt(modules, target, name, seen);
  });
}
