// System variables of MySQL and MariaDB, and what finds rows there: plain indexes, HAVING without groups.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

function session(dialect: "mysql" | "mariadb"): (sql: string) => unknown {
  const own = createSqlSession(createDatabase({ dialect }), {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0.5,
    rule: "current",
  });
  const { answer } = createMemoryStore();
  return (sql) => {
    const outcome = runNow(own.execute(sql), answer);
    return outcome.ok ? outcome.results.at(-1)?.rows : outcome.error.number;
  };
}

describe("system variables", () => {
  for (const [dialect, sql, expected] of [
    ["mysql", "SELECT @@character_set_connection, @@autocommit", [["utf8mb4", 1]]],
    ["mysql", "SELECT @@session.transaction_isolation", [["REPEATABLE-READ"]]],
    ["mysql", "SELECT @@tx_isolation", 1193],
    ["mariadb", "SELECT @@tx_isolation", [["REPEATABLE-READ"]]],
    ["mariadb", "SELECT @@transaction_isolation", 1193],
    ["mysql", "SET nothing_like_it = 1", 1193],
    ["mysql", "SHOW VARIABLES LIKE 'sql_notes'", [["sql_notes", "ON"]]],
    ["mysql", "SELECT @@max_allowed_packet", [[16777216]]],
  ] as const)
    test(`${dialect}: ${sql}`, () => {
      assert.deepEqual(session(dialect)(sql), expected);
    });

  test("switches are ON and OFF where they are listed, 1 and 0 where they are selected", () => {
    const run = session("mysql");
    run("SET sql_notes = 0");
    assert.deepEqual(run("SHOW VARIABLES LIKE 'sql_notes'"), [["sql_notes", "OFF"]]);
    assert.deepEqual(run("SELECT @@sql_notes"), [[0]]);
  });
});

test("indexes that are not unique are there", () => {
  const run = session("mysql");
  run("CREATE TABLE t (a int, b varchar(20), KEY own (a), KEY (b(10) DESC))");
  run("CREATE INDEX third ON t (a, b)");
  const names = run("SHOW INDEX FROM t");
  assert.ok(Array.isArray(names));
  assert.deepEqual(
    names.map((row: unknown) => (Array.isArray(row) ? [row[1], row[2], row[4]] : row)),
    [
      ["1", "own", "a"],
      ["1", "b", "b"],
      ["1", "third", "a"],
      ["1", "third", "b"],
    ],
  );
});

test("HAVING without groups is a filter that knows the names of outputs", () => {
  const run = session("mysql");
  run("CREATE TABLE t (a int)");
  run("INSERT INTO t VALUES (1), (2), (3)");
  assert.deepEqual(run("SELECT a, a * 2 AS twice FROM t HAVING twice > 3 ORDER BY a"), [
    [2, 4],
    [3, 6],
  ]);
});
