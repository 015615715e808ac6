// The proof for any number of transactions: the argument step by step, or the chains that prevent it, with links to their statements.
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { ProofDependency, ProofEnd, ProofObstacle } from "../../../server/src/protocol/proof";
import type { Place, ProofView } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import type { Actions } from "../actions";

const TITLES = {
  proved: "Proved for any number of transactions",
  blocked: "Not proved for any number of transactions",
  unknown: "The proof did not come to an end",
} as const;

export function createProofView({ proof, level, uris }: ProofView, actions: Actions): HTMLElement {
  const placeOf = (file: string, range: Place["range"]): Place | undefined => {
    const uri = ownEntry(uris, file);
    return uri === undefined ? undefined : { uri, range };
  };
  const title = TITLES[proof.status];
  return element(
    "section",
    { class: `proof ${proof.status}`, attributes: { "aria-label": title } },
    element("h2", {}, title),
    element("p", { class: "at" }, `at ${level.label}`),
    proof.steps.length > 0
      ? element("ol", {}, ...proof.steps.map(({ text }) => element("li", {}, text)))
      : undefined,
    proof.lemmas.length > 0 ? element("p", {}, "It needs, and was proved:") : undefined,
    proof.lemmas.length > 0
      ? element("ul", {}, ...proof.lemmas.map((text) => element("li", {}, text)))
      : undefined,
    ...proof.obstacles.map((each) => obstacle(each, actions, placeOf)),
  );
}

type PlaceOf = (file: string, range: Place["range"]) => Place | undefined;

function obstacle(
  { chain, reason, dependencies, advice, file, range }: ProofObstacle,
  actions: Actions,
  placeOf: PlaceOf,
): HTMLElement {
  const place = file !== undefined && range ? placeOf(file, range) : undefined;
  return element(
    "article",
    {},
    chain.length > 0 ? element("h3", {}, chain.join(" \u2192 ")) : undefined,
    element("p", {}, reason),
    place ? element("p", {}, placeButton("Show the place", place, actions)) : undefined,
    dependencies.length > 0
      ? element(
          "ul",
          {},
          ...dependencies.map((each) =>
            element(
              "li",
              {},
              end(each.from, actions, placeOf),
              ` ${VERBS[each.dependency]} `,
              end(each.to, actions, placeOf),
            ),
          ),
        )
      : undefined,
    advice === undefined ? undefined : element("p", { class: "advice" }, advice),
  );
}

const VERBS: Readonly<Record<ProofDependency["dependency"], string>> = {
  wr: "is read by",
  ww: "is overwritten by",
  rw: "may miss",
  so: "comes before",
};

function end({ transaction, text, file, range }: ProofEnd, actions: Actions, placeOf: PlaceOf) {
  const place = placeOf(file, range);
  const words = text === "" ? transaction : `${transaction}: ${text.replaceAll(/\s+/gu, " ")}`;
  return place ? placeButton(words, place, actions) : element("span", {}, words);
}

function placeButton(text: string, place: Place, actions: Actions): HTMLElement {
  return button(
    {
      class: "quiet place",
      run: () => {
        actions.showPlaces([place]);
      },
    },
    text,
  );
}
