// Which names mean tables about the database itself.
import type { Dialect } from "../../program/dialect";
import { MYSQL_INFORMATION_SCHEMA, MYSQL_SCHEMA } from "../mysql/informationSchema";
import { INFORMATION_SCHEMA } from "./informationSchema";
import { PG_RELATIONS } from "./pgRelations";
import { PG_SERVER } from "./pgServer";
import { PG_STATISTICS } from "./pgStatistics";
import type { SystemTable } from "./systemTable";

const POSTGRES: ReadonlyMap<string, SystemTable> = new Map(
  [...PG_RELATIONS, ...PG_SERVER, ...PG_STATISTICS, ...INFORMATION_SCHEMA].map((table) => [
    `${table.schema}.${table.name}`,
    table,
  ]),
);

const MYSQL: ReadonlyMap<string, SystemTable> = new Map(
  MYSQL_INFORMATION_SCHEMA.map((table) => [table.name, table]),
);

/** The system table of a name; those of pg_catalog are found without their schema. */
export function systemTableOf(
  dialect: Dialect,
  schema: string | undefined,
  name: string,
): SystemTable | undefined {
  if (dialect !== "postgres") return schema === MYSQL_SCHEMA ? MYSQL.get(name) : undefined;
  return POSTGRES.get(`${schema ?? "pg_catalog"}.${name}`);
}

const FIRST_OWN_ID = 12_000;

/** The ids of system tables, by their names. */
export const SYSTEM_IDS: ReadonlyMap<string, number> = new Map([
  ...[...POSTGRES.values()].map(({ name }, at) => [name, FIRST_OWN_ID + at] as const),
  ["pg_type", 1247],
  ["pg_attribute", 1249],
  ["pg_proc", 1255],
  ["pg_class", 1259],
  ["pg_constraint", 2606],
  ["pg_index", 2610],
  ["pg_namespace", 2615],
  ["pg_database", 1262],
]);
