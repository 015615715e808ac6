// Visibility and arbitration: free relations under axioms (between statements or whole transactions), or one serial order.
import { AXIOMS } from "../../../isolation/levels";
import type { Axiom, PaperLevel } from "../../../isolation/levels";
import { FALSE, TRUE, and, bool, eq, imp, int, le, lt, not } from "../smt";
import type { Script, Smt } from "../smt";
import type { Instance, StepRef } from "./instances";
import { partFinder, partsOf } from "./parts";
import type { Part } from "./parts";

/** Visibility and order between statements of different instances. */
export interface Relations {
  /** True if the reader sees the writer's writes; they are statements of different instances. */
  sees(reader: StepRef, writer: StepRef): Smt;
  /** True if the first is arbitrated before the second: of two versions the later wins. */
  before(first: StepRef, second: StepRef): Smt;
  /** The condition that an axiom holds for an instance. */
  holds(axiom: Axiom, instance: number): Smt;
  /** The constant for a statement's arbitration position; absent in a serial order. */
  place?(ref: StepRef): string;
}

/** The levels of a tuple's instances, if they differ. */
export interface Mixture {
  readonly levels: readonly PaperLevel[];
  /** Pairs of instances that are kept serializable (ANODE's selective serializability). */
  readonly pairs: readonly (readonly [number, number])[];
}

/** The literal that enables an axiom for all instances. */
export function axiomLiteral(axiom: Axiom): string {
  return `L_${axiom}`;
}

/** The literal that enables, for every instance of a mixture, its own level. */
export const MIXED_LEVELS = "L_mixed";

/** The relations of a serial order of the instances. */
export function serialRelations(order: readonly number[]): Relations {
  const rank = (ref: StepRef): number => order.indexOf(ref.instance);
  return {
    sees: (reader, writer) => bool(rank(writer) < rank(reader)),
    before: (first, second) => bool(rank(first) < rank(second)),
    holds: () => TRUE,
  };
}

/** The arbitration position of a statement. */
function positionName(ref: StepRef): string {
  return `p${String(ref.instance)}_${String(ref.step)}`;
}

/** The arbitration position of a transaction, in the transaction tier. */
function transactionPositionName(instance: number): string {
  return `P${String(instance)}`;
}

/**
 * Relations over statements, with every axiom of isolation/levels.ts behind its literal. What an instance does
 * itself is visible to it and ordered by program order; both are left to the caller. `noConflict` concerns rows:
 * see `edges.ts`. Where levels are mixed, what a statement sees is its own transaction's business, and that
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
    reader.instance === writer.instance
      ? bool(writer.step < reader.step)
      : script.constant(
          `v${String(writer.instance)}_${String(writer.step)}_${String(reader.instance)}_${String(reader.step)}`,
          "Bool",
        );
  const before = (first: StepRef, second: StepRef): Smt => lt(position(first), position(second));
  const when = (axiom: Axiom, reader: Part, formula: Smt): void => {
    script.assert(imp(holds(axiom, reader.instance), formula));
  };
  /** True if i is arbitrated before j, for atomic transactions. */
  const precedes = (i: Part, j: Part): Smt => {
    if (i.instance === j.instance) return bool(i.index < j.index);
    return i.index < j.index
      ? script.constant(`c${String(i.index)}_${String(j.index)}`, "Bool")
      : not(script.constant(`c${String(j.index)}_${String(i.index)}`, "Bool"));
  };

  const count = instances.reduce((sum, instance) => sum + instance.steps.length, 0);
  for (const instance of instances) {
    instance.steps.forEach((step, index) => {
      script.assert(and(le("0", position(step)), lt(position(step), int(2 * count))));
      const next = instance.steps[index + 1];
      if (next !== undefined) script.assert(before(step, next));
    });
  }
  const parts = partsOf(instances);
  for (const [i, j] of pairs(parts)) {
    for (const a of i.steps) {
      for (const b of j.steps) {
        if (i.index < j.index) script.assert(not(eq(position(a), position(b))));
      }
    }
    const last = i.steps.at(-1);
    const [next] = j.steps;
    const paired = arePaired(mixture, i.instance, j.instance);
    if (last !== undefined && next !== undefined) {
      const ordered = imp(precedes(i, j), before(last, next));
      const both = and(...[i, j].map((each) => holds("atomicArbitration", each.instance)));
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
        if (paired) script.assert(imp(precedes(i, j), sees(reader, writer)));
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
  for (const [i, j, l] of triples(parts)) {
    // A session keeps seeing what it has seen, whether or not it wrote.
    const middles = j.instance === l.instance ? j.steps : j.writers;
    for (const reader of l.steps) {
      for (const middle of middles) {
        for (const writer of i.writers) {
          const seen = sees(reader, middle);
          when("causal", l, imp(and(sees(middle, writer), seen), sees(reader, writer)));
          if (mixture !== undefined)
            when("prefix", l, imp(and(before(writer, middle), seen), sees(reader, writer)));
        }
      }
      if (mixture !== undefined) continue;
      const [first] = i.writers;
      const [middle] = middles;
      if (first !== undefined && middle !== undefined) {
        when("prefix", l, imp(and(precedes(i, j), sees(reader, middle)), sees(reader, first)));
      }
    }
  }
  return { sees, before, holds, place: positionName };
}

/** Relations over whole transactions: read-atomic and stronger levels distinguish no more, and this needs fewer variables. */
export function transactionRelations(
  script: Script,
  instances: readonly Instance[],
  mixture?: Mixture,
): Relations {
  const holds = declareAxioms(script, mixture);
  const parts = partsOf(instances);
  const position = (i: number): Smt => script.constant(transactionPositionName(i), "Int");
  const visible = (i: Part, j: Part): Smt => {
    // A session sees its earlier parts and what they saw.
    if (i.instance === j.instance) return bool(i.index < j.index);
    if (i.writers.length === 0) return FALSE;
    return script.constant(`V${String(i.index)}_${String(j.index)}`, "Bool");
  };
  const first = (i: Part, j: Part): Smt => lt(position(i.index), position(j.index));
  const when = (axiom: Axiom, reader: Part, formula: Smt): void => {
    script.assert(imp(holds(axiom, reader.instance), formula));
  };
  for (const { index } of parts) {
    script.assert(and(le("0", position(index)), lt(position(index), int(parts.length))));
  }
  for (const [i, j] of pairs(parts)) {
    if (i.index < j.index) script.assert(not(eq(position(i.index), position(j.index))));
    script.assert(imp(visible(i, j), first(i, j)));
    if (i.writers.length === 0) continue;
    const visibleIfFirst = imp(first(i, j), visible(i, j));
    if (arePaired(mixture, i.instance, j.instance)) script.assert(visibleIfFirst);
    else when("total", j, visibleIfFirst);
  }
  for (const [a, b, c] of triples(parts)) {
    if (a.writers.length === 0) continue;
    when("causal", c, imp(and(visible(a, b), visible(b, c)), visible(a, c)));
    when("prefix", c, imp(and(first(a, b), visible(b, c)), visible(a, c)));
  }
  const partAt = partFinder(parts);
  const between = (one: StepRef, other: StepRef, relation: (a: Part, b: Part) => Smt): Smt => {
    const [a, b] = [partAt(one), partAt(other)];
    return a && b ? relation(a, b) : FALSE;
  };
  return {
    sees: (reader, writer) => between(writer, reader, visible),
    before: (one, other) => between(one, other, first),
    holds,
    place: (ref) => transactionPositionName(partAt(ref)?.index ?? ref.instance),
  };
}

/** Declares the axioms' literals; returns the condition that an axiom holds for an instance. */
function declareAxioms(script: Script, mixture: Mixture | undefined): Relations["holds"] {
  for (const axiom of AXIOMS) script.constant(axiomLiteral(axiom), "Bool");
  if (mixture === undefined) return axiomLiteral;
  const own = (axiom: Axiom, instance: number): Smt =>
    script.constant(`${axiomLiteral(axiom)}_${String(instance)}`, "Bool");
  script.constant(MIXED_LEVELS, "Bool");
  for (const [instance, level] of mixture.levels.entries())
    for (const axiom of AXIOMS) {
      script.assert(imp(axiomLiteral(axiom), own(axiom, instance)));
      if (level.axioms.includes(axiom)) script.assert(imp(MIXED_LEVELS, own(axiom, instance)));
    }
  return own;
}

function arePaired(mixture: Mixture | undefined, i: number, j: number): boolean {
  if (mixture === undefined) return false;
  return mixture.pairs.some(([a, b]) => (a === i && b === j) || (a === j && b === i));
}

function pairs(parts: readonly Part[]): readonly (readonly [Part, Part])[] {
  return parts.flatMap((i) =>
    parts.filter((j) => j !== i).map((j): readonly [Part, Part] => [i, j]),
  );
}

function triples(parts: readonly Part[]): readonly (readonly [Part, Part, Part])[] {
  return pairs(parts).flatMap(([i, j]) =>
    parts.filter((l) => l !== i && l !== j).map((l): readonly [Part, Part, Part] => [i, j, l]),
  );
}
