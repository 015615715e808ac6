// Reading, locking and changing of rows at a session's level: the interpreter of the table of levels.
import { plainRowLock } from "../program/rowLocks";
import type { Statement } from "../program/statement";
import { CHECKED_LATER, NotExecutable } from "./failure";
import { WaitFor, type Acting, type LockTerm, type Tables } from "./frame";
import { excludes, type HeldLock } from "./locks";
import { rowName } from "./recorder";
import { lockRow } from "./rowLocks";
import {
  gapName,
  holdersOf,
  othersOf,
  refuseChanged,
  refuseMeeting,
  searchingTables,
  takeRow,
} from "./lockingSearch";
import { findTable, keyOf, type Write } from "./row";
import { uncommittedTables, visibleTables } from "./views";
import type { Server, Session } from "./serverState";

/** The rows that a statement's plain reads see, including those in subqueries. */
export type ReadMode = "snapshot" | "current" | "uncommitted";

/** The read mode of a statement's plain reads. */
export function readModeOf({ level }: Session, statement: Statement): ReadMode {
  const changes = statement.kind !== "select";
  if (level.plainRead === "locking" || level.plainRead === "row") return "current";
  // Reads that decide a change lock, at levels that lock everything scanned.
  if (changes && level.candidates === "current" && level.locks === "scanned") return "current";
  return level.plainRead === "newest-uncommitted" ? "uncommitted" : "snapshot";
}

/** True if the statement reads its snapshot rather than the newest rows. */
export function usesSnapshot(session: Session, statement: Statement): boolean {
  const locks = statement.kind !== "select" || statement.query.lock !== undefined;
  return locks
    ? session.level.candidates === "snapshot"
    : readModeOf(session, statement) === "snapshot";
}

/** The tables as the statement's plain reads see them. The first read takes the snapshot, if there is none yet. */
export function readTables(server: Server, session: Session, statement: Statement): Tables {
  const { level } = session;
  switch (readModeOf(session, statement)) {
    case "current":
      return searchingTables(server, session, {
        strength: "share",
        wait: "block",
        keeps:
          level.plainRead === "row"
            ? "nothing"
            : level.locks === "scanned"
              ? "scanned"
              : "matching",
        keepsNamed: level.locksNamed,
        gaps: level.gaps,
        skipsLocked: false,
      });
    case "uncommitted":
      return uncommittedTables(server);
    case "snapshot": {
      let tables: Tables | undefined;
      return {
        rows: (table) => {
          session.snapshot ??= server.newest;
          tables ??= visibleTables(server, session, session.snapshot);
          return tables.rows(table);
        },
      };
    }
  }
}

/** The way in which the statement reaches the rows that it locks, changes or checks. */
export function actingOf(server: Server, session: Session): Acting {
  const { level } = session;
  const current = level.candidates === "current";
  const newest = visibleTables(server, session, server.newest);
  const conflicting = ({ locks }: Session, name: string, mode: string): readonly HeldLock[] =>
    locks.filter((held) => held.name === name && excludes(name, held.mode, mode));
  const holdersOfName = (name: string, mode: string): readonly Session[] =>
    othersOf(server, session).filter((each) => conflicting(each, name, mode).length > 0);
  const take = (name: string, mode: string, term?: LockTerm): void => {
    const holders = holdersOfName(name, mode);
    const isEarly = (each: Session): boolean =>
      term === "at-commit" || conflicting(each, name, mode).every(({ atCommit }) => atCommit);
    if (holders.some(isEarly)) throw new NotExecutable(CHECKED_LATER);
    waitFor(
      holders.map((each) => each.machine.instance),
      { name, mode },
    );
    // A session gives up each of its locks on its own.
    if (
      term === "outlives" ||
      !session.locks.some((held) => held.name === name && held.mode === mode)
    )
      session.locks = [
        ...session.locks,
        {
          name,
          mode,
          ...(term === "outlives" && { outlives: true }),
          ...(term === "at-commit" && { atCommit: true }),
        },
      ];
  };
  const acting: Acting = {
    lock: (row, strength, waiting) => {
      if (!current)
        return lockRow({ level, newest, take, skips: session.skips }, row, strength, waiting);
      const mode = plainRowLock(strength);
      if (strength === "update") refuseMeeting(server, session, row);
      waitFor(holdersOf(server, session, row, mode), { name: rowName(row.table, row.key), mode });
      const found = newest.rows(row.table).find((each) => each.key === row.key);
      if (found !== undefined) refuseChanged(session, found);
      takeRow(session, row, mode);
      return found?.alive === true
        ? { kind: "row", row: found, changed: false }
        : { kind: "gone", ...(found === undefined ? {} : { newest: found }) };
    },
    lockObject: (name, mode, term) => {
      // Only PostgreSQL's implicit table locks are modelled; explicit ones are locks everywhere.
      take(name, mode, term);
    },
    isHeld: (name, mode) => server.isSerial === true || holdersOfName(name, mode).length > 0,
    unlockObject: (name, mode) => {
      const isOwn = (held: HeldLock): boolean => held.outlives === true && held.mode === mode;
      const given = session.locks.findLast((held) => isOwn(held) && held.name === name);
      session.locks = session.locks.filter((held) =>
        name === undefined ? held.outlives !== true : held !== given,
      );
    },
    current: newest.rows,
    awaitDecided: (table, concerns) => {
      waitFor(
        othersOf(server, session)
          .filter((each) =>
            each.log.some((write) => write.table === table && mayConcern(write, concerns)),
          )
          .map((each) => each.machine.instance),
      );
    },
    announce: (table, values) => {
      if (!current) return;
      const key = keyOf(findTable(server.schema, table), values);
      const place = newest.rows(table).find((row) => row.key === key);
      // A row that others have deleted since the snapshot counts as changed.
      if (place !== undefined) refuseChanged(session, place);
      const name = gapName(table);
      waitFor(
        othersOf(server, session)
          .filter((each) =>
            each.locks.some((held) => held.name === name && held.covers?.(values) === true),
          )
          .map((each) => each.machine.instance),
      );
    },
    lockDuplicate: (row) => {
      if (!current) return;
      waitFor(holdersOf(server, session, row, "share"));
      refuseChanged(session, row);
      takeRow(session, row, "share");
    },
    firstUpdaterWins: !current && level.conflict === "first-updater-wins",
    noVersionOnNoChange: level.noVersionOnNoChange,
    step: server.steps.length,
  };
  if (!current) return acting;
  return {
    ...acting,
    targets: (strength, wait, what) =>
      searchingTables(server, session, {
        strength: plainRowLock(strength),
        wait,
        keeps: level.locks === "scanned" ? "scanned" : "matching",
        keepsNamed: level.locksNamed && what === "read",
        gaps: level.gaps,
        skipsLocked: level.skipsLocked && what === "update",
      }),
  };
}

function waitFor(holders: readonly string[], wants?: HeldLock): void {
  if (holders.length > 0) throw new WaitFor(holders, wants);
}

function mayConcern(write: Write, concerns: (values: Write["values"]) => boolean): boolean {
  const before = write.before?.values;
  return (before !== undefined && concerns(before)) || concerns({ ...before, ...write.values });
}
