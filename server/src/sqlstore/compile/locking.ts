// FOR UPDATE and FOR SHARE: which relations of a query are read in their newest versions.
import { failure } from "../sqlError";
import type { SqlLock } from "../tree";
import type { From } from "./from";
import type { ReadTable, Tuple } from "./joinPlan";
import type { Env } from "./node";
import type { Slices } from "./slices";

/** Marks the tables that the locking clauses are about. */
export function lockTables(locks: readonly SqlLock[], tables: readonly ReadTable[]): void {
  for (const { of } of locks) {
    for (const name of of) {
      if (!tables.some((each) => each.alias === name)) {
        throw failure(
          "noTable",
          `relation "${name}" in FOR UPDATE clause not found in FROM clause`,
        );
      }
    }
    for (const each of tables) {
      if (of.length === 0 || of.includes(each.alias)) each.current = true;
    }
  }
}

/**
 * The tuples with the newest versions of the rows that are locked, as far as the conditions still hold for them: what
 * PostgreSQL does with rows that changed since its snapshot. Where locking reads see the newest versions anyway, or
 * where there are no newest ones, nothing changes.
 */
export function* newestTuples(
  from: From,
  tuples: readonly Tuple[],
  env: Env,
): Slices<readonly Tuple[]> {
  const locked = from.tables.filter((each) => each.current);
  if (locked.length === 0) return tuples;
  const { work } = env;
  const rows = locked.flatMap(({ source }) =>
    tuples.flatMap((tuple) => {
      const row = tuple[source];
      return row === undefined ? [] : [row];
    }),
  );
  const lacking = work.lackingNewest(rows);
  if (lacking !== undefined) yield lacking;
  return tuples.flatMap((tuple) => {
    let changed = false;
    let result = tuple;
    for (const { source, table } of locked) {
      const row = tuple[source];
      if (row === undefined) continue;
      const newest = work.newest(table, row);
      if (newest === row) continue;
      if (newest === undefined) return [];
      changed = true;
      result = result.with(source, newest);
    }
    return !changed || from.holds({ ...env, tuple: result }) ? [result] : [];
  });
}
