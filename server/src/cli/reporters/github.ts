// Findings as workflow commands, which GitHub shows at the lines of a pull request.
import { isShown, type FindingSeverity, type Shown } from "../../protocol/report";
import { messageOf } from "../../service/findings/findings";
import {
  findingPlace,
  pathOf,
  titleOf,
  type FindingPlace,
  type PlacedReport,
} from "./placedReport";

/** One command per line: findings by severity, and undecided questions as notices. */
export function githubReport(reports: readonly PlacedReport[], shown: Shown = {}): string {
  const lines = reports.flatMap((placed) => {
    const { report } = placed;
    const findings = report.anomalies
      .filter((anomaly) => anomaly.status === "confirmed" && isShown(anomaly, shown))
      .map((anomaly) => {
        const title = `${titleOf(anomaly.kind)} at ${report.level}`;
        const message = messageOf(anomaly, shown.all ? [] : report.causes);
        const place = findingPlace(report, anomaly);
        return command(COMMANDS[anomaly.reportedAs ?? "warning"], placed, place, title, message);
      });
    const open = report.unknown.map(({ reason, unread, transactions, file, range }) => {
      const names = transactions.length > 0 ? ` (${transactions.join(", ")})` : "";
      const start = { line: 0, character: 0 };
      const place =
        file === undefined ? undefined : { file, range: range ?? { start, end: start } };
      const [name, title] =
        unread === undefined ? ["notice", `Undecided at ${report.level}`] : ["warning", "Not read"];
      return command(name, placed, place, title, `${reason}${names}`);
    });
    return [...findings, ...open];
  });
  return lines.map((line) => `${line}\n`).join("");
}

const COMMANDS: Readonly<Record<FindingSeverity, string>> = {
  error: "error",
  warning: "warning",
  information: "notice",
  hint: "notice",
  off: "notice",
};

function command(
  name: string,
  placed: PlacedReport,
  place: FindingPlace | undefined,
  title: string,
  message: string,
): string {
  const properties: (readonly [string, string])[] = [];
  if (place) {
    const { start, end } = place.range;
    properties.push(["file", pathOf(placed, place.file)], ["line", String(start.line + 1)]);
    // Columns are only valid within one line.
    if (start.line === end.line) {
      properties.push(["col", String(start.character + 1)]);
      if (end.character > start.character) properties.push(["endColumn", String(end.character)]);
    } else properties.push(["endLine", String(end.line + 1)]);
  }
  properties.push(["title", title]);
  const written = properties.map(([key, value]) => `${key}=${escapedProperty(value)}`);
  return `::${name} ${written.join(",")}::${escaped(message)}`;
}

/** The runner's escapes: `%`, carriage return and line feed. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** In properties also `:` and `,`. */
function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
