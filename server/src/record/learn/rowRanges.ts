// How many rows a statement had in the runs: where it always had some, or never any, the program behind the other case is not known.
import type { RecordedStatement, RowRange } from "../statements";
import type { Path } from "./knowns";

/** The fewest and the most rows that these statements read or changed. */
export function rowRange(statements: readonly RecordedStatement[]): RowRange {
  const ranges = statements.map(({ inRounds, affected, count }): RowRange => {
    const rows = affected ?? count;
    return inRounds ?? { least: rows, most: rows };
  });
  return {
    least: Math.min(...ranges.map(({ least }) => least)),
    most: Math.max(...ranges.map(({ most }) => most)),
  };
}

/**
 * The numbers of rows at a step of these runs, where all of them had some or none had any; undefined where both were seen, and for
 * statements whose number of rows is always the same. Linear in the number of runs.
 */
export function oneSidedRows(paths: readonly Path[], step: number): RowRange | undefined {
  const statements = paths.flatMap((path) => path[step] ?? []);
  const [first] = statements;
  if (first === undefined || statements.some(({ hasNoResult }) => hasNoResult)) return undefined;
  if (!canMiss(first.text)) return undefined;
  const range = rowRange(statements);
  return range.least > 0 || range.most === 0 ? range : undefined;
}

/** Aggregates without groups have one row, and an INSERT of values adds them or fails. */
function canMiss(text: string): boolean {
  if (/^insert\b/i.test(text)) return /\b(?:conflict|ignore|select)\b/i.test(text);
  const isAggregate = /^select (?:count|sum|min|max|avg|coalesce|exists) ?\(/i.test(text);
  return /^(?:select|update|delete)\b/i.test(text) && (!isAggregate || /\bgroup by\b/i.test(text));
}
