import { type AnomalyKind, dataOf, halves, other } from "./kind";

/** One statement sees a part of what another transaction wrote together (Bailis et al., RAMP). */
export const fracturedRead: AnomalyKind = {
  name: "fractured-read",
  title: "Fractured read",
  of: "cycle",
  definition:
    "A single statement sees one part of what another transaction changed and misses another part, although both were changed together.",
  reference: "Bailis et al., SIGMOD 2014",
  matches: (shape) => {
    const found = halves(shape);
    if (found?.met.dependency.dependency !== "wr") return false;
    return found.met.dependency.to === found.old.dependency.from;
  },
  sentence: (context) => {
    const found = halves(context.shape);
    if (!found) return "";
    const reader = context.nameOf(found.old.from.instance);
    const writer = other(context, found.old.to.instance, found.old.from.instance);
    const [met, old] = [dataOf(found.met), dataOf(found.old)];
    const parts = met === old ? `${met} of one row` : met;
    const rest = met === old ? "of another row" : old;
    return `one statement of ${reader} sees ${parts} from after ${writer} and ${rest} from before it`;
  },
};
