// Which database code speaks to, as far as its imports, connection strings and options say it.
import { DIALECTS, type Dialect } from "../../../program/dialect";
import type { FileId } from "../../../protocol/source";
import type { SourceFile } from "../../sql/text/sources";

/** Tells which dialect the texts of code name, again and again; those that stay are looked at once. */
export function createDialectTeller(): (files: readonly SourceFile[]) => Dialect | undefined {
  let known: ReadonlyMap<FileId, Told> = new Map();
  return (files) => {
    const now = files.map(({ file, text }): readonly [FileId, Told] => {
      const before = known.get(file);
      return [file, before?.text === text ? before : { text, names: namedDialects(text) }];
    });
    known = new Map(now);
    return mostNamed(now.map(([, { names }]) => names));
  };
}

interface Told {
  readonly text: string;
  readonly names: readonly Dialect[];
}

/** The dialect that most of the texts name; undefined where none names any, or all name many. Linear in the texts. */
export function codeDialect(texts: Iterable<string>): Dialect | undefined {
  return mostNamed([...texts].map(namedDialects));
}

/** The dialect that is named by most; undefined where none names any, or all name many. */
function mostNamed(texts: readonly (readonly Dialect[])[]): Dialect | undefined {
  const votes = new Map<Dialect, number>();
  for (const named of texts) {
    for (const dialect of named) votes.set(dialect, (votes.get(dialect) ?? 0) + 1);
  }
  const [best, ...others] = [...votes].toSorted((a, b) => b[1] - a[1]);
  // A text that speaks to any product names them all, about as often.
  const rivals = others.filter(([, count]) => best && 2 * count > best[1]);
  return rivals.length < 2 ? best?.[0] : undefined;
}

/** All that a text names, as drivers, connection strings and options do. Linear in the text. */
export function namedDialects(text: string): readonly Dialect[] {
  return DIALECTS.filter((dialect) => NAMES[dialect].test(text));
}

/** Drivers as they are imported, URLs, and what configurations of libraries call the product. */
function naming(modules: string, schemes: string, options: string): RegExp {
  return new RegExp(
    `["'](?:${modules})["']|\\b(?:jdbc:)?(?:${schemes}):|\\b(?:client|type|dialect|provider)\\s*[:=]\\s*["'](?:${options})["']`,
    "u",
  );
}

const NAMES: Readonly<Record<Dialect, RegExp>> = {
  postgres: naming(
    "pg|postgres|pg-promise|massive|slonik|@neondatabase/serverless|@vercel/postgres|@electric-sql/pglite|@databases/pg|drizzle-orm/(?:pg-core|node-postgres|postgres-js|neon-http|neon-serverless|vercel-postgres)",
    "postgres|postgresql",
    "pg|postgres|postgresql|aurora-postgres",
  ),
  mysql: naming(
    "mysql|mysql2|mysql2/promise|serverless-mysql|@planetscale/database|@tidbcloud/serverless|@databases/mysql|drizzle-orm/(?:mysql-core|mysql2|planetscale-serverless)",
    "mysql",
    "mysql|mysql2|aurora-mysql",
  ),
  mariadb: naming("mariadb", "mariadb", "mariadb"),
  sqlite: naming(
    "sqlite3|sqlite-async|better-sqlite3|@databases/sqlite(?:-sync)?|node:sqlite|bun:sqlite|@libsql/client(?:/\\w+)?|drizzle-orm/(?:sqlite-core|better-sqlite3|libsql(?:/\\w+)?|(?:bun|expo|op|durable)-sqlite|d1|sql-js)",
    "sqlite|libsql",
    "sqlite|sqlite3|better-sqlite3|turso|libsql",
  ),
  sqlserver: naming("mssql|tedious", "sqlserver", "mssql|sqlserver"),
};
