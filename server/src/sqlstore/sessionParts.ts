// Small parts of a session: errors of the store, settings as texts, calls that stand alone.
import { ownType, type Catalog } from "./catalog";
import { routineFor } from "./routine/call";
import type { Notice, SqlResult } from "./sessionTypes";
import { shownName } from "./schemaMap";
import { failure, SqlFailure } from "./sqlError";
import { relationsOf } from "./system/objects";
import { POSTGRES_VERSION } from "./system/pgSettings";
import type { SqlDefinition } from "./definitionTree";
import type { SqlCall, SqlChange, SqlExpression, SqlQuery } from "./tree";
import type { SqlType } from "./values/types";
import type { SqlStatement } from "./statementTree";

/** The columns of a table, or those of the names. */
export function columnsByName(
  catalog: Catalog,
  name: string,
  names: readonly string[],
): readonly { readonly name: string; readonly type: SqlType }[] {
  const table = catalog.tables.get(name);
  if (table === undefined) throw failure("noTable", `relation "${shownName(name)}" does not exist`);
  const all = names.length > 0 ? names : table.columns.map((column) => column.name);
  return all.map((each) => {
    const column = table.columns.find((own) => own.name === each);
    if (column === undefined)
      throw failure("noColumn", `column "${each}" of relation "${name}" does not exist`);
    return { name: each, type: column.declared.type };
  });
}

/**
 * The routine that is all that a query asks for, as in `SELECT transfer(1, 2)`: its statements then have snapshots of their
 * own, as on the server.
 */
export function loneCall(catalog: Catalog, { body, with: withs }: SqlQuery): SqlCall | undefined {
  if (catalog.routines.size === 0 || withs.length > 0 || body.kind !== "select") return undefined;
  const [output, ...more] = body.outputs;
  const isAlone =
    more.length === 0 &&
    body.from.length === 0 &&
    body.where === undefined &&
    output?.alias === undefined;
  const value = output?.value;
  if (!isAlone || value?.kind !== "call") return undefined;
  const routine = routineFor(catalog.routines.get(value.name), value.arguments.length);
  const isOne = routine !== undefined && !routine.returnsSet && !routine.isProcedure;
  const hasOutputs = routine?.parameters.some(({ mode }) => mode !== "in") === true;
  return isOne && !hasOutputs && routine.returnsRow === undefined ? value : undefined;
}

/** The function of the user's own that alone stands in FROM: it may change rows, and its statements have snapshots of their own. */
export function loneRelation(
  { routines }: Catalog,
  { body, with: withs }: SqlQuery,
): SqlCall | undefined {
  if (routines.size === 0 || withs.length > 0 || body.kind !== "select") return undefined;
  const [relation, ...more] = body.from;
  if (relation?.kind !== "function" || more.length > 0) return undefined;
  const { name, arguments: args } = relation.call;
  const routine = routineFor(routines.get(name), args.length);
  return routine === undefined || routine.isProcedure ? undefined : relation.call;
}

export function commandResult(command: string): SqlResult {
  return { command, columns: [], rows: [], rowCount: 0 };
}

/** An error of the store: 40001 is MySQL's 1213, 23505 its 1062, 1020 has no SQLSTATE of its own. */
export function storeFailure(reply: {
  readonly code: string;
  readonly message: string;
}): SqlFailure {
  const duplicate = failure("duplicate", reply.message);
  if (reply.code === duplicate.error.code) return duplicate;
  if (reply.code === "55P03") return failure("lockTimeout", reply.message);
  if (reply.code === "70100") return failure("mariadbTimedOut", reply.message);
  if (reply.code === "57014") return failure("canceled", reply.message);
  const base = failure("serialization", reply.message).error;
  return new SqlFailure(reply.code === base.code ? base : { ...base, code: reply.code });
}

export function settingText(value: SqlExpression | undefined): string {
  switch (value?.kind) {
    case "string":
      return value.value;
    case "number":
      return value.text;
    case "boolean":
      return String(value.value);
    case "column":
      return value.path.join(".");
    default:
      return "";
  }
}

/** Settings whose names PostgreSQL shows in letters of their own. */
export const DISPLAY_NAMES: ReadonlyMap<string, string> = new Map(
  ["DateStyle", "IntervalStyle", "TimeZone"].map((name) => [name.toLowerCase(), name]),
);

export const SEVERITIES = ["NOTICE", "WARNING", "INFO", "LOG", "DEBUG"] as const;

/** Names of the settings that are levels. */
export const LEVEL_SETTING = /^(default_)?(transaction|tx)_isolation$/;

/** Names of the settings that say whether transactions may change rows. */
export const READ_ONLY_SETTING = /^(default_)?(transaction|tx)_read_only$/;

export const VERSIONS = {
  postgres: `PostgreSQL ${POSTGRES_VERSION}`,
  mysql: "8.0.36",
  mariadb: "10.11.0-MariaDB",
} as const;

/** Statements that change what is stored. Fails with 25006, or 1792, for those. */
export function checkReadOnly(statement: SqlStatement, isPostgres: boolean): void {
  const word = changeWord(statement, isPostgres);
  if (word !== undefined) throw readOnlyFailure(word, isPostgres);
}

export function readOnlyFailure(word: string, isPostgres: boolean): SqlFailure {
  return failure(
    "readOnly",
    isPostgres
      ? `cannot execute ${word} in a read-only transaction`
      : "Cannot execute statement in a READ ONLY transaction",
  );
}

function changeWord(statement: SqlStatement, isPostgres: boolean): string | undefined {
  switch (statement.kind) {
    case "insert":
    case "update":
    case "delete":
    case "merge":
      return statement.kind.toUpperCase();
    case "select": {
      const [lock] = statement.locks;
      if (lock !== undefined && (isPostgres || lock.strength === "update"))
        return `SELECT FOR ${lock.strength.toUpperCase()}`;
      return statement.with
        .map(({ body }) => changeWord(body, isPostgres))
        .find((word) => word !== undefined);
    }
    case "truncate":
      return "TRUNCATE TABLE";
    case "definition":
      return statement.tag;
    case "copy":
      return statement.isFrom ? "COPY FROM" : undefined;
    case "table as":
      return "CREATE TABLE AS";
    case "explain":
      return statement.isRun ? changeWord(statement.statement, isPostgres) : undefined;
    default:
      return undefined;
  }
}

/** The statements that a failed transaction of PostgreSQL takes. Fails with 25P02 for all else. */
export function checkFailed({ kind }: SqlStatement): void {
  if (kind === "rollback" || kind === "commit" || kind === "rollback to") return;
  throw failure(
    "failedTransaction",
    "current transaction is aborted, commands ignored until end of transaction block",
  );
}

export function warning(code: string, message: string): Notice {
  return { severity: "WARNING", code, message };
}

/** Notices of IF EXISTS and IF NOT EXISTS that skip something. */
export function skipNotices(catalog: Catalog, definition: SqlDefinition): readonly Notice[] {
  const note = (code: string, message: string): Notice => ({ severity: "NOTICE", code, message });
  if (definition.kind === "drop" && definition.ifExists) {
    const { what, names } = definition;
    return names
      .filter((name) => !isKnown(catalog, what, name))
      .map((name) => note("00000", `${what} "${name}" does not exist, skipping`));
  }
  if (definition.kind !== "create table" || !definition.ifNotExists) return [];
  const { table } = definition;
  return catalog.tables.has(table)
    ? [note("42P07", `relation "${table}" already exists, skipping`)]
    : [];
}

function isKnown(catalog: Catalog, what: string, name: string): boolean {
  switch (what) {
    case "table":
      return catalog.tables.has(name);
    case "view":
      return catalog.views.has(name);
    case "sequence":
      return catalog.sequences.has(name);
    case "type":
    case "domain":
      return ownType(catalog, name) !== undefined;
    case "routine":
      return catalog.routines.has(name);
    default:
      return relationsOf(catalog).some((each) => each.name === name);
  }
}

/** The effect of a change on rows. */
export function changeKinds(change: SqlChange): ReadonlySet<"insert" | "update" | "delete"> {
  if (change.kind !== "merge") return new Set([change.kind]);
  return new Set(change.clauses.flatMap(({ action }) => (action === "nothing" ? [] : [action])));
}

/** The table that a change is about; of several of MySQL the first. */
export function changedTable(change: SqlChange): string {
  if (change.kind === "insert") return change.table;
  if (change.kind === "merge") return change.target.name;
  const relations = change.kind === "update" ? [change.target] : change.from;
  return relations.flatMap((each) => (each.kind === "table" ? each.name : []))[0] ?? "";
}
