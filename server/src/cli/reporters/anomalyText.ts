// One anomaly as a paragraph: where, what, the schedule in columns, what serial runs give, what prevents it.
import { KINDS } from "../../analysis/explain/kinds/kinds";
import { committingOnTheWay, outsideAdvice } from "../../protocol/outside";
import { mainEnd, shownEdges } from "../../protocol/report";
import type { Anomaly, CycleEnd, Severity, Step, StepCall } from "../../protocol/report";
import { answersText, type WitnessInstance } from "../../protocol/witness";
import type { Paint } from "../io";
import { listWords, outcomeTexts, valueText } from "./outcomes";
import type { KeyOf } from "./outcomes";
import { hangingText, wrapText } from "./wrap";

export interface TextStyle {
  readonly paint: Paint;
  readonly columns: number;
  readonly keyOf: KeyOf;
}

/** The paragraph of a check's output; `like` tells of others that it stands for. */
export function anomalyText(anomaly: Anomaly, style: TextStyle, like = ""): string {
  const aside = [...(like === "" ? [] : [like]), ...suppressedText(anomaly)];
  return [
    headline(anomaly, style),
    ...sentenceLines(anomaly, style),
    "",
    ...schedule(anomaly, style),
    ...footing(anomaly, style),
    ...aside.flatMap((line) => hangingText(" ".repeat(LEFT), line, style.columns)),
  ].join("\n");
}

/** What happens in one sentence; its kind stands above it. */
function sentenceLines({ kind, message }: Anomaly, { columns }: TextStyle): readonly string[] {
  const title = `${titleOf(kind)}: `;
  const sentence = message.startsWith(title) ? message.slice(title.length) : message;
  return hangingText(" ".repeat(LEFT), sentence, columns);
}

function titleOf(kind: Anomaly["kind"]): string {
  return KINDS.find((each) => each.name === kind)?.title ?? kind;
}

function suppressedText({ suppressed }: Anomaly): readonly string[] {
  if (!suppressed) return [];
  const { by, reason, file = "", range } = suppressed;
  const place = range ? ` at ${placeText({ file, range })}` : "";
  const what = by === "comment" ? `the comment${place}` : "the baseline";
  return [`suppressed by ${what}${reason === "" ? "" : `: ${reason}`}`];
}

/** The steps in columns and what serial runs give, without a headline. */
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

/** The longer form of `show`: the sentence, the start, every step with its reason, the cycle. */
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
      : "Cycle (wr: reads what the other wrote, ww: overwrites it, rw: reads what the other then changes)",
    ...edges,
    "",
    ...leftOutLines(anomaly, style),
    ...footing(anomaly, style),
  ].join("\n");
}

/** What the rules leave out, with the places of the statements that use it. */
function leftOutLines({ leftOut = [] }: Anomaly, { columns }: TextStyle): readonly string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.flatMap(({ reason, ...place }) =>
    hangingText("  ", `${placeText(place)}: ${reason}`, columns),
  );
  return ["What the rules of the level leave out", ...lines, ""];
}

/** What the severity means, in the words of the first line. */
export const SEVERITY_TEXTS: Readonly<Record<Severity, string>> = {
  state: "final state differs",
  value: "a returned value differs",
  unused: "only what was read on the way differs",
};

function headline(anomaly: Anomaly, { paint, columns }: TextStyle): string {
  const place = placeText(mainEnd(anomaly));
  const title = titleOf(anomaly.kind);
  const kind = title.charAt(0).toLowerCase() + title.slice(1);
  const on = anomaly.tables.length > 0 ? ` on ${listWords(anomaly.tables)}` : "";
  const what = `${kind}: ${anomaly.transactions.join(", ")}${on}`;
  const status =
    anomaly.status === "confirmed"
      ? `${SEVERITY_TEXTS[anomaly.severity]}, executed and confirmed`
      : `not confirmed: ${anomaly.reason ?? "it could not be executed"}`;
  const left = place === "" ? what : `${place}  ${what}`;
  const painted = `${place === "" ? "" : `${paint.place(place)}  `}${paint.strong(paint.alarm(what))}`;
  const gap = columns - left.length - status.length;
  const tail = gap >= 2 ? " ".repeat(Math.min(gap, 10)) + status : `\n      ${status}`;
  return painted + paint.faint(tail);
}

const LEFT = 6;
/** Narrower columns are harder to read than one step per line. */
const NARROWEST = 24;

/** Steps in one column per instance, time downwards; one after the other where the terminal is too narrow. */
function schedule(anomaly: Anomaly, style: TextStyle): readonly string[] {
  const { paint, columns } = style;
  const instances = anomaly.witness.instances;
  const width = Math.floor((columns - LEFT) / Math.max(1, instances.length)) - 2;
  if (anomaly.steps.length === 0) return [];
  if (width < NARROWEST) return scheduleLines(anomaly, style);
  const head = instances.map((each) => wrapText(instanceText(each), width));
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
  const names = anomaly.witness.instances.map((each) =>
    paint.strong(`      ${instanceText(each)}`),
  );
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

function footing(anomaly: Anomaly, style: TextStyle): readonly string[] {
  const { columns, paint } = style;
  const indent = " ".repeat(LEFT);
  const taken = answersText(anomaly.witness);
  const lines = [
    ...(taken === undefined ? [] : hangingText(indent, taken, columns)),
    ...outcomeLines(anomaly, style),
  ];
  if (anomaly.severity === "unused" && anomaly.status === "confirmed") {
    const text = "Some order ends the same, but in none of them were these values read on the way.";
    lines.push(...hangingText(indent, text, columns));
  }
  const prevented = hangingText(indent, preventedLine(anomaly), columns);
  lines.push(...prevented.map((line) => paint.good(line)));
  lines.push(paint.faint(`${indent}id ${anomaly.id}`));
  return lines;
}

/** Rows of a table that are spelled out. */
const MOST_ROWS = 12;

function startLines(anomaly: Anomaly, { columns }: TextStyle): readonly string[] {
  const rows = Object.entries(anomaly.witness.initial).flatMap(([table, all]) => {
    const shown = all.length > MOST_ROWS ? all.slice(0, MOST_ROWS - 1) : all;
    const texts = shown.map((row) => {
      const fields = Object.entries(row).map(([name, value]) => `${name} ${valueText(value)}`);
      return `${table}: ${fields.join(", ")}`;
    });
    const left = all.length - shown.length;
    return left === 0 ? texts : [...texts, `${table}: and ${String(left)} more rows`];
  });
  const instances = anomaly.witness.instances.map(instanceText);
  return [...instances, ...(rows.length > 0 ? rows : ["all tables are empty"])].flatMap((line) =>
    hangingText("  ", line, columns),
  );
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

export function instanceText(each: WitnessInstance): string {
  const values = Object.entries(each.arguments).map(
    ([name, value]) => `${name} ${valueText(value)}`,
  );
  return `${each.instance} ${each.transaction}(${values.join(", ")})`;
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
