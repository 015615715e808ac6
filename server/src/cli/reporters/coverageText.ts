// The coverage of each file as a table.
import type { FileCoverage, LevelReport, SearchedPairs } from "../../protocol/report";
import { placeText, type TextStyle } from "./anomalyText";
import { hangingText } from "./wrap";

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

/** A line for each file with content, the sum of several, and unread files with the reason. */
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

/** A line for each transaction: the share of its pairs that is decided. Nothing if nothing was searched. */
export function decidedLines(
  { transactions }: LevelReport,
  { paint, columns }: TextStyle,
): readonly string[] {
  const lines = transactions.flatMap(({ name, file, range, pairs }) =>
    pairs
      ? hangingText("  ", `${placeText({ file, range })} ${name}: ${decidedText(pairs)}`, columns)
      : [],
  );
  return lines.length === 0 ? [] : [paint.strong("How far each transaction is decided"), ...lines];
}

/** "races with 2; nothing found with 40 of the 52 that share its tables". */
function decidedText({ sharing, racing, settled, isOpaque }: SearchedPairs): string {
  if (sharing === 0 && isOpaque === true) return "which tables it uses is not known";
  if (sharing === 0) return "no other transaction writes what it uses";
  const races = racing === 0 ? "" : `races with ${String(racing)}; `;
  const rest =
    settled + racing === sharing && racing > 0
      ? `nothing found with the ${String(settled)} others that share its tables`
      : settled === sharing
        ? `nothing found with all ${String(sharing)} that share its tables`
        : `nothing found with ${String(settled)} of the ${String(sharing)} that share its tables`;
  return races + rest;
}
