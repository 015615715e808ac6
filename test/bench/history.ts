// Measures the checker of recorded histories as its users run it: the whole process, the best of three, with the memory
// that it took. `npm run bench:history` builds first; a number limits the generated histories ("-- 100000").
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { noteAim, printAims } from "./aims";
import { writeHistory, type Workload } from "./historyGenerator";
import { medianTime, printTable } from "./statistics";
import { root } from "./scenarios";

const run = promisify(execFile);

interface Case {
  readonly name: string;
  readonly file: string;
  readonly level: string;
  /** Milliseconds and megabytes that the project aims at. */
  readonly aims?: { readonly milliseconds: number; readonly megabytes?: number };
}

interface Figures {
  readonly milliseconds: number;
  readonly megabytes: number;
  readonly verdict: string;
}

const WEAK = ["read-committed", "read-atomic", "causal"];
const uniform = { operations: 8, reads: 0.5, keysAre: "uniform", store: "snapshot" } as const;

const GENERATED: readonly {
  readonly name: string;
  readonly workload: Workload;
  readonly weak?: Case["aims"];
  readonly snapshot?: Case["aims"];
}[] = [
  {
    name: "10k uniform",
    workload: { ...uniform, sessions: 20, transactions: 10_000, keys: 10_000, seed: 1 },
    snapshot: { milliseconds: 600, megabytes: 150 },
  },
  {
    name: "100k uniform",
    workload: { ...uniform, sessions: 20, transactions: 100_000, keys: 100_000, seed: 2 },
    snapshot: { milliseconds: 3000 },
  },
  {
    name: "100k zipf",
    workload: {
      ...uniform,
      keysAre: "zipf",
      sessions: 20,
      transactions: 100_000,
      keys: 10_000,
      seed: 3,
    },
    snapshot: { milliseconds: 15_000 },
  },
  {
    name: "1M uniform",
    workload: { ...uniform, sessions: 50, transactions: 1_000_000, keys: 1_000_000, seed: 4 },
    weak: { milliseconds: 6000, megabytes: 600 },
    snapshot: { milliseconds: 30_000, megabytes: 2200 },
  },
];

/** Recorded histories of other projects, where they are at hand. */
const RECORDED = [
  "25_400_8_10000_0.95_uniform.bincode",
  "25_400_8_10000_0.5_uniform.bincode",
  "cobra-rubis-10000",
];

async function main(): Promise<void> {
  const print = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  const most = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
  const calibration = await calibrate();
  print(`Calibration: ${calibration.toFixed(0)} ms for a fixed loop over random places of memory`);
  print("Whole process, best of three; x: multiples of the calibration");
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-bench-"));
  try {
    const rows: string[][] = [];
    const hook = memoryHook(folder);
    for (const each of cases(folder, most, print)) {
      const { milliseconds, megabytes, verdict } = await best(each, hook);
      rows.push([
        each.name,
        each.level,
        `${milliseconds.toFixed(0)} ms`,
        `${(milliseconds / calibration).toFixed(1)}x`,
        `${megabytes.toFixed(0)} MB`,
        verdict,
      ]);
      print(`  ${rows.at(-1)?.join("  ") ?? ""}`);
      const title = `${each.name}, ${each.level}`;
      if (each.aims) noteAim(title, milliseconds, each.aims.milliseconds, "ms");
      if (each.aims?.megabytes !== undefined)
        noteAim(`${title}, memory`, megabytes, each.aims.megabytes, "MB");
    }
    print("");
    const right = ["history", "level", "time", "", "memory", "verdict"].map((title, at) => ({
      title,
      align: at >= 2 && at <= 4 ? ("right" as const) : ("left" as const),
    }));
    printTable(right, rows, print);
    printAims(print);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** One after the other: a generated file goes before the next one is written. */
function* cases(
  folder: string,
  most: number,
  print: (line: string) => void,
): Generator<Case, void> {
  yield* recorded(print);
  yield* generated(folder, most, print);
}

interface MemoryHook {
  /** A script that is loaded before the command line. */
  readonly script: string;
  /** Where it writes the most memory that the process had, in kilobytes. */
  readonly file: string;
}

function memoryHook(folder: string): MemoryHook {
  const [script, file] = [path.join(folder, "memory.cjs"), path.join(folder, "memory")];
  const tell = `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS))`;
  writeFileSync(script, `process.on("exit", () => ${tell});`);
  return { script, file };
}

function recorded(print: (line: string) => void): readonly Case[] {
  const shared = process.env["ISOLENS_SHARED"] ?? path.join(root, "..", "shared");
  return RECORDED.flatMap((name): readonly Case[] => {
    const file = path.join(shared, "data", "histories", "polysi", name);
    const aims = { milliseconds: 600, megabytes: 150 };
    if (existsSync(file)) return [{ name, file, level: "snapshot-isolation", aims }];
    print(`  not here: ${name}`);
    return [];
  });
}

function* generated(
  folder: string,
  most: number,
  print: (line: string) => void,
): Generator<Case, void> {
  for (const { name, workload, weak, snapshot } of GENERATED) {
    if (workload.transactions > most) continue;
    const file = path.join(folder, `${name.replaceAll(" ", "-")}.txt`);
    writeHistory(file, workload);
    print(`  ${name}: ${(statSync(file).size / 1e6).toFixed(0)} MB`);
    for (const level of WEAK) yield { name, file, level, ...(weak && { aims: weak }) };
    yield { name, file, level: "snapshot-isolation", ...(snapshot && { aims: snapshot }) };
    yield { name, file, level: "serializable" };
    rmSync(file);
  }
}

async function best(each: Case, hook: MemoryHook): Promise<Figures> {
  const all: Figures[] = [];
  for (let round = 0; round < 3; round += 1) all.push(await once(each, hook));
  return all.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a));
}

/** One run; a violation ends the process with code 1, and prints its report all the same. */
async function once({ file, level }: Case, hook: MemoryHook): Promise<Figures> {
  const cli = path.join(root, "dist", "cli.js");
  const args = ["--require", hook.script, cli, "history", file, "--level", level];
  const started = performance.now();
  const { stdout } = await run(process.execPath, [...args, "--format", "json"], {
    maxBuffer: 1 << 28,
  }).catch((failure: unknown) => {
    if (failure instanceof Error && "stdout" in failure && String(failure.stdout) !== "")
      return { stdout: String(failure.stdout) };
    throw failure;
  });
  const milliseconds = performance.now() - started;
  const verdict = /"(ok|violated|unknown)"/u.exec(stdout)?.[1] ?? "";
  return { milliseconds, megabytes: Number(readFileSync(hook.file, "utf8")) / 1024, verdict };
}

/** Histories are judged at the speed of memory: a walk over 64 MB in no order. */
async function calibrate(): Promise<number> {
  const cells = new Int32Array(1 << 24);
  return medianTime(3, () => {
    let at = 1;
    for (let step = 0; step < 1 << 22; step += 1) {
      at = (Math.imul(at, 1664525) + 1013904223) >>> 0;
      const cell = at >>> 8;
      cells[cell] = (cells[cell] ?? 0) + step;
    }
  });
}

void main();
