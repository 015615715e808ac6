// A session of the mock database as the wire protocols use it: statement by statement, values as text.
import type { Reply, Request } from "../exploration/client";
import type { Database } from "../sqlstore/database";
import type { ParsedStatement } from "../sqlstore/parsed";
import type { SqlOutcome, SqlResult, SqlSession } from "../sqlstore/session";
import { refused, SqlFailure } from "../sqlstore/sqlError";
import { wireText } from "../sqlstore/values/format";
import type { SqlType } from "../sqlstore/values/types";
import type { SqlValue } from "../sqlstore/values/value";
import { impatience, longestSilence, patienceOf } from "./patience";
import type {
  MockArgument,
  MockSession,
  Outcome,
  PreparedStatement,
  StatementResult,
} from "./session";
import type { StoreSession } from "./store/mockStore";
import type { Patience } from "./store/policy";

export interface MockSessionParts {
  readonly sql: Database;
  readonly session: SqlSession;
  readonly store: Pick<StoreSession, "ask" | "arrived" | "close" | "patience">;
  readonly reset: () => void;
  /** Milliseconds until the next statement runs. */
  readonly pause?: () => number;
}

/** `SELECT isolens_reset()` and `CALL isolens_reset()` bring the database back to its start. */
const RESET = /^\s*(?:select|call)\s+isolens_reset\s*\(\s*\)\s*(?:;\s*)?$/i;

export function openMockSession({
  sql,
  session,
  store,
  reset,
  pause,
}: MockSessionParts): MockSession {
  const isPostgres = sql.dialect === "postgres";

  /** Statements that wait for the store. */
  let running = 0;
  let hasGivenUp = false;

  function impatient(text: string): Patience | undefined {
    return /nowait/iu.test(text) ? impatience(parsedOrNone(text), isPostgres) : undefined;
  }

  /** What is wrong with a text is said when it is executed. */
  function parsedOrNone(text: string): readonly ParsedStatement[] {
    try {
      return sql.parse(text);
    } catch (error) {
      if (!(refused(error) instanceof SqlFailure)) throw error;
      return [];
    }
  }

  async function run(text: string, values: readonly MockArgument[]): Promise<SqlOutcome> {
    store.arrived();
    if (pause) await new Promise((resolve) => setTimeout(resolve, pause()));
    store.patience(hasGivenUp ? NONE : (impatient(text) ?? patienceOf(session, isPostgres)));
    const steps: Generator<Request, SqlOutcome, Reply> = session.execute(text, values);
    running++;
    try {
      for (let step = steps.next(); ;) {
        if (step.done === true) return step.value;
        step = steps.next(await store.ask(step.value));
      }
    } finally {
      running--;
    }
  }

  function resetStatement(): PreparedStatement {
    return {
      parameters: [],
      run() {
        reset();
        return Promise.resolve({ ok: true, value: { rows: [], tag: "CALL", affected: 0 } });
      },
    };
  }

  return {
    split(text) {
      try {
        return sql.parse(text).map((each) => each.text);
      } catch (error) {
        if (!(refused(error) instanceof SqlFailure)) throw error;
        // What is wrong is said when it is prepared.
        return text.trim() === "" ? [] : [text];
      }
    },
    prepare(text) {
      if (RESET.test(text)) return Promise.resolve({ ok: true, value: resetStatement() });
      const described = session.describe(text);
      if (!described.ok) return Promise.resolve(described);
      const { columns } = described;
      const known = parametersOf(described.parameters);
      const prepared: PreparedStatement = {
        parameters: known,
        ...(columns.length > 0 && { columns }),
        async run(values): Promise<Outcome<StatementResult>> {
          const outcome = await run(text, values);
          if (!outcome.ok) return outcome;
          const [result] = outcome.results;
          return { ok: true, value: result ? statementResult(result, isPostgres) : NOTHING };
        },
      };
      return Promise.resolve({ ok: true, value: prepared });
    },
    get status() {
      const status = session.status();
      return status === "open" ? "transaction" : status;
    },
    get longestSilence() {
      return longestSilence(session, isPostgres);
    },
    get autocommit() {
      return session.autocommit();
    },
    cancel() {
      if (running > 0) store.close();
    },
    giveUp() {
      hasGivenUp = true;
      store.patience(NONE);
    },
    close: store.close,
  };
}

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
    rows: rows.map((row) => row.map((value, at) => cell(value, columns[at]?.type, isPostgres))),
    tag: tagOf(result),
    affected: rowCount,
    inserted: insertId,
  };
}

function cell(value: SqlValue, type: SqlType | undefined, isPostgres: boolean): string | null {
  if (value === null) return null;
  if (typeof value === "boolean" && !isPostgres) return value ? "1" : "0";
  return wireText(value, type ?? "text");
}

function tagOf({ command, rowCount }: SqlResult): string {
  switch (command) {
    case "SELECT":
    case "UPDATE":
    case "DELETE":
      return `${command} ${String(rowCount)}`;
    case "INSERT":
      return `INSERT 0 ${String(rowCount)}`;
    default:
      return command;
  }
}
