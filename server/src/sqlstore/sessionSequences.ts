// Sequences as a session uses them: outside of transactions, with the values that it was given last.
import type { Catalog } from "./catalog";
import type { StatementContext } from "./run/statement";
import { withinBounds, type Sequence } from "./sequence";
import type { State } from "./sessionState";
import type { Sequences } from "./sessionTypes";
import { failure, unsupported } from "./sqlError";
import type { SqlDefinition, TableChange } from "./tree";

/** Rows of tables without a primary key are numbered as well. */
const ROWS = "#rows";

export function sessionSequences(
  catalog: Catalog,
  sequences: Sequences,
  state: State,
): Pick<StatementContext, "nextValue" | "reached" | "setValue" | "currentValue"> {
  function declared(name: string): Sequence {
    const sequence = catalog.sequences.get(name);
    if (sequence !== undefined) return sequence;
    throw catalog.dialect === "postgres"
      ? failure("noTable", `relation "${name}" does not exist`)
      : failure("noSequence", `Unknown SEQUENCE: '${name}'`);
  }
  return {
    nextValue(name) {
      if (name === ROWS) return sequences.next(name, 1);
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
      const { increment } = declared(name);
      if (sequences.set === undefined) throw unsupported("setval()");
      sequences.set(name, isCalled ? value + increment : value);
      if (isCalled) state.currentValues.set(name, value);
    },
    currentValue(sequence) {
      const name = sequence ?? state.lastSequence;
      return name === undefined ? undefined : state.currentValues.get(name);
    },
  };
}

/** Sequences that a definition makes or sets anew begin there, whatever one of the same name had given before. */
export function withNewSequences(
  { sequences: declared, tables }: Catalog,
  sequences: Sequences,
  definition: SqlDefinition,
  define: () => void,
): void {
  const known = new Set(declared.keys());
  define();
  for (const [name, { start }] of declared) if (!known.has(name)) sequences.set?.(name, start);
  const restart = (name: string | undefined, at: number | null | undefined): void => {
    const sequence = name === undefined ? undefined : declared.get(name);
    if (name !== undefined && sequence !== undefined && at !== undefined)
      sequences.set?.(name, at ?? sequence.start);
  };
  if (definition.kind === "alter sequence") restart(definition.name, definition.options.restart);
  if (definition.kind !== "alter table") return;
  for (const change of definition.changes) {
    const columns = tables.get(definition.table)?.columns ?? [];
    const column = columns.find(
      ({ name, automatic }) => automatic !== undefined && isFor(change, name),
    );
    restart(column?.automatic?.sequence, restartOf(change));
  }
}

function isFor(change: TableChange, column: string): boolean {
  return change.kind === "next number" || (change.kind === "identity" && change.column === column);
}

function restartOf(change: TableChange): number | null | undefined {
  if (change.kind === "next number") return change.next;
  return change.kind === "identity" ? change.sequence?.restart : undefined;
}
