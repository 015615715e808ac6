// RETURNING: what a change tells of the rows that it wrote.
import type { Table } from "../catalog";
import type { Compiler, Env, QueryColumn, WithQuery, Scope } from "../compile/node";
import { outputName } from "../compile/outputName";
import { expandOutput } from "../compile/query";
import { compileExpression } from "../compile/recursion";
import { createScope } from "../compile/scope";
import { shownColumn } from "../mysql/spelling";
import type { SqlOutput } from "../tree";
import type { SqlRow } from "../values/value";
import { columnsOf } from "./tableRules";

export interface Returning {
  readonly columns: readonly QueryColumn[];
  readonly run: (env: Env) => SqlRow;
}

/** RETURNING over the given tables, which stand in the tuple in this order. */
export function compileReturning(
  outputs: readonly SqlOutput[] | undefined,
  tables: readonly { readonly alias: string; readonly table: Table }[],
  compiler: Compiler,
  withs: ReadonlyMap<string, WithQuery>,
): Returning | undefined {
  if (outputs === undefined) return undefined;
  const scope = createScope(compiler, undefined, withs);
  for (const { alias, table } of tables) {
    const columns = columnsOf(table).map((column) => ({
      ...column,
      shown: shownColumn(compiler.catalog, table, column.name),
    }));
    scope.sources.push({ alias, columns, merged: new Set() });
  }
  return returningIn(outputs, scope);
}

/** RETURNING in the scope of the change itself. */
export function returningIn(outputs: readonly SqlOutput[], scope: Scope): Returning {
  const nodes = outputs
    .flatMap((output) => expandOutput(output, scope))
    .map((output) => {
      const node = compileExpression(output.value, scope);
      const isOpen = node.type === "unknown" && node.coerce !== undefined;
      return {
        name: output.alias ?? outputName(output, scope.compiler),
        shown: output.shown === undefined ? {} : { shown: output.shown },
        node: isOpen ? node.coerce("text") : node,
      };
    });
  return {
    columns: nodes.map(({ name, node: { type, origin }, shown }) => ({
      name,
      type,
      ...(origin && { origin }),
      ...shown,
    })),
    run: (env) => nodes.map(({ node }) => node.run(env)),
  };
}
