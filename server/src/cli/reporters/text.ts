// The text report: a paragraph per anomaly, open questions, and a last line with the verdict and its basis.
import type { Note } from "../../program/program";
import { ownEntry } from "../../protocol/dictionary";
import { breaksData, isShown, isTold, undecidedCount } from "../../protocol/report";
import type { Cause } from "../../protocol/cause";
import type { Anomaly, LevelReport, Shown, Unknown, UnreadKind } from "../../protocol/report";
import { isGap } from "../../service/verdict/unknowns";
import { count, extentLines, MOST_LINES, possibleLines, linesByReason } from "./openText";
import { listWords } from "./outcomes";
import { anomalyText, briefText, placeText } from "./anomalyText";
import type { TextStyle } from "./anomalyText";
import { coverageLines, decidedLines } from "./coverageText";
import { hiddenText } from "./hiddenText";
import type { ReasonLine } from "./reasonGroups";
import { pathOf } from "./placedReport";
import { proofLines, sufficientLines } from "./proofText";
import { hangingText } from "./wrap";

export interface TextReport {
  readonly report: LevelReport;
  /** Remarks on the text. */
  readonly notes: readonly Note[];
  /** The command line for details, without the command's name: "bank.sql --level pg:rr". */
  readonly again: string;
  readonly files: number;
  /** The folder of the remarks' files, relative to the working directory; that directory if absent. */
  readonly folder?: string;
  /** Which findings are shown. */
  readonly shown?: Shown;
}

/** The report of one level. Ends with a newline. */
export function textReport(input: TextReport, style: TextStyle): string {
  const { report } = input;
  // Unconfirmed anomalies are listed once, with the undecided questions.
  const told = report.anomalies.filter(
    (anomaly) => anomaly.status === "confirmed" && isShown(anomaly, input.shown),
  );
  const isBrief = input.shown?.all !== true && !told.every(isInformation);
  const parts = told.map((anomaly) => {
    const textOf = isBrief && isInformation(anomaly) ? briefText : anomalyText;
    return textOf(anomaly, style, causeToTell(anomaly, input));
  });
  const unread = unreadText(report.unknown);
  if (unread !== undefined) parts.unshift(hangingText("", unread, style.columns).join("\n"));
  const isLong = report.unknown.length > MOST_LINES;
  const possible = isLong ? possibleLines(report, style) : [];
  if (possible.length > 0) parts.push(possible.join("\n"));
  const extent = isLong ? extentLines(report, input.files, style) : [];
  if (extent.length > 0) parts.push(extent.join("\n"));
  const open = report.unknown.filter(({ reason }) => !isLong || !isCandidate(reason));
  const remarks = [
    ...linesByReason(open.map(unknownLine), "undecided", style),
    ...remarkLines(input, style),
  ];
  if (remarks.length > 0) parts.push(remarks.join("\n"));
  if (report.files) {
    parts.push(coverageLines(report.files, style).join("\n"));
    const decided = decidedLines(report, style);
    if (decided.length > 0) parts.push(decided.join("\n"));
  }
  const proof = report.proof ? proofLines(report.proof, style) : [];
  if (proof.length > 0) parts.push(proof.join("\n"));
  const summary = hangingText("", `${summaryText(input)}`, style.columns);
  const painted = summary.map((line) => style.paint.strong(line));
  parts.push([...painted, ...lastLines(input, style)].join("\n"));
  return `${parts.join("\n\n")}\n`;
}

function isInformation({ reportedAs }: Anomaly): boolean {
  return reportedAs === "information" || reportedAs === "hint";
}

/** The cause that an anomaly represents; with `all` each anomaly stands alone. */
function causeToTell(
  { cause }: Anomaly,
  { report, shown }: Pick<TextReport, "report"> & { readonly shown?: Shown | undefined },
): Cause | undefined {
  return shown?.all ? undefined : report.causes?.find(({ id }) => id === cause);
}

/** A note as one line, unless it is part of the report's `unknown`. */
export function remarkText(note: Note): readonly string[] {
  return remarkLine(note).map(({ text }) => text);
}

interface Line extends ReasonLine {
  readonly text: string;
}

/** Remarks on the text; for large code that runs once and alone, only its amount. */
function remarkLines({ notes, folder = "" }: TextReport, style: TextStyle): readonly string[] {
  const setUps = notes.filter(({ code }) => code === "set-up");
  const isMuch = setUps.length > MOST_SET_UPS;
  const told = isMuch ? notes.filter(({ code }) => code !== "set-up") : notes;
  const [first] = setUps;
  const leftOut =
    isMuch && first
      ? hangingText(
          "",
          `${count(setUps.length, "part")} of migrations, dumps and seed data are left out, since they run once and alone (as ${placeText(placeOf(first, folder))}).`,
          style.columns,
        )
      : [];
  return [
    ...linesByReason(
      told.flatMap((note) => remarkLine(note, folder)),
      "remarks",
      style,
    ),
    ...leftOut,
  ];
}

const MOST_SET_UPS = 3;

function placeOf({ source: { file, range } }: Note, folder: string) {
  return { file: folder === "" ? file : pathOf({ folder }, file), range };
}

function remarkLine(note: Note, folder = ""): readonly Line[] {
  if (isGap(note)) return [];
  const place = placeText(placeOf(note, folder));
  const text = `${place}: ${note.message}`;
  return [{ reason: note.message, place, count: 1, transactions: [], text }];
}

function unknownLine(unknown: Unknown): Line {
  const { reason, transactions, file, range, count: times = 1 } = unknown;
  const subject = listWords(transactions);
  const names = `${transactions.join(", ")}: `;
  const at = file === undefined ? "" : range ? placeText({ file, range }) : file;
  return {
    reason: reason.startsWith(names) ? reason.slice(names.length) : reason,
    place: [at, subject].filter((each) => each !== "").join(" in "),
    count: times,
    transactions,
    text: unknownText(unknown),
  };
}

/** True for an unconfirmed anomaly, which is reported as possible. */
function isCandidate(reason: string): boolean {
  return reason.startsWith("a possible anomaly (");
}

/** Unread parts by kind: a sentence for the top of a report. */
function unreadText(unknown: readonly Unknown[]): string | undefined {
  const kinds = unknown.flatMap(({ unread }) => unread ?? []);
  const named = UNREAD_NAMES.flatMap(([kind, one, many]) => {
    const found = kinds.filter((each) => each === kind).length;
    return found === 0 ? [] : [count(found, one, many)];
  });
  if (named.length === 0) return undefined;
  return `Not all was read: ${listWords(named)} left out. What follows says nothing about what they do.`;
}

const UNREAD_NAMES: readonly (readonly [UnreadKind, string, string])[] = [
  ["folder", "folder", "folders"],
  ["file", "file", "files"],
  ["library", "library", "libraries"],
  ["call", "function that calls a database", "functions that call a database"],
  ["routine", "routine", "routines"],
  ["part", "part of the code", "parts of the code"],
];

function unknownText({ reason, unread, transactions, file, range }: Unknown): string {
  const place = file === undefined ? "" : range ? placeText({ file, range }) : file;
  if (unread !== undefined && place !== "")
    return `${place}: not read: ${reason.replace(/^not read: /u, "")}`;
  if (place !== "") {
    const of = transactions.length > 0 ? ` (in ${listWords(transactions)})` : "";
    return `${place}: undecided: ${reason}${of}`;
  }
  const together = transactions.length > 1 ? " together" : "";
  return transactions.length > 0
    ? `Undecided: ${transactions.join(", ")}${together} (${reason}).`
    : `Undecided: ${reason}.`;
}

function summaryText({ report, files, shown }: TextReport): string {
  const { transactions, unknown } = report;
  const questions = undecidedCount(unknown);
  const level = levelsWord(report);
  if (transactions.length === 0) {
    const open = unknown.length > 0 ? `; ${count(questions, "place")} undecided` : "";
    return `No transactions in ${count(files, "file")}: nothing was checked at ${level}${open}.`;
  }
  const among = `among ${count(transactions.length, "transaction")}, ${restsText(report)}`;
  const confirmed = report.anomalies.filter(
    (each) => each.status === "confirmed" && breaksData(each),
  );
  // Represented anomalies count as well.
  const certain = confirmed.filter((each) => isTold(each, shown)).length;
  if ("proved" in report.rests)
    return `Safe at ${level} ${among}; ${unknown.length === 0 ? "nothing undecided" : `${count(questions, "question")} undecided`}.`;
  const alone = confirmed.filter((each) => isShown(each, shown)).length;
  const causes = alone < certain ? `${count(alone, "cause")} of ` : "";
  const found =
    certain > 0
      ? `${causes}${count(certain, "anomaly", "anomalies")} at ${level} ${among}`
      : confirmed.length > 0
        ? `Nothing to tell at ${level} ${among}`
        : `Nothing found at ${level} ${among}`;
  const refused = report.anomalies.filter(
    (each) => !breaksData(each) && isTold(each, shown),
  ).length;
  const refusals = refused === 0 ? "" : `; ${count(refused, "refusal")} by the server`;
  if (report.verdict === "cancelled") return `Cancelled. ${found} so far.`;
  const open =
    unknown.length === 0 ? "nothing undecided" : `${count(questions, "question")} undecided`;
  if (certain === 0 && unknown.length === 0) return `${found}${refusals}.`;
  return `${found}${refusals}; ${open}.`;
}

/** The requested level, unless every transaction has another one. */
function levelsWord({ level, levels, transactions }: LevelReport): string {
  const own = transactions.map(
    ({ name }) => ownEntry(levels.perTransaction, name) ?? levels.default,
  );
  const [first] = own;
  if (first === undefined || own.includes(levels.default)) return level;
  return own.every((each) => each === first) ? first : "the transactions' own levels";
}

function restsText({ rests, search }: LevelReport): string {
  if ("proved" in rests) return `proved for any number (${rests.proved})`;
  if (rests.bound < 2) {
    if (!search) return "not yet searched together";
    const { pairs, ruledOut, searched } = search;
    return `${(searched + ruledOut).toLocaleString("en")} of ${count(pairs, "pair")} searched`;
  }
  const rounds =
    rests.unroll === undefined ? "" : `, with ${String(rests.unroll)} rounds of each loop`;
  return `up to ${String(rests.bound)} at a time${rounds}`;
}

/** Commands get separate lines if they do not fit on one: people copy them. */
function lastLines({ report, again, shown }: TextReport, style: TextStyle): readonly string[] {
  const { coverage, unknown } = report;
  const first = report.anomalies.find((anomaly) => isShown(anomaly, shown));
  const isWhole = coverage.exact === coverage.statements && unknown.length > 0;
  const otherReasons = isWhole ? "; what is undecided has the other reasons above" : "";
  const read =
    coverage.statements === 0
      ? []
      : [
          `${String(coverage.exact)} of ${count(coverage.statements, "statement")} read exactly${otherReasons}.`,
        ];
  const details =
    first || unknown.length > 0 ? [`Details: isolens check ${again} --format json`] : [];
  const shownId = first && (causeToTell(first, { report, shown })?.id ?? first.id);
  const steps = first ? [`steps: isolens show ${again} --anomaly ${shownId ?? ""}`] : [];
  const together = [...read, [...details, ...steps].join("; ")].join(" ").trim();
  const lines = together.length <= style.columns ? [together] : [...read, ...details, ...steps];
  const hidden = hiddenText(report, shown);
  const levels = [
    ...(hidden === "" ? [] : [hidden]),
    ...basisText(report),
    ...(report.levels.from === undefined ? [] : [`Level from ${report.levels.from}.`]),
    ...otherLevels(report),
    ...assumingText(report),
  ].flatMap((line) => hangingText("", line, style.columns));
  const sufficient = sufficientLines(report, style.columns);
  return [...levels, ...sufficient, ...lines.filter((line) => line !== "")];
}

/** The basis of products' levels; axiomatic levels have none. */
function basisText({ basis = [] }: LevelReport): readonly string[] {
  const named = basis
    .filter(({ evidence }) => evidence !== "axioms")
    .map(({ level, text }) => `${level} (${text})`);
  return named.length === 0 ? [] : [`Rules of the level: ${named.join("; ")}.`];
}

/** Transactions at another level than the requested one. */
function otherLevels({ levels }: LevelReport): readonly string[] {
  const others = Object.entries(levels.perTransaction).filter(([, own]) => own !== levels.default);
  if (others.length === 0) return [];
  return [
    `At a level of their own: ${others.map(([name, own]) => `${name} (${own})`).join(", ")}.`,
  ];
}

/** Assumptions of the answer beyond the program text. */
function assumingText({ assumptions }: LevelReport): readonly string[] {
  if (assumptions.length === 0) return [];
  const named = assumptions.map(({ kind, text }) =>
    kind === "counter" ? `${text} (inferred)` : text,
  );
  const shown = named.slice(0, MOST_ASSUMED);
  const rest = named.length - shown.length;
  const more = rest > 0 ? [`${String(rest)} more`] : [];
  return [`Assuming: ${[...shown, ...more].join("; ")}.`];
}

const MOST_ASSUMED = 6;
