// UPDATE and DELETE.
import { compileExpression } from "../compile/recursion";
import { compileFrom } from "../compile/from";
import type { ReadTable, Tuple } from "../compile/joinPlan";
import { newestTuples } from "../compile/locking";
import type { Slices } from "../compile/slices";
import {
  isPostgres,
  type Compiler,
  type Env,
  type WithQuery,
  type Scope,
  type Sort,
} from "../compile/node";
import { limits, sortInTurns, sortOf } from "../compile/ordering";
import { createScope } from "../compile/scope";
import type { SqlDelete, SqlExpression, SqlOrder, SqlRelation, SqlUpdate } from "../tree";
import type { SqlRow, SqlValue } from "../values/value";
import { assignmentsOf } from "./assignments";
import { changeTarget, type CompiledChange } from "./changeTypes";
import { returningIn } from "./returning";
import { checkRow, sameRow, withGeneratedColumns } from "./rowChecks";
import { eachInTurns } from "./rows";
import { tableRules } from "./tableRules";

/** The rows that a change is about: all combinations with the relations beside, in order, cut by LIMIT. */
function found(
  relations: readonly SqlRelation[],
  statement: {
    readonly where?: SqlExpression;
    readonly orderBy: readonly SqlOrder[];
    readonly limit?: SqlExpression;
  },
  isTarget: (table: ReadTable) => boolean,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): {
  readonly scope: Scope;
  readonly targets: readonly ReadTable[];
  readonly tuples: (env: Env) => Slices<readonly Tuple[]>;
} {
  const scope = createScope(compiler, undefined, withs);
  const from = compileFrom(relations, statement.where, scope);
  const targets = from.tables.filter(isTarget);
  // InnoDB locks what a change reads beside its target too.
  for (const each of isPostgres(compiler) ? targets : from.tables) each.current = true;
  const sorts = statement.orderBy.map((order) =>
    sortOf(compileExpression(order.value, scope), order, compiler),
  );
  const cut = limits(statement, scope);
  const tuples = function* (env: Env): Slices<readonly Tuple[]> {
    const all = yield* newestTuples(from, yield* from.tuples(env), env);
    const keyOf = (tuple: Tuple, sort: Sort): SqlValue => sort.node.run({ ...env, tuple });
    return cut(env, yield* sortInTurns(all, sorts, keyOf, env.work.isDue));
  };
  return { scope, targets, tuples };
}

export function compileUpdate(
  update: SqlUpdate,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledChange {
  const { target } = update;
  if (target.kind === "table") changeTarget(target.name, compiler);
  const assigned = new Set<number>();
  const { scope, targets, tuples } = found(
    [target, ...update.from],
    update,
    ({ source }) => (isPostgres(compiler) ? source === 0 : true),
    compiler,
    withs,
  );
  const assignments = assignmentsOf(update.set, targets, scope, rulesOf(targets, compiler));
  for (const { source } of assignments) assigned.add(source);
  const changing = targets
    .filter(({ source }) => assigned.has(source))
    .map((each) => ({ ...each, rules: tableRules(each.table, compiler) }));
  const returning = update.returning && returningIn(update.returning, scope);
  return {
    columns: returning?.columns ?? [],
    *run(outer, work) {
      const env: Env = { ...outer, tuple: [], up: outer };
      const results: SqlRow[] = [];
      let count = 0;
      let changed = 0;
      const change = (tuple: Tuple): void => {
        for (const { source, table, rules } of changing) {
          const row = tuple[source];
          const key = row === undefined ? undefined : work.keyOf(row);
          // A row that meets several rows of the other relations is changed once.
          if (row === undefined || key === undefined || work.touched.has(key)) continue;
          work.touched.add(key);
          let after = row;
          for (const each of assignments) {
            if (each.source !== source) continue;
            const seen = isPostgres(compiler) ? tuple : tuple.with(source, after);
            after = after.with(each.column, each.value({ ...env, tuple: seen }));
          }
          count++;
          if (!sameRow(row, after)) {
            changed++;
            for (const [at, node] of rules.onUpdate.entries()) {
              const isSet = assignments.some(
                (each) => each.source === source && each.column === at,
              );
              if (node !== undefined && !isSet) after = after.with(at, node.run(env));
            }
          }
          const kept = work.before({ table, before: row, after }, env);
          if (kept === undefined) continue;
          after = withGeneratedColumns(kept, rules, env);
          checkRow(table, rules, after, env, compiler);
          work.changes.update(table, key, row, after, env);
          if (returning !== undefined)
            results.push(returning.run({ ...env, tuple: tuple.with(source, after) }));
        }
      };
      yield* eachInTurns(yield* tuples(env), change, env.work.isDue);
      return { rows: results, count, changed };
    },
  };
}

function rulesOf(
  targets: readonly ReadTable[],
  compiler: Compiler,
): ReturnType<typeof tableRules> | undefined {
  const [first] = targets;
  return first && tableRules(first.table, compiler);
}

export function compileDelete(
  statement: SqlDelete,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledChange {
  const names = new Set(statement.targets);
  const { scope, targets, tuples } = found(
    statement.from,
    statement,
    ({ alias, table }) => names.has(alias) || names.has(table.name),
    compiler,
    withs,
  );
  if (targets.length === 0) changeTarget(statement.targets[0] ?? "", compiler);
  const returning = statement.returning && returningIn(statement.returning, scope);
  return {
    columns: returning?.columns ?? [],
    *run(outer, work) {
      const env: Env = { ...outer, tuple: [], up: outer };
      const results: SqlRow[] = [];
      let count = 0;
      const change = (tuple: Tuple): void => {
        for (const { source, table } of targets) {
          const row = tuple[source];
          const key = row === undefined ? undefined : work.keyOf(row);
          if (row === undefined || key === undefined || work.touched.has(key)) continue;
          work.touched.add(key);
          if (work.before({ table, before: row, after: undefined }, env) === undefined) continue;
          work.changes.remove(table, key, row, env);
          count++;
          if (returning !== undefined) results.push(returning.run({ ...env, tuple }));
        }
      };
      yield* eachInTurns(yield* tuples(env), change, env.work.isDue);
      return { rows: results, count };
    },
  };
}
