// `npm run record:statements`: runs the programs of test/data/statements with the real clients on a PostgreSQL and a
// MariaDB, and keeps the statements that these sent, beside what the functions returned and the rows at the end.
//
//   npm run record:statements -- [--only LIBRARY]... [--clients FOLDER]
//
// The clients are installed into the folder (a temporary one unless it is named), in the versions of CLIENTS.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { ServerAddress } from "../../server/src/replay/servers/liveServer";
import {
  startMariadb,
  startPostgres,
  type StartResult,
} from "../../server/src/replay/servers/temporary";
import { recordJava } from "./recordJava";

const CLIENTS = {
  "@mikro-orm/core": "6.4.3",
  "@mikro-orm/postgresql": "6.4.3",
  "drizzle-orm": "0.45.4",
  knex: "3.3.0",
  kysely: "0.28.18",
  massive: "6.11.3",
  mysql2: "3.24.6",
  objection: "3.1.5",
  pg: "8.23.1",
  postgres: "3.4.9",
  "reflect-metadata": "0.2.2",
  sequelize: "6.37.8",
  "serverless-mysql": "2.1.0",
  typeorm: "1.1.1",
};
/** Drivers of Java want a port. */
const JAVA_PORT = 54_871;
const JDBC_URL = `jdbc:postgresql://127.0.0.1:${String(JAVA_PORT)}/postgres?user=isolens`;
/** Decorators as TypeORM wants them. */
const TSCONFIG = { compilerOptions: { experimentalDecorators: true, target: "es2022" } };

const data = path.join(__dirname, "../data/statements");
const { values: options } = parseArgs({
  options: { only: { type: "string", multiple: true }, clients: { type: "string" } },
});

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

async function main(): Promise<void> {
  const folder = options.clients ?? mkdtempSync(path.join(os.tmpdir(), "isolens-clients-"));
  install(folder);
  const files = readdirSync(path.join(data, "programs")).map((file) => path.parse(file));
  const programs = files.filter(({ ext }) => ext === ".ts").map(({ name }) => name);
  const chosen = programs.filter((name) => options.only?.includes(name) ?? true);
  const isMysql = (name: string): boolean => name.startsWith("mysql2") || name.endsWith("-mysql");
  const postgres = chosen.filter((name) => !isMysql(name));
  const mysql = chosen.filter(isMysql);
  if (postgres.length > 0) await withServer(await startPostgres(), "postgres", folder, postgres);
  if (mysql.length > 0) await withServer(await startMariadb(), "mariadb", folder, mysql);
  const java = files.filter(({ name, ext }) => ext === ".java" && (options.only?.includes(name) ?? true)).map(({ name }) => name); // prettier-ignore
  if (java.length > 0) await withServer(await startPostgres([], JAVA_PORT), "java", folder, java);
  if (options.clients === undefined) rmSync(folder, { recursive: true });
}

function install(folder: string): void {
  const wanted = { private: true, dependencies: CLIENTS };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(wanted));
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install the clients into ${folder}`);
}

async function withServer(
  started: StartResult,
  product: "postgres" | "mariadb" | "java",
  folder: string,
  programs: readonly string[],
): Promise<void> {
  if (!started.ok) throw new Error(`${product}: ${started.reason}`);
  const { temporary } = started;
  try {
    for (const program of programs) {
      const recorded =
        product === "java"
          ? recordJava(`${program}.java`, { folder, data, url: JDBC_URL })
          : record(program, product, folder, temporary.address);
      const file = path.join(data, "recorded", `${program}.json`);
      mkdirSync(path.dirname(file), { recursive: true });
      const { version } = temporary.server;
      const lines = recorded.map((each) => `  ${JSON.stringify(each)}`).join(",\n");
      const server = JSON.stringify(version);
      writeFileSync(file, `{\n "server": ${server},\n "runs": [\n${lines}\n ]\n}\n`);
      console.log(`${program}: ${String(recorded.length)} runs`);
    }
  } finally {
    await temporary.stop();
  }
}

/** The runs of one file of programs, in a process of its own: clients are watched from within. */
function record(
  program: string,
  product: string,
  folder: string,
  { socket = "", user, database }: ServerAddress,
): readonly unknown[] {
  const copy = path.join(folder, `${program}.ts`);
  writeFileSync(copy, readFileSync(path.join(data, "programs", `${program}.ts`)));
  const result = path.join(folder, `${program}.json`);
  rmSync(result, { force: true });
  const { status } = spawnSync(
    process.execPath,
    [
      "--import",
      pathToFileURL(require.resolve("tsx")).href,
      path.join(__dirname, "recordStatementsOf.ts"),
      ...[copy, result, data],
    ],
    {
      cwd: folder,
      stdio: "inherit",
      env: {
        ...process.env,
        RECORD_PRODUCT: product,
        RECORD_SOCKET: product === "postgres" ? path.join(socket, ".s.PGSQL.5432") : socket,
        DATABASE_URL:
          product === "postgres"
            ? `postgres://${user}@localhost:5432/${database}`
            : "mysql://root@localhost:3306/shop",
      },
    },
  );
  if (status !== 0) throw new Error(`${program} could not be recorded`);
  // Written by the process that has just ended.
  return JSON.parse(readFileSync(result, "utf8")) as readonly unknown[];
}
