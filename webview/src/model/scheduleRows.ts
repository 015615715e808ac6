// The rows of all schedules: a card for each statement, a mark for each end, from the top down.
import {
  cardLines,
  clippedTo,
  END_ROW,
  LINE,
  PADDING,
  ROW_GAP,
  waitOf,
  type Card,
  type EndMark,
  type Lane,
} from "./scheduleParts";
import type { Story, StoryInstance, StoryStep } from "./story";

export interface RowShape {
  /** The top of the first row. */
  readonly top: number;
  readonly cardWidth: number;
  /** Characters per line of a card. */
  readonly columns: number;
  readonly laneX: (instance: StoryInstance) => number;
  readonly cardX: (instance: StoryInstance) => number;
  /** The left side of an end's label. */
  readonly labelX: (instance: StoryInstance) => number;
  /** The prefix of a step's and an end's text. */
  readonly prefix: (instance: StoryInstance) => string;
}

export interface Rows {
  readonly cards: readonly Card[];
  readonly ends: readonly EndMark[];
  readonly bottom: number;
}

export function placeRows(story: Story, shape: RowShape): Rows {
  const { columns, cardWidth, laneX, cardX, labelX, prefix } = shape;
  const cards: Card[] = [];
  const ends: EndMark[] = [];
  let y = shape.top;
  for (const step of story.steps) {
    const { instance, index } = step;
    const { statement, commits, effect } = step.step;
    if (typeof statement === "number") {
      const lines = cardLines(prefixed(step, prefix(instance)), columns, y);
      const height = 2 * PADDING + lines.length * LINE;
      cards.push({ step, lines, x: cardX(instance), y, width: cardWidth, height });
      y += height;
    }
    if (statement === "rollback" || statement === "commit" || commits) {
      const kind = statement === "rollback" ? "rollback" : "commit";
      const text = kind === "rollback" ? effect : "commits";
      const label = clippedTo(prefix(instance) + text, columns);
      const place = { x: laneX(instance), y: y + 16, textX: labelX(instance) };
      ends.push({ instance, step: index, kind, label, ...place });
      y += END_ROW;
    }
    y += ROW_GAP;
  }
  return { cards, ends, bottom: y };
}

function prefixed(step: StoryStep, prefix: string): StoryStep {
  const [first, ...rest] = step.lines;
  return first ? { ...step, lines: [{ ...first, text: prefix + first.text }, ...rest] } : step;
}

/** The cards of an instance's lane, its end, and its waits. */
export function laneRows(
  instance: StoryInstance,
  { cards, ends }: Rows,
  height: number,
): { readonly own: readonly Card[] } & Pick<Lane, "bottom" | "waits"> {
  const own = cards.filter((card) => card.step.instance === instance);
  const end = ends.find((each) => each.instance === instance);
  const last = own.at(-1);
  return {
    own,
    bottom: end?.y ?? (last ? last.y + last.height : height - ROW_GAP),
    waits: own.flatMap((card) => waitOf(card, cards)),
  };
}
