// What may be said of code when reading was stopped before its end.
import type { FileId } from "../../protocol/source";
import type { HirStatement } from "./hir";
import type { ReadFunction } from "./memory";
import type { CodeModules } from "./modules";
import { originOf } from "./origins";
import { childrenOf } from "./nodes";

/**
 * The functions that nothing in files that were not read can call: those that they name may run in transactions of
 * theirs, so that nothing is known of these alone. Linear in the files.
 */
export function withoutOpenCallers(
  functions: readonly ReadFunction[],
  unread: readonly FileId[],
  { modules }: { readonly modules: CodeModules },
): readonly ReadFunction[] {
  const named = new Set<string>();
  for (const file of unread) {
    for (const statement of modules.moduleOf(file)?.body ?? []) {
      for (const name of namesIn(originOf(statement))) named.add(name);
    }
  }
  return functions.filter(({ transaction }) => {
    const name = transaction?.name.split(".").at(-1);
    return name === undefined || !named.has(name);
  });
}

const known = new WeakMap<HirStatement, ReadonlySet<string>>();

/** All that a statement names: variables, and members of whatever. */
function namesIn(statement: HirStatement): ReadonlySet<string> {
  const own = known.get(statement);
  if (own) return own;
  const names = new Set<string>();
  const open: object[] = [statement];
  for (let each = open.pop(); each; each = open.pop()) {
    open.push(...childrenOf(each));
    if (!("kind" in each)) continue;
    if (each.kind === "name" && "name" in each) add(each.name, names);
    if (each.kind === "member" && "property" in each) add(each.property, names);
  }
  known.set(statement, names);
  return names;
}

function add(name: unknown, names: Set<string>): void {
  if (typeof name === "string") names.add(name);
}
