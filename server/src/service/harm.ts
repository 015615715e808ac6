// What an anomaly costs, told from what its witness left behind: it orders findings and hides none.
import { isCounted } from "../analysis/search/suspicion";
import { ownEntry } from "../protocol/dictionary";
import type { Anomaly } from "../protocol/report";
import { isClockTime } from "../protocol/witness";
import type { Outcome, Row } from "../protocol/witness";

/** What differs from the serial order that comes nearest. */
export type Harm =
  /** An amount or a number of things. */
  | 3
  /** Which rows there are. */
  | 2
  /** Any other value. */
  | 1
  /** Nothing, or only when something was changed and what was noted about it. */
  | 0;

/** The harm of a finding, for ranking. Linear in the rows of its outcomes. */
export function harmOf({ witness, serial }: Anomaly): Harm {
  const harms = serial.map(({ outcome }) => harmBetween(witness.outcome, outcome));
  return harms.reduce((least, each) => (each < least ? each : least), harms[0] ?? 0);
}

function harmBetween(here: Outcome, there: Outcome): Harm {
  const tables = [...new Set([...Object.keys(here.final), ...Object.keys(there.final)])];
  const harms = tables.map((table): Harm => {
    const [a, b] = [ownEntry(here.final, table) ?? [], ownEntry(there.final, table) ?? []];
    if (a.length !== b.length) return isNoted(table) ? 0 : 2;
    const columns = differingColumns(a, b).filter((column) => !isNoted(column));
    if (columns.some(isCounted)) return 3;
    return columns.length > 0 && !isNoted(table) ? 1 : 0;
  });
  return harms.reduce<Harm>((most, each) => (each > most ? each : most), 0);
}

/** Columns whose values are not the same, of rows in the same order. Times of the clock differ from run to run anyway. */
function differingColumns(a: readonly Row[], b: readonly Row[]): readonly string[] {
  const columns = new Set<string>();
  for (const [at, row] of a.entries())
    for (const [column, value] of Object.entries(row)) {
      const other = ownEntry(b[at] ?? {}, column) ?? null;
      if (value !== other && !isClock(value) && !isClock(other)) columns.add(column);
    }
  return [...columns];
}

function isClock(value: Row[string]): boolean {
  return typeof value === "string" && isClockTime(`'${value}`);
}

/** Names of what is written down about a change, beside the change itself. */
function isNoted(name: string): boolean {
  return /audit|(?:^|_)log|history|note|comment|description|message|updated_?(?:at|by|on)|modified|last_?seen|views?$/iu.test(
    name,
  );
}
