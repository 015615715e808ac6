// Runs the tests: stages one after the other, also after a failure, or single rooms of the unit tests; closes with the
// time of each room and one sum over all of them.
//
//   npm test                                  a build, and all stages with the checks beside them
//   npm test -- history frontend/pg           rooms: folders of test/unit, or files in them
//   node test/run.mjs unit cli                some stages, as they are built
//   npm test -- store -- --test-name-pattern=lost   with options for the test runner
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** @typedef {import("./support/countReporter.mjs").Counts} Counts */
/** @typedef {{ name: string, concurrency: number, needsEditor?: boolean, files?: readonly string[] }} Stage */

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const results = path.join(root, "test-results");

/**
 * In the order in which they run: those that mostly wait come first, since `npm test` runs the checks beside them. Browsers and
 * editors run one at a time. Three files at a time keep two cores busy, since some wait for a server.
 * @type {readonly Stage[]}
 */
const stages = [
  { name: "lsp", concurrency: 2 },
  { name: "webview", concurrency: 1, needsEditor: true },
  { name: "e2e", concurrency: 1, needsEditor: true },
  { name: "unit", concurrency: 3 },
  { name: "cli", concurrency: 3 },
];

/** Files of unit tests share processes: loading parsers and sources again for each file takes as long as most of the tests. */
const SHARED = `${path.join(here, "unit")}${path.sep}`;

/** Files of a group: so few that the memory of their parsers, which never shrinks, stays below a gigabyte. */
const GROUP = 12;

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  const split = args.indexOf("--");
  const names = split === -1 ? args : args.slice(0, split);
  const options = split === -1 ? [] : args.slice(split + 1);
  const chosen = names.length === 0 ? stages : chosenStages(names);
  if (chosen === undefined) return 3;
  mkdirSync(results, { recursive: true });
  if (chosen.some((stage) => stage.needsEditor)) {
    const code = await run([path.join(here, "editor", "prepare.mjs")]);
    if (code !== 0) return 1;
  }
  /** @type {Counts} */
  const sum = none();
  const failed = [];
  for (const stage of chosen) {
    console.log(`\n== ${stage.name}`);
    const { code, counts } = await runStage(stage, options);
    if (code !== 0) failed.push(stage.name);
    for (const key of /** @type {const} */ (["tests", "pass", "fail", "skipped"])) {
      sum[key] += counts[key];
    }
    sum.failures.push(...counts.failures);
    sum.absent.push(...counts.absent);
    sum.times.push(...counts.times);
  }
  report(sum, failed);
  return failed.length > 0 || sum.skipped > 0 ? 1 : 0;
}

/**
 * The stages of those names, and a stage of the rooms among them; undefined, after saying so, for a name of neither.
 * @param {readonly string[]} names
 * @returns {readonly Stage[] | undefined}
 */
function chosenStages(names) {
  const unit = testFiles("unit");
  const chosen = stages.filter(({ name }) => names.includes(name));
  const rooms = names.filter((name) => stages.every((stage) => stage.name !== name));
  const files = unit.filter((file) => rooms.some((room) => isOf(file, room)));
  const wrong = rooms.filter((room) => !unit.some((file) => isOf(file, room)));
  if (wrong.length > 0) {
    const folders = new Set(unit.map((file) => roomOf(path.join(here, file))));
    console.error(`There is no stage or room ${wrong.join(", ")}.`);
    console.error(`Stages: ${stages.map((stage) => stage.name).join(", ")}.`);
    console.error(`Rooms: ${[...folders].join(", ")}.`);
    return undefined;
  }
  if (files.length === 0) return chosen;
  return [{ name: "unit", concurrency: 2, files }, ...chosen];
}

/**
 * @param {string} file as unit/history/data.test.ts
 * @param {string} room a folder, or a file's name up to a dot, with or without "unit/"
 */
function isOf(file, room) {
  const start = `unit/${room.replace(/^unit\//u, "")}`;
  return file.startsWith(`${start}/`) || file.startsWith(`${start}.`);
}

/**
 * @param {Stage} stage
 * @param {readonly string[]} options
 */
async function runStage({ name, concurrency, files = testFiles(name) }, options) {
  if (files.length === 0) {
    console.error(`There are no tests in test/${name}.`);
    return { code: 1, counts: none() };
  }
  const countFile = path.join(results, `${name}.json`);
  rmSync(countFile, { force: true });
  const whole = files.map((file) => path.join(here, file));
  const code = await run([
    ...["--import", "tsx", "--test", `--test-concurrency=${concurrency}`],
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    `--test-reporter=${path.join(here, "support", "countReporter.mjs")}`,
    `--test-reporter-destination=${countFile}`,
    ...options,
    ...grouped(whole),
  ]);
  return { code, counts: readCounts(countFile) };
}

/**
 * Writes a file for each group of those that share a process, which has them as suites.
 * @param {readonly string[]} all
 * @returns {readonly string[]} the files to run
 */
function grouped(all) {
  const files = all.filter((file) => file.startsWith(SHARED));
  if (files.length === 0) return all;
  const folder = path.join(results, "groups");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const count = Math.max(Math.ceil(files.length / GROUP), Math.min(2, files.length));
  const groups = Array.from({ length: count }, (_, at) => {
    // Dealt out, so that a room of slow tests is not one group.
    const own = files.filter((_file, index) => index % count === at);
    const lines = own.map((file) => {
      const name = JSON.stringify(path.relative(here, file).split(path.sep).join("/"));
      return `describe(${name}, () => void require(${JSON.stringify(file)}));`;
    });
    const group = path.join(folder, `${String(at).padStart(2, "0")}.test.cjs`);
    writeFileSync(group, ['const { describe } = require("node:test");', ...lines, ""].join("\n"));
    return group;
  });
  return [...groups, ...all.filter((file) => !files.includes(file))];
}

/**
 * The tests of a stage, by their paths in test/ with slashes.
 * @param {string} stage
 */
function testFiles(stage) {
  return readdirSync(path.join(here, stage), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${stage}/${name.split(path.sep).join("/")}`)
    .sort();
}

/**
 * The room of a test file: its folder below test/unit (of the frontend two), else its stage.
 * @param {string} file
 */
function roomOf(file) {
  const [stage = "", ...below] = path.relative(here, file).split(path.sep);
  if (stage !== "unit") return stage;
  const folders = below.slice(0, -1);
  return folders.slice(0, folders[0] === "frontend" ? 2 : 1).join("/");
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
  return { tests: 0, pass: 0, fail: 0, skipped: 0, failures: [], absent: [], times: [] };
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
  /** @type {Map<string, number>} */
  const rooms = new Map();
  for (const { file, seconds } of sum.times) {
    const room = roomOf(path.resolve(here, file));
    rooms.set(room, (rooms.get(room) ?? 0) + seconds);
  }
  console.log("\n== seconds by room");
  for (const [room, seconds] of [...rooms].sort(([, left], [, right]) => right - left))
    console.log(`${seconds.toFixed(1).padStart(7)}  ${room}`);
  if (sum.failures.length > 0) console.log("\n== failed tests");
  for (const { file, name, message } of sum.failures)
    console.log(`${path.relative(here, file)}: ${name}\n    ${message.replaceAll("\n", "\n    ")}`);
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
