// From anomalies to causes: each anomaly is represented by one stale read. A cycle may pass through several stale reads; each anomaly gets
// the read that explains most of the others, so that there are as few causes as possible.
import type { Cause } from "../../protocol/cause";
import { isTold, mainEnd, shownEdges, type Anomaly } from "../../protocol/report";
import type { CycleEnd } from "../../protocol/dependency";
import { digestOf, plainName, plainStatement } from "./fingerprint";

/** A read of one transaction that goes stale, and the later statement of that transaction for which it matters. */
export interface StaleRead {
  readonly transaction: string;
  /** The normalised text, without place and layout, so that it survives edits elsewhere. */
  readonly statement: string;
  readonly table: string;
  /** Absent if nothing could be executed. */
  readonly read?: CycleEnd;
  readonly use?: CycleEnd;
  /** The helper function that contains both; it is the same in all transactions that call it. */
  readonly code?: string;
  /** The other transactions of the cycle, which make it stale. */
  readonly partners: readonly string[];
}

/**
 * The stale reads of an anomaly, the likeliest mistake first: the reads of a pivot (an rw edge in and out), then in the order of the cycle.
 * Read-only transactions are blamed only if there is nobody else. Never empty.
 */
export function staleReads(anomaly: Anomaly): readonly StaleRead[] {
  const { cycle } = anomaly;
  const writes = new Set(
    anomaly.steps.flatMap((step) => (step.writes.length > 0 ? [step.instance] : [])),
  );
  const reads = cycle.flatMap((edge, at) => {
    if (edge.dependency !== "rw") return [];
    const before = cycle[at - 1] ?? cycle.at(-1);
    const isBetween = before?.dependency === "rw";
    return [{ edge, use: before?.to, isBetween, onlyLooks: !writes.has(edge.from.instance) }];
  });
  const looking = reads.every(({ onlyLooks }) => onlyLooks);
  const blamed = reads
    .filter(({ onlyLooks }) => looking || !onlyLooks)
    .sort((a, b) => Number(b.isBetween) - Number(a.isBetween));
  // A deadlock has no dependencies: each waiting transaction may be the one that locks in the wrong order.
  const waiting = cycle.filter(({ dependency }) => dependency === "waits");
  if (waiting.length > 0)
    return waiting.map(({ from, to, table }) =>
      placed(anomaly, from, `${anomaly.kind} ${table}`, to),
    );
  if (blamed.length > 0)
    return blamed.map(({ edge, use }) =>
      placed(anomaly, decidingRead(anomaly, edge.from, edge.table, use), edge.table, use),
    );
  const [edge] = shownEdges(anomaly);
  const end = mainEnd(anomaly);
  return [edge && end ? placed(anomaly, end, edge.table, end) : unplaced(anomaly)];
}

/**
 * The read that goes stale, or the earlier one of the same row where the read is the statement's own: what `save(row)` looks up before it
 * writes says nothing that the code decides on.
 */
function decidingRead(
  { steps }: Anomaly,
  read: CycleEnd,
  table: string,
  use: CycleEnd | undefined,
): CycleEnd {
  if (!use || placeOf(read) !== placeOf(use)) return read;
  const own = steps.filter(({ instance }) => instance === read.instance);
  const at = own.findIndex((step) => placeOf(step) === placeOf(read));
  const keys = new Set(
    own[at]?.reads.filter((cell) => cell.table === table).map(({ key }) => key) ?? [],
  );
  const earlier = own
    .slice(0, Math.max(0, at))
    .find(({ reads }) => reads.some((cell) => cell.table === table && keys.has(cell.key)));
  if (!earlier) return read;
  const { instance, file, range, text } = earlier;
  return { instance, file, range, text };
}

function placed(
  anomaly: Anomaly,
  read: CycleEnd,
  table: string,
  use: CycleEnd | undefined,
): StaleRead {
  const { instances } = anomaly.witness;
  const own = instances.find(({ instance }) => instance === read.instance)?.transaction;
  const transaction = own ?? anomaly.transactions[0] ?? "";
  const at = anomaly.transactions.indexOf(transaction);
  return {
    transaction,
    statement: plainStatement(read.text),
    table,
    read,
    ...(use && { use, ...sharedCode(anomaly, read, use) }),
    partners: distinct(anomaly.transactions.filter((_, other) => other !== at)),
  };
}

/** The one call that both come from. A read and a write in two calls are the transaction's own mistake. */
function sharedCode({ steps }: Anomaly, read: CycleEnd, use: CycleEnd): Pick<StaleRead, "code"> {
  const [first, second] = [read, use].map((end) =>
    steps.find((step) => step.instance === end.instance && placeOf(step) === placeOf(end)),
  );
  const [call, other] = [first?.through?.[0], second?.through?.[0]];
  const isShared = call && other && placeOf(call) === placeOf(other);
  return isShared ? { code: `${placeOf(read)} ${placeOf(use)}` } : {};
}

/** An unconfirmed anomaly is located by its steps. */
function unplaced({ kind, tables, steps, transactions }: Anomaly): StaleRead {
  const texts = distinct(steps.map(({ text }) => plainStatement(text))).sort();
  const [transaction = "", ...partners] = transactions;
  const table = [kind, ...[...tables].sort()].join(" ");
  return { transaction, statement: texts.join("; "), table, partners };
}

/** Anomalies with their representative reads, grouped by mistake. */
export type CauseGroups = readonly (readonly Told[])[];

/** Groups ordered by their worst anomalies, members in input order; every anomaly is in exactly one group. */
export function causeGroups(anomalies: readonly Anomaly[]): CauseGroups {
  return sharingCode(bySite(cover(anomalies)));
}

/** All stale reads of the anomalies, grouped by site or shared code, in the order of the anomalies. */
export function readGroups(anomalies: readonly Anomaly[]): CauseGroups {
  const all = anomalies.flatMap((anomaly) =>
    staleReads(anomaly).map((read): Told => ({ anomaly, read })),
  );
  return sharingCode(bySite(all));
}

/** The causes of the groups; partners are named for the reported anomalies only. */
export function causesOf(
  anomalies: readonly Anomaly[],
  groups: CauseGroups = causeGroups(anomalies),
): readonly Cause[] {
  const toldIds = new Set(anomalies.filter((each) => isTold(each)).map(({ id }) => id));
  return groups.map((members): Cause => {
    const reads = members.map(({ read }) => read);
    const [first] = reads;
    const told = members.filter(({ anomaly }) => toldIds.has(anomaly.id));
    const ids = distinct(reads.map((read) => digestOf([read.transaction, keyOf(read)], 8)));
    return {
      id: ids[0] ?? "",
      ids,
      fingerprint: first ? fingerprintOfRead(first) : "",
      transactions: distinct(reads.map(({ transaction }) => transaction)),
      ...(first?.read && { read: first.read }),
      uses: distinctBy(
        reads.flatMap(({ use }) => use ?? []),
        placeOf,
      ),
      partners: distinct((told.length > 0 ? told : members).flatMap(({ read }) => read.partners)),
      tables: distinct(members.flatMap(({ anomaly }) => anomaly.tables)),
      ...(members.every(({ anomaly }) => anomaly.severity === "refused") && { isRefused: true }),
      anomalies: members.map(({ anomaly }) => anomaly.id),
    };
  });
}

/** Fingerprint of a stale read in baselines: sixteen hexadecimal digits. */
export function fingerprintOfRead(
  read: Pick<StaleRead, "transaction" | "statement" | "table">,
): string {
  return digestOf([plainName(read.transaction), keyOf(read)], 16);
}

function keyOf({ statement, table }: Pick<StaleRead, "statement" | "table">): string {
  return JSON.stringify([statement, table]);
}

/** An anomaly with one of its reads. */
export interface Told {
  readonly anomaly: Anomaly;
  readonly read: StaleRead;
}

/**
 * One read per anomaly, by greedy set cover: the read that explains most of the remaining anomalies; ties go to the likelier mistake, then
 * to the first. O(causes * reads).
 */
function cover(anomalies: readonly Anomaly[]): readonly Told[] {
  const open = new Map(anomalies.map((anomaly) => [anomaly, staleReads(anomaly)]));
  const told = new Map<Anomaly, StaleRead>();
  while (open.size > 0) {
    const weights = new Map<string, { readonly count: number; readonly choice: number }>();
    for (const reads of open.values())
      for (const [choice, site] of distinct(reads.map(siteOf)).entries()) {
        const known = weights.get(site) ?? { count: 0, choice };
        weights.set(site, { count: known.count + 1, choice: Math.min(known.choice, choice) });
      }
    const [best] = [...weights].sort(([, a], [, b]) => b.count - a.count || a.choice - b.choice);
    for (const [anomaly, reads] of open) {
      const read = reads.find((each) => siteOf(each) === best?.[0]);
      if (!read) continue;
      told.set(anomaly, read);
      open.delete(anomaly);
    }
  }
  return anomalies.flatMap((anomaly) => {
    const read = told.get(anomaly);
    return read ? [{ anomaly, read }] : [];
  });
}

function bySite(all: readonly Told[]): readonly (readonly Told[])[] {
  const sites = new Map<string, Told[]>();
  for (const each of all) {
    const site = siteOf(each.read);
    sites.set(site, [...(sites.get(site) ?? []), each]);
  }
  return [...sites.values()];
}

/** Merges the sites of several transactions if both the read and its use are the same helper code. */
function sharingCode(sites: readonly (readonly Told[])[]): readonly (readonly Told[])[] {
  let groups: readonly { readonly code: readonly string[]; readonly members: readonly Told[] }[] =
    [];
  for (const site of sites) {
    const code = distinct(site.flatMap(({ read }) => read.code ?? []));
    const isLike = (group: (typeof groups)[number]): boolean =>
      group.code.some((each) => code.includes(each));
    const like = groups.filter(isLike);
    const [first] = like;
    const joined = {
      code: [...like.flatMap((group) => group.code), ...code],
      members: [...like.flatMap(({ members }) => members), ...site],
    };
    groups = first
      ? groups.flatMap((group) => (group === first ? [joined] : isLike(group) ? [] : [group]))
      : [...groups, joined];
  }
  return groups.map(({ members }) => members);
}

function siteOf({ transaction, statement, table }: StaleRead): string {
  return JSON.stringify([transaction, statement, table]);
}

function placeOf({ file, range }: Pick<CycleEnd, "file" | "range">): string {
  return JSON.stringify([file, range.start, range.end]);
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function distinctBy<T>(all: readonly T[], key: (each: T) => string): readonly T[] {
  const seen = new Map<string, T>();
  for (const each of all) if (!seen.has(key(each))) seen.set(key(each), each);
  return [...seen.values()];
}
