// The table of several levels side by side: each finding, and which of them let it through.
import { isTold, type Anomaly, type LevelReport, type Shown } from "../../protocol/report";
import type { TextStyle } from "./anomalyText";
import { titleOf } from "./placedReport";

interface Row {
  readonly kind: string;
  readonly transactions: readonly string[];
}

type Cell = "yes" | "?" | "-";

/** More rows are only counted. */
const MOST_ROWS = 20;

/**
 * One row per kind of anomaly and group of transactions, one column per level; empty where fewer than two levels were
 * asked for or none lets anything through. Linear in anomalies times levels.
 */
export function levelTable(
  reports: readonly LevelReport[],
  { paint, columns }: Pick<TextStyle, "paint" | "columns">,
  shown?: Shown,
): readonly string[] {
  const rows = rowsOf(reports, shown);
  if (reports.length < 2 || rows.length === 0) return [];
  const levels = shortNames(reports.map(({ level }) => level));
  const widths = levels.map((level) => level.length + 2);
  const most = Math.max(24, columns - widths.reduce((sum, width) => sum + width, 0));
  const labels = rows.map((row) => clipped(labelOf(row), most - 2));
  const first = Math.max(...labels.map((label) => label.length)) + 2;
  const line = (label: string, cells: readonly string[]): string =>
    [label.padEnd(first), ...cells.map((cell, at) => cell.padEnd(widths[at] ?? 0))]
      .join("")
      .trimEnd();
  const body = rows.slice(0, MOST_ROWS).map((row, at) =>
    line(
      labels[at] ?? "",
      reports.map((report) => cellOf(report, row)),
    ),
  );
  const more = rows.length - body.length;
  return [
    paint.strong(line("", levels)),
    ...body,
    ...(more > 0 ? [`and ${String(more)} more`] : []),
    paint.faint("yes: executed and confirmed; -: nothing found; ?: not decided"),
  ];
}

/** Rows in the order of the reports: what a weaker level lets through comes first, the worst of it foremost. */
function rowsOf(reports: readonly LevelReport[], shown?: Shown): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const { anomalies } of reports)
    for (const anomaly of anomalies) {
      const { kind, status } = anomaly;
      if (status !== "confirmed" || !isTold(anomaly, shown)) continue;
      const transactions = membersOf(anomaly);
      const key = JSON.stringify([kind, transactions]);
      if (!rows.has(key)) rows.set(key, { kind, transactions });
    }
  return [...rows.values()];
}

function cellOf({ anomalies, unknown, verdict }: LevelReport, row: Row): Cell {
  const same = anomalies.filter(
    (each) =>
      each.kind === row.kind &&
      JSON.stringify(membersOf(each)) === JSON.stringify(row.transactions),
  );
  if (same.some(({ status }) => status === "confirmed")) return "yes";
  const isOpen = unknown.some(
    ({ transactions }) =>
      transactions.length === 0 || transactions.some((name) => row.transactions.includes(name)),
  );
  return same.length > 0 || isOpen || verdict === "cancelled" ? "?" : "-";
}

function membersOf({ transactions }: Anomaly): readonly string[] {
  return transactions.toSorted();
}

function labelOf({ kind, transactions }: Row): string {
  return `${titleOf(kind).toLowerCase()}: ${transactions.join(", ")}`;
}

/** Names of levels without the product where all are of one product. */
function shortNames(levels: readonly string[]): readonly string[] {
  const products = new Set(levels.map((level) => level.split(":")[0]));
  return products.size === 1 ? levels.map((level) => level.split(":")[1] ?? level) : levels;
}

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}\u2026`;
}
