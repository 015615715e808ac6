// Rules of a table for its rows, compiled: defaults, generated columns, checks, conditions of partial indexes.
import type { Key as StoreKey } from "../../exploration/client";
import type { Column, Key, Table } from "../catalog";
import { domainCheck, type DomainCheck } from "../compile/domain";
import { compileExpression } from "../compile/recursion";
import {
  convertNode,
  truth,
  type Compiler,
  type Env,
  type Node,
  type Truth,
  type Scope,
  type ScopeColumn,
} from "../compile/node";
import { createScope } from "../compile/scope";
import { failure } from "../sqlError";
import { fitter, type Fit } from "../values/fit";
import { isTemporal } from "../values/types";
import type { SqlRow } from "../values/value";
import { indexKey, keyPart } from "./versions";

export interface TableRules {
  readonly defaults: readonly (Node | undefined)[];
  readonly generated: readonly (Node | undefined)[];
  readonly onUpdate: readonly (Node | undefined)[];
  readonly checks: readonly { readonly name: string; readonly test: Truth }[];
  /** The checks of columns that have a domain. */
  readonly domains: readonly (DomainCheck | undefined)[];
  /** The key of a row's entry of a unique key; undefined where it has none. */
  readonly entry: (key: Key, row: SqlRow, env: Env) => StoreKey | undefined;
}

/** The rules of a table for statements of one compiler. */
export function tableRules(table: Table, compiler: Compiler): TableRules {
  const scope = tableScope(table, compiler);
  const node = (column: Column, expression: Column["default"]): Node | undefined =>
    expression && columnNode(expression, column, scope);
  const conditions = new Map(
    table.keys.flatMap((key) =>
      key.where === undefined
        ? []
        : [[key.name, truth(compileExpression(key.where, scope), compiler, "WHERE")] as const],
    ),
  );
  const expressions = new Map(
    table.keys.flatMap(({ name, expressions: all }) =>
      all === undefined
        ? []
        : [[name, all.map(({ value }) => compileExpression(value, scope))] as const],
    ),
  );
  return {
    defaults: table.columns.map((column) => node(column, column.default)),
    generated: table.columns.map((column) => node(column, column.generated)),
    onUpdate: table.columns.map((column) => node(column, column.onUpdate)),
    checks: table.checks.map(({ name, condition }) => ({
      name,
      test: truth(compileExpression(condition, scope), compiler, "CHECK"),
    })),
    domains: table.columns.map(({ declared }) => domainCheck(declared, compiler)),
    entry: (key, row, env) => {
      const test = conditions.get(key.name);
      if (test !== undefined && test({ ...env, tuple: [row] }) !== true) return undefined;
      const computed = expressions.get(key.name);
      if (computed === undefined) return indexKey(table, key, row, compiler.dialect);
      const own = { ...env, tuple: [row] };
      const more = computed.map(({ type, run }) => keyPart(run(own), type, compiler.dialect));
      return more.includes(undefined)
        ? undefined
        : indexKey(table, key, row, compiler.dialect, more.join(","));
    },
  };
}

/** A scope in which a table's columns stand alone. */
export function tableScope(table: Table, compiler: Compiler, alias = table.name): Scope {
  const scope = createScope(compiler, undefined, new Map());
  scope.sources.push({ alias, columns: columnsOf(table), merged: new Set() });
  return scope;
}

export function columnsOf(table: Table): readonly ScopeColumn[] {
  return table.columns.map(({ name, declared }, at) => ({
    name,
    type: declared.type,
    origin: { declared, table: table.name, position: at + 1 },
  }));
}

function columnNode(
  expression: NonNullable<Column["default"]>,
  column: Column,
  scope: Scope,
): Node {
  const compiled = compileExpression(expression, scope);
  return fitNode(compiled, column, scope.compiler);
}

/** A node as a value of a column: literals take its type, all else is assigned. */
export function fitNode(node: Node, column: Column, compiler: Compiler, row = 1): Node {
  const { type } = column.declared;
  const isOpen = node.type === "unknown" && node.coerce !== undefined;
  const known =
    isOpen && (compiler.dialect === "postgres" || isTemporal(type))
      ? convertNode(node, type, compiler)
      : node;
  const fit: Fit = fitter(known.type, column.name, column.declared, compiler.dialect);
  return { type, constant: node.constant, run: (env) => fit(known.run(env), row) };
}

export function notNullError(table: Table, column: Column, compiler: Compiler): Error {
  return compiler.dialect === "postgres"
    ? failure(
        "notNull",
        `null value in column "${column.name}" of relation "${table.name}" violates not-null constraint`,
        { table: table.name, column: column.name },
      )
    : failure("notNull", `Column '${column.name}' cannot be null`, {
        table: table.name,
        column: column.name,
      });
}
