// Arrow heads for every kind of dependency, shared by the figures. Colours come from the style sheet.
import type { Selection } from "d3";

const DEPENDENCIES = ["wr", "ww", "rw", "so", "waits"] as const;

/** Adds the heads to a figure; `prefix` makes their ids unique. */
export function addArrowHeads(
  svg: Selection<SVGSVGElement, unknown, null, undefined>,
  prefix: string,
): void {
  svg
    .append("defs")
    .selectAll("marker")
    .data(DEPENDENCIES)
    .join("marker")
    .attr("id", (dependency) => `${prefix}-${dependency}`)
    .attr("viewBox", "0 0 10 10")
    .attr("refX", 9)
    .attr("refY", 5)
    .attr("markerWidth", 9)
    .attr("markerHeight", 9)
    .attr("markerUnits", "userSpaceOnUse")
    .attr("orient", "auto")
    .append("path")
    .attr("d", "M0,0.6L10,5L0,9.4z")
    .attr("class", (dependency) => `head ${dependency}`);
}
