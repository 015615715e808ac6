// Gates inside of routines: where a session stops until it is told to go on. A gate is an advisory lock that the
// controller holds, so who stands at one is what the server says.
import type { LiveServer, LiveSession } from "./servers/liveServer";

export interface Gates {
  /** The function that routines call, to be created in the schema. */
  readonly definition: string;
  /** The call of a gate. */
  call(number: number): string;
  /** Statements that a session needs before it can be stopped. */
  enter(instance: number): readonly string[];
  /** From now on every gate of the instance holds. */
  hold(instance: number): Promise<void>;
  /** Lets the instance through the gate at which it stands, or will stand next. */
  release(instance: number): Promise<void>;
  /** Lets everyone through everything. */
  releaseAll(): Promise<void>;
  /** Where that session stands, by the gate's number; undefined if it stands at none. */
  standsAt(session: LiveSession): Promise<number | undefined>;
}

/** Gates of one instance that are held in advance; each time one is released another one is held. */
const AHEAD = 8;

/**
 * Gates of PostgreSQL. The n-th gate that an instance comes to is the lock (space + instance, n); a sequence counts
 * them, since nothing rolls it back. The number of the gate in the text is told as `application_name`.
 */
export function postgresGates(
  schema: string,
  space: number,
  controller: LiveSession,
  server: LiveServer,
): Gates {
  const released = new Map<number, number>();
  const held = new Map<number, number>();

  async function must(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const result = await controller.execute(sql);
    if (!result.ok) throw new Error(`${sql}: ${result.message}`);
    return result.rows;
  }

  async function holdUpTo(instance: number, count: number): Promise<void> {
    for (let next = (held.get(instance) ?? 0) + 1; next <= count; next++) {
      await must(`SELECT pg_advisory_lock(${String(space + instance)}, ${String(next)})`);
      held.set(instance, next);
    }
  }

  return {
    definition: `CREATE FUNCTION ${schema}.isolens_gate(place int) RETURNS void LANGUAGE plpgsql AS $gate$
DECLARE
  instance text := nullif(current_setting('isolens.instance', true), '');
BEGIN
  IF instance IS NULL THEN RETURN; END IF;
  PERFORM set_config('application_name', 'isolens gate ' || place, false);
  PERFORM pg_advisory_lock_shared(${String(space)} + instance::int,
    nextval('${schema}.isolens_gate_' || instance)::int);
END $gate$`,
    call: (number) => `PERFORM ${schema}.isolens_gate(${String(number)});`,
    enter: (instance) => [
      `CREATE SEQUENCE ${schema}.isolens_gate_${String(instance)}`,
      `SET isolens.instance = '${String(instance)}'`,
    ],
    hold: (instance) => holdUpTo(instance, AHEAD),
    async release(instance) {
      const next = (released.get(instance) ?? 0) + 1;
      released.set(instance, next);
      await holdUpTo(instance, next + AHEAD);
      await must(`SELECT pg_advisory_unlock(${String(space + instance)}, ${String(next)})`);
    },
    async releaseAll() {
      await must("SELECT pg_advisory_unlock_all()");
    },
    async standsAt({ id }) {
      const holders = (await server.waits()).get(id);
      if (!holders?.includes(controller.id)) return undefined;
      const rows = await must(
        `SELECT application_name AS name FROM pg_stat_activity WHERE pid = ${String(id)}`,
      );
      const place = /^isolens gate (\d+)$/.exec(String(rows[0]?.["name"]));
      return place?.[1] === undefined ? undefined : Number(place[1]);
    },
  };
}
