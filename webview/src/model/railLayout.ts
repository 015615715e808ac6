// The schedule for narrow places: the lanes are close together on the left, each step has the width beside them, and edges run in separate
// tracks on the right, so that no arrow crosses text. Pure geometry.
import { overlaps, type Box } from "./curves";
import {
  edgesOf,
  ROW_GAP,
  SIDE,
  type Card,
  type DrawnEdge,
  type Ends,
  type Lane,
  type ScheduleLayout,
} from "./scheduleParts";
import { laneRows, placeRows } from "./scheduleRows";
import type { Story, StoryInstance } from "./story";

const GUTTER = 22;
const PITCH = 14;
const NAME_ROW = 20;
const TRACK = 25;
const MOST_CARD = 420;
const LEAST_CARD = 96;
const LABEL = { width: 24, height: 18 } as const;

export function layoutRails(story: Story, width: number, character: number): ScheduleLayout {
  const laneX = ({ index }: StoryInstance): number => GUTTER + 6 + index * PITCH;
  const cardX = GUTTER + Math.max(1, story.instances.length) * PITCH + 8;
  const all = edgesOf(story);
  const tracks = tracksOf(all);
  const count = Math.max(0, ...tracks.values()) + (all.length > 0 ? 1 : 0);
  const free = width - cardX - count * TRACK - 10;
  const cardWidth = Math.max(LEAST_CARD, Math.min(MOST_CARD, free));
  const columns = Math.max(8, Math.floor((cardWidth - 2 * SIDE) / character));
  const header = 10 + story.instances.length * NAME_ROW;

  const rows = placeRows(story, {
    top: header + ROW_GAP / 2,
    cardWidth,
    columns,
    laneX,
    cardX: () => cardX,
    labelX: () => cardX,
    // Lanes that are close together need names on the steps.
    prefix: ({ name }) => `${name} `,
  });
  const height = Math.max(header + 40, rows.bottom);
  const lanes = story.instances.map((instance, index): Lane => {
    const { bottom, waits } = laneRows(instance, rows, height);
    const nameY = 14 + index * NAME_ROW;
    return {
      instance,
      x: laneX(instance),
      name: { x: cardX, y: nameY, width: width - cardX - 4 },
      namesBelow: false,
      top: nameY - 4,
      bottom,
      waits,
    };
  });
  const { cards, ends } = rows;
  return { width, height, lanes, cards, ends, edges: drawn(all, tracks, cards, cardX + cardWidth) };
}

/** A track for each edge: overlapping edges have different ones, the shortest innermost. */
function tracksOf(edges: readonly Ends[]): ReadonlyMap<Ends, number> {
  const span = ({ from, to }: Ends): readonly [number, number] =>
    from < to ? [from, to] : [to, from];
  const length = (each: Ends): number => span(each)[1] - span(each)[0];
  const tracks = new Map<Ends, number>();
  for (const edge of [...edges].sort((a, b) => length(a) - length(b))) {
    const [top, bottom] = span(edge);
    const taken = new Set(
      [...tracks].flatMap(([other, track]) => {
        const [otherTop, otherBottom] = span(other);
        return otherTop <= bottom && top <= otherBottom ? [track] : [];
      }),
    );
    let track = 0;
    while (taken.has(track)) track += 1;
    tracks.set(edge, track);
  }
  return tracks;
}

/** Out of one card, along the track, into the other; the ends at one card have different heights. */
function drawn(
  edges: readonly Ends[],
  tracks: ReadonlyMap<Ends, number>,
  cards: readonly Card[],
  right: number,
): readonly DrawnEdge[] {
  const ends = new Map<
    number,
    { readonly edge: Ends; readonly far: number; readonly out: boolean }[]
  >();
  const meet = (step: number, edge: Ends, far: number, out: boolean): void => {
    ends.set(step, [...(ends.get(step) ?? []), { edge, far, out }]);
  };
  for (const edge of edges) {
    meet(edge.from, edge, edge.to, true);
    meet(edge.to, edge, edge.from, false);
  }
  const heightOf = (card: Card, edge: Ends, out: boolean): number => {
    const own = [...(ends.get(card.step.index) ?? [])].sort((a, b) => a.far - b.far);
    const at = own.findIndex((each) => each.edge === edge && each.out === out);
    return card.y + (card.height * (at + 1)) / (own.length + 1);
  };
  const lines: number[] = [];
  const placed = edges.flatMap((edge) => {
    const from = cards.find((card) => card.step.index === edge.from);
    const to = cards.find((card) => card.step.index === edge.to);
    if (!from || !to) return [];
    const start = heightOf(from, edge, true);
    const end = heightOf(to, edge, false);
    lines.push(start, end);
    const x = right + 12 + (tracks.get(edge) ?? 0) * TRACK;
    return [{ edge, start, end, x }];
  });
  const labels: Box[] = [];
  return placed.map(({ edge, start, end, x }) => {
    const label = edge.edge === undefined ? undefined : labelAt(x, start, end, lines, labels);
    if (label) labels.push(label);
    return {
      edge: edge.edge,
      dependency: edge.dependency,
      from: edge.from,
      to: edge.to,
      path: trackPath(right + 1, start, x, end),
      ...(label && { label }),
    };
  });
}

/** A position on the track without other edges, nearest to its middle. */
function labelAt(
  x: number,
  start: number,
  end: number,
  lines: readonly number[],
  others: readonly Box[],
): Box {
  const [top, bottom] = start < end ? [start, end] : [end, start];
  const { width, height } = LABEL;
  const middle = (top + bottom) / 2;
  const isFree = (y: number): boolean =>
    lines.every((each) => Math.abs(each - y) > height / 2 + 2) &&
    others.every(
      (each) =>
        !overlaps(each, {
          x: x - TRACK / 2 - 2,
          y: y - height,
          width: TRACK + 4,
          height: 2 * height,
        }),
    );
  let best = middle;
  for (let off = 0; off <= (bottom - top) / 2; off += 2) {
    const free = [middle + off, middle - off].find(isFree);
    if (free === undefined) continue;
    best = free;
    break;
  }
  return { x: x - width / 2, y: best - height / 2, width, height };
}

const CORNER = 6;

function trackPath(side: number, start: number, x: number, end: number): string {
  const down = end > start ? 1 : -1;
  const corner = Math.min(CORNER, Math.abs(end - start) / 2);
  const n = (value: number): string => String(Math.round(value * 10) / 10);
  return [
    `M${n(side)},${n(start)}`,
    `H${n(x - corner)}`,
    `Q${n(x)},${n(start)} ${n(x)},${n(start + down * corner)}`,
    `V${n(end - down * corner)}`,
    `Q${n(x)},${n(end)} ${n(x - corner)},${n(end)}`,
    `H${n(side + 2)}`,
  ].join("");
}
