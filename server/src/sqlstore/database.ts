// A database of the store: its tables, and statements that were read and planned before.
import type { PgParser } from "../frontend/sql/pg/pgParser";
import type { Dialect } from "../program/dialect";
import { createCatalog, type Catalog } from "./catalog";
import { mysqlStatements } from "./mysql/statement";
import type { ParsedStatement } from "./parseMemo";
import { postgresStatements } from "./pg/statement";
import { planStatement, type Plan } from "./run/statement";
import { unsupported } from "./sqlError";
import type { SqlChange, SqlQuery } from "./tree";
import type { SqlType } from "./values/types";

export interface Database {
  readonly dialect: Dialect;
  readonly catalog: Catalog;
  /** The statements of a text. Throws an `SqlFailure`. */
  readonly parse: (sql: string) => readonly ParsedStatement[];
  /** A statement compiled for parameters of these types. Throws an `SqlFailure`. */
  readonly plan: (
    statement: SqlQuery | SqlChange,
    types: ReadonlyMap<number, SqlType>,
    locals?: ReadonlyMap<string, SqlType>,
  ) => Plan;
}

export interface DatabaseOptions {
  readonly dialect: Dialect;
  /** PostgreSQL's own parser, which its dialect needs. */
  readonly parser?: PgParser;
}

/** Characters of the texts that are kept: applications send the same few again and again. */
const MOST_CHARACTERS = 1_000_000;
/** Longer ones are rarely sent twice, and their trees are large. */
const LONGEST_TEXT = 20_000;

/** An empty database. */
export function createDatabase(options: DatabaseOptions): Database {
  const { dialect, parser } = options;
  const catalog = createCatalog(dialect);
  const texts = new Map<string, readonly ParsedStatement[]>();
  let characters = 0;
  const plans = new WeakMap<
    object,
    Map<string, { readonly version: number; readonly plan: Plan }>
  >();
  return {
    dialect,
    catalog,
    parse(sql) {
      const known = texts.get(sql);
      if (known !== undefined) return known;
      const statements = read(sql, dialect, parser);
      if (sql.length > LONGEST_TEXT) return statements;
      texts.set(sql, statements);
      characters += sql.length;
      for (const oldest of texts.keys()) {
        if (characters <= MOST_CHARACTERS) break;
        texts.delete(oldest);
        characters -= oldest.length;
      }
      return statements;
    },
    plan(statement, types, locals) {
      const all = [...types, ...(locals ?? [])];
      const name = all.map(([number, type]) => `${number}:${type}`).join();
      const own =
        plans.get(statement) ??
        new Map<string, { readonly version: number; readonly plan: Plan }>();
      plans.set(statement, own);
      const known = own.get(name);
      if (known?.version === catalog.version) return known.plan;
      const plan = planStatement(statement, catalog, types, locals);
      own.set(name, { version: catalog.version, plan });
      return plan;
    },
  };
}

function read(
  sql: string,
  dialect: Dialect,
  parser: PgParser | undefined,
): readonly ParsedStatement[] {
  switch (dialect) {
    case "postgres":
      if (parser === undefined) throw unsupported("PostgreSQL's dialect without its parser");
      return postgresStatements(sql, parser);
    case "mysql":
    case "mariadb":
      return mysqlStatements(sql, dialect);
    case "sqlserver":
    case "sqlite":
      throw unsupported(`the dialect ${dialect}`);
    default:
      return dialect satisfies never;
  }
}
