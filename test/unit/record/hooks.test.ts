// The hooks' effect on an application: its statements get a comment, and nothing else of them changes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { withHooks, type OwnHooks } from "../../../server/src/record/hooks/hooks";

const HOOKS = path.resolve(__dirname, "../../../server/hooks");

/** Hooks without a file. */
const NONE: OwnHooks = { jar: "/my hooks/isolens.jar", close: () => undefined };

test("a folder with spaces stands where spaces may stand", () => {
  const env = withHooks(
    { RUBYOPT: "-w", GOFLAGS: "-v" },
    { folder: "/my hooks", root: "/app", own: { ...NONE, overlay: "/my hooks/overlay.json" } },
  );
  assert.equal(env["RUBYOPT"], "-risolens_record -w");
  assert.equal(env["RUBYLIB"], "/my hooks");
  assert.equal(env["NODE_OPTIONS"], '--require "/my hooks/node.cjs"');
  assert.equal(env["JAVA_TOOL_OPTIONS"], '"-javaagent:/my hooks/isolens.jar"');
  assert.equal(env["GOFLAGS"], '-v -count=1 "-overlay=/my hooks/overlay.json"');
});

/** A client that says what it is given. */
const CLIENT = `exports.prototype = {};
class Client { query(config) { console.log(config.name, config.text ?? config); } }
module.exports = Client;`;
const APPLICATION = `const Client = require("pg/lib/client.js");
function work() {
  const client = new Client();
  client.query("SELECT 1");
  client.query({ name: "a", text: "SELECT 2" });
  const query = { name: "b", text: "SELECT 3", submit() {} };
  client.query(query);
  client.query(query);
}
work();`;

/** Lines of an application whose libraries are these, by their paths below `node_modules`. */
function printed(
  libraries: Readonly<Record<string, string>>,
  application: string,
  main = "shop.js",
) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "isolens-hooks-")));
  for (const [name, text] of Object.entries(libraries)) {
    const file = path.join(root, "node_modules", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(path.join(root, main), application);
  const env = withHooks(
    { PATH: ownEntry(process.env, "PATH") },
    { folder: HOOKS, root, own: NONE },
  );
  const run = spawnSync(process.execPath, [main], {
    cwd: root,
    env: { ...env },
    encoding: "utf8",
  });
  rmSync(root, { recursive: true });
  return { lines: run.stdout.trim().split("\n"), stderr: run.stderr };
}

test("Node.js: statements with names are sent without, since their texts differ", () => {
  const { lines, stderr } = printed({ "pg/lib/client.js": CLIENT }, APPLICATION);
  const work = (line: number): string => `/*isolens:shop.js:${String(line)}:work;shop.js:4:work;`;
  assert.deepEqual(
    lines.map((line) => line.replace(/;\d+\*\/$/, ";")),
    [4, 5, 7, 7].map((line, at) => `undefined SELECT ${String(Math.min(at + 1, 3))}${work(line)}`),
    stderr,
  );
});

/** A library over a driver that asks for a connection at once, and sends its statements later. */
function libraries(client: string, pool: string, ask: string) {
  const own = `class Pool { async ${ask}() { return new (require("${client}"))(); } }
module.exports = Pool;`;
  const orm = `const Pool = require("${pool}");
exports.run = async (...texts) => {
  const client = await new Pool().${ask}();
  for (const text of texts) await client.query(text);
};`;
  return { [client]: CLIENT, [pool]: own, "orm/index.js": orm };
}
const CALLS = `const orm = require("orm/index.js");
async function redeem() {
  await orm.run("SELECT 1");
  await orm.run("SELECT 2", "BEGIN", "UPDATE", "COMMIT");
}
async function main() {
  await redeem();
  await Promise.all([redeem(), redeem()]);
}
main();`;

for (const [client, pool, ask] of [
  ["pg/lib/client.js", "pg-pool/index.js", "connect"],
  ["mysql2/lib/base/connection.js", "mysql2/lib/base/pool.js", "getConnection"],
] as const)
  test(`${pool}: statements that a library sends for one call are of that call`, () => {
    const { lines, stderr } = printed(libraries(client, pool, ask), CALLS);
    const calls = new Map<string, string[]>();
    for (const line of lines) {
      const [, text = "", call = ""] = /^undefined (.*)\/\*isolens:.*;(\d+)\*\/$/.exec(line) ?? [];
      calls.set(call, [...(calls.get(call) ?? []), text]);
    }
    const whole = ["SELECT 1", "SELECT 2", "BEGIN", "UPDATE", "COMMIT"];
    assert.deepEqual([...calls.values()], [whole, whole, whole], stderr);
  });

/** Lines of the application's calls, with the places that they name. */
function placesOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => {
    const [, text = "", near = "", far = ""] =
      /^undefined (.*?)\/\*isolens:([^;]*);([^;]*);\d*\*\/$/.exec(line) ?? [];
    return `${text} ${near} ${far}`;
  });
}

test("Node.js: a loader that reads packages in Node's place keeps no client from the hook", () => {
  const loader = `const Module = require("node:module");
const fs = require("node:fs");
Module._extensions[".js"] = (module, file) => module._compile(fs.readFileSync(file, "utf8"), file);
`;
  const { lines, stderr } = printed({ "pg/lib/client.js": CLIENT }, loader + APPLICATION);
  assert.deepEqual(placesOf(lines).slice(0, 1), ["SELECT 1 shop.js:7:work shop.js:7:work"], stderr);
});

test("Node.js: clients that Jest loads are hooked", () => {
  const runtime = `const path = require("node:path");
exports.default = class Runtime {
  constructor() { this.modules = new Map(); }
  requireModuleOrMock(from, name) {
    const file = require.resolve(name.startsWith(".") ? path.join(path.dirname(from), name) : name);
    if (this.modules.has(file)) return this.modules.get(file);
    const module = { exports: {} };
    const text = require("node:fs").readFileSync(file, "utf8");
    new Function("module", "exports", "require", text)(
      module, module.exports, (each) => this.requireModuleOrMock(file, each));
    this.modules.set(file, module.exports);
    return module.exports;
  }
};`;
  const application = `const Runtime = require("jest-runtime/build/index.js").default;
const Client = new Runtime().requireModuleOrMock(__filename, "pg/lib/index.js");
function work() { new Client().query("SELECT 1"); }
work();`;
  const { lines, stderr } = printed(
    {
      "pg/lib/client.js": CLIENT,
      "pg/lib/index.js": `require("./client.js"); module.exports = require("./client.js");`,
      "jest-runtime/build/index.js": runtime,
    },
    application,
  );
  assert.deepEqual(placesOf(lines), ["SELECT 1 shop.js:3:work shop.js:3:work"], stderr);
});

test("Node.js: lines are those before a compiler changed them, and its helpers are no functions of the application", () => {
  const application = `Error.prepareStackTrace = (error, sites) =>
  [String(error), ...sites.map((site) => "    at " + site.getFileName() + ":" + (site.getLineNumber() + 100) + ":1")].join("\\n");
const Client = require("pg/lib/client.js");
const client = new Client();
function __awaiter(generator) {
  return new Promise((resolve) => {
    function fulfilled() { if (generator.next().done) resolve(); else Promise.resolve().then(fulfilled); }
    fulfilled();
  });
}
function work() {
  return __awaiter((function* () {
    client.query("SELECT 1");
    yield;
    client.query("SELECT 2");
  })());
}
work();`;
  const { lines, stderr } = printed({ "pg/lib/client.js": CLIENT }, application);
  const at = (line: number): string => `shop.js:${String(line)}:shop.js-${String(line)}`;
  assert.deepEqual(
    placesOf(lines),
    [`SELECT 1 ${at(113)} shop.js:112:work`, `SELECT 2 ${at(115)} shop.js:112:work`],
    stderr,
  );
  assert.equal(new Set(lines.map((line) => /;(\d+)\*/.exec(line)?.[1])).size, 1);
});

/** The class of postgres.js, which sends a query when it is waited for. */
const QUERY = `class Query extends Promise {
  constructor(strings, args) {
    super((resolve) => (setTimeout(resolve)));
    Object.assign(this, { strings, args });
  }
  static get [Symbol.species]() { return Promise; }
  handle() {
    if (this.executed) return;
    this.executed = true;
    console.log(undefined, this.strings.map((each, at) => each + (this.args[at]?.strings?.join("") ?? "")).join(""));
  }
  then(...rest) { this.handle(); return super.then(...rest); }
}
`;
const QUERIES = `async function work() {
  await sql\`SELECT 1\`;
  const part = sql\` AND 3\`;
  await sql\`SELECT 2\${
    part}\${sql\` AND 4\`}\`;
}
work();`;

const SQL = "(strings, ...args) => new Query(strings, args);";

for (const [folder, main, library, load] of [
  [
    "postgres/cjs",
    "shop.js",
    {
      "query.js": `${QUERY}module.exports.Query = Query;`,
      "index.js": `const { Query } = require("./query.js"); module.exports = ${SQL}`,
    },
    'const sql = require("postgres");',
  ],
  [
    "postgres",
    "shop.mjs",
    {
      "query.js": `export ${QUERY}`,
      "index.js": `import { Query } from "./query.js"; export default ${SQL}`,
    },
    'import sql from "postgres";',
  ],
] as const)
  test(`postgres.js (${main}): a query is of the call that made it, its parts have no places`, () => {
    const manifest = {
      main: `${folder.replace("postgres", ".")}/src/index.js`,
      type: main === "shop.mjs" ? "module" : "commonjs",
    };
    const files = { "postgres/package.json": JSON.stringify(manifest) };
    for (const [name, text] of Object.entries(library))
      Object.assign(files, { [`${folder}/src/${name}`]: text });
    const { lines, stderr } = printed(files, `${load}\n${QUERIES}`, main);
    assert.deepEqual(
      placesOf(lines),
      [
        `SELECT 1 ${main}:3:work ${main}:3:work`,
        `SELECT 2 AND 3 AND 4 ${main}:5:work ${main}:3:work`,
      ],
      stderr,
    );
    assert.equal(new Set(lines.map((line) => /;(\d+)\*/.exec(line)?.[1])).size, 1);
  });

/** A library that waits for something else before it sends, and one that calls back when it has waited. */
const MAPPER = `const { setTimeout: wait } = require("node:timers/promises");
const client = new (require("pg/lib/client.js"))();
exports.find = async (sql) => { await null; await wait(2); client.query(sql); await null; };
exports.count = async (sql) => { await null; await wait(1); client.query(sql); };
exports.transaction = async (work) => { await wait(1); await work(); };
exports.each = (items, work) => Promise.all(items.map(work));`;
test("Node.js: statements that a library sends when it has waited are of the call that asked for them", () => {
  const { lines, stderr } = printed(
    {
      "pg/lib/client.js": CLIENT,
      "mapper/index.cjs": MAPPER,
      "../service.js": `const db = require("mapper/index.cjs");
async function add(id) {
  await db.find("SELECT " + id);
  for (const round of [1, 2]) await db.find("UPDATE " + id);
}
function change(id) {
  return db.transaction(async () => {
    await db.find("SELECT " + id);
    await save(id);
  });
}
async function save(id) {
  return db.count("UPDATE " + id);
}
async function last(id) {
  await db.find("SELECT " + id);
  return db.count("UPDATE " + id);
}
Object.assign(exports, { add, change, last });`,
    },
    `const { each } = require("mapper/index.cjs");
const { add, change, last } = require("./service.js");
async function drive() {
  await add("a");
  await add("b");
  await Promise.all([add("c"), add("d")]);
  await each(["e", "f"], (id) => add(id));
  const open = add("g");
  await null;
  await add("h");
  await open;
  await change("i");
  await change("j");
  await each(["k"], last);
}
drive();`,
    "shop.test.js",
  );
  assert.equal(stderr, "");
  const calls = new Map<string, Set<string>>();
  for (const line of lines) {
    const [, id = "", call = ""] = /^undefined \w+ (\w).*;(\d+)\*/.exec(line) ?? [];
    calls.set(id, (calls.get(id) ?? new Set()).add(call));
  }
  assert.deepEqual([...calls.keys()].sort().join(""), "abcdefghijk");
  assert.match(lines.at(-1) ?? "", /service\.js:16:last;service\.js:15:last;/);
  for (const [id, numbers] of calls) assert.equal(numbers.size, 1, id);
  assert.equal(new Set([...calls.values()].flatMap((each) => [...each])).size, calls.size);
});

/** Queries of Drizzle are sent by `then`, which no function of the application calls; a select takes this over. */
const PROMISE = `class QueryPromise {
  catch(handler) { return this.then(undefined, handler); }
  then(...handlers) { new (require("pg/lib/client.js"))().query(this.sql); return Promise.resolve().then(...handlers); }
}`;
test("Drizzle: a query that is sent when it is waited for is of the place that made it", () => {
  const { lines, stderr } = printed(
    {
      "pg/lib/client.js": CLIENT,
      "drizzle-orm/query-promise.cjs": `${PROMISE}
Object.defineProperty(exports, "QueryPromise", { get: () => QueryPromise });`,
      "drizzle-orm/query-builders/query-builder.cjs": `class TypedQueryBuilder {}
Object.defineProperty(exports, "TypedQueryBuilder", { get: () => TypedQueryBuilder });`,
      "drizzle-orm/pg-core/query-builders/count.cjs": `class Sql {}
class CountBuilder extends Sql {
  sql = "COUNT";

  then(...handlers) { new (require("pg/lib/client.js"))().query(this.sql); return Promise.resolve().then(...handlers); }
}
Object.defineProperty(exports, "CountBuilder", { get: () => CountBuilder });`,
      "drizzle-orm/index.cjs": `const { QueryPromise } = require("./query-promise.cjs");
const { TypedQueryBuilder } = require("./query-builders/query-builder.cjs");
const { CountBuilder } = require("./pg-core/query-builders/count.cjs");
class Update extends QueryPromise { sql = "UPDATE"; }
class Select extends TypedQueryBuilder { sql = "SELECT"; }
for (const name of Object.getOwnPropertyNames(QueryPromise.prototype))
  if (name !== "constructor") Select.prototype[name] = QueryPromise.prototype[name];
module.exports = { select: () => new Select(), update: () => new Update(), count: () => new CountBuilder() };`,
    },
    `const db = require("drizzle-orm/index.cjs");
async function work() {
  await db.select();
  await db.update().catch(() => undefined);
  await db.count();
}
work();`,
  );
  assert.deepEqual(
    placesOf(lines),
    [
      "SELECT shop.js:3:work shop.js:3:work",
      "UPDATE shop.js:4:work shop.js:3:work",
      "COUNT shop.js:5:work shop.js:3:work",
    ],
    stderr,
  );
});

/** A runner of tests, and a framework that calls handlers; a loop stands between the two. */
const DECORATORS = {
  "site-packages/orm.py": `import functools
from sitecustomize import _text
def atomic(function):
    @functools.wraps(function)
    def inner(*arguments):
        print(_text("BEGIN"))
        function(*arguments)
        print(_text("COMMIT"))
    return inner
def logged(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)
    return inner
class Lazy:
    def __getattr__(self, name):
        raise RuntimeError("asked for " + name)
def sent(row, sql):
    def send():
        print(_text(sql), row is None)
    send()
`,
  "app.py": `import orm
@orm.atomic
@orm.logged
def pay(amount):
    orm.sent(orm.Lazy(), "UPDATE")
`,
  "test_app.py": `import sys
sys.path[:0] = ["site-packages"]
import app
app.pay(1)
app.pay(2)
`,
};

test("Python: what a decorator sends is of the call that it stands around, and no object is asked for anything", (context) => {
  if (spawnSync("python3", ["--version"]).status !== 0) {
    context.diagnostic("not run: python3");
    return;
  }
  const lines = pythonRun(DECORATORS, "test_app.py");
  const call = (sql: string, line: number, number: number): string =>
    `${sql}/*isolens:app.py:${String(line)}:pay;app.py:2:pay;${String(number)}*/`;
  assert.deepEqual(
    lines.map((line) => line.replace(/ False$/, "")),
    [1, 2].flatMap((number) => [
      call("BEGIN", 2, number),
      call("UPDATE", 5, number),
      call("COMMIT", 2, number),
    ]),
  );
});

const PYTHON = {
  "site-packages/_pytest/__init__.py": "def run(work): work()",
  "site-packages/starlette/__init__.py": "",
  "site-packages/starlette/routing.py": "async def handle(work): await work()",
  "app.py": `import asyncio
from starlette.routing import handle
from sitecustomize import _text
async def create():
    print(_text("INSERT"))
async def middleware():
    await handle(create)
    await asyncio.create_task(handle(create))
    await asyncio.create_task(create())
    print(_text("SELECT"))
`,
  "tests/test_app.py": `import asyncio, sys
from pathlib import Path
sys.path[:0] = [str(Path.cwd()), str(Path.cwd() / "site-packages")]
import _pytest, app
_pytest.run(lambda: asyncio.run(app.middleware()))
`,
};
test("Python: handlers are entry points, in a task of their own as below middleware, and no tests", (context) => {
  if (spawnSync("python3", ["--version"]).status !== 0) {
    context.diagnostic("not run: python3");
    return;
  }
  const lines = pythonRun(PYTHON, "tests/test_app.py");
  const create = "INSERT/*isolens:app.py:5:create;app.py:4:create;";
  assert.deepEqual(
    lines.map((line) => line.replace(/\d+\*\/$/, "")),
    [create, create, create, "SELECT/*isolens:app.py:10:middleware;app.py:6:middleware;"],
  );
});

/** The lines that a program of these files prints below the hook; its errors are lines as well. */
function pythonRun(files: Readonly<Record<string, string>>, script: string): readonly string[] {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "isolens-hooks-")));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const env = withHooks(process.env, { folder: HOOKS, root, own: NONE });
  const run = spawnSync("python3", [script], { cwd: root, env: { ...env }, encoding: "utf8" });
  rmSync(root, { recursive: true });
  return (run.stdout + run.stderr).trim().split("\n");
}
