// Queries inside expressions: scalar ones, IN, EXISTS, ANY and ALL, ARRAY(...).
import { failure } from "../sqlError";
import type { SqlExpression, SqlQuery } from "../tree";
import { arrayOf, elementOf, type SqlType } from "../values/types";
import { isList, type SqlRow, type SqlValue } from "../values/value";
import {
  coerceNode,
  isPostgres,
  defaultToText,
  truth,
  type CompiledQuery,
  type Env,
  type Node,
  type Truth,
  type Scope,
} from "./node";
import { binary } from "./operators";
import { compileExpression, compileQuery } from "./recursion";

/** A query below a scope. One that does not refer to it is computed once per statement. */
function inner(query: SqlQuery, scope: Scope): CompiledQuery {
  const around: Scope[] = [];
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) around.push(at);
  const before = around.map((each) => each.used);
  for (const each of around) each.used = new Set();
  const compiled = compileQuery(query, scope.compiler, scope, scope.withs);
  const isFree = around.every((each) => each.used?.size === 0);
  for (const [at, each] of around.entries()) {
    const outer = before[at];
    if (outer !== undefined) for (const use of each.used ?? []) outer.add(use);
    each.used = outer;
  }
  if (!isFree || compiled.volatile) return compiled;
  const number = scope.compiler.withs++;
  return {
    ...compiled,
    run: (env) => {
      const known = env.work.withRows.get(number);
      if (known !== undefined) return known;
      const rows = compiled.run(env);
      env.work.withRows.set(number, rows);
      return rows;
    },
  };
}

function single(query: CompiledQuery, scope: Scope): SqlType {
  if (query.columns.length !== 1) {
    throw isPostgres(scope.compiler)
      ? failure("syntax", "subquery must return only one column")
      : failure("operandColumns", "Operand should contain 1 column(s)");
  }
  return query.columns[0]?.type ?? "text";
}

/** (SELECT ...) as a value. */
export function queryNode(query: SqlQuery, scope: Scope): Node {
  const compiled = inner(query, scope);
  const type = single(compiled, scope);
  return {
    type,
    constant: false,
    run: (env) => {
      const rows = compiled.run(env);
      if (rows.length > 1) {
        throw failure(
          "manyRows",
          isPostgres(scope.compiler)
            ? "more than one row returned by a subquery used as an expression"
            : "Subquery returns more than 1 row",
        );
      }
      return rows[0]?.[0] ?? null;
    },
  };
}

export function existsNode(query: SqlQuery, scope: Scope): Node {
  const compiled = inner(query, scope);
  return { type: "bool", constant: false, run: (env) => compiled.run(env).length > 0 };
}

export function arrayQueryNode(query: SqlQuery, scope: Scope): Node {
  const compiled = inner(query, scope);
  const type = arrayOf(single(compiled, scope));
  return { type, constant: false, run: (env) => compiled.run(env).map((row) => row[0] ?? null) };
}

/** A value that changes while a list is gone through. */
function cell(type: SqlType): { readonly node: Node; readonly put: (value: SqlValue) => void } {
  let current: SqlValue = null;
  return {
    node: { type, run: () => current, constant: false },
    put: (value) => {
      current = value;
    },
  };
}

/** `x IN (SELECT ...)`, also of a row. */
export function inQueryNode(
  operand: SqlExpression,
  query: SqlQuery,
  negated: boolean,
  scope: Scope,
): Node {
  const { compiler } = scope;
  const lefts = (operand.kind === "row" ? operand.values : [operand]).map((value) =>
    compileExpression(value, scope),
  );
  const compiled = inner(query, scope);
  if (compiled.columns.length !== lefts.length) {
    throw isPostgres(compiler)
      ? failure(
          "syntax",
          `subquery has too ${compiled.columns.length < lefts.length ? "few" : "many"} columns`,
        )
      : failure("operandColumns", `Operand should contain ${lefts.length} column(s)`);
  }
  const cells = compiled.columns.map((column) => cell(column.type));
  const tests = lefts.map((left, at): Truth => {
    const right = cells[at]?.node ?? left;
    return truth(binary("=", left, right, compiler), compiler, "IN");
  });
  const matches = (row: SqlRow, env: Env): boolean | null => {
    for (const [at, each] of cells.entries()) each.put(row[at] ?? null);
    let unknown = false;
    for (const test of tests) {
      const value = test(env);
      if (value === false) return false;
      if (value === null) unknown = true;
    }
    return unknown ? null : true;
  };
  return {
    type: "bool",
    constant: false,
    run: (env) => {
      let unknown = false;
      for (const row of compiled.run(env)) {
        const value = matches(row, env);
        if (value === true) return !negated;
        if (value === null) unknown = true;
      }
      return unknown ? null : negated;
    },
  };
}

/** `x < ANY (SELECT ...)`, `x = ANY ($1)`, and ALL. */
export function quantifiedNode(
  expression: Extract<SqlExpression, { readonly kind: "quantified" }>,
  scope: Scope,
): Node {
  const { compiler } = scope;
  const { operator, all, right } = expression;
  const left = defaultToText(compileExpression(expression.left, scope));
  const list = listOf(right, left.type, scope);
  const item = cell(list.type);
  const test = truth(binary(operator, left, item.node, compiler), compiler, "ANY");
  return {
    type: "bool",
    constant: false,
    run: (env) => {
      const values = list.values(env);
      if (values === null) return null;
      let unknown = false;
      for (const value of values) {
        item.put(value);
        const result = test(env);
        if (result === !all) return !all;
        if (result === null) unknown = true;
      }
      return unknown ? null : all;
    },
  };
}

function listOf(
  right: SqlExpression | SqlQuery,
  type: SqlType,
  scope: Scope,
): { readonly type: SqlType; readonly values: (env: Env) => readonly SqlValue[] | null } {
  if (right.kind === "select") {
    const compiled = inner(right, scope);
    return {
      type: single(compiled, scope),
      values: (env) => compiled.run(env).map((row) => row[0] ?? null),
    };
  }
  const compiled = compileExpression(right, scope);
  const node =
    compiled.type === "unknown" ? coerceNode(compiled, arrayOf(type), scope.compiler) : compiled;
  const element = elementOf(node.type);
  if (element === undefined) {
    throw failure("typeMismatch", "op ANY/ALL (array) requires array on right side");
  }
  return {
    type: element,
    values: (env) => {
      const value = node.run(env);
      return isList(value) ? value.flatMap((each) => (isList(each) ? each : [each])) : null;
    },
  };
}
