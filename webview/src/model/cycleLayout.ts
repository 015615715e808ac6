// Where everything of the cycle stands: a box per instance with its operations as rows, edges from row to row.
import type { CycleEnd } from "../../../server/src/protocol/dependency";
import { placeLabels, sideCurve, type Box, type Curve, type Point } from "./curves";
import type { Story, StoryEdge, StoryInstance } from "./story";
import { wrapText } from "./textFit";
import { cellText, clip } from "./words";

export interface CycleLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly InstanceBox[];
  readonly edges: readonly CycleCurve[];
}

export interface InstanceBox extends Box {
  readonly instance: StoryInstance;
  readonly rows: readonly OperationRow[];
}

export interface OperationRow {
  readonly key: string;
  readonly step: number | undefined;
  readonly lines: readonly string[];
  readonly y: number;
  readonly height: number;
  readonly end: CycleEnd;
}

export interface CycleCurve {
  readonly edge: StoryEdge;
  readonly curve: Curve;
  readonly label: Box;
  readonly data: string;
}

const TITLE = 44;
const LINE = 16;
const ROW_PADDING = 7;
const GAP = 176;
const MARGIN = 118;
const NARROW_MARGIN = 56;
const LEAST_BOX = 150;
const MOST_BOX = 300;
const ROWS_APART = 60;

type Arrangement = "row" | "grid" | "stack";

export function layoutCycle(story: Story, width: number, character: number): CycleLayout {
  const order = cycleOrder(story);
  const arrangement = arrange(order.length, width);
  const columns = columnsOf(order.length, arrangement);
  // Narrow labels contain the kind only; the list below has the data.
  const isNarrow = arrangement === "stack" && width < LEAST_BOX + 2 * MARGIN;
  const margin = arrangement === "row" ? 4 : isNarrow ? NARROW_MARGIN : MARGIN;
  const room = (width - 2 * margin - (columns - 1) * GAP) / columns;
  const boxWidth = Math.max(LEAST_BOX, Math.min(MOST_BOX, Math.floor(room)));
  const total = columns * boxWidth + (columns - 1) * GAP + 2 * margin;
  const left = Math.max(0, (width - total) / 2) + margin;
  const contents = order.map((instance) =>
    rowsOf(story, instance, Math.floor((boxWidth - 42) / character)),
  );
  const heights = contents.map(
    (rows) => TITLE + rows.reduce((sum, row) => sum + row.height, 0) + 6,
  );
  const slots = slotsOf(order.length, columns, heights, left, boxWidth);
  const boxes = order.map((instance, index): InstanceBox => {
    const { x, y } = slots[index] ?? { x: 0, y: 0 };
    const height = heights[index] ?? 0;
    let rowY = y + TITLE;
    const rows = (contents[index] ?? []).map((row) => {
      const placed = { ...row, y: rowY };
      rowY += row.height;
      return placed;
    });
    return { instance, x, y, width: boxWidth, height, rows };
  });
  const curves = story.edges.flatMap((edge) => {
    const curve = curveOf(edge, story.edges, boxes, isNarrow ? NARROW_BULGE : BULGE);
    return curve ? [{ edge, curve, data: isNarrow ? "" : clip(edge.data, 15) }] : [];
  });
  const labels = placeLabels(
    curves.map(({ curve, data }) => ({
      curve,
      width: Math.max(isNarrow ? 26 : 34, data.length * character + 14),
      height: isNarrow ? 20 : 34,
    })),
    boxes,
  );
  const edges = curves.map((each, index) => ({
    ...each,
    label: labels[index] ?? { x: 0, y: 0, width: 0, height: 0 },
  }));
  const bottoms = [...boxes, ...edges.map((edge) => edge.label)].map((box) => box.y + box.height);
  return { width: Math.max(width, total), height: Math.max(...bottoms, 0) + 12, boxes, edges };
}

/** The instances in cycle order, starting at the first, consistent with the schedule; for a single edge, its two ends. */
function cycleOrder(story: Story): readonly StoryInstance[] {
  const ends = (["from", "to"] as const).flatMap((side) =>
    story.edges.map(({ edge }) => edge[side].instance),
  );
  const names = [...new Set(ends)];
  const visited = names.flatMap((name) => story.instances.find((each) => each.name === name) ?? []);
  const first = visited.findIndex((each) => visited.every((other) => each.index <= other.index));
  return [...visited.slice(first), ...visited.slice(0, first)];
}

function arrange(count: number, width: number): Arrangement {
  if (count <= 2) return width >= 2 * LEAST_BOX + GAP + 8 ? "row" : "stack";
  const columns = Math.ceil(count / 2);
  return width >= columns * LEAST_BOX + (columns - 1) * GAP + 2 * MARGIN ? "grid" : "stack";
}

function columnsOf(count: number, arrangement: Arrangement): number {
  if (arrangement === "stack") return 1;
  return arrangement === "row" ? Math.max(1, count) : Math.ceil(count / 2);
}

/** Upper left corners: the first half from left to right, the others back below; or all in one column. */
function slotsOf(
  count: number,
  columns: number,
  heights: readonly number[],
  left: number,
  boxWidth: number,
): readonly Point[] {
  const pitch = boxWidth + GAP;
  if (columns === 1) {
    return heights.map((_, index) => ({
      x: left,
      y: 6 + heights.slice(0, index).reduce((sum, height) => sum + height + ROWS_APART, 0),
    }));
  }
  const upper = Math.max(0, ...heights.slice(0, columns));
  const below = count - columns;
  return heights.map((height, index) => {
    if (index < columns) return { x: left + index * pitch, y: 6 + (upper - height) / 2 };
    const at = index - columns;
    // The lower row runs backwards over the whole width, closing the ring at the left.
    const span = (columns - 1) * pitch;
    const x = below === 1 ? span / 2 : span - (at * span) / (below - 1);
    return { x: left + x, y: 6 + upper + ROWS_APART };
  });
}

function rowsOf(story: Story, instance: StoryInstance, columns: number): readonly OperationRow[] {
  const rows = new Map<string, OperationRow>();
  for (const each of story.edges) {
    for (const side of ["from", "to"] as const) {
      const end = each.edge[side];
      if (end.instance !== instance.name) continue;
      const key = rowKey(each, side);
      if (rows.has(key)) continue;
      const step = each[side];
      const lines = wrapText(rowText(story, each, side), columns, 3);
      const height = lines.length * LINE + 2 * ROW_PADDING;
      rows.set(key, { key, step, lines, y: 0, height, end });
    }
  }
  return [...rows.values()].sort((a, b) => (a.step ?? 0) - (b.step ?? 0));
}

function rowKey(edge: StoryEdge, side: "from" | "to"): string {
  const step = edge[side];
  const { range, file } = edge.edge[side];
  return step === undefined
    ? `${file}:${String(range.start.line)}:${String(range.start.character)}`
    : String(step);
}

/** The operation's effect on the edge's data; the statement's text if that is unknown. */
function rowText(story: Story, each: StoryEdge, side: "from" | "to"): string {
  const index = each[side];
  const step = index === undefined ? undefined : story.steps[index];
  if (!step) return each.edge[side].text;
  const { table, columns } = each.edge;
  const about = step.lines.find(
    ({ cell }) =>
      cell?.table === table &&
      (columns.length === 0 || columns.some((column) => cellText(cell).endsWith(`.${column}`))),
  );
  return (about ?? step.lines[0])?.text ?? step.step.effect;
}

function curveOf(
  edge: StoryEdge,
  all: readonly StoryEdge[],
  boxes: readonly InstanceBox[],
  bulge: number,
): Curve | undefined {
  const from = boxes.find((box) => box.instance.name === edge.edge.from.instance);
  const to = boxes.find((box) => box.instance.name === edge.edge.to.instance);
  if (!from || !to) return undefined;
  const beside = Math.abs(from.x - to.x) >= from.width;
  if (beside && overlapVertically(from, to)) {
    const side = from.x < to.x ? 1 : -1;
    const start = rowAnchor(from, edge, "from", side);
    const end = rowAnchor(to, edge, "to", side === 1 ? -1 : 1);
    const bow = all.length === 2 ? bowOf(edge, all, boxes, side) : 0;
    const distance = Math.abs(end.x - start.x);
    return sideCurve(start, side, end, side === 1 ? -1 : 1, { reach: distance * 0.42, bow });
  }
  // In one column, edges leave and enter on the same side, backward ones on the left.
  const side = from.y <= to.y ? 1 : -1;
  const start = rowAnchor(from, edge, "from", side);
  const end = rowAnchor(to, edge, "to", side);
  return outerCurve(start, end, side, bulge);
}

/** Two edges between the same boxes bend apart: the higher one upward; of equally high ones the one from left to right. */
function bowOf(
  edge: StoryEdge,
  all: readonly StoryEdge[],
  boxes: readonly InstanceBox[],
  side: -1 | 1,
): number {
  const other = all.find((each) => each !== edge);
  const lower = other ? middleOf(edge, boxes) - middleOf(other, boxes) : 0;
  return (Math.abs(lower) < 1 ? -side : Math.sign(lower)) * BOW;
}

/** The middle between the rows of an edge. */
function middleOf(edge: StoryEdge, boxes: readonly InstanceBox[]): number {
  const ends = (["from", "to"] as const).flatMap((side) => {
    const box = boxes.find((each) => each.instance.name === edge.edge[side].instance);
    return box ? [rowAnchor(box, edge, side, 1).y] : [];
  });
  return ends.reduce((sum, y) => sum + y, 0) / Math.max(1, ends.length);
}

const BOW = 40;
const BULGE = 74;
const NARROW_BULGE = 52;

/** An edge on one side; the end that is further in reaches further, so that both bow equally. */
function outerCurve(start: Point, end: Point, side: -1 | 1, bulge: number): Curve {
  const outer = side === 1 ? Math.max(start.x, end.x) : Math.min(start.x, end.x);
  const inward = (point: Point): number => Math.abs(outer - point.x);
  return {
    from: start,
    out: { x: start.x + side * (bulge + inward(start) * 0.6), y: start.y },
    in: { x: end.x + side * (bulge + inward(end) * 0.6), y: end.y },
    to: end,
  };
}

function overlapVertically(a: Box, b: Box): boolean {
  return a.y < b.y + b.height && b.y < a.y + a.height;
}

function rowAnchor(
  box: InstanceBox,
  edge: StoryEdge,
  side: "from" | "to",
  direction: -1 | 1,
): Point {
  const row = box.rows.find((each) => each.key === rowKey(edge, side));
  return {
    x: direction === 1 ? box.x + box.width + 1 : box.x - 1,
    y: row ? row.y + row.height / 2 : box.y + box.height / 2,
  };
}
