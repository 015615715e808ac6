// From what a check found to what is told of it: how loudly, what comments and a baseline leave out, and one finding for
// those that are alike. Nothing is taken out of the report; each anomaly is marked.
import type { SuppressedKind } from "../program/suppression";
import { ownEntry } from "../protocol/dictionary";
import { partnersText, type Cause } from "../protocol/cause";
import type { Anomaly, FindingSeverity, LevelReport, Suppressed } from "../protocol/report";
import type { Severities } from "../workspace/severities";
import type { BaselineUse } from "./baselineUse";
import { causesOf } from "./causes";
import { severityOf } from "./harm";
import { contentOf, fingerprintOf } from "./fingerprint";
import { coveringSuppressions, type PlacedSuppression } from "./suppressions";

/** What decides on what is told. */
export interface FindingPolicy {
  readonly severities: Severities;
  readonly placed: readonly PlacedSuppression[];
  /** The findings of a baseline that were not met yet at this level. */
  readonly baseline?: BaselineUse;
}

export interface JudgedFindings {
  readonly report: LevelReport;
  /** Kinds of comments that suppress something. */
  readonly used: ReadonlySet<SuppressedKind>;
}

/** The report with every anomaly marked; the order stays. Comments are asked before the baseline. */
export function judgeFindings(report: LevelReport, policy: FindingPolicy): JudgedFindings {
  const files = new Map(report.transactions.map(({ name, file }) => [name, file]));
  const used = new Set<SuppressedKind>();
  const told = report.anomalies.map((anomaly) => {
    const covering = coveringSuppressions(policy.placed, anomaly, (name) => files.get(name));
    for (const { kind } of covering) used.add(kind);
    const [first] = covering;
    return { anomaly, comment: first && byComment(first.by) };
  });
  const open = told.map(({ anomaly, comment }) => (comment ? undefined : anomaly));
  const accepted = policy.baseline?.match(open) ?? [];
  const anomalies = told.map(({ anomaly, comment }, at): Anomaly => {
    const suppressed = comment ?? accepted[at];
    return {
      ...unmarked(anomaly),
      fingerprint: fingerprintOf(contentOf(anomaly)),
      reportedAs: reportedAs(anomaly, policy.severities),
      ...(suppressed && { suppressed }),
    };
  });
  const causes = causesOf(anomalies);
  return { report: { ...report, anomalies: grouped(anomalies, causes), causes }, used };
}

/** How loudly an anomaly is told. What could not be executed is never more than information. */
export function reportedAs(anomaly: Anomaly, severities: Severities): FindingSeverity {
  const ofKind = ownEntry(severities, anomaly.kind);
  if (ofKind === "off") return "off";
  if (anomaly.severity === "unused") return severities["unused"] ?? "off";
  if (anomaly.status === "unconfirmed") return ofKind === "hint" ? "hint" : "information";
  return ofKind ?? severityOf(anomaly);
}

/** The sentence of a finding, and whom its cause races with beside the transactions that it tells of. */
export function messageOf(anomaly: Anomaly, causes: readonly Cause[] = []): string {
  const cause = causes.find(({ id }) => id === anomaly.cause);
  return cause && cause.anomalies.length > 1
    ? `${anomaly.message} It races with ${partnersText(cause)}.`
    : anomaly.message;
}

function byComment({ reason, source }: PlacedSuppression): Suppressed {
  return { by: "comment", reason, file: source.file, range: source.range };
}

function unmarked(anomaly: Anomaly): Anomaly {
  const { suppressed, representative, cause, ...rest } = anomaly;
  void suppressed;
  void cause;
  void representative;
  return rest;
}

/** Of the anomalies of one cause the first that is told stands for the others. */
function grouped(anomalies: readonly Anomaly[], causes: readonly Cause[]): readonly Anomaly[] {
  const causeOf = new Map(
    causes.flatMap(({ id, anomalies: all }) => all.map((each) => [each, id])),
  );
  const first = new Map<string, string>();
  return anomalies.map((anomaly) => {
    const cause = causeOf.get(anomaly.id);
    if (cause === undefined) return anomaly;
    const marked = { ...anomaly, cause };
    if (anomaly.suppressed || anomaly.reportedAs === "off") return marked;
    const representative = first.get(cause);
    if (representative === undefined) first.set(cause, anomaly.id);
    return representative === undefined ? marked : { ...marked, representative };
  });
}
