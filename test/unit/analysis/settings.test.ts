// Settings of the process: a witness takes them for the same in all instances where an anomaly allows that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import type { Program } from "../../../server/src/program/program";
import { analyseProgram, sql } from "../truth/analyse";

const TABLE = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n";
const take = (name: string): string => `-- @transaction ${name}
BEGIN; SELECT balance FROM account WHERE id = :id;
UPDATE account SET balance = :balance - :fee WHERE id = :id; COMMIT;
`;

/** The program with its parameter `fee` made a setting. */
async function withSetting(text: string): Promise<Program> {
  const program = readProgram([sql(TABLE + text)], { pg: await loadPgParser() });
  const transactions = program.transactions.map((each) => ({
    ...each,
    parameters: each.parameters.map((parameter) =>
      parameter.name === "fee" ? { ...parameter, isSetting: true as const } : parameter,
    ),
  }));
  return { ...program, transactions };
}

async function fees(program: Program): Promise<readonly unknown[]> {
  const { anomalies } = await analyseProgram(program, "postgres:read-committed", 2);
  assert.ok(anomalies.length > 0);
  return anomalies.flatMap(({ witness }) => [
    new Set(witness.instances.map((each) => each.arguments["fee"])).size,
  ]);
}

test("a setting is the same in all instances, also of different transactions", async () => {
  const all = await fees(await withSetting(take("one") + take("other")));
  assert.deepEqual(
    all,
    all.map(() => 1),
  );
});

test("a setting differs where only that makes an anomaly", async () => {
  const text = `-- @transaction low
BEGIN; UPDATE account SET balance = balance + 1 WHERE id = :id AND :fee < 5; COMMIT;
-- @transaction high
BEGIN; SELECT balance FROM account WHERE id = :id AND :fee > 5; SELECT balance FROM account WHERE id = :id AND :fee > 5; COMMIT;
`;
  const all = await fees(await withSetting(text));
  assert.deepEqual(
    all,
    all.map(() => 2),
  );
});
