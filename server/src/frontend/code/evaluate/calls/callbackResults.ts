// Result of an unknown function that ran a function which it was given: what that one gave, or something around it, as
// caches and handlers of errors do (`{ val, err }`, `[error, data]`).
import { attribute } from "../../../../query/nodes";
import { unknown, type ResultColumns, type Value } from "../../values";
import { readsOf } from "../values/convert";
import { fieldNamesOf } from "../values/fieldNames";

const MAKERS = attribute<Value, string>();

/** The same value, of which it is known that an unknown function may have put it into another one. */
export function givenBack(value: Value, maker: string): Value {
  const isPlain = value.kind === "object" && !value.class && value.isMap !== true;
  if (!isPlain && value.kind !== "row" && value.kind !== "choice") return value;
  const own = { ...value };
  MAKERS.set(own, maker);
  return own;
}

/** A property that such a value has only where it was put into another one; undefined of all others. */
export function ofMaker(value: Value, property: string): Value | undefined {
  const maker = MAKERS.get(value);
  if (maker === undefined || mayHave(value, property)) return undefined;
  return unknown(`what ${maker}() makes of it is not known`, readsOf(value));
}

function mayHave(value: Value, property: string): boolean {
  switch (value.kind) {
    case "choice":
      return mayHave(value.then, property) || mayHave(value.otherwise, property);
    case "object": {
      const names = value.class ? undefined : fieldNamesOf(value);
      return names?.includes(property) !== false;
    }
    case "row":
      return fieldNamesOf(value)?.includes(property) !== false || isRead(value.columns, property);
    case "undefined":
      return false;
    case "scalar":
      return value.expression.kind !== "literal" || value.expression.value !== null;
    default:
      return true;
  }
}

/** True if related rows were read under a name. */
function isRead({ related, relatedTo }: ResultColumns, property: string): boolean {
  return related?.has(property) === true || relatedTo?.has(property) === true;
}
