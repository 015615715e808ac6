// Lock modes under PostgreSQL's names, and their conflicts. Locks are held until the transaction ends, those of a session to its end.
import { ROW_LOCKS, rowLocksExclude } from "../program/rowLocks";
import { tableLockOf, tableLocksExclude } from "../program/tableLocks";
import type { SqlValue } from "./value";

export interface HeldLock {
  readonly name: string;
  readonly mode: string;
  /** A lock of the session, whose release is not known: it is held to the session's end. */
  readonly outlives?: true;
  /** A lock that the server takes at the commit only. */
  readonly atCommit?: true;
  /** A row's lock by way of an index beside the primary key, with the index's entry. */
  readonly besideKey?: true;
  /** True for rows that nobody else may insert into a locked gap. */
  readonly covers?: (values: Readonly<Record<string, SqlValue>>) => boolean;
}

/** True if two locks on the same object conflict. */
export function excludes(name: string, held: string, wanted: string): boolean {
  if (name.startsWith("table ")) return tableLocksExclude(tableLockOf(held), tableLockOf(wanted));
  if (name.startsWith("advisory ")) return !(isShared(held) && isShared(wanted));
  const [own, other] = [held, wanted].map((mode) => ROW_LOCKS.find((each) => each === mode));
  return own === undefined || other === undefined || rowLocksExclude(own, other);
}

function isShared(mode: string): boolean {
  return mode.toLowerCase().includes("share");
}
