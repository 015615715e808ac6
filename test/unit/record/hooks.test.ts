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

test("Node.js: statements with names are sent without, since their texts differ", () => {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), "isolens-hooks-")));
  const library = path.join(root, "node_modules", "pg", "lib");
  mkdirSync(library, { recursive: true });
  writeFileSync(path.join(library, "client.js"), CLIENT);
  writeFileSync(path.join(root, "shop.js"), APPLICATION);
  const env = withHooks({ PATH: ownEntry(process.env, "PATH") }, HOOKS, root);
  const run = spawnSync(process.execPath, ["shop.js"], {
    cwd: root,
    env: { ...env },
    encoding: "utf8",
  });
  const work = (line: number): string => `/*isolens:shop.js:${String(line)}:work;shop.js:4:work;`;
  const lines = run.stdout.trim().split("\n");
  assert.deepEqual(
    lines.map((line) => line.replace(/;\d+\*\/$/, ";")),
    [4, 5, 7, 7].map((line, at) => `undefined SELECT ${String(Math.min(at + 1, 3))}${work(line)}`),
    run.stderr,
  );
  rmSync(root, { recursive: true });
});
