// How much of each file was understood, as a table.
import type { FileCoverage } from "../../protocol/report";
import type { TextStyle } from "./anomalyText";

const COLUMNS: readonly (readonly [string, keyof FileCoverage])[] = [
  ["transactions", "transactions"],
  ["statements", "statements"],
  ["exact", "exact"],
  ["over", "over"],
  ["approx", "approx"],
  ["opaque", "opaque"],
  ["not reached", "unreached"],
  ["anomaly", "anomaly"],
  ["undecided", "undecided"],
  ["nothing found", "nothingFound"],
];

/** A line for each file in which there is something, the sum where there are several, and what was not read with the reason. */
export function coverageLines(
  files: readonly FileCoverage[],
  { paint }: TextStyle,
): readonly string[] {
  const read = files.filter(({ skipped }) => skipped === undefined);
  const told = read.filter((each) => COLUMNS.some(([, key]) => Number(each[key] ?? 0) > 0));
  const others = read.length - told.length;
  const rows = told.map((each) => [
    each.file,
    ...COLUMNS.map(([, key]) => String(each[key] ?? "")),
  ]);
  const sums = COLUMNS.map(([, key]) =>
    String(read.reduce((sum, each) => sum + Number(each[key] ?? 0), 0)),
  );
  const all = told.length > 1 ? [...rows, ["all files", ...sums]] : rows;
  const head = ["Coverage", ...COLUMNS.map(([title]) => title)];
  const first = Math.max(...[head, ...all].map(([name = ""]) => name.length));
  const line = ([name = "", ...cells]: readonly string[]): string =>
    [name.padEnd(first), ...cells.map((cell, at) => cell.padStart(head[at + 1]?.length ?? 0))].join(
      "  ",
    );
  const skipped = files.flatMap(({ file, skipped: reason }) =>
    reason === undefined ? [] : [`${file}: ${reason}`],
  );
  const rest =
    others === 1
      ? ["1 other file was read; no transaction is in it"]
      : others > 0
        ? [`${String(others)} other files were read; no transaction is in them`]
        : [];
  return [paint.strong(line(head)), ...all.map(line), ...rest, ...skipped];
}
