// Adya's dependencies between instances (ww, wr, rw), over all views. Only a stale read can point against the commit order: a plain read,
// or a locking statement that passed a row which did not match in its snapshot, or at the moment of the look.
import { ownEntry } from "../../../protocol/dictionary";
import { FALSE, TRUE, and, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { isTrue } from "../sqlValue";
import type { RowKey } from "./database";
import { rowsOf } from "./rowLocks";
import { EXISTS, mayReadStale } from "./tuple";
import type { Access, ProductTuple, TupleTable, View } from "./tuple";
import type { Snapshots, Run } from "./execution";

/** True if the text allows a dependency between these accesses, given who commits first. */
export function mayDepend(from: Access, to: Access, fromCommitsFirst: boolean): boolean {
  if (from.table !== to.table) return false;
  if (fromCommitsFirst) {
    const written = [...from.writes];
    return (
      written.some((column) => to.writes.has(column) || to.reads.has(column)) ||
      shared(from, to).length > 0
    );
  }
  const seesEarly = to.view === "dirty" && shared(to, from).length > 0;
  return seesEarly || (shared(from, to).length > 0 && canMiss(from));
}

/**
 * True if the text allows the reader to read a version older than the writer's without locking the row for good: otherwise one of the two
 * would wait for the other.
 */
export function mayMissUnheld(reader: Access, writer: Access): boolean {
  if (reader.table !== writer.table || shared(reader, writer).length === 0) return false;
  const { kind, undone = [] } = reader.operation;
  const changes = kind === "update" || kind === "delete";
  return canMiss(reader) || !changes || undone.length > 0;
}

/**
 * The condition that some dependency over the table leads from one instance to the other. It is exact, except that a dirty read (which
 * needs no cycle) counts in both directions. `detects` says when a read counts of what another instance writes.
 */
export function dependencyOver(
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  from: number,
  to: number,
  table: TupleTable,
  detects: (reader: Access, writer: number) => Smt = () => TRUE,
): Smt {
  const found: Smt[] = [];
  const dirty: Smt[] = [];
  for (const a of tuple.accesses[from] ?? []) {
    if (a.table !== table) continue;
    for (const b of tuple.accesses[to] ?? []) {
      if (b.table !== table || !mayDepend(a, b, from < to)) continue;
      for (const row of rowsOf(run, a, b)) {
        if (from < to) found.push(writeWrite(run, a, b, row));
        if (from < to || b.view === "dirty")
          found.push(and(detects(b, from), writeRead(tuple, run, snapshots, a, b, row)));
        found.push(and(detects(a, to), readWrite(run, snapshots, a, b, row)));
        dirty.push(abortedRead(run, a, b, row), abortedRead(run, b, a, row));
      }
    }
  }
  const among = and(run.commits[from] ?? TRUE, run.commits[to] ?? TRUE);
  return or(and(among, or(...found)), ...dirty);
}

/** True if the text allows an access to miss a write of an earlier committer. */
function mayMissEarlier(reader: Access, writer: Access): boolean {
  return reader.instance > writer.instance && mayDepend(reader, writer, false);
}

/** The accesses that the text allows to miss a write of an earlier committer. */
export function missingAccesses({ accesses }: ProductTuple): readonly Access[] {
  const all = accesses.flat();
  return all.filter((reader) => all.some((writer) => mayMissEarlier(reader, writer)));
}

/** The condition that one of these accesses misses a write of an earlier committer. */
export function someMiss(
  { accesses }: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  readers: readonly Access[],
): Smt {
  const missed = readers.flatMap((reader) =>
    accesses
      .flat()
      .filter((writer) => mayMissEarlier(reader, writer))
      .flatMap((writer) =>
        rowsOf(run, reader, writer).map((row) => readWrite(run, snapshots, reader, writer, row)),
      ),
  );
  return or(...missed);
}

/** Columns that `reader` depends on and `writer` changes; EXISTS for the row as a whole. */
function shared(reader: Access, writer: Access): readonly string[] {
  const columns = [...reader.reads].filter((column) => writer.writes.has(column));
  const { kind } = writer.operation;
  const whole = (kind === "insert" || kind === "delete") && columns.includes(EXISTS);
  return whole && writer.operation.onDuplicate !== "update" ? [EXISTS] : columns;
}

/** True if it may act, or not act, on an old version. */
function canMiss(access: Access): boolean {
  if (access.plain || access.shows === "snapshot") return true;
  const isInsert = access.operation.kind === "insert" && !access.skips;
  return access.view !== "current" && !isInsert && access.tests.size > 0;
}

/** The condition that a locking statement passes the row: it does not match, or it conflicts with an insertion. */
function passes(run: Run, access: Access, row: RowKey): Smt {
  const matches = run.matches(access, access.view, row);
  return access.skips ? matches : not(matches);
}

/** True if the write changes neither what the reader sees of the row nor the lock that it holds. */
function leaves(reader: Access, writer: Access): boolean {
  return !reader.plain && reader.shows === "snapshot" && writer.operation.kind !== "delete";
}

/** The condition that the access sees another instance's write. */
function sees(run: Run, snapshots: Snapshots, writer: Access, access: Access, row: RowKey): Smt {
  switch (access.view) {
    case "look":
      return snapshots.looksAfter(writer.instance, access, row);
    case "dirty":
      return run.seesWrite(writer, access);
    case "snapshot":
    case "current":
      return snapshots.sees(writer.instance, access);
  }
}

/** The condition that a committing transaction reads a write of one that undoes it or rolls back. */
function abortedRead(run: Run, writer: Access, reader: Access, row: RowKey): Smt {
  const columns = reader.view === "dirty" ? shared(reader, writer) : [];
  const commits = run.commits[writer.instance] ?? TRUE;
  const gone = or(not(commits), run.undone(writer));
  if (columns.length === 0 || gone === FALSE) return FALSE;
  return and(
    gone,
    run.commits[reader.instance] ?? TRUE,
    run.touches(writer, row),
    run.seesWrite(writer, reader),
    concerns(run, reader, writer, row, columns, { view: "dirty", after: true }),
  );
}

function writeWrite(run: Run, a: Access, b: Access, row: RowKey): Smt {
  const both = [...a.writes].some((column) => b.writes.has(column));
  return both ? and(run.hits(a, row), run.hits(b, row)) : FALSE;
}

/** The condition that the reader's snapshot (or, once it locks the row, the newest version) contains the earlier writer. */
function writeRead(
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
  writer: Access,
  reader: Access,
  row: RowKey,
): Smt {
  const columns = shared(reader, writer);
  if (columns.length === 0) return FALSE;
  const sight = sees(run, snapshots, writer, reader, row);
  // A reader with its own version of the row, newer than its snapshot, sees the other columns as of that version.
  const seen = !canMiss(reader)
    ? TRUE
    : reader.plain
      ? or(sight, mayReadStale(tuple, reader.instance) ? run.hasOwnVersion(reader, row) : FALSE)
      : leaves(reader, writer)
        ? sight
        : or(sight, not(passes(run, reader, row)));
  const view = reader.shows;
  return and(
    seen,
    run.hits(writer, row),
    concerns(run, reader, writer, row, columns, { view, after: true }),
  );
}

/** The condition that the reader does not see the writer: the writer commits later, or the snapshot is older. */
function readWrite(
  run: Run,
  snapshots: Snapshots,
  reader: Access,
  writer: Access,
  row: RowKey,
): Smt {
  const columns = shared(reader, writer);
  if (columns.length === 0) return FALSE;
  const hit = run.hits(writer, row);
  if (reader.instance < writer.instance && reader.view !== "dirty") {
    const view = reader.view === "look" ? "look" : reader.shows;
    return and(hit, concerns(run, reader, writer, row, columns, { view, after: false }));
  }
  if (!canMiss(reader)) return FALSE;
  const missed = and(
    not(sees(run, snapshots, writer, reader, row)),
    hit,
    concerns(run, reader, writer, row, columns, { view: reader.view, after: false }),
  );
  if (reader.plain || leaves(reader, writer)) return missed;
  return or(and(missed, passes(run, reader, row)), missesReplacement(run, reader, writer, row));
}

/** A locking statement that waits for a row that is deleted and reinserted does not look at the new row. */
function missesReplacement(run: Run, reader: Access, writer: Access, row: RowKey): Smt {
  if (writer.operation.kind !== "insert") return FALSE;
  const replaced = run.replaced(reader, row);
  if (replaced === FALSE) return FALSE;
  const own = run.done[reader.instance]?.[reader.operation.index];
  const key = own?.row ? sameAll(own.row, row) : run.keyMatches(reader, row);
  const inserted = run.done[writer.instance]?.[writer.operation.index]?.inserted ?? FALSE;
  return and(
    run.exec(reader),
    key,
    replaced,
    run.matches(reader, reader.view, row),
    inserted,
    run.hits(writer, row),
  );
}

/**
 * The condition that the write concerns the reader: of matching rows, any column that it uses; of all existing rows, the columns of its
 * condition; of inserted rows, those that could match.
 */
function concerns(
  run: Run,
  reader: Access,
  writer: Access,
  row: RowKey,
  columns: readonly string[],
  how: { readonly view: View; readonly after: boolean },
): Smt {
  const own = run.done[reader.instance]?.[reader.operation.index];
  const key = own?.row ? sameAll(own.row, row) : run.keyMatches(reader, row);
  const base = and(run.exec(reader), key);
  if (base === FALSE) return FALSE;
  const alive = run.state(reader, how.view, EXISTS, row).value;
  const stable = [...reader.tests].every(
    (column) => column === EXISTS || !reader.table.updated.has(column),
  );
  if (columns.includes(EXISTS)) {
    if (writer.operation.kind === "delete")
      return and(base, how.after ? TRUE : stable ? run.matches(reader, how.view, row) : alive);
    const fits = stable ? couldMatch(run, reader, writer) : TRUE;
    const comes = and(base, fits, how.after ? TRUE : not(alive));
    if (writer.operation.onDuplicate !== "update") return comes;
    const rest = columns.filter((column) => column !== EXISTS);
    return or(comes, rest.length === 0 ? FALSE : concerns(run, reader, writer, row, rest, how));
  }
  if (columns.some((column) => reader.tests.has(column))) return and(base, alive);
  const met = run.matches(reader, how.view, row);
  const picks = reader.operation.pick === "some" || reader.operation.pick === "first";
  if (!picks || own === undefined || reader.operation.orderBy !== undefined) return and(base, met);
  return and(base, met, or(...own.chosen.map((each) => and(each.is, sameAll(each.row, row)))));
}

/** The condition that a row, as inserted, satisfies the reader's condition. */
function couldMatch(run: Run, reader: Access, writer: Access): Smt {
  if (writer.operation.kind !== "insert") return TRUE;
  const values = writer.operation.set;
  return isTrue(
    run.value(reader.instance, reader.operation.where, (column) => {
      const term = ownEntry(values, column);
      return term
        ? run.value(writer.instance, term)
        : { isNull: TRUE, value: "0", sort: "Int" as const };
    }),
  );
}
