// Functions that may open a transaction around their argument, judging by their text: only these are evaluated where they wrap others.
import type { HirFunction } from "../hir";
import { isNode, visit } from "../nodes";

/** Names used by libraries and programmers; tracing tools "start" transactions of their own. */
const OPENS =
  /(?:^|[.$_@])(?:(?:with|run|execute|do|use|perform|call)?_?(?:in_?(?:a_?)?)?(?:db_?|database_?|sql_?)?(?:transaction|tx|trx)|transact|transactional(?:ly)?|atomic(?:ally)?)$/iu;

/** Wrappers may be nested this deep. */
const DEEPEST = 3;

/**
 * True if a function may run its argument in a transaction that it opens, or with a value in an AsyncLocalStorage. Errs on the side of yes.
 * Linear in the function and in the functions that it passes functions to, by name (`named`).
 */
export function mayOpen(
  hir: HirFunction,
  named: (name: string) => readonly HirFunction[],
  depth = DEEPEST,
): boolean {
  let found = false;
  const called = new Set<string>();
  visit(hir.body, (node) => {
    if (found || !("kind" in node)) return;
    if (node.kind === "text" && "runs" in node) found = BEGINS.test(firstText(node.runs));
    if (node.kind === "template" && "texts" in node && Array.isArray(node.texts)) {
      found = BEGINS.test(firstText(node.texts[0]));
    }
    if (node.kind !== "call" || !("callee" in node) || !("arguments" in node)) return;
    const name = lastName(node.callee);
    const given: readonly unknown[] = Array.isArray(node.arguments) ? node.arguments : [];
    if (name === undefined) return;
    if (BEGIN.test(name)) found = true;
    if (given.length > 0 && opensByName(name)) found = true;
    if (given.length > 1 && name === "run") found = true;
    if (given.some(isWork)) called.add(name);
  });
  if (found || depth === 0) return found;
  return [...called].some((name) => named(name).some((each) => mayOpen(each, named, depth - 1)));
}

const BEGINS = /^\s*(?:begin|start\s+transaction)\b/iu;

const BEGIN = /^(?:begin|beginTransaction|startTransaction|begin_?[Ww]ork|enterWith)$/u;

function firstText(runs: unknown): string {
  const first: unknown = Array.isArray(runs) ? runs[0] : undefined;
  return isNode(first) && "text" in first && typeof first.text === "string" ? first.text : "";
}

function lastName(callee: unknown): string | undefined {
  if (!isNode(callee)) return undefined;
  const name = "property" in callee ? callee.property : "name" in callee ? callee.name : undefined;
  return typeof name === "string" ? name : undefined;
}

/** True for a function or a possible one. */
function isWork(argument: unknown): boolean {
  if (!isNode(argument) || !("value" in argument) || !isNode(argument.value)) return false;
  return (
    "kind" in argument.value && /^(?:function|name|member)$/u.test(String(argument.value.kind))
  );
}

/** True if a function of that name (as written) is assumed to open a transaction around its argument. */
export function opensByName(name: string): boolean {
  return OPENS.test(name);
}
