// The cycle of dependencies: boxes with operations as rows, labelled edges that select statements, and each edge in words.
import { select } from "d3";
import { button, element } from "../element";
import { curvePath } from "../model/curves";
import { layoutCycle, type CycleCurve, type CycleLayout } from "../model/cycleLayout";
import { selectedSteps, type Selection } from "../model/selection";
import type { Story, StoryReason } from "../model/story";
import { measureCharacter } from "../model/textFit";
import { clip } from "../model/words";
import type { Actions } from "../actions";
import { asButtons } from "./figureButtons";
import { addArrowHeads } from "./marks";
import type { Figure } from "./figure";

export function createCycleView(story: Story, actions: Actions): Figure {
  if (story.edges.length === 0) return emptyFigure(story);
  const scroll = element("div", { class: "scroll" });
  const reasons = story.edges.map((each) =>
    button(
      {
        class: `reason ${each.edge.dependency}`,
        run: () => {
          actions.select({ kind: "edge", edge: each.index });
        },
      },
      element("span", { class: `swatch ${each.edge.dependency}` }, each.edge.dependency),
      element("span", {}, each.sentence),
    ),
  );
  const node = element(
    "div",
    { class: "cycle" },
    scroll,
    element("h2", {}, isDirtyRead(story) ? "Why no order gives this" : "Why no order is possible"),
    element(
      "ol",
      { class: "reasons" },
      ...reasons.map((reason, index) =>
        element("li", {}, reason, expansion(story.edges[index]?.because ?? [], actions)),
      ),
    ),
    element("p", { class: "dim" }, conclusion(story)),
  );
  let selection: Selection = { kind: "none" };
  let drawnWidth = 0;

  function mark(): void {
    const chosen = selectedSteps(story, selection);
    const isChosen = (index: number): boolean =>
      selection.kind === "edge" && selection.edge === index;
    const svg = select(scroll);
    svg
      .selectAll<SVGGElement, CycleCurve>(".edge")
      .classed("selected", ({ edge }) => isChosen(edge.index))
      .classed(
        "touching",
        ({ edge }) => selection.kind === "step" && [edge.from, edge.to].includes(selection.step),
      )
      .attr("aria-pressed", ({ edge }) => String(isChosen(edge.index)));
    svg
      .selectAll<SVGGElement, { readonly step: number | undefined }>(".operation")
      .classed("selected", ({ step }) => step !== undefined && chosen.includes(step));
    reasons.forEach((reason, index) => {
      reason.setAttribute("aria-pressed", String(isChosen(index)));
    });
  }

  return {
    node,
    select: (next) => {
      selection = next;
      mark();
    },
    resize: (width) => {
      if (width === drawnWidth) return;
      drawnWidth = width;
      const layout = layoutCycle(story, width, measureCharacter(node));
      scroll.replaceChildren(draw(story, layout, actions));
      mark();
    },
  };
}

/** Reasons of an edge, folded; each sentence links to its places. */
function expansion(because: readonly StoryReason[], actions: Actions): HTMLElement | undefined {
  if (because.length === 0) return undefined;
  return element(
    "details",
    { class: "expansion" },
    element("summary", {}, "Why"),
    ...because.map((each) =>
      element(
        "div",
        { class: "because" },
        each.places.length === 0
          ? each.text
          : button(
              {
                class: "link",
                run: () => {
                  actions.showPlaces(each.places);
                },
              },
              each.text,
            ),
        expansion(each.because, actions),
      ),
    ),
  );
}

/** True without a cycle: the single edge is a read that no serial order has. */
function isDirtyRead({ payload }: Story): boolean {
  return payload.anomaly.dirtyRead !== undefined;
}

function emptyFigure({ payload }: Story): Figure {
  const text = payload.recorded
    ? "There is no cycle: no level allows this read, whatever the order."
    : "No cycle was executed: this anomaly is known from the analysis alone.";
  return {
    node: element("p", { class: "dim" }, text),
    select: () => undefined,
    resize: () => undefined,
  };
}

function draw(story: Story, layout: CycleLayout, actions: Actions): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  select(svg)
    .attr("width", layout.width)
    .attr("height", layout.height)
    .attr("viewBox", `0 0 ${String(layout.width)} ${String(layout.height)}`)
    .attr("role", "group")
    .attr(
      "aria-label",
      isDirtyRead(story)
        ? "The read of what was never committed"
        : `Cycle of ${String(story.edges.length)} dependencies`,
    );
  addArrowHeads(select<SVGSVGElement, unknown>(svg), "cycle");
  drawBoxes(svg, layout, actions);
  drawEdges(svg, story, layout, actions);
  return svg;
}

function drawBoxes(svg: SVGSVGElement, { boxes }: CycleLayout, actions: Actions): void {
  const box = select(svg)
    .selectAll("g.box")
    .data(boxes)
    .join("g")
    .attr("class", (each) => `box i${String(each.instance.index + 1)}`)
    .attr("aria-hidden", "true");
  box
    .append("rect")
    .attr("class", "frame")
    .attr("x", (each) => each.x)
    .attr("y", (each) => each.y)
    .attr("width", (each) => each.width)
    .attr("height", (each) => each.height)
    .attr("rx", 6);
  box
    .append("text")
    .attr("class", "lane-name")
    .attr("x", (each) => each.x + 12)
    .attr("y", (each) => each.y + 18)
    .text(
      ({ instance, width }) => `${instance.name} ${clip(instance.transaction, width / 7.6 - 4)}`,
    );
  box
    .append("text")
    .attr("class", "lane-arguments")
    .attr("x", (each) => each.x + 12)
    .attr("y", (each) => each.y + 34)
    .text(({ instance, width }) => clip(instance.arguments, (width - 24) / 6.6))
    .append("title")
    .text(({ instance }) => instance.arguments);
  const row = box
    .selectAll("g.operation")
    .data((each) => each.rows.map((operation) => ({ ...operation, x: each.x, width: each.width })))
    .join("g")
    .attr("class", "operation")
    .on("click", (_event: unknown, { step }) => {
      if (step !== undefined) actions.select({ kind: "step", step });
    });
  row
    .append("rect")
    .attr("x", ({ x }) => x + 1)
    .attr("y", ({ y }) => y)
    .attr("width", ({ width }) => width - 2)
    .attr("height", ({ height }) => height);
  row
    .append("text")
    .attr("class", "number")
    .attr("x", ({ x }) => x + 12)
    .attr("y", ({ y }) => y + 18)
    .text(({ step }) => (step === undefined ? "" : String(step + 1)));
  row
    .selectAll("text.line-read")
    .data(({ lines, x, y }) => lines.map((text, index) => ({ text, x, y: y + 18 + index * 16 })))
    .join("text")
    .attr("class", "line-read")
    .attr("x", ({ x }) => x + 32)
    .attr("y", ({ y }) => y)
    .attr("xml:space", "preserve")
    .text(({ text }) => text);
  row.append("title").text(({ end }) => end.text);
}

function drawEdges(
  svg: SVGSVGElement,
  story: Story,
  { edges }: CycleLayout,
  actions: Actions,
): void {
  const choose = (edge: CycleCurve): void => {
    actions.select({ kind: "edge", edge: edge.edge.index });
  };
  const closing = story.edges.length - 1;
  const group = select(svg)
    .selectAll("g.edge")
    .data(edges)
    .join("g")
    .attr(
      "class",
      ({ edge }) => `edge ${edge.edge.dependency}${edge.index === closing ? " closing" : ""}`,
    );
  asButtons(group, ({ edge }) => `${edge.edge.dependency} dependency: ${edge.sentence}`, choose);
  group
    .append("path")
    .attr("class", "reach")
    .attr("d", ({ curve }) => curvePath(curve));
  group
    .append("path")
    .attr("class", "curve")
    .attr("d", ({ curve }) => curvePath(curve))
    .attr("marker-end", ({ edge }) => `url(#cycle-${edge.edge.dependency})`);
  group
    .append("rect")
    .attr("class", "pill")
    .attr("x", ({ label }) => label.x)
    .attr("y", ({ label }) => label.y)
    .attr("width", ({ label }) => label.width)
    .attr("height", ({ label }) => label.height)
    .attr("rx", 6);
  group
    .append("text")
    .attr("class", "kind")
    .attr("x", ({ label }) => label.x + label.width / 2)
    .attr("y", ({ label }) => label.y + 14)
    .text(({ edge }) => edge.edge.dependency);
  group
    .append("text")
    .attr("class", "data")
    .attr("x", ({ label }) => label.x + label.width / 2)
    .attr("y", ({ label }) => label.y + 28)
    .text(({ data }) => data);
  group.append("title").text(({ edge }) => edge.sentence);
}

/** "T1 before T2 before T1": the contradiction in short. */
function conclusion(story: Story): string {
  if (isDirtyRead(story)) return "One after the other, nobody sees what is not committed.";
  const names = story.edges.map(({ edge }) => edge.from.instance);
  const [first] = names;
  if (story.edges.at(-1)?.edge.to.instance !== first)
    return "No level allows this read, whatever the order of the transactions.";
  return `${[...names, first].join(" before ")}: no order of the transactions gives this result.`;
}
