// The layout of the schedule: one lane per instance, time downward, one row per step. Pure geometry.
import { curvePath, placeLabels, sideCurve, type Curve, type Point } from "./curves";
import { layoutRails } from "./railLayout";
import {
  edgesOf,
  SIDE,
  type Card,
  type CardLine,
  type DrawnEdge,
  type Ends,
  type Lane,
  type ScheduleLayout,
} from "./scheduleParts";
import { laneRows, placeRows } from "./scheduleRows";
import type { Story, StoryInstance } from "./story";

const GUTTER = 30;
const INDENT = 14;
const WIDE_GAP = 68;
const NARROW_GAP = 50;
const LEAST_CARD = 168;
const MOST_CARD = 330;
const HEADER = 52;

/** Lays the schedule out for a width: lanes side by side, or close together if they would be too narrow for text. */
export function layoutSchedule(story: Story, width: number, character: number): ScheduleLayout {
  const count = Math.max(1, story.instances.length);
  const gap = count > 2 || width < 640 ? NARROW_GAP : WIDE_GAP;
  const free = width - GUTTER - count * INDENT - (count - 1) * gap - 4;
  const cardWidth = Math.min(MOST_CARD, Math.floor(free / count));
  if (cardWidth < LEAST_CARD) return layoutRails(story, width, character);
  const columns = Math.floor((cardWidth - 2 * SIDE) / character);
  const laneX = (instance: StoryInstance): number =>
    GUTTER + instance.index * (INDENT + cardWidth + gap);

  const rows = placeRows(story, {
    top: HEADER,
    cardWidth,
    columns,
    laneX,
    cardX: (instance) => laneX(instance) + INDENT,
    labelX: (instance) => laneX(instance) + 14,
    prefix: () => "",
  });
  const height = Math.max(HEADER + 40, rows.bottom);
  const lanes = story.instances.map((instance): Lane => {
    const { own, bottom, waits } = laneRows(instance, rows, height);
    const x = laneX(instance);
    return {
      instance,
      x,
      name: { x: x + INDENT, y: 14, width: cardWidth },
      namesBelow: true,
      top: (own[0]?.y ?? HEADER) - 8,
      bottom,
      waits,
    };
  });
  const { cards, ends } = rows;
  return { width, height, lanes, cards, ends, edges: drawnEdges(story, cards) };
}

function drawnEdges(story: Story, cards: readonly Card[]): readonly DrawnEdge[] {
  const all = edgesOf(story);
  const anchored = all.flatMap((each): Anchored[] => {
    const from = cards.find((card) => card.step.index === each.from);
    const to = cards.find((card) => card.step.index === each.to);
    return from && to ? [anchoredBetween(from, to, each)] : [];
  });
  const curves = spread(anchored).map((each) => ({ each: each.ends, curve: curveOf(each) }));
  const labelled = curves.filter(({ each }) => each.edge !== undefined);
  const boxes = placeLabels(
    labelled.map(({ curve }) => ({ curve, width: 28, height: 18 })),
    cards,
  );
  return curves.map(({ each, curve }) => {
    const label = boxes[labelled.findIndex((other) => other.each === each)];
    return {
      edge: each.edge,
      dependency: each.dependency,
      from: each.from,
      to: each.to,
      path: curvePath(curve),
      ...(label && { label }),
    };
  });
}

/** An edge with its anchor points. */
interface Anchored {
  readonly ends: Ends;
  readonly start: Point;
  readonly startSide: 1 | -1;
  readonly end: Point;
  readonly endSide: 1 | -1;
}

function anchoredBetween(from: Card, to: Card, ends: Ends): Anchored {
  const forward = from.x < to.x;
  const [startSide, endSide]: readonly [1 | -1, 1 | -1] =
    from.x === to.x ? [1, 1] : forward ? [1, -1] : [-1, 1];
  return {
    ends,
    start: anchor(from, startSide, ends, ends.dependency === "rw" ? "read" : "write"),
    startSide,
    end: anchor(to, endSide, ends, ends.dependency === "wr" ? "read" : "write"),
    endSide,
  };
}

const APART = 8;

/** Moves coinciding anchors at a card apart, in the order of their origins. */
function spread(edges: readonly Anchored[]): readonly Anchored[] {
  const key = ({ x, y }: Point): string => `${String(x)} ${String(y)}`;
  const meeting = new Map<string, { readonly edge: Anchored; readonly far: Point }[]>();
  for (const edge of edges) {
    for (const [near, far] of [
      [edge.start, edge.end],
      [edge.end, edge.start],
    ] as const) {
      meeting.set(key(near), [...(meeting.get(key(near)) ?? []), { edge, far }]);
    }
  }
  const moved = (edge: Anchored, point: Point): Point => {
    const ordered = [...(meeting.get(key(point)) ?? [])].sort((a, b) => a.far.y - b.far.y);
    const at = ordered.findIndex((each) => each.edge === edge);
    return { x: point.x, y: point.y + (at - (ordered.length - 1) / 2) * APART };
  };
  return edges.map((edge) => ({
    ...edge,
    start: moved(edge, edge.start),
    end: moved(edge, edge.end),
  }));
}

function curveOf({ start, startSide, end, endSide }: Anchored): Curve {
  const distance = Math.abs(end.x - start.x);
  const sameLane = startSide === endSide;
  const reach = sameLane ? 46 : Math.max(30, Math.min(distance * 0.5, WIDE_GAP));
  return sideCurve(start, startSide, end, endSide, { reach });
}

/** The point at a card's side beside the line with the data, slightly inward for the arrow head. */
function anchor(card: Card, side: 1 | -1, ends: Ends, tone: "read" | "write"): Point {
  const about = (line: CardLine): boolean =>
    line.cell !== undefined &&
    line.cell.startsWith(ends.table) &&
    (ends.columns.length === 0 || ends.columns.some((column) => line.cell?.endsWith(`.${column}`)));
  const line =
    card.lines.find((each) => each.tone === tone && about(each)) ?? card.lines.find(about);
  return {
    x: side === 1 ? card.x + card.width + 1 : card.x - 1,
    y: line ? line.y - 4 : card.y + card.height / 2,
  };
}
