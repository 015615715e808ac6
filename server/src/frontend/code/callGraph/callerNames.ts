// Who may call a function, told by names alone: by its own, and by the others that it is given.
import { ofNode } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirFunction, HirModule, TextRun } from "../hir";
import type { CodeModules } from "../modules/modules";
import { addChildren, isFunction, isNode } from "../nodes";
import { originOf } from "../queries/origins";
import type { ReadFunction } from "../queries/rootReading";
import { addToSet } from "../multimap";
import { namesElsewhere, otherNamesIn } from "./aliases";

export interface CallerNames {
  /** The name by which a function may be called. The handler of a route, which nobody calls, has a name that nothing else has. */
  readonly of: (read: ReadFunction) => ReadonlySet<string>;
  /** The files, of those that are chosen, in which one of the names stands. */
  readonly files: (names: ReadonlySet<string>, isChosen: IsChosen) => readonly FileId[];
}

type IsChosen = (file: FileId, name: string) => boolean;

/** Looks over the names of files when they are asked for, once. Linear in the files, of which unchanged ones are kept. */
export function callerNames({
  files,
  modules,
}: {
  readonly files: readonly FileId[];
  readonly modules: CodeModules;
}): CallerNames {
  const elsewhere = namesElsewhere(files, modules);
  let inside: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return {
    of: ({ transaction, names: own }) => {
      if (transaction === undefined) return new Set();
      inside ??= otherNamesOf(files, modules);
      // Grows while it is gone over.
      const names = new Set(own);
      for (const each of names) {
        for (const other of elsewhere.get(each) ?? []) names.add(other);
        for (const other of inside.get(each) ?? []) names.add(other);
      }
      return names;
    },
    files: (names, isChosen) =>
      files.filter((file) => {
        const module = modules.moduleOf(file);
        const own = module && namesInModule(module);
        return [...names].some((name) => isChosen(file, name) && own?.has(name));
      }),
  };
}

const renamedIn = ofNode(otherNamesIn);

/** The other names that statements of all files give something, whichever file that is of. Linear in the files, once. */
function otherNamesOf(
  files: readonly FileId[],
  modules: CodeModules,
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of files) {
    for (const statement of modules.moduleOf(file)?.body ?? []) {
      for (const { name, of } of renamedIn(originOf(statement))) {
        addToSet(found, of, name);
      }
    }
  }
  return found;
}

/** Which functions of a module name something; all of them, where what stands around them does. */
export function functionsNaming(
  { body }: HirModule,
  functions: readonly HirFunction[],
  names: ReadonlySet<string>,
): (hir: HirFunction) => boolean {
  const own = new Set(functions.map((each) => originOf(each)));
  const around = new Set<string>();
  for (const statement of body) addNames(originOf(statement), around, own);
  const isAll = [...names].some((name) => around.has(name));
  return (hir) => {
    const inside = namesInFunction(hir);
    return isAll || [...names].some((name) => inside.has(name));
  };
}

const namesInModule = ofNode(
  ({ body }: HirModule): ReadonlySet<string> =>
    new Set(body.flatMap((statement) => [...namesIn(originOf(statement))])),
);

function namesInFunction(hir: HirFunction): ReadonlySet<string> {
  return namesIn(originOf(hir));
}

const namesIn = ofNode((part: object): ReadonlySet<string> => {
  const names = new Set<string>();
  addNames(part, names);
  return names;
});

/** All that a part names: variables, members of whatever, and what it takes out of records by name. */
function addNames(part: object, to: Set<string>, without?: ReadonlySet<object>): void {
  const open: object[] = [part];
  for (let each = open.pop(); each; each = open.pop()) {
    if (without && isFunction(each) && without.has(originOf(each))) continue;
    addChildren(each, open);
    if ("pattern" in each && "key" in each) add(each.key, to);
    if (!("kind" in each)) continue;
    if (each.kind === "name" && "name" in each) add(each.name, to);
    if (each.kind === "member" && "property" in each) add(each.property, to);
    if (each.kind === "index" && "index" in each) add(textOf(each.index), to);
  }
}

function add(name: unknown, to: Set<string>): void {
  if (typeof name === "string") to.add(name);
}

/** `service["take"]`. */
function textOf(index: unknown): unknown {
  if (!isNode(index) || !("runs" in index)) return undefined;
  const [run] = index.runs as readonly TextRun[]; // only texts have runs
  return run?.text;
}
