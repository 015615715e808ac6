// Entries by keys of several parts. A part that is an object is held weakly, so that what nobody else knows is forgotten; texts and
// numbers stay until `capacity` other keys were asked later.

export interface CellTable<Cell> {
  /** The entry of a key; made at its first use. */
  readonly at: (key: readonly unknown[]) => Cell;
}

export function createCellTable<Cell>(
  make: (key: readonly unknown[]) => Cell,
  capacity = Infinity,
): CellTable<Cell> {
  const top: Level<Cell> = { forget: () => undefined };
  /** The keys by their time of use, the oldest first. */
  const recent = new Set<Level<Cell>>();
  return {
    at: (key) => {
      let level = top;
      for (const part of key) level = below(level, part);
      level.cell ??= make(key);
      if (capacity === Infinity) return level.cell;
      recent.delete(level);
      recent.add(level);
      for (const oldest of recent) {
        if (recent.size <= capacity) break;
        recent.delete(oldest);
        delete oldest.cell;
        oldest.forget();
      }
      return level.cell;
    },
  };
}

/** The entries of keys that begin with the same parts. */
interface Level<Cell> {
  /** Takes it out of the level above, unless it holds something. */
  readonly forget: () => void;
  cell?: Cell;
  objects?: WeakMap<object, Level<Cell>>;
  others?: Map<unknown, Level<Cell>>;
}

function below<Cell>(level: Level<Cell>, part: unknown): Level<Cell> {
  if (isObject(part)) return next((level.objects ??= new WeakMap()), part, () => undefined);
  const others = (level.others ??= new Map());
  return next(others, part, (own) => {
    if (own.cell !== undefined || own.objects || (own.others?.size ?? 0) > 0) return;
    others.delete(part);
    level.forget();
  });
}

function isObject(part: unknown): part is object {
  return (typeof part === "object" && part !== null) || typeof part === "function";
}

function next<Part, Cell>(
  map: { get(part: Part): Level<Cell> | undefined; set(part: Part, level: Level<Cell>): unknown },
  part: Part,
  forget: (own: Level<Cell>) => void,
): Level<Cell> {
  const known = map.get(part);
  if (known) return known;
  const own: Level<Cell> = {
    forget: () => {
      forget(own);
    },
  };
  map.set(part, own);
  return own;
}
