// Records the applications of this folder against real servers and prints for each which of its planted races were found
// and which of its correct twins accused: npm run record:apps [-- NAME...]. With --perturb, doubts are settled by runs with
// changed answers, and how many were and are left is printed.
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import {
  startMariadb,
  startPostgres,
  type TemporaryServer,
} from "../../server/src/replay/servers/temporary";
import { APPLICATIONS, type Application } from "./applications";

const HERE = __dirname;
const CLI = path.resolve(HERE, "../../dist/cli.js");

interface Told {
  readonly status: string;
  readonly severity: string;
  readonly transactions: readonly string[];
}

async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((each) => each !== PERTURB);
  const isPerturbed = args.includes(PERTURB);
  const chosen = APPLICATIONS.filter(
    ({ name }) =>
      names.length === 0 || names.some((each) => name.toLowerCase().includes(each.toLowerCase())),
  );
  const missing: string[] = [];
  let [open, left] = [0, 0];
  console.log(
    `${"application".padEnd(36)} races found   twins accused   undecided${isPerturbed ? "   doubts" : ""}`,
  );
  for (const application of chosen) {
    const line = await recorded(application, isPerturbed);
    if (typeof line === "string") missing.push(`${application.name}: ${line}`);
    else {
      const { found, accused, undecided, doubts } = line;
      open += doubts?.before ?? 0;
      left += doubts?.after ?? 0;
      const settled = doubts && `${String(doubts.before)} -> ${String(doubts.after)}`;
      const count = (own: readonly string[], all: readonly string[]): string =>
        `${String(own.length)} of ${String(all.length)}`;
      console.log(
        `${application.name.padEnd(36)} ${count(found, application.races).padEnd(13)} ${count(accused, application.twins).padEnd(15)} ${String(undecided).padEnd(11)} ${settled ?? ""}`.trimEnd(),
      );
      const lost = application.races.filter((name) => !found.includes(name));
      if (lost.length > 0) console.log(`  not found: ${lost.join(", ")}`);
      if (accused.length > 0) console.log(`  accused: ${accused.join(", ")}`);
      if (lost.length > 0 || accused.length > 0) process.exitCode = 1;
    }
  }
  if (open > 0)
    console.log(
      `${String(open - left)} of ${String(open)} doubts settled (${(100 * (1 - left / open)).toFixed(0)} %)`,
    );
  for (const each of missing) console.log(`not run: ${each}`);
}

interface Line {
  readonly found: readonly string[];
  readonly accused: readonly string[];
  readonly undecided: number;
  /** Those that other answers could settle, before and after. */
  readonly doubts?: { readonly before: number; readonly after: number };
}

const PERTURB = "--perturb";

async function recorded(
  { folder, database, prepare, races, twins }: Application,
  isPerturbed: boolean,
): Promise<Line | string> {
  const home = mkdtempSync(path.join(os.tmpdir(), "isolens-record-"));
  const started = await (database === "postgres" ? startPostgres() : startMariadb());
  if (!started.ok) return started.reason;
  const { temporary } = started;
  try {
    const app = path.join(home, "app");
    cpSync(path.join(HERE, "apps", folder), app, { recursive: true });
    const prepared = prepare(path.join(home, "packages"), app);
    if ("missing" in prepared) return prepared.missing;
    const env = {
      ...process.env,
      ...environmentOf(database, await madeDatabase(database, temporary)),
      ...prepared.env,
    };
    const options = isPerturbed ? [PERTURB, "shop"] : [];
    const command = ["record", "--keep", ...options, "--", ...prepared.command];
    const run = await cli(command, app, env);
    const check = await cli(
      ["check", "isolens/recorded", "--format", "json", "--budget", "120s"],
      app,
      env,
    );
    if (!check.out.startsWith("["))
      return `${run.error.trim().split("\n").slice(-8).join("\n")}\n${check.error}`;
    // The product's own report.
    const [report] = JSON.parse(check.out) as readonly {
      readonly anomalies: readonly Told[];
      readonly unknown: readonly unknown[];
    }[];
    const told = (report?.anomalies ?? []).filter(
      ({ status, severity }) => status === "confirmed" && severity !== "refused",
    );
    const within = (all: readonly string[]) => (name: string) =>
      told.some(
        ({ transactions }) =>
          transactions.includes(name) && transactions.every((each) => all.includes(each)),
      );
    const [, before, after] = /of (\d+) doubts .*, (\d+) are left/.exec(run.error) ?? [];
    return {
      found: races.filter(within(races)),
      accused: twins.filter(within(twins)),
      undecided: report?.unknown.length ?? 0,
      ...(before !== undefined && { doubts: { before: Number(before), after: Number(after) } }),
    };
  } finally {
    await temporary.stop();
    if (process.env["KEEP"] === undefined) rmSync(home, { recursive: true, force: true });
    else console.log(`  kept: ${home}`);
  }
}

interface Address {
  readonly socket: string;
  readonly user: string;
}

async function madeDatabase(
  database: Application["database"],
  { server, address }: TemporaryServer,
): Promise<Address> {
  const session = await server.open();
  await session.execute("CREATE DATABASE shop");
  if (database === "mariadb") await session.execute("CREATE USER 'shop'@'%' IDENTIFIED BY 'shop'");
  if (database === "mariadb") await session.execute("GRANT ALL ON *.* TO 'shop'@'%'");
  await session.close();
  return { socket: address.socket ?? "", user: database === "mariadb" ? "shop" : address.user };
}

function environmentOf(
  database: Application["database"],
  { socket, user }: Address,
): Readonly<Record<string, string>> {
  const common = {
    DB_NAME: "shop",
    DB_USER: user,
    DB_PASSWORD: database === "mariadb" ? "shop" : "",
  };
  return database === "postgres"
    ? {
        ...common,
        DATABASE_URL: `postgres://${user}@127.0.0.1:5432/shop?host=${socket}`,
        DB_HOST: socket,
        DB_PORT: "5432",
      }
    : {
        ...common,
        DATABASE_URL: `mysql://${user}:shop@127.0.0.1:3306/shop?host=${socket}`,
        DB_HOST: socket,
        DB_PORT: "3306",
      };
}

function cli(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly out: string; readonly error: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd,
      env: { ...env, ISOLENS_CACHE: "off" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, error] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
    child.on("close", () => {
      resolve({ out, error });
    });
  });
}

void main(process.argv.slice(2));
