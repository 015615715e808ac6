// The supported SQL dialects, by the names in configuration and reports.

/** The dialects: PostgreSQL's own parser reads `postgres`, ours the others. */
export type Dialect = "postgres" | "mysql" | "mariadb" | "sqlserver" | "sqlite";

export const DIALECTS: readonly Dialect[] = ["postgres", "mysql", "mariadb", "sqlserver", "sqlite"];

/** Dialects of one family share tables: a MariaDB file sees a MySQL file's declarations. */
export function sameFamily(left: Dialect, right: Dialect): boolean {
  return familyOf(left) === familyOf(right);
}

function familyOf(dialect: Dialect): Dialect {
  return dialect === "mariadb" ? "mysql" : dialect;
}

/** The dialect's name for people. */
export function dialectLabel(dialect: Dialect): string {
  return LABELS[dialect];
}

const LABELS: Readonly<Record<Dialect, string>> = {
  postgres: "PostgreSQL",
  mysql: "MySQL",
  mariadb: "MariaDB",
  sqlserver: "SQL Server",
  sqlite: "SQLite",
};
