// The page: receives states from its host, holds the selection and the tab, and passes both to every view.
import type {
  Call,
  PanelFixes,
  PanelPage,
  PanelReplay,
  PanelState,
  PanelTab,
  Place,
} from "../../server/src/protocol/requests";
import { element } from "./element";
import type { Host } from "./host";
import { createKeys } from "./keys";
import { pngData, svgText } from "./model/exportFigure";
import {
  moveSelection,
  NOTHING,
  selectedPlaces,
  selectionText,
  type Selection,
} from "./model/selection";
import { tellStory, type Story } from "./model/story";
import { createAnomalyView, type AnomalyView } from "./views/anomaly";
import { createMapView, emptyChoice, type MapView } from "./views/conflictMap";
import { createStateView } from "./views/states";
import type { Actions } from "./actions";

export function createPage(root: HTMLElement, host: Host): void {
  const live = element("div", { class: "sr-only", attributes: { "aria-live": "polite" } });
  const main = element("main", {});
  const remembered = host.recall();
  let state: PanelState = remembered?.state ?? {
    kind: "loading",
    status: { level: { name: "", label: "" }, anomalies: 0 },
  };
  let tab: PanelTab = remembered?.tab ?? "schedule";
  let selection: Selection =
    remembered && remembered.step >= 0 ? { kind: "step", step: remembered.step } : NOTHING;
  let story: Story | undefined;
  let view: AnomalyView | undefined;
  let map: MapView | undefined;
  const mapChoice = emptyChoice();
  let isFollowing = false;
  let fixes: PanelFixes | undefined;
  let replay: PanelReplay | undefined;

  function remember(): void {
    host.remember({ state, tab, step: selection.kind === "step" ? selection.step : -1 });
  }

  function apply(next: Selection, options: { readonly reveal: boolean }): void {
    if (!story) return;
    selection = next;
    view?.select(selection);
    live.textContent = selectionText(story, selection);
    const places = selectedPlaces(story, selection);
    if (options.reveal) host.send({ method: "reveal", params: { places, takeFocus: false } });
    remember();
  }

  const actions: Actions = {
    select: (next) => {
      apply(next, { reveal: true });
    },
    enterEditor: () => {
      if (!story) return;
      const places = selectedPlaces(story, selection);
      if (places.length > 0) host.send({ method: "reveal", params: { places, takeFocus: true } });
    },
    showPlaces: (places) => {
      host.send({ method: "reveal", params: { places, takeFocus: false } });
    },
    chooseTab: (next) => {
      tab = next;
      view?.showTab(tab);
      remember();
    },
    move: (to) => {
      if (!story) return;
      apply(moveSelection(story, selection, to), { reveal: true });
      view?.focusSelection();
    },
    openAnomaly: (id) => {
      host.send({ method: "open", params: { id } });
    },
    openMap: () => {
      host.send({ method: "openMap", params: {} });
    },
    run: (command) => {
      host.send({ method: "run", params: { command } });
    },
    applyFix: (fix) => {
      host.send({ method: "applyFix", params: { fix } });
    },
    exportFigure: (format) => {
      const figure = view?.figure();
      if (!figure) {
        live.textContent = "There is no figure in this tab.";
      } else if (format === "svg") {
        host.send({ method: "export", params: { format, content: svgText(figure) } });
      } else {
        pngData(figure).then(
          (content) => {
            host.send({ method: "export", params: { format, content } });
          },
          (error: unknown) => {
            live.textContent = `The figure could not be drawn: ${String(error)}`;
          },
        );
      }
    },
    exportText: (format, content) => {
      host.send({ method: "export", params: { format, content } });
    },
    follows: () => isFollowing,
    follow: (on) => {
      isFollowing = on;
      host.send({ method: "follow", params: { on } });
    },
    showKeys: () => {
      keys.open();
    },
  };
  const keys = createKeys(actions, () => story !== undefined);
  root.replaceChildren(main, live, keys.dialog);

  function show(next: PanelState): void {
    const before = story?.payload.anomaly;
    state = next;
    map?.dispose();
    map = undefined;
    if (next.kind !== "anomaly" && next.kind !== "gone") {
      story = undefined;
      view?.dispose();
      view = undefined;
      main.replaceChildren(viewOf(next));
      live.textContent = main.querySelector("h1")?.textContent ?? "";
      return;
    }
    const payload = next.kind === "anomaly" ? next.payload : next.last;
    const sameStory =
      before !== undefined &&
      before.id === payload.anomaly.id &&
      sameShape(before, payload.anomaly);
    story = tellStory(payload);
    if (!sameStory && before !== undefined) selection = NOTHING;
    if (next.kind === "anomaly" && next.tab) tab = next.tab;
    view?.dispose();
    view = createAnomalyView(story, actions, next.kind === "gone" ? next.status : undefined);
    const hadFocus = document.activeElement !== document.body && before !== undefined;
    main.replaceChildren(view.node);
    view.showTab(tab);
    view.select(selection);
    if (hadFocus) view.focusSelection();
    showBeside();
    remember();
  }

  function viewOf(next: Exclude<PanelState, { kind: "anomaly" | "gone" }>): HTMLElement {
    if (next.kind !== "map") return createStateView(next, actions);
    map = createMapView(next, mapChoice, actions);
    return map.node;
  }

  /** Shows fixes and replay of the current anomaly, which may have come before it was drawn again. */
  function showBeside(): void {
    const id = story?.payload.anomaly.id;
    if (fixes?.id === id && fixes) view?.showFixes(fixes);
    if (replay?.id === id && replay) view?.showReplay(replay);
  }

  function locate(place: Place): void {
    if (!story) return;
    const at = place.range.start;
    const here = (each: Place | undefined): boolean => each?.uri === place.uri && holds(each, at);
    if (selectedPlaces(story, selection).some(here)) return;
    const found = story.steps.find((each) => here(each.place));
    if (found) apply({ kind: "step", step: found.index }, { reveal: false });
  }

  host.onCall((call: Call<PanelPage>) => {
    switch (call.method) {
      case "show":
        show(call.params);
        break;
      case "move":
        actions.move(call.params.to);
        break;
      case "tab":
        actions.chooseTab(call.params.tab);
        break;
      case "fixes":
        fixes = call.params;
        showBeside();
        break;
      case "replayed":
        replay = call.params;
        showBeside();
        if (replay.id === story?.payload.anomaly.id) actions.chooseTab("serial");
        break;
      case "locate":
        locate(call.params);
    }
  });
  show(state);
  host.send({ method: "ready", params: {} });
}

function holds({ range }: Place, at: Place["range"]["start"]): boolean {
  const { start, end } = range;
  const after = at.line > start.line || (at.line === start.line && at.character >= start.character);
  const before = at.line < end.line || (at.line === end.line && at.character <= end.character);
  return after && before;
}

function sameShape(a: Story["payload"]["anomaly"], b: Story["payload"]["anomaly"]): boolean {
  return a.steps.length === b.steps.length && a.cycle.length === b.cycle.length;
}
