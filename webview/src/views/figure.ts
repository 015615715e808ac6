// The parts of the page that show one anomaly.
import type { Selection } from "../model/selection";

/** A figure in a tab: told of the selection, and of its width when it is shown or resized. */
export interface Figure {
  readonly node: HTMLElement;
  select(selection: Selection): void;
  resize(width: number): void;
}
