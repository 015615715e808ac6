// Queries of MySQL's and MariaDB's syntax tree as queries of ours.
import { ROLLUP } from "../../frontend/sql/dialects/parseQuery";
import type {
  SyntaxOrder,
  SyntaxOutput,
  SyntaxQuery,
  SyntaxRelation,
  SyntaxWith,
} from "../../frontend/sql/dialects/syntax";
import { unsupported } from "../sqlError";
import type { SqlOrder, SqlOutput, SqlQuery, SqlQueryBody, SqlRelation, SqlWith } from "../tree";
import { expressionOf, windowOf } from "./expression";
import { queryOf } from "./recursion";

/** A query: what `queryOf` gives. */
export function translatedQuery(tree: SyntaxQuery): SqlQuery {
  const loss = lossOf(tree.losses);
  if (loss !== undefined) throw unsupported(loss);
  if (tree.into.length > 0) throw unsupported("SELECT ... INTO");
  const { limit, offset, lock } = tree;
  return {
    kind: "select",
    with: withOf(tree.with),
    body: bodyOf(tree),
    orderBy: ordersOf(tree.orderBy),
    ...(limit === undefined ? {} : { limit: expressionOf(limit) }),
    ...(offset === undefined ? {} : { offset: expressionOf(offset) }),
    locks:
      lock === undefined
        ? []
        : [
            {
              strength: lock.strength,
              of: lock.of,
              wait: lock.wait === "skip-locked" ? "skip locked" : lock.wait,
            },
          ],
  };
}

/** The first part that was passed over and that is not told by the tree as well. */
export function lossOf(losses: readonly string[]): string | undefined {
  return losses.find((loss) => loss !== ROLLUP);
}

function bodyOf(tree: SyntaxQuery): SqlQueryBody {
  const [...operations] = tree.setOperations;
  const last = operations.pop();
  if (last !== undefined) {
    const { orderBy: _order, limit: _limit, offset: _offset, lock: _lock, ...rest } = tree;
    const left: SyntaxQuery = { ...rest, with: [], orderBy: [], setOperations: operations };
    return {
      kind: "set",
      operator: last.operator === "union all" ? "union" : last.operator,
      all: last.operator === "union all",
      left: queryOf(left),
      right: queryOf(last.query),
    };
  }
  if (tree.rows !== undefined) {
    return { kind: "values", rows: tree.rows.map((row) => row.map(expressionOf)) };
  }
  return {
    kind: "select",
    distinct: tree.distinct,
    outputs: outputsOf(tree.outputs),
    from: relationsOf(tree.from),
    ...(tree.where === undefined ? {} : { where: expressionOf(tree.where) }),
    groupBy: tree.groupBy.map(expressionOf),
    ...(tree.rollup === true && { groupingSets: rolledUp(tree.groupBy.length) }),
    ...(tree.having === undefined ? {} : { having: expressionOf(tree.having) }),
    windows: new Map([...(tree.windows ?? [])].map(([name, each]) => [name, windowOf(each)])),
  };
}

/** All expressions, all but the last, and so on to none. */
function rolledUp(count: number): readonly (readonly number[])[] {
  const places = Array.from({ length: count }, (_, at) => at);
  return [...places, count].reverse().map((most) => places.slice(0, most));
}

export function outputsOf(outputs: readonly SyntaxOutput[]): readonly SqlOutput[] {
  return outputs.map(({ value, alias, label, text }) => ({
    value: expressionOf(value),
    ...(alias === undefined ? {} : { alias }),
    // The canonical text keeps the letters of names.
    ...(alias !== undefined && label !== undefined && { shown: label }),
    text,
  }));
}

export function ordersOf(orders: readonly SyntaxOrder[]): readonly SqlOrder[] {
  return orders.map(({ value, descending }) => ({ value: expressionOf(value), descending }));
}

export function withOf(withs: readonly SyntaxWith[]): readonly SqlWith[] {
  return withs.map(({ name, columns, query, recursive }) => ({
    name,
    columns,
    body: queryOf(query),
    recursive,
  }));
}

/** The relations of FROM: each but the first is joined to all before it. */
export function relationsOf(trees: readonly SyntaxRelation[]): readonly SqlRelation[] {
  const [first, ...others] = trees;
  if (first === undefined) return [];
  return [
    others.reduce<SqlRelation>(
      (left, tree) => ({
        kind: "join",
        join: tree.join,
        left,
        right: relationOf(tree),
        natural: tree.natural,
        using: tree.using,
        ...(tree.on === undefined ? {} : { on: expressionOf(tree.on) }),
      }),
      relationOf(first),
    ),
  ];
}

function relationOf(tree: SyntaxRelation): SqlRelation {
  const alias = tree.alias === undefined ? {} : { alias: tree.alias };
  if (tree.unknown !== undefined) throw unsupported(`${tree.unknown} in FROM`);
  if (tree.query !== undefined) {
    return {
      kind: "query",
      query: queryOf(tree.query),
      ...alias,
      columns: tree.columns,
      lateral: false,
    };
  }
  if (tree.table === undefined) throw unsupported("this relation");
  // A derived table may be named like one.
  return tree.table === "dual"
    ? { kind: "query", query: ONE_ROW, alias: "dual", columns: [], lateral: false }
    : {
        kind: "table",
        name: tree.table,
        ...(tree.schema === SCHEMA ? { schema: SCHEMA } : {}),
        ...alias,
        columns: tree.columns,
      };
}

/** Names of databases mean nothing to the store, but this one. */
const SCHEMA = "information_schema";

const ONE_ROW: SqlQuery = {
  kind: "select",
  with: [],
  body: { kind: "values", rows: [[{ kind: "null" }]] },
  orderBy: [],
  locks: [],
};
