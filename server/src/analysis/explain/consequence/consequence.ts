// The consequence of an anomaly for the data, in one clause, with its harm: from the first template in the table that fits the executed
// run.
import { ownEntry } from "../../../protocol/dictionary";
import type { Harm, Severity } from "../../../protocol/report";
import type { Value } from "../../../protocol/witness";
import type { CellAccess } from "../../../store/execution";
import { EXISTENCE } from "../../../store/row";
import { isCounted } from "../../search/suspicion";
import { capitalise } from "./nouns";
import {
  dangling,
  emptiedState,
  otherRows,
  otherTables,
  overLimit,
  sameNumber,
  twice,
} from "./rowTemplates";
import { isClock, oddCells, rowsOf, sameRow, tablesOf, type OddCell, type Runs } from "./runs";
import {
  belowZero,
  belowZeroTogether,
  lostChange,
  otherReturn,
  otherValue,
  overdrawn,
} from "./valueTemplates";

export interface Consequence {
  /** Absent if there is no visible effect that fits in a clause. */
  readonly title?: string;
  readonly harm: Harm;
}

interface Template {
  readonly harm: Harm;
  readonly tell: (runs: Runs) => string | undefined;
}

/** The templates, worst first. Notes about a change (who, when, a log) rank last. */
const TEMPLATES: readonly Template[] = [
  { harm: "limit", tell: overdrawn },
  { harm: "limit", tell: belowZero },
  { harm: "limit", tell: belowZeroTogether },
  { harm: "limit", tell: overLimit },
  { harm: "limit", tell: emptiedState },
  { harm: "duplicate", tell: twice },
  { harm: "duplicate", tell: sameNumber },
  { harm: "dangling", tell: dangling },
  { harm: "amount", tell: lostChange },
  { harm: "amount", tell: cellsWhere((cell) => cell.isNew && isAmount(cell)) },
  { harm: "rows", tell: otherRows },
  { harm: "value", tell: cellsWhere((cell) => cell.isNew) },
  { harm: "amount", tell: cellsWhere((cell) => !cell.isNew && isAmount(cell)) },
  { harm: "choice", tell: cellsWhere(() => true) },
];

/** The fallback if each part of the state equals that of some order, but the whole equals none. */
const WHOLE: Template = { harm: "choice", tell: otherTables };

/** The consequence of a run, by its final state or (depending on the severity) its returned values. Undefined if only reads differ. */
export function consequenceOf(runs: Runs, severity: Severity | undefined): Consequence | undefined {
  if (runs.serial.length === 0 || severity === "unused") return undefined;
  if (severity !== "state") return returnedBy(runs);
  const mattering = { ...runs, ...withoutNotes(runs) };
  // If some order leaves the same state except for notes and clock times, nothing else is wrong.
  const isWrong = !mattering.serial.some((order) => leavesTheSame(mattering, order));
  for (const { harm, tell } of isWrong ? [...TEMPLATES, WHOLE] : []) {
    const title = tell(mattering);
    if (title !== undefined) return { title: capitalise(title), harm };
  }
  const noted = repeatsOnly(runs) ? "repetition" : "noted";
  for (const { tell } of TEMPLATES) {
    const title = tell(runs);
    if (title !== undefined) return { title: capitalise(title), harm: noted };
  }
  return oddCells(runs).length > 0 ? { harm: noted } : returnedBy(runs);
}

function returnedBy(runs: Runs): Consequence {
  const returned = otherReturn(runs);
  return {
    ...(returned !== undefined && { title: capitalise(returned) }),
    harm: repeatsOnly(runs) ? "repetition" : "returned",
  };
}

/** True if the later transaction writes what is there already: the rows are gone, or have the values that the earlier one wrote. */
function repeatsOnly(runs: Runs): boolean {
  return deletesOnly(runs) || writesTheSame(runs);
}

/**
 * True if all writing transactions write the same values to the same cells, notes aside. Two transactions that consume a single-use item,
 * or advance the same state, perform the associated action twice.
 */
function writesTheSame({ steps }: Runs): boolean {
  const written = new Map<string, Map<string, Value>>();
  for (const { instance, writes } of steps)
    for (const { table, key, column, value } of writes) {
      if (NOTED_TABLE.test(table) || NOTED_COLUMN.test(column)) continue;
      if (column === EXISTENCE || SINGLE_USE.test(table) || STATE_COLUMN.test(column)) return false;
      const own = written.get(instance) ?? new Map<string, Value>();
      written.set(instance, own.set(JSON.stringify([table, key, column]), value));
    }
  const [first, ...others] = written.values();
  if (!first || others.length === 0) return false;
  return others.every(
    (other) =>
      other.size === first.size && [...first].every(([cell, value]) => other.get(cell) === value),
  );
}

/**
 * True if the transactions only delete rows, or mark them as deleted, and write notes of that. A transaction that deletes a single-use item
 * uses it, which two may not.
 */
function deletesOnly({ steps }: Runs): boolean {
  const written = steps.flatMap(({ writes }) => writes);
  return (
    written.some(isDeletion) &&
    !written.some(({ table }) => SINGLE_USE.test(table)) &&
    written.every(
      (cell) => isDeletion(cell) || NOTED_TABLE.test(cell.table) || NOTED_COLUMN.test(cell.column),
    )
  );
}

function isDeletion({ column, value }: CellAccess): boolean {
  return column === EXISTENCE ? value === false : DELETION_COLUMN.test(column) && Boolean(value);
}

function cellsWhere(fits: (cell: OddCell) => boolean): Template["tell"] {
  return (runs) => otherValue(oddCells(runs).filter(fits), runs);
}

function isAmount({ column, value }: OddCell): boolean {
  return typeof value === "number" && isCounted(column);
}

/** The outcomes without tables and columns that only log what was done. */
function withoutNotes({ here, serial }: Runs): Pick<Runs, "here" | "serial"> {
  const strip = (outcome: Runs["here"]): Runs["here"] => ({
    ...outcome,
    final: Object.fromEntries(
      Object.entries(outcome.final)
        .filter(([table]) => !NOTED_TABLE.test(table))
        .map(([table, rows]) => [
          table,
          rows.map((row) =>
            Object.fromEntries(
              Object.entries(row).filter(([column]) => !NOTED_COLUMN.test(column)),
            ),
          ),
        ]),
    ),
  });
  return { here: strip(here), serial: serial.map(strip) };
}

/** True if the same transactions succeed in an order and leave the rows that the run leaves, clock times aside. */
function leavesTheSame(runs: Runs, order: Runs["here"]): boolean {
  const { here } = runs;
  const isLike = ([name, status]: [string, string]): boolean =>
    (status === "committed") === (ownEntry(order.status, name) === "committed");
  if (!Object.entries(here.status).every(isLike)) return false;
  return tablesOf(runs).every((table) => {
    const [own, others] = [rowsOf(here.final, table), rowsOf(order.final, table)];
    return (
      own.length === others.length &&
      own.every((row) => {
        const other = sameRow(runs, table, row, others);
        return (
          other !== undefined &&
          Object.entries(row).every(([column, value]) => {
            const there = ownEntry(other, column) ?? null;
            return value === there || (isClock(value) && isClock(there));
          })
        );
      })
    );
  });
}

/** Tables of single-use items: tokens, codes, invitations, queue entries. */
const SINGLE_USE =
  /token|code|otp|nonce|invit|challenge|verif|ticket|coupon|voucher|queue|job|task|outbox|message|event/iu;

/** Columns of states that an item passes through once. */
const STATE_COLUMN =
  /status|state|stage|phase|used|consumed|redeemed|claimed|taken|accepted|approved|processed|sent|paid|locked|assigned/iu;

const DELETION_COLUMN = /^(?:is_?)?deleted(?:_?(?:at|on|by))?$/iu;

/** Tables and columns that log a change. */
const NOTED_TABLE = /audit|(?:^|_)logs?$|history|activit/iu;
const NOTED_COLUMN =
  /audit|(?:^|_)log$|history|notes?$|comment|description|message|updated_?(?:at|by|on)|modified|last_?seen|views?$/iu;
