// A class that is being made is never taken for a function that is being followed, wherever the two stand.
import assert from "node:assert/strict";
import { it } from "node:test";
import { statementsOf } from "../../../../server/src/service/statements";
import { numberOf } from "../../../../server/src/frontend/code/queries/origins";
import { ACCOUNTS_AND_LOG, transactionsOf } from "./codePrograms";

it("makes an object of a class that stands where a function has its number", async () => {
  for (let more = 0; more < 16; more += 1) {
    const next = numberOf({}) + more;
    const found = await transactionsOf(ACCOUNTS_AND_LOG, {
      "pool.ts": `import { Pool } from "pg";\nexport const pool = new Pool();`,
      "a.ts": `${" ".repeat(next)}class Log {
  async add(n: number) { await pool.query("INSERT INTO log (amount) VALUES ($1)", [n]); }
}
import { pool } from "./pool";
async function score(x: number, log: Log) { await log.add(x); }
export async function run(x: number) { await score(x, new Log()); }`,
    });
    const run = found.find(({ name }) => name === "run");
    assert.ok(run);
    assert.equal(statementsOf(run.body).length, 1);
  }
});
