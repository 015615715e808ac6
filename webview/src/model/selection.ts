// The selection, shared by all views: nothing, a step, or an edge of the cycle.
import type { Place } from "../../../server/src/protocol/requests";
import type { Story } from "./story";

export type Selection =
  | { readonly kind: "none" }
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "edge"; readonly edge: number };

export const NOTHING: Selection = { kind: "none" };

/** The selection after a move among the steps; from nothing, `next` is the first and `previous` the last. */
export function moveSelection(
  story: Story,
  selection: Selection,
  to: "next" | "previous" | "first" | "last",
): Selection {
  const last = story.steps.length - 1;
  if (last < 0) return NOTHING;
  const [from] = selectedSteps(story, selection);
  const target = {
    first: 0,
    last,
    next: from === undefined ? 0 : Math.min(last, from + 1),
    previous: from === undefined ? last : Math.max(0, from - 1),
  }[to];
  return { kind: "step", step: target };
}

/** Indexes of the selected steps. */
export function selectedSteps(story: Story, selection: Selection): readonly number[] {
  switch (selection.kind) {
    case "none":
      return [];
    case "step":
      return [selection.step];
    case "edge": {
      const edge = story.edges[selection.edge];
      return [edge?.from, edge?.to].filter((step) => step !== undefined);
    }
  }
}

/** The selection's places in the user's code. */
export function selectedPlaces(story: Story, selection: Selection): readonly Place[] {
  if (selection.kind === "edge") return story.edges[selection.edge]?.places ?? [];
  if (selection.kind === "none") return [];
  const place = story.steps[selection.step]?.place;
  return place ? [place] : [];
}

/** The selection in words, for screen readers. */
export function selectionText(story: Story, selection: Selection): string {
  if (selection.kind === "edge") {
    const edge = story.edges[selection.edge];
    return edge ? `${edge.edge.dependency} dependency: ${edge.sentence}` : "";
  }
  if (selection.kind === "none") return "";
  const chosen = story.steps[selection.step];
  if (!chosen) return "";
  const { step } = chosen;
  const because = step.because === "" ? "" : `, because ${step.because}`;
  const count = `Step ${String(selection.step + 1)} of ${String(story.steps.length)}`;
  return `${count}. ${step.instance} ${step.effect}${because}.`;
}
