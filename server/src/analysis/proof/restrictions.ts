// What no proof may rest on: places of the flat form that say less than the program does.
import type { Levels } from "../../isolation/mixedLevels";
import { distinctLevels } from "../../isolation/mixedLevels";
import { EXISTENCE, isPoint, tableOf } from "../encoding/relationalInstances";
import type { FlatProgram, FlatTransaction, Operation } from "../operations/operation";
import { openInstances } from "./accesses";
import type { Restriction } from "./answer";

/** All restrictions of a program at these levels; empty means that its flat form can carry a proof. */
export function restrictionsOf(flat: FlatProgram, levels: Levels): readonly Restriction[] {
  const isProduct = distinctLevels(levels).some(({ family }) => family === "product");
  const comingAndGoing = tablesWithChangingRows(flat);
  return flat.transactions.flatMap((transaction) => {
    const reasons = [
      ...transaction.losses,
      ...(transaction.uncovered ?? []).map(
        ({ rounds }) =>
          `a loop may have more rounds than the ${rounds === 1 ? "one that is" : `${String(rounds)} that are`} looked at`,
      ),
      ...transaction.operations.flatMap((operation) => [
        ...unprecise(operation),
        ...conditionalErrors(flat, operation),
        ...(isProduct && operation.mustFind && comingAndGoing.has(operation.table)
          ? [
              `its foreign key looks at the newest rows of ${operation.table}, not at its snapshot, and others insert or delete such rows`,
            ]
          : []),
      ]),
    ];
    return [...new Set(reasons)].map((reason) => ({ transaction: transaction.id, reason }));
  });
}

function tablesWithChangingRows(flat: FlatProgram): ReadonlySet<string> {
  const sites = flat.transactions.flatMap((_: FlatTransaction, at) =>
    openInstances(flat, [at]).flatMap((instance) => instance.sites),
  );
  return new Set(
    sites.filter(({ writes }) => writes.has(EXISTENCE)).map(({ operation }) => operation.table),
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
