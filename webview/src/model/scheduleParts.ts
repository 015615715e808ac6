// Common parts of all schedules: the text of cards, the waits of instances, the edges.
import type { CycleEdge } from "../../../server/src/protocol/report";
import type { Box } from "./curves";
import type { Story, StoryInstance, StoryStep } from "./story";
import { wrapText } from "./textFit";
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
  /** The position of the name, with its available width; the arguments are below or after it. */
  readonly name: { readonly x: number; readonly y: number; readonly width: number };
  readonly namesBelow: boolean;
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

/** The place where an instance commits or rolls back. */
export interface EndMark {
  readonly instance: StoryInstance;
  readonly step: number;
  readonly x: number;
  readonly y: number;
  readonly kind: "commit" | "rollback";
  readonly label: string;
  readonly textX: number;
}

export interface DrawnEdge {
  /** Index of the cycle's edge; undefined for a reads-from arrow outside of the cycle. */
  readonly edge: number | undefined;
  readonly dependency: CycleEdge["dependency"];
  readonly from: number;
  readonly to: number;
  /** An SVG path; the arrow head is at its end. */
  readonly path: string;
  readonly label?: Box;
}

export const LINE = 16;
export const PADDING = 7;
/** Space between a card's side and its text. */
export const SIDE = 8;
export const ROW_GAP = 20;
export const END_ROW = 28;
const MOST_LINES = 5;

export function cardLines(step: StoryStep, columns: number, y: number): readonly CardLine[] {
  const lines: Omit<CardLine, "y">[] = [];
  const { waitedFor } = step.step;
  if (waitedFor !== undefined) lines.push({ text: `after waiting for ${waitedFor}`, tone: "dim" });
  const room = MOST_LINES + lines.length;
  for (const [index, line] of step.lines.entries()) {
    const texts = wrapText(line.text, columns, MOST_LINES);
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

export function clippedTo(text: string, columns: number): string {
  return wrapText(text, columns, 1)[0] ?? text;
}

/** The stretch above a card in which its instance waited: from the previous step of any instance. */
export function waitOf(card: Card, cards: readonly Card[]): Lane["waits"] {
  if (card.step.step.waitedFor === undefined) return [];
  const before = cards[cards.indexOf(card) - 1];
  return [{ from: before ? before.y : card.y - ROW_GAP, to: card.y + 2 }];
}

/** An edge between two steps. */
export interface Ends {
  readonly edge: number | undefined;
  readonly dependency: CycleEdge["dependency"];
  readonly from: number;
  readonly to: number;
  readonly table: string;
  readonly columns: readonly string[];
}

/** The edges of the cycle, and reads-from edges that are not on it. */
export function edgesOf(story: Story): readonly Ends[] {
  const onCycle = story.edges.flatMap(({ edge, index, from, to }): Ends[] => {
    if (from === undefined || to === undefined) return [];
    const { dependency, table, columns } = edge;
    return [{ edge: index, dependency, from, to, table, columns }];
  });
  return [...readsFrom(story, onCycle), ...onCycle];
}

/** The writes that reads of other instances' values return, unless the cycle shows them. */
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
