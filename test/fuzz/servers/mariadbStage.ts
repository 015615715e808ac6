// Programs of the servers' fuzzer on MariaDB. A gate is a named lock that the controller holds; who comes to one takes a lock
// that says so first. User variables count the gates: nothing rolls them back.
import { createConnection, type Connection } from "mysql2/promise";
import { dictionary, ownEntry } from "../../../server/src/protocol/dictionary";
import type { ServerAddress } from "../../../server/src/replay/servers/liveServer";
import { definitionsOf } from "./program";
import type { Activity, Actor, Answer, Stage } from "./stage";

/** Gates of one instance that hold; what comes after them runs through. */
const GATES = 60;

/** The seconds that a program waits for a lock with a name, and those that it waits here: nobody else takes as long for a step. */
const SECONDS = /(?<=get_lock\(.*, )[1-9]\d*(?=\))/gi;
const NAMED_WAIT = "0.5";

const GATE = `CREATE FUNCTION fuzz_gate() RETURNS INT NOT DETERMINISTIC NO SQL
BEGIN
  IF @fuzz_me IS NOT NULL AND @fuzz_count < ${String(GATES)} THEN
    SET @fuzz_count = @fuzz_count + 1;
    DO GET_LOCK(CONCAT('fuzz_at_', @fuzz_me, '_', @fuzz_count), 20);
    DO GET_LOCK(CONCAT('fuzz_', @fuzz_me, '_', @fuzz_count), 20);
  END IF;
  RETURN 1;
END`;

const LEVELS = dictionary<readonly [words: string, snapshotIsolation: 0 | 1]>({
  "mariadb:read-uncommitted": ["READ UNCOMMITTED", 0],
  "mariadb:read-committed": ["READ COMMITTED", 0],
  "mariadb:repeatable-read": ["REPEATABLE READ", 0],
  "mariadb:repeatable-read(snapshot-isolation=on)": ["REPEATABLE READ", 1],
  "mariadb:serializable": ["SERIALIZABLE", 0],
});

export async function mariadbStage(address: ServerAddress): Promise<Stage> {
  const controller = await openSession(address);
  const sessions: Session[] = [];
  const passed: number[] = [];
  let tables: readonly string[] = [];
  let numbered: ReadonlySet<string> = new Set();
  let triggers: readonly (readonly [name: string, definition: string])[] = [];
  let returning: ReadonlySet<string> = new Set();
  let count = 0;

  const command = async (sql: string): Promise<Extract<Answer, { ok: true }>> => {
    const result = await controller.execute(sql);
    if (!result.ok) throw new Error(`${result.message}: ${sql}`);
    return result;
  };
  /** The reason of the first refusal. */
  const attempt = async (statements: readonly string[]): Promise<string | undefined> => {
    for (const sql of statements) {
      const result = await controller.execute(sql);
      if (!result.ok) return `${result.code} ${result.message}`;
    }
    return undefined;
  };
  const actors = async (wanted: number): Promise<readonly Actor[]> => {
    while (sessions.length < wanted) {
      const session = await openSession(address);
      await session.execute("SET SESSION innodb_lock_wait_timeout = 8");
      sessions.push(session);
    }
    return sessions.slice(0, wanted);
  };

  const [version] = (await command("SELECT version() AS v")).rows;
  // Tables are emptied quickly where all of them are in one file.
  await command("SET GLOBAL innodb_file_per_table = OFF");
  return {
    version: `MariaDB ${String(version?.["v"]).split("-")[0] ?? "?"}`,
    define: async ({ text }) => {
      for (const sql of ["DROP DATABASE IF EXISTS fuzz", "CREATE DATABASE fuzz", "USE fuzz", GATE])
        await command(sql);
      for (const session of await actors(2)) await session.execute("USE fuzz");
      const statements = statementsIn(
        definitionsOf(text).replaceAll("/*bp*/", "DO fuzz_gate();").replaceAll(SECONDS, NAMED_WAIT),
      );
      const refusal = await attempt(statements);
      if (refusal !== undefined) return refusal;
      const found = await command(
        "SELECT table_name AS name, auto_increment AS next FROM information_schema.tables WHERE table_schema = 'fuzz' AND table_type = 'BASE TABLE' ORDER BY 1",
      );
      tables = found.rows.map(({ name }) => String(name));
      numbered = new Set(
        found.rows.flatMap(({ name, next }) => (next === null ? [] : [String(name)])),
      );
      triggers = statements.flatMap((sql) => {
        const name = /^\s*create trigger (\w+)/i.exec(sql)?.[1];
        return name === undefined ? [] : [[name, sql] as const];
      });
      returning = new Set(
        [...text.matchAll(/create procedure (\w+)\s*\((?:[^()]|\([^()]*\))*\bout\b/gi)].map(
          ([, name = ""]) => name,
        ),
      );
      return undefined;
    },
    reset: async (init, isAfresh) => {
      const refusal = await attempt([
        ...triggers.map(([name]) => `DROP TRIGGER IF EXISTS ${name}`),
        "SET foreign_key_checks = 0",
        // Nothing rolls back the numbers that runs before have drawn, but TRUNCATE begins anew.
        ...tables.map((name) =>
          isAfresh || numbered.has(name) ? `TRUNCATE ${name}` : `DELETE FROM ${name}`,
        ),
        "SET foreign_key_checks = 1",
        ...init,
      ]);
      const again = await attempt(triggers.map(([, definition]) => definition));
      return refusal ?? again;
    },
    state: async () => {
      const parts: string[] = [];
      for (const name of tables) {
        const { rows } = await command(`SELECT * FROM ${name}`);
        parts.push(
          `${name}: ${rows
            .map((row) => JSON.stringify(row))
            .sort()
            .join("")}`,
        );
      }
      return parts.join(" ");
    },
    actors,
    hold: async (wanted) => {
      count = wanted;
      passed.splice(0, passed.length, ...Array.from({ length: wanted }, () => 0));
      // Gates hold some steps ahead of the instance.
      for (let at = 0; at < wanted; at += 1)
        for (let gate = 1; gate <= AHEAD; gate += 1) await command(holding(at, gate));
      for (const [at, session] of (await actors(wanted)).entries()) {
        await session.execute("USE fuzz");
        await session.execute(`SET @fuzz_me = ${String(at)}, @fuzz_count = 0`);
      }
    },
    letGo: async () => {
      await command("DO RELEASE_ALL_LOCKS()");
    },
    rest: async () => {
      for (const session of sessions.slice(0, count)) {
        await session.execute("DO RELEASE_ALL_LOCKS()");
        await session.execute("SET @fuzz_me = NULL");
      }
    },
    pass: async (actor) => {
      const next = (passed[actor] ?? 0) + 1;
      passed[actor] = next;
      await command(holding(actor, next + AHEAD));
      await command(`DO RELEASE_LOCK('fuzz_${String(actor)}_${String(next)}')`);
    },
    activities: async (wanted) => {
      const those = sessions.slice(0, wanted);
      const gates = those.map(
        (_, at) =>
          `IS_USED_LOCK('fuzz_at_${String(at)}_${String((passed[at] ?? 0) + 1)}') AS g${String(at)}`,
      );
      const standing = async (): Promise<readonly boolean[]> => {
        const [row] = (await command(`SELECT ${gates.join(", ")}`)).rows;
        return those.map(({ id }, at) => Number(ownEntry(row, `g${String(at)}`)) === id);
      };
      const first = await standing();
      if (first.every(Boolean)) return those.map(() => "gate");
      const waiting = await waitingSessions(command);
      // The one that came to its gate between the two looks waits for the lock of the gate alone.
      const last = those.some(({ id }, at) => first[at] !== true && waiting.has(id))
        ? await standing()
        : first;
      return those.map(({ id }, at): Activity => {
        if (last[at] === true) return "gate";
        return waiting.has(id) ? "blocked" : "runs";
      });
    },
    begin: (name, first) => {
      const found = LEVELS[name];
      if (found === undefined) throw new Error(`${name} is no level of MariaDB`);
      const [words, snapshotIsolation] = found;
      return [
        "USE fuzz",
        `SET SESSION TRANSACTION ISOLATION LEVEL ${words}`,
        `SET SESSION innodb_snapshot_isolation = ${String(snapshotIsolation)}`,
        "SET @r = NULL, @x = NULL, @y = NULL, @n = NULL, @b = NULL",
        ...(first === undefined ? [] : [first]),
      ];
    },
    call: ({ name, args }) => {
      const values = args.map(({ value }) => value);
      if (!returning.has(name)) return [`CALL ${name}(${values.join(", ")})`];
      return [`CALL ${name}(${[...values, "@r"].join(", ")})`, "SELECT @r"];
    },
    interrupt: async () => {
      for (const { id } of sessions) await controller.execute(`KILL QUERY ${String(id)}`);
    },
    close: async () => {
      for (const session of sessions) await session.close();
      await controller.close();
    },
  };
}

const AHEAD = 3;

function holding(actor: number, gate: number): string {
  return `DO GET_LOCK('fuzz_${String(actor)}_${String(gate)}', 0)`;
}

/** Sessions that wait for a lock of a row, a table, or one with a name. */
async function waitingSessions(
  command: (sql: string) => Promise<Extract<Answer, { ok: true }>>,
): Promise<ReadonlySet<number>> {
  const [status] = (await command("SHOW ENGINE INNODB STATUS")).rows;
  const text: unknown = status?.["Status"];
  const rows = (typeof text === "string" ? text : "")
    .split("---TRANSACTION ")
    .slice(1)
    .flatMap((transaction) => {
      const id = /^MariaDB thread id (\d+)/m.exec(transaction)?.[1];
      return id !== undefined && /^LOCK WAIT /m.test(transaction) ? [Number(id)] : [];
    });
  const others = await command(
    "SELECT id FROM information_schema.processlist WHERE state = 'User lock' OR state LIKE 'Waiting for table%'",
  );
  return new Set([...rows, ...others.rows.map(({ id }) => Number(id))]);
}

/** The statements of a script, by its delimiters. */
function statementsIn(text: string): readonly string[] {
  let delimiter = ";";
  let statement = "";
  const all: string[] = [];
  for (const line of text.split("\n")) {
    const change = /^\s*delimiter\s+(\S+)/i.exec(line)?.[1];
    if (change !== undefined) {
      delimiter = change;
      continue;
    }
    statement += `${line}\n`;
    if (!line.trimEnd().endsWith(delimiter)) continue;
    all.push(statement.trimEnd().slice(0, -delimiter.length));
    statement = "";
  }
  return [...all, statement].filter((each) => each.trim() !== "");
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
  const client: Connection = await createConnection({
    user,
    database,
    dateStrings: true,
    ...(socket !== undefined && { socketPath: socket }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(password !== undefined && { password }),
  });
  const ask = async (sql: string): Promise<Answer> => {
    try {
      const [result] = await client.query(sql);
      return { ok: true, rows: rowsIn(result) };
    } catch (problem) {
      if (!(problem instanceof Error) || !("errno" in problem) || !("sqlState" in problem))
        throw problem;
      return { ok: false, code: String(problem.errno), message: problem.message };
    }
  };
  const identity = await ask("SELECT connection_id() AS id");
  return {
    id: identity.ok ? Number(identity.rows[0]?.["id"]) : 0,
    execute: ask,
    close: () => client.end(),
  };
}

/** Rows of a SELECT, or those of the results of a CALL. */
function rowsIn(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(result)) return [];
  const parts: readonly unknown[] = result;
  return parts.flatMap((part): readonly Readonly<Record<string, unknown>>[] => {
    if (Array.isArray(part)) return rowsIn(part);
    return isRow(part) ? [part] : [];
  });
}

/** Not what mysql2 gives for a statement without rows. */
function isRow(part: unknown): part is Readonly<Record<string, unknown>> {
  return (
    typeof part === "object" && part !== null && !("affectedRows" in part && "serverStatus" in part)
  );
}
