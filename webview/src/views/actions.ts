// Actions on the shown anomaly: a row of buttons, and navigation through the partners of its cause.
import type { PanelCommand } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import { markdownOf, mermaidOf } from "../model/exportText";
import type { Story } from "../model/story";
import type { Actions } from "../actions";

const COMMANDS: readonly (readonly [command: PanelCommand, label: string, title: string])[] = [
  ["isolens.reproduce", "Reproduce", "Run it on a real database"],
  [
    "isolens.createTest",
    "Create test",
    "Write a test that fails before the fix and passes after it",
  ],
  ["isolens.copyScript", "Copy script", "Copy the statements of both sessions in their order"],
  ["isolens.check", "Other level", "Check at another isolation level"],
  ["isolens.prove", "Prove", "Ask for a proof for any number of transactions"],
  ["isolens.openDocumentation", "Documentation", "What this kind of anomaly is, and what helps"],
];

/** Commands that need an execution. */
const OF_RUNS: readonly PanelCommand[] = [
  "isolens.reproduce",
  "isolens.createTest",
  "isolens.copyScript",
  "isolens.prove",
];

export interface ActionsView {
  readonly node: HTMLElement;
  /** Shows how many fixes there are, first in the row; a click leads to them. */
  countFixes(count: number): void;
}

export function createActionsView(
  story: Story,
  actions: Actions,
  showFixes: () => void,
): ActionsView {
  const { recorded, documentation } = story.payload;
  const shown = COMMANDS.filter(
    ([command]) =>
      !(recorded && OF_RUNS.includes(command)) &&
      (command !== "isolens.openDocumentation" || documentation !== undefined),
  );
  const fixes = button({ class: "", run: showFixes }, "");
  fixes.title = "Edits that remove this anomaly, each checked again";
  fixes.hidden = true;
  const node = element(
    "div",
    { class: "actions", attributes: { role: "group", "aria-label": "What can be done" } },
    fixes,
    ...shown.map(([command, label, title]) => {
      const created = button(
        {
          class: "quiet",
          run: () => {
            actions.run(command);
          },
        },
        label,
      );
      created.title = title;
      return created;
    }),
    ...(recorded ? [] : [mapButton(actions)]),
    exportMenu(story, actions),
    followButton(actions),
  );
  return {
    node,
    countFixes: (count) => {
      fixes.hidden = count === 0;
      fixes.textContent = count === 1 ? "1 fix" : `${String(count)} fixes`;
    },
  };
}

function mapButton(actions: Actions): HTMLElement {
  const created = button({ class: "quiet", run: actions.openMap }, "Map");
  created.title = "All transactions, the tables that they share, and which of them race";
  return created;
}

function exportMenu(story: Story, actions: Actions): HTMLElement {
  const item = (label: string, run: () => void): HTMLElement =>
    button(
      {
        class: "quiet",
        run: () => {
          menu.open = false;
          run();
        },
      },
      label,
    );
  const menu = element(
    "details",
    { class: "menu" },
    element("summary", { class: "quiet" }, "Export"),
    element(
      "div",
      { class: "items" },
      item("Figure as SVG", () => {
        actions.exportFigure("svg");
      }),
      item("Figure as PNG", () => {
        actions.exportFigure("png");
      }),
      item("Copy as Mermaid", () => {
        actions.exportText("mermaid", mermaidOf(story));
      }),
      item("Copy as Markdown", () => {
        actions.exportText("markdown", markdownOf(story));
      }),
    ),
  );
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.stopPropagation();
  });
  return menu;
}

function followButton(actions: Actions): HTMLElement {
  const created = button(
    {
      class: "quiet",
      attributes: { "aria-pressed": String(actions.follows()) },
      run: () => {
        actions.follow(!actions.follows());
        created.setAttribute("aria-pressed", String(actions.follows()));
      },
    },
    "Follow cursor",
  );
  created.title = "Show the anomaly at the cursor, as it moves";
  return created;
}

/** "1 of 3: deposit": the anomalies of the same cause, one per partner. */
export function createPartners({ payload }: Story, actions: Actions): HTMLElement | undefined {
  const { partners = [], anomaly } = payload;
  const at = partners.findIndex(({ id }) => id === anomaly.id);
  const own = partners[at];
  if (!own) return undefined;
  const to = (index: number, label: string, text: string): HTMLElement => {
    const other = partners[index];
    const created = button(
      {
        class: "icon",
        label: other ? `${label}: ${other.partner}` : label,
        run: () => {
          if (other) actions.openAnomaly(other.id);
        },
      },
      text,
    );
    created.disabled = !other;
    return created;
  };
  return element(
    "nav",
    { class: "partners", attributes: { "aria-label": "Who else meets the same mistake" } },
    to(at - 1, "Previous example", "\u2039"),
    element("span", {}, `example ${String(at + 1)} of ${String(partners.length)}: ${own.partner}`),
    to(at + 1, "Another example", "\u203a"),
  );
}
