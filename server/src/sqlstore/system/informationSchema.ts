// information_schema of PostgreSQL: the same schema as in pg_catalog, in the words of the SQL standard.
import type { Column, Table } from "../catalog";
import { typeId } from "../pg/typeIds";
import { isInteger, elementOf, postgresName, type DeclaredType } from "../values/types";
import type { SqlValue } from "../values/value";
import { defaultText } from "./definitions";
import { expressionText, queryText } from "./expressionText";
import { enumerationOf, NAMESPACES, referencedColumns } from "./objects";
import { systemTable, type About, type SystemTable } from "./systemTable";

const SCHEMA = "information_schema";

function place(prefix: string, { session }: About): Readonly<Record<string, SqlValue>> {
  return { [`${prefix}_catalog`]: session.database, [`${prefix}_schema`]: "public" };
}

function tablesOf({ catalog }: About): readonly Table[] {
  return [...catalog.tables.values()];
}

const LONGEST_TEXT = 1_073_741_824;
const BITS: Readonly<Partial<Record<string, number>>> = {
  int2: 16,
  int4: 32,
  int8: 64,
  float4: 24,
  float8: 53,
};

function typeFields(about: About, declared: DeclaredType): Readonly<Record<string, SqlValue>> {
  const { type, length, precision, scale, seconds } = declared;
  const enumeration = enumerationOf(about.catalog, declared);
  const element = elementOf(type);
  const short = element === undefined ? type : `_${element}`;
  const isTime = /^(time|timestamp|timestamptz)$/.test(type);
  const whole = isInteger(type);
  return {
    data_type:
      element !== undefined
        ? "ARRAY"
        : enumeration !== undefined
          ? "USER-DEFINED"
          : postgresName(type),
    udt_catalog: about.session.database,
    udt_schema: enumeration === undefined ? "pg_catalog" : "public",
    udt_name: enumeration ?? short,
    character_maximum_length: length ?? null,
    character_octet_length: type === "text" || type === "varchar" ? LONGEST_TEXT : null,
    numeric_precision: precision ?? BITS[type] ?? null,
    numeric_precision_radix: type === "numeric" ? 10 : BITS[type] === undefined ? null : 2,
    numeric_scale: scale ?? (whole ? 0 : null),
    datetime_precision: type === "date" ? 0 : isTime ? (seconds ?? 6) : null,
  };
}

function columnFields(
  about: About,
  column: Column,
  at: number,
): Readonly<Record<string, SqlValue>> {
  const { name, notNull, automatic, generated, declared } = column;
  const isIdentity = automatic?.identity === true;
  return {
    column_name: name,
    ordinal_position: at + 1,
    column_default: generated === undefined ? (defaultText(about.catalog, column) ?? null) : null,
    is_nullable: notNull ? "NO" : "YES",
    is_identity: isIdentity ? "YES" : "NO",
    identity_generation: !isIdentity ? null : automatic.always ? "ALWAYS" : "BY DEFAULT",
    identity_start: isIdentity ? "1" : null,
    identity_increment: isIdentity ? "1" : null,
    is_generated: generated === undefined ? "NEVER" : "ALWAYS",
    generation_expression: generated === undefined ? null : expressionText(generated),
    is_updatable: "YES",
    is_self_referencing: "NO",
    dtd_identifier: String(at + 1),
    ...typeFields(about, declared),
  };
}

const PRECISIONS = { smallint: 16, integer: 32, bigint: 64 } as const;

/** Keys, references and checks by name; `columns` are those that key_column_usage lists. */
function constraintsOf(table: Table): readonly {
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[];
}[] {
  const names = (columns: readonly number[]): readonly string[] =>
    columns.flatMap((at) => table.columns[at]?.name ?? []);
  return [
    ...table.keys
      // A unique index is no constraint.
      .filter(({ where, isIndex }) => where === undefined && isIndex !== true)
      .map(({ name, primary, columns }) => {
        return { name, kind: primary ? "PRIMARY KEY" : "UNIQUE", columns: names(columns) };
      }),
    ...table.foreignKeys.map(({ name, columns }) => ({ name, kind: "FOREIGN KEY", columns })),
    ...table.checks.map(({ name }) => ({ name, kind: "CHECK", columns: [] })),
  ];
}

function constraintPlace(
  about: About,
  table: Table,
  name: string,
): Readonly<Record<string, SqlValue>> {
  return {
    ...place("constraint", about),
    ...place("table", about),
    constraint_name: name,
    table_name: table.name,
  };
}

/** The key of the parent that a reference is to, by its name. */
function referencedKey(about: About, reference: Table["foreignKeys"][number]): string | null {
  const parent = about.catalog.tables.get(reference.table);
  const columns = referencedColumns(about.catalog, reference);
  const key = parent?.keys.find(
    (each) =>
      each.columns.length === columns.length &&
      each.columns.every((at) => columns.includes(parent.columns[at]?.name ?? "")),
  );
  return key?.name ?? null;
}

export const INFORMATION_SCHEMA: readonly SystemTable[] = [
  systemTable(
    SCHEMA,
    "tables",
    "table_catalog:name table_schema table_name table_type:varchar self_referencing_column_name:name reference_generation:varchar user_defined_type_catalog:name user_defined_type_schema user_defined_type_name is_insertable_into:varchar is_typed commit_action",
    (about) => {
      const row = (name: string, type: string): Readonly<Record<string, SqlValue>> => ({
        ...place("table", about),
        table_name: name,
        table_type: type,
        is_insertable_into: type === "VIEW" ? "NO" : "YES",
        is_typed: "NO",
      });
      return [
        ...[...about.catalog.tables.keys()].map((name) => row(name, "BASE TABLE")),
        ...[...about.catalog.views.keys()].map((name) => row(name, "VIEW")),
      ];
    },
  ),
  systemTable(
    SCHEMA,
    "columns",
    "table_catalog:name table_schema table_name column_name ordinal_position:int4 column_default:varchar is_nullable data_type character_maximum_length:int4 character_octet_length numeric_precision numeric_precision_radix numeric_scale datetime_precision interval_type:varchar interval_precision:int4 character_set_catalog:name character_set_schema character_set_name collation_catalog collation_schema collation_name domain_catalog domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier:name is_self_referencing:varchar is_identity identity_generation identity_start identity_increment identity_maximum identity_minimum identity_cycle is_generated generation_expression is_updatable",
    (about) => [
      ...tablesOf(about).flatMap((table) =>
        table.columns.map((column, at) => ({
          ...place("table", about),
          table_name: table.name,
          interval_precision: null,
          maximum_cardinality: null,
          ...columnFields(about, column, at),
        })),
      ),
      ...[...about.catalog.views.values()].flatMap((view) =>
        about.viewColumns(view).map(({ name, type, origin }, at) => ({
          ...place("table", about),
          table_name: view.name,
          interval_precision: null,
          maximum_cardinality: null,
          ...columnFields(
            about,
            { name, declared: origin?.declared ?? { type }, notNull: false },
            at,
          ),
          is_updatable: "NO",
        })),
      ),
    ],
  ),
  systemTable(
    SCHEMA,
    "table_constraints",
    "constraint_catalog:name constraint_schema constraint_name table_catalog table_schema table_name constraint_type:varchar is_deferrable initially_deferred enforced nulls_distinct",
    (about) =>
      tablesOf(about).flatMap((table) =>
        constraintsOf(table).map(({ name, kind }) => ({
          ...constraintPlace(about, table, name),
          constraint_type: kind,
          is_deferrable: "NO",
          initially_deferred: "NO",
          enforced: "YES",
        })),
      ),
  ),
  systemTable(
    SCHEMA,
    "key_column_usage",
    "constraint_catalog:name constraint_schema constraint_name table_catalog table_schema table_name column_name ordinal_position:int4 position_in_unique_constraint",
    (about) =>
      tablesOf(about).flatMap((table) =>
        constraintsOf(table).flatMap(({ name, columns, kind }) =>
          columns.map((column, at) => ({
            ...constraintPlace(about, table, name),
            column_name: column,
            ordinal_position: at + 1,
            position_in_unique_constraint: kind === "FOREIGN KEY" ? at + 1 : null,
          })),
        ),
      ),
  ),
  systemTable(
    SCHEMA,
    "constraint_column_usage",
    "table_catalog:name table_schema table_name column_name constraint_catalog constraint_schema constraint_name",
    (about) =>
      tablesOf(about).flatMap((table) => [
        ...constraintsOf(table)
          .filter(({ kind }) => kind !== "FOREIGN KEY")
          .flatMap(({ name, columns }) =>
            columns.map((column) => ({
              ...constraintPlace(about, table, name),
              column_name: column,
            })),
          ),
        ...table.foreignKeys.flatMap((key) =>
          referencedColumns(about.catalog, key).map((column) => ({
            ...constraintPlace(about, table, key.name),
            table_name: key.table,
            column_name: column,
          })),
        ),
      ]),
  ),
  systemTable(
    SCHEMA,
    "referential_constraints",
    "constraint_catalog:name constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option:varchar update_rule delete_rule",
    (about) =>
      tablesOf(about).flatMap((table) =>
        table.foreignKeys.map((key) => ({
          ...place("constraint", about),
          constraint_name: key.name,
          ...place("unique_constraint", about),
          unique_constraint_name: referencedKey(about, key),
          match_option: "NONE",
          update_rule: key.onUpdate.toUpperCase(),
          delete_rule: key.onDelete.toUpperCase(),
        })),
      ),
  ),
  systemTable(
    SCHEMA,
    "check_constraints",
    "constraint_catalog:name constraint_schema constraint_name check_clause:varchar",
    (about) =>
      tablesOf(about).flatMap((table) =>
        table.checks.map(({ name, condition }) => ({
          ...place("constraint", about),
          constraint_name: name,
          check_clause: expressionText(condition),
        })),
      ),
  ),
  systemTable(
    SCHEMA,
    "views",
    "table_catalog:name table_schema table_name view_definition:varchar check_option is_updatable is_insertable_into",
    (about) =>
      [...about.catalog.views.values()].map(({ name, query }) => ({
        ...place("table", about),
        table_name: name,
        view_definition: `${queryText(query)};`,
        check_option: "NONE",
        is_updatable: "NO",
        is_insertable_into: "NO",
      })),
  ),
  systemTable(
    SCHEMA,
    "sequences",
    "sequence_catalog:name sequence_schema sequence_name data_type:varchar numeric_precision:int4 numeric_precision_radix numeric_scale start_value:varchar minimum_value maximum_value increment cycle_option",
    (about) =>
      [...about.catalog.sequences].map(([name, sequence]) => ({
        ...place("sequence", about),
        sequence_name: name,
        data_type: sequence.type,
        numeric_precision: PRECISIONS[sequence.type],
        numeric_precision_radix: 2,
        start_value: String(sequence.start),
        minimum_value: String(sequence.least),
        maximum_value: String(sequence.most),
        increment: String(sequence.increment),
        cycle_option: sequence.cycles ? "YES" : "NO",
      })),
  ),
  systemTable(
    SCHEMA,
    "schemata",
    "catalog_name:name schema_name schema_owner default_character_set_catalog default_character_set_schema default_character_set_name sql_path:varchar",
    ({ session }) =>
      Object.keys(NAMESPACES).map((name) => ({
        catalog_name: session.database,
        schema_name: name,
        schema_owner: session.user,
      })),
  ),
  ...[
    [
      "routines",
      "specific_schema:name specific_name routine_schema routine_name routine_type:varchar",
    ],
    ["triggers", "trigger_schema:name trigger_name event_object_schema event_object_table"],
    ["table_privileges", "grantor:name grantee table_schema table_name privilege_type:varchar"],
  ].map(([name = "", columns = ""]) => systemTable(SCHEMA, name, columns)),
  systemTable(
    SCHEMA,
    "domains",
    "domain_catalog:name domain_schema domain_name data_type:varchar character_maximum_length:int4 character_octet_length numeric_precision numeric_precision_radix numeric_scale datetime_precision domain_default:varchar udt_catalog:name udt_schema udt_name",
    (about) =>
      [...about.catalog.domains.values()].map(({ name, declared, default: usual }) => ({
        ...place("domain", about),
        domain_name: name,
        domain_default: usual === undefined ? null : expressionText(usual),
        ...typeFields(about, declared),
      })),
  ),
  systemTable(
    SCHEMA,
    "element_types",
    "object_schema:name object_name object_type:varchar collection_type_identifier:name data_type:varchar",
    (about) =>
      tablesOf(about).flatMap((table) =>
        table.columns.flatMap(({ declared }, at) => {
          const element = elementOf(declared.type);
          if (element === undefined || typeId(element).id === 0) return [];
          return [
            {
              object_schema: "public",
              object_name: table.name,
              object_type: "TABLE",
              collection_type_identifier: String(at + 1),
              data_type: postgresName(element),
            },
          ];
        }),
      ),
  ),
];
