// Path conditions, and their joins.
import { orAll } from "./builder";
import type { Term } from "./operation";
import { FALSE, TRUE, and, conjunctsOf, isFalseLiteral } from "./terms";

/** The path after several paths meet. */
export function join(...paths: readonly Term[]): Term {
  return orAll(paths.filter((path) => path !== FALSE));
}

/** The join of two parts of a path: the path itself if they evidently cover it. */
export function rejoin(path: Term, one: Term, other: Term): Term {
  return isWhole(path, one, other) || isWhole(path, other, one) ? path : join(one, other);
}

/** True if the second part is the rest of the path beside the first. */
function isWhole(path: Term, one: Term, other: Term): boolean {
  const own = new Set(conjunctsOf(path));
  const rest = (term: Term): Term => and(...conjunctsOf(term).filter((each) => !own.has(each)));
  if (one === FALSE || other === FALSE) return one === path || other === path;
  const [a, b] = [rest(one), rest(other)];
  return (b.kind === "not" && b.operand === a) || (a === TRUE && isFalseLiteral(b));
}
