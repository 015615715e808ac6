// Gates inside of routines: where a session stops until it is told to go on. A gate is a lock of the user's kind that the
// controller holds, so who stands at one is what the server says.
import type { LiveServer } from "./servers/liveServer";
import type { LiveSession } from "./servers/liveSession";

export interface Gates {
  /** Routines that others call, to be created in the schema. */
  readonly definitions: readonly string[];
  /** The call of a gate before a statement of a routine. It changes nothing that the routine can ask for. */
  call(number: number): string;
  /** The call that notes what a statement of a routine put into these variables. */
  note(number: number, variables: readonly string[]): string;
  /** Notes of the session: statements whose rows tell. */
  readonly noted: string;
  /** Statements with which a session begins to note. */
  readonly listen: readonly string[];
  /** Statements that a session needs before it can be stopped. */
  enter(instance: number): readonly string[];
  /** From now on every gate of the instance holds. */
  hold(instance: number): Promise<void>;
  /** Lets the instance through the gate at which it stands, or will stand next. */
  release(instance: number): Promise<void>;
  /** Lets everyone through everything. */
  releaseAll(): Promise<void>;
  /** At which gate the instance stands in that session; undefined if it stands at none. */
  standsAt(instance: number, session: LiveSession): Promise<number | undefined>;
}

/** Gates of one instance that are held in advance; each time one is released another one is held. */
const AHEAD = 8;

/** Counts for each instance the gates that are held and those that were released, and asks for the locks. */
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
    /** The count of the gate at which the instance stands, or will stand next. */
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

/** Executes a statement of the controller's, which no server refuses. */
export async function command(
  controller: LiveSession,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await controller.execute(sql);
  if (!result.ok) throw new Error(`${sql}: ${result.message}`);
  return result.rows;
}

/**
 * Gates of PostgreSQL. The n-th gate that an instance comes to is the lock (space + instance, n). The locks that a session
 * got count its gates: neither a rollback nor a read-only transaction touches them. The number of the gate in the text is
 * told as `application_name`. Gates stand in an IF, since PERFORM sets FOUND.
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
