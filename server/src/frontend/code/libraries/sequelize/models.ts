// Sequelize's models: `define`, and classes whose `init` names their attributes.
import { kindGuard } from "../kindGuard";
import type { ValueType } from "../../../../program/expression";
import type { UniqueKey } from "../../../../program/schema";
import { takesOf } from "../../../../program/takes";
import { dictionary } from "../../../../protocol/dictionary";
import type { HirExpression, HirStatement } from "../../hir";
import {
  constantScalar,
  constantText,
  type HandleValue,
  type Scope,
  type Value,
} from "../../values";
import { namesIn } from "../builders/draft";
import type { ClassValue, Tools } from "../library";
import { extendsLibrary } from "../orm/entityClass";
import {
  nameInTable,
  snakeCase,
  modelTable,
  type Model,
  type ModelColumn,
  type ModelRelation,
} from "../orm/model";
import { changesOf } from "./accessors";
import { decoratedModel } from "./modelDecorators";

type Fields = ReadonlyMap<string, Value>;

const NONE: Fields = new Map();

/** The settings of all models in `new Sequelize(..., { define })`. */
export interface Defaults {
  readonly kind: "defaults";
  readonly define: Fields;
}

export const isDefaults = kindGuard<Defaults>("defaults");

/** `new Sequelize(url, { define: { timestamps: false } })`. */
export function defaultsOf(args: readonly Value[], tools: Tools): Defaults {
  const options = args.findLast((each) => each.kind === "object");
  const define = options && tools.fields(options)?.get("define");
  return { kind: "defaults", define: (define && tools.fields(define)) ?? NONE };
}

/** The model of a name, its attributes and options; undefined where the attributes are not known. */
export function modelOf(
  name: string,
  attributes: Value | undefined,
  options: Value | undefined,
  defaults: Fields,
  tools: Tools,
  of?: ClassValue,
): Model | undefined {
  const given = attributes && tools.fields(attributes);
  if (!given) return undefined;
  const own = (options && tools.fields(options)) ?? NONE;
  const option = (key: string): Value | undefined => own.get(key) ?? defaults.get(key);
  const is = (key: string): boolean => constantScalar(option(key)) === true;
  const plural = is("freezeTableName") ? name : pluralOf(name);
  const written = constantText(own.get("tableName"));
  const usual = is("underscored") ? snakeCase(plural) : plural;
  const names = [usual, plural, snakeCase(plural), name] as const;
  const place = modelTable(
    tools,
    written === undefined ? names : [written],
    constantText(option("schema")),
  );
  const known = tools.table(place.table);
  const columnFor = (property: string): string =>
    nameInTable(known, is("underscored") ? snakeCase(property) : property);
  const isStored = ([, value]: readonly [string, Value]): boolean => !isVirtual(value, tools);
  const columns = [...given]
    .filter(isStored)
    .map(([property, value]) => attributeOf(property, value, columnFor, tools));
  const key: readonly ModelColumn[] = columns.some(({ isKey }) => isKey)
    ? []
    : [{ property: "id", column: "id", type: "int", isKey: true, generated: "sequence", isAutomatic: true }]; // prettier-ignore
  const all = [...key, ...columns, ...ownColumns(option, columnFor)];
  return {
    kind: "model",
    name,
    ...place,
    columns: [...new Map(all.map((each) => [each.property ?? each.column, each])).values()],
    relations: relationsOf(given, columns, tools),
    uniqueKeys: uniqueKeysOf(own.get("indexes"), columns, given, tools),
    columnFor,
    hooks: [own, defaults].flatMap((each) => [
      ...(fieldsOf(each.get("hooks"), tools)?.keys() ?? []),
    ]),
    others: new Set([...given].filter((each) => !isStored(each)).map(([property]) => property)),
    ...scopesOf(own),
    ...(of && { class: of }),
  };
}

/** The scopes that a model's options declare. */
function scopesOf(options: Fields): Pick<Model, "scopes"> {
  const [usual, named] = [options.get("defaultScope"), options.get("scopes")];
  return usual || named ? { scopes: { ...(usual && { usual }), ...(named && { named }) } } : {};
}

function fieldsOf(value: Value | undefined, tools: Tools): Fields | undefined {
  return value && tools.fields(value);
}

/** Columns that Sequelize writes by itself. */
function ownColumns(
  option: (key: string) => Value | undefined,
  columnFor: (property: string) => string,
): readonly ModelColumn[] {
  const named = (key: string, usual: string): string | undefined => {
    const value = option(key);
    return constantScalar(value) === false ? undefined : (constantText(value) ?? usual);
  };
  const made = (
    property: string | undefined,
    role: NonNullable<ModelColumn["role"]>,
    type: ValueType,
  ): readonly ModelColumn[] =>
    property === undefined
      ? []
      : [{ property, column: columnFor(property), type, role, isRequired: role !== "deleted" }];
  const hasTimes = constantScalar(option("timestamps")) !== false;
  const isParanoid = constantScalar(option("paranoid")) === true;
  const version = option("version");
  const hasVersion = version !== undefined && constantScalar(version) !== false;
  return [
    ...(hasTimes ? made(named("createdAt", "createdAt"), "created", "time") : []),
    ...(hasTimes ? made(named("updatedAt", "updatedAt"), "updated", "time") : []),
    ...(hasTimes && isParanoid ? made(named("deletedAt", "deletedAt"), "deleted", "time") : []),
    ...(hasVersion
      ? made(constantText(version) ?? "version", "version", "int").map((each) => ({
          ...each,
          default: { kind: "literal", value: 0, type: "int" } as const,
        }))
      : []),
  ];
}

const TYPES = dictionary<ValueType | undefined>({
  ...typed("int", "INTEGER BIGINT SMALLINT TINYINT MEDIUMINT"),
  ...typed("decimal", "DECIMAL FLOAT DOUBLE REAL NUMBER"),
  ...typed("text", "STRING TEXT CHAR UUID ENUM CITEXT"),
  ...typed("bool", "BOOLEAN"),
  ...typed("time", "DATE DATEONLY TIME NOW"),
  ...typed("json", "JSON JSONB"),
  ...typed("bytes", "BLOB"),
});

function typed(type: ValueType, names: string): Record<string, ValueType> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

/** `DataTypes.VIRTUAL`: of rows in memory alone. */
function isVirtual(value: Value, tools: Tools): boolean {
  const type = (value.kind === "object" && tools.fields(value)?.get("type")) || value;
  return type.kind === "handle" && type.path.split(".").includes("VIRTUAL");
}

/** The type that `DataTypes.STRING(10)` names. */
function typeOf(value: Value | undefined): ValueType {
  const name = typeNameOf(value);
  return (name === undefined ? undefined : TYPES[name]) ?? "other";
}

function typeNameOf(value: Value | undefined): string | undefined {
  const path = value?.kind === "handle" ? value.path : value?.kind === "external" ? value.name : "";
  return path.split(".").find((part) => TYPES[part] !== undefined);
}

function attributeOf(
  property: string,
  value: Value,
  columnFor: (property: string) => string,
  tools: Tools,
): ModelColumn {
  const fields = value.kind === "object" ? tools.fields(value) : undefined;
  if (!fields) return { property, column: columnFor(property), type: typeOf(value) };
  const is = (key: string): boolean => constantScalar(fields.get(key)) === true;
  const initial = fields.get("defaultValue");
  const type = typeOf(fields.get("type"));
  const isUuid = initial?.kind === "handle" && /UUIDV\d$/u.test(initial.path);
  const isNow = initial?.kind === "handle" && initial.path.endsWith(".NOW");
  const isConstant = constantScalar(initial) !== undefined;
  const isMade = initial && initial.kind !== "undefined" && !isUuid && !isNow && !isConstant;
  const changes = changesOf(property, fields);
  const takes = takesOf(typeNameOf(fields.get("type"))?.toLowerCase() ?? "");
  return {
    property,
    column: constantText(fields.get("field")) ?? columnFor(property),
    type,
    ...(takes?.kind === "uuid" && { takes }),
    ...(is("primaryKey") && { isKey: true }),
    ...(is("autoIncrement") && { generated: "sequence" }),
    ...(isUuid && { generated: "uuid" }),
    ...(isNow && { default: { kind: "fresh", id: property, type, why: "now" } }),
    ...(initial && isConstant && { default: tools.expression(initial) }),
    ...(isMade && { initial }),
    ...(changes && { changes }),
    ...(constantScalar(fields.get("allowNull")) === false && { isRequired: true }),
    ...(is("unique") && { unique: true }),
  };
}

/** `references: { model: Other, key: "id" }`. */
function relationsOf(
  given: Fields,
  columns: readonly ModelColumn[],
  tools: Tools,
): readonly ModelRelation[] {
  return [...given].flatMap(([property, value]): readonly ModelRelation[] => {
    const fields = value.kind === "object" ? tools.fields(value) : undefined;
    const references = fields?.get("references");
    const target = references && tools.fields(references)?.get("model");
    const column = columns.find((each) => each.property === property)?.column;
    if (!target || column === undefined) return [];
    const deletes = constantText(fields?.get("onDelete"))?.toUpperCase();
    return [
      {
        property: `${property} references`,
        target: () => modelOfValue(target, tools),
        column,
        isMany: false,
        ...(deletes === "CASCADE" && { onDelete: "cascade" as const }),
        ...(deletes?.startsWith("SET") === true && { onDelete: "set" as const }),
      },
    ];
  });
}

/** Indexes, and attributes that are unique together by a name. */
function uniqueKeysOf(
  indexes: Value | undefined,
  columns: readonly ModelColumn[],
  given: Fields,
  tools: Tools,
): readonly UniqueKey[] {
  const columnNamed = (name: string): string =>
    columns.find(({ property }) => property === name)?.column ?? name;
  const listed = ((indexes && tools.items(indexes)) ?? []).flatMap(
    (index): readonly UniqueKey[] => {
      const fields = tools.fields(index);
      const names = namesIn(fields?.get("fields"), tools);
      const isUnique = constantScalar(fields?.get("unique")) === true && !fields?.has("where");
      return isUnique && names.length > 0 ? [{ columns: names.map(columnNamed) }] : [];
    },
  );
  const named = new Map<string, string[]>();
  for (const [property, value] of given) {
    const unique = value.kind === "object" ? tools.fields(value)?.get("unique") : undefined;
    const name = constantText(unique);
    if (name !== undefined) named.set(name, [...(named.get(name) ?? []), columnNamed(property)]);
  }
  return [...listed, ...[...named].map(([name, keys]) => ({ columns: keys, name }))];
}

/** The model of a handle or of a class that extends `Model`. */
export function modelOfValue(value: Value | undefined, tools: Tools): Model | undefined {
  if (value?.kind === "handle") {
    const { data } = value;
    const isOne = typeof data === "object" && data !== null && "columns" in data;
    // Handles of this library with columns are those that `define` made.
    return isOne && value.path.startsWith("model") ? (data as Model) : undefined;
  }
  return value?.kind === "class" ? modelOfClass(value, tools) : undefined;
}

/** `class X extends Model {}` with an `X.init(...)` in the same module, or in a static method of it. */
export function modelOfClass(of: ClassValue, tools: Tools): Model | undefined {
  const { name = "" } = of.class;
  if (!extendsModel(of)) return undefined;
  const { module } = of.scope;
  const body = tools.module(module.file)?.body ?? [];
  const found =
    initIn(body, new Set([name])) ??
    of.class.methods
      .filter(({ isStatic }) => isStatic)
      .map((method) => initIn(method.function.body, new Set([name, "this", "super"])))
      .find((each) => each !== undefined);
  const said =
    found?.map((each) => tools.evaluate(each, withTypes(of.scope, tools))) ??
    decoratedModel(of, tools);
  if (!said) return undefined;
  const [attributes, options] = said;
  const database = options && tools.fields(options)?.get("sequelize");
  const data = database?.kind === "handle" ? database.data : undefined;
  const called = constantText(options && tools.fields(options)?.get("modelName")) ?? name;
  const define = isDefaults(data) ? data.define : NONE;
  return modelOf(called, attributes, options, define, tools, of);
}

/** `DataTypes` and `sequelize` where the module gets them as arguments. */
export function withTypes(scope: Scope, tools: Tools): Scope {
  const bind = (name: string, value: HandleValue) =>
    scope.module.lookup(name) ? [] : [[name, { value, birth: 0 }] as const];
  return {
    bindings: new Map([
      ...bind("DataTypes", tools.handle("DataTypes")),
      ...bind("sequelize", tools.handle("db")),
    ]),
    parent: scope,
    module: scope.module,
  };
}

/** True if a class extends Sequelize's `Model`, itself or through others. */
export function extendsModel(of: ClassValue): boolean {
  return extendsLibrary(of, "sequelize", "Model");
}

/** The arguments of `name.init(...)` among statements. */
function initIn(
  body: readonly HirStatement[],
  names: ReadonlySet<string>,
): readonly HirExpression[] | undefined {
  for (const statement of body) {
    const expression =
      statement.kind === "expression"
        ? statement.expression
        : statement.kind === "return"
          ? statement.value
          : undefined;
    if (expression?.kind !== "call" || expression.callee.kind !== "member") continue;
    const { object, property } = expression.callee;
    const name = object.kind === "name" ? object.name : object.kind;
    if (property === "init" && names.has(name)) {
      return expression.arguments.map(({ value }) => value);
    }
  }
  return undefined;
}

/** The nouns that `pluralOf` makes a plural of. */
export function singularOf(name: string): string {
  const odd = Object.entries(ODD).find(([, many]) => new RegExp(`${many}$`, "iu").test(name));
  if (odd) return name.slice(0, name.length - odd[1].length + 1) + odd[0].slice(1);
  if (/[^aeiou]ies$/iu.test(name)) return `${name.slice(0, -3)}y`;
  if (/(?:sses|xes|zes|ches|shes|uses)$/iu.test(name)) return name.slice(0, -2);
  return /[^s]s$/iu.test(name) && !/(?:us|is)$/iu.test(name) ? name.slice(0, -1) : name;
}

/** English plurals, as far as names of tables go. */
export function pluralOf(name: string): string {
  const odd = Object.entries(ODD).find(([one]) => new RegExp(`${one}$`, "iu").test(name));
  if (odd) return name.slice(0, name.length - odd[0].length + 1) + odd[1].slice(1);
  if (/[^aeiou]y$/iu.test(name)) return `${name.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh)$/iu.test(name)) return /(?:ies|[^s]s)$/iu.test(name) && !/(?:us|is)$/iu.test(name) ? name : `${name}es`; // prettier-ignore
  return `${name}s`;
}

const ODD: Readonly<Record<string, string>> = {
  person: "people",
  child: "children",
  datum: "data",
};
