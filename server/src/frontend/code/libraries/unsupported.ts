// Libraries of database access that are not read, by what they are imported as: who uses one is told so, with its files.
import type { Note } from "../../../program/program";
import type { FileId } from "../../../protocol/source";
import { rangeOf } from "../../sql/text/lines";
import type { HirImport } from "../hir";
import type { CodeSurroundings } from "../workspace/codeSurroundings";
import { LIBRARIES } from "./libraries";
import { UNREAD } from "./unread";

/** A library by its name, with the packages that it is, each with all below it. */
type Unsupported = readonly [name: string, ...packages: string[]];

/** Libraries of JavaScript and TypeScript. */
const OF_NODE: readonly Unsupported[] = [
  ["MikroORM on other databases", "@mikro-orm/better-sqlite", "@mikro-orm/knex", "@mikro-orm/libsql", "@mikro-orm/mssql", "@mikro-orm/sqlite"],
  ["Bookshelf", "bookshelf"],
  ["Waterline", "waterline", "sails-hook-orm", "sails-postgresql", "sails-mysql"],
  ["Orchid ORM", "orchid-orm", "pqb"],
  ["Zapatos", "zapatos"],
  ["PgTyped", "@pgtyped/runtime", "@pgtyped/query"],
  ["ts-sql-query", "ts-sql-query"],
  ["Lucid", "@adonisjs/lucid"],
  ["LoopBack", "@loopback/repository", "loopback-datasource-juggler", "jugglingdb"],
  ["Deepkit ORM", "@deepkit/orm", "@deepkit/sql"],
  ["Joist", "joist-orm"],
  ["Remult", "remult"],
  ["Supabase", "@supabase/supabase-js", "@supabase/postgrest-js"],
]; // prettier-ignore

/** Drivers of databases, which builders and mappers that are read may run on. */
const DRIVERS: readonly Unsupported[] = [
  ["SQLite", "sql.js"],
  ["DuckDB", "duckdb", "@duckdb/node-api"],
  ["SQL Server", "tedious", "msnodesqlv8"],
  ["Oracle", "oracledb"],
  ["Db2", "ibm_db"],
  ["ODBC", "odbc"],
  ["Snowflake", "snowflake-sdk"],
  ["Spanner", "@google-cloud/spanner"],
  ["RDS Data API", "@aws-sdk/client-rds-data", "data-api-client"],
  ["MySQL X DevAPI", "@mysql/xdevapi"],
]; // prettier-ignore

/** Libraries of Java. */
const OF_JAVA: readonly Unsupported[] = [
  ["JPA's criteria", "jakarta.persistence.criteria", "javax.persistence.criteria", "org.hibernate.criterion"],
  ["Panache", "io.quarkus.hibernate"],
  ["EclipseLink", "org.eclipse.persistence"],
  ["Spring Data's specifications", "org.springframework.data.jpa.domain"],
  ["Spring Data JDBC", "org.springframework.data.jdbc", "org.springframework.data.relational"],
  ["Micronaut Data", "io.micronaut.data"],
  ["jOOQ", "org.jooq"],
  ["JDBI", "org.jdbi", "org.skife.jdbi"],
  ["MyBatis' sessions", "org.apache.ibatis.session", "org.mybatis.spring", "org.mybatis.dynamic"],
  ["MyBatis-Plus", "com.baomidou.mybatisplus"],
  ["Ebean", "io.ebean", "com.avaje.ebean"],
  ["Querydsl", "com.querydsl"],
  ["Sql2o", "org.sql2o"],
  ["DbUtils", "org.apache.commons.dbutils"],
  ["R2DBC", "io.r2dbc", "org.springframework.r2dbc"],
  ["Vert.x SQL clients", "io.vertx.sqlclient", "io.vertx.pgclient", "io.vertx.mysqlclient", "io.vertx.ext.sql"],
  ["ActiveJDBC", "org.javalite.activejdbc"],
  ["Cayenne", "org.apache.cayenne"],
  ["Doma", "org.seasar.doma"],
  ["requery", "io.requery"],
  ["Fluent JDBC", "org.codejargon.fluentjdbc"],
]; // prettier-ignore

/** The names of all of them, by language: for the documentation. */
export const UNSUPPORTED_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ["JavaScript and TypeScript", OF_NODE],
      ["Drivers", DRIVERS],
      ["Java", OF_JAVA],
    ] as const
  ).map(([language, all]) => [language, all.map(([name]) => name)]),
);

const byPackage = new Map(
  [...OF_NODE, ...DRIVERS, ...OF_JAVA].flatMap(([name, ...packages]) =>
    packages.map((each) => [each, name] as const),
  ),
);

const escaped = (names: readonly Unsupported[]): string =>
  names
    .flatMap(([, ...packages]) => packages)
    .map((each) => each.replaceAll(/[.\\/]/gu, "\\$&"))
    .join("|");

/** The source of an expression that finds the texts that import one of them. */
export const UNSUPPORTED_IMPORTS: readonly string[] = [
  `["'](?:bun|${escaped([...OF_NODE, ...DRIVERS])})["'/]`,
  `\\bimport\\s+(?:static\\s+)?(?:${escaped(OF_JAVA)})\\.`,
];

/** One note for each of these libraries that the files import, at the first import. Linear in the imports. */
export function unsupportedLibraries({
  files,
  modules,
  lines,
}: Pick<CodeSurroundings, "files" | "modules" | "lines">): readonly Note[] {
  const found = new Map<string, { readonly at: HirImport; readonly files: Set<FileId> }>();
  for (const file of files) {
    const { imports = [] } = modules.moduleOf(file) ?? {};
    const isOnTop = imports.some(({ from }) => isRead(from));
    for (const each of imports) {
      const name = libraryOf(each);
      if (name === undefined || (isOnTop && driverNames.has(name))) continue;
      const known = found.get(name) ?? { at: each, files: new Set<FileId>() };
      found.set(name, known);
      known.files.add(file);
    }
  }
  return [...found].flatMap(([name, { at, files: using }]): readonly Note[] => {
    const [first, ...others] = using;
    if (first === undefined) return [];
    const source = rangeOf(lines(first), at.span.start, at.span.end);
    const shown = [first, ...others.slice(0, MOST_NAMED - 1)].join(", ");
    const rest = others.length < MOST_NAMED ? "" : ` and ${String(others.length + 1 - MOST_NAMED)} more`; // prettier-ignore
    const message = `${name} is not supported: what is done with it is not read. It is used in ${shown}${rest}.`;
    return [{ severity: "warning", code: "library-unread", message, source }];
  });
}

const MOST_NAMED = 5;

const driverNames: ReadonlySet<string> = new Set(DRIVERS.map(([name]) => name));

/** True if an import is of a library that is read. */
function isRead(from: string): boolean {
  return LIBRARIES.some((each) => each !== UNREAD && each.modules.includes(from));
}

function libraryOf({ from, imported }: HirImport): string | undefined {
  if (from === "bun") return /^(?:sql|SQL)$/u.test(imported) ? "Bun's SQL" : undefined;
  const separator = /^[a-z]+(?:\.[\w]+)+$/u.test(from) && !from.includes("/") ? "." : "/";
  for (
    let name = from;
    name !== "";
    name = name.slice(0, Math.max(0, name.lastIndexOf(separator)))
  ) {
    const known = byPackage.get(name);
    if (known !== undefined) return known;
  }
  return undefined;
}
