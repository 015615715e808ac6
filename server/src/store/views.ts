// Views of a session: committed states with its own writes, and uncommitted writes of others.
import type { Schema } from "../program/schema";
import { NotExecutable } from "./failure";
import type { Tables } from "./frame";
import { applyWrite, findTable, writtenRow, type TableRows, type Write } from "./row";
import { transactionAt } from "./runRecord";
import type { DatabaseState, Server, Session } from "./serverState";

/** A committed state with a session's own writes. Throws NotExecutable if that has two rows with one key, or rows removed by TRUNCATE. */
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

/** The newest rows, committed or not. */
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
 * A transaction's own version of a row is whole: it shows the row's values at the time of the change, including ones that the snapshot does
 * not have.
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

/** Tables whose truncation was committed since the snapshot: nobody sees their old rows. */
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
 * Tables in which PostgreSQL shows two rows with one key: the snapshot's row, deleted by another transaction since, and the transaction's
 * own. InnoDB has one place for both.
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
