// Serializable snapshot isolation as a property of whole histories: what commits is serializable, as far as the server tracks reads. A real
// server aborts more than this, never less (isolation.md 1.3).
import type { ExecutedDependency } from "./execution";
import { cycleThrough } from "./cycle";
import { rowDependencies } from "./dependencies";
import { transactionAt, type Run } from "./runRecord";

/** The reason why PostgreSQL would not let this history commit; undefined if it may. Only SERIALIZABLE transactions are protected. */
export function serializationProblem(run: Run): string | undefined {
  const safe = new Set(run.steps.filter(({ level }) => level?.ssi).map(transactionAt));
  if (safe.size < 2) return undefined;
  const among = (end: number) => run.steps[end]?.level?.ssi === true;
  const dependencies = rowDependencies(run, transactionAt).filter(
    (each) => among(each.from) && among(each.to) && !isOverlooked(run, each),
  );
  const nameAt = (end: number): string => {
    const step = run.steps[end];
    return step === undefined ? "" : transactionAt(step);
  };
  return cycleThrough(dependencies, nameAt).length > 0
    ? "the server aborts an instance: the history is not serializable (40001)"
    : undefined;
}

/**
 * True for conflicts that the server does not detect, beside reuse of a released key: an INSERT that did nothing because of an existing
 * row, whether it saw that row's insertion or the row is changed later. The INSERT of a handler is detected by those who looked for the row
 * before.
 */
function isOverlooked(run: Run, { dependency, from, to, table }: ExecutedDependency): boolean {
  if (dependency === "ww") return false;
  const [step, other] = dependency === "rw" ? [run.steps[from], to] : [run.steps[to], from];
  if (step?.level?.overlooks !== "skipped-inserts" || step.source?.kind !== "insert") return false;
  if (step.source.onConflict?.action === "nothing") return true;
  if (step.why === undefined) return false;
  const maker = run.steps[other];
  return !run.steps
    .slice(0, other)
    .some(
      ({ instance, scans }) =>
        instance === maker?.instance &&
        scans.some(({ table: searched, newest }) => searched === table && newest === false),
    );
}
