// The schedule as swim lanes: one per instance, time downward, with the values of the touched cells below.
import { select } from "d3";
import { element } from "../element";
import { layoutSchedule } from "../model/scheduleLayout";
import { SIDE, type Card, type DrawnEdge, type ScheduleLayout } from "../model/scheduleParts";
import { selectedSteps, type Selection } from "../model/selection";
import type { CellHistory, Story, StoryInstance } from "../model/story";
import { measureCharacter } from "../model/textFit";
import { clip } from "../model/words";
import type { Actions } from "../actions";
import { addArrowHeads } from "./marks";
import type { Figure } from "./figure";

export function createScheduleView(story: Story, actions: Actions): Figure {
  const scroll = element("div", { class: "scroll" });
  const strip = element("div", { class: "values" });
  const node = element("div", { class: "schedule" }, scroll, strip, legend(story));
  let selection: Selection = { kind: "none" };
  let drawnWidth = 0;

  function mark(): void {
    const chosen = selectedSteps(story, selection);
    const now = selection.kind === "step" ? selection.step : undefined;
    const isFuture = (step: number): boolean => now !== undefined && step > now;
    const svg = select(scroll);
    svg
      .selectAll<SVGGElement, Card>(".card")
      .classed("selected", (card) => chosen.includes(card.step.index))
      .classed("future", (card) => isFuture(card.step.index));
    svg
      .selectAll<SVGGElement, { readonly step: number }>(".end")
      .classed("future", (end) => isFuture(end.step));
    svg
      .selectAll<SVGGElement, DrawnEdge>(".edge")
      .classed("selected", (edge) => selection.kind === "edge" && edge.edge === selection.edge)
      .classed(
        "touching",
        (edge) => selection.kind === "step" && [edge.from, edge.to].includes(selection.step),
      )
      .classed("future", (edge) => isFuture(Math.max(edge.from, edge.to)));
    strip.replaceChildren(...valueRows(story.cells, now));
  }

  return {
    node,
    select: (next) => {
      selection = next;
      mark();
      scroll
        .querySelector(".card.selected")
        ?.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    resize: (width) => {
      if (width === drawnWidth) return;
      drawnWidth = width;
      const layout = layoutSchedule(story, width, measureCharacter(node));
      scroll.replaceChildren(draw(story, layout, actions));
      mark();
    },
  };
}

function draw(story: Story, layout: ScheduleLayout, actions: Actions): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const root = select(svg)
    .attr("width", layout.width)
    .attr("height", layout.height)
    .attr("viewBox", `0 0 ${String(layout.width)} ${String(layout.height)}`)
    .attr("role", "img")
    .attr("aria-label", description(story));
  addArrowHeads(select<SVGSVGElement, unknown>(svg), "schedule");
  drawLanes(svg, layout);
  drawEnds(svg, layout);
  drawCards(svg, layout, actions);
  drawEdges(svg, story, layout, actions);
  return root.node() ?? svg;
}

function drawLanes(svg: SVGSVGElement, { lanes, cards }: ScheduleLayout): void {
  const lane = select(svg)
    .selectAll("g.lane")
    .data(lanes)
    .join("g")
    .attr("class", (each) => `lane i${String(each.instance.index + 1)}`);
  lane
    .append("text")
    .attr("class", "lane-name")
    .attr("x", ({ name }) => name.x)
    .attr("y", ({ name }) => name.y)
    .text(({ instance, name }) => laneName(instance, name.width));
  lane
    .append("text")
    .attr("class", "lane-arguments")
    .attr("x", ({ instance, name, namesBelow }) =>
      namesBelow ? name.x : name.x + laneName(instance, name.width).length * NAME_CHARACTER + 8,
    )
    .attr("y", ({ name, namesBelow }) => name.y + (namesBelow ? 17 : 0))
    .text(({ instance, name, namesBelow }) => {
      const taken = namesBelow ? 0 : laneName(instance, name.width).length * NAME_CHARACTER + 8;
      const room = (name.width - taken) / ARGUMENT_CHARACTER;
      return room < 4 ? "" : clip(instance.arguments, room);
    })
    .append("title")
    .text((each) => each.instance.arguments);
  lane
    .append("path")
    .attr("class", "line")
    .attr("d", (each) => `M${String(each.x)},${String(each.top)}V${String(each.bottom)}`);
  lane
    .selectAll("path.wait")
    .data((each) => each.waits.map((wait) => ({ ...wait, x: each.x })))
    .join("path")
    .attr("class", "wait")
    .attr("d", (wait) => `M${String(wait.x)},${String(wait.from)}V${String(wait.to)}`);
  lane
    .append("circle")
    .attr("class", "begin")
    .attr("cx", (each) => each.x)
    .attr("cy", (each) => each.top)
    .attr("r", 3.5);
  select(svg)
    .selectAll("text.number")
    .data(cards)
    .join("text")
    .attr("class", "number")
    .attr("x", 2)
    .attr("y", (card) => card.y + 19)
    .text((card) => String(card.step.index + 1));
}

/** Upper estimates of the pixels per character of a lane's name and its arguments. */
const NAME_CHARACTER = 7.4;
const ARGUMENT_CHARACTER = 6.6;

function laneName({ name, transaction }: StoryInstance, width: number): string {
  return `${name} ${clip(transaction, Math.max(1, width / NAME_CHARACTER - 3))}`;
}

function drawCards(svg: SVGSVGElement, { cards, lanes }: ScheduleLayout, actions: Actions): void {
  const card = select(svg)
    .selectAll("g.card")
    .data(cards)
    .join("g")
    .attr("class", (each) => `card i${String(each.step.instance.index + 1)}`)
    .on("click", (_event: unknown, each) => {
      actions.select({ kind: "step", step: each.step.index });
    })
    .on("dblclick", () => {
      actions.enterEditor();
    });
  card
    .append("path")
    .attr("class", "stem")
    .attr("d", (each) => {
      const lane = lanes[each.step.instance.index];
      return `M${String(lane?.x ?? each.x)},${String(each.y + 15)}H${String(each.x)}`;
    });
  card
    .append("rect")
    .attr("x", (each) => each.x)
    .attr("y", (each) => each.y)
    .attr("width", (each) => each.width)
    .attr("height", (each) => each.height)
    .attr("rx", 4);
  card
    .selectAll("text")
    .data((each) => each.lines.map((line) => ({ ...line, x: each.x })))
    .join("text")
    .attr("class", (line) => `line-${line.tone}`)
    .attr("x", (line) => line.x + SIDE)
    .attr("y", (line) => line.y)
    .attr("xml:space", "preserve")
    .text((line) => line.text);
  card.append("title").text((each) => each.step.step.text);
}

function drawEnds(svg: SVGSVGElement, { ends }: ScheduleLayout): void {
  const end = select(svg)
    .selectAll("g.end")
    .data(ends)
    .join("g")
    .attr("class", (each) => `end ${each.kind} i${String(each.instance.index + 1)}`);
  end
    .append("circle")
    .attr("cx", (each) => each.x)
    .attr("cy", (each) => each.y)
    .attr("r", 6);
  end
    .filter((each) => each.kind === "rollback")
    .append("path")
    .attr("d", ({ x, y }) => `M${String(x - 2.5)},${String(y - 2.5)}l5,5m0,-5l-5,5`);
  end
    .append("text")
    .attr("x", (each) => each.textX)
    .attr("y", (each) => each.y + 4)
    .text((each) => each.label);
}

function drawEdges(
  svg: SVGSVGElement,
  story: Story,
  { edges }: ScheduleLayout,
  actions: Actions,
): void {
  const layer = (drawn: readonly DrawnEdge[]) => {
    const groups = select(svg)
      .append("g")
      .selectAll("g.edge")
      .data(drawn)
      .join("g")
      .attr("class", ({ dependency, edge }) =>
        ["edge", dependency, ...(edge === undefined ? ["context"] : [])].join(" "),
      )
      .on("click", (_event: unknown, each) => {
        if (each.edge !== undefined) actions.select({ kind: "edge", edge: each.edge });
      });
    groups.append("title").text((each) => {
      const told = each.edge === undefined ? undefined : story.edges[each.edge];
      return told?.sentence ?? "reads what was written there";
    });
    return groups;
  };
  const edge = layer(edges);
  edge
    .append("path")
    .attr("class", "reach")
    .attr("d", (each) => each.path);
  edge
    .append("path")
    .attr("class", "curve")
    .attr("d", (each) => each.path)
    .attr("marker-end", (each) => `url(#schedule-${each.dependency})`);
  // Labels are above all curves, so none crosses a word.
  const label = layer(edges.filter((each) => each.label !== undefined));
  label
    .append("rect")
    .attr("class", "pill")
    .attr("x", (each) => each.label?.x ?? 0)
    .attr("y", (each) => each.label?.y ?? 0)
    .attr("width", (each) => each.label?.width ?? 0)
    .attr("height", (each) => each.label?.height ?? 0)
    .attr("rx", 9);
  label
    .append("text")
    .attr("class", "kind")
    .attr("x", (each) => (each.label ? each.label.x + each.label.width / 2 : 0))
    .attr("y", (each) => (each.label ? each.label.y + 13 : 0))
    .text((each) => each.dependency);
}

/** The figure in words. */
function description(story: Story): string {
  const steps = story.steps.map(({ step }) => `${step.instance} ${step.effect}`);
  return `Schedule: ${steps.join("; ")}.`;
}

function legend(story: Story): HTMLElement {
  const used = [...new Set(story.edges.map(({ edge }) => edge.dependency))];
  return element(
    "ul",
    { class: "legend", attributes: { "aria-label": "Legend" } },
    ...used.map((dependency) =>
      element(
        "li",
        {},
        element("span", { class: `swatch ${dependency}` }, dependency),
        MEANING[dependency],
      ),
    ),
  );
}

const MEANING = {
  rw: "read before the other's write, which it did not see",
  wr: "read what the other wrote",
  ww: "wrote over the other's write",
  so: "later in the same session",
  waits: "waits for a lock that the other has",
} as const;

/** One row per cell: its values in order, with the one after the selected step highlighted. */
function valueRows(cells: readonly CellHistory[], now: number | undefined): readonly HTMLElement[] {
  if (cells.length === 0) return [];
  const rows = cells.map(({ name, versions }) => {
    const isPast = (step: number | undefined): boolean =>
      step === undefined || now === undefined || step <= now;
    const current = versions.findLastIndex((version) => isPast(version.step));
    const values = versions.map((version, index) =>
      element(
        "li",
        { class: valueClass(index, current) },
        element("b", {}, clip(version.value, 24)),
        version.writer
          ? element(
              "span",
              { class: `who i${String(version.writer.index + 1)}` },
              version.writer.name,
            )
          : element("span", { class: "dim" }, "at start"),
        version.restored ? element("span", { class: "dim" }, "rolled back") : undefined,
      ),
    );
    return element(
      "div",
      { class: "cell" },
      element("span", { class: "cell-name", attributes: { title: name } }, name),
      element("ol", {}, ...values),
    );
  });
  const title = now === undefined ? "Values" : `Values after step ${String(now + 1)}`;
  return [element("h2", {}, title), ...rows];
}

function valueClass(index: number, current: number): string {
  if (index === current) return "now";
  return index > current ? "later" : "";
}
