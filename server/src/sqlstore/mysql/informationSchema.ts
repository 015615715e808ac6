// information_schema of MySQL and MariaDB: what JDBC's DatabaseMetaData and the schema tools of ORMs ask for. Columns are
// listed as they do it, in capital letters.
import { dictionary } from "../../protocol/dictionary";
import { primaryKeyOf, type Column, type ReferenceAction, type Table } from "../catalog";
import { expressionText } from "../system/expressionText";
import { referencedColumns } from "../system/objects";
import { systemTable, type About, type Fields, type SystemTable } from "../system/systemTable";
import { isInteger, isText, type DeclaredType } from "../values/types";
import { extraText, listedDefault } from "./columnText";
import { indexRows, keyOf } from "./showRows";
import { typeText } from "./typeText";
import { shownColumn, shownInView, shownName } from "./spelling";

export const MYSQL_SCHEMA = "information_schema";

const CHARACTERS = "utf8mb4";
const COLLATION = "utf8mb4_general_ci";

function table(
  name: string,
  columns: string,
  records?: (about: About) => readonly Fields[],
): SystemTable {
  const made = systemTable(MYSQL_SCHEMA, name, columns, records);
  const shown = made.columns.map((column) => ({ ...column, shown: column.name.toUpperCase() }));
  return { ...made, columns: shown };
}

/** The database of a table, and its name. */
function place({ catalog, session }: About, name: string, prefix = "table"): Fields {
  return {
    [`${prefix}_catalog`]: "def",
    [`${prefix}_schema`]: session.database,
    table_name: shownName(catalog, name),
  };
}

function eachTable(about: About, rows: (table: Table) => readonly Fields[]): readonly Fields[] {
  return [...about.catalog.tables.values()].flatMap(rows);
}

/** Digits of numbers, as MySQL counts them. */
const DIGITS = dictionary<number>({
  tinyint: 3,
  smallint: 5,
  mediumint: 7,
  int: 10,
  bigint: 19,
  float: 12,
  double: 22,
});
const LONGEST_TEXT = 65_535;
const MOST_BYTES = 4;

function typeFields({ catalog }: About, declared: DeclaredType): Fields {
  const { type, length, precision, scale, seconds } = declared;
  const full = typeText(declared, catalog.dialect);
  const name = /^[a-z]+/.exec(full)?.[0] ?? full;
  const longest = longestOf(declared);
  const isCharacters = isText(type) || type === "enum";
  return {
    data_type: name,
    column_type: full,
    character_maximum_length: longest,
    character_octet_length:
      longest !== null && length !== undefined && isCharacters ? longest * MOST_BYTES : longest,
    numeric_precision: precision ?? DIGITS[name] ?? null,
    numeric_scale: scale ?? (isInteger(type) || type === "bool" || type === "numeric" ? 0 : null),
    datetime_precision: /^time/.test(type) ? (seconds ?? 0) : null,
    character_set_name: isCharacters ? CHARACTERS : null,
    collation_name: isCharacters ? COLLATION : null,
  };
}

const LONGEST_DOCUMENT = 4_294_967_295;

/** Characters, or bytes, that a value may have. */
function longestOf({ type, length, labels }: DeclaredType): number | null {
  if (labels !== undefined) return Math.max(0, ...labels.map((label) => label.length));
  if (length !== undefined) return length;
  if (type === "json") return LONGEST_DOCUMENT;
  return type === "text" || type === "bytea" ? LONGEST_TEXT : null;
}

function columnFields(about: About, of: Table, column: Column, at: number): Fields {
  return {
    ...place(about, of.name),
    column_name: shownColumn(about.catalog, of, column.name),
    ordinal_position: at + 1,
    column_default: listedDefault(column, about.catalog.dialect),
    is_nullable: column.notNull ? "NO" : "YES",
    column_key: keyOf(of, column),
    extra: extraText(column, about.catalog.dialect),
    privileges: "select,insert,update,references",
    column_comment: "",
    is_generated: column.generated === undefined ? "NEVER" : "ALWAYS",
    generation_expression: column.generated === undefined ? null : expressionText(column.generated),
    ...typeFields(about, column.declared),
  };
}

/** The name of a key as MySQL has it: that of a primary one is always the same. */
function constraintsOf(
  about: About,
  of: Table,
): readonly {
  readonly name: string;
  readonly kind: "PRIMARY KEY" | "UNIQUE" | "FOREIGN KEY" | "CHECK";
  readonly columns: readonly string[];
}[] {
  return [
    ...of.keys.map(({ name, primary, columns }) => ({
      name: primary ? "PRIMARY" : name,
      kind: primary ? ("PRIMARY KEY" as const) : ("UNIQUE" as const),
      columns: columns.flatMap((at) => of.columns[at]?.name ?? []),
    })),
    ...of.foreignKeys.map(({ name, columns }) => ({ name, kind: "FOREIGN KEY" as const, columns })),
    ...[...documentsOf(about, of), ...of.checks.map(({ name }) => name)].map((name) => ({
      name,
      kind: "CHECK" as const,
      columns: [],
    })),
  ];
}

function constraintPlace(about: About, of: Table, name: string): Fields {
  return {
    ...place(about, of.name, "constraint"),
    ...place(about, of.name),
    constraint_name: shownName(about.catalog, name),
  };
}

/** A key's column, and what it refers to. */
function keyUses(about: About, of: Table): readonly Fields[] {
  const { catalog, session } = about;
  return constraintsOf(about, of).flatMap(({ name, columns }) => {
    const reference = of.foreignKeys.find((each) => each.name === name);
    const parent = reference && catalog.tables.get(reference.table);
    const referenced = reference === undefined ? [] : referencedColumns(catalog, reference);
    return columns.map((column, at) => ({
      ...constraintPlace(about, of, name),
      column_name: shownColumn(catalog, of, column),
      ordinal_position: at + 1,
      position_in_unique_constraint: reference === undefined ? null : at + 1,
      referenced_table_schema: reference === undefined ? null : session.database,
      referenced_table_name: reference === undefined ? null : shownName(catalog, reference.table),
      referenced_column_name:
        parent === undefined ? null : shownColumn(catalog, parent, referenced[at] ?? ""),
    }));
  });
}

function referenceFields(about: About, of: Table): readonly Fields[] {
  const { catalog, session } = about;
  return of.foreignKeys.map((reference) => {
    const parent = catalog.tables.get(reference.table);
    const columns = referencedColumns(catalog, reference).join();
    const key = parent?.keys.find(
      (each) => each.columns.map((at) => parent.columns[at]?.name ?? "").join() === columns,
    );
    const isPrimary = key === undefined || key === (parent && primaryKeyOf(parent));
    return {
      ...constraintPlace(about, of, reference.name),
      unique_constraint_catalog: "def",
      unique_constraint_schema: session.database,
      unique_constraint_name: isPrimary ? "PRIMARY" : shownName(catalog, key.name),
      match_option: "NONE",
      update_rule: ruleText(about, reference.onUpdate),
      delete_rule: ruleText(about, reference.onDelete),
      referenced_table_name: shownName(catalog, reference.table),
    };
  });
}

/** Sequences that number no column. */
function ownSequences({ sequences, tables }: About["catalog"]): readonly string[] {
  const owned = new Set(
    [...tables.values()].flatMap(({ columns }) =>
      columns.flatMap(({ automatic }) => automatic?.sequence ?? []),
    ),
  );
  return [...sequences.keys()].filter((name) => !owned.has(name));
}

/** The action of a reference where nothing is said has two names. */
function ruleText({ catalog }: About, action: ReferenceAction): string {
  return action === "restrict" && catalog.dialect === "mysql" ? "NO ACTION" : action.toUpperCase();
}

export const MYSQL_INFORMATION_SCHEMA: readonly SystemTable[] = [
  table(
    "schemata",
    "catalog_name:text schema_name default_character_set_name default_collation_name sql_path",
    ({ session }) =>
      [...new Set([session.database, ...(session.databases?.() ?? []), MYSQL_SCHEMA])].map(
        (name) => ({
          catalog_name: "def",
          schema_name: name,
          default_character_set_name: CHARACTERS,
          default_collation_name: COLLATION,
        }),
      ),
  ),
  table(
    "tables",
    "table_catalog:text table_schema table_name table_type engine version:int8 row_format:text table_rows:int8 auto_increment create_time:text update_time table_collation create_options table_comment",
    (about) => {
      const row = (name: string, type: string): Fields => {
        const isTable = type === "BASE TABLE";
        return {
          ...place(about, name),
          table_type: type,
          engine: isTable ? "InnoDB" : null,
          auto_increment: null,
          table_collation: isTable ? COLLATION : null,
          table_comment: isTable ? "" : "VIEW",
        };
      };
      return [
        ...[...about.catalog.tables.keys()].map((name) => row(name, "BASE TABLE")),
        ...[...about.catalog.views.keys()].map((name) => row(name, "VIEW")),
        ...ownSequences(about.catalog).map((name) => row(name, "SEQUENCE")),
      ];
    },
  ),
  table(
    "columns",
    "table_catalog:text table_schema table_name column_name ordinal_position:int8 column_default:text is_nullable data_type character_maximum_length:int8 character_octet_length numeric_precision numeric_scale datetime_precision character_set_name:text collation_name column_type column_key extra privileges column_comment is_generated generation_expression",
    (about) => [
      ...eachTable(about, (of) =>
        of.columns.map((column, at) => columnFields(about, of, column, at)),
      ),
      ...[...about.catalog.views.values()].flatMap((view) =>
        about.viewColumns(view).map(({ name, type, shown, origin }, at) => ({
          ...place(about, view.name),
          column_name: shown ?? shownInView(about.catalog, view.name, name),
          ordinal_position: at + 1,
          is_nullable: "YES",
          column_key: "",
          extra: "",
          privileges: "select",
          column_comment: "",
          ...typeFields(about, origin?.declared ?? { type }),
        })),
      ),
    ],
  ),
  table(
    "statistics",
    "table_catalog:text table_schema table_name non_unique:int8 index_schema:text index_name seq_in_index:int8 column_name:text collation cardinality:int8 sub_part packed:text nullable index_type comment index_comment is_visible expression",
    (about) =>
      eachTable(about, (of) =>
        indexRows(of).map(({ key, unique, order, column }) => ({
          ...place(about, of.name),
          index_schema: about.session.database,
          non_unique: unique ? 0 : 1,
          index_name: shownName(about.catalog, key),
          seq_in_index: order,
          column_name: shownColumn(about.catalog, of, column),
          collation: "A",
          sub_part: null,
          nullable: of.columns.find(({ name }) => name === column)?.notNull === true ? "" : "YES",
          index_type: "BTREE",
          comment: "",
          index_comment: "",
          is_visible: "YES",
          expression: null,
        })),
      ),
  ),
  table(
    "table_constraints",
    "constraint_catalog:text constraint_schema constraint_name table_schema table_name constraint_type",
    (about) =>
      eachTable(about, (of) =>
        constraintsOf(about, of).map(({ name, kind }) => ({
          ...constraintPlace(about, of, name),
          constraint_type: kind,
        })),
      ),
  ),
  table(
    "key_column_usage",
    "constraint_catalog:text constraint_schema constraint_name table_catalog table_schema table_name column_name ordinal_position:int8 position_in_unique_constraint referenced_table_schema:text referenced_table_name referenced_column_name",
    (about) => eachTable(about, (of) => keyUses(about, of)),
  ),
  table(
    "referential_constraints",
    "constraint_catalog:text constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option update_rule delete_rule table_name referenced_table_name",
    (about) => eachTable(about, (of) => referenceFields(about, of)),
  ),
  table(
    "views",
    "table_catalog:text table_schema table_name view_definition check_option is_updatable definer security_type",
    (about) =>
      [...about.catalog.views.keys()].map((name) => ({
        ...place(about, name),
        check_option: "NONE",
        is_updatable: "NO",
      })),
  ),
  table(
    "routines",
    "specific_name:text routine_catalog routine_schema routine_name routine_type data_type routine_comment",
  ),
  table(
    "parameters",
    "specific_catalog:text specific_schema specific_name ordinal_position:int8 parameter_mode:text parameter_name data_type character_maximum_length:int8 character_octet_length numeric_precision numeric_scale dtd_identifier:text routine_type",
  ),
  table(
    "triggers",
    "trigger_catalog:text trigger_schema trigger_name event_manipulation event_object_schema event_object_table action_statement action_timing",
  ),
  table(
    "check_constraints",
    "constraint_catalog:text constraint_schema table_name constraint_name check_clause",
    (about) =>
      eachTable(about, (of) => [
        ...documentsOf(about, of).map((name) => ({
          ...constraintPlace(about, of, name),
          check_clause: `json_valid(\`${name}\`)`,
        })),
        ...of.checks.map(({ name, condition }) => ({
          ...constraintPlace(about, of, name),
          check_clause: expressionText(condition),
        })),
      ]),
  ),
];

/** The columns that are documents, which MariaDB checks. */
function documentsOf({ catalog }: About, of: Table): readonly string[] {
  if (catalog.dialect !== "mariadb") return [];
  return of.columns.flatMap(({ name, declared: { type } }) => (type === "json" ? [name] : []));
}
