// A workspace of code reads after edits as its texts do to a reader that has never seen them: transactions, notes
// and places, to the byte. So it does to a reader that finds on disk what another one has kept of earlier texts.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { CodeParsers } from "../../../../server/src/frontend/code/workspace/codeParsers";
import { withOutsideFunctions } from "../../../../server/src/frontend/code/roots/externalFunctions";
import type { PgParser } from "../../../../server/src/frontend/sql/pg/pgParser";
import { createWorkspaceCode } from "../../../../server/src/frontend/code/workspace/workspaceCode";
import { createDialectReader } from "../../../../server/src/frontend/sql/dialectDetection/dialectsOf";
import { createReader } from "../../../../server/src/frontend/sql/readProgram";
import type { FileId } from "../../../../server/src/protocol/source";
import {
  createProjectReader,
  type ProjectReader,
  type ProjectTexts,
} from "../../../../server/src/service/readProject";
import { openReadings, type ReadingFiles } from "../../../../server/src/service/cache/readings";
import { DEFAULT_CONFIGURATION } from "../../../../server/src/workspace/configuration";
import { ownEntry } from "../../../../server/src/protocol/dictionary";

const RUNS = 20;

let parsers: { readonly code: CodeParsers; readonly pg: PgParser } | undefined;

const cache = fs.mkdtempSync(path.join(os.tmpdir(), "isolens-readings-"));

after(() => {
  fs.rmSync(cache, { recursive: true });
});

before(async () => {
  parsers = { code: await loadCodeParsers(), pg: await loadPgParser() };
});

type Texts = Readonly<Record<string, string>>;

function newReader(readings?: ReadingFiles): ProjectReader {
  assert.ok(parsers);
  return createProjectReader({ pg: parsers.pg }, parsers.code, readings);
}

function projectOf(texts: Texts, folder = "/workspace"): ProjectTexts {
  // File ids of tests.
  const files = Object.entries(texts).map(([file, text]) => ({ file: file as FileId, text }));
  return { folder, files, context: [], configuration: DEFAULT_CONFIGURATION };
}

function read(reader: ProjectReader, texts: Texts): string {
  return JSON.stringify(reader.read(projectOf(texts)), undefined, 1);
}

let folders = 0;

/** The answers of readers each of which has nothing but what the last one has kept. */
function createProcesses(): (texts: Texts) => { readonly said: string; readonly slices: number } {
  folders += 1;
  const own = path.join(cache, String(folders));
  return (texts) => {
    const project = projectOf(texts);
    const readings = openReadings({ folder: own, build: "test" });
    const reader = newReader(readings);
    const work = reader.reading(project);
    let slices = 1;
    let slice = work.next();
    for (; slice.done !== true; slice = work.next()) slices += 1;
    const program = slice.value;
    for (const _ of reader.keep(program, project) ?? []);
    assert.deepEqual(readings.takeNotes(), []);
    return { said: JSON.stringify(program, undefined, 1), slices };
  };
}

/** The same by who remembers nothing, not even within one reading, which goes over functions twice. */
function readFresh(texts: Texts): string {
  assert.ok(parsers);
  // File ids of tests.
  const files = Object.entries(texts).map(([file, text]) => ({ file: file as FileId, text }));
  const sql = files.filter(({ file }) => file.endsWith(".sql"));
  const rest = files.filter((each) => !sql.includes(each));
  const telling = createDialectReader();
  const { memory, dialect, ...code } = createWorkspaceCode(parsers.code).read(rest);
  assert.ok(memory);
  const usual = telling.told(sql) ?? dialect ?? telling.usual(sql);
  const program = createReader({ pg: parsers.pg }).read(
    sql,
    { dialect: undefined, usual },
    rest.length === 0 ? undefined : { ...code, dialect: dialect ?? usual },
  );
  return JSON.stringify(withOutsideFunctions(program), undefined, 1);
}

const WORKSPACE: Texts = {
  "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, owner int, balance int NOT NULL);",
  "src/db.ts": `import { Pool } from "pg";
export const pool = new Pool();
export const TABLE = "account";
const registry = {};
export function remember(value) { registry.last = value; return registry; }
export async function balanceOf(client, id) {
  const { rows } = await client.query("SELECT balance FROM account WHERE id = $1", [id]);
  return rows[0].balance;
}
export function idle(a) { return deeper(a); }
function deeper(a) { return a; }
`,
  "src/limits.ts": `import { TABLE } from "./db";
export const limit = pick(10);
function pick(most) { return most > 5 ? most : 5; }
export const total = "SELECT sum(balance) AS sum FROM " + TABLE;
export * from "./db";
`,
  "src/move.ts": `import { pool, balanceOf } from "./db";
import { limit, idle } from "./limits";
export async function move(from: number, to: number, amount: number) {
  await idle(from);
  const client = await pool.connect();
  await client.query("BEGIN");
  const before = await balanceOf(client, from);
  if (before < amount || amount > limit) throw new Error("no");
  await client.query("UPDATE account SET balance = $1 WHERE id = $2", [before - amount, from]);
  await client.query("UPDATE account SET balance = balance + $1 WHERE id = $2", [amount, to]);
  await client.query("COMMIT");
}
export const close = (id) => pool.query("DELETE FROM account WHERE id = $1", [id]);
export class Accounts {
  constructor(private readonly db: typeof pool) {}
  async close(id: number) { await pool.query("DELETE FROM account WHERE id = $1", [id]); }
}
`,
  "src/routes.ts": `import { pool, total, remember } from "./limits";
import { move } from "./move";
export function routes(app) {
  app.post("/move", async (req) => { await move(req.body.from, req.body.to, 3); });
  app.post("/close", async (req) => { await (await import("./move")).close(req.body.id); });
  app.get("/sum", async () => { remember(total); return (await pool.query(total)).rows[0].sum; });
}
function handler() {
  return async (id) => { await pool.query("DELETE FROM account WHERE owner = $1", [id]); };
}
export function first(app) { app.post("/one", handler()); }
export function second(app) { app.post("/two", handler()); }
export const later = () => pool.query("UPDATE " + remember("account").last + " SET owner = 1");
`,
};

const NAMES = Object.keys(WORKSPACE);

/** Texts of edits, mostly whole lines, so that the text stays a program more often than not. */
const LINES = [
  "",
  "// a remark",
  "const q = 1;",
  'export const TABLE = "account";',
  "export const limit = 3;",
  "async function extra(client) { await client.query('DELETE FROM account WHERE owner = 7'); }",
  // Decides whether what calls it by its name may come to use a database.
  "export function deeper(a) { return pool.query('DELETE FROM account WHERE id = 9'); }",
  'import { balanceOf as other } from "./db";',
  "export const again = (id) => other(pool, id);",
  "export async function twice(a: number) { await pool.query(`UPDATE account SET owner = ${a} WHERE id = 1`); }",
  "}",
];

const edit = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("line" as const),
      file: fc.nat(4),
      at: fc.nat(20),
      drop: fc.nat(1),
      line: fc.constantFrom(...LINES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("swap" as const),
      file: fc.nat(4),
      at: fc.nat(20),
      with: fc.nat(20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("cut" as const),
      file: fc.nat(4),
      at: fc.nat(900),
      drop: fc.nat(9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("number" as const), file: fc.nat(4), to: fc.nat(99) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("gone" as const), file: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("back" as const), file: fc.nat(4) }) },
);

type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never;

function edited(texts: Texts, change: Edit): Texts {
  const name = NAMES[change.file] ?? assert.fail();
  const text = ownEntry(texts, name);
  const others = Object.fromEntries(Object.entries(texts).filter(([each]) => each !== name));
  const original = ownEntry(WORKSPACE, name) ?? assert.fail();
  // Files keep their order, as listings have it.
  const put = (next: string): Texts =>
    Object.fromEntries(
      Object.entries({ ...others, [name]: next }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  if (change.kind === "back" || text === undefined) return put(original);
  if (change.kind === "gone") return others;
  const lines = text.split("\n");
  switch (change.kind) {
    case "line":
      lines.splice(change.at % lines.length, change.drop, change.line);
      return put(lines.join("\n"));
    case "swap": {
      const [line = ""] = lines.splice(change.at % lines.length, 1);
      lines.splice(change.with % (lines.length + 1), 0, line);
      return put(lines.join("\n"));
    }
    case "cut":
      return put(text.slice(0, change.at) + text.slice(change.at + change.drop));
    case "number":
      return put(text.replace(/\d+/u, String(change.to)));
    default:
      return change satisfies never;
  }
}

test("after any edits a workspace says what its texts alone say", () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
      const reader = newReader();
      const another = createProcesses();
      let texts = WORKSPACE;
      read(reader, texts);
      another(texts);
      for (const each of edits) {
        texts = edited(texts, each);
        const said = readFresh(texts);
        assert.equal(read(reader, texts), said);
        assert.equal(another(texts).said, said);
      }
    }),
    { numRuns: RUNS },
  );
});

/** The answers of one reader after each of the texts of a file, and those of readers that see them first. */
function assertSameAfter(file: string, before: Texts, ...texts: readonly string[]): void {
  const reader = newReader();
  const another = createProcesses();
  read(reader, before);
  another(before);
  for (const text of texts) {
    const now = { ...before, [file]: text };
    const said = readFresh(now);
    assert.equal(read(reader, now), said);
    assert.equal(another(now).said, said);
  }
}

test("what another process has kept is evaluated again only where its texts are others", () => {
  const another = createProcesses();
  const first = another(WORKSPACE);
  const again = another(WORKSPACE);
  assert.equal(again.said, first.said);
  const routes = `// moved\n${WORKSPACE["src/routes.ts"] ?? ""}`;
  const edited = another({ ...WORKSPACE, "src/routes.ts": routes });
  // A slice for each file that is parsed, and one for each function that is evaluated.
  const slices = [again, edited, first].map((each) => each.slices);
  assert.ok(again.slices < edited.slices && edited.slices < first.slices, slices.join());
});

test("what is kept while the next text is read already is of the text before", () => {
  folders += 1;
  const folder = path.join(cache, String(folders));
  const readings = openReadings({ folder, build: "test" });
  const reader = newReader(readings);
  const project = projectOf(WORKSPACE);
  const program = reader.read(project);
  const work = reader.keep(program, project);
  assert.ok(work);
  work.next();
  reader.read(projectOf({ ...WORKSPACE, "src/move.ts": `\n${WORKSPACE["src/move.ts"] ?? ""}` }));
  for (const _ of work);
  const later = newReader(openReadings({ folder, build: "test" }));
  assert.equal(read(later, WORKSPACE), readFresh(WORKSPACE));
});

test("a handler that did nothing so far is looked at again when what it calls does something", () => {
  const idle = "export async function close(id) {}\n";
  const busy = `import { pool } from "./db";
export async function close(id) { await pool.query("DELETE FROM account WHERE id = $1", [id]); }
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY);",
    "src/close.ts": idle,
    "src/db.ts": `import { Pool } from "pg";\nexport const pool = new Pool();\n`,
    "src/routes.ts": `import { pool } from "./db";
import { close } from "./close";
export function routes(app) {
  app.get("/all", async () => (await pool.query("SELECT id FROM account")).rows);
  app.post("/close", async (req) => { await close(req.body.id); });
}
`,
  };
  assertSameAfter("src/close.ts", before, busy, idle, busy);
});

test("a function that asks for all columns of a guessed table is looked at again when others name more of them", () => {
  const setter = (columns: string): string => `import { pool } from "./db";
export async function set(id) { await pool.query("UPDATE thing SET ${columns} WHERE id = $1", [id]); }
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, size int);",
    "src/db.ts": `import { Pool } from "pg";\nexport const pool = new Pool();\n`,
    "src/get.ts": `import { pool } from "./db";
export async function get(id) {
  const { rows } = await pool.query("SELECT * FROM thing WHERE id = $1", [id]);
  await pool.query("UPDATE account SET size = $1 WHERE id = $2", [rows[0].size, rows[0].owner]);
}
export async function joined(id) {
  return (await pool.query("SELECT size FROM thing, account WHERE owner = account.id", [])).rows;
}
`,
    "src/set.ts": setter("size = 1"),
  };
  const texts = ["size = 1, owner = 2", "owner = 2", "weight = 1", "size = 'much'"].map(setter);
  assertSameAfter("src/set.ts", before, ...texts, "", before["src/set.ts"]);
  const drops = ["size int", "size int, owner int", "owner text"].map(
    (columns) =>
      `CREATE TABLE account (id int PRIMARY KEY);\nCREATE TABLE thing (id int PRIMARY KEY, ${columns});`,
  );
  assertSameAfter("schema.sql", before, ...drops, before["schema.sql"], "");
});

test("what is told of a name at the top of a module is told by whoever uses it, read again or not", () => {
  const use = (more: string): string => `import { pool, all } from "./db";
export async function use(id) {
  await all;
  await pool.query("DELETE FROM account WHERE id = $1", [id]);${more}
}
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY);",
    "src/a.ts": use(""),
    "src/db.ts": `import { Pool } from "pg";
export const pool = new Pool();
export const all = pool.query("SELEC id FROM account");
`,
    "src/z.ts": use("").replace("function use", "function later"),
  };
  assert.match(readFresh(before), /"code": "syntax"/u);
  const texts = ["\n  return id;", " // more", ""].map(use);
  assertSameAfter("src/a.ts", before, ...texts);
  assertSameAfter("src/z.ts", before, ...texts);
});

test("functions that others lead to are theirs whichever file is edited", () => {
  const db = `import { Pool } from "pg";
export const pool = new Pool();
export function remove(id) { return async () => { await pool.query("DELETE FROM account WHERE id = $1", [id]); }; }
`;
  const route = (path: string): string => `import { remove } from "./db";
export function ${path}(app) { app.post("/${path}", remove(1)); }
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY);",
    "src/a.ts": route("one"),
    "src/b.ts": route("two"),
    "src/db.ts": db,
  };
  const none = "export function one(app) {}\n";
  assertSameAfter("src/a.ts", before, none, route("one"), "", route("other"));
  assertSameAfter("src/b.ts", before, none, route("two"));
  assertSameAfter("src/db.ts", before, `\n${db}`, db.replace("account", "accounts"), db);
});

test("a handler is looked at again when only the schema of its input is another", () => {
  const router = (owner: string): string => `import { procedure } from "elsewhere";
import { z } from "zod";
import { pool } from "./db";
export const set = procedure.input(z.object({ owner: ${owner} })).mutation(async ({ input }) => {
  const { owner } = { owner: 1, ...input };
  await pool.query("UPDATE account SET owner = $1", [owner]);
});
`;
  const before = { ...WORKSPACE, "src/router.ts": router("z.number()") };
  const texts = [router("z.number().optional()"), router("z.number().nullish()")];
  assertSameAfter("src/router.ts", before, ...texts, router("z.number()"));
  assert.notEqual(readFresh(before), readFresh({ ...before, "src/router.ts": texts[0] ?? "" }));
});

test("what lives on at the top of a module is what others put there now", () => {
  const setter = (first: string, made: string, last = ""): string => `import { pool } from "./db";
import { Config } from "./config";
let store: any;
export function start() {
  ${first}
  store = makeStore({ take: (id) => pool.query("UPDATE account SET size = 1 WHERE id = $1", [id]) }${made});
${last}}
const makeStore = (of) => of;
export async function take(id) { await store.take(id); }
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, size int);",
    "src/config.ts": "export class Config { static most = 4; }\n",
    "src/db.ts": `import { Pool } from "pg";\nexport const pool = new Pool();\n`,
    "src/set.ts": setter("", ""),
    "src/use.ts": `import { pool } from "./db";
import { Config } from "./config";
export async function use(id) {
  await pool.query("UPDATE account SET size = $1 WHERE id = $2", [Config.most, id]);
}
`,
  };
  assert.match(readFresh(before), /UPDATE|update/u);
  const texts = [
    setter("Config.most = 5;", ""),
    setter("\n\n", ""),
    setter("const pool = 1;", ""),
    setter("", ", 1"),
    // Moved within its statement, by which nothing else moves.
    setter("\n", ""),
    setter("", "", "\n"),
  ];
  assertSameAfter("src/set.ts", before, ...texts, before["src/set.ts"]);
  const fill = (work: string): string => `export function fill(to, id) { ${work} }\n`;
  const filled = {
    ...before,
    "src/fill.ts": fill("return to.length;"),
    "src/list.ts": `import { pool } from "./db";
import { fill } from "./fill";
export class Jobs {
  private list: number[] = [];
  later(id: number) { fill(this.list, id); }
  async run(id: number) { if (this.list.length === 0) await pool.query("DELETE FROM account WHERE id = $1", [id]); }
}
`,
  };
  const [pushing, plain] = [fill("to.push(id);"), filled["src/fill.ts"]];
  assert.notEqual(readFresh(filled), readFresh({ ...filled, "src/fill.ts": pushing }));
  assertSameAfter("src/fill.ts", filled, pushing, plain, `\n${pushing}`, plain);
  const asks = filled["src/list.ts"];
  assertSameAfter("src/list.ts", { ...filled, "src/fill.ts": pushing }, asks.replace("fill(this", "void(this"), asks); // prettier-ignore
});

test("a long function that led to no database is followed once something far behind it does", () => {
  const lines = Array.from({ length: 60 }, (_, at) => `  y += x.p${String(at)} > 1 ? x.q : 1;`);
  const idle = "export const tell = (n) => n;\n";
  const busy = `import { pool } from "./db";
export const tell = (n) => pool.query("UPDATE account SET size = $1", [n]);
`;
  const before = {
    "schema.sql": "CREATE TABLE account (id int PRIMARY KEY, size int);",
    "src/db.ts": `import { Pool } from "pg";\nexport const pool = new Pool();\n`,
    "src/tell.ts": idle,
    "src/far.ts": `import { tell } from "./tell";\nexport function told(n) { return tell(n); }\n`,
    "src/long.ts": `import { told } from "./far";
export function long(x) {
  let y = 0;
${lines.join("\n")}
  return told(y);
}
`,
    "src/use.ts": `import { pool } from "./db";
import { long } from "./long";
export async function use(id, x) {
  await pool.query("DELETE FROM account WHERE id = $1", [id]);
  await long(x);
}
`,
  };
  assert.notEqual(readFresh(before), readFresh({ ...before, "src/tell.ts": busy }));
  assertSameAfter("src/tell.ts", before, busy, idle, busy);
});
