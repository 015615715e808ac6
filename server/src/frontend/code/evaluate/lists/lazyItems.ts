// The items of a list that are made when they are asked for: each time anew, so that what the code assigns to one of them
// is told to those that are made behind it.
import { attribute } from "../../../../query/nodes";
import { weaken } from "../lattice";
import { type Cell, type ObjectValue, oneOfSeveral, type Value } from "../../values";
import { readsOf } from "../values/convert";
import { newCell, type CallSite, type State } from "../state";
import { callWithItem } from "./items";

type Derived = Extract<Value, { kind: "derived" }>;

const lists = attribute<ObjectValue, Map<string, Cell>>();

/** The item that a list makes of another list's item. */
export function madeItem(
  state: State,
  { by, assigned }: Derived,
  item: Value,
  index: Value,
  site: CallSite,
): Value {
  const record = callWithItem(state, by, item, index, site);
  if (record.kind !== "object" || !assigned) return record;
  const fields = new Map(record.fields);
  for (const [field, { value }] of assigned) {
    if (!value) continue;
    const made = fields.get(field)?.value;
    const reads = [...(made ? readsOf(made) : []), ...readsOf(value)];
    fields.set(field, newCell(state, oneOfSeveral(WHICH, reads)));
  }
  const own = { ...record, fields };
  lists.set(own, assigned);
  return own;
}

const WHICH = "which items of a list the code assigned a field is not known";

/** Notes that a field of a record is assigned that may be an item of such a list. */
export function noteItemWrite(
  state: State,
  record: ObjectValue,
  field: string,
  value: Value,
): void {
  const assigned = lists.get(record);
  if (!assigned) return;
  const cell = assigned.get(field) ?? { value: undefined, birth: 0 };
  assigned.set(field, cell);
  weaken(state, cell, value, WHICH);
}
