// SET a = 1, b = b + 1: columns with what is assigned to them.
import { columnAt, type Table } from "../catalog";
import { compileExpression } from "../compile/recursion";
import { isPostgres, type Env, type Scope } from "../compile/node";
import { failure } from "../sqlError";
import type { SqlAssignment } from "../tree";
import type { SqlValue } from "../values/value";
import { fitNode, type TableRules } from "./tableRules";

export interface Assignment {
  /** Which of the targets it changes: a position among the relations. */
  readonly source: number;
  readonly column: number;
  readonly value: (env: Env) => SqlValue;
}

/** The assignments of a SET list to the columns of the targets. */
export function assignmentsOf(
  set: readonly SqlAssignment[],
  targets: readonly { readonly source: number; readonly table: Table }[],
  scope: Scope,
  rules?: TableRules,
): readonly Assignment[] {
  const { compiler } = scope;
  return set.map(({ path, value }): Assignment => {
    const name = path.at(-1) ?? "";
    const alias = path.length > 1 ? path.at(-2) : undefined;
    const target = targets.find(
      ({ source, table }) =>
        (alias === undefined || scope.sources[source]?.alias === alias) &&
        columnAt(table, name) !== undefined,
    );
    const at = target && columnAt(target.table, name);
    const column = at === undefined ? undefined : target?.table.columns[at];
    if (target === undefined || at === undefined || column === undefined) {
      throw isPostgres(compiler)
        ? failure(
            "noColumn",
            `column "${name}" of relation "${targets[0]?.table.name ?? ""}" does not exist`,
          )
        : failure("noColumn", `Unknown column '${name}' in 'field list'`);
    }
    if (column.generated !== undefined) {
      throw failure("always", `column "${name}" can only be updated to DEFAULT`, { column: name });
    }
    if (value.kind === "default") {
      const otherwise = rules?.defaults[at];
      return { source: target.source, column: at, value: (env) => otherwise?.run(env) ?? null };
    }
    return {
      source: target.source,
      column: at,
      value: fitNode(compileExpression(value, scope), column, compiler).run,
    };
  });
}
