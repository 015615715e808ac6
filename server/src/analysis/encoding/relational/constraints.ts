// The effects of keys, NOT NULL, CHECK and foreign keys on an operation: an insert that does nothing, or an error that aborts the
// transaction.
import { ERRORS } from "../../../program/errors";
import { columnsIn } from "../../operations/terms";
import { termValue } from "../termValue";
import { FALSE, TRUE, and, eq, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { asInt, isFalse, isTrue } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { Run } from "./run";
import type { Site } from "./instances";
import { isPoint, tableOf } from "./instances";
import type { RowTerm } from "./database";

/** True if an executed insert inserts or updates its row. */
export function takesEffect(run: Run, site: Site): Smt {
  const { operation } = site;
  switch (operation.onDuplicate) {
    case "error":
      return operation.caught?.includes(ERRORS.duplicate) === true
        ? not(or(hasKey(run, site), hasUnique(run, site, run.row(site))))
        : TRUE;
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

/** True if the operation aborts its transaction with an error that no handler catches. */
export function fails(run: Run, site: Site): Smt {
  const caught = site.operation.caught ?? [];
  const ending = OPERATION_ERRORS.filter((code) => !caught.includes(code));
  return or(...ending.map((code) => errorOf(run, site, code)));
}

const OPERATION_ERRORS = [ERRORS.missingParent, ERRORS.duplicate, ERRORS.notNull, ERRORS.check];

/** True if the operation raises the error of this SQLSTATE. */
export function errorOf(run: Run, site: Site, code: string): Smt {
  const { operation } = site;
  switch (code) {
    case ERRORS.missingParent:
      return or(
        operation.mustFind ? and(run.executed(site), not(run.found(site))) : FALSE,
        operation.mustMiss ? and(run.executed(site), run.found(site)) : FALSE,
      );
    case ERRORS.duplicate:
      return isDuplicate(run, site);
    case ERRORS.notNull:
    case ERRORS.check:
      return or(
        code === ERRORS.notNull && operation.kind === "insert"
          ? and(run.executed(site), keyIsNull(run, site))
          : FALSE,
        ...(operation.kind === "insert" || operation.kind === "update"
          ? writtenRows(run, site).map((row) => violates(run, site, row, code))
          : []),
      );
    default:
      return FALSE;
  }
}

/** The known rows that the operation may change. */
export function writtenRows(run: Run, site: Site): readonly RowTerm[] {
  const point = isPoint(run.database.flat, site.operation);
  return point ? [run.row(site)] : run.rows(site.operation.table);
}

/** True if a key that the operation writes exists already and that is an error. */
function isDuplicate(run: Run, site: Site): Smt {
  const { operation } = site;
  if (operation.kind === "update")
    return or(
      ...writtenRows(run, site).map((row) =>
        and(run.touches(site, row), hasUnique(run, site, row)),
      ),
    );
  if (operation.kind !== "insert") return FALSE;
  return or(
    operation.onDuplicate === "error" ? and(run.executed(site), hasKey(run, site)) : FALSE,
    operation.onDuplicate === "nothing"
      ? FALSE
      : and(run.executed(site), hasUnique(run, site, run.row(site))),
  );
}

/** True if an insert has a NULL in its key. */
function keyIsNull(run: Run, site: Site): Smt {
  const scope = run.scope(site.instance);
  return or(...Object.values(site.operation.key).map((term) => termValue(term, scope).isNull));
}

/** True if an insert finds a row with its key. */
function hasKey(run: Run, site: Site): Smt {
  return run.alive(site, site.operation.table, run.row(site));
}

/** True if another row has the unique key that the operation writes. */
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

/** True if the operation leaves the row with a NULL or a value that the table forbids. */
function violates(run: Run, site: Site, row: RowTerm, code: string): Smt {
  const { table: name } = site.operation;
  const { columns, checks } = tableOf(run.database.flat, name);
  const after = (column: string): SqlValue =>
    site.writes.has(column) ? run.written(site, row, column) : run.value(site, name, row, column);
  const violations =
    code === ERRORS.notNull
      ? columns
          .filter((column) => !column.nullable && site.writes.has(column.name))
          .map((column) => after(column.name).isNull)
      : checks
          .filter((check) => [...columnsIn(check)].some((column) => site.writes.has(column)))
          .map((check) => isFalse(termValue(check, run.scope(site.instance, after))));
  const some = or(...violations);
  return some === FALSE ? FALSE : and(run.touches(site, row), some);
}
