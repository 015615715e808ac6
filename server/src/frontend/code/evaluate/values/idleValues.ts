// Values with which nobody can do anything to a database, however they are called or handed on.
import type { Scope, Value } from "../../values";
import { libraryOf } from "../../libraries/library";
import { namedIn } from "../../modules/references";
import { originOf } from "../../queries/origins";
import type { State } from "../state";

type FunctionValue = Extract<Value, { kind: "function" }>;

/** Values in values, up to which these are looked through. */
const MOST_PARTS = 2000;

/** The inputs of a function without its arguments: its object, and what it names of the functions around it. */
function reachedFrom({ function: hir, self, scope }: FunctionValue): readonly Value[] {
  const found: Value[] = self ? [self] : [];
  const { values } = namedIn(originOf(hir));
  for (let at: Scope | undefined = scope; at?.parent; at = at.parent) {
    if (at.self) found.push(at.self);
    for (const [name, { value }] of at.bindings) if (value && values.has(name)) found.push(value);
  }
  return found;
}

/** Libraries whose rows can be saved. */
const ROWS_WITH_METHODS = ["sequelize", "typeorm"];

/**
 * True if no statement can come of values, whatever is done with them. Of `callee` that is known: what it names is looked at.
 * Linear in the values within; false where these are too many.
 */
export function areIdle(state: State, values: readonly Value[], callee?: Value): boolean {
  const { leads, used } = state.workspace;
  // Grows while it is gone over.
  const open = new Set(values);
  const add = (value: Value | undefined): void => {
    if (value) open.add(value);
  };
  for (const value of open) {
    if (open.size > MOST_PARTS) return false;
    switch (value.kind) {
      case "scalar":
      case "text":
      case "undefined":
      case "unknown":
        break;
      case "rows":
      case "row":
        if (ROWS_WITH_METHODS.some((each) => used.has(each))) return false;
        break;
      case "input":
        if (value.members && value.holder && leads.mayHold(value.holder, value.type ?? ""))
          return false;
        break;
      case "list":
        for (const cell of value.items) add(cell.value);
        add(value.grown.value);
        break;
      case "joined":
        for (const part of value.parts) add(part);
        break;
      case "derived":
        add(value.from);
        add(value.by);
        break;
      case "choice":
        add(value.then);
        add(value.otherwise);
        break;
      case "external":
        if (value.isDataAccess === true) return false;
        break;
      case "builtin":
        add(value.self);
        break;
      case "handle":
        if (value.connection || libraryOf(value).isTable?.(value.data) === true) return false;
        break;
      case "function":
        if (value !== callee && leads.extentOf(value.scope.module.file, value.function).leads)
          return false;
        for (const held of reachedFrom(value)) open.add(held);
        break;
      case "object": {
        const of = value.class;
        const [method] = of?.class.methods ?? [];
        if (of && method && leads.mayLead(of.scope.module.file, method.function)) return false;
        for (const cell of value.fields.values()) add(cell.value);
        add(value.rest);
        add(value.pairs);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}
