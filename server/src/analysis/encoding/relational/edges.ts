// Dependencies between operations of two instances, defined (not only implied) by the run: wr, ww and rw. Also the axiom that writers of
// one row see each other.
import { FALSE, and, imp, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import type { Dependency } from "../../../protocol/dependency";
import type { RowTerm } from "./database";
import { EXISTENCE, isPoint, stepOf } from "./instances";
import type { Instance, Site } from "./instances";
import { takeSameKey } from "./keys";
import type { Run } from "./run";

/** A dependency that the program's text allows; `dependencyFormula` says whether a run has it. */
export interface StaticEdge {
  readonly dependency: Exclude<Dependency, "so">;
  readonly from: Site;
  readonly to: Site;
  readonly table: string;
  readonly columns: readonly string[];
}

/** All dependencies that may lead from one instance to another, in a fixed order. */
export function staticEdges(from: Instance, to: Instance): readonly StaticEdge[] {
  const edges: StaticEdge[] = [];
  for (const first of from.sites) {
    for (const second of to.sites) {
      if (first.operation.table !== second.operation.table) continue;
      const add = (dependency: StaticEdge["dependency"], columns: readonly string[]): void => {
        if (columns.length === 0) return;
        const { table } = first.operation;
        edges.push({ dependency, from: first, to: second, table, columns });
      };
      add("wr", conflict(first, second));
      add(
        "ww",
        [...first.writes].filter((column) => second.writes.has(column)),
      );
      add("rw", conflict(second, first));
    }
  }
  return edges;
}

/** The columns through which a reader depends on a writer: only existence if rows are inserted or deleted. */
function conflict(writer: Site, reader: Site): readonly string[] {
  if (writer.writes.has(EXISTENCE) && reader.reads.has(EXISTENCE)) return [EXISTENCE];
  return [...writer.writes].filter((column) => reader.reads.has(column));
}

/** True if the run has the dependency. `spare` rows are tried if neither side names a row. */
export function dependencyFormula(run: Run, edge: StaticEdge): Smt {
  const { flat } = run.database;
  const sites = [edge.from, edge.to];
  const pointed = sites.find((site) => isPoint(flat, site.operation));
  const rows = pointed === undefined ? run.rows(edge.table) : [run.row(pointed)];
  const formulas = rows.map((row) => {
    switch (edge.dependency) {
      case "ww":
        return overwrites(run, edge.from, edge.to, row);
      case "wr":
        return or(
          ...classes(run, edge).map((column) => reads(run, edge.from, edge.to, row, column)),
        );
      case "rw":
        return or(
          ...classes(run, edge).map((column) => misses(run, edge.from, edge.to, row, column)),
        );
      default: {
        const never: never = edge.dependency;
        return never;
      }
    }
  });
  return or(...formulas);
}

/** Asserts, under the axioms' literals, that of two instances that write the same row or take the same key the later sees the earlier. */
export function assertNoConflict(run: Run): void {
  const { script, flat } = run.database;
  const { instances, relations } = run;
  for (const first of instances.flatMap((instance) => instance.sites)) {
    for (const second of instances.flatMap((instance) => instance.sites)) {
      const apart = first.instance !== second.instance;
      const writing = first.writes.size > 0 && second.writes.size > 0;
      if (!apart || !writing || first.operation.table !== second.operation.table) continue;
      const pointed = [first, second].find((site) => isPoint(flat, site.operation));
      const rows = pointed === undefined ? run.rows(first.operation.table) : [run.row(pointed)];
      const seen = relations.sees(stepOf(second), stepOf(first));
      for (const row of rows) {
        const both = and(run.changes(first, row), run.changes(second, row));
        if (both === FALSE) continue;
        const forbidden = relations.holds("noConflict", second.instance);
        script.assert(imp(and(forbidden, both, run.before(first, second)), seen));
      }
      const guarded = relations.holds("uniqueKeys", second.instance);
      const twice = takeSameKey(run, first, second);
      script.assert(imp(and(guarded, twice, run.before(first, second)), seen));
    }
  }
}

/** One column per set of columns with the same writers: the others would repeat the formula. */
function classes(run: Run, edge: StaticEdge): readonly string[] {
  const byWriters = new Map<string, string>();
  for (const column of edge.columns) {
    const writers = run.writers(edge.table, column).map((site) => site.id);
    const key = writers.join(",");
    if (!byWriters.has(key)) byWriters.set(key, column);
  }
  return [...byWriters.values()];
}

function overwrites(run: Run, first: Site, second: Site, row: RowTerm): Smt {
  const order = run.before(first, second);
  return order === FALSE ? FALSE : and(order, run.changes(first, row), run.changes(second, row));
}

/** The reader's version is the writer's, and the reader's predicate selects the row with or without it. */
function reads(run: Run, writer: Site, reader: Site, row: RowTerm, column: string): Smt {
  const newest = run.newest(writer, reader, row, column);
  if (newest === FALSE) return FALSE;
  const concerned =
    reader.operation.kind === "insert"
      ? sameAll(row, run.row(reader))
      : or(run.present(reader, row), acceptedBefore(run, writer, reader, row));
  return and(run.executed(reader), newest, concerned);
}

/** The reader does not see the write, sees only older versions, and selects the row by either version. */
function misses(run: Run, reader: Site, writer: Site, row: RowTerm, column: string): Smt {
  const seen = run.relations.sees(stepOf(reader), stepOf(writer));
  const older = run
    .writers(writer.operation.table, column)
    .filter((other) => other !== writer)
    .map((other) => imp(run.active(other, reader, row), run.before(other, writer)));
  const concerned =
    reader.operation.kind === "insert"
      ? sameAll(row, run.row(reader))
      : or(run.present(reader, row), acceptedAfter(run, writer, reader, row));
  return and(run.executed(reader), not(seen), run.changes(writer, row), concerned, ...older);
}

/** True if the reader's predicate accepts the row as before the write. The two may belong to different runs. */
export function acceptedBefore(
  run: Run,
  writer: Site,
  reader: Site,
  row: RowTerm,
  readers = run,
): Smt {
  if (writer.operation.kind === "insert") return FALSE;
  const { table } = writer.operation;
  return readers.accepts(reader, row, (column) => run.value(writer, table, row, column));
}

/** True if the reader's predicate accepts the row as after the write. */
export function acceptedAfter(
  run: Run,
  writer: Site,
  reader: Site,
  row: RowTerm,
  readers = run,
): Smt {
  if (writer.operation.kind === "delete") return FALSE;
  const { table } = writer.operation;
  return readers.accepts(reader, row, (column) =>
    writer.writes.has(column)
      ? run.written(writer, row, column)
      : run.value(writer, table, row, column),
  );
}
