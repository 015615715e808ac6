// Statements about the session itself: prepared statements, cursors, COPY, EXPLAIN, tables made of queries.
import type { Reply, Request } from "../exploration/client";
import type { Dialect } from "../program/dialect";
import type { QueryColumn } from "./compile/node";
import { explained, explainedColumns } from "./explain";
import { failure, unsupported } from "./sqlError";
import { queryOf, selectOf } from "./selectOf";
import { commandResult } from "./sessionParts";
import type { SqlResult } from "./sessionTypes";
import type { SqlDefinition } from "./definitionTree";
import type { SqlExpression, SqlInsert, SqlQuery } from "./tree";
import { formatValue, wireText } from "./values/format";
import type { SqlType } from "./values/types";
import type { SqlRow } from "./values/value";
import type { SqlCopy, SqlStatement } from "./statementTree";

type Steps<T> = Generator<Request, T, Reply>;

/** Services of the session around them. */
export interface StatementHost {
  readonly dialect: Dialect;
  readonly parse: (text: string) => readonly SqlStatement[];
  readonly run: (statement: SqlStatement, parameters: readonly unknown[]) => Steps<SqlResult>;
  readonly columns: (statement: SqlQuery) => readonly QueryColumn[];
  /** The columns of a table, or those of the names. */
  readonly tableColumns: (
    table: string,
    names: readonly string[],
  ) => readonly { readonly name: string; readonly type: SqlType }[];
  readonly define: (definition: SqlDefinition) => void;
  readonly hasRelation: (name: string) => boolean;
  readonly isInTransaction: () => boolean;
  readonly interrupt: (session: number, what: "statement" | "session") => boolean;
  readonly resetSettings: () => void;
  readonly forgetChannels: () => void;
}

interface Cursor {
  readonly columns: readonly QueryColumn[];
  readonly rows: readonly SqlRow[];
  readonly isHeld: boolean;
  /** 0 before the first row, one more than there are rows behind the last. */
  at: number;
}

type Of<K extends SqlStatement["kind"]> = Extract<SqlStatement, { readonly kind: K }>;

export type SessionStatement = Of<
  | "explain"
  | "prepare"
  | "prepare text"
  | "execute"
  | "deallocate"
  | "declare"
  | "fetch"
  | "close"
  | "copy"
  | "discard"
  | "evaluate"
  | "kill"
  | "table as"
>;

export interface SessionStatements {
  readonly run: (statement: SessionStatement, parameters: readonly unknown[]) => Steps<SqlResult>;
  /** Columns that clients are told before it runs. */
  readonly columns: (statement: SqlStatement) => readonly QueryColumn[];
  /** Cursors that are not held end with their transaction. */
  readonly transactionEnded: () => void;
  /** Stores rows that came from the client. */
  readonly copyIn: (
    copy: SqlCopy,
    rows: readonly (readonly (string | null)[])[],
  ) => Steps<SqlResult>;
  readonly cursors: () => readonly string[];
  /** Undefined where there is no such cursor. */
  readonly cursorColumns: (name: string) => readonly QueryColumn[] | undefined;
}

/** Rows of one INSERT that COPY becomes. */
const COPIED_AT_ONCE = 500;

export function createSessionStatements(host: StatementHost): SessionStatements {
  const isPostgres = host.dialect === "postgres";
  const prepared = new Map<string, SqlStatement>();
  const cursors = new Map<string, Cursor>();

  function preparedNamed(name: string): SqlStatement {
    const found = prepared.get(name);
    if (found !== undefined) return found;
    throw isPostgres
      ? failure("noStatement", `prepared statement "${name}" does not exist`)
      : failure("noStatement", `Unknown prepared statement handler (${name}) given to EXECUTE`);
  }

  function cursorNamed(name: string): Cursor {
    const found = cursors.get(name);
    if (found !== undefined) return found;
    throw failure("noCursor", `cursor "${name}" does not exist`);
  }

  function prepare(name: string, statement: SqlStatement): SqlResult {
    if (isPostgres && prepared.has(name))
      throw failure("statementExists", `prepared statement "${name}" already exists`);
    prepared.set(name, statement);
    return commandResult("PREPARE");
  }

  function* valuesOf(
    expressions: readonly SqlExpression[],
    parameters: readonly unknown[],
  ): Steps<readonly unknown[]> {
    if (expressions.length === 0) return [];
    const { rows, columns } = yield* host.run(selectOf(expressions), parameters);
    const [row = []] = rows;
    return row.map((value, at) =>
      value === null || typeof value === "number" || typeof value === "bigint"
        ? value
        : wireText(value, columns[at]?.type ?? "text"),
    );
  }

  function fetched({ name, direction, count, isMove }: Of<"fetch">): SqlResult {
    const cursor = cursorNamed(name);
    const { rows, columns } = cursor;
    const end = rows.length + 1;
    const place = (at: number): number => Math.max(0, Math.min(end, at));
    let found: readonly SqlRow[] = [];
    if (direction === "absolute" || direction === "relative") {
      const from = direction === "absolute" ? 0 : cursor.at;
      const to = (count ?? 0) + from;
      cursor.at = place(direction === "absolute" && to < 0 ? end + to : to);
      const row = rows[cursor.at - 1];
      found = row === undefined ? [] : [row];
    } else {
      const most = (count ?? end) * (direction === "backward" ? -1 : 1);
      if (most === 0) {
        const row = rows[cursor.at - 1];
        found = row === undefined ? [] : [row];
      } else if (most > 0) {
        found = rows.slice(cursor.at, cursor.at + most);
        cursor.at = place(found.length < most ? end : cursor.at + most);
      } else {
        const first = Math.max(0, cursor.at - 1 + most);
        found = rows.slice(first, Math.max(0, cursor.at - 1)).reverse();
        cursor.at = place(found.length < -most ? 0 : cursor.at + most);
      }
    }
    const rowCount = found.length;
    if (isMove) return { command: `MOVE ${rowCount}`, columns: [], rows: [], rowCount };
    return { command: `FETCH ${rowCount}`, columns, rows: found, rowCount };
  }

  function* tableAs(statement: Of<"table as">, parameters: readonly unknown[]): Steps<SqlResult> {
    const { table, query, columns: names, isView } = statement;
    if (host.hasRelation(table)) {
      if (statement.ifNotExists) return commandResult("CREATE TABLE AS");
      throw failure("tableExists", `relation "${table}" already exists`);
    }
    const columns = host.columns(query);
    const result = statement.isEmpty ? undefined : yield* host.run(query, parameters);
    host.define({
      kind: "create table",
      table,
      columns: columns.map(({ name, type, origin }, at) => ({
        name: names[at] ?? name,
        type: { name: "", modifiers: [], array: false },
        declared: origin?.declared ?? { type: type === "unknown" ? "text" : type },
        notNull: false,
        constraints: [],
      })),
      constraints: [],
      ifNotExists: false,
    });
    const rows = result?.rows ?? [];
    yield* insertRows(
      table,
      [],
      rows.map((row) =>
        row.map((value, at) =>
          value === null ? null : formatValue(value, columns[at]?.type ?? "text"),
        ),
      ),
    );
    return isView
      ? { ...commandResult("CREATE MATERIALIZED VIEW"), rowCount: rows.length }
      : { ...commandResult(`SELECT ${rows.length}`), rowCount: rows.length };
  }

  function* insertRows(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly (string | null)[])[],
    conflict?: "ignore" | "replace",
  ): Steps<number> {
    let count = 0;
    for (let from = 0; from < rows.length; from += COPIED_AT_ONCE) {
      const part = rows.slice(from, from + COPIED_AT_ONCE);
      const change = insertOf(table, columns, part);
      const action = conflict && { conflict: { action: conflict, set: [] } };
      count += (yield* host.run({ ...change, ...action }, [])).rowCount;
    }
    return count;
  }

  function* run(statement: SessionStatement, parameters: readonly unknown[]): Steps<SqlResult> {
    switch (statement.kind) {
      case "explain": {
        if (statement.isRun) yield* host.run(statement.statement, parameters);
        const plan = explained(statement, host.dialect);
        return { command: "EXPLAIN", ...plan, rowCount: plan.rows.length };
      }
      case "prepare":
        return prepare(statement.name, statement.statement);
      case "prepare text": {
        const [text] = yield* valuesOf([statement.text], parameters);
        const [inner, ...more] = host.parse(String(text));
        if (inner === undefined || more.length > 0)
          throw failure("syntax", "one statement can be prepared at a time");
        return prepare(statement.name, inner);
      }
      case "execute": {
        const inner = preparedNamed(statement.name);
        return yield* host.run(inner, yield* valuesOf(statement.arguments, parameters));
      }
      case "deallocate":
        if (statement.name === undefined || statement.name === "") prepared.clear();
        else {
          preparedNamed(statement.name);
          prepared.delete(statement.name);
        }
        return commandResult("DEALLOCATE");
      case "declare": {
        const { name, query, isHeld } = statement;
        if (!host.isInTransaction() && !isHeld)
          throw failure(
            "outsideTransaction",
            "DECLARE CURSOR can only be used in transaction blocks",
          );
        if (cursors.has(name)) throw failure("cursorExists", `cursor "${name}" already exists`);
        const { columns, rows } = yield* host.run(query, parameters);
        cursors.set(name, { columns, rows, isHeld, at: 0 });
        return commandResult("DECLARE CURSOR");
      }
      case "fetch":
        return fetched(statement);
      case "close":
        if (statement.name === undefined || statement.name === "") {
          cursors.clear();
          return commandResult("CLOSE CURSOR ALL");
        }
        cursorNamed(statement.name);
        cursors.delete(statement.name);
        return commandResult("CLOSE CURSOR");
      case "copy": {
        const { table = "", columns: names, isFrom, query } = statement;
        if (isFrom) {
          const columns = host.tableColumns(table, names);
          return { ...commandResult("COPY 0"), columns, copy: statement };
        }
        const source = query ?? tableQuery(table, names);
        const result = yield* host.run(source, parameters);
        return { ...result, command: `COPY ${result.rowCount}`, copy: statement };
      }
      case "evaluate":
        yield* valuesOf(statement.values, parameters);
        return commandResult("DO");
      case "kill": {
        const [session] = yield* valuesOf([statement.session], parameters);
        if (!host.interrupt(Number(session), statement.what))
          throw failure("noThread", `Unknown thread id: ${String(session)}`);
        return commandResult("KILL");
      }
      case "discard":
        host.resetSettings();
        if (statement.onlySettings === true) return commandResult("RESET");
        prepared.clear();
        cursors.clear();
        host.forgetChannels();
        return commandResult("DISCARD ALL");
      case "table as":
        return yield* tableAs(statement, parameters);
      default:
        return statement satisfies never;
    }
  }

  return {
    run,
    columns(statement) {
      switch (statement.kind) {
        case "select":
          return host.columns(statement);
        case "explain":
          return explainedColumns(statement.format, host.dialect);
        case "fetch":
          return statement.isMove ? [] : (cursors.get(statement.name)?.columns ?? []);
        case "execute": {
          const inner = prepared.get(statement.name);
          return inner?.kind === "select" ? host.columns(inner) : [];
        }
        default:
          return [];
      }
    },
    transactionEnded() {
      for (const [name, { isHeld }] of cursors) if (!isHeld) cursors.delete(name);
    },
    *copyIn({ table, columns, load }, rows) {
      if (table === undefined) throw unsupported("COPY into a query");
      const width = host.tableColumns(table, columns).length;
      if (load !== undefined) {
        const filled = rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? null));
        const rowCount = yield* insertRows(table, columns, filled, load.conflict);
        return { ...commandResult("LOAD"), rowCount };
      }
      for (const row of rows) {
        if (row.length === width) continue;
        throw failure(
          "badCopy",
          row.length < width ? "missing data for column" : "extra data after last expected column",
        );
      }
      yield* insertRows(table, columns, rows);
      return { ...commandResult(`COPY ${rows.length}`), rowCount: rows.length };
    },
    cursors: () => [...cursors.keys()],
    cursorColumns: (name) => cursors.get(name)?.columns,
  };
}

function tableQuery(table: string, names: readonly string[]): SqlQuery {
  const query = selectOf(
    names.length === 0
      ? [{ kind: "star", path: [] }]
      : names.map((name) => ({ kind: "column", path: [name] })),
  );
  if (query.body.kind !== "select") return query;
  return { ...query, body: { ...query.body, from: [{ kind: "table", name: table, columns: [] }] } };
}

function insertOf(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): SqlInsert {
  const values = rows.map((row) =>
    row.map((cell): SqlExpression =>
      cell === null ? { kind: "null" } : { kind: "string", value: cell },
    ),
  );
  const source = queryOf({ kind: "values", rows: values });
  return { kind: "insert", with: [], table, columns, source };
}
