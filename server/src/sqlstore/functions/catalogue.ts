// Functions of PostgreSQL about the schema, which drivers, tools and psql ask for.
import type { Env } from "../compile/node";
import { typeOfId } from "../pg/typeIds";
import { columnAt, type Catalog } from "../catalog";
import { constraintText, indexParts, indexText } from "../system/definitions";
import { queryText, quotedName } from "../system/expressionText";
import {
  modifiedName,
  objectId,
  findRelation,
  relationOfId,
  type Relation,
} from "../system/objects";
import { nameIn, objectKind, objectNumber } from "../system/references";
import { typeNameOf } from "../system/pgServer";
import { elementOf, postgresName, type SqlType } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import {
  computeNode,
  integer,
  only,
  plain,
  tableOf,
  text,
  type Compute,
  type FunctionTable,
} from "./define";

/** A function of PostgreSQL that takes what is given up to so many arguments. */
function asked(
  result: SqlType,
  parameters: readonly SqlType[],
  compute: Compute,
  least = parameters.length,
): ReturnType<typeof only> {
  return only("postgres", plain(result, parameters, compute, { least, takesNull: true }));
}

/** Arguments are looked at by nobody, so any will do. */
function always(result: SqlType, value: SqlValue): ReturnType<typeof only> {
  return only("postgres", () => ({ type: result, constant: true, run: () => value }));
}

export const CATALOGUE: FunctionTable = tableOf({
  format_type: asked("text", ["int8", "int4"], ([id = null, modifier], _env, { catalog }) =>
    id === null ? null : typeText(catalog, integer(id), modifier ?? null),
  ),
  oidvectortypes: asked("text", ["oid[]"], ([list = null], _env, { catalog }) =>
    isList(list) ? list.map((id) => typeText(catalog, integer(id), null)).join(", ") : null,
  ),
  pg_get_expr: asked("text", ["text", "int8", "bool"], ([stored = null]) => stored, 2),
  pg_get_indexdef: asked(
    "text",
    ["int8", "int4", "bool"],
    ([id, at], _env, { catalog }) => {
      const index = relationOfId(catalog, integer(id))?.index;
      if (index === undefined) return null;
      const position = integer(at);
      if (position === 0) return indexText(index);
      return indexParts(index.table, index.key)[position - 1] ?? null;
    },
    1,
  ),
  pg_get_constraintdef: asked(
    "text",
    ["int8", "bool"],
    ([id], _env, { catalog }) => {
      for (const table of catalog.tables.values()) {
        for (const { name } of [...table.keys, ...table.foreignKeys, ...table.checks]) {
          if (objectId(catalog, `constraint of ${table.name}`, name) === integer(id))
            return constraintText(catalog, table, name) ?? null;
        }
      }
      return null;
    },
    1,
  ),
  pg_get_viewdef: [
    asked(
      "text",
      ["int8", "bool"],
      ([id], _env, { catalog }) => viewText(relationOfId(catalog, integer(id))),
      1,
    ),
    asked(
      "text",
      ["text", "bool"],
      ([name], _env, { catalog }) => viewText(findRelation(catalog, nameIn(text(name)))),
      1,
    ),
  ],
  pg_get_serial_sequence: asked("text", ["text", "text"], ([name, column], _env, { catalog }) => {
    const table = findRelation(catalog, nameIn(text(name)))?.table;
    if (table === undefined) return null;
    const sequence = table.columns[columnAt(table, text(column)) ?? -1]?.automatic?.sequence;
    return sequence === undefined ? null : `public.${quotedName(sequence)}`;
  }),
  pg_get_userbyid: asked("text", ["int8"], (_args, env) => env.work.session.user),
  "pg_table_is_visible pg_type_is_visible pg_function_is_visible pg_collation_is_visible": always(
    "bool",
    true,
  ),
  "has_table_privilege has_schema_privilege has_database_privilege has_type_privilege has_function_privilege has_column_privilege has_sequence_privilege has_any_column_privilege pg_has_role":
    always("bool", true),
  "pg_is_in_recovery pg_relation_is_publishable pg_is_other_temp_schema": always("bool", false),
  "obj_description col_description shobj_description pg_get_ruledef pg_get_triggerdef pg_get_functiondef pg_get_partkeydef pg_get_function_result pg_get_function_arguments pg_get_function_identity_arguments pg_get_function_sqlbody pg_get_statisticsobjdef_columns pg_tablespace_location inet_server_addr inet_client_addr":
    always("text", null),
  "inet_server_port pg_sequence_last_value pg_my_temp_schema": always("int4", null),
  pg_encoding_to_char: always("text", "UTF8"),
  "pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size pg_database_size": always(
    "int8",
    0,
  ),
  pg_size_pretty: asked("text", ["int8"], ([size = null]) => `${String(integer(size))} bytes`),
  current_schemas: asked("text[]", ["bool"], ([implicit]) =>
    implicit === true ? ["pg_catalog", "public"] : ["public"],
  ),
  // A table that is no partition: what is asked is always joined with the table itself.
  pg_partition_ancestors: asked("int4", ["int8"], ([id = null]) => id),
  pg_partition_root: asked("int4", ["int8"], ([id = null]) => id),
  "array_upper array_lower": only("postgres", (args, compiler, { name }) => {
    const [list, dimension] = args;
    if (list === undefined || dimension === undefined || elementOf(list.type) === undefined)
      return undefined;
    return computeNode("int4", [list, dimension], compiler, ([items = null, number]) => {
      if (!isList(items) || items.length === 0 || Number(number) !== 1) return null;
      return name === "array_upper" ? items.length : 1;
    });
  }),
  "to_regclass to_regtype to_regnamespace to_regrole to_regproc to_regprocedure": only(
    "postgres",
    (args, compiler, call) => {
      const [name] = args;
      const kind = objectKind(call.name.slice(3));
      if (name === undefined || args.length > 1 || kind === undefined) return undefined;
      return objectNumber(kind, name, compiler, { missing: "null" });
    },
  ),
  array_subscripts: only("postgres", ([list], compiler) =>
    list === undefined
      ? undefined
      : computeNode("int4[]", [list], compiler, ([items = null]) =>
          isList(items) ? items.map((_, at) => at + 1) : [],
        ),
  ),
  "enum_first enum_last enum_range": only("postgres", (args, compiler, { name }) => {
    const declared = args.map(({ origin }) => origin?.declared).find((each) => each?.labels);
    const labels = declared?.labels;
    if (
      declared === undefined ||
      labels === undefined ||
      args.length > (name === "enum_range" ? 2 : 1)
    )
      return undefined;
    const isRange = name === "enum_range";
    const node = computeNode(
      isRange ? "enum[]" : "enum",
      args,
      compiler,
      ([low = null, high = null]) => {
        if (!isRange) return (name === "enum_first" ? labels[0] : labels.at(-1)) ?? null;
        if (args.length < 2) return labels;
        const place = (label: SqlValue, usual: number): number =>
          label === null ? usual : labels.indexOf(text(label));
        return labels.slice(place(low, 0), place(high, labels.length - 1) + 1);
      },
      true,
    );
    return { ...node, origin: { declared: isRange ? { ...declared, type: "enum[]" } : declared } };
  }),
  pg_notify: asked("void", ["text", "text"], ([channel, payload], env) => {
    env.work.notify(text(channel), text(payload));
    return "";
  }),
  pg_cancel_backend: asked("bool", ["int4"], ([session], env) =>
    interrupted(session, "statement", env),
  ),
  pg_terminate_backend: asked(
    "bool",
    ["int4", "int8"],
    ([session], env) => interrupted(session, "session", env),
    1,
  ),
  "pg_stat_get_numscans pg_stat_get_tuples_inserted": always("int8", 0),
  pg_client_encoding: always("text", "UTF8"),
  "txid_current pg_current_xact_id": asked("int8", [], (_args, env) => env.work.session.identifier),
  pg_postmaster_start_time: always("timestamptz", "2026-01-01 00:00:00"),
});

function interrupted(
  session: SqlValue | undefined,
  what: "statement" | "session",
  { work }: Env,
): boolean {
  return work.session.interrupt?.(Number(session), what) ?? false;
}

function viewText(relation: Relation | undefined): string | null {
  const view = relation?.view;
  return view === undefined ? null : ` ${queryText(view.query)};`;
}

function typeText(catalog: Catalog, id: number, modifier: SqlValue): string {
  const type = typeOfId(id);
  const usual = type === undefined ? typeNameOf(id) : postgresName(type);
  if (usual !== undefined) return modifiedName(usual, modifier === null ? -1 : Number(modifier));
  for (const name of [...catalog.enumerations.keys(), ...catalog.domains.keys()]) {
    if (objectId(catalog, "type", name) === id) return quotedName(name);
    if (objectId(catalog, "array of", name) === id) return `${quotedName(name)}[]`;
  }
  return id === 0 ? "-" : "???";
}
