// Sessions on a PostgreSQL server.
import { Client, DatabaseError } from "pg";
import type { ProductLevel } from "../../isolation/levels";
import { dictionary } from "../../protocol/dictionary";
import type { LiveServer, ServerAddress } from "./liveServer";
import { plainRow } from "./liveValue";
import { postgresActor } from "./postgresActor";
import type { LiveSession, StatementResult } from "./liveSession";

/** The level in BEGIN, by level name. */
const LEVELS = dictionary<string>({
  "postgres:read-committed": "READ COMMITTED",
  "postgres:repeatable-read": "REPEATABLE READ",
  "postgres:serializable": "SERIALIZABLE",
});

/** Connects to a server. Rejects with the client's reason if it is unreachable. */
export async function connectPostgres(address: ServerAddress): Promise<LiveServer> {
  const monitor = await openClient(address);
  const version = await monitor.query<{ server_version: string }>("SHOW server_version");
  const [number = "?"] = (version.rows[0]?.server_version ?? "?").split(" ");
  return {
    version: `PostgreSQL ${number}`,
    product: "postgres",
    open: () => openSession(address),
    actor: (admin, name, schemas) =>
      postgresActor(admin, name, schemas, (user, password) =>
        openSession({ ...address, user, password }),
      ),
    waits: async () => {
      const { rows } = await monitor.query<{ pid: number; holders: number[] }>(WAITS);
      return new Map(rows.map(({ pid, holders }) => [pid, holders]));
    },
    begin: (level) => [`BEGIN ISOLATION LEVEL ${wordsOf(level)}`],
    prepare: (level) => [
      `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ${wordsOf(level)}`,
    ],
    kill: async ({ id }) => {
      await monitor.query("SELECT pg_terminate_backend($1)", [id]);
    },
    close: () => monitor.end(),
  };
}

/** Sessions with an ungranted lock, and the holders. */
const WAITS = `SELECT pid, pg_blocking_pids(pid) AS holders
  FROM pg_locks WHERE NOT granted GROUP BY pid`;

async function openSession(address: ServerAddress): Promise<LiveSession> {
  const client = await openClient(address);
  const { rows } = await client.query<{ id: number }>("SELECT pg_backend_pid() AS id");
  return {
    id: rows[0]?.id ?? 0,
    execute: async (sql): Promise<StatementResult> => {
      try {
        const result = await client.query<Record<string, unknown>>(sql);
        // After a failure COMMIT succeeds and answers ROLLBACK.
        if (/^commit$/i.test(sql) && result.command === "ROLLBACK")
          return { ok: false, code: "25P02", message: "the transaction was rolled back" };
        return { ok: true, rows: result.rows.map(plainRow), affected: result.rowCount ?? 0 };
      } catch (problem) {
        if (!(problem instanceof DatabaseError)) throw problem;
        return { ok: false, code: problem.code ?? "", message: problem.message };
      }
    },
    close: () => client.end(),
  };
}

async function openClient(address: ServerAddress): Promise<Client> {
  const { socket, host, port, user, password, database, encryption } = address;
  const client = new Client({
    user,
    database,
    ...((socket ?? host) ? { host: socket ?? host } : {}),
    ...(port === undefined ? {} : { port }),
    ...(password === undefined ? {} : { password }),
    ...(encryption && { ssl: encryption }),
  });
  // A stopped server closes its connections: the current statements reject, which is sufficient.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function wordsOf(level: ProductLevel): string {
  const words = LEVELS[level.name];
  if (words === undefined) throw new Error(`${level.label} is no level of PostgreSQL`);
  return words;
}
