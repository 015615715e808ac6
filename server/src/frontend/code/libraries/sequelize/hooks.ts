// Hooks of Sequelize's models: functions that run around what models do. They may change what is written and run
// statements of their own. They are not followed, which is said wherever one of them runs.
import { dictionary } from "../../../../protocol/dictionary";
import type { DeclaringCall } from "../../workspace/declarationCalls";
import type { HirExpression } from "../../hir";
import { constantScalar, constantText, type Value } from "../../values";
import { plainName } from "../annotations";
import type { Declaration, Tools } from "../library";
import type { Model } from "../orm/model";
import type { Place } from "../orm/statements";
import { modelOfValue } from "./models";

/** The hooks that methods of models set off. */
const OF_MODELS = dictionary<string | undefined>({
  findAll: "Find",
  findOne: "Find",
  findByPk: "Find",
  findAndCountAll: "Find Count",
  count: "Count",
  findOrCreate: "Find Create Save Validate",
  findCreateFind: "Find Create Save Validate",
  create: "Create Save Validate",
  bulkCreate: "BulkCreate",
  update: "BulkUpdate Validate",
  upsert: "Upsert Validate",
  destroy: "BulkDestroy",
  truncate: "BulkDestroy",
  restore: "BulkRestore",
});

/** The hooks that methods of rows set off. */
const OF_ROWS = dictionary<string | undefined>({
  save: "Update Save Validate",
  update: "Update Save Validate",
  destroy: "Destroy",
  restore: "Restore",
  reload: "Find",
});

/** The hooks that `individualHooks` sets off besides, for each row. */
const OF_EACH = dictionary<string | undefined>({
  bulkCreate: "Create Save Validate",
  update: "Update Save",
  destroy: "Destroy",
  restore: "Restore",
});

const MOMENTS =
  "Validate Create Update Save Destroy Restore Upsert BulkCreate BulkUpdate BulkDestroy BulkRestore Find Count FindAfterExpandIncludeAll FindAfterOptions";
const NAMES: readonly string[] = MOMENTS.split(" ").flatMap((moment) => [
  `before${moment}`,
  `after${moment}`,
]);
const ADDED: Declaration<readonly Added[]> = {
  names: new Set([...NAMES, "addHook", "hook"]),
  none: [],
  read: (calls, tools) => calls.map((call) => addedBy(call, tools)),
};

/** Says which hooks of its model a call runs, of a model or of one of its rows. */
export function tellHooks(
  { model, source, tools }: Place,
  method: string,
  args: readonly Value[],
  of: "model" | "row",
): void {
  const options = args.flatMap((each) =>
    each.kind === "object" ? [tools.fields(each) ?? new Map<string, Value>()] : [],
  );
  const is = (name: string, wanted: boolean): boolean =>
    options.some((each) => constantScalar(each.get(name)) === wanted);
  if (is("hooks", false)) return;
  const isEach = of === "model" && options.some((each) => each.has("individualHooks")) && !is("individualHooks", false); // prettier-ignore
  const set = of === "model" ? OF_MODELS[method] : OF_ROWS[method];
  const moments = [set, isEach ? OF_EACH[method] : undefined].join(" ").split(" ");
  const declared = hooksOf(model, tools);
  const run = NAMES.filter(
    (name) =>
      declared.has(name) && moments.includes(name.replace(/^before|^after|After\w+$/gu, "")),
  );
  if (run.length === 0) return;
  const named = run.join(", ");
  tools.lose(`what ${model.name}'s ${named} does is not followed`, source, "opaque");
}

/** The names of the hooks that a model has: of its options, of decorators, and of those that are added to it anywhere. */
function hooksOf(model: Model, tools: Tools): ReadonlySet<string> {
  const decorated = (model.class?.class.methods ?? []).flatMap(({ function: { annotations } }) =>
    annotations.map(plainName).map((name) => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`),
  );
  const others = tools
    .declared(ADDED)
    .filter(({ isFor }) => isFor(model))
    .flatMap(({ names }) => names);
  return new Set([...(model.hooks ?? []), ...decorated, ...others]);
}

interface Added {
  readonly names: readonly string[];
  readonly isFor: (model: Model) => boolean;
}

/** The hooks that one call adds; one whose name is not known may be any. */
function addedBy(call: DeclaringCall, tools: Tools): Added {
  const scope = tools.top(call.file);
  const [first] = call.arguments;
  const given = first && scope ? constantText(tools.evaluate(first, scope)) : undefined;
  const own = given === undefined ? NAMES : [given];
  const names = call.method === "addHook" || call.method === "hook" ? own : [call.method];
  return { names, isFor: modelsOfCall(call, tools) };
}

/** Tells the models that a call of a method of one, or of all of them, is for; where that is not known, by the names. */
export function modelsOfCall(call: DeclaringCall, tools: Tools): (model: Model) => boolean {
  const scope = tools.top(call.file);
  const written = nameOf(call.object, call);
  const value =
    scope && call.functions.length === 0 ? tools.evaluate(call.object, scope) : undefined;
  const target = value && modelOfValue(value, tools);
  const isAll = value?.kind === "handle" && value.path === "db";
  return (model) => {
    if (target) return target.name === model.name && target.table === model.table;
    if (isAll || /sequelize|^(?:db|database|connection)$/iu.test(written)) return true;
    return written === model.name || written === model.class?.class.name;
  };
}

/** Name of an object; a class that speaks of itself has its own name. */
function nameOf(object: HirExpression, call: DeclaringCall): string {
  if (object.kind === "name") return object.name;
  if (object.kind === "member") return object.property;
  return call.class?.name ?? "";
}
