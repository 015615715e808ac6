// Gates inside of routines: where a session stops until it is told to go on. A gate is a lock of the user's kind that the
// controller holds, so who stands at one is what the server says.
import type { LiveServer } from "./servers/liveServer";
import type { LiveSession } from "./servers/liveSession";

export interface Gates {
  /** Helper routines to create in the schema. */
  readonly definitions: readonly string[];
  /** The call of a gate before a routine's statement. The routine cannot observe its effect. */
  call(number: number): string;
  /** The call that records the variables filled by a routine's statement. */
  note(number: number, variables: readonly string[]): string;
  /** The statements that return the session's records. */
  readonly noted: string;
  /** Statements that start recording in a session. */
  readonly listen: readonly string[];
  /** Statements that prepare a session for gates. */
  enter(instance: number): readonly string[];
  /** Closes all gates of the instance from now on. */
  hold(instance: number): Promise<void>;
  /** Opens the instance's current or next gate. */
  release(instance: number): Promise<void>;
  /** Opens all gates for everyone. */
  releaseAll(): Promise<void>;
  /** The gate at which the instance is in that session; undefined if it is at none. */
  standsAt(instance: number, session: LiveSession): Promise<number | undefined>;
}

/** The number of gates per instance that are closed in advance; each release closes another one. */
const AHEAD = 8;

/** Counts the closed and released gates of each instance, and requests the locks. */
export function countedGates(
  lock: (instance: number, count: number) => Promise<void>,
  unlock: (instance: number, count: number) => Promise<void>,
) {
  const released = new Map<number, number>();
  const held = new Map<number, number>();

  async function holdUpTo(instance: number, count: number): Promise<void> {
    for (let next = (held.get(instance) ?? 0) + 1; next <= count; next++) {
      await lock(instance, next);
      held.set(instance, next);
    }
  }

  return {
    /** The count of the instance's current or next gate. */
    next: (instance: number): number => (released.get(instance) ?? 0) + 1,
    hold: (instance: number): Promise<void> => holdUpTo(instance, AHEAD),
    async release(instance: number): Promise<void> {
      const next = (released.get(instance) ?? 0) + 1;
      released.set(instance, next);
      await holdUpTo(instance, next + AHEAD);
      await unlock(instance, next);
    },
  };
}

/** Executes a statement of the controller that no server refuses. */
export async function command(
  controller: LiveSession,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await controller.execute(sql);
  if (!result.ok) throw new Error(`${sql}: ${result.message}`);
  return result.rows;
}

/**
 * Gates of PostgreSQL. The n-th gate that an instance reaches is the lock (space + instance, n). A session's gates are counted by the locks
 * that it got: neither a rollback nor a read-only transaction affects them. The gate's number in the text is reported as
 * `application_name`. Gates are in an IF, since PERFORM sets FOUND.
 */
export function postgresGates(
  schema: string,
  space: number,
  controller: LiveSession,
  server: LiveServer,
): Gates {
  const counted = countedGates(
    async (instance, count) => {
      await command(controller, `SELECT pg_advisory_lock(${lockOf(instance, count)})`);
    },
    async (instance, count) => {
      await command(controller, `SELECT pg_advisory_unlock(${lockOf(instance, count)})`);
    },
  );
  const lockOf = (instance: number, count: number): string =>
    `${String(space + instance)}, ${String(count)}`;
  const onlyIf = (condition: string): string => `IF ${schema}.${condition} THEN NULL; END IF;`;

  return {
    definitions: [
      `CREATE FUNCTION ${schema}.isolens_gate(place int) RETURNS boolean LANGUAGE plpgsql AS $gate$
DECLARE
  instance text := nullif(pg_catalog.current_setting('isolens.instance', true), '');
  passed int;
BEGIN
  IF instance IS NULL THEN RETURN true; END IF;
  SELECT count(*) INTO passed FROM pg_catalog.pg_locks
    WHERE pid = pg_catalog.pg_backend_pid() AND locktype = 'advisory' AND granted
      AND classid = (${String(space)} + instance::int)::oid;
  PERFORM pg_catalog.set_config('application_name', 'isolens gate ' || place, false);
  PERFORM pg_catalog.pg_advisory_lock_shared(${String(space)} + instance::int, passed + 1);
  RETURN true;
END $gate$`,
      `CREATE FUNCTION ${schema}.isolens_note(place int, seen text) RETURNS boolean LANGUAGE plpgsql AS $note$
BEGIN
  PERFORM pg_catalog.set_config('isolens.seen', coalesce(pg_catalog.current_setting('isolens.seen', true), '')
    || place || ': ' || coalesce(seen, 'NULL') || E'\\n', false);
  RETURN true;
END $note$`,
    ],
    call: (number) => onlyIf(`isolens_gate(${String(number)})`),
    note: (number, variables) =>
      onlyIf(
        `isolens_note(${String(number)}, pg_catalog.jsonb_build_array(${variables.join(", ")})::text)`,
      ),
    noted: "SELECT current_setting('isolens.seen', true) AS seen",
    listen: ["SET isolens.seen = ''"],
    enter: (instance) => [`SET isolens.instance = '${String(instance)}'`],
    hold: counted.hold,
    release: counted.release,
    async releaseAll() {
      await command(controller, "SELECT pg_advisory_unlock_all()");
    },
    async standsAt(_, { id }) {
      const holders = (await server.waits()).get(id);
      if (!holders?.includes(controller.id)) return undefined;
      const rows = await command(
        controller,
        `SELECT application_name AS name FROM pg_stat_activity WHERE pid = ${String(id)}`,
      );
      const place = /^isolens gate (\d+)$/.exec(String(rows[0]?.["name"]));
      return place?.[1] === undefined ? undefined : Number(place[1]);
    },
  };
}
