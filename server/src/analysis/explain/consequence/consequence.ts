// The consequence of an anomaly for the data, in one clause, with its harm: the first template of the table that fits
// its executed run.
import type { Harm, Severity } from "../../../protocol/report";
import type { CellAccess } from "../../../store/execution";
import { EXISTENCE } from "../../../store/row";
import { isCounted } from "../../search/suspicion";
import { capitalise } from "./nouns";
import { dangling, emptiedState, otherRows, overLimit, sameNumber, twice } from "./rowTemplates";
import { oddCells, type OddCell, type Runs } from "./runs";
import {
  belowZero,
  belowZeroTogether,
  lostChange,
  otherReturn,
  otherValue,
  overdrawn,
} from "./valueTemplates";

export interface Consequence {
  /** Absent where nothing that a person would see can be said in a clause. */
  readonly title?: string;
  readonly harm: Harm;
}

interface Template {
  readonly harm: Harm;
  readonly tell: (runs: Runs) => string | undefined;
}

/** The worst first. What is noted about a change (who, when, a log) stands behind everything else. */
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

/** Consequence of a run, from its final state or, by its severity, from returned values. Undefined where only reads differ. */
export function consequenceOf(runs: Runs, severity: Severity | undefined): Consequence | undefined {
  if (runs.serial.length === 0 || severity === "unused") return undefined;
  if (severity !== "state") return returnedBy(runs);
  const mattering = { ...runs, ...withoutNotes(runs) };
  for (const { harm, tell } of TEMPLATES) {
    const title = tell(mattering);
    if (title !== undefined) return { title: capitalise(title), harm };
  }
  for (const { tell } of TEMPLATES) {
    const title = tell(runs);
    if (title !== undefined)
      return { title: capitalise(title), harm: deletesOnly(runs) ? "repetition" : "noted" };
  }
  return returnedBy(runs);
}

function returnedBy(runs: Runs): Consequence {
  const returned = otherReturn(runs);
  return {
    ...(returned !== undefined && { title: capitalise(returned) }),
    harm: deletesOnly(runs) ? "repetition" : "returned",
  };
}

/**
 * True if all that the transactions write is that rows are gone, or marked so, and notes of that. Who takes a thing that
 * serves once away uses it, which two may not.
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

/** The outcomes without tables and columns that only note what was done. */
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

/** Tables of what serves once: tokens, codes, invitations, entries of queues. */
const SINGLE_USE =
  /token|code|otp|nonce|invit|challenge|verif|ticket|coupon|voucher|queue|job|task|outbox|message|event/iu;

const DELETION_COLUMN = /^(?:is_?)?deleted(?:_?(?:at|on|by))?$/iu;

/** Tables and columns of what is written down about a change, beside the change itself. */
const NOTED_TABLE = /audit|(?:^|_)logs?$|history|activit/iu;
const NOTED_COLUMN =
  /audit|(?:^|_)log$|history|notes?$|comment|description|message|updated_?(?:at|by|on)|modified|last_?seen|views?$/iu;
