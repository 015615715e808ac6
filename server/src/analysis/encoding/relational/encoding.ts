// The relational encoding of a tuple at the papers' levels: instances, free visibility and arbitration, axioms guarded by literals, and
// selectors of the dependencies of a cycle. Follows ANODE (transactions) and CLOTHO (statements).
import type { WrittenAxiom } from "../../../isolation/formula";
import type { FlatProgram } from "../../operations/operation";
import { FALSE, and, createScript, eq, imp, not, or, sameAll } from "../smt";
import type { Script, Smt } from "../smt";
import { isTrue } from "../sqlValue";
import { termValue } from "../termValue";
import { makeDatabase } from "./database";
import { assertNoConflict, dependencyFormula, staticEdges } from "./edges";
import type { StaticEdge } from "./edges";
import { isPoint, makeInstances } from "./instances";
import type { Instance, StepRef } from "./instances";
import { differenceOf } from "./outcome";
import { makePreferences } from "./readable";
import { serialRelations, statementRelations, transactionRelations } from "./relations";
import type { Mixture } from "./relations";
import type { Run } from "./run";
import { makeRun, spareRows } from "./runner";
import { assertAxioms } from "./writes";

/** The granularity of visibility: statements, or whole transactions (enough at read-atomic and above). */
export type Tier = "statement" | "transaction";

/** A dependency for the cycle's step `step` (from instance `step` to the next); true in a model only if the run has it. */
export interface Selector {
  readonly name: string;
  readonly step: number;
  readonly edge: StaticEdge;
}

export interface RelationalEncoding {
  readonly instances: readonly Instance[];
  readonly tier: Tier;
  readonly run: Run;
  readonly script: Script;
  readonly selectors: readonly Selector[];
  /** Declarations and assertions, to be sent to the solver first. */
  readonly text: string;
  /** Text that defines the preferences of `readable.ts`. */
  preferences(): string;
  /** Text that forbids cycles, in the order of the instances, over these tables only. */
  withoutCycle(tables: readonly string[]): string;
  /** Text that extends `DIFFERS_STATE` and `DIFFERS` to this serial order; once per order. */
  differFrom(order: readonly number[]): string;
}

/** Assumption: the final rows differ from every serial run added so far. */
export const DIFFERS_STATE = "D_state";
/** Assumption: the rows, who commits or what callers receive differ from every serial run added so far. */
export const DIFFERS = "D_any";

/** The literal "step `step` of the cycle is over this table" (index among the sorted names); one per step holds. */
export function tableLiteral(step: number, table: number): string {
  return `t${String(step)}_${String(table)}`;
}

/** Assumption: some step of the cycle is over that table. */
export function passedLiteral(table: number): string {
  return `tp${String(table)}`;
}

/** Assumption: no step of the cycle is over that table. */
export function sparedLiteral(table: number): string {
  return `ts${String(table)}`;
}

/** The parts of an encoding beside the built-in axioms. */
export interface RelationalOptions {
  readonly mixture?: Mixture | undefined;
  /** User-written axioms, each guarded by the literal of its number. */
  readonly written?: readonly WrittenAxiom[];
  /** True for cycles with a chord only: a proper subset of the instances forms a cycle as well, which is harmless by itself. */
  readonly evenPartly?: boolean;
}

/** Larger encodings have several megabytes of text and take seconds to build. */
const MOST_WORK = 400_000;

/** True if a tuple is too large to encode: the text grows with accesses, rows and writers of each table. */
export function isTooLarge(flat: FlatProgram, tuple: readonly number[]): boolean {
  const counts = new Map<string, { accesses: number; writers: number }>();
  for (const site of makeInstances(flat, tuple).flatMap((instance) => instance.sites)) {
    const count = counts.get(site.operation.table) ?? { accesses: 0, writers: 0 };
    count.accesses += 1;
    if (site.writes.size > 0) count.writers += 1;
    counts.set(site.operation.table, count);
  }
  const work = [...counts.values()].map(({ accesses, writers }) => accesses * accesses * writers);
  return work.reduce((sum, each) => sum + each, 0) > MOST_WORK;
}

/**
 * Encodes "these instances, in this cyclic order, have a cycle of dependencies". With three or more instances only chordless cycles count,
 * or only the others. With a mixture its pairs hold, and MIXED represents its levels. No instance rolls back. The size is quadratic in the
 * number of operations.
 */
export function encodeRelational(
  flat: FlatProgram,
  tuple: readonly number[],
  tier: Tier,
  { mixture, written = [], evenPartly = false }: RelationalOptions = {},
): RelationalEncoding {
  const script = createScript();
  const instances = makeInstances(flat, tuple);
  const database = makeDatabase(flat, script, instances);
  const relations =
    tier === "statement"
      ? statementRelations(script, instances, mixture)
      : transactionRelations(script, instances, mixture);
  const spare = spareRows(script, database, instances);
  const run = makeRun(database, instances, relations, { prefix: "", mayAbort: false, spare });
  for (const { index, transaction } of instances) {
    script.assert(not(run.aborted(index)));
    const { exceeds } = transaction;
    if (exceeds) script.assert(not(isTrue(termValue(exceeds, run.scope(index)))));
  }
  for (const step of instances.flatMap((instance) => instance.steps)) run.reached(step);
  nameInserted(run);
  const selectors = encodeCycle(run, evenPartly);
  breakSymmetry(run, tuple);
  assertNoConflict(run);
  assertAxioms(run, written, mixture);
  script.constant(DIFFERS_STATE, "Bool");
  script.constant(DIFFERS, "Bool");
  run.settle();
  const close = tableCloser(run);
  close();
  const preferences = makePreferences(run);
  return {
    instances,
    tier,
    run,
    script,
    selectors,
    text: script.take(),
    preferences: () => {
      preferences();
      run.settle();
      return script.take();
    },
    withoutCycle: (tables) => {
      const steps = instances.map((_, step) => {
        const over = selectors.filter(
          (each) => each.step === step && tables.includes(each.edge.table),
        );
        return or(...over.map(({ edge }) => dependencyFormula(run, edge)));
      });
      script.assert(not(and(...steps)));
      run.settle();
      return script.take();
    },
    differFrom: (order) => {
      const prefix = `s${order.join("")}_`;
      const serial = makeRun(database, instances, serialRelations(order), {
        prefix,
        mayAbort: true,
        spare: (table) => run.rows(table),
      });
      const { state, value } = differenceOf(run, serial);
      script.assert(imp(DIFFERS_STATE, state));
      script.assert(imp(DIFFERS, or(state, value)));
      serial.settle();
      run.settle();
      close();
      preferences();
      run.settle();
      return script.take();
    },
  };
}

/** Names inserted values, so that a model has them also for columns that nobody reads. */
function nameInserted(run: Run): void {
  for (const site of run.instances.flatMap((instance) => instance.sites)) {
    if (site.operation.kind !== "insert") continue;
    for (const column of Object.keys(site.operation.set)) run.written(site, run.row(site), column);
  }
}

function encodeCycle(run: Run, evenPartly: boolean): readonly Selector[] {
  const { instances } = run;
  const { script } = run.database;
  const selectors: Selector[] = [];
  const literals: ReadonlyMap<number, string>[] = [];
  const tables = Object.keys(run.database.flat.tables).sort();
  instances.forEach((from, step) => {
    const to = instances[(step + 1) % instances.length];
    if (to === undefined) return;
    const byTable = new Map<number, string[]>();
    for (const edge of staticEdges(from, to)) {
      const formula = dependencyFormula(run, edge);
      if (formula === FALSE) continue;
      const name = script.constant(`e${String(selectors.length)}`, "Bool");
      script.assert(imp(name, formula));
      selectors.push({ name, step, edge });
      const table = tables.indexOf(edge.table);
      byTable.set(table, [...(byTable.get(table) ?? []), name]);
    }
    const own = new Map(
      [...byTable].map(([table, names]) => {
        const literal = script.constant(tableLiteral(step, table), "Bool");
        script.assert(imp(literal, or(...names)));
        return [table, literal];
      }),
    );
    literals.push(own);
    const all = [...own.values()];
    script.assert(or(...all));
    all.forEach((literal, at) => {
      for (const other of all.slice(0, at)) script.assert(not(and(literal, other)));
    });
  });
  tables.forEach((_, table) => {
    const steps = literals.flatMap((each) => each.get(table) ?? []);
    if (steps.length === 0) return;
    script.assert(eq(script.constant(passedLiteral(table), "Bool"), or(...steps)));
    script.assert(eq(script.constant(sparedLiteral(table), "Bool"), not(or(...steps))));
  });
  if (instances.length > 2) {
    const chords = chordsOf(run);
    script.assert(evenPartly ? or(...chords) : not(or(...chords)));
  }
  return selectors;
}

/**
 * Breaks rotational symmetry: if a rotation of the necklace is the necklace itself, the first instance is arbitrated before those that it
 * rotates to.
 */
function breakSymmetry(run: Run, tuple: readonly number[]): void {
  const start = (at: number): StepRef | undefined => run.instances[at]?.steps[0];
  for (let by = 1; by < tuple.length; by += 1) {
    const same = tuple.every((each, at) => each === tuple[(at + by) % tuple.length]);
    const [first, other] = [start(0), start(by)];
    if (same && first && other) run.database.script.assert(run.relations.before(first, other));
  }
}

/** Dependencies outside of the cycle's steps: if none holds, no proper subset of the instances forms a cycle. */
function chordsOf(run: Run): readonly Smt[] {
  const { instances } = run;
  return instances.flatMap((from) =>
    instances
      .filter((to) => from !== to && to.index !== (from.index + 1) % instances.length)
      .flatMap((to) => staticEdges(from, to).map((edge) => dependencyFormula(run, edge))),
  );
}

/**
 * Closes tables that are read as a whole: rows that only representatives or serial runs mention do not exist initially unless the weak run
 * knows them, because its sums and counts range over all rows. To be called again after rows were added.
 */
function tableCloser(run: Run): () => void {
  const { database } = run;
  const closed = new Set<string>();
  const tables = new Set(
    run.instances
      .flatMap((instance) => instance.sites)
      .filter((site) => !isPoint(database.flat, site.operation))
      .map((site) => site.operation.table),
  );
  return () => {
    for (const table of [...tables].sort()) {
      const known = run.rows(table);
      for (const row of database.mentioned(table)) {
        const name = `${table} ${row.join(" ")}`;
        if (closed.has(name)) continue;
        closed.add(name);
        const among = or(...known.map((other) => sameAll(row, other)));
        database.script.assert(imp(database.alive(table, row), among));
      }
    }
  };
}
