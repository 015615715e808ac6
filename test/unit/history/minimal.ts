// True if a counterexample is what it should be.
import { checkHistory } from "../../../server/src/history/check";
import { without } from "../../../server/src/history/part";
import type { Violation } from "../../../server/src/history/violation";

/** "minimal", or what is wrong: it must violate its level, no longer without any one transaction, and form a cycle. */
export function isMinimal({ minimal, level, edges }: Violation, strict: boolean): string {
  const { history } = minimal;
  const verdictOf = (part: typeof history) =>
    checkHistory(part, { levels: [level], strict }).verdicts.get(level);
  if (verdictOf(history) !== "violated") return "it does not violate the level";
  for (let t = 0; t < history.transactions; t++)
    if (verdictOf(without(history, t)) !== "ok") return `transaction ${t} is not needed`;
  const closed = edges.every(
    (edge, at) => edges.length < 2 || edge.to === edges[(at + 1) % edges.length]?.from,
  );
  return closed ? "minimal" : "its dependencies form no cycle";
}
