// Evidence of an anomaly in an execution.
import type { Confirmation } from "../../store/execution";

/** The tables of the cycle or dirty read, sorted; undefined if the store found neither. */
export function evidenceTables({
  execution,
  cycle,
  dirtyRead,
}: Confirmation): readonly string[] | undefined {
  const tables = dirtyRead
    ? [dirtyRead.table]
    : cycle.flatMap((index) => execution?.dependencies[index]?.table ?? []);
  return tables.length === 0 ? undefined : [...new Set(tables)].sort();
}
