// Which modules can have anything to do with a database, told by what they import: those that no way leads from to a
// library, to SQL or to what is called like a part of a database need no evaluation of their functions.
import { ofNode } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirModule, HirStatement } from "../hir";
import { LIBRARIES } from "../libraries/libraries";
import type { CodeModules } from "../modules/modules";
import { originOf } from "../queries/origins";
import { addChildren } from "../nodes";
import type { IsStopped, SlicedWork } from "../queries/slices";
import { semanticsIn } from "../semantics";
import { addToList } from "../multimap";
import { sitesOf } from "./callSites";
import { isDataAccess } from "./dataAccessNames";

/** Methods that libraries know whatever they are called on. */
const METHODS = /^(?:query|execute|\$\w+)$/u;

/** And those of models, where a library has any. */
const OF_MODELS =
  /^(?:find|create|update|delete|upsert|count|aggregate|groupBy|destroy|bulk|increment|decrement|save|sum|min|max|restore|truncate)/u;

/** Names of packages that may lead to a database: of any, and of one's own. */
const PACKAGES = /(?<!indexed)db|database|sql|prisma|knex|(?<!f)orm/iu;
const OWN_PACKAGES = /repo|store|dao|persist|model|entit/iu;

/**
 * The files whose functions may use a database: all but those of TypeScript and JavaScript from which no import leads
 * to one. Errs on the side of yes. What the files import is looked at only as far as to the first that is near.
 */
export function* nearDatabase(
  files: readonly FileId[],
  modules: CodeModules,
  {
    used,
    described,
  }: { readonly used: ReadonlySet<string>; readonly described: ReadonlySet<string> },
  isStopped?: IsStopped,
): SlicedWork<ReadonlySet<FileId>> {
  const hasModels =
    used.has("prisma") || LIBRARIES.some((each) => each.statementsOfRows && used.has(each.name));
  const graph = createGraph(modules, { hasModels, described });
  const { near } = graph;
  const step = { done: 0, total: files.length };
  for (const file of files) {
    yield step;
    // Nothing is evaluated any more.
    if (isStopped?.()) return near;
    graph.lookAt(file);
  }
  for (const file of files) {
    // Grows while it is gone over: what these import is looked at, too.
    const behind = new Set([file]);
    for (const each of behind) {
      if (near.has(file)) break;
      yield step;
      if (isStopped?.()) return near;
      for (const target of graph.lookAt(each)) behind.add(target);
    }
  }
  return near;
}

const NOTHING: readonly FileId[] = [];

interface Graph {
  /** The files that are known to be near, and all that import them. */
  readonly near: ReadonlySet<FileId>;
  /** Looks at a file once. Gives what it imports; nothing of what is near. */
  readonly lookAt: (file: FileId) => readonly FileId[];
}

function createGraph(
  modules: CodeModules,
  {
    hasModels,
    described,
  }: { readonly hasModels: boolean; readonly described: ReadonlySet<string> },
): Graph {
  const near = new Set<FileId>();
  const importers = new Map<FileId, FileId[]>();
  const looked = new Map<FileId, readonly FileId[]>();
  const found = (first: FileId): void => {
    const open = new Set([first]);
    for (const file of open) {
      if (near.has(file)) continue;
      near.add(file);
      for (const importer of importers.get(file) ?? []) open.add(importer);
    }
  };
  const look = (file: FileId): readonly FileId[] => {
    const module = modules.moduleOf(file);
    if (!module || !semanticsIn(module.language).namesByImport || isNear(module, hasModels)) {
      found(file);
      return NOTHING;
    }
    const targets: FileId[] = [];
    for (const from of specifiers(module)) {
      const target = described.has(from) ? undefined : modules.resolve(file, from);
      const mayLead = described.has(from) || mayLeadOutside(from, modules);
      const isOne = target === undefined ? mayLead : near.has(target);
      if (isOne) {
        found(file);
        return NOTHING;
      }
      if (target !== undefined) targets.push(target);
    }
    for (const target of targets) {
      addToList(importers, target, file);
    }
    return targets;
  };
  return {
    near,
    lookAt: (file) => {
      const known = near.has(file) ? NOTHING : looked.get(file);
      if (known) return known;
      const targets = look(file);
      looked.set(file, targets);
      return targets;
    },
  };
}

/** True if a module that is not in the workspace may lead to a database. */
export function mayLeadOutside(from: string, modules: Pick<CodeModules, "isFolder">): boolean {
  if (isOfLibrary(from)) return true;
  const { name, scope } = packageOf(from, modules);
  if (name === undefined) return PACKAGES.test(from) || OWN_PACKAGES.test(from);
  return PACKAGES.test(name) || (scope !== undefined && OWN_PACKAGES.test(from));
}

/** True if a module that is not in the workspace is of a package that everybody can install; one with a scope may be one's own. */
export function isPublicPackage(from: string, modules: Pick<CodeModules, "isFolder">): boolean {
  const { name, scope } = packageOf(from, modules);
  return name !== undefined && scope === undefined && !isOfLibrary(from);
}

/** The package of a module, without the path in it; no name for relative paths, aliases and paths from a folder of the workspace. */
function packageOf(
  from: string,
  { isFolder }: Pick<CodeModules, "isFolder">,
): { readonly name?: string; readonly scope?: string } {
  const { scope, name } =
    /^(?:node:)?(?:(?<scope>@[\w.-]+)\/)?(?<name>[a-z\d][\w.-]*)/iu.exec(from)?.groups ?? {};
  if (name === undefined || (scope === undefined && isFolder(name))) return {};
  return scope === undefined ? { name } : { name, scope };
}

function specifiers({ imports, exports }: HirModule): ReadonlySet<string> {
  return new Set([
    ...imports.map(({ from }) => from),
    ...exports.flatMap(({ from }) => (from === undefined ? [] : [from])),
  ]);
}

function isOfLibrary(from: string): boolean {
  return LIBRARIES.some(({ modules }) =>
    modules.some((name) => from === name || from.startsWith(`${name}/`)),
  );
}

function isNear(module: HirModule, hasModels: boolean): boolean {
  for (const site of sitesOf(module)) if (site) return true;
  return module.body.some((statement) => {
    const marks = marksOf(originOf(statement));
    return marks.isShaped || (hasModels && marks.isOfModels);
  });
}

interface Marks {
  isShaped: boolean;
  isOfModels: boolean;
}

const marksOf = ofNode((statement: HirStatement): Marks => {
  const marks: Marks = { isShaped: false, isOfModels: false };
  const open: object[] = [statement];
  for (let each = open.pop(); each; each = open.pop()) {
    addChildren(each, open);
    const method = calledMethod(each);
    if (method !== undefined) {
      marks.isShaped ||= METHODS.test(method);
      marks.isOfModels ||= OF_MODELS.test(method);
    }
    // A module that is asked for when it is needed is not among the imports.
    if ("kind" in each && each.kind === "name" && "name" in each) {
      marks.isShaped ||= each.name === "require" || each.name === "import";
    }
    if ("type" in each && typeof each.type === "string") marks.isShaped ||= isDataAccess(each.type);
  }
  return marks;
});

/** The method that a call is of. */
function calledMethod(node: object): string | undefined {
  const callee = "kind" in node && node.kind === "call" && "callee" in node && node.callee;
  if (typeof callee !== "object" || callee === null || !("property" in callee)) return undefined;
  return typeof callee.property === "string" ? callee.property : undefined;
}
