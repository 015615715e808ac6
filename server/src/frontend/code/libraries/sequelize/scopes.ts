// Scopes of Sequelize's models: options that a model adds to those of calls, always (`defaultScope`) or where they are asked
// for by name. What of a call says something comes first; conditions of both have to hold.
import { dictionary } from "../../../../protocol/dictionary";
import { constantText, UNDEFINED, type Value } from "../../values";
import type { Call, Declaration, Tools } from "../library";
import type { Model } from "../orm/model";
import { isGiven, type Place } from "../orm/statements";
import { withAssociations } from "./associations";
import { modelsOfCall } from "./hooks";
import { modelOfValue } from "./models";
import { isSqlPart, OPERATOR, type Fields } from "./where";

const NONE: Fields = new Map();

const DEFAULT = "defaultScope";

interface Added {
  /** Undefined: any. */
  readonly name: string | undefined;
  readonly isFor: (model: Model) => boolean;
}

const ADDED: Declaration<readonly Added[]> = {
  names: new Set(["addScope"]),
  none: [],
  read: (calls, tools) =>
    calls.map((call) => {
      const [first] = call.arguments;
      const scope = tools.top(call.file);
      const name = first && scope ? constantText(tools.evaluate(first, scope)) : undefined;
      return { name, isFor: modelsOfCall(call, tools) };
    }),
};

/** True if a call adds a scope of that name to a model, or changes it: which then holds is not known. */
function isAdded({ model, tools }: Asking, name: string | undefined): boolean {
  return tools
    .declared(ADDED)
    .some((each) => (each.name === undefined || each.name === name) && each.isFor(model));
}

/** A model as `scope(...)` or `unscoped()` gives it; what is not understood is said, and adds nothing. */
export function scopedAs(
  base: Model,
  method: "scope" | "unscoped",
  { arguments: given, source }: Call,
  tools: Tools,
): Model {
  const [first] = given;
  const isNone = method === "unscoped" || !isGiven(first);
  const asked = isNone ? NONE : askedFor({ model: base, source, tools }, given);
  if (!asked) loseScope({ source, tools });
  return withAssociations({ ...base, scoped: asked ?? NONE }, tools);
}

/** The arguments of a scope. */
type Asking = Pick<Place, "model" | "source" | "tools">;

function loseScope({ source, tools }: Pick<Place, "source" | "tools">): void {
  tools.lose("what a scope asks for is not known", source);
}

/** Scopes by their names, with arguments, or as they are; the later one comes first. */
function askedFor(asking: Asking, given: readonly Value[]): Fields | undefined {
  const { tools, model } = asking;
  const all = given.flatMap((each) =>
    each.kind === "list" ? (tools.items(each) ?? [each]) : each,
  );
  const named = model.scopes?.named && optionsOf(asking, model.scopes.named);
  let merged: Fields | undefined = NONE;
  for (const each of all) {
    const name = constantText(each);
    const fields = name === undefined && each.kind === "object" ? tools.fields(each) : undefined;
    const called = fields?.get("method");
    const parts = called?.kind === "list" ? (tools.items(called) ?? []) : called ? [called] : [];
    const [method, ...args] = parts;
    if (isAdded(asking, name ?? constantText(method))) return undefined;
    const scope =
      name === DEFAULT
        ? model.scopes?.usual
        : name !== undefined
          ? named?.get(name)
          : called
            ? named?.get(constantText(method) ?? "")
            : each;
    const own = scope && optionsOf(asking, scope, args);
    merged = own && merged && mergedOptions(asking, merged, own);
  }
  return merged;
}

/** A scope's options, which a function may make. */
function optionsOf(
  { tools, source }: Asking,
  scope: Value,
  args: readonly Value[] = [],
): Fields | undefined {
  const made = scope.kind === "function" ? tools.settle(tools.call(scope, args, source)) : scope;
  return made.kind === "object" ? tools.fields(made) : undefined;
}

/** A call's options with those of the scope that its model is in. */
export function withScope(asking: Asking, options: Fields): Fields {
  const { scoped, scopes } = asking.model;
  if (!scoped && isAdded(asking, DEFAULT)) {
    loseScope(asking);
    return options;
  }
  if (!scoped && !scopes?.usual) return options;
  const scope = scoped ?? (scopes?.usual && optionsOf(asking, scopes.usual));
  const merged = scope && mergedOptions(asking, scope, options);
  if (!merged) loseScope(asking);
  return merged ?? options;
}

/** The model without any scope: what it adds was added. */
export function withoutScope(model: Model, tools: Tools): Model {
  return model.scoped === NONE || !(model.scoped ?? model.scopes?.usual)
    ? model
    : withAssociations({ ...model, scoped: NONE }, tools);
}

/** Undefined where it is not known what both say together. */
function mergedOptions(asking: Asking, scope: Fields, options: Fields): Fields | undefined {
  const merged = new Map(scope);
  for (const [name, own] of options) {
    const before = scope.get(name);
    if (!isGiven(own)) continue;
    const value = isGiven(before) ? mergedOption(asking, name, before, own) : own;
    if (!value) return undefined;
    merged.set(name, value);
  }
  return merged;
}

function mergedOption(
  { tools }: Asking,
  name: string,
  before: Value,
  own: Value,
): Value | undefined {
  const [left, right] = [before, own].map((each) =>
    each.kind === "object" ? tools.fields(each) : undefined,
  );
  switch (name) {
    case "where":
    case "having": {
      const isText = own.kind === "handle" && isSqlPart(own.data);
      const added = isText ? new Map([[`${OPERATOR}and)`, tools.list([own])]]) : right;
      // Versions of the library disagree on conditions on one column.
      if (!left || !added || [...added.keys()].some((each) => left.has(each))) return undefined;
      return tools.object(Object.fromEntries([...left, ...added]));
    }
    case "attributes": {
      const isList = [before, own].map((each) => each.kind === "list");
      if (isList.every(Boolean)) return union(before, own, tools);
      if (isList.some(Boolean) && (left ?? right)) return own;
      if (!left || !right) return undefined;
      const both = new Map(left);
      for (const [key, value] of right) {
        const lists = [left.get(key) ?? tools.list([]), value].map((each) => tools.items(each));
        if (!lists.every((each) => each !== undefined)) return undefined;
        both.set(key, tools.list(lists.flat()));
      }
      return tools.object(Object.fromEntries(both));
    }
    case "include": {
      const items = [before, own].map((each) => tools.items(each) ?? [each]);
      const [known = [], added = []] = items.map((each) => each.map((one) => includedAs(one, tools))); // prettier-ignore
      const isTold = [...known, ...added].every((each) => each !== undefined);
      if (!isTold || added.some((each) => known.includes(each))) return undefined;
      return tools.list(items.flat());
    }
    case "order":
    case "group": {
      const [first, second] = [tools.items(before), tools.items(own)];
      return first && second ? tools.list([...first, ...second]) : own;
    }
    default:
      return own;
  }
}

/** The items of both lists, names once. */
function union(before: Value, own: Value, tools: Tools): Value | undefined {
  const [first, second] = [tools.items(before), tools.items(own)];
  if (!first || !second) return undefined;
  const names = new Set(first.map((each) => constantText(each)).filter((each) => each !== undefined)); // prettier-ignore
  return tools.list([...first, ...second.filter((each) => !names.has(constantText(each) ?? ""))]);
}

/** The properties that tell an include from others. */
function includedAs(value: Value, tools: Tools): string | undefined {
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  const named = constantText(fields?.get("as") ?? fields?.get("association") ?? value);
  return named ?? modelOfValue(fields?.get("model") ?? value, tools)?.name;
}

/** Where a method takes its options. */
const OPTIONS = dictionary<number | undefined>({
  ...{ findAll: 0, findOne: 0, findAndCountAll: 0, findOrCreate: 0, findCreateFind: 0, count: 0 },
  ...{ destroy: 0, truncate: 0, restore: 0, findByPk: 1, max: 1, min: 1, sum: 1, create: 1 },
  ...{ bulkCreate: 1, update: 1, increment: 1, decrement: 1, upsert: 1 },
});

const UNSCOPED: ReadonlySet<string> = new Set(["create", "bulkCreate", "upsert", "restore", "truncate"]); // prettier-ignore

/**
 * The arguments of a model's method with what its scope adds to the options. `unknown`: the options are not known, and
 * may say which rows are meant.
 */
export function argumentsOf(
  place: Place,
  method: string,
  args: readonly Value[],
): readonly Value[] | "unknown" {
  const at = OPTIONS[method];
  if (at === undefined) return args;
  const { tools } = place;
  const options = args[at];
  const fields = isGiven(options) ? tools.fields(options) : NONE;
  if (!fields) {
    if (method !== "findByPk" && !UNSCOPED.has(method)) return "unknown";
    if (method === "restore") return "unknown";
    tools.lose(`the options that ${method}() is given are not known`, place.source);
  }
  if (UNSCOPED.has(method)) return args;
  const scoped = withScope(place, fields ?? NONE);
  if (scoped === fields) return args;
  const others = Array.from({ length: at }, (_, each) => args[each] ?? UNDEFINED);
  return [...others, tools.object(Object.fromEntries(scoped))];
}
