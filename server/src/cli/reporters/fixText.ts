// Verified fixes of an anomaly for people: effect, cost, new behaviour, and the diff.
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Anomaly } from "../../protocol/report";
import type { Fix, FixReport } from "../../protocol/fixes";
import type { Paint } from "../io";
import type { ChangedText } from "../../workspace/writeTexts";
import { hangingText, wrapText } from "./wrap";

interface Style {
  readonly paint: Paint;
  readonly columns: number;
}

/** The fixes with their diffs; if there are none, the reasons. */
export function fixText(
  anomaly: Anomaly,
  { fixes, advice, isPartial }: FixReport,
  shown: readonly { readonly fix: Fix; readonly changes: readonly FileChange[] }[],
  style: Style,
): string {
  const { paint, columns } = style;
  const head = wrapText(anomaly.message, columns).map((line) => paint.strong(line));
  const paragraphs = shown.map(({ fix, changes }) => fixParagraph(fix, changes, style).join("\n"));
  const others = advice.flatMap(({ kind, reason, example }) => [
    ...hangingText("  ", `no ${kind}: ${reason}`, columns),
    ...(example === undefined ? [] : example.split("\n").map((line) => `      ${line}`)),
  ]);
  const none = fixes.length > 0 ? [] : ["No fix could be verified."];
  const partial = isPartial ? ["Not every candidate was tried: the time was up."] : [];
  return [head.join("\n"), ...paragraphs, [...none, ...others, ...partial].join("\n")]
    .filter((part) => part !== "")
    .join("\n\n");
}

function fixParagraph(
  { kind, title, now, costs, alsoRemoves, rests }: Fix,
  changes: readonly FileChange[],
  { paint, columns }: Style,
): readonly string[] {
  const also =
    alsoRemoves.length > 0
      ? [`removes ${String(alsoRemoves.length)} more: ${alsoRemoves.join(", ")}`]
      : [];
  const basis =
    "proved" in rests
      ? "proved for any number of transactions"
      : `checked with up to ${String(rests.bound)} transactions at a time`;
  const lines = [`now: ${now}`, ...costs.map((cost) => `cost: ${cost}`), ...also, basis];
  return [
    `${paint.good("fix")} ${title} ${paint.faint(`[${kind}]`)}`,
    ...lines.flatMap((line) => hangingText("  ", line, columns)),
    "",
    ...changes.map((change) => coloured(difference(change), paint)),
  ];
}

/** The change in the format of `git apply`. */
function difference({ file, before, after }: FileChange): string {
  const names = [before === undefined ? "/dev/null" : `a/${file}`, `b/${file}`] as const;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(
    ...names,
    before ?? "",
    after,
    undefined,
    undefined,
    options,
  ).trimEnd();
}

function coloured(diff: string, paint: Paint): string {
  return diff
    .split("\n")
    .map((line) => {
      if (line.startsWith("+")) return paint.good(line);
      if (line.startsWith("-")) return paint.alarm(line);
      return line.startsWith("@@") ? paint.place(line) : line;
    })
    .join("\n");
}

/** A file with its change. */
export interface FileChange extends ChangedText {
  readonly file: string;
}
