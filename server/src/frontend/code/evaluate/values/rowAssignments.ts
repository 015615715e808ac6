// Fields of rows that the code assigns. All who hold the first row of a result hold the same; of others it is only known
// that a field of some row was assigned, which is told to those who ask another row for it.
import { weaken } from "../lattice";
import {
  type Cell,
  fieldExpression,
  oneOfSeveral,
  type ResultReference,
  type RowValue,
  type Value,
} from "../../values";
import { noteRead, noteNewField } from "../lists/lastReads";
import { type State } from "../state";
import { readsOf } from "./convert";

const FIRST = "first";
const SEARCHED = "searched";

/** The fields of the first row that were assigned. */
export function firstOverlay({ assigned }: ResultReference): Map<string, Cell> {
  return assigned ? cellsAt(assigned, FIRST) : new Map<string, Cell>();
}

/** The fields of another row that may have been assigned already: whoever saves it saves these. */
export function overlayBeside({
  result,
  assigned = new Map(),
}: ResultReference): Map<string, Cell> {
  const overlay = new Map<string, Cell>();
  for (const cells of assigned.values()) {
    for (const [field, { value }] of cells) {
      if (!value) continue;
      const reads = [{ kind: "size", result } as const, ...readsOf(value)];
      overlay.set(field, { value: oneOfSeveral(WHICH, reads), birth: 0 });
    }
  }
  return overlay;
}

/** Notes that a field of a row is assigned, for those who hold other rows. */
export function noteRowAssignment(state: State, row: RowValue, field: string, value: Value): void {
  const at = placeOf(row);
  if (!row.assigned || at === FIRST) return;
  const cells = cellsAt(row.assigned, at);
  const cell = cells.get(field) ?? { value: undefined, birth: 0, unset: oneOfSeveral(WHICH) };
  cells.set(field, cell);
  if (cell.value === undefined) noteNewField(cell, cells);
  weaken(state, cell, value, WHICH);
}

/** Content of a row in a field that was assigned to others of its result; undefined where none was. */
export function assignedElsewhere(row: RowValue, field: string): Value | undefined {
  const own = placeOf(row);
  if (!row.assigned) return undefined;
  // Rows that are searched for may be the same each time.
  if (own === SEARCHED) noteRead(cellsAt(row.assigned, SEARCHED));
  for (const [at, cells] of row.assigned) {
    const other = at !== own || own === SEARCHED ? cells.get(field)?.value : undefined;
    if (other) return oneOfSeveral(WHICH, [fieldExpression(row, field), ...readsOf(other)]);
  }
  return undefined;
}

const WHICH = "which of the rows the code assigned a field is not known";

function placeOf({ at }: RowValue): string {
  if (at === "first") return FIRST;
  return "where" in at ? SEARCHED : at.loop;
}

function cellsAt(
  assigned: NonNullable<ResultReference["assigned"]>,
  at: string,
): Map<string, Cell> {
  const known = assigned.get(at) ?? new Map<string, Cell>();
  assigned.set(at, known);
  return known;
}
