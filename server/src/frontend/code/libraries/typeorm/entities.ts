// TypeORM's entities: classes whose decorators declare tables, columns and relations.
import type { Expression, ValueType } from "../../../../program/expression";
import type { UniqueKey } from "../../../../program/schema";
import { takesOf } from "../../../../program/takes";
import { dictionary } from "../../../../protocol/dictionary";
import type { HirAnnotation, HirField } from "../../hir";
import { constantScalar, constantText, type Value } from "../../values";
import { namesIn } from "../builders/draft";
import { labelsOf } from "../labels";
import type { ClassValue, Tools } from "../library";
import {
  camelCase,
  nameInTable,
  snakeCase,
  firstKnownTable,
  type Model,
  type ModelColumn,
  type ModelRelation,
} from "../orm/model";
import { findAnnotation } from "../annotations";

/** The entity that a class is; undefined where it is none. */
export function entityOf(value: Value | undefined, tools: Tools): Model | undefined {
  if (value?.kind !== "class") return undefined;
  const entity = findAnnotation(value.class.annotations, "Entity");
  if (!entity) return undefined;
  const name = value.class.name ?? "";
  const [first, second] = argumentsOf(entity, value, tools);
  const options = first?.kind === "object" ? first : second;
  const written =
    constantText(first) ?? constantText(options && tools.fields(options)?.get("name"));
  const table = firstKnownTable(tools, [written ?? snakeCase(name)]);
  const known = tools.table(table);
  const inTable = (column: ModelColumn): ModelColumn => ({
    ...column,
    column: nameInTable(known, column.column),
  });
  const own = columnsOf(value, tools).map(inTable);
  const relations = relationsOf(value, tools).map((each): EntityRelation =>
    each.column === undefined ? each : { ...each, column: nameInTable(known, each.column) },
  );
  const joined = relations.flatMap(({ column, keyType, isRequired }): readonly ModelColumn[] =>
    column === undefined || own.some((each) => each.column === column)
      ? []
      : [{ column, type: keyType, isRequired }],
  );
  const columns = [...own, ...joined];
  return {
    kind: "model",
    isEntity: true,
    name,
    table,
    columns,
    relations,
    uniqueKeys: uniqueKeysOf(value, columns, relations, tools),
    class: value,
    others: otherFields(value),
  };
}

/** The classes from the topmost ancestor in the workspace to the class itself. */
function ancestry(of: ClassValue, depth = 6): readonly ClassValue[] {
  const { superclass } = of.class;
  const parent =
    superclass === undefined || depth === 0 ? undefined : of.scope.module.lookup(superclass);
  return parent?.kind === "class" ? [...ancestry(parent, depth - 1), of] : [of];
}

/** The fields of rows in memory that the database does not have. */
function otherFields(of: ClassValue): ReadonlySet<string> {
  const fields = ancestry(of).flatMap((each) => each.class.fields);
  return new Set(
    fields.flatMap(({ name, annotations }) => (annotations.length === 0 ? [name] : [])),
  );
}

function argumentsOf(annotation: HirAnnotation, of: ClassValue, tools: Tools): readonly Value[] {
  return annotation.arguments.map((each) => tools.evaluate(each, of.scope));
}

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^(?:int|integer|smallint|bigint|tinyint|mediumint|int2|int4|int8|number|serial)$/iu, "int"],
  [/^(?:decimal|numeric|float|float4|float8|double|double precision|real|money)$/iu, "decimal"],
  [/^(?:bool|boolean)$/iu, "bool"],
  [/^(?:date|time|datetime|timestamp|timestamptz)\b|with(?:out)? time zone/iu, "time"],
  [/^(?:json|jsonb|simple-json)$/iu, "json"],
  [/^(?:bytea|blob|binary|varbinary|buffer)$/iu, "bytes"],
  [/^(?:string|text|varchar|char|uuid|enum|simple-enum|character varying|citext)\b/iu, "text"],
];

function valueType(name: string | undefined): ValueType | undefined {
  return name === undefined ? undefined : TYPES.find(([pattern]) => pattern.test(name))?.[1];
}

/** The columns of the class's fields, without those of relations. */
function columnsOf(of: ClassValue, tools: Tools): readonly ModelColumn[] {
  return ancestry(of).flatMap((each) =>
    each.class.fields.flatMap((field) => columnOfField(each, field, tools) ?? []),
  );
}

const COLUMN =
  /^(?:PrimaryGeneratedColumn|PrimaryColumn|Column|VersionColumn|CreateDateColumn|UpdateDateColumn|DeleteDateColumn)$/u;

const ROLES = dictionary<ModelColumn["role"]>({
  VersionColumn: "version",
  CreateDateColumn: "created",
  UpdateDateColumn: "updated",
  DeleteDateColumn: "deleted",
});

function columnOfField(of: ClassValue, field: HirField, tools: Tools): ModelColumn | undefined {
  const annotation = field.annotations.find(({ name }) =>
    COLUMN.test(name.split(".").at(-1) ?? name),
  );
  if (!annotation) return undefined;
  const kind = annotation.name.split(".").at(-1) ?? "";
  const given = argumentsOf(annotation, of, tools);
  // `@Column(() => Name)`: columns of another class, which are not read.
  if (given[0]?.kind === "function") return undefined;
  const options = given.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  const typeName = given.map(constantText).find((each) => each !== undefined);
  const named = typeName ?? constantText(fields?.get("type"));
  const isGenerated = kind === "PrimaryGeneratedColumn";
  const generator = findAnnotation(field.annotations, "Generated");
  const strategy = isGenerated
    ? (typeName ?? "increment")
    : generator && (constantText(argumentsOf(generator, of, tools)[0]) ?? "increment");
  const isUuid = strategy === "uuid";
  const role = ROLES[kind];
  const written = field.type?.replace(/\s*\|.*$/su, "").trim();
  const type =
    role === "version"
      ? "int"
      : role !== undefined
        ? "time"
        : isGenerated
          ? isUuid
            ? "text"
            : "int"
          : (valueType(named) ?? valueType(written) ?? "other");
  const labels = labelsOf(fields?.get("enum"), tools);
  const takes = isUuid ? takesOf("uuid") : takesOf(named ?? "", { labels });
  const isNullable = constantScalar(fields?.get("nullable")) === true || role === "deleted";
  const initial = fields?.get("default");
  const value = initial && defaultOf(initial, type, tools);
  const isUnique =
    constantScalar(fields?.get("unique")) === true || isUniqueField(of, field, tools);
  return {
    property: field.name,
    column: constantText(fields?.get("name")) ?? field.name,
    type,
    ...(takes && { takes }),
    ...(kind.startsWith("Primary") && { isKey: true }),
    isRequired: !isNullable,
    ...(strategy !== undefined && { generated: isUuid ? "uuid" : "sequence" }),
    ...(value && { default: value }),
    ...(isUnique && { unique: true }),
    ...(role !== undefined && { role }),
    ...(constantScalar(fields?.get("select")) === false && { isHidden: true }),
  };
}

function isUniqueField(of: ClassValue, field: HirField, tools: Tools): boolean {
  if (findAnnotation(field.annotations, "Unique")) return true;
  const index = findAnnotation(field.annotations, "Index");
  return index !== undefined && isUniqueIndex(argumentsOf(index, of, tools), tools);
}

function isUniqueIndex(given: readonly Value[], tools: Tools): boolean {
  const options = given.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  // One that holds for some rows only is not one of all.
  return constantScalar(fields?.get("unique")) === true && !fields?.has("where");
}

function defaultOf(value: Value, type: ValueType, tools: Tools): Expression | undefined {
  if (value.kind === "function") return { kind: "fresh", id: "default", type, why: "now" };
  const known = constantScalar(value);
  return known === undefined ? undefined : tools.expression(value);
}

interface EntityRelation extends ModelRelation {
  readonly keyType: ValueType;
  readonly isRequired: boolean;
}

function relationsOf(of: ClassValue, tools: Tools): readonly EntityRelation[] {
  return ancestry(of).flatMap((each) =>
    each.class.fields.flatMap((field) => relationOf(each, field, tools) ?? []),
  );
}

function relationOf(of: ClassValue, field: HirField, tools: Tools): EntityRelation | undefined {
  const relation = findAnnotation(field.annotations, "ManyToOne", "OneToOne", "OneToMany");
  if (!relation) return undefined;
  const kind = relation.name.split(".").at(-1);
  const [first, ...more] = argumentsOf(relation, of, tools);
  const inverse = more.find((each) => each.kind === "function");
  const options = more.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  const classOf = (): Value | undefined =>
    first?.kind === "function" ? bodyValue(first, tools) : first;
  const join = findAnnotation(field.annotations, "JoinColumn");
  const holdsKey = kind === "ManyToOne" || join !== undefined;
  const target = classOf();
  const key =
    target?.kind === "class" ? columnsOf(target, tools).find(({ isKey }) => isKey) : undefined;
  const [joinOptions] = join ? argumentsOf(join, of, tools) : [];
  const joinName = constantText(joinOptions && tools.fields(joinOptions)?.get("name"));
  const column = joinName ?? camelCase(`${field.name}_${key?.column ?? "id"}`);
  const back = inverse?.kind === "function" ? lastProperty(inverse) : undefined;
  const deletes = constantText(fields?.get("onDelete"))?.toUpperCase();
  return {
    property: field.name,
    target: () => entityOf(classOf(), tools),
    ...(holdsKey ? { column } : back !== undefined && { inverse: back }),
    isMany: kind === "OneToMany",
    isEager: constantScalar(fields?.get("eager")) === true,
    ...(constantScalar(fields?.get("createForeignKeyConstraints")) === false && { isLoose: true }),
    ...(deletes === "CASCADE" && { onDelete: "cascade" as const }),
    ...(deletes?.startsWith("SET") === true && { onDelete: "set" as const }),
    keyType: key?.type ?? "int",
    isRequired: constantScalar(fields?.get("nullable")) === false,
  };
}

/** Result of `() => X`. */
function bodyValue(value: Extract<Value, { kind: "function" }>, tools: Tools): Value | undefined {
  const [first] = value.function.body;
  return first?.kind === "return" && first.value
    ? tools.evaluate(first.value, value.scope)
    : undefined;
}

/** The property that `(x) => x.property` asks for. */
function lastProperty({ function: hir }: Extract<Value, { kind: "function" }>): string | undefined {
  const [first] = hir.body;
  return first?.kind === "return" && first.value?.kind === "member"
    ? first.value.property
    : undefined;
}

/** `@Unique(["a", "b"])`, `@Unique("name", ["a"])`, `@Index(["a", "b"], { unique: true })`. */
function uniqueKeysOf(
  of: ClassValue,
  columns: readonly ModelColumn[],
  relations: readonly ModelRelation[],
  tools: Tools,
): readonly UniqueKey[] {
  const nameOf = (property: string): string =>
    relations.find((each) => each.property === property)?.column ??
    columns.find((each) => each.property === property)?.column ??
    property;
  return ancestry(of).flatMap((each) =>
    each.class.annotations.flatMap((annotation): readonly UniqueKey[] => {
      const kind = annotation.name.split(".").at(-1);
      if (kind !== "Unique" && kind !== "Index") return [];
      const given = argumentsOf(annotation, each, tools);
      if (kind === "Index" && !isUniqueIndex(given, tools)) return [];
      const list = given.find(({ kind: is }) => is === "list");
      const properties =
        namesIn(list, tools).length > 0
          ? namesIn(list, tools)
          : given.flatMap((value) => propertiesOfFunction(value));
      const name = list ? constantText(given[0]) : undefined;
      if (properties.length === 0) return [];
      return [{ columns: properties.map(nameOf), ...(name !== undefined && { name }) }];
    }),
  );
}

/** `(x) => [x.a, x.b]`. */
function propertiesOfFunction(value: Value): readonly string[] {
  if (value.kind !== "function") return [];
  const [first] = value.function.body;
  if (first?.kind !== "return" || first.value?.kind !== "array") return [];
  return first.value.items.flatMap(({ value: item }) =>
    item.kind === "member" ? [item.property] : [],
  );
}
