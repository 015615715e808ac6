// One recorded history from its files to a report: read, judge, explain. Blocks its thread.
import { FORMAT_TITLES } from "../../history/formats/format";
import { checkHistory, type CheckResult, type HistoryLevel } from "../../history/check";
import { UNKNOWN, type History } from "../../history/history";
import type { StopReason } from "../../history/limits";
import type { HistoryRemark, HistoryReport, HistoryVerdict } from "../../protocol/history";
import { durationWords } from "../../workspace/duration";
import type { HistoryInput } from "./files";
import { placeOf } from "./places";
import { violationOf } from "./violation";
import { readHistory, type ReadFaultPlace } from "./readHistory";

export interface HistoryJob {
  readonly input: HistoryInput;
  /** From weak to strong. */
  readonly levels: readonly HistoryLevel[];
  /** True to check recorded times against the levels as well. */
  readonly strict: boolean;
  /** Time budget of the whole job in milliseconds of process time; levels undecided by then are unknown. */
  readonly budget?: number;
  readonly tool: string;
}

export type HistoryOutcome =
  | { readonly ok: true; readonly report: HistoryReport }
  /** The files contain no history; `message` names the file and the place. */
  | { readonly ok: false; readonly message: string; readonly place?: ReadFaultPlace };

export interface JobEvents {
  cancelled(): boolean;
  /** The current stage, and its share done from 0 to 1. */
  progress(stage: string, share: number): void;
  /** Milliseconds from any fixed moment on. */
  now(): number;
}

/** Runs the job. Throws RangeError if the history does not fit in memory. */
export function runHistoryJob(job: HistoryJob, events: JobEvents): HistoryOutcome {
  const { input, levels, strict } = job;
  const deadline = job.budget === undefined ? Number.POSITIVE_INFINITY : events.now() + job.budget;
  const stop = (): StopReason | undefined => {
    if (events.cancelled()) return "cancelled";
    return events.now() > deadline ? "time" : undefined;
  };
  let stopped: StopReason | undefined;
  const read = readHistory(input, {
    progress: (bytes) => {
      events.progress("reading", bytes / Math.max(1, input.bytes));
    },
    stopped: () => (stopped = stop()) !== undefined,
  });
  if (!read) return unknownReport(job, reasonText(stopped ?? "cancelled", job));
  if (!read.ok) return read;
  const { history } = read;
  const result = checkHistory(history, {
    levels,
    strict,
    stop,
    progress: (level, share) => {
      events.progress(level, share);
    },
  });
  const verdicts: Record<string, HistoryVerdict> = {};
  for (const level of levels) verdicts[level] = result.verdicts.get(level) ?? "unknown";
  events.progress("explaining", 0);
  const violation = violationOf(history, result, input, { strict, stop });
  const report: HistoryReport = {
    ...blankReport(job),
    sessions: history.sessions,
    transactions: history.transactions,
    operations: history.operations,
    verdicts,
    ...(result.unknown !== undefined && { unknown: unknownText(history, result, job) }),
    violation: violation ?? null,
    remarks: remarksOf(job, history, result),
  };
  return { ok: true, report };
}

/** The outcome if nothing was decided: every level is unknown, for this reason. */
export function unknownReport(job: HistoryJob, reason: string): HistoryOutcome {
  const verdicts = Object.fromEntries(job.levels.map((level) => [level, "unknown" as const]));
  return { ok: true, report: { ...blankReport(job), verdicts, unknown: reason } };
}

function blankReport({ input, strict, tool }: HistoryJob): HistoryReport {
  return {
    tool,
    formatVersion: 1,
    file: input.name,
    format: FORMAT_TITLES[input.format],
    sessions: 0,
    transactions: 0,
    operations: 0,
    strict,
    verdicts: {},
    violation: null,
    remarks: [],
  };
}

function unknownText(
  history: History,
  { unknown, resolved }: CheckResult,
  job: HistoryJob,
): string {
  if (unknown === "times")
    return "recorded times contradict each other and were left out; without --strict they do not matter";
  if (unknown !== "ambiguous") return reasonText(unknown ?? "cancelled", job);
  const place = resolved.firstAmbiguous;
  const where = place === undefined ? "" : ` (first at ${placeWords(history, place, job)})`;
  const count = resolved.ambiguousReads;
  const reads = count === 1 ? "1 read returns" : `${String(count)} reads return`;
  return `${reads} a value that was written more than once, so nobody can tell from whom${where}`;
}

function placeWords(history: History, operation: number, job: HistoryJob): string {
  const { file, line, byte } = placeOf(history, operation, job.input);
  return line === undefined ? `${file}, byte ${String(byte)}` : `${file}:${String(line)}`;
}

function reasonText(reason: StopReason, { budget }: HistoryJob): string {
  switch (reason) {
    case "cancelled":
      return "it was cancelled";
    case "memory":
      return "there is not enough memory for it";
    case "time":
      return `the time of ${durationWords(budget ?? 0)} was over (--budget gives more)`;
  }
}

function remarksOf(
  { input, strict }: HistoryJob,
  history: History,
  { resolved }: CheckResult,
): readonly HistoryRemark[] {
  const problems = history.problems.map(({ message, file, place }): HistoryRemark => {
    if (place === undefined) return { message };
    const own = history.labels.files[file ?? 0];
    const name = input.files.length === 1 ? input.name : (own ?? input.name);
    const unit = history.labels.placeUnit;
    return {
      message,
      place: { file: name, ...(unit === "line" ? { line: place } : { byte: place }) },
    };
  });
  const remarks = [...problems, ...fates(history, resolved.mustHaveCommitted)];
  if (history.transactions === 0)
    return [...remarks, { message: "There is no transaction in it." }];
  if (!strict || history.begin) return remarks;
  return [...remarks, { message: "No times were recorded, so --strict asks for nothing more." }];
}

/** Remarks on transactions whose outcome was not recorded. */
function fates(history: History, mustHaveCommitted: number): readonly HistoryRemark[] {
  let open = 0;
  for (const status of history.status) if (status === UNKNOWN) open += 1;
  if (open === 0) return [];
  const unread = open - mustHaveCommitted;
  const parts = [
    mustHaveCommitted > 0 && `${String(mustHaveCommitted)} must have committed, as reads show`,
    unread > 0 && `of ${String(unread)} nothing was read, so that changes nothing`,
  ].filter((part) => part !== false);
  const ends =
    open === 1 ? "The end of 1 transaction is" : `The ends of ${String(open)} transactions are`;
  return [{ message: `${ends} not recorded: ${parts.join("; ")}.` }];
}
