// Arguments that escape to an unknown function, which may change them: what is empty is given to be filled, and methods
// of an object are given to be called.
import type { HirClass } from "../../hir";
import { isNode, visit } from "../../nodes";
import { constantScalar, unknown, type ObjectValue, type Value } from "../../values";
import { itemsOf } from "../lists/collections";
import { readsOf } from "../values/convert";
import { weakUpdate } from "../lists/iteration";
import { setAnyMember, setMember } from "../values/member";
import { superclassOf } from "../values/methods";
import type { State } from "../state";
import { semanticsOf } from "../../semantics";
import { ofNode } from "../../../../query/nodes";

const UNKNOWN_ITEM = unknown("what an unknown function does to it");

/** Records that hold what is given away, one in the other, up to which these are found. */
const DEEPEST = 3;

/**
 * Forgets what an unknown function of that name may change of an argument. Linear in it and, once, in the text of its
 * classes.
 */
export function giveAway(state: State, value: Value, name: string, depth = DEEPEST): void {
  const isEmptyList = value.kind === "list" && itemsOf(value)?.length === 0;
  if (isEmptyList && depth === DEEPEST) weakUpdate(state, value, UNKNOWN_ITEM);
  if (value.kind !== "object") return;
  if (value.class) {
    callMethods(state, value, value.class);
    return;
  }
  if (value.fields.size === 0 && !value.rest && depth === DEEPEST) {
    setAnyMember(state, value, UNKNOWN_ITEM);
  }
  if (depth === DEEPEST && !ONLY_READS.test(name)) fillIn(state, value);
  if (depth === 0) return;
  for (const { value: part } of value.fields.values())
    if (part) giveAway(state, part, name, depth - 1);
}

/** Functions that look at what they are given: logs, checks, texts, messages. */
export const ONLY_READS =
  /(?:^|\.)_?(?:log|debug|info|warn|error|trace|track|capture|print|report|parse|safeParse|validate|check|assert|ensure|verify|is|has|stringify|serialize|format|render|hash|sign|encode|send|emit|publish|notify|dispatch|trigger|enqueue|json|redirect|freeze|[tT])(?:[A-Z_]\w*)?$/u;

/** The first content of a record, for a function to put something else there: `{ digest: null }`. */
function fillIn(state: State, value: ObjectValue): void {
  if (!semanticsOf(state.frame.file).changesArguments || value.isMap === true) return;
  for (const [name, { value: before }] of value.fields) {
    if (!before || (before.kind !== "undefined" && !isInitial(constantScalar(before)))) continue;
    setMember(
      state,
      value,
      name,
      unknown(`${name} of a record that an unknown function was given`),
    );
  }
}

function isInitial(constant: unknown): boolean {
  return constant === null || constant === false || constant === 0 || constant === "";
}

/** Fields of an instance that its methods write are not known once somebody unknown may call these. */
function callMethods(
  state: State,
  value: ObjectValue,
  of: NonNullable<ObjectValue["class"]>,
): void {
  // Beans of Java have setters for all of their fields, which nobody calls who is given one to send or to log it.
  if (!semanticsOf(state.frame.file).changesArguments) return;
  for (let each: typeof of | undefined = of; each; each = superclassOf(each)) {
    for (const name of writtenBy(each.class)) {
      const before = value.fields.get(name)?.value;
      if (before && WITHOUT_STATE.has(before.kind)) continue;
      const why = `${name} of an object whose methods an unknown function may call`;
      setMember(state, value, name, unknown(why, before ? readsOf(before) : []));
    }
  }
}

const WITHOUT_STATE: ReadonlySet<string> = new Set(["handle", "function", "class", "external"]);

/** The fields that methods assign, which others may call. */
const writtenBy = ofNode((of: HirClass): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { kind, isStatic, isPrivate, function: method } of of.methods) {
    if (kind !== "method" || isStatic || isPrivate) continue;
    visit(method.body, (node) => {
      if (!("kind" in node) || !("target" in node) || !isNode(node.target)) return;
      if (node.kind === "assign" || node.kind === "increment") ownFields(node.target, names);
    });
  }
  return names;
});

function ownFields(target: object, names: Set<string>): void {
  visit(target, (node) => {
    if (!("property" in node) || !("object" in node) || !isNode(node.object)) return;
    if ("kind" in node.object && node.object.kind === "this") names.add(String(node.property));
  });
}
