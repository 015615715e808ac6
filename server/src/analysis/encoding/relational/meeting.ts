// Pairs of transactions that can depend on each other, whatever others do: each reads a separate snapshot that others may have written
// arbitrarily. A step that is impossible here is impossible in every larger cycle.
import type { FlatProgram } from "../../operations/operation";
import { and, createScript, imp, not, or, sameAll } from "../smt";
import type { Script, Smt } from "../smt";
import { makeDatabase } from "./database";
import type { RowTerm } from "./database";
import { acceptedAfter, acceptedBefore, staticEdges } from "./edges";
import type { StaticEdge } from "./edges";
import { isPoint, keyColumns, makeInstances, tableOf } from "./instances";
import type { Instance, Site } from "./instances";
import { serialRelations } from "./relations";
import type { Run } from "./run";
import { makeRun } from "./runner";

/** Assumption: the second transaction depends on the first. */
export const DEPENDS = "M_depends";
/** Assumption: the first reads something that the second overwrites, and neither sees the other. */
export const MISSES = "M_misses";
/** Assumption: of two transactions that write the same row, one sees the other. */
export const NO_CONFLICT = "M_noConflict";

export interface Meeting {
  readonly text: string;
  /** Assumptions about the transactions' arguments: literals for every query. */
  readonly assumptions: readonly string[];
}

/** Columns that instances of these transactions write, named by `columnName`. */
export function writtenColumns(
  flat: FlatProgram,
  transactions: readonly number[],
): ReadonlySet<string> {
  const instances = makeInstances(flat, [...new Set(transactions)]);
  return new Set(
    instances
      .flatMap((instance) => instance.sites)
      .flatMap(({ operation, writes }) =>
        [...writes].map((column) => columnName(operation.table, column)),
      ),
  );
}

export function columnName(table: string, column: string): string {
  return `${table}.${column}`;
}

/**
 * Encodes one step of a cycle, from one transaction to another or to another instance of itself. `written` are the columns that others may
 * have written (`writtenColumns`); all transactions see the same in the other columns. Sound for levels with atomic visibility of
 * transactions (read-atomic and above); checks, keys and invariants are not assumed, since mixtures of versions need not satisfy them.
 * Size: as two serial runs.
 */
export function encodeMeeting(
  flat: FlatProgram,
  [from, to]: readonly [number, number],
  written: ReadonlySet<string>,
): Meeting {
  const script = createScript();
  const open = withoutPromises(flat);
  const instances = makeInstances(open, [from, to]);
  const [first, second] = instances;
  if (first === undefined || second === undefined) throw new Error("a step needs two transactions");
  const runs = new Map<Instance, Run>();
  const runOf = (instance: Instance): Run => runs.get(instance) ?? openRun(instance);
  const openRun = (instance: Instance): Run => {
    const prefix = `m${String(instance.index)}_`;
    const other = instance === first ? second : first;
    const run = makeRun(
      makeDatabase(open, script, instances, {
        prefix,
        differs: (table, column) => written.has(columnName(table, column)),
      }),
      [instance],
      serialRelations([instance.index]),
      { prefix, mayAbort: false, spare: (table) => ownRows(runOf(other), other, table) },
    );
    runs.set(instance, run);
    return run;
  };
  const [a, b] = [runOf(first), runOf(second)];
  for (const run of [a, b]) {
    for (const { index } of run.instances) script.assert(not(run.aborted(index)));
  }
  keepInsertsApart(script, a, b);
  const sees = { second: script.constant("V0_1", "Bool"), first: script.constant("V1_0", "Bool") };
  script.assert(not(and(sees.first, sees.second)));
  const edges = staticEdges(first, second);
  const formulas = (dependency: StaticEdge["dependency"]): Smt =>
    or(...edges.filter((edge) => edge.dependency === dependency).map((edge) => met(edge, a, b)));
  const [read, overwritten, missed] = [formulas("wr"), formulas("ww"), formulas("rw")];
  for (const literal of [DEPENDS, MISSES, NO_CONFLICT]) script.constant(literal, "Bool");
  const depends = or(and(read, sees.second), and(or(overwritten, missed), not(sees.first)));
  script.assert(imp(DEPENDS, depends));
  script.assert(imp(MISSES, and(missed, not(sees.first), not(sees.second))));
  script.assert(imp(and(NO_CONFLICT, overwritten), or(sees.first, sees.second)));
  for (const run of [a, b, a]) run.settle();
  return {
    text: script.take(),
    assumptions: a.database.assumptions.all().map(({ literal }) => literal),
  };
}

/** The program without the properties of initial rows that mixtures of written versions need not have. */
export function withoutPromises(flat: FlatProgram): FlatProgram {
  const tables = Object.entries(flat.tables).map(([name, table]) => {
    return [name, { ...table, checks: [], uniqueKeys: [], deferredKeys: [] }] as const;
  });
  return {
    tables: Object.fromEntries(tables),
    transactions: flat.transactions,
    interned: flat.interned,
  };
}

/** The rows of a table that the instance's operations name. */
export function ownRows(run: Run, instance: Instance, table: string): readonly RowTerm[] {
  return instance.sites
    .filter(({ operation }) => operation.table === table)
    .filter(({ operation }) => isPoint(run.database.flat, operation) || operation.pick !== "all")
    .map((site) => run.row(site));
}

/** Asserts that the hidden keys of two instances' inserts differ. */
function keepInsertsApart(script: Script, a: Run, b: Run): void {
  const hidden = (run: Run): readonly Site[] =>
    run.instances
      .flatMap((instance) => instance.sites)
      .filter(({ operation }) => {
        const { primaryKey } = tableOf(run.database.flat, operation.table);
        return operation.kind === "insert" && primaryKey.length === 0;
      });
  for (const one of hidden(a)) {
    for (const other of hidden(b)) {
      if (one.operation.table !== other.operation.table) continue;
      script.assert(not(sameAll(a.row(one), b.row(other))));
    }
  }
}

/** True if the two meet on a row: the writer changes it, and the other writes it too or reads it. */
function met({ dependency, from, to, table }: StaticEdge, a: Run, b: Run): Smt {
  const sides = [
    { site: from, run: a },
    { site: to, run: b },
  ];
  const pointed = sides.find(({ site, run }) => isPoint(run.database.flat, site.operation));
  const rows =
    pointed === undefined
      ? [...a.rows(table), ...spareRow(a, table)]
      : [pointed.run.row(pointed.site)];
  return or(
    ...rows.map((row) => {
      switch (dependency) {
        case "ww":
          return and(a.changes(from, row), b.changes(to, row));
        case "wr":
          return and(
            a.changes(from, row),
            concerned(b, to, row, acceptedBefore(a, from, to, row, b)),
          );
        case "rw":
          return and(
            b.changes(to, row),
            concerned(a, from, row, acceptedAfter(b, to, from, row, a)),
          );
        default: {
          const never: never = dependency;
          return never;
        }
      }
    }),
  );
}

/** True if the reader runs and finds the row, or would have found it in the other version. */
function concerned(run: Run, reader: Site, row: RowTerm, otherwise: Smt): Smt {
  const found =
    reader.operation.kind === "insert"
      ? sameAll(row, run.row(reader))
      : or(run.present(reader, row), otherwise);
  return and(run.executed(reader), found);
}

/** A row that neither transaction names. */
function spareRow(run: Run, table: string): readonly RowTerm[] {
  const { flat, script } = run.database;
  return [
    keyColumns(tableOf(flat, table)).map((_, at) =>
      script.constant(
        `z${String(Object.keys(flat.tables).sort().indexOf(table))}_${String(at)}`,
        "Int",
      ),
    ),
  ];
}
