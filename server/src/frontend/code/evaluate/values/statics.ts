// Static members of classes, their own and inherited ones. Fields that are changed live on as what modules hold.
import type { Span } from "../../../sql/split";
import { UNDEFINED, type Cell, type Value } from "../../values";
import { write, type State } from "../state";
import { boundMethod, superclassOf } from "./methods";

type ClassValue = Extract<Value, { kind: "class" }>;

/** Classes may extend each other in a circle. */
const DEEPEST = 8;

/** `Class.property`. */
export function staticMember(
  state: State,
  value: ClassValue,
  property: string,
  site: Span,
  self: ClassValue = value,
  depth = DEEPEST,
): Value {
  const living = cellOf(value, property);
  if (living) return living.value ?? UNDEFINED;
  const { class: hir, scope } = value;
  const field = hir.fields.find((each) => each.isStatic && each.name === property);
  if (field?.value) return state.evaluator.expression(state, scope, field.value);
  const method = hir.methods.find(
    ({ isStatic, name, kind }) => isStatic && name === property && kind !== "set",
  );
  if (method) {
    const callee = boundMethod(state, { method, of: value }, self);
    if (method.kind !== "get") return callee;
    return state.evaluator.call(state, callee, [], {
      span: site,
      isNew: false,
      typeArguments: [],
      name: property,
    });
  }
  const nested = hir.classes.find((each) => each.name === property);
  if (nested) return { kind: "class", class: nested, scope };
  for (const library of state.workspace.libraries) {
    const tools = state.evaluator.tools(state, library);
    const own = library.classMember?.(value, property, tools);
    if (own) return own;
  }
  const parent = depth > 0 ? superclassOf(value) : undefined;
  return parent
    ? staticMember(state, { kind: "class", ...parent }, property, site, self, depth - 1)
    : { kind: "builtin", name: `class.${property}`, self: value };
}

/** Writes `Class.property = written`; false where nothing is known of what the class holds. */
export function setStatic(
  state: State,
  value: ClassValue,
  property: string,
  written: Value,
): boolean {
  const cell = cellOf(value, property);
  if (cell) write(state, cell, written);
  return cell !== undefined;
}

/** A class may be named by what it is within, too. */
function cellOf({ class: hir, scope, statics }: ClassValue, property: string): Cell | undefined {
  if (statics) return statics.get(property);
  if (hir.name === undefined || scope.parent) return undefined;
  const declared = scope.module.lookup(hir.name);
  if (declared?.kind !== "class" || declared.class !== hir) return undefined;
  return declared.statics?.get(property);
}
