// One run of a tuple, concurrent or serial, as straight-line definitions: instances in commit order, operations in
// program order, every value in terms of earlier ones. No times: what an operation sees is a question of snapshots.
import type { Operation, Term } from "../operations/operation";
import { columnsIn } from "../operations/terms";
import type { Database, RowKey } from "./productDatabase";
import { evaluateTerm } from "./productTerms";
import type { Leaves } from "./productTerms";
import { EXISTS, isSkippable, isWrite } from "./productTuple";
import type { Access, ProductTuple, TupleTable } from "./productTuple";
import { FALSE, TRUE, add, and, eq, ite, lt, not, or, sameAll } from "./smt";
import type { Script, Smt } from "./smt";
import { SQL_NULL, asInt, choose, isFalse, isTrue, nameValue, sqlBool, sqlInt } from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** Which versions a read goes to: its snapshot, or the newest committed ones. */
export type View = "snapshot" | "current";

/** What an operation did. */
export interface Done {
  readonly access: Access;
  readonly exec: Smt;
  /** The key of a point operation. */
  readonly row?: RowKey;
  /** A read found a row, a write changed one. */
  readonly found: Smt;
  readonly count: Smt;
  readonly outputs: Readonly<Record<string, SqlValue>>;
  /** Of the rows that it looked through: this is the one that it chose. */
  readonly chosen: readonly { readonly row: RowKey; readonly is: Smt }[];
  /** An insertion: it made a new row, or (ON CONFLICT DO UPDATE) changed an old one. */
  readonly inserted: Smt;
  readonly updated: Smt;
}

export interface Run {
  readonly done: readonly (readonly Done[])[];
  /** Whether the instance commits; conditions of failure are `failures`. */
  readonly commits: readonly Smt[];
  /** Why instances cannot commit in this run. */
  readonly failures: readonly Smt[];
  /** What callers get from the instance. */
  readonly returned: readonly (readonly SqlValue[])[];
  /** Everything that the instance reads. */
  readonly observed: readonly (readonly SqlValue[])[];
  /** A column as an operation sees it; EXISTS is a Boolean. */
  state(done: Access, view: View, column: string, row: RowKey): SqlValue;
  final(table: TupleTable, column: string, row: RowKey): SqlValue;
  /** Existence and WHERE in a view. */
  matches(access: Access, view: View, row: RowKey): Smt;
  /** The key conditions that do not depend on any view. */
  keyMatches(access: Access, row: RowKey): Smt;
  /** The operation makes a version of the row. */
  hits(access: Access, row: RowKey): Smt;
  exec(access: Access): Smt;
  /** All rows of a closed table that this run may touch. */
  rows(table: TupleTable): readonly RowKey[];
  value(instance: number, term: Term, at?: (column: string) => SqlValue): SqlValue;
}

export interface RunOptions {
  /** Instances in the order of their commits. */
  readonly order: readonly number[];
  /** Whether the snapshot of the access contains the earlier committer. */
  readonly sees: (earlier: number, access: Access) => Smt;
  /** Serial: an instance may fail and is undone. Concurrent: all commit, which the caller asserts. */
  readonly serial: boolean;
}

/** Defines a run in the script. */
export function makeRun(
  script: Script,
  tuple: ProductTuple,
  database: Database,
  options: RunOptions,
): Run {
  const { order, serial } = options;
  const done: Done[][] = tuple.transactions.map(() => []);
  const commits: Smt[] = tuple.transactions.map(() => TRUE);
  const failures: Smt[][] = tuple.transactions.map(() => []);
  const memo = new Map<string, SqlValue>();
  const extra = new Map<string, RowKey[]>();
  const leaves = tuple.transactions.map((_, instance): Leaves => ({
    parameter: (name) => database.parameter(instance, name),
    unknown: (id, type) => database.unknown(instance, id, type),
    output: (operation, name) => done[instance]?.[operation]?.outputs[name] ?? SQL_NULL,
    found: (operation) => done[instance]?.[operation]?.found ?? FALSE,
    count: (operation) => done[instance]?.[operation]?.count ?? "0",
    known: new Map<Term, SqlValue>(),
    shorten: (value) => nameValue(script, value),
  }));

  const value: Run["value"] = (instance, term, column) => {
    const own = leaves[instance];
    if (own === undefined) return SQL_NULL;
    return evaluateTerm(term, column ? { ...own, column } : own);
  };

  const rows: Run["rows"] = (table) => [
    ...database.rows(table),
    ...(extra.get(table.table.name) ?? []),
  ];

  const doneOf = (access: Access): Done | undefined =>
    done[access.instance]?.[access.operation.index];

  const columnAt =
    (access: Access, view: View, row: RowKey) =>
    (column: string): SqlValue =>
      state(access, view, column, row);

  const initial = (table: TupleTable, column: string, row: RowKey): SqlValue =>
    column === EXISTS ? sqlBool(database.alive(table, row)) : database.column(table, column, row);

  /** The value after an instance's writes before `step`. */
  const applyWrites = (
    before: SqlValue,
    instance: number,
    visible: Smt,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
    step = Infinity,
  ): SqlValue => {
    let result = before;
    if (visible === FALSE) return result;
    for (const each of done[instance] ?? []) {
      const { access } = each;
      if (access.table !== at.table || access.operation.step >= step || !isWrite(access)) continue;
      if (!access.writes.has(at.column)) continue;
      result = applyWrite(result, each, visible, at);
    }
    return result;
  };

  const applyWrite = (
    before: SqlValue,
    write: Done,
    visible: Smt,
    at: { readonly table: TupleTable; readonly column: string; readonly row: RowKey },
  ): SqlValue => {
    const { operation } = write.access;
    const { column, row } = at;
    switch (operation.kind) {
      case "read":
        return before;
      case "update": {
        const hit = hits(write.access, row);
        return hit === FALSE
          ? before
          : choose(and(visible, hit), newValue(write, operation.set[column], row), before);
      }
      case "delete":
        return column === EXISTS
          ? choose(and(visible, hits(write.access, row)), sqlBool(FALSE), before)
          : before;
      case "insert": {
        const same = sameAll(write.row ?? [], row);
        if (same === FALSE) return before;
        const made = and(visible, same, write.inserted);
        const changed = and(visible, same, write.updated);
        if (column === EXISTS) return choose(made, sqlBool(TRUE), before);
        const kept = operation.update?.[column];
        const afterUpdate =
          kept === undefined ? before : choose(changed, newValue(write, kept, row), before);
        return choose(made, insertedValue(write, column), afterUpdate);
      }
    }
  };

  const insertedValue = (write: Done, column: string): SqlValue => {
    const term = write.access.operation.set[column];
    return term === undefined ? SQL_NULL : value(write.access.instance, term);
  };

  /** What a write gives a column of a row, from the row's newest version. */
  const newValue = (write: Done, term: Term | undefined, row: RowKey): SqlValue => {
    if (term === undefined) return SQL_NULL;
    // A point write changes its own row only: equal rows are equal values.
    const own = write.row ?? row;
    const key = `w ${String(write.access.instance)} ${String(write.access.operation.index)} ${own.join(" ")}`;
    const at = columnAt(write.access, "current", own);
    const known = newValues.get(term)?.get(key);
    if (known) return known;
    const made = nameValue(script, value(write.access.instance, term, at));
    const perTerm = newValues.get(term) ?? new Map<string, SqlValue>();
    perTerm.set(key, made);
    newValues.set(term, perTerm);
    return made;
  };
  const newValues = new Map<Term, Map<string, SqlValue>>();

  const state: Run["state"] = (access, view, column, row) => {
    const { table, instance, operation } = access;
    if (!table.mutable.has(column)) return initial(table, column, row);
    const own = String(instance);
    const key = `${view} ${own} ${String(operation.step)} ${table.table.name}.${column} ${row.join(" ")}`;
    const before = memo.get(key);
    if (before) return before;
    let result = initial(table, column, row);
    const at = { table, column, row };
    for (const other of order) {
      if (other === instance) break;
      const visible = view === "current" ? TRUE : options.sees(other, access);
      result = applyWrites(result, other, and(visible, commits[other] ?? TRUE), at);
    }
    result = nameValue(script, applyWrites(result, instance, TRUE, at, operation.step));
    memo.set(key, result);
    return result;
  };

  const final: Run["final"] = (table, column, row) => {
    if (!table.mutable.has(column)) return initial(table, column, row);
    let result = initial(table, column, row);
    for (const instance of order)
      result = applyWrites(result, instance, commits[instance] ?? TRUE, { table, column, row });
    return nameValue(script, result);
  };

  const matches: Run["matches"] = (access, view, row) =>
    and(
      state(access, view, EXISTS, row).value,
      isTrue(value(access.instance, access.operation.where, columnAt(access, view, row))),
    );

  const keyMatches: Run["keyMatches"] = (access, row) =>
    and(
      ...access.table.table.primaryKey.map((column, at) => {
        const term = access.operation.key[column];
        if (term === undefined) return TRUE;
        const bound = value(access.instance, term);
        return and(not(bound.isNull), eq(asInt(bound), row[at] ?? "0"));
      }),
    );

  /** A locking statement takes rows that match in its snapshot and still match in their newest version. */
  const matchesLocked = (access: Access, row: RowKey): Smt =>
    and(matches(access, "snapshot", row), matches(access, "current", row));

  const exec: Run["exec"] = (access) => doneOf(access)?.exec ?? FALSE;

  const hits: Run["hits"] = (access, row) => {
    const own = doneOf(access);
    if (own === undefined || !isWrite(access)) return FALSE;
    if (own.row) return and(sameAll(own.row, row), own.found);
    const key = keyMatches(access, row);
    return key === FALSE
      ? FALSE
      : script.name(and(own.exec, key, matchesLocked(access, row)), "Bool");
  };

  const run = (access: Access): void => {
    const { instance, operation } = access;
    const exec = script.name(isTrue(value(instance, operation.guard)), "Bool");
    const own = done[instance];
    if (own === undefined) return;
    if (operation.kind === "insert") own.push(runInsert(access, exec));
    else if (access.point) own.push(runPoint(access, exec));
    else own.push(runScan(access, exec));
    const made = own.at(-1);
    if (made && isWrite(access)) failures[instance]?.push(violates(made));
    if (operation.mustFind) {
      const last = own.at(-1);
      failures[instance]?.push(and(exec, not(last?.found ?? FALSE)));
    }
  };

  /** The new version of some row breaks NOT NULL or a CHECK. */
  const violates = (write: Done): Smt => {
    const { access } = write;
    const { operation, table, instance } = access;
    const breaks = (column: (name: string) => SqlValue, written: readonly string[]): Smt => {
      const nulls = table.table.columns
        .filter(({ name, nullable }) => !nullable && written.includes(name))
        .map(({ name }) => column(name).isNull);
      const checks = table.table.checks
        .filter((check) => [...columnsIn(check)].some((name) => written.includes(name)))
        .map((check) => isFalse(value(instance, check, column)));
      return or(...nulls, ...checks);
    };
    const changedBy =
      (set: Readonly<Record<string, Term>>, row: RowKey) =>
      (name: string): SqlValue =>
        set[name] === undefined
          ? state(access, "current", name, row)
          : newValue(write, set[name], row);
    if (operation.kind === "delete") return FALSE;
    if (operation.kind === "update") {
      const columns = Object.keys(operation.set);
      const touched = write.row ? [write.row] : write.chosen.map((each) => each.row);
      return or(
        ...touched.map((row) => {
          const broken = breaks(changedBy(operation.set, row), columns);
          return broken === FALSE ? FALSE : and(hits(access, row), broken);
        }),
      );
    }
    const whole = breaks((name) => insertedValue(write, name), Object.keys(operation.set));
    const update = operation.update ?? {};
    const changed = breaks(changedBy(update, write.row ?? []), Object.keys(update));
    return or(and(write.inserted, whole), and(write.updated, changed));
  };

  const keyOf = (access: Access): { readonly row: RowKey; readonly complete: Smt } => {
    const values = access.table.table.primaryKey.map((column) => {
      const term = access.operation.key[column];
      return term ? value(access.instance, term) : SQL_NULL;
    });
    return {
      row: values.map((each) => script.name(asInt(each), "Int")),
      complete: and(...values.map((each) => not(each.isNull))),
    };
  };

  const runPoint = (access: Access, exec: Smt): Done => {
    const { operation } = access;
    const { row, complete } = keyOf(access);
    const met = access.plain ? matches(access, "snapshot", row) : matchesLocked(access, row);
    const found = script.name(and(exec, complete, met), "Bool");
    const one = aggregateOf(access, [{ row, is: found }], exec);
    const view: View = access.plain ? "snapshot" : "current";
    return {
      access,
      exec,
      row,
      found,
      count: ite(found, "1", "0"),
      outputs: { ...outputsAt(operation, access, view, [{ row, is: found }]), ...one },
      chosen: [{ row, is: found }],
      inserted: FALSE,
      updated: FALSE,
    };
  };

  const runInsert = (access: Access, exec: Smt): Done => {
    const { instance, operation } = access;
    const { row, complete } = keyOf(access);
    const taken = state(access, "current", EXISTS, row).value;
    const clash = or(...collisions(access, row));
    const skips = isSkippable(access) ? state(access, "snapshot", EXISTS, row).value : FALSE;
    const inserted = script.name(
      and(
        exec,
        complete,
        not(taken),
        not(skips),
        operation.onDuplicate === "error" ? TRUE : not(clash),
      ),
      "Bool",
    );
    const mayUpdate = operation.onDuplicate === "update";
    const at = columnAt(access, "current", row);
    const updated = mayUpdate
      ? script.name(
          and(exec, complete, taken, isTrue(value(instance, operation.updateWhere ?? YES, at))),
          "Bool",
        )
      : FALSE;
    failures[instance]?.push(and(exec, not(complete)));
    if (operation.onDuplicate === "error") failures[instance]?.push(and(exec, or(taken, clash)));
    const { table } = access;
    if (table.closed && !rows(table).some((each) => each.join() === row.join()))
      extra.set(table.table.name, [...(extra.get(table.table.name) ?? []), row]);
    const found = or(inserted, updated);
    const base: Done = {
      access,
      exec,
      row,
      found,
      count: ite(found, "1", "0"),
      outputs: {},
      chosen: [],
      inserted,
      updated,
    };
    const outputs = Object.fromEntries(
      Object.entries(operation.outputs).map(([name, term]): [string, SqlValue] => {
        const after = value(instance, term, (column) => {
          const old = state(access, "current", column, row);
          const kept = operation.update?.[column];
          const changed =
            kept === undefined ? old : choose(updated, newValue(base, kept, row), old);
          return choose(inserted, insertedValue(base, column), changed);
        });
        return [name, nameValue(script, choose(found, after, SQL_NULL))];
      }),
    );
    return { ...base, outputs };
  };

  /** Other rows that have the same values in a unique key. */
  const collisions = (access: Access, row: RowKey): readonly Smt[] => {
    const { table, instance, operation } = access;
    if (!table.closed) return [];
    return table.table.uniqueKeys.flatMap((key) =>
      rows(table)
        .filter((other) => other.join() !== row.join())
        .map((other) => {
          const same = key.map((column) => {
            const mine = operation.set[column];
            const own = mine ? value(instance, mine) : SQL_NULL;
            const theirs = state(access, "current", column, other);
            return and(not(own.isNull), not(theirs.isNull), eq(asInt(own), asInt(theirs)));
          });
          const alive = state(access, "current", EXISTS, other).value;
          return and(alive, not(sameAll(row, other)), ...same);
        }),
    );
  };

  const runScan = (access: Access, exec: Smt): Done => {
    const { operation, table } = access;
    const view: View = access.plain ? "snapshot" : "current";
    const candidates: { readonly row: RowKey; readonly is: Smt }[] = [];
    for (const row of rows(table)) {
      const again = or(...candidates.map((other) => sameAll(other.row, row)));
      const met = access.plain ? matches(access, view, row) : matchesLocked(access, row);
      const is = script.name(and(exec, keyMatches(access, row), met, not(again)), "Bool");
      if (is !== FALSE) candidates.push({ row, is });
    }
    const found = script.name(or(...candidates.map((each) => each.is)), "Bool");
    const counted = add(...candidates.map((each) => ite(each.is, "1", "0")));
    const wanted = operation.pick === "some" || operation.pick === "first";
    const chosen =
      wanted && Object.keys(operation.outputs).length > 0
        ? candidates.map((each) => ({
            row: each.row,
            is: script.name(firstOf(access, view, each, candidates), "Bool"),
          }))
        : candidates;
    return {
      access,
      exec,
      found,
      count: script.name(counted, "Int"),
      outputs: {
        ...(operation.aggregate ? {} : outputsAt(operation, access, view, chosen)),
        ...aggregateOf(access, candidates, exec),
      },
      chosen,
      inserted: FALSE,
      updated: FALSE,
    };
  };

  /** No other candidate comes before: by ORDER BY, then by key. */
  const firstOf = (
    access: Access,
    view: View,
    one: { readonly row: RowKey; readonly is: Smt },
    candidates: readonly { readonly row: RowKey; readonly is: Smt }[],
  ): Smt => {
    const { orderBy } = access.operation;
    const byKey = (a: RowKey, b: RowKey): Smt =>
      a.reduceRight<Smt>((rest, left, at) => {
        const right = b[at] ?? "0";
        return or(lt(left, right), and(eq(left, right), rest));
      }, FALSE);
    const before = (a: RowKey, b: RowKey): Smt => {
      if (orderBy === undefined) return byKey(a, b);
      const [left, right] = [a, b].map((row) => asInt(state(access, view, orderBy.column, row)));
      const [low = "0", high = "0"] = orderBy.descending ? [right, left] : [left, right];
      return or(lt(low, high), and(eq(low, high), byKey(a, b)));
    };
    const others = candidates.filter((each) => each !== one);
    return and(one.is, ...others.map((other) => not(and(other.is, before(other.row, one.row)))));
  };

  const outputsAt = (
    operation: Operation,
    access: Access,
    view: View,
    chosen: readonly { readonly row: RowKey; readonly is: Smt }[],
  ): Readonly<Record<string, SqlValue>> =>
    Object.fromEntries(
      Object.entries(operation.outputs).map(([name, term]) => {
        const read = chosen.reduceRight<SqlValue>(
          (rest, each) =>
            choose(each.is, value(access.instance, term, columnAt(access, view, each.row)), rest),
          SQL_NULL,
        );
        return [name, nameValue(script, read)];
      }),
    );

  const aggregateOf = (
    access: Access,
    candidates: readonly { readonly row: RowKey; readonly is: Smt }[],
    exec: Smt,
  ): Readonly<Record<string, SqlValue>> => {
    const { aggregate } = access.operation;
    if (!aggregate) return {};
    const view: View = access.plain ? "snapshot" : "current";
    const some = or(...candidates.map((each) => each.is));
    if (aggregate.function !== "sum" || !aggregate.operand) {
      const count = add(...candidates.map((each) => ite(each.is, "1", "0")));
      return { [aggregate.output]: nameValue(script, sqlInt(count, not(exec))) };
    }
    const { operand } = aggregate;
    const total = add(
      ...candidates.map((each) => {
        const term = value(access.instance, operand, columnAt(access, view, each.row));
        return ite(and(each.is, not(term.isNull)), asInt(term), "0");
      }),
    );
    return { [aggregate.output]: nameValue(script, sqlInt(total, not(some))) };
  };

  for (const instance of order) {
    for (const access of tuple.accesses[instance] ?? []) run(access);
    const transaction = tuple.transactions[instance];
    if (transaction === undefined) continue;
    failures[instance]?.push(isTrue(value(instance, transaction.aborts)));
    if (serial) commits[instance] = script.name(not(or(...(failures[instance] ?? []))), "Bool");
  }

  return {
    done,
    commits,
    failures: failures.map((each) => or(...each)),
    returned: tuple.transactions.map((transaction, instance) => [
      ...transaction.returns.map((term) => value(instance, term)),
      ...transaction.visible.map(
        ({ operation, name }) => done[instance]?.[operation]?.outputs[name] ?? SQL_NULL,
      ),
    ]),
    observed: tuple.transactions.map((transaction, instance) =>
      transaction.observed
        ? transaction.observed.map((term) => value(instance, term))
        : (done[instance] ?? []).flatMap(observedOf),
    ),
    state,
    final,
    matches,
    keyMatches,
    hits,
    exec,
    rows,
    value,
  };
}

const YES: Term = { kind: "bool", value: true };

function observedOf(done: Done): readonly SqlValue[] {
  const { operation } = done.access;
  const counted = operation.pick === "all" && operation.kind !== "insert";
  return [
    sqlBool(done.exec),
    counted ? sqlInt(done.count) : sqlBool(done.found),
    ...Object.values(done.outputs),
  ];
}
