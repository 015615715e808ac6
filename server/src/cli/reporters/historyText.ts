// What a recorded history was judged as, for people: the verdict first, then the story of the counterexample, then why.
import { findLevel } from "../../isolation/levels";
import type {
  HistoryEdge,
  HistoryPlace,
  HistoryReason,
  HistoryReport,
  HistoryTransaction,
  HistoryViolation,
} from "../../protocol/history";
import type { Paint } from "../io";
import { hangingText, wrapText } from "./wrap";

export interface HistoryTextStyle {
  readonly paint: Paint;
  readonly columns: number;
}

/** Everything about one history. */
export function historyText(report: HistoryReport, style: HistoryTextStyle): string {
  const { violation } = report;
  const lines = [
    headline(report, style),
    ...remarks(report, style),
    ...(violation ? ["", ...violationLines(violation, style)] : []),
    "",
    ...verdictLines(report, style),
  ];
  return `${lines.join("\n")}\n`;
}

/** One line about one of several histories. */
export function historyLine(report: HistoryReport, { paint }: HistoryTextStyle): string {
  return `${paint.place(report.file)}: ${outcome(report, paint)}`;
}

function headline(report: HistoryReport, style: HistoryTextStyle): string {
  const { paint } = style;
  return `${paint.place(report.file)}: ${outcome(report, paint)}`;
}

/** "violates snapshot isolation: lost update", "holds causal consistency, ...", or what is not decided. */
function outcome(report: HistoryReport, paint: Paint): string {
  const { violation } = report;
  const of = (verdict: string): readonly string[] =>
    Object.keys(report.verdicts).filter((level) => report.verdicts[level] === verdict);
  const [violated, unknown, ok] = [of("violated"), of("unknown"), of("ok")];
  if (violation) {
    const title = violation.title.charAt(0).toLowerCase() + violation.title.slice(1);
    return `${paint.alarm(`violates ${levelText(violation.level)}`)}: ${paint.strong(title)}`;
  }
  if (violated[0] !== undefined) return paint.alarm(`violates ${levelText(violated[0])}`);
  if (unknown[0] !== undefined) {
    const known = ok.length > 0 ? `; ${levelText(ok[ok.length - 1] ?? "")} holds` : "";
    return `${paint.strong(`undecided at ${levelText(unknown[0])}`)}${known}`;
  }
  return paint.good(`${levelText(ok[ok.length - 1] ?? "")} holds`);
}

function remarks(report: HistoryReport, { columns }: HistoryTextStyle): readonly string[] {
  return report.remarks.flatMap(({ message, place }) =>
    hangingText("  note  ", `${place ? `${placeText(place)}: ` : ""}${message}`, columns),
  );
}

function violationLines(violation: HistoryViolation, style: HistoryTextStyle): readonly string[] {
  const { paint, columns } = style;
  return [
    ...wrapText(violation.message, columns),
    "",
    ...violation.story.flatMap((transaction) => transactionLines(transaction, style)),
    ...(violation.edges.length === 0
      ? []
      : [
          "",
          paint.strong("Why no order of the transactions explains it"),
          ...violation.edges.flatMap((edge, at) => edgeLines(edge, at, style)),
          `  ${circle(violation.edges)}`,
        ]),
    "",
    ...wrapText(
      `This is all it takes: without any one of these ${String(violation.story.length)} transactions the rest is possible.`,
      columns,
    ),
  ];
}

function transactionLines(
  { name, session, status, operations }: HistoryTransaction,
  { paint }: HistoryTextStyle,
): readonly string[] {
  const width = Math.max(...operations.map(({ text }) => text.length), 0);
  const ended = status === "committed" ? "" : status === "aborted" ? ", aborted" : ", end unknown";
  return [
    `  ${paint.strong(name)} ${paint.faint(`(session ${session}${ended})`)}`,
    ...operations.map(
      ({ text, place }) => `    ${text.padEnd(width)}  ${paint.faint(placeText(place))}`,
    ),
  ];
}

/** The sentence of each edge, and below it what it rests on, indented by how deep it rests. */
function edgeLines(edge: HistoryEdge, at: number, style: HistoryTextStyle): readonly string[] {
  const key = edge.key === undefined ? "" : ` on ${edge.key}`;
  const head = `  ${String(at + 1)}. ${edge.from} before ${edge.to} (${edge.type}${key}): `;
  const first = hangingText(
    "     ",
    `${edge.reason.text}${placesText(edge.reason.places)}`,
    style.columns,
  );
  return [
    head.trimEnd(),
    ...first,
    ...edge.reason.because.flatMap((each) => reasonLines(each, 7, style)),
  ];
}

const DEEPEST = 6;

function reasonLines(
  reason: HistoryReason,
  indent: number,
  style: HistoryTextStyle,
): readonly string[] {
  const own = hangingText(
    `${" ".repeat(indent)}- `,
    `${reason.text}${placesText(reason.places)}`,
    style.columns,
  );
  if (reason.because.length === 0) return own;
  if (indent > 7 + 2 * DEEPEST)
    return [...own, `${" ".repeat(indent + 2)}- ... (--format json has the rest)`];
  return [...own, ...reason.because.flatMap((each) => reasonLines(each, indent + 2, style))];
}

function circle(edges: readonly HistoryEdge[]): string {
  const names = edges.map(({ from }) => from);
  return `${[...names, names[0]].join(" before ")}: a circle.`;
}

function verdictLines(report: HistoryReport, style: HistoryTextStyle): readonly string[] {
  const { paint, columns } = style;
  const strict = report.strict ? " (recorded times included)" : "";
  const of = (verdict: string): string =>
    Object.keys(report.verdicts)
      .filter((level) => report.verdicts[level] === verdict)
      .map(levelText)
      .join(", ");
  const rows: readonly (readonly [string, string])[] = [
    ["holds", of("ok")],
    ["violated", of("violated")],
    ["undecided", of("unknown") === "" ? "" : `${of("unknown")}${because(report)}`],
  ];
  return [
    ...rows
      .filter(([, levels]) => levels !== "")
      .flatMap(([word, levels]) =>
        hangingText(`  ${word.padEnd(10)} `, `${levels}${strict}`, columns),
      ),
    paint.faint(
      `  ${String(report.transactions)} transactions of ${String(report.sessions)} sessions with ${String(report.operations)} operations, read as ${report.format}.`,
    ),
  ];
}

function because(report: HistoryReport): string {
  return report.unknown === undefined ? "" : `: ${report.unknown}`;
}

/** The name of a level for people. */
function levelText(level: string): string {
  return findLevel(level)?.label ?? level;
}

/** "file, line 3"; the file is left out where the report is about one file only. */
function placeText(place: HistoryPlace): string {
  if (place.line !== undefined) return `${place.file}:${String(place.line)}`;
  if (place.byte !== undefined) return `${place.file}, byte ${String(place.byte)}`;
  return place.file;
}

function placesText(places: readonly HistoryPlace[]): string {
  return places.length === 0 ? "" : ` [${places.map(placeText).join("; ")}]`;
}
