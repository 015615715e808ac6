// SARIF 2.1.0 (OASIS): one run, a rule per kind, a result per finding with its executed schedule as code flows.
import { pathToFileURL } from "node:url";
import { KINDS } from "../../analysis/explain/kinds/kinds";
import { pageOfKind } from "../../protocol/documentation";
import {
  isShown,
  placedBreaches,
  type Anomaly,
  type FindingSeverity,
  type LevelReport,
  type Shown,
  type Step,
  type Unknown,
} from "../../protocol/report";
import { messageOf } from "../../service/findings/findings";
import type { Range } from "../../protocol/source";
import { instanceText, MOST_ARGUMENTS } from "./anomalyText";
import { findingPlace, pathOf, type PlacedReport } from "./placedReport";

export interface SarifOptions {
  readonly version: string;
  readonly shown?: Shown;
}

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** The reports as one SARIF log. Columns count UTF-16 code units from 1; paths are relative to the working directory. */
export function sarifReport(reports: readonly PlacedReport[], options: SarifOptions): string {
  const { version, shown = {} } = options;
  const seen = new Map<string, number>();
  const results = reports.flatMap((placed) =>
    placed.report.anomalies
      .filter((anomaly) => anomaly.status === "confirmed" && isShown(anomaly, shown))
      .map((anomaly) => resultOf(placed, anomaly, shown, seen)),
  );
  const run = {
    tool: {
      driver: {
        name: "Isolens",
        version,
        semanticVersion: version,
        informationUri: "https://github.com/isolens/isolens",
        rules: KINDS.map(ruleOf),
        notifications: [
          {
            id: "unknown",
            shortDescription: { text: "Something could not be decided." },
            helpUri: pageOfKind("unknown"),
          },
          {
            id: "unread",
            shortDescription: { text: "Something was not read." },
            helpUri: pageOfKind("unknown"),
          },
        ],
      },
    },
    columnKind: "utf16CodeUnits",
    invocations: [
      {
        executionSuccessful: reports.every(
          ({ report }) => report.verdict !== "cancelled" && report.unknown.every(isRead),
        ),
        toolExecutionNotifications: reports.flatMap((placed) =>
          placed.report.unknown.map((unknown) => notificationOf(placed, unknown)),
        ),
      },
    ],
    properties: { levels: [...new Set(reports.map(({ report }) => report.level))] },
    results,
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function ruleOf(kind: (typeof KINDS)[number]) {
  const { name, title, definition, reference } = kind;
  const more = `Executed examples, the levels that let it through and what helps: ${pageOfKind(name)}`;
  return {
    id: name,
    name: title.replaceAll(/[^A-Za-z]+(.)/gu, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: `${title}.` },
    fullDescription: { text: definition },
    helpUri: pageOfKind(name),
    help: {
      text: `${definition}\n\nDefined in: ${reference}.\n\n${more}`,
      markdown: `${definition}\n\nDefined in: ${reference}.\n\n[Which levels let it through, and what helps](${pageOfKind(name)})`,
    },
    defaultConfiguration: { level: "warning" },
    properties: { tags: ["transactions", "isolation", "concurrency"], precision: "very-high" },
  };
}

const LEVELS: Readonly<Record<FindingSeverity, "error" | "warning" | "note" | "none">> = {
  error: "error",
  warning: "warning",
  information: "note",
  hint: "note",
  off: "none",
};

function resultOf(placed: PlacedReport, anomaly: Anomaly, shown: Shown, seen: Map<string, number>) {
  const { report } = placed;
  const place = findingPlace(report, anomaly);
  const steps = anomaly.steps.filter(({ file }) => file !== "");
  const related = [
    ...steps.map((step, at) => ({
      ...step,
      text: `${String(at + 1)}/${String(steps.length)} ${stepText(step)}`,
    })),
    ...placedBreaches(anomaly),
  ];
  return {
    ruleId: anomaly.kind,
    ruleIndex: KINDS.findIndex(({ name }) => name === anomaly.kind),
    level: LEVELS[anomaly.reportedAs ?? "warning"],
    message: { text: messageOf(anomaly, shown.all ? [] : report.causes) },
    locations: place ? [locationOf(placed, place.file, place.range)] : [],
    ...(steps.length > 0 && { codeFlows: codeFlowsOf(placed, anomaly, steps) }),
    ...(related.length > 0 && {
      relatedLocations: related.map(({ file, range, text }, at) => ({
        id: at + 1,
        ...locationOf(placed, file, range),
        message: { text },
      })),
    }),
    partialFingerprints: fingerprintsOf(report, anomaly, shown, seen),
    ...(anomaly.suppressed && { suppressions: [suppressionOf(placed, anomaly.suppressed)] }),
    properties: {
      id: anomaly.id,
      isolationLevel: report.level,
      transactions: anomaly.transactions,
      tables: anomaly.tables,
      ...(anomaly.breaches && { breaks: anomaly.breaches.map(({ text }) => text) }),
      differs: anomaly.severity,
      preventedBy: anomaly.preventedBy,
    },
  };
}

/**
 * The fingerprints of a result: a cause, or an anomaly if all are shown. Results with equal content are numbered within a run, and those of
 * several levels have the level.
 */
function fingerprintsOf(
  report: LevelReport,
  anomaly: Anomaly,
  shown: Shown,
  seen: Map<string, number>,
): Readonly<Record<string, string>> {
  const cause = shown.all ? undefined : report.causes?.find(({ id }) => id === anomaly.cause);
  const own = `${cause?.fingerprint ?? anomaly.fingerprint ?? anomaly.id}:${report.level}`;
  const number = (seen.get(own) ?? 0) + 1;
  seen.set(own, number);
  const name = cause ? "isolensCause/v1" : "isolensFinding/v1";
  return { [name]: number === 1 ? own : `${own}:${String(number)}` };
}

/** The executed schedule, and in addition a thread per instance with the same execution order. */
function codeFlowsOf(placed: PlacedReport, anomaly: Anomaly, steps: readonly Step[]) {
  const located = steps.map((step, at) => ({
    instance: step.instance,
    location: {
      location: {
        ...locationOf(placed, step.file, step.range),
        message: { text: stepText(step) },
      },
      executionOrder: at + 1,
      importance: "essential",
    },
  }));
  const threads = anomaly.witness.instances.flatMap((instance) => {
    const locations = located
      .filter((each) => each.instance === instance.instance)
      .map(({ location }) => location);
    if (locations.length === 0) return [];
    return [
      {
        id: instance.instance,
        message: { text: instanceText(instance, MOST_ARGUMENTS) },
        locations,
      },
    ];
  });
  const schedule = {
    id: "schedule",
    message: { text: "The schedule that was executed" },
    locations: located.map(({ location }) => location),
  };
  return [
    { message: { text: "Interleaved, as executed" }, threadFlows: [schedule] },
    { message: { text: "Each transaction by itself" }, threadFlows: threads },
  ];
}

function stepText({ instance, effect, because }: Step): string {
  return `${instance} ${effect}${because === "" ? "" : ` (${because})`}`;
}

function suppressionOf(placed: PlacedReport, suppressed: NonNullable<Anomaly["suppressed"]>) {
  const { by, reason, file, range } = suppressed;
  return {
    kind: by === "comment" ? "inSource" : "external",
    status: "accepted",
    ...(reason !== "" && { justification: reason }),
    ...(file !== undefined && range && { location: locationOf(placed, file, range) }),
  };
}

/** Undecided tuples are part of the log: a missing result must not count as safe. */
function notificationOf(placed: PlacedReport, unknown: Unknown) {
  const { reason, transactions, file, range } = unknown;
  const names = transactions.length > 0 ? ` (${transactions.join(", ")})` : "";
  const what = isRead(unknown) ? `Undecided at ${placed.report.level}` : "Not read";
  return {
    level: isRead(unknown) ? "note" : "warning",
    message: { text: `${what}: ${reason}${names}` },
    descriptor: { id: isRead(unknown) ? "unknown" : "unread" },
    ...(file !== undefined && { locations: [locationOf(placed, file, range)] }),
  };
}

function isRead({ unread }: Unknown): boolean {
  return unread === undefined;
}

function locationOf(placed: PlacedReport, file: string, range: Range | undefined) {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(pathOf(placed, file)) },
      ...(range && { region: regionOf(range) }),
    },
  };
}

function regionOf({ start, end }: Range) {
  return {
    startLine: start.line + 1,
    startColumn: start.character + 1,
    endLine: end.line + 1,
    endColumn: end.character + 1,
  };
}

/** A relative reference; a first segment with a colon would be a scheme. */
function uriOf(path: string): string {
  if (/^(?:[A-Za-z]:)?\//u.test(path)) return pathToFileURL(path).href;
  return path
    .split("/")
    .map((part) => encodeURIComponent(part))
    .join("/");
}
