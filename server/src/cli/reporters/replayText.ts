// The text of a replay on a real server.
import type { Anomaly } from "../../protocol/report";
import type { ReplayOutcome, ReplayReport } from "../../replay/replayAnomaly";
import { anomalySchedule, type TextStyle } from "./anomalyText";
import { listWords } from "./outcomes";
import { hangingText, wrapText } from "./wrap";

const WORDS: Readonly<Record<ReplayReport["verdict"], string>> = {
  reproduced: "Reproduced on",
  "reproduced in part": "It happened, without a part of the program that was left out, on",
  followed: "It happened, and changed nothing that callers see, on",
  "not reproduced": "Not reproduced on",
  "not replayed": "Could not be tried on",
};

/** The verdict, the schedule, the result, and the serial results on the same server. */
export function replayText(anomaly: Anomaly, report: ReplayReport, style: TextStyle): string {
  const { paint, columns } = style;
  const { verdict, server, reason, outcome, serial, waits } = report;
  const head = `${WORDS[verdict]} ${server}: ${anomaly.message}`;
  const paintHead = verdict === "reproduced" ? paint.alarm : paint.strong;
  const lines = wrapText(head, columns).map((line) => paintHead(line));
  if (reason !== undefined) lines.push("", ...wrapText(`Why: ${reason}.`, columns));
  const left = report.leftOut ?? [];
  if (left.length > 0) {
    lines.push("", "Not sent to the server:");
    lines.push(...left.flatMap((each) => hangingText("  ", each, columns)));
  }
  if (!outcome) return lines.join("\n");
  lines.push("", ...anomalySchedule({ ...anomaly, preventedBy: [], allowedAt: [] }, style));
  for (const { instance, statement, waitedFor } of waits)
    lines.push(
      `  Seen: statement ${String(statement)} of ${instance} waited for ${listWords(waitedFor)}.`,
    );
  lines.push("", `On ${server} it ended with`, ...outcomeLines(outcome, columns));
  for (const each of serial) {
    lines.push(`${each.order.join(", then ")} alone, one after the other`);
    lines.push(...outcomeLines(each.outcome, columns));
  }
  return lines.join("\n");
}

function outcomeLines({ tables, instances }: ReplayOutcome, columns: number): readonly string[] {
  const rows = Object.entries(tables).flatMap(([table, found]) =>
    hangingText("  ", `${table}: ${found.length === 0 ? "no row" : found.join(", ")}`, columns),
  );
  const ends = Object.entries(instances).flatMap(([name, { status, reason, returned }]) => {
    const given = returned.length > 0 ? `, returned ${returned.join(", ")}` : "";
    const why = reason === undefined ? "" : ` (${reason})`;
    return hangingText("  ", `${name}: ${status}${why}${given}`, columns);
  });
  return [...rows, ...ends];
}
