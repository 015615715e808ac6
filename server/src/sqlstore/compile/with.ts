// WITH: queries that have names in another one, those that refer to themselves, and changes.
import { failure, unsupported } from "../sqlError";
import type { SqlQuery, SqlWith } from "../tree";
import { identities } from "../values/compare";
import type { SqlRow } from "../values/value";
import type { CompiledQuery, Compiler, Env, QueryColumn, Scope, WithQuery } from "./node";
import { inSlices, rowsIn } from "./queryRows";
import { compileQuery } from "./recursion";
import { renameColumn } from "./scope";
import { conversion } from "./setOperation";

/** Adds a WITH query to what is known; the result makes it ready for a run of the query that it belongs to. */
export function declare(
  each: SqlWith,
  compiler: Compiler,
  parent: Scope | undefined,
  known: Map<string, WithQuery>,
): (env: Env) => void {
  const number = compiler.withs++;
  const { name, body } = each;
  if (each.recursive && body.kind === "select" && refersTo(body, name)) {
    known.set(name, recursive(each, body, number, compiler, parent, known));
  } else {
    const query =
      body.kind === "select"
        ? compileQuery(body, compiler, parent, known)
        : compiler.change(body, known);
    known.set(name, { number, columns: named(query.columns, each.columns), query });
    if (body.kind !== "select") {
      // A change happens once, whether or not its rows are read.
      return (env) => env.work.withRows.set(number, query.run(env));
    }
  }
  return (env) => {
    env.work.withRows.delete(number);
    env.work.withEnvs.set(number, env);
  };
}

function named(columns: readonly QueryColumn[], names: readonly string[]): readonly QueryColumn[] {
  return columns.map((column, at) => renameColumn(column, names[at]));
}

function refersTo(query: SqlQuery, name: string): boolean {
  // Relations are the only nodes with both of these.
  return JSON.stringify(query).includes(`"kind":"table","name":${JSON.stringify(name)}`);
}

/** Rows that a recursive query may have. */
const MOST_RECURSIVE = 10_000;

function recursive(
  each: SqlWith,
  query: SqlQuery,
  number: number,
  compiler: Compiler,
  parent: Scope | undefined,
  known: ReadonlyMap<string, WithQuery>,
): WithQuery {
  const { body } = query;
  if (body.kind !== "set" || body.operator !== "union") {
    throw failure(
      "syntax",
      `recursive query "${each.name}" does not have the form non-recursive-term UNION [ALL] recursive-term`,
    );
  }
  const start = compileQuery(body.left, compiler, parent, known);
  const columns = named(start.columns, each.columns);
  const types = columns.map((column) => column.type);
  const self: { query?: CompiledQuery } = {};
  const placeholder: CompiledQuery = {
    columns,
    volatile: true,
    run: (env) => self.query?.run(env) ?? [],
  };
  const inner = new Map(known).set(each.name, { number, columns, query: placeholder });
  const step = compileQuery(body.right, compiler, parent, inner);
  const converts = step.columns.map((column, at) =>
    conversion(column.type, types[at] ?? "text", compiler),
  );
  self.query = inSlices({ columns, volatile: true }, function* (env) {
    const seen = new Set<string>();
    const fresh = (rows: readonly SqlRow[]): readonly SqlRow[] =>
      body.all
        ? rows
        : rows.filter((row) => {
            const name = identities(row, types, compiler.dialect);
            if (seen.has(name)) return false;
            seen.add(name);
            return true;
          });
    let working = fresh(yield* rowsIn(start, env));
    const all = [...working];
    while (working.length > 0) {
      env.work.withRows.set(number, working);
      const next = (yield* rowsIn(step, env)).map((row) =>
        row.map((value, at) => converts[at]?.(value) ?? value),
      );
      working = fresh(next);
      all.push(...working);
      if (all.length > MOST_RECURSIVE)
        throw unsupported(`a recursive query of more than ${MOST_RECURSIVE} rows`);
    }
    env.work.withRows.delete(number);
    return all;
  });
  return { number, columns, query: self.query };
}
