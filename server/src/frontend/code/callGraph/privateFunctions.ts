// Functions that are private to their module or class: all callers are known.
import type { FileId } from "../../../protocol/source";
import { boundNames } from "../modules/boundNames";
import type { HirModule, HirStatement } from "../hir";
import { isFunction, visit } from "../nodes";
import { functionKey } from "../queries/origins";
import { semanticsIn } from "../semantics";

/** True if the function with a key is in a private part of its module or class. Linear in the module. */
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

/** True if other modules may name the declarations of a top-level statement. */
function isGiven(statement: HirStatement, { language, exports }: HirModule): boolean {
  const names = boundNames(statement);
  if (!semanticsIn(language).namesByImport || names.length === 0) return true;
  return exports.some(({ name, local = name }) => names.includes(local));
}
