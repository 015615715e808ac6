// From a check's anomalies to what is reported: their severity, suppression by comments and baseline, and one finding per cause. Nothing is
// removed from the report; each anomaly is marked.
import type { SuppressedKind } from "../../program/suppression";
import { ownEntry } from "../../protocol/dictionary";
import { racesText, type Cause } from "../../protocol/cause";
import {
  isTold,
  type Anomaly,
  type FindingSeverity,
  type LevelReport,
  type Suppressed,
} from "../../protocol/report";
import type { Severities } from "../../workspace/severities";
import type { BaselineUse } from "./baselineUse";
import { causeGroups, causesOf } from "./causes";
import { severityOf } from "./harm";
import { contentOf, fingerprintOf } from "./fingerprint";
import { coveringSuppressions, isAtCause, namesKind, type PlacedSuppression } from "./suppressions";

/** Policy of reporting. */
export interface FindingPolicy {
  readonly severities: Severities;
  readonly placed: readonly PlacedSuppression[];
  /** The baseline entries that are still unmatched at this level. */
  readonly baseline?: BaselineUse;
}

export interface JudgedFindings {
  readonly report: LevelReport;
  /** Kinds of comments that suppressed something. */
  readonly used: ReadonlySet<SuppressedKind>;
}

/** The report with every anomaly marked, in the same order, followed by the refusals. Comments take precedence over the baseline. */
export function judgeFindings(
  { refusals = [], ...report }: LevelReport,
  policy: FindingPolicy,
): JudgedFindings {
  const plain = [...report.anomalies, ...refusals].map((anomaly): Anomaly => ({
    ...unmarked(anomaly),
    fingerprint: fingerprintOf(contentOf(anomaly)),
    reportedAs: reportedAs(anomaly, policy.severities),
  }));
  const groups = causeGroups(plain);
  const comments = commentsOn(plain, causesOf(plain, groups), report, policy.placed);
  const open = plain.map((anomaly) => (comments.by.has(anomaly.id) ? undefined : anomaly));
  const accepted = policy.baseline?.match(open) ?? [];
  const anomalies = plain.map((anomaly, at): Anomaly => {
    const suppressed = comments.by.get(anomaly.id) ?? accepted[at];
    return { ...anomaly, ...(suppressed && { suppressed }) };
  });
  const causes = causesOf(anomalies, groups);
  const told = { ...report, anomalies: grouped(anomalies, causes), causes };
  return { report: told, used: comments.used };
}

/**
 * The comments that accept anomalies, by anomaly id. A comment at the code of a cause that names the kind of its worst anomaly accepts the
 * whole cause, whatever the kinds of its other anomalies.
 */
function commentsOn(
  anomalies: readonly Anomaly[],
  causes: readonly Cause[],
  report: LevelReport,
  placed: readonly PlacedSuppression[],
): { readonly by: ReadonlyMap<string, Suppressed>; readonly used: ReadonlySet<SuppressedKind> } {
  const files = new Map(report.transactions.map(({ name, file }) => [name, file]));
  const by = new Map<string, Suppressed>();
  const used = new Set<SuppressedKind>();
  if (placed.length === 0) return { by, used };
  for (const anomaly of anomalies) {
    const covering = coveringSuppressions(placed, anomaly, (name) => files.get(name));
    for (const { kind } of covering) used.add(kind);
    const [first] = covering;
    if (first) by.set(anomaly.id, byComment(first.by));
  }
  const byId = new Map(anomalies.map((each) => [each.id, each]));
  for (const cause of causes) {
    const all = cause.anomalies.flatMap((id) => byId.get(id) ?? []);
    const worst = all.find((each) => isTold(each));
    const comment =
      worst && placed.find((each) => namesKind(each, worst.kind) && isAtCause(each, cause));
    if (!comment) continue;
    for (const { id } of all) if (!by.has(id)) by.set(id, byComment(comment));
  }
  return { by, used };
}

/** The severity of an anomaly. Unconfirmed anomalies are at most information. */
export function reportedAs(anomaly: Anomaly, severities: Severities): FindingSeverity {
  const ofKind = ownEntry(severities, anomaly.kind);
  if (ofKind === "off") return "off";
  if (anomaly.severity === "unused") return severities["unused"] ?? "off";
  if (anomaly.status === "unconfirmed") return ofKind === "hint" ? "hint" : "information";
  return ofKind ?? severityOf(anomaly);
}

/** The message of a finding, with the transactions that its cause races with beside its own. */
export function messageOf(anomaly: Anomaly, causes: readonly Cause[] = []): string {
  const cause = causes.find(({ id }) => id === anomaly.cause);
  return `${anomaly.message}${cause ? racesText(cause) : ""}`;
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

/** The first reported anomaly of a cause represents the others. */
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
