// Templates about rows: duplicates, more rows than a limit, an emptied state, a dangling reference.
import { ownEntry } from "../../../protocol/dictionary";
import type { Row } from "../../../protocol/witness";
import { listText } from "../words";
import {
  countText,
  numberText,
  plainValue,
  plainWords,
  plural,
  rowName,
  sharedText,
  singular,
} from "./nouns";
import {
  agree,
  countsLike,
  keyOf,
  oddCells,
  rowsOf,
  sameRow,
  tableOf,
  tablesOf,
  type Runs,
} from "./runs";

/** Rows that the run added. */
function addedRows(runs: Runs, table: string): readonly Row[] {
  const before = rowsOf(runs.initial, table);
  return rowsOf(runs.here.final, table).filter((row) => !sameRow(runs, table, row, before));
}

/** "Two enrolments for course 1, whose capacity is 1": more rows than a limit that was read. */
export function overLimit(runs: Runs): string | undefined {
  for (const table of tablesOf(runs))
    for (const row of addedRows(runs, table)) {
      const columns = runs.lookedUp(table);
      const { here, serial } = countsLike(runs, table, row, columns);
      if (columns.length === 0 || serial.some((count) => count >= here)) continue;
      const most = Math.max(...serial);
      const limit = limitsRead(runs, table).find(({ value }) => most <= value && value < here);
      const rows = rowsAlike(runs, table, row, columns, here);
      if (limit) return `${rows}, where ${limit.name} is ${String(limit.value)}`;
      if (most > 1) return `${rows}, where one at a time leaves ${numberText(most)}`;
    }
  return undefined;
}

const LIMIT = /capacity|limit|max|quota|seats?$|slots?$|size|total|available|places?$/iu;

/** Numbers of other tables that some statement read and whose names suggest a limit. */
function limitsRead(
  { steps }: Runs,
  table: string,
): readonly { readonly name: string; readonly value: number }[] {
  return steps.flatMap(({ reads }) =>
    reads.flatMap((read) =>
      read.table !== table && typeof read.value === "number" && LIMIT.test(read.column)
        ? [{ name: plainWords(read.column), value: read.value }]
        : [],
    ),
  );
}

/** "No doctor with on call true is left": the last row left a state, which no order does. */
export function emptiedState(runs: Runs): string | undefined {
  for (const table of tablesOf(runs))
    for (const column of runs.lookedUp(table)) {
      if (keyOf(runs, table).includes(column) || isReference(runs, table, column)) continue;
      const values = new Set(rowsOf(runs.initial, table).map((row) => ownEntry(row, column)));
      for (const value of values) {
        if (value === undefined || value === null || typeof value === "number") continue;
        const { here, serial } = countsLike(runs, table, { [column]: value }, [column]);
        if (here > 0 || serial.some((count) => count === 0)) continue;
        const state =
          value === true
            ? `is ${plainWords(column)}`
            : `has ${plainWords(column)} ${plainValue(value)}`;
        return `No ${singular(table)} ${state} any more, where one at a time leaves one`;
      }
    }
  return undefined;
}

/** A reference to an owner is not a state of the row. */
function isReference(runs: Runs, table: string, column: string): boolean {
  const foreign = tableOf(runs, table)?.foreignKeys ?? [];
  return (
    /(?:^| )id$/u.test(plainWords(column)) || foreign.some((key) => key.columns.includes(column))
  );
}

/**
 * "Two bookings for room 63, where one at a time leaves one": rows that agree in the columns of a lookup, or refer to the same changed row,
 * more than any order leaves.
 */
export function twice(runs: Runs): string | undefined {
  const lookUps = [(table: string) => runs.lookedUp(table), referencesToChanged(runs)];
  for (const columnsOf of lookUps)
    for (const table of tablesOf(runs))
      for (const row of addedRows(runs, table)) {
        const columns = columnsOf(table, row);
        const { here, serial } = countsLike(runs, table, row, columns);
        if (columns.length === 0 || here < 2 || serial.some((count) => count >= here)) continue;
        const most = numberText(Math.max(...serial));
        return `${rowsAlike(runs, table, row, columns, here)}, where one at a time leaves ${most}`;
      }
  return undefined;
}

/** "two bookings for room 63". What a row has by default is said where nothing else is. */
function rowsAlike(
  runs: Runs,
  table: string,
  row: Row,
  columns: readonly string[],
  count: number,
): string {
  const isDefault = (column: string): boolean => {
    const usual = tableOf(runs, table)?.columns.find(({ name }) => name === column)?.default;
    return usual?.kind === "literal" && usual.value === ownEntry(row, column);
  };
  const chosen = columns.filter((column) => !isDefault(column));
  return `${countText(count, table)} ${sharedText(row, chosen.length > 0 ? chosen : columns)}`;
}

/** The columns by which a row refers to one that the run has changed, such as the seat of an order. */
function referencesToChanged(runs: Runs): (table: string, row: Row) => readonly string[] {
  const isChanged = (table: string, row: Row): boolean => {
    const before = sameRow(runs, table, row, rowsOf(runs.initial, table));
    return Object.entries(before ?? {}).some(
      ([column, value]) => (ownEntry(row, column) ?? null) !== value,
    );
  };
  return (table, row) => {
    const foreign = tableOf(runs, table)?.foreignKeys ?? [];
    const key = foreign.find(({ columns, table: parent, referenced }) =>
      rowsOf(runs.here.final, parent).some(
        (target) =>
          isChanged(parent, target) &&
          columns.every(
            (column, at) => ownEntry(row, column) === ownEntry(target, referenced[at] ?? ""),
          ),
      ),
    );
    return key?.columns ?? [];
  };
}

/** "Two invoices with number 1": a value of rows that are new, or that got it here, which is unique in every order. */
export function sameNumber(runs: Runs): string | undefined {
  for (const table of tablesOf(runs))
    for (const row of rowsOf(runs.here.final, table)) {
      const before = sameRow(runs, table, row, rowsOf(runs.initial, table));
      const key = keyOf(runs, table);
      const looked = runs
        .lookedUp(table)
        .filter((column) => (ownEntry(row, column) ?? null) !== null)
        .filter((column) => !before || !key.includes(column));
      for (const column of Object.keys(row)) {
        if (looked.includes(column) || typeof ownEntry(row, column) === "boolean") continue;
        if (before && !(identifies(column) && isOther(before, row, column))) continue;
        const columns = [...looked, column];
        if (countsLike(runs, table, row, columns).here < 2) continue;
        if (!(before ? isTorn(runs, table, row, columns) : isUnique(runs, table, columns)))
          continue;
        const { here } = countsLike(runs, table, row, columns);
        return `${countText(here, table)} ${sharedText(row, columns)}`;
      }
    }
  return undefined;
}

/** True if no order leaves two rows that agree, although it adds as many rows. */
function isUnique(runs: Runs, table: string, columns: readonly string[]): boolean {
  const added = addedRows(runs, table).length;
  const orders = runs.serial.map(({ final }) => rowsOf(final, table));
  return (
    orders.every((rows) => rows.length >= added) &&
    [...orders, rowsOf(runs.initial, table)].every((rows) => isDistinct(rows, columns))
  );
}

/** True if every order tells the rows apart that agree here with this one. */
function isTorn(runs: Runs, table: string, row: Row, columns: readonly string[]): boolean {
  const alike = rowsOf(runs.here.final, table).filter((each) => agree(each, row, columns));
  return runs.serial.every(({ final }) => {
    const own = alike.flatMap((each): readonly Row[] => {
      const same = sameRow(runs, table, each, rowsOf(final, table));
      return same ? [same] : [];
    });
    return isDistinct(own, columns);
  });
}

/** True if the column's name says that it tells rows apart. */
function identifies(column: string): boolean {
  return /number|sequence|position|slug|code|token|(?:^|_)(?:no|nr|seq|rank|ordinal|slot)$/iu.test(
    column,
  );
}

function isOther(before: Row, row: Row, column: string): boolean {
  return (ownEntry(before, column) ?? null) !== (ownEntry(row, column) ?? null);
}

function isDistinct(rows: readonly Row[], columns: readonly string[]): boolean {
  return rows.every((row, at) => !rows.slice(at + 1).some((other) => agree(row, other, columns)));
}

/** "Enrolment (1, 1) refers to student 1, which is gone". */
export function dangling(runs: Runs): string | undefined {
  for (const parent of tablesOf(runs))
    for (const gone of rowsOf(runs.initial, parent)) {
      if (sameRow(runs, parent, gone, rowsOf(runs.here.final, parent))) continue;
      for (const table of tablesOf(runs)) {
        if (table === parent) continue;
        const refers = referenceTo(runs, table, parent);
        if (!refers) continue;
        const isLeft = (final: Readonly<Record<string, readonly Row[]>>): Row | undefined =>
          sameRow(runs, parent, gone, rowsOf(final, parent))
            ? undefined
            : rowsOf(final, table).find((row) => refers(row, gone));
        const left = isLeft(runs.here.final);
        if (!left || runs.serial.some(({ final }) => isLeft(final))) continue;
        const child = rowName(table, left, keyOf(runs, table));
        const target = rowName(parent, gone, keyOf(runs, parent));
        return `${child} refers to ${target}, which is gone`;
      }
    }
  return undefined;
}

/** True if a row refers to one of the other table: by a foreign key, or by a column of that table's name. */
function referenceTo(
  runs: Runs,
  table: string,
  parent: string,
): ((row: Row, target: Row) => boolean) | undefined {
  const foreign = tableOf(runs, table)?.foreignKeys.find((key) => key.table === parent);
  const [key, ...more] = keyOf(runs, parent);
  const name = singular(parent);
  const named = tableOf(runs, table)?.columns.find(({ name: column }) =>
    [name, `${name} id`].includes(plainWords(column)),
  );
  const pairs = foreign
    ? foreign.columns.map((column, at) => [column, foreign.referenced[at] ?? key ?? ""] as const)
    : named && key !== undefined && more.length === 0
      ? [[named.name, key] as const]
      : [];
  if (pairs.length === 0) return undefined;
  return (row, target) =>
    pairs.every(([from, to]) => {
      const value = ownEntry(row, from) ?? null;
      return value !== null && value === (ownEntry(target, to) ?? null);
    });
}

/** "Two order lines are left, where one at a time leaves one", or the one row that differs in existence. */
export function otherRows(runs: Runs): string | undefined {
  for (const table of tablesOf(runs)) {
    const count = rowsOf(runs.here.final, table).length;
    const counts = runs.serial.map(({ final }) => rowsOf(final, table).length);
    if (counts.includes(count)) continue;
    const others = [...new Set(counts)]
      .sort((a, b) => a - b)
      .map(numberText)
      .join(" or ");
    const verb = count < 2 ? "is" : "are";
    return `${countText(count, table)} ${verb} left, where one at a time leaves ${others}`;
  }
  for (const table of tablesOf(runs)) {
    const odd = rowsOf(runs.here.final, table).find((row) =>
      runs.serial.every(({ final }) => !sameRow(runs, table, row, rowsOf(final, table))),
    );
    if (odd) return `${rowName(table, odd, keyOf(runs, table))} is left, which no order leaves`;
    const gone = runs.serial
      .flatMap(({ final }) => rowsOf(final, table))
      .find(
        (row) =>
          !sameRow(runs, table, row, rowsOf(runs.here.final, table)) &&
          runs.serial.every(({ final }) => sameRow(runs, table, row, rowsOf(final, table))),
      );
    if (gone)
      return `${rowName(table, gone, keyOf(runs, table))} is missing, which every order leaves`;
  }
  const mixed = tablesOf(runs).find((table) =>
    runs.serial.every(({ final }) => !hasSameRows(runs, table, final)),
  );
  return mixed && `the ${plural(mixed)} that are left are those of no order`;
}

/** "The doctors and rooms that are left together are those of no order": tables that differ from some order. */
export function otherTables(runs: Runs): string | undefined {
  const odd = tablesOf(runs).filter((table) =>
    runs.serial.some(({ final }) => !hasSameRows(runs, table, final)),
  );
  const cells = oddCells(runs).map(({ table }) => table);
  const tables = [...new Set([...odd, ...cells])];
  if (tables.length < 2) return undefined;
  return `the ${listText(tables.map(plural))} that are left together are those of no order`;
}

/** True if a final state has the run's rows of the table, compared by key. */
function hasSameRows(runs: Runs, table: string, final: Runs["initial"]): boolean {
  const [here, there] = [rowsOf(runs.here.final, table), rowsOf(final, table)];
  return here.length === there.length && here.every((row) => sameRow(runs, table, row, there));
}
