// The hooks' effect on an application: its statements get a comment, and nothing else of them changes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { ownEntry } from "../../../server/src/protocol/dictionary";
import { withHooks } from "../../../server/src/record/hooks";

const HOOKS = path.resolve(__dirname, "../../../server/hooks");

test("a folder with spaces stands where spaces may stand", () => {
  const env = withHooks({ RUBYOPT: "-w" }, "/my hooks", "/app");
  assert.equal(env["RUBYOPT"], "-risolens_record -w");
  assert.equal(env["RUBYLIB"], "/my hooks");
  assert.equal(env["NODE_OPTIONS"], '--require "/my hooks/node.cjs"');
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
function printed(libraries: Readonly<Record<string, string>>, application: string) {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "isolens-hooks-")));
  for (const [name, text] of Object.entries(libraries)) {
    const file = path.join(root, "node_modules", name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(path.join(root, "shop.js"), application);
  const env = withHooks({ PATH: ownEntry(process.env, "PATH") }, HOOKS, root);
  const run = spawnSync(process.execPath, ["shop.js"], {
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
