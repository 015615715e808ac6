// Unmodelled features of tables as losses of the affected statements: unknown generated columns, rows of two tables, omitted or deferred
// constraints.
import type { Expression } from "../../program/expression";
import type { Taint } from "../../program/precision";
import type { Doubt, Table, UniqueKey } from "../../program/schema";
import type { OnConflict, Statement } from "../../program/statement";
import type { Replace } from "./dialectDetection/replaceStatements";
import { walkStatement, type Scope } from "./walk";

export interface Doubts {
  /** Tables with any. */
  readonly tables: ReadonlySet<string>;
  readonly replace: Replace;
}

/** The losses that tables cause in statements; `replace` is linear in a statement. */
export function doubtsOf(tables: readonly Table[]): Doubts {
  const doubtful = new Map(
    tables
      .filter(
        ({ doubts = [], columns, uniqueKeys }) =>
          doubts.length > 0 || columns.some(isGenerated) || uniqueKeys.some(isDeferrable),
      )
      .map((each) => [each.name, each] as const),
  );
  const outside = new Set(
    tables.flatMap(({ doubts = [] }) =>
      doubts.flatMap((each) => (each.isOutside ? each.reason : [])),
    ),
  );
  const replace: Replace = (statement) => {
    const { source, taint } = statement;
    const losses = [...reasonsFor(statement, doubtful)]
      .filter((reason) => taint.every((each) => each.reason !== reason))
      .map((reason): Taint => {
        return { effect: outside.has(reason) ? "outside" : "over", reason, source };
      });
    if (losses.length === 0) return undefined;
    return [{ kind: "statement", statement: { ...statement, taint: [...taint, ...losses] } }];
  };
  return { tables: new Set(doubtful.keys()), replace };
}

const isDeferrable = ({ deferrable }: UniqueKey): boolean => deferrable !== undefined;

const isGenerated = ({ generated }: Table["columns"][number]): boolean => generated !== undefined;

function reasonsFor(
  statement: Statement,
  doubtful: ReadonlyMap<string, Table>,
): ReadonlySet<string> {
  const reasons = new Set<string>();
  const add = (table: string, matters: (doubt: Doubt) => boolean): void => {
    for (const each of doubtful.get(table)?.doubts ?? [])
      if (matters(each)) reasons.add(each.reason);
  };
  const named = (table: string): void => {
    add(table, ({ touching }) => touching === "all");
  };
  if (statement.kind === "insert") {
    named(statement.table);
    add(statement.table, ({ touching }) => touching !== "all" && touching.columns.length > 0);
    const { table, onConflict } = statement;
    const asked = (doubtful.get(table)?.uniqueKeys ?? []).filter(isDeferrable);
    if (onConflict && asked.some(({ columns }) => decides(onConflict, columns)))
      reasons.add(
        `ON CONFLICT on ${table}, which the server refuses: a key that is DEFERRABLE cannot decide it`,
      );
  }
  if (statement.kind === "lock" && statement.table !== undefined) named(statement.table);
  if (statement.kind === "delete")
    add(statement.relation.table, ({ touching }) => touching !== "all" && touching.deletions);
  walkStatement(statement, {
    relation: ({ table }) => {
      named(table);
    },
    assignment: (table, column) => {
      add(table, ({ touching }) => touching !== "all" && touching.columns.includes(column));
    },
    expression: (expression, scope) => {
      const table = tableOf(expression, scope, statement);
      if (table === undefined || !("column" in expression)) return;
      const { column: name } = expression;
      const column = doubtful.get(table)?.columns.find((each) => each.name === name);
      if (column !== undefined && isGenerated(column))
        reasons.add(`the generated column ${name} of ${table}`);
    },
  });
  return reasons;
}

/** True if ON CONFLICT targets the key: by its columns, or any key. */
function decides({ target }: OnConflict, columns: readonly string[]): boolean {
  return (
    target.length === 0 ||
    (target.length === columns.length && columns.every((each) => target.includes(each)))
  );
}

function tableOf(expression: Expression, scope: Scope, statement: Statement): string | undefined {
  if (expression.kind === "excluded")
    return statement.kind === "insert" ? statement.table : undefined;
  if (expression.kind !== "column") return undefined;
  const relation = scope.find(({ alias }) => alias === expression.relation);
  return relation?.kind === "base" ? relation.table : undefined;
}
