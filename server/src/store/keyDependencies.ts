// Dependencies over unique keys: a transaction that takes a key depends on the one that released it. Row versions do not show this, since
// there are two rows.
import { isDeferred, type UniqueKey } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import { EXISTENCE, findTable, type Write } from "./row";
import { transactionAt, type Run } from "./runRecord";
import { sameValue, type SqlValue } from "./value";

export interface KeyDependency {
  /** The step that released the key, and the one that took it or checked it at commit. */
  readonly from: number;
  readonly to: number;
  readonly table: string;
  /** The row that had the key. */
  readonly key: string;
  readonly column: string;
}

/**
 * The dependencies between steps of different names at products' levels, for non-partial keys: each taker depends on the last releaser.
 * Quadratic in the writes of a table with such keys.
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

/** The last step of a step's transaction. */
function endOf({ steps }: Run, at: number): number {
  const step = steps[at];
  if (step === undefined) return at;
  const name = transactionAt(step);
  return steps.findLastIndex((each) => transactionAt(each) === name);
}

/** The key values that the write newly gives to a row. */
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
