// Result of a trigger's function: the row goes on as NEW, or is left out.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../expressions";
import type { Span } from "../../text/split";
import { valueOf } from "../../routine/names";
import { lossAt } from "../../routine/state";
import type { State } from "../plpgsql/state";

/** True if RETURN of that value leaves the row out. Behind the change, and once for a statement, nobody asks. */
export function skipsRow(state: State, value: Span | undefined): Expression {
  const known = (name: string): unknown => {
    const found = valueOf(state.names, [name]);
    return found?.kind === "literal" ? found.value : undefined;
  };
  if (value === undefined || known("tg_when") !== "BEFORE" || known("tg_level") !== "ROW")
    return literal(false);
  const text = state.body.text.slice(value.start, value.end).toLowerCase().replaceAll(/\s+/g, "");
  const event = known("tg_op");
  const [there, absent] = event === "DELETE" ? ["old", "new"] : ["new", "old"];
  if (text === there || text === `coalesce(${there},${absent})`) return literal(false);
  if (text === "null") return literal(true);
  if (event !== "UPDATE" && text === absent) return literal(true);
  if (event !== "UPDATE" && text === `coalesce(${absent},${there})`) return literal(false);
  lossAt(state, "a trigger that returns another row than the one at hand", value);
  return literal(false);
}
