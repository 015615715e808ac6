// Entities that are classes: what mappers have in common where annotations declare columns and relations.
import type { ValueType } from "../../../../program/expression";
import type { UniqueKey } from "../../../../program/schema";
import type { HirAnnotation, HirField } from "../../hir";
import type { Value } from "../../values";
import type { ClassValue, Tools } from "../library";
import { modelTable, nameInTable, type Model, type ModelColumn, type ModelRelation } from "./model"; // prettier-ignore

/** A relation with the type of the other's key. */
export interface EntityRelation extends ModelRelation {
  readonly keyType: ValueType;
  readonly isRequired?: boolean;
}

export interface EntityField {
  /** The class that declares it. */
  readonly of: ClassValue;
  readonly field: HirField;
}

/** A mapper's reading of one class. */
export interface EntityReading<Field extends EntityField, Relation extends EntityRelation> {
  /** Names that the table may have; the first that the schema knows is taken. */
  readonly tables: readonly [string, ...string[]];
  /** The schema that the class names for it. */
  readonly schema?: string | undefined;
  readonly fields: readonly Field[];
  readonly column: (field: Field) => ModelColumn | undefined;
  readonly relation: (field: Field) => Relation | undefined;
  readonly uniqueKeys: (
    columnNamed: (property: string) => string | undefined,
    columns: readonly ModelColumn[],
  ) => readonly UniqueKey[];
  /** True if the database does not have it. */
  readonly isTransient: (field: Field) => boolean;
}

/** The model of a class. Linear in its fields. */
export function entityModel<Field extends EntityField, Relation extends EntityRelation>(
  of: ClassValue,
  {
    tables,
    schema,
    fields,
    column,
    relation,
    uniqueKeys,
    isTransient,
  }: EntityReading<Field, Relation>,
  tools: Tools,
): Model & { readonly relations: readonly Relation[] } {
  const place = modelTable(tools, tables, schema);
  const known = tools.table(place.table);
  const inTable = <Each extends { readonly column?: string | undefined }>(each: Each): Each =>
    each.column === undefined ? each : { ...each, column: nameInTable(known, each.column) };
  const own = fields.flatMap((each) => column(each) ?? []).map(inTable);
  const relations = fields.flatMap((each) => relation(each) ?? []).map(inTable);
  const foreign = relations.flatMap((each): readonly ModelColumn[] => {
    const { column: key, keyType: type, isRequired } = each;
    if (key === undefined || own.some((other) => other.column === key)) return [];
    return [{ column: key, type, ...(isRequired !== undefined && { isRequired }) }];
  });
  const columns = [...own, ...foreign];
  const columnNamed = (property: string): string | undefined =>
    [...relations, ...columns].find((each) => each.property === property)?.column;
  return {
    kind: "model",
    isEntity: true,
    name: of.class.name ?? "",
    ...place,
    columns,
    relations,
    uniqueKeys: uniqueKeys(columnNamed, columns),
    class: of,
    others: new Set(fields.filter(isTransient).map(({ field }) => field.name)),
  };
}

/** A class and those that it extends in the workspace, topmost first. */
export function ancestry(of: ClassValue, depth = 6): readonly ClassValue[] {
  const { superclass } = of.class;
  const parent =
    superclass === undefined || depth === 0 ? undefined : of.scope.module.lookup(superclass);
  return parent?.kind === "class" ? [...ancestry(parent, depth - 1), of] : [of];
}

/** True if a class extends one of a library, if by way of others. */
export function extendsLibrary(of: ClassValue, library: string, name: string): boolean {
  const [top] = ancestry(of);
  const [first = "", ...rest] = top?.class.superclass?.split(".") ?? [];
  const parent = top?.scope.module.lookup(first);
  if (parent?.kind !== "handle" || parent.library.name !== library) return false;
  return (rest.at(-1) ?? parent.path) === name;
}

/** The fields of a class and of those that it extends, topmost first. */
export function entityFields(of: ClassValue): readonly EntityField[] {
  return ancestry(of).flatMap((each) => each.class.fields.map((field) => ({ of: each, field })));
}

/** Arguments of a decorator. */
export function annotationArguments(
  annotation: HirAnnotation | undefined,
  of: ClassValue,
  tools: Tools,
): readonly Value[] {
  return (annotation?.arguments ?? []).map((each) => tools.evaluate(each, of.scope));
}

/** The result of `() => X`; other values as they are. */
export function thunkResult(value: Value | undefined, tools: Tools): Value | undefined {
  if (value?.kind !== "function") return value;
  const [only] = value.function.body;
  return only?.kind === "return" && only.value
    ? tools.evaluate(only.value, value.scope)
    : undefined;
}

/** The property of `(x) => x.property`. */
export function propertyOf(value: Value | undefined): string | undefined {
  const [only] = value?.kind === "function" ? value.function.body : [];
  return only?.kind === "return" && only.value?.kind === "member" ? only.value.property : undefined;
}

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/^(?:int|integer|smallint|bigint|tinyint|mediumint|int2|int4|int8|number|serial)$/iu, "int"],
  [/^(?:decimal|numeric|float|float4|float8|double|double precision|real|money)$/iu, "decimal"],
  [/^(?:bool|boolean)$/iu, "bool"],
  [/^(?:date|time|datetime|timestamp|timestamptz)\b|with(?:out)? time zone/iu, "time"],
  [/^(?:json|jsonb|simple-json)$/iu, "json"],
  [/^(?:bytea|blob|binary|varbinary|buffer)$/iu, "bytes"],
  [/^(?:string|text|varchar|char|uuid|enum|simple-enum|character|citext)\b/iu, "text"],
];

/** The type of values by the first known name: of the database, or of TypeScript without what it may lack. */
export function typeNamed(...names: readonly (string | undefined)[]): ValueType | undefined {
  for (const name of names) {
    const plain = name?.replace(/\s*\|.*$/su, "").trim();
    const found = plain === undefined ? undefined : TYPES.find(([pattern]) => pattern.test(plain));
    if (found) return found[1];
  }
  return undefined;
}
