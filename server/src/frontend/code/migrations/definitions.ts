// Changes of a schema by migrations in code, as SQL text: libraries' calls become these, and the text is read like any
// other SQL.
import type { Dialect } from "../../../program/dialect";

export interface ColumnDraft {
  readonly name: string;
  /** As the library or SQL calls it. */
  readonly type: string;
  readonly isGenerated?: boolean;
  readonly isPrimary?: boolean;
  readonly isUnique?: boolean;
  readonly isRequired?: boolean;
  readonly references?: Reference;
  /** In SQL. */
  readonly default?: string;
}

export interface Reference {
  readonly table: string;
  readonly columns: readonly string[];
  /** As SQL writes it: `CASCADE`, `SET NULL`. */
  readonly onDelete?: string;
}

export type Constraint =
  | { readonly kind: "primary" | "unique"; readonly columns: readonly string[] }
  | {
      readonly kind: "foreign";
      readonly columns: readonly string[];
      readonly references: Reference;
    };

/** A change of a schema. */
export type Definition =
  | {
      readonly kind: "create";
      readonly table: string;
      readonly columns: readonly ColumnDraft[];
      readonly constraints: readonly Constraint[];
    }
  | { readonly kind: "addColumn"; readonly table: string; readonly column: ColumnDraft }
  | { readonly kind: "dropColumn"; readonly table: string; readonly column: string }
  | {
      readonly kind: "renameColumn";
      readonly table: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: "constrain"; readonly table: string; readonly constraint: Constraint }
  | { readonly kind: "drop"; readonly table: string }
  | { readonly kind: "rename"; readonly table: string; readonly to: string }
  | { readonly kind: "sql"; readonly text: string };

/** The definition as SQL of that dialect, in one line. */
export function definitionText(definition: Definition, dialect: Dialect): string {
  const name = (written: string): string => quotedName(written, dialect);
  const alter = (table: string, change: string): string => `ALTER TABLE ${name(table)} ${change}`;
  switch (definition.kind) {
    case "create": {
      const parts = [
        ...definition.columns.map((column) => columnText(column, dialect)),
        ...definition.constraints.map((each) => constraintText(each, dialect)),
      ];
      return `CREATE TABLE ${name(definition.table)} (${parts.join(", ")})`;
    }
    case "addColumn":
      return alter(definition.table, `ADD COLUMN ${columnText(definition.column, dialect)}`);
    case "dropColumn":
      return alter(definition.table, `DROP COLUMN ${name(definition.column)}`);
    case "renameColumn":
      return alter(
        definition.table,
        `RENAME COLUMN ${name(definition.from)} TO ${name(definition.to)}`,
      );
    case "constrain":
      return alter(definition.table, `ADD ${constraintText(definition.constraint, dialect)}`);
    case "drop":
      return `DROP TABLE IF EXISTS ${name(definition.table)}`;
    case "rename":
      return alter(definition.table, `RENAME TO ${name(definition.to)}`);
    case "sql":
      return onOneLine(definition.text).replace(/;\s*$/u, "");
    default:
      return definition satisfies never;
  }
}

/** SQL without its comments and line ends. */
function onOneLine(sql: string): string {
  const plain = sql.replaceAll(/'(?:[^']|'')*'|\/\*.*?\*\/|--[^\n]*/gsu, (part) =>
    part.startsWith("'") ? part : " ",
  );
  return plain.replaceAll(/\s*\n\s*/gu, " ").trim();
}

function columnText(column: ColumnDraft, dialect: Dialect): string {
  const parts = [quotedName(column.name, dialect), typeText(column, dialect)];
  if (column.isRequired) parts.push("NOT NULL");
  if (column.default !== undefined) parts.push(`DEFAULT ${column.default}`);
  if (column.isPrimary) parts.push("PRIMARY KEY");
  if (column.isUnique) parts.push("UNIQUE");
  if (column.references) parts.push(referenceText(column.references, dialect));
  return parts.join(" ");
}

function typeText({ type, isGenerated }: ColumnDraft, dialect: Dialect): string {
  const plain = type.toLowerCase();
  const found = TYPES.find(([pattern]) => pattern.test(plain))?.[1] ?? "text";
  if (!isGenerated) return found;
  if (found === "uuid")
    return dialect === "postgres" ? "uuid DEFAULT gen_random_uuid()" : "char(36)";
  const whole = found === "bigint" ? "bigint" : "integer";
  switch (dialect) {
    case "postgres":
      return whole === "bigint" ? "bigserial" : "serial";
    case "mysql":
    case "mariadb":
      return `${whole} AUTO_INCREMENT`;
    case "sqlserver":
      return `${whole} IDENTITY(1,1)`;
    case "sqlite":
      return "integer";
    default:
      return dialect satisfies never;
  }
}

/** By what a type's name begins with or holds: libraries and products have many names for few kinds. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^big(?:int|serial|increments)/u, "bigint"],
  [/^(?:small|medium|tiny)?(?:int|serial)|^increments/u, "integer"],
  [/^bool/u, "boolean"],
  [/^(?:decimal|numeric|money|float|double|real|number)/u, "decimal(20,6)"],
  [/^uuid/u, "uuid"],
  [/^json/u, "json"],
  [/^(?:timestamp|datetime|date|now)/u, "timestamp"],
  [/^time/u, "time"],
  [/^(?:char|varchar|string|enum|enu$|text|citext)/u, "varchar(255)"],
];

function constraintText(constraint: Constraint, dialect: Dialect): string {
  const columns = listText(constraint.columns, dialect);
  switch (constraint.kind) {
    case "primary":
      return `PRIMARY KEY ${columns}`;
    case "unique":
      return `UNIQUE ${columns}`;
    case "foreign":
      return `FOREIGN KEY ${columns} ${referenceText(constraint.references, dialect)}`;
    default:
      return constraint satisfies never;
  }
}

function referenceText({ table, columns, onDelete }: Reference, dialect: Dialect): string {
  const action = onDelete && /^[a-z ]+$/iu.test(onDelete) ? ` ON DELETE ${onDelete}` : "";
  return `REFERENCES ${quotedName(table, dialect)} ${listText(columns, dialect)}${action}`;
}

function listText(columns: readonly string[], dialect: Dialect): string {
  return `(${columns.map((each) => quotedName(each, dialect)).join(", ")})`;
}

function quotedName(name: string, dialect: Dialect): string {
  const mark = dialect === "mysql" || dialect === "mariadb" ? "`" : '"';
  return name
    .split(".")
    .map((part) => `${mark}${part.replaceAll(/["`\r\n]/gu, "")}${mark}`)
    .join(".");
}
