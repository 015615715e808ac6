// From anomalies to causes: which read that goes stale each of them is told by. A cycle may pass through several such
// reads; each anomaly gets the one that explains most of the others too, so that there are as few causes as can be.
import type { Cause } from "../../protocol/cause";
import { isTold, mainEnd, shownEdges, type Anomaly, type CycleEnd } from "../../protocol/report";
import { digestOf, plainName, plainStatement } from "./fingerprint";

/** A read of one transaction that goes stale, and the statement of that transaction by which it matters. */
export interface StaleRead {
  readonly transaction: string;
  /** Text without place and layout, by which it is told from other reads of its transaction: it survives edits elsewhere. */
  readonly statement: string;
  readonly table: string;
  /** Absent where nothing could be executed. */
  readonly read?: CycleEnd;
  readonly use?: CycleEnd;
  /** The code of both, where it is a helper's: the same in all transactions that call it. */
  readonly code?: string;
  /** Who makes it go stale: the others of the cycle. */
  readonly partners: readonly string[];
}

/**
 * The reads of an anomaly that go stale, the likeliest to be the mistake first: of a transaction between two others that
 * pass it by, then where the cycle starts. One that only looks is to blame where nobody else is. Never empty.
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
  // Who waits for whom is no dependency: each of those that wait may be the one whose locks are in the wrong order.
  const waiting = cycle.filter(({ dependency }) => dependency === "waits");
  if (waiting.length > 0)
    return waiting.map(({ from, to, table }) =>
      placed(anomaly, from, `${anomaly.kind} ${table}`, to),
    );
  if (blamed.length > 0)
    return blamed.map(({ edge, use }) => placed(anomaly, edge.from, edge.table, use));
  const [edge] = shownEdges(anomaly);
  const end = mainEnd(anomaly);
  return [edge && end ? placed(anomaly, end, edge.table, end) : unplaced(anomaly)];
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

/** One call that both come from. A read and a write that a transaction calls one after the other are its own mistake. */
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

/** Anomalies with the reads that they are told by, those of one mistake together. */
export type CauseGroups = readonly (readonly Told[])[];

/** In the order of their worst anomalies, these in the order in which they come; every anomaly is in exactly one. */
export function causeGroups(anomalies: readonly Anomaly[]): CauseGroups {
  return sharingCode(bySite(cover(anomalies)));
}

/** All reads of anomalies that go stale, those of one site or one code together, in the order of the anomalies. */
export function readGroups(anomalies: readonly Anomaly[]): CauseGroups {
  const all = anomalies.flatMap((anomaly) =>
    staleReads(anomaly).map((read): Told => ({ anomaly, read })),
  );
  return sharingCode(bySite(all));
}

/** The causes of groups, whose partners are of the anomalies that are told. */
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
 * For each anomaly one of its reads, by the greedy cover: the read that explains most of what is left; of equals the one
 * that is likelier for some anomaly, then the one that comes first. O(causes * reads).
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

/** Sites of several transactions are one where both the read and what rests on it are the same code, of a helper. */
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
