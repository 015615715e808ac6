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
  /** The difference in the final rows of each table, times aside: a clock gives others in each run. */
  readonly tables: ReadonlyMap<TupleTable, Smt>;
  /** Differs in the final state, in who commits, or in a value that a caller receives. */
  readonly value: Smt;
  readonly read: Smt;
}

/** The named conditions under which a run differs from a serial one. Instances that do not commit are ignored. */
export function differences(script: Script, tuple: ProductTuple, a: Run, b: Run): Differences {
  const rows = [...tuple.tables.values()].map((table) => tableDifferences(script, table, a, b));
  const tables = new Map(rows.map(({ table, timeless }) => [table, timeless]));
  const state = script.name(
    or(...rows.flatMap(({ timeless, times }) => [timeless, times])),
    "Bool",
  );
  const commits = a.commits.map((commit, at) => and(commit, not(b.commits[at] ?? FALSE)));
  const returned = different(a.commits, a.returned, b.returned);
  const value = script.name(or(state, ...commits, ...returned), "Bool");
  return { state, tables, value, read: or(value, ...different(a.commits, a.observed, b.observed)) };
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

interface TableDifference {
  readonly table: TupleTable;
  readonly timeless: Smt;
  readonly times: Smt;
}

function tableDifferences(script: Script, table: TupleTable, a: Run, b: Run): TableDifference {
  const isTime = new Set(
    table.table.columns.filter(({ type }) => type === "time").map(({ name }) => name),
  );
  const columns = [...table.mutable].filter((column) => column !== EXISTS);
  const [times, others] = [true, false].map((wanted) =>
    columns.filter((column) => isTime.has(column) === wanted),
  );
  const rows = writtenRows(table, a, b);
  const inBoth = (row: RowKey, some: readonly string[] = []): Smt => {
    const changed = some.map((column) =>
      not(sameValue(a.final(table, column, row), b.final(table, column, row))),
    );
    const exist = [a, b].map((run) => run.final(table, EXISTS, row).value);
    return and(...exist, or(...changed));
  };
  const existence = rows.map((row) =>
    not(eq(a.final(table, EXISTS, row).value, b.final(table, EXISTS, row).value)),
  );
  return {
    table,
    timeless: script.name(or(...existence, ...rows.map((row) => inBoth(row, others))), "Bool"),
    times: or(...rows.map((row) => inBoth(row, times))),
  };
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
