// Reading in slices: others get their turn, and a reading that is stopped anywhere tells a part of the whole, says what is
// missing, and leaves nothing behind that a later reading could go wrong by.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { atOnce } from "../../../server/src/frontend/code/queries/slices";
import {
  createProjectReader,
  type ProjectReader,
  type ProjectTexts,
} from "../../../server/src/service/readProject";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import { trapText } from "../../support/trapText";
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

const WORKSPACE_CODE = {
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
};

const SCHEMA = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

const WORKSPACE = project({ "schema.sql": SCHEMA, ...WORKSPACE_CODE });

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
    // The anomalies that were kept on the way are right.
    assert.equal(JSON.stringify(reader.read(WORKSPACE)), expected);
  }
  assert.ok(counts.size > 3, [...counts].join());
});

test("a function that something unread may call is not told of as if it ran alone", () => {
  const of = project({
    "schema.sql": SCHEMA,
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

/** So many files that something is told of some of them before all are read. */
const OTHERS = Object.fromEntries(
  Array.from({ length: 10 }, (_, at) => [
    `src/z${String(at)}.ts`,
    `${HEAD}${TAKE(`z${String(at)}`)}`,
  ]),
);

/** The findings of a file before others are read; `most`: of how many others parts are read for that. */
function earlyOf(of: ProjectTexts, file: string, most: number): Program {
  const program = atOnce(newReader().early(of, { files: [file as FileId], most }));
  assert.ok(program);
  return program;
}

test("what is told of any file before others are read is a part of the whole, which stays as it is", () => {
  const of = { ...WORKSPACE, files: [...WORKSPACE.files, ...project(OTHERS).files] };
  const whole = newReader().read(of);
  const known = new Map(whole.transactions.map((each) => [each.id, JSON.stringify(each)]));
  const reader = newReader();
  for (const { file } of of.files) {
    const program = atOnce(reader.early(of, { files: [file], most: 100 }));
    assert.ok(program);
    const names = program.transactions.map(({ name }) => name);
    const own = whole.transactions.filter(({ source }) => source.file === file);
    for (const { name } of own) assert.ok(names.includes(name), name);
    for (const each of program.transactions) assert.equal(JSON.stringify(each), known.get(each.id));
    assert.ok(program.notes.some(({ code }) => code === "code-unread"));
    assert.ok((program.unread?.length ?? 0) > 0);
  }
  assert.equal(JSON.stringify(reader.read(of)), JSON.stringify(whole));
  // From now on an edit is what is read, and that is soon done.
  assert.equal(atOnce(reader.early(of, { files: ["src/a.ts" as FileId], most: 100 })), undefined);
});

test("what others may call is not told of before these are read, by whatever name they call it", () => {
  const helper = `import { Pool } from "pg";
export const pool = new Pool();
export async function add(client) { await client.query("UPDATE account SET balance = balance + 1"); }
`;
  const within = (call: string): string => `export async function both() {
  const client = await pool.connect();
  await client.query("BEGIN");
  ${call}
  await client.query("COMMIT");
}
`;
  const callers = {
    named: `import { add, pool } from "./a";\n${within("await add(client);")}`,
    renamed: `import { add as more, pool } from "./a";\n${within("await more(client);")}`,
    all: `import * as a from "./a";\nconst { pool } = a;\n${within("await a.add(client);")}`,
    indexed: `import * as a from "./a";\nconst { pool } = a;\n${within('await a["add"](client);')}`,
    taken: `import * as a from "./a";\nconst { pool, add: more } = a;\n${within("await more(client);")}`,
    given: `import { add, pool } from "./a";\nconst all = [add];\n${within("for (const each of all) await each(client);")}`,
    main: `import more, { pool } from "./a";\n${within("await more(client);")}`,
    record: `import { api, pool } from "./a";\n${within("await api.more(client);")}`,
  };
  const more = { main: "export default add;\n", record: "export const api = { more: add };\n" };
  const names = (program: Program): string => program.transactions.map(({ name }) => name).join();
  for (const [kind, text] of Object.entries(callers)) {
    const own = helper + (kind === "main" || kind === "record" ? more[kind] : "");
    const of = project({ "schema.sql": SCHEMA, "src/a.ts": own, "src/b.ts": text, ...OTHERS });
    assert.match(names(newReader().read(of)), /^both,z0/u, kind);
    assert.equal(names(earlyOf(of, "src/a.ts", 0)), "", kind);
    assert.equal(names(earlyOf(of, "src/a.ts", 100)), "both", kind);
  }
});

test("what a third file gives another name, or may be called without a connection, is not told of early", () => {
  const files = {
    "schema.sql": SCHEMA,
    "src/a.ts": `import { Pool } from "pg";
export const pool = new Pool();
export async function add(client) { await client.query("UPDATE account SET balance = balance + 1"); }
export async function move(id: number, tx?: Pool) {
  const client = tx ?? pool;
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  await client.query("UPDATE account SET balance = $1", [rows[0].balance]);
}
`,
    "src/b.ts": `import { add } from "./a";\nexport const api = { more: add };\n`,
    "src/c.ts": `import { move, pool } from "./a";
import { api } from "./b";
export async function both() {
  const client = await pool.connect();
  await client.query("BEGIN");
  await api.more(client);
  await client.query("COMMIT");
  await move(1);
}
`,
  };
  const of = project({ ...files, ...OTHERS });
  const names = (program: Program): string => program.transactions.map(({ name }) => name).join();
  assert.match(names(newReader().read(of)), /^both,z0/u);
  assert.equal(names(earlyOf(of, "src/a.ts", 0)), "");
  assert.equal(names(earlyOf(of, "src/a.ts", 100)), "both");
});

test("what is inherited is read with those who inherit it", () => {
  const of = project({
    "schema.sql": SCHEMA,
    "src/a.ts": `import { Pool } from "pg";
export const pool = new Pool();
export async function add(client) { await client.query("UPDATE account SET balance = balance + 1"); }
`,
    "src/base.ts": `import { pool } from "./a";
export abstract class Base {
  async run() {
    const client = await pool.connect();
    await client.query("BEGIN");
    await this.step(client);
    await client.query("COMMIT");
  }
  abstract step(client);
}
`,
    "src/heir.ts": `import { add } from "./a";
import { Base } from "./base";
export class Heir extends Base {
  async step(client) { await add(client); }
}
`,
    ...OTHERS,
  });
  const whole = newReader()
    .read(of)
    .transactions.map((each) => JSON.stringify(each));
  const told = [0, 1, 2, 100].map((most) => {
    const { transactions } = earlyOf(of, "src/a.ts", most);
    for (const each of transactions) assert.ok(whole.includes(JSON.stringify(each)), each.name);
    return transactions.length;
  });
  assert.ok((told.at(-1) ?? 0) > 0, told.join());
});

test("tables that nothing declares are not guessed by some of the files", () => {
  const of = project({ ...WORKSPACE_CODE, ...OTHERS });
  assert.equal(newReader().read(of).transactions.length, 19);
  assert.deepEqual(earlyOf(of, "src/a.ts", 100).transactions, []);
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

test("what is found in a file that somebody looks at is told while others are read, and a stop keeps it", async () => {
  const session = await openTestSession();
  try {
    const controller = new AbortController();
    const isPart: boolean[] = [];
    const found: string[] = [];
    const first = ["src/part59.ts" as FileId, "src/gone.ts" as FileId];
    const check = await session.checkWorkspace({ project: large(), first }, controller.signal, {
      read: ({ unread }) => isPart.push(unread !== undefined),
      found: ({ id }) => {
        found.push(id);
        controller.abort();
      },
    });
    assert.ok(isPart.length > 0 && isPart.every(Boolean));
    const { report } = check;
    assert.equal(report.verdict, "anomaly");
    assert.ok(report.anomalies.some(({ id }) => id === found[0]));
    const places = new Map(report.transactions.map(({ name, file }) => [name, file]));
    for (const { transactions } of report.anomalies) {
      for (const name of transactions) assert.equal(places.get(name), "src/part59.ts");
    }
    assert.ok(report.unknown.some(({ reason }) => reason === "cancelled"));
    assert.ok(report.unknown.some(({ reason }) => reason.startsWith("Reading was stopped")));
  } finally {
    await session.dispose();
  }
});

test("a check that tells of open files first ends as one that does not", async () => {
  const table = (at: number): string => `account${String(at)}`;
  const taking = (at: number): string =>
    TAKE("take")
      .replace("FROM account", `FROM ${table(at)}`)
      .replace("helper(client", `helper(client, "${table(at)}"`);
  const quiet = (at: number): string =>
    `export const add = (id: number) => helper(pool, "${table(at)}", id, 1);\n`;
  const all = Array.from({ length: 12 }, (_, at) => at);
  const of = project({
    "schema.sql": all.map((at) => SCHEMA.replace("account", table(at))).join(";\n"),
    "src/db.ts": `import { Pool } from "pg";
export const pool = new Pool();
export async function helper(client, table, id, amount) {
  await client.query(\`UPDATE \${table} SET balance = balance - $1 WHERE id = $2\`, [amount, id]);
}
`,
    ...Object.fromEntries(
      all.map((at) => [
        `src/account${String(at)}.ts`,
        HEAD + (at === 7 || at === 11 ? taking(at) : quiet(at)),
      ]),
    ),
  });
  const outcome = async (first: readonly string[]): Promise<readonly unknown[]> => {
    const session = await openTestSession();
    const parts: (number | undefined)[] = [];
    try {
      const { signal } = new AbortController();
      const asked = {
        project: of,
        first: first.map((file) => file as FileId),
        // A slow machine must not end it.
        budget: 1_000_000,
        maxTransactions: 2,
      };
      const check = await session.checkWorkspace(asked, signal, {
        read: ({ unread }) => parts.push(unread?.length),
      });
      const { report, program, remarks, suppressions, files, repeatable } = check;
      // Of the open files alone, and of all.
      assert.equal(parts.length > 1, first.length > 0);
      assert.equal(parts.at(-1), undefined);
      assert.ok(parts.slice(0, -1).every((count) => count === 13 - first.length));
      assert.equal(
        report.anomalies.length,
        2,
        JSON.stringify(program.transactions.map((e) => e.id)),
      );
      return [report, program, remarks, suppressions, files, repeatable];
    } finally {
      await session.dispose();
    }
  };
  const usual = await outcome([]);
  assert.deepEqual(await outcome(["src/account11.ts", "src/account7.ts"]), usual);
});

test("a file that traps its parser is named, and all others are read", async () => {
  const others = {
    "db.ts": `import { Pool } from "pg";\nexport const pool = new Pool();\nexport const helper = async (client: any, id: number, amount: number) => client.query("UPDATE account SET balance = balance - $2 WHERE id = $1", [id, amount]);\n`,
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);",
    "z.ts": HEAD + TAKE("take"),
  };
  const whole = newReader().read(project(others));
  const traps = { "a.ts": trapText("first"), "b.ts": trapText("second") };
  const reading = newReader().reading(project({ ...others, ...traps }));
  let slice = reading.next();
  for (; slice.done !== true; slice = reading.next()) await new Promise(setImmediate);
  const program = slice.value;
  assert.deepEqual(program.transactions, whole.transactions);
  const unread = program.notes.filter(({ code }) => code === "code-unread");
  assert.deepEqual(unread.map(({ source }) => source.file).toSorted(), ["a.ts", "b.ts"]);
});
