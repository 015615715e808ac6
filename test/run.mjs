// Runs the tests, each file or group of files in a process of its own: those that mostly wait (editors, language servers) in one lane,
// the others in the lanes beside it; closes with the time of each room and one sum over all of them.
//
//   npm test                                  a build, and all stages with the checks among them
//   npm test -- history frontend/pg           rooms: folders of test/unit, or files in them
//   node test/run.mjs unit cli                some stages, as they are built
//   npm test -- store -- --test-name-pattern=lost   with options for the test runner
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** @typedef {import("./support/countReporter.mjs").Counts} Counts */
/** @typedef {{ name: string, waits?: number, needsEditor?: boolean, files?: readonly string[] }} Stage */
/** @typedef {{ title: string, stage: string, args: readonly string[], counted?: string }} Job a process to run, and the file that it counts in */

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.dirname(here);
const results = path.join(root, "test-results");

/**
 * In the order in which they begin. Those that mostly wait say how many of their files run at a time: browsers and editors one.
 * @type {readonly Stage[]}
 */
const stages = [
  { name: "lsp", waits: 2 },
  { name: "webview", waits: 1, needsEditor: true },
  { name: "e2e", waits: 1, needsEditor: true },
  { name: "unit" },
  { name: "cli" },
];

/** Lanes for what computes: three keep two cores busy, since some wait for a server; one beside editors, which time out when they starve. */
const LANES = 3;
const LANES_BESIDE = 1;

/** The name that stands for format, lint, types and dead code. */
const CHECKS = "checks";

/** Files of unit tests share processes: loading parsers and sources again for each file takes as long as most of the tests. */
const SHARED = `${path.join(here, "unit")}${path.sep}`;

const GROUPS = path.join(results, "groups");

/** Files of a group: so few that the memory of their parsers, which never shrinks, stays below a gigabyte. */
const GROUP = 20;

process.exitCode = await main(process.argv.slice(2));

/** @param {readonly string[]} args */
async function main(args) {
  const split = args.indexOf("--");
  const asked = split === -1 ? args : args.slice(0, split);
  const options = split === -1 ? [] : args.slice(split + 1);
  const names = asked.filter((name) => name !== CHECKS);
  const chosen = names.length === 0 ? stages : chosenStages(names);
  if (chosen === undefined) return 3;
  mkdirSync(results, { recursive: true });
  if (chosen.some((stage) => stage.needsEditor)) {
    const { code, text } = await run([path.join(here, "editor", "prepare.mjs")]);
    process.stdout.write(text);
    if (code !== 0) return 1;
  }
  /** @type {Counts} */
  const sum = none();
  /** @type {Set<string>} */
  const failed = new Set();
  /** @param {Job} job */
  const finish = async (job) => {
    const { code, text } = await run(job.args);
    console.log(`\n== ${job.title}\n${text.trimEnd()}`);
    if (code !== 0) failed.add(job.stage);
    if (job.counted === undefined) return;
    const counts = readCounts(job.counted);
    if (counts === undefined) failed.add(job.stage);
    else addTo(sum, counts);
  };
  const computing = asked.includes(CHECKS) ? [checksJob()] : [];
  for (const stage of chosen.filter(({ waits }) => waits === undefined))
    computing.push(...jobsOf(stage, options));
  const lanes = chosen.some(({ waits }) => waits !== undefined) ? LANES_BESIDE : LANES;
  const compute = async () => {
    for (let job = computing.shift(); job !== undefined; job = computing.shift()) await finish(job);
  };
  const wait = async () => {
    for (const stage of chosen.filter(({ waits }) => waits !== undefined)) {
      const waiting = [...jobsOf(stage, options)];
      await Promise.all(
        Array.from({ length: stage.waits ?? 1 }, async () => {
          for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
            await finish(job);
        }),
      );
    }
    // Nobody can starve any more.
    await Promise.all(Array.from({ length: LANES - lanes }, compute));
  };
  await Promise.all([wait(), ...Array.from({ length: lanes }, compute)]);
  report(sum, [...failed]);
  return failed.size > 0 || sum.skipped > 0 ? 1 : 0;
}

/** @returns {Job} */
function checksJob() {
  return { title: CHECKS, stage: CHECKS, args: [path.join(here, "check.mjs"), "--one"] };
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
  return [{ name: "unit", files }, ...chosen];
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
 * The processes of a stage.
 * @param {Stage} stage
 * @param {readonly string[]} options
 * @returns {readonly Job[]}
 */
function jobsOf({ name, files = testFiles(name) }, options) {
  if (files.length === 0) throw new Error(`There are no tests in test/${name}.`);
  const counts = path.join(results, `${name}-counts`);
  rmSync(counts, { recursive: true, force: true });
  mkdirSync(counts, { recursive: true });
  return grouped(files.map((file) => path.join(here, file))).map((file, at) => {
    const counted = path.join(counts, `${at}.json`);
    const args = [
      ...["--import", "tsx"],
      ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
      `--test-reporter=${path.join(here, "support", "countReporter.mjs")}`,
      `--test-reporter-destination=${counted}`,
      ...options,
      file,
    ];
    const title = file.startsWith(GROUPS) ? `${name} ${at}` : path.relative(here, file);
    return { title, stage: name, args, counted };
  });
}

/**
 * Writes a file for each group of those that share a process, which has them as suites.
 * @param {readonly string[]} all
 * @returns {readonly string[]} the files to run
 */
function grouped(all) {
  const files = all.filter((file) => file.startsWith(SHARED));
  if (files.length === 0) return all;
  const folder = GROUPS;
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
 * A process that ended before its tests has written nothing.
 * @param {string} file
 * @returns {Counts | undefined}
 */
function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** @returns {Counts} */
function none() {
  return { tests: 0, pass: 0, fail: 0, skipped: 0, failures: [], absent: [], times: [] };
}

/**
 * @param {Counts} sum
 * @param {Counts} counts
 */
function addTo(sum, counts) {
  for (const key of /** @type {const} */ (["tests", "pass", "fail", "skipped"]))
    sum[key] += counts[key];
  sum.failures.push(...counts.failures);
  sum.absent.push(...counts.absent);
  sum.times.push(...counts.times);
}

/**
 * Runs Node; what it prints is kept, since others run at the same time.
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, text: string }>}
 */
function run(args) {
  // Tests of the cache bring their own folder; no other test may know what an earlier run found.
  const env = { ISOLENS_CACHE: "off", ...process.env };
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ["inherit", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (/** @type {string} */ part) => {
      text += part;
    });
  }
  return new Promise((resolve) => {
    child.once("error", ({ message }) => resolve({ code: 1, text: message }));
    child.once("close", (code) => resolve({ code: code ?? 1, text }));
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
