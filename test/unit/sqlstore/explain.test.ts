// EXPLAIN in the forms of MySQL and MariaDB: their columns, a row for each table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDatabase } from "../../../server/src/sqlstore/database";
import { createMemoryStore, createSequences } from "../../../server/src/sqlstore/memory";
import { createSqlSession, runNow } from "../../../server/src/sqlstore/session";

for (const [dialect, columns] of [
  [
    "mysql",
    "id,select_type,table,partitions,type,possible_keys,key,key_len,ref,rows,filtered,Extra",
  ],
  ["mariadb", "id,select_type,table,type,possible_keys,key,key_len,ref,rows,Extra"],
] as const)
  test(`EXPLAIN of ${dialect} has a row for each table, or one document`, () => {
    const { answer } = createMemoryStore();
    const session = createSqlSession(createDatabase({ dialect }), {
      sequences: createSequences(),
      now: () => 0,
      random: () => 0.5,
      rule: "snapshot",
    });
    const run = (sql: string): { columns: string; tables: unknown; first: unknown } => {
      const outcome = runNow(session.execute(sql), answer);
      assert.ok(outcome.ok);
      const [result] = outcome.results;
      assert.ok(result);
      const described = session.describe(sql);
      assert.deepEqual(described.ok && described.columns, result.columns);
      const names = result.columns.map(({ name }) => name);
      const at = names.indexOf("table");
      return {
        columns: names.join(),
        tables: result.rows.map((row) => [row[1], row[at]].map(String)),
        first: result.rows[0]?.[0],
      };
    };
    run("create table t (id int primary key, v int)");
    const joined = run("EXPLAIN SELECT * FROM t a JOIN t b ON a.id = b.v WHERE a.v > 1");
    assert.equal(joined.columns, columns);
    assert.deepEqual(joined.tables, [
      ["SIMPLE", "a"],
      ["SIMPLE", "b"],
    ]);
    assert.deepEqual(run("DESCRIBE UPDATE t SET v = 1 WHERE id = 2").tables, [["UPDATE", "t"]]);
    assert.deepEqual(run("explain extended select 1").tables, [["SIMPLE", "null"]]);
    const { columns: only, first } = run("EXPLAIN FORMAT=JSON SELECT * FROM t");
    assert.equal(only, "EXPLAIN");
    assert.deepEqual(JSON.parse(String(first)), {
      query_block: { select_id: 1, table: { table_name: "t", access_type: "ALL" } },
    });
    assert.equal(run("DESCRIBE t").columns.split(",")[0], "Field");
  });
