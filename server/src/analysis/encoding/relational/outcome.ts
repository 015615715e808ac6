// Differences between the outcomes of two runs of the same instances: in status, in what callers receive, or in the final rows.
import { ownEntry } from "../../../protocol/dictionary";
import { termValue } from "../termValue";
import { FALSE, and, eq, not, or } from "../smt";
import type { Smt } from "../smt";
import { sameValue } from "../sqlValue";
import type { Run } from "./run";
import type { Instance, Site } from "./instances";
import { EXISTENCE, isPoint, keyColumns, tableOf } from "./instances";

export interface Difference {
  /** Final rows differ. */
  readonly state: Smt;
  /** A caller receives something else, or an instance rolls back in one run and commits in the other. */
  readonly value: Smt;
}

/** The differences of `other` from `weak`, in which every instance commits. */
export function differenceOf(weak: Run, other: Run): Difference {
  return {
    state: finalRowsDiffer(weak, other),
    value: or(
      ...weak.instances.map(({ index }) => other.aborted(index)),
      ...weak.instances.map((instance) => resultsDiffer(weak, other, instance)),
    ),
  };
}

function finalRowsDiffer(weak: Run, other: Run): Smt {
  const sites = weak.instances.flatMap((instance) => instance.sites);
  const tables = new Set(
    sites.filter((site) => site.writes.size > 0).map((site) => site.operation.table),
  );
  const { flat } = weak.database;
  return or(
    ...[...tables].sort().flatMap((table) => {
      const key = keyColumns(tableOf(flat, table));
      const written = new Set(
        sites
          .filter((site) => site.operation.table === table)
          .flatMap((site) => [...site.writes])
          .filter((column) => column !== EXISTENCE && !key.includes(column)),
      );
      const rows = [...weak.rows(table), ...writtenRows(weak, table), ...other.rows(table)];
      const distinct = new Map(rows.map((row) => [row.join(" "), row]));
      return [...distinct.values()].map((row) => {
        const [here, there] = [weak.alive("final", table, row), other.alive("final", table, row)];
        const changed = [...written]
          .sort()
          .map((column) =>
            not(
              sameValue(
                weak.value("final", table, row, column),
                other.value("final", table, row, column),
              ),
            ),
          );
        return or(not(eq(here, there)), and(here, or(...changed)));
      });
    }),
  );
}

function writtenRows(run: Run, table: string) {
  return run.instances
    .flatMap((instance) => instance.sites)
    .filter((site) => site.operation.table === table && isPoint(run.database.flat, site.operation))
    .map((site) => run.row(site));
}

function resultsDiffer(weak: Run, other: Run, instance: Instance): Smt {
  const returned = instance.transaction.returns.map((term) =>
    not(
      sameValue(
        termValue(term, weak.scope(instance.index)),
        termValue(term, other.scope(instance.index)),
      ),
    ),
  );
  const shown = instance.transaction.visible.map(({ operation, name }) => {
    const site = instance.sites.find((each) => each.operation.index === operation);
    return site === undefined ? FALSE : rowsDiffer(weak, other, site, name);
  });
  return or(...returned, ...shown);
}

/** True if the rows that the caller receives from the operation differ. */
function rowsDiffer(weak: Run, other: Run, site: Site, name: string): Smt {
  const { operation } = site;
  const { flat } = weak.database;
  const reached = not(eq(weak.executed(site), other.executed(site)));
  const single = isPoint(flat, operation) || operation.pick === "first";
  if (single || operation.aggregate !== undefined || operation.kind !== "read") {
    const found = not(eq(weak.found(site), other.found(site)));
    return or(reached, found, not(sameValue(weak.output(site, name), other.output(site, name))));
  }
  const term = ownEntry(operation.outputs, name);
  const rows = weak.rows(operation.table).map((row) => {
    const [here, there] = [weak.present(site, row), other.present(site, row)];
    if (term === undefined) return not(eq(here, there));
    const [mine, theirs] = [weak, other].map((run) =>
      termValue(
        term,
        run.scope(site.instance, (column) => run.value(site, operation.table, row, column)),
      ),
    );
    const differs =
      mine === undefined || theirs === undefined ? FALSE : not(sameValue(mine, theirs));
    return or(not(eq(here, there)), and(here, differs));
  });
  return or(reached, and(weak.executed(site), or(...rows)));
}
