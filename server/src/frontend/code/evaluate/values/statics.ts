// Static members of classes, their own and inherited ones. Fields that are changed live on as what modules hold.
import type { Expression } from "../../../../program/expression";
import { operandsOf } from "../../../../program/operands";
import type { Span } from "../../../sql/text/split";
import type { HirExpression } from "../../hir";
import { constantText, UNDEFINED, type Cell, type Scope, type Value } from "../../values";
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
  if (field?.value) return valueOfField(state, scope, field.value);
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
    ? staticMember(state, parent, property, site, self, depth - 1)
    : { kind: "builtin", name: `class.${property}`, self: value };
}

/** The value of a field; constants are what they were before in the same function. */
function valueOfField(state: State, scope: Scope, hir: HirExpression): Value {
  const own = state.constants.get(hir);
  if (own) return own;
  const { emitted } = state;
  const value = state.evaluator.expression(state, scope, hir);
  if (state.emitted === emitted && isConstant(value)) state.constants.set(hir, value);
  return value;
}

function isConstant(value: Value | undefined, depth = 3): boolean {
  if (!value || depth === 0) return false;
  switch (value.kind) {
    case "scalar":
      return isOfLiterals(value.expression);
    case "text":
      return constantText(value) !== undefined;
    case "object":
      if (value.class || value.rest) return false;
      return [...value.fields.values()].every((cell) => isConstant(cell.value, depth - 1));
    default:
      return false;
  }
}

function isOfLiterals(expression: Expression): boolean {
  if (expression.kind === "literal") return true;
  const operands = operandsOf(expression);
  return operands.length > 0 && operands.every(isOfLiterals);
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
