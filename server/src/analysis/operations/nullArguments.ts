// Arguments whose being NULL changes what a transaction does.
import { ERRORS } from "../../program/errors";
import type { FlatTable, Operation, Term } from "./operation";
import { conjunctsOf, parts, subterms } from "./terms";

/**
 * The parameters for which NULL may have an effect that no other value has. Parameters that are only compared with columns of the current
 * row, or written to NOT NULL columns, are excluded: there NULL selects no row, as an absent value does, or fails. Linear in the terms.
 */
export function nullArguments(
  operations: readonly Operation[],
  conditions: readonly Term[],
  tableOf: (name: string) => FlatTable | undefined,
): ReadonlySet<string> {
  const told = [...conditions];
  for (const { guard, where, set, update = {}, updateWhere, table, caught = [] } of operations) {
    const fails = !caught.includes(ERRORS.notNull);
    told.push(guard, ...conjunctsOf(where).filter((each) => !isMatch(each)));
    if (updateWhere) told.push(updateWhere);
    for (const [column, term] of [...Object.entries(set), ...Object.entries(update)]) {
      const declared = tableOf(table)?.columns.find((each) => each.name === column);
      if (fails && declared?.nullable === false && failsForNull(term)) continue;
      told.push(term);
    }
  }
  const names = new Set<string>();
  for (const term of subterms(...told)) if (term.kind === "parameter") names.add(term.name);
  return names;
}

/** True for a comparison of a column with an argument, which is NULL if that is. */
function isMatch(term: Term): boolean {
  return term.kind === "compare" && failsForNull(term.left) && failsForNull(term.right);
}

/** True if the term is NULL whenever some argument in it is. */
function failsForNull(term: Term): boolean {
  switch (term.kind) {
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
    case "negate":
      return parts(term).every(failsForNull);
    case "int":
    case "bool":
    case "column":
    case "parameter":
    case "output":
      return true;
    default:
      return false;
  }
}
