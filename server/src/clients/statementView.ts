// The reads of one statement so far. A statement that needs unread rows is abandoned with `ReadFirst`, and executed again with the store's
// answer: the rows that it needs depend on what it reads.
import type { Key, ReadRequest, Value } from "../exploration/client";
import type { Level } from "../isolation/levels";
import type { Schema, Table } from "../program/schema";
import type { Acting, LockOutcome, Tables } from "../store/frame";
import { compareRows, findTable, writtenRow, type StoredRow, type Write } from "../store/row";
import { decodeRow, partsOfKey, rowKey, tablePrefix } from "./rowKeys";

/** Thrown through a statement that must read before it can continue. */
export class ReadFirst extends Error {
  request: ReadRequest = { kind: "read", keys: [] };
}

/** A single instance, since capturing a stack trace takes longer than a statement; it is caught at once. */
const READ_FIRST = new ReadFirst("rows are to be read first");

function readFirst(request: ReadRequest): ReadFirst {
  READ_FIRST.request = request;
  return READ_FIRST;
}

/** One statement's view of the store. */
export interface StatementView {
  readonly tables: Tables;
  readonly acting: (step: number) => Acting;
  /** Takes the store's answer to a read. */
  readonly take: (request: ReadRequest, values: ReadonlyMap<Key, Value>) => void;
}

/** The way in which statements of a level reach rows. */
export interface AccessRules {
  /** True if plain reads see the newest rows, not a snapshot. */
  readonly readsNewest: boolean;
  /**
   * Rows to lock, change or check are those of the read, are searched among the newest rows, or are found in the snapshot and read again.
   */
  readonly targets: "as-read" | "newest" | "read-again";
  readonly firstUpdaterWins: boolean;
  readonly noVersionOnNoChange: boolean;
}

/** At the papers' levels a statement reads each row once; products' levels act on the newest rows. */
export function accessRules(level: Pick<Level, "family"> & Partial<Level>): AccessRules {
  if (!("plainRead" in level))
    return {
      readsNewest: false,
      targets: "as-read",
      firstUpdaterWins: false,
      noVersionOnNoChange: false,
    };
  return {
    readsNewest: level.plainRead !== "snapshot",
    targets: level.candidates === "current" ? "newest" : "read-again",
    firstUpdaterWins: level.conflict === "first-updater-wins",
    noVersionOnNoChange: level.noVersionOnNoChange === true,
  };
}

/** Opens the view of a statement; `own` are the transaction's earlier writes, in order. */
export function openView(schema: Schema, rules: AccessRules, own: readonly Write[]): StatementView {
  const snapshot = openReads(schema, own, rules.readsNewest);
  const newest =
    rules.targets === "as-read" || rules.readsNewest ? snapshot : openReads(schema, own, true);
  let started = false;

  function fetch(reads: Reads, keys: readonly Key[], scans: readonly string[]): void {
    const missing = keys.filter((key) => !reads.has(key));
    const unseen = scans.filter((scan) => !reads.scanned.has(scan));
    if (missing.length === 0 && unseen.length === 0) return;
    throw readFirst({
      kind: "read",
      keys: missing,
      ...(unseen.length > 0 && { scans: unseen }),
      ...(reads.current && { current: true }),
      ...(started && { continues: true }),
    });
  }

  function all(reads: Reads, table: string): readonly StoredRow[] {
    fetch(reads, [], [tablePrefix(table)]);
    return reads.rows(table);
  }

  function some(reads: Reads, table: string, keys: readonly string[]): readonly StoredRow[] {
    fetch(
      reads,
      keys.map((key) => rowKey(table, key)).filter((key) => !reads.owned.has(key)),
      [],
    );
    return reads.rows(table, new Set(keys));
  }

  const tablesOf = (reads: Reads): Tables => ({
    rows: (table) => all(reads, table),
    withKeys: (table, keys) => some(reads, table, keys),
  });

  function lock(row: StoredRow): LockOutcome {
    if (rules.targets !== "read-again") return { kind: "row", row, changed: false };
    const [now] = some(newest, row.table, [row.key]);
    if (now === undefined || !now.alive) return { kind: "gone" };
    return { kind: "row", row: now, changed: now.version !== row.version };
  }

  return {
    tables: tablesOf(snapshot),
    acting: (step) => ({
      lock,
      isHeld: () => true,
      unlockObject: () => undefined,
      lockObject: () => undefined,
      current: (table, key) =>
        key === undefined ? all(newest, table) : some(newest, table, [key]),
      awaitDecided: () => undefined,
      announce: () => undefined,
      lockDuplicate: () => undefined,
      firstUpdaterWins: rules.firstUpdaterWins,
      noVersionOnNoChange: rules.noVersionOnNoChange,
      ...(rules.targets === "newest" && { targets: () => tablesOf(newest) }),
      step,
    }),
    take(request, values) {
      started = true;
      const reads = request.current === true ? newest : snapshot;
      for (const [key, value] of values) reads.values.set(key, value);
      for (const scan of request.scans ?? []) reads.scanned.add(scan);
    },
  };
}

/** Rows as read in one mode, overlaid with the transaction's own. */
interface Reads {
  readonly current: boolean;
  readonly values: Map<Key, Value>;
  readonly scanned: Set<string>;
  /** Keys that the transaction has written: no other version of them is needed. */
  readonly owned: ReadonlyMap<Key, StoredRow>;
  has(key: Key): boolean;
  /** Live rows in key order. */
  rows(table: string, keys?: ReadonlySet<string>): readonly StoredRow[];
}

function openReads(schema: Schema, own: readonly Write[], current: boolean): Reads {
  const values = new Map<Key, Value>();
  const scanned = new Set<string>();
  const owned = ownRows(own);
  return {
    current,
    values,
    scanned,
    owned,
    has: (key) => values.has(key) || scanned.has(key.slice(0, key.indexOf("/") + 1)),
    rows(table, keys) {
      const declared = findTable(schema, table);
      const found: StoredRow[] = [];
      for (const [key, value] of values) {
        const row = owned.has(key) ? undefined : rowOf(declared, key, value);
        if (row !== undefined && (keys === undefined || keys.has(row.key))) found.push(row);
      }
      for (const row of owned.values())
        if (row.table === table && row.alive && (keys === undefined || keys.has(row.key)))
          found.push(row);
      return found.sort(compareRows(declared));
    },
  };
}

function rowOf(table: Table, key: Key, value: Value): StoredRow | undefined {
  const parts = partsOfKey(key);
  return parts.table === table.name
    ? decodeRow(table, parts.row, value, versionNumber(value))
    : undefined;
}

/** Rows after a transaction's own writes. */
export function ownRows(own: readonly Write[]): ReadonlyMap<Key, StoredRow> {
  const rows = new Map<Key, StoredRow>();
  for (const write of own) {
    const key = rowKey(write.table, write.key);
    rows.set(key, writtenRow(rows.get(key) ?? write.before, write));
  }
  return rows;
}

/** A hash of the content, so that equal versions have equal numbers; a transaction's own versions are numbered by its steps, from 0. */
function versionNumber(value: Value): number {
  const text = JSON.stringify(value) ?? "";
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    low = Math.imul(low ^ unit, 1597334677);
  }
  return -2 - (2097152 * (low >>> 0) + (high >>> 11));
}
