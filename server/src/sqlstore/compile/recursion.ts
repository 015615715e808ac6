// The way back into expressions and queries for the files that compile their parts: by the compiler at hand, so that
// no file imports one that imports it.
import { unsupported } from "../sqlError";
import type { SqlExpression, SqlQuery } from "../tree";
import type { CompiledQuery, Compiler, Node, Targets, WithQuery, Scope } from "./node";

/** Deeper statements are refused, so that no stack overflows here or later. */
const DEEPEST = 400;

/** The expression in a scope. Fails with the databases' errors where a name or a type does not fit. */
export function compileExpression(expression: SqlExpression, scope: Scope): Node {
  return deeper(scope.compiler, () => scope.compiler.recursion.expression(expression, scope));
}

/**
 * A query below a scope (of the query around it), which knows the given WITH queries. Outputs of which the text does not
 * say the type get those of `targets`: the columns into which they go.
 */
export function compileQuery(
  query: SqlQuery,
  compiler: Compiler,
  parent: Scope | undefined,
  withs: ReadonlyMap<string, WithQuery>,
  targets: Targets = [],
): CompiledQuery {
  return deeper(compiler, () => compiler.recursion.query(query, compiler, parent, withs, targets));
}

function deeper<T>(compiler: Compiler, compile: () => T): T {
  if (compiler.depth >= DEEPEST) throw unsupported("a statement that is nested this deeply");
  compiler.depth++;
  const result = compile();
  compiler.depth--;
  return result;
}
