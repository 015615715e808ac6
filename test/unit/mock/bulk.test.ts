// Executions of many rows as MariaDB's Connector/J sends them: one INSERT of many rows, which takes effect as a whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findLevel } from "../../../server/src/isolation/levels";
import { createMockDatabase } from "../../../server/src/mock/mockDatabase";
import { bulkRefusal, runBulk } from "../../../server/src/mock/mysql/bulk";
import { bulkArguments } from "../../../server/src/mock/mysql/commands";
import type { MockSession } from "../../../server/src/mock/session";

function opened(): MockSession {
  const level = findLevel("mariadb:repeatable-read");
  assert.ok(level?.family === "product");
  const made = createMockDatabase({
    dialect: "mariadb",
    level,
    seed: 1,
    strategy: "uniform",
    schema: "create table t (id int primary key, s varchar(300))",
  });
  assert.ok(made.ok);
  return made.database.open();
}

async function rows(on: MockSession, sql: string): Promise<unknown> {
  const statement = await on.prepare(sql, []);
  const outcome = statement.ok ? await statement.value.run([]) : statement;
  return outcome.ok ? outcome.value.rows : outcome.error.number;
}

/** Numbers of rows: as many as one text takes, and more. */
for (const count of [3, 5000])
  test(`${String(count)} rows are inserted, or none where one repeats a key`, async () => {
    const session = opened();
    const insert = "INSERT INTO `t` (id, s) VALUES (?, upper(?))";
    const ids = Array.from({ length: count }, (_, at) => [at + 1, `v${String(at)}`] as const);
    const outcome = await runBulk(session, insert, ids);
    assert.equal(outcome.ok && outcome.value.affected, count);
    const refused = await runBulk(session, insert, [...ids.map(([id]) => [-id, "x"]), [2, "y"]]);
    assert.equal(!refused.ok && refused.error.number, 1062);
    assert.deepEqual(await rows(session, "select count(*), min(id) from t"), [
      [String(count), "1"],
    ]);
    assert.equal(session.status, "idle");
  });

test("a change is executed for each row of arguments, and all are undone where one fails", async () => {
  const session = opened();
  await rows(session, "insert into t values (1, 'a'), (2, 'b')");
  await rows(session, "begin");
  const update = "update t set id = ? where id = ?";
  assert.ok(
    (
      await runBulk(session, update, [
        [3, 1],
        [4, 2],
      ])
    ).ok,
  );
  assert.equal(
    (
      await runBulk(session, update, [
        [5, 3],
        [5, 4],
      ])
    ).ok,
    false,
  );
  assert.deepEqual(await rows(session, "select id from t"), [["3"], ["4"]]);
  await rows(session, "rollback");
  assert.deepEqual(await rows(session, "select id from t"), [["1"], ["2"]]);
});

test("rows of arguments are read with their types and NULLs; what is not there is refused", () => {
  const types = [3, 0, 253, 0];
  const body = (...parts: readonly number[]): Buffer => Buffer.from([128, 0, ...types, ...parts]);
  const read = bulkArguments(body(0, 7, 0, 0, 0, 0, 1, 97, 0, 8, 0, 0, 0, 1), 2, []);
  assert.deepEqual(read.rows, [
    [7, "a"],
    [8, null],
  ]);
  assert.equal(bulkRefusal(read), undefined);
  const refused = bulkRefusal(bulkArguments(body(2, 0, 1, 97), 2, []));
  assert.match(refused?.message ?? "", /DEFAULT and IGNORE/);
});
