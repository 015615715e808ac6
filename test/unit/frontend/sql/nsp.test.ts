import assert from "node:assert/strict";
import { test } from "node:test";
import { parseWithNsp } from "../../../../server/src/frontend/sql/nsp/parse";
import { lowerWithNsp } from "../../../../server/src/frontend/sql/nsp/statement";
import { renderStatement } from "./render";
import { contextOf } from "./statements";

/** The statement in short, `!` and the reasons of its losses, or `refused`. */
function check(sql: string, expected: string): void {
  const result = lowerWithNsp(contextOf(sql), parseWithNsp);
  if (!result.ok) {
    assert.equal("refused", expected, sql);
    return;
  }
  const text = result.lowered.statements.map((statement) => {
    const losses = statement.taint.map((loss) => loss.reason).join("; ");
    return renderStatement(statement) + (losses === "" ? "" : ` ! ${losses}`);
  });
  assert.equal(text.join("\n"), expected, sql);
}

test("columns, outputs and names", () => {
  check("SELECT v FROM t WHERE id = 1", "r1 = select t.v as v from t where (t.id = 1)");
  check("SELECT a.v AS x FROM t a", "r1 = select a.v as x from t a");
  check("SELECT * FROM t", "r1 = select t.id as id, t.v as v, t.w as w from t");
  check("SELECT u.* FROM t, u", "r1 = select u.id as id, u.t_id as t_id, u.n as n from t, u");
  check(
    "SELECT what - 1 AS x FROM log",
    "r1 = select unknown(log.what, 1) as x from log ! the operator - on text values",
  );
  check("SELECT false, true AS b FROM t", "r1 = select false as ?column?, true as b from t");
  check(
    "SELECT v + 1 AS x, count(*) FROM t GROUP BY 1",
    "r1 = select (t.v + 1) as x, count(*) as count from t group by (t.v + 1)",
  );
  check(
    "SELECT v + 1 AS x, count(*) FROM t GROUP BY x",
    "r1 = select (t.v + 1) as x, count(*) as count from t group by (t.v + 1)",
  );
  check(
    "SELECT v + 1 AS w, count(*) FROM t GROUP BY w",
    "r1 = select (t.v + 1) as w, count(*) as count from t group by t.w",
  );
  check("SELECT V FROM T", "r1 = select t.v as v from t");
  check(
    "SELECT count(*), max(v) AS m, lower(w) FROM t",
    "r1 = select count(*) as count, max(t.v) as m, lower(t.w) as lower from t",
  );
  check("SELECT 1", "r1 = select 1 as ?column?");
  check('SELECT "T".v AS "X" FROM "T"', "r1 = select T.v as X from T");
  check("SELECT v FROM public.t", "r1 = select t.v as v from t");
  check("SELECT balance FROM t, account", "r1 = select account.balance as balance from t, account");
  check(
    "SELECT coalesce(v, 0), v + 1 FROM t",
    "r1 = select coalesce(t.v, 0) as coalesce, (t.v + 1) as ?column? from t",
  );
  check(
    "SELECT CASE WHEN v > 1 THEN 2 ELSE 3 END FROM t",
    "r1 = select ((t.v > 1) ? 2 : 3) as case from t",
  );
  check(
    "SELECT CASE v WHEN 1 THEN 2 END AS c FROM t",
    "r1 = select ((t.v = 1) ? 2 : null) as c from t",
  );
});

test("conditions", () => {
  const where = (condition: string, expected: string): void => {
    check(`SELECT v FROM t WHERE ${condition}`, `r1 = select t.v as v from t where ${expected}`);
  };
  where("id = :a AND v >= :b", "((t.id = :a) and (t.v >= :b))");
  where("id = 1 OR v = 2 AND w = 3", "((t.id = 1) or ((t.v = 2) and (t.w = 3)))");
  where("id = 1 AND v = 2 OR w = 3", "(((t.id = 1) and (t.v = 2)) or (t.w = 3))");
  where("(id = 1 OR v = 2) AND w = 3", "(((t.id = 1) or (t.v = 2)) and (t.w = 3))");
  where(
    "id = 1 AND (v = 2 OR w = 3 AND v = 4)",
    "((t.id = 1) and ((t.v = 2) or ((t.w = 3) and (t.v = 4))))",
  );
  where("NOT (id = 1 OR v = 2)", "not ((t.id = 1) or (t.v = 2))");
  where("NOT id = 1 AND v = 2", "(not (t.id = 1) and (t.v = 2))");
  where("id IN (1, ?)", "(t.id in [1, :?1])");
  where("id NOT IN (1, 2)", "not (t.id in [1, 2])");
  where(
    "id IN (SELECT t_id FROM u WHERE n = t.v)",
    "(t.id in (select u.t_id as t_id from u where (u.n = t.v)))",
  );
  where("v BETWEEN 1 AND 2 AND id = 3", "((t.v >= 1) and (t.v <= 2) and (t.id = 3))");
  where("v NOT BETWEEN 1 AND 2", "not ((t.v >= 1) and (t.v <= 2))");
  where("v IS NULL AND w IS NOT NULL", "((t.v is null) and not (t.w is null))");
  where("w LIKE 'a%' AND w NOT ILIKE :p", '((t.w like "a%") and not (t.w ilike :p))');
  where(
    "EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id)",
    "exists (select 1 as ?column? from u where (u.t_id = t.id))",
  );
  where("NOT EXISTS (SELECT 1 FROM u)", "not exists (select 1 as ?column? from u)");
  where("v = (SELECT max(n) FROM u)", "(t.v = (select max(u.n) as max from u))");
  where("(id, v) = (1, 2)", "((t.id = 1) and (t.v = 2))");
  where("v <> 1 AND v != 2", "((t.v <> 1) and (t.v <> 2))");
  where("w = 'it''s'", `(t.w = "it's")`);
  where("v = -1 AND v > -w", "((t.v = -1) and (t.v > -t.w))");
  where("v = ANY(ARRAY[1, 2])", "(t.v in [1, 2])");
  where("v::int = 1 AND CAST(w AS numeric) = 2", "((t.v = 1) and (t.w = 2))");
  where("v * 2 + 1 = 3 % 2", "(((t.v * 2) + 1) = (3 % 2))");
});

test("joins, subqueries, sets", () => {
  check(
    "SELECT v, n FROM t JOIN u ON u.t_id = t.id",
    "r1 = select t.v as v, u.n as n from t inner join u on (u.t_id = t.id)",
  );
  check(
    "SELECT v FROM t LEFT JOIN u USING (id)",
    "r1 = select t.v as v from t left join u on (t.id = u.id)",
  );
  check(
    "SELECT s.x FROM (SELECT v AS x FROM t) s",
    "r1 = select s.x as x from (select t.v as x from t) s",
  );
  check(
    "WITH c AS (SELECT id FROM t) SELECT id FROM c",
    "r1 = select c.id as id from (select t.id as id from t) c",
  );
  check(
    "SELECT DISTINCT v FROM t ORDER BY v DESC LIMIT 1 OFFSET 2",
    "r1 = select distinct t.v as v from t order by t.v desc limit 1 offset 2",
  );
  check(
    "SELECT v FROM t UNION ALL SELECT n FROM u",
    "r1 = select t.v as v from t union all select u.n as n from u",
  );
  check(
    "SELECT v, count(*) FROM t GROUP BY v HAVING count(*) > 1",
    "r1 = select t.v as v, count(*) as count from t group by t.v having (count(*) > 1)",
  );
});

test("locks", () => {
  const lock = (clause: string, expected: string): void => {
    check(
      `SELECT v FROM t WHERE id = 1 ${clause}`,
      `r1 = select t.v as v from t where (t.id = 1) ${expected}`,
    );
  };
  lock("FOR UPDATE", "for update");
  lock("FOR SHARE", "for share");
  lock("FOR NO KEY UPDATE NOWAIT", "for no-key-update nowait");
  lock("FOR KEY SHARE SKIP LOCKED", "for key-share skip-locked");
  lock("FOR UPDATE OF t", "for update of t");
  check(
    "SELECT v FROM t ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1",
    "r1 = select t.v as v from t order by t.id limit 1 for update skip-locked",
  );
  check("SELECT v FROM (SELECT v FROM t FOR UPDATE) s", "refused");
});

test("insert", () => {
  check("INSERT INTO t (id, v) VALUES (1, 2)", "insert t {id = 1, v = 2, w = null}");
  check(
    "INSERT INTO t VALUES (:a, 2), (3, 4)",
    "insert t {id = :a, v = 2, w = null} {id = 3, v = 4, w = null}",
  );
  check("INSERT INTO t (v, id) VALUES (DEFAULT, 1)", "insert t {id = 1, v = null, w = null}");
  check(
    "INSERT INTO log (what) VALUES ('x')",
    'insert log {id = fresh sequence, at = fresh now, what = "x"}',
  );
  check(
    "INSERT INTO t (id, v) SELECT id, n FROM u",
    "insert t (id, v, w) select u.id as id, u.n as n, null as w from u",
  );
  check(
    "INSERT INTO t (id) VALUES (1) ON CONFLICT DO NOTHING",
    "insert t {id = 1, v = null, w = null} on conflict () nothing",
  );
  check(
    "INSERT INTO t (id, v) VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET v = t.v + excluded.v WHERE t.w > 0",
    "insert t {id = 1, v = 2, w = null} on conflict (id) update v = (t.v + excluded.v) where (t.w > 0)",
  );
  check(
    "INSERT INTO t (id, v) VALUES (1, (SELECT max(v) + 1 FROM t)) RETURNING id, v AS x",
    "insert t {id = 1, v = (select (max(t.v) + 1) as ?column? from t), w = null} returning r1: t.id as id, t.v as x",
  );
  check("INSERT INTO unknown (a) VALUES (1)", "insert unknown {a = 1}");
});

test("update and delete", () => {
  check("UPDATE t SET v = v + 1 WHERE id = :id", "update t set v = (t.v + 1) where (t.id = :id)");
  check("UPDATE t SET v = 1, w = DEFAULT", "update t set v = 1, w = null");
  check(
    "UPDATE t x SET v = x.v - 1 WHERE x.id = 1 RETURNING x.v",
    "update t x set v = (x.v - 1) where (x.id = 1) returning r1: x.v as v",
  );
  check(
    "UPDATE t SET v = u.n FROM u WHERE u.t_id = t.id",
    "update t set v = u.n from u where (u.t_id = t.id)",
  );
  check(
    "UPDATE t SET v = (SELECT max(n) FROM u)",
    "update t set v = (select max(u.n) as max from u)",
  );
  check(
    "DELETE FROM t WHERE v < 0 RETURNING *",
    "delete t where (t.v < 0) returning r1: t.id as id, t.v as v, t.w as w",
  );
  check("DELETE FROM t", "delete t");
});

test("values that never repeat, and losses", () => {
  check(
    "INSERT INTO t (id) VALUES (nextval('s'))",
    "insert t {id = fresh sequence, v = null, w = null}",
  );
  check(
    "UPDATE log SET what = now() WHERE id = 1",
    "update log set what = fresh now where (log.id = 1)",
  );
  check(
    "UPDATE t SET v = f(w) WHERE id = 1",
    "update t set v = unknown(t.w) where (t.id = 1) ! the function f()",
  );
  check(
    "SELECT v FROM t WHERE w -> 'a' = 1",
    'r1 = select t.v as v from t where (unknown(t.w, "a") = 1) ! the operator ->',
  );
});

test("what node-sql-parser misreads is refused", () => {
  for (const sql of [
    "SELECT * FROM t CROSS JOIN u",
    "SELECT * FROM t NATURAL JOIN u",
    "UPDATE ONLY t SET v = 1",
    "SELECT v ISNULL FROM t",
    "SELECT",
    "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE",
    "WITH RECURSIVE x AS (SELECT id FROM t UNION SELECT id + 1 FROM x) SELECT id FROM x",
    "WITH x AS (UPDATE t SET v = 1 RETURNING *) SELECT * FROM x",
    "WITH a AS (SELECT 1), x AS MATERIALIZED (INSERT INTO t (id) VALUES (1) RETURNING id) SELECT * FROM x",
    "SELECT v FROM t WHERE w = 'a\\u00e0'",
    "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
  ]) {
    check(sql, "refused");
  }
});

test("nested groups, which it tries again and again where it fails, are refused beyond a few; nested calls are not", () => {
  const groups = (depth: number, inner: string): string =>
    `SELECT ${"(".repeat(depth)}${inner}${")".repeat(depth)} AS n`;
  const calls = `SELECT ${"coalesce(x, ".repeat(60)}1${")".repeat(60)} AS n FROM a`;
  const queries = (depth: number): string =>
    `SELECT ${"(SELECT ".repeat(depth)}1 1${")".repeat(depth)}`;
  assert.ok(parseWithNsp(groups(4, "1")).ok);
  assert.ok(parseWithNsp(calls).ok);
  for (const text of [
    groups(40, "1 1"),
    queries(20),
    `DELETE${"(".repeat(80)}`,
    `SELECT ${"(".repeat(90)}1`,
  ])
    assert.deepEqual(parseWithNsp(text), {
      ok: false,
      message: "too long or too deeply nested",
      offset: 0,
    });
});
