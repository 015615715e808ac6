// Fields that a record may not have: what some path alone has written, or deleted.
import { ABSENT, constant, textOf, UNDEFINED, unknown, type Value } from "../../values";
import { listOf } from "../lists/collections";
import { grownList } from "../lists/conditionalAppend";
import type { State } from "../state";
import { readsOf } from "./convert";
import { fieldNamesOf } from "./fieldNames";
import { choiceOf, choose } from "./operators";

/** True if a field may be one that its record does not have. */
export function mayBeAbsent(field: Value): boolean {
  if (field.kind === "undefined") return field.isAbsent === true;
  return field.kind === "choice" && (mayBeAbsent(field.then) || mayBeAbsent(field.otherwise));
}

/** A field with another value where its record does not have it. */
export function whereAbsent(field: Value, other: Value): Value {
  if (!mayBeAbsent(field)) return field;
  if (field.kind !== "choice") return other;
  const { condition, then, otherwise } = field;
  return choose(condition, whereAbsent(then, other), whereAbsent(otherwise, other));
}

/** The value of a field for whoever reads it. */
export function readField(field: Value): Value {
  return whereAbsent(field, UNDEFINED);
}

/** True if a record has a field, as a value. */
export function isThere(field: Value): Value {
  if (!mayBeAbsent(field)) return constant(true);
  if (field.kind !== "choice") return constant(false);
  return choose(field.condition, isThere(field.then), isThere(field.otherwise));
}

/**
 * A list of what is made of each field that a record has; undefined where not all are known that it may have. Linear in
 * these.
 */
export function listOfFields(
  state: State,
  record: Value,
  made: (name: string, field: Value) => Value,
): Value | undefined {
  const names = fieldNamesOf(record);
  if (record.kind !== "object" || !names) return undefined;
  const whereThere = (name: string, field: Value): Value => {
    if (!mayBeAbsent(field)) return listOf(state, [made(name, field)]);
    if (field.kind !== "choice") return listOf(state, []);
    const { condition, then, otherwise } = field;
    return choiceOf(condition, whereThere(name, then), whereThere(name, otherwise));
  };
  const fields = names.map((name) => [name, record.fields.get(name)?.value ?? ABSENT] as const);
  if (fields.some(([, field]) => mayBeAbsent(field))) {
    return grownList(
      state,
      fields.map(([name, field]) => whereThere(name, field)),
    );
  }
  return listOf(
    state,
    fields.map(([name, field]) => made(name, field)),
  );
}

/** `Object.keys`, `Object.values` and `Object.entries`. */
export function fieldsAs(
  state: State,
  record: Value | undefined,
  what: "keys" | "values" | "entries",
): Value {
  const list =
    record?.kind === "object"
      ? listOfFields(state, record, (name, field) => {
          if (what === "values") return field;
          return what === "keys" ? textOf(name) : listOf(state, [textOf(name), field]);
        })
      : undefined;
  return list ?? unknown(`the ${what} of this are not known`, record ? readsOf(record) : []);
}
