// ON DELETE CASCADE and SET NULL: a DELETE that chooses its row by a key changes the rows that refer to it, behind the lock on its own.
import type { Expression } from "../../program/expression";
import type { ForeignKey, Table } from "../../program/schema";
import type { Command, DeleteStatement, SelectStatement, Statement } from "../../program/statement";
import type { Replace } from "./dialectDetection/replaceStatements";
import { literal } from "./expressions";
import type { Ids } from "./lowering";
import { hasQuery } from "./routine/hoist";
import { emptyQuery, connective } from "./terms";
import { forRows, foundIn, isKeyed, type At } from "./triggers/triggerRows";

interface Reference {
  readonly child: Table;
  readonly foreign: ForeignKey;
}

/** Writes the actions of these tables' foreign keys out. Linear in the keys along a chain of references. */
export function foreignKeyActions(tables: readonly Table[]): Replace {
  const actions = actionsByTable(tables);
  const byName = new Map(tables.map((table) => [table.name, table] as const));
  return (statement, ids) => {
    if (statement.kind !== "delete" || statement.truncates !== undefined) return undefined;
    const { relation, using, where } = statement;
    const table = byName.get(relation.table);
    if (table === undefined || !actions.has(table.name) || using.length > 0) return undefined;
    if (!isKeyed(where, relation.alias, table) || hasQuery(where)) return undefined;
    return deletion(statement, { table, actions, ids, above: [], many: "at most one" });
  };
}

/** The tables whose deletions change others. */
export function tablesWithActions(tables: readonly Table[]): ReadonlySet<string> {
  return new Set(actionsByTable(tables).keys());
}

function actionsByTable(tables: readonly Table[]): ReadonlyMap<string, readonly Reference[]> {
  const actions = new Map<string, Reference[]>();
  for (const child of tables)
    for (const foreign of child.foreignKeys)
      if (foreign.onDelete !== undefined)
        actions.set(foreign.table, [...(actions.get(foreign.table) ?? []), { child, foreign }]);
  return actions;
}

interface Around {
  readonly table: Table;
  readonly actions: ReadonlyMap<string, readonly Reference[]>;
  readonly ids: Ids;
  /** The tables whose deletions lead here. */
  readonly above: readonly string[];
  readonly many: "at most one" | "many";
}

/** The deletion with all that it changes; undefined where nobody can say. */
function deletion(statement: DeleteStatement, around: Around): readonly Command[] | undefined {
  const { table, actions, ids, above, many } = around;
  const own = actions.get(table.name) ?? [];
  if (own.length === 0) return [{ kind: "statement", statement }];
  const isAsked = many === "many" && (table.primaryKey.length === 0 || statement.returning);
  if (above.includes(table.name) || isAsked) return undefined;
  const { source, text, relation } = statement;
  const { through } = statement;
  const into = ids.result();
  const columnOf = (column: string): Expression => {
    return { kind: "column", relation: relation.alias, column };
  };
  const base = (): Pick<Statement, "id" | "source" | "text" | "taint" | "through"> => {
    return { id: ids.statement(), source, text, taint: [], ...(through && { through }) };
  };
  const referenced = own.flatMap(({ foreign }) => referencedBy(foreign, table));
  const read = [...new Set([...table.primaryKey, ...referenced])];
  const locked: SelectStatement = {
    ...base(),
    kind: "select",
    query: {
      ...emptyQuery(read.map((column) => ({ name: column, value: columnOf(column) }))),
      relations: [relation],
      where: statement.where,
      lock: { strength: "update", of: [], wait: "block" },
    },
    into,
    discarded: true,
  };
  let isKnown = true;
  const perRow = (at: At): readonly Command[] => {
    const field = (column: string): Expression => {
      return { kind: "field", result: into, field: column, at };
    };
    const changes = own.flatMap(({ child, foreign }): readonly Command[] => {
      const keys = referencedBy(foreign, table);
      const refers = connective(
        "and",
        foreign.columns.map((column, place): Expression => ({
          kind: "comparison",
          operator: "=",
          left: { kind: "column", relation: child.name, column },
          right: field(keys[place] ?? ""),
        })),
      );
      const target = { alias: child.name, table: child.name, kind: "base", join: "inner" } as const;
      const change = { ...base(), relation: target, where: refers };
      if (foreign.onDelete === "cascade") {
        const inner = deletion(
          { ...change, kind: "delete", using: [] },
          { ...around, table: child, above: [...above, table.name], many: "many" },
        );
        isKnown &&= inner !== undefined;
        return inner ?? [];
      }
      isKnown &&= foreign.columns.every((name) => !hasDefault(child, name));
      const set = foreign.columns.map((column) => ({ column, value: literal(null) }));
      return [{ kind: "statement", statement: { ...change, kind: "update", from: [], set } }];
    });
    const rest: DeleteStatement = { ...statement, leavesNoChildren: true };
    const last: DeleteStatement =
      many === "at most one"
        ? rest
        : {
            ...rest,
            where: connective(
              "and",
              table.primaryKey.map((column): Expression => {
                const left = columnOf(column);
                return { kind: "comparison", operator: "=", left, right: field(column) };
              }),
            ),
          };
    return [...changes, { kind: "statement", statement: last }];
  };
  const behind: readonly Command[] =
    many === "many"
      ? forRows(into, "many", statement, ids, perRow)
      : [{ kind: "if", ...foundIn(into, perRow("first")), source }];
  return isKnown ? [{ kind: "statement", statement: locked }, ...behind] : undefined;
}

function referencedBy(foreign: ForeignKey, table: Table): readonly string[] {
  return foreign.referenced.length > 0 ? foreign.referenced : table.primaryKey;
}

/** True if SET DEFAULT would give another value than SET NULL. */
function hasDefault({ columns }: Table, name: string): boolean {
  return columns.find((each) => each.name === name)?.default !== undefined;
}
