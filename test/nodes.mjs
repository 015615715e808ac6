// Runs the built command line under several versions of Node, as npm has them, on examples of every kind of program, and
// compares what it says with what this Node says.
//
//   npm run test:nodes              Node 20, 22 and 24
//   npm run test:nodes -- 20 26     others
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const cli = path.join(root, "dist", "cli.js");
const isWindows = process.platform === "win32";

/** Plain SQL of both families, code in TypeScript and Java, a client program that runs, and a recorded run. */
const commands = [
  ...["bank", "bank-mysql", "smallbank-ts", "smallbank-java"].map((app) => [
    "check",
    `test/apps/${app}`,
  ]),
  ["explore", "test/clients/courseware/removed.client.json"],
  ["explore", "test/clients/monkeydb/removed.client.json"],
  ...["long-fork.edn", "lost-update.txt"].map((run) => ["history", `test/data/histories/${run}`]),
].map((command) => [...command, "--format", "json"]);

const asked = process.argv.slice(2);
process.exitCode = main(asked.length > 0 ? asked : ["20", "22", "24"]);

/**
 * @param {readonly string[]} versions
 * @returns {number} 0 where all say the same, 1 where one says something else or nothing, 3 where one cannot be had
 */
function main(versions) {
  const expected = commands.map((command) => answer(process.execPath, command));
  const silent = expected.find(({ out }) => out === "");
  if (silent !== undefined) {
    console.error(`A command says nothing under ${process.version}: ${silent.error.trim()}`);
    return 1;
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-nodes-"));
  try {
    return Math.max(...versions.map((version) => compare(version, folder, expected)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs all commands under one version and prints a line for each that says something else.
 *
 * @param {string} version
 * @param {string} folder where npx runs: this repository's settings are none of its business
 * @param {readonly Answer[]} expected
 */
function compare(version, folder, expected) {
  const npx = isWindows ? "npx.cmd" : "npx";
  const print = ["-y", `node@${version}`, "-p", "process.execPath"];
  const found = spawnSync(npx, print, { cwd: folder, encoding: "utf8", shell: isWindows });
  const node = found.stdout.trim();
  if (found.status !== 0 || node === "") {
    console.error(`Node ${version} cannot be had by npx: ${found.stderr.trim()}`);
    return 3;
  }
  const number = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  const other = commands.filter((command, at) => {
    const own = answer(node, command);
    if (own.code === expected[at]?.code && own.out === expected[at].out) return false;
    const what = `isolens ${command.join(" ")} ends with ${String(own.code)}`;
    console.error(`Node ${number}: ${what}, or says something else than under ${process.version}.`);
    if (own.error !== "") console.error(own.error.trim());
    return true;
  });
  const same = commands.length - other.length;
  console.log(`Node ${number}: ${String(same)} of ${String(commands.length)} the same`);
  return other.length > 0 ? 1 : 0;
}

/**
 * @typedef {{ code: number | null, out: string, error: string }} Answer
 * @param {string} node
 * @param {readonly string[]} command
 * @returns {Answer}
 */
function answer(node, command) {
  const env = { ...process.env, ISOLENS_CACHE: "off", NO_COLOR: "1" };
  const result = spawnSync(node, [cli, ...command], {
    cwd: root,
    env,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { code: result.status, out: result.stdout, error: result.stderr };
}
