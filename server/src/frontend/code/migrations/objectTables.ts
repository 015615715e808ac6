// Definitions that migrations of Sequelize and TypeORM give as objects.
import type { HirExpression } from "../hir";
import {
  behind,
  defaultSql,
  plainSql,
  fieldsOf,
  isFalse,
  isTrue,
  itemsOf,
  textOf,
  textsOf,
  type Names,
} from "./constants";
import type { ColumnDraft, Constraint, Definition, Reference } from "./definitions";

/** `createTable("t", { id: { type: Sequelize.INTEGER, primaryKey: true } })` of Sequelize. */
export function sequelizeTable(
  table: string,
  given: HirExpression,
  options: HirExpression | undefined,
  names: Names,
): Definition {
  const columns = [...fieldsOf(given, names)].map(([name, value]) =>
    sequelizeColumn(name, value, names),
  );
  const keys = fieldsOf(fieldsOf(options, names).get("uniqueKeys"), names);
  const uniques = [...keys.values()].flatMap((key): Constraint[] => {
    const fields = textsOf(fieldsOf(key, names).get("fields"), names);
    return fields.length > 0 ? [{ kind: "unique", columns: fields }] : [];
  });
  // Several columns that are each said to be the key are the key together.
  const primary = columns.filter(({ isPrimary }) => isPrimary === true).map(({ name }) => name);
  if (primary.length < 2) return { kind: "create", table, columns, constraints: uniques };
  return {
    kind: "create",
    table,
    columns: columns.map((column) => ({ ...column, isPrimary: false })),
    constraints: [{ kind: "primary", columns: primary }, ...uniques],
  };
}

/** A column of Sequelize's: options, or the type alone. */
export function sequelizeColumn(name: string, given: HirExpression, names: Names): ColumnDraft {
  const options = fieldsOf(given, names);
  const type = lastName(options.get("type") ?? given, names);
  const target = options.get("references");
  const references = target && sequelizeReference(target, options.get("onDelete"), names);
  const constant = defaultSql(options.get("defaultValue"), names);
  return {
    name: textOf(options.get("field"), names) ?? name,
    type,
    isGenerated: isTrue(options.get("autoIncrement"), names),
    isPrimary: isTrue(options.get("primaryKey"), names),
    isUnique: isTrue(options.get("unique"), names),
    // db-migrate has another name for it.
    isRequired: isFalse(options.get("allowNull"), names) || isTrue(options.get("notNull"), names),
    ...(references && { references }),
    ...(constant !== undefined && { default: constant }),
  };
}

function sequelizeReference(
  given: HirExpression,
  onDelete: HirExpression | undefined,
  names: Names,
): Reference | undefined {
  const fields = fieldsOf(given, names);
  const model = fields.get("model") ?? fields.get("table");
  const table = textOf(model, names) ?? textOf(fieldsOf(model, names).get("tableName"), names);
  const action = textOf(onDelete, names);
  if (table === undefined) return undefined;
  const columns = textsOf(fields.get("key") ?? fields.get("field") ?? fields.get("fields"), names);
  return {
    table,
    columns: columns.length > 0 ? columns : ["id"],
    ...(action !== undefined && { onDelete: action }),
  };
}

/** `addConstraint("t", { type: "unique", fields: [...] })`, or with the fields before the options. */
export function sequelizeConstraint(
  given: readonly (HirExpression | undefined)[],
  names: Names,
): Constraint | undefined {
  const [first, second] = given;
  const isList = behind(first, names)?.kind === "array";
  const options = fieldsOf(isList ? second : first, names);
  const columns = textsOf(isList ? first : options.get("fields"), names);
  const type = textOf(options.get("type"), names)?.toLowerCase();
  if (columns.length === 0) return undefined;
  if (type === "unique") return { kind: "unique", columns };
  if (type === "primary key") return { kind: "primary", columns };
  const target = options.get("references");
  const references = target && sequelizeReference(target, options.get("onDelete"), names);
  return type === "foreign key" && references
    ? { kind: "foreign", columns, references }
    : undefined;
}

/** `addIndex("t", ["a"], { unique: true })`, or all in the options; only a unique index of all rows says anything. */
export function sequelizeIndex(
  given: readonly (HirExpression | undefined)[],
  names: Names,
): Constraint | undefined {
  const [first, second] = given;
  const isList = behind(first, names)?.kind === "array";
  const options = fieldsOf(isList ? second : first, names);
  const columns = textsOf(isList ? first : options.get("fields"), names);
  const isUnique =
    isTrue(options.get("unique"), names) ||
    textOf(options.get("type") ?? options.get("indicesType"), names)?.toUpperCase() === "UNIQUE";
  return isUnique && !options.has("where") && columns.length > 0
    ? { kind: "unique", columns }
    : undefined;
}

/** `new Table({ name, columns, uniques, indices, foreignKeys })` of TypeORM. */
export function typeormTable(given: HirExpression, names: Names): Definition | undefined {
  const options = fieldsOf(given, names);
  const table = textOf(options.get("name"), names);
  if (table === undefined) return undefined;
  const columns = itemsOf(options.get("columns"), names).flatMap(
    (item) => typeormColumn(item, names) ?? [],
  );
  const primary = columns.filter(({ isPrimary }) => isPrimary === true).map(({ name }) => name);
  const constraints = ["uniques", "indices", "foreignKeys"].flatMap((key) =>
    itemsOf(options.get(key), names).flatMap((item) => typeormConstraint(key, item, names) ?? []),
  );
  return {
    kind: "create",
    table,
    columns: columns.map((column) => ({ ...column, isPrimary: false })),
    constraints: [
      ...(primary.length > 0 ? [{ kind: "primary" as const, columns: primary }] : []),
      ...constraints,
    ],
  };
}

/** `new TableColumn({ name, type })`, or the options alone. */
export function typeormColumn(given: HirExpression, names: Names): ColumnDraft | undefined {
  const options = fieldsOf(given, names);
  const name = textOf(options.get("name"), names);
  if (name === undefined) return undefined;
  const byDefault = options.get("default");
  // Texts are SQL.
  const plain = textOf(byDefault, names);
  return {
    name,
    type: textOf(options.get("type"), names) ?? "text",
    isGenerated: isTrue(options.get("isGenerated"), names),
    isPrimary: isTrue(options.get("isPrimary"), names),
    isUnique: isTrue(options.get("isUnique"), names),
    isRequired: !isTrue(options.get("isNullable"), names),
    ...(byDefault && {
      default:
        typeof plain === "string"
          ? plainSql(byDefault, names)
          : (defaultSql(byDefault, names) ?? "NULL"),
    }),
  };
}

/** An entry of a table's `uniques`, `indices` or `foreignKeys`, or what stands alone for it. */
export function typeormConstraint(
  key: string,
  given: HirExpression,
  names: Names,
): Constraint | undefined {
  const options = fieldsOf(given, names);
  const columns = textsOf(options.get("columnNames"), names);
  if (columns.length === 0) return undefined;
  if (key === "uniques") return { kind: "unique", columns };
  if (key === "indices") {
    const isWhole = isTrue(options.get("isUnique"), names) && !options.has("where");
    return isWhole ? { kind: "unique", columns } : undefined;
  }
  const table = textOf(options.get("referencedTableName"), names);
  const referenced = textsOf(options.get("referencedColumnNames"), names);
  const onDelete = textOf(options.get("onDelete"), names);
  if (table === undefined || referenced.length === 0) return undefined;
  const references = { table, columns: referenced, ...(onDelete !== undefined && { onDelete }) };
  return { kind: "foreign", columns, references };
}

/** `Sequelize.STRING(80)`, `DataTypes.UUID`: the last name. */
function lastName(given: HirExpression, names: Names): string {
  const expression = behind(given, names);
  if (expression?.kind === "call") return lastName(expression.callee, names);
  if (expression?.kind === "member") return expression.property;
  return textOf(expression, names) ?? (expression?.kind === "name" ? expression.name : "text");
}
