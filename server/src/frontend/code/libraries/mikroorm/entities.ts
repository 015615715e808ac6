// MikroORM's entities: classes whose decorators declare tables, columns and relations.
import { takesOf } from "../../../../program/takes";
import { constantScalar, constantText, type Value } from "../../values";
import { findAnnotation, plainName } from "../annotations";
import { namesIn } from "../builders/draft";
import type { Tools } from "../library";
import { annotationArguments, entityFields, entityModel, propertyOf, thunkResult, typeNamed, type EntityField, type EntityReading, type EntityRelation } from "../orm/entityClass"; // prettier-ignore
import { snakeCase, type Model, type ModelColumn } from "../orm/model";

/** The entity that a class is; undefined where it is none. */
export function entityOf(value: Value | undefined, tools: Tools): Model | undefined {
  if (value?.kind !== "class") return undefined;
  const { annotations, name = "" } = value.class;
  const entity = findAnnotation(annotations, "Entity");
  if (!entity) return undefined;
  const [options] = annotationArguments(entity, value, tools);
  const given = options && tools.fields(options);
  const written = constantText(given?.get("tableName"));
  // Of `*` each statement says it.
  const schema = constantText(given?.get("schema"));
  const unique = annotations.filter((each) => plainName(each) === "Unique");
  const reading: EntityReading<EntityField, EntityRelation> = {
    tables: [written ?? snakeCase(name)],
    schema: schema === "*" ? undefined : schema,
    fields: entityFields(value),
    column: (each) => columnOf(each, tools),
    relation: (each) => relationOf(each, tools),
    uniqueKeys: (columnNamed) =>
      unique.flatMap((each) => {
        const [record] = annotationArguments(each, value, tools);
        const names = namesIn(record && tools.fields(record)?.get("properties"), tools);
        return names.length === 0 ? [] : [{ columns: names.map((own) => columnNamed(own) ?? own) }];
      }),
    isTransient: ({ field }) => field.annotations.length === 0,
  };
  return entityModel(value, reading, tools);
}

function columnOf({ of, field }: EntityField, tools: Tools): ModelColumn | undefined {
  const decorator = findAnnotation(field.annotations, "PrimaryKey", "Property", "Enum", "SerializedPrimaryKey"); // prettier-ignore
  if (!decorator) return undefined;
  const kind = plainName(decorator);
  const [given] = annotationArguments(decorator, of, tools);
  const options = given?.kind === "object" ? tools.fields(given) : undefined;
  const flag = (name: string): boolean => constantScalar(options?.get(name)) === true;
  if (constantScalar(options?.get("persist")) === false) return undefined;
  const named = constantText(options?.get("type")) ?? constantText(options?.get("columnType"));
  const isKey = kind === "PrimaryKey";
  const type = typeNamed(named, field.type) ?? (kind === "Enum" ? "text" : "other");
  const isVersion = flag("version");
  const takes = takesOf(named ?? "", {});
  const isGenerated = isKey && type === "int" && constantScalar(options?.get("autoincrement")) !== false; // prettier-ignore
  const initial = options?.get("default");
  const isNullable = flag("nullable") || /\bnull\b/u.test(field.type ?? "");
  const isUnique = flag("unique") || findAnnotation(field.annotations, "Unique") !== undefined;
  return {
    property: field.name,
    column: constantText(options?.get("fieldName")) ?? constantText(options?.get("name")) ?? snakeCase(field.name), // prettier-ignore
    type: isVersion ? "int" : type,
    isRequired: !isNullable,
    ...(takes && { takes }),
    ...(isKey && { isKey }),
    ...(isGenerated && { generated: "sequence" as const }),
    ...(isVersion && { role: "version" as const }),
    ...(initial && constantScalar(initial) !== undefined && { default: tools.expression(initial) }),
    ...(isUnique && { unique: true }),
  };
}

function relationOf({ of, field }: EntityField, tools: Tools): EntityRelation | undefined {
  const decorator = findAnnotation(field.annotations, "ManyToOne", "OneToOne", "OneToMany");
  if (!decorator) return undefined;
  const given = annotationArguments(decorator, of, tools);
  const record = given.find((each) => each.kind === "object");
  const options = record && tools.fields(record);
  const entity = given[0]?.kind === "object" ? options?.get("entity") : given[0];
  const inverse = given[1]?.kind === "function" ? given[1] : options?.get("mappedBy");
  const mapped = propertyOf(inverse) ?? constantText(inverse);
  const target = thunkResult(entity, tools);
  const key =
    target?.kind === "class"
      ? entityFields(target).flatMap((each) => columnOf(each, tools) ?? []).find(({ isKey }) => isKey) // prettier-ignore
      : undefined;
  const isMany = plainName(decorator) === "OneToMany";
  const column = constantText(options?.get("fieldName")) ?? constantText(options?.get("joinColumn")) ?? `${snakeCase(field.name)}_${key?.column ?? "id"}`; // prettier-ignore
  return {
    property: field.name,
    target: () => entityOf(thunkResult(entity, tools), tools),
    ...(mapped !== undefined ? { inverse: mapped } : isMany ? {} : { column }),
    isMany,
    keyType: key?.type ?? "int",
  };
}
