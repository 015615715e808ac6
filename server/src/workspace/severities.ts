// How loudly each kind of anomaly is told: the key `severities` of isolens.json and the setting of the same name.
import { KINDS } from "../analysis/explain/kinds/kinds";
import type { FindingSeverity } from "../protocol/report";

/** By kind; `unused` for findings of any kind that differ only in what was read on the way. Absent: the default. */
export type Severities = Readonly<Record<string, FindingSeverity>>;

export const FINDING_SEVERITIES: readonly FindingSeverity[] = [
  "error",
  "warning",
  "information",
  "hint",
  "off",
];

/** The keys that `severities` may have. */
export const SEVERITY_KEYS: readonly string[] = [...KINDS.map(({ name }) => name), "unused"];

export function findingSeverity(value: unknown): FindingSeverity | undefined {
  return FINDING_SEVERITIES.find((each) => each === value);
}
