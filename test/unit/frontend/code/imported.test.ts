// Imports between files: tables that these declare, functions under whatever names.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { FileId } from "../../../../server/src/protocol/source";
import { createProjectReader } from "../../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import { transactionsOf } from "./codePrograms";
import { printed } from "./prismaPrograms";

it("has the tables that the files declare that it imports, but not what these do", async () => {
  // The one place where names become ids.
  const id = (name: string): FileId => name as FileId;
  const texts: Readonly<Record<string, string>> = {
    "a.ts": `import { drizzle } from "drizzle-orm/node-postgres";
import { seats } from "./all";
const db = drizzle("");
export async function take(room: number) {
  const all = await db.$count(seats);
  if (all < 3) await db.insert(seats).values({ room });
}`,
    "all.ts": 'export * from "./tables";',
    "tables.ts": `import { integer, pgTable, serial } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/node-postgres";
export const seats = pgTable("seats", { id: serial("id").primaryKey(), room: integer("room") });
export const clear = () => drizzle("").delete(seats);`,
  };
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  const { transactions, schema, notes } = reader.read({
    files: [{ file: id("a.ts"), text: texts["a.ts"] ?? "" }],
    context: [],
    configuration: DEFAULT_CONFIGURATION,
    code: {
      files: Object.keys(texts).map(id),
      text: (file) => ownEntry(texts, file),
      packages: [],
      pathMaps: [],
      digest: () => "",
    },
  });
  assert.deepEqual(
    transactions.map((each) => each.id),
    ["take"],
  );
  assert.deepEqual(
    schema.tables.map(({ name, primaryKey, inferred }) => [name, primaryKey, inferred]),
    [["seats", ["id"], false]],
  );
  assert.deepEqual(notes, []);
});

const DDL =
  "CREATE TABLE accounts (id int PRIMARY KEY); CREATE TABLE lines (id int PRIMARY KEY, item int);";

describe("functions of other modules are followed", () => {
  it("which are asked for when they are needed", async () => {
    const text = `import { Pool } from "pg";
const pool = new Pool();
export async function f(id) {
  await pool.query("DELETE FROM accounts WHERE id = $1", [id]);
  const { put } = await import("./put");
  await put(id);
}
export const g = (id) => import("./put").then((m) => m.default(id));
export async function h(id) {
  const { put } = require("./put");
  await put(id);
}
export async function either(id, name) {
  const words = await import(\`./words/\${name}.json\`);
  const { run } = await import(\`./jobs/\${name}\`);
  await pool.query("DELETE FROM accounts WHERE id = $1", [words.default[id]]);
  await run(id);
}`;
    const put = `import { Pool } from "pg";
const pool = new Pool();
export const put = (id) => pool.query("UPDATE lines SET item = 1 WHERE id = $1", [id]);
export default (id) => pool.query("UPDATE lines SET item = 2 WHERE id = $1", [id]);`;
    assert.deepEqual(printed(await transactionsOf(DDL, { "a.ts": text, "put.ts": put })), [
      "f unit",
      "  delete accounts where (accounts.id = :id)",
      "  update lines set item = 1 where (lines.id = :id)",
      "g autocommit",
      "  update lines set item = 2 where (lines.id = :id)",
      "  return",
      "h autocommit",
      "  update lines set item = 1 where (lines.id = :id)",
      "either autocommit",
      '  delete accounts where (accounts.id = unknown(:id, code:import((("./words/" || :name) || ".json"))))',
      "  ! which module is asked for is not known",
      "  ! an element by a computed key is not known",
    ]);
  });

  it("by whatever name", async () => {
    const texts = {
      "put.js": `const { Pool } = require("pg");
const pool = new Pool();
module.exports = async (id) => { await pool.query("UPDATE lines SET item = 1 WHERE id = $1", [id]); };`,
      "all.ts": `import { Pool } from "pg";
const pool = new Pool();
async function take(id) { await pool.query("UPDATE lines SET item = 2 WHERE id = $1", [id]); }
export default async function main(id) { await pool.query("UPDATE lines SET item = 3 WHERE id = $1", [id]); }
export { take as fetched };
export const held = { get: take };
export const same = take;
export const bound = take.bind(undefined);
export const make = () => { async function inner(id) { await take(id); } return { outer: inner }; };`,
      "again.ts": 'export { default as first } from "./all";',
      "a.js": 'const set = require("./put");\nexports.whole = (id) => set(id);',
      "b.ts": `import other, { fetched as mine, held, same, bound, make } from "./all";
import { first } from "./again";
export const renamed = (id) => mine(id);
export const byDefault = (id) => other(id);
export const reExported = (id) => first(id);
export const ofRecord = (id) => held.get(id);
export const assigned = (id) => same(id);
export const withThis = (id) => bound(id);
export const made = (id) => make().outer(id);
export const takenOut = (ids) => { const { get: one } = held; return Promise.all(ids.map((id) => one(id))); };
export const handed = (ids) => { const one = held.get; return Promise.all(ids.map(one)); };
export const asked = async (id) => { const { default: send } = await import("./all"); await send(id); };`,
    };
    const found = (await transactionsOf(DDL, texts)).map(({ name }) => name);
    assert.deepEqual(found, [
      "exports.whole",
      "renamed",
      "byDefault",
      "reExported",
      "ofRecord",
      "assigned",
      "withThis",
      "made",
      "takenOut",
      "handed",
      "asked",
    ]);
  });
});
