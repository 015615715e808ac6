// Verified fixes of the shown anomaly, and the reasons against others.
import type { Advice, Fix } from "../../../server/src/protocol/fixes";
import type { PanelFixes } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import type { Actions } from "../actions";

export interface FixesView {
  readonly node: HTMLElement;
  show(fixes: PanelFixes): void;
  /** Scrolls to the first fix, and gives its button the keyboard. */
  focus(): void;
}

export function createFixesView(actions: Actions): FixesView {
  const node = element("section", { class: "fixes", attributes: { "aria-live": "polite" } });
  node.hidden = true;
  return {
    node,
    show: ({ report }) => {
      const { fixes = [], advice = [], isPartial = false } = report ?? {};
      node.hidden = fixes.length === 0 && advice.length === 0 && !isPartial;
      node.replaceChildren(
        element("h2", {}, "Fixes, each checked again at this level"),
        ...fixes.map((fix, at) => fixRow(fix, at, actions)),
        ...(isPartial ? [element("p", { class: "dim" }, "Others are being tried.")] : []),
        ...(isPartial ? [] : adviceRows(advice, fixes.length)),
      );
    },
    focus: () => {
      node.scrollIntoView({ block: "start" });
      node.querySelector("button")?.focus({ preventScroll: true });
    },
  };
}

function fixRow(fix: Fix, at: number, actions: Actions): HTMLElement {
  const { title, costs, now, alsoRemoves } = fix;
  const also =
    alsoRemoves.length === 0
      ? []
      : [
          `removes ${String(alsoRemoves.length)} other ${alsoRemoves.length === 1 ? "anomaly" : "anomalies"} as well`,
        ];
  const about = [now.replace(/\.$/u, ""), ...also, ...costs].filter((each) => each !== "");
  return element(
    "div",
    { class: "fix" },
    element("span", { class: "mark", attributes: { "aria-hidden": "true" } }, "\u2713"),
    element("div", {}, title, element("div", { class: "dim" }, about.join("; "))),
    button(
      {
        class: at === 0 ? "" : "quiet",
        label: `Apply: ${title}`,
        run: () => {
          actions.applyFix(at);
        },
      },
      "Apply",
    ),
  );
}

/** Shown if no fix is offered, else folded. */
function adviceRows(advice: readonly Advice[], offered: number): readonly HTMLElement[] {
  if (advice.length === 0) return [];
  const rows = advice.map(({ reason, example }) =>
    element("li", {}, reason, example === undefined ? undefined : element("code", {}, example)),
  );
  const list = element("ul", { class: "advice" }, ...rows);
  if (offered === 0) return [element("p", {}, "No edit could be verified:"), list];
  return [element("details", {}, element("summary", {}, "Why not otherwise"), list)];
}
