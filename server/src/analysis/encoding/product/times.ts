// The times of statements, for tuples with dirty reads: there the number of commits before a statement is not enough. One number per
// statement and one per commit, consistent with the snapshots.
import { FALSE, TRUE, and, eq, imp, le, lt, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { isTrue } from "../sqlValue";
import { holds, mayConflict } from "./rowLocks";
import { hasOwnSnapshots, opensSnapshot } from "./tuple";
import type { Access, ProductTuple } from "./tuple";
import type { Moment, Times, Snapshots, Run } from "./execution";

/** True if the tuple's outcome depends on such times. */
export function needsTimes(tuple: ProductTuple): boolean {
  return tuple.accesses.flat().some((each) => each.view === "dirty" && each.reads.size > 0);
}

/** Declares the times of a tuple, in program order and commit order. */
export function makeTimes(script: Script, tuple: ProductTuple): Times {
  const counts = tuple.transactions.map(({ steps, operations }) =>
    Math.max(steps?.length ?? 0, ...operations.map(({ step }) => step + 1)),
  );
  const waiting = tuple.accesses.map(
    (accesses) => new Set(accesses.filter(mayPause).map((each) => each.operation.step)),
  );
  const moment = (instance: number, name: string): Moment => ({
    instance,
    time: script.constant(name, "Int"),
  });
  const acts: Times["acts"] = (instance, step) => moment(instance, actName(instance, step));
  const begins: Times["begins"] = (instance, step) =>
    waiting[instance]?.has(step) === true
      ? moment(instance, beginName(instance, step))
      : acts(instance, step);
  const ends: Times["ends"] = (instance) => moment(instance, endName(instance));
  const inOrder = (earlier: Moment, later: Moment): void => {
    script.assert(lt(earlier.time, later.time));
  };
  for (const [instance, count] of counts.entries()) {
    for (let step = 0; step < count; step += 1) {
      const [begin, act] = [begins(instance, step), acts(instance, step)];
      if (begin.time !== act.time) script.assert(le(begin.time, act.time));
      inOrder(act, step + 1 < count ? begins(instance, step + 1) : ends(instance));
    }
    if (instance > 0) script.assert(isBefore(ends(instance - 1), ends(instance)));
  }
  return { begins, acts, ends, steps: (instance) => counts[instance] ?? 0 };
}

/** True if one moment comes before another. */
export function isBefore(a: Moment, b: Moment): Smt {
  return a.instance < b.instance ? le(a.time, b.time) : lt(a.time, b.time);
}

function beginName(instance: number, step: number): string {
  return `B${String(instance)}_${String(step)}`;
}

function actName(instance: number, step: number): string {
  return `T${String(instance)}_${String(step)}`;
}

function endName(instance: number): string {
  return `C${String(instance)}`;
}

/** Asserts that snapshots and looks contain what was committed by then, and that a statement pauses only to wait. */
export function assertTimes(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): void {
  const { times } = snapshots;
  if (times === undefined) return;
  const timed: Timed = { script, tuple, run, snapshots, times };
  for (const [instance, accesses] of tuple.accesses.entries()) {
    for (let earlier = 0; earlier < instance; earlier += 1) {
      if (!hasOwnSnapshots(tuple, instance)) assertWhole(timed, earlier, instance);
      for (let step = 0; step < times.steps(instance); step += 1) {
        const begun = snapshots.beginsAfter(earlier, instance, step);
        const after = isBefore(times.ends(earlier), times.begins(instance, step));
        if (begun !== TRUE) script.assert(eq(begun, after));
      }
    }
    for (const access of accesses) if (mayPause(access)) assertPause(timed, access);
  }
  for (const { access, row } of snapshots.looks())
    for (let earlier = 0; earlier < access.instance; earlier += 1) {
      const acted = times.acts(access.instance, access.operation.step);
      const after = snapshots.looksAfter(earlier, access, row);
      script.assert(imp(and(run.exec(access), after), isBefore(times.ends(earlier), acted)));
    }
}

interface Timed {
  readonly script: Script;
  readonly tuple: ProductTuple;
  readonly run: Run;
  readonly snapshots: Snapshots;
  readonly times: Times;
}

/** Asserts when an instance's single snapshot is taken: by its first statement, by its first plain read, or before. */
function assertWhole(
  { script, tuple, run, snapshots, times }: Timed,
  earlier: number,
  instance: number,
): void {
  const { snapshot } = tuple.levels[instance] ?? {};
  const guards = tuple.transactions[instance]?.steps ?? [];
  const seen = snapshots.seesAt(earlier, instance, 0);
  const openings = Array.from({ length: times.steps(instance) }, (_, step): Smt => {
    const guard = guards[step]?.guard;
    if (snapshot !== "first-plain-read") return guard ? isTrue(run.value(instance, guard)) : TRUE;
    const plain = (tuple.accesses[instance] ?? []).filter(
      (each) => opensSnapshot(each) && each.operation.step === step,
    );
    return or(...plain.map((each) => run.exec(each)));
  });
  for (const [step, opens] of openings.entries()) {
    const opened = and(opens, ...openings.slice(0, step).map(not));
    const begun = isBefore(times.ends(earlier), times.begins(instance, step));
    const contains = snapshot === "begin" ? imp(seen, begun) : eq(seen, begun);
    if (opened !== FALSE) script.assert(imp(opened, contains));
  }
}

/** True if it looks at rows without locking them, so that it may be blocked between them. */
function mayPause(access: Access): boolean {
  return access.view === "look" && access.needsSnapshot;
}

/** Asserts that a statement that acts later than it begins has waited for a commit in between, by a holder of a row. */
function assertPause({ script, tuple, run, snapshots, times }: Timed, access: Access): void {
  const { instance, operation } = access;
  const together = (tuple.accesses[instance] ?? []).filter(
    (each) => mayPause(each) && each.operation.step === operation.step,
  );
  // A statement with several searches may wait in any of them.
  if (together.length > 1) return;
  const begin = times.begins(instance, operation.step);
  const act = times.acts(instance, operation.step);
  const rows = snapshots.looks().filter((look) => look.access === access);
  const others = tuple.accesses.slice(0, instance).flat();
  const inTheWay = others.flatMap((first) => {
    if (first.plain || first.table !== access.table || !mayConflict(tuple, first, access))
      return [];
    const end = times.ends(first.instance);
    const held = rows.map(({ row }) =>
      and(holds(tuple, run, first, row), snapshots.looksAfter(first.instance, access, row)),
    );
    return [and(isBefore(begin, end), isBefore(end, act), or(...held))];
  });
  script.assert(or(eq(begin.time, act.time), ...inTheWay));
}
