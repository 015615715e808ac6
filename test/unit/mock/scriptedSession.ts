// A session for the tests of the wire protocols: what each statement answers is written down beforehand.
import type { SqlError } from "../../../server/src/sqlstore/sqlError";
import type { SqlType } from "../../../server/src/sqlstore/values/types";
import type {
  MockArgument,
  MockSession,
  ResultColumn,
  StatementResult,
} from "../../../server/src/mock/session";
import { ownEntry } from "../../../server/src/protocol/dictionary";

export interface Scripted {
  readonly parameters?: readonly SqlType[];
  readonly columns?: readonly ResultColumn[];
  readonly run: (values: readonly MockArgument[]) => StatementResult | SqlError;
}

/** A session that knows these statements. Statements are parted at each semicolon. */
export function scriptedSession(script: Readonly<Record<string, Scripted>>): MockSession {
  let status: MockSession["status"] = "idle";
  return {
    split: (sql) =>
      sql
        .split(";")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    prepare(sql) {
      const known = ownEntry(script, sql);
      if (!known) {
        const error = { code: "42601", number: 1064, mysqlState: "42000", message: `no ${sql}` };
        return Promise.resolve({ ok: false, error });
      }
      const { parameters = [], columns, run } = known;
      return Promise.resolve({
        ok: true,
        value: {
          parameters,
          columns,
          run(values) {
            const result = run(values);
            if (sql === "BEGIN") status = "transaction";
            if (sql === "COMMIT") status = "idle";
            if ("tag" in result) return Promise.resolve({ ok: true, value: result });
            if (status === "transaction") status = "failed";
            return Promise.resolve({ ok: false, error: result });
          },
        },
      });
    },
    get status() {
      return status;
    },
    get autocommit() {
      return status === "idle";
    },
    close() {
      status = "idle";
    },
  };
}
