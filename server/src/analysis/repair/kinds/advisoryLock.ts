// A lock of PostgreSQL's own, which names no row, before the condition is looked at: it works where no row stands for all.
import type { Candidate, Proposals, TextEdit } from "../candidate";
import { addBefore } from "../idioms/addStatement";
import type { Site, Workshop } from "../workshop";

/** One candidate: every transaction of the anomaly takes the lock of the table before it first reads or writes it. */
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

/** The first statement in the same text as the one that matters, so that the lock comes before everything. */
function firstOf(sites: readonly Site[], own: Site): Site {
  return sites.find(({ file, statement }) => file === own.file && !statement.through) ?? own;
}

function lockBefore(workshop: Workshop, site: Site, table: string) {
  return addBefore(workshop, site, {
    before: `SELECT pg_advisory_xact_lock(hashtext('${table.replaceAll("'", "''")}'))`,
    after: "",
    isVoid: true,
  });
}

function readTable(statement: Site["statement"]): string | undefined {
  return statement.kind === "select" ? statement.query.relations[0]?.table : undefined;
}
