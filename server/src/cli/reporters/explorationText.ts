// The text of a client program's exploration: each violated assertion with its smallest execution, and the coverage.
import type { ExplorationReport, ExplorationViolation } from "../../protocol/exploration";
import { findLevel } from "../../isolation/levels";
import { anomalySchedule, type TextStyle } from "./anomalyText";
import { hangingText, wrapText } from "./wrap";

/** The report of one level, without a final newline. */
export function explorationText(report: ExplorationReport, style: TextStyle): string {
  const parts = [
    ...report.violations.map((violation) => violationText(report, violation, style)),
    ...report.holding.map((assertion) => holdingText(report, assertion, style)),
    summary(report, style),
  ];
  return parts.join("\n\n");
}

function violationText(
  report: ExplorationReport,
  { assertion, range, message, anomaly, cause, count, first, leftOut }: ExplorationViolation,
  style: TextStyle,
): string {
  const { paint, columns } = style;
  const { line, character } = range.start;
  const place = `${report.client}:${String(line + 1)}:${String(character + 1)}`;
  const headline = `${paint.place(place)}  ${paint.strong(paint.alarm(`fails: ${assertion}`))}`;
  const often =
    report.driver === "random"
      ? `in ${number(count)} of ${plural(report.histories, "run")}, first in run ${number(first)}`
      : cause === "serial"
        ? `in ${number(count)} of ${plural(report.serial.states, "serial outcome")}`
        : `in ${number(count)} of ${plural(report.histories, "execution")}`;
  const without =
    leftOut.length === 0 ? "" : ` Shown without ${leftOut.join(", ")}, which it does not need.`;
  return [
    headline,
    ...hangingText("      ", `${message} It happens ${often}.${without}`, columns),
    "",
    ...anomalySchedule(anomaly, style),
  ].join("\n");
}

function holdingText(
  report: ExplorationReport,
  assertion: string,
  { paint, columns }: TextStyle,
): string {
  const proved = report.exhausted && report.verdict !== "cancelled" && report.unknown.length === 0;
  const lead = proved ? "holds: " : "not broken so far: ";
  const lines = hangingText(lead, assertion, columns);
  return (proved ? lines.map((line) => paint.good(line)) : lines).join("\n");
}

function summary(report: ExplorationReport, { columns }: TextStyle): string {
  const isAny = report.level === "any";
  const label = isAny ? "no level" : (findLevel(report.level)?.label ?? report.level);
  const what =
    report.driver === "random"
      ? `${plural(report.histories, "random run")} at ${label} from seed ${String(report.seed ?? 0)}`
      : report.exhausted
        ? `All ${plural(report.histories, "history", "histories")} that ${isAny ? "are possible without any level" : `${label} allows`}`
        : `${plural(report.histories, "history", "histories")} at ${label}, not all`;
  const inOrder = report.serial.exhausted
    ? `, ${number(report.serial.states)} by serial orders`
    : "";
  const covered = `${what}; ${plural(report.statesSeen, "different outcome")}${inOrder}.`;
  const unknown = report.unknown.flatMap(({ reason, range }) => {
    const place =
      range === undefined
        ? ""
        : `${report.client}:${String(range.start.line + 1)}:${String(range.start.character + 1)}: `;
    return hangingText("Undecided: ", `${place}${reason}`, columns);
  });
  return [...wrapText(covered, columns), ...unknown].join("\n");
}

function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
