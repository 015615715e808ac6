// The schedule's geometry at three widths, kept as pictures (`ISOLENS_UPDATE=1` writes them), and what holds of every one:
// nothing stands outside of it, no arrow crosses a text or another arrow's name.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { overlaps, type Box } from "../../webview/src/model/curves";
import { layoutSchedule } from "../../webview/src/model/scheduleLayout";
import type { ScheduleLayout } from "../../webview/src/model/scheduleParts";
import { tellStory } from "../../webview/src/model/story";
import { root } from "../support/browser";
import { recorded, type Recording } from "./panelPage";

const RECORDINGS: readonly Recording[] = [
  "lostUpdate",
  "writeSkew",
  "readOnly",
  "dirtyRead",
  "long",
  "longFork",
];

/** Of the panel, less the page's margins. */
const WIDTHS = [326, 656, 760];
const CHARACTER = 6.9;

describe("the schedule's geometry", () => {
  for (const recording of RECORDINGS) {
    for (const width of WIDTHS) {
      it(`of ${recording} at ${String(width)} pixels is as kept, and nothing crosses a text`, () => {
        const layout = layoutSchedule(tellStory(recorded(recording).payload), width, CHARACTER);
        const file = path.join(root, "test/webview/golden", `${recording}-${String(width)}.svg`);
        const drawn = picture(layout);
        if (process.env["ISOLENS_UPDATE_SNAPSHOTS"] === "1") {
          mkdirSync(path.dirname(file), { recursive: true });
          writeFileSync(file, drawn);
        }
        assert.equal(drawn, readFileSync(file, "utf8"));
        const right = Math.max(...boxesOf(layout).map((box) => box.x + box.width));
        assert.ok(right <= width, `${String(right)} is outside of ${String(width)}`);
        assert.deepEqual(crossings(layout), []);
      });
    }
  }
});

function boxesOf({ cards, edges, ends }: ScheduleLayout): readonly Box[] {
  const dots = edges.flatMap(({ path: drawn }) => pointsOf(drawn));
  return [
    ...cards,
    ...edges.flatMap(({ label }) => label ?? []),
    ...dots.map(({ x, y }): Box => ({ x, y, width: 0, height: 0 })),
    ...ends.map(({ textX, y, label }): Box => ({
      x: textX,
      y,
      width: label.length * CHARACTER,
      height: 0,
    })),
  ];
}

/** Edges that run through a card, or through the label of another edge. */
function crossings({ cards, edges }: ScheduleLayout): readonly string[] {
  return edges.flatMap((edge, index) => {
    const points = pointsOf(edge.path);
    const dots = points.map(({ x, y }): Box => ({ x: x - 0.5, y: y - 0.5, width: 1, height: 1 }));
    const inside = cards.filter((card) => {
      // An arrow may touch the side at which it ends.
      const inner = {
        ...card,
        x: card.x + 2,
        y: card.y + 1,
        width: card.width - 4,
        height: card.height - 2,
      };
      return dots.some((dot) => overlaps(dot, inner));
    });
    const through = edges.filter(
      ({ label }, other) => other !== index && label && dots.some((dot) => overlaps(dot, label)),
    );
    return [
      ...inside.map(({ step }) => `${edge.dependency} through step ${String(step.index + 1)}`),
      ...through.map((other) => `${edge.dependency} through the name of ${other.dependency}`),
    ];
  });
}

/** Points along a path of M, H, V, Q and C. */
function pointsOf(text: string): readonly { readonly x: number; readonly y: number }[] {
  const found: { x: number; y: number }[] = [];
  let at = { x: 0, y: 0 };
  const along = (to: (t: number) => { x: number; y: number }): void => {
    for (let n = 1; n <= 60; n += 1) found.push(to(n / 60));
    at = to(1);
  };
  for (const { 1: kind, 2: numbers = "" } of text.matchAll(/([MHVQC])([^MHVQC]*)/gu)) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = (numbers.match(/-?[\d.]+/gu) ?? []).map(
      Number,
    );
    const { x, y } = at;
    const line = (toX: number, toY: number) => (t: number) => ({
      x: x + (toX - x) * t,
      y: y + (toY - y) * t,
    });
    if (kind === "M") at = { x: a, y: b };
    if (kind === "H") along(line(a, y));
    if (kind === "V") along(line(x, a));
    if (kind === "Q") {
      along((t) => ({
        x: (1 - t) ** 2 * x + 2 * (1 - t) * t * a + t * t * c,
        y: (1 - t) ** 2 * y + 2 * (1 - t) * t * b + t * t * d,
      }));
    }
    if (kind === "C") {
      const mix = (p: number, q: number, r: number, s: number, t: number): number =>
        (1 - t) ** 3 * p + 3 * (1 - t) ** 2 * t * q + 3 * (1 - t) * t * t * r + t ** 3 * s;
      along((t) => ({ x: mix(x, a, c, e, t), y: mix(y, b, d, f, t) }));
    }
  }
  return found;
}

/** The layout as a plain picture. */
function picture({ width, height, lanes, cards, ends, edges }: ScheduleLayout): string {
  const n = (value: number): string => String(Math.round(value * 10) / 10);
  const escape = (text: string): string =>
    text.replace(/[<>&]/gu, (character) => `&#${String(character.charCodeAt(0))};`);
  const text = (x: number, y: number, words: string, fill = "black"): string =>
    `<text x="${n(x)}" y="${n(y)}" fill="${fill}" xml:space="preserve">${escape(words)}</text>`;
  const rect = (box: Box, fill: string): string =>
    `<rect x="${n(box.x)}" y="${n(box.y)}" width="${n(box.width)}" height="${n(box.height)}" fill="${fill}" stroke="gray"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${n(width)}" height="${n(height)}" font-family="monospace" font-size="11.5">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...lanes.flatMap((lane) => [
      `<path d="M${n(lane.x)},${n(lane.top)}V${n(lane.bottom)}" stroke="steelblue" stroke-width="2"/>`,
      text(
        lane.name.x,
        lane.name.y,
        `${lane.instance.name} ${lane.instance.transaction}`,
        "steelblue",
      ),
    ]),
    ...cards.flatMap((card) => [
      rect(card, "whitesmoke"),
      ...card.lines.map((line) => text(card.x + 8, line.y, line.text)),
    ]),
    ...ends.map((end) => text(end.textX, end.y + 4, end.label, "gray")),
    ...edges.flatMap(({ path: line, label, dependency }) => [
      `<path d="${line}" fill="none" stroke="firebrick"/>`,
      ...(label ? [rect(label, "white"), text(label.x + 5, label.y + 13, dependency)] : []),
    ]),
    "</svg>",
    "",
  ].join("\n");
}
