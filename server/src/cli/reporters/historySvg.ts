// A counterexample as a self-contained SVG: transactions on a ring, dependencies between them. Readable on light and dark backgrounds.
import { findLevel } from "../../isolation/levels";
import type { HistoryEdge, HistoryReport, HistoryTransaction } from "../../protocol/history";
import { escapeXml } from "./historyDot";

const CHARACTER = 8.2;
const LINE = 18;
const PADDING = 10;
const MOST_CHARACTERS = 44;
/** Space between neighbours on the ring, for the arrows and their labels. */
const GAP = 120;

interface Box {
  readonly transaction: HistoryTransaction;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A whole document; only a sentence if nothing was violated. */
export function historySvg(report: HistoryReport): string {
  const { violation } = report;
  const edges = violation?.edges ?? [];
  const all = [...edges, ...(violation?.support ?? [])];
  const title = violation
    ? `${violation.title} violates ${findLevel(violation.level)?.label ?? violation.level}`
    : "No violation was found";
  const boxes = layout(inCycleOrder(violation?.story ?? [], violation?.edges ?? []));
  const margin = 24;
  const left = Math.min(0, ...boxes.map((box) => box.x)) - margin - 60;
  const top = Math.min(0, ...boxes.map((box) => box.y)) - margin - 64;
  const right = Math.max(title.length * 9, ...boxes.map((box) => box.x + box.width)) + margin + 60;
  const bottom = Math.max(0, ...boxes.map((box) => box.y + box.height)) + margin + 60;
  const size = `${left} ${top} ${right - left} ${bottom - top}`;
  const story = (violation?.edges ?? []).map(
    (edge) => `${edge.from} before ${edge.to}: ${edge.reason.text}`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${size}" width="${right - left}" height="${bottom - top}" role="img">`,
    `<title>${escapeXml(`${report.file}: ${title}`)}</title>`,
    `<desc>${escapeXml(story.join(". "))}</desc>`,
    `<style>${STYLE}</style>`,
    `<defs>${TYPES.map(arrowHead).join("")}</defs>`,
    `<rect ${fill("ground")} x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/>`,
    `<text ${fill("ink")} ${TITLE} x="${left + margin}" y="${top + 30}">${escapeXml(title)}</text>`,
    `<text ${fill("dim")} ${TEXT} x="${left + margin}" y="${top + 50}">${escapeXml(report.file)}</text>`,
    ...boxes.map(drawBox),
    ...all.flatMap((edge, at) =>
      drawEdge(edge, { number: at < edges.length ? at + 1 : undefined, edges: all, boxes }),
    ),
    "</svg>\n",
  ].join("\n");
}

const TYPES = ["so", "wr", "ww", "rw", "rt"] as const;

/** Colours are attributes of the shapes: some SVG viewers support no variables or style sheets. */
const LIGHT = {
  ink: "#1f1f1f",
  dim: "#5f5f5f",
  ground: "#ffffff",
  card: "#f5f5f5",
  so: "#6b6b6b",
  rt: "#6b6b6b",
  wr: "#0067b8",
  ww: "#8a6d00",
  rw: "#b5401f",
} as const;

/** Colours on dark backgrounds, for viewers with style sheets. */
const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  ink: "#e4e4e4",
  dim: "#a0a0a0",
  ground: "#1e1e1e",
  card: "#2a2a2a",
  so: "#9d9d9d",
  rt: "#9d9d9d",
  wr: "#75beff",
  ww: "#d7ba3d",
  rw: "#f48771",
};

const DASHES: Readonly<Partial<Record<string, string>>> = { so: "2 4", rt: "2 4", rw: "7 4" };

const STYLE = `@media (prefers-color-scheme: dark) { ${Object.entries(DARK)
  .map(
    ([name, colour]) => `.fill-${name} { fill: ${colour}; } .stroke-${name} { stroke: ${colour}; }`,
  )
  .join(" ")} }`;

function fill(name: keyof typeof LIGHT): string {
  return `class="fill-${name}" fill="${LIGHT[name]}"`;
}

/** One class attribute for both. */
function fillAndStroke(inside: keyof typeof LIGHT, line: keyof typeof LIGHT): string {
  return `class="fill-${inside} stroke-${line}" fill="${LIGHT[inside]}" stroke="${LIGHT[line]}"`;
}

const TEXT = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13"';
const TITLE = 'font-family="system-ui, sans-serif" font-size="17" font-weight="600"';

function arrowHead(type: (typeof TYPES)[number]): string {
  return `<marker id="${type}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path ${fill(type)} d="M0,0L10,5L0,10z"/></marker>`;
}

/** Transactions in cycle order, followed by the others. */
function inCycleOrder(
  story: readonly HistoryTransaction[],
  edges: readonly HistoryEdge[],
): readonly HistoryTransaction[] {
  const rank = (each: HistoryTransaction): number => {
    const at = edges.findIndex(({ from }) => from === each.name);
    return at === -1 ? edges.length : at;
  };
  return [...story].sort((a, b) => rank(a) - rank(b));
}

function layout(transactions: readonly HistoryTransaction[]): readonly Box[] {
  const sizes = transactions.map(({ name, session, operations }) => {
    const texts = [`${name}  session ${session}`, ...operations.map(({ text }) => text)];
    const longest = Math.min(MOST_CHARACTERS, Math.max(...texts.map((text) => text.length)));
    return {
      width: Math.ceil(longest * CHARACTER) + 2 * PADDING,
      height: texts.length * LINE + 2 * PADDING,
    };
  });
  const count = transactions.length;
  const largest = Math.max(0, ...sizes.map(({ width }) => width)) + GAP;
  const tallest = Math.max(0, ...sizes.map(({ height }) => height)) + GAP;
  const spread = count < 2 ? 0 : 1 / (2 * Math.sin(Math.PI / count));
  return transactions.map((transaction, at) => {
    const { width, height } = sizes[at] ?? { width: 0, height: 0 };
    // The first is at the left for two, at the top for more.
    const angle = (2 * Math.PI * at) / count - (count === 2 ? Math.PI : Math.PI / 2);
    const x = Math.cos(angle) * spread * largest - width / 2;
    const y = Math.sin(angle) * spread * (count === 2 ? 0 : tallest) - height / 2;
    return { transaction, x: Math.round(x), y: Math.round(y), width, height };
  });
}

function drawBox({ transaction, x, y, width, height }: Box): string {
  const { name, session, operations } = transaction;
  const line = (text: string, at: number, weight: string): string =>
    `<text ${fill("ink")} ${TEXT}${weight} x="${x + PADDING}" y="${y + PADDING + 13 + at * LINE}">${escapeXml(clipped(text))}</text>`;
  return [
    `<g><rect ${fillAndStroke("card", "dim")} x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    line(`${name}  session ${session}`, 0, ' font-weight="600"'),
    ...operations.map(({ text }, at) => line(text, at + 1, "")),
    "</g>",
  ].join("\n");
}

function clipped(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}\u2026`;
}

interface Drawing {
  /** Its index in the cycle; edges outside of the cycle have none and are drawn thinly. */
  readonly number: number | undefined;
  readonly edges: readonly HistoryEdge[];
  readonly boxes: readonly Box[];
}

/** A curve from border to border; edges between the same two boxes are bent apart. */
function drawEdge(edge: HistoryEdge, { number, edges, boxes }: Drawing): readonly string[] {
  const from = boxes.find(({ transaction }) => transaction.name === edge.from);
  const to = boxes.find(({ transaction }) => transaction.name === edge.to);
  if (!from || !to || from === to) return [];
  const [a, b] = [center(from), center(to)];
  const same = edges.filter((each) => each.from === edge.from && each.to === edge.to);
  const back = edges.some((each) => each.from === edge.to && each.to === edge.from);
  const bend = (back ? 44 : 0) + 44 * same.indexOf(edge);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const middle = {
    x: (a.x + b.x) / 2 - ((b.y - a.y) / length) * bend,
    y: (a.y + b.y) / 2 + ((b.x - a.x) / length) * bend,
  };
  const [start, end] = [border(from, middle), border(to, middle)];
  const points = [start, middle, end].map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`);
  const label = {
    x: (start.x + 2 * middle.x + end.x) / 4,
    y: (start.y + 2 * middle.y + end.y) / 4,
  };
  const place = `text-anchor="middle" ${TEXT} x="${Math.round(label.x)}" y="${Math.round(label.y) + 4}">${escapeXml(`${number === undefined ? "" : `${number} `}${edge.type}${edge.key === undefined ? "" : ` ${clipped(edge.key)}`}`)}`;
  const dash = DASHES[edge.type];
  const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash}"`;
  return [
    `<path fill="none" class="stroke-${edge.type}" stroke="${LIGHT[edge.type]}" stroke-width="${number === undefined ? 0.8 : edge.type === "ww" ? 2.4 : 1.6}"${dashes} d="M${points[0] ?? ""}Q${points[1] ?? ""} ${points[2] ?? ""}" marker-end="url(#${edge.type})"><title>${escapeXml(edge.reason.text)}</title></path>`,
    // Some viewers paint a stroke above its fill: the label's background is a separate text.
    `<text class="fill-ground stroke-ground" fill="${LIGHT.ground}" stroke="${LIGHT.ground}" stroke-width="5" ${place}</text>`,
    `<text ${fill(edge.type)} ${place}</text>`,
  ];
}

function center({ x, y, width, height }: Box): { readonly x: number; readonly y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}

/** The intersection of a box's border with the line from its center to a point. */
function border(
  box: Box,
  point: { readonly x: number; readonly y: number },
): { readonly x: number; readonly y: number } {
  const own = center(box);
  const [dx, dy] = [point.x - own.x, point.y - own.y];
  const share = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : (box.width / 2 + 3) / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : (box.height / 2 + 3) / Math.abs(dy),
    1,
  );
  return { x: own.x + dx * share, y: own.y + dy * share };
}
