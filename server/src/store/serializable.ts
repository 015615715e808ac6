// Serializable snapshot isolation as a property of whole histories: what commits is serializable, as far as the server tracks reads. A real
// server aborts more than this, never less (isolation.md 1.3); what it certainly commits is asked of `mayRefuse`.
import { ownEntry } from "../protocol/dictionary";
import type { ExecutedDependency } from "./execution";
import { cycleThrough } from "./cycle";
import { rowDependencies } from "./dependencies";
import { EXISTENCE, findTable, type Write } from "./row";
import { uniqueKeysOf } from "./constraints";
import { COMMITTED, transactionAt, type Run, type StepRecord } from "./runRecord";
import type { Attempt, Scan } from "./recorder";

/** The reason why PostgreSQL would not let this history commit; undefined if it may. Only SERIALIZABLE transactions are protected. */
export function serializationProblem(run: Run): string | undefined {
  if (watchedIn(run).size < 2) return undefined;
  const noticed = [
    ...conflictsIn(run).filter((each) => !isOverlooked(run, each)),
    ...attemptConflicts(run, ({ scan, attempt }) =>
      attempt.keys.some((key) => isSameKey(key, scan.key) && scan.matches(attempt.row)),
    ),
  ];
  return cycleThrough(noticed, (step) => nameAt(run, step)).length > 0
    ? "the server aborts an instance: the history is not serializable (40001)"
    : undefined;
}

/**
 * True if PostgreSQL may refuse a history that `serializationProblem` lets pass. It locks what a search passed by pages of an index, or the
 * whole table, so that in a small table every search conflicts with every insertion; and it refuses two successive anti-dependencies
 * whose last transaction commits first, whether or not they are part of a cycle (Ports and Grittner, VLDB 2012).
 */
export function mayRefuse(run: Run): boolean {
  if (watchedIn(run).size < 2) return false;
  const found = [
    ...conflictsIn(run).filter(({ dependency }) => dependency === "rw"),
    ...attemptConflicts(run, () => true),
    ...pageConflicts(run),
  ];
  const edges = found
    .map(({ from, to }) => ({ from: nameAt(run, from), to: nameAt(run, to) }))
    .filter(({ from, to }) => from !== to && areConcurrent(run, from, to));
  return edges.some(({ from: first, to: pivot }) =>
    edges.some(
      ({ from, to: last }) =>
        from === pivot && [first, pivot].every((each) => endOf(run, last) <= endOf(run, each)),
    ),
  );
}

function watchedIn(run: Run): ReadonlySet<string> {
  return new Set(run.steps.filter(({ level }) => level?.ssi).map(transactionAt));
}

function isWatched(run: Run, step: number): boolean {
  return run.steps[step]?.level?.ssi === true;
}

/** Dependencies between rows of transactions that are watched. */
function conflictsIn(run: Run): readonly ExecutedDependency[] {
  return rowDependencies(run, transactionAt).filter(
    ({ from, to }) => isWatched(run, from) && isWatched(run, to),
  );
}

function nameAt(run: Run, step: number): string {
  const record = run.steps[step];
  return record === undefined ? "" : transactionAt(record);
}

/**
 * True for conflicts that the server does not detect, beside reuse of a released key: what an INSERT finds that does nothing because of an
 * existing row. It looks for the newest rows, and no lock tells of that. A row of its snapshot was committed before it, whoever asks.
 */
function isOverlooked(run: Run, { dependency, from, to }: ExecutedDependency): boolean {
  if (dependency === "ww") return false;
  const [step, other] = dependency === "rw" ? [run.steps[from], to] : [run.steps[to], from];
  if (step?.level?.overlooks !== "skipped-inserts" || step.source?.kind !== "insert") return false;
  if (step.source.onConflict?.action === "nothing") return true;
  if (step.why === undefined) return false;
  return dependency === "rw" || !step.sees.includes(nameAt(run, other));
}

interface Meeting {
  readonly scan: Scan;
  readonly attempt: Attempt;
}

/**
 * Anti-dependencies from searches to insertions that failed since a key was taken: before the server reports the duplicate it checks who
 * searched there, as if it wrote (`_bt_check_unique`).
 */
function attemptConflicts(
  run: Run,
  meets: (meeting: Meeting) => boolean,
): readonly ExecutedDependency[] {
  return run.steps.flatMap((writer, to) =>
    (writer.attempts ?? []).flatMap((attempt) =>
      searchesOf(run, writer, attempt.table)
        .filter(({ scan }) => meets({ scan, attempt }))
        .map(({ from }) => antiDependency(from, to, attempt.table, attempt.row.key)),
    ),
  );
}

/** Anti-dependencies by pages and tables: from every search to what makes or moves a row, and from searches by no key to any change. */
function pageConflicts(run: Run): readonly ExecutedDependency[] {
  return run.writes.flatMap((write) => {
    const { step: to, table, key } = write;
    const writer = run.steps[to];
    if (writer === undefined) return [];
    return searchesOf(run, writer, table)
      .filter(({ scan }) => scan.key === undefined || changesKey(run, write))
      .map(({ from }) => antiDependency(from, to, table, key));
  });
}

/** Searches of the table in snapshots without this writer, by other watched transactions that commit. */
function searchesOf(
  run: Run,
  writer: StepRecord,
  table: string,
): readonly { readonly from: number; readonly scan: Scan }[] {
  const name = transactionAt(writer);
  if (writer.level?.ssi !== true) return [];
  return run.steps.flatMap((reader, from) =>
    reader.level?.ssi === true &&
    transactionAt(reader) !== name &&
    ownEntry(run.status, reader.instance) === COMMITTED &&
    !reader.sees.includes(name)
      ? reader.scans
          .filter((scan) => scan.table === table && scan.newest === false)
          .map((scan) => ({ from, scan }))
      : [],
  );
}

function antiDependency(from: number, to: number, table: string, key: string): ExecutedDependency {
  return { dependency: "rw", from, to, table, key, columns: [EXISTENCE], predicate: true };
}

function changesKey(run: Run, { table, alive, values, before }: Write): boolean {
  if (alive === true || before === undefined) return true;
  const keys = uniqueKeysOf(findTable(run.schema, table));
  return keys.some(({ columns }) => columns.some((column) => Object.hasOwn(values, column)));
}

function isSameKey(key: readonly string[], other: readonly string[] | undefined): boolean {
  return key.length === other?.length && key.every((column) => other.includes(column));
}

/** True if neither snapshot has the other transaction. */
function areConcurrent(run: Run, one: string, other: string): boolean {
  const sees = (reader: string, writer: string): boolean =>
    run.steps.some((step) => transactionAt(step) === reader && step.sees.includes(writer));
  return !sees(one, other) && !sees(other, one);
}

/** The last step of a transaction: its commit. */
function endOf(run: Run, name: string): number {
  return run.steps.findLastIndex((step) => transactionAt(step) === name);
}
