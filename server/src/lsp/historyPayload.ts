// A violation in a recorded run in the panel's form of anomalies: transactions as instances, operations as steps, the dependencies as the
// cycle with their reasons.
import { createHash } from "node:crypto";
import { findLevel } from "../isolation/levels";
import type {
  HistoryEdge,
  HistoryOperation,
  HistoryPlace,
  HistoryReport,
  HistoryTransaction,
  HistoryViolation,
} from "../protocol/history";
import type { Anomaly, CycleEdge, Step, StepCell } from "../protocol/report";
import type { AnomalyPayload, HistorySummary } from "../protocol/requests";
import type { Range } from "../protocol/source";
import type { CycleEnd, Dependency } from "../protocol/dependency";
import { describeKind } from "./anomalies";

/** Stable while the file and its violation stay the same. */
export function violationId(uri: string, { violation }: HistoryReport): string {
  const content = JSON.stringify([uri, violation?.kind, violation?.transactions]);
  return `history-${createHash("sha256").update(content).digest("hex").slice(0, 12)}`;
}

/** The payload of the report's violation; null if there is none. */
export function historyPayload(
  id: string,
  report: HistoryReport,
  verdicts: HistorySummary["verdicts"],
  uriOf: (file: string) => string | undefined,
): AnomalyPayload | null {
  const { violation } = report;
  if (!violation) return null;
  const level = findLevel(violation.level);
  const { reference } = describeKind(violation.kind);
  const files = new Set(
    [
      ...violation.story.flatMap(({ operations }) => operations.map(({ place }) => place)),
      ...places(violation),
    ].map(({ file }) => file),
  );
  const uris = [...files].flatMap((file): [string, string][] => {
    const uri = uriOf(file);
    return uri === undefined ? [] : [[file, uri]];
  });
  return {
    anomaly: anomalyOf(id, violation),
    level: { name: violation.level, label: level?.label ?? violation.level },
    title: violation.title,
    definition: violation.meaning,
    reference,
    rests: { proved: "the recorded run itself" },
    labels: {},
    uris: Object.fromEntries(uris),
    stale: false,
    partial: false,
    siblings: [],
    recorded: { verdicts },
  };
}

function places({ edges }: HistoryViolation): readonly HistoryPlace[] {
  const of = (reason: HistoryEdge["reason"]): readonly HistoryPlace[] => [
    ...reason.places,
    ...reason.because.flatMap(of),
  ];
  return edges.flatMap((edge) => of(edge.reason));
}

function anomalyOf(id: string, violation: HistoryViolation): Anomaly {
  const steps = violation.story.flatMap(stepsOf);
  return {
    id,
    kind: violation.kind,
    severity: "value",
    harm: "value",
    title: violation.message.replace(/[.]$/u, ""),
    status: "confirmed",
    transactions: violation.transactions,
    tables: [...new Set(violation.edges.flatMap(({ key }) => key ?? []))],
    cycle: violation.edges.map((edge) => edgeOf(edge, violation.story)),
    witness: {
      instances: violation.story.map(({ name, session }) => ({
        instance: name,
        transaction: "",
        arguments: { session: /^\d{1,15}$/u.test(session) ? Number(session) : session },
      })),
      initial: {},
      schedule: [],
      outcome: { final: {}, status: {}, returned: {} },
    },
    serial: [],
    steps,
    message: violation.message,
    preventedBy: [],
    allowedAt: [],
  };
}

function stepsOf({ name, status, operations }: HistoryTransaction): readonly Step[] {
  return operations.map((operation, at): Step => {
    const cell: StepCell = {
      table: operation.key,
      key: "",
      column: "",
      value: /^-?\d{1,15}$/u.test(operation.value) ? Number(operation.value) : operation.value,
      ...(operation.writer !== undefined && { writer: operation.writer }),
    };
    return {
      instance: name,
      ...where(operation),
      // A recorded operation has no text beyond its effect.
      text: "",
      effect: operation.text,
      because: "",
      statement: at + 1,
      commits: status === "committed" && at + 1 === operations.length,
      reads: operation.kind === "read" ? [cell] : [],
      writes: operation.kind === "read" ? [] : [cell],
    };
  });
}

function where({ place }: HistoryOperation): { readonly file: string; readonly range: Range } {
  // Binary files cannot be shown: their steps have no place in an editor.
  const line = (place.line ?? 1) - 1;
  const range = { start: { line, character: 0 }, end: { line, character: 1000 } };
  return { file: place.line === undefined ? "" : place.file, range };
}

const DEPENDENCIES: Readonly<Record<HistoryEdge["type"], Dependency>> = {
  so: "so",
  wr: "wr",
  ww: "ww",
  rw: "rw",
  // Real time orders whole transactions, as a session does; the reason mentions time.
  rt: "so",
};

function edgeOf(edge: HistoryEdge, story: readonly HistoryTransaction[]): CycleEdge {
  return {
    dependency: DEPENDENCIES[edge.type],
    from: endOf(edge, "from", story),
    to: endOf(edge, "to", story),
    table: edge.key ?? "",
    columns: [],
    reason: edge.reason,
  };
}

/** The operation at the end of an edge. */
function endOf(
  edge: HistoryEdge,
  side: "from" | "to",
  story: readonly HistoryTransaction[],
): CycleEnd {
  const own = story.find(({ name }) => name === edge[side])?.operations ?? [];
  const reads = edge.type === (side === "from" ? "rw" : "wr");
  const onKey = own.filter(({ key }) => edge.key === undefined || key === edge.key);
  const other = edge[side === "from" ? "to" : "from"];
  const operation =
    onKey.find((each) => (each.kind === "read") === reads && (!reads || each.writer === other)) ??
    onKey.find((each) => (each.kind === "read") === reads) ??
    onKey[0] ??
    own[0];
  if (!operation) {
    const start = { line: 0, character: 0 };
    return { instance: edge[side], file: "", range: { start, end: start }, text: "" };
  }
  return { instance: edge[side], ...where(operation), text: operation.text };
}
