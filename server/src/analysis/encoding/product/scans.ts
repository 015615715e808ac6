// The order in which non-locking searches visit rows: by key, pausing only where another transaction blocks them. This is no law (other
// orders and slow searches exist); it is assumed if possible, because the store executes searches this way.
import { FALSE, TRUE, and, eq, imp, lt, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import type { RowKey } from "./database";
import { IN_ORDER } from "./names";
import { holds, mayConflict, rowsOf, waitsFor } from "./rowLocks";
import type { Access, ProductTuple } from "./tuple";
import type { Snapshots, Run } from "./execution";

/** Asserts the order under IN_ORDER; true if there is anything to assume. */
export function assertOrder(
  script: Script,
  tuple: ProductTuple,
  run: Run,
  snapshots: Snapshots,
): boolean {
  const looks = [...snapshots.looks()];
  if (looks.length === 0) return false;
  script.constant(IN_ORDER, "Bool");
  const accesses = [...new Set(looks.map((each) => each.access))];
  for (const access of accesses) {
    const rows = looks.filter((each) => each.access === access).map((each) => each.row);
    for (let earlier = 0; earlier < access.instance; earlier += 1) {
      const search: Search = { script, tuple, run, snapshots, access, rows, earlier };
      if (access.operation.mustMiss) {
        assertCheck(search);
        continue;
      }
      if (rows.length > 1) assertKeyOrder(search);
      assertPauses(search);
    }
  }
  return true;
}

interface Search {
  readonly script: Script;
  readonly tuple: ProductTuple;
  readonly run: Run;
  readonly snapshots: Snapshots;
  readonly access: Access;
  readonly rows: readonly RowKey[];
  /** The earlier committer that it may meet. */
  readonly earlier: number;
}

function assertKeyOrder({ script, snapshots, access, rows, earlier }: Search): void {
  for (const a of rows)
    for (const b of rows) {
      if (a === b) continue;
      const [first, second] = [a, b].map((row) => snapshots.looksAfter(earlier, access, row));
      if (first !== undefined && second !== undefined)
        script.assert(imp(and(IN_ORDER, isBefore(a, b), first), second));
    }
}

/** A search that begins before a commit and looks at a row after it has waited for a lock on the way. */
function assertPauses(search: Search): void {
  const { script, tuple, run, snapshots, access, rows, earlier } = search;
  const looksAfter = (row: RowKey): Smt => snapshots.looksAfter(earlier, access, row);
  const begun = snapshots.beginsAfter(earlier, access.instance, access.operation.step);
  const paused = and(not(begun), or(...rows.map(looksAfter)));
  const theirs = (tuple.accesses[earlier] ?? []).filter(
    (each) => each.table === access.table && !each.plain && mayConflict(tuple, each, access),
  );
  const skips = passesLocked(tuple, access);
  // A row that does not match before the other's commit is skipped, not waited for.
  const waitsAt = (row: RowKey): Smt =>
    and(looksAfter(row), skips ? run.matches(access, "snapshot", row) : TRUE);
  const waitsBefore = (step: number, upTo?: RowKey): Smt =>
    or(
      ...theirs
        .filter((each) => each.operation.step < step)
        .flatMap((each) =>
          rows.map((row) => {
            const inTime = upTo === undefined ? TRUE : not(isBefore(upTo, row));
            return and(inTime, holds(tuple, run, each, row), waitsAt(row));
          }),
        ),
    );
  for (const row of rows) {
    const late = and(IN_ORDER, run.exec(access), not(begun), looksAfter(row));
    script.assert(imp(late, waitsBefore(Infinity, row)));
  }
  if (skips) return;
  for (const each of theirs)
    for (const row of rows) {
      const locked = holds(tuple, run, each, row);
      const missed = and(IN_ORDER, run.exec(access), paused, locked, not(looksAfter(row)));
      if (missed !== FALSE) script.assert(imp(missed, waitsBefore(each.operation.step)));
    }
}

/** A constraint's search happens later than its statement's beginning only if that statement waited. */
function assertCheck({ script, tuple, run, snapshots, access, rows, earlier }: Search): void {
  const { instance, operation } = access;
  const own = (tuple.accesses[instance] ?? []).filter(
    (each) => !each.plain && each.operation.step === operation.step,
  );
  const theirs = tuple.accesses.slice(earlier, instance).flat();
  const waits = theirs.flatMap((first) =>
    own.flatMap((later) =>
      !first.plain && first.table === later.table && mayConflict(tuple, first, later)
        ? rowsOf(run, first, later).map((row) => waitsFor(tuple, run, first, later, row))
        : [],
    ),
  );
  const begun = snapshots.beginsAfter(earlier, instance, operation.step);
  for (const row of rows) {
    const after = snapshots.looksAfter(earlier, access, row);
    script.assert(imp(and(IN_ORDER, run.exec(access), not(begun), after), or(...waits)));
  }
}

/** True if it does not wait for rows that do not match. */
function passesLocked(tuple: ProductTuple, access: Access): boolean {
  const skips = tuple.levels[access.instance]?.skipsLocked === true;
  return skips && !access.point && access.operation.kind === "update";
}

function isBefore(a: RowKey, b: RowKey): Smt {
  return a.reduceRight<Smt>((rest, left, at) => {
    const right = b[at] ?? "0";
    return or(lt(left, right), and(eq(left, right), rest));
  }, FALSE);
}
