// Searches of current rows: one row after the other in key order, locked as the level requires, waiting where another transaction is in the
// way. Rows that such a search passed without a lock may change while it waits.
import type { RowLock } from "../program/rowLocks";
import { NotExecutable, SqlFailure } from "./failure";
import { WaitFor, type Search, type Tables, type Waiting } from "./frame";
import { excludes, type HeldLock } from "./locks";
import { rowName } from "./recorder";
import { compareRows, findTable, INITIAL, type StoredRow, type TableRows } from "./row";
import { uncommittedTables, visibleTables } from "./views";
import type { Server, Session } from "./serverState";

/** The treatment of rows that a search visits. */
export interface SearchRules {
  readonly strength: RowLock;
  readonly wait: Waiting;
  /** The rows that stay locked. */
  readonly keeps: "scanned" | "matching" | "nothing";
  /** True if a row named by its key stays locked as well. */
  readonly keepsNamed: boolean;
  readonly gaps: boolean;
  /** True to skip rows locked by others whose committed version does not match. */
  readonly skipsLocked: boolean;
}

/** The newest rows for one attempt of a statement. */
export function searchingTables(server: Server, session: Session, rules: SearchRules): Tables {
  const newest = visibleTables(server, session, server.newest);
  return {
    rows: newest.rows,
    search: (table, search) => searchTable(server, session, rules, table, search, newest),
  };
}

function searchTable(
  server: Server,
  session: Session,
  rules: SearchRules,
  table: string,
  search: Search,
  newest: Tables,
): TableRows {
  const number = session.searches;
  session.searches += 1;
  const before = session.passed[number] ?? [];
  const passed: StoredRow[] = [];
  const order = compareRows(findTable(server.schema, table));
  const places = placesOf(server, table, newest);
  const cursor = cursorOf(session, number, places);
  for (const row of places) {
    if (!search.inRange(row.values)) continue;
    if (search.besideKey) refuseMeeting(server, session, row);
    const known = before.find((each) => each.key === row.key);
    // A row inserted by others behind the search's position is missed: the search does not go back.
    if (known === undefined && cursor !== undefined && order(row, cursor) < 0) continue;
    if (known !== undefined && !isLocked(session, row)) {
      passed.push(known);
      continue;
    }
    const holders = holdersOf(server, session, row, rules.strength);
    const matches = row.alive && search.matches(row);
    if (holders.length > 0) {
      if (rules.skipsLocked && !search.point && !matches) {
        passed.push(row);
        continue;
      }
      if (rules.wait === "skip-locked") {
        session.skips.add(rowName(table, row.key));
        continue;
      }
      if (rules.wait === "nowait") throw new SqlFailure("55P03", `${table} (${row.key}) is locked`);
      if (rules.gaps) lockGap(server, session, table, search, row);
      session.passed = [...session.passed.slice(0, number), passed];
      const beside = search.besideKey && { besideKey: true as const };
      throw new WaitFor(holders, {
        name: rowName(table, row.key),
        mode: rules.strength,
        ...beside,
      });
    }
    if (rules.keeps !== "nothing") refuseChanged(session, row);
    const isNamed = rules.keepsNamed && search.point;
    const stays = rules.keeps === "scanned" || isNamed ? row.alive : matches;
    if (rules.keeps !== "nothing" && stays) takeRow(session, row, rules.strength, search.besideKey);
    passed.push(row);
  }
  if (rules.gaps && !(search.point && passed.some((row) => row.alive)))
    lockGap(server, session, table, search, undefined);
  session.passed = [...session.passed.slice(0, number), passed];
  return passed;
}

/** The search's position when its statement began to wait: the row that it waited for, or the one before. */
function cursorOf(
  session: Session,
  number: number,
  places: readonly StoredRow[],
): StoredRow | undefined {
  const name = session.waiting?.wants?.name;
  if (name === undefined || number !== session.passed.length - 1) return undefined;
  const waitedFor = places.find((row) => rowName(row.table, row.key) === name);
  return waitedFor ?? session.passed[number]?.at(-1);
}

/** The rows in key order, with dead rows in the places of undecided insertions of others. */
function placesOf(server: Server, table: string, newest: Tables): readonly StoredRow[] {
  const rows = newest.rows(table);
  const undecided = uncommittedTables(server)
    .rows(table)
    .filter((row) => !rows.some((each) => each.key === row.key))
    .map((row): StoredRow => ({
      ...row,
      alive: false,
      writers: {},
      version: INITIAL,
      incarnation: INITIAL,
    }));
  if (undecided.length === 0) return rows;
  const order = compareRows(findTable(server.schema, table));
  return [...rows, ...undecided].sort(order);
}

/** Other sessions that prevent this one from locking the row: they hold a lock, have written it, or queue for such a lock before it. */
export function holdersOf(
  server: Server,
  session: Session,
  row: StoredRow,
  strength: RowLock,
): readonly string[] {
  const name = rowName(row.table, row.key);
  const wanted: readonly string[] = strength === "update" ? ["update"] : [strength, "update"];
  if (session.locks.some((held) => held.name === name && wanted.includes(held.mode))) return [];
  const since = session.waiting?.since ?? Infinity;
  const excludedBy = (lock: HeldLock): boolean =>
    lock.name === name && excludes(name, lock.mode, strength);
  return othersOf(server, session)
    .filter(
      ({ locks, log, waiting }) =>
        locks.some(excludedBy) ||
        log.some((write) => write.table === row.table && write.key === row.key) ||
        (waiting?.wants !== undefined && waiting.since < since && excludedBy(waiting.wants)),
    )
    .map((each) => each.machine.instance);
}

/** Sessions other than this one that have not ended. */
export function othersOf(server: Server, session: Session): readonly Session[] {
  return [...server.sessions.values()].filter(
    (each) => each !== session && each.ended === undefined,
  );
}

/** Records a lock that conflicts with no other. */
export function takeRow(
  session: Session,
  row: StoredRow,
  strength: RowLock,
  besideKey = false,
): void {
  const name = rowName(row.table, row.key);
  const lock = { name, mode: strength, ...(besideKey && { besideKey: true as const }) };
  const isKnown = session.locks.some(
    (held) => held.name === name && held.mode === strength && held.besideKey === lock.besideKey,
  );
  if (!isKnown) session.locks = [...session.locks, lock];
}

/**
 * Who waits for a row by way of an index has locked the index's entry: if the holder, who came by the primary key, needs that entry, the
 * server has a deadlock, of which nothing is known here.
 */
export function refuseMeeting(server: Server, session: Session, row: StoredRow): void {
  const name = rowName(row.table, row.key);
  const own = session.locks.filter((held) => held.name === name);
  if (own.length === 0 || own.some(({ besideKey }) => besideKey)) return;
  const isEntered = othersOf(server, session).some(
    ({ waiting }) => waiting?.wants?.name === name && waiting.wants.besideKey === true,
  );
  if (isEntered)
    throw new NotExecutable(`the entries of an index of ${row.table} are locked before its rows`);
}

function isLocked(session: Session, row: StoredRow): boolean {
  const name = rowName(row.table, row.key);
  return session.locks.some((held) => held.name === name);
}

/** First-updater-wins with locks on current rows: after a snapshot was taken, rows outside of it fail. */
export function refuseChanged(session: Session, row: StoredRow): void {
  const { snapshot, level } = session;
  if (level.conflict !== "first-updater-wins" || snapshot === undefined) return;
  if (session.log.some((write) => write.table === row.table && write.key === row.key)) return;
  const seen = snapshot.tables.get(row.table)?.find((each) => each.key === row.key);
  if (seen?.version !== row.version)
    throw new SqlFailure("40001", "could not serialize access due to a concurrent update");
}

/** Prevents insertions by others in the range searched so far, or in the whole range. */
function lockGap(
  server: Server,
  session: Session,
  table: string,
  search: Search,
  upTo: StoredRow | undefined,
): void {
  const order = compareRows(findTable(server.schema, table));
  const own = `search ${session.machine.executed} ${session.searches}`;
  const lock: HeldLock = {
    name: gapName(table),
    mode: `${own} up to ${upTo?.key ?? "the end"}`,
    covers: (values) =>
      search.inRange(values) && (upTo === undefined || order({ key: "", values }, upTo) < 0),
  };
  if (!session.locks.some((held) => held.name === lock.name && held.mode === lock.mode))
    session.locks = [...session.locks, lock];
}

export function gapName(table: string): string {
  return `gap ${table}`;
}
