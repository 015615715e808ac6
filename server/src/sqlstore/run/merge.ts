// MERGE: each row of the source meets the rows of the target that fit it, and the first clause whose condition holds says
// what happens.
import { compileFrom } from "../compile/from";
import type { Tuple } from "../compile/joinPlan";
import { newestTuples } from "../compile/locking";
import {
  truth,
  type Compiler,
  type Env,
  type Truth,
  type WithQuery,
  type Scope,
} from "../compile/node";
import { compileExpression } from "../compile/recursion";
import { createScope } from "../compile/scope";
import { failure } from "../sqlError";
import type { SqlMerge } from "../tree";
import type { SqlRow } from "../values/value";
import { assignmentsOf } from "./assignments";
import { changeTarget, type ChangeWork, type CompiledChange } from "./changeTypes";
import { cellsOf, newRow } from "./insert";
import { returningIn } from "./returning";
import { checkRow, withGeneratedColumns } from "./rowChecks";
import { eachInTurns } from "./rows";
import { tableRules } from "./tableRules";

/** The result of a clause for a tuple: the row that RETURNING sees, or undefined where nothing was changed. */
type Act = (tuple: Tuple, env: Env, work: ChangeWork) => SqlRow | undefined;

interface Clause {
  readonly isMatched: boolean;
  readonly holds: Truth | undefined;
  readonly act: Act;
}

export function compileMerge(
  merge: SqlMerge,
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): CompiledChange {
  const table = changeTarget(merge.target.name, compiler);
  const scope = createScope(compiler, undefined, withs);
  const { source, target, on } = merge;
  const join = {
    join: "left",
    left: source,
    right: target,
    natural: false,
    using: [],
    on,
  } as const;
  const from = compileFrom([{ kind: "join", ...join }], undefined, scope);
  const at = scope.sources.length - 1;
  const read = from.tables.find((each) => each.source === at);
  if (read !== undefined) read.current = true;
  const clauses = merge.clauses.map((clause): Clause => ({
    isMatched: clause.isMatched,
    holds: clause.condition && truth(compileExpression(clause.condition, scope), compiler, "WHEN"),
    act: actOf(clause, { table, at, scope, compiler }),
  }));
  const returning = merge.returning && returningIn(merge.returning, scope);
  return {
    columns: returning?.columns ?? [],
    *run(outer, work) {
      const env: Env = { ...outer, tuple: [], up: outer };
      const tuples = yield* from.tuples(env);
      const newest = read === undefined ? tuples : yield* newestTuples(from, tuples, env);
      const results: SqlRow[] = [];
      let count = 0;
      const change = (tuple: Tuple): void => {
        const isMatched = tuple[at] !== undefined;
        const inside: Env = { ...env, tuple };
        const clause = clauses.find(
          (each) => each.isMatched === isMatched && (each.holds?.(inside) ?? true) === true,
        );
        const row = clause?.act(tuple, inside, work);
        if (row === undefined) return;
        count++;
        if (returning !== undefined)
          results.push(returning.run({ ...env, tuple: tuple.with(at, row) }));
      };
      yield* eachInTurns(newest, change, env.work.isDue);
      return { rows: results, count };
    },
  };
}

interface Target {
  readonly table: ReturnType<typeof changeTarget>;
  /** The place of the target among the relations. */
  readonly at: number;
  readonly scope: Scope;
  readonly compiler: Compiler;
}

function actOf(clause: SqlMerge["clauses"][number], about: Target): Act {
  const { table, at, scope, compiler } = about;
  const rules = tableRules(table, compiler);
  /** The row that is changed, which no other row of the source may change again. */
  const taken = (tuple: Tuple, work: ChangeWork): { row: SqlRow; key: string } | undefined => {
    const row = tuple[at];
    const key = row === undefined ? undefined : work.keyOf(row);
    if (row === undefined || key === undefined) return undefined;
    if (work.touched.has(key))
      throw failure("twice", "MERGE command cannot affect row a second time");
    work.touched.add(key);
    return { row, key };
  };
  switch (clause.action) {
    case "nothing":
      return () => undefined;
    case "delete":
      return (tuple, env, work) => {
        const found = taken(tuple, work);
        if (found === undefined) return undefined;
        const { row, key } = found;
        if (work.before({ table, before: row, after: undefined }, env) === undefined)
          return undefined;
        work.changes.remove(table, key, row, env);
        return row;
      };
    case "update": {
      const assignments = assignmentsOf(clause.set, [{ source: at, table }], scope, rules);
      return (tuple, env, work) => {
        const found = taken(tuple, work);
        if (found === undefined) return undefined;
        let after: SqlRow = found.row;
        for (const { column, value } of assignments) after = after.with(column, value(env));
        const kept = work.before({ table, before: found.row, after }, env);
        if (kept === undefined) return undefined;
        after = withGeneratedColumns(kept, rules, env);
        checkRow(table, rules, after, env, compiler);
        work.changes.update(table, found.key, found.row, after, env);
        return after;
      };
    }
    case "insert": {
      const cells = cellsOf(clause.values, clause, table, scope);
      return (_tuple, env, work) => {
        const { row: made } = newRow(table, rules, cells, clause, env, work, compiler);
        const row = work.before({ table, before: undefined, after: made }, env);
        if (row === undefined) return undefined;
        checkRow(table, rules, row, env, compiler);
        work.changes.insert(table, row, env);
        const key = work.changes.keyOf(row);
        if (key !== undefined) work.touched.add(key);
        return row;
      };
    }
    default:
      return clause satisfies never;
  }
}
