// Functions that may change what stands outside of them, told by their text alone: such functions run once for each item,
// in order, and are not asked again.
import { ofNode } from "../../../../query/nodes";
import type { HirFunction } from "../../hir";
import { isNode, visit } from "../../nodes";
import { originOf } from "../../queries/origins";
import type { State } from "../state";
import type { Value } from "../../values";

/** Methods that change nothing, whatever they are called on. */
const READING =
  /^(?:at|charAt|concat|endsWith|entries|every|filter|find|findIndex|findLast|findLastIndex|flat|flatMap|get|getTime|has|hasOwn|includes|indexOf|isArray|join|keys|lastIndexOf|map|match|padEnd|padStart|repeat|replace|replaceAll|slice|some|split|startsWith|substring|test|toFixed|toISOString|toLowerCase|toString|toUpperCase|trim|values|valueOf|equals|size|isEmpty)$/u;

/** True if running a function may change something that others see. Linear in its size, once. */
export function mayChange(by: Value): boolean {
  if (by.kind === "choice") return mayChange(by.then) || mayChange(by.otherwise);
  if (by.kind !== "function") return false;
  return changesIn(originOf(by.function));
}

const changesIn = ofNode((hir: HirFunction): boolean => {
  let may = false;
  visit(hir.body, (node) => {
    may ||= changes(node);
  });
  return may;
});

function changes(node: object): boolean {
  if (!("kind" in node)) return false;
  if (node.kind === "assign" || node.kind === "increment") return true;
  if (node.kind === "unary") return "operator" in node && node.operator === "delete";
  if (node.kind !== "call" || !("callee" in node) || !isNode(node.callee)) return false;
  return !("property" in node.callee && READING.test(String(node.callee.property)));
}

/** True if a function surely runs no statement, changes and refuses nothing, by its text alone. */
export function isPlain({ workspace }: State, by: Value): boolean {
  if (by.kind !== "function" || mayChange(by) || workspace.reach.mayReach(by.function))
    return false;
  let isThrowing = false;
  visit(originOf(by.function).body, (node) => {
    isThrowing ||= "kind" in node && (node.kind === "throw" || node.kind === "new");
  });
  return !isThrowing;
}
