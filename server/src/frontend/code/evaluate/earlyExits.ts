// State that a path hands on where it ends early: whoever gets it sees the records and lists that it made, as they were
// there.
import { ageOf, type Cell, type Scope, type Value } from "../values";

/** The cells, and by their births the records, that someone has who was given a value. */
export interface HandedOn {
  readonly cells: ReadonlySet<Cell>;
  readonly records: ReadonlySet<number>;
  /** It is too much to be told: it may be all. */
  readonly isAll: boolean;
}

/** The cells to which values lead. Linear in what they hold, up to a bound. */
export function handedOn(values: Iterable<Value | undefined>): HandedOn {
  const cells = new Set<Cell>();
  const records = new Set<number>();
  const seen = new Set<Value | Scope>();
  const open = [...values].filter((value) => value !== undefined);
  const enter = (cell: Cell): void => {
    cells.add(cell);
    if (cell.value) open.push(cell.value);
  };
  for (let value = open.pop(); value; value = open.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MOST) return { cells, records, isAll: true };
    switch (value.kind) {
      case "object":
        if (value.born !== undefined) records.add(value.born);
        for (const cell of value.fields.values()) enter(cell);
        if (value.rest) open.push(value.rest);
        break;
      case "row":
        if (value.born !== undefined) records.add(value.born);
        for (const cell of value.overlay.values()) enter(cell);
        break;
      case "list":
        for (const cell of [...value.items, value.grown]) enter(cell);
        break;
      case "joined":
        open.push(...value.parts);
        break;
      case "derived":
        open.push(value.from, value.by);
        break;
      case "choice":
        open.push(value.then, value.otherwise);
        break;
      case "builtin":
        if (value.self) open.push(value.self);
        break;
      case "function":
        if (value.self) open.push(value.self);
        for (let scope: Scope | undefined = value.scope; scope; scope = scope.parent) {
          if (seen.has(scope)) break;
          seen.add(scope);
          for (const cell of scope.bindings.values()) enter(cell);
        }
        break;
      default:
        break;
    }
  }
  return { cells, records, isAll: false };
}

/** More is not gone over: a record of an application has a few fields, and what is in them. */
const MOST = 400;

/** True if a cell, younger than what was ended, is among what was handed on. */
export function isHandedOn(cell: Cell, { cells, records, isAll }: HandedOn): boolean {
  return isAll || cells.has(cell) || (cell.made !== undefined && records.has(ageOf(cell)));
}
