// INSERT in all its forms: rows or a query, defaults, numbered columns, conflicts, RETURNING.
import { columnAt, type Column, type Key, type Table } from "../catalog";
import {
  isPostgres,
  truth,
  type Compiler,
  type Env,
  type Truth,
  type WithQuery,
  type Scope,
} from "../compile/node";
import { compileExpression, compileQuery } from "../compile/recursion";
import { createScope } from "../compile/scope";
import { textOfTree } from "../compile/walk";
import { failure } from "../sqlError";
import type { SqlConflict, SqlExpression, SqlInsert } from "../tree";
import { fitter } from "../values/fit";
import type { SqlRow, SqlValue } from "../values/value";
import { duplicate } from "./rowChanges";
import { assignmentsOf, type Assignment } from "./assignments";
import { changeTarget, type ChangeWork, type CompiledChange } from "./changeTypes";
import { compileReturning } from "./returning";
import { checkRow, sameRow, withGeneratedColumns } from "./rowChecks";
import { eachInTurns, untilFailure } from "./rows";
import { columnsOf, fitNode, tableRules, type TableRules } from "./tableRules";

/** The value of one column of a new row; undefined: what the table says. */
type Cell = ((env: Env) => SqlValue) | undefined;

export function compileInsert(
  insert: SqlInsert,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledChange {
  const table = changeTarget(insert.table, compiler);
  const rules = tableRules(table, compiler);
  const targets = targetsOf(insert, table, compiler);
  const source = sourceOf(insert, targets, compiler, withs);
  const conflict =
    insert.conflict && compileConflict(insert.conflict, insert, table, compiler, withs);
  const returning = compileReturning(
    insert.returning,
    [{ alias: insert.alias ?? table.name, table }],
    compiler,
    withs,
  );
  return {
    columns: returning?.columns ?? [],
    *run(env, work) {
      const results: SqlRow[] = [];
      let count = 0;
      let firstNumber: number | undefined;
      const fresh: { readonly row: SqlRow; readonly number: number | undefined }[] = [];
      const make = (given: readonly Cell[]): void => {
        const { row: made, number } = newRow(table, rules, given, insert, env, work, compiler);
        const row = work.before({ table, before: undefined, after: made }, env);
        if (row === undefined) return;
        checkRow(table, rules, row, env, compiler);
        fresh.push({ row, number });
      };
      const failed = yield* untilFailure(source(env), make, env.work.isDue);
      const rows = fresh.map(({ row }) => row);
      if (conflict === undefined) yield* work.changes.readOwn(table, rows, env);
      const add = ({ row, number }: (typeof fresh)[number]): void => {
        const done =
          conflict === undefined ? plainInsert(table, row, env, work) : conflict(row, env, work);
        if (done === undefined) return;
        count += done.count;
        const at = done.inserted ? work.changes.keyOf(done.row) : undefined;
        if (at !== undefined) work.touched.add(at);
        if (done.inserted) firstNumber ??= number;
        if (done.insertId !== undefined) firstNumber = done.insertId;
        if (returning !== undefined) results.push(returning.run({ ...env, tuple: [done.row] }));
      };
      yield* eachInTurns(fresh, add, env.work.isDue);
      if (failed !== undefined) throw failed;
      if (conflict === undefined) yield* work.changes.readParents(table, rows);
      return {
        rows: results,
        count,
        ...(firstNumber === undefined ? {} : { insertId: firstNumber }),
      };
    },
  };
}

function plainInsert(table: Table, row: SqlRow, env: Env, work: ChangeWork): Done {
  work.changes.insert(table, row, env);
  return { row, count: 1, inserted: true };
}

interface Done {
  readonly row: SqlRow;
  readonly count: number;
  readonly inserted: boolean;
  readonly insertId?: number;
}

function targetsOf(
  insert: Pick<SqlInsert, "columns">,
  table: Table,
  compiler: Compiler,
): readonly number[] {
  if (insert.columns.length === 0) return table.columns.map((_, at) => at);
  const seen = new Set<number>();
  return insert.columns.map((name) => {
    const at = columnAt(table, name);
    if (at === undefined) {
      throw isPostgres(compiler)
        ? failure("noColumn", `column "${name}" of relation "${table.name}" does not exist`)
        : failure("noColumn", `Unknown column '${name}' in 'field list'`);
    }
    if (seen.has(at)) throw failure("columnExists", `column "${name}" specified more than once`);
    seen.add(at);
    return at;
  });
}

/** For each new row the cells of all of the table's columns. */
function sourceOf(
  insert: SqlInsert,
  targets: readonly number[],
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): (env: Env) => readonly (readonly Cell[])[] {
  const table = changeTarget(insert.table, compiler);
  const { source } = insert;
  const spread = (cells: readonly Cell[]): readonly Cell[] => {
    const all: Cell[] = table.columns.map(() => undefined);
    for (const [index, at] of targets.entries()) all[at] = cells[index];
    return all;
  };
  if (source === undefined) return () => [table.columns.map(() => undefined)];
  const isPlain =
    source.with.length === 0 && source.orderBy.length === 0 && source.limit === undefined;
  if (source.body.kind === "values" && isPlain) {
    const scope = createScope(compiler, undefined, withs);
    const [width] = source.body.rows.map((row) => row.length);
    if (source.body.rows.some((row) => row.length !== width)) {
      throw isPostgres(compiler)
        ? failure("columnCount", "VALUES lists must all be the same length")
        : failure("columnCount", "Column count doesn't match value count at row 2");
    }
    const rows = source.body.rows.map((row, index) => {
      // MySQL takes an empty row for one of defaults alone.
      const isEmpty = row.length === 0 && !isPostgres(compiler);
      checkCount(isEmpty ? targets.length : row.length, targets, insert, compiler);
      return spread(
        row.map((value, at) => cellOf(value, table.columns[targets[at] ?? -1], scope, index + 1)),
      );
    });
    return () => rows;
  }
  const types = targets.map((at) => table.columns[at]?.declared.type ?? "text");
  const query = compileQuery(source, compiler, undefined, withs, types);
  checkCount(query.columns.length, targets, insert, compiler);
  const fits = query.columns.map((column, index) => {
    const target = table.columns[targets[index] ?? -1];
    return target && fitter(column.type, target.name, target.declared, compiler.dialect);
  });
  return (env) =>
    query.run(env).map((row, number) =>
      spread(
        row.map(
          (value, index): Cell =>
            () =>
              fits[index]?.(value, number + 1) ?? null,
        ),
      ),
    );
}

function checkCount(
  count: number,
  targets: readonly number[],
  insert: Pick<SqlInsert, "columns">,
  compiler: Compiler,
): void {
  if (!isPostgres(compiler)) {
    if (count !== targets.length)
      throw failure("columnCount", "Column count doesn't match value count at row 1");
    return;
  }
  if (count > targets.length)
    throw failure("columnCount", "INSERT has more expressions than target columns");
  if (count < targets.length && insert.columns.length > 0) {
    throw failure("columnCount", "INSERT has more target columns than expressions");
  }
}

function cellOf(value: SqlExpression, column: Column | undefined, scope: Scope, row: number): Cell {
  if (value.kind === "default" || column === undefined) return undefined;
  const node = fitNode(compileExpression(value, scope), column, scope.compiler, row);
  return node.run;
}

/** The cells of one row of expressions in a scope; undefined stands for DEFAULT VALUES. */
export function cellsOf(
  values: readonly SqlExpression[] | undefined,
  insert: Pick<SqlInsert, "columns">,
  table: Table,
  scope: Scope,
): readonly Cell[] {
  const all: Cell[] = table.columns.map(() => undefined);
  if (values === undefined) return all;
  const targets = targetsOf(insert, table, scope.compiler);
  checkCount(values.length, targets, insert, scope.compiler);
  for (const [index, value] of values.entries()) {
    const at = targets[index];
    if (at !== undefined) all[at] = cellOf(value, table.columns[at], scope, 1);
  }
  return all;
}

/** A row with its defaults, numbers and computed columns. */
export function newRow(
  table: Table,
  rules: TableRules,
  cells: readonly Cell[],
  insert: Pick<SqlInsert, "overriding">,
  env: Env,
  work: ChangeWork,
  compiler: Compiler,
): { readonly row: SqlRow; readonly number: number | undefined } {
  let number: number | undefined;
  const row: SqlValue[] = table.columns.map((column, at) => {
    const cell = cells[at];
    if (column.generated !== undefined) {
      if (cell !== undefined)
        throw failure("always", `cannot insert a non-DEFAULT value into column "${column.name}"`);
      return null;
    }
    if (column.automatic !== undefined) {
      const { sequence, always } = column.automatic;
      const isOverridden = insert.overriding === "user";
      const given = cell === undefined || isOverridden ? null : cell(env);
      if (cell !== undefined && always && insert.overriding === undefined) {
        throw failure("always", `cannot insert a non-DEFAULT value into column "${column.name}"`, {
          column: column.name,
        });
      }
      const isAsked =
        cell === undefined ||
        isOverridden ||
        (!isPostgres(compiler) && (given === null || Number(given) === 0));
      if (isAsked) {
        number = env.work.nextValue(sequence);
        return number;
      }
      if (!isPostgres(compiler) && given !== null) work.reached(sequence, Number(given));
      return given;
    }
    if (cell !== undefined) return cell(env);
    const value = rules.defaults[at];
    if (value !== undefined) return value.run(env);
    if (column.notNull && !isPostgres(compiler)) {
      throw failure("noDefault", `Field '${column.name}' doesn't have a default value`, {
        column: column.name,
      });
    }
    return null;
  });
  return { row: withGeneratedColumns(row, rules, env), number };
}

type OnConflict = (row: SqlRow, env: Env, work: ChangeWork) => Done | undefined;

function compileConflict(
  conflict: SqlConflict,
  insert: SqlInsert,
  table: Table,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): OnConflict {
  const keys = arbiters(conflict, table);
  switch (conflict.action) {
    case "nothing":
      return (row, env, work) =>
        work.changes.conflict(table, row, keys, env) === undefined
          ? plainInsert(table, row, env, work)
          : undefined;
    case "ignore":
      return (row, env, work) => {
        const other = work.changes.conflict(table, row, table.keys, env);
        if (other !== undefined) {
          const { number: code, message } = duplicate(
            table,
            other.key,
            row,
            compiler.dialect,
          ).error;
          env.work.warn({ level: "Warning", code, message });
          return undefined;
        }
        return plainInsert(table, row, env, work);
      };
    case "replace":
      return (row, env, work) => {
        let count = 1;
        for (;;) {
          const other = work.changes.conflict(table, row, table.keys, env);
          if (other === undefined) break;
          work.changes.remove(table, other.at, other.row, env);
          count++;
        }
        return { ...plainInsert(table, row, env, work), count };
      };
    case "update":
      return updating(conflict, insert, table, keys, compiler, withs);
    default:
      return conflict.action satisfies never;
  }
}

function arbiters(conflict: SqlConflict, table: Table): readonly Key[] {
  const { target, constraint, expressions = [] } = conflict;
  if (constraint !== undefined) {
    const found = table.keys.filter((key) => key.name === constraint);
    if (found.length === 0)
      throw failure(
        "noObject",
        `constraint "${constraint}" for table "${table.name}" does not exist`,
      );
    return found;
  }
  if (target === undefined) return table.keys;
  const wanted = expressions.map(textOfTree).sort().join();
  const columns = target.map((name) => columnAt(table, name));
  const found = table.keys.filter(
    (key) =>
      key.columns.length === columns.length &&
      key.columns.every((at) => columns.includes(at)) &&
      (key.expressions ?? [])
        .map(({ value }) => textOfTree(value))
        .sort()
        .join() === wanted,
  );
  if (found.length === 0) {
    throw failure(
      "columnReference",
      "there is no unique or exclusion constraint matching the ON CONFLICT specification",
    );
  }
  return found;
}

function updating(
  conflict: SqlConflict,
  insert: SqlInsert,
  table: Table,
  keys: readonly Key[],
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): OnConflict {
  const rules = tableRules(table, compiler);
  const scope = createScope(compiler, undefined, withs);
  scope.sources.push({
    alias: insert.alias ?? table.name,
    columns: columnsOf(table),
    merged: new Set(),
  });
  const { proposed } = conflict;
  const names = proposed?.columns ?? [];
  scope.sources.push({
    alias: proposed?.alias ?? "values()",
    columns: columnsOf(table).map((column, at) => ({ ...column, name: names[at] ?? column.name })),
    merged: new Set(),
    onlyQualified: true,
  });
  if (proposed !== undefined && !isPostgres(compiler)) {
    scope.sources.push({
      alias: "values()",
      columns: columnsOf(table),
      merged: new Set(),
      onlyQualified: true,
    });
  }
  const assignments: readonly Assignment[] = assignmentsOf(
    conflict.set,
    [{ source: 0, table }],
    scope,
    rules,
  );
  const where: Truth | undefined =
    conflict.where && truth(compileExpression(conflict.where, scope), compiler, "WHERE");
  return (row, env, work) => {
    const other = work.changes.conflict(table, row, keys, env);
    if (other === undefined) return plainInsert(table, row, env, work);
    if (isPostgres(compiler) && work.touched.has(other.at)) {
      throw failure("twice", "ON CONFLICT DO UPDATE command cannot affect row a second time");
    }
    const inside = (target: SqlRow): Env => ({ ...env, tuple: [target, row, row] });
    if (where !== undefined && where(inside(other.row)) !== true) return undefined;
    let after: SqlRow = other.row;
    for (const { column, value } of assignments) {
      const next = value(inside(isPostgres(compiler) ? other.row : after));
      after = after.with(column, next);
    }
    after = withGeneratedColumns(after, rules, inside(after));
    checkRow(table, rules, after, env, compiler);
    const isSame = sameRow(other.row, after);
    work.changes.update(table, other.at, other.row, after, env);
    work.touched.add(work.changes.keyOf(after) ?? other.at);
    const id = automaticOf(table, after);
    return {
      row: after,
      // MySQL counts a changed row twice.
      count: isPostgres(compiler) ? 1 : isSame ? 0 : 2,
      inserted: false,
      ...(isPostgres(compiler) || id === undefined ? {} : { insertId: id }),
    };
  };
}

function automaticOf(table: Table, row: SqlRow): number | undefined {
  const at = table.columns.findIndex((column) => column.automatic !== undefined);
  return at < 0 ? undefined : Number(row[at] ?? 0);
}
