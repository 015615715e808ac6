// Which findings the entries of a baseline stand for, and which entries stand for none any more.
import type { Anomaly, LevelReport, Suppressed } from "../../protocol/report";
import type { AnomalyEntry, Baseline, BaselineEntry } from "../../workspace/baseline";
import { causeGroups, fingerprintOfRead, readGroups, type CauseGroups } from "./causes";
import { contentOf, fingerprintOf, plainName, plainStatement } from "./fingerprint";
import { openParts } from "./suppressions";

/** The entries of a baseline, used up by the findings of one level, of one project after the other. */
export interface BaselineUse {
  /** For each finding whether an entry stands for it; undefined ones are passed over. */
  match(anomalies: readonly (Anomaly | undefined)[]): readonly (Suppressed | undefined)[];
  /** Entries of which something was found. */
  met(): ReadonlySet<Baseline["entries"][number] | Baseline["old"][number]>;
}

/** Entries of the present version stand for causes, those of the old one for anomalies. */
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

/** Entries with what is left of them. */
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
 * An entry stands for its read, and for all anomalies through that, whichever read tells them: with other partners, other
 * reads may explain more. Of what is left, those with the same read and a use stand for each other: transactions were
 * renamed, or their file was, which lends its name to some.
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

/** One for each transaction of the cause. */
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

/**
 * Entries are found by their fingerprint. Of what is left, those with the same kind and statements and as many
 * transactions stand for each other.
 */
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

/** A report of what a baseline is about; `isWhole`: of all files of its project. */
export interface BaselinedCheck {
  readonly report: LevelReport;
  readonly isWhole: boolean;
}

/**
 * One sentence on the entries that nothing was found of, where all that they could be about was checked and nothing about
 * their transactions is open; undefined where there are none.
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

/** The entries for the causes of findings: one for each content, with how many have it; reasons that were given stay. */
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

/** That of the entry, or those of the anomalies of an old baseline. */
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

/** The entries for the findings of several levels: of a content that several have, as many as any of them has. */
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

/** All of both, sorted, each once. */
function joined(known: readonly string[] | undefined, more: readonly string[]): readonly string[] {
  return [...new Set([...(known ?? []), ...more])].sort();
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}
