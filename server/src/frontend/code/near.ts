// Which modules can have anything to do with a database, told by what they import: those that no way leads from to a
// library, to SQL or to what is called like a part of a database need no evaluation of their functions.
import type { FileId } from "../../protocol/source";
import { isDataAccess } from "./evaluate/dataAccess";
import type { HirModule, HirStatement } from "./hir";
import { LIBRARIES } from "./libraries/libraries";
import type { CodeModules } from "./modules";
import { originOf } from "./origins";
import { childrenOf } from "./nodes";
import { sitesOf } from "./sites";
import type { IsStopped, Sliced } from "./slices";

/** Methods that libraries know whatever they are called on. */
const METHODS = /^(?:query|execute|\$\w+)$/u;

/** And those of models, where a library has any. */
const OF_MODELS =
  /^(?:find|create|update|delete|upsert|count|aggregate|groupBy|destroy|bulk|increment|decrement|save|sum|min|max|restore|truncate)/u;

/** Packages that are not in the workspace and may lead to a database all the same. */
const PACKAGES = /db|database|sql|prisma|knex|orm|repo|store|dao|persist|model|entit/iu;

/**
 * The files whose functions may use a database: all but those of TypeScript and JavaScript from which no import leads
 * to one. Errs on the side of yes. Linear in the modules that can be reached.
 */
export function* nearDatabase(
  files: readonly FileId[],
  modules: CodeModules,
  used: ReadonlySet<string>,
  isStopped?: IsStopped,
): Sliced<ReadonlySet<FileId>> {
  const hasModels = used.has("prisma") || used.has("sequelize");
  const importers = new Map<FileId, FileId[]>();
  const near = new Set<FileId>();
  // Grows while it is gone over: what these import is looked at, too.
  const all = new Set(files);
  for (const file of all) {
    yield { done: 0, total: files.length };
    // Nothing is evaluated any more.
    if (isStopped?.()) break;
    const module = modules.moduleOf(file);
    if (!module || module.language === "java" || isNear(module, hasModels)) {
      near.add(file);
      continue;
    }
    for (const from of specifiers(module)) {
      const target = modules.resolve(file, from);
      if (target === undefined) {
        if (isOfLibrary(from) || PACKAGES.test(from)) near.add(file);
        continue;
      }
      all.add(target);
      const known = importers.get(target);
      if (known) known.push(file);
      else importers.set(target, [file]);
    }
  }
  // Who imports what is near is near; this grows, too.
  for (const file of near) for (const importer of importers.get(file) ?? []) near.add(importer);
  return near;
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

const known = new WeakMap<HirStatement, Marks>();

function marksOf(statement: HirStatement): Marks {
  const own = known.get(statement);
  if (own) return own;
  const marks: Marks = { isShaped: false, isOfModels: false };
  known.set(statement, marks);
  const open: object[] = [statement];
  for (let each = open.pop(); each; each = open.pop()) {
    for (const child of childrenOf(each)) open.push(child);
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
}

/** The method that a call is of. */
function calledMethod(node: object): string | undefined {
  const callee = "kind" in node && node.kind === "call" && "callee" in node && node.callee;
  if (typeof callee !== "object" || callee === null || !("property" in callee)) return undefined;
  return typeof callee.property === "string" ? callee.property : undefined;
}
