// The assumption on locks that are not waited for: nobody knows all who may hold one, so what a transaction does without it, or with other
// rows, counts as meant.
import type { Assumption } from "../../protocol/report";
import type { Transaction } from "../../program/program";
import { asksForLocks, statementsOf } from "../statements";

/** One assumption for the transactions whose request for a named lock may be refused, one for those that pass by locked rows. */
export function lockAssumptions(transactions: readonly Transaction[]): readonly Assumption[] {
  const refused = transactions.filter(({ parameters }) =>
    parameters.some(({ isGrant }) => isGrant),
  );
  const skipping = transactions.filter(({ body }) =>
    statementsOf(body).some((each) => asksForLocks(each, "skip-locked")),
  );
  return [
    ...assumed(refused, "does when it is refused a lock is meant, whoever has it"),
    ...assumed(skipping, "does without the rows that SKIP LOCKED passes by is meant"),
  ];
}

function assumed(transactions: readonly Transaction[], what: string): readonly Assumption[] {
  const [first] = transactions;
  if (first === undefined) return [];
  const rest = transactions.length - 1;
  const names = rest === 0 ? first.name : `${first.name} (and ${String(rest)} more)`;
  const text = `what ${names} ${what}`;
  return [{ kind: "refusals", text, transactions: transactions.map(({ id }) => id) }];
}
