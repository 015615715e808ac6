import assert from "node:assert/strict";
import { test } from "node:test";
import { tablesByWords } from "../../../../server/src/frontend/sql/fallback";
import { liftLockClause } from "../../../../server/src/frontend/sql/lockClause";
import { statementKind } from "../../../../server/src/frontend/sql/text/statementKind";

function check(sql: string, expected: string): void {
  const { tables, writes } = tablesByWords(sql);
  assert.equal(`${writes ? "writes" : "reads"} ${tables.join(", ")}`, expected, sql);
}

test("tables by words", () => {
  check("SELECT * FROM a, b AS x JOIN c ON c.id = x.id WHERE d = 1", "reads a, b, c");
  check('SELECT * FROM s.a LEFT JOIN ONLY "B c" USING (id)', "reads a, B c");
  check("UPDATE a SET v = (SELECT max(x) FROM b)", "writes a, b");
  check("UPDATE ONLY a SET v = 1", "writes a");
  check("INSERT INTO a (x, y) SELECT x, y FROM b ON CONFLICT DO UPDATE SET x = 1", "writes a, b");
  check("DELETE FROM a USING b WHERE a.id = b.id", "writes a, b");
  check("MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET v = 1", "writes a, b");
  check("WITH x AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM x", "writes a, b");
  check("WITH x AS (SELECT * FROM a) SELECT * FROM x", "reads a");
  check("SELECT * FROM a FOR UPDATE", "reads a");
  check("SELECT * FROM a FOR NO KEY UPDATE OF a", "reads a");
  check("SELECT * FROM generate_series(1, 2) g, unnest(x) u, a", "reads a");
  check("TRUNCATE TABLE a", "writes a");
  check("COPY a FROM '/x'", "writes a");
  check("EXECUTE p(1)", "writes ");
  check("", "writes ");
});

test("lock clauses", () => {
  const lock = (sql: string, expected: string): void => {
    const lifted = liftLockClause(sql);
    const clause = lifted.lock;
    const text =
      clause === undefined ? "" : `${clause.strength} [${clause.of.join(",")}] ${clause.wait}`;
    assert.equal(text + (lifted.nested ? "nested" : ""), expected, sql);
    assert.equal(lifted.sql.length, sql.length);
    if (clause !== undefined) assert.doesNotMatch(lifted.sql, /\bfor\b/i);
  };
  lock("SELECT 1", "");
  lock("SELECT a FROM t FOR UPDATE", "update [] block");
  lock('SELECT a FROM t FOR UPDATE OF t, "U" NOWAIT', "update [t,U] nowait");
  lock("SELECT a FROM t FOR SHARE SKIP LOCKED LIMIT 1", "share [] skip-locked");
  lock("SELECT a FROM t FOR KEY SHARE FOR NO KEY UPDATE OF t", "no-key-update [] block");
  lock("SELECT substring(a FROM 1 FOR 2), 'FOR UPDATE' FROM t", "");
  lock("SELECT (SELECT 1 FROM t FOR UPDATE)", "nested");
});

test("kinds of statements", () => {
  const kind = (sql: string, expected: string): void =>
    assert.equal(statementKind(sql, 0, sql.length), expected, sql);
  kind("select 1", "data");
  kind("(SELECT 1)", "data");
  kind("/* c */ WITH a AS (SELECT 1) SELECT 1", "data");
  kind("CREATE TABLE t (id int)", "ddl");
  kind("CREATE OR REPLACE FUNCTION f()", "routine");
  kind("create procedure p()", "routine");
  kind("CREATE OR REPLACE VIEW v AS SELECT 1", "ddl");
  kind("CREATE TRIGGER t", "ddl");
  kind("CALL p()", "call");
  kind("GRANT ALL ON t TO x", "session");
  kind("foo bar", "unknown");
  kind("", "unknown");
});
