// From what a check found to what is told of it: how loudly, what comments and a baseline leave out, and one finding for
// those that are alike. Nothing is taken out of the report; each anomaly is marked.
import type { SuppressedKind } from "../program/suppression";
import { ownEntry } from "../protocol/dictionary";
import type { Anomaly, FindingSeverity, LevelReport, Suppressed } from "../protocol/report";
import type { Severities } from "../workspace/severities";
import type { BaselineUse } from "./baselineUse";
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
  return { report: { ...report, anomalies: grouped(anomalies) }, used };
}

/** How loudly an anomaly is told. What could not be executed is never more than information. */
export function reportedAs(anomaly: Anomaly, severities: Severities): FindingSeverity {
  const ofKind = ownEntry(severities, anomaly.kind);
  if (ofKind === "off") return "off";
  if (anomaly.severity === "unused") return severities["unused"] ?? "off";
  if (anomaly.status === "unconfirmed") return ofKind === "hint" ? "hint" : "information";
  return ofKind ?? "warning";
}

/** The sentence of a finding, and how many are like it. */
export function messageOf(anomaly: Anomaly, all: readonly Anomaly[]): string {
  const like = all.filter(({ representative }) => representative === anomaly.id);
  if (like.length === 0) return anomaly.message;
  const named = like.map(({ transactions }) => transactions.join(", ")).slice(0, 4);
  const more = like.length > named.length ? "; ..." : "";
  return `${anomaly.message} ${String(like.length)} more by the same statements: ${named.join("; ")}${more}.`;
}

function byComment({ reason, source }: PlacedSuppression): Suppressed {
  return { by: "comment", reason, file: source.file, range: source.range };
}

function unmarked(anomaly: Anomaly): Anomaly {
  const { suppressed, representative, ...rest } = anomaly;
  void suppressed;
  void representative;
  return rest;
}

/** Of those of one kind over the same tables and statements (a helper that many transactions call) the first is told. */
function grouped(anomalies: readonly Anomaly[]): readonly Anomaly[] {
  const first = new Map<string, string>();
  return anomalies.map((anomaly) => {
    if (anomaly.suppressed || anomaly.reportedAs === "off") return anomaly;
    const { kind, tables, status, severity } = anomaly;
    const { statements } = contentOf(anomaly);
    const key = JSON.stringify([kind, status, severity, [...tables].sort(), statements]);
    const representative = first.get(key);
    if (representative === undefined) first.set(key, anomaly.id);
    return representative === undefined ? anomaly : { ...anomaly, representative };
  });
}
