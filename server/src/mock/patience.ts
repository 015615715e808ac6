// How long a statement waits for locks: what the session's settings say, as their product reads them.
import type { Dialect } from "../program/dialect";
import { dictionary } from "../protocol/dictionary";
import type { ParsedStatement } from "../sqlstore/parseMemo";
import type { SqlSession } from "../sqlstore/session";
import { failure, type SqlFailure } from "../sqlstore/sqlError";
import type { Patience } from "./store/policy";

/** The shortest of the session's limits; undefined where there is none. */
export function patienceOf(
  session: Pick<SqlSession, "setting">,
  dialect: Dialect,
): Patience | undefined {
  const seconds = (name: string): number => bounded(Number(session.setting(name)) * SECOND || 0);
  const all =
    dialect === "postgres"
      ? [
          { milliseconds: milliseconds(session.setting("lock_timeout")), failure: WAITED_FOR_LOCK },
          {
            milliseconds: milliseconds(session.setting("statement_timeout")),
            failure: TOOK_TOO_LONG,
          },
        ]
      : [
          { milliseconds: seconds("innodb_lock_wait_timeout"), failure: WAITED_IN_MYSQL },
          { milliseconds: seconds("max_statement_time"), failure: TOOK_TOO_LONG_IN_MARIADB },
        ];
  const limits = all.filter((each) => each.milliseconds > 0);
  return limits.sort((one, other) => one.milliseconds - other.milliseconds)[0];
}

/** The time that a statement may take, and how it fails behind it; MySQL has one for queries alone. */
export function longestRun(
  session: Pick<SqlSession, "setting">,
  dialect: Dialect,
  statements: readonly ParsedStatement[],
): { readonly milliseconds: number; readonly failure: SqlFailure } {
  const limit = (time: number, end: SqlFailure): ReturnType<typeof longestRun> => ({
    milliseconds: time > 0 ? time : Infinity,
    failure: end,
  });
  switch (dialect) {
    case "postgres":
      return limit(milliseconds(session.setting("statement_timeout")), RAN_TOO_LONG.postgres);
    case "mariadb":
      return limit(Number(session.setting("max_statement_time")) * SECOND, RAN_TOO_LONG.mariadb);
    default: {
      const isQuery = statements.every(({ statement }) => statement.kind === "select");
      const time = isQuery ? Number(session.setting("max_execution_time")) : 0;
      return limit(time, RAN_TOO_LONG.mysql);
    }
  }
}

/** The limit of a statement that locks rows with NOWAIT; undefined for others. */
export function impatience(
  statements: readonly ParsedStatement[],
  isPostgres: boolean,
): Patience | undefined {
  const refuses = statements.some(
    ({ statement }) =>
      statement.kind === "select" && statement.locks.some(({ wait }) => wait === "nowait"),
  );
  if (!refuses) return undefined;
  return { milliseconds: 0, failure: isPostgres ? NOT_AT_ONCE : WAITED_IN_MYSQL };
}

/** Milliseconds for which the client may be silent before its connection is ended; 0: for ever. */
export function longestSilence(
  session: Pick<SqlSession, "setting" | "status">,
  isPostgres: boolean,
): number {
  if (!isPostgres) return bounded(Number(session.setting("wait_timeout")) * SECOND || 0);
  const name =
    session.status() === "idle" ? "idle_session_timeout" : "idle_in_transaction_session_timeout";
  return milliseconds(session.setting(name));
}

/** Timers take no more; it is 24 days. */
const LONGEST = 2 ** 31 - 1;

function bounded(time: number): number {
  return Math.min(Math.round(time), LONGEST);
}

const SECOND = 1000;
const UNITS = dictionary<number>({
  us: 0.001,
  ms: 1,
  s: SECOND,
  min: 60 * SECOND,
  h: 3600 * SECOND,
  d: 86_400 * SECOND,
});

/** A time as PostgreSQL's settings write it: milliseconds unless it has a unit. 0 where there is none, or no time. */
export function milliseconds(text: string | undefined): number {
  if (text === undefined || text === "0") return 0;
  const [, number = "0", unit = "ms"] =
    /^\s*(\d+(?:\.\d+)?)\s*(?:(us|ms|s|min|h|d)\s*)?$/.exec(text ?? "") ?? [];
  return bounded(Number(number) * (UNITS[unit] ?? 1));
}

const RAN_TOO_LONG = {
  postgres: failure("canceled", "canceling statement due to statement timeout"),
  mysql: failure(
    "timedOut",
    "Query execution was interrupted, maximum statement execution time exceeded",
  ),
  mariadb: failure(
    "mariadbTimedOut",
    "Query execution was interrupted (max_statement_time exceeded)",
  ),
};
const WAITED_FOR_LOCK = {
  code: "55P03",
  message: "canceling statement due to lock timeout",
  goesOn: true,
};
const NOT_AT_ONCE = { code: "55P03", message: "could not obtain lock on row", goesOn: true };
const TOOK_TOO_LONG = {
  code: "57014",
  message: "canceling statement due to statement timeout",
  goesOn: true,
};
const TOOK_TOO_LONG_IN_MARIADB = {
  code: RAN_TOO_LONG.mariadb.error.mysqlState,
  message: RAN_TOO_LONG.mariadb.message,
  goesOn: true,
};
const WAITED_IN_MYSQL = {
  code: "55P03",
  message: "Lock wait timeout exceeded; try restarting transaction",
  goesOn: true,
};
