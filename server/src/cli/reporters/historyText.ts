// The text of a history's verdict: the verdict first, then the counterexample, then the reasons.
import { findLevel } from "../../isolation/levels";
import { ownEntry } from "../../protocol/dictionary";
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

/** The text about one file does not repeat that file's name. */
interface Style extends HistoryTextStyle {
  readonly file: string;
}

/** Everything about one history. */
export function historyText(report: HistoryReport, outer: HistoryTextStyle): string {
  const style = { ...outer, file: report.file };
  const { violation } = report;
  const lines = [
    historyLine(report, style),
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

/** "violates snapshot isolation: lost update", "holds causal consistency, ...", or what is undecided. */
function outcome(report: HistoryReport, paint: Paint): string {
  const { violation } = report;
  const of = (verdict: string): readonly string[] =>
    Object.keys(report.verdicts).filter((level) => ownEntry(report.verdicts, level) === verdict);
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

function remarks(report: HistoryReport, { columns, file }: Style): readonly string[] {
  return report.remarks.flatMap(({ message, place }) =>
    hangingText("  note  ", `${place ? `${placeText(place, file)}: ` : ""}${message}`, columns),
  );
}

function violationLines(violation: HistoryViolation, style: Style): readonly string[] {
  const { paint, columns } = style;
  const { edges, story } = violation;
  const isCycle = edges.length > 0 && edges[0]?.from === edges.at(-1)?.to;
  const enough =
    story.length === 1
      ? "This is all it takes: the rest of the run does not matter."
      : `This is all it takes: without any one of these ${String(story.length)} transactions the rest is possible.`;
  return [
    ...wrapText(violation.message, columns),
    "",
    ...wrapText(violation.meaning, columns),
    "",
    ...story.flatMap((transaction) => transactionLines(transaction, style)),
    ...(isCycle
      ? [
          "",
          paint.strong("Why no order of the transactions explains it"),
          ...edges.flatMap((edge, at) => edgeLines(edge, at, style)),
          `  ${circle(edges)}`,
        ]
      : []),
    "",
    ...wrapText(enough, columns),
  ];
}

function transactionLines(
  { name, session, status, operations }: HistoryTransaction,
  { paint, file }: Style,
): readonly string[] {
  const width = Math.max(...operations.map(({ text }) => text.length), 0);
  const ended = status === "committed" ? "" : status === "aborted" ? ", aborted" : ", end unknown";
  return [
    `  ${paint.strong(name)} ${paint.faint(`(session ${session}${ended})`)}`,
    ...operations.map(
      ({ text, place }) => `    ${text.padEnd(width)}  ${paint.faint(placeText(place, file))}`,
    ),
  ];
}

/** The sentence of each edge, followed by its supporting reasons, indented by depth. */
function edgeLines(edge: HistoryEdge, at: number, style: Style): readonly string[] {
  const key = edge.key === undefined ? "" : ` on ${edge.key}`;
  const head = `  ${String(at + 1)}. ${edge.from} before ${edge.to} (${edge.type}${key}): `;
  const first = hangingText(
    "     ",
    `${edge.reason.text}${placesText(edge.reason.places, style.file)}`,
    style.columns,
  );
  return [
    head.trimEnd(),
    ...first,
    ...edge.reason.because.flatMap((each) => reasonLines(each, 7, style)),
  ];
}

const DEEPEST = 6;

function reasonLines(reason: HistoryReason, indent: number, style: Style): readonly string[] {
  const own = hangingText(
    `${" ".repeat(indent)}- `,
    `${reason.text}${placesText(reason.places, style.file)}`,
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
      .filter((level) => ownEntry(report.verdicts, level) === verdict)
      .map(levelText)
      .join(", ");
  const rows: readonly (readonly [word: string, levels: string, reason: string])[] = [
    ["holds", of("ok"), ""],
    ["violated", of("violated"), ""],
    ["undecided", of("unknown"), because(report)],
  ];
  return [
    ...rows
      .filter(([, levels]) => levels !== "")
      .flatMap(([word, levels, reason]) =>
        hangingText(`  ${word.padEnd(10)} `, `${levels}${strict}${reason}`, columns),
      ),
    paint.faint(
      `  ${counted(report.transactions, "transaction")} of ${counted(report.sessions, "session")} with ${counted(report.operations, "operation")}, read as ${report.format}.`,
    ),
  ];
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function because(report: HistoryReport): string {
  return report.unknown === undefined ? "" : `: ${report.unknown}`;
}

/** The name of a level for people. */
function levelText(level: string): string {
  return findLevel(level)?.label ?? level;
}

/** "line 3", with the file if it is another one. */
function placeText(place: HistoryPlace, file: string): string {
  const where =
    place.line !== undefined
      ? `line ${String(place.line)}`
      : place.byte !== undefined
        ? `byte ${String(place.byte)}`
        : "";
  if (place.file === file && where !== "") return where;
  return where === "" ? place.file : `${place.file}, ${where}`;
}

function placesText(places: readonly HistoryPlace[], file: string): string {
  const words = [...new Set(places.map((place) => placeText(place, file)))];
  return words.length === 0 ? "" : ` [${words.join(", ")}]`;
}
