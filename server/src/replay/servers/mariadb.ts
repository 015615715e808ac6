// Sessions on a MariaDB server.
import {
  createConnection,
  type Connection,
  type ResultSetHeader,
  type RowDataPacket,
} from "mysql2/promise";
import type { ProductLevel } from "../../isolation/levels";
import { namedLevel } from "../../program/declaredLevel";
import { dictionary } from "../../protocol/dictionary";
import type { Row } from "../../protocol/witness";
import type { LiveServer, ServerAddress } from "./liveServer";
import { plainRow } from "./liveValue";
import { mariadbActor } from "./mariadbActor";
import type { LiveSession, StatementResult } from "./liveSession";

/**
 * The SET TRANSACTION level, and whether locking a row that changed since the snapshot fails, by level name. MySQL has no such setting.
 */
const LEVELS = dictionary<readonly [words: string, snapshotIsolation: 0 | 1]>({
  "mysql:read-uncommitted": ["READ UNCOMMITTED", 0],
  "mysql:read-committed": ["READ COMMITTED", 0],
  "mysql:repeatable-read": ["REPEATABLE READ", 0],
  "mysql:serializable": ["SERIALIZABLE", 0],
  "mariadb:read-uncommitted": ["READ UNCOMMITTED", 0],
  "mariadb:read-committed": ["READ COMMITTED", 0],
  "mariadb:repeatable-read": ["REPEATABLE READ", 0],
  "mariadb:repeatable-read(snapshot-isolation=off)": ["REPEATABLE READ", 0],
  "mariadb:repeatable-read(snapshot-isolation=on)": ["REPEATABLE READ", 1],
  "mariadb:serializable": ["SERIALIZABLE", 0],
});

/** Connects to a server. Rejects with the client's reason if it is unreachable. */
export async function connectMariadb(address: ServerAddress): Promise<LiveServer> {
  const monitor = await openClient(address);
  const [[version]] = await monitor.query<RowDataPacket[]>("SELECT version() AS version");
  const written = String(version?.["version"] ?? "?");
  const [number = "?"] = written.split("-");
  const isMariadb = /mariadb/i.test(written);
  const prepare = (level: ProductLevel): readonly string[] => {
    const found = LEVELS[namedLevel(level.name).name ?? ""];
    if (found === undefined) throw new Error(`${level.label} is no level of MariaDB`);
    const [words, snapshotIsolation] = found;
    const isolation = `SET SESSION TRANSACTION ISOLATION LEVEL ${words}`;
    if (!isMariadb) return [isolation];
    return [isolation, `SET SESSION innodb_snapshot_isolation = ${String(snapshotIsolation)}`];
  };
  return {
    version: `${isMariadb ? "MariaDB" : "MySQL"} ${number}`,
    product: "mariadb",
    open: () => openSession(address),
    actor: (admin, name, [schema = name]) =>
      mariadbActor(admin, name, schema, (user, password) =>
        openSession({ ...address, user, password, database: schema }),
      ),
    waits: async () => {
      const [[status]] = await monitor.query<RowDataPacket[]>("SHOW ENGINE INNODB STATUS");
      const waiting = waitingIn(String(status?.["Status"] ?? ""));
      if (waiting.length === 0) return new Map();
      const [pairs] = await monitor.query<RowDataPacket[]>(isMariadb ? HOLDERS : MYSQL_HOLDERS);
      const holdersOf = (id: number): readonly number[] =>
        pairs
          .filter(({ waiting: each }) => Number(each) === id)
          .map(({ holder }) => Number(holder));
      return new Map(waiting.map((id) => [id, holdersOf(id)]));
    },
    begin: (level) => [
      ...prepare(level),
      namedLevel(level.name).isAtBegin ? "START TRANSACTION WITH CONSISTENT SNAPSHOT" : "BEGIN",
    ],
    prepare,
    kill: async ({ id }) => {
      try {
        await monitor.query(`KILL ${String(id)}`);
      } catch (problem) {
        // The session has ended already.
        if (refusalOf(problem) === undefined) throw problem;
      }
    },
    close: () => monitor.end(),
  };
}

/** The waits-for relation, up to 100 ms late. */
const HOLDERS = `SELECT w.trx_mysql_thread_id AS waiting, h.trx_mysql_thread_id AS holder
  FROM information_schema.innodb_lock_waits l
  JOIN information_schema.innodb_trx w ON w.trx_id = l.requesting_trx_id
  JOIN information_schema.innodb_trx h ON h.trx_id = l.blocking_trx_id`;
const MYSQL_HOLDERS = `SELECT waiting_pid AS waiting, blocking_pid AS holder FROM sys.innodb_lock_waits`;

/** The sessions that InnoDB's report lists as waiting now. Its tables show the holders, later; InnoDB resolves a deadlock at once. */
function waitingIn(report: string): readonly number[] {
  return report
    .split("---TRANSACTION ")
    .slice(1)
    .flatMap((transaction) => {
      const id = /^(?:MariaDB|MySQL) thread id (\d+)/m.exec(transaction)?.[1];
      return id !== undefined && /^LOCK WAIT /m.test(transaction) ? [Number(id)] : [];
    });
}

async function openSession(address: ServerAddress): Promise<LiveSession> {
  const client = await openClient(address);
  const [[row]] = await client.query<RowDataPacket[]>("SELECT connection_id() AS id");
  return {
    id: Number(row?.["id"]),
    execute: async (sql): Promise<StatementResult> => {
      try {
        const [result] = await client.query(sql);
        return { ok: true, ...answerOf(result) };
      } catch (problem) {
        const refusal = refusalOf(problem);
        if (refusal === undefined) throw problem;
        return refusal;
      }
    },
    close: () => client.end(),
  };
}

/** The rows of an answer, over all results of a CALL. */
function answerOf(result: unknown): { readonly rows: readonly Row[]; readonly affected: number } {
  const parts: readonly unknown[] = Array.isArray(result) ? result : [result];
  const rows: Row[] = [];
  let affected = 0;
  for (const part of parts) {
    if (Array.isArray(part)) rows.push(...part.map(plainRow));
    else if (isHeader(part)) affected += part.affectedRows;
    else if (typeof part === "object" && part !== null) rows.push(plainRow(part));
  }
  return { rows, affected: affected + rows.length };
}

/** The header that mysql2 returns for a statement without rows. */
function isHeader(part: unknown): part is ResultSetHeader {
  return typeof part === "object" && part !== null && part.constructor.name === "ResultSetHeader";
}

/** The server's refusal, as opposed to a connection failure. */
function refusalOf(problem: unknown): StatementResult | undefined {
  if (!(problem instanceof Error) || !("errno" in problem) || !("sqlState" in problem))
    return undefined;
  return { ok: false, code: String(problem.errno), message: problem.message };
}

async function openClient(address: ServerAddress): Promise<Connection> {
  const { socket, host, port, user, password, database } = address;
  const client = await createConnection({
    user,
    database,
    ...(socket === undefined ? {} : { socketPath: socket }),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(password === undefined ? {} : { password }),
  });
  // The statement of an externally ended session rejects, which is sufficient.
  client.on("error", () => undefined);
  return client;
}
