// The drawing of the map of transactions: names of files and transactions, tables, lines and arcs.
import { select } from "d3";
import type { TransactionVerdict } from "../../../server/src/protocol/requests";
import type { Conflict } from "../model/conflicts";
import type { MapLayout } from "../model/mapLayout";
import { asButtons } from "./figureButtons";

/** The choices that a map offers. */
export interface MapChoices {
  choose(index: number): void;
  open(anomaly: string): void;
}

/** Draws a map of transactions. */
export function drawMap(layout: MapLayout, { choose, open }: MapChoices): SVGSVGElement {
  const { width, height, columns, headings, rows, tables, links, arcs } = layout;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const root = select(svg)
    .attr("width", width)
    .attr("height", height)
    .attr("viewBox", `0 0 ${String(width)} ${String(height)}`)
    .attr("role", "group")
    .attr("aria-label", `${String(rows.length)} transactions and ${String(tables.length)} tables`);
  const [left, right] = columns;
  root
    .selectAll("text.heading")
    .data(headings)
    .join("text")
    .attr("class", "heading line-dim")
    .attr("x", left)
    .attr("y", ({ y }) => y + 4)
    .text(({ text }) => text);
  root
    .selectAll("path.use")
    .data(links)
    .join("path")
    .attr("class", ({ writes }) => (writes ? "use writes" : "use"))
    .attr("d", ({ path }) => path);
  const row = root
    .selectAll("g.transaction")
    .data(rows)
    .join("g")
    .attr("class", ({ transaction }) => `transaction ${transaction.verdict}`);
  asButtons(
    row,
    ({ transaction }) => transaction.name,
    ({ index }) => {
      choose(index);
    },
  );
  row
    .append("rect")
    .attr("x", left)
    .attr("y", ({ y }) => y - 11)
    .attr("width", ({ width: own }) => own)
    .attr("height", 22)
    .attr("rx", 3);
  row
    .append("text")
    .attr("class", "mark line-dim")
    .attr("x", left + 2)
    .attr("y", ({ y }) => y + 4)
    .text(({ transaction }) => MARKS[transaction.verdict]);
  row
    .append("text")
    .attr("class", "line-read")
    .attr("x", left + 16)
    .attr("y", ({ y }) => y + 4)
    .text(({ label }) => label);
  row.append("title").text(({ transaction }) => transaction.name);
  const table = root.selectAll("g.table").data(tables).join("g").attr("class", "table");
  table
    .append("text")
    .attr("class", "line-read")
    .attr("x", right)
    .attr("y", ({ y }) => y + 4)
    .text(({ label }) => label);
  table.append("title").text(({ name }) => name);
  const arc = root.selectAll("g.arc").data(arcs).join("g").attr("class", "arc");
  asButtons(
    arc,
    ({ conflict }) => arcLabel(conflict, rows),
    ({ conflict }) => {
      const [worst] = conflict.races;
      if (worst) open(worst.id);
    },
  );
  for (const name of ["reach", "curve"])
    arc
      .append("path")
      .attr("class", name)
      .attr("d", ({ path }) => path);
  arc.append("title").text(({ conflict }) => arcLabel(conflict, rows));
  return svg;
}

function arcLabel({ between, races }: Conflict, rows: MapLayout["rows"]): string {
  const [one = "", other = ""] = between.map((index) => rows[index]?.transaction.name);
  const title = races[0]?.title ?? "";
  return one === other ? `${one} races with itself: ${title}` : `${one} and ${other}: ${title}`;
}

const MARKS: Readonly<Record<TransactionVerdict, string>> = {
  anomaly: "\u2260",
  hidden: "\u2013",
  unknown: "?",
  nothing: "\u2713",
  checking: "\u2026",
  cancelled: "?",
};
