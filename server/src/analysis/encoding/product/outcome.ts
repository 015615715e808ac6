// Differences between the outcomes of two runs of a tuple: final states, values that callers receive, anything that was read.
import { FALSE, TRUE, and, eq, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { sameValue } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { RowKey } from "./database";
import { EXISTS } from "./tuple";
import type { ProductTuple, TupleTable } from "./tuple";
import type { Run } from "./execution";

export interface Differences {
  readonly state: Smt;
  /** Differs in the final state, in who commits, or in a value that a caller receives. */
  readonly value: Smt;
  readonly read: Smt;
}

/** The named conditions under which a run differs from a serial one. Instances that do not commit are ignored. */
export function differences(script: Script, tuple: ProductTuple, a: Run, b: Run): Differences {
  const state = script.name(or(...stateDifferences(tuple, a, b)), "Bool");
  const commits = a.commits.map((commit, at) => and(commit, not(b.commits[at] ?? FALSE)));
  const returned = different(a.commits, a.returned, b.returned);
  const value = script.name(or(state, ...commits, ...returned), "Bool");
  return { state, value, read: or(value, ...different(a.commits, a.observed, b.observed)) };
}

function different(
  commits: readonly Smt[],
  left: readonly (readonly SqlValue[])[],
  right: readonly (readonly SqlValue[])[],
): readonly Smt[] {
  return left.flatMap((values, instance) =>
    values.map((each, at) => {
      const other = right[instance]?.[at];
      return other ? and(commits[instance] ?? TRUE, not(sameValue(each, other))) : FALSE;
    }),
  );
}

/** The final rows of a table differ, times aside: a clock gives others in each run. */
export function timelessDifference(table: TupleTable, a: Run, b: Run): Smt {
  const times = table.table.columns.filter(({ type }) => type === "time").map(({ name }) => name);
  return or(...writtenRows(table, a, b).flatMap((row) => rowDifferences(table, a, b, row, times)));
}

function stateDifferences(tuple: ProductTuple, a: Run, b: Run): readonly Smt[] {
  return [...tuple.tables.values()].flatMap((table) =>
    writtenRows(table, a, b).flatMap((row) => rowDifferences(table, a, b, row)),
  );
}

function rowDifferences(
  table: TupleTable,
  a: Run,
  b: Run,
  row: RowKey,
  aside: readonly string[] = [],
): readonly Smt[] {
  const [inA, inB] = [a.final(table, EXISTS, row).value, b.final(table, EXISTS, row).value];
  const columns = [...table.mutable].filter(
    (column) => column !== EXISTS && !aside.includes(column),
  );
  const changed = columns.map((column) =>
    not(sameValue(a.final(table, column, row), b.final(table, column, row))),
  );
  return [not(eq(inA, inB)), and(inA, inB, or(...changed))];
}

/** The rows that either run may write, by text. */
function writtenRows(table: TupleTable, a: Run, b: Run): readonly RowKey[] {
  const rows = new Map<string, RowKey>();
  const add = (row: RowKey): void => {
    rows.set(row.join(" "), row);
  };
  for (const run of [a, b])
    for (const done of run.done.flat()) {
      if (done.access.table !== table || done.access.writes.size === 0) continue;
      if (done.row) add(done.row);
      else run.rows(table).forEach(add);
    }
  return [...rows.values()];
}
