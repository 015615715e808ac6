// `npm run bench:firstrun -- FOLDER...`: what somebody gets who runs `isolens check .` on a repository for the first
// time: how long until the first finding, until the first screen has settled (the last alarming finding) and until the end, the
// peak of memory, how much is told, possible and open, and how many transactions are decided: with all that share their tables.
//
//   npm run bench:firstrun -- [--budget 60s] FOLDER...
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { isShown, undecidedCount } from "../../server/src/protocol/report";
import type { LevelReport, ReportTransaction } from "../../server/src/protocol/report";

const CLI = path.join(__dirname, "..", "..", "dist", "cli.js");

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { budget: { type: "string" } },
});

interface Timings {
  readonly firstAnomaly?: number;
  readonly lastAlarm?: number;
  readonly whole: number;
}

type TimedReport = LevelReport & { readonly timings?: Timings };

interface Run {
  readonly seconds: number;
  /** Peak of resident memory; undefined where the system does not tell. */
  readonly megabytes: number | undefined;
  readonly code: number | null;
  readonly reports: readonly TimedReport[];
}

async function main(): Promise<void> {
  print(["folder", "s", "first s", "settled s", "MB", "exit", "transactions", "decided", "told", "possible", "undecided"]); // prettier-ignore
  for (const folder of positionals) {
    const { seconds, megabytes, code, reports } = await checked(path.resolve(folder));
    const anomalies = reports.flatMap((report) => report.anomalies).filter((each) => isShown(each));
    const told = anomalies.filter(({ status }) => status === "confirmed").length;
    const firsts = reports.flatMap(({ timings }) => timings?.firstAnomaly ?? []);
    const lasts = reports.flatMap(({ timings }) => timings?.lastAlarm ?? []);
    const transactions = reports.flatMap((report) => report.transactions);
    const decided = transactions.filter(isDecided).length / Math.max(1, transactions.length);
    const reading =
      seconds - reports.reduce((sum, { timings }) => sum + (timings?.whole ?? 0), 0) / 1000;
    print([
      path.basename(folder),
      seconds.toFixed(1),
      firsts.length === 0 ? "-" : (reading + Math.min(...firsts) / 1000).toFixed(1),
      lasts.length === 0 ? "-" : (reading + Math.max(...lasts) / 1000).toFixed(1),
      megabytes === undefined ? "?" : String(Math.round(megabytes)),
      String(code),
      String(transactions.length),
      `${String(Math.round(100 * decided))}%`,
      String(told),
      String(anomalies.length - told),
      String(reports.reduce((sum, { unknown }) => sum + undecidedCount(unknown), 0)),
    ]);
  }
  print([
    `load ${loadavg()
      .map((each) => each.toFixed(1))
      .join(" ")}`,
  ]);
}

/** True if a transaction races, or was found to race with none of those that share its tables. */
function isDecided({ pairs }: ReportTransaction): boolean {
  return pairs !== undefined && (pairs.racing > 0 || pairs.settled === pairs.sharing);
}

async function checked(folder: string): Promise<Run> {
  const started = performance.now();
  const budget = options.budget === undefined ? [] : ["--budget", options.budget];
  const args = [CLI, "check", ".", "--no-cache", "--format", "json", "--timings", ...budget];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  let out = "";
  let megabytes: number | undefined;
  const watch = setInterval(() => {
    megabytes = peakOf(child.pid) ?? megabytes;
  }, 100);
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearInterval(watch);
  return {
    seconds: (performance.now() - started) / 1000,
    megabytes,
    code,
    reports: reportsIn(out),
  };
}

/** The reports that were printed; none where the run ended without. */
function reportsIn(out: string): readonly TimedReport[] {
  if (out.trim() === "") return [];
  // The output of `check --format json --timings`.
  return (
    JSON.parse(out) as readonly (
      TimedReport | { readonly report: TimedReport; readonly timings: Timings }
    )[]
  ).map((each) => ("report" in each ? { ...each.report, timings: each.timings } : each));
}

/** The peak of a process' resident memory, where the system has /proc. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    const peak = /^VmHWM:\s+(?<kilobytes>\d+) kB/mu.exec(status)?.groups?.kilobytes;
    return peak === undefined ? undefined : Number(peak) / 1024;
  } catch {
    // The process is gone, or this is another system.
    return undefined;
  }
}

function print(cells: readonly string[]): void {
  process.stdout.write(
    `${cells.map((cell, n) => (n === 0 ? cell.padEnd(14) : cell.padStart(12))).join("")}\n`,
  );
}

void main();
