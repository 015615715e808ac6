// Operations that take the same key: the axiom that databases enforce keys regardless of visibility.
import { FALSE, and, eq, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { asInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { RowTerm } from "./database";
import { isPoint, tableOf } from "./instances";
import type { Site } from "./instances";
import type { Run } from "./run";

/** True if two operations give rows the same primary key, or two rows the same values in a unique key. */
export function takeSameKey(run: Run, first: Site, second: Site): Smt {
  const { flat } = run.database;
  const { table } = first.operation;
  const isNew = (site: Site): Smt =>
    site.operation.kind === "insert"
      ? and(run.changes(site, run.row(site)), not(run.alive(site, table, run.row(site))))
      : FALSE;
  const created = [isNew(first), isNew(second)];
  const samePrimary = created.includes(FALSE)
    ? FALSE
    : and(...created, sameAll(run.row(first), run.row(second)));
  const taken = tableOf(flat, table).uniqueKeys.flatMap((unique) => {
    const takes = (site: Site): boolean =>
      site.operation.kind !== "delete" && unique.some((column) => site.writes.has(column));
    if (!takes(first) || !takes(second)) return [];
    return changedRows(run, first).flatMap((mine) =>
      changedRows(run, second).map((other) => {
        if (mine.join() === other.join()) return FALSE;
        const same = unique.map((column) => {
          const [a, b] = [
            valueAfter(run, first, mine, column),
            valueAfter(run, second, other, column),
          ];
          return and(not(a.isNull), not(b.isNull), eq(asInt(a), asInt(b)));
        });
        const both = [takesKey(run, first, mine, unique), takesKey(run, second, other, unique)];
        return and(not(sameAll(mine, other)), ...both, ...same);
      }),
    );
  });
  return or(samePrimary, ...taken);
}

function changedRows(run: Run, site: Site): readonly RowTerm[] {
  const { kind, table } = site.operation;
  const isOne = kind === "insert" || isPoint(run.database.flat, site.operation);
  return isOne ? [run.row(site)] : run.rows(table);
}

/** True if the operation gives the row a new value in a unique key. */
function takesKey(run: Run, site: Site, row: RowTerm, unique: readonly string[]): Smt {
  const { kind, table, update } = site.operation;
  const differs = unique.map((column) => {
    const [old, now] = [run.value(site, table, row, column), valueAfter(run, site, row, column)];
    return or(old.isNull, not(eq(asInt(old), asInt(now))));
  });
  const isNew = kind === "insert" ? not(run.alive(site, table, row)) : FALSE;
  const isChanged = kind === "update" || update !== undefined ? or(...differs) : FALSE;
  return and(run.changes(site, row), or(isNew, isChanged));
}

function valueAfter(run: Run, site: Site, row: RowTerm, column: string): SqlValue {
  return site.writes.has(column)
    ? run.written(site, row, column)
    : run.value(site, site.operation.table, row, column);
}
