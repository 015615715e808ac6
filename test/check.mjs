// `npm run check`: format, lint, types and dead code, two at a time, or one with `--one` (as `npm test` does, beside tests that an
// overloaded machine would make time out); prints what each found, and fails if any did.
import { spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** @typedef {{ name: string, script: string, args: readonly string[] }} Check in a package, run by this Node */
/** @typedef {{ name: string, code: number, output: string, seconds: number }} Result */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/**
 * The longest first. Each stands in package.json as `check:NAME` as well.
 * @type {readonly Check[]}
 */
const checks = [
  { name: "lint", script: "eslint/bin/eslint.js", args: ["."] },
  // Lint knows its types from TypeScript 5, whose compiler is four times as slow.
  { name: "types", script: "typescript-7/bin/tsc", args: ["--build"] },
  { name: "format", script: "prettier/bin/prettier.cjs", args: ["--check", "."] },
  { name: "dead", script: "knip/bin/knip.js", args: [] },
];

const lanes = process.argv.includes("--one") ? 1 : 2;
const waiting = [...checks];
const results = (await Promise.all(Array.from({ length: lanes }, lane))).flat();
const failed = results.filter((result) => result.code !== 0);
for (const { name, output } of failed) console.log(`== check:${name}\n${output.trimEnd()}\n`);
for (const { name, code, seconds } of results) {
  console.log(`${code === 0 ? "ok    " : "FAILED"} check:${name} (${seconds.toFixed(1)} s)`);
}
process.exitCode = failed.length > 0 ? 1 : 0;

/** Runs checks that wait, one after the other, until none is left. */
async function lane() {
  /** @type {Result[]} */
  const results = [];
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    results.push(await run(check));
  }
  return results;
}

/**
 * @param {Check} check
 * @returns {Promise<Result>}
 */
function run({ name, script, args }) {
  const started = Date.now();
  const child = spawn(process.execPath, [path.join(root, "node_modules", script), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    const end = (/** @type {number} */ code) =>
      resolve({ name, code, output, seconds: (Date.now() - started) / 1000 });
    child.once("error", (error) => {
      output += error.message;
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}
