// One run of a tuple, concurrent or serial, as straight-line definitions: instances in commit order, operations in program order, every
// value in terms of earlier ones. There are no times: what an operation sees is decided by snapshots.
import { ownEntry } from "../../../protocol/dictionary";
import { NO_ROLLBACKS } from "../assumptions";
import { FALSE, TRUE, and, imp, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { SQL_NULL, isTrue, sqlBool, sqlInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { refusesCommit } from "./constraints";
import type { Database, RowKey } from "./database";
import { insertedKey } from "./dirty";
import { makeSteps } from "./steps";
import type { ProductTuple } from "./tuple";
import { makeViews } from "./views";
import type { Effect, Ledger, RunOptions, Run } from "./execution";

/** Defines a run in the script. */
export function makeRun(
  script: Script,
  tuple: ProductTuple,
  database: Database,
  options: RunOptions,
): Run {
  // The transactions of a unit share their reads.
  const own: Effect[][] = tuple.transactions.map(() => []);
  const done = own.map((each, instance) => own[tuple.leads[instance] ?? instance] ?? each);
  const commits: Smt[] = tuple.transactions.map(() => TRUE);
  const failures: Smt[] = tuple.transactions.map(() => TRUE);
  const ledger: Ledger = {
    script,
    tuple,
    database,
    done,
    commits,
    inserted: new Map<string, RowKey[]>(),
    open: options.open === true,
    ...(options.times && { unsettled: [] }),
  };
  if (ledger.unsettled) nameInsertions(ledger);
  const views = makeViews(ledger, options);
  const runAccess = makeSteps(ledger, views);
  for (const instance of options.order) {
    const transaction = tuple.transactions[instance];
    if (transaction === undefined) continue;
    const reasons = (tuple.accesses[instance] ?? []).flatMap(runAccess);
    const own = (done[instance] ?? []).filter(({ access }) => access.instance === instance);
    // In an open run, writes of others before the commit are unknown, so commit checks are skipped.
    if (options.open !== true) reasons.push(...refusesCommit(views, own));
    const aborts = isTrue(views.value(instance, transaction.aborts));
    // Where others may read uncommitted writes, an instance that rolls back has an effect as well.
    failures[instance] = or(...reasons, options.times ? FALSE : aborts);
    if (options.times) commits[instance] = lastingly(ledger, instance, aborts);
    if (options.serial) {
      // After an error a unit does not continue.
      const before = commits[earlierOf(tuple, instance) ?? -1] ?? TRUE;
      const succeeds = and(before, not(failures[instance] ?? TRUE));
      commits[instance] = script.name(succeeds, "Bool");
    }
  }
  for (const settle of ledger.unsettled ?? []) settle();
  return {
    ...views,
    done,
    commits,
    failures,
    returned: tuple.transactions.map((transaction, instance) => [
      ...transaction.returns.map((term) => views.value(instance, term)),
      ...transaction.visible.map(
        ({ operation, name }) => ownEntry(done[instance]?.[operation]?.outputs, name) ?? SQL_NULL,
      ),
    ]),
    observed: tuple.transactions.map((transaction, instance) =>
      transaction.observed
        ? transaction.observed.map((term) => views.value(instance, term))
        : (done[instance] ?? []).flatMap(observedOf),
    ),
  };
}

/** The previous transaction of the same unit. */
function earlierOf({ units }: ProductTuple, instance: number): number | undefined {
  return units.find((each) => each.includes(instance))?.findLast((each) => each < instance);
}

/** The condition that an instance commits, if others may read its uncommitted writes. That the server aborts nobody is an assumption. */
function lastingly({ script, database }: Ledger, instance: number, aborts: Smt): Smt {
  const lost = script.constant(`L${String(instance)}`, "Bool");
  script.assert(imp(database.assumptions.literal(NO_ROLLBACKS), not(lost)));
  return script.name(not(or(aborts, lost)), "Bool");
}

/** An inserted row may be read before it is defined, so its keys are constants. */
function nameInsertions({ script, tuple, inserted }: Ledger): void {
  for (const access of tuple.accesses.flat()) {
    if (access.operation.kind !== "insert" || !access.table.closed) continue;
    const { name } = access.table.table;
    inserted.set(name, [...(inserted.get(name) ?? []), insertedKey(script, access)]);
  }
}

function observedOf(done: Effect): readonly SqlValue[] {
  const { operation } = done.access;
  const counted = operation.pick === "all" && operation.kind !== "insert";
  return [
    sqlBool(done.exec),
    counted ? sqlInt(done.count) : sqlBool(done.found),
    ...Object.values(done.outputs),
  ];
}
