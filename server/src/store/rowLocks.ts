// Locking of rows found in a snapshot: PostgreSQL and similar products.
import type { ProductLevel } from "../isolation/levels";
import type { RowLock } from "../program/rowLocks";
import { CHECKED_LATER, NotExecutable, SqlFailure } from "./failure";
import {
  StartAgain,
  WaitFor,
  type LockOutcome,
  type LockTerm,
  type Tables,
  type Waiting,
} from "./frame";
import { rowName } from "./recorder";
import type { StoredRow } from "./row";
import type { Skips } from "./serverState";

export interface RowLocking {
  readonly level: ProductLevel;
  /** The newest committed rows with the session's own writes. */
  readonly newest: Tables;
  /** Takes a lock or throws WaitFor. */
  readonly take: (name: string, mode: string, term?: LockTerm) => void;
  readonly skips: Skips;
}

/**
 * Locks a row. READ COMMITTED acts on the newest version, unless the row was deleted (a reinserted key is another row); with a transaction
 * snapshot a changed row fails with 40001; restarting levels restart the statement.
 */
export function lockRow(
  session: RowLocking,
  row: StoredRow,
  strength: RowLock,
  waiting: Waiting,
): LockOutcome {
  const name = rowName(row.table, row.key);
  if (waiting === "skip-locked" && session.skips.has(name)) return { kind: "skipped" };
  try {
    session.take(name, strength, waiting === "at-commit" ? waiting : undefined);
  } catch (blocked) {
    if (!(blocked instanceof WaitFor)) throw blocked;
    if (waiting === "skip-locked") {
      session.skips.add(name);
      return { kind: "skipped" };
    }
    if (waiting === "nowait") throw new SqlFailure("55P03", `${row.table} (${row.key}) is locked`);
    throw blocked;
  }
  const newest = session.newest.rows(row.table).find((each) => each.key === row.key);
  if (newest === undefined) return { kind: "gone" };
  if (newest.version === row.version) return { kind: "row", row, changed: false };
  const survives = newest.alive && newest.incarnation === row.incarnation;
  // A foreign key's share lock is compatible with changes of other columns, whenever they were committed.
  if (strength === "key-share" && survives) return { kind: "row", row, changed: false };
  if (waiting === "at-commit") throw new NotExecutable(CHECKED_LATER);
  if (session.level.conflict === "first-updater-wins")
    throw new SqlFailure("40001", "could not serialize access due to a concurrent update");
  if (session.level.conflict === "restart") throw new StartAgain();
  if (newest.moved === true)
    throw new NotExecutable(
      `the key of a row of ${row.table} changes while another statement waits for it`,
    );
  return survives ? { kind: "row", row: newest, changed: true } : { kind: "gone", newest };
}
