// Sequences as a session uses them: outside of transactions, with the values that it was given last.
import type { Catalog, Table } from "./catalog";
import type { SharedContext } from "./run/statement";
import { renamedRelation } from "./define";
import { withinBounds, type Sequence } from "./sequence";
import { readOnlyFailure } from "./sessionParts";
import { isReadOnly } from "./sessionSettings";
import type { State } from "./sessionState";
import type { Sequences } from "./sessionTypes";
import { failure, unsupported } from "./sqlError";
import type { SqlDefinition, TableChange } from "./definitionTree";

/** Rows of tables without a primary key are numbered as well. */
const ROWS = "#rows";

export function sessionSequences(
  catalog: Catalog,
  sequences: Sequences,
  state: State,
): Pick<SharedContext, "nextValue" | "reached" | "setValue" | "currentValue"> {
  function declared(name: string): Sequence {
    const sequence = catalog.sequences.get(name);
    if (sequence !== undefined) return sequence;
    throw catalog.dialect === "postgres"
      ? failure("noTable", `relation "${name}" does not exist`)
      : failure("noSequence", `Unknown SEQUENCE: '${name}'`);
  }
  function checkWritable(call: string): void {
    if (isReadOnly(state)) throw readOnlyFailure(call, catalog.dialect === "postgres");
  }
  return {
    nextValue(name) {
      if (name === ROWS) return sequences.next(name, 1);
      checkWritable("nextval()");
      const sequence = declared(name);
      const { start, increment } = sequence;
      const next = sequences.next(name, start, increment);
      const value = withinBounds(catalog.dialect, name, next, sequence);
      if (value !== next) sequences.set?.(name, value + increment);
      state.currentValues.set(name, value);
      state.lastSequence = name;
      return value;
    },
    reached: sequences.reached,
    setValue(name, value, isCalled) {
      checkWritable("setval()");
      const { start, increment, least, most } = declared(name);
      if (sequences.set === undefined) throw unsupported("setval()");
      if (value < least || value > most)
        throw failure(
          "valueOutOfRange",
          `setval: value ${value} is out of bounds for sequence "${name}" (${least}..${most})`,
        );
      const next = isCalled ? value + increment : value;
      const before = sequences.set(name, next);
      const ahead = (next - (before ?? start)) * Math.sign(increment);
      if (catalog.dialect !== "postgres" && ahead < 0) {
        sequences.set(name, before);
        return null;
      }
      if (isCalled) state.currentValues.set(name, value);
      return value;
    },
    currentValue(sequence) {
      const name = sequence ?? state.lastSequence;
      return name === undefined ? undefined : state.currentValues.get(name);
    },
  };
}

/** Sets the next number of a sequence, and gives what sets it back. */
function setBack(sequences: Sequences, name: string, next: number | undefined): () => void {
  const before = sequences.set?.(name, next);
  return () => sequences.set?.(name, before);
}

/** Columns of tables are numbered from the start again, until that is undone. */
export function restartNumbers(tables: readonly Table[], sequences: Sequences): () => void {
  const columns = tables.flatMap((table) => table.columns);
  return inReverse(
    columns.flatMap(({ automatic }) =>
      automatic === undefined ? [] : [setBack(sequences, automatic.sequence, undefined)],
    ),
  );
}

function inReverse(undo: readonly (() => void)[]): () => void {
  return () => {
    for (const each of undo.toReversed()) each();
  };
}

/**
 * Sequences that a definition makes or sets anew begin there, whatever one of the same name had given before, until that is
 * undone.
 */
export function withNewSequences(
  catalog: Catalog,
  sequences: Sequences,
  definition: SqlDefinition,
  define: () => void,
): () => void {
  const { sequences: declared, tables } = catalog;
  const known = new Set(declared.keys());
  const moved =
    definition.kind === "alter table" ? renamedRelation(catalog, definition) : definition;
  define();
  if (moved?.kind === "rename" && moved.what === "sequence" && known.has(moved.from)) {
    const next = sequences.set?.(moved.from, undefined);
    return inReverse([() => sequences.set?.(moved.from, next), setBack(sequences, moved.to, next)]);
  }
  const undo = [...declared.keys()].flatMap((name) =>
    known.has(name) ? [] : [setBack(sequences, name, undefined)],
  );
  const restart = (name: string | undefined, at: number | null | undefined): void => {
    const sequence = name === undefined ? undefined : declared.get(name);
    if (name !== undefined && sequence !== undefined && at !== undefined)
      undo.push(setBack(sequences, name, at ?? sequence.start));
  };
  if (definition.kind === "alter sequence") restart(definition.name, definition.options.restart);
  if (definition.kind === "alter table")
    for (const change of definition.changes) {
      const columns = tables.get(definition.table)?.columns ?? [];
      const column = columns.find(
        ({ name, automatic }) => automatic !== undefined && isFor(change, name),
      );
      restart(column?.automatic?.sequence, restartOf(change));
    }
  return inReverse(undo);
}

function isFor(change: TableChange, column: string): boolean {
  return change.kind === "next number" || (change.kind === "identity" && change.column === column);
}

function restartOf(change: TableChange): number | null | undefined {
  if (change.kind === "next number") return change.next;
  return change.kind === "identity" ? change.sequence?.restart : undefined;
}
