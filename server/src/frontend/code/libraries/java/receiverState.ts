// State of objects of Java's libraries between calls (parameters that were set, the row at hand): fields of a record of
// the code, so that branches and loops carry them as they carry variables of the code.
import type { Expression } from "../../../../program/expression";
import { scalar, type HandleValue, type ObjectValue, type Value } from "../../values";
import type { Call, Tools } from "../library";

/** A method of a library's object. Undefined: not known, which is a loss. */
export type Method<Data> = (of: {
  readonly handle: HandleValue;
  readonly data: Data;
  readonly call: Call;
  readonly tools: Tools;
}) => Value | undefined;

/** Content of a record under a name; undefined where nothing was put. */
export function stateOf(record: ObjectValue, name: string): Value | undefined {
  return record.fields.get(name)?.value;
}

/** An empty record; objects of the code are records. */
export function emptyRecord(tools: Tools): ObjectValue {
  const made = tools.object({});
  if (made.kind !== "object") throw new Error("an object of the code is a record");
  return made;
}

/** The items of a value that is a list, itself where it is none. */
export function spreadItems(value: Value, tools: Tools): readonly Value[] {
  return tools.items(value) ?? [value];
}

/** A condition as a value. */
export function truth(expression: Expression): Value {
  return scalar(expression, "bool");
}
