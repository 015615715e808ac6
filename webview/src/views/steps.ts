// The numbered steps: the complete list that every figure illustrates. A list box with one tab stop.
import { element } from "../element";
import { selectedSteps, type Selection } from "../model/selection";
import type { Story, StoryStep } from "../model/story";
import { clip } from "../model/words";
import type { Actions } from "../actions";

export interface StepsView {
  readonly node: HTMLElement;
  select(selection: Selection): void;
  focus(): void;
}

export function createStepsView(story: Story, actions: Actions): StepsView {
  const items = story.steps.map((step, index) => stepItem(story, step, index, actions));
  const list = element(
    "ol",
    { class: "steps", attributes: { role: "listbox", "aria-label": "What happens, step by step" } },
    ...items,
  );
  const setTabStop = (at: number): void => {
    items.forEach((item, index) => {
      item.tabIndex = index === at ? 0 : -1;
    });
  };
  let current: Selection = { kind: "none" };
  setTabStop(0);
  return {
    node: element(
      "section",
      { class: "story" },
      element("h2", {}, "What happens"),
      items.length > 0
        ? list
        : element(
            "p",
            { class: "dim" },
            "The witness could not be executed, so there are no steps.",
          ),
    ),
    select: (selection) => {
      current = selection;
      const chosen = selectedSteps(story, selection);
      items.forEach((item, index) => {
        const own = chosen.includes(index);
        item.classList.toggle("selected", own && selection.kind === "step");
        item.classList.toggle("end", own && selection.kind === "edge");
        item.setAttribute("aria-selected", String(own));
      });
      setTabStop(chosen[0] ?? 0);
      const [first] = chosen;
      if (first !== undefined) items[first]?.scrollIntoView({ block: "nearest" });
    },
    focus: () => {
      const [first] = selectedSteps(story, current);
      items[first ?? 0]?.focus({ preventScroll: true });
    },
  };
}

/** Limit for an instance's arguments in its first step; the schedule's lane has all of them. */
const MOST_ARGUMENTS = 44;

function stepItem(story: Story, each: StoryStep, index: number, actions: Actions): HTMLElement {
  const { step, instance } = each;
  const first = story.steps.findIndex((other) => other.instance === instance) === index;
  const given = instance.arguments === "" ? "" : `(${clip(instance.arguments, MOST_ARGUMENTS)})`;
  const call = `${instance.transaction}${given}`;
  return element(
    "li",
    {
      class: "step",
      attributes: { role: "option", "aria-selected": "false" },
      on: {
        click: () => {
          actions.select({ kind: "step", step: index });
        },
        dblclick: () => {
          actions.enterEditor();
        },
      },
    },
    element("span", { class: "number" }, String(index + 1)),
    element(
      "div",
      { class: "what" },
      element(
        "div",
        {},
        element("span", { class: `who i${String(instance.index + 1)}` }, step.instance),
        first ? ` ${call} ` : " ",
        ...emphasized(step.effect),
      ),
      step.text === "" || typeof step.statement !== "number"
        ? undefined
        : element("code", { attributes: { title: step.text } }, step.text.replace(/\s+/gu, " ")),
      ...(step.through ?? []).map(({ name, kind, file, range }) => {
        const place = `${file.replace(/^.*\//u, "")}:${String(range.start.line + 1)}`;
        const way = kind === "trigger" ? `the trigger ${name}` : `${name}()`;
        return element("div", { class: "dim" }, `by way of ${way}, ${place}`);
      }),
      step.because === "" ? undefined : element("div", { class: "because" }, step.because),
    ),
  );
}

/** The effect with highlighted, unbroken values: "account[1].balance = **40** (was 100), commits". */
function emphasized(effect: string): readonly (Node | string)[] {
  return effect.split(/( = (?:'(?:[^']|'')*'|-?[\w.]+))/u).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = element("b", {}, part.slice(" = ".length));
    return part.length <= MOST_UNBROKEN
      ? element("span", { class: "value" }, " = ", value)
      : element("span", {}, " = ", value);
  });
}

/** A longer value may break over lines. */
const MOST_UNBROKEN = 16;
