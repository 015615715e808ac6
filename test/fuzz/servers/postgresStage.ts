// Programs of the servers' fuzzer on PostgreSQL. A gate is an advisory lock (of two numbers) that the controller holds; a
// sequence counts the gates of an instance, since nothing rolls it back.
import { Client, DatabaseError, type QueryResult } from "pg";
import { dictionary } from "../../../server/src/protocol/dictionary";
import type { ServerAddress } from "../../../server/src/replay/servers/liveServer";
import { definitionsOf } from "./program";
import type { Activity, Actor, Answer, Stage } from "./stage";

const LEVELS = dictionary<string>({
  "postgres:read-committed": "READ COMMITTED",
  "postgres:repeatable-read": "REPEATABLE READ",
  "postgres:serializable": "SERIALIZABLE",
});

/** Gates of one instance that hold; what comes after them runs through. */
const GATES = 60;
/** Of instances, for locks and sequences. */
const FIRST = 7001;
const MOST = 4;

const GATE = `CREATE FUNCTION fuzz_gate() RETURNS boolean LANGUAGE plpgsql AS $gate$
DECLARE me text := nullif(current_setting('fuzz.me', true), '');
BEGIN
  IF me IS NOT NULL THEN PERFORM pg_advisory_lock_shared(${String(FIRST)} + me::int, nextval('fuzz_count_' || me)::int); END IF;
  RETURN true;
END $gate$`;

export async function postgresStage(address: ServerAddress): Promise<Stage> {
  const controller = await openSession(address);
  const sessions: Session[] = [];
  const passed: number[] = [];
  let tables: readonly string[] = [];
  let triggered: readonly string[] = [];
  let sequences: readonly string[] = [];
  let count = 0;

  const command = async (sql: string): Promise<Extract<Answer, { ok: true }>> => {
    const result = await controller.execute(sql);
    if (!result.ok) throw new Error(`${result.message}: ${sql}`);
    return result;
  };
  /** All or nothing; the reason of a refusal. */
  const attempt = async (sql: string): Promise<string | undefined> => {
    const result = await controller.execute(`BEGIN; ${sql}; COMMIT`);
    if (result.ok) return undefined;
    await controller.execute("ROLLBACK");
    return `${result.code} ${result.message}`;
  };
  const actors = async (wanted: number): Promise<readonly Actor[]> => {
    while (sessions.length < wanted) {
      const session = await openSession(address);
      await session.execute("SET search_path = fuzz");
      await session.execute(`SET fuzz.me = '${String(sessions.length)}'`);
      await session.execute("SET statement_timeout = '20s'");
      sessions.push(session);
    }
    return sessions.slice(0, wanted);
  };

  await command("SET client_min_messages = error");
  return {
    version: `PostgreSQL ${String((await command("SHOW server_version")).rows[0]?.["server_version"])}`,
    define: async ({ text }) => {
      const counts = Array.from(
        { length: MOST },
        (_, at) => `CREATE SEQUENCE fuzz_count_${String(at)}`,
      );
      await command(
        `DROP SCHEMA IF EXISTS fuzz CASCADE; CREATE SCHEMA fuzz; SET search_path = fuzz; ${GATE}; ${counts.join("; ")}`,
      );
      const body = definitionsOf(text).replaceAll("/*bp*/", "IF fuzz_gate() THEN NULL; END IF;");
      const refusal = await attempt(body);
      if (refusal !== undefined) return refusal;
      const found = await command(
        `SELECT c.relname::text AS name,
           EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) AS triggered FROM pg_class c
         WHERE c.relnamespace = 'fuzz'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.oid`,
      );
      tables = found.rows.map(({ name }) => String(name));
      triggered = found.rows.flatMap((row) =>
        row["triggered"] === true ? [String(row["name"])] : [],
      );
      const drawn = await command(
        `SELECT relname::text AS name FROM pg_class
         WHERE relnamespace = 'fuzz'::regnamespace AND relkind = 'S' AND relname NOT LIKE 'fuzz_count_%'`,
      );
      sequences = drawn.rows.map(({ name }) => String(name));
      return undefined;
    },
    reset: (init) =>
      attempt(
        [
          ...triggered.map((name) => `ALTER TABLE ${name} DISABLE TRIGGER USER`),
          "SET LOCAL session_replication_role = replica",
          ...tables.map((name) => `DELETE FROM ${name}`),
          "SET LOCAL session_replication_role = origin",
          // Nothing rolls back what runs before have drawn.
          ...sequences.map((name) => `ALTER SEQUENCE ${name} RESTART`),
          ...init,
          ...triggered.map((name) => `ALTER TABLE ${name} ENABLE TRIGGER USER`),
        ].join("; "),
      ),
    state: async () => {
      if (tables.length === 0) return "";
      const parts = tables.map(
        (name) => `(SELECT coalesce(json_agg(r ORDER BY r::text), '[]') FROM ${name} r) AS ${name}`,
      );
      const { rows } = await command(`SELECT ${parts.join(", ")}`);
      return JSON.stringify(rows[0]);
    },
    actors,
    hold: async (wanted) => {
      count = wanted;
      const all = Array.from({ length: wanted }, (_, at) => at);
      passed.splice(0, passed.length, ...all.map(() => 0));
      const restarts = all.map((at) => `setval('fuzz_count_${String(at)}', 1, false)`);
      const locks = all.map((at) => `pg_advisory_lock(${String(FIRST + at)}, g)`);
      await command(`SELECT ${restarts.join(", ")}`);
      await command(
        `SELECT count(*) FROM (SELECT ${locks.map((lock, at) => `${lock} AS l${String(at)}`).join(", ")} FROM generate_series(1, ${String(GATES)}) g OFFSET 0) t`,
      );
      for (const [at, session] of (await actors(wanted)).entries())
        await session.execute(`SET fuzz.me = '${String(at)}'`);
    },
    letGo: async () => {
      await command("SELECT pg_advisory_unlock_all()");
    },
    rest: async () => {
      for (const session of sessions.slice(0, count))
        await session.execute("SELECT pg_advisory_unlock_all(), set_config('fuzz.me', '', false)");
    },
    pass: async (actor) => {
      const next = (passed[actor] ?? 0) + 1;
      passed[actor] = next;
      await command(`SELECT pg_advisory_unlock(${String(FIRST + actor)}, ${String(next)})`);
    },
    activities: async (wanted) => {
      const { rows } = await command(
        `SELECT pid, bool_or(locktype = 'advisory' AND objsubid = 2 AND classid >= ${String(FIRST)}) AS gate,
           max(objid::bigint) AS at FROM pg_locks WHERE NOT granted GROUP BY pid`,
      );
      return sessions.slice(0, wanted).map(({ id }, actor): Activity => {
        const row = rows.find(({ pid }) => pid === id);
        if (row === undefined) return "runs";
        if (row["gate"] !== true) return "blocked";
        return Number(row["at"]) > (passed[actor] ?? 0) ? "gate" : "runs";
      });
    },
    begin: (name, first) => {
      if (first !== undefined && /isolation level/i.test(first)) return [first];
      const words = LEVELS[name];
      if (words === undefined) throw new Error(`${name} is no level of PostgreSQL`);
      return [`BEGIN ISOLATION LEVEL ${words}`];
    },
    call: ({ name, args }) => [
      `SELECT * FROM ${name}(${args.map(({ value }) => value).join(", ")})`,
    ],
    interrupt: async () => {
      for (const { id } of sessions) await command(`SELECT pg_cancel_backend(${String(id)})`);
    },
    close: async () => {
      for (const session of sessions) await session.close();
      await controller.close();
    },
  };
}

interface Session extends Actor {
  close(): Promise<void>;
}

async function openSession({
  socket,
  host,
  port,
  user,
  password,
  database,
}: ServerAddress): Promise<Session> {
  const place = socket ?? host;
  const client = new Client({
    user,
    database,
    ...(place !== undefined && { host: place }),
    ...(port !== undefined && { port }),
    ...(password !== undefined && { password }),
  });
  await client.connect();
  const { rows } = await client.query<{ id: number }>("SELECT pg_backend_pid() AS id");
  return {
    id: rows[0]?.id ?? 0,
    execute: async (sql): Promise<Answer> => {
      try {
        // Several statements give several results; only single ones are asked for their rows.
        const result: QueryResult<Record<string, unknown>> | readonly QueryResult[] =
          await client.query<Record<string, unknown>>(sql);
        if (!("rows" in result)) return { ok: true, rows: [] };
        if (/^commit$/i.test(sql) && result.command === "ROLLBACK")
          return { ok: false, code: "25P02", message: "the transaction was rolled back" };
        return { ok: true, rows: result.rows };
      } catch (problem) {
        if (!(problem instanceof DatabaseError)) throw problem;
        return { ok: false, code: problem.code ?? "", message: problem.message };
      }
    },
    close: () => client.end(),
  };
}
