// Where everything of the schedule stands: one lane per instance, time downward, one row per step. Pure geometry.
import type { Dependency } from "../../../server/src/protocol/report";
import { placeLabels, sideCurve, type Box, type Curve, type Point } from "./curves";
import type { Story, StoryInstance, StoryStep } from "./story";
import { wrapped } from "./textFit";
import { cellText } from "./words";

export interface ScheduleLayout {
  readonly width: number;
  readonly height: number;
  readonly lanes: readonly Lane[];
  readonly cards: readonly Card[];
  readonly ends: readonly EndMark[];
  readonly edges: readonly DrawnEdge[];
}

export interface Lane {
  readonly instance: StoryInstance;
  readonly x: number;
  readonly cardX: number;
  readonly cardWidth: number;
  readonly top: number;
  readonly bottom: number;
  /** Stretches of the lane in which the instance waits. */
  readonly waits: readonly { readonly from: number; readonly to: number }[];
}

export interface Card extends Box {
  readonly step: StoryStep;
  readonly lines: readonly CardLine[];
}

export interface CardLine {
  readonly text: string;
  readonly tone: "read" | "write" | "other" | "dim";
  readonly y: number;
  readonly cell?: string;
}

/** Where an instance commits or rolls back. */
export interface EndMark {
  readonly instance: StoryInstance;
  readonly step: number;
  readonly x: number;
  readonly y: number;
  readonly kind: "commit" | "rollback";
  readonly label: string;
}

export interface DrawnEdge {
  /** Index of the cycle's edge; undefined for a read-from arrow beside the cycle. */
  readonly edge: number | undefined;
  readonly dependency: Dependency;
  readonly from: number;
  readonly to: number;
  readonly curve: Curve;
  readonly label?: Box;
}

const GUTTER = 30;
const INDENT = 14;
const WIDE_GAP = 68;
const NARROW_GAP = 50;
const LEAST_CARD = 168;
const MOST_CARD = 330;
const HEADER = 52;
const LINE = 16;
const PADDING = 7;
/** Space between a card's side and its text. */
export const SIDE = 8;
const ROW_GAP = 20;
const END_ROW = 28;
const MOST_LINES = 5;

/** Lays the schedule out for a width; wider than asked when the lanes would get too narrow. */
export function layoutSchedule(story: Story, width: number, character: number): ScheduleLayout {
  const count = Math.max(1, story.instances.length);
  const gap = count > 2 || width < 640 ? NARROW_GAP : WIDE_GAP;
  const free = width - GUTTER - count * INDENT - (count - 1) * gap - 4;
  const cardWidth = Math.max(LEAST_CARD, Math.min(MOST_CARD, Math.floor(free / count)));
  const columns = Math.floor((cardWidth - 2 * SIDE) / character);
  const laneX = (instance: StoryInstance): number =>
    GUTTER + instance.index * (INDENT + cardWidth + gap);

  const cards: Card[] = [];
  const ends: EndMark[] = [];
  let y = HEADER;
  for (const step of story.steps) {
    const x = laneX(step.instance);
    const { statement, commits, effect } = step.step;
    if (typeof statement === "number") {
      const lines = cardLines(step, columns, y);
      const height = 2 * PADDING + lines.length * LINE;
      cards.push({ step, lines, x: x + INDENT, y, width: cardWidth, height });
      y += height;
    }
    const kind = statement === "rollback" ? "rollback" : "commit";
    if (statement === "rollback" || statement === "commit" || commits) {
      const label = statement === "rollback" ? clippedTo(effect, columns) : "commits";
      ends.push({ instance: step.instance, step: step.index, x, y: y + 16, kind, label });
      y += END_ROW;
    }
    y += ROW_GAP;
  }
  const height = Math.max(HEADER + 40, y);
  const lanes = story.instances.map((instance): Lane => {
    const own = cards.filter((card) => card.step.instance === instance);
    const end = ends.find((each) => each.instance === instance);
    const last = own[own.length - 1];
    const x = laneX(instance);
    return {
      instance,
      x,
      cardX: x + INDENT,
      cardWidth,
      top: (own[0]?.y ?? HEADER) - 8,
      bottom: end?.y ?? (last ? last.y + last.height : height - ROW_GAP),
      waits: own.flatMap((card) => waitOf(card, cards)),
    };
  });
  const edges = drawnEdges(story, cards);
  return {
    width: Math.max(width, GUTTER + count * (INDENT + cardWidth) + (count - 1) * gap + 4),
    height,
    lanes,
    cards,
    ends,
    edges,
  };
}

function cardLines(step: StoryStep, columns: number, y: number): readonly CardLine[] {
  const lines: Omit<CardLine, "y">[] = [];
  const { waitedFor } = step.step;
  if (waitedFor !== undefined) lines.push({ text: `after waiting for ${waitedFor}`, tone: "dim" });
  const room = MOST_LINES + lines.length;
  for (const [index, line] of step.lines.entries()) {
    const texts = wrapped(line.text, columns, MOST_LINES);
    const more = step.lines.length - index;
    const last = more === 1 ? 0 : 1;
    if (index > 0 && lines.length + texts.length + last > room) {
      lines.push({ text: `and ${String(more)} more`, tone: "dim" });
      break;
    }
    for (const text of texts) {
      lines.push({ text, tone: line.kind, ...(line.cell && { cell: cellText(line.cell) }) });
    }
  }
  return lines.map((line, index) => ({ ...line, y: y + PADDING + index * LINE + 12 }));
}

function clippedTo(text: string, columns: number): string {
  return wrapped(text, columns, 1)[0] ?? text;
}

/** The stretch above a card in which its instance waited: from the step before it, whoever made that. */
function waitOf(card: Card, cards: readonly Card[]): Lane["waits"] {
  if (card.step.step.waitedFor === undefined) return [];
  const before = cards[cards.indexOf(card) - 1];
  return [{ from: before ? before.y : card.y - ROW_GAP, to: card.y + 2 }];
}

interface Ends {
  readonly edge: number | undefined;
  readonly dependency: Dependency;
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly columns: readonly string[];
}

function drawnEdges(story: Story, cards: readonly Card[]): readonly DrawnEdge[] {
  const onCycle = story.edges.flatMap(({ edge, index, from, to }): Ends[] => {
    if (from === undefined || to === undefined) return [];
    const { dependency, table, columns } = edge;
    return [{ edge: index, dependency, from, to, table, columns }];
  });
  const all = [...readsFrom(story, onCycle), ...onCycle];
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
      curve,
      ...(label && { label }),
    };
  });
}

/** Which write each read of another's value goes back to, where the cycle does not say it already. */
function readsFrom(story: Story, onCycle: readonly Ends[]): readonly Ends[] {
  const found = new Map<string, Ends>();
  for (const { step, index, instance } of story.steps) {
    for (const cell of step.reads) {
      if (typeof cell.writer !== "string" || cell.writer === instance.name) continue;
      const from = story.steps.findLastIndex(
        (other, at) =>
          at < index &&
          other.instance.name === cell.writer &&
          other.step.writes.some((write) => cellText(write) === cellText(cell)),
      );
      const known = onCycle.some((each) => each.from === from && each.to === index);
      if (from === -1 || known) continue;
      const { table, column } = cell;
      const edge = undefined;
      found.set(`${String(from)} ${String(index)}`, {
        edge,
        dependency: "wr",
        from,
        to: index,
        table,
        columns: [column],
      });
    }
  }
  return [...found.values()];
}

/** An edge with the points at which it meets its cards. */
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

/** Moves ends that meet a card at the same point a little apart, in the order of where they come from. */
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

/** The point at a card's side beside the line that tells of the data, a little inward of the arrow's head. */
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
