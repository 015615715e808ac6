// Restrictions of proofs: places of the flat form that say less than the program does.
import type { Levels } from "../../isolation/mixedLevels";
import { distinctLevels } from "../../isolation/mixedLevels";
import { EXISTENCE, isPoint, tableOf } from "../encoding/relational/instances";
import { columnName, writtenColumns } from "../encoding/relational/meeting";
import type { FlatProgram, Operation } from "../operations/operation";
import { deferredKeysOf } from "../operations/tables";
import type { Restriction } from "./answer";

/** All restrictions of a program at these levels; empty means that its flat form can carry a proof. */
export function restrictionsOf(flat: FlatProgram, levels: Levels): readonly Restriction[] {
  const isProduct = distinctLevels(levels).some(({ family }) => family === "product");
  const changes = changedColumns(flat);
  const comesAndGoes = (table: string): boolean => changes.has(columnName(table, EXISTENCE));
  return flat.transactions.flatMap((transaction) => {
    const reasons = [
      ...transaction.losses,
      ...(transaction.parts ? ["it commits before its end, and others may come between"] : []),
      ...(transaction.uncovered ?? []).map(({ rounds }) =>
        rounds === 0
          ? "a function may call itself deeper than is looked at"
          : `a loop may have more rounds than the ${rounds === 1 ? "one that is" : `${String(rounds)} that are`} looked at`,
      ),
      ...transaction.operations.flatMap((operation) => [
        ...unprecise(operation),
        ...lateKeys(flat, operation),
        ...conditionalErrors(flat, operation),
        ...childrenInTheWay(flat, operation, changes),
        ...(isProduct && operation.mustFind && comesAndGoes(operation.table)
          ? [
              `its foreign key looks at the newest rows of ${operation.table}, not at its snapshot, and others insert or delete such rows`,
            ]
          : []),
      ]),
    ];
    return [...new Set(reasons)].map((reason) => ({ transaction: transaction.id, reason }));
  });
}

/** Columns that any transaction changes; the existence of rows is a column of its own. */
function changedColumns(flat: FlatProgram): ReadonlySet<string> {
  return writtenColumns(
    flat,
    flat.transactions.map((_, at) => at),
  );
}

/** Rows are not deleted, nor their keys changed, while others refer to them: what that looks at is not in the text. */
function childrenInTheWay(
  flat: FlatProgram,
  operation: Operation,
  changed: ReadonlySet<string>,
): readonly string[] {
  const { table, kind, set } = operation;
  const { primaryKey } = tableOf(flat, table);
  if (kind !== "delete" && kind !== "update") return [];
  return Object.values(flat.tables).flatMap(({ name, foreignKeys = [] }) =>
    foreignKeys.flatMap((foreign) => {
      if (foreign.table !== table) return [];
      const key = foreign.referenced.length > 0 ? foreign.referenced : primaryKey;
      if (kind === "update" && !key.some((column) => Object.hasOwn(set, column))) return [];
      const moves = [EXISTENCE, ...foreign.columns].some((column) =>
        changed.has(columnName(name, column)),
      );
      return moves
        ? [
            `the database refuses it while rows of ${name} refer to the row of ${table}, and such rows come and go`,
          ]
        : [];
    }),
  );
}

/** The constraints that refuse a commit depend on rows that a proof does not name. */
function lateKeys(flat: FlatProgram, operation: Operation): readonly string[] {
  return deferredKeysOf(operation, tableOf(flat, operation.table)).map(
    (key) =>
      `whether it commits depends on the key (${key.join(", ")}) of ${operation.table}, which is checked then`,
  );
}

function unprecise({ precision, table }: Operation): readonly string[] {
  return precision === "exact" ? [] : [`a statement on ${table} was not fully understood`];
}

/** Errors that the program goes on after, where whether they come depends on rows that a proof does not name. */
function conditionalErrors(flat: FlatProgram, operation: Operation): readonly string[] {
  const { uniqueKeys } = tableOf(flat, operation.table);
  const catches = (operation.caught ?? []).length > 0;
  const skips = operation.kind === "insert" && operation.onDuplicate !== "error";
  if ((catches || skips) && uniqueKeys.length > 0)
    return [
      `what it does depends on whether a unique key of ${operation.table}, other than the primary one, is taken`,
    ];
  if (catches && !isPoint(flat, operation))
    return [`it handles errors of a statement on several rows of ${operation.table}`];
  return [];
}
