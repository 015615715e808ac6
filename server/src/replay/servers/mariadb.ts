// Sessions on a MariaDB server.
import { createConnection, type Connection, type RowDataPacket } from "mysql2/promise";
import type { LiveServer, LiveSession, ServerAddress, StatementResult } from "./liveServer";
import { plainRow } from "./liveValue";

/** The words of SET TRANSACTION, and whether locking a row that changed since the snapshot fails, by the level's name. */
const LEVELS: Readonly<Record<string, readonly [words: string, snapshotIsolation: 0 | 1]>> = {
  "mariadb:read-uncommitted": ["READ UNCOMMITTED", 0],
  "mariadb:read-committed": ["READ COMMITTED", 0],
  "mariadb:repeatable-read": ["REPEATABLE READ", 0],
  "mariadb:repeatable-read(snapshot-isolation=on)": ["REPEATABLE READ", 1],
  "mariadb:serializable": ["SERIALIZABLE", 0],
};

/** Connects to a server. Rejects with the client's reason when it cannot be reached. */
export async function connectMariadb(address: ServerAddress): Promise<LiveServer> {
  const monitor = await openClient(address);
  const [[version]] = await monitor.query<RowDataPacket[]>("SELECT version() AS version");
  const [number = "?"] = String(version?.["version"] ?? "?").split("-");
  return {
    version: `MariaDB ${number}`,
    product: "mariadb",
    open: () => openSession(address),
    waits: async () => {
      const [[status]] = await monitor.query<RowDataPacket[]>("SHOW ENGINE INNODB STATUS");
      return waitsIn(String(status?.["Status"] ?? ""));
    },
    begin: (level) => {
      const found = LEVELS[level.name];
      if (found === undefined) throw new Error(`${level.label} is no level of MariaDB`);
      const [words, snapshotIsolation] = found;
      return [
        `SET SESSION TRANSACTION ISOLATION LEVEL ${words}`,
        `SET SESSION innodb_snapshot_isolation = ${snapshotIsolation}`,
        "BEGIN",
      ];
    },
    close: () => monitor.end(),
  };
}

/**
 * The sessions that InnoDB's report says to wait. The table `innodb_trx` says the same with a delay of up to 100 ms;
 * neither tells who holds the lock, and InnoDB ends a deadlock at once.
 */
function waitsIn(report: string): ReadonlyMap<number, readonly number[]> {
  const waits = new Map<number, readonly number[]>();
  for (const transaction of report.split("---TRANSACTION ").slice(1)) {
    const id = /^(?:MariaDB|MySQL) thread id (\d+)/m.exec(transaction)?.[1];
    if (id !== undefined && /^LOCK WAIT /m.test(transaction)) waits.set(Number(id), []);
  }
  return waits;
}

async function openSession(address: ServerAddress): Promise<LiveSession> {
  const client = await openClient(address);
  const [[row]] = await client.query<RowDataPacket[]>("SELECT connection_id() AS id");
  return {
    id: Number(row?.["id"]),
    execute: async (sql): Promise<StatementResult> => {
      try {
        const [result] = await client.query(sql);
        if (!Array.isArray(result)) return { ok: true, rows: [], affected: result.affectedRows };
        const rows = result.map(plainRow);
        return { ok: true, rows, affected: rows.length };
      } catch (problem) {
        const refusal = refusalOf(problem);
        if (refusal === undefined) throw problem;
        return refusal;
      }
    },
    close: () => client.end(),
  };
}

/** What the server said, as opposed to a failure of the connection. */
function refusalOf(problem: unknown): StatementResult | undefined {
  if (!(problem instanceof Error) || !("errno" in problem) || !("sqlState" in problem))
    return undefined;
  return { ok: false, code: String(problem.errno), message: problem.message };
}

async function openClient(address: ServerAddress): Promise<Connection> {
  const { socket, host, port, user, password, database } = address;
  return createConnection({
    user,
    database,
    ...(socket === undefined ? {} : { socketPath: socket }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(password === undefined ? {} : { password }),
  });
}
