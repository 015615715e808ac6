// Functions that nobody outside of their module or class can call: all who do are there to be read.
import type { FileId } from "../../../protocol/source";
import { boundNames } from "../modules/boundNames";
import type { HirModule, HirStatement } from "../hir";
import { isFunction, visit } from "../nodes";
import { functionKey } from "../queries/origins";
import { semanticsIn } from "../semantics";

/** True if the function with a key stands in what its module or class keeps to itself. Linear in the module. */
export function isInner(key: string, file: FileId, module: HirModule): boolean {
  const isHere = (part: unknown): boolean => {
    let found = false;
    visit(part, (node) => {
      found ||= isFunction(node) && functionKey(file, node) === key;
    });
    return found;
  };
  return module.body.some((statement) => {
    if (!isGiven(statement, module)) return isHere(statement);
    let found = false;
    visit(statement, (node) => {
      found ||= "isPrivate" in node && node.isPrivate === true && isHere(node);
    });
    return found;
  });
}

/** True if others may name what a statement at the top of a module declares. */
function isGiven(statement: HirStatement, { language, exports }: HirModule): boolean {
  const names = boundNames(statement);
  if (!semanticsIn(language).namesByImport || names.length === 0) return true;
  return exports.some(({ name, local = name }) => names.includes(local));
}
