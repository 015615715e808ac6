// Visibility and arbitration: free relations under axioms (statements or whole transactions), or one serial order.
import type { Axiom } from "../../isolation/levels";
import { FALSE, and, bool, eq, imp, int, le, lt, not } from "./smt";
import type { Script, Smt } from "./smt";
import type { Instance, StepRef } from "./relationalInstances";

/** Who sees whom and who comes first, between statements of different instances. */
export interface Relations {
  /** Whether the reader sees what the writer wrote. Both are statements of different instances. */
  sees(reader: StepRef, writer: StepRef): Smt;
  /** Whether the first is arbitrated before the second: of two versions the later one stands. */
  before(first: StepRef, second: StepRef): Smt;
}

/** The literal that switches an axiom on. */
export function axiomLiteral(axiom: Axiom): string {
  return `L_${axiom}`;
}

/** One instance after the other, in the given order. */
export function serialRelations(order: readonly number[]): Relations {
  const rank = (ref: StepRef): number => order.indexOf(ref.instance);
  return {
    sees: (reader, writer) => bool(rank(writer) < rank(reader)),
    before: (first, second) => bool(rank(first) < rank(second)),
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
 * see `relationalEdges.ts`. Size: cubic in the number of statements for `causal`.
 */
export function statementRelations(script: Script, instances: readonly Instance[]): Relations {
  declareAxioms(script);
  const position = (ref: StepRef): Smt => script.constant(positionName(ref), "Int");
  const sees = (reader: StepRef, writer: StepRef): Smt =>
    script.constant(
      `v${String(writer.instance)}_${String(writer.step)}_${String(reader.instance)}_${String(reader.step)}`,
      "Bool",
    );
  const before = (first: StepRef, second: StepRef): Smt => lt(position(first), position(second));
  const when = (axiom: Axiom, formula: Smt): void => {
    script.assert(imp(axiomLiteral(axiom), formula));
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
    if (last !== undefined && next !== undefined) {
      when("atomic", imp(precedes(i.index, j.index), before(last, next)));
    }
    const [firstWriter] = i.writers;
    if (firstWriter === undefined) continue;
    j.steps.forEach((reader, index) => {
      const later = j.steps[index + 1];
      for (const writer of i.writers) {
        script.assert(imp(sees(reader, writer), before(writer, reader)));
        when("atomic", eq(sees(reader, firstWriter), sees(reader, writer)));
        when("total", imp(before(writer, reader), sees(reader, writer)));
        if (later === undefined) continue;
        when("monotonic", imp(sees(reader, writer), sees(later, writer)));
        when("repeatable", eq(sees(reader, writer), sees(later, writer)));
        when("causal", imp(sees(reader, writer), sees(later, writer)));
      }
      i.writers.forEach((writer, at) => {
        const following = i.writers[at + 1];
        if (following === undefined) return;
        when("causal", imp(sees(reader, following), sees(reader, writer)));
      });
    });
  }
  for (const [i, j, l] of triples(instances)) {
    for (const reader of l.steps) {
      for (const middle of j.writers) {
        for (const writer of i.writers) {
          when(
            "causal",
            imp(and(sees(middle, writer), sees(reader, middle)), sees(reader, writer)),
          );
        }
      }
      const [first] = i.writers;
      const [middle] = j.writers;
      if (first !== undefined && middle !== undefined) {
        when(
          "prefix",
          imp(and(precedes(i.index, j.index), sees(reader, middle)), sees(reader, first)),
        );
      }
    }
  }
  return { sees, before };
}

/** Relations over whole transactions: all that read-atomic and stronger levels can tell apart, with fewer variables. */
export function transactionRelations(script: Script, instances: readonly Instance[]): Relations {
  declareAxioms(script);
  const position = (i: number): Smt => script.constant(transactionPositionName(i), "Int");
  const writes = (i: number): boolean => (instances[i]?.writers.length ?? 0) > 0;
  const visible = (i: number, j: number): Smt =>
    writes(i) ? script.constant(`V${String(i)}_${String(j)}`, "Bool") : FALSE;
  const first = (i: number, j: number): Smt => lt(position(i), position(j));
  const when = (axiom: Axiom, formula: Smt): void => {
    script.assert(imp(axiomLiteral(axiom), formula));
  };
  for (const { index } of instances) {
    script.assert(and(le("0", position(index)), lt(position(index), int(instances.length))));
  }
  for (const [i, j] of pairs(instances)) {
    if (i.index < j.index) script.assert(not(eq(position(i.index), position(j.index))));
    script.assert(imp(visible(i.index, j.index), first(i.index, j.index)));
    if (writes(i.index)) when("total", imp(first(i.index, j.index), visible(i.index, j.index)));
  }
  for (const [i, j, l] of triples(instances)) {
    const [a, b, c] = [i.index, j.index, l.index];
    when("causal", imp(and(visible(a, b), visible(b, c)), visible(a, c)));
    if (writes(a)) when("prefix", imp(and(first(a, b), visible(b, c)), visible(a, c)));
  }
  return {
    sees: (reader, writer) => visible(writer.instance, reader.instance),
    before: (one, other) => first(one.instance, other.instance),
  };
}

const AXIOMS: readonly Axiom[] = [
  "atomic",
  "monotonic",
  "repeatable",
  "causal",
  "prefix",
  "noConflict",
  "total",
];

function declareAxioms(script: Script): void {
  for (const axiom of AXIOMS) script.constant(axiomLiteral(axiom), "Bool");
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
