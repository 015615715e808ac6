// Reading in slices: others get their turn, and a reading that is stopped anywhere tells a part of the whole, says what is
// missing, and leaves nothing behind that a later reading could go wrong by.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { atOnce } from "../../../server/src/frontend/code/slices";
import {
  createProjectReader,
  type ProjectReader,
  type ProjectTexts,
} from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { openTestSession } from "./testSession";

let newReader: () => ProjectReader;

before(async () => {
  const [pg, code] = [await loadPgParser(), await loadCodeParsers()];
  newReader = () => createProjectReader({ pg }, code);
});

function project(texts: Readonly<Record<string, string>>) {
  // File ids of tests.
  const files = Object.entries(texts).map(([file, text]) => ({ file: file as FileId, text }));
  return { folder: "/workspace", files, context: [], configuration: DEFAULT_CONFIGURATION };
}

const HEAD = `import { pool, helper } from "./db";\n`;
const TAKE = (name: string): string => `export async function ${name}(id: number, amount: number) {
  const client = await pool.connect();
  await client.query("BEGIN");
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  for (const row of rows) if (row.balance < amount) throw new Error("no");
  await helper(client, id, amount);
  await client.query("COMMIT");
}
`;

const WORKSPACE = project({
  "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
  "src/db.ts": `import { Pool } from "pg";
export const pool = new Pool();
export async function helper(client, id, amount) {
  await client.query("UPDATE account SET balance = balance - $1 WHERE id = $2", [amount, id]);
}
export async function alone(id) { await pool.query("DELETE FROM account WHERE id = $1", [id]); }
`,
  ...Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [
      `src/${name}.ts`,
      HEAD + TAKE(`${name}1`) + TAKE(`${name}2`),
    ]),
  ),
});

function stoppedAfter(reader: ProjectReader, of: ProjectTexts, times: number): Program {
  let asked = 0;
  return atOnce(
    reader.reading(of, () => {
      asked += 1;
      return asked > times;
    }),
  );
}

test("a reading that is stopped anywhere is a part of the whole one, and says so", () => {
  const whole = newReader().read(WORKSPACE);
  const expected = JSON.stringify(whole);
  const known = new Map(whole.transactions.map((each) => [each.id, JSON.stringify(each)]));
  assert.equal(known.size, 9);
  const counts = new Set<number>();
  for (let times = 0; ; times += 1) {
    const reader = newReader();
    const program = stoppedAfter(reader, WORKSPACE, times);
    if (program.unread === undefined) {
      assert.equal(JSON.stringify(program), expected);
      break;
    }
    counts.add(program.transactions.length);
    for (const each of program.transactions) assert.equal(JSON.stringify(each), known.get(each.id));
    const gaps = program.notes.filter(({ code }) => code === "code-unread");
    assert.match(
      gaps[0]?.message ?? "",
      /^Reading was stopped: \d of 5 files of code were read\./u,
    );
    assert.equal(gaps.length, 1);
    assert.ok(program.unread.every((file) => !program.files.includes(file)));
    // What was kept on the way is right.
    assert.equal(JSON.stringify(reader.read(WORKSPACE)), expected);
  }
  assert.ok(counts.size > 3, [...counts].join());
});

test("a function that something unread may call is not told of as if it ran alone", () => {
  const of = project({
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
    "src/a.ts": `import { Pool } from "pg";
export const pool = new Pool();
export async function add(client) { await client.query("UPDATE account SET balance = balance + 1"); }
export async function other(client) { await client.query("UPDATE account SET balance = 0"); }
`,
    "src/b.ts": `import { add, pool } from "./a";
export async function both() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await add(client);
  await add(client);
  await client.query("COMMIT");
}
`,
  });
  const names = (program: Program): string => program.transactions.map(({ name }) => name).join();
  assert.equal(names(newReader().read(of)), "other,both");
  const seen = new Set<string>();
  for (let times = 0; ; times += 1) {
    const program = stoppedAfter(newReader(), of, times);
    if (program.unread === undefined) break;
    seen.add(names(program));
  }
  assert.deepEqual([...seen].toSorted(), ["", "other"]);
});

/** Takes many slices. */
function large(): ProjectTexts {
  const files = Array.from({ length: 60 }, (_, at): readonly [string, string] => [
    `src/part${String(at)}.ts`,
    HEAD + Array.from({ length: 12 }, (__, n) => TAKE(`take${String(at)}_${String(n)}`)).join(""),
  ]);
  const more = project(Object.fromEntries(files));
  return { ...more, files: [...WORKSPACE.files, ...more.files] };
}

test("others get their turn while a session reads, and an abort ends it with what was read", async () => {
  const session = await openTestSession();
  try {
    const controller = new AbortController();
    let turns = 0;
    const told: number[] = [];
    const timer = setInterval(() => (turns += 1), 0);
    const check = await session.checkWorkspace({ project: large() }, controller.signal, {
      reading: (done, total) => {
        assert.equal(total, 65);
        told.push(done);
        // Some were read, and most were not.
        if (done > 2) controller.abort();
      },
    });
    clearInterval(timer);
    assert.ok(turns > 0);
    assert.deepEqual(
      told,
      told.toSorted((a, b) => a - b),
    );
    assert.equal(check.report.verdict, "cancelled");
    assert.ok(check.report.transactions.length > 0);
    assert.ok(check.report.unknown.some(({ reason }) => reason.startsWith("Reading was stopped")));
    const skipped = check.files.filter(
      ({ skipped }) => skipped === "reading was stopped before it",
    );
    assert.ok(skipped.length > 30);
  } finally {
    await session.dispose();
  }
});

test("a budget ends reading; what was read is checked, and the whole is not called safe", async () => {
  const session = await openTestSession();
  try {
    const { signal } = new AbortController();
    const check = await session.checkWorkspace({ project: large(), budget: 1 }, signal);
    assert.equal(check.report.verdict, "unknown");
    assert.equal(check.repeatable, false);
    assert.ok(check.report.unknown.some(({ reason }) => reason.startsWith("Reading was stopped")));
  } finally {
    await session.dispose();
  }
});
