// The map of all transactions: the tables that they share, an arc between each two that race, and below it, in words, every
// pair of the transaction that is selected.
import { select } from "d3";
import type {
  PanelState,
  Place,
  TreeFile,
  TreeTransaction,
} from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import { conflictsOf, type Conflict, type ConflictState } from "../model/conflicts";
import { layoutMap, type MapLayout } from "../model/mapLayout";
import { measureCharacter } from "../model/textFit";
import type { Actions } from "../actions";
import { drawMap } from "./mapFigure";

export interface MapView {
  readonly node: HTMLElement;
  dispose(): void;
}

/** The user's choices on the map; they outlive it, since it is made anew when findings come. */
export interface MapChoice {
  /** The name of the selected transaction, by project. */
  readonly selected: Map<string, string>;
  /** Projects of which all transactions are drawn, or only those that race. */
  readonly isWhole: Map<string, boolean>;
}

export function emptyChoice(): MapChoice {
  return { selected: new Map(), isWhole: new Map() };
}

/** More transactions are only drawn when asked for, if some of them race. */
const MOST_AT_FIRST = 40;

export function createMapView(
  { files, status }: Extract<PanelState, { kind: "map" }>,
  choice: MapChoice,
  actions: Actions,
): MapView {
  const at = status.level.label === "" ? "" : ` at ${status.level.label}`;
  const projects = [...new Set(files.map(({ project }) => project))];
  const maps = projects.map((project) =>
    createProjectMap(
      project,
      files.filter((file) => file.project === project && file.transactions.length > 0),
      choice,
      actions,
    ),
  );
  const node = element(
    "article",
    { class: "map" },
    element("h1", {}, `Transactions and the tables they share${at}`),
    element(
      "p",
      { class: "dim" },
      "A line leads from each transaction to the tables that it reads (thin) and writes (thick). An arc joins two that race; " +
        "select it to see how.",
    ),
    ...maps.flatMap((each, index) => [
      projects.length > 1 ? element("h2", {}, projects[index]) : undefined,
      each.node,
    ]),
  );
  const observer = new ResizeObserver(() => {
    if (node.clientWidth > 0) for (const each of maps) each.resize(node.clientWidth);
  });
  observer.observe(node);
  return {
    node,
    dispose: () => {
      observer.disconnect();
    },
  };
}

interface ProjectMap {
  readonly node: HTMLElement;
  resize(width: number): void;
}

function createProjectMap(
  project: string,
  files: readonly TreeFile[],
  choice: MapChoice,
  actions: Actions,
): ProjectMap {
  const all = files.flatMap(({ transactions }) => transactions);
  const racing = files.flatMap(racingPart);
  const figure = element("div", { class: "figures" });
  const pairs = element("div", { class: "pairs", attributes: { "aria-live": "polite" } });
  const toggle = button({
    class: "quiet",
    run: () => {
      choice.isWhole.set(project, !isWhole);
      show(!isWhole);
    },
  });
  const summary = element("p", { class: "dim" });
  let isWhole = true;
  let conflicts: readonly Conflict[] = [];
  let selected: number | undefined;
  let width = 0;

  function show(whole: boolean): void {
    isWhole = whole;
    const drawn = shownFiles().flatMap(({ transactions }) => transactions);
    const at = drawn.findIndex(({ name }) => name === choice.selected.get(project));
    selected = at === -1 ? undefined : at;
    conflicts = conflictsOf(drawn);
    summary.textContent = summaryText(all.length, conflicts);
    toggle.textContent = isWhole
      ? "Only those that race"
      : `All ${String(all.length)} transactions`;
    toggle.hidden = racing.length === 0 || all.length <= MOST_AT_FIRST;
    draw();
  }

  function shownFiles(): readonly TreeFile[] {
    return isWhole ? files : racing;
  }

  function choose(index: number): void {
    selected = selected === index ? undefined : index;
    const name = shownFiles().flatMap(({ transactions }) => transactions)[index]?.name ?? "";
    if (selected === undefined) choice.selected.delete(project);
    else choice.selected.set(project, name);
    mark();
  }

  function draw(): void {
    if (width > 0) {
      const layout = layoutMap(shownFiles(), conflicts, width, measureCharacter(figure));
      figure.replaceChildren(drawMap(layout, { choose, open: actions.openAnomaly }));
    }
    mark();
  }

  function mark(): void {
    const svg = select(figure).select<SVGSVGElement>("svg");
    const isNear = (index: number): boolean =>
      selected === undefined ||
      index === selected ||
      conflicts.some(({ between }) => between.includes(index) && between.includes(selected ?? -1));
    svg
      .selectAll<SVGGElement, MapLayout["rows"][number]>(".transaction")
      .classed("selected", ({ index }) => index === selected)
      .classed("future", ({ index }) => !isNear(index))
      .attr("aria-pressed", ({ index }) => String(index === selected));
    svg
      .selectAll<SVGPathElement, MapLayout["links"][number]>(".use")
      .classed("selected", ({ transaction }) => transaction === selected)
      .classed("future", ({ transaction }) => !isNear(transaction));
    svg
      .selectAll<SVGGElement, MapLayout["arcs"][number]>(".arc")
      .classed("future", ({ conflict }) => !conflict.between.every(isNear));
    pairs.replaceChildren(...pairsOf(selected));
  }

  function pairsOf(index: number | undefined): readonly HTMLElement[] {
    const transactions = shownFiles().flatMap((file) => file.transactions);
    const own = index === undefined ? undefined : transactions[index];
    if (own === undefined) return [];
    const met = conflicts.filter(({ between }) => between.includes(index ?? -1));
    return [
      element("h2", {}, own.name),
      placeButton("Show its text", own.place, actions),
      element("ul", {}, ...met.map((each) => pairItem(each, transactions, own, actions))),
    ];
  }

  const node = element("section", {}, summary, toggle, figure, pairs);
  show(choice.isWhole.get(project) ?? (all.length <= MOST_AT_FIRST || racing.length === 0));
  return {
    node,
    resize: (next) => {
      if (next === width) return;
      width = next;
      draw();
    },
  };
}

/** The part of a file whose transactions take part in a finding; nothing if none does. */
function racingPart(file: TreeFile): readonly TreeFile[] {
  const transactions = file.transactions.filter(({ races }) =>
    races.some(({ unconfirmed }) => !unconfirmed),
  );
  return transactions.length > 0 ? [{ ...file, transactions }] : [];
}

function summaryText(transactions: number, conflicts: readonly Conflict[]): string {
  const count = (state: ConflictState): number =>
    conflicts.filter((each) => each.state === state).length;
  const parts = [
    `${String(count("racing"))} race`,
    ...(count("open") > 0 ? [`${String(count("open"))} are not decided`] : []),
    ...(count("settled") > 0 ? [`nothing was found for ${String(count("settled"))}`] : []),
  ];
  return `${String(transactions)} ${transactions === 1 ? "transaction" : "transactions"}. Of the pairs that share a table which one of the two writes, ${parts.join(", ")}.`;
}

function pairItem(
  { between: [one, other], tables, state, races }: Conflict,
  transactions: readonly TreeTransaction[],
  own: TreeTransaction,
  actions: Actions,
): HTMLElement {
  const partner = transactions[one] === own ? transactions[other] : transactions[one];
  const name = partner === own ? "another run of itself" : (partner?.name ?? "");
  const [worst] = races;
  return element(
    "li",
    { class: state },
    element("span", { class: "mark", attributes: { "aria-hidden": "true" } }, STATES[state].mark),
    `${name}, by ${tables.join(", ") || "other tables"}: `,
    worst
      ? button(
          {
            class: "link",
            run: () => {
              actions.openAnomaly(worst.id);
            },
          },
          worst.title,
        )
      : STATES[state].text,
  );
}

const STATES: Readonly<Record<ConflictState, { readonly mark: string; readonly text: string }>> = {
  racing: { mark: "\u2260", text: "race" },
  open: { mark: "?", text: "not decided" },
  settled: { mark: "\u2713", text: "nothing found" },
};

function placeButton(text: string, place: Place, actions: Actions): HTMLElement {
  return button(
    {
      class: "quiet",
      run: () => {
        actions.showPlaces([place]);
      },
    },
    text,
  );
}
