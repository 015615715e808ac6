import type { Level } from "../isolation/levels";
import type { LevelReport, Verdict } from "../protocol/report";

/** A report without any results. */
export function emptyReport(tool: string, level: Level, verdict: Verdict): LevelReport {
  return {
    tool,
    formatVersion: 1,
    level: level.name,
    levels: { default: level.name, perTransaction: {} },
    verdict,
    rests: { bound: 0 },
    transactions: [],
    anomalies: [],
    unknown: [],
    assumptions: [],
    coverage: { statements: 0, exact: 0, over: 0, approx: 0, opaque: 0 },
  };
}
