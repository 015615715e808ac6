// A PostgreSQL advisory lock, taken before the condition is checked: it works if no row represents the whole condition.
import type { Candidate, Proposals, TextEdit } from "../candidate";
import { addBefore } from "../idioms/addStatement";
import type { Site, Workshop } from "../workshop";

/** One candidate: every transaction of the anomaly takes the table's lock before its first read or write of it. */
export function advisoryLocks(workshop: Workshop): Proposals {
  const refuse = (reason: string): Proposals => ({
    candidates: [],
    refusals: [{ kind: "advisory-lock", reason }],
  });
  if (workshop.dialect !== "postgres")
    return refuse("its database has no advisory lock that ends with the transaction");
  const table = workshop.staleReads.map(({ statement }) => readTable(statement)).find(Boolean);
  if (table === undefined) return { candidates: [], refusals: [] };
  const edits: TextEdit[] = [];
  for (const transaction of workshop.transactions) {
    const sites = workshop.sitesOf(transaction);
    const first =
      workshop.staleReads.find((site) => site.transaction === transaction) ??
      sites.find((site) => site.statement.kind !== "lock");
    if (!first) return refuse(`${transaction.name} has no statement`);
    const written = lockBefore(workshop, firstOf(sites, first), table);
    if (!written.ok) return refuse(written.reason);
    edits.push(...written.edits);
  }
  const names = [...new Set(workshop.transactions.map(({ name }) => name))];
  const candidate: Candidate = {
    kind: "advisory-lock",
    title: `Let ${names.join(" and ")} take an advisory lock first`,
    edits,
    costs: [
      `all runs of ${names.join(" and ")} wait for each other`,
      "others that write the same rows must take the lock as well",
    ],
  };
  return { candidates: [candidate], refusals: [] };
}

/** The first statement in the same text as this one, so that the lock precedes everything. */
function firstOf(sites: readonly Site[], own: Site): Site {
  return sites.find(({ file, statement }) => file === own.file && !statement.through) ?? own;
}

function lockBefore(workshop: Workshop, site: Site, table: string) {
  return addBefore(workshop, site, {
    before: `SELECT pg_advisory_xact_lock(hashtext('${table.replaceAll("'", "''")}'))`,
    values: [],
    after: "",
    isVoid: true,
  });
}

function readTable(statement: Site["statement"]): string | undefined {
  return statement.kind === "select" ? statement.query.relations[0]?.table : undefined;
}
