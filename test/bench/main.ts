// `npm run bench`: prints, in one run, how fast this machine is, how soon the first anomaly of an example appears, how
// long its whole analysis takes at each level, what an edit costs, and how much memory all of it needs.
//
//   npm run bench -- [--runs N] [--only EXAMPLE]...
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { openZ3 } from "../../server/src/engine/z3";
import { PAPER_LEVELS, PRODUCT_LEVELS, findLevel } from "../../server/src/isolation/levels";
import type { Level } from "../../server/src/isolation/levels";
import { dictionary, ownEntry } from "../../server/src/protocol/dictionary";
import { createProjectReader } from "../../server/src/service/readProject";
import type { Project } from "../../server/src/workspace/projects";
import { noteAim, printAims } from "./aims";
import { calibrate } from "./calibration";
import type { Calibration } from "./calibration";
import { multiple } from "./multiples";
import { printPapers } from "./papers";
import { printProofs } from "./proofs";
import {
  editedSmallBank,
  exampleNames,
  loadExample,
  manyTransactions,
  measureCheck,
  measureCommand,
  openWarmSession,
} from "./scenarios";
import type { CheckFigures } from "./scenarios";
import { median, printTable, timed } from "./statistics";
import { printTypes } from "./types";

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    only: { type: "string", multiple: true, default: [] },
  },
});
const runs = Number(options.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error("--runs takes a number from 1.");

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  const calibration = await printCalibration();
  await printCommandLine(calibration);
  await printReading(calibration);
  await printExamples(calibration);
  await printTypes(calibration, { runs: 1, print });
  await printEdit(calibration);
  await printPapers(calibration, { runs, only: options.only, print });
  await printProofs(calibration, { runs, only: options.only, print });
  const peak = process.resourceUsage().maxRSS / 1024;
  print("");
  print(`Peak memory of this process (service, solver, benchmark): ${peak.toFixed(0)} MB`);
  printAims(print);
}

async function printCalibration(): Promise<Calibration> {
  const [cpu] = os.cpus();
  print(`Node ${process.version}, ${os.availableParallelism()} cores, ${cpu?.model ?? "?"}`);
  print(
    `Load over the last minute: ${os.loadavg()[0]?.toFixed(1) ?? "?"}; medians of ${runs} runs`,
  );
  const z3 = await openZ3();
  const figures = await calibrate(z3);
  z3.dispose();
  print("");
  print("Calibration (ms)");
  print(`  fixed Z3 problem ${figures.solve.toFixed(1)}`);
  print(`  fixed parse loop ${figures.parse.toFixed(1)}`);
  print(`  fixed typed-array loop ${figures.loop.toFixed(1)}`);
  print('Multiples: "x" of the Z3 problem, "p" of the parse loop, "l" of the typed-array loop.');
  return figures;
}

/** The command line in a new process each time: start-up alone, then one example with all that comes with it. */
async function printCommandLine({ loop }: Calibration): Promise<void> {
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ["start-up (--version)", ["--version"]],
    ["check bank", ["check", "test/apps/bank"]],
    ["check smallbank", ["check", "test/apps/smallbank", "--budget", "120s"]],
    ["check smallbank again", ["check", "test/apps/smallbank", "--budget", "120s"]],
    ["check all examples", ["check", "test/apps", "--budget", "120s"]],
  ];
  print("");
  print("Command line, from a cold process");
  const rows: string[][] = [];
  for (const [title, args] of commands) {
    const times: number[] = [];
    const peaks: number[] = [];
    // Again: all is known from a run before.
    const cache = title.endsWith("again") ? mkdtempSync(path.join(os.tmpdir(), "bench-")) : "off";
    if (cache !== "off") await measureCommand(args, cache);
    for (let run = 0; run < runs; run += 1) {
      const figures = await measureCommand(args, cache);
      times.push(figures.milliseconds);
      peaks.push(figures.peakMegabytes);
    }
    const time = median(times);
    if (cache !== "off") {
      noteAim(title, time, 300, "ms");
      rmSync(cache, { recursive: true });
    }
    if (title === "check all examples") {
      noteAim("peak memory, all examples", median(peaks), 400, "MB");
    }
    rows.push([
      title,
      `${time.toFixed(0)} ms`,
      multiple(time, loop, "l"),
      `${median(peaks).toFixed(0)} MB`,
    ]);
  }
  printTable(
    [
      { title: "command", align: "left" },
      { title: "time", align: "right" },
      { title: "", align: "right" },
      { title: "peak memory", align: "right" },
    ],
    rows,
    print,
  );
}

/** Reading alone: from text to transactions, nothing solved. */
async function printReading({ parse }: Calibration): Promise<void> {
  const project = await manyTransactions(500);
  const pg = await loadPgParser();
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const reader = createProjectReader({ pg });
    times.push((await timed(() => reader.read(project))).milliseconds);
  }
  const time = median(times);
  print("");
  print(
    `Reading 500 transactions of 2 statements: ${time.toFixed(0)} ms (${multiple(time, parse, "p")})`,
  );
}

interface Row {
  readonly example: string;
  readonly level: Level;
  readonly maxTransactions: number;
  readonly figures: CheckFigures[];
}

/** Every example at every level, in a warm session that remembers nothing of it. */
async function printExamples(calibration: Calibration): Promise<void> {
  const names = exampleNames().filter(
    (name) => options.only.length === 0 || options.only.includes(name),
  );
  const rows: Row[] = names.flatMap((example) => [
    ...productLevels().map((level) => ({ example, level, maxTransactions: 3, figures: [] })),
    ...PAPER_LEVELS.map((level) => ({
      example,
      level,
      maxTransactions: level.name === "snapshot-isolation" ? 3 : 2,
      figures: [],
    })),
  ]);
  const projects = new Map<string, Project>();
  for (const name of names) projects.set(name, await loadExample(name));
  for (let run = 0; run < runs; run += 1) {
    for (const row of rows) {
      const project = projects.get(row.example);
      if (project === undefined) throw new Error(`no example ${row.example}`);
      // A session of its own for each: nothing is remembered, and the solver is warm.
      const { example, level, maxTransactions } = row;
      const session = await openWarmSession(example, level);
      row.figures.push(await measureCheck(session, project, { level, maxTransactions }));
      await session.dispose();
    }
  }
  noteAims(rows);
  print("");
  print("Examples: the first anomaly after warm-up, and the whole analysis");
  printTable(
    [
      { title: "example", align: "left" },
      { title: "level", align: "left" },
      { title: "K", align: "right" },
      { title: "verdict", align: "left" },
      { title: "anomalies", align: "right" },
      { title: "first", align: "right" },
      { title: "whole", align: "right" },
      { title: "", align: "right" },
      { title: "units", align: "right" },
      { title: "queries", align: "right" },
    ],
    rows.map((row) => exampleRow(row, calibration)),
    print,
  );
}

/** PostgreSQL's levels, and InnoDB's default. */
function productLevels(): readonly Level[] {
  return PRODUCT_LEVELS.filter(
    ({ product, name }) => product === "postgres" || name === "mysql:repeatable-read",
  );
}

/** Wholes that have an aim: at PostgreSQL's levels for two and three, at all papers' levels for two. */
const WHOLE_AIMS = dictionary<Readonly<Record<string, number>>>({
  smallbank: {
    "postgres:read-committed": 1500,
    "postgres:repeatable-read": 1500,
    // The weakest level asks everything; each cycle is classified over all levels on the way.
    eventual: 1500,
  },
  tpcc: { "postgres:read-committed": 1000 },
});
const TITLES = dictionary<string>({ smallbank: "SmallBank", tpcc: "TPC-C" });

function noteAims(rows: readonly Row[]): void {
  const firstsOf = (some: readonly Row[]): readonly number[] =>
    some.flatMap(({ figures }) => {
      const times = figures.flatMap(({ firstAnomaly }) => firstAnomaly ?? []);
      return times.length === 0 ? [] : [median(times)];
    });
  const firsts = firstsOf(rows);
  noteAim("first anomaly, median of examples and levels", median(firsts), 300, "ms");
  noteAim("first anomaly, slowest example and level", Math.max(0, ...firsts), 300, "ms");
  const atProducts = firstsOf(rows.filter(({ level }) => level.family === "product"));
  noteAim("first anomaly at products' levels, slowest", Math.max(0, ...atProducts), 200, "ms");
  for (const { example, level, figures } of rows) {
    const aim = ownEntry(WHOLE_AIMS[example], level.name);
    if (aim === undefined) continue;
    const whole = median(figures.map((one) => one.whole));
    noteAim(`${TITLES[example] ?? example} whole at ${level.name}`, whole, aim, "ms");
  }
}

function exampleRow(row: Row, { solve }: Calibration): string[] {
  const [last] = row.figures.slice(-1);
  const report = last?.result.report;
  const firsts = row.figures.flatMap(({ firstAnomaly }) => firstAnomaly ?? []);
  const whole = median(row.figures.map((figures) => figures.whole));
  return [
    row.example,
    row.level.name,
    String(row.maxTransactions),
    report?.verdict ?? "",
    String(report?.anomalies.length ?? 0),
    firsts.length === 0 ? "-" : `${median(firsts).toFixed(0)} ms`,
    `${whole.toFixed(0)} ms`,
    multiple(whole, solve, "x"),
    String(last?.result.counters.units ?? 0),
    String(last?.result.counters.queries ?? 0),
  ];
}

/** One of six transactions is edited: how much is solved again, and when the first new verdict is there. */
async function printEdit({ solve }: Calibration): Promise<void> {
  const level = defaultLevel();
  const scope = { level, maxTransactions: 3 };
  const { before, after } = await editedSmallBank();
  const firsts: number[] = [];
  const wholes: number[] = [];
  let share = "";
  for (let run = 0; run < runs; run += 1) {
    const session = await openWarmSession("smallbank", level);
    const first = await measureCheck(session, before, scope);
    const known = new Set(first.result.report.anomalies.map(({ id }) => id));
    const second = await measureCheck(session, after, scope, (id) => !known.has(id));
    await session.dispose();
    const { units, cached } = second.result.counters;
    share = `${units - cached} of ${units} units solved again (${percent(units - cached, units)})`;
    if (second.firstAnomaly !== undefined) firsts.push(second.firstAnomaly);
    wholes.push(second.whole);
  }
  print("");
  print("Edit of one of SmallBank's six transactions, at postgres:read-committed");
  print(`  ${share}`);
  const changed = median(firsts);
  noteAim("first changed verdict after an edit", changed, 300, "ms");
  print(
    firsts.length === 0
      ? "  no verdict changed"
      : `  first changed verdict after ${changed.toFixed(0)} ms (${multiple(changed, solve, "x")})`,
  );
  const whole = median(wholes);
  print(`  all verdicts after ${whole.toFixed(0)} ms (${multiple(whole, solve, "x")})`);
}

function defaultLevel(): Level {
  const level = findLevel("postgres:read-committed");
  if (level === undefined) throw new Error("PostgreSQL's default level is not known");
  return level;
}

function percent(part: number, all: number): string {
  return all === 0 ? "-" : `${((100 * part) / all).toFixed(0)} %`;
}

function print(line: string): void {
  console.log(line);
}
