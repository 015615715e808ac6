// A sequence of MariaDB as the table of one row that it can be read as.
import type { Sequence } from "../sequence";
import { systemTable, type SystemTable } from "./systemTable";

/** The row of a sequence, but for the number that comes next, which nobody asks for. */
export function sequenceTable(name: string, sequence: Sequence): SystemTable {
  const { least, most, start, increment, cache, cycles } = sequence;
  return systemTable(
    "",
    name,
    "minimum_value:int8 maximum_value start_value increment cache_size cycle_option cycle_count",
    () => [
      {
        minimum_value: least,
        maximum_value: most,
        start_value: start,
        increment,
        cache_size: cache,
        cycle_option: cycles ? 1 : 0,
      },
    ],
  );
}
