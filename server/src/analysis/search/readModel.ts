// Reading what both decoders need from a model.
import type { Model } from "../../solver/solver";
import { FALSE, TRUE, literalOf } from "../encoding/smt";
import type { Smt } from "../encoding/smt";

/** An integer term that is a literal or a constant. */
export function readInt(model: Model, term: Smt): number {
  return literalOf(term) ?? model.int(term);
}

/** A condition that is a literal, a constant or the negation of one. */
export function readBool(model: Model, term: Smt): boolean {
  if (term === TRUE || term === FALSE) return term === TRUE;
  return term.startsWith("(not ") ? !readBool(model, term.slice(5, -1)) : model.bool(term);
}

/** Orders keys column by column. */
export function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [at, left] of a.entries()) {
    const difference = left - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** "T1" for the first instance. */
export function instanceName(index: number): string {
  return `T${String(index + 1)}`;
}
