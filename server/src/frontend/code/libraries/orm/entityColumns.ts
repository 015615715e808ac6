// Columns of entities and what rows and objects hold for them.
import { constant, constantScalar, UNDEFINED, unknown, type Value } from "../../values";
import type { Tools } from "../library";
import { keysOf, type Model, type ModelColumn } from "./model";
import { isRowData } from "./statements";

/** Value of a property of a row or object; undefined where nothing was assigned to it. */
export function heldIn(value: Value, name: string, tools: Tools): Value {
  if (value.kind !== "object") return tools.field(value, name);
  return value.fields.get(name)?.value ?? UNDEFINED;
}

/** Columns that the mapper writes, with the property that holds each: a relation holds the column of its key. */
export function writable(
  model: Model,
): readonly { readonly column: ModelColumn; readonly name: string }[] {
  return model.columns.flatMap((column) => {
    if (column.isKey === true || column.role === "version" || column.isFixed === true) return [];
    const relation = model.relations.find((each) => each.column === column.column);
    const name = column.property ?? relation?.property;
    return name === undefined ? [] : [{ column, name }];
  });
}

/** The property of a column in a row. */
export function columnProperty({ property, column }: ModelColumn, name: string): string {
  return property === undefined ? column : name;
}

/** Value that is written for a property: of a related row its key. */
export function columnValue(model: Model, name: string, value: Value, tools: Tools): Value {
  const relation = model.relations.find(({ property }) => property === name);
  if (!relation || value.kind === "undefined" || constantScalar(value) === null) return value;
  const other = relation.target();
  const [key] = other ? keysOf(other) : [];
  const property = key?.property ?? key?.column ?? "id";
  switch (value.kind) {
    case "choice":
      return {
        ...value,
        then: columnValue(model, name, value.then, tools),
        otherwise: columnValue(model, name, value.otherwise, tools),
      };
    case "row":
    case "object":
      return heldIn(value, property, tools);
    case "input":
      return isKeyArgument(value) ? value : tools.member(value, property);
    case "scalar":
      return value;
    default:
      return unknown("the key of a related entity", [tools.expression(value)]);
  }
}

/** True if an argument is a key and no record: by its type, or else by its name. */
export function isKeyArgument({ path, type }: Extract<Value, { kind: "input" }>): boolean {
  if (type === undefined) return /id$/iu.test(path);
  return /^[\s|]*(?:number|string|bigint|int|long|Integer|Long|String|UUID)\b/u.test(type);
}

/** Null where nothing was assigned. */
export function orNull(value: Value): Value {
  return value.kind === "undefined" ? constant(null) : value;
}

/** The model of a row that a mapper gave. */
export function modelOfRow(row: Value): Model | undefined {
  return (row.kind === "row" || row.kind === "rows") && isRowData(row.data)
    ? row.data.model
    : undefined;
}
