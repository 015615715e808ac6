// Constructs that migrations, start-ups and test suites of applications use.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

type Dialect = "postgres" | "mysql" | "mariadb";

/** Rows of the last statement, or the message of its error. */
async function session(dialect: Dialect): Promise<(...texts: string[]) => unknown> {
  const own = createSqlSession(createDatabase({ dialect, parser: await loadPgParser() }), {
    sequences: createSequences(),
    now: () => 0,
    random: () => 0.5,
    rule: "current",
  });
  const { answer } = createMemoryStore();
  return (...texts) => {
    let last: unknown;
    for (const sql of texts) {
      const outcome = runNow(own.execute(sql), answer);
      last = outcome.ok ? outcome.results.at(-1)?.rows : outcome.error.message;
    }
    return last;
  };
}

for (const dialect of ["postgres", "mysql"] as const) {
  test(`${dialect}: references follow a primary key that changes, over several tables`, async () => {
    const run = await session(dialect);
    run(
      "CREATE TABLE a (w int, n varchar(9), PRIMARY KEY (w, n))",
      "CREATE TABLE b (w int, n varchar(9), v int, PRIMARY KEY (w, n, v), FOREIGN KEY (w, n) REFERENCES a (w, n) ON UPDATE CASCADE)",
      "CREATE TABLE c (w int, n varchar(9), v int, t int, PRIMARY KEY (w, n, v, t), FOREIGN KEY (w, n, v) REFERENCES b (w, n, v) ON UPDATE CASCADE)",
      "INSERT INTO a VALUES (1, 'x')",
      "INSERT INTO b VALUES (1, 'x', 1), (1, 'x', 2)",
      "INSERT INTO c VALUES (1, 'x', 2, 7)",
    );
    run("UPDATE a SET n = 'y' WHERE w = 1");
    assert.deepEqual(run("SELECT n, v FROM b ORDER BY v"), [
      ["y", 1],
      ["y", 2],
    ]);
    assert.deepEqual(run("SELECT n, v, t FROM c"), [["y", 2, 7]]);
    assert.match(String(run("DELETE FROM a")), /foreign key constraint/u);
  });

  test(`${dialect}: a trigger before a change may add rows elsewhere`, async () => {
    const run = await session(dialect);
    run("CREATE TABLE t (id int PRIMARY KEY, v int)", "CREATE TABLE log (what varchar(20))");
    if (dialect === "postgres")
      run(
        "CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES ('row ' || NEW.id); NEW.v := NEW.v * 2; RETURN NEW; END $$",
        "CREATE TRIGGER noted BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION noted()",
      );
    else
      run(
        "CREATE TRIGGER noted BEFORE INSERT ON t FOR EACH ROW BEGIN INSERT INTO log VALUES (concat('row ', NEW.id)); SET NEW.v = NEW.v * 2; END",
      );
    run("INSERT INTO t VALUES (1, 5), (2, 6)");
    assert.deepEqual(run("SELECT what FROM log ORDER BY what"), [["row 1"], ["row 2"]]);
    assert.deepEqual(run("SELECT v FROM t ORDER BY id"), [[10], [12]]);
  });
}

describe("PostgreSQL", () => {
  test("settings of applications are set by set_config, and absent ones may be asked for", async () => {
    const run = await session("postgres");
    run("SELECT set_config('app.tenant', '7', false)");
    assert.deepEqual(run("SELECT current_setting('app.tenant')"), [["7"]]);
    assert.deepEqual(run("SELECT current_setting('app.other', true)"), [[null]]);
    assert.match(String(run("SELECT current_setting('app.other')")), /unrecognized/u);
  });
});

describe("MySQL", () => {
  test("generated columns are computed with every change", async () => {
    const run = await session("mysql");
    run(
      "CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a + 1) STORED, c int AS (a * 2) VIRTUAL)",
    );
    run("INSERT INTO t (a) VALUES (2), (3)", "UPDATE t SET a = 5 WHERE a = 3");
    assert.deepEqual(run("SELECT * FROM t ORDER BY a"), [
      [2, 3, 4],
      [5, 6, 10],
    ]);
  });

  test("BINARY compares byte by byte, FLOAT of many bits is a double, DO gives nothing", async () => {
    const run = await session("mysql");
    run("CREATE TABLE t (s varchar(9), f float(53))", "INSERT INTO t VALUES ('Ann', 0.333333333)");
    assert.deepEqual(run("SELECT f FROM t WHERE s = 'ann'"), [[0.333333333]]);
    assert.deepEqual(run("SELECT f FROM t WHERE BINARY s = 'ann'"), []);
    assert.deepEqual(run("DO 1, 2"), []);
    assert.deepEqual(run("DESCRIBE t s"), [["s", "varchar(9)", "YES", "", null, ""]]);
  });

  for (const [mode, paths, expected] of [
    ["one", "'$.a', '$.x'", 1],
    ["all", "'$.a', '$.x'", 0],
    ["all", "'$.a', '$.b[1].c'", 1],
    ["one", "'$.b[2]', NULL", null],
  ] as const)
    test(`JSON_CONTAINS_PATH of ${mode} of ${paths} is ${String(expected)}`, async () => {
      const run = await session("mysql");
      const document = `'{"a": null, "b": [1, {"c": 2}]}'`;
      const call = `JSON_CONTAINS_PATH(${document}, '${mode}', ${paths})`;
      assert.deepEqual(run(`SELECT ${call} + 0`), [[expected]]);
    });

  test("a database is shown as the text that makes it, with the names as written", async () => {
    const run = await session("mariadb");
    const text =
      "CREATE DATABASE `Shop` /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci */";
    assert.deepEqual(run("SHOW CREATE DATABASE `Shop`"), [["Shop", text]]);
    assert.deepEqual(run("SHOW PLUGINS"), []);
  });

  test("diagnostics are those of the statement before", async () => {
    const run = await session("mysql");
    run("CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)");
    run("INSERT IGNORE INTO t VALUES (1), (2)");
    const duplicate = ["Warning", 1062, "Duplicate entry '1' for key 't.PRIMARY'"];
    assert.deepEqual(run("SHOW WARNINGS"), [duplicate]);
    assert.deepEqual(run("SHOW COUNT(*) WARNINGS"), [[1]]);
    assert.deepEqual(run("SELECT @@warning_count, @@error_count"), [[1, 0]]);
    run("DROP TABLE IF EXISTS nowhere");
    assert.deepEqual(run("SHOW WARNINGS"), [["Note", 1051, "Unknown table 'nowhere'"]]);
    run("SELECT * FROM nowhere");
    const unknown = ["Error", 1146, "Table 'app.nowhere' doesn't exist"];
    assert.deepEqual(run("SHOW ERRORS"), [unknown]);
    assert.deepEqual(run("SHOW ERRORS LIMIT 1, 1"), []);
    run("SELECT 1 / 0");
    assert.deepEqual(run("SHOW WARNINGS"), [["Warning", 1365, "Division by 0"]]);
    run("SELECT 1");
    assert.deepEqual(run("SHOW WARNINGS"), []);
  });
});
