// Members of a row beside its fields: getters of its class, and those that a library adds.
import type { Span } from "../../../sql/text/split";
import { UNDEFINED, type RowValue, type Value } from "../../values";
import { sourceOf, type State } from "../state";
import { isPresent, presenceOf } from "./convert";

/** Properties that a library adds to a row beside its fields. */
export function besideFields(
  state: State,
  row: RowValue,
  property: string,
  site: Span,
): Value | undefined {
  for (const library of state.workspace.libraries) {
    const own = library.rowMember?.(
      row,
      property,
      sourceOf(state, site),
      state.evaluator.tools(state, library),
    );
    if (own) return own;
  }
  return undefined;
}

/** The same of a row that may be missing: nothing where it is. */
export function besideFieldsIfThere(
  state: State,
  row: RowValue,
  property: string,
  site: Span,
): Value | undefined {
  if (isPresent(state, row)) return besideFields(state, row, property, site);
  let found: Value | undefined;
  const run = (): Value => {
    found = besideFields(state, row, property, site);
    return found ?? UNDEFINED;
  };
  const value = state.evaluator.branches(state, presenceOf(row), run, () => UNDEFINED, site);
  return found && value;
}
