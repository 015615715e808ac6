// One question for all paths of a length: each place is an instance of any transaction, and the solver chooses which. What is said of
// a transaction's run at a place stands behind the literal of its type.
import { createAssumptions } from "../encoding/assumptions";
import type { RowTerm } from "../encoding/relational/database";
import { isPoint, keyColumns, tableOf } from "../encoding/relational/instances";
import type { Instance } from "../encoding/relational/instances";
import { ownRows } from "../encoding/relational/meeting";
import { transactionRelations } from "../encoding/relational/relations";
import type { Relations } from "../encoding/relational/relations";
import { FALSE, and, createScript, imp, not, or, sameAll } from "../encoding/smt";
import type { Script, Smt } from "../encoding/smt";
import type { FlatProgram } from "../operations/operation";
import { tupleLevels } from "../search/literature/levels";
import { openInstances } from "./accesses";
import { openEdges } from "./dependencies";
import type { Side } from "./dependencies";
import { assertParents } from "./lemmaConstraints";
import {
  apartLiteral,
  assertBetween,
  dependsLiteral,
  keepInsertsApart,
  openSide,
  promising,
  spareRows,
  standingOf,
} from "./question";
import type { OpenQuestion, OpenSelector } from "./question";
import { usable } from "./setting";
import type { Setting } from "./setting";

/** True in a model where the transaction (by its place among the types) is the one at that place of the path. */
export function typeLiteral(place: number, type: number): string {
  return `T_${String(place)}_${String(type)}`;
}

/**
 * Encodes paths of `count` places over these types, and the dependencies of these (ordered) pairs of places. At one level
 * for all transactions; quadratic in the places and in the operations of all types together.
 */
export function encodeTyped(
  setting: Setting,
  types: readonly number[],
  count: number,
  pairs: readonly (readonly [number, number])[],
): OpenQuestion {
  const flat = promising(setting);
  const script = createScript();
  const places = Array.from({ length: count }, (_, place) => place);
  const instances = openInstances(
    flat,
    places.flatMap(() => types),
  );
  const placeOf = (index: number): number => Math.floor(index / types.length);
  const typeOf = (index: number): Smt =>
    script.constant(typeLiteral(placeOf(index), index % types.length), "Bool");
  const inPlace = (place: number): readonly Instance[] =>
    instances.filter(({ index }) => placeOf(index) === place);
  for (const place of places)
    assertOneOf(
      script,
      inPlace(place).map(({ index }) => typeOf(index)),
    );
  const relations = liftedRelations(script, instances, placeOf);
  const assumptions = createAssumptions(script);
  const sides: Side[] = [];
  const slots = createSlots(flat, script);
  for (const instance of instances) {
    const own = behind(script, typeOf(instance.index));
    const place = placeOf(instance.index);
    const spare = (table: string): readonly RowTerm[] =>
      places
        .filter((other) => other !== place)
        .flatMap((other) => slots.rows(table, other, inPlace(other)));
    sides.push(openSide(flat, own, instances, instance, { setting, assumptions, spare }));
  }
  const standing = standingOf(setting, relations);
  for (const side of sides) {
    const own = behind(script, typeOf(side.instance.index));
    own.assert(not(side.run.aborted(side.instance.index)));
    assertParents(own, assumptions, setting, side);
  }
  const selectors: OpenSelector[] = [];
  const ways = new Map<string, Smt[]>();
  for (const from of sides)
    for (const to of sides) {
      const [i, j] = [placeOf(from.instance.index), placeOf(to.instance.index)];
      if (i === j) continue;
      const both = and(typeOf(from.instance.index), typeOf(to.instance.index));
      const spare = spareRows(flat, script, i, j);
      const own = behind(script, both);
      if (i < j) keepInsertsApart(own, [from, to]);
      assertBetween(own, { setting, assumptions, relations, standing, from, to, spare });
      if (!pairs.some(([a, b]) => a === i && b === j)) continue;
      const edges = openEdges(from, to, standing, spare);
      const names = edges.map(({ edge, formula }) => {
        const name = script.constant(`e${String(selectors.length)}`, "Bool");
        script.assert(imp(name, and(both, formula)));
        selectors.push({ name, edge });
        return name;
      });
      const depends = dependsLiteral(i, j);
      ways.set(depends, [...(ways.get(depends) ?? []), ...names]);
      const formulas = edges.map(({ formula }) => formula);
      own.assert(imp(script.constant(apartLiteral(i, j), "Bool"), not(or(...formulas))));
    }
  for (const [depends, names] of ways)
    script.assert(imp(script.constant(depends, "Bool"), or(...names)));
  const settle = (): void => {
    for (const _ of [0, 1, 2]) for (const { run } of sides) run.settle();
  };
  settle();
  while (slots.fill(sides, (index) => [placeOf(index), typeOf(index)])) settle();
  const ids = types.map((type) => flat.transactions[type]?.id ?? "");
  const { base } = tupleLevels(setting.levels, ids);
  return {
    text: script.take(),
    levels: base.assumptions,
    assumptions: usable(setting, assumptions),
    selectors,
  };
}

/** An assertion through it holds where the condition does. */
function behind(script: Script, condition: Smt): Script {
  return {
    ...script,
    assert: (formula) => {
      script.assert(imp(condition, formula));
    },
  };
}

function assertOneOf(script: Script, literals: readonly Smt[]): void {
  script.assert(or(...literals));
  literals.forEach((literal, at) => {
    for (const other of literals.slice(0, at)) script.assert(not(and(literal, other)));
  });
}

/** Visibility and arbitration are the places'; whoever writes nothing is seen by nobody, as where types are given. */
function liftedRelations(
  script: Script,
  instances: readonly Instance[],
  placeOf: (index: number) => number,
): Relations {
  const first = instances.filter(
    ({ index }) => index === 0 || placeOf(index - 1) !== placeOf(index),
  );
  const ofPlace = ({ instance }: { readonly instance: number }) => ({
    instance: placeOf(instance),
    step: 0,
  });
  const places = first.map((instance, place): Instance => {
    const { parts: _, ...transaction } = instance.transaction;
    const steps = [{ instance: place, step: 0 }];
    return { index: place, transaction, sites: [], steps, writers: steps };
  });
  const { sees, before, holds } = transactionRelations(script, places);
  return {
    sees: (reader, writer) =>
      instances[writer.instance]?.writers.length === 0
        ? FALSE
        : sees(ofPlace(reader), ofPlace(writer)),
    before: (one, other) => before(ofPlace(one), ofPlace(other)),
    holds: (axiom, instance) => holds(axiom, placeOf(instance)),
  };
}

interface Slots {
  readonly place: number;
  readonly table: string;
  readonly rows: readonly RowTerm[];
}

/**
 * The rows that the transaction of a place names, whichever it is: as many as any type names, so that other places have
 * few to look at.
 */
function createSlots(flat: FlatProgram, script: Script) {
  const made = new Map<string, Slots>();
  const filled = new Set<Slots>();
  const tables = Object.keys(flat.tables).sort();
  return {
    rows: (table: string, place: number, instances: readonly Instance[]): readonly RowTerm[] => {
      const key = `${String(place)}_${String(tables.indexOf(table))}`;
      const known = made.get(key);
      if (known) return known.rows;
      const most = Math.max(0, ...instances.map((each) => namedSites(flat, each, table)));
      const rows = Array.from({ length: most }, (_, at): RowTerm =>
        keyColumns(tableOf(flat, table)).map((_, column) =>
          script.constant(`s${key}_${String(at)}_${String(column)}`, "Int"),
        ),
      );
      made.set(key, { place, table, rows });
      return rows;
    },
    /** Says which rows the slots are that were asked for since; whether there were any. */
    fill: (
      sides: readonly Side[],
      where: (index: number) => readonly [place: number, type: Smt],
    ): boolean => {
      const unfilled = [...made.values()].filter((each) => !filled.has(each));
      for (const each of unfilled) filled.add(each);
      for (const { place, table, rows } of unfilled)
        for (const { run, instance } of sides) {
          const [own, type] = where(instance.index);
          if (own !== place) continue;
          ownRows(run, instance, table).forEach((row, at) => {
            script.assert(imp(type, sameAll(rows[at] ?? row, row)));
          });
        }
      return unfilled.length > 0;
    },
  };
}

/** How many rows of the table the instance names. */
function namedSites(flat: FlatProgram, { sites }: Instance, table: string): number {
  return sites.filter(
    ({ operation }) =>
      operation.table === table && (isPoint(flat, operation) || operation.pick !== "all"),
  ).length;
}
