// The JSON report: fixed order of keys, an indentation of two, one newline at the end.
import type { Cause } from "../../protocol/cause";
import type { ProofReport, SufficientLevel } from "../../protocol/proof";
import type { Anomaly, Assumption, LevelBasis, LevelReport, Unknown } from "../../protocol/report";
import type { CheckTimings } from "../../service/check";
import type { SolveCounters } from "../../service/search/tupleSolver";

export interface JsonTimings extends CheckTimings, SolveCounters {}

/** The reports as one array; timings only if given, since they differ between runs. */
export function jsonReport(
  reports: readonly { readonly report: LevelReport; readonly timings?: JsonTimings }[],
): string {
  const values = reports.map(({ report, timings }) => ({
    tool: report.tool,
    formatVersion: report.formatVersion,
    level: report.level,
    levels: report.levels,
    ...(report.basis && { basis: report.basis.map(orderedBasis) }),
    verdict: report.verdict,
    rests: report.rests,
    transactions: report.transactions,
    ...(report.search && { search: report.search }),
    ...(report.causes && { causes: report.causes.map(orderedCause) }),
    anomalies: report.anomalies.map(orderedAnomaly),
    unknown: report.unknown.map(orderedUnknown),
    assumptions: report.assumptions.map(orderedAssumption),
    coverage: report.coverage,
    ...(report.proof && { proof: orderedProof(report.proof) }),
    ...(report.sufficient && { sufficient: report.sufficient.map(orderedSufficient) }),
    ...(report.files && { files: report.files }),
    ...(timings && { timings: roundedTimings(timings) }),
  }));
  return `${JSON.stringify(values, null, 2)}\n`;
}

/** One anomaly for `show`. */
export function jsonAnomaly(anomaly: Anomaly): string {
  return `${JSON.stringify(orderedAnomaly(anomaly), null, 2)}\n`;
}

function orderedAnomaly(anomaly: Anomaly) {
  const { id, kind, severity, status, reason, ...rest } = anomaly;
  return {
    id,
    kind,
    severity,
    status,
    ...(reason !== undefined && { reason }),
    ...(rest.obstacle && { obstacle: rest.obstacle }),
    transactions: rest.transactions,
    tables: rest.tables,
    cycle: rest.cycle,
    ...(rest.dirtyRead && { dirtyRead: rest.dirtyRead }),
    witness: {
      instances: rest.witness.instances,
      initial: rest.witness.initial,
      schedule: rest.witness.schedule,
      outcome: rest.witness.outcome,
    },
    steps: rest.steps,
    preventedBy: rest.preventedBy,
    allowedAt: rest.allowedAt,
    serial: rest.serial,
    title: rest.title,
    harm: rest.harm,
    message: rest.message,
    ...(rest.breaches && { breaches: rest.breaches }),
    ...(rest.leftOut && { leftOut: rest.leftOut }),
    ...(rest.fingerprint !== undefined && { fingerprint: rest.fingerprint }),
    ...(rest.reportedAs && { reportedAs: rest.reportedAs }),
    ...(rest.suppressed && { suppressed: rest.suppressed }),
    ...(rest.cause !== undefined && { cause: rest.cause }),
    ...(rest.representative !== undefined && { representative: rest.representative }),
  };
}

function orderedCause(cause: Cause) {
  const { id, ids, fingerprint, transactions, partners, tables, read, uses, anomalies } = cause;
  return {
    id,
    ...(ids.length > 1 && { ids }),
    fingerprint,
    transactions,
    partners,
    tables,
    ...(read && { read }),
    uses,
    anomalies,
  };
}

function orderedBasis({ level, evidence, text, version }: LevelBasis) {
  return { level, evidence, text, ...(version !== undefined && { version }) };
}

function orderedUnknown({ reason, unread, transactions, file, range }: Unknown) {
  return {
    reason,
    ...(unread && { unread }),
    transactions,
    ...(file !== undefined && { file }),
    ...(range && { range }),
  };
}

function orderedAssumption({ kind, text, file, range, transactions }: Assumption) {
  return { kind, text, ...(file !== undefined && { file }), ...(range && { range }), transactions };
}

function orderedProof({ status, scheme, steps, obstacles, lemmas }: ProofReport) {
  return { status, ...(scheme !== undefined && { scheme }), steps, lemmas, obstacles };
}

function orderedSufficient({ transactions, level, tried }: SufficientLevel) {
  return { transactions, ...(level !== undefined && { level }), tried };
}

function roundedTimings(timings: JsonTimings) {
  const round = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
  return {
    ...(timings.firstAnomaly !== undefined && { firstAnomaly: round(timings.firstAnomaly) }),
    ...(timings.lastAlarm !== undefined && { lastAlarm: round(timings.lastAlarm) }),
    whole: round(timings.whole),
    units: timings.units,
    cached: timings.cached,
    queries: timings.queries,
  };
}
