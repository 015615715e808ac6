// Why a step came out as it did: which other transaction it could not see, overwrote, waited for or saw.
import type { Level } from "../../isolation/levels";
import type { Execution, ExecutedDependency, ExecutedStep } from "../../store/execution";
import { rowText, valueText } from "./words";

/**
 * The reason for the step at `index`, or "" when nothing needs saying. Dependencies of the reported cycle come
 * first; each kind of dependency has one sentence per family of levels.
 */
export function becauseOf(
  execution: Execution,
  cycle: readonly number[],
  levelOf: (instance: string) => Level,
  index: number,
): string {
  const step = execution.steps[index];
  if (!step) return "";
  const ordered = [...cycle, ...execution.dependencies.map((_, n) => n)];
  const dependencies = [...new Set(ordered)].flatMap((n) => execution.dependencies[n] ?? []);
  const missed = dependencies.find((d) => d.dependency === "rw" && d.from === index);
  const overwritten = dependencies.find((d) => d.dependency === "ww" && d.to === index);
  const seen = dependencies.find((d) => d.dependency === "wr" && d.to === index);
  const parts = [
    waited(step),
    overwritten ? lost(execution, overwritten, step) : "",
    missed ? notSeen(execution, missed, levelOf(step.instance)) : "",
    !missed && !overwritten && seen && cycle.includes(execution.dependencies.indexOf(seen))
      ? saw(execution, seen)
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
 * A write over another's write: lost when the writer had read the row before that write and does not build on it. An
 * update in place builds on it, although what it decided may rest on the older value.
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

/** A read that does not contain another's write: nothing written yet, not committed yet, or an old snapshot. */
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
  return level.snapshot !== "statement"
    ? `its snapshot was taken before ${writer} committed`
    : `the statement's snapshot was taken before ${writer} committed`;
}

function saw(execution: Execution, wr: ExecutedDependency): string {
  const write = execution.steps[wr.from];
  return write ? `it sees what ${write.instance} wrote` : "";
}
