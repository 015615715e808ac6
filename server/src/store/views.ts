// Views of a session: committed states with its own writes, and what others have not committed yet.
import type { Schema } from "../program/schema";
import { NotExecutable } from "./failure";
import type { Tables } from "./frame";
import { applyWrite, findTable, writtenRow, type TableRows, type Write } from "./row";
import { transactionAt } from "./runRecord";
import type { DatabaseState, Server, Session } from "./server";

/**
 * A committed state with a session's own writes. Throws NotExecutable where that has two rows with one key, or rows that
 * TRUNCATE has taken from it.
 */
export function visibleTables(server: Server, session: Session, snapshot: DatabaseState): Tables {
  const tables = withOwn(server.schema, snapshot.tables, session.log);
  const doubled = session.level.noVersionOnNoChange ? [] : doubledTables(session, snapshot);
  const emptied = emptiedTables(server, snapshot);
  return {
    rows: (table) => {
      if (emptied.includes(table))
        throw new NotExecutable(`TRUNCATE has taken the rows of ${table} from its snapshot`);
      if (doubled.includes(table))
        throw new NotExecutable(
          `the snapshot shows a row of ${table} beside the one inserted in its place`,
        );
      return tables.get(table) ?? [];
    },
  };
}

/** The newest rows, whoever wrote them and whether that is committed or not. */
export function uncommittedTables(server: Server): Tables {
  const writes = [...server.sessions.values()]
    .filter((each) => each.ended === undefined)
    .flatMap((each) => each.log)
    .sort((a, b) => a.step - b.step);
  const tables = withWrites(server.schema, server.newest.tables, writes);
  return { rows: (table) => tables.get(table) ?? [] };
}

/** The tables after these writes. */
export function withWrites(
  schema: Schema,
  tables: ReadonlyMap<string, TableRows>,
  writes: readonly Write[],
): ReadonlyMap<string, TableRows> {
  if (writes.length === 0) return tables;
  const after = new Map(tables);
  for (const write of writes)
    after.set(
      write.table,
      applyWrite(findTable(schema, write.table), after.get(write.table) ?? [], write),
    );
  return after;
}

/**
 * A transaction's own version of a row is whole: it shows the values that the row had when it was changed, also those
 * that the snapshot does not have.
 */
function withOwn(
  schema: Schema,
  tables: ReadonlyMap<string, TableRows>,
  writes: readonly Write[],
): ReadonlyMap<string, TableRows> {
  const after = new Map(withWrites(schema, tables, writes));
  const changed = new Set<string>();
  for (const { table, key, before } of writes) {
    const place = JSON.stringify([table, key]);
    if (before === undefined || changed.has(place)) continue;
    changed.add(place);
    const own = writes.filter((each) => each.table === table && each.key === key);
    const whole = own.reduce((row, write) => writtenRow(row, write), own[0]?.before);
    const rows = after.get(table) ?? [];
    after.set(
      table,
      rows.map((row) => (row.key === key && whole !== undefined ? whole : row)),
    );
  }
  return after;
}

/** Tables that were truncated, and that committed, since the snapshot: nobody sees what they had. */
function emptiedTables({ steps, newest }: Server, snapshot: DatabaseState): readonly string[] {
  if (snapshot === newest) return [];
  return steps.flatMap((step) => {
    const { source } = step;
    if (source?.kind !== "delete" || source.truncates === undefined) return [];
    const by = transactionAt(step);
    const isMissed = newest.instances.includes(by) && !snapshot.instances.includes(by);
    return isMissed ? [source.relation.table] : [];
  });
}

/**
 * Tables in which PostgreSQL shows two rows with one key: that of the transaction's snapshot, which another one has
 * deleted since, and the transaction's own. InnoDB has one place for both.
 */
function doubledTables(session: Session, snapshot: DatabaseState): readonly string[] {
  const own = (write: Write) =>
    session.log.some(
      (each) => each.alive === false && each.table === write.table && each.key === write.key,
    );
  const shown = (write: Write) =>
    snapshot.tables.get(write.table)?.some((row) => row.key === write.key && row.alive) === true;
  return session.log
    .filter((write) => write.alive === true && shown(write) && !own(write))
    .map((write) => write.table);
}
