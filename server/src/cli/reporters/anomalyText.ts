// One anomaly as a paragraph: place, consequence, the schedule in columns, the serial outcomes, prevention.
import { racesText, type Cause } from "../../protocol/cause";
import { committingOnTheWay, outsideAdvice } from "../../protocol/outside";
import { refusalAdvice } from "../../protocol/refusalAdvice";
import { mainEnd, shownEdges } from "../../protocol/report";
import type { Anomaly, FindingSeverity, Step, StepCall } from "../../protocol/report";
import { argumentTexts, type WitnessInstance } from "../../protocol/witness";
import type { Paint } from "../io";
import type { CycleEnd } from "../../protocol/dependency";
import { codeFrame, type LineOf } from "./codeFrame";
import { plainNames } from "./names";
import { listWords, outcomeTexts, valueText } from "./outcomes";
import type { KeyOf } from "./outcomes";
import { hangingText, wrapText } from "./wrap";

export interface TextStyle {
  readonly paint: Paint;
  readonly columns: number;
  readonly keyOf: KeyOf;
  /** Lines of the checked code; absent to show none. */
  readonly lineOf?: LineOf;
  /** Words after "isolens fix" for the same check; absent to not mention fixes. */
  readonly again?: string;
}

/** The paragraph of a check's output for a cause, or for one anomaly alone. */
export function anomalyText(anomaly: Anomaly, style: TextStyle, cause?: Cause): string {
  return [
    headline(anomaly, style),
    ...frameOf(anomaly, style, cause),
    ...sentenceLines(anomaly, style, cause),
    "",
    ...schedule(anomaly, style),
    ...footing(anomaly, style, cause),
    ...suppressedText(anomaly).flatMap((line) =>
      hangingText(" ".repeat(LEFT), line, style.columns),
    ),
  ].join("\n");
}

/** A finding that is information, behind others that are more: its place and its sentences, without the steps. */
export function briefText(anomaly: Anomaly, style: TextStyle, cause?: Cause): string {
  const id = `id ${cause?.id ?? anomaly.id}: ${SEVERITY_TEXTS[anomaly.severity]}, executed and confirmed; isolens show tells its steps`;
  const last = hangingText(" ".repeat(LEFT), id, style.columns);
  return [
    headline(anomaly, style),
    ...sentenceLines(anomaly, style, cause),
    ...last.map((line) => style.paint.faint(line)),
  ].join("\n");
}

/** The stale read and its use, in the code. */
function frameOf(anomaly: Anomaly, style: TextStyle, cause?: Cause): readonly string[] {
  const main = cause?.read ?? mainEnd(anomaly);
  if (!style.lineOf || !main) return [];
  const uses = (cause?.uses ?? []).filter(
    (use) => use.file === main.file && use.range.start.line !== main.range.start.line,
  );
  const places = [
    {
      place: main,
      note: waits(anomaly) ? "this waits" : uses.length > 0 ? "what this reads goes stale" : "here",
      isMain: true,
    },
    ...uses.map((place) => ({
      place,
      note: waits(anomaly) ? "for what this has locked" : "and this rests on it",
      isMain: false,
    })),
  ];
  return codeFrame(places, style.lineOf, style);
}

/** True for refusals of those that wait; a duplicate key has reads and writes like an anomaly of data. */
function waits({ cycle }: Anomaly): boolean {
  return cycle.some(({ dependency }) => dependency === "waits");
}

/** The sentence on how it comes about, below the consequence. */
function sentenceLines(
  { title, message }: Anomaly,
  { columns }: TextStyle,
  cause?: Cause,
): readonly string[] {
  const sentence = message.startsWith(`${title}: `) ? message.slice(title.length + 2) : message;
  const races = cause ? racesText(cause) : "";
  return hangingText(" ".repeat(LEFT), `${sentence}${races}`, columns);
}

function suppressedText({ suppressed }: Anomaly): readonly string[] {
  if (!suppressed) return [];
  const { by, reason, file = "", range } = suppressed;
  const place = range ? ` at ${placeText({ file, range })}` : "";
  const what = by === "comment" ? `the comment${place}` : "the baseline";
  return [`suppressed by ${what}${reason === "" ? "" : `: ${reason}`}`];
}

/** The steps in columns and the serial outcomes, without a headline. */
export function anomalySchedule(anomaly: Anomaly, style: TextStyle): readonly string[] {
  const compared = anomaly.preventedBy.length > 0 || anomaly.allowedAt.length > 0;
  return [
    ...schedule(anomaly, style),
    ...outcomeLines(anomaly, style),
    ...(compared ? [preventedLine(anomaly)] : []).flatMap((text) =>
      hangingText(" ".repeat(LEFT), text, style.columns),
    ),
  ];
}

/** The long form of `show`: the sentence, the initial rows, every step with its reason, the cycle. */
export function anomalyDetails(anomaly: Anomaly, style: TextStyle): string {
  const { paint, columns } = style;
  const steps = anomaly.steps.flatMap((step, n) => stepDetails(step, n, style));
  const edges = shownEdges(anomaly).map((edge) => {
    const where = [edge.table, ...(edge.columns.length > 0 ? [edge.columns.join(", ")] : [])].join(
      ".",
    );
    const label = paint.strong(`-${edge.dependency} ${where}->`);
    return `  ${endText(edge.from)} ${label} ${endText(edge.to)}`;
  });
  return [
    headline(anomaly, style),
    "",
    ...wrapText(anomaly.message, columns),
    "",
    "At the start",
    ...startLines(anomaly, style),
    "",
    "Steps",
    ...steps,
    "",
    anomaly.dirtyRead
      ? "No cycle, but a read (wr) of a version that was never committed"
      : waits(anomaly)
        ? "Who waits for whom"
        : "Cycle (wr: reads what the other wrote, ww: overwrites it, rw: reads what the other then changes)",
    ...edges,
    "",
    ...breachLines(anomaly, style),
    ...leftOutLines(anomaly, style),
    ...footing(anomaly, style),
  ].join("\n");
}

/** The stated invariants that it breaks, with their places and rows. */
function breachLines({ breaches = [] }: Anomaly, { columns }: TextStyle): readonly string[] {
  if (breaches.length === 0) return [];
  const lines = breaches.flatMap(({ text, how, file, range }) => {
    const place = file !== undefined && range ? `${placeText({ file, range })}: ` : "";
    return hangingText("  ", `${place}${text}${how === "" ? "" : ` (${how})`}`, columns);
  });
  const rows = rowTexts(breaches[0]?.state ?? {}).flatMap((row) => hangingText("  ", row, columns));
  return ["Stated invariants that no longer hold at the end", ...lines, "The end", ...rows, ""];
}

/** Gaps of the model, with the places of the statements that touch them. */
function leftOutLines({ leftOut = [] }: Anomaly, { columns }: TextStyle): readonly string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.flatMap(({ reason, ...place }) =>
    hangingText("  ", `${placeText(place)}: ${reason}`, columns),
  );
  return ["What the rules of the level leave out", ...lines, ""];
}

/** The severity in the first line's words. */
export const SEVERITY_TEXTS: Readonly<Record<Anomaly["severity"], string>> = {
  state: "final state differs",
  value: "a returned value differs",
  unused: "only what was read on the way differs",
  refused: "no data breaks, the server ends one transaction",
};

function headline(anomaly: Anomaly, { paint, columns }: TextStyle): string {
  const place = placeText(mainEnd(anomaly));
  const before = place === "" ? "" : `${place}  `;
  const loudness = LOUDNESS[anomaly.reportedAs ?? "warning"];
  const what = `${loudness}: ${anomaly.title}`;
  const [first = "", ...more] = hangingText(before, what, Math.max(columns, before.length + 40));
  const rest = more.map((line) => " ".repeat(LEFT) + paint.strong(paint.alarm(line.trim())));
  const shown = paint.strong(paint.alarm(first.slice(before.length)));
  return [`${paint.place(before.trimEnd())}${before === "" ? "" : "  "}${shown}`, ...rest].join(
    "\n",
  );
}

const LOUDNESS: Readonly<Record<FindingSeverity, string>> = {
  error: "error",
  warning: "warning",
  information: "info",
  hint: "hint",
  off: "not told",
};

const LEFT = 6;
/** Narrower columns are harder to read than one step per line. */
const NARROWEST = 24;

/** Steps in one column per instance, time downwards; sequentially if the terminal is too narrow. */
function schedule(anomaly: Anomaly, style: TextStyle): readonly string[] {
  const { paint, columns } = style;
  const instances = anomaly.witness.instances;
  const width = Math.floor((columns - LEFT) / Math.max(1, instances.length)) - 2;
  if (anomaly.steps.length === 0) return [];
  if (width < NARROWEST) return scheduleLines(anomaly, style);
  const head = headsOf(instances).map((text) => wrapText(text, width));
  const lines = tableRow("", head, width).map((line) => paint.strong(line));
  anomaly.steps.forEach((step, n) => {
    const cells = instances.map((each) =>
      each.instance === step.instance ? wrapText(effectText(step), width) : [],
    );
    lines.push(...tableRow(String(n + 1), cells, width));
  });
  return lines;
}

function effectText(step: Step): string {
  return step.waitedFor === undefined
    ? step.effect
    : `waits for ${step.waitedFor}, then ${step.effect}`;
}

function tableRow(
  number: string,
  cells: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, n) => {
    const left = (n === 0 ? number.padStart(3) : "").padEnd(LEFT);
    const texts = cells.map((cell) => (cell[n] ?? "").padEnd(width));
    return `${left}${texts.join("  ")}`.trimEnd();
  });
}

function scheduleLines(anomaly: Anomaly, { paint, columns }: TextStyle): readonly string[] {
  const names = headsOf(anomaly.witness.instances).map((text) => paint.strong(`      ${text}`));
  const steps = anomaly.steps.flatMap((step, n) =>
    hangingText(`${String(n + 1).padStart(3)}   ${step.instance}  `, effectText(step), columns),
  );
  return [...names, ...steps];
}

function outcomeLines(anomaly: Anomaly, { columns, keyOf }: TextStyle): readonly string[] {
  if (anomaly.serial.length === 0) return [];
  const indent = " ".repeat(LEFT);
  const { here, serial } = outcomeTexts(anomaly, keyOf);
  const lines = [...hangingText(`${indent}this run: `, here, columns)];
  serial.forEach((text, n) => {
    const first = `${indent}one at a time: `;
    lines.push(...hangingText(n === 0 ? first : " ".repeat(first.length), text, columns));
  });
  return lines;
}

function preventedLine(anomaly: Anomaly): string {
  const { preventedBy, allowedAt } = anomaly;
  const refused = refusalAdvice(anomaly);
  if (refused !== undefined) return refused;
  if (preventedBy.length > 0) return `prevented at ${preventedBy.join(", ")}`;
  const advice = outsideAdvice(anomaly);
  if (advice !== undefined) return advice;
  const units = committingOnTheWay(anomaly);
  const commit = units.length === 1 ? "commits" : "commit";
  const why = units.length === 0 ? "" : `; ${listWords(units)} ${commit} on the way`;
  // Its own level is the first that allows it.
  return allowedAt.length > 1
    ? `not prevented at any level that was compared${why}`
    : "at which levels it is prevented was not decided";
}

function footing(anomaly: Anomaly, style: TextStyle, cause?: Cause): readonly string[] {
  const { columns, paint } = style;
  const indent = " ".repeat(LEFT);
  const lines = [...outcomeLines(anomaly, style)];
  if (anomaly.severity === "unused" && anomaly.status === "confirmed") {
    const text = "Some order ends the same, but in none of them were these values read on the way.";
    lines.push(...hangingText(indent, text, columns));
  }
  const id = cause?.id ?? anomaly.id;
  const fix =
    style.again === undefined || anomaly.status !== "confirmed" || anomaly.severity === "refused"
      ? ""
      : `isolens fix ${style.again} --anomaly ${id} looks for an edit`;
  const help = hangingText(`${indent}help: `, helpText(preventedLine(anomaly), fix), columns);
  lines.push(...help.map((line) => paint.good(line)));
  const status =
    anomaly.status === "confirmed"
      ? `${SEVERITY_TEXTS[anomaly.severity]}, executed and confirmed`
      : `not confirmed: ${anomaly.reason ?? "it could not be executed"}`;
  const cycles =
    cause && cause.anomalies.length > 1
      ? `, the worst of ${String(cause.anomalies.length)} cycles (--all)`
      : "";
  const last = hangingText(indent, `id ${id}: ${status}${cycles}`, columns);
  lines.push(...last.map((line) => paint.faint(line)));
  return lines;
}

/** Both, as one sentence or two. */
function helpText(prevented: string, fix: string): string {
  if (fix === "") return prevented;
  return prevented.endsWith(".") ? `${prevented} ${fix}` : `${prevented}; ${fix}`;
}

/** Limit of printed rows per table. */
const MOST_ROWS = 12;

function startLines(anomaly: Anomaly, { columns }: TextStyle): readonly string[] {
  const rows = rowTexts(anomaly.witness.initial);
  const instances = anomaly.witness.instances.map((each) => instanceText(each));
  return [...instances, ...(rows.length > 0 ? rows : ["all tables are empty"])].flatMap((line) =>
    hangingText("  ", line, columns),
  );
}

function rowTexts(tables: Anomaly["witness"]["initial"]): readonly string[] {
  return Object.entries(tables).flatMap(([table, all]) => {
    const shown = all.length > MOST_ROWS ? all.slice(0, MOST_ROWS - 1) : all;
    const texts = shown.map((row) => {
      const fields = Object.entries(row).map(([name, value]) => `${name} ${valueText(value)}`);
      return `${table}: ${fields.join(", ")}`;
    });
    const left = all.length - shown.length;
    return left === 0 ? texts : [...texts, `${table}: and ${String(left)} more rows`];
  });
}

function stepDetails(step: Step, n: number, { paint, columns }: TextStyle): readonly string[] {
  const number = `${String(n + 1).padStart(3)}  ${step.instance}  `;
  const place = step.file === "" ? "" : `  ${placeText(step)}`;
  const indent = " ".repeat(number.length);
  return [
    ...hangingText(number, step.text, columns),
    ...hangingText(indent, step.effect, columns).map((line) => paint.strong(line)),
    ...(step.because === "" ? [] : hangingText(indent, step.because, columns)),
    ...(place === "" ? [] : [paint.faint(`${indent}${place.trim()}`)]),
    ...(step.through ?? []).map((call) =>
      paint.faint(`${indent}by way of ${wayOf(call)}, ${placeText(call)}`),
    ),
  ];
}

function wayOf({ name, kind }: StepCall): string {
  return kind === "trigger" ? `the trigger ${name}` : `${name}()`;
}

/** An instance with its first, most relevant arguments: "T1 deposit(acc 1, amount 2)". */
export function instanceText(each: WitnessInstance, most = Infinity): string {
  const values = argumentTexts(each, valueText);
  const rest = values.length - most;
  const told = rest > 1 ? [...values.slice(0, most), `${String(rest)} more`] : values;
  return `${each.instance} ${each.transaction}(${told.join(", ")})`;
}

/** Limit of arguments above a schedule. */
export const MOST_ARGUMENTS = 8;

function headsOf(instances: readonly WitnessInstance[]): readonly string[] {
  const names = plainNames(instances.map(({ transaction }) => transaction));
  return instances.map((each) => {
    const transaction = names.get(each.transaction) ?? each.transaction;
    return instanceText({ ...each, transaction }, MOST_ARGUMENTS);
  });
}

function endText(end: CycleEnd): string {
  return `${end.instance} ${placeText(end)}`.trimEnd();
}

/** "bank.sql:14:3", counted from 1. */
export function placeText(place: Pick<CycleEnd, "file" | "range"> | undefined): string {
  if (!place || place.file === "") return "";
  const { line, character } = place.range.start;
  return `${place.file}:${String(line + 1)}:${String(character + 1)}`;
}
