// What keys, NOT NULL, CHECK and foreign keys make of an operation: an insert that does nothing, an error that ends the
// transaction.
import { columnsIn } from "../operations/terms";
import type { RowTerm } from "./relationalDatabase";
import { isPoint, tableOf } from "./relationalInstances";
import type { Site } from "./relationalInstances";
import type { Run } from "./relationalRun";
import { termValue } from "./termValue";
import { FALSE, TRUE, and, eq, not, or, sameAll } from "./smt";
import type { Smt } from "./smt";
import { asInt, isFalse, isTrue } from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** Whether an insert that is executed inserts or updates its row. */
export function takesEffect(run: Run, site: Site): Smt {
  const { operation } = site;
  switch (operation.onDuplicate) {
    case "error":
      return TRUE;
    case "nothing":
      return not(or(hasKey(run, site), hasUnique(run, site, run.row(site))));
    case "update": {
      if (operation.updateWhere === undefined) return TRUE;
      const current = (column: string): SqlValue =>
        run.value(site, operation.table, run.row(site), column);
      const wanted = isTrue(termValue(operation.updateWhere, run.scope(site.instance, current)));
      return or(not(hasKey(run, site)), wanted);
    }
    default: {
      const never: never = operation.onDuplicate;
      return never;
    }
  }
}

/** Whether the operation ends its transaction with an error. */
export function fails(run: Run, site: Site): Smt {
  const { operation } = site;
  switch (operation.kind) {
    case "read":
      return operation.mustFind ? and(run.executed(site), not(run.found(site))) : FALSE;
    case "delete":
      return FALSE;
    case "insert": {
      const row = run.row(site);
      const executed = run.executed(site);
      return or(
        operation.onDuplicate === "error" ? and(executed, hasKey(run, site)) : FALSE,
        operation.onDuplicate === "nothing" ? FALSE : and(executed, hasUnique(run, site, row)),
        violates(run, site, row),
      );
    }
    case "update": {
      const point = isPoint(run.database.flat, operation);
      const rows = point ? [run.row(site)] : run.rows(operation.table);
      return or(
        ...rows.map((row) =>
          or(violates(run, site, row), and(run.changes(site, row), hasUnique(run, site, row))),
        ),
      );
    }
    default: {
      const never: never = operation.kind;
      return never;
    }
  }
}

/** Whether an insert finds a row with its key. */
function hasKey(run: Run, site: Site): Smt {
  return run.alive(site, site.operation.table, run.row(site));
}

/** Whether another row has the values that the operation gives this one in a unique key that it writes. */
function hasUnique(run: Run, site: Site, own: RowTerm): Smt {
  const { table: name } = site.operation;
  const { uniqueKeys } = tableOf(run.database.flat, name);
  const written = uniqueKeys.filter((unique) => unique.some((column) => site.writes.has(column)));
  return or(
    ...written.flatMap((unique) =>
      run.rows(name).map((row) => {
        const apart = not(sameAll(row, own));
        if (apart === FALSE) return FALSE;
        const equal = unique.map((column) => {
          const mine = run.written(site, own, column);
          const theirs = run.value(site, name, row, column);
          return and(not(mine.isNull), not(theirs.isNull), eq(asInt(mine), asInt(theirs)));
        });
        return and(run.alive(site, name, row), apart, ...equal);
      }),
    ),
  );
}

/** Whether the operation leaves the row with a NULL or a value that the table forbids. */
function violates(run: Run, site: Site, row: RowTerm): Smt {
  const { table: name } = site.operation;
  const { columns, checks } = tableOf(run.database.flat, name);
  const after = (column: string): SqlValue =>
    site.writes.has(column) ? run.written(site, row, column) : run.value(site, name, row, column);
  const violations = [
    ...columns
      .filter((column) => !column.nullable && site.writes.has(column.name))
      .map((column) => after(column.name).isNull),
    ...checks
      .filter((check) => [...columnsIn(check)].some((column) => site.writes.has(column)))
      .map((check) => isFalse(termValue(check, run.scope(site.instance, after)))),
  ];
  const some = or(...violations);
  return some === FALSE ? FALSE : and(run.changes(site, row), some);
}
