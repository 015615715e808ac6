// Raises all transactions of the anomaly to the database's serializable level, which refuses what it cannot order; refused transactions
// must be retried.
import type { Candidate, Proposals } from "../candidate";
import { raiseLevel } from "../idioms/raiseLevel";
import type { Workshop } from "../workshop";

/** Every transaction of the anomaly that does not ask for it yet: with a loop that runs it again where one can be written, then without. */
export function raisedLevels(workshop: Workshop): Proposals {
  const open = workshop.transactions.filter(
    ({ level }) => level === undefined || !level.name.endsWith(":serializable"),
  );
  if (open.length === 0) return { candidates: [], refusals: [] };
  const written = open.map((transaction) => raiseLevel(workshop, transaction));
  const reason = written.flatMap(({ level }) => (level.ok ? [] : [level.reason]))[0];
  if (reason !== undefined) return { candidates: [], refusals: [{ kind: "raised-level", reason }] };
  const names = open.map(({ name }) => name).join(" and ");
  const codes = workshop.dialect === "postgres" ? "40001 and 40P01" : "1213";
  const plain = written.flatMap(({ level }) => (level.ok ? level.edits : []));
  const unretried = written.flatMap((each) => each.unretried ?? [])[0];
  const why = unretried === undefined ? "" : `; no loop is written for it, as ${unretried}`;
  const candidate: Candidate = {
    kind: "raised-level",
    title: `Run ${names} at SERIALIZABLE`,
    edits: plain,
    costs: [
      `the server may refuse a run (${codes}): the caller has to run it again from its start${why}`,
    ],
  };
  const retried: Candidate = {
    kind: "raised-level",
    title: `Run ${names} at SERIALIZABLE, and again when the server refuses`,
    edits: written.flatMap((each) => each.retried ?? []),
    costs: [`the server may refuse a run (${codes}), which is then run again, three times at most`],
  };
  const isRetried = written.every((each) => each.retried !== undefined);
  return { candidates: isRetried ? [retried, candidate] : [candidate], refusals: [] };
}
