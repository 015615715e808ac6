// `npm run replay:all`: every confirmed anomaly of the example programs at the levels of PostgreSQL and MariaDB, replayed on
// the PostgreSQL that npm carries (or one in PATH) and on MariaDB where it is installed. Prints a line for each that does not
// reproduce, with the reason, and the share that does; exits with 1 below 95 %.
//
//   npm run replay:all -- [--apps NAME,NAME] [--levels NAME,NAME] [--most N]
import { randomInt } from "node:crypto";
import { readdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { readProgram } from "../../server/src/frontend/sql/readProgram";
import { replayAnomaly, type ReplayReport } from "../../server/src/replay/replayAnomaly";
import type { LiveServer } from "../../server/src/replay/servers/liveServer";
import { serverFor } from "../support/liveServers";
import { productOf } from "../unit/store/programs";
import { analyse, app } from "../unit/truth/analyse";

const { values: options } = parseArgs({
  options: {
    apps: { type: "string", default: "" },
    levels: { type: "string", default: "" },
    most: { type: "string", default: "3" },
  },
});

const PRODUCTS = {
  postgres: ["postgres:read-committed", "postgres:repeatable-read", "postgres:serializable"],
  mariadb: ["mariadb:read-committed", "mariadb:repeatable-read", "mariadb:serializable"],
} as const;
const APPS = readdirSync(path.join(__dirname, "../apps"));
const productOfApp = (name: string): keyof typeof PRODUCTS =>
  name.endsWith("-mysql") ? "mariadb" : "postgres";
const chosen = (written: string, all: readonly string[]): readonly string[] =>
  written === "" ? all : written.split(",");

main().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

type Counts = Map<ReplayReport["verdict"], number>;

async function main(): Promise<boolean> {
  const counts: Counts = new Map();
  for (const product of ["postgres", "mariadb"] as const) {
    const apps = chosen(options.apps, APPS).filter((name) => productOfApp(name) === product);
    if (apps.length === 0) continue;
    const temporary = await serverFor(product, {
      diagnostic: (message) => {
        console.log(message);
      },
    });
    if (temporary === undefined) continue;
    console.log(temporary.server.version);
    try {
      for (const name of apps)
        for (const levelName of chosen(options.levels, PRODUCTS[product]))
          await replayApp(temporary.server, name, levelName, counts);
    } finally {
      await temporary.stop();
    }
  }
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  // A schedule that the server follows is what an anomaly without an effect on callers comes to.
  const done = (counts.get("reproduced") ?? 0) + (counts.get("followed") ?? 0);
  const share = all === 0 ? 100 : (100 * done) / all;
  console.log(
    `${String(all)} anomalies: ${countsText(counts)}; ${share.toFixed(1)} % reproduced or followed`,
  );
  return share >= 95;
}

async function replayApp(
  server: LiveServer,
  name: string,
  levelName: string,
  counts: Counts,
): Promise<void> {
  const parsers = { pg: await loadPgParser() };
  const files = app(name);
  const level = productOf(levelName);
  const { anomalies } = await analyse(files, levelName, Number(options.most));
  const program = readProgram(files, parsers);
  const own: Counts = new Map();
  for (const anomaly of anomalies.filter(({ status }) => status === "confirmed")) {
    const report = await replayAnomaly({
      anomaly,
      program,
      files,
      parsers,
      levelOf: () => level,
      server,
      isOwnServer: true,
      schema: `isolens_replay_${String(randomInt(1_000_000_000))}`,
    });
    for (const each of [counts, own]) each.set(report.verdict, (each.get(report.verdict) ?? 0) + 1);
    if (report.verdict === "reproduced") continue;
    const what = `${anomaly.kind} ${anomaly.severity}: ${anomaly.transactions.join(", ")}`;
    console.log(`  ${report.verdict}: ${what}: ${report.reason ?? ""}`);
  }
  if (own.size > 0) console.log(`${name} at ${level.label}: ${countsText(own)}`);
}

function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([verdict, count]) => `${String(count)} ${verdict}`).join(", ");
}
