// Dependencies over unique keys: who takes the values that another one's row had depends on that one having given them
// up. No version of a row tells, since the rows are two.
import { isDeferred, type UniqueKey } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import { EXISTENCE, findTable, type Write } from "./row";
import { transactionAt, type Run } from "./runRecord";
import { sameValue, type SqlValue } from "./value";

export interface KeyDependency {
  /** The steps: that gave the key up, and that took it, or that checked it at its commit. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  /** The row that had it. */
  readonly key: string;
  readonly column: string;
}

/**
 * The dependencies between steps of different names at products' levels, for keys of whole tables: each taker depends on
 * the last one that gave up its key. Quadratic in the writes of a table with such keys.
 */
export function keyDependencies(run: Run, names: readonly string[]): readonly KeyDependency[] {
  const tables = [...new Set(run.writes.map(({ table }) => table))];
  return tables.flatMap((table) => {
    const writes = run.writes.filter((write) => write.table === table);
    const keys = findTable(run.schema, table).uniqueKeys.filter(({ where }) => where === undefined);
    return keys.flatMap((key) =>
      writes.flatMap((taker): readonly KeyDependency[] => {
        const value = takenBy(taker, key);
        if (value === undefined || run.steps[taker.step]?.level === undefined) return [];
        const to = isDeferred(key) ? endOf(run, taker.step) : taker.step;
        const last = writes.findLast((each) => each.step < to && givesUp(each, key, value));
        if (last === undefined || last.key === taker.key || names[last.step] === names[to])
          return [];
        const column = last.alive === false ? EXISTENCE : (key.columns[0] ?? EXISTENCE);
        return [{ from: last.step, to, table, key: last.key, column }];
      }),
    );
  });
}

/** The last step of the transaction that a step belongs to. */
function endOf({ steps }: Run, at: number): number {
  const step = steps[at];
  if (step === undefined) return at;
  const name = transactionAt(step);
  return steps.findLastIndex((each) => transactionAt(each) === name);
}

/** The values of a key that the write gives to a row which did not have them. */
function takenBy(
  { alive, before, values }: Write,
  key: UniqueKey,
): readonly SqlValue[] | undefined {
  if (alive === false) return undefined;
  const taken = valueOf({ ...before?.values, ...values }, key);
  return taken.includes(null) || (before?.alive && isSame(valueOf(before.values, key), taken))
    ? undefined
    : taken;
}

function givesUp(
  { alive, before, values }: Write,
  key: UniqueKey,
  value: readonly SqlValue[],
): boolean {
  if (before?.alive !== true || !isSame(valueOf(before.values, key), value)) return false;
  return alive === false || !isSame(valueOf({ ...before.values, ...values }, key), value);
}

function valueOf(values: Write["values"], { columns }: UniqueKey): readonly SqlValue[] {
  return columns.map((column) => ownEntry(values, column) ?? null);
}

function isSame(left: readonly SqlValue[], right: readonly SqlValue[]): boolean {
  return left.every((each, at) => sameValue(each, right[at] ?? null));
}
