// Learnt and static verdicts of the same programs, side by side: npm run record:agreement [-- --clients FOLDER] [NAME...].
// The programs are the applications of test/apps over pg, and those of test/data/statements for each library of Node.js.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startPostgres } from "../../../server/src/replay/servers/temporary";
import { ROWS } from "./rows";
import { checked, cli, comparison, type Report } from "./tuples";

const APPS = path.resolve(__dirname, "../../apps");
const DATA = path.resolve(__dirname, "../../data/statements");
const SETTINGS = JSON.stringify({ level: "postgres:read-committed", dialect: "postgres" });
const PORT = 54_873;
const PACKAGES = {
  ...{ "@mikro-orm/core": "6.4.3", "@mikro-orm/postgresql": "6.4.3", "drizzle-orm": "0.45.4" },
  ...{ knex: "3.3.0", kysely: "0.28.18", pg: "8.23.1", postgres: "3.4.9" },
  ...{ "reflect-metadata": "0.2.2", sequelize: "6.37.8", typeorm: "1.1.1" },
};
const PROGRAMS = [
  ...["pg", "postgres", "knex", "kysely", "drizzle", "typeorm", "sequelize", "mikroorm"],
];

const { values: options, positionals } = parseArgs({
  options: { clients: { type: "string" } },
  allowPositionals: true,
});

interface Subject {
  readonly name: string;
  /** The folder that is read statically, and recorded in. */
  readonly sources: string;
  readonly tables: string;
  readonly driver: readonly string[];
}

async function main(): Promise<void> {
  const started = await startPostgres([], PORT);
  if (!started.ok) throw new Error(started.reason);
  const { temporary } = started;
  const home = mkdtempSync(path.join(os.tmpdir(), "isolens-agreement-"));
  const url = (database: string): string =>
    `postgres://isolens@127.0.0.1:${String(PORT)}/${database}`;
  const isChosen = (name: string): boolean =>
    positionals.length === 0 || positionals.includes(name);
  let [tuples, alike] = [0, 0];
  try {
    const subjects = [
      ...[...ROWS.keys()].filter(isChosen).map(application),
      ...programs(PROGRAMS.filter(isChosen), path.join(home, "clients")),
    ];
    for (const { name, sources, tables, driver } of subjects) {
      const database = name.replace("-", "_");
      const admin = await temporary.server.open();
      await admin.execute(`CREATE DATABASE ${database}`);
      await admin.close();
      const client = new Client(url(database));
      await client.connect();
      await client.query(tables);
      await client.end();
      const out = path.join(home, name);
      const command = [
        process.execPath,
        "--import",
        require.resolve("tsx"),
        ...driver,
        url(database),
      ];
      const run = await cli(["record", "--keep", "--out", out, "--", ...command], {
        cwd: sources,
        env: { ...process.env, DATABASE_URL: url(database) },
      });
      const counts = await print(name, { sources, learnt: out, said: run.error });
      tuples += counts?.tuples ?? 0;
      alike += counts?.alike ?? 0;
    }
    console.log(shareLine("all", tuples, alike));
  } finally {
    await temporary.stop();
    if (process.env["KEEP"] === undefined) rmSync(home, { recursive: true, force: true });
    else console.log(`kept: ${home}`);
  }
}

function application(name: string): Subject {
  const sources = path.join(APPS, name);
  const tables = readFileSync(path.join(sources, "schema.sql"), "utf8") + (ROWS.get(name) ?? "");
  return { name, sources, tables, driver: [path.join(__dirname, "apps.ts"), name] };
}

/** Each program in a folder of its own, with its packages in the folder above. */
function programs(names: readonly string[], fresh: string): readonly Subject[] {
  if (names.length === 0) return [];
  const clients = options.clients ?? installed(fresh);
  const tables = readFileSync(path.join(DATA, "tables.sql"), "utf8");
  return names.map((name) => {
    const sources = path.join(clients, `own-${name}`);
    mkdirSync(sources, { recursive: true });
    const file = path.join(sources, `${name}.ts`);
    cpSync(path.join(DATA, "programs", `${name}.ts`), file);
    writeFileSync(path.join(sources, "schema.sql"), tables);
    writeFileSync(path.join(sources, "isolens.json"), SETTINGS);
    const decorators = { experimentalDecorators: true, emitDecoratorMetadata: true };
    writeFileSync(
      path.join(sources, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...decorators, target: "es2022" } }),
    );
    return { name, sources, tables, driver: [path.join(__dirname, "shapes.ts"), file, DATA] };
  });
}

function installed(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: PACKAGES }),
  );
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install the clients into ${folder}`);
  return folder;
}

interface Recorded {
  readonly sources: string;
  readonly learnt: string;
  /** The recording's remarks. */
  readonly said: string;
}

async function print(
  name: string,
  { sources, learnt, said }: Recorded,
): Promise<{ readonly tuples: number; readonly alike: number } | undefined> {
  const [own, other] = [await checked(sources), await checked(learnt)];
  if (typeof own === "string" || typeof other === "string") {
    const why =
      typeof own === "string" ? own : `${said}\n${typeof other === "string" ? other : ""}`;
    console.log(`${name}: not compared: ${why}`);
    process.exitCode = 1;
    return undefined;
  }
  const { tuples, alike, differences } = comparison(own, other, sameName(own));
  console.log(shareLine(name, tuples, alike));
  for (const { pair, found, reasons } of differences) {
    console.log(`  ${pair.join(" / ")}: found by the ${found} reading alone`);
    for (const reason of reasons.slice(0, 4)) console.log(`    ${reason}`);
  }
  return { tuples, alike };
}

function shareLine(name: string, tuples: number, alike: number): string {
  if (tuples === 0) process.exitCode = 1;
  const share = tuples === 0 ? "nothing compared" : `${(100 * (alike / tuples)).toFixed(1)} %`;
  return `${name.padEnd(12)} ${String(alike)} of ${String(tuples)} pairs alike (${share})`;
}

/** With call sites, a learnt transaction has the name of its function. */
function sameName(sources: Report): (name: string) => string | undefined {
  const names = new Set(sources.transactions.map(({ name }) => name));
  return (name) => (names.has(name) ? name : undefined);
}

void main();
