// What code changes in what its names hold: fields that it writes, lists, sets and maps that it adds to. What stands at
// the top of a module lives on between the calls of its functions, so that no function finds it as it was made.
import { THIS } from "./changedPlaces";
import type { HirClass, HirModule } from "./hir";
import { namedIn } from "./named";
import { originOf } from "./origins";

const NONE: ReadonlySet<string> = new Set();

const known = new WeakMap<HirModule, ReadonlyMap<string, ReadonlySet<string>>>();

/** The fields of what a name at the top of a module holds that the module changes, wherever that stands. */
export function changesOf(module: HirModule | undefined, name: string): ReadonlySet<string> {
  if (!module) return NONE;
  let changes = known.get(module);
  if (!changes) {
    changes = grouped(module.body.flatMap((each) => [...namedIn(originOf(each)).changed]));
    known.set(module, changes);
  }
  return changes.get(name) ?? NONE;
}

/** The fields that a class's methods change of their object after it was made. */
export function ownChanges({ methods }: HirClass): ReadonlySet<string> {
  const later = methods.filter(({ kind, isStatic }) => kind !== "constructor" && isStatic !== true);
  return changedByMethods(later);
}

/** The static fields that its static methods change by `this`. */
export function ownStaticChanges({ methods }: HirClass): ReadonlySet<string> {
  return changedByMethods(methods.filter(({ isStatic }) => isStatic));
}

function changedByMethods(methods: HirClass["methods"]): ReadonlySet<string> {
  const all = methods.flatMap(({ function: hir }) => [...namedIn(originOf(hir)).changed]);
  return grouped(all).get(THIS) ?? NONE;
}

function grouped(changes: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>();
  for (const change of changes) {
    const at = change.indexOf(".");
    const name = change.slice(0, at);
    const fields = byName.get(name) ?? new Set();
    byName.set(name, fields.add(change.slice(at + 1)));
  }
  return byName;
}
