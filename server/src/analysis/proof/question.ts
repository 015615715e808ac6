// One question of a proof in SMT: instances that each read a snapshot of their own, how they may see each other at
// the levels at hand, and the dependencies between them.
import { createAssumptions } from "../encoding/assumptions";
import type { Assumption, Assumptions } from "../encoding/assumptions";
import { makeDatabase } from "../encoding/relational/database";
import type { RowTerm } from "../encoding/relational/database";
import { isPoint, keyColumns, tableOf } from "../encoding/relational/instances";
import type { Instance, Site } from "../encoding/relational/instances";
import { columnName, ownRows } from "../encoding/relational/meeting";
import type { StaticEdge } from "../encoding/relational/edges";
import { serialRelations, transactionRelations } from "../encoding/relational/relations";
import type { Relations } from "../encoding/relational/relations";
import { makeRun } from "../encoding/relational/runner";
import { and, bool, createScript, imp, not, or, sameAll } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import type { FlatProgram } from "../operations/operation";
import { tupleLevels } from "../search/literature/levels";
import { openInstances, withoutUnique } from "./accesses";
import { openEdges, rowsOf } from "./dependencies";
import type { Side, Standing } from "./dependencies";
import { assertLemmas, assertParents } from "./lemmaConstraints";
import { lockOf, releasesLocks } from "./moments";
import { hasLemmas, usable } from "./setting";
import type { Setting } from "./setting";

/** A dependency that a model may have: true in it only where it does. */
export interface OpenSelector {
  readonly name: string;
  readonly edge: StaticEdge;
}

export interface OpenQuestion {
  readonly text: string;
  /** Literals for every check. */
  readonly levels: readonly string[];
  /** Assumptions about arguments and rows; for every check as well. */
  readonly assumptions: readonly Assumption[];
  readonly selectors: readonly OpenSelector[];
}

/** Assumption: the second instance depends on the first, for pairs that were asked for. */
export function dependsLiteral(from: number, to: number): string {
  return `G_${String(from)}_${String(to)}`;
}

/** Assumption: the first is arbitrated before the second. */
export function beforeLiteral(first: number, second: number): string {
  return `B_${String(first)}_${String(second)}`;
}

/** Assumption: the second does not see the first. */
export function unseenLiteral(by: number, writer: number): string {
  return `U_${String(by)}_${String(writer)}`;
}

/** Assumption: the second depends on the first through no row that is known to be concerned (a chord is absent). */
export function apartLiteral(from: number, to: number): string {
  return `N_${String(from)}_${String(to)}`;
}

/** Assumption: who writes nothing is arbitrated right after what it sees; may be assumed where snapshots are prefixes. */
export const READERS_EARLY = "R_early";

/** Encodes instances of these transactions, the dependencies of these (ordered) pairs of them, and what `also` says. */
export function encodeQuestion(
  setting: Setting,
  members: readonly number[],
  pairs: readonly (readonly [number, number])[],
  also?: (sides: readonly Side[]) => Smt,
): OpenQuestion {
  const flat = promising(setting);
  const script = createScript();
  const instances = openInstances(flat, members);
  const ids = members.map((member) => flat.transactions[member]?.id ?? "");
  const { base, mixture } = tupleLevels(setting.levels, ids);
  const relations = transactionRelations(script, instances, mixture);
  const assumptions = createAssumptions(script);
  const sides = openSides(flat, script, instances, setting, assumptions);
  const standing = standingOf(setting, relations);
  for (const side of sides) {
    script.assert(not(side.run.aborted(side.instance.index)));
    assertParents(script, assumptions, setting, side);
  }
  keepInsertsApart(script, sides);
  const selectors: OpenSelector[] = [];
  for (const from of sides)
    for (const to of sides) {
      if (from === to) continue;
      const [i, j] = [from.instance.index, to.instance.index];
      const spare = spareRows(flat, script, i, j);
      assertBetween(script, { setting, assumptions, relations, standing, from, to, spare });
      script.assert(imp(script.constant(beforeLiteral(i, j), "Bool"), standing.before(i, j)));
      script.assert(imp(script.constant(unseenLiteral(j, i), "Bool"), not(standing.sees(j, i))));
      if (!pairs.some(([a, b]) => a === i && b === j)) continue;
      const edges = openEdges(from, to, standing, spare);
      const names = edges.map(({ edge, formula }) => {
        const name = script.constant(`e${String(selectors.length)}`, "Bool");
        script.assert(imp(name, formula));
        selectors.push({ name, edge });
        return name;
      });
      script.assert(imp(script.constant(dependsLiteral(i, j), "Bool"), or(...names)));
      const formulas = edges.map(({ formula }) => formula);
      script.assert(imp(script.constant(apartLiteral(i, j), "Bool"), not(or(...formulas))));
    }
  script.constant(READERS_EARLY, "Bool");
  if (setting.axioms.has("prefix")) assertReadersEarly(script, standing, sides);
  if (also) script.assert(also(sides));
  for (const _ of [0, 1, 2]) for (const { run } of sides) run.settle();
  return {
    text: script.take(),
    levels: base.assumptions,
    assumptions: usable(setting, assumptions),
    selectors,
  };
}

const ref = (instance: number) => ({ instance, step: 0 });

/** How instances stand to each other, whole transactions as they are. */
export function standingOf(setting: Setting, relations: Relations): Standing {
  return {
    sees: (reader, writer) => relations.sees(ref(reader), ref(writer)),
    before: (first, second) => relations.before(ref(first), ref(second)),
    versionsAreSeen: hasLemmas(setting),
  };
}

/** Asserts what levels, locks and lemmas say of the first and the second of a pair. */
export function assertBetween(
  script: Script,
  {
    setting,
    assumptions,
    relations,
    standing,
    from,
    to,
    spare,
  }: {
    readonly setting: Setting;
    readonly assumptions: Assumptions;
    readonly relations: Relations;
    readonly standing: Standing;
    readonly from: Side;
    readonly to: Side;
    readonly spare: (table: string) => readonly RowTerm[];
  },
): void {
  assertConflicts(script, relations, from, to, { spare, reuse: setting.reuse === true });
  if (setting.locks) assertLocks(script, standing, from, to);
  assertLemmas(script, assumptions, setting, standing, from, to, spare);
}

/** Facts that snapshots keep: CHECKs row by row, and the invariants that were proved of them. */
export function promising(setting: Setting): FlatProgram {
  const { flat, lemmas } = setting;
  const checked = hasLemmas(setting);
  const tables = Object.entries(flat.tables).map(([name, table]) => {
    return [name, { ...table, checks: checked ? table.checks : [] }] as const;
  });
  const kept = new Set(lemmas.invariants);
  return {
    tables: Object.fromEntries(tables),
    transactions: flat.transactions,
    interned: flat.interned,
    invariants: (flat.invariants ?? []).filter(
      ({ text, exists }) => exists === undefined && kept.has(text),
    ),
  };
}

function openSides(
  flat: FlatProgram,
  script: Script,
  instances: readonly Instance[],
  setting: Setting,
  assumptions: Assumptions,
): readonly Side[] {
  const sides: Side[] = [];
  for (const instance of instances) {
    const spare = (table: string): readonly RowTerm[] =>
      sides
        .filter((side) => side.instance !== instance)
        .flatMap((side) => ownRows(side.run, side.instance, table));
    sides.push(openSide(flat, script, instances, instance, { setting, assumptions, spare }));
  }
  return sides;
}

/** An instance with its run on a snapshot of its own; `spare` are rows that others name. */
export function openSide(
  flat: FlatProgram,
  script: Script,
  instances: readonly Instance[],
  instance: Instance,
  {
    setting,
    assumptions,
    spare,
  }: {
    readonly setting: Setting;
    readonly assumptions: Assumptions;
    readonly spare: (table: string) => readonly RowTerm[];
  },
): Side {
  const prefix = `m${String(instance.index)}_`;
  const start = makeDatabase({ ...flat, tables: withoutUnique(flat) }, script, instances, {
    prefix,
    assumptions,
    differs: (table, column) => setting.written.has(columnName(table, column)),
  });
  // Unique keys still make statements fail; that two rows of a snapshot never share one is not relied on.
  const database = { ...start, flat };
  const run = makeRun(database, [instance], serialRelations([instance.index]), {
    prefix,
    mayAbort: false,
    spare,
    names: true,
  });
  return { instance, run };
}

/** One row of each table for each ordered pair: where neither names a row, they meet on this one. */
export function spareRows(flat: FlatProgram, script: Script, i: number, j: number) {
  const names = Object.keys(flat.tables).sort();
  return (table: string): readonly RowTerm[] => [
    keyColumns(tableOf(flat, table)).map((_, at) =>
      script.constant(
        `z${String(i)}_${String(j)}_${String(names.indexOf(table))}_${String(at)}`,
        "Int",
      ),
    ),
  ];
}

/** Hidden keys that a database gives are different for all insertions. */
export function keepInsertsApart(script: Script, sides: readonly Side[]): void {
  const inserts = sides.flatMap((side) =>
    side.instance.sites
      .filter(({ operation }) => operation.kind === "insert")
      .filter(
        ({ operation }) => tableOf(side.run.database.flat, operation.table).primaryKey.length === 0,
      )
      .map((site) => ({ site, side })),
  );
  inserts.forEach((one, at) => {
    for (const other of inserts.slice(0, at)) {
      if (one.site.operation.table !== other.site.operation.table) continue;
      script.assert(not(sameAll(one.side.run.row(one.site), other.side.run.row(other.site))));
    }
  });
}

/** Asserts of two that change the same row that the later sees the earlier, as far as their levels say so. */
function assertConflicts(
  script: Script,
  relations: Relations,
  from: Side,
  to: Side,
  {
    spare,
    reuse,
  }: { readonly spare: (table: string) => readonly RowTerm[]; readonly reuse: boolean },
): void {
  const [i, j] = [from.instance.index, to.instance.index];
  const later = and(relations.holds("noConflict", j), relations.before(ref(i), ref(j)));
  for (const first of from.instance.sites)
    for (const second of to.instance.sites) {
      if (first.operation.table !== second.operation.table) continue;
      if (first.writes.size === 0 || second.writes.size === 0) continue;
      if (reuse && first.operation.kind === "delete" && second.operation.kind === "insert")
        continue;
      const { table } = first.operation;
      for (const row of rowsOf({ from: first, to: second, table }, from, to, spare)) {
        const both = and(from.run.changes(first, row), to.run.changes(second, row));
        script.assert(imp(and(later, both), relations.sees(ref(j), ref(i))));
      }
    }
}

/** Who locks a row that another changes comes first, or sees the change. */
function assertLocks(script: Script, standing: Standing, from: Side, to: Side): void {
  const [i, j] = [from.instance.index, to.instance.index];
  const { flat } = from.run.database;
  for (const locker of from.instance.sites) {
    const { operation } = locker;
    if (releasesLocks(from.instance.transaction)) return;
    // A share lock on a key is not kept from updates of other columns.
    const lock = lockOf(operation);
    if (lock === "none" || lock === "key-share" || operation.kind !== "read") continue;
    for (const writer of to.instance.sites) {
      if (writer.operation.table !== operation.table || writer.writes.size === 0) continue;
      const named = [
        ...(isPoint(flat, operation) ? [from.run.row(locker)] : []),
        ...(isPoint(flat, writer.operation) ? [to.run.row(writer)] : []),
      ];
      for (const row of named) {
        const locked = and(from.run.executed(locker), from.run.present(locker, row));
        const changed = and(to.run.changes(writer, row), replaces(writer));
        script.assert(imp(and(locked, changed), or(standing.sees(i, j), standing.before(i, j))));
      }
    }
  }
}

/** A lock is on a row that exists: only what happens to such a row meets it. */
function replaces({ operation }: Site): Smt {
  return bool(operation.kind !== "insert");
}

function assertReadersEarly(script: Script, standing: Standing, sides: readonly Side[]): void {
  for (const reader of sides)
    for (const writer of sides) {
      if (reader === writer || writer.instance.writers.length === 0) continue;
      const [i, j] = [reader.instance.index, writer.instance.index];
      const early = and(READERS_EARLY, not(mayWrite(reader)), standing.before(j, i));
      script.assert(imp(early, or(standing.sees(i, j), not(mayWrite(writer)))));
    }
}

/** True if the instance writes, or may write rows that are not named here. */
function mayWrite({ instance, run }: Side): Smt {
  return or(
    // Rounds that are not represented may.
    bool((instance.transaction.forgotten ?? []).length > 0),
    ...instance.sites
      .filter((site) => site.writes.size > 0)
      .map((site) =>
        isPoint(run.database.flat, site.operation)
          ? run.touches(site, run.row(site))
          : run.executed(site),
      ),
  );
}
