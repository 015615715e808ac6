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
      [1, "own", "a"],
      [1, "b", "b"],
      [1, "third", "a"],
      [1, "third", "b"],
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

test("a table is shown as the text that makes it", () => {
  const run = session("mysql");
  run("CREATE TABLE p (id int PRIMARY KEY)");
  const columns =
    "id bigint NOT NULL AUTO_INCREMENT, n decimal(10,2), s varchar(9) NOT NULL DEFAULT 'x', p int";
  const keys = "PRIMARY KEY (id), UNIQUE KEY u (s), KEY k (n, s)";
  const reference = "CONSTRAINT r FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE";
  run(`CREATE TABLE t (${columns}, ${keys}, ${reference})`);
  assert.deepEqual(run("SHOW CREATE TABLE t"), [
    [
      "t",
      `CREATE TABLE \`t\` (
  \`id\` bigint NOT NULL AUTO_INCREMENT,
  \`n\` decimal(10,2) DEFAULT NULL,
  \`s\` varchar(9) NOT NULL DEFAULT 'x',
  \`p\` int DEFAULT NULL,
  PRIMARY KEY (\`id\`),
  UNIQUE KEY \`u\` (\`s\`),
  KEY \`k\` (\`n\`,\`s\`),
  KEY \`r\` (\`p\`),
  CONSTRAINT \`r\` FOREIGN KEY (\`p\`) REFERENCES \`p\` (\`id\`) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci`,
    ],
  ]);
});

test("a table that is made anew counts anew", () => {
  const run = session("mysql");
  for (let time = 0; time < 2; time++) {
    run("DROP TABLE IF EXISTS t");
    run("CREATE TABLE t (id int PRIMARY KEY AUTO_INCREMENT, a int)");
    run("INSERT INTO t (a) VALUES (1)");
    assert.deepEqual(run("SELECT id FROM t"), [[1]]);
  }
});

test("a savepoint without autocommit begins a transaction", () => {
  const run = session("mysql");
  run("CREATE TABLE t (a int PRIMARY KEY)");
  for (const sql of ["SET autocommit = 0", "SAVEPOINT s", "INSERT INTO t VALUES (1)"]) run(sql);
  run("ROLLBACK TO SAVEPOINT s");
  assert.deepEqual(run("SELECT * FROM t"), []);
});
