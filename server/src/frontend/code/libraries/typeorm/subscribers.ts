// Subscribers and listeners that TypeORM runs around writes of entities: they may change what is written and run statements. They are
// not followed; a call that triggers one says so.
import { dictionary } from "../../../../protocol/dictionary";
import type { DeclaringCall } from "../../workspace/declarationCalls";
import type { HirClass } from "../../hir";
import { plainName } from "../annotations";
import type { Declaration, Tools } from "../library";
import type { Model } from "../orm/model";
import type { Place } from "../orm/statements";
import { entityOf } from "./entities";

/** The effects of repositories' methods. */
const MOMENTS = dictionary<string | undefined>({
  save: "Insert Update",
  insert: "Insert",
  upsert: "Insert",
  update: "Update",
  increment: "Update",
  decrement: "Update",
  delete: "Remove",
  remove: "Remove",
  softDelete: "SoftRemove",
  softRemove: "SoftRemove",
  restore: "Recover",
  recover: "Recover",
});

/** Those that have the entity at hand, whose listeners run. */
const WITH_ENTITY = /^(?:save|remove|softRemove|recover)$/u;

/** Says which subscribers and listeners a method of a repository, or of a builder, runs. */
export function tellSubscribers({ model, source, tools }: Place, method: string): void {
  const names = (MOMENTS[method]?.split(" ") ?? []).flatMap((moment) => [
    `before${moment}`,
    `after${moment}`,
  ]);
  if (names.length === 0) return;
  for (const { name, methods } of subscribersOf(model, tools)) {
    const run = methods.map((each) => each.name).filter((each) => names.includes(each));
    if (run.length === 0) continue;
    const why = `what ${name ?? "a subscriber"}'s ${run.join(", ")} does is not followed`;
    tools.lose(why, source, "opaque");
  }
  if (!WITH_ENTITY.test(method)) return;
  const run = (model.class?.class.methods ?? []).flatMap(({ function: { annotations } }) =>
    annotations.map(plainName).filter((each) => names.includes(uncapitalized(each))),
  );
  if (run.length > 0) {
    tools.lose(`what ${model.name}'s ${run.join(", ")} does is not followed`, source);
  }
}

interface Subscriber {
  readonly of: HirClass;
  /** The name of the entity that it is for; absent for one that is for all, or for nobody knows which. */
  readonly entity?: string;
}

const SUBSCRIBERS: Declaration<readonly Subscriber[]> = {
  names: new Set(["@EventSubscriber"]),
  none: [],
  read: (calls, tools) =>
    calls.flatMap((each) => (each.class ? [subscriber(each, each.class, tools)] : [])),
};

function subscribersOf(model: Model, tools: Tools): readonly HirClass[] {
  return tools
    .declared(SUBSCRIBERS)
    .flatMap(({ of, entity }) => (entity === undefined || entity === model.name ? [of] : []));
}

/** A subscriber, with the entity that `listenTo() { return Entity; }` names. */
function subscriber({ file }: DeclaringCall, of: HirClass, tools: Tools): Subscriber {
  const listening = of.methods.find(({ name }) => name === "listenTo");
  const scope = tools.top(file);
  const [first] = listening?.function.body ?? [];
  if (!scope || first?.kind !== "return" || !first.value) return { of };
  const model = entityOf(tools.evaluate(first.value, scope), tools);
  return model ? { of, entity: model.name } : { of };
}

function uncapitalized(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
