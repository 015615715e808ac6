// The page without an anomaly: nothing chosen, still checking, or undecided. Each shows one message and one action.
import type { PanelState, Progress } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import type { Actions } from "../actions";
import { createProofView } from "./proof";

type OtherState = Exclude<PanelState, { kind: "anomaly" | "gone" | "map" }>;

export function createStateView(state: OtherState, actions: Actions): HTMLElement {
  const { level, progress, anomalies } = state.status;
  const at = level.label === "" ? "" : ` at ${level.label}`;
  switch (state.kind) {
    case "empty":
      return anomalies > 0
        ? stateView(
            "empty",
            "No anomaly is chosen",
            `There ${anomalies === 1 ? "is" : "are"} ${String(anomalies)}${at}.`,
            {
              label: "Show an anomaly",
              run: () => {
                actions.run("isolens.showAnomaly");
              },
            },
          )
        : withProofs(
            state,
            actions,
            stateView("empty", `Nothing found${at}`, "A weaker level may let something through.", {
              label: "Check at another level",
              run: () => {
                actions.run("isolens.check");
              },
            }),
          );
    case "loading":
      return stateView(
        "loading",
        `Checking${at}`,
        progress && progress.total > 0 ? progressText(progress) : "Reading the transactions",
        {
          label: "Cancel",
          run: () => {
            actions.run("isolens.cancel");
          },
        },
        progress,
      );
    case "unknown":
      return withProofs(
        state,
        actions,
        stateView(
          "unknown",
          `Not decided${at}`,
          state.unknown.map((each) => each.reason).join("\n"),
          {
            label: "Check at another level",
            run: () => {
              actions.run("isolens.check");
            },
          },
        ),
      );
  }
}

function progressText({ done, total, unit = "pairs" }: Progress): string {
  const counts = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return unit === "files" ? `Reading ${counts} files` : `${counts} ${unit} of transactions`;
}

/** The findings' message, followed by the verdict for any number of transactions. */
function withProofs(
  { proofs = [] }: Extract<OtherState, { kind: "empty" | "unknown" }>,
  actions: Actions,
  view: HTMLElement,
): HTMLElement {
  if (proofs.length === 0) return view;
  return element("div", {}, view, ...proofs.map((each) => createProofView(each, actions)));
}

function stateView(
  kind: OtherState["kind"],
  title: string,
  text: string,
  action: { readonly label: string; readonly run: () => void },
  progress?: Progress,
): HTMLElement {
  return element(
    "section",
    { class: `state ${kind}`, attributes: { role: "status" } },
    element("div", { class: "emblem", attributes: { "aria-hidden": "true" } }),
    element("h1", {}, title),
    ...text.split("\n").map((line) => element("p", {}, line)),
    progress && progress.total > 0
      ? element("progress", {
          attributes: {
            max: String(progress.total),
            value: String(progress.done),
            "aria-label": title,
          },
        })
      : undefined,
    button({ class: "quiet", run: action.run }, action.label),
  );
}
