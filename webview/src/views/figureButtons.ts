// Groups of a figure that act as buttons.
import type { BaseType, Selection } from "d3";

/** Makes the groups of a figure buttons, for the mouse and for the keyboard. */
export function asButtons<Datum>(
  groups: Selection<BaseType | SVGGElement, Datum, SVGSVGElement, unknown>,
  label: (datum: Datum) => string,
  run: (datum: Datum) => void,
): void {
  groups
    .attr("role", "button")
    .attr("tabindex", 0)
    .attr("aria-label", label)
    .on("click", (_event: unknown, datum) => {
      run(datum);
    })
    .on("keydown", (event: KeyboardEvent, datum) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      run(datum);
      event.preventDefault();
      event.stopPropagation();
    });
}
