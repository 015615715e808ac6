// A session of application code: statements, transactions and savepoints, as requests to the store.
import type { Key as StoreKey, Reply, Request, Value } from "../exploration/client";
import type { QueryColumn, SessionFacts } from "./compile/node";
import type { Database } from "./database";
import { applyDefinition } from "./define";
import { parameterType, parameterValue } from "./parameters";
import type { ParsedStatement } from "./parsed";
import type { LockingRule } from "./run/rows";
import { runPlan, truncateTables, type StatementContext, type StatementEnd } from "./run/statement";
import { MYSQL_SETTINGS } from "./mysql/settings";
import { showRows } from "./mysql/showRows";
import { rememberSpelling, shownColumns } from "./mysql/spelling";
import { failure, refused, SqlFailure, type SqlError } from "./sqlError";
import { POSTGRES_SETTINGS, POSTGRES_VERSION } from "./system/pgSettings";
import type { ShowRequest, SqlChange, SqlExpression, SqlQuery, SqlStatement } from "./tree";
import type { SqlType } from "./values/types";
import type { SqlRow, SqlValue } from "./values/value";

export type ResultColumn = QueryColumn;

export interface SqlResult {
  /** `SELECT`, `INSERT`, `BEGIN`, ... */
  readonly command: string;
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly SqlRow[];
  /** Rows that were given, or found by a change. */
  readonly rowCount: number;
  /** Rows that a change left different; MySQL tells both. */
  readonly changedRows?: number;
  /** The first number that AUTO_INCREMENT gave. */
  readonly insertId?: number;
}

export type SqlOutcome =
  | { readonly ok: true; readonly results: readonly SqlResult[] }
  | { readonly ok: false; readonly error: SqlError };

/** Numbers for serial and AUTO_INCREMENT columns: outside transactions, never given twice. */
export interface Sequences {
  readonly next: (name: string, start: number) => number;
  /** A row was given this number by the application (MySQL goes on behind it). */
  readonly reached: (name: string, value: number) => void;
}

export interface SessionOptions {
  readonly sequences: Sequences;
  /** Microseconds since 1970; must be the same whenever the code is run again. */
  readonly now: () => number;
  /** From 0 up to 1; must give the same whenever the code is run again. */
  readonly random: () => number;
  readonly rule: LockingRule;
  readonly user?: string;
  readonly database?: string;
  readonly identifier?: number;
  /** Settings, by their names in lower case, that the session starts with. */
  readonly settings?: ReadonlyMap<string, string>;
  /** A name for each transaction, for people. */
  readonly transactionName?: () => string | undefined;
}

export type TransactionStatus = "idle" | "open" | "failed";

export interface SqlSession {
  /** Runs a text of one or more statements, as requests to the store. Never throws for bad SQL. */
  readonly execute: (
    sql: string,
    parameters?: readonly unknown[],
  ) => Generator<Request, SqlOutcome, Reply>;
  /** Columns and types of parameters of a text with one statement, before it runs. */
  readonly describe: (sql: string) =>
    | {
        readonly ok: true;
        readonly columns: readonly ResultColumn[];
        /** By their numbers; "unknown" where nothing tells the type. */
        readonly parameters: ReadonlyMap<number, SqlType>;
      }
    | { readonly ok: false; readonly error: SqlError };
  readonly status: () => TransactionStatus;
  /** Whether statements outside of transactions commit by themselves. */
  readonly autocommit: () => boolean;
  /** A setting by its name, as the session or its defaults have it; undefined for one that there is not. */
  readonly setting: (name: string) => string | undefined;
  /** Level that SET TRANSACTION asked for last, in lower case; the store's own level is what holds. */
  readonly level: () => string | undefined;
}

interface Savepoint {
  readonly name: string;
  readonly waiting: ReadonlyMap<StoreKey, Value>;
}

interface State {
  status: TransactionStatus;
  savepoints: Savepoint[];
  /** Writes since the first savepoint, which may still be undone. */
  waiting: Map<StoreKey, Value>;
  startedAt: number;
  level: string | undefined;
  autocommit: boolean;
  facts: SessionFacts;
  readonly currentValues: Map<string, number>;
  lastSequence: string | undefined;
  readonly variables: Map<string, SqlValue>;
  settings: Map<string, string>;
  /** What holds again when the transaction ends; set by SET LOCAL. */
  settingsBefore: Map<string, string> | undefined;
}

/** A new session of a database. */
export function createSqlSession(database: Database, options: SessionOptions): SqlSession {
  const { dialect, catalog } = database;
  const isPostgres = dialect === "postgres";
  const state: State = {
    status: "idle",
    savepoints: [],
    waiting: new Map(),
    startedAt: 0,
    level: undefined,
    autocommit: true,
    facts: {
      database: options.database ?? "app",
      user: options.user ?? "app",
      identifier: options.identifier ?? 1,
      version: VERSIONS[isPostgres ? "postgres" : dialect === "mysql" ? "mysql" : "mariadb"],
      rowCount: -1,
      lastInsert: 0,
      foundRows: 0,
    },
    currentValues: new Map(),
    lastSequence: undefined,
    variables: new Map(),
    settings: new Map(options.settings),
    settingsBefore: undefined,
  };
  const usualSettings = isPostgres ? POSTGRES_SETTINGS : MYSQL_SETTINGS;

  function context(parameters: readonly unknown[]): StatementContext {
    const values = new Map<string, SqlValue>();
    return {
      catalog,
      rule: options.rule,
      parameter: (number, type) => {
        const name = `${number}:${type}`;
        const known = values.get(name);
        if (known !== undefined) return known;
        if (number > parameters.length) {
          throw failure("noParameter", `there is no parameter $${number}`);
        }
        const value = parameterValue(parameters[number - 1], type, dialect);
        values.set(name, value);
        return value;
      },
      now: isPostgres && state.status !== "idle" ? state.startedAt : options.now(),
      random: options.random,
      nextValue: (sequence) => {
        const start = catalog.sequences.get(sequence);
        if (start === undefined && sequence !== "#rows") {
          throw failure("noTable", `relation "${sequence}" does not exist`);
        }
        const value = options.sequences.next(sequence, start ?? 1);
        if (sequence !== "#rows") {
          state.currentValues.set(sequence, value);
          state.lastSequence = sequence;
        }
        return value;
      },
      reached: options.sequences.reached,
      currentValue: (sequence) => {
        const name = sequence ?? state.lastSequence;
        return name === undefined ? undefined : state.currentValues.get(name);
      },
      variables: state.variables,
      setting: (name) => setting(name),
      session: state.facts,
      waiting: state.waiting,
    };
  }

  function setting(name: string): SqlValue {
    const plain = name.replace(/^(session|global|local)\./, "").toLowerCase();
    if (plain === "autocommit") return state.autocommit ? 1 : 0;
    if (/^(transaction_isolation|tx_isolation|default_transaction_isolation)$/.test(plain)) {
      const level = state.level ?? (isPostgres ? "read committed" : "repeatable read");
      return isPostgres ? level : level.toUpperCase().replaceAll(" ", "-");
    }
    const known = state.settings.get(plain) ?? usualSettings.get(plain);
    if (known !== undefined) return known;
    throw isPostgres
      ? failure("noObject", `unrecognized configuration parameter "${plain}"`)
      : failure("noObject", `Unknown system variable '${plain}'`);
  }

  function* begin(): Generator<Request, void, Reply> {
    const name = options.transactionName?.();
    yield { kind: "begin", ...(name === undefined ? {} : { name }) };
    state.status = "open";
    state.startedAt = options.now();
  }

  function ended(): void {
    state.status = "idle";
    state.savepoints = [];
    state.waiting = new Map();
    state.settings = state.settingsBefore ?? state.settings;
    state.settingsBefore = undefined;
  }

  function* commit(): Generator<Request, void, Reply> {
    for (const [key, value] of state.waiting) yield* written(key, value);
    const reply = yield { kind: "commit" };
    ended();
    if (reply.kind === "failed") throw storeFailure(reply);
  }

  function* abort(): Generator<Request, void, Reply> {
    yield { kind: "abort" };
    ended();
  }

  function* written(key: StoreKey, value: Value): Generator<Request, void, Reply> {
    const reply = yield { kind: "write", key, value };
    if (reply.kind !== "failed") return;
    if (reply.goesOn !== true) lost();
    throw storeFailure(reply);
  }

  /** The store ended the transaction: MySQL's sessions go on without one, PostgreSQL's wait for ROLLBACK. */
  function lost(): void {
    ended();
    if (isPostgres) state.status = "failed";
  }

  function* rowsStatement(
    statement: SqlQuery | SqlChange,
    parameters: readonly unknown[],
  ): Generator<Request, SqlResult, Reply> {
    const types = new Map<number, SqlType>();
    for (const [at, given] of parameters.entries()) {
      const type = parameterType(given, dialect);
      if (type !== undefined) types.set(at + 1, type);
    }
    const plan = database.plan(statement, types);
    const end = yield* runPlan(plan, context(parameters));
    const { result } = yield* finished(end);
    const isQuery = statement.kind === "select";
    state.facts = {
      ...state.facts,
      rowCount: isQuery ? -1 : (result.changed ?? result.count),
      foundRows: isQuery ? result.rows.length : state.facts.foundRows,
      lastInsert: result.insertId ?? state.facts.lastInsert,
    };
    return {
      command: statement.kind.toUpperCase(),
      columns: plan.columns,
      rows: result.rows,
      rowCount: result.count,
      ...(result.changed === undefined ? {} : { changedRows: result.changed }),
      ...(result.insertId === undefined ? {} : { insertId: result.insertId }),
    };
  }

  /** Writes what a statement changed, or takes note that the store ended the transaction. */
  function* finished(
    end: StatementEnd,
  ): Generator<Request, Extract<StatementEnd, { readonly ok: true }>, Reply> {
    if (!end.ok) {
      if (end.goesOn !== true) lost();
      throw storeFailure(end);
    }
    for (const [key, value] of end.writes) {
      if (state.savepoints.length > 0) state.waiting.set(key, value);
      else yield* written(key, value);
    }
    return end;
  }

  function* statement(
    { statement: parsed, spelling }: ParsedStatement,
    parameters: readonly unknown[],
  ): Generator<Request, SqlResult, Reply> {
    switch (parsed.kind) {
      case "select":
      case "insert":
      case "update":
      case "delete":
        return yield* inTransaction(() => rowsStatement(parsed, parameters));
      case "truncate": {
        const tables = parsed.tables.map((name) => {
          const table = catalog.tables.get(name);
          if (table === undefined) throw failure("noTable", `relation "${name}" does not exist`);
          return table;
        });
        return yield* inTransaction(function* () {
          yield* finished(yield* truncateTables(tables));
          return done("TRUNCATE TABLE");
        });
      }
      case "definition":
        // MySQL ends the open transaction before each definition.
        if (!isPostgres && state.status !== "idle") yield* commit();
        applyDefinition(catalog, parsed.definition);
        if (spelling !== undefined) rememberSpelling(catalog, parsed.definition, spelling);
        return done(parsed.tag);
      case "begin":
        if (state.status !== "idle" && !isPostgres) yield* commit();
        if (parsed.level !== undefined) state.level = parsed.level;
        if (state.status === "idle") yield* begin();
        return done("BEGIN");
      case "commit":
        return yield* committed(parsed.chain);
      case "rollback":
        if (state.status === "open") yield* abort();
        ended();
        if (parsed.chain) yield* begin();
        return done("ROLLBACK");
      case "savepoint":
      case "release":
      case "rollback to":
        return savepoint(parsed.kind, parsed.name);
      case "set level":
        state.level = parsed.level;
        return done("SET");
      case "set":
        for (const assignment of parsed.assignments) yield* assign(assignment, parameters);
        return done("SET");
      case "show":
        return parsed.of === undefined ? shown(parsed.name) : shownObjects(parsed.of);
      case "nothing":
        return done(parsed.tag);
      default:
        return parsed satisfies never;
    }
  }

  function* committed(chain: boolean): Generator<Request, SqlResult, Reply> {
    if (state.status === "failed") {
      ended();
      // PostgreSQL answers COMMIT of a failed transaction with ROLLBACK.
      return done("ROLLBACK");
    }
    if (state.status === "open") yield* commit();
    if (chain) yield* begin();
    return done("COMMIT");
  }

  /** Runs a statement in the open transaction, or in one of its own. */
  function* inTransaction(
    run: () => Generator<Request, SqlResult, Reply>,
  ): Generator<Request, SqlResult, Reply> {
    if (state.status === "open") return yield* run();
    yield* begin();
    const isOwn = state.autocommit;
    let result: SqlResult;
    try {
      result = yield* run();
    } catch (error) {
      // The store may have ended it already.
      if (isOwn) {
        if (statusNow() === "open") yield* abort();
        ended();
      }
      throw error;
    }
    if (isOwn) yield* commit();
    return result;
  }

  /** Read anew: what runs in between changes it. */
  function statusNow(): TransactionStatus {
    return state.status;
  }

  function savepoint(kind: "savepoint" | "release" | "rollback to", name: string): SqlResult {
    if (state.status === "idle") {
      if (!isPostgres) return done(kind.toUpperCase());
      throw failure(
        "outsideTransaction",
        `${kind.toUpperCase()} can only be used in transaction blocks`,
      );
    }
    if (kind === "savepoint") {
      // MySQL moves a savepoint whose name is used again.
      if (!isPostgres) state.savepoints = state.savepoints.filter((each) => each.name !== name);
      state.savepoints.push({ name, waiting: new Map(state.waiting) });
      return done("SAVEPOINT");
    }
    const at = state.savepoints.findLastIndex((each) => each.name === name);
    const found = state.savepoints[at];
    if (found === undefined) {
      throw failure(
        "noSavepoint",
        isPostgres ? `savepoint "${name}" does not exist` : `SAVEPOINT ${name} does not exist`,
      );
    }
    if (kind === "release") {
      state.savepoints = state.savepoints.slice(0, at);
      return done("RELEASE");
    }
    state.savepoints = state.savepoints.slice(0, at + 1);
    state.waiting = new Map(found.waiting);
    state.status = "open";
    return done("ROLLBACK");
  }

  function* assign(
    assignment: Extract<SqlStatement, { readonly kind: "set" }>["assignments"][number],
    parameters: readonly unknown[],
  ): Generator<Request, void, Reply> {
    const { name, user, value, local = false } = assignment;
    if (!user) {
      const text = settingText(value);
      // Outside of a transaction SET LOCAL does nothing.
      if (local && state.status === "idle") return;
      if (local) state.settingsBefore ??= new Map(state.settings);
      if (name.toLowerCase() === "autocommit") {
        state.autocommit = !/^(0|off|false)$/i.test(text);
        if (state.autocommit && state.status === "open") yield* commit();
      } else if (/isolation$/i.test(name)) state.level = text.toLowerCase().replaceAll("-", " ");
      else {
        state.settings.set(name.toLowerCase(), text);
        if (!local) state.settingsBefore?.set(name.toLowerCase(), text);
      }
      return;
    }
    const query: SqlQuery = {
      kind: "select",
      with: [],
      body: {
        kind: "select",
        distinct: false,
        outputs: [{ value: value ?? { kind: "null" }, text: name }],
        from: [],
        groupBy: [],
        windows: new Map(),
      },
      orderBy: [],
      locks: [],
    };
    const result = yield* inTransaction(() => rowsStatement(query, parameters));
    state.variables.set(name, result.rows[0]?.[0] ?? null);
  }

  function shown(name: string): SqlResult {
    if (name === "warnings") {
      return {
        command: "SHOW",
        columns: ["Level", "Code", "Message"].map((each) => ({ name: each, type: "text" })),
        rows: [],
        rowCount: 0,
      };
    }
    if (name === "tables") {
      const rows = [...catalog.tables.keys()].sort().map((each) => [each]);
      return {
        command: "SHOW",
        columns: [{ name: `Tables_in_${state.facts.database}`, type: "text" }],
        rows,
        rowCount: rows.length,
      };
    }
    return {
      command: "SHOW",
      columns: [{ name, type: "text" }],
      rows: [[setting(name)]],
      rowCount: 1,
    };
  }

  function shownObjects(of: ShowRequest): SqlResult {
    const { columns, rows } = showRows(of, {
      catalog,
      database: state.facts.database,
      settings: new Map([...MYSQL_SETTINGS, ...state.settings]),
    });
    return {
      command: "SHOW",
      columns: columns.map((name) => ({ name, type: "text" })),
      rows,
      rowCount: rows.length,
    };
  }

  function* run(
    sql: string,
    parameters: readonly unknown[],
  ): Generator<Request, SqlOutcome, Reply> {
    const results: SqlResult[] = [];
    let position: number | undefined;
    try {
      const statements = database.parse(sql);
      for (const parsed of statements) {
        position = parsed.start;
        checkStatus(parsed);
        const result = yield* statement(parsed, parameters);
        results.push({ ...result, columns: shownColumns(result.columns, parsed.spelling) });
      }
      return { ok: true, results };
    } catch (thrown) {
      const error = refused(thrown);
      if (!(error instanceof SqlFailure)) throw error;
      // A failed statement fails the transaction in PostgreSQL, and only itself in MySQL.
      if (isPostgres && state.status === "open") {
        if (state.savepoints.length === 0) yield { kind: "abort" };
        state.status = "failed";
      }
      return {
        ok: false,
        error: { ...(position === undefined ? {} : { position }), ...error.error },
      };
    }
  }

  function checkStatus({ statement: parsed }: ParsedStatement): void {
    if (state.status !== "failed") return;
    if (parsed.kind === "rollback" || parsed.kind === "commit" || parsed.kind === "rollback to")
      return;
    throw failure(
      "failedTransaction",
      "current transaction is aborted, commands ignored until end of transaction block",
    );
  }

  return {
    execute: (sql, parameters = []) => run(sql, parameters),
    describe(sql) {
      try {
        const [first] = database.parse(sql);
        const parsed = first?.statement;
        const isRows = parsed !== undefined && /^(select|insert|update|delete)$/.test(parsed.kind);
        if (!isRows || !("with" in parsed)) return { ok: true, columns: [], parameters: new Map() };
        const { columns, parameters, compiler } = database.plan(parsed, new Map());
        const numbers = Array.from({ length: compiler.highestParameter }, (_, at) => at + 1);
        const types = numbers.map((each) => [each, parameters.get(each) ?? "unknown"] as const);
        return {
          ok: true,
          columns: shownColumns(columns, first?.spelling),
          parameters: new Map(types),
        };
      } catch (thrown) {
        const error = refused(thrown);
        if (!(error instanceof SqlFailure)) throw error;
        return { ok: false, error: error.error };
      }
    },
    status: () => state.status,
    autocommit: () => state.autocommit,
    setting: (name) => state.settings.get(name) ?? usualSettings.get(name),
    level: () => state.level,
  };
}

function done(command: string): SqlResult {
  return { command, columns: [], rows: [], rowCount: 0 };
}

/** An error of the store: 40001 is MySQL's 1213, 23505 its 1062, 1020 has no SQLSTATE of its own. */
function storeFailure(reply: { readonly code: string; readonly message: string }): SqlFailure {
  const duplicate = failure("duplicate", reply.message);
  if (reply.code === duplicate.error.code) return duplicate;
  if (reply.code === "55P03") return failure("lockTimeout", reply.message);
  if (reply.code === "57014") return failure("canceled", reply.message);
  const base = failure("serialization", reply.message).error;
  return new SqlFailure(reply.code === base.code ? base : { ...base, code: reply.code });
}

function settingText(value: SqlExpression | undefined): string {
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

const VERSIONS = {
  postgres: `PostgreSQL ${POSTGRES_VERSION}`,
  mysql: "8.0.36",
  mariadb: "10.11.0-MariaDB",
} as const;

/** Runs a session's requests against a store that answers at once. */
export function runNow<T>(
  steps: Generator<Request, T, Reply>,
  answer: (request: Request) => Reply,
): T {
  let next = steps.next();
  while (next.done !== true) next = steps.next(answer(next.value));
  return next.value;
}
