// Deferred keys, which are checked at commit: until then rows may share them. The server only rechecks rows that met another row with their
// key, so that of two transactions the second one to write the key waits.
import { isDeferred, type Table, type UniqueKey } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import { NotExecutable, SqlFailure } from "./failure";
import { WaitFor, type Acting } from "./frame";
import type { Write } from "./row";
import { othersOf } from "./lockingSearch";
import { sameValue } from "./value";
import { visibleTables } from "./views";
import type { OpenKey, Server, Session, Values } from "./serverState";

/** Registers the deferred keys of these writes with the driver. Throws NotExecutable if it accepts none. */
export function deferKeys(table: Table, writes: readonly Write[], { defer }: Acting): void {
  for (const key of table.uniqueKeys.filter(isDeferred))
    for (const write of writes) {
      if (write.alive === false || !givesKey(write, key)) continue;
      if (defer === undefined)
        throw new NotExecutable(
          `the key (${key.columns.join(", ")}) of ${table.name} is checked at the commit`,
        );
      defer(write, key);
    }
}

/** The keys that a statement wrote and that another row has, or may get. */
export function openKeysOf(
  server: Server,
  session: Session,
  given: readonly { readonly write: Write; readonly key: UniqueKey }[],
): readonly OpenKey[] {
  if (given.length === 0) return [];
  const tables = visibleTables(server, session, server.newest);
  return given.flatMap(({ write, key }) => {
    const { table, key: row } = write;
    const values = { ...write.before?.values, ...write.values };
    const open = { table, row, key, values };
    const isTaken = tables
      .rows(table)
      .some((each) => each.key !== row && each.alive && shares(open, each.values));
    return isTaken || holdersOf(server, session, open).length > 0 ? [open] : [];
  });
}

/**
 * Checks the session's open keys. Throws WaitFor while another unfinished session has written one of them, and SqlFailure if a row has it:
 * the commit is refused.
 */
export function checkOpenKeys(server: Server, session: Session): void {
  if (session.openKeys.length === 0) return;
  const tables = visibleTables(server, session, server.newest);
  for (const open of session.openKeys) {
    const rows = tables.rows(open.table);
    const own = rows.find((each) => each.key === open.row);
    if (own?.alive !== true || !shares(open, own.values)) continue;
    const holders = holdersOf(server, session, open);
    if (holders.length > 0) throw new WaitFor(holders);
    if (rows.some((each) => each !== own && each.alive && shares(open, each.values)))
      throw new SqlFailure(
        "23505",
        `the commit is refused: duplicate key (${open.key.columns.join(", ")}) in ${open.table}`,
      );
  }
}

/** Sessions that have written a row with that key, whatever happened to the row since. */
function holdersOf(server: Server, session: Session, open: OpenKey): readonly string[] {
  const concerns = (write: Write): boolean => {
    const before = write.before?.values;
    if (write.table !== open.table) return false;
    return (
      (before !== undefined && shares(open, before)) || shares(open, { ...before, ...write.values })
    );
  };
  return othersOf(server, session)
    .filter((each) => each.log.some(concerns))
    .map((each) => each.machine.instance);
}

function shares({ key, values }: OpenKey, other: Values): boolean {
  return key.columns.every((column) =>
    sameValue(ownEntry(values, column) ?? null, ownEntry(other, column) ?? null),
  );
}

/** True for a new row or a changed key; a key with NULL is never shared. */
function givesKey({ before, values }: Write, { columns }: UniqueKey): boolean {
  const after = { ...before?.values, ...values };
  if (columns.some((column) => (ownEntry(after, column) ?? null) === null)) return false;
  return (
    before?.alive !== true ||
    columns.some(
      (column) =>
        !sameValue(ownEntry(after, column) ?? null, ownEntry(before.values, column) ?? null),
    )
  );
}
