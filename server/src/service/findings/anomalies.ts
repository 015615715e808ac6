// From findings to the anomalies of a report: one per kind, transactions, tables and cause, with its clearest witness.
import { mainEnd, type Anomaly } from "../../protocol/report";
import { staleReads } from "./causes";
import { digestOf } from "./fingerprint";
import { compareHarm } from "./harm";

const SEVERITIES: readonly Anomaly["severity"][] = ["state", "value", "unused", "refused"];

/**
 * Keeps one anomaly per id and cause, sorted for people: severest first, then by harm, one transaction with itself before several, then
 * fewest transactions, then place.
 */
export function selectAnomalies(all: readonly Anomaly[]): readonly Anomaly[] {
  const byId = new Map<string, Anomaly[]>();
  for (const anomaly of all) {
    const known = byId.get(anomaly.id);
    if (known) known.push(anomaly);
    else byId.set(anomaly.id, [anomaly]);
  }
  return [...byId.values()].flatMap(oneForEachCause).sort(compareRanked);
}

/**
 * The anomaly with the clearest witness, and those that share no stale read with it or each other; the ids of the latter include their
 * reads.
 */
function oneForEachCause(all: readonly Anomaly[]): readonly Anomaly[] {
  const told = new Set<string>();
  return [...all].sort(compareWitnesses).flatMap((anomaly, at) => {
    const reads = staleReads(anomaly).map(({ transaction, statement }) =>
      JSON.stringify([transaction, statement]),
    );
    // Unconfirmed anomalies have no reads to compare.
    const isOther =
      at === 0 || (anomaly.status === "confirmed" && !reads.some((each) => told.has(each)));
    if (!isOther) return [];
    for (const each of reads) told.add(each);
    return at === 0 ? [anomaly] : [{ ...anomaly, id: digestOf([anomaly.id, ...reads.sort()], 8) }];
  });
}

/** Orders witnesses of one anomaly: confirmed, severe, short; the last criteria only make the order total. */
function compareWitnesses(a: Anomaly, b: Anomaly): number {
  return (
    statusRank(a) - statusRank(b) ||
    severityRank(a) - severityRank(b) ||
    a.transactions.length - b.transactions.length ||
    a.witness.schedule.length - b.witness.schedule.length ||
    a.cycle.length - b.cycle.length ||
    compareText(JSON.stringify(a.witness), JSON.stringify(b.witness))
  );
}

function compareRanked(a: Anomaly, b: Anomaly): number {
  return (
    statusRank(a) - statusRank(b) ||
    severityRank(a) - severityRank(b) ||
    compareHarm(a, b) ||
    new Set(a.transactions).size - new Set(b.transactions).size ||
    a.transactions.length - b.transactions.length ||
    comparePlaces(a, b) ||
    compareText(a.kind, b.kind) ||
    compareText(a.id, b.id)
  );
}

function comparePlaces(a: Anomaly, b: Anomaly): number {
  const [from, to] = [mainEnd(a), mainEnd(b)];
  if (!from || !to) return Number(!from) - Number(!to);
  return (
    compareText(from.file, to.file) ||
    from.range.start.line - to.range.start.line ||
    from.range.start.character - to.range.start.character
  );
}

function statusRank(anomaly: Anomaly): number {
  return anomaly.status === "confirmed" ? 0 : 1;
}

function severityRank(anomaly: Anomaly): number {
  return SEVERITIES.indexOf(anomaly.severity);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
