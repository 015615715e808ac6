// SQL shared by tests in all languages: the gate inside of sessions, and the controller's queries.

/**
 * A session stops at a gate while the controller holds the gate's lock. The locks belong to one run (the controller's process id), so that
 * tests may run concurrently. Without a run, gates are open.
 */
export const GATE = `CREATE FUNCTION isolens_gate(place int) RETURNS void LANGUAGE plpgsql AS $gate$
DECLARE
  run int := nullif(current_setting('isolens.run', true), '');
  number int := place + 10000 * coalesce(nullif(current_setting('isolens.session', true), ''), '0')::int;
BEGIN
  IF run IS NOT NULL THEN
    PERFORM pg_advisory_lock_shared(run, number);
    PERFORM pg_advisory_unlock_shared(run, number);
  END IF;
END $gate$`;

/** A session's position: its gate, and whether it waits for another session of the test. $1, $2: its pid, all. */
export const STANDING = (pid: string, run: string): string =>
  `SELECT (SELECT objid::int % 10000 FROM pg_locks WHERE pid = ${pid} AND NOT granted
          AND locktype = 'advisory' AND classid::int = ${run} LIMIT 1) AS gate,
       cardinality(pg_blocking_pids(${pid})) > 0 AS waits`;

/** Rows of a table as text. Times of today are those of the run, which no order can repeat. */
export function rowsOf(table: string, without: string): string {
  return `SELECT regexp_replace((to_jsonb(r) - ${without}::text[])::text,
         '"' || to_char(now(), 'YYYY-MM-DD') || '[T ][^"]*"', '"now"', 'g') AS row
  FROM ${table} r ORDER BY 1`;
}
