// The SQL dialects that are read, by the names that configuration and reports use.

/** The dialects: PostgreSQL's own grammar reads `postgres`, and ours the others. */
export type Dialect = "postgres" | "mysql" | "mariadb" | "sqlserver" | "sqlite";

export const DIALECTS: readonly Dialect[] = ["postgres", "mysql", "mariadb", "sqlserver", "sqlite"];

/** Dialects of one family share tables: a MariaDB file reads what a MySQL file declares. */
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
