// Enumerations that validators make of a list or of an object: what their members are.
import { constantText, type Value } from "../../values";
import { itemsOf, listOf, recordOf } from "../lists/collections";
import { valueFromOutside } from "../values/outside";
import type { State } from "../state";

/**
 * The result of `z.enum(["A", "B"])` and `z.nativeEnum(Kind)`: members under `enum`, `Enum` and `Values`, and a validator
 * like any other. Undefined for other functions.
 */
export function enumerationOf(
  state: State,
  name: string,
  [members]: readonly Value[],
): Value | undefined {
  if (!/(?:^|\.)(?:enum|nativeEnum|picklist|enum_)$/u.test(name) || !members) return undefined;
  const record = membersOf(state, members);
  if (!record) return undefined;
  const options = listOf(
    state,
    [...record.fields.values()].flatMap(({ value }) => (value ? [value] : [])),
  );
  const fields = { enum: record, Enum: record, Values: record, options };
  return { ...recordOf(state, fields), rest: valueFromOutside(state, name) };
}

function membersOf(state: State, members: Value): Extract<Value, { kind: "object" }> | undefined {
  if (members.kind === "object") return members.rest ? undefined : members;
  const items = itemsOf(members);
  if (!items || items.length === 0) return undefined;
  const entries = items.flatMap((item) => {
    const text = constantText(item);
    return text === undefined ? [] : [[text, item] as const];
  });
  return entries.length === items.length ? recordOf(state, Object.fromEntries(entries)) : undefined;
}
