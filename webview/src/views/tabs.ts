// The figures in tabs, with step navigation at the right end of the tab row.
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { PanelTab } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import { selectedSteps, type Selection } from "../model/selection";
import type { Story } from "../model/story";
import type { Actions } from "../actions";
import type { Figure } from "./figure";

export interface Tabs {
  readonly node: HTMLElement;
  /** The element that contains the figures and determines their width. */
  readonly body: HTMLElement;
  select(selection: Selection): void;
  show(tab: PanelTab): void;
}

const TABS: readonly (readonly [tab: PanelTab, label: string])[] = [
  ["schedule", "Schedule"],
  ["cycle", "Cycle"],
  ["serial", "One at a time"],
];

export function createTabs(
  story: Story,
  actions: Actions,
  figures: Readonly<Record<PanelTab, Figure>>,
): Tabs {
  // A recorded run was not executed here, so there are no serial outcomes.
  const shown = TABS.filter(([tab]) => tab !== "serial" || !story.payload.recorded);
  const buttons = shown.map(([tab, label]) => {
    const created = button(
      {
        attributes: { role: "tab", id: `tab-${tab}`, "aria-controls": `figure-${tab}` },
        run: () => {
          actions.chooseTab(tab);
        },
      },
      label,
    );
    return { tab, created };
  });
  const panels = shown.map(([tab]) =>
    element(
      "div",
      {
        class: "figure",
        attributes: { role: "tabpanel", id: `figure-${tab}`, "aria-labelledby": `tab-${tab}` },
      },
      figures[tab].node,
    ),
  );
  const list = element(
    "div",
    { class: "tablist", attributes: { role: "tablist", "aria-label": "Figures" } },
    ...buttons.map(({ created }) => created),
  );
  list.addEventListener("keydown", (event) => {
    const at = buttons.findIndex(({ created }) => created === document.activeElement);
    const next = ownEntry({ ArrowRight: at + 1, ArrowLeft: at - 1 }, event.key);
    const target =
      next === undefined ? undefined : buttons[(next + buttons.length) % buttons.length];
    if (!target) return;
    actions.chooseTab(target.tab);
    target.created.focus();
    event.preventDefault();
  });
  const count = element("span", { class: "count" });
  const body = element("div", { class: "figures" }, ...panels);
  const walk = element(
    "div",
    { class: "walk" },
    count,
    button(
      {
        class: "icon",
        label: "Previous step",
        run: () => {
          actions.move("previous");
        },
      },
      "\u2039",
    ),
    button(
      {
        class: "icon",
        label: "Next step",
        run: () => {
          actions.move("next");
        },
      },
      "\u203a",
    ),
    button(
      {
        class: "icon",
        label: "Keys",
        run: () => {
          actions.showKeys();
        },
      },
      "?",
    ),
  );
  return {
    node: element(
      "section",
      { class: "pictures" },
      element("div", { class: "tabs" }, list, walk),
      body,
    ),
    body,
    select: (selection) => {
      const [first] = selectedSteps(story, selection);
      const total = String(story.steps.length);
      count.textContent =
        selection.kind === "step" && first !== undefined
          ? `step ${String(first + 1)} of ${total}`
          : `${total} steps`;
    },
    show: (asked) => {
      const tab = shown.some(([each]) => each === asked) ? asked : "schedule";
      buttons.forEach(({ tab: own, created }, index) => {
        const chosen = own === tab;
        created.setAttribute("aria-selected", String(chosen));
        created.tabIndex = chosen ? 0 : -1;
        const panel = panels[index];
        if (panel) panel.hidden = !chosen;
      });
    },
  };
}
