// A violation in the words of the report.
import type { CheckResult, HistoryLevel } from "../history/check";
import type { History } from "../history/history";
import type { StopReason } from "../history/limits";
import type { HistoryViolation } from "../protocol/history";

export interface ExplainOptions {
  readonly levels: readonly HistoryLevel[];
  readonly strict: boolean;
  readonly stop: () => StopReason | undefined;
}

export function violationOf(
  _history: History,
  _result: CheckResult,
  _options: ExplainOptions,
): HistoryViolation | undefined {
  return undefined;
}
