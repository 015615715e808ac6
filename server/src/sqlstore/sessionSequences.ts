// Sequences as a session uses them: outside of transactions, with the values that it was given last.
import type { Catalog } from "./catalog";
import type { StatementContext } from "./run/statement";
import type { State } from "./sessionState";
import type { Sequences } from "./sessionTypes";
import { failure, unsupported } from "./sqlError";

export function sessionSequences(
  catalog: Catalog,
  sequences: Sequences,
  state: State,
): Pick<StatementContext, "nextValue" | "reached" | "setValue" | "currentValue"> {
  return {
    nextValue(sequence) {
      const start = catalog.sequences.get(sequence);
      if (start === undefined && sequence !== "#rows")
        throw failure("noTable", `relation "${sequence}" does not exist`);
      const value = sequences.next(sequence, start ?? 1);
      if (sequence !== "#rows") {
        state.currentValues.set(sequence, value);
        state.lastSequence = sequence;
      }
      return value;
    },
    reached: sequences.reached,
    setValue(sequence, value, isCalled) {
      if (!catalog.sequences.has(sequence))
        throw failure("noTable", `relation "${sequence}" does not exist`);
      if (sequences.set === undefined) throw unsupported("setval()");
      sequences.set(sequence, isCalled ? value + 1 : value);
      if (isCalled) state.currentValues.set(sequence, value);
    },
    currentValue(sequence) {
      const name = sequence ?? state.lastSequence;
      return name === undefined ? undefined : state.currentValues.get(name);
    },
  };
}

/** Sequences that a definition makes begin at their start, whatever one of the same name had given before. */
export function withNewSequences(
  { sequences: starts }: Catalog,
  sequences: Sequences,
  define: () => void,
): void {
  const known = new Set(starts.keys());
  define();
  for (const [name, start] of starts) if (!known.has(name)) sequences.set?.(name, start);
}
