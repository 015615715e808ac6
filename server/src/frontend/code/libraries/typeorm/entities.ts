// TypeORM's entities: classes whose decorators declare tables, columns and relations.
import type { Expression, ValueType } from "../../../../program/expression";
import type { UniqueKey } from "../../../../program/schema";
import { takesOf } from "../../../../program/takes";
import { dictionary } from "../../../../protocol/dictionary";
import type { HirField } from "../../hir";
import { constantScalar, constantText, type Value } from "../../values";
import { findAnnotation, plainName } from "../annotations";
import { namesIn } from "../builders/draft";
import { labelsOf } from "../labels";
import type { ClassValue, Tools } from "../library";
import { ancestry, annotationArguments, entityFields, entityModel, propertyOf, thunkResult, typeNamed, type EntityField, type EntityReading, type EntityRelation } from "../orm/entityClass"; // prettier-ignore
import { camelCase, snakeCase, type Model, type ModelColumn } from "../orm/model";

/** The entity that a class is; undefined where it is none. */
export function entityOf(value: Value | undefined, tools: Tools): Model | undefined {
  if (value?.kind !== "class") return undefined;
  const entity = findAnnotation(value.class.annotations, "Entity");
  if (!entity) return undefined;
  const [first, second] = annotationArguments(entity, value, tools);
  const options = first?.kind === "object" ? first : second;
  const fields = options && tools.fields(options);
  const written = constantText(first) ?? constantText(fields?.get("name"));
  const reading: EntityReading<EntityField, EntityRelation> = {
    tables: [written ?? snakeCase(value.class.name ?? "")],
    schema: constantText(fields?.get("schema")) ?? databaseOf(fields, tools),
    fields: entityFields(value),
    column: (each) => columnOfField(each, tools),
    relation: (each) => relationOf(each, tools),
    uniqueKeys: (columnNamed) => uniqueKeysOf(value, columnNamed, tools),
    isTransient: ({ field }) => field.annotations.length === 0,
  };
  return entityModel(value, reading, tools);
}

/** MySQL's databases are its schemas. */
function databaseOf(
  options: ReadonlyMap<string, Value> | undefined,
  { dialect }: Tools,
): string | undefined {
  const isSchema = dialect === "mysql" || dialect === "mariadb";
  return isSchema ? constantText(options?.get("database")) : undefined;
}

const COLUMN =
  /^(?:PrimaryGeneratedColumn|PrimaryColumn|Column|VersionColumn|CreateDateColumn|UpdateDateColumn|DeleteDateColumn)$/u;

const ROLES = dictionary<ModelColumn["role"]>({
  VersionColumn: "version",
  CreateDateColumn: "created",
  UpdateDateColumn: "updated",
  DeleteDateColumn: "deleted",
});

function columnOfField({ of, field }: EntityField, tools: Tools): ModelColumn | undefined {
  const annotation = field.annotations.find((each) => COLUMN.test(plainName(each)));
  if (!annotation) return undefined;
  const kind = plainName(annotation);
  const given = annotationArguments(annotation, of, tools);
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
    : generator && (constantText(annotationArguments(generator, of, tools)[0]) ?? "increment");
  const isUuid = strategy === "uuid";
  const role = ROLES[kind];
  const made = isGenerated ? (isUuid ? "text" : "int") : typeNamed(named, field.type);
  const type = role === undefined ? (made ?? "other") : role === "version" ? "int" : "time";
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
  return index !== undefined && isUniqueIndex(annotationArguments(index, of, tools), tools);
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

function relationOf({ of, field }: EntityField, tools: Tools): EntityRelation | undefined {
  const relation = findAnnotation(field.annotations, "ManyToOne", "OneToOne", "OneToMany");
  if (!relation) return undefined;
  const kind = plainName(relation);
  const [first, ...more] = annotationArguments(relation, of, tools);
  const options = more.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  const join = findAnnotation(field.annotations, "JoinColumn");
  const target = thunkResult(first, tools);
  const key = target?.kind === "class" ? keyOf(target, tools) : undefined;
  const [joinOptions] = annotationArguments(join, of, tools);
  const joinName = constantText(joinOptions && tools.fields(joinOptions)?.get("name"));
  const column = joinName ?? camelCase(`${field.name}_${key?.column ?? "id"}`);
  const inverse = propertyOf(more.find((each) => each.kind === "function"));
  const deletes = constantText(fields?.get("onDelete"))?.toUpperCase();
  return {
    property: field.name,
    target: () => entityOf(thunkResult(first, tools), tools),
    ...(kind === "ManyToOne" || join ? { column } : inverse !== undefined && { inverse }),
    isMany: kind === "OneToMany",
    isEager: constantScalar(fields?.get("eager")) === true,
    ...(constantScalar(fields?.get("createForeignKeyConstraints")) === false && { isLoose: true }),
    ...(deletes === "CASCADE" && { onDelete: "cascade" as const }),
    ...(deletes?.startsWith("SET") === true && { onDelete: "set" as const }),
    keyType: key?.type ?? "int",
    isRequired: constantScalar(fields?.get("nullable")) === false,
  };
}

function keyOf(target: ClassValue, tools: Tools): ModelColumn | undefined {
  const columns = entityFields(target).flatMap((each) => columnOfField(each, tools) ?? []);
  return columns.find(({ isKey }) => isKey);
}

/** `@Unique(["a", "b"])`, `@Unique("name", ["a"])`, `@Index(["a", "b"], { unique: true })`. */
function uniqueKeysOf(
  of: ClassValue,
  columnNamed: (property: string) => string | undefined,
  tools: Tools,
): readonly UniqueKey[] {
  return ancestry(of).flatMap((each) =>
    each.class.annotations.flatMap((annotation): readonly UniqueKey[] => {
      const kind = plainName(annotation);
      if (kind !== "Unique" && kind !== "Index") return [];
      const given = annotationArguments(annotation, each, tools);
      if (kind === "Index" && !isUniqueIndex(given, tools)) return [];
      const list = given.find(({ kind: is }) => is === "list");
      const properties =
        namesIn(list, tools).length > 0
          ? namesIn(list, tools)
          : given.flatMap((value) => propertiesOfFunction(value));
      const name = list ? constantText(given[0]) : undefined;
      if (properties.length === 0) return [];
      return [
        {
          columns: properties.map((each) => columnNamed(each) ?? each),
          ...(name !== undefined && { name }),
        },
      ];
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
