// Values outside of the workspace's tables: of the session, of system catalogs, of sequences. A transaction gets them from outside, a new
// one each time.
import type { Expression } from "../../../program/expression";
import type { Call } from "../../../program/operands";
import type { Work } from "./scope";

/** An unknown value of the session; its use in the statement stays exact. */
export function ofSession(
  why: string,
  work: Work,
  dependsOn: readonly Expression[] = [],
): Expression {
  return { kind: "unknown", id: work.context.ids.fresh("u"), type: "text", dependsOn, why };
}

/** The rows of a system table or view: any number of records. */
export function systemRows(table: string, work: Work): Call {
  const given = ofSession(`the system's ${table}`, work);
  return {
    kind: "call",
    name: `rows of ${table}`,
    arguments: [given],
    deterministic: true,
    set: true,
  };
}

/** True for a system name that no table of the workspace has. */
export function isSystemName(schema: string, name: string): boolean {
  return /^(?:pg_catalog|information_schema)$/.test(schema) || name.startsWith("pg_");
}

/** The result of a system function that reads no table of the workspace; undefined for others. */
export function outsideValue(
  name: string,
  args: readonly Expression[],
  work: Work,
): Expression | undefined {
  if (CATALOG.has(name)) return ofSession(`the system's answer of ${name}()`, work, args);
  const [, value] = args;
  if (name === "set_config") return value;
  if (name !== "setval" || value === undefined) return undefined;
  const message =
    "setval() sets a sequence at once, whatever becomes of the transaction; the numbers that it gives afterwards are taken for new ones.";
  work.context.note({
    severity: "information",
    code: "sequence-set",
    message,
    source: work.source,
  });
  return value;
}

/** Functions that only read system catalogs or the connection's state. */
const CATALOG: ReadonlySet<string> = new Set(
  (
    "to_regclass to_regtype to_regproc to_regprocedure to_regnamespace to_regrole pg_get_expr pg_get_constraintdef " +
    "pg_get_indexdef pg_get_viewdef pg_get_functiondef pg_get_triggerdef pg_get_userbyid pg_get_serial_sequence " +
    "obj_description col_description shobj_description pg_relation_size pg_table_size pg_indexes_size " +
    "pg_total_relation_size pg_database_size pg_backend_pid pg_is_in_recovery pg_postmaster_start_time version " +
    "inet_client_addr inet_client_port inet_server_addr inet_server_port current_schemas current_query " +
    "has_table_privilege has_schema_privilege has_column_privilege has_database_privilege has_function_privilege " +
    "pg_has_role pg_table_is_visible pg_encoding_to_char pg_typeof"
  ).split(" "),
);
