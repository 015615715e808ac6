// Actions of the page that its views ask for.
import type { PanelCommand, PanelTab, Place } from "../../server/src/protocol/requests";
import type { Selection } from "./model/selection";

/** The actions of views. */
export interface Actions {
  select(selection: Selection): void;
  /** Gives the keyboard to the editor, at the selection. */
  enterEditor(): void;
  /** Marks places in the editor without selecting anything. */
  showPlaces(places: readonly Place[]): void;
  chooseTab(tab: PanelTab): void;
  move(to: "next" | "previous" | "first" | "last"): void;
  openAnomaly(id: string): void;
  openMap(): void;
  run(command: PanelCommand): void;
  /** Applies a fix by its number among those that are shown. */
  applyFix(number: number): void;
  exportFigure(format: "svg" | "png"): void;
  exportText(format: "mermaid" | "markdown", content: string): void;
  /** True if the panel shows the anomaly at the cursor. */
  follows(): boolean;
  follow(on: boolean): void;
  showKeys(): void;
}
