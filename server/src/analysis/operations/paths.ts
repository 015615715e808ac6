// Paths: the conditions under which control is somewhere in a transaction, and how they join again.
import { orAll } from "./builder";
import type { Term } from "./operation";
import { FALSE, TRUE, and, conjunctsOf, isFalseLiteral } from "./terms";

/** The path on which control goes on where several meet. */
export function join(...paths: readonly Term[]): Term {
  return orAll(paths.filter((path) => path !== FALSE));
}

/** The join of two parts of a path: the path itself where they can be seen to be all of it. */
export function rejoin(path: Term, one: Term, other: Term): Term {
  return isWhole(path, one, other) || isWhole(path, other, one) ? path : join(one, other);
}

/** The second part is what the first one leaves of the path. */
function isWhole(path: Term, one: Term, other: Term): boolean {
  const own = new Set(conjunctsOf(path));
  const rest = (term: Term): Term => and(...conjunctsOf(term).filter((each) => !own.has(each)));
  if (one === FALSE || other === FALSE) return one === path || other === path;
  const [a, b] = [rest(one), rest(other)];
  return (b.kind === "not" && b.operand === a) || (a === TRUE && isFalseLiteral(b));
}
