// JPA's entities: classes whose annotations declare tables, columns and relations.
import { ofNodes } from "../../../../../query/nodes";
import type { ValueType } from "../../../../../program/expression";
import type { UniqueKey } from "../../../../../program/schema";
import { superclassOf } from "../../../evaluate/values/methods";
import type { HirAnnotation, HirClass, HirFunction } from "../../../hir";
import { constantScalar, constantText, type Value } from "../../../values";
import { findAnnotation } from "../../annotations";
import { namesIn } from "../../builders/draft";
import type { ClassValue, Tools } from "../../library";
import { entityFields, entityModel, type EntityField, type EntityReading, type EntityRelation } from "../../orm/entityClass"; // prettier-ignore
import { snakeCase, type Model, type ModelColumn } from "../../orm/model";

/** A relation with what is done to the other end along with its row. */
export interface JpaRelation extends EntityRelation {
  readonly cascades: ReadonlySet<string>;
}

export interface JpaModel extends Model {
  readonly relations: readonly JpaRelation[];
  /** Its name in queries. */
  readonly entityName: string;
  /** An UPDATE sets only what changed. */
  readonly isDynamic: boolean;
  /** Parts that are not followed: parts of its columns, and methods that run around what is done with its rows. */
  readonly unread: readonly string[];
}

export const isJpaModel = (model: Model | undefined): model is JpaModel =>
  model !== undefined && "entityName" in model;

const memo = ofNodes((_of: HirClass, _tools: Tools): { model?: JpaModel } => ({}));

/** The entity that a class is; undefined where it is none. The same for a class whenever it is asked for. */
export function entityOf(value: Value | undefined, tools: Tools): JpaModel | undefined {
  // `Account.class`.
  if (value?.kind === "builtin" && value.name === "class.class") return entityOf(value.self, tools);
  if (value?.kind !== "class") return undefined;
  const entity = findAnnotation(value.class.annotations, "Entity");
  if (!entity) return undefined;
  return (memo(value.class, tools).model ??= newEntity(value, entity, tools));
}

function newEntity(of: ClassValue, entity: HirAnnotation, tools: Tools): JpaModel {
  const name = of.class.name ?? "";
  const entityName = textOption(entity, "name", of, tools) ?? name;
  const declared = findAnnotation(of.class.annotations, "Table");
  const written = declared && textOption(declared, "name", of, tools);
  const plain = written ?? entityName;
  const fields = fieldsOf(of);
  const reading: EntityReading<OwnedField, JpaRelation> = {
    tables: [snakeCase(plain), plain],
    schema: declared && schemaOf(declared, of, tools),
    fields,
    column: (field) => columnOfField(field, tools),
    relation: (field) => relationOf(field, tools),
    uniqueKeys: (_columnNamed, columns) =>
      declared ? uniqueKeysOf(declared, columns, of, tools) : [],
    isTransient,
  };
  return {
    ...entityModel(of, reading, tools),
    entityName,
    isDynamic: findAnnotation(of.class.annotations, "DynamicUpdate") !== undefined,
    unread: unreadOf(of, fields),
  };
}

/** MySQL's databases are catalogues to JPA. */
function schemaOf(table: HirAnnotation, of: ClassValue, tools: Tools): string | undefined {
  const { dialect } = tools;
  const catalog =
    dialect === "mysql" || dialect === "mariadb"
      ? textOption(table, "catalog", of, tools)
      : undefined;
  return textOption(table, "schema", of, tools) ?? catalog;
}

interface OwnedField extends EntityField {
  /** The field's own, and those of its getter. */
  readonly annotations: readonly HirAnnotation[];
}

/** The fields of a class and of those above it, topmost first. */
function fieldsOf(of: ClassValue): readonly OwnedField[] {
  return entityFields(of).flatMap(({ of: holder, field }): readonly OwnedField[] => {
    if (field.isStatic) return [];
    const capital = field.name.charAt(0).toUpperCase() + field.name.slice(1);
    const getter = holder.class.methods.find(
      ({ name }) => name === `get${capital}` || name === `is${capital}`,
    );
    const annotations = [...field.annotations, ...(getter?.function.annotations ?? [])];
    return [{ of: holder, field, annotations }];
  });
}

function unreadOf({ class: of }: ClassValue, fields: readonly OwnedField[]): readonly string[] {
  const parts = fields.filter(({ annotations }) =>
    findAnnotation(annotations, "Embedded", "EmbeddedId"),
  );
  const methods = of.methods.filter(({ function: { annotations } }) =>
    findAnnotation(annotations, "PreUpdate", "PreRemove", "PostPersist", "PostUpdate", "PostLoad"),
  ); // prettier-ignore
  const others = ["Inheritance", "EntityListeners", "Where", "SQLRestriction", "SQLUpdate", "SQLDelete"]; // prettier-ignore
  return [
    ...parts.map(({ field }) => field.name),
    ...methods.map(({ name }) => `${name}()`),
    ...others.filter((name) => findAnnotation(of.annotations, name)).map((name) => `@${name}`),
  ];
}

/** The methods of an entity and of the classes above it that run before it is inserted, topmost first. */
export function beforeInsert(
  of: ClassValue,
  depth = 8,
): readonly { readonly of: ClassValue; readonly function: HirFunction }[] {
  const above = superclassOf(of);
  const own = of.class.methods.filter(({ function: { annotations } }) => findAnnotation(annotations, "PrePersist")); // prettier-ignore
  return [
    ...(above && depth > 0 ? beforeInsert(above, depth - 1) : []),
    ...own.map((method) => ({ of, function: method.function })),
  ];
}

function isTransient({ annotations }: OwnedField): boolean {
  return findAnnotation(annotations, "Transient") !== undefined;
}

/** Annotations that hide a field from the columns: it is none, or is more than one. */
const NO_COLUMN = ["Transient", "Embedded", "EmbeddedId", "ElementCollection", "ManyToMany", "Formula", "ManyToOne", "OneToOne", "OneToMany"]; // prettier-ignore

function columnOfField(owned: OwnedField, tools: Tools): ModelColumn | undefined {
  const { of, field, annotations } = owned;
  if (findAnnotation(annotations, ...NO_COLUMN)) return undefined;
  const column = findAnnotation(annotations, "Column");
  const generated = findAnnotation(annotations, "GeneratedValue", "UuidGenerator");
  const written = (field.type ?? "").trim();
  const type = columnType(owned, written);
  const isKey = findAnnotation(annotations, "Id") !== undefined;
  const isUuid = written === "UUID" || (generated && optionName(generated, "strategy") === "UUID");
  const role = findAnnotation(annotations, "Version")
    ? "version"
    : findAnnotation(annotations, "UpdateTimestamp", "LastModifiedDate")
      ? "updated"
      : findAnnotation(annotations, "CreationTimestamp", "CreatedDate")
        ? "created"
        : undefined;
  const isFixed = column && option(column, "updatable", of, tools) === false;
  const isRequired =
    isPrimitive(written) ||
    findAnnotation(annotations, "NotNull", "NonNull", "NotBlank") !== undefined ||
    (column !== undefined && option(column, "nullable", of, tools) === false);
  return {
    property: field.name,
    column: (column && textOption(column, "name", of, tools)) ?? snakeCase(field.name),
    type,
    isRequired,
    ...(isKey && { isKey }),
    ...(generated && { generated: isUuid === true ? "uuid" : "sequence" }),
    ...(column && option(column, "unique", of, tools) === true && { unique: true }),
    ...(role !== undefined && { role }),
    ...((isFixed === true || role === "created") && { isFixed: true }),
  };
}

export function isPrimitive(type: string): boolean {
  return /^(?:int|long|short|byte|double|float|boolean|char)$/u.test(type);
}

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^(?:int|long|short|byte|Integer|Long|Short|Byte|BigInteger|AtomicInteger)$/u, "int"],
  [/^(?:double|float|Double|Float|BigDecimal)$/u, "decimal"],
  [/^[bB]oolean$/u, "bool"],
  [/^(?:String|UUID|char|Character)$/u, "text"],
  [/^(?:(?:Local|Offset|Zoned)(?:Date|DateTime|Time)|Instant|Date|Timestamp|Year|Duration)$/u, "time"],
  [/^byte\[\]$/u, "bytes"],
]; // prettier-ignore

function columnType({ of, annotations }: OwnedField, written: string): ValueType {
  const name = written.replace(/^(?:\w+\.)+/u, "");
  const known = TYPES.find(([pattern]) => pattern.test(name))?.[1];
  if (known !== undefined) return known;
  const found = of.scope.module.lookup(name);
  if (found?.kind !== "class" || !isEnumeration(found.class)) return "other";
  const enumerated = findAnnotation(annotations, "Enumerated");
  return enumerated && onlyName(enumerated) === "STRING" ? "text" : "int";
}

export function isEnumeration({ name, fields }: HirClass): boolean {
  return fields.some((each) => each.isStatic && each.isFinal && each.type === name);
}

function relationOf(owned: OwnedField, tools: Tools): JpaRelation | undefined {
  const { of, field, annotations } = owned;
  const relation = findAnnotation(annotations, "ManyToOne", "OneToOne", "OneToMany");
  if (!relation) return undefined;
  const isMany = relation.name.endsWith("OneToMany");
  const type = field.type ?? "";
  const targetName = (isMany ? /<\s*(?:[\w.]+\s*,\s*)?([\w.]+)\s*>/u.exec(type)?.[1] : type.trim()) ?? ""; // prettier-ignore
  const classOf = (): Value | undefined => of.scope.module.lookup(targetName);
  const mappedBy = textOption(relation, "mappedBy", of, tools);
  const join = findAnnotation(annotations, "JoinColumn");
  const named = join && textOption(join, "name", of, tools);
  const target = classOf();
  const key =
    target?.kind === "class"
      ? fieldsOf(target).flatMap((each) => columnOfField(each, tools) ?? []).find(({ isKey }) => isKey) // prettier-ignore
      : undefined;
  const column = named ?? `${snakeCase(field.name)}_${key?.column ?? "id"}`;
  const cascades = namesOfOption(relation, "cascade");
  const isOrphan = option(relation, "orphanRemoval", of, tools) === true;
  const isRequired =
    option(relation, "optional", of, tools) === false ||
    (join !== undefined && option(join, "nullable", of, tools) === false);
  return {
    property: field.name,
    target: () => entityOf(classOf(), tools),
    ...(mappedBy === undefined ? (isMany ? { theirs: column } : { column }) : { inverse: mappedBy }), // prettier-ignore
    isMany,
    cascades: new Set([...cascades, ...(isOrphan ? ["REMOVE"] : [])]),
    keyType: key?.type ?? "int",
    isRequired,
  };
}

/** `@Table(uniqueConstraints = @UniqueConstraint(columnNames = { "a", "b" }))`. */
function uniqueKeysOf(
  table: HirAnnotation,
  columns: readonly ModelColumn[],
  of: ClassValue,
  tools: Tools,
): readonly UniqueKey[] {
  const given = entriesOf(table).get("uniqueConstraints");
  const constraints = given?.kind === "array" ? given.items.map(({ value }) => value) : given ? [given] : []; // prettier-ignore
  const nameOf = (name: string): string =>
    columns.find(({ column }) => column.toLowerCase() === name.toLowerCase())?.column ??
    columns.find(({ property }) => property === name)?.column ??
    snakeCase(name);
  return constraints.flatMap((each): readonly UniqueKey[] => {
    const names = namesIn(tools.fields(tools.evaluate(each, of.scope))?.get("columnNames"), tools);
    return names.length === 0 ? [] : [{ columns: names.map(nameOf) }];
  });
}

/** The named arguments of an annotation; an only one without a name is `value`. */
export function entriesOf({ arguments: [given] }: HirAnnotation) {
  if (given?.kind !== "object") return new Map(given ? [["value", given] as const] : []);
  return new Map(
    given.entries.flatMap((entry) =>
      entry.kind === "property" && typeof entry.key === "string"
        ? [[entry.key, entry.value] as const]
        : [],
    ),
  );
}

export function optionValue(
  annotation: HirAnnotation,
  name: string,
  of: ClassValue,
  tools: Tools,
): Value | undefined {
  const given = entriesOf(annotation).get(name);
  return given && tools.evaluate(given, of.scope);
}

function option(annotation: HirAnnotation, name: string, of: ClassValue, tools: Tools) {
  return constantScalar(optionValue(annotation, name, of, tools));
}

export function textOption(
  annotation: HirAnnotation,
  name: string,
  of: ClassValue,
  tools: Tools,
): string | undefined {
  return constantText(optionValue(annotation, name, of, tools));
}

/** The last name of what stands there: `LockModeType.PESSIMISTIC_WRITE`. */
export function optionName(annotation: HirAnnotation, name: string): string | undefined {
  return namesOfOption(annotation, name)[0];
}

function onlyName(annotation: HirAnnotation): string | undefined {
  return optionName(annotation, "value");
}

function namesOfOption(annotation: HirAnnotation, name: string): readonly string[] {
  const given = entriesOf(annotation).get(name);
  const all =
    given?.kind === "array" ? given.items.map(({ value }) => value) : given ? [given] : [];
  return all.flatMap((each) =>
    each.kind === "member" ? [each.property] : each.kind === "name" ? [each.name] : [],
  );
}
