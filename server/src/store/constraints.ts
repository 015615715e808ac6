// NOT NULL, CHECK, unique and foreign key checks of rows that a statement is about to write.
import { isDeferred, type ForeignKey, type Table, type UniqueKey } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import { columnsOf } from "./columns";
import { evaluate, truth } from "./evaluateExpression";
import type { StatementFrame } from "./statementFrame";
import { CHECKED_LATER, NotExecutable, SqlFailure } from "./failure";
import { withRows } from "./frame";
import { recordCell, recordExistence, recordUse } from "./recorder";
import { findTable, keyOf, type DerivedRow, type StoredRow, type Write } from "./row";
import { sameValue, type SqlValue } from "./value";

type Values = Readonly<Record<string, SqlValue>>;

/** A live row with the same unique key. */
export interface Conflict {
  readonly row: StoredRow;
  /** True if the same statement created it. */
  readonly own: boolean;
  /** True if the transaction's snapshot has a row with that key; always true where that does not matter. */
  readonly visible: boolean;
  /** True if the snapshot has this very version; always true where that does not matter. */
  readonly unchanged: boolean;
}

/** The primary key and the unique keys. */
export function uniqueKeysOf(table: Table): readonly UniqueKey[] {
  const primary = table.primaryKey.length === 0 ? [] : [{ columns: table.primaryKey }];
  return [...primary, ...table.uniqueKeys];
}

/** The keys that are checked after every statement. */
export function keysInForce(table: Table): readonly UniqueKey[] {
  return uniqueKeysOf(table).filter((key) => !isDeferred(key));
}

/** Columns whose change needs the strongest row lock: those of keys that foreign keys may reference. */
export function uniqueColumns(table: Table): readonly string[] {
  return uniqueKeysOf(table)
    .filter((key) => key.where === undefined)
    .flatMap((key) => key.columns);
}

/** Checks NOT NULL of the written columns and all CHECKs; throws SqlFailure. */
export function checkRow(
  table: Table,
  values: Values,
  written: readonly string[],
  frame: StatementFrame,
): void {
  for (const column of table.columns)
    if (
      !column.nullable &&
      written.includes(column.name) &&
      (ownEntry(values, column.name) ?? null) === null
    )
      throw new SqlFailure("23502", `${table.name}.${column.name} must not be NULL`);
  const row: DerivedRow = { kind: "derived", values };
  const inside = withRows(frame, { [table.name]: row });
  for (const check of table.checks)
    if (truth(evaluate(check, inside)) === false)
      throw new SqlFailure("23514", `a CHECK of ${table.name} is violated`);
}

/** The live row, if any, that prevents the insertion. Throws WaitFor while that is undecided. */
export function conflictingRow(
  table: Table,
  key: UniqueKey,
  values: Values,
  pending: readonly Write[],
  frame: StatementFrame,
): Conflict | undefined {
  if (key.columns.some((column) => (ownEntry(values, column) ?? null) === null)) return undefined;
  if (!covered(table, key, values, frame)) return undefined;
  const same = (other: Values) =>
    key.columns.every((column) =>
      sameValue(ownEntry(values, column) ?? null, ownEntry(other, column) ?? null),
    ) && covered(table, key, other, frame);
  const own = pending.find((write) => write.alive === true && same(write.values));
  frame.acting.awaitDecided(table.name, same);
  const row = frame.acting
    .current(table.name, primaryKey(table, key.columns, values))
    .find((each) => each.alive && same(each.values));
  frame.recorder.scans.push({
    table: table.name,
    matches: (each) => same(each.values),
    newest: true,
  });
  if (row === undefined && own !== undefined)
    return { row: pendingRow(own), own: true, visible: true, unchanged: true };
  if (row === undefined) return undefined;
  recordExistence(frame.recorder, table.name, row.key, row);
  recordUse(frame.recorder, row);
  // Other levels do not need the snapshot, and reading it would take one.
  if (!frame.acting.firstUpdaterWins) return { row, own: false, visible: true, unchanged: true };
  const seen = frame.tables.rows(table.name).find((each) => each.key === row.key && each.alive);
  const unchanged = seen?.version === row.version;
  return { row, own: false, visible: seen !== undefined, unchanged };
}

/** Checks foreign keys of a row: locks the parents, which must exist until the transaction ends. */
export function lockParents(
  table: Table,
  values: Values,
  written: readonly string[],
  frame: StatementFrame,
): void {
  for (const foreign of table.foreignKeys) {
    if (!foreign.columns.some((column) => written.includes(column))) continue;
    const wanted = foreign.columns.map((column) => ownEntry(values, column) ?? null);
    if (wanted.includes(null)) continue;
    const isLater = isDeferred(foreign);
    frame.acting.lockObject(
      `table ${foreign.table}`,
      "row share",
      isLater ? "at-commit" : undefined,
    );
    const referenced = Object.fromEntries(
      foreign.referenced.map((column, index) => [column, wanted[index] ?? null]),
    );
    const parents = frame.acting.firstUpdaterWins
      ? frame.tables.rows(foreign.table)
      : frame.acting.current(
          foreign.table,
          primaryKey(findTable(frame.schema, foreign.table), foreign.referenced, referenced),
        );
    const parent = parents.find(
      (row) =>
        row.alive &&
        foreign.referenced.every((column, index) =>
          sameValue(ownEntry(row.values, column) ?? null, wanted[index] ?? null),
        ),
    );
    const self = foreign.table === table.name && refersToItself(foreign, values);
    if (parent === undefined && self) continue;
    if (parent === undefined) throw refusedReference(foreign, frame, missingParent(table, foreign));
    recordExistence(frame.recorder, foreign.table, parent.key, parent);
    recordUse(frame.recorder, parent);
    if (frame.acting.lock(parent, "key-share", isLater ? "at-commit" : "block").kind === "gone")
      throw refusedReference(foreign, frame, missingParent(table, foreign));
  }
}

/** Checks keys after an UPDATE or DELETE: no two rows share one, and no child has lost its parent. */
export function checkReferences(
  table: Table,
  writes: readonly Write[],
  frame: StatementFrame,
  leavesNoChildren = false,
): void {
  if (writes.length === 0) return;
  checkChangedKeys(table, writes, frame);
  for (const child of frame.schema.tables)
    for (const foreign of child.foreignKeys)
      if (foreign.table === table.name)
        checkChildren(child, foreign, writes, frame, leavesNoChildren);
}

function checkChangedKeys(table: Table, writes: readonly Write[], frame: StatementFrame): void {
  const changed = new Set(
    writes.filter((write) => write.before !== undefined).map((write) => write.key),
  );
  for (const key of keysInForce(table)) {
    const made = writes
      .filter((write) => write.alive !== false)
      .map((write) => ({ ...write.before?.values, ...write.values }));
    // The columns of a partial key's condition may move a row into the key.
    const names = [
      ...key.columns,
      ...(key.where ? columnsOf(key.where) : []).map(({ column }) => column),
    ];
    const touched = writes.some((write) =>
      names.some((column) => Object.hasOwn(write.values, column)),
    );
    if (!touched) continue;
    made.forEach((values, index) => {
      if (key.columns.some((column) => (ownEntry(values, column) ?? null) === null)) return;
      if (!covered(table, key, values, frame)) return;
      const same = (other: Values) =>
        key.columns.every((column) =>
          sameValue(ownEntry(values, column) ?? null, ownEntry(other, column) ?? null),
        ) && covered(table, key, other, frame);
      frame.acting.awaitDecided(table.name, same);
      frame.recorder.scans.push({
        table: table.name,
        matches: (each) => same(each.values),
        newest: true,
      });
      const rows = frame.acting.current(table.name, primaryKey(table, key.columns, values));
      const taken = rows.some((row) => row.alive && !changed.has(row.key) && same(row.values));
      if (taken || made.slice(0, index).some(same))
        throw new SqlFailure("23505", `duplicate key (${key.columns.join(", ")}) in ${table.name}`);
    });
  }
}

function checkChildren(
  child: Table,
  foreign: ForeignKey,
  writes: readonly Write[],
  frame: StatementFrame,
  leavesNoChildren: boolean,
): void {
  const read = foreign.columns.filter((column) => !child.primaryKey.includes(column));
  for (const write of writes) {
    const { before } = write;
    if (before === undefined) continue;
    const lost =
      write.alive === false ||
      foreign.referenced.some(
        (column) =>
          Object.hasOwn(write.values, column) &&
          !sameValue(
            ownEntry(write.values, column) ?? null,
            ownEntry(before.values, column) ?? null,
          ),
      );
    if (!lost) continue;
    const isChanged = write.alive === false && foreign.onDelete !== undefined;
    const term = isDeferred(foreign) ? "at-commit" : undefined;
    frame.acting.lockObject(`table ${child.name}`, isChanged ? "row exclusive" : "row share", term);
    const refers = (values: Values) =>
      foreign.columns.every((column, index) =>
        sameValue(
          ownEntry(values, column) ?? null,
          ownEntry(before.values, foreign.referenced[index] ?? "") ?? null,
        ),
      );
    const gone = new Set(
      writes
        .filter((each) => each.alive === false && each.table === child.name)
        .map((each) => each.key),
    );
    frame.recorder.scans.push({
      table: child.name,
      matches: (row) => refers(row.values),
      newest: true,
    });
    for (const row of frame.acting.current(child.name)) {
      const isOne = refers(row.values);
      // Comparing keys does not read the row; for a deleted row, its absence was read.
      if (!isOne && (!row.alive || read.length === 0)) continue;
      recordExistence(frame.recorder, child.name, row.key, row);
      if (!row.alive) continue;
      for (const column of read) recordCell(frame.recorder, row, column);
      if (gone.has(row.key) || !isOne) continue;
      if (isChanged && !leavesNoChildren)
        throw new NotExecutable(
          `deleting from ${foreign.table} changes ${child.name} by its foreign key, which is not followed`,
        );
      const kept = `${child.name} still refers to a row of ${foreign.table}`;
      throw refusedReference(foreign, frame, new SqlFailure("23503", kept));
    }
  }
}

/** The primary key in these columns; undefined if they are another key's. */
function primaryKey(table: Table, columns: readonly string[], values: Values): string | undefined {
  return table.primaryKey.every((column) => columns.includes(column))
    ? keyOf(table, values)
    : undefined;
}

function covered(table: Table, key: UniqueKey, values: Values, frame: StatementFrame): boolean {
  if (key.where === undefined) return true;
  const row: DerivedRow = { kind: "derived", values };
  return truth(evaluate(key.where, withRows(frame, { [table.name]: row }))) === true;
}

function pendingRow(write: Write): StoredRow {
  return {
    kind: "stored",
    table: write.table,
    key: write.key,
    values: write.values,
    alive: true,
    writers: {},
    version: write.step,
    incarnation: write.step,
  };
}

function refersToItself(foreign: ForeignKey, values: Values): boolean {
  return foreign.columns.every((column, index) =>
    sameValue(
      ownEntry(values, column) ?? null,
      ownEntry(values, foreign.referenced[index] ?? "") ?? null,
    ),
  );
}

function missingParent(table: Table, { table: parent }: ForeignKey): SqlFailure {
  return new SqlFailure("23503", `${table.name} refers to a row of ${parent} that does not exist`);
}

/** The failure, where the server has nothing left to do before it checks the reference. */
function refusedReference(
  foreign: ForeignKey,
  { isPart }: StatementFrame,
  failure: SqlFailure,
): SqlFailure | NotExecutable {
  return isPart || isDeferred(foreign) ? new NotExecutable(CHECKED_LATER) : failure;
}
