// Templates about values: a lost change, an overdraft, a number below zero, a value that no order leaves.
import { isCounted } from "../../search/suspicion";
import { ownEntry } from "../../../protocol/dictionary";
import type { CellAccess, ExecutedStep } from "../../../store/execution";
import { shownText, type Row } from "../../../protocol/witness";
import { listText } from "../words";
import { plainValue, plural, rowName } from "./nouns";
import { keyOf, oddCells, rowsOf, sameRow, tablesOf, type OddCell, type Runs } from "./runs";

/** A change of a cell by an instance, relative to the value that it last saw. */
interface Change {
  readonly instance: string;
  readonly by: number;
}

/** "130 taken out of 100, the balance of account 1": the total taken exceeds what was there, and no order lets all of them succeed. */
export function overdrawn(runs: Runs): string | undefined {
  for (const cell of numericCells(runs)) {
    const before = sameRow(runs, cell.table, cell.row, rowsOf(runs.initial, cell.table));
    const start = before && ownEntry(before, cell.column);
    const changes = changesOf(runs, cell);
    if (typeof start !== "number" || start < 0 || changes.length < 2) continue;
    const taken = changes.reduce((sum, { by }) => sum - by, 0);
    if (changes.some(({ by }) => by >= 0) || taken <= start) continue;
    if (cell.orders.some((order) => order < 0)) continue;
    return `${String(taken)} taken out of ${String(start)}, the ${cellName(runs, cell)}`;
  }
  return undefined;
}

interface NumericCell {
  readonly table: string;
  readonly row: Row;
  readonly column: string;
  /** Values that the serial orders leave in the cell. */
  readonly orders: readonly number[];
}

/** Numeric cells of rows that exist in all outcomes. */
function numericCells(runs: Runs): readonly NumericCell[] {
  return tablesOf(runs).flatMap((table) =>
    rowsOf(runs.here.final, table).flatMap((row) => {
      const others = runs.serial.map(({ final }) =>
        sameRow(runs, table, row, rowsOf(final, table)),
      );
      return Object.entries(row).flatMap(([column, value]): readonly NumericCell[] => {
        const orders = others.flatMap((other) => {
          const order = other && ownEntry(other, column);
          return typeof order === "number" ? [order] : [];
        });
        const isWhole = typeof value === "number" && orders.length === runs.serial.length;
        return isWhole ? [{ table, row, column, orders }] : [];
      });
    }),
  );
}

/** "The balance of account 1 falls to -1, below zero". */
export function belowZero(runs: Runs): string | undefined {
  for (const cell of oddCells(runs)) {
    const { value, orders } = cell;
    if (typeof value !== "number" || value >= 0) continue;
    if (orders.some((order) => typeof order !== "number" || order < 0)) continue;
    return `the ${cellName(runs, cell)} falls to ${String(value)}, below zero`;
  }
  return undefined;
}

/** "Checking balance and savings balance are -1 together": a sum that one transaction read and that no order takes below zero. */
export function belowZeroTogether(runs: Runs): string | undefined {
  const readers = new Set(runs.steps.map(({ instance }) => instance));
  for (const reader of readers) {
    const read = new Map<string, CellAccess>();
    for (const { instance, reads } of runs.steps)
      for (const cell of instance === reader ? reads : [])
        if (typeof cell.value === "number" && !keyOf(runs, cell.table).includes(cell.column))
          read.set(JSON.stringify([cell.table, cell.key, cell.column]), cell);
    const cells = [...read.values()];
    const isOne = cells.every(({ column }) => column === cells[0]?.column);
    if (cells.length < 2 || !(isOne || cells.every(({ column }) => isCounted(column)))) continue;
    const sum = (final: Runs["initial"]): number =>
      cells.reduce((all, cell) => all + (valueAt(runs, cell, final) ?? 0), 0);
    const here = sum(runs.here.final);
    if (here >= 0 || sum(runs.initial) < 0) continue;
    if (runs.serial.some(({ final }) => sum(final) < 0)) continue;
    const names = [...new Set(cells.map((cell) => plural(cell.table)))];
    const columns = [...new Set(cells.map(({ column }) => column))];
    const verb = columns.length > 1 ? "add" : "adds";
    return `the ${columns.join(" and ")} of ${names.join(" and ")} ${verb} up to ${String(here)}, below zero`;
  }
  return undefined;
}

function valueAt(runs: Runs, cell: CellAccess, final: Runs["initial"]): number | undefined {
  const key = keyOf(runs, cell.table);
  const row = rowsOf(final, cell.table).find(
    (each) => key.map((column) => String(ownEntry(each, column) ?? "")).join(",") === cell.key,
  );
  const value = row && ownEntry(row, cell.column);
  return typeof value === "number" ? value : undefined;
}

/** Columns whose numbers stand for states: from one to another is no amount. */
const STATE =
  /(?:^|_)(?:is|has|status|state|flag|type|kind|deleted|enabled|disabled|locked|active)(?:_|$)/iu;

/** "The +20 of deposit is lost, the balance of account 1 ends at 40 instead of 60". */
export function lostChange(runs: Runs): string | undefined {
  const cells = oddCells(runs).filter(({ isNew, column }) => isNew && !STATE.test(column));
  for (const cell of [...cells].sort((a, b) => rankOf(a) - rankOf(b))) {
    const [order, ...others] = cell.orders;
    if (typeof cell.value !== "number" || typeof order !== "number" || others.length > 0) continue;
    const missing = order - cell.value;
    // The last change of the cell is not lost.
    const last = lastWriter(runs, cell);
    const lost = changesOf(runs, cell).find(
      ({ by, instance }) => by === missing && instance !== last,
    );
    if (!lost) continue;
    const by = missing > 0 ? `+${String(missing)}` : String(missing);
    const name = runs.nameOf(lost.instance);
    return `the ${by} of ${name} is lost, the ${cellName(runs, cell)} ends at ${String(cell.value)} instead of ${String(order)}`;
  }
  return undefined;
}

/**
 * "Account 1 ends with balance 0, where one at a time leaves 1 or 2"; or up to `MOST_TOGETHER` values that no order leaves together.
 * Undefined if every such combination occurs in some order.
 */
export function otherValue(cells: readonly OddCell[], runs: Runs): string | undefined {
  const [cell] = cells;
  if (!cell) return undefined;
  if (cell.isNew) {
    const orders = cell.orders.map(plainValue).join(" or ");
    return `${endText(runs, [cell])}, where one at a time leaves ${orders}`;
  }
  const together = neverTogether(runs, cells);
  return together && `${endText(runs, together)}, which no order leaves together`;
}

const MOST_TOGETHER = 3;

/** Further cells are not tried. */
const MOST_CELLS = 24;

/** The smallest set of cells, up to `MOST_TOGETHER`, whose values no serial order leaves together. O(cells^3 * orders). */
function neverTogether(runs: Runs, cells: readonly OddCell[]): readonly OddCell[] | undefined {
  const tried = cells.slice(0, MOST_CELLS);
  const orders = runs.serial.map(({ final }) => tried.map((cell) => isLeft(runs, cell, final)));
  for (let count = 2; count <= MOST_TOGETHER; count += 1) {
    const found = subsets(tried.length, count).find((some) =>
      orders.every((order) => some.some((at) => order[at] !== true)),
    );
    if (found) return found.flatMap((at) => tried[at] ?? []);
  }
  return undefined;
}

/** True if a final state has this value in the cell. */
function isLeft(
  runs: Runs,
  { table, row, column, value }: OddCell,
  final: Runs["initial"],
): boolean {
  const own = sameRow(runs, table, row, rowsOf(final, table));
  return own !== undefined && (ownEntry(own, column) ?? null) === value;
}

/** The subsets of a size of the first numbers, in order. */
function subsets(size: number, count: number, from = 0): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return Array.from({ length: Math.max(0, size - from) }, (_, at) => from + at).flatMap((at) =>
    subsets(size, count - 1, at + 1).map((rest) => [at, ...rest]),
  );
}

/** "account 1 ends with name 'a' and state 'x', and account 2 with state 'y'". */
function endText(runs: Runs, cells: readonly OddCell[]): string {
  const rows = new Map<string, string[]>();
  for (const { table, row, column, value } of cells) {
    const name = rowName(table, row, keyOf(runs, table));
    rows.set(name, [...(rows.get(name) ?? []), `${column} ${plainValue(value)}`]);
  }
  return [...rows]
    .map(([name, values], at) => `${name}${at === 0 ? " ends" : ""} with ${listText(values)}`)
    .join(", and ");
}

function rankOf({ column }: OddCell): number {
  return isCounted(column) ? 0 : 1;
}

function cellName(
  runs: Runs,
  { table, row, column }: Pick<OddCell, "table" | "row" | "column">,
): string {
  return `${column} of ${rowName(table, row, keyOf(runs, table))}`;
}

/** The change of a number by each committed instance, relative to its last read or to the value that it replaced. */
function changesOf(runs: Runs, cell: Pick<OddCell, "table" | "row" | "column">): readonly Change[] {
  const isCell = isOf(runs, cell);
  const changes = new Map<string, Change>();
  const seen = new Map<string, number>();
  for (const step of runs.steps) {
    if (!committed(runs, step)) continue;
    for (const { value } of step.reads.filter(isCell))
      if (typeof value === "number" && !seen.has(step.instance)) seen.set(step.instance, value);
    for (const { value, before } of step.writes.filter(isCell)) {
      const from = computedInPlace(step, isCell) ? before : (seen.get(step.instance) ?? before);
      if (typeof value !== "number" || typeof from !== "number") continue;
      const known = changes.get(step.instance)?.by ?? 0;
      changes.set(step.instance, { instance: step.instance, by: known + value - from });
    }
  }
  return [...changes.values()];
}

/** The instance that wrote the cell last. */
function lastWriter(
  runs: Runs,
  cell: Pick<OddCell, "table" | "row" | "column">,
): string | undefined {
  const isCell = isOf(runs, cell);
  return runs.steps.findLast((step) => committed(runs, step) && step.writes.some(isCell))?.instance;
}

function isOf(
  runs: Runs,
  { table, row, column }: Pick<OddCell, "table" | "row" | "column">,
): (cell: CellAccess) => boolean {
  const key = keyOf(runs, table)
    .map((each) => String(ownEntry(row, each) ?? ""))
    .join(",");
  return (cell) => cell.table === table && cell.column === column && cell.key === key;
}

/** True if the statement itself reads the value that it changes. */
function computedInPlace({ reads }: ExecutedStep, isCell: (cell: CellAccess) => boolean): boolean {
  return reads.some(isCell);
}

function committed({ here }: Runs, { instance }: ExecutedStep): boolean {
  return ownEntry(here.status, instance) === "committed";
}

/** "A run of balance returns 10, where one at a time gives 5 or 15". */
export function otherReturn({ here: run, serial, nameOf }: Runs): string | undefined {
  for (const [instance, values] of Object.entries(run.returned))
    for (const pick of [...values.keys(), "all" as const]) {
      const of = (all: readonly string[] = []): string =>
        pick === "all" ? all.filter((each) => each !== "").join(" and ") : (all[pick] ?? "");
      const here = of(values);
      const others = serial.map(({ returned }) => of(ownEntry(returned, instance)));
      if (here === "" || others.includes(here)) continue;
      const [shown = "", ...orders] = differing([here, ...new Set(others)]);
      return `a run of ${nameOf(instance)} returns ${shown}, where one at a time gives ${orders.join(" or ")}`;
    }
  return undefined;
}

const LONGEST = 60;
const MOST_FIELDS = 2;

/** The fields of texts like "a = 1, b = 2" in which they differ; cut to the first ones. */
function differing(texts: readonly string[]): readonly string[] {
  const fields = texts.map((text) => shownText(text).split(/(?:, | and |; )(?=[^\s,=]+ = )/u));
  const [first = []] = fields;
  const isAlike = fields.every((each) => each.length === first.length);
  const isShared = (field: string, at: number): boolean =>
    fields.every((other) => (isAlike ? other[at] === field : other.includes(field)));
  const odd = fields.map((each) => each.filter((field, at) => !isShared(field, at)));
  const isTold = odd.every((each) => each.length > 0);
  return (isTold ? odd : fields).map((each) => {
    const more = each.length - MOST_FIELDS;
    const some = each
      .slice(0, MOST_FIELDS)
      .map((field) => (field.length > LONGEST ? `${field.slice(0, LONGEST)}\u2026` : field));
    if (more > 0) return `${some.join(", ")} and ${String(more)} more`;
    return some.join(" and ") || "nothing";
  });
}
