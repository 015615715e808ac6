// A session of the mock database as the wire protocols use it: statement by statement, values as text.
import type { Reply, Request } from "../exploration/client";
import type { Database } from "../sqlstore/database";
import type { ParsedStatement } from "../sqlstore/parseMemo";
import type { SqlOutcome, SqlResult, SqlSession } from "../sqlstore/session";
import { isLockWait, type LockWait } from "../sqlstore/advisoryLocks";
import { storeFailure } from "../sqlstore/sessionParts";
import { PAUSE } from "../sqlstore/compile/slices";
import { asSqlFailure, failure, SqlFailure } from "../sqlstore/sqlError";
import { textOfBytes } from "../frontend/sql/text/bytes";
import { ofNode } from "../query/nodes";
import { wireText } from "../sqlstore/values/format";
import type { SqlType } from "../sqlstore/values/types";
import { columnType, objectId } from "../sqlstore/system/objects";
import type { SqlValue } from "../sqlstore/values/value";
import { impatience, longestRun, longestSilence, patienceOf } from "./patience";
import type {
  MockArgument,
  MockSession,
  Outcome,
  PreparedStatement,
  ResultColumn,
  StatementResult,
} from "./session";
import { storedColumn } from "./mysql/storedColumn";
import type { StoreSession } from "./store/mockStore";
import type { Patience } from "./store/policy";
import type { Turns } from "./turns";

export interface MockSessionParts {
  readonly sql: Database;
  readonly session: SqlSession;
  readonly store: Pick<StoreSession, "ask" | "arrived" | "close" | "patience">;
  readonly turns: Turns;
  readonly reset: () => void;
  /** Ends the loading phase. */
  readonly start?: () => void;
  /** Told of each text before it runs, and when it has succeeded. */
  readonly beforeText?: (text: string) => void;
  readonly afterText?: (text: string) => void;
  /** Told of each statement with its answer. */
  readonly answered?: (text: string, values: readonly MockArgument[], outcome: SqlOutcome) => void;
  /** Takes who is told of notifications. */
  readonly notified?: (
    listener: (channel: string, payload: string, sender: number) => void,
  ) => void;
  /** Milliseconds until the next statement runs. */
  readonly pause?: () => number;
}

/** `SELECT isolens_reset()` and `CALL isolens_reset()` bring the database back to its start. */
const RESET = /^\s*(?:select|call)\s+isolens_reset\s*\(\s*\)\s*(?:;\s*)?$/i;
/** `SELECT isolens_start()` and `CALL isolens_start()` end the loading phase. */
const START = /^\s*(?:select|call)\s+isolens_start\s*\(\s*\)\s*(?:;\s*)?$/i;

export function openMockSession({
  sql,
  session,
  store,
  turns,
  reset,
  start = () => undefined,
  beforeText = () => undefined,
  afterText = () => undefined,
  answered: hear = () => undefined,
  pause,
  notified = () => undefined,
}: MockSessionParts): MockSession {
  const isPostgres = sql.dialect === "postgres";

  /** The text that was split last, of which single statements have lost their comments. */
  let whole: { readonly text: string; readonly parts: readonly string[] } | undefined;
  /** Statements that wait for the store. */
  let running = 0;
  let hasGivenUp = false;
  /** The statement that runs has passed its turn on. */
  let isPaused = false;
  let isCancelled = false;
  let ended = (): void => undefined;

  function impatient(text: string): Patience | undefined {
    return /nowait/iu.test(text) ? impatience(parsedOrNone(text), isPostgres) : undefined;
  }

  /** A wrong text is an error when it is executed. */
  function parsedOrNone(text: string): readonly ParsedStatement[] {
    try {
      return sql.read(text);
    } catch (error) {
      if (!(asSqlFailure(error) instanceof SqlFailure)) throw error;
      return [];
    }
  }

  /** The settings of a text's statement, which may be those of it alone. */
  function settingsFor(text: string): Pick<SqlSession, "setting"> {
    const [first] = /^\s*set\s+statement\b/iu.test(text) ? parsedOrNone(text) : [];
    if (first?.statement.kind !== "with settings") return session;
    const { settings } = first.statement;
    return { setting: (name) => settings.get(name) ?? session.setting(name) };
  }

  function cancel(): void {
    if (isPaused) isCancelled = true;
    else if (running > 0) store.patience(isPostgres ? CANCEL : INTERRUPT);
  }

  async function run(
    text: string,
    values: readonly MockArgument[],
    types: ReadonlyMap<number, SqlType>,
    commented: string,
  ): Promise<SqlOutcome> {
    store.arrived();
    if (pause) await new Promise((resolve) => setTimeout(resolve, pause()));
    store.patience(
      hasGivenUp ? NONE : (impatient(text) ?? patienceOf(settingsFor(text), sql.dialect)),
    );
    beforeText(commented);
    const outcome = await answered(session.execute(text, values, types), text);
    hear(text, values, outcome);
    if (outcome.ok) afterText(text);
    return outcome;
  }

  async function answered(
    steps: Generator<Request, SqlOutcome, Reply>,
    text = "",
  ): Promise<SqlOutcome> {
    running++;
    const begun = performance.now();
    turns.begin();
    try {
      for (let step = steps.next(); ;) {
        if (step.done === true) return step.value;
        if (step.value === PAUSE) {
          const end = await interruption(begun, text);
          step = end === undefined ? steps.next(NOTHING_READ) : steps.throw(end);
        } else if (isLockWait(step.value)) {
          const end = await lockWait(step.value, begun, text);
          step = end instanceof SqlFailure ? steps.throw(end) : steps.next(end);
        } else {
          if (turns.isDue()) await turns.pass();
          const reply = store.ask(step.value);
          step = steps.next(reply instanceof Promise ? await reply : reply);
        }
      }
    } finally {
      running--;
    }
  }

  /** Lets others have their turn; the reason why the statement must not go on behind it, if there is one. */
  async function interruption(begun: number, text: string): Promise<SqlFailure | undefined> {
    isPaused = true;
    await turns.pass();
    isPaused = false;
    if (isCancelled || hasGivenUp) {
      isCancelled = false;
      return isPostgres ? CANCELLED : INTERRUPTED;
    }
    const limit = longestRun(session, sql.dialect, parsedOrNone(text));
    return performance.now() - begun > limit.milliseconds ? limit.failure : undefined;
  }

  /** Waits for a moment; the failure of the statement, or that of the lock alone, where it has waited long enough. */
  async function lockWait(
    { lockSeconds: seconds }: LockWait,
    begun: number,
    text: string,
  ): Promise<SqlFailure | Reply> {
    isPaused = true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    const end = await interruption(begun, text);
    if (end !== undefined) return end;
    const waited = performance.now() - begun;
    const limit = seconds === undefined ? patienceOf(session, sql.dialect) : undefined;
    if (limit !== undefined && waited > limit.milliseconds) return storeFailure(limit.failure);
    return waited > (seconds ?? Infinity) * 1000 ? GIVEN_UP : NOTHING_READ;
  }

  /** Columns as clients were told of them, and of which state of the tables that was. */
  const told = ofNode((_columns: readonly ResultColumn[]): ToldColumns => ({
    version: undefined,
    database: "",
    columns: [],
  }));

  function objectsOf(columns: readonly ResultColumn[]): readonly ResultColumn[] {
    const known = told(columns);
    const { version } = sql.catalog;
    const database = session.database();
    if (known.version === version && known.database === database) return known.columns;
    known.columns = withObjects(columns);
    known.database = database;
    known.version = version;
    return known.columns;
  }

  /** Columns with what clients are told of them: PostgreSQL's object ids, and keys of MySQL's tables. */
  function withObjects(columns: readonly ResultColumn[]): readonly ResultColumn[] {
    if (!isPostgres)
      return columns.map((column) => {
        const stored = storedColumn(sql.catalog, column, session.database());
        return stored === undefined ? column : { ...column, stored };
      });
    return columns.map((column) => {
      const { origin } = column;
      if (origin === undefined) return column;
      // Clients are told of a domain's values as those of the type under it.
      const { domain: _domain, ...declared } = origin.declared;
      const { id: type, modifier, size } = columnType(sql.catalog, declared);
      const table =
        origin.table === undefined ? 0 : objectId(sql.catalog, "relation", origin.table);
      const position = table === 0 ? 0 : (origin.position ?? 0);
      return { ...column, object: { type, size, modifier, table, position } };
    });
  }

  function shownResult(result: SqlResult): StatementResult {
    return statementResult({ ...result, columns: objectsOf(result.columns) }, isPostgres);
  }

  function ownStatement(effect: () => void): PreparedStatement {
    return {
      parameters: [],
      run() {
        effect();
        return Promise.resolve({ ok: true, value: { rows: [], tag: "CALL", affected: 0 } });
      },
    };
  }

  return {
    split(text) {
      try {
        const parts = sql.read(text).flatMap((each) => (each.isContinued ? [] : each.text));
        whole = { text, parts };
        return parts;
      } catch (error) {
        if (!(asSqlFailure(error) instanceof SqlFailure)) throw error;
        // A wrong text is an error when it is prepared.
        return text.trim() === "" ? [] : [text];
      }
    },
    prepare(text, given) {
      if (RESET.test(text)) return Promise.resolve({ ok: true, value: ownStatement(reset) });
      if (START.test(text)) return Promise.resolve({ ok: true, value: ownStatement(start) });
      const types = new Map(
        given.flatMap((type, at) => (type === undefined ? [] : [[at + 1, type] as const])),
      );
      const described = session.describe(text, types);
      if (!described.ok) return Promise.resolve(described);
      const { columns } = described;
      const known = parametersOf(described.parameters);
      const commented = whole?.parts.includes(text) === true ? whole.text : text;
      const prepared: PreparedStatement = {
        parameters: known,
        ...(columns.length > 0 && { columns: objectsOf(columns) }),
        async run(values): Promise<Outcome<StatementResult>> {
          const outcome = await run(text, values, types, commented);
          if (!outcome.ok) return outcome;
          const [result] = outcome.results;
          if (!result) return { ok: true, value: NOTHING };
          const sets = (result.sets ?? []).map(shownResult);
          const outputs = result.outputs && shownResult(result.outputs);
          const value = { ...shownResult(result), ...(outputs && { outputs }) };
          return { ok: true, value: { ...value, ...(sets.length > 0 && { sets }) } };
        },
      };
      return Promise.resolve({ ok: true, value: prepared });
    },
    cursorColumns(name) {
      const columns = session.cursorColumns(name);
      return columns && objectsOf(columns);
    },
    async copyIn(copy, rows) {
      store.arrived();
      const outcome = await answered(session.copyIn(copy, rows));
      if (!outcome.ok) return outcome;
      const [result] = outcome.results;
      return { ok: true, value: result ? statementResult(result, isPostgres) : NOTHING };
    },
    group() {
      session.group();
    },
    async settle() {
      const outcome = await answered(session.settle());
      return outcome.ok ? { ok: true, value: undefined } : outcome;
    },
    onNotification(listener) {
      notified(listener);
    },
    get status() {
      const status = session.status();
      return status === "open" ? "transaction" : status;
    },
    get longestSilence() {
      return longestSilence(session, isPostgres);
    },
    get database() {
      return session.database();
    },
    settings: () => session.settings(),
    setting: (name) => session.setting(name),
    get warnings() {
      return session.warnings();
    },
    get autocommit() {
      return session.autocommit();
    },
    cancel,
    end() {
      cancel();
      ended();
    },
    onEnd(listener) {
      ended = listener;
    },
    giveUp() {
      hasGivenUp = true;
      store.patience(NONE);
    },
    close: store.close,
  };
}

interface ToldColumns {
  version: number | undefined;
  database: string;
  columns: readonly ResultColumn[];
}

/** Milliseconds between looks at a lock that applications name. */
const LOOK_AGAIN = 5;
const GIVEN_UP: Reply = { kind: "failed", code: "55P03", message: "the lock is still taken" };
const NOTHING_READ: Reply = { kind: "values", values: new Map() };
const CANCELLED = failure("canceled", "canceling statement due to user request");
const INTERRUPTED = failure("canceled", "Query execution was interrupted");

/** A statement that waits for a lock fails at once, and it alone where it has not written. */
const CANCEL: Patience = {
  milliseconds: 0,
  failure: { code: "57014", message: CANCELLED.message, goesOn: true },
};

const INTERRUPT: Patience = {
  ...CANCEL,
  failure: { ...CANCEL.failure, message: INTERRUPTED.message },
};

/** The client is gone. */
const NONE: Patience = {
  milliseconds: 0,
  failure: { code: "57014", message: "canceling statement because its client is gone" },
};

const NOTHING: StatementResult = { rows: [], tag: "", affected: 0 };

/** Parameters are numbered from 1; one that does not occur may have any type. */
function parametersOf(types: ReadonlyMap<number, SqlType>): readonly SqlType[] {
  const count = Math.max(0, ...types.keys());
  return Array.from({ length: count }, (_, index) => types.get(index + 1) ?? "text");
}

function statementResult(result: SqlResult, isPostgres: boolean): StatementResult {
  const { columns, rows, rowCount, insertId } = result;
  return {
    ...(columns.length > 0 && { columns }),
    rows: rows.map((row) => row.map((value, at) => cell(value, columns[at], isPostgres))),
    tag: tagOf(result),
    affected: rowCount,
    ...(result.changedRows !== undefined &&
      result.command === "UPDATE" && { found: { matched: rowCount, changed: result.changedRows } }),
    inserted: insertId,
    copy: result.copy,
    notices: result.notices,
  };
}

function cell(
  value: SqlValue,
  column: ResultColumn | undefined,
  isPostgres: boolean,
): string | null {
  if (value === null) return null;
  const { type = "text", origin } = column ?? {};
  if (isPostgres) return wireText(value, type);
  if (typeof value === "boolean") return value ? "1" : "0";
  const text = wireText(value, type);
  const { listed = "", seconds = 0 } = origin?.declared ?? {};
  if (text === null) return null;
  if (listed.startsWith("bit")) return bitsText(BigInt(text), listed);
  if ((type === "timestamp" || type === "time") && seconds > 0) {
    const [whole = "", fraction = ""] = text.split(".");
    return `${whole}.${fraction.padEnd(seconds, "0")}`;
  }
  return text;
}

/** BIT(n) is as many bytes as hold n bits. */
function bitsText(value: bigint, listed: string): string {
  const size = Math.ceil(Number(/\d+/.exec(listed)?.[0] ?? 1) / 8);
  return textOfBytes(Buffer.from(value.toString(16).padStart(size * 2, "0"), "hex"));
}

function tagOf({ command, rowCount }: SqlResult): string {
  switch (command) {
    case "SELECT":
    case "UPDATE":
    case "DELETE":
    case "MERGE":
      return `${command} ${String(rowCount)}`;
    case "INSERT":
      return `INSERT 0 ${String(rowCount)}`;
    default:
      return command;
  }
}
