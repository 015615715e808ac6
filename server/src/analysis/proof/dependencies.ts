// Dependencies between two instances with separate snapshots. They include every dependency of a real execution and are decided from the
// two alone: other writers in between belong to a longer path.
import type { RowTerm } from "../encoding/relational/database";
import { staticEdges } from "../encoding/relational/edges";
import type { StaticEdge } from "../encoding/relational/edges";
import { isPoint, keyColumns, tableOf } from "../encoding/relational/instances";
import type { Instance, Site } from "../encoding/relational/instances";
import type { Run } from "../encoding/relational/run";
import { FALSE, TRUE, and, eq, le, not, or, sameAll } from "../encoding/smt";
import type { Smt } from "../encoding/smt";
import { asInt, sqlInt } from "../encoding/sqlValue";
import type { SqlValue } from "../encoding/sqlValue";
import { uniqueKeyWrites } from "./accesses";

/** One of two instances with its run on its own snapshot. */
export interface Side {
  readonly instance: Instance;
  readonly run: Run;
}

/** Visibility and arbitration between instances. */
export interface Standing {
  /** True if the first sees what the second wrote. */
  sees(reader: number, writer: number): Smt;
  before(first: number, second: number): Smt;
  /**
   * True if every writer of a row sees its earlier writers, so that it finds the version before its own. Otherwise other versions may lie
   * between, and a statement is assumed to be concerned with all rows that its key allows.
   */
  readonly versionsAreSeen: boolean;
}

/** A dependency that the program's text allows, with the formula for it. */
export interface OpenEdge {
  readonly edge: StaticEdge;
  readonly formula: Smt;
}

/** Every dependency from one instance to another. `spare` are rows that neither names. */
export function openEdges(
  from: Side,
  to: Side,
  standing: Standing,
  spare: (table: string) => readonly RowTerm[],
): readonly OpenEdge[] {
  return staticEdges(from.instance, to.instance).map((edge) => {
    const formulas = rowsOf(edge, from, to, spare).map((row) => {
      const written = { from: from.run.changes(edge.from, row), to: to.run.changes(edge.to, row) };
      switch (edge.dependency) {
        case "ww":
          return and(
            written.from,
            written.to,
            standing.before(from.instance.index, to.instance.index),
          );
        case "wr":
          return and(
            written.from,
            standing.sees(to.instance.index, from.instance.index),
            concerned(to.run, edge.to, from.run, edge.from, row, "before", standing),
          );
        case "rw":
          return and(
            written.to,
            not(standing.sees(from.instance.index, to.instance.index)),
            concerned(from.run, edge.from, to.run, edge.to, row, "after", standing),
          );
        default: {
          const never: never = edge.dependency;
          return never;
        }
      }
    });
    return { edge, formula: or(...formulas) };
  });
}

/** Rows on which two operations on one table may meet: the one that either names, or any. */
export function rowsOf(
  { from, to, table }: Pick<StaticEdge, "from" | "to" | "table">,
  first: Side,
  second: Side,
  spare: (table: string) => readonly RowTerm[],
): readonly RowTerm[] {
  const { flat } = first.run.database;
  const acts = (site: Site): boolean => uniqueKeyWrites(flat, site).length === 0;
  const pointed = [
    { site: from, side: first, other: to },
    { site: to, side: second, other: from },
  ].find(({ site, other }) => isPoint(flat, site.operation) && acts(site) && acts(other));
  if (pointed) return [pointed.side.run.row(pointed.site)];
  const named = [
    { site: from, side: first },
    { site: to, side: second },
  ].flatMap(({ site, side }) => (isPoint(flat, site.operation) ? [side.run.row(site)] : []));
  const all = [...named, ...first.run.rows(table), ...second.run.rows(table), ...spare(table)];
  return [...new Map(all.map((row) => [row.join(" "), row])).values()];
}

/** True if the reader would notice the row's version before, or after, the write. */
function concerned(
  reads: Run,
  reader: Site,
  writes: Run,
  writer: Site,
  row: RowTerm,
  version: "before" | "after",
  standing: Standing,
): Smt {
  const { operation } = reader;
  if (!standing.versionsAreSeen) return mayConcern(reads, reader, row);
  const other = versionOf(writes, writer, row, version);
  const executed = reads.executed(reader);
  const clashes = sameUnique(reads, reader, writes, writer, row);
  if (operation.kind === "insert")
    return and(executed, or(sameAll(row, reads.row(reader)), clashes));
  const exists =
    version === "after" ? writer.operation.kind !== "delete" : writer.operation.kind !== "insert";
  const accepted = exists || isUpsert(writer) ? reads.accepts(reader, row, other) : FALSE;
  const shown = reads.present(reader, row);
  const first = firstRow(reads, reader);
  if (first === undefined) return and(executed, or(shown, accepted, clashes));
  const chosen = and(shown, sameAll(row, first.row));
  const beats = and(accepted, or(not(reads.found(reader)), first.isReachedBy(other)));
  return and(executed, or(chosen, beats, clashes));
}

/** True if the reader may notice any change of the row. */
export function mayConcern(reads: Run, reader: Site, row: RowTerm): Smt {
  if (uniqueKeyWrites(reads.database.flat, reader).length > 0) return reads.executed(reader);
  const named =
    reader.operation.kind === "insert"
      ? sameAll(row, reads.row(reader))
      : keyAllows(reads, reader, row);
  return and(reads.executed(reader), named);
}

/** True for an insertion that may find the row, which then has an earlier version. */
function isUpsert({ operation }: Site): boolean {
  return operation.kind === "insert" && operation.onDuplicate === "update";
}

/** The row as before or after the write. */
function versionOf(run: Run, writer: Site, row: RowTerm, version: "before" | "after") {
  const { flat } = run.database;
  const { table } = writer.operation;
  const key = keyColumns(tableOf(flat, table));
  return (column: string): SqlValue => {
    const at = row[key.indexOf(column)];
    if (at !== undefined) return sqlInt(at);
    return version === "after" && writer.writes.has(column)
      ? run.written(writer, row, column)
      : run.value(writer, table, row, column);
  };
}

/** True if the equalities on key columns hold. */
function keyAllows(run: Run, site: Site, row: RowTerm): Smt {
  const own = run.row(site);
  const key = keyColumns(tableOf(run.database.flat, site.operation.table));
  const equal = key.flatMap((column, at) => {
    const [mine, theirs] = [own[at], row[at]];
    return Object.hasOwn(site.operation.key, column) && mine !== undefined && theirs !== undefined
      ? [eq(mine, theirs)]
      : [];
  });
  return and(...equal);
}

/** The row that a read of the first one in an order takes, and whether another would come before it (or with it). */
function firstRow(run: Run, site: Site) {
  const { pick, orderBy, table, kind } = site.operation;
  if (pick !== "first" || orderBy === undefined || kind !== "read") return undefined;
  const described = tableOf(run.database.flat, table);
  const isKey = described.primaryKey.includes(orderBy.column);
  const column = described.columns.find(({ name }) => name === orderBy.column);
  if (!isKey && (column?.nullable ?? true)) return undefined;
  const row = run.row(site);
  const at = row[keyColumns(described).indexOf(orderBy.column)];
  const mine = at ?? asInt(run.value(site, table, row, orderBy.column));
  return {
    row,
    isReachedBy: (other: (column: string) => SqlValue): Smt => {
      const theirs = asInt(other(orderBy.column));
      return orderBy.descending ? le(mine, theirs) : le(theirs, mine);
    },
  };
}

/** True if the row has, before or after the write, a unique key that the reader writes. */
function sameUnique(reads: Run, reader: Site, writes: Run, writer: Site, row: RowTerm): Smt {
  const { flat } = reads.database;
  const unique = uniqueKeyWrites(flat, reader);
  if (unique.length === 0) return FALSE;
  if (!isPoint(flat, reader.operation)) return TRUE;
  const own = reads.row(reader);
  const versions = (["before", "after"] as const).map((each) =>
    versionOf(writes, writer, row, each),
  );
  return or(
    ...unique.flatMap((columns) =>
      versions.map((version) =>
        and(
          ...columns.map((column) => {
            const [mine, theirs] = [reads.written(reader, own, column), version(column)];
            return and(not(mine.isNull), not(theirs.isNull), eq(asInt(mine), asInt(theirs)));
          }),
        ),
      ),
    ),
  );
}
