// The order in which a statement visits rows: by ORDER BY, then by key.
import { FALSE, and, eq, lt, or } from "../smt";
import type { Smt } from "../smt";
import { asInt } from "../sqlValue";
import type { RowKey } from "./database";
import type { Access, View } from "./tuple";
import type { Views } from "./execution";

/** The condition that the statement visits row `a` before row `b`, by their values in a view. */
export function comesBefore(
  state: Views["state"],
  access: Access,
  view: View,
  a: RowKey,
  b: RowKey,
): Smt {
  const byKey = a.reduceRight<Smt>((rest, left, at) => {
    const right = b[at] ?? "0";
    return or(lt(left, right), and(eq(left, right), rest));
  }, FALSE);
  const { orderBy } = access.operation;
  if (orderBy === undefined) return byKey;
  const [left, right] = [a, b].map((row) => asInt(state(access, view, orderBy.column, row)));
  const [low = "0", high = "0"] = orderBy.descending ? [right, left] : [left, right];
  return or(lt(low, high), and(eq(low, high), byKey));
}
