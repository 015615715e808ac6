// MikroORM's entities: classes whose decorators declare tables, columns and relations.
import type { ValueType } from "../../../../program/expression";
import { takesOf } from "../../../../program/takes";
import type { HirField } from "../../hir";
import { constantScalar, constantText, type Value } from "../../values";
import { findAnnotation } from "../annotations";
import { namesIn } from "../builders/draft";
import type { ClassValue, Tools } from "../library";
import {
  nameInTable,
  snakeCase,
  firstKnownTable,
  type Model,
  type ModelColumn,
  type ModelRelation,
} from "../orm/model";

/** The entity that a class is; undefined where it is none. */
export function entityOf(value: Value | undefined, tools: Tools): Model | undefined {
  if (value?.kind !== "class") return undefined;
  const entity = findAnnotation(value.class.annotations, "Entity");
  if (!entity) return undefined;
  const name = value.class.name ?? "";
  const [options] = entity.arguments.map((each) => tools.evaluate(each, value.scope));
  const written = constantText(options && tools.fields(options)?.get("tableName"));
  const table = firstKnownTable(tools, [written ?? snakeCase(name)]);
  const known = tools.table(table);
  const fields = ancestry(value).flatMap((of) => of.class.fields.map((field) => ({ of, field })));
  const own = fields.flatMap(({ of, field }) => columnOf(of, field, tools) ?? []).map((each) => ({ ...each, column: nameInTable(known, each.column) })); // prettier-ignore
  const relations = fields.flatMap(({ of, field }) => relationOf(of, field, tools) ?? []).map((each) => each.column === undefined ? each : { ...each, column: nameInTable(known, each.column) }); // prettier-ignore
  const joined = relations.flatMap(
    ({ column, keyType }): readonly ModelColumn[] =>
    column === undefined || own.some((each) => each.column === column) ? [] : [{ column, type: keyType }], // prettier-ignore
  );
  const columns = [...own, ...joined];
  const unique = value.class.annotations.filter((each) => findAnnotation([each], "Unique"));
  return {
    kind: "model",
    isEntity: true,
    name,
    table,
    columns,
    relations,
    uniqueKeys: unique.flatMap(({ arguments: [given] }) => {
      const list = given && tools.fields(tools.evaluate(given, value.scope))?.get("properties");
      const names = namesIn(list, tools).map(
        (each) => columns.find(({ property }) => property === each)?.column ?? relations.find(({ property }) => property === each)?.column ?? each, // prettier-ignore
      );
      return names.length === 0 ? [] : [{ columns: names }];
    }),
    class: value,
    others: new Set(fields.flatMap(({ field }) => field.annotations.length === 0 ? [field.name] : [])), // prettier-ignore
  };
}

function ancestry(of: ClassValue, depth = 6): readonly ClassValue[] {
  const { superclass } = of.class;
  const parent =
    superclass === undefined || depth === 0 ? undefined : of.scope.module.lookup(superclass);
  return parent?.kind === "class" ? [...ancestry(parent, depth - 1), of] : [of];
}

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^(?:int|integer|smallint|bigint|tinyint|number|serial)$/iu, "int"],
  [/^(?:decimal|numeric|float|double|real)$/iu, "decimal"],
  [/^bool(?:ean)?$/iu, "bool"],
  [/^(?:date|time|datetime|timestamp(?:tz)?)$/iu, "time"],
  [/^jsonb?$/iu, "json"],
  [/^(?:string|text|varchar|uuid|enum|character)\b/iu, "text"],
];

function typeNamed(name: string | undefined): ValueType | undefined {
  return name === undefined ? undefined : TYPES.find(([pattern]) => pattern.test(name))?.[1];
}

function columnOf(of: ClassValue, field: HirField, tools: Tools): ModelColumn | undefined {
  const decorator = findAnnotation(field.annotations, "PrimaryKey", "Property", "Enum", "SerializedPrimaryKey"); // prettier-ignore
  if (!decorator) return undefined;
  const kind = decorator.name.split(".").at(-1);
  const [given] = decorator.arguments.map((each) => tools.evaluate(each, of.scope));
  const options = given?.kind === "object" ? tools.fields(given) : undefined;
  const flag = (name: string): boolean => constantScalar(options?.get(name)) === true;
  if (constantScalar(options?.get("persist")) === false) return undefined;
  const named = constantText(options?.get("type")) ?? constantText(options?.get("columnType"));
  const written = field.type?.replace(/\s*\|.*$/su, "").trim();
  const isKey = kind === "PrimaryKey";
  const type = typeNamed(named) ?? typeNamed(written) ?? (kind === "Enum" ? "text" : "other");
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

interface EntityRelation extends ModelRelation {
  readonly keyType: ValueType;
}

function relationOf(of: ClassValue, field: HirField, tools: Tools): EntityRelation | undefined {
  const decorator = findAnnotation(field.annotations, "ManyToOne", "OneToOne", "OneToMany");
  if (!decorator) return undefined;
  const given = decorator.arguments.map((each) => tools.evaluate(each, of.scope));
  const record = given.find((each) => each.kind === "object");
  const options = record && tools.fields(record);
  const entity = given[0]?.kind === "object" ? options?.get("entity") : given[0];
  const classOf = (): Value | undefined => {
    if (entity?.kind !== "function") return entity;
    const [first] = entity.function.body;
    return first?.kind === "return" && first.value ? tools.evaluate(first.value, entity.scope) : undefined; // prettier-ignore
  };
  const inverse = given[1]?.kind === "function" ? given[1] : options?.get("mappedBy");
  const [back] = inverse?.kind === "function" ? inverse.function.body : [];
  const mapped = back?.kind === "return" && back.value?.kind === "member" ? back.value.property : constantText(inverse); // prettier-ignore
  const target = classOf();
  const key =
    target?.kind === "class"
      ? ancestry(target).flatMap((each) => each.class.fields.flatMap((own) => columnOf(each, own, tools) ?? [])).find(({ isKey }) => isKey) // prettier-ignore
      : undefined;
  const isMany = decorator.name.endsWith("OneToMany");
  const column = constantText(options?.get("fieldName")) ?? constantText(options?.get("joinColumn")) ?? `${snakeCase(field.name)}_${key?.column ?? "id"}`; // prettier-ignore
  return {
    property: field.name,
    target: () => entityOf(classOf(), tools),
    ...(mapped !== undefined ? { inverse: mapped } : isMany ? {} : { column }),
    isMany,
    keyType: key?.type ?? "int",
  };
}
