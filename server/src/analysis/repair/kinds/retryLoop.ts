// The server aborts a transaction because of concurrent ones, and nothing tries it again: a loop that does.
import { retryOf } from "../idioms/raiseLevel";
import type { Proposals } from "../candidate";
import type { Workshop } from "../workshop";

/** One candidate: each transaction of the anomaly is run again, three times at most. */
export function retryLoops(workshop: Workshop): Proposals {
  const { anomaly, transactions } = workshop;
  if (anomaly.kind !== "deadlock" && anomaly.kind !== "serialization-failure")
    return { candidates: [], refusals: [] };
  const open = transactions.filter(({ errors }) => errors !== "caught");
  const written = open.map((each) => retryOf(workshop, each));
  const reason = written.find((each) => typeof each === "string");
  if (reason !== undefined || open.length === 0)
    return { candidates: [], refusals: [{ kind: "retry-loop", reason: reason ?? "its errors are caught already" }] }; // prettier-ignore
  const names = [...new Set(open.map(({ name }) => name))].join(" and ");
  return {
    candidates: [
      {
        kind: "retry-loop",
        title: `Run ${names} again when the server ends it`,
        edits: written.flatMap((each) => (typeof each === "string" ? [] : each)),
        costs: ["the server still ends runs, each of which takes its time twice"],
      },
    ],
    refusals: [],
  };
}
