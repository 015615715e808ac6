// Which findings the entries of a baseline stand for, and which entries stand for none any more.
import type { Anomaly, LevelReport, Suppressed } from "../protocol/report";
import type { Baseline, BaselineEntry } from "../workspace/baseline";
import { contentOf, fingerprintOf, plainName } from "./fingerprint";
import { openParts } from "./suppressions";

/** The entries of a baseline, used up by the findings of one level, of one project after the other. */
export interface BaselineUse {
  /** For each finding whether an entry stands for it; undefined ones are passed over. */
  match(anomalies: readonly (Anomaly | undefined)[]): readonly (Suppressed | undefined)[];
  /** Entries of which something was found. */
  met(): ReadonlySet<BaselineEntry>;
}

/**
 * Entries are found by their fingerprint. Of what is left, those with the same kind and statements and as many
 * transactions stand for each other: transactions were renamed, or their file was, which lends its name to some.
 */
export function useBaseline({ entries }: Baseline): BaselineUse {
  const left = new Map(entries.map((entry) => [entry, entry.count]));
  const met = new Set<BaselineEntry>();
  const take = (fits: (entry: BaselineEntry) => boolean): Suppressed | undefined => {
    for (const [entry, count] of left) {
      if (count === 0 || !fits(entry)) continue;
      left.set(entry, count - 1);
      met.add(entry);
      return { by: "baseline", reason: entry.reason };
    }
    return undefined;
  };
  return {
    match: (anomalies) => {
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
    },
    met: () => met,
  };
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
  { entries }: Baseline,
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
  const gone = entries.filter(
    (entry) =>
      !met.has(entry) &&
      !entry.transactions.some((name) => undecided.has(name)) &&
      (isWhole || entry.transactions.every((name) => checked.has(name))),
  );
  if (gone.length === 0) return undefined;
  const named = gone
    .slice(0, MOST_NAMED)
    .map(({ kind, transactions }) => `${kind} of ${transactions.join(", ")}`);
  const more = gone.length > named.length ? `; and ${String(gone.length - named.length)} more` : "";
  const count = gone.length === 1 ? "1 entry is" : `${String(gone.length)} entries are`;
  return `${count} not found any more: ${named.join("; ")}${more}; --write-baseline writes it anew`;
}

const MOST_NAMED = 5;

/** The entries for findings: one for each content, with how many have it; reasons that were given stay. */
function baselineEntries(
  anomalies: readonly Anomaly[],
  before: readonly BaselineEntry[],
): readonly Omit<BaselineEntry, "range">[] {
  const reasons = new Map(before.map(({ fingerprint, reason }) => [fingerprint, reason]));
  const entries = new Map<string, Omit<BaselineEntry, "range">>();
  for (const anomaly of anomalies) {
    const content = contentOf(anomaly);
    const fingerprint = fingerprintOf(content);
    const count = (entries.get(fingerprint)?.count ?? 0) + 1;
    const reason = reasons.get(fingerprint) ?? "";
    entries.set(fingerprint, { fingerprint, ...content, count, reason });
  }
  return [...entries.values()];
}

/** The entries for the findings of several levels: of a content that several have, as many as any of them has. */
export function joinedEntries(
  levels: readonly (readonly Anomaly[])[],
  before: readonly BaselineEntry[],
): readonly Omit<BaselineEntry, "range">[] {
  const most = new Map<string, Omit<BaselineEntry, "range">>();
  for (const entry of levels.flatMap((anomalies) => baselineEntries(anomalies, before))) {
    const known = most.get(entry.fingerprint);
    if (!known || known.count < entry.count) most.set(entry.fingerprint, entry);
  }
  return [...most.values()];
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at]);
}
