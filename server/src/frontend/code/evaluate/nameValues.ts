// Values of names at the tops of modules, made when somebody asks. A name that needs itself is not known while it is made;
// what others were found to be meanwhile, and rests on that, is forgotten then: no value depends on who asked first.
import type { Entry } from "../queries/dependencies";
import type { Value } from "../values";

/** The value of an entry's name, which is made where it is not known yet. */
export type NameValues = (entry: Entry, make: () => Value | undefined) => Value | undefined;

/** A name that is being made. */
interface Making {
  readonly entry: Entry;
  /** How many are around the outermost that was asked for while it is made; infinite where none was. */
  needs: number;
  /** Names that rest on this one not being known, and on none around it. */
  readonly resting: Entry[];
}

interface Made {
  readonly value: Value | undefined;
  readonly needs: number;
}

/** Makes each name once, but names that need each other up to once for each name around them that is asked for. */
export function createNameValues(): NameValues {
  const known = new Map<Entry, Made>();
  const open: Making[] = [];
  const depths = new Map<Entry, number>();
  const need = (depth: number): void => {
    const asking = open.at(-1);
    if (asking) asking.needs = Math.min(asking.needs, depth);
  };

  /** Whoever uses the name that was made used what these did. */
  function forget({ entry, resting }: Making): void {
    for (const each of resting) {
      known.delete(each);
      for (const inner of each.inner) entry.inner.add(inner);
      each.inner.clear();
      entry.notes.push(...each.notes);
      each.notes.length = 0;
    }
  }

  return (entry, make) => {
    const before = known.get(entry);
    if (before) {
      need(before.needs);
      return before.value;
    }
    const at = depths.get(entry);
    if (at !== undefined) {
      need(at);
      return undefined;
    }
    const depth = open.length;
    const own: Making = { entry, needs: Infinity, resting: [] };
    open.push(own);
    depths.set(entry, depth);
    try {
      const value = make();
      const needs = own.needs < depth ? own.needs : Infinity;
      known.set(entry, { value, needs });
      open[needs]?.resting.push(entry);
      return value;
    } finally {
      open.pop();
      depths.delete(entry);
      forget(own);
      if (own.needs < depth) need(own.needs);
    }
  };
}
