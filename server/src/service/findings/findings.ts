// From what a check found to what is told of it: how loudly, what comments and a baseline leave out, and one finding for
// those that are alike. Nothing is taken out of the report; each anomaly is marked.
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

/** Policy on what is told. */
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

/**
 * The report with every anomaly marked; the order stays, and refusals stand behind the others. Comments are asked before
 * the baseline.
 */
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
 * The comments that accept anomalies, by their ids. One that stands at the code of a cause and names the kind by which it is
 * told, that of its worst anomaly, accepts the cause, and with it all kinds that come of it.
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

/** The first anomaly of a cause that is told stands for the others. */
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
