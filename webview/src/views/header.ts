// The header: the sentence, its meaning and its certainty.
import { ownEntry } from "../../../server/src/protocol/dictionary";
import type { Anomaly } from "../../../server/src/protocol/report";
import type { AnomalyPayload, PanelStatus } from "../../../server/src/protocol/requests";
import { button, element } from "../element";
import type { Story, StoryInstance } from "../model/story";
import { labelsText } from "../model/words";
import type { Actions } from "../actions";
import { createPartners } from "./actions";

export function createHeader(story: Story, actions: Actions): HTMLElement {
  const { payload } = story;
  return element(
    "header",
    {},
    element(
      "div",
      { class: "headline" },
      element("h1", {}, ...titleParts(story)),
      createSiblings(story, actions),
    ),
    createPartners(story, actions),
    element("p", { class: "subtitle" }, subtitle(story)),
    element("ul", { class: "chips", attributes: { "aria-label": "Facts" } }, ...chips(story)),
    payload.definition === "" ? undefined : definition(story),
  );
}

/** A notice that the shown state is outdated, with an action. */
export function createNotice(
  story: Story,
  actions: Actions,
  gone: PanelStatus | undefined,
): HTMLElement | undefined {
  if (!gone && !story.payload.stale) return undefined;
  const text = gone
    ? `Not found any more at ${gone.level.label}. This is how it looked.`
    : "Edited since it was found: it is being checked again.";
  const others = gone && gone.anomalies > 0;
  return element(
    "div",
    { class: gone ? "notice gone" : "notice", attributes: { role: "status" } },
    element(
      "span",
      { class: "mark", attributes: { "aria-hidden": "true" } },
      gone ? "\u2713" : "\u25d4",
    ),
    element("span", {}, text),
    others
      ? button(
          {
            class: "quiet",
            run: () => {
              actions.run("isolens.showAnomaly");
            },
          },
          "Show another",
        )
      : undefined,
  );
}

/** The consequence for the data; for a recorded run the kind, since nothing was executed. */
function titleParts(story: Story): readonly (Node | string)[] {
  const { payload } = story;
  if (!payload.recorded) return [element("b", {}, payload.anomaly.title)];
  const instances = onCycle(story);
  const names = instances.flatMap((each, index): (Node | string)[] => {
    const separator = index === 0 ? [] : [index === instances.length - 1 ? " and " : ", "];
    return [...separator, name(each)];
  });
  const between = instances.length === 0 ? [] : [" between ", ...names];
  return [element("b", {}, payload.title), ...between, ` at ${payload.level.label}`];
}

/** The instances on the cycle: others of a recorded run only explain it. */
function onCycle({ edges, instances }: Story): readonly StoryInstance[] {
  const names = edges.flatMap(({ edge }) => [edge.from.instance, edge.to.instance]);
  return names.length === 0 ? instances : instances.filter((each) => names.includes(each.name));
}

function name(instance: StoryInstance): HTMLElement {
  return element(
    "span",
    { class: `who i${String(instance.index + 1)}` },
    instance.transaction === "" ? instance.name : instance.transaction,
  );
}

/** The diagnostic's sentence without the title, then the level and the partners. */
function subtitle({ payload, instances }: Story): string {
  const { message, title } = payload.anomaly;
  const races = payload.races === undefined ? "" : ` It races with ${payload.races}.`;
  if (!payload.recorded) {
    const cause = message.startsWith(`${title}: `) ? message.slice(title.length + 2) : message;
    return `At ${payload.level.label}, ${cause}${races}`;
  }
  const rest = message.replace(/^[A-Z][A-Za-z -]{2,40}: /u, "");
  const [first = ""] = rest.split(/[ ,]/u);
  // A name keeps its case.
  const isName = instances.some((each) => each.transaction === first || each.name === first);
  return isName ? rest : rest.charAt(0).toUpperCase() + rest.slice(1);
}

const SEVERITY: Readonly<Record<Anomaly["severity"], string>> = {
  state: "the final state differs",
  value: "a returned value differs",
  unused: "only what was read on the way differs",
  refused: "no data breaks, one transaction is ended",
};

function isHarmless(severity: Anomaly["severity"]): boolean {
  return severity === "unused" || severity === "refused";
}

function chips({ payload }: Story): readonly HTMLElement[] {
  if (payload.recorded) return recordedChips(payload.recorded.verdicts);
  const { anomaly, labels } = payload;
  const label = (level: string): string => ownEntry(labels, level) ?? level;
  const confirmed =
    anomaly.status === "confirmed"
      ? chip("executed and confirmed", "fact")
      : chip(`not confirmed${anomaly.reason === undefined ? "" : `: ${anomaly.reason}`}`, "doubt");
  const prevented =
    anomaly.severity === "refused"
      ? chip("at every level with locks", "doubt")
      : anomaly.preventedBy.length > 0
        ? chip(`prevented at ${labelsText(anomaly.preventedBy.map(label))}`, "good")
        : payload.partial
          ? chip("comparing other levels", "doubt")
          : chip("no other level prevents it", "doubt");
  const also = anomaly.allowedAt.filter((level) => level !== payload.level.name);
  return [
    chip(SEVERITY[anomaly.severity], isHarmless(anomaly.severity) ? "fact" : "bad"),
    confirmed,
    prevented,
    ...(also.length > 0 ? [alsoChip(also.map(label))] : []),
  ];
}

type Verdicts = NonNullable<AnomalyPayload["recorded"]>["verdicts"];

/** Levels that the recorded run satisfies, and those that it violates. */
function recordedChips(verdicts: Verdicts): readonly HTMLElement[] {
  const of = (wanted: Verdicts[number]["verdict"]): readonly string[] =>
    verdicts.filter(({ verdict }) => verdict === wanted).map(({ level }) => level.label);
  const [violated, holds, unknown] = [of("violated"), of("ok"), of("unknown")];
  return [
    chip("in a recorded run", "fact"),
    ...(violated.length > 0 ? [chip(`violates ${violated.join(", ")}`, "bad")] : []),
    ...(holds.length > 0 ? [chip(`keeps ${holds.join(", ")}`, "good")] : []),
    ...(unknown.length > 0 ? [chip(`undecided: ${unknown.join(", ")}`, "doubt")] : []),
  ];
}

const MOST_LEVELS = 2;

function alsoChip(labels: readonly string[]): HTMLElement {
  if (labels.length <= MOST_LEVELS) return chip(`also at ${labelsText(labels)}`, "fact");
  const short = chip(`also at ${String(labels.length)} other levels`, "fact");
  short.title = labelsText(labels);
  return short;
}

const MARKS = { bad: "\u2260", fact: "\u25cf", good: "\u2713", doubt: "?" } as const;

function chip(text: string, tone: keyof typeof MARKS): HTMLElement {
  return element(
    "li",
    { class: `chip ${tone}` },
    element("span", { class: "mark", attributes: { "aria-hidden": "true" } }, MARKS[tone]),
    text,
  );
}

function definition({ payload }: Story): HTMLElement {
  const { assumptions = [], basis } = payload;
  return element(
    "details",
    { class: "definition" },
    element("summary", {}, `What is ${article(payload.title)} ${payload.title.toLowerCase()}?`),
    element("p", {}, payload.definition),
    payload.reference === "" ? undefined : element("p", { class: "dim" }, payload.reference),
    basis === undefined ? undefined : element("p", { class: "dim" }, `${basis}.`),
    ...(payload.anomaly.leftOut ?? []).map(({ reason }) =>
      element("p", { class: "dim" }, `Left out: ${reason}.`),
    ),
    assumptions.length === 0
      ? undefined
      : element("p", { class: "dim" }, `Assuming: ${assumptions.join("; ")}.`),
  );
}

function article(word: string): string {
  return /^[aeiou]/iu.test(word) ? "an" : "a";
}

/** "2 of 5" with navigation to the neighbours. */
function createSiblings({ payload }: Story, actions: Actions): HTMLElement | undefined {
  const { siblings, anomaly } = payload;
  const at = siblings.findIndex((each) => each.id === anomaly.id);
  if (at === -1 || siblings.length < 2) return undefined;
  const to = (index: number, label: string, text: string): HTMLElement => {
    const sibling = siblings[index];
    const created = button(
      {
        class: "icon",
        label: sibling ? `${label}: ${sibling.title}` : label,
        run: () => {
          if (sibling) actions.openAnomaly(sibling.id);
        },
      },
      text,
    );
    created.disabled = !sibling;
    return created;
  };
  return element(
    "nav",
    { class: "siblings", attributes: { "aria-label": "Anomalies of this check" } },
    to(at - 1, "Previous anomaly", "\u2039"),
    element("span", {}, `${String(at + 1)} of ${String(siblings.length)} anomalies`),
    to(at + 1, "Next anomaly", "\u203a"),
  );
}
