// Dependencies over unique keys: a transaction that takes a key that another one's row had must follow the one that released it, and one
// whose insertion is refused the one that took the key. Row-based dependencies miss this, since there are two rows.
import { ownEntry } from "../../../protocol/dictionary";
import type {
  FlatProgram,
  FlatTable,
  FlatTransaction,
  Operation,
} from "../../operations/operation";
import { FALSE, and, eq, not, or, sameAll } from "../smt";
import type { Smt } from "../smt";
import { SQL_NULL, asInt, choose } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { RowKey } from "./database";
import { EXISTS, bindsVisibly, catchesDuplicate, mayDoNothing } from "./tuple";
import type { Access, ProductTuple, TupleTable } from "./tuple";
import type { Effect, Run } from "./execution";

type Key = readonly string[];

/** True if the text allows the second access to take a key that the first one releases. */
export function mayHandOn(from: Access, to: Access): boolean {
  return from.table === to.table && handedOn(from, to).length > 0;
}

/** True if the text allows the second access to find a key taken by the first one, and to go on without its row. */
export function mayRefuse(from: Access, to: Access): boolean {
  return from.table === to.table && refusedOver(from, to).length > 0;
}

/** True if the text allows one of the transactions to take a key that another one releases. */
export function mayPassKeys(
  tables: FlatProgram["tables"],
  transactions: readonly FlatTransaction[],
): boolean {
  const operations = transactions.flatMap((each) => each.operations);
  return Object.entries(tables).some(([name, table]) => {
    const own = operations.filter((each) => each.table === name);
    return keysOf(table).some(
      (key) => own.some((each) => gives(each, key)) && own.some((each) => takes(each, key)),
    );
  });
}

/** The condition that an instance takes a key of the table that an earlier one released, or is refused one that it took. */
export function handsOn(
  tuple: ProductTuple,
  run: Run,
  from: number,
  to: number,
  table: TupleTable,
): Smt {
  const own = (instance: number): readonly Access[] =>
    (tuple.accesses[instance] ?? []).filter((each) => each.table === table);
  return or(
    ...own(from).flatMap((a) =>
      own(to).flatMap((b) => [
        ...handedOn(a, b).flatMap((key) =>
          touched(run, a).flatMap((old) =>
            touched(run, b).map((row) => passes(run, a, b, key, old, row)),
          ),
        ),
        refusedBy(run, a, b),
      ]),
    ),
  );
}

/** The condition that the insertion meets one of its keys in a row that the other access wrote. */
export function refusedBy(run: Run, a: Access, b: Access): Smt {
  return or(
    ...refusedOver(a, b).flatMap((key) =>
      touched(run, a).map((row) => refuses(run, a, b, key, row)),
    ),
  );
}

function handedOn(from: Access, to: Access): readonly Key[] {
  return keysOf(from.table.table).filter(
    (key) => gives(from.operation, key) && takes(to.operation, key),
  );
}

function refusedOver(from: Access, to: Access): readonly Key[] {
  const { operation } = to;
  if (!catchesDuplicate(to) && !mayDoNothing(operation)) return [];
  return keysOf(from.table.table).filter(
    (key) => takes(from.operation, key) && bindsVisibly(operation, key),
  );
}

/** The unique keys of a table beside the primary one, those that are checked at the end of a transaction included. */
export function keysOf({ uniqueKeys, deferredKeys = [] }: FlatTable): readonly Key[] {
  return [...uniqueKeys, ...deferredKeys];
}

function gives({ kind, set, update = {} }: Operation, key: Key): boolean {
  if (kind === "delete") return true;
  if (kind === "read") return false;
  const changed = kind === "update" ? set : update;
  return key.some((column) => Object.hasOwn(changed, column));
}

function takes(operation: Operation, key: Key): boolean {
  const { kind, set } = operation;
  if (kind === "insert") return bindsVisibly(operation, key) || gives(operation, key);
  return kind === "update" && key.some((column) => Object.hasOwn(set, column));
}

function passes(run: Run, a: Access, b: Access, key: Key, old: RowKey, row: RowKey): Smt {
  if (old.join() === row.join()) return FALSE;
  const done = doneOf(run, b);
  if (done === undefined) return FALSE;
  const hits = and(run.hits(a, old), run.hits(b, row), not(sameAll(old, row)));
  if (hits === FALSE) return FALSE;
  const same = key.map((column) => {
    const had = run.state(a, "current", column, old);
    const has = valueAfter(run, done, column, row);
    return and(not(had.isNull), not(has.isNull), eq(asInt(had), asInt(has)));
  });
  return and(hits, run.state(a, "current", EXISTS, old).value, ...same);
}

function refuses(run: Run, a: Access, b: Access, key: Key, row: RowKey): Smt {
  const done = doneOf(run, b);
  if (done === undefined) return FALSE;
  const same = key.map((column) => {
    const [has, wanted] = [run.state(b, "current", column, row), run.insertedValue(done, column)];
    return and(not(has.isNull), not(wanted.isNull), eq(asInt(has), asInt(wanted)));
  });
  const met = and(run.state(b, "current", EXISTS, row).value, ...same);
  return and(run.hits(a, row), run.exec(b), not(done.inserted), met);
}

function valueAfter(run: Run, write: Effect, column: string, row: RowKey): SqlValue {
  const { operation } = write.access;
  const before = run.state(write.access, "current", column, row);
  const changed = operation.kind === "insert" ? (operation.update ?? {}) : operation.set;
  const updated =
    ownEntry(changed, column) === undefined
      ? before
      : run.newValue(write, ownEntry(changed, column), row);
  if (operation.kind !== "insert") return updated;
  const inserted =
    ownEntry(operation.set, column) === undefined ? SQL_NULL : run.insertedValue(write, column);
  return choose(write.inserted, inserted, updated);
}

function touched(run: Run, access: Access): readonly RowKey[] {
  const done = doneOf(run, access);
  if (done === undefined) return [];
  return done.row ? [done.row] : done.chosen.map(({ row }) => row);
}

function doneOf(run: Run, { instance, operation }: Access): Effect | undefined {
  return run.done[instance]?.[operation.index];
}
