// The geometry of the map of conflicts: transactions in one column under the names of their files, tables in another, a line
// from each transaction to every table that it uses, and an arc between two transactions that race.
import type { TreeFile, TreeTransaction } from "../../../server/src/protocol/requests";
import type { Conflict } from "./conflicts";
import { curvePath, sideCurve } from "./curves";
import { clip } from "./words";

export interface MapRow {
  readonly index: number;
  readonly transaction: TreeTransaction;
  readonly label: string;
  readonly y: number;
  /** The width of its mark and name. */
  readonly width: number;
}

export interface MapTable {
  readonly name: string;
  readonly label: string;
  readonly y: number;
}

export interface MapLink {
  readonly transaction: number;
  readonly table: string;
  readonly writes: boolean;
  readonly path: string;
}

export interface MapArc {
  readonly conflict: Conflict;
  readonly path: string;
}

export interface MapLayout {
  readonly width: number;
  readonly height: number;
  /** The left side of the transactions' names, and that of the tables'. */
  readonly columns: readonly [transactions: number, tables: number];
  readonly headings: readonly { readonly text: string; readonly y: number }[];
  readonly rows: readonly MapRow[];
  readonly tables: readonly MapTable[];
  readonly links: readonly MapLink[];
  readonly arcs: readonly MapArc[];
}

const ROW = 24;
const MARGIN = 8;
/** Room of the mark before a name. */
const MARK = 16;

/** The map in that many pixels; `character` is the width of one. Linear in what is drawn, but for sorting tables. */
export function layoutMap(
  files: readonly TreeFile[],
  conflicts: readonly Conflict[],
  width: number,
  character: number,
): MapLayout {
  const gutter = Math.round(Math.min(110, Math.max(44, width * 0.1)));
  const tableWidth = Math.round(Math.min(220, Math.max(96, width * 0.24)));
  const linkWidth = Math.round(Math.min(240, Math.max(56, width * 0.2)));
  const most = width - gutter - linkWidth - tableWidth;
  const { headings, rows, bottom } = placeRows(files, most, character);
  const linkX = gutter + Math.max(0, ...rows.map((row) => row.width));
  const shared = new Set(conflicts.flatMap((each) => each.tables));
  const tables = placeTables(rows, shared, tableWidth / character);
  const tableX = linkX + linkWidth;
  const tableY = new Map(tables.map(({ name, y }) => [name, y]));
  const links = rows.flatMap(({ index, transaction, y, width: own }) =>
    transaction.tables.flatMap(({ name, writes }): readonly MapLink[] => {
      const to = tableY.get(name);
      if (to === undefined) return [];
      const from = { x: gutter + own, y };
      const reach = linkWidth / 2;
      const curve = sideCurve(from, 1, { x: tableX - 6, y: to }, -1, { reach });
      return [{ transaction: index, table: name, writes, path: curvePath(curve) }];
    }),
  );
  const arcs = conflicts
    .filter(({ state }) => state === "racing")
    .map((conflict) => ({ conflict, path: arcPath(conflict, rows, gutter) }));
  const last = tables.at(-1)?.y ?? 0;
  const height = Math.max(bottom, last + ROW / 2 + MARGIN);
  return { width, height, columns: [gutter, tableX], headings, rows, tables, links, arcs };
}

function placeRows(
  files: readonly TreeFile[],
  most: number,
  character: number,
): Pick<MapLayout, "headings" | "rows"> & { readonly bottom: number } {
  const columns = (most - MARK) / character - 1;
  const headings: { text: string; y: number }[] = [];
  const rows: MapRow[] = [];
  let y = MARGIN;
  for (const { name, transactions } of files) {
    headings.push({ text: clipStart(name, columns), y: y + ROW / 2 });
    y += ROW;
    for (const transaction of transactions) {
      const label = clip(transaction.name, columns);
      const width = MARK + (label.length + 1) * character;
      rows.push({ index: rows.length, transaction, label, y: y + ROW / 2, width });
      y += ROW;
    }
    y += MARGIN;
  }
  return { headings, rows, bottom: y };
}

/** Shared tables beside those that use them: each at the mean of its users, or as near below the one above it as it fits. */
function placeTables(
  rows: readonly MapRow[],
  shared: ReadonlySet<string>,
  columns: number,
): readonly MapTable[] {
  const users = new Map<string, number[]>();
  for (const { transaction, y } of rows)
    for (const { name } of transaction.tables)
      if (shared.has(name)) users.set(name, [...(users.get(name) ?? []), y]);
  const wanted = [...users]
    .map(([name, ys]) => ({ name, y: ys.reduce((sum, y) => sum + y, 0) / ys.length }))
    .toSorted((a, b) => a.y - b.y || (a.name < b.name ? -1 : 1));
  let next = MARGIN + ROW / 2;
  return wanted.map(({ name, y: mean }) => {
    const y = Math.max(next, Math.round(mean));
    next = y + ROW;
    return { name, label: clip(name, columns), y };
  });
}

/** An arc left of two rows that bulges with their distance; a loop at a row that races with itself. */
function arcPath(
  { between: [one, other] }: Conflict,
  rows: readonly MapRow[],
  gutter: number,
): string {
  const [from = 0, to = 0] = [rows[one]?.y, rows[other]?.y];
  const x = gutter - 4;
  const isLoop = one === other;
  // The curve reaches three quarters as far as its control points.
  const bulge = isLoop ? 18 : Math.min((x - 2) / 0.75, 20 + Math.abs(to - from) / 3);
  const [start, end] = isLoop ? [from - 6, from + 6] : [from, to];
  return curvePath(sideCurve({ x, y: start }, -1, { x, y: end }, -1, { reach: bulge }));
}

/** The end of a path, which says more than its beginning. */
function clipStart(text: string, columns: number): string {
  const most = Math.max(1, Math.floor(columns));
  return text.length <= most ? text : `\u2026${text.slice(text.length - most + 1)}`;
}
