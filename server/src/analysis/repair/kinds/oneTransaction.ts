// Joins the statements of a function that commit one by one into one transaction at the database's serializable level.
import type { Candidate, Proposals } from "../candidate";
import { raiseLevel } from "../idioms/raiseLevel";
import { transactionAround } from "../idioms/transactionAround";
import type { Workshop } from "../workshop";

/** One candidate joins the statements of each such function; another also raises the level of the other transactions. */
export function oneTransactions(workshop: Workshop): Proposals {
  const units = workshop.transactions.filter(({ boundary }) => boundary === "unit");
  if (units.length === 0) return { candidates: [], refusals: [] };
  const joined = units.map((each) => transactionAround(workshop, each));
  const reason = joined.flatMap((each) => (each.ok ? [] : [each.reason]))[0];
  if (reason !== undefined)
    return { candidates: [], refusals: [{ kind: "one-transaction", reason }] };
  const others = workshop.transactions.filter(
    (each) => !units.includes(each) && !(each.level?.name.endsWith(":serializable") ?? false),
  );
  const raised = others.map((each) => raiseLevel(workshop, each).level);
  const edits = joined.flatMap((each) => (each.ok ? each.edits : []));
  const more = raised.flatMap((each) => (each.ok ? each.edits : []));
  const names = units.map(({ name }) => name).join(" and ");
  const codes = workshop.dialect === "postgres" ? "40001 and 40P01" : "1213";
  const candidate: Candidate = {
    kind: "one-transaction",
    title: `Run ${names} as one transaction at SERIALIZABLE`,
    edits,
    costs: [
      `the server may refuse a run (${codes}): the caller has to run it again from its start`,
    ],
  };
  const isWhole = more.length > 0 && raised.every(({ ok }) => ok);
  const both = others.map(({ name }) => name).join(" and ");
  return {
    candidates: [
      candidate,
      ...(isWhole
        ? [{ ...candidate, title: `${candidate.title}, and ${both} at SERIALIZABLE`, edits: [...edits, ...more] }] // prettier-ignore
        : []),
    ],
    refusals: [],
  };
}
