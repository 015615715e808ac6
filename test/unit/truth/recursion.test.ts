// Functions that call themselves: followed once within themselves, and what lies deeper is never called safe.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import type { LevelReport } from "../../../server/src/protocol/report";
import { createProjectReader } from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { analyseProgram, sql, verdicts } from "./analyse";

const SCHEMA = "CREATE TABLE folder (id int PRIMARY KEY, parent int, n int NOT NULL);";
const POOL = `import { Pool } from "pg";
const pool = new Pool();
const childrenOf = async (id) => (await pool.query("SELECT id FROM folder WHERE parent = $1", [id])).rows;
const rename = async (id) => { await pool.query("UPDATE folder SET parent = 1 WHERE id = $1", [id]); };
async function count(id) {
  const { rows } = await pool.query("SELECT n FROM folder WHERE id = $1", [id]);
  await pool.query("UPDATE folder SET n = $1 WHERE id = $2", [rows[0].n + 1, id]);
}
`;

async function analyse(code: string): Promise<LevelReport> {
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  const files = [sql(SCHEMA, "schema.sql"), sql(POOL + code, "folder.ts")];
  const program = reader.read({ files, context: [], configuration: DEFAULT_CONFIGURATION });
  return analyseProgram(program, "postgres:read-committed", 2);
}

const DEEPER = "deeper calls of walk() within itself are not searched";
const reasons = ({ unknown }: LevelReport): readonly string[] =>
  unknown.map(({ reason }) => reason);

/** True if what lies deeper stands against the function that gets there. */
const isOpen = ({ unknown }: LevelReport): boolean =>
  unknown.some(
    ({ reason, transactions }) =>
      /deeper calls of \w+\(\) within itself/u.test(reason) && transactions.includes("countAtLast"),
  );

describe("a function that calls itself", () => {
  it("is followed within itself, with what it is given there", async () => {
    const report = await analyse(`async function walk(id, depth) {
  if (depth > 0) { await count(id); return; }
  for (const child of await childrenOf(id)) await walk(child.id, depth + 1);
}
export async function countChildren(id: number) { await walk(id, 0); }`);
    assert.deepEqual(verdicts(report).length, 1);
    assert.ok(!reasons(report).includes(DEEPER));
  });

  it("leaves open what lies deeper, and no more", async () => {
    const report = await analyse(`async function walk(id) {
  for (const child of await childrenOf(id)) await walk(child.id);
}
export async function walkAndCount(id: number) { await walk(id); await count(id); }`);
    const own = report.anomalies.filter(({ transactions }) => !transactions.includes("rename"));
    assert.deepEqual(
      own.map(({ status, transactions }) => [status, ...new Set(transactions)]),
      [["confirmed", "walkAndCount"]],
    );
    assert.ok(reasons(report).includes(DEEPER));
  });

  it("is not safe for what only a deeper call does", async () => {
    const report = await analyse(`async function walk(id, left) {
  if (left > 0) await walk(id, left - 1);
  else await count(id);
}
export async function countAtLast(id: number) { await rename(id); await walk(id, 5); }`);
    assert.ok(isOpen(report));
  });

  it("is not safe where another function lies between", async () => {
    const report =
      await analyse(`async function walk(id, left) { if (left <= 0) await count(id); else await over(id, left); }
async function over(id, left) { await walk(id, left - 1); }
export async function countAtLast(id: number) { await rename(id); await walk(id, 5); }`);
    assert.ok(isOpen(report));
  });

  it("is not safe where its failures are handled", async () => {
    const report = await analyse(`async function walk(id, left) {
  try { if (left > 0) return await walk(id, left - 1); } catch { return false; }
  await count(id);
  return true;
}
export async function countAtLast(id: number) { await rename(id); return await walk(id, 5); }`);
    assert.ok(isOpen(report));
  });
});
