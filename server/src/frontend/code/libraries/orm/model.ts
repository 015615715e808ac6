// Models of object-relational mappers: classes or definitions in code that stand for tables.
import { kindGuard } from "../kindGuard";
import type { Dialect } from "../../../../program/dialect";
import type { Expression, ValueType } from "../../../../program/expression";
import type { Column, ForeignKey, Table, UniqueKey } from "../../../../program/schema";
import type { Takes } from "../../../../program/takes";
import { relationName, type WrittenName } from "../../../sql/relationNames";
import type { Value } from "../../values";
import type { ClassValue, Tools } from "../library";

export interface ModelColumn {
  /** The code's name for it; undefined for the column of a relation that has no property of its own. */
  readonly property?: string;
  readonly column: string;
  readonly type: ValueType;
  readonly takes?: Takes;
  readonly isKey?: boolean;
  readonly isRequired?: boolean;
  readonly generated?: "sequence" | "uuid";
  readonly default?: Expression;
  /** The mapper's value for new rows that do not say it, where that is more than a constant: a value, or a function that makes it. */
  readonly initial?: Value;
  /** The mapper added it, as nothing else is the key. */
  readonly isAutomatic?: boolean;
  /** Functions of the model stand before it and make something else of what is read from it, or of what is written. */
  readonly changes?: { readonly onRead: boolean; readonly onWrite: boolean };
  readonly unique?: boolean;
  /** The values that the mapper writes into it by itself. */
  readonly role?: "version" | "created" | "updated" | "deleted";
  /** It is only read where it is asked for. */
  readonly isHidden?: boolean;
  /** No UPDATE sets it. */
  readonly isFixed?: boolean;
}

/** Rows of another model that belong to a row of this one. */
export interface ModelRelation {
  readonly property: string;
  readonly target: () => Model | undefined;
  /** The own column that holds the other's key. */
  readonly column?: string | undefined;
  /** Else: the other's property for the relation back to this one. */
  readonly inverse?: string;
  /** Else: the other's column that holds a key of this one. */
  readonly theirs?: string | undefined;
  /** Else: a model that holds both keys. */
  readonly between?:
    { readonly model: () => Model; readonly own: string; readonly other: string } | undefined;
  /** The column that is referred to, where that is not the key. */
  readonly referenced?: string | undefined;
  readonly isMany: boolean;
  readonly isEager?: boolean;
  readonly onDelete?: "cascade" | "set";
  /** The database knows nothing of it. */
  readonly isLoose?: boolean;
}

export interface Model {
  readonly kind: "model";
  /** A class of the code, with methods of its own alone. */
  readonly isEntity?: true;
  readonly name: string;
  readonly table: string;
  /** That of its table, where the code says it. */
  readonly schema?: string;
  readonly columns: readonly ModelColumn[];
  readonly relations: readonly ModelRelation[];
  /** By columns. */
  readonly uniqueKeys: readonly UniqueKey[];
  readonly class?: ClassValue;
  /** The column of a property that is not declared. */
  readonly columnFor?: (property: string) => string;
  /** The parts of rows beside columns and relations. */
  readonly others?: ReadonlySet<string>;
  /** The names of functions that run around what is done with its rows (`beforeUpdate`). */
  readonly hooks?: readonly string[];
  /** The methods that the code adds to its repository. */
  readonly added?: Value;
  /** Options that calls have as well: of all calls, and of those that ask for them. */
  readonly scopes?: { readonly usual?: Value; readonly named?: Value };
  /** Those that it was asked for with, instead of those of all calls. */
  readonly scoped?: ReadonlyMap<string, Value>;
}

export const isModel = kindGuard<Model>("model");

/** The column of a property, or of that name. */
export function columnOf(model: Model, name: string): ModelColumn | undefined {
  return (
    model.columns.find(({ property }) => property === name) ??
    model.columns.find(({ column }) => column === name)
  );
}

export function keysOf(model: Model): readonly ModelColumn[] {
  return model.columns.filter(({ isKey }) => isKey === true);
}

export function roleOf(model: Model, role: NonNullable<ModelColumn["role"]>) {
  return model.columns.find((each) => each.role === role);
}

/** The table as the schema knows it. */
export function tableOf(model: Model): Table {
  const { columns, uniqueKeys, table, schema, relations } = model;
  return {
    name: table,
    ...(schema !== undefined && { schema }),
    columns: columns.map(schemaColumn),
    primaryKey: keysOf(model).map(({ column }) => column),
    uniqueKeys: [
      ...columns.filter(({ unique }) => unique).map(({ column }) => ({ columns: [column] })),
      ...uniqueKeys,
    ],
    foreignKeys: relations.flatMap((relation): readonly ForeignKey[] => {
      const { column, target, onDelete, isLoose } = relation;
      const other = column === undefined || isLoose === true ? undefined : target();
      const referenced = relation.referenced ?? (other && keysOf(other)[0]?.column);
      if (column === undefined || !other || referenced === undefined) return [];
      const reference = { columns: [column], table: other.table, referenced: [referenced] };
      return [{ ...reference, ...(onDelete && { onDelete }) }];
    }),
    checks: [],
    inferred: false,
  };
}

function schemaColumn({
  column,
  type,
  isKey,
  isRequired,
  generated,
  ...rest
}: ModelColumn): Column {
  const value: Expression | undefined =
    generated === undefined
      ? (rest.default ?? defaultOf(rest.role, type))
      : { kind: "fresh", id: column, type, why: generated };
  const nullable = !(isKey === true || isRequired === true);
  const { takes } = rest;
  return {
    name: column,
    type,
    nullable,
    ...(takes && { takes }),
    ...(value && { default: value }),
  };
}

function defaultOf(role: ModelColumn["role"], type: ValueType): Expression | undefined {
  if (role === "version") return { kind: "literal", value: 1, type };
  if (role === "created" || role === "updated")
    return { kind: "fresh", id: role, type, why: "now" };
  return undefined;
}

/**
 * The name as the database has it: a migration may have made the column in another style than the mapper's own, which
 * a naming strategy then bridges.
 */
export function nameInTable(table: Table | undefined, name: string): string {
  if (!table || table.columns.some((each) => each.name === name)) return name;
  const other = snakeCase(name);
  return table.columns.some((each) => each.name === other) ? other : name;
}

/** The table that a mapper names so, with `a.b` for the table b of the schema a. */
export function nameOfTable(written: WrittenName, { dialect, table }: Tools): string {
  return relationName(withOwnSchema(written), { dialect, table });
}

function withOwnSchema({ name, schema }: WrittenName): WrittenName {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? { name, schema } : { name: name.slice(dot + 1), schema: name.slice(0, dot) };
}

/** A model's table under the first of the names that one of the schema has, else under the first. */
export function modelTable(
  tools: Tools,
  names: readonly [string, ...string[]],
  schema?: string,
): Pick<Model, "table" | "schema"> {
  const found = names.map((name) => {
    const { schema: own } = withOwnSchema({ name, schema });
    const table = nameOfTable({ name, schema }, tools);
    return { table, ...(own !== undefined && { schema: own }) };
  });
  const known = found.find(({ table }) => tools.table(table) !== undefined) ?? found[0];
  return known ?? { table: names[0] };
}

/** `userId` as `user_id`. */
export function snakeCase(name: string): string {
  return name
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, "$1_$2")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase();
}

/** `user_id` and `user id` as `userId`. */
export function camelCase(name: string): string {
  const joined = name.replaceAll(/[_\s]+(\w)/gu, (_, letter: string) => letter.toUpperCase());
  return joined.charAt(0).toLowerCase() + joined.slice(1);
}

/** The lock clause of a dialect. */
export function lockClause(kind: "update" | "share", dialect: Dialect): string {
  if (kind === "update") return "FOR UPDATE";
  return dialect === "mysql" || dialect === "mariadb" ? "LOCK IN SHARE MODE" : "FOR SHARE";
}
