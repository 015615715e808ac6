// When lists, records and rows were last asked for what they hold. A loop that only adds to them may take its rounds as
// alike; one that asks them on the way may not.
import { attribute } from "../../../../query/nodes";
import type { Cell } from "../../values";

/** The asked cells: the cell of what loops add to a list, the fields of a record, those of a row that were written. */
type Asked = Cell | ReadonlyMap<string, Cell>;

let count = 0;
const last = attribute<Asked, number>();

/** Notes that a list is asked for its items, or a record for a field that it does not have, or for all that it has. */
export function noteRead(asked: Asked): void {
  count += 1;
  last.set(asked, count);
}

/** Notes that a field comes to be: whoever asked its record before may have asked for it. */
export function noteNewField(field: Cell, fields: ReadonlyMap<string, Cell>): void {
  const asked = last.get(fields);
  if (asked !== undefined) last.set(field, asked);
}

/** A moment, for `wasAskedSince`. */
export function askedSoFar(): number {
  return count;
}

/** True if what a cell holds was asked for since a moment, when it held nothing yet or only a part of that. */
export function wasAskedSince(cell: Cell, moment: number): boolean {
  return (last.get(cell) ?? 0) > moment;
}
