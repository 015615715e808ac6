import type { CycleShape } from "../shape";
import { type AnomalyKind, dataOf, halves, other } from "./kind";

/** A transaction's predicate reads reflect different sets of other transactions (Bailis et al., PMP). */
export const predicateManyPreceders: AnomalyKind = {
  name: "predicate-many-preceders",
  title: "Predicate-many-preceders",
  of: "cycle",
  definition:
    "What a condition finds comes from several moments: a search, or two searches of one table by different conditions, misses some of the rows that another transaction changed and meets others.",
  reference: "PMP in Bailis et al., VLDB 2014; G1-predA in Adya 1999",
  matches: (shape) => searches(shape) !== undefined,
  sentence: (context) => {
    const found = halves(context.shape);
    if (!found) return "";
    const reader = context.nameOf(found.old.from.instance);
    const writer = other(context, found.old.to.instance, found.old.from.instance);
    const look =
      searches(context.shape) === "one"
        ? `one statement of ${reader} looks`
        : `two statements of ${reader} look`;
    return `${look} for ${dataOf(found.old)} partly before and partly after ${writer} changes them`;
  },
};

/** The number of conditions, if the table was searched both before and after the other's changes. */
function searches(shape: CycleShape): "one" | "two" | undefined {
  const found = halves(shape);
  if (found?.old.dependency.predicate !== true) return undefined;
  const { old, met } = found;
  const { table } = old.dependency;
  if (met.dependency.table !== table) return undefined;
  if (old.dependency.from === met.dependency.to) return "one";
  if (met.dependency.to < old.dependency.from) return undefined;
  const [first, second] = [shape.searchOf(old.from, table), shape.searchOf(met.to, table)];
  return first !== undefined && second !== undefined && first !== second ? "two" : undefined;
}
