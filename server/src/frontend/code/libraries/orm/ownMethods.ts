// Methods that a model's class gives to its rows: they change the row and run statements as any other function.
import { innerScope } from "../../evaluate/bindings";
import { superclassOf } from "../../evaluate/values/methods";
import type { SourceRange } from "../../../../protocol/source";
import type { HirFunction } from "../../hir";
import type { RowValue, Value } from "../../values";
import type { Call, ClassValue, Tools } from "../library";
import { isRowData } from "./statements";

const DEEPEST = 8;

/** The result of such a method; undefined where the class, or one that it extends, has none of that name. */
export function ownMethod(row: Value, method: string, call: Call, tools: Tools): Value | undefined {
  if (row.kind !== "row" || !isRowData(row.data)) return undefined;
  return methodOfClass(row, row.data.model.class, method, call, tools);
}

/** The same of a class that a row is an object of. */
export function methodOfClass(
  row: RowValue,
  own: ClassValue | undefined,
  method: string,
  { arguments: args, source }: Call,
  tools: Tools,
): Value | undefined {
  for (const of of classesOf(own)) {
    const found = functionNamed(of, method);
    if (found) return tools.call(boundTo(row, found, of), args, source);
  }
  return undefined;
}

/** The class of a row, or what a getter of its class gives; undefined for other names. */
export function ownMember(
  row: RowValue,
  property: string,
  source: SourceRange,
  tools: Tools,
): Value | undefined {
  if (!isRowData(row.data)) return undefined;
  const { class: own } = row.data.model;
  if (property === "constructor") return own;
  for (const of of classesOf(own)) {
    const found = of.class.methods.find(
      ({ name, kind, isStatic }) => name === property && kind === "get" && !isStatic,
    );
    if (found) return tools.call(boundTo(row, found.function, of), [], source);
  }
  return undefined;
}

function boundTo(row: RowValue, found: HirFunction, of: ClassValue): Value {
  const scope = found.isArrow ? innerScope(of.scope, row) : of.scope;
  return { kind: "function", function: found, scope, self: row };
}

/** A class and those that it extends. */
function classesOf(own: ClassValue | undefined): readonly ClassValue[] {
  const classes: ClassValue[] = [];
  for (let of = own; of && classes.length < DEEPEST; of = superclassOf(of)) classes.push(of);
  return classes;
}

/** A method, or a function that a field is given. */
function functionNamed(
  { class: { methods, fields } }: ClassValue,
  name: string,
): HirFunction | undefined {
  const method = methods.find((each) => each.name === name && !each.isStatic);
  if (method) return method.function;
  const value = fields.find((each) => each.name === name && !each.isStatic)?.value;
  return value?.kind === "function" ? value.function : undefined;
}
