// The assumption on recorded transactions: they take no path that no run showed.
import type { Transaction } from "../../program/program";
import type { Assumption } from "../../protocol/report";

/** One assumption for all recorded transactions; none if there are none. */
export function recordedAssumptions(transactions: readonly Transaction[]): readonly Assumption[] {
  const learnt = transactions.filter(({ annotations }) =>
    annotations.some(({ kind }) => kind === "learnt"),
  );
  const [first] = learnt;
  if (first === undefined) return [];
  const runs = first.annotations.find(({ kind }) => kind === "learnt")?.text ?? "";
  const text =
    learnt.length === 1
      ? `${first.name} takes no other path than its ${runs} showed`
      : `the ${String(learnt.length)} recorded transactions take no other paths than their runs showed`;
  return [{ kind: "recorded", text, transactions: learnt.map(({ id }) => id) }];
}
