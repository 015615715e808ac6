// Raises all transactions of the anomaly to the database's serializable level, which refuses what it cannot order; refused transactions
// must be retried.
import type { Candidate, Proposals } from "../candidate";
import { raiseLevel } from "../idioms/raiseLevel";
import type { Workshop } from "../workshop";

/** One candidate: every transaction of the anomaly that is not serializable yet. */
export function raisedLevels(workshop: Workshop): Proposals {
  const open = workshop.transactions.filter(
    ({ level }) => level === undefined || !level.name.endsWith(":serializable"),
  );
  if (open.length === 0) return { candidates: [], refusals: [] };
  const written = open.map((transaction) => raiseLevel(workshop, transaction));
  const reason = written.flatMap((each) => (each.ok ? [] : [each.reason]))[0];
  if (reason !== undefined) return { candidates: [], refusals: [{ kind: "raised-level", reason }] };
  const names = open.map(({ name }) => name).join(" and ");
  const codes = workshop.dialect === "postgres" ? "40001 and 40P01" : "1213";
  const candidate: Candidate = {
    kind: "raised-level",
    title: `Run ${names} at SERIALIZABLE`,
    edits: written.flatMap((each) => (each.ok ? each.edits : [])),
    costs: [
      `the server may refuse a run (${codes}): the caller has to run it again from its start`,
    ],
  };
  return { candidates: [candidate], refusals: [] };
}
