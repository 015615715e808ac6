// What modules change in what others hold at their tops: fields of what they import.
import type { FileId } from "../../protocol/source";
import { ANY_CHANGE, fieldOfChange } from "./changedPlaces";
import { changesOf } from "./changes";
import type { HirModule } from "./hir";
import { exportsOf, type CodeModules } from "./modules";

/** The fields of what a name at the top of a file's module holds that modules change which import it. */
export type ChangedElsewhere = (file: FileId, name: string) => ReadonlySet<string>;

type Modules = Pick<CodeModules, "moduleOf" | "resolve">;

interface Changed {
  readonly from: string;
  readonly imported: string;
  readonly fields: readonly string[];
}

const NONE: ReadonlySet<string> = new Set();

const known = new WeakMap<HirModule, readonly Changed[]>();

/** Answers for the modules as they are; the first question is linear in the imports of all files. */
export function createChangedElsewhere(
  files: readonly FileId[],
  modules: Modules,
): ChangedElsewhere {
  let all: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return (file, name) => {
    all ??= collected(files, modules);
    return all.get(keyOf(file, name)) ?? NONE;
  };
}

function keyOf(file: FileId, name: string): string {
  return `${file}\0${name}`;
}

function collected(
  files: readonly FileId[],
  modules: Modules,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (file: FileId, name: string, field: string): void => {
    for (const at of declaredAt(modules, file, name)) {
      const key = keyOf(at.file, at.name);
      const fields = found.get(key);
      if (fields) fields.add(field);
      else found.set(key, new Set([field]));
    }
  };
  for (const file of files) {
    const module = modules.moduleOf(file);
    for (const { from, imported, fields } of module ? changedImports(module) : []) {
      const target = modules.resolve(file, from);
      if (target === undefined) continue;
      for (const field of fields) {
        add(target, imported, field);
        // Of a module as a whole, a name that it exports.
        if (imported === "*") add(target, field, ANY_CHANGE);
      }
    }
  }
  return found;
}

/** What a module changes in what it imports. Java has no imports of values. */
function changedImports(module: HirModule): readonly Changed[] {
  const before = known.get(module);
  if (before) return before;
  const imports = module.language === "java" ? [] : module.imports;
  const own = imports.flatMap(({ local, imported, from }) => {
    const fields = [...changesOf(module, local)].map((change) => fieldOfChange(change).field);
    return fields.length > 0 ? [{ from, imported, fields }] : [];
  });
  known.set(module, own);
  return own;
}

interface Place {
  readonly file: FileId;
  readonly name: string;
}

/** Where what a module gives under a name is declared, over all that it exports from elsewhere. */
function declaredAt(
  modules: Modules,
  file: FileId,
  name: string,
  seen: ReadonlySet<string> = NONE,
): readonly Place[] {
  const module = modules.moduleOf(file);
  const key = keyOf(file, name);
  if (!module || seen.has(key)) return [];
  const on = new Set([...seen, key]);
  const exports = exportsOf(module);
  const own = exports.get(name) ?? (name === "default" ? exports.get("*") : undefined);
  if (own && (own.name !== "*" || own.from === undefined)) {
    const { from, local = name } = own;
    if (from === undefined) return [{ file, name: local }];
    const target = modules.resolve(file, from);
    return target === undefined ? [] : declaredAt(modules, target, local, on);
  }
  // Java has no exports, and `module.exports = { f }` may be read as none.
  if (module.exports.length === 0) return [{ file, name }];
  return module.exports.flatMap(({ name: all, from }) => {
    const target = all === "*" && from !== undefined ? modules.resolve(file, from) : undefined;
    return target === undefined ? [] : declaredAt(modules, target, name, on);
  });
}
