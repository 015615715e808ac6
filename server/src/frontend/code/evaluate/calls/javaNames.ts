// Names of a Java file beyond variables and fields: its classes, imported ones, those of its package and of star
// imports, static members, and classes of libraries by their packages.
import type { FileId } from "../../../../protocol/source";
import type { HirClass, HirImport, HirModule } from "../../hir";
import type { ModuleScope, Scope, Value } from "../../values";
import { memberOf } from "../values/member";
import type { State } from "../state";

type Scopes = (file: FileId) => ModuleScope | undefined;

interface Place {
  readonly state: State;
  readonly file: FileId;
  readonly hir: HirModule;
  readonly scope: Scope;
  readonly scopes: Scopes;
}

/** The value of a name of a Java module; undefined where neither the workspace nor a library has it. */
export function javaName(place: Place, name: string): Value | undefined {
  const { hir, scope } = place;
  const own = nestedClass(hir, name);
  if (own) return { kind: "class", class: own, scope };
  if (name.includes(".")) return qualified(place, name);
  const single = hir.imports.find(({ local }) => local === name);
  if (single) return imported(place, single);
  const found = workspaceClass(place, name);
  if (found) return found;
  for (const each of hir.imports) {
    if (each.imported !== "*") continue;
    const value = each.isStatic === true ? staticMember(place, each.from, name) : libraryName(place, each.from, name, false); // prettier-ignore
    if (value) return value;
  }
  return undefined;
}

/** A class anywhere in the file. */
function nestedClass(hir: HirModule, name: string): HirClass | undefined {
  const search = (classes: readonly HirClass[]): HirClass | undefined => {
    for (const each of classes) {
      const found = each.name === name ? each : search(each.classes);
      if (found) return found;
    }
    return undefined;
  };
  return search(hir.body.flatMap((each) => (each.kind === "class" ? [each.class] : [])));
}

function imported(place: Place, { from, imported: name, isStatic }: HirImport): Value | undefined {
  if (isStatic === true) return staticMember(place, from, name);
  return workspaceClass(place, from) ?? libraryName(place, packageOf(from), name, true);
}

function packageOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf(".")));
}

/** `a.b.C`, or `C.D` of a class that is known. */
function qualified(place: Place, name: string): Value | undefined {
  const outer = packageOf(name);
  const last = name.slice(outer.length + 1);
  if (!/^[A-Z]/u.test(outer)) {
    return workspaceClass(place, name) ?? libraryName(place, outer, last, true);
  }
  const value = javaName(place, outer);
  return value && memberOf(place.state, value, last, { start: 0, end: 0 });
}

/** A class of the workspace by its name as the file writes it. */
function workspaceClass(place: Place, name: string): Value | undefined {
  const { state, file, scopes, hir: own } = place;
  const target = state.workspace.modules.resolve(file, name);
  if (target === undefined || target === file) return undefined;
  state.files.add(target);
  const hir = state.workspace.modules.moduleOf(target);
  if (hir && isOfLibrary({ state, hir: own }, hir)) return undefined;
  const scope = scopes(target);
  const found = hir && nestedClass(hir, name.slice(name.lastIndexOf(".") + 1));
  return found && scope && { kind: "class", class: found, scope: scope.scope };
}

/** The sources of a library may stand in the workspace: what it means is known all the same, and to others only that. */
function isOfLibrary(
  { state, hir: own }: Pick<Place, "state" | "hir">,
  { package: name }: HirModule,
): boolean {
  if (name === undefined || name === own.package) return false;
  return state.workspace.libraries.some(({ modules }) => modules.includes(name));
}

/** A static member of a class that a static import names. */
function staticMember(place: Place, from: string, name: string): Value | undefined {
  const owner = workspaceClass(place, from) ?? libraryName(place, packageOf(from), from.slice(packageOf(from).length + 1), true); // prettier-ignore
  if (owner?.kind === "class") {
    const isThere =
      owner.class.fields.some((field) => field.isStatic && field.name === name) ||
      owner.class.methods.some((method) => method.isStatic && method.name === name);
    return isThere ? memberOf(place.state, owner, name, { start: 0, end: 0 }) : undefined;
  }
  return owner && memberOf(place.state, owner, name, { start: 0, end: 0 });
}

/** A class of a library; where only the package is imported, one that the library says it has. */
function libraryName(
  { state }: Place,
  packageName: string,
  name: string,
  isNamed: boolean,
): Value | undefined {
  // A class inside of another one is of the same package.
  const own = packageName.replace(/(?:\.\p{Lu}\w*)+$/u, "");
  const library = state.workspace.libraries.find(({ modules }) => modules.includes(own));
  if (!library) return undefined;
  const tools = state.evaluator.tools(state, library);
  const value = library.imported?.(name, packageName, tools);
  return value ?? (isNamed ? { kind: "handle", library, path: name } : undefined);
}
