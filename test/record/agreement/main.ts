// Learnt and static verdicts of the same programs, side by side:
//
//   npm run record:agreement [-- [--clients FOLDER] [--benchbase FOLDER] NAME...]
//
// The programs are the applications of test/apps over pg and Prisma, those of test/data/statements for each library of Node.js,
// and with a checkout of BenchBase (compiled to `target/classes`, its packages in `lib`) its benchmarks.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { BENCHMARKS, procedureOf, recordedBenchmark } from "./benchbase";
import { openServers, type Servers } from "./servers";
import { subjectsOf, type Subject } from "./subjects";
import { checked, cli, comparison, type Compared, type Report } from "./tuples";

const { values: options, positionals } = parseArgs({
  options: { clients: { type: "string" }, benchbase: { type: "string" } },
  allowPositionals: true,
});

type Naming = (sources: Report, learnt: Report) => (name: string) => string | undefined;

interface Line {
  readonly name: string;
  readonly tuples: number;
  readonly alike: number;
}

async function main(): Promise<void> {
  const servers = openServers();
  const home = mkdtempSync(path.join(os.tmpdir(), "isolens-agreement-"));
  const isChosen = (name: string): boolean =>
    positionals.length === 0 || positionals.includes(name);
  const { clients, benchbase } = options;
  const lines: (Line | undefined)[] = [];
  try {
    for (const subject of subjectsOf({ isChosen, clients, fresh: path.join(home, "clients") }))
      lines.push(await compare(subject.name, await recorded(subject, servers, home), sameName));
    for (const name of benchbase === undefined ? [] : BENCHMARKS.filter(isChosen)) {
      const checkout = path.resolve(benchbase ?? "");
      const compared = await recordedBenchmark(name, { checkout, home, servers });
      lines.push(await compare(name, compared, procedureOf));
    }
    console.log("");
    for (const line of lines) if (line) console.log(shareLine(line));
    const sum = (of: (line: Line) => number): number =>
      lines.reduce((total, line) => total + (line ? of(line) : 0), 0);
    console.log(
      shareLine({
        name: "all",
        tuples: sum(({ tuples }) => tuples),
        alike: sum(({ alike }) => alike),
      }),
    );
  } finally {
    await servers.stop();
    if (process.env["KEEP"] === undefined) rmSync(home, { recursive: true, force: true });
    else console.log(`kept: ${home}`);
  }
}

async function recorded(
  { name, product, sources, tables, driver }: Subject,
  servers: Servers,
  home: string,
): Promise<Compared> {
  const database = name.replaceAll("-", "_");
  const url = await servers.database(product, database, tables);
  const out = path.join(home, name);
  const command = [process.execPath, "--import", require.resolve("tsx"), ...driver, url];
  const { hostname, port } = new URL(url);
  const run = await cli(["record", "--keep", "--out", out, "--", ...command], {
    cwd: sources,
    env: {
      ...process.env,
      ...(product === "postgres"
        ? { DATABASE_URL: url }
        : { MYSQL_HOST: hostname, MYSQL_PORT: port, MYSQL_USER: "root", MYSQL_DATABASE: database }),
    },
  });
  return { sources, learnt: out, said: run.error };
}

async function compare(
  name: string,
  { sources, learnt, said }: Compared,
  naming: Naming,
): Promise<Line | undefined> {
  const [own, other] = [await checked(sources), await checked(learnt)];
  if (typeof own === "string" || typeof other === "string") {
    const why =
      typeof own === "string" ? own : `${said}\n${typeof other === "string" ? other : ""}`;
    console.log(`${name}: not compared: ${why}`);
    process.exitCode = 1;
    return undefined;
  }
  const { tuples, alike, differences } = comparison(own, other, naming(own, other));
  console.log(shareLine({ name, tuples, alike }));
  for (const { pair, found, reasons } of differences) {
    console.log(`  ${pair.join(" / ")}: found by the ${found} reading alone`);
    for (const reason of reasons.slice(0, 4)) console.log(`    ${reason}`);
  }
  return { name, tuples, alike };
}

function shareLine({ name, tuples, alike }: Line): string {
  if (tuples === 0) process.exitCode = 1;
  const share = tuples === 0 ? "nothing compared" : `${(100 * (alike / tuples)).toFixed(1)} %`;
  return `${name.padEnd(18)} ${String(alike)} of ${String(tuples)} pairs alike (${share})`;
}

/** With call sites, a learnt transaction has the name of its function. */
function sameName(sources: Report): (name: string) => string | undefined {
  const names = new Set(sources.transactions.map(({ name }) => name));
  return (name) => (names.has(name) ? name : undefined);
}

void main();
