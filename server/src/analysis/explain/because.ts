// The reason for a step's result: the other transaction that it could not see, overwrote, waited for or saw.
import type { Level, Product } from "../../isolation/levels";
import type { DirtyRead, Execution, ExecutedDependency, ExecutedStep } from "../../store/execution";
import { rowText, valueText } from "./words";

/**
 * The reason for the step at `index`, or "" if there is nothing to explain. Dependencies of the reported cycle come first; each kind of
 * dependency has one sentence per family of levels.
 */
export function becauseOf(
  execution: Execution,
  cycle: readonly number[],
  levelOf: (step: ExecutedStep) => Level,
  index: number,
): string {
  const step = execution.steps[index];
  if (!step) return "";
  const ordered = [...cycle, ...execution.dependencies.map((_, n) => n)];
  const dependencies = [...new Set(ordered)].flatMap((n) => execution.dependencies[n] ?? []);
  const missed = dependencies.find((d) => d.dependency === "rw" && d.from === index);
  const overwritten = dependencies.find((d) => d.dependency === "ww" && d.to === index);
  const seen = dependencies.find((d) => d.dependency === "wr" && d.to === index);
  const dirty = execution.dirtyReads?.find((read) => read.to === index);
  const parts = [
    waited(step),
    fresh(execution, index, levelOf(step)),
    overwritten ? lost(execution, overwritten, step) : "",
    dirty ? neverCommitted(execution, dirty) : "",
    missed ? notSeen(execution, missed, levelOf(step)) : "",
    !missed && !overwritten && seen && cycle.includes(execution.dependencies.indexOf(seen))
      ? saw(execution, seen, step)
      : "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function waited(step: ExecutedStep): string {
  return step.waitedFor
    ? `it waited for ${step.waitedFor} to end and then acted on the newest row`
    : "";
}

/**
 * The sentence for a write over another's write. The earlier write is lost if the later writer had read the row before it and does not
 * build on it. An in-place update builds on it, although its decision may rest on the older value.
 */
function lost(execution: Execution, ww: ExecutedDependency, step: ExecutedStep): string {
  const earlier = execution.steps[ww.from];
  if (!earlier || earlier.instance === step.instance) return "";
  const sameRow = (cell: { readonly table: string; readonly key: string }): boolean =>
    cell.table === ww.table && cell.key === ww.key;
  const buildsOn = step.reads.some(
    (cell) => sameRow(cell) && ww.columns.includes(cell.column) && cell.writer === earlier.instance,
  );
  const stale = execution.dependencies.find(
    (d) =>
      d.dependency === "rw" &&
      execution.steps[d.from]?.instance === step.instance &&
      execution.steps[d.to]?.instance === earlier.instance &&
      sameRow(d) &&
      d.from !== ww.to,
  );
  const read = execution.steps[stale?.from ?? -1]?.reads.find(
    (cell) => sameRow(cell) && stale?.columns.includes(cell.column),
  );
  const place = read ? `${rowText(read.table, read.key)}.${read.column}` : "";
  if (buildsOn) {
    const builds = `it builds on what ${earlier.instance} wrote`;
    return read ? `${builds}, but was decided on ${place} = ${valueText(read.value)}` : builds;
  }
  if (!stale) return `it overwrites what ${earlier.instance} wrote`;
  return read
    ? `${place} = ${valueText(read.value)} was read before ${earlier.instance}'s write, which is now lost`
    : `the row was read before ${earlier.instance}'s write, which is now lost`;
}

/** The sentence for a read that misses another's write: not written yet, not committed yet, or hidden by an old snapshot. */
function notSeen(execution: Execution, rw: ExecutedDependency, level: Level): string {
  const write = execution.steps[rw.to];
  const read = execution.steps[rw.from];
  if (!write || !read) return "";
  const writer = write.instance;
  const what = rw.predicate
    ? `the rows that ${writer} adds, changes or removes`
    : `${writer}'s write`;
  if (rw.to > rw.from) {
    const started = execution.steps
      .slice(0, rw.from)
      .some((step) => step.instance === writer && step.writes.length > 0);
    return started ? `${what} comes later` : `${writer} has written nothing here yet`;
  }
  if (level.family === "paper") return `${what} is not visible here yet`;
  const committed = execution.steps.findIndex(
    (step) => step.instance === writer && step.statement === "commit",
  );
  if (committed === -1 || committed > rw.from) return `${writer} has not committed yet`;
  if (!readsSnapshot(read, level)) return `${what} came after it had passed that place`;
  return level.snapshot !== "statement"
    ? `its snapshot was taken before ${writer} committed`
    : `the statement's snapshot was taken before ${writer} committed`;
}

function saw(execution: Execution, wr: ExecutedDependency, step: ExecutedStep): string {
  const write = execution.steps[wr.from];
  if (!write) return "";
  const ended = execution.steps.findIndex(
    (each) => each.instance === write.instance && each.statement === "commit",
  );
  const early = ended > execution.steps.indexOf(step);
  return `it sees what ${write.instance} wrote${early ? " and has not committed" : ""}`;
}

function neverCommitted(execution: Execution, { kind, from }: DirtyRead): string {
  const writer = execution.steps[from]?.instance ?? "";
  const later = kind === "rolled-back" ? "is rolled back" : `${writer} itself replaces`;
  return `it sees what ${writer} wrote and has not committed, which ${later} later`;
}

/** True if the statement reads a snapshot, at a product's level. */
function readsSnapshot({ source }: ExecutedStep, level: Level): boolean {
  if (level.family === "paper") return false;
  const locks =
    source !== undefined && (source.kind !== "select" || source.query.lock !== undefined);
  return locks ? level.candidates === "snapshot" : level.plainRead === "snapshot";
}

/** The sentence for a transaction that mixes stale reads and fresh writes, as the product allows. */
function fresh(execution: Execution, index: number, level: Level): string {
  const step = execution.steps[index];
  if (level.family === "paper" || !step?.source || readsSnapshot(step, level)) return "";
  if (level.plainRead !== "snapshot" || level.snapshot === "statement") return "";
  const met = new Set(step.reads.flatMap(({ writer }) => writer ?? []));
  const missed = execution.steps
    .slice(0, index)
    .filter((each) => each.instance === step.instance && readsSnapshot(each, level))
    .some((each) =>
      [...met].some((writer) => writer !== step.instance && !each.sees.includes(writer)),
    );
  if (!missed) return "";
  const verb = step.source.kind === "select" ? "locking SELECT" : step.source.kind.toUpperCase();
  return `${ENGINES[level.product]}'s ${verb} acts on the newest committed row, not on the transaction's snapshot`;
}

const ENGINES: Readonly<Record<Product, string>> = {
  postgres: "PostgreSQL",
  mysql: "InnoDB",
  mariadb: "InnoDB",
  sqlserver: "SQL Server",
  oracle: "Oracle",
  cockroach: "CockroachDB",
  yugabyte: "YugabyteDB",
  tidb: "TiDB",
  sqlite: "SQLite",
  mongodb: "MongoDB",
};
