// Stale reads lock their rows, so that concurrent changes wait for them, or they for the changes.
import type { Statement } from "../../../program/statement";
import type { Candidate, Proposals, Refusal } from "../candidate";
import { lockRead } from "../idioms/lockRead";
import { isAggregate } from "../../operations/aggregatesIn";
import type { Site, Workshop } from "../workshop";

/** Three candidates: the first stale read alone, all stale reads, and all reads of the same tables. */
export function rowLocks(workshop: Workshop): Proposals {
  const { staleReads } = workshop;
  const [first] = staleReads;
  if (!first) return { candidates: [], refusals: [] };
  const sets = [[first], staleReads, [...staleReads, ...readsOfSameTables(workshop)]].filter(
    (sites, at, all) => at === 0 || sites.length > (all[at - 1]?.length ?? 0),
  );
  const candidates: Candidate[] = [];
  const refusals: Refusal[] = [];
  for (const sites of sets) {
    const written = sites.map((site) => lockRead(workshop, site));
    const reason = written.flatMap((each) => (each.ok ? [] : [each.reason]))[0];
    if (reason !== undefined) {
      refusals.push({ kind: "row-lock", reason });
      continue;
    }
    candidates.push({
      kind: "row-lock",
      title: titleOf(sites),
      edits: written.flatMap((each) => (each.ok ? each.edits : [])),
      costs: ["others who write or lock the row wait until this transaction ends"],
    });
  }
  return { candidates, refusals };
}

/** Reads of the same tables by which other transactions of the anomaly might overwrite what is locked. */
function readsOfSameTables({ staleReads, transactions, sitesOf }: Workshop): readonly Site[] {
  const tables = new Set(staleReads.flatMap(({ statement }) => tablesRead(statement)));
  return transactions.flatMap(sitesOf).filter(({ statement }) => {
    if (statement.kind !== "select" || statement.query.lock) return false;
    if (staleReads.some((each) => each.statement.id === statement.id)) return false;
    return !isAggregate(statement.query) && tablesRead(statement).some((each) => tables.has(each));
  });
}

function tablesRead(statement: Statement): readonly string[] {
  return statement.kind === "select" ? statement.query.relations.map(({ table }) => table) : [];
}

function titleOf(sites: readonly Site[]): string {
  const names = [...new Set(sites.map(({ transaction }) => transaction.name))];
  const rows = sites.length > 1 ? "rows" : "row";
  const verb = names.length > 1 ? "read" : "reads";
  return `Lock the ${rows} that ${names.join(" and ")} ${verb} (FOR UPDATE)`;
}
