// How much each harm matters: the order of findings and how loudly they are told.
import type { Anomaly, FindingSeverity, Harm } from "../../protocol/report";

interface Weight {
  /** Findings of a smaller one stand before. */
  readonly rank: number;
  /** Unless a kind is configured otherwise. */
  readonly severity: FindingSeverity;
}

/** Limits and money before uniqueness, that before other rows and values; what only looks wrong stands last. */
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

/** The order of two findings by what they harm: negative where the first matters more. */
export function compareHarm(a: Anomaly, b: Anomaly): number {
  return WEIGHTS[a.harm].rank - WEIGHTS[b.harm].rank;
}

/** How loudly a harm is told where nothing is configured. */
export function severityOf({ harm }: Anomaly): FindingSeverity {
  return WEIGHTS[harm].severity;
}

/** True if a finding is worth waiting for more of its kind: it is told as an error or a warning. */
export function isAlarming(anomaly: Anomaly): boolean {
  const severity = severityOf(anomaly);
  return severity === "error" || severity === "warning";
}
