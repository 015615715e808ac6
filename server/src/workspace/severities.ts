// Severities by kind of anomaly: the key `severities` of isolens.json and the setting of the same name.
import { KINDS } from "../analysis/explain/kinds/kinds";
import type { FindingSeverity } from "../protocol/report";

/** By kind; `unused` for findings of any kind that only differ in unused reads. The default applies if absent. */
export type Severities = Readonly<Record<string, FindingSeverity>>;

export const FINDING_SEVERITIES: readonly FindingSeverity[] = [
  "error",
  "warning",
  "information",
  "hint",
  "off",
];

/** The valid keys of `severities`. */
export const SEVERITY_KEYS: readonly string[] = [...KINDS.map(({ name }) => name), "unused"];

export function findingSeverity(value: unknown): FindingSeverity | undefined {
  return FINDING_SEVERITIES.find((each) => each === value);
}
