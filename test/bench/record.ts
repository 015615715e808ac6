// The time that a recording adds to a statement on loopback: `npm run bench:record`. Server, proxy and client are processes
// of their own; each round has a run straight to the server, one through a relay that only hands bytes on, which is the
// least that a process in between can add, and one through the proxy, in turns.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { once } from "node:events";
import os from "node:os";
import path from "node:path";
import { startPostgres } from "../../server/src/replay/servers/temporary";
import { median } from "./statistics";

const ROOT = path.resolve(__dirname, "../..");
const CLI = path.join(ROOT, "dist/cli.js");
const PORTS = { server: 54_871, proxy: 54_872, relay: 54_873 };
const PAIRS = 15;
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
