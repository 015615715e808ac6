// Window functions as subqueries over the rows of the same query in the window. Ties of ORDER BY are broken by key, as everywhere;
// PostgreSQL's choice is arbitrary.
import type { FuncCall, Node, WindowDef } from "libpg-query";
import type { Expression, Query } from "../../../program/expression";
import { prefixRelations } from "../../../program/mapColumns";
import { literal, ofRows } from "../expressions";
import { compare, emptyQuery, connective } from "../terms";
import { constantOf, lastName } from "./ast";
import { lowerAll, lowerExpression } from "./recursion";
import { lose, typeIn, type Scope, type WindowRows, type Work } from "./scope";

interface Key {
  readonly value: Expression;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

interface Window {
  readonly partition: readonly Expression[];
  readonly order: readonly Key[];
  readonly frame: "peers" | "rows" | "whole" | undefined;
}

/** Frames by the parser's bits: up to the row's peers (the default), up to the row, all rows. */
const FRAMES: ReadonlyMap<number, NonNullable<Window["frame"]>> = new Map([
  [0x422, "peers"],
  [0x428, "peers"],
  [0x424, "rows"],
  [0x122, "whole"],
  [0x124, "whole"],
  [0x128, "whole"],
]);

/** Bits that record how the frame was written. */
const WRITTEN = 0x11;

/**
 * The value of `name(...) OVER (...)`; `aggregate` lowers an aggregate call. An unknown, with a loss, for unsupported frames and functions
 * and for rows without known keys.
 */
export function windowValue(
  call: FuncCall,
  aggregate: (() => Expression) | undefined,
  scope: Scope,
  work: Work,
): Expression {
  const name = lastName(call.funcname);
  const rows = scope.windowRows;
  const window = windowOf(call.over, rows?.windows ?? [], scope, work);
  const known =
    rows === undefined || window === undefined || !canRepeat(rows)
      ? undefined
      : overRows(call, name, aggregate, { rows, window, scope, work });
  if (known !== undefined) return known;
  return ofRows(lose(work, `the window function ${name}()`, lowerAll(call.args, scope, work)));
}

interface Asked {
  readonly rows: WindowRows;
  readonly window: Window;
  readonly scope: Scope;
  readonly work: Work;
}

function overRows(
  call: FuncCall,
  name: string,
  aggregate: (() => Expression) | undefined,
  asked: Asked,
): Expression | undefined {
  const { window, scope, work } = asked;
  if (aggregate !== undefined) {
    if (window.frame === undefined) return undefined;
    const value = aggregate();
    const isWhole = window.frame === "whole" || window.order.length === 0;
    if (isWhole) return subquery(asked, value, "partition");
    // Such an aggregate depends on the order of its input.
    if (value.kind === "aggregate" && value.function === "other") return undefined;
    return subquery(asked, value, window.frame === "rows" ? "up to" : "up to peers");
  }
  switch (name) {
    case "row_number":
      return next(subquery(asked, COUNT, "before"));
    case "rank":
      return next(subquery(asked, COUNT, "before peers"));
    case "dense_rank": {
      const keys = window.order.map(({ value }) => value);
      const operand: Expression = {
        kind: "call",
        name: "row",
        arguments: keys,
        deterministic: true,
      };
      const distinct: Expression = { ...COUNT, distinct: true, operand };
      return next(subquery(asked, distinct, "before peers"));
    }
    case "lag":
    case "lead":
      return neighbour(call, name, asked);
    case "first_value": {
      const value = lowerExpression(call.args?.[0], scope, work);
      return window.frame === undefined ? undefined : nth(asked, value, "partition", 0, true);
    }
    default:
      return undefined;
  }
}

const COUNT = { kind: "aggregate", function: "count", distinct: false } as const;

function next(count: Expression | undefined): Expression | undefined {
  return count && { kind: "arithmetic", operator: "+", left: count, right: literal(1) };
}

/** LAG and LEAD: the value in the row at a distance, else the third argument. */
function neighbour(call: FuncCall, name: "lag" | "lead", asked: Asked): Expression | undefined {
  const [value, distance, instead] = call.args ?? [];
  const far = distance === undefined ? 1 : constantIn(distance);
  if (typeof far !== "number" || far < 1 || instead !== undefined) return undefined;
  const lowered = lowerExpression(value, asked.scope, asked.work);
  return nth(asked, lowered, name === "lag" ? "before" : "behind", far - 1, name === "lead");
}

function constantIn(node: Node): unknown {
  return "A_Const" in node ? constantOf(node.A_Const) : undefined;
}

/** The value in the n-th row, by the order or its reverse. */
function nth(
  asked: Asked,
  value: Expression,
  which: Which,
  skipped: number,
  ascending: boolean,
): Expression | undefined {
  const order = totalOrder(asked);
  if (order === undefined || order.some(({ nullsFirst, descending }) => nullsFirst !== descending))
    return undefined;
  const orderBy = order.map(({ value: key, descending }) => ({
    value: key,
    descending: ascending ? descending : !descending,
  }));
  const offset = skipped === 0 ? {} : { offset: literal(skipped) };
  return subquery(asked, value, which, { orderBy, limit: literal(1), ...offset });
}

type Which = "partition" | "before" | "before peers" | "behind" | "up to" | "up to peers";

/** A subquery over those rows of the window; undefined if the order does not determine them. */
function subquery(
  asked: Asked,
  value: Expression,
  which: Which,
  more: Partial<Pick<Query, "orderBy" | "limit" | "offset">> = {},
): Expression | undefined {
  const { rows, window, work } = asked;
  const peers = which === "before peers" || which === "up to peers";
  const order = peers || which === "partition" ? window.order : totalOrder(asked);
  if (order === undefined) return undefined;
  const keys = order.map((key) => asNumber(key, asked));
  const { orderBy = [] } = more;
  // Everything that is read of a window row, under another alias.
  const inner = [value, ...window.partition, ...keys.map((key) => key.value)];
  const copy = prefixRelations(
    {
      ...emptyQuery(inner.map((each, at) => ({ name: String(at), value: each }))),
      relations: rows.relations,
      where: rows.where,
      orderBy,
    },
    work.context.ids.fresh("window"),
  );
  const [first, ...others] = copy.outputs.map((output) => output.value);
  if (first === undefined) return undefined;
  const same = window.partition.map((right, at): Expression => {
    return { kind: "sameValue", left: others[at] ?? literal(null), right };
  });
  const theirs = keys.map((key, at) => ({ ...key, other: others[same.length + at] ?? key.value }));
  const placed = which === "partition" ? [] : [placeOf(which, theirs)];
  const query: Query = {
    ...copy,
    ...more,
    orderBy: copy.orderBy,
    outputs: [{ name: "value", value: first }],
    where: connective("and", [copy.where, ...same, ...placed]),
  };
  return { kind: "subquery", query };
}

interface Both extends Key {
  /** The key of the other row. */
  readonly other: Expression;
}

function placeOf(which: Exclude<Which, "partition">, keys: readonly Both[]): Expression {
  if (which === "behind")
    return precedes(keys.map((key) => ({ ...key, value: key.other, other: key.value })));
  const before = precedes(keys);
  if (which === "before" || which === "before peers") return before;
  const equal = keys.map(same);
  return connective("or", [before, connective("and", equal)]);
}

function same({ value, other }: Both): Expression {
  return { kind: "sameValue", left: other, right: value };
}

/** The condition that the other row comes first. */
function precedes(keys: readonly Both[]): Expression {
  const [first, ...rest] = keys;
  if (first === undefined) return literal(false);
  const { value, other, descending, nullsFirst } = first;
  const isNull = (operand: Expression): Expression => ({ kind: "isNull", operand });
  const [absent, present] = nullsFirst ? [other, value] : [value, other];
  const smaller = connective("or", [
    compare(descending ? ">" : "<", other, value),
    connective("and", [isNull(absent), { kind: "not", operand: isNull(present) }]),
  ]);
  if (rest.length === 0) return smaller;
  return connective("or", [smaller, connective("and", [same(first), precedes(rest)])]);
}

/** A Boolean as a number, which is ordered everywhere. */
function asNumber(key: Key, { scope, work }: Asked): Key {
  const condition = key.value;
  if (typeIn(condition, scope, work) !== "bool") return key;
  const no: Expression = {
    kind: "conditional",
    condition: { kind: "isNull", operand: condition },
    then: literal(null),
    otherwise: literal(0),
  };
  return { ...key, value: { kind: "conditional", condition, then: literal(1), otherwise: no } };
}

/** The window's order followed by the keys of all tables; undefined if a relation has no known key. */
function totalOrder({ rows, window, work }: Asked): readonly Key[] | undefined {
  const keys = rows.relations.map((relation) =>
    relation.kind === "base"
      ? (work.context.table(relation.table)?.primaryKey ?? []).map((column): Key => ({
          value: { kind: "column", relation: relation.alias, column },
          descending: false,
          nullsFirst: false,
        }))
      : [],
  );
  const all = [...window.order, ...keys.flat()];
  const text = JSON.stringify(window.order);
  const missing = keys.flat().filter(({ value }) => !text.includes(JSON.stringify(value)));
  if (keys.some((own) => own.length === 0)) return undefined;
  return missing.length === 0 ? window.order : all;
}

/** True if the rows can be queried again: they contain no generated values. */
function canRepeat({ relations, where, grouped }: WindowRows): boolean {
  if (grouped || relations.some(({ kind }) => kind === "opaque")) return false;
  return !/"kind":"(?:fresh|unknown)"/.test(JSON.stringify([relations, where]));
}

function windowOf(
  over: WindowDef | undefined,
  windows: readonly Node[],
  scope: Scope,
  work: Work,
): Window | undefined {
  const named = over?.name ?? over?.refname;
  const base = windows.flatMap((node) =>
    "WindowDef" in node && node.WindowDef.name === named ? [node.WindowDef] : [],
  )[0];
  if (over === undefined || (named !== undefined && base === undefined)) return undefined;
  // OVER w is that window, OVER (w ...) extends it.
  const framed = over.name === undefined ? over : base;
  const order = over.orderClause ?? base?.orderClause ?? [];
  if (framed?.startOffset !== undefined || framed?.endOffset !== undefined) return undefined;
  return {
    partition: lowerAll(over.partitionClause ?? base?.partitionClause, scope, work),
    order: order.flatMap((node) => ("SortBy" in node ? [keyOf(node.SortBy, scope, work)] : [])),
    frame: FRAMES.get((framed?.frameOptions ?? 0) & ~WRITTEN),
  };
}

function keyOf(
  sort: Extract<Node, { readonly SortBy: unknown }>["SortBy"],
  scope: Scope,
  work: Work,
): Key {
  const descending = sort.sortby_dir === "SORTBY_DESC";
  const nulls = sort.sortby_nulls ?? "SORTBY_NULLS_DEFAULT";
  const nullsFirst = nulls === "SORTBY_NULLS_DEFAULT" ? descending : nulls === "SORTBY_NULLS_FIRST";
  return { value: lowerExpression(sort.node, scope, work), descending, nullsFirst };
}
