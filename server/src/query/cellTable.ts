// Entries by keys of several parts. A part that is an object is held weakly, so that what nobody else knows is forgotten.

export interface CellTable<Cell> {
  /** The entry of a key; made at its first use. */
  readonly at: (key: readonly unknown[]) => Cell;
}

export function createCellTable<Cell>(make: (key: readonly unknown[]) => Cell): CellTable<Cell> {
  const top: Level<Cell> = {};
  return {
    at: (key) => {
      let level = top;
      for (const part of key) level = below(level, part);
      return (level.cell ??= make(key));
    },
  };
}

/** The entries of keys that begin with the same parts. */
interface Level<Cell> {
  cell?: Cell;
  objects?: WeakMap<object, Level<Cell>>;
  others?: Map<unknown, Level<Cell>>;
}

function below<Cell>(level: Level<Cell>, part: unknown): Level<Cell> {
  if (isObject(part)) return next((level.objects ??= new WeakMap()), part);
  return next((level.others ??= new Map()), part);
}

function isObject(part: unknown): part is object {
  return (typeof part === "object" && part !== null) || typeof part === "function";
}

function next<Part, Cell>(
  map: { get(part: Part): Level<Cell> | undefined; set(part: Part, level: Level<Cell>): unknown },
  part: Part,
): Level<Cell> {
  const known = map.get(part);
  if (known) return known;
  const own: Level<Cell> = {};
  map.set(part, own);
  return own;
}
