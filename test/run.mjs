// Runs the stages of the tests one after the other, also after a failure, and closes with one sum over all of them.
//
//   node test/run.mjs                         all stages
//   node test/run.mjs unit cli                some of them
//   node test/run.mjs unit -- --test-name-pattern=lost   with options for the test runner
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** @typedef {import("./support/countReporter.mjs").Counts} Counts */

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const results = path.join(root, "test-results");

/** In the order in which they run: the quick ones first. Browsers and editors run one at a time. */
const stages = [
  { name: "unit", concurrency: 2 },
  { name: "lsp", concurrency: 1 },
  { name: "cli", concurrency: 2 },
  { name: "webview", concurrency: 1, needsEditor: true },
  { name: "e2e", concurrency: 1, needsEditor: true },
];

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  const split = args.indexOf("--");
  const names = split === -1 ? args : args.slice(0, split);
  const options = split === -1 ? [] : args.slice(split + 1);
  const known = stages.map((stage) => stage.name);
  const wrong = names.filter((name) => !known.includes(name));
  if (wrong.length > 0) {
    console.error(`Unknown stage ${wrong.join(", ")}: there are ${known.join(", ")}.`);
    return 3;
  }
  const chosen = names.length === 0 ? stages : stages.filter(({ name }) => names.includes(name));
  mkdirSync(results, { recursive: true });
  if (chosen.some((stage) => stage.needsEditor)) {
    const code = await run([path.join(here, "editor", "prepare.mjs")]);
    if (code !== 0) return 1;
  }
  /** @type {Counts} */
  const sum = { tests: 0, pass: 0, fail: 0, skipped: 0, absent: [] };
  const failed = [];
  for (const stage of chosen) {
    console.log(`\n== ${stage.name}`);
    const { code, counts } = await runStage(stage, options);
    if (code !== 0) failed.push(stage.name);
    for (const key of /** @type {const} */ (["tests", "pass", "fail", "skipped"])) {
      sum[key] += counts[key];
    }
    sum.absent.push(...counts.absent);
  }
  report(sum, failed);
  return failed.length > 0 || sum.skipped > 0 ? 1 : 0;
}

/**
 * @param {{ name: string, concurrency: number }} stage
 * @param {readonly string[]} options
 */
async function runStage(stage, options) {
  const files = testFiles(path.join(here, stage.name));
  if (files.length === 0) {
    console.error(`There are no tests in test/${stage.name}.`);
    return { code: 1, counts: none() };
  }
  const countFile = path.join(results, `${stage.name}.json`);
  rmSync(countFile, { force: true });
  const code = await run([
    ...["--import", "tsx", "--test", `--test-concurrency=${stage.concurrency}`],
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    `--test-reporter=${path.join(here, "support", "countReporter.mjs")}`,
    `--test-reporter-destination=${countFile}`,
    ...options,
    ...files,
  ]);
  return { code, counts: readCounts(countFile) };
}

/** @param {string} folder */
function testFiles(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .map((name) => path.join(folder, name));
}

/**
 * A runner that crashed has written nothing: its exit code tells.
 * @param {string} file
 * @returns {Counts}
 */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return none();
  }
}

/** @returns {Counts} */
function none() {
  return { tests: 0, pass: 0, fail: 0, skipped: 0, absent: [] };
}

/**
 * Runs Node and returns its exit code.
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function run(args) {
  // Tests of the cache bring their own folder; no other test may know what an earlier run found.
  const env = { ISOLENS_CACHE: "off", ...process.env };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/**
 * @param {Counts} sum
 * @param {readonly string[]} failed
 */
function report(sum, failed) {
  console.log("\n== all stages");
  console.log(`tests ${sum.tests}`);
  console.log(`pass ${sum.pass}`);
  console.log(`fail ${sum.fail}`);
  console.log(`skipped ${sum.skipped}`);
  console.log(
    `not run, because not installed: ${[...new Set(sum.absent)].join(", ") || "nothing"}`,
  );
  if (failed.length > 0) console.log(`failed stages: ${failed.join(", ")}`);
}
