// Visibility and arbitration: free relations under axioms (statements or whole transactions), or one serial order.
import { AXIOMS } from "../../isolation/levels";
import type { Axiom, PaperLevel } from "../../isolation/levels";
import { FALSE, TRUE, and, bool, eq, imp, int, le, lt, not } from "./smt";
import type { Script, Smt } from "./smt";
import type { Instance, StepRef } from "./relationalInstances";

/** Who sees whom and who comes first, between statements of different instances. */
export interface Relations {
  /** Whether the reader sees what the writer wrote. Both are statements of different instances. */
  sees(reader: StepRef, writer: StepRef): Smt;
  /** Whether the first is arbitrated before the second: of two versions the later one stands. */
  before(first: StepRef, second: StepRef): Smt;
  /** The condition that an axiom holds for an instance. */
  holds(axiom: Axiom, instance: number): Smt;
}

/** The levels of the instances of one tuple, where they do not all run at one. */
export interface Mixture {
  readonly levels: readonly PaperLevel[];
  /** Numbers of instances that are kept serializable with each other (ANODE's selective serializability). */
  readonly pairs: readonly (readonly [number, number])[];
}

/** The literal that switches an axiom on, for all instances. */
export function axiomLiteral(axiom: Axiom): string {
  return `L_${axiom}`;
}

/** The literal that gives every instance of a mixture its own level. */
export const MIXED = "L_mixed";

/** One instance after the other, in the given order. */
export function serialRelations(order: readonly number[]): Relations {
  const rank = (ref: StepRef): number => order.indexOf(ref.instance);
  return {
    sees: (reader, writer) => bool(rank(writer) < rank(reader)),
    before: (first, second) => bool(rank(first) < rank(second)),
    holds: () => TRUE,
  };
}

/** The place of a statement in the arbitration order. */
export function positionName(ref: StepRef): string {
  return `p${String(ref.instance)}_${String(ref.step)}`;
}

/** The place of a transaction in the arbitration order, in the transaction tier. */
export function transactionPositionName(instance: number): string {
  return `P${String(instance)}`;
}

/**
 * Relations over statements, with every axiom of isolation/levels.ts behind its literal. What an instance does
 * itself is visible to it and ordered by program order; both are left to the caller. `noConflict` concerns rows:
 * see `relationalEdges.ts`. Where levels are mixed, what a statement sees is its own transaction's business, and that
 * two transactions are not interleaved takes both. Size: cubic in the number of statements for `causal`.
 */
export function statementRelations(
  script: Script,
  instances: readonly Instance[],
  mixture?: Mixture,
): Relations {
  const holds = declareAxioms(script, mixture);
  const position = (ref: StepRef): Smt => script.constant(positionName(ref), "Int");
  const sees = (reader: StepRef, writer: StepRef): Smt =>
    script.constant(
      `v${String(writer.instance)}_${String(writer.step)}_${String(reader.instance)}_${String(reader.step)}`,
      "Bool",
    );
  const before = (first: StepRef, second: StepRef): Smt => lt(position(first), position(second));
  const when = (axiom: Axiom, reader: Instance, formula: Smt): void => {
    script.assert(imp(holds(axiom, reader.index), formula));
  };
  /** Whether i is arbitrated before j, where transactions are atomic. */
  const precedes = (i: number, j: number): Smt =>
    i < j
      ? script.constant(`c${String(i)}_${String(j)}`, "Bool")
      : not(script.constant(`c${String(j)}_${String(i)}`, "Bool"));

  const count = instances.reduce((sum, instance) => sum + instance.steps.length, 0);
  for (const instance of instances) {
    instance.steps.forEach((step, index) => {
      script.assert(and(le("0", position(step)), lt(position(step), int(2 * count))));
      const next = instance.steps[index + 1];
      if (next !== undefined) script.assert(before(step, next));
    });
  }
  for (const [i, j] of pairs(instances)) {
    for (const a of i.steps) {
      for (const b of j.steps) {
        if (i.index < j.index) script.assert(not(eq(position(a), position(b))));
      }
    }
    const last = i.steps.at(-1);
    const [next] = j.steps;
    const paired = arePaired(mixture, i.index, j.index);
    if (last !== undefined && next !== undefined) {
      const ordered = imp(precedes(i.index, j.index), before(last, next));
      const both = and(...[i, j].map((each) => holds("atomicArbitration", each.index)));
      script.assert(paired ? ordered : imp(both, ordered));
    }
    const [firstWriter] = i.writers;
    if (firstWriter === undefined) continue;
    j.steps.forEach((reader, index) => {
      const later = j.steps[index + 1];
      if (last !== undefined)
        when("atomicVisibility", j, imp(sees(reader, firstWriter), before(last, reader)));
      for (const writer of i.writers) {
        script.assert(imp(sees(reader, writer), before(writer, reader)));
        if (paired) script.assert(imp(precedes(i.index, j.index), sees(reader, writer)));
        when("atomicVisibility", j, eq(sees(reader, firstWriter), sees(reader, writer)));
        when("total", j, imp(before(writer, reader), sees(reader, writer)));
        if (later === undefined) continue;
        when("monotonic", j, imp(sees(reader, writer), sees(later, writer)));
        when("repeatable", j, eq(sees(reader, writer), sees(later, writer)));
        when("causal", j, imp(sees(reader, writer), sees(later, writer)));
      }
      i.writers.forEach((writer, at) => {
        const following = i.writers[at + 1];
        if (following === undefined) return;
        when("causal", j, imp(sees(reader, following), sees(reader, writer)));
      });
    });
  }
  for (const [i, j, l] of triples(instances)) {
    for (const reader of l.steps) {
      for (const middle of j.writers) {
        for (const writer of i.writers) {
          const seen = sees(reader, middle);
          when("causal", l, imp(and(sees(middle, writer), seen), sees(reader, writer)));
          if (mixture !== undefined)
            when("prefix", l, imp(and(before(writer, middle), seen), sees(reader, writer)));
        }
      }
      if (mixture !== undefined) continue;
      const [first] = i.writers;
      const [middle] = j.writers;
      if (first !== undefined && middle !== undefined) {
        when(
          "prefix",
          l,
          imp(and(precedes(i.index, j.index), sees(reader, middle)), sees(reader, first)),
        );
      }
    }
  }
  return { sees, before, holds };
}

/** Relations over whole transactions: all that read-atomic and stronger levels can tell apart, with fewer variables. */
export function transactionRelations(
  script: Script,
  instances: readonly Instance[],
  mixture?: Mixture,
): Relations {
  const holds = declareAxioms(script, mixture);
  const position = (i: number): Smt => script.constant(transactionPositionName(i), "Int");
  const writes = (i: number): boolean => (instances[i]?.writers.length ?? 0) > 0;
  const visible = (i: number, j: number): Smt =>
    writes(i) ? script.constant(`V${String(i)}_${String(j)}`, "Bool") : FALSE;
  const first = (i: number, j: number): Smt => lt(position(i), position(j));
  const when = (axiom: Axiom, reader: number, formula: Smt): void => {
    script.assert(imp(holds(axiom, reader), formula));
  };
  for (const { index } of instances) {
    script.assert(and(le("0", position(index)), lt(position(index), int(instances.length))));
  }
  for (const [i, j] of pairs(instances)) {
    if (i.index < j.index) script.assert(not(eq(position(i.index), position(j.index))));
    script.assert(imp(visible(i.index, j.index), first(i.index, j.index)));
    if (!writes(i.index)) continue;
    const visibleIfFirst = imp(first(i.index, j.index), visible(i.index, j.index));
    if (arePaired(mixture, i.index, j.index)) script.assert(visibleIfFirst);
    else when("total", j.index, visibleIfFirst);
  }
  for (const [i, j, l] of triples(instances)) {
    const [a, b, c] = [i.index, j.index, l.index];
    when("causal", c, imp(and(visible(a, b), visible(b, c)), visible(a, c)));
    if (writes(a)) when("prefix", c, imp(and(first(a, b), visible(b, c)), visible(a, c)));
  }
  return {
    sees: (reader, writer) => visible(writer.instance, reader.instance),
    before: (one, other) => first(one.instance, other.instance),
    holds,
  };
}

/** Declares the axioms' literals; returns the condition that an axiom holds for an instance. */
function declareAxioms(script: Script, mixture: Mixture | undefined): Relations["holds"] {
  for (const axiom of AXIOMS) script.constant(axiomLiteral(axiom), "Bool");
  if (mixture === undefined) return axiomLiteral;
  const own = (axiom: Axiom, instance: number): Smt =>
    script.constant(`${axiomLiteral(axiom)}_${String(instance)}`, "Bool");
  script.constant(MIXED, "Bool");
  for (const [instance, level] of mixture.levels.entries())
    for (const axiom of AXIOMS) {
      script.assert(imp(axiomLiteral(axiom), own(axiom, instance)));
      if (level.axioms.includes(axiom)) script.assert(imp(MIXED, own(axiom, instance)));
    }
  return own;
}

function arePaired(mixture: Mixture | undefined, i: number, j: number): boolean {
  if (mixture === undefined) return false;
  return mixture.pairs.some(([a, b]) => (a === i && b === j) || (a === j && b === i));
}

function pairs(instances: readonly Instance[]): readonly (readonly [Instance, Instance])[] {
  return instances.flatMap((i) =>
    instances.filter((j) => j !== i).map((j): readonly [Instance, Instance] => [i, j]),
  );
}

function triples(
  instances: readonly Instance[],
): readonly (readonly [Instance, Instance, Instance])[] {
  return pairs(instances).flatMap(([i, j]) =>
    instances
      .filter((l) => l !== i && l !== j)
      .map((l): readonly [Instance, Instance, Instance] => [i, j, l]),
  );
}
