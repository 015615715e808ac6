// A session of application code: statements, transactions and savepoints, as requests to the store.
import type { Reply, Request } from "../exploration/client";
import type { Database } from "./database";
import { applyDefinition } from "./define";
import { tableBehind } from "./updatableViews";
import { typesOfVariables } from "./compile/userVariables";
import { runAssignment, type AssignmentHost } from "./sessionAssignments";
import { isReadOnly, sessionSettings } from "./sessionSettings";
import { sessionControl } from "./sessionControl";
import { sessionTransaction } from "./sessionTransaction";
import { countAllRows, withWrittenName, selectInto, filterShown } from "./sessionAnswers";
import { sessionXa } from "./sessionXa";
import { checkPending, isFree, referenceTime, setConstraints } from "./sessionConstraints";
import { runDatabaseStatement } from "./sessionDatabases";
import { runDefinition, type DefinitionHost } from "./sessionDefinitions";
import { parameterReader, parameterType } from "./parameters";
import type { ParsedStatement } from "./parseMemo";
import type { Locals } from "./routine/frame";
import { createRoutines } from "./sessionRoutines";
import { afterRows, forStatement } from "./routine/triggers";
import { runPlan, type SharedContext, type StatementContext } from "./run/statement";
import { truncatedTables, truncateTables } from "./run/truncate";
import { shownColumns } from "./mysql/spelling";
import { asSqlFailure, SqlFailure } from "./sqlError";
import { errorIn } from "./sessionErrors";
import { described } from "./sessionDescription";
import { createDiagnostics } from "./sessionDiagnostics";
import { createAdvisoryLocks } from "./advisoryLocks";
import { restartNumbers, sessionSequences } from "./sessionSequences";
import { createSessionStatements } from "./sessionStatements";
import {
  changedTable,
  changeKinds,
  columnsByName,
  commandResult,
  checkFailed,
  checkReadOnly,
  loneCall,
  loneRelation,
  skipNotices,
  VERSIONS,
} from "./sessionParts";
import type {
  Notice,
  SessionOptions,
  SqlOutcome,
  SqlResult,
  SqlSession,
  TransactionStatus,
} from "./sessionTypes";
import type { State } from "./sessionState";
import { showResult, type ShowRequest } from "./display";
import type { Table } from "./catalog";
import type { SqlCall, SqlChange, SqlQuery } from "./tree";
import type { SqlType } from "./values/types";

export type {
  Databases,
  Notice,
  Sequences,
  SessionOptions,
  SqlOutcome,
  SqlResult,
  SqlSession,
} from "./sessionTypes";

/**
 * A new session of a database. What is a generator here is made once: one that is made anew for each statement costs more
 * than the statement.
 */
export function createSqlSession(database: Database, options: SessionOptions): SqlSession {
  const { dialect, catalog } = database;
  const isPostgres = dialect === "postgres";
  const state: State = {
    status: "idle",
    savepoints: [],
    waiting: new Map(),
    startedAt: 0,
    level: undefined,
    usualLevel: options.level,
    readOnly: undefined,
    usualReadOnly: false,
    undo: [],
    pending: [],
    deferred: new Map(),
    isGrouped: false,
    isImplicit: false,
    hasRun: false,
    autocommit: true,
    facts: {
      database: options.database ?? "app",
      user: options.user ?? "app",
      identifier: options.identifier ?? 1,
      version: VERSIONS[isPostgres ? "postgres" : dialect === "mysql" ? "mysql" : "mariadb"],
      rowCount: -1,
      lastInsert: 0,
      foundRows: 0,
      cursors: () => own.cursors(),
      databases: () => options.databases?.names() ?? [],
      ...(options.interrupt && { interrupt: options.interrupt }),
      keepSetting: (...given) => {
        settings.keep(...given);
      },
    },
    currentValues: new Map(),
    lastSequence: undefined,
    variables: new Map(),
    settings: new Map(options.settings),
    settingsBefore: undefined,
  };
  /** Types of parameters as the client says them. */
  let givenTypes: ReadonlyMap<number, SqlType> | undefined;
  let notices: Notice[] = [];
  const diagnostics = createDiagnostics();
  const own = createSessionStatements({
    dialect,
    parse: (text) => database.parse(text).map((each) => each.statement),
    run: (parsed, parameters) => statement({ statement: parsed, text: "" }, parameters),
    columns: (query) => database.plan(query, new Map()).columns,
    tableColumns: (name, names) => columnsByName(catalog, name, names),
    define: (definition) => {
      applyDefinition(catalog, definition);
    },
    hasRelation: (name) => catalog.tables.has(name) || catalog.views.has(name),
    isInTransaction: () => state.status === "open",
    interrupt: (session, what) => options.interrupt?.(session, what) ?? false,
    resetSettings: () => {
      state.settings = new Map(options.settings);
    },
    forgetChannels: () => options.channels?.forget(),
  });
  const routines = createRoutines({
    catalog,
    database,
    state,
    note: (notice) => {
      notices.push(notice);
    },
    warn: (code, message) => {
      diagnostics.add({ level: "Warning", code, message });
    },
    rows: (parsed, parameters, locals) => rowsStatement(parsed, parameters, locals && { locals }),
    statement: (parsed, parameters) => statement({ statement: parsed, text: "" }, parameters),
    inTransaction,
  });
  const settings = sessionSettings(state, dialect, diagnostics);
  const transaction = sessionTransaction({
    state,
    isPostgres,
    options,
    context: () => context([]),
    transactionEnded() {
      own.transactionEnded();
      locks.transactionEnded();
    },
  });
  const { begin, commit, abort, ended, finished } = transaction;
  const control = sessionControl({
    state,
    isPostgres,
    transaction,
    note: (notice) => {
      notices.push(notice);
    },
  });
  const xa = sessionXa({ catalog, state, transaction });
  const assignmentHost: Omit<AssignmentHost, "query"> = {
    isPostgres,
    state,
    settings,
    level: options.level,
    commit,
    setLevel: control.setLevel,
  };
  const definitionHost: DefinitionHost = {
    catalog,
    state,
    sequences: options.sequences,
    context: () => context([]),
    inTransaction,
    finished,
  };
  const locks = options.locks ?? createAdvisoryLocks()(state.facts.identifier);
  const numbers = sessionSequences(catalog, options.sequences, state);

  /** The parts of a context that are the same for all statements. */
  const shared: SharedContext = {
    catalog,
    rule: options.rule,
    hasIndexes: options.hasIndexes ?? false,
    random: options.random,
    ...numbers,
    variables: state.variables,
    setting: settings.read,
    session: () => state.facts,
    locks,
    parse: (text) => database.parse(text).map((each) => each.statement),
    notice: (level, message) => {
      routines.host.notice(level, message);
    },
    warn: diagnostics.add,
    notify: transaction.notify,
    references: (_child, key) => referenceTime(state, key),
    isDue: options.isDue ?? (() => false),
  };

  function context(
    parameters: readonly unknown[],
    { locals, called }: Pick<StatementContext, "called" | "locals"> = {},
  ): StatementContext {
    return {
      shared,
      parameter: parameterReader(parameters, dialect),
      now: isPostgres && state.status !== "idle" ? state.startedAt : options.now(),
      locals,
      called,
      waiting: state.waiting,
    };
  }

  /** Settings that SHOW knows. */
  function about(): ShowRequest {
    return {
      catalog,
      isPostgres,
      database: state.facts.database,
      databases: options.databases?.names() ?? [],
      user: state.facts.user,
      usual: settings.usual,
      own: state.settings,
      setting: settings.read,
      diagnostics: diagnostics.all(),
    };
  }

  function* rowsStatement(
    statement: SqlQuery | SqlChange,
    parameters: readonly unknown[],
    around: Pick<StatementContext, "called"> & { readonly locals?: Locals } = {},
  ): Generator<Request, SqlResult, Reply> {
    const { locals } = around;
    const types = locals === undefined ? new Map(givenTypes) : new Map<number, SqlType>();
    for (const [at, given] of parameters.entries()) {
      const type = parameterType(given, dialect);
      if (type !== undefined) types.set(at + 1, type);
    }
    const localTypes = typesAround(locals);
    const plan = database.plan(statement, types, localTypes);
    const lastInsert = state.facts.lastInsert;
    const end = yield* runPlan(plan, context(parameters, around));
    if (statement.kind !== "select") yield* statementTriggers(statement, "before");
    const { result, changed = [] } = yield* finished(end);
    if (catalog.triggers.size > 0) {
      yield* afterRows(catalog, changed, routines.host);
      if (statement.kind !== "select") yield* statementTriggers(statement, "after");
    }
    const isQuery = statement.kind === "select";
    state.facts = {
      ...state.facts,
      rowCount: isQuery ? -1 : (result.changed ?? result.count),
      foundRows: isQuery ? result.rows.length : state.facts.foundRows,
      // Triggers leave it as it was.
      lastInsert: result.insertId ?? lastInsert,
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

  /** Types of the variables that a statement may name. */
  function typesAround(locals: Locals = new Map()): ReadonlyMap<string, SqlType> | undefined {
    if (locals.size + state.variables.size === 0) return undefined;
    const own = [...locals].map(([name, { declared }]) => [name, declared.type] as const);
    return new Map([...own, ...typesOfVariables(state.variables)]);
  }

  function* statementTriggers(
    change: SqlChange,
    timing: "before" | "after",
  ): Generator<Request, void, Reply> {
    if (catalog.triggers.size === 0) return;
    const name = tableBehind(changedTable(change), catalog);
    for (const kind of changeKinds(change))
      yield* forStatement(catalog, name, timing, kind, routines.host);
  }

  function* statement(
    { statement: parsed, spelling }: ParsedStatement,
    parameters: readonly unknown[],
  ): Generator<Request, SqlResult, Reply> {
    if (isReadOnly(state)) checkReadOnly(parsed, isPostgres);
    xa.check(parsed);
    switch (parsed.kind) {
      case "select": {
        const lone = loneCall(catalog, parsed);
        if (lone !== undefined) {
          const called = yield* inTransaction(() => routines.call(lone, parameters, false));
          return isPostgres ? called : withWrittenName(called, parsed);
        }
        if (parsed.countsAll === true)
          return yield* inTransaction(() =>
            countAllRows(parsed, (query) => rowsStatement(query, parameters)),
          );
        const relation = loneRelation(catalog, parsed);
        return yield* inTransaction(() =>
          relation === undefined
            ? rowsStatement(parsed, parameters)
            : relationStatement(parsed, relation, parameters),
        );
      }
      case "insert":
      case "update":
      case "delete":
      case "merge":
        return yield* inTransaction(() => rowsStatement(parsed, parameters));
      case "truncate": {
        if (!isPostgres && state.status !== "idle") yield* commit();
        const tables = truncatedTables(catalog, parsed, isFree(state));
        const result = yield* inTransaction(() => truncate(tables, parsed.restart));
        if (!isPostgres && statusNow() === "open") yield* commit();
        return result;
      }
      case "definition":
        // MySQL ends the open transaction before each definition.
        if (!isPostgres && state.status !== "idle") yield* commit();
        if (isPostgres) notices.push(...skipNotices(catalog, parsed.definition));
        return yield* runDefinition(parsed, spelling, definitionHost);
      case "begin":
      case "commit":
      case "rollback":
      case "savepoint":
      case "release":
      case "rollback to":
      case "set modes":
        return yield* control.run(parsed);
      case "set":
        for (const assignment of parsed.assignments)
          yield* runAssignment(assignment, {
            ...assignmentHost,
            query: (query) => inTransaction(() => rowsStatement(query, parameters)),
          });
        return commandResult("SET");
      case "set constraints": {
        const keys = [...catalog.tables.values()].flatMap(({ foreignKeys }) => foreignKeys);
        const end = yield* checkPending(state, setConstraints(state, parsed, keys), context([]));
        if (end !== undefined) yield* finished(end);
        return commandResult("SET CONSTRAINTS");
      }
      case "show": {
        const shown = showResult(parsed, about());
        const { where } = parsed;
        return where === undefined
          ? shown
          : yield* filterShown(shown, where, (query) =>
              statement({ statement: query, text: "" }, []),
            );
      }
      case "select into": {
        const { query, variables } = parsed;
        const found = yield* inTransaction(() => rowsStatement(query, parameters));
        return selectInto(found, variables, state.variables, diagnostics);
      }
      case "xa":
        return yield* xa.run(parsed);
      case "with settings": {
        const before = state.settings;
        state.settings = new Map([...before, ...parsed.settings]);
        try {
          return yield* statement({ statement: parsed.statement, text: "" }, parameters);
        } finally {
          state.settings = before;
        }
      }
      case "routine statement":
        return yield* routines.body(parsed.text);
      case "create database":
      case "drop database": {
        if (!isPostgres && state.status !== "idle") yield* commit();
        notices.push(...runDatabaseStatement(parsed, isPostgres, state, options.databases));
        return commandResult(parsed.kind.toUpperCase());
      }
      case "use":
        state.facts = { ...state.facts, database: parsed.name };
        return commandResult("USE");
      case "nothing":
        return commandResult(parsed.tag);
      case "listen":
        options.channels?.listen(parsed.channel, true);
        return commandResult("LISTEN");
      case "unlisten":
        if (parsed.channel === undefined || parsed.channel === "") options.channels?.forget();
        else options.channels?.listen(parsed.channel, false);
        return commandResult("UNLISTEN");
      case "notify":
        return yield* inTransaction(() => notify(parsed.channel, parsed.payload));
      case "call":
        // The statements of MySQL's procedures commit one by one.
        return isPostgres
          ? yield* inTransaction(() => routines.call(parsed, parameters, true))
          : yield* routines.call(parsed, parameters, true);
      case "do":
        return yield* inTransaction(() => routines.block(parsed.body));
      case "table as":
        if (!isPostgres && state.status !== "idle") yield* commit();
        return yield* inTransaction(() => own.run(parsed, parameters));
      default:
        return yield* own.run(parsed, parameters);
    }
  }

  /** A query over the rows of a function that runs first. */
  function* relationStatement(
    query: SqlQuery,
    relation: SqlCall,
    parameters: readonly unknown[],
  ): Generator<Request, SqlResult, Reply> {
    const { rows } = yield* routines.call(relation, parameters, false);
    return yield* rowsStatement(query, parameters, { called: new Map([[relation, rows]]) });
  }

  function* truncate(
    tables: readonly Table[],
    restart: boolean,
  ): Generator<Request, SqlResult, Reply> {
    yield* finished(yield* truncateTables(tables, state.waiting));
    if (restart) state.undo.push(restartNumbers(tables, options.sequences));
    return commandResult("TRUNCATE TABLE");
  }

  function* notify(channel: string, payload: string): Generator<Request, SqlResult, Reply> {
    yield* [];
    transaction.notify(channel, payload);
    return commandResult("NOTIFY");
  }

  /** Runs a statement in the open transaction, or in one of its own. */
  function* inTransaction(
    run: () => Generator<Request, SqlResult, Reply>,
  ): Generator<Request, SqlResult, Reply> {
    if (state.status === "open") {
      state.hasRun = true;
      return yield* run();
    }
    yield* begin();
    state.hasRun = true;
    state.isImplicit = state.isGrouped;
    const isOwn = state.autocommit && !state.isGrouped;
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

  function* run(
    sql: string,
    parameters: readonly unknown[],
  ): Generator<Request, SqlOutcome, Reply> {
    const wasGrouped = state.isGrouped;
    const place: Place = { position: undefined };
    const outcome = yield* guarded(statements(sql, parameters, place), place);
    state.isGrouped = wasGrouped;
    return outcome;
  }

  function* statements(
    sql: string,
    parameters: readonly unknown[],
    place: Place,
  ): Generator<Request, readonly SqlResult[], Reply> {
    const results: SqlResult[] = [];
    const all = database.read(sql);
    const isOneMessage = isPostgres && all.length > 1 && !state.isGrouped;
    if (isOneMessage) state.isGrouped = true;
    for (const parsed of all) {
      place.position = parsed.start;
      if (state.status === "failed") checkFailed(parsed.statement);
      notices = [];
      diagnostics.begin(parsed.statement, catalog);
      const result = yield* statement(parsed, parsed.literals ?? parameters);
      results.push({
        ...result,
        columns: shownColumns(result.columns, parsed.spelling),
        ...(notices.length > 0 && { notices }),
      });
    }
    if (isOneMessage) yield* settled();
    return results;
  }

  /** Ends the transaction that statements shared. */
  function* settled(): Generator<Request, readonly SqlResult[], Reply> {
    state.isGrouped = false;
    if (state.isImplicit) yield* commit();
    else if (state.status === "idle") ended();
    return [];
  }

  function* copied(
    ...given: Parameters<typeof own.copyIn>
  ): Generator<Request, readonly SqlResult[], Reply> {
    return [yield* inTransaction(() => own.copyIn(...given))];
  }

  /** Turns an error into a value and fails PostgreSQL's transaction. */
  function* guarded(
    body: Generator<Request, readonly SqlResult[], Reply>,
    place?: Place,
  ): Generator<Request, SqlOutcome, Reply> {
    try {
      const results = yield* body;
      return { ok: true, results };
    } catch (thrown) {
      const error = asSqlFailure(thrown);
      if (!(error instanceof SqlFailure)) throw error;
      // A failed statement fails the transaction in PostgreSQL, and only itself in MySQL.
      if (state.isImplicit) {
        if (state.status === "open") yield* abort();
        ended();
      } else if (isPostgres && state.status === "open") {
        if (state.savepoints.length === 0) yield { kind: "abort" };
        state.status = "failed";
      }
      const position = place?.position;
      const told = errorIn(error.error, dialect, state.facts.database);
      diagnostics.failed(told);
      return { ok: false, error: { ...(position === undefined ? {} : { position }), ...told } };
    }
  }

  return {
    execute(sql, parameters = [], types) {
      givenTypes = types;
      return run(sql, parameters);
    },
    describe(sql, given = new Map()) {
      try {
        const locals = typesAround();
        return { ok: true, ...described(sql, given, { database, about: about(), own, locals }) };
      } catch (thrown) {
        const error = asSqlFailure(thrown);
        if (!(error instanceof SqlFailure)) throw error;
        return { ok: false, error: errorIn(error.error, dialect, state.facts.database) };
      }
    },
    group() {
      state.isGrouped = isPostgres;
    },
    settle: () => guarded(settled()),
    cursorColumns: own.cursorColumns,
    copyIn: (copy, rows) => guarded(copied(copy, rows)),
    database: () => state.facts.database,
    status: () => state.status,
    autocommit: () => state.autocommit,
    warnings: () => diagnostics.all().length,
    setting: (name) => state.settings.get(name) ?? settings.usual.get(name),
    settings: () => state.settings,
  };
}

/** Where the statement stands in its text that runs now. */
interface Place {
  position: number | undefined;
}

/** Runs a session's requests against a store that answers at once. */
export function runNow<T>(
  steps: Generator<Request, T, Reply>,
  answer: (request: Request) => Reply,
): T {
  let next = steps.next();
  while (next.done !== true) next = steps.next(answer(next.value));
  return next.value;
}
