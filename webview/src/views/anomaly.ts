// An anomaly: the sentence on top, the steps on one side, the figures on the other; stacked if narrow.
import type {
  PanelFixes,
  PanelReplay,
  PanelStatus,
  PanelTab,
} from "../../../server/src/protocol/requests";
import { element } from "../element";
import type { Selection } from "../model/selection";
import type { Story } from "../model/story";
import type { Actions } from "../actions";
import { createActionsView } from "./actions";
import { createCycleView } from "./cycle";
import { createFixesView } from "./fixes";
import { createHeader, createNotice } from "./header";
import { createScheduleView } from "./schedule";
import { createSerialView } from "./serial";
import { createStepsView } from "./steps";
import { createTabs } from "./tabs";
import type { Figure } from "./figure";

export interface AnomalyView {
  readonly node: HTMLElement;
  select(selection: Selection): void;
  showTab(tab: PanelTab): void;
  /** Moves the keyboard focus to the selected step, so that the next key continues from there. */
  focusSelection(): void;
  showFixes(fixes: PanelFixes): void;
  showReplay(replay: PanelReplay): void;
  /** The visible figure; undefined for a table. */
  figure(): SVGSVGElement | undefined;
  dispose(): void;
}

/** `gone` is the status when the anomaly is not found any more and its last form is shown. */
export function createAnomalyView(
  story: Story,
  actions: Actions,
  gone: PanelStatus | undefined,
): AnomalyView {
  const steps = createStepsView(story, actions);
  const serial = createSerialView(story);
  const figures: Readonly<Record<PanelTab, Figure>> = {
    schedule: createScheduleView(story, actions),
    cycle: createCycleView(story, actions),
    serial,
  };
  const fixes = createFixesView(actions);
  const tabs = createTabs(story, actions, figures);
  const buttons = createActionsView(story, actions, fixes.focus);
  const stale = gone !== undefined || story.payload.stale;
  const node = element(
    "article",
    { class: stale ? "anomaly stale" : "anomaly" },
    createNotice(story, actions, gone),
    createHeader(story, actions),
    buttons.node,
    element("div", { class: "columns" }, steps.node, element("div", {}, tabs.node, fixes.node)),
  );
  const observer = new ResizeObserver(() => {
    const width = tabs.body.clientWidth;
    if (width > 0) for (const figure of Object.values(figures)) figure.resize(width);
  });
  observer.observe(tabs.body);
  return {
    node,
    select: (selection) => {
      steps.select(selection);
      tabs.select(selection);
      for (const figure of Object.values(figures)) figure.select(selection);
    },
    showTab: tabs.show,
    focusSelection: steps.focus,
    showFixes: (shown) => {
      fixes.show(shown);
      buttons.countFixes(shown.report?.fixes.length ?? 0);
    },
    showReplay: serial.showReplay,
    figure: () =>
      [...tabs.body.querySelectorAll("svg")].find((each) => each.closest("[hidden]") === null),
    dispose: () => {
      observer.disconnect();
    },
  };
}
