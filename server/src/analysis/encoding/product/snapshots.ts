// The earlier commits that a statement follows: one Boolean per earlier committer and snapshot (or statement whose beginning matters),
// closed under program order and commit order. A statement that looks at rows without locking them has a separate moment for each row,
// between its own beginning and that of the next statement.
import { FALSE, TRUE, eq, imp, sameAll } from "../smt";
import type { Script, Smt } from "../smt";
import type { RowKey } from "./database";
import { lookName, snapshotName } from "./names";
import { makeTimes, needsTimes } from "./times";
import { hasOwnSnapshots, mayWait, opensSnapshot } from "./tuple";
import type { Access, ProductTuple } from "./tuple";
import type { Look, Snapshots } from "./execution";

/** Declares the snapshots of a tuple and asserts that they are prefixes of the commit order. */
export function makeSnapshots(script: Script, tuple: ProductTuple): Snapshots {
  const perStatement = tuple.transactions.map((_, instance) => hasOwnSnapshots(tuple, instance));
  const steps = tuple.accesses.map((accesses, instance) => {
    const needed = accesses.filter(
      (each) => each.needsSnapshot && (perStatement[instance] === true || each.view === "look"),
    );
    return [...new Set(needed.map((each) => each.operation.step))].sort((a, b) => a - b);
  });
  const known = tuple.transactions.map((_, instance) => certainSnapshot(tuple, instance));
  const whole = (earlier: number, instance: number): Smt =>
    earlier < (known[instance] ?? 0)
      ? TRUE
      : script.constant(snapshotName(earlier, instance, "all"), "Bool");
  const begins = (earlier: number, instance: number, step: number): Smt =>
    earlier < (known[instance] ?? 0)
      ? TRUE
      : script.constant(snapshotName(earlier, instance, step), "Bool");
  const beginsAfter: Snapshots["beginsAfter"] = (earlier, instance, step) => {
    if (earlier >= instance) return FALSE;
    return steps[instance]?.includes(step) === true ? begins(earlier, instance, step) : TRUE;
  };
  const seesAt: Snapshots["seesAt"] = (earlier, instance, step) => {
    if (earlier >= instance) return FALSE;
    return perStatement[instance] ? beginsAfter(earlier, instance, step) : whole(earlier, instance);
  };
  const nextStep: Snapshots["nextStep"] = (instance, step) =>
    steps[instance]?.find((each) => each > step);
  /** InnoDB takes its snapshot with the first executed plain read: after the looks before all plain reads, before the looks after them. */
  const withPlainRead = (instance: number): void => {
    const plain = (tuple.accesses[instance] ?? []).filter(opensSnapshot);
    if (plain.length === 0) return;
    const reads = plain.map(({ operation }) => operation.step);
    const [first, last] = [Math.min(...reads), Math.max(...reads)];
    for (let earlier = 0; earlier < instance; earlier += 1) {
      const taken = whole(earlier, instance);
      if (earlier > 0) script.assert(imp(taken, whole(earlier - 1, instance)));
      for (const step of steps[instance] ?? []) {
        const looked = begins(earlier, instance, step);
        if (step < first) script.assert(imp(looked, taken));
        if (step > last) script.assert(imp(taken, looked));
      }
    }
  };
  for (const instance of tuple.transactions.keys()) {
    const moments: ((earlier: number) => Smt)[] = (steps[instance] ?? []).map(
      (step) => (earlier: number) => begins(earlier, instance, step),
    );
    // A transaction-wide snapshot is taken before the first statement, hence older than all looks.
    if (!perStatement[instance]) {
      if (tuple.levels[instance]?.snapshot === "first-plain-read") withPlainRead(instance);
      else moments.unshift((earlier) => whole(earlier, instance));
    }
    for (const [at, moment] of moments.entries())
      for (let earlier = 0; earlier < instance; earlier += 1) {
        const after = moment(earlier);
        if (earlier > 0) script.assert(imp(after, moment(earlier - 1)));
        const next = moments[at + 1];
        if (next !== undefined) script.assert(imp(after, next(earlier)));
      }
    if (!perStatement[instance]) continue;
    for (const [step, next] of sharedSnapshots(tuple, instance, steps[instance] ?? []))
      for (let earlier = 0; earlier < instance; earlier += 1)
        script.assert(imp(begins(earlier, instance, next), begins(earlier, instance, step)));
  }

  const asked = new Map<string, readonly Smt[]>();
  const looks: Look[] = [];
  /** One constant per earlier committer. */
  const momentsOf = (access: Access, row: RowKey): readonly Smt[] => {
    const { instance, operation } = access;
    const key = `${String(instance)} ${String(operation.index)} ${row.join(" ")}`;
    const before = asked.get(key);
    if (before) return before;
    const number = looks.length;
    const same = looks.filter((each) => each.access === access);
    looks.push({ access, row });
    const made = [...tuple.transactions.keys()]
      .slice(0, instance)
      .map((earlier) => script.constant(lookName(earlier, instance, number), "Bool"));
    asked.set(key, made);
    const next = nextStep(instance, operation.step);
    for (const [earlier, after] of made.entries()) {
      script.assert(imp(beginsAfter(earlier, instance, operation.step), after));
      if (earlier > 0) script.assert(imp(after, made[earlier - 1] ?? TRUE));
      if (next !== undefined) script.assert(imp(after, begins(earlier, instance, next)));
      // Two names of one row are looked at once.
      for (const other of same) {
        const known = momentsOf(access, other.row)[earlier] ?? TRUE;
        script.assert(imp(sameAll(row, other.row), eq(after, known)));
      }
    }
    return made;
  };
  return {
    sees: (earlier, access) => seesAt(earlier, access.instance, access.operation.step),
    seesAt,
    beginsAfter,
    looksAfter: (earlier, access, row) => {
      if (earlier >= access.instance) return FALSE;
      return access.needsSnapshot ? (momentsOf(access, row)[earlier] ?? TRUE) : TRUE;
    },
    looks: () => looks,
    times: needsTimes(tuple) ? makeTimes(script, tuple) : undefined,
    nextStep,
  };
}

/** Pairs of consecutive statements that share a snapshot; none if one of them runs more than once. */
function sharedSnapshots(
  { transactions }: ProductTuple,
  instance: number,
  steps: readonly number[],
): readonly (readonly [step: number, next: number])[] {
  const all = transactions[instance]?.steps ?? [];
  const isOnce = (step: number): boolean =>
    all.filter(({ statement }) => statement === all[step]?.statement).length === 1;
  return steps.flatMap((step, at) => {
    const next = steps[at + 1];
    const group = all[step]?.snapshotOf;
    if (next === undefined || group === undefined || all[next]?.snapshotOf !== group) return [];
    return isOnce(step) && isOnce(next) ? [[step, next] as const] : [];
  });
}

/**
 * The number of commits that an instance certainly follows. A transaction of a unit begins after the previous one; a single statement
 * begins at its commit, unless it waits for a holder of longer locks.
 */
export function certainSnapshot(
  { units, parts, accesses }: ProductTuple,
  instance: number,
): number {
  const unit = units.find((each) => each.includes(instance)) ?? [];
  const before = unit.findLast((each) => each < instance) ?? -1;
  if (parts[instance]?.single !== true) return before + 1;
  const waits = accesses[instance]?.some(mayWait) === true;
  const holders = parts.slice(before + 1, instance).filter((each) => each?.single !== true);
  return waits && holders.length > 0 ? before + 1 : instance;
}
