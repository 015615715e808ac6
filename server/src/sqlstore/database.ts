// A database of the store: its tables, and statements that were read and planned before.
import type { PgParser } from "../frontend/sql/pg/pgParser";
import type { Dialect } from "../program/dialect";
import { createCatalog, type Catalog } from "./catalog";
import { createLiteralTexts } from "./mysql/literals";
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
  /** As `parse`; a text that differs from others in its literals alone has those beside its statement. */
  readonly read: (sql: string) => readonly ParsedStatement[];
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
/** Longer ones are kept when they come again: scripts send each of theirs once, drivers their batches again and again. */
const LONG_TEXT = 20_000;
/** Characters of long texts that came once. */
const MOST_ONCE = 4_000_000;

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
  const parsed = (sql: string): readonly ParsedStatement[] => read(sql, dialect, parser);
  const literalTexts = dialect === "postgres" ? undefined : createLiteralTexts(parsed);
  /** A text is read several times in a row. */
  let last: { readonly sql: string; readonly statements: readonly ParsedStatement[] } | undefined;
  const once = new Set<string>();
  let charactersOnce = 0;

  /** True if the long text came before. */
  function isKnownLong(sql: string): boolean {
    if (once.has(sql)) return true;
    once.add(sql);
    charactersOnce += sql.length;
    for (const oldest of once) {
      if (charactersOnce <= MOST_ONCE) break;
      once.delete(oldest);
      charactersOnce -= oldest.length;
    }
    return false;
  }

  function parse(sql: string): readonly ParsedStatement[] {
    const known = texts.get(sql);
    if (known !== undefined) return known;
    const statements = parsed(sql);
    if (sql.length > LONG_TEXT && !isKnownLong(sql)) return statements;
    texts.set(sql, statements);
    characters += sql.length;
    for (const oldest of texts.keys()) {
      if (characters <= MOST_CHARACTERS) break;
      texts.delete(oldest);
      characters -= oldest.length;
    }
    return statements;
  }

  return {
    dialect,
    catalog,
    read(sql) {
      if (last?.sql === sql) return last.statements;
      const shared = texts.has(sql) ? undefined : literalTexts?.read(sql);
      const statements = shared === undefined ? parse(sql) : [shared];
      last = { sql, statements };
      return statements;
    },
    parse,
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
