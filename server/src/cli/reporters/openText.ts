// The open part of a large report on one screen: what was read and searched, the number of decided transactions, the most frequent
// obstacles with advice, and unconfirmed races.
import { isShown, type LevelReport } from "../../protocol/report";
import { plainTerms } from "../../protocol/witness";
import { adviceOn } from "../../service/verdict/advice";
import { SAME_IN_ORDER } from "../../store/confirm";
import { placeText, type TextStyle } from "./anomalyText";
import { namesText } from "./names";
import { listWords } from "./outcomes";
import { reasonGroups, type ReasonGroup, type ReasonLine } from "./reasonGroups";
import { hangingText } from "./wrap";

const MOST_POSSIBLE = 10;

/** Races that the solver proposes and no run confirmed or refuted, with the obstacle, in the order of findings. */
export function possibleLines(report: LevelReport, style: TextStyle): readonly string[] {
  const all = report.anomalies.filter(
    (anomaly) =>
      anomaly.status === "unconfirmed" && isShown(anomaly) && anomaly.reason !== SAME_IN_ORDER,
  );
  if (all.length === 0) return [];
  const places = new Map(report.transactions.map((each) => [each.name, each]));
  const lines = all.slice(0, MOST_POSSIBLE).flatMap((anomaly) => {
    const { transactions, tables, reason = "no reason is known", id } = anomaly;
    const [first = ""] = transactions;
    const at = places.get(first);
    const place = at === undefined ? "" : `${placeText({ file: at.file, range: at.range })}: `;
    const why = cut(reason.replace(/^cannot be executed: /u, ""));
    const what = `${place}${namesText(transactions)} on ${listWords(tables)}`;
    const { obstacle } = anomaly;
    if (!obstacle) return hangingText("  ", `${what}: ${why} (${id})`, style.columns);
    const code = style.lineOf?.(obstacle.file, obstacle.range.start.line)?.trim();
    const shown = code === undefined || code === "" ? "" : `: ${cutTo(code, LONGEST_CODE)}`;
    return [
      ...hangingText("  ", `${what} (${id})`, style.columns),
      ...hangingText("    ", `not followed: ${placeText(obstacle)}${shown}`, style.columns),
      ...hangingText("      ", why, style.columns).map((line) => style.paint.faint(line)),
    ];
  });
  const rest = all.length - MOST_POSSIBLE;
  return [
    `${count(all.length, "possible race")}, not confirmed by a run:`,
    ...lines,
    ...(rest > 0 ? [`  and ${String(rest)} more; --format json lists all`] : []),
  ];
}

const LONGEST_REASON = 160;

/** Characters of a line of code beside its place. */
const LONGEST_CODE = 80;

function cut(text: string): string {
  return cutTo(text, LONGEST_REASON);
}

function cutTo(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}...`;
}

/** Lines on what was read, searched and decided; nothing if nothing was searched. */
export function extentLines(
  { transactions, coverage, search, unknown }: LevelReport,
  files: number,
  { columns }: TextStyle,
): readonly string[] {
  if (!search) return [];
  const { pairs, ruledOut, searched } = search;
  const asked = pairs - ruledOut;
  const why = unknown.find(({ reason }) => isOfTime(reason))?.reason;
  const end = why === undefined ? "" : `: ${why.replace(/ \(.*\)$/u, "")}`;
  const racing = transactions.filter((each) => (each.pairs?.racing ?? 0) > 0).length;
  const clear = transactions.filter(
    ({ pairs: own }) => own && own.settled === own.sharing && own.isOpaque !== true,
  ).length;
  const open = transactions.length - racing - clear;
  return [
    `Read: ${count(transactions.length, "transaction")} in ${count(files, "file")}; ${number(coverage.exact)} of their ${count(coverage.statements, "statement")} exactly.`,
    `Searched: ${count(pairs, "pair")} of transactions share a table (a transaction and itself are one); in ${number(ruledOut)} of them no race is possible, and ${number(searched)} of the other ${number(asked)} were searched to the end${end}.`,
    `Decided: ${number(racing)} of the transactions race, ${number(clear)} race with none, ${number(open)} are open (--coverage tells how far each is decided).`,
  ].flatMap((line) => hangingText("", line, columns));
}

/** True for a timeout, which is reported with the extent of the search. */
function isOfTime(reason: string): boolean {
  return reason.startsWith("time budget of ");
}

/** Up to this many lines are printed individually; beyond it, by frequency of reasons. */
export const MOST_LINES = 20;
const MOST_REASONS = 5;

/** Lines of one kind: individually if they are few, else the most frequent reasons. */
export function linesByReason(
  lines: readonly (ReasonLine & { readonly text: string })[],
  what: string,
  style: TextStyle,
): readonly string[] {
  if (lines.length <= MOST_LINES) return lines.flatMap(({ text }) => hanging(text, style));
  const groups = reasonGroups(lines.filter(({ reason }) => !isOfTime(reason)));
  const told = groups.slice(0, MOST_REASONS);
  const width = Math.max(...told.map((group) => number(group.count).length));
  const all = lines.reduce((sum, line) => sum + line.count, 0);
  const others = groups.slice(MOST_REASONS);
  const rest = others.reduce((sum, group) => sum + group.count, 0);
  return [
    `${all.toLocaleString("en")} ${what}, the reasons that concern most transactions first:`,
    ...told.flatMap((group) => groupLines(group, width, style)),
    others.length === 0
      ? "--format json lists all."
      : `${" ".repeat(2)}${number(rest)} for ${count(others.length, "other reason")}; --format json lists all.`,
  ];
}

function groupLines(group: ReasonGroup, width: number, style: TextStyle): readonly string[] {
  const first = `  ${number(group.count).padStart(width)}  `;
  const { size } = group.transactions;
  const where = [
    ...(size > 1 ? [`in ${count(size, "transaction")}`] : []),
    ...(group.example === "" ? [] : [`as ${group.example}`]),
  ].join(", ");
  const reason = cut(plainTerms(group.reason.replace(/[.]$/u, "")));
  const advice = adviceOn(group.reason);
  return [
    ...hangingText(first, where === "" ? reason : `${reason} (${where})`, style.columns),
    ...(advice === undefined
      ? []
      : hangingText(`${" ".repeat(first.length)}-> `, advice, style.columns)),
  ];
}

function hanging(line: string, style: TextStyle): readonly string[] {
  const [first = "", ...rest] = hangingText("", line, style.columns - 4);
  return [first, ...rest.map((each) => `    ${each}`)];
}

/** "1 file", "2,154 files". */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${number(n)} ${n === 1 ? one : many}`;
}

function number(n: number): string {
  return n.toLocaleString("en");
}
