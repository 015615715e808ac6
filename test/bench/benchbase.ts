// BenchBase (OLTP-Bench) as it is, on `isolens serve` and on a real server: what it loads and executes, with which errors,
// how fast beside the server, and whether the written history keeps the level.
//
//   npm run bench:benchbase -- --folder DIR [--product postgres|mariadb|mysql] [--only REGEX] [--seconds 30]
//     [--terminals 4] [--level LEVEL] [--real no] [--history no] [--profile]
//
// DIR holds BenchBase's own builds, unpacked: `benchbase-postgres`, `benchbase-mariadb`, `benchbase-mysql`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import mysql from "mysql2/promise";
import pg from "pg";
import { startMock, startReal, type RunningServer } from "../realClients/servers";

const { values: options } = parseArgs({
  options: {
    folder: { type: "string", default: path.join(os.homedir(), ".cache", "isolens-benchbase") },
    product: { type: "string", default: "postgres" },
    only: { type: "string", default: "" },
    seconds: { type: "string", default: "30" },
    terminals: { type: "string", default: "4" },
    level: { type: "string", default: "" },
    real: { type: "string", default: "yes" },
    history: { type: "string", default: "yes" },
    profile: { type: "boolean", default: false },
    patience: { type: "string", default: "1200" },
  },
});

const BENCHMARKS = [
  "tpcc",
  "smallbank",
  "voter",
  "twitter",
  "epinions",
  "tatp",
  "ycsb",
  "wikipedia",
  "seats",
  "auctionmark",
] as const;

const CLI = path.join(__dirname, "..", "..", "dist", "cli.js");
const home = path.join(options.folder, `benchbase-${options.product}`);
const results = mkdtempSync(path.join(os.tmpdir(), "isolens-benchbase-"));
const isPostgres = options.product === "postgres";
const level =
  options.level === "" ? `${isPostgres ? "postgres" : "mariadb"}:serializable` : options.level;

interface Run {
  /** Completed transactions in a second. */
  readonly throughput: number;
  /** Seconds of creating and loading. */
  readonly loading: number;
  readonly completed: number;
  readonly aborted: number;
  /** Transactions that the server refused, and that are tried again. */
  readonly retried: number;
  readonly unexpected: number;
  /** The first errors of the log. */
  readonly errors: readonly string[];
}

main().then(
  (isClean) => process.exit(isClean ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);

/** True where nothing was unexpected and all histories keep their level. */
async function main(): Promise<boolean> {
  const pattern = new RegExp(options.only, "iu");
  let isClean = true;
  console.log(
    `${options.product} at ${level}, ${options.terminals} terminals, ${options.seconds} s; load ${os.loadavg()[0]?.toFixed(1) ?? "?"}`,
  );
  const real =
    options.real === "no" ? undefined : await startReal(isPostgres ? "postgres" : "mysql");
  try {
    for (const name of BENCHMARKS.filter((each) => pattern.test(each))) {
      const history = path.join(results, `${name}.json`);
      const mock = await startMock(isPostgres ? "postgres" : "mysql", {
        level,
        // The history begins when rows are loaded.
        further:
          options.history === "no"
            ? []
            : ["--history", history, "--strong-until", "1000000 seconds"],
        ...(options.profile && { profile: path.join(results, name) }),
      });
      let own: Run;
      try {
        own = await run(name, mock, "mock");
      } finally {
        await mock.stop();
      }
      const verdict = options.history === "no" ? "not written" : await verdictOf(history);
      let theirs: Run | undefined;
      if (real !== undefined) {
        await real.reset?.();
        theirs = await run(name, real, "real");
      }
      isClean &&= own.unexpected === 0 && own.completed > 0 && /^(ok|not written)$/u.test(verdict);
      console.log(rowOf(name, own, theirs, verdict));
      for (const error of own.errors) console.log(`    ${error}`);
    }
  } finally {
    await real?.stop();
  }
  console.log(`logs in ${results}`);
  return isClean;
}

function rowOf(name: string, own: Run, theirs: Run | undefined, verdict: string): string {
  const beside =
    theirs === undefined
      ? ""
      : ` of ${theirs.throughput.toFixed(0)}/s (1/${(theirs.throughput / own.throughput).toFixed(1)})`;
  const loading = theirs === undefined ? "" : ` of ${theirs.loading.toFixed(0)}`;
  return [
    name.padEnd(12),
    `load ${own.loading.toFixed(0)}${loading} s`.padEnd(18),
    `${own.throughput.toFixed(0)}/s${beside}`.padEnd(28),
    `completed ${String(own.completed)}, aborted ${String(own.aborted)}, retried ${String(own.retried)}, unexpected ${String(own.unexpected)}`.padEnd(
      66,
    ),
    `history ${verdict}`,
  ].join(" ");
}

/** Creates, loads and executes one benchmark. */
async function run(name: string, { port }: RunningServer, side: string): Promise<Run> {
  const folder = path.join(results, `${name}-${side}`);
  mkdirSync(folder, { recursive: true });
  const config = path.join(folder, "config.xml");
  writeFileSync(config, configured(name, port));
  const begun = performance.now();
  const loaded = await java(name, config, folder, ["--create=true", "--load=true"]);
  const loading = (performance.now() - begun) / 1000;
  if (side === "mock" && options.history !== "no") await beginHistory(port);
  const executed = await java(name, config, folder, ["--execute=true"]);
  return { ...figuresOf(folder, loaded + executed), loading };
}

async function beginHistory(port: number): Promise<void> {
  const address = { host: "127.0.0.1", port, user: "app", password: "secret", database: "app" };
  const start = "select isolens_start()";
  if (isPostgres) {
    const client = new pg.Client(address);
    await client.connect();
    await client.query(start);
    await client.end();
    return;
  }
  const client = await mysql.createConnection(address);
  await client.query(start);
  await client.end();
}

/** The configuration that BenchBase brings, for this server and this many terminals. */
function configured(name: string, port: number): string {
  const file = path.join(home, "config", options.product, `sample_${name}_config.xml`);
  return readFileSync(file, "utf8")
    .replace(/localhost:\d+\/\w+/u, `127.0.0.1:${String(port)}/app`)
    .replace(/<username>.*?<\/username>/u, "<username>app</username>")
    .replace(/<password>.*?<\/password>/u, "<password>secret</password>")
    .replace(/<terminals>.*?<\/terminals>/u, `<terminals>${options.terminals}</terminals>`)
    .replace(/<time>.*?<\/time>/u, `<time>${options.seconds}</time>`)
    .replace(/<rate>.*?<\/rate>/u, "<rate>unlimited</rate>")
    .replaceAll(
      /<tracefile(2?)>.*?<\/tracefile2?>/gu,
      (_, second: string) => `<tracefile${second}>${traceFile(second)}</tracefile${second}>`,
    );
}

/** The traces of tweets and users that BenchBase does not ship: numbers up to those that it loads. */
function traceFile(second: string): string {
  const most = second === "" ? 20_000 : 500;
  const file = path.join(results, `trace${second}.txt`);
  let seed = 7;
  const numbers = Array.from({ length: 20_000 }, () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return String(1 + (seed % most));
  });
  writeFileSync(file, `${numbers.join("\n")}\n`);
  return file;
}

async function java(
  name: string,
  config: string,
  folder: string,
  actions: readonly string[],
): Promise<string> {
  const args = ["-jar", "benchbase.jar", "-b", name, "-c", config, "-d", folder, ...actions];
  const child = spawn("java", args, { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  const timer = setTimeout(() => child.kill("SIGKILL"), Number(options.patience) * 1000);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  if (code === null) log += "\n[ERROR] ended, since it took too long\n";
  writeFileSync(path.join(folder, `log${actions.join("").replaceAll(/\W/gu, "")}.txt`), log);
  return log;
}

function figuresOf(folder: string, log: string): Omit<Run, "loading"> {
  const summary = readdirSync(folder).find((each) => each.endsWith(".summary.json"));
  const told = summary === undefined ? "" : readFileSync(path.join(folder, summary), "utf8");
  const throughput = Number(/"Goodput \(requests\/second\)": ([\d.]+)/u.exec(told)?.[1] ?? 0);
  const histogram = (title: string): number => {
    const from = log.indexOf(title);
    if (from < 0) return 0;
    const block = log.slice(from + title.length).split(/\n\S*\x1b?\S*[A-Z][^\n]*:\n/u, 1)[0] ?? "";
    return [...block.matchAll(/\[\s*(\d+)\] \*/gu)].reduce((sum, each) => sum + Number(each[1]), 0);
  };
  const errors = log
    .split("\n")
    .filter((line) => /ERROR|WARN|Exception|Caused by/u.test(line) && !/fail to sleep/u.test(line));
  const unexpectedLines = errors.filter((line) => /ERROR|Exception/u.test(line)).length;
  const unexpected = histogram("Unexpected SQL Errors:");
  return {
    throughput,
    completed: histogram("Completed Transactions:"),
    aborted: histogram("Aborted Transactions:"),
    retried:
      histogram("Rejected Transactions (Server Retry):") +
      histogram("Rejected Transactions (Retry Different):"),
    unexpected: Math.max(unexpected, summary === undefined ? unexpectedLines : 0),
    errors: [...new Set(errors.map((line) => line.replace(/^.*?(?=ERROR|WARN)/u, "")))].slice(0, 8),
  };
}

/** The levels of the literature that histories of products' levels satisfy. */
const JUDGED: ReadonlyMap<string, string> = new Map([
  ["postgres:serializable", "serializable"],
  ["postgres:repeatable-read", "snapshot-isolation"],
  ["postgres:read-committed", "read-committed"],
  ["mariadb:serializable", "serializable"],
  ["mariadb:read-committed", "read-committed"],
]);

async function verdictOf(history: string): Promise<string> {
  const judged = JUDGED.get(level) ?? level;
  const child = spawn(process.execPath, [CLI, "history", history, "--level", judged], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, "exit")) as [number | null];
  writeFileSync(`${history}.verdict.txt`, text);
  return code === 0 ? "ok" : `${String(code)}: ${text.split("\n", 1)[0] ?? ""}`;
}
