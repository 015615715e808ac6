// Matching of baseline entries with findings, and the entries that match nothing any more.
import type { Anomaly, LevelReport, Suppressed } from "../../protocol/report";
import type { AnomalyEntry, Baseline, BaselineEntry } from "../../workspace/baseline";
import { causeGroups, fingerprintOfRead, readGroups, type CauseGroups } from "./causes";
import { contentOf, fingerprintOf, plainName, plainStatement } from "./fingerprint";
import { openParts } from "./suppressions";

/** The entries of a baseline, consumed by the findings of one level, project by project. */
export interface BaselineUse {
  /** The matching entry of each finding; undefined findings are skipped. */
  match(anomalies: readonly (Anomaly | undefined)[]): readonly (Suppressed | undefined)[];
  /** Entries that matched a finding. */
  met(): ReadonlySet<Baseline["entries"][number] | Baseline["old"][number]>;
}

/** Entries of the present version match causes, those of the old version match anomalies. */
export function useBaseline({ entries, old }: Baseline): BaselineUse {
  const [causes, single] = [stock(entries), stock(old)];
  return {
    match: (anomalies) => {
      const ofCauses = matchCauses(causes, anomalies);
      const open = anomalies.map((each, at) => (ofCauses[at] ? undefined : each));
      const alone = matchAnomalies(single, open);
      return ofCauses.map((each, at) => each ?? alone[at]);
    },
    met: () => new Set([...causes.met, ...single.met]),
  };
}

/** Entries with the number of matches that each has left. */
interface Stock<E> {
  readonly met: Set<E>;
  take(fits: (entry: E) => boolean): Suppressed | undefined;
}

function stock<E extends BaselineEntry | AnomalyEntry>(entries: readonly E[]): Stock<E> {
  const left = new Map(entries.map((entry) => [entry, entry.count]));
  const met = new Set<E>();
  return {
    met,
    take: (fits) => {
      for (const [entry, count] of left) {
        if (count === 0 || !fits(entry)) continue;
        left.set(entry, count - 1);
        met.add(entry);
        return { by: "baseline", reason: entry.reason };
      }
      return undefined;
    },
  };
}

/**
 * An entry matches its read and all anomalies through that read, whichever read represents them: with other partners, another read may
 * explain more. Remaining entries match groups with the same read and a common use, which covers renamed transactions and files (a file may
 * be part of a transaction's name).
 */
function matchCauses(
  { met, take }: Stock<BaselineEntry>,
  anomalies: readonly (Anomaly | undefined)[],
): readonly (Suppressed | undefined)[] {
  const groups = readGroups(anomalies.flatMap((each) => each ?? []));
  const accepted = new Map<Anomaly, Suppressed>();
  const accept = (group: CauseGroups[number], by: Suppressed | undefined): void => {
    if (by) for (const { anomaly } of group) accepted.set(anomaly, accepted.get(anomaly) ?? by);
  };
  for (const group of groups) {
    const own = new Set(group.map(({ read }) => fingerprintOfRead(read)));
    accept(
      group,
      take((entry) => fingerprintsOf(entry).some((each) => own.has(each))),
    );
  }
  for (const group of groups) {
    if (group.every(({ anomaly }) => accepted.has(anomaly))) continue;
    const uses = usesOf(group);
    const isRenamed = (entry: BaselineEntry): boolean =>
      !met.has(entry) &&
      entry.uses.some((each) => uses.includes(each)) &&
      group.some(({ read }) => read.statement === entry.read && read.table === entry.table);
    accept(group, take(isRenamed));
  }
  return anomalies.map((each) => each && accepted.get(each));
}

/** One fingerprint for each transaction of the cause. */
function fingerprintsOf(entry: BaselineEntry): readonly string[] {
  const { read: statement, table, transactions } = entry;
  const own = transactions.map((transaction) =>
    fingerprintOfRead({ transaction, statement, table }),
  );
  return [entry.fingerprint, ...own];
}

function usesOf(group: CauseGroups[number]): readonly string[] {
  const texts = group.flatMap(({ read }) => (read.use ? [plainStatement(read.use.text)] : []));
  return [...new Set(texts)].sort();
}

/** Entries are matched by fingerprint first. Remaining ones match anomalies of the same kind, statements and number of transactions. */
function matchAnomalies(
  { met, take }: Stock<AnomalyEntry>,
  anomalies: readonly (Anomaly | undefined)[],
): readonly (Suppressed | undefined)[] {
  const contents = anomalies.map((anomaly) => anomaly && contentOf(anomaly));
  const exact = contents.map((content) => {
    const fingerprint = content && fingerprintOf(content);
    return content && take((entry) => entry.fingerprint === fingerprint);
  });
  return contents.map((content, at) => {
    if (content === undefined || exact[at]) return exact[at];
    return take(
      (entry) =>
        !met.has(entry) &&
        entry.kind === content.kind &&
        entry.transactions.length === content.transactions.length &&
        sameTexts(entry.statements, content.statements),
    );
  });
}

/** Advice on a baseline of an earlier version; undefined for one of the present version. */
export function oldBaselineText({ old }: Baseline): string | undefined {
  return old.length === 0
    ? undefined
    : "this baseline is of version 1, so that a known mistake is told again with each new partner; --write-baseline writes it anew by cause, and keeps its reasons";
}

/** A report that a baseline applies to; `isWhole` if it covers all files of its project. */
export interface BaselinedCheck {
  readonly report: LevelReport;
  readonly isWhole: boolean;
}

/**
 * One sentence on the unmatched entries whose whole scope was checked and whose transactions have nothing open; undefined if there are
 * none.
 */
export function uselessEntriesText(
  { entries, old }: Baseline,
  uses: readonly BaselineUse[],
  checks: readonly BaselinedCheck[],
): string | undefined {
  const open = checks.map(({ report }) => openParts(report));
  if (open.some(({ all }) => all)) return undefined;
  const undecided = new Set(open.flatMap(({ transactions }) => [...transactions].map(plainName)));
  const met = new Set(uses.flatMap((use) => [...use.met()]));
  const checked = new Set(
    checks.flatMap(({ report }) => report.transactions.map(({ name }) => plainName(name))),
  );
  const isWhole = checks.every((each) => each.isWhole);
  const gone = [...entries, ...old].filter(
    (entry) =>
      !met.has(entry) &&
      !entry.transactions.some((name) => undecided.has(name)) &&
      (isWhole || entry.transactions.every((name) => checked.has(name))),
  );
  if (gone.length === 0) return undefined;
  const named = gone
    .slice(0, MOST_NAMED)
    .map((entry) => `${kindsText(entry)} of ${entry.transactions.join(", ")}`);
  const more = gone.length > named.length ? `; and ${String(gone.length - named.length)} more` : "";
  const count = gone.length === 1 ? "1 entry is" : `${String(gone.length)} entries are`;
  return `${count} not found any more: ${named.join("; ")}${more}; --write-baseline writes it anew`;
}

const MOST_NAMED = 5;

function kindsText(entry: BaselineEntry | AnomalyEntry): string {
  return "kind" in entry ? entry.kind : entry.kinds.join(" or ");
}

type Written = Omit<BaselineEntry, "range">;

/** Baseline entries for the causes of findings: one per content, with its count; reasons already in the baseline are kept. */
function baselineEntries(
  anomalies: readonly Anomaly[],
  before: Baseline | undefined,
): readonly Written[] {
  const entries = new Map<string, Written>();
  for (const group of causeGroups(anomalies)) {
    const [first] = group;
    if (!first) continue;
    const { statement: read, table } = first.read;
    const fingerprint = fingerprintOfRead(first.read);
    const known = entries.get(fingerprint);
    const names = group.map(({ read: { transaction } }) => plainName(transaction));
    const kinds = group.map(({ anomaly }) => anomaly.kind);
    entries.set(fingerprint, {
      fingerprint,
      transactions: joined(known?.transactions, names),
      read,
      table,
      uses: joined(known?.uses, usesOf(group)),
      kinds: joined(known?.kinds, kinds),
      count: (known?.count ?? 0) + 1,
      reason: known?.reason ?? reasonOf(group, fingerprint, before),
    });
  }
  return [...entries.values()];
}

/** The reason of the matching entry, or the reasons of the anomalies of an old baseline. */
function reasonOf(
  group: CauseGroups[number],
  fingerprint: string,
  before: Baseline | undefined,
): string {
  const own = before?.entries.find((each) => each.fingerprint === fingerprint)?.reason;
  if (own !== undefined) return own;
  const contents = new Set(group.map(({ anomaly }) => fingerprintOf(contentOf(anomaly))));
  const old = (before?.old ?? []).filter((each) => contents.has(each.fingerprint));
  return joined(
    [],
    old.map(({ reason }) => reason),
  )
    .filter(Boolean)
    .join("; ");
}

/** Baseline entries for several levels: each content with the highest count of any level. */
export function joinedEntries(
  levels: readonly (readonly Anomaly[])[],
  before: Baseline | undefined,
): readonly Written[] {
  const most = new Map<string, Written>();
  for (const entry of levels.flatMap((anomalies) => baselineEntries(anomalies, before))) {
    const known = most.get(entry.fingerprint);
    most.set(entry.fingerprint, {
      ...entry,
      transactions: joined(known?.transactions, entry.transactions),
      uses: joined(known?.uses, entry.uses),
      kinds: joined(known?.kinds, entry.kinds),
      count: Math.max(known?.count ?? 0, entry.count),
    });
  }
  return [...most.values()];
}

/** The sorted union of both. */
function joined(known: readonly string[] | undefined, more: readonly string[]): readonly string[] {
  return [...new Set([...(known ?? []), ...more])].sort();
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}
