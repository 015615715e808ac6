// The database connection of a code client: the interface of the drivers `pg` and `mysql2` over the explored store. A query waits for the
// previous one, as on a real connection.
import type { Ask, Key, Reply, Request, Value } from "../../exploration/client";
import type { SqlResult, SqlSession } from "../../sqlstore/session";
import type { SqlError } from "../../sqlstore/sqlError";
import { driverValue } from "../../sqlstore/parameters";
import type { Dialect } from "../../program/dialect";

/** The effect of one statement, for explaining a run. */
export interface ObservedQuery {
  /** The transaction's name. */
  readonly instance: string;
  readonly text: string;
  readonly result: SqlResult | undefined;
  readonly error: SqlError | undefined;
  readonly reads: ReadonlyMap<Key, Value>;
  readonly writes: ReadonlyMap<Key, Value>;
  /** Set if the statement ended a transaction. */
  readonly ended: "commit" | "rollback" | undefined;
  /** The caller's position in the code, as `file:line:column`. */
  readonly calledFrom: string | undefined;
}

export interface Connection {
  /** The interface for the code. */
  readonly api: object;
  /** Rolls back the code's open transaction. */
  readonly release: () => Promise<void>;
}

export interface ConnectionOptions {
  readonly dialect: Dialect;
  readonly session: SqlSession;
  readonly ask: Ask;
  /** The name of the open transaction. */
  readonly instance: () => string;
  readonly observe?: (query: ObservedQuery) => void;
  /** Called for every statement that the database refuses. */
  readonly failed: (error: SqlError, sql: string) => void;
}

export function openConnection(options: ConnectionOptions): Connection {
  const { dialect, session, ask, observe } = options;
  let last: Promise<unknown> = Promise.resolve();

  async function run(
    sql: string,
    parameters: readonly unknown[],
    from?: string,
  ): Promise<SqlResult> {
    const reads = new Map<Key, Value>();
    const writes = new Map<Key, Value>();
    let ended: ObservedQuery["ended"];
    const steps = session.execute(sql, parameters);
    let next = steps.next();
    while (next.done !== true) {
      const request: Request = next.value;
      const reply: Reply = await ask(request);
      if (reply.kind === "values") for (const [key, value] of reply.values) reads.set(key, value);
      if (request.kind === "write") writes.set(request.key, request.value);
      if (request.kind === "commit") ended = reply.kind === "failed" ? "rollback" : "commit";
      if (request.kind === "abort" || reply.kind === "failed") ended = "rollback";
      next = steps.next(reply);
    }
    const outcome = next.value;
    const result = outcome.ok ? outcome.results.at(-1) : undefined;
    const error = outcome.ok ? undefined : outcome.error;
    observe?.({
      instance: options.instance(),
      text: sql,
      result,
      error,
      reads,
      writes,
      ended,
      calledFrom: from,
    });
    if (error !== undefined) {
      options.failed(error, sql);
      throw driverError(error, dialect);
    }
    return result ?? { command: "", columns: [], rows: [], rowCount: 0 };
  }

  /** Runs statements one after the other, whether or not the code waits. */
  function queued(given: unknown, parameters: unknown): Promise<SqlResult> {
    const { text, values } = statementOf(given, parameters);
    const from = observe === undefined ? undefined : callSite();
    const running = last.then(() => run(text, values, from));
    last = running.catch(() => undefined);
    return running;
  }

  const postgres = dialect === "postgres";
  const objects = ({ rows, columns }: SqlResult): readonly Record<string, unknown>[] =>
    rows.map((row) =>
      Object.fromEntries(
        columns.map(({ name, type }, at) => [name, driverValue(row[at] ?? null, type, dialect)]),
      ),
    );
  const fields = ({ columns }: SqlResult) => columns.map(({ name }) => ({ name }));
  const pgResult = (result: SqlResult) => ({
    command: result.command,
    rowCount: result.rowCount,
    rows: objects(result),
    fields: fields(result),
  });
  const mysqlResult = (result: SqlResult) =>
    result.columns.length > 0
      ? [objects(result), fields(result)]
      : [
          {
            affectedRows: result.rowCount,
            changedRows: result.changedRows ?? result.rowCount,
            insertId: result.insertId ?? 0,
          },
          undefined,
        ];
  const told = postgres ? pgResult : mysqlResult;
  const query = async (text: unknown, parameters?: unknown): Promise<unknown> =>
    told(await queued(text, parameters));
  const command = (text: string) => async (): Promise<void> => {
    await queued(text, []);
  };
  const api: Record<string, unknown> = {
    query,
    execute: query,
    begin: command("BEGIN"),
    beginTransaction: command("BEGIN"),
    commit: command("COMMIT"),
    rollback: command("ROLLBACK"),
    release: () => undefined,
    end: () => Promise.resolve(),
  };
  api["connect"] = () => Promise.resolve(api);
  api["getConnection"] = () => Promise.resolve(api);
  api["transaction"] = async (work: (connection: unknown) => unknown): Promise<unknown> => {
    await queued("BEGIN", []);
    try {
      const value: unknown = await work(api);
      await queued("COMMIT", []);
      return value;
    } catch (error) {
      if (session.status() !== "idle") await queued("ROLLBACK", []);
      throw error;
    }
  };
  return {
    api,
    release: async () => {
      await last;
      if (session.status() !== "idle") await run("ROLLBACK", []);
    },
  };
}

function statementOf(
  given: unknown,
  parameters: unknown,
): { readonly text: string; readonly values: readonly unknown[] } {
  if (typeof given === "string")
    return { text: given, values: Array.isArray(parameters) ? (parameters as unknown[]) : [] };
  if (typeof given === "object" && given !== null) {
    const text = "text" in given ? given.text : "sql" in given ? given.sql : undefined;
    const values = "values" in given ? given.values : parameters;
    if (typeof text === "string")
      return { text, values: Array.isArray(values) ? (values as unknown[]) : [] };
  }
  throw new TypeError("a query is a text, or an object with a text and its values");
}

/** The error as the dialect's driver raises it. */
function driverError(
  { code, number, mysqlState, message, ...parts }: SqlError,
  dialect: Dialect,
): Error {
  const error = new Error(message);
  const own =
    dialect === "postgres"
      ? { code }
      : {
          errno: number,
          sqlState: mysqlState,
          code: MYSQL_NAMES[number] ?? `ER_${String(number)}`,
        };
  return Object.assign(error, { severity: "ERROR", ...parts, ...own, [FROM_DATABASE]: true });
}

/** Marks database errors, as opposed to mistakes in the code. */
export const FROM_DATABASE = Symbol("from the database");

const MYSQL_NAMES: Readonly<Record<number, string>> = {
  1062: "ER_DUP_ENTRY",
  1213: "ER_LOCK_DEADLOCK",
  1205: "ER_LOCK_WAIT_TIMEOUT",
  1048: "ER_BAD_NULL_ERROR",
  1451: "ER_ROW_IS_REFERENCED_2",
  1452: "ER_NO_REFERENCED_ROW_2",
};

/** The position of the nearest caller outside of this file. */
function callSite(): string | undefined {
  const lines = new Error("where").stack?.split("\n") ?? [];
  const own = /clients[\\/]code[\\/]connection|dist[\\/]explore\.js|node:internal/u;
  const place = lines.slice(1).find((line) => /:\d+:\d+\)?$/u.test(line) && !own.test(line));
  return /\(?([^()\s]+:\d+:\d+)\)?$/u.exec(place ?? "")?.[1];
}
