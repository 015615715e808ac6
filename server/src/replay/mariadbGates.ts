// Gates inside of routines of MariaDB and MySQL, using their named locks.
import { ownEntry } from "../protocol/dictionary";
import { command, countedGates, type Gates } from "./gates";
import type { LiveSession } from "./servers/liveSession";

/** Seconds after which an abandoned session continues. */
const PATIENCE = 600;

/**
 * The n-th gate that an instance reaches is the lock "space_instance_n", held by the controller. Before waiting for it, a session takes a
 * lock whose name contains the place in the text too; its holder is at the gate, or about to be. User variables count the gates: no
 * rollback affects them.
 */
export function mariadbGates(
  schema: string,
  space: number,
  controller: LiveSession,
  places: () => readonly number[],
): Gates {
  const prefix = `isolens_${String(space)}`;
  const nameOf = (instance: number, count: number): string =>
    `${prefix}_${String(instance)}_${String(count)}`;
  const counted = countedGates(
    async (instance, count) => {
      await command(controller, `DO GET_LOCK('${nameOf(instance, count)}', 0)`);
    },
    async (instance, count) => {
      await command(controller, `DO RELEASE_LOCK('${nameOf(instance, count)}')`);
    },
  );

  return {
    definitions: [
      `CREATE FUNCTION ${schema}.isolens_gate(place INT) RETURNS INT NOT DETERMINISTIC NO SQL
BEGIN
  IF @isolens_instance IS NOT NULL THEN
    SET @isolens_passed = @isolens_passed + 1;
    DO GET_LOCK(CONCAT('${prefix}_', @isolens_instance, '_', @isolens_passed, '_', place), ${String(PATIENCE)});
    DO GET_LOCK(CONCAT('${prefix}_', @isolens_instance, '_', @isolens_passed), ${String(PATIENCE)});
  END IF;
  RETURN 1;
END`,
      `CREATE FUNCTION ${schema}.isolens_note(place INT, seen LONGTEXT) RETURNS INT NOT DETERMINISTIC NO SQL
BEGIN
  SET @isolens_seen = CONCAT(IFNULL(@isolens_seen, ''), place, ': ', IFNULL(seen, 'NULL'), '\\n');
  RETURN 1;
END`,
    ],
    call: (number) => `DO ${schema}.isolens_gate(${String(number)});`,
    note: (number, variables) =>
      `DO ${schema}.isolens_note(${String(number)}, JSON_ARRAY(${variables.join(", ")}));`,
    noted: "SELECT @isolens_seen AS seen",
    listen: ["SET @isolens_seen = NULL"],
    enter: (instance) => [`SET @isolens_instance = ${String(instance)}, @isolens_passed = 0`],
    hold: counted.hold,
    release: counted.release,
    async releaseAll() {
      await command(controller, "DO RELEASE_ALL_LOCKS()");
    },
    async standsAt(instance, { id }) {
      const candidates = places();
      if (candidates.length === 0) return undefined;
      const name = nameOf(instance, counted.next(instance));
      const columns = candidates.map(
        (place) => `IS_USED_LOCK('${name}_${String(place)}') = ${String(id)} AS p${String(place)}`,
      );
      const [row] = await command(controller, `SELECT ${columns.join(", ")}`);
      return candidates.find((place) => ownEntry(row, `p${String(place)}`) === 1);
    },
  };
}
