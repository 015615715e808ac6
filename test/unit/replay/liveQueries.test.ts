// PostgreSQL's own results for the queries whose rows the store's tests expect.
import assert from "node:assert/strict";
import { test } from "node:test";
import { literal } from "../../../server/src/replay/literal";
import { serverFor } from "../../support/liveServers";
import { COMPUTED, OUT, routineText, TOLD } from "../store/routineCases";
import { GATHERED, QUANTIFIED, QUERY_ROWS, RANKED, rowsText, SETS } from "../store/queryCases";

test("queries give what PostgreSQL answers", async (context) => {
  const temporary = await serverFor("postgres", context);
  if (temporary === undefined) return;
  const session = await temporary.server.open();
  const run = async (sql: string): Promise<string> => {
    const result = await session.execute(sql);
    return result.ok ? rowsText(result.rows) : result.message;
  };
  try {
    await run("CREATE TEMPORARY TABLE t (id int PRIMARY KEY, v int, name text)");
    await run("CREATE TEMPORARY TABLE u (id int PRIMARY KEY, t int, w int)");
    for (const [name, rows] of Object.entries(QUERY_ROWS))
      for (const row of rows)
        await run(`INSERT INTO ${name} VALUES (${Object.values(row).map(literal).join(", ")})`);
    for (const [sql, rows] of [...SETS, ...GATHERED, ...QUANTIFIED, ...RANKED])
      assert.equal(await run(sql), rows, sql);
    await run("DROP TABLE t, u");
    for (const each of [...TOLD, ...COMPUTED]) {
      for (const sql of [OUT, ...each.tables, routineText(each)])
        assert.equal(await run(sql), "", sql);
      await run("INSERT INTO t (id, a) VALUES (1, 10), (2, NULL)");
      await run("SELECT f()");
      const rows = await run("SELECT v FROM out ORDER BY k");
      assert.equal(rows.replaceAll(";", ","), each.gives, each.title);
      await run("DROP SCHEMA public CASCADE");
      await run("CREATE SCHEMA public");
    }
  } finally {
    await session.close();
    await temporary.stop();
  }
});
