// The time that a recording adds to a statement on loopback: `npm run bench:record`. Server, proxy and client are processes
// of their own; each round has a run straight to the server, one through a relay that only hands bytes on, which is the
// least that a process in between can add, and one through the proxy, in turns. Times on a busy machine say little; the
// processor time (Linux) of relay and proxy says what each does for a statement, whatever else runs.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { startPostgres } from "../../server/src/replay/servers/temporary";
import { median } from "./statistics";

const ROOT = path.resolve(__dirname, "../..");
const CLI = path.join(ROOT, "dist/cli.js");
const PORTS = { server: 54_871, proxy: 54_872, relay: 54_873 };
const PAIRS = Number(process.env["PAIRS"] ?? 15);
const STATEMENTS = 3000;
const CONNECTIONS = 100;
const EACH = 50;

/** A client that prints microseconds per statement. */
const CLIENT = `
const { Client } = require(process.argv[1]);
const [port, connections, each] = process.argv.slice(2).map(Number);
const open = async () => {
  const client = new Client({ host: "127.0.0.1", port, user: "isolens", database: "postgres" });
  await client.connect();
  return client;
};
const work = async (client, times) => {
  for (let at = 0; at < times; at++)
    await client.query({ name: "one", text: "SELECT id, balance FROM account WHERE id = $1", values: [1 + (at % 100)] });
};
(async () => {
  const clients = await Promise.all(Array.from({ length: connections }, open));
  await Promise.all(clients.map((client) => work(client, Math.min(each, 300))));
  const started = process.hrtime.bigint();
  await Promise.all(clients.map((client) => work(client, each)));
  console.log(Number(process.hrtime.bigint() - started) / 1000 / each / connections);
  await Promise.all(clients.map((client) => client.end()));
})();`;

/** Bytes of each side for the other. */
const RELAY = `
const net = require("node:net");
const [from, to] = process.argv.slice(1).map(Number);
net.createServer({ noDelay: true }, (client) => {
  const server = net.connect({ port: to, host: "127.0.0.1", noDelay: true });
  client.pipe(server).pipe(client);
  for (const each of [client, server]) each.on("error", () => each.destroy());
}).listen(from, "127.0.0.1", () => console.log("listening"));`;

function clientRun(port: number, connections: number, each: number): number {
  const args = ["-e", CLIENT, require.resolve("pg"), port, connections, each].map(String);
  const run = spawnSync(process.execPath, args, { encoding: "utf8" });
  const time = Number(run.stdout);
  if (run.status !== 0 || !(time > 0)) throw new Error(run.stderr);
  return time;
}

/** Processor time in microseconds: of the process' own thread, and of all others of it. */
function processorTime({ pid = 0 }: ChildProcess): {
  readonly own: number;
  readonly others: number;
} {
  const tasks = `/proc/${String(pid)}/task`;
  const times = readdirSync(tasks).map((task) => ({
    isOwn: task === String(pid),
    time: Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1000,
  }));
  const sum = (isOwn: boolean): number =>
    times.reduce((total, each) => total + (each.isOwn === isOwn ? each.time : 0), 0);
  return { own: sum(true), others: sum(false) };
}

/** A line on the processor time of each statement since the times before. */
function processorLine(
  processes: readonly ChildProcess[],
  before: readonly ReturnType<typeof processorTime>[],
  statements: number,
): string {
  const [relay = "", proxy = ""] = processes.map((each, at) => {
    const { own, others } = processorTime(each);
    const of = (time: number): string => (time / statements).toFixed(1);
    return `${of(own - (before[at]?.own ?? 0))} us in its own thread and ${of(others - (before[at]?.others ?? 0))} us in others`;
  });
  return `    processor time per statement: bare relay ${relay}; recording ${proxy}`;
}

function startRecording(folder: string): ChildProcess {
  const server = `postgres://isolens@127.0.0.1:${String(PORTS.server)}/postgres`;
  const args = ["record", "--server", server, "--port", String(PORTS.proxy), "--keep"];
  return spawn(process.execPath, [CLI, ...args, "--out", folder], {
    stdio: ["ignore", "ignore", "pipe"],
  });
}

async function main(): Promise<void> {
  const started = await startPostgres(["max_connections=250"], PORTS.server);
  if (!started.ok) throw new Error(started.reason);
  const { temporary } = started;
  const folder = mkdtempSync(path.join(os.tmpdir(), "isolens-bench-"));
  const recording = startRecording(folder);
  const relay = spawn(process.execPath, ["-e", RELAY, String(PORTS.relay), String(PORTS.server)], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const session = await temporary.server.open();
    await session.execute("CREATE TABLE account (id int PRIMARY KEY, balance int)");
    await session.execute("INSERT INTO account SELECT i, i FROM generate_series(1, 100) i");
    await session.close();
    await once(relay.stdout, "data");
    if (recording.stderr !== null) await once(recording.stderr, "data");
    for (const [connections, each] of [
      [1, STATEMENTS],
      [CONNECTIONS, EACH],
    ] as const) {
      const before = [relay, recording].map(processorTime);
      const pairs = Array.from({ length: PAIRS }, () => {
        const direct = clientRun(PORTS.server, connections, each);
        const relayed = clientRun(PORTS.relay, connections, each);
        return { direct, relayed, proxied: clientRun(PORTS.proxy, connections, each) };
      });
      const direct = median(pairs.map((pair) => pair.direct));
      const more = (of: (pair: (typeof pairs)[number]) => number): string => {
        const added = median(pairs.map((pair) => of(pair) - pair.direct));
        return `${added.toFixed(0)} us more (${((100 * added) / direct).toFixed(0)} %)`;
      };
      console.log(
        `${String(connections).padStart(3)} connections: ${direct.toFixed(0)} us per statement, ${more(({ relayed }) => relayed)} through a bare relay, ${more(({ proxied }) => proxied)} when recorded`,
      );
      const statements = PAIRS * connections * (each + Math.min(each, 300));
      if (process.platform === "linux")
        console.log(processorLine([relay, recording], before, statements));
    }
  } finally {
    relay.kill();
    recording.kill("SIGINT");
    await once(recording, "close");
    await temporary.stop();
  }
  const lines = readFileSync(path.join(folder, "recording.jsonl"), "utf8").trim().split("\n");
  const expected = PAIRS * (STATEMENTS + 300 + CONNECTIONS * 2 * EACH);
  console.log(`${String(lines.length - 1)} statements recorded of ${String(expected)}`);
  rmSync(folder, { recursive: true });
}

void main();
