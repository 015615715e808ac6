// The keyboard: arrows step, digits change the tab, Enter goes to the editor, Escape clears, ? lists the keys.
import { button, element } from "./element";
import { NOTHING } from "./model/selection";
import type { Actions } from "./actions";

export interface Keys {
  readonly dialog: HTMLDialogElement;
  open(): void;
}

const LIST: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [["\u2191", "\u2193"], "previous and next step"],
  [["Home", "End"], "first and last step"],
  [["Enter"], "go to the statement in the editor (Escape comes back)"],
  [["1", "2", "3"], "schedule, cycle, one at a time"],
  [["Tab"], "through steps, tabs and the edges of the cycle"],
  [["Esc"], "select nothing"],
  [["?"], "this list"],
];

/** Listens on the document; keys are ignored without an anomaly. */
export function createKeys(actions: Actions, active: () => boolean): Keys {
  const close = button({ class: "quiet", run: () => dialog.close() }, "Close");
  const dialog = element(
    "dialog",
    { class: "keys", attributes: { "aria-labelledby": "keys-title" } },
    element("h2", { attributes: { id: "keys-title" } }, "Keys"),
    element(
      "dl",
      {},
      ...LIST.flatMap(([keys, meaning]) => [
        element("dt", {}, ...keys.map((key) => element("kbd", {}, key))),
        element("dd", {}, meaning),
      ]),
    ),
    close,
  );
  document.addEventListener("keydown", (event) => {
    if (!active() || dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (handle(event, actions)) event.preventDefault();
  });
  return {
    dialog,
    open: () => {
      dialog.showModal();
    },
  };
}

/** True if the key was handled. */
function handle(event: KeyboardEvent, actions: Actions): boolean {
  switch (event.key) {
    case "ArrowDown":
      actions.move("next");
      return true;
    case "ArrowUp":
      actions.move("previous");
      return true;
    case "Home":
      actions.move("first");
      return true;
    case "End":
      actions.move("last");
      return true;
    case "Enter":
      // Buttons, tabs and edges handle Enter themselves.
      if (ownsEnter(event.target)) return false;
      actions.enterEditor();
      return true;
    case "Escape":
      actions.select(NOTHING);
      return true;
    case "1":
      actions.chooseTab("schedule");
      return true;
    case "2":
      actions.chooseTab("cycle");
      return true;
    case "3":
      actions.chooseTab("serial");
      return true;
    case "?":
      actions.showKeys();
      return true;
    default:
      return false;
  }
}

function ownsEnter(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest("button, summary, [role=tab], [role=button]") !== null
  );
}
