// The query engine: inputs, derived queries that record what they ask, and revisions. A value is used again until something that it was
// made of has changed, and is found unchanged without being made again where all of that is as it was (the red-green algorithm of salsa,
// with the values of Adapton's traces). It knows nothing of files, code or programs.
import { createCellTable } from "./cellTable";

/** How seldom an input changes: what rests on lasting inputs alone is not looked at after an edit of others. */
export type Durability = "low" | "high";

/** The parts of a key: texts, numbers, and objects by identity, which are held weakly. */
export type Key = readonly unknown[];

export interface Input<Parts extends Key, Value> {
  /** The value; undefined where none was set. */
  readonly get: (...key: Parts) => Value | undefined;
  /** Begins a revision unless the value is the same. Throws inside of a derived query. */
  readonly set: (value: Value | undefined, ...key: Parts) => void;
}

export interface Derived<Parts extends Key, Value> {
  readonly get: (...key: Parts) => Value;
  /** The answer to a key, to be recorded or looked up without asking for it. */
  readonly cell: (...key: Parts) => Cell;
}

export interface QueryOptions<Value> {
  /** An equal new value is no change for what rests on it. Identity where it is not given. */
  readonly equals?: (a: Value, b: Value) => boolean;
}

/** The answers that a piece of work asked for, and their values at that time. */
export interface Uses {
  readonly cells: readonly Cell[];
  readonly values: readonly unknown[];
}

/** An answer to one key of one query. */
export interface Cell {
  readonly name: string;
  readonly key: Key;
  /** Makes the value; absent for an input. */
  readonly compute: (() => unknown) | undefined;
  readonly equals: (a: unknown, b: unknown) => boolean;
  durability: Durability;
  value: unknown;
  /** The answers that the value was made of; undefined until it was made. */
  uses: Uses | undefined;
  /** The last revision in which the value was known to hold. */
  verifiedAt: number;
  /** The revision in which it became what it is. */
  changedAt: number;
  isRunning: boolean;
}

export interface Database {
  readonly input: <Parts extends Key, Value>(
    name: string,
    options?: Pick<QueryOptions<Value>, "equals"> & { readonly durability?: Durability },
  ) => Input<Parts, Value>;
  /** `compute` is a pure function of its key and of what it asks of other queries. */
  readonly derived: <Parts extends Key, Value>(
    name: string,
    compute: (...key: Parts) => Value,
    options?: QueryOptions<Value>,
  ) => Derived<Parts, Value>;
  /** Answers with their present values, for work that is no query itself and rests on them. */
  readonly usesOf: (cells: readonly Cell[]) => Uses;
  /** The present value of an answer, without a note that it was asked. */
  readonly valueOf: (cell: Cell) => unknown;
  /** True if all answers are what they were, given the last revision in which they were so. */
  readonly holds: (uses: Uses, verifiedAt: number) => boolean;
  /** Runs work that ends with what `check` throws, asked before each query that is not known to hold. */
  readonly under: <Result>(check: () => void, run: () => Result) => Result;
  readonly revision: () => number;
  /** How many values were made, and how many of these were equal to the ones before. */
  readonly counts: () => { readonly made: number; readonly equal: number };
}

/** A query that needs its own answer. */
export class QueryCycle extends Error {
  /** The names of the queries around the cycle, the first one at the end again. */
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    super(`a query asks for its own answer: ${names.join(" > ")}`);
    this.names = names;
  }
}

export function createDatabase(): Database {
  let revision = 1;
  /** The last revision in which an input of a durability changed. */
  const changed: Record<Durability, number> = { low: 1, high: 1 };
  let recording: Recording | undefined;
  const running: Cell[] = [];
  let check: () => void = () => undefined;
  const counts = { made: 0, equal: 0 };

  function recorded<Result>(run: () => Result): { result: Result; uses: Recording } {
    const outer = recording;
    const uses: Recording = { cells: [], values: [], seen: new Set() };
    recording = uses;
    try {
      return { result: run(), uses };
    } finally {
      recording = outer;
    }
  }

  /** Brings an answer up to date. What throws leaves it as it was. */
  function refresh(cell: Cell): void {
    if (cell.compute === undefined || cell.verifiedAt === revision) return;
    check();
    if (cell.isRunning) throw new QueryCycle(cycleFrom(running, cell));
    cell.isRunning = true;
    running.push(cell);
    try {
      if (cell.uses === undefined || !holds(cell.uses, cell.verifiedAt, cell.durability)) {
        make(cell, cell.compute);
      }
      cell.verifiedAt = revision;
    } finally {
      running.pop();
      cell.isRunning = false;
    }
  }

  function holds(uses: Uses, verifiedAt: number, durability: Durability = "low"): boolean {
    if (since(durability) <= verifiedAt) return true;
    const { cells, values } = uses;
    let at = 0;
    for (const each of cells) {
      if (each.verifiedAt !== revision) refresh(each);
      if (each.changedAt > verifiedAt && !Object.is(each.value, values[at])) return false;
      at += 1;
    }
    return true;
  }

  /** The last revision that may concern an answer of a durability. */
  function since(durability: Durability): number {
    return durability === "high" ? changed.high : Math.max(changed.low, changed.high);
  }

  function make(cell: Cell, compute: () => unknown): void {
    const { result, uses } = recorded(compute);
    counts.made += 1;
    const isEqual = cell.uses !== undefined && cell.equals(cell.value, result);
    if (isEqual) counts.equal += 1;
    else {
      cell.value = result;
      cell.changedAt = revision;
    }
    const { cells, values } = uses;
    cell.uses = { cells, values };
    cell.durability = cells.every((each) => each.durability === "high") ? "high" : "low";
  }

  function use(cell: Cell): void {
    if (recording === undefined || recording.seen.has(cell)) return;
    refresh(cell);
    recording.seen.add(cell);
    recording.cells.push(cell);
    recording.values.push(cell.value);
  }

  function valueOf(cell: Cell): unknown {
    refresh(cell);
    return cell.value;
  }

  function ask(cell: Cell): unknown {
    use(cell);
    return valueOf(cell);
  }

  return {
    input: (name, { equals = Object.is, durability = "low" } = {}) => {
      const table = createCellTable((key) => newCell(name, key, equals, undefined, durability));
      return {
        // The table holds what `set` put there.
        get: (...key) => ask(table.at(key)) as never,
        set: (value, ...key) => {
          if (running.length > 0) throw new Error(`${name} was set while a query ran`);
          const cell = table.at(key);
          const isGone = cell.value === undefined || value === undefined;
          if (isGone ? cell.value === value : equals(cell.value, value)) return;
          revision += 1;
          changed[durability] = revision;
          cell.changedAt = revision;
          cell.value = value;
        },
      };
    },
    derived: (name, compute, { equals = Object.is } = {}) => {
      const table = createCellTable((key) =>
        newCell(name, key, equals, () => compute(...(key as never)), "low"),
      );
      return {
        cell: (...key) => table.at(key),
        // Only `compute` makes values.
        get: (...key) => ask(table.at(key)) as never,
      };
    },
    usesOf: (cells) => ({ cells, values: cells.map(valueOf) }),
    valueOf,
    holds: (uses, verifiedAt) => holds(uses, verifiedAt),
    under: (own, run) => {
      const outer = check;
      check = own;
      try {
        return run();
      } finally {
        check = outer;
      }
    },
    revision: () => revision,
    counts: () => ({ ...counts }),
  };
}

interface Recording extends Uses {
  readonly cells: Cell[];
  readonly values: unknown[];
  readonly seen: Set<Cell>;
}

function newCell(
  name: string,
  key: Key,
  equals: (a: never, b: never) => boolean,
  compute: Cell["compute"],
  durability: Durability,
): Cell {
  return {
    name,
    key,
    compute,
    // Both sides are values of the query.
    equals: equals as Cell["equals"],
    durability,
    value: undefined,
    uses: undefined,
    verifiedAt: 0,
    changedAt: 0,
    isRunning: false,
  };
}

function cycleFrom(running: readonly Cell[], cell: Cell): readonly string[] {
  const around = running.slice(running.indexOf(cell)).map(({ name }) => name);
  return [...around, cell.name];
}
