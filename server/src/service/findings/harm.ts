// The rank and default severity of each harm.
import type { Anomaly, FindingSeverity, Harm } from "../../protocol/report";

interface Weight {
  /** Lower ranks come first. */
  readonly rank: number;
  /** The default severity. */
  readonly severity: FindingSeverity;
}

/** Invariants and money rank before uniqueness, which ranks before other rows and values; what only looks wrong comes last. */
const WEIGHTS: Readonly<Record<Harm, Weight>> = {
  invariant: { rank: 0, severity: "error" },
  limit: { rank: 1, severity: "error" },
  amount: { rank: 1, severity: "error" },
  duplicate: { rank: 2, severity: "warning" },
  dangling: { rank: 3, severity: "warning" },
  rows: { rank: 4, severity: "warning" },
  value: { rank: 5, severity: "warning" },
  choice: { rank: 6, severity: "warning" },
  noted: { rank: 7, severity: "information" },
  returned: { rank: 8, severity: "information" },
  refused: { rank: 9, severity: "information" },
  repetition: { rank: 10, severity: "off" },
  unused: { rank: 11, severity: "off" },
};

/** Compares two findings by harm: negative if the first is worse. */
export function compareHarm(a: Anomaly, b: Anomaly): number {
  return WEIGHTS[a.harm].rank - WEIGHTS[b.harm].rank;
}

/** The default severity of a harm. */
export function severityOf({ harm }: Anomaly): FindingSeverity {
  return WEIGHTS[harm].severity;
}

/** True if a finding is an error or a warning, so that the search should wait for more of its kind. */
export function isAlarming(anomaly: Anomaly): boolean {
  const severity = severityOf(anomaly);
  return severity === "error" || severity === "warning";
}
