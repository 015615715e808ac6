// Associations of Sequelize's models: `hasMany`, `belongsTo` and their like, wherever they stand. They add columns and
// name related rows; models that are defined in functions are found here, too.
import { attribute } from "../../../../query/nodes";
import { classIn, type DeclaringCall } from "../../workspace/declarationCalls";
import type { HirExpression, HirPattern } from "../../hir";
import { constantScalar, constantText, type Scope, type Value } from "../../values";
import type { Declaration, Tools } from "../library";
import { keysOf, type Model, type ModelColumn, type ModelRelation } from "../orm/model";
import { decoratedRelations, keysBetween, TABLE, tiesOf, type Tie } from "./relationDecorators";
import { extendsModel, isDefaults, modelOf, modelOfValue, pluralOf, singularOf, withTypes } from "./models"; // prettier-ignore

/** The methods that tie models. */
export const ASSOCIATIONS = ["hasMany", "hasOne", "belongsTo", "belongsToMany"] as const;
type AssociationMethod = (typeof ASSOCIATIONS)[number];

interface Association {
  readonly method: AssociationMethod;
  readonly source: Model;
  readonly target: Model;
  readonly options: ReadonlyMap<string, Value>;
}

interface Registry {
  /** Models without what others add to them. */
  readonly models: readonly Model[];
  readonly associations: readonly Association[];
  /** The relations that decorators tie through models. */
  readonly ties: readonly Tie[];
}

const REGISTRY: Declaration<Registry> = {
  names: new Set([...ASSOCIATIONS, "define", "init", TABLE]),
  none: { models: [], associations: [], ties: [] },
  read: readRegistry,
};

const isSame = (one: Model, other: Model): boolean =>
  one === other || (one.name === other.name && one.table === other.table);

/** The model of that name, wherever it is defined. Linear in the number of models. */
export function findModel(name: string, tools: Tools): Model | undefined {
  const found = tools.declared(REGISTRY).models.find((each) => each.name === name);
  return found && withAssociations(found, tools);
}

/** All models that are defined, with the tables between them. */
export function allModels(tools: Tools): readonly Model[] {
  const { models, associations } = tools.declared(REGISTRY);
  const between = associations.flatMap((each) => betweenOf(each, tools)?.model ?? []);
  return [...models, ...between].map((each) => withAssociations(each, tools));
}

/** A model with the columns and relations that associations give it. Linear in the number of associations. */
export function withAssociations(base: Model, tools: Tools): Model {
  if (isCompleted.has(base)) return base;
  const { associations, ties } = tools.declared(REGISTRY);
  const columns = new Map(base.columns.map((each) => [each.property ?? each.column, each]));
  const whole = (model: Model): Model => withAssociations(model, tools);
  const of = (value: Value | undefined): Model | undefined => modelOfValue(value, tools);
  const relations: ModelRelation[] = [...base.relations, ...decoratedRelations(base, tools, { of, whole })]; // prettier-ignore
  let isKeyed = false;
  for (const each of associations) {
    const key = keyAdded(each, tools);
    if (key && isSame(key.holder, base)) {
      const own = columns.get(key.property) ?? key.column;
      columns.set(key.property, own);
      if (each.method !== "belongsTo") relations.push({ ...key.reference, column: own.column });
    }
    if (isSame(each.source, base)) relations.push(...(relationOf(each, tools) ?? []));
    const between = each.method === "belongsToMany" ? betweenOf(each, tools) : undefined;
    if (between && isSame(between.model, base)) {
      isKeyed = true;
      for (const column of [between.own, between.other]) {
        columns.set(column.property ?? column.column, { ...columns.get(column.property ?? ""), ...column }); // prettier-ignore
      }
      relations.push(...between.references);
    }
  }
  if (base.columns.some(({ isAutomatic }) => isAutomatic)) {
    for (const column of keysBetween(base, ties, tools, of)) {
      isKeyed = true;
      columns.set(column.property ?? column.column, { ...column, isKey: true });
    }
  }
  // A table between two has their keys as its own, unless it declares one.
  const own = [...columns.values()].filter((each) => !(isKeyed && each.isAutomatic === true));
  const known = new Map(relations.map((each) => [each.property, each]));
  const isTold = (each: ModelRelation): boolean =>
    !each.property.endsWith(REFERENCES) ||
    ![...known.values()].some(
      (other) => other !== each && other.column === each.column && !other.property.endsWith(REFERENCES), // prettier-ignore
    );
  const made: Model = { ...base, columns: own, relations: [...known.values()].filter(isTold) };
  isCompleted.set(made, true);
  return made;
}

const isCompleted = attribute<Model, true>();

const REFERENCES = " references";

/** `as`, or what the other model is called. */
function nameOf({ method, target, options }: Association): string {
  const given = options.get("as");
  const isMany = method === "hasMany" || method === "belongsToMany";
  const named = given?.kind === "object" && given.fields.get(isMany ? "plural" : "singular")?.value;
  const usual = isMany ? pluralOf(target.name) : singularOf(target.name);
  return constantText(named || given) ?? usual;
}

/** `a_b` as `aB`; the first letter stays. */
function joinedName(...parts: readonly string[]): string {
  return parts
    .join("_")
    .replaceAll(/[-_\s]+(.)?/gu, (_, letter: string | undefined) => letter?.toUpperCase() ?? "");
}

function keyOf(model: Model, name: Value | undefined): ModelColumn | undefined {
  const wanted = constantText(name);
  return wanted === undefined
    ? keysOf(model)[0]
    : model.columns.find(({ property }) => property === wanted);
}

/** `foreignKey: "a"`, `foreignKey: { name: "a", field: "b", allowNull: false }`. */
function keyGiven(
  value: Value | undefined,
  usual: string,
  holder: Model,
  tools: Tools,
): { readonly property: string; readonly column: string; readonly isRequired: boolean } {
  const fields = value?.kind === "object" ? tools.fields(value) : undefined;
  const property = constantText(fields?.get("name") ?? fields?.get("fieldName") ?? value) ?? usual;
  const column = constantText(fields?.get("field")) ?? holder.columnFor?.(property) ?? property;
  return { property, column, isRequired: constantScalar(fields?.get("allowNull")) === false };
}

/** The column that an association of two tables adds, and to which of them. */
function keyAdded(each: Association, tools: Tools) {
  const { method, source, target, options } = each;
  if (method === "belongsToMany") return undefined;
  const [holder, other] = method === "belongsTo" ? [source, target] : [target, source];
  const referred = keyOf(other, options.get(method === "belongsTo" ? "targetKey" : "sourceKey"));
  if (!referred) return undefined;
  const own = referred.property ?? referred.column;
  const of =
    method === "belongsTo"
      ? nameOf(each)
      : method === "hasOne"
        ? singularOf(constantText(options.get("as")) ?? source.name)
        : singularOf(source.name);
  const given = keyGiven(options.get("foreignKey"), joinedName(of, own), holder, tools);
  const { property, isRequired } = given;
  const column: ModelColumn = {
    property,
    column: given.column,
    type: referred.type,
    ...(isRequired && { isRequired }),
  };
  const reference: ModelRelation = {
    property: `${property}${REFERENCES}`,
    target: () => withAssociations(other, tools),
    column: given.column,
    referenced: referred.column,
    isMany: false,
    ...constraint(options, isRequired, method),
  };
  return { holder, property, column, reference, referred };
}

/** The action on a row when the one that it refers to is deleted. */
function constraint(
  options: ReadonlyMap<string, Value>,
  isRequired: boolean,
  method: AssociationMethod,
): Partial<ModelRelation> {
  if (constantScalar(options.get("constraints")) === false) return { isLoose: true };
  const usual = isRequired ? (method === "belongsTo" ? "NO ACTION" : "CASCADE") : "SET NULL";
  const deletes = (constantText(options.get("onDelete")) ?? usual).toUpperCase();
  if (deletes === "CASCADE") return { onDelete: "cascade" };
  return deletes.startsWith("SET") ? { onDelete: "set" } : {};
}

function relationOf(each: Association, tools: Tools): readonly ModelRelation[] | undefined {
  const { method, target, options } = each;
  // A part of the related rows is nothing that is followed.
  if (options.has("scope")) return undefined;
  const property = nameOf(each);
  const other = (): Model => withAssociations(target, tools);
  if (method === "belongsToMany") {
    const between = betweenOf(each, tools);
    if (!between) return undefined;
    const { model, own, other: theirs } = between;
    const through = {
      model: () => withAssociations(model, tools),
      own: own.column,
      other: theirs.column,
    };
    return [{ property, target: other, between: through, isMany: true }];
  }
  const key = keyAdded(each, tools);
  if (!key) return undefined;
  const { holder, column, referred, reference } = key;
  // The holder may have declared the column itself, under another name.
  const declared = holder.columns.find((own) => own.property === key.property) ?? column;
  if (method === "belongsTo") return [{ ...reference, property, column: declared.column }];
  const isKey = keysOf(each.source)[0]?.column === referred.column;
  const { column: theirs } = declared;
  return [{ property, target: other, theirs, isMany: method === "hasMany", ...(!isKey && { referenced: referred.column }) }]; // prettier-ignore
}

/** The model between two, with the columns that refer to each. */
function betweenOf(each: Association, tools: Tools) {
  const { method, source, target, options } = each;
  if (method !== "belongsToMany") return undefined;
  const given = options.get("through");
  const fields = given?.kind === "object" ? tools.fields(given) : undefined;
  const through = fields?.get("model") ?? given;
  const [ownKey, otherKey] = [keyOf(source, options.get("sourceKey")), keyOf(target, options.get("targetKey"))]; // prettier-ignore
  const name = constantText(through);
  const known = name === undefined ? modelOfValue(through, tools) : tools.declared(REGISTRY).models.find((model) => model.name === name); // prettier-ignore
  if (!ownKey || !otherKey || (!known && name === undefined)) return undefined;
  const hasTimes = constantScalar(options.get("timestamps")) !== false;
  const model: Model = known ?? {
    kind: "model",
    name: name ?? "",
    table: name ?? "",
    columns: hasTimes ? source.columns.filter(({ role }) => role === "created" || role === "updated") : [], // prettier-ignore
    relations: [],
    uniqueKeys: [],
    ...(source.columnFor && { columnFor: source.columnFor }),
  };
  const keyFor = (value: Value | undefined, of: Model, key: ModelColumn): ModelColumn => {
    const usual = joinedName(singularOf(of.name), key.property ?? key.column);
    const { property, column } = keyGiven(value, usual, model, tools);
    const declared = model.columns.find((own) => own.property === property);
    const isKey = known === undefined || known.columns[0]?.isAutomatic === true;
    return { ...(declared ?? { property, column, type: key.type }), ...(isKey && { isKey }) };
  };
  const own = keyFor(options.get("foreignKey"), source, ownKey);
  const other = keyFor(options.get("otherKey"), target, otherKey);
  const reference = (column: ModelColumn, to: Model): ModelRelation => ({
    property: `${column.property ?? ""}${REFERENCES}`,
    target: () => withAssociations(to, tools),
    column: column.column,
    isMany: false,
    ...(constantScalar(options.get("constraints")) === false ? { isLoose: true } : { onDelete: "cascade" as const }), // prettier-ignore
  });
  return { model, own, other, references: [reference(own, source), reference(other, target)] };
}

function readRegistry(calls: readonly DeclaringCall[], tools: Tools): Registry {
  const defined = calls.flatMap((call) => {
    const model = definedBy(call, tools);
    return model ? [{ call, model }] : [];
  });
  const models = [...new Map(defined.map(({ model }) => [model.name, model])).values()];
  const associations = calls.flatMap((call): readonly Association[] => {
    const method = ASSOCIATIONS.find((each) => each === call.method);
    const [first, options] = call.arguments;
    if (method === undefined || !first) return [];
    const named = (expression: HirExpression): Model | undefined =>
      modelNamed(expression, call, defined, tools);
    const [source, target] = [named(call.object), named(first)];
    // The additions of it are said where it is used.
    if (!source || !target) return [];
    const scope = scopeOf(call, tools, defined);
    const given = options && scope ? tools.fields(tools.evaluate(options, scope)) : undefined;
    if (options && !given) return [];
    return [{ method, source, target, options: given ?? new Map<string, Value>() }];
  });
  return { models, associations, ties: calls.flatMap((call) => tiesOf(call, tools)) };
}

interface Defined {
  readonly call: DeclaringCall;
  readonly model: Model;
}

/** The meaning of names where a call stands: functions are given the database and its types, or the models. */
function scopeOf(
  { file, functions, method }: DeclaringCall,
  tools: Tools,
  defined: readonly Defined[] = [],
): Scope | undefined {
  const top = tools.top(file);
  if (!top) return undefined;
  const modelValue = (name: string): Value | undefined => {
    const found = defined.find(({ model, call }) => model.name === name || call.bound === name || model.class?.class.name === name); // prettier-ignore
    return found && tools.handle("model", found.model);
  };
  const isMaking = method === "define" || method === "init";
  const bindings = functions.flatMap(({ parameters }) =>
    parameters.flatMap(({ pattern }, at): readonly (readonly [string, Value])[] => {
      if (isMaking) {
        const value = tools.handle(at === 0 ? "db" : "DataTypes");
        return pattern.kind === "bind" && at < 2 ? [[pattern.name, value]] : [];
      }
      if (pattern.kind === "bind") return [[pattern.name, { kind: "namespace", lookup: modelValue }]]; // prettier-ignore
      return namesTaken(pattern).flatMap(([key, name]) => {
        const value = modelValue(key);
        return value ? [[name, value] as const] : [];
      });
    }),
  );
  return {
    bindings: new Map(bindings.map(([name, value]) => [name, { value, birth: 0 }] as const)),
    parent: withTypes(top, tools),
    module: top.module,
  };
}

/** The names that `{ a, b: c }` binds, by what is taken. */
function namesTaken(pattern: HirPattern): readonly (readonly [string, string])[] {
  if (pattern.kind !== "object") return [];
  return pattern.entries.flatMap(({ key, pattern: inner }) =>
    typeof key === "string" && inner.kind === "bind" ? [[key, inner.name] as const] : [],
  );
}

/** The model that `sequelize.define(...)` or `X.init(...)` makes. */
function definedBy(call: DeclaringCall, tools: Tools): Model | undefined {
  const scope = scopeOf(call, tools);
  if (!scope) return undefined;
  const [first, second, third] = call.arguments.map((each) => tools.evaluate(each, scope));
  if (call.method === "define") {
    const name = constantText(first);
    const database = tools.evaluate(call.object, scope);
    const isOne = database.kind === "handle" && database.path === "db";
    const isGiven = call.object.kind === "name" && /sequelize|^db$|connection/iu.test(call.object.name); // prettier-ignore
    if (name === undefined || !(isOne || isGiven)) return undefined;
    const data = database.kind === "handle" ? database.data : undefined;
    const defaults = isDefaults(data) ? data.define : new Map<string, Value>();
    return modelOf(name, second, third, defaults, tools);
  }
  if (call.method !== "init") return undefined;
  const named = call.object.kind === "name" ? call.object.name : undefined;
  const own = call.object.kind === "this" || call.object.kind === "super" ? call.class : undefined;
  const declared = named === undefined ? own : classIn(call.functions, named);
  const value: Value | undefined = declared
    ? { kind: "class", class: declared, scope }
    : named === undefined
      ? undefined
      : scope.module.lookup(named);
  if (value?.kind !== "class" || !extendsModel(value)) return undefined;
  const options = second && tools.fields(second);
  const database = options?.get("sequelize");
  const data = database?.kind === "handle" ? database.data : undefined;
  const name = constantText(options?.get("modelName")) ?? value.class.name ?? "";
  const defaults = isDefaults(data) ? data.define : new Map<string, Value>();
  return modelOf(name, first, second, defaults, tools, value);
}

/** The model that an expression means at a call. */
function modelNamed(
  expression: HirExpression,
  call: DeclaringCall,
  defined: readonly Defined[],
  tools: Tools,
): Model | undefined {
  const byClass = (name: string | undefined): Model | undefined =>
    defined.find(({ call: { file }, model }) => file === call.file && model.class?.class.name === name)?.model; // prettier-ignore
  switch (expression.kind) {
    case "this":
      return byClass(call.class?.name);
    case "name": {
      const { name } = expression;
      const local = defined.find(({ call: each }) => each.file === call.file && each.bound === name && each.functions[0] === call.functions[0]); // prettier-ignore
      if (local) return local.model;
      const scope = scopeOf(call, tools, defined);
      const known = scope && modelOfValue(tools.evaluate(expression, scope), tools);
      return known ? (defined.find(({ model }) => isSame(model, known))?.model ?? known) : byClass(name); // prettier-ignore
    }
    case "typed":
      return modelNamed(expression.operand, call, defined, tools);
    case "member":
    case "index": {
      const scope = scopeOf(call, tools, defined);
      const known = scope && modelOfValue(tools.evaluate(expression, scope), tools);
      if (known) return known;
      const property = expression.kind === "member" ? expression.property : indexText(expression.index); // prettier-ignore
      return defined.find(({ model, call: each }) => model.name === property || each.bound === property || (property !== undefined && model.class?.class.name === property))?.model; // prettier-ignore
    }
    default:
      return undefined;
  }
}

function indexText(index: HirExpression): string | undefined {
  return index.kind === "text" ? index.runs.map(({ text }) => text).join("") : undefined;
}
