// knex' queries: what each method adds to a statement.
import { constantText, type Value } from "../../values";
import { traverse } from "../../traverse";
import type { Call, Tools } from "../library";
import { valueFragment, namesIn, quoteIdentifier, raw, joinFragments, sequence, setText, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
import { adds, addsAll, bounds, clears, argument, compounds, keeps, locks, methods, prefixed, puts, waits, type Reader, type Step } from "./methods"; // prettier-ignore
import {
  aggregate,
  columnOf,
  columnsOf,
  condition,
  filledBy,
  isRaw,
  membership,
  part,
  partQuery,
  rawText,
  rowsIn,
  setIn,
  subquery,
  tableOf,
  whole,
  type Query,
} from "./knexParts";

/** A condition by the method that adds it, without `and` and `or`; undefined where it is not known. */
function conditionOf(method: string, call: Call, tools: Tools): Fragment | undefined {
  const [first, second] = call.arguments;
  const own = (): Fragment | undefined => columnOf(first, tools);
  const [, isNot, rest = ""] = /^(?:where|having|on)(Not)?(.*)$/u.exec(method) ?? [];
  const not = (holds: Fragment | undefined): Fragment | undefined =>
    holds && (isNot ? sequence("NOT (", holds, ")") : holds);
  switch (rest) {
    case "":
      return not(condition(call.arguments, tools));
    case "In":
      return membership(first, second, isNot ? "NOT IN" : "IN", tools);
    case "Null": {
      const column = own();
      return column && sequence(column, isNot ? " IS NOT NULL" : " IS NULL");
    }
    case "Between": {
      const [low, high] = (second && tools.items(second)) ?? [];
      const column = own();
      if (!low || !high || !column) return undefined;
      return not(sequence(column, " BETWEEN ", valueFragment(low), " AND ", valueFragment(high)));
    }
    case "Exists": {
      const query = first && subquery(first, tools);
      return query && sequence(isNot ? "NOT EXISTS " : "EXISTS ", query);
    }
    case "Like":
    case "ILike": {
      const [column, pattern] = [own(), second && part(second, tools)];
      return column && pattern && not(sequence(column, ` ${rest.toUpperCase()} `, pattern));
    }
    case "Raw":
      return first && sequence("(", rawText(first, second, tools), ")");
    default:
      return undefined;
  }
}

/** `on("a.id", "=", "b.id")`, `onVal("a.kind", 1)` of a join's callback. */
function joinCondition(method: string, call: Call, tools: Tools): Fragment | undefined {
  const [first, second, third] = call.arguments;
  if (method !== "on") return conditionOf(method === "onVal" ? "where" : method, call, tools);
  if (first?.kind === "deferred" && isRaw(first.data)) return first.data.text;
  if (first?.kind === "function") return condition([first], tools);
  const [left, right] = [columnOf(first, tools), columnOf(third ?? second, tools)];
  const operator = third ? constantText(second) : "=";
  return left && right && operator !== undefined
    ? sequence(left, ` ${operator} `, right)
    : undefined;
}

/** `JOIN ... ON ...`; undefined where table or condition are not known. */
function joined(kind: string, call: Call, tools: Tools): Fragment | undefined {
  const [first, ...on] = call.arguments;
  const table = tableOf(first, tools);
  const words = kind.replace(/([A-Z])/gu, " $1").trim().toUpperCase(); // prettier-ignore
  const side = table && sequence(`${words === "INNER" || words === "" ? "" : `${words} `}JOIN `, table); // prettier-ignore
  if (!side || kind === "cross") return side;
  const [second] = on;
  const query = second?.kind === "function" ? filledBy(second, tools) : undefined;
  if (second?.kind === "function") {
    const where = query ? whole(query).where : [];
    return where.length > 0 ? sequence(side, " ON ", joinFragments(where, " AND ")) : undefined;
  }
  const holds = joinCondition("on", { ...call, arguments: on }, tools);
  return holds && sequence(side, " ON ", holds);
}

/** The query with a condition more; `or` begins another way to satisfy it. */
function withCondition(query: Query, holds: Fragment, isOr: boolean): Query {
  const { draft, otherwise = [] } = query;
  const { where } = draft;
  const own = sequence("(", holds, ")");
  if (!isOr || where.length === 0) return { ...query, draft: { ...draft, where: [...where, own] } };
  const before = joinFragments(where, " AND ");
  return { ...query, otherwise: [...otherwise, before], draft: { ...draft, where: [own] } };
}

const columns: Reader<readonly Fragment[]> = (step) => columnsOf(step.arguments, step.tools);

const sql: Reader<Fragment> = ({ arguments: [value, bindings], tools }) =>
  value && rawText(value, bindings, tools);

/** Methods whose name is all of them; the rest are conditions and joins. */
const METHODS = methods<Query>({
  "select column columns": addsAll("columns", columns),
  distinct: addsAll("columns", columns, { isDistinct: true }),
  distinctOn: puts((step, draft) => {
    const keys = columns(step, draft);
    return keys && { distinctOn: joinFragments(keys, ", ") };
  }),
  first: (query, step) => {
    const next = addsAll("columns", columns, { limit: raw("1") })(query, step);
    return next && { ...next, isFirst: true };
  },
  "count countDistinct sum sumDistinct max min avg": adds("columns", (step) =>
    aggregate(step.method, step.arguments, step.tools),
  ),
  joinRaw: adds("joins", sql),
  groupBy: addsAll("groupBy", columns),
  groupByRaw: adds("groupBy", sql),
  orderByRaw: adds("orderBy", sql),
  orderBy: addsAll("orderBy", orderKeys),
  "limit offset": bounds(argument(valueFragment)),
  "forUpdate forShare forNoKeyUpdate forKeyShare": locks((step, draft) => {
    const { arguments: args, tools } = step;
    const names = args.flatMap((each) => namesIn(each, tools));
    return columns(step, draft) && names.map((each) => quoteIdentifier(each, tools.dialect));
  }),
  "skipLocked noWait": waits,
  "union unionAll intersect except": compounds(({ arguments: args, tools }) => {
    const [list] = args;
    const queries = list && (tools.items(list) ?? args.filter(({ kind }) => kind !== "scalar"));
    return queries && traverse(queries, (each) => wholeText(each, tools));
  }),
  "with withRecursive": puts(({ method, arguments: args, tools }, { prefix }) => {
    const [name, second, third] = args;
    const value = args.at(-1);
    const named = third && second ? namesIn(second, tools).map((each) => quoteIdentifier(each, tools.dialect)) : []; // prettier-ignore
    const query = value && (wholeText(value, tools) ?? textOfRaw(value, tools));
    const own = constantText(name);
    if (own === undefined || !query) return undefined;
    const head = `${quoteIdentifier(own, tools.dialect)}${named.length > 0 ? ` (${named.join(", ")})` : ""}`; // prettier-ignore
    return { prefix: prefixed(prefix, method === "withRecursive", head, query) };
  }),
  insert: puts(({ arguments: [value, back], tools }, draft) => {
    const rows = value && rowsIn(value, draft, tools);
    const returning = columnsOf(back ? [back] : [], tools);
    return rows && returning && { verb: "insert", ...rows, returning };
  }),
  update: puts(({ arguments: [value, second, third], tools }, draft) => {
    const single = constantText(value);
    const fields = single !== undefined && second ? tools.object({ [single]: second }) : value;
    const set = fields && setIn(fields, { ...draft, verb: "update" }, tools);
    const back = single === undefined ? second : third;
    const returning = back && back.kind !== "object" ? columnsOf([back], tools) : draft.returning;
    return set && returning && { verb: "update", set: [...draft.set, ...set], returning };
  }),
  "increment decrement": puts(({ method, arguments: [value, by], tools }, draft) => {
    const column = constantText(value);
    const fields = column === undefined && value ? tools.fields(value) : undefined;
    const one = column === undefined ? [] : [[column, by] as const];
    const changes = fields ? [...fields] : one;
    if (changes.length === 0) return undefined;
    const sign = method === "increment" ? "+" : "-";
    const set = changes.map(([each, amount]): Draft["set"][number] => {
      const own = `${quoteIdentifier(each, tools.dialect)} ${sign} `;
      return [each, sequence(own, amount ? valueFragment(amount) : "1")];
    });
    return { verb: "update", set: [...draft.set, ...set] };
  }),
  "del delete": puts(({ arguments: [back], tools }, draft) => {
    const returning = back && back.kind !== "object" ? columnsOf([back], tools) : draft.returning;
    return returning && { verb: "delete", returning };
  }),
  returning: puts(({ arguments: [back], tools }) => {
    const returning = columnsOf(back ? [back] : [], tools);
    return returning && { returning };
  }),
  onConflict: puts(({ arguments: [target], tools }) => {
    if (!target || target.kind === "undefined") return { conflict: raw(" ON CONFLICT") };
    const keys = columnsOf([target], tools);
    const names = keys && joinFragments(keys, ", ");
    if (target.kind === "deferred") return names && { conflict: sequence(" ON CONFLICT ", names) };
    return names && { conflict: sequence(" ON CONFLICT (", names, ")") };
  }),
  ignore: puts((_, { conflict = " ON CONFLICT" }) => ({
    conflict: sequence(conflict, " DO NOTHING"),
  })),
  merge: puts(merged),
  pluck: (query, step) => {
    const [value] = step.arguments;
    const next = puts(() => {
      const column = columnOf(value, step.tools);
      return column && { columns: [column] };
    })(query, step);
    return next && { ...next, plucked: constantText(value)?.split(".").at(-1) ?? "" };
  },
  as: (query, step) => {
    const alias = constantText(step.arguments[0]);
    return alias === undefined ? undefined : { ...query, alias };
  },
  clearSelect: clears("columns"),
  clearOrder: clears("orderBy"),
  clearGroup: clears("groupBy"),
  clearWhere: ({ otherwise: _, ...query }, step) => clears("where")(query, step),
  "from into table": puts(({ arguments: [value], tools }) => {
    const table = tableOf(value, tools);
    return table && { table };
  }),
  withSchema: puts(({ arguments: [value] }) => {
    const schema = constantText(value);
    return schema === undefined ? undefined : { schema };
  }),
  "timeout queryContext": keeps,
});

/** A method of a query: the query with what the call adds; undefined where it is not known. */
export function extendQuery(
  query: Query,
  method: string,
  call: Call,
  tools: Tools,
): Query | undefined {
  const step = { ...call, method, tools };
  const [, word, rest] = /^(?:(and|or)(?=[A-Z]))?((?:where|on)(?:[A-Z].*)?)$/iu.exec(method) ?? [];
  if (rest !== undefined && !rest.startsWith("onC")) {
    const name = rest.charAt(0).toLowerCase() + rest.slice(1);
    const holds = name.startsWith("on") ? joinCondition(name, call, tools) : conditionOf(name, call, tools); // prettier-ignore
    return holds && withCondition(query, holds, word === "or");
  }
  const [, kind] = /^(inner|left|right|full|leftOuter|rightOuter|fullOuter|cross)?join$/iu.exec(method) ?? []; // prettier-ignore
  if (/join$/iu.test(method)) return adds("joins", () => joined(kind ?? "", call, tools))(query, step); // prettier-ignore
  if (/^(?:and)?having/iu.test(method)) {
    const name = method.replace(/^andH/u, "h");
    return adds("having", () => conditionOf(name, call, tools))(query, step);
  }
  return METHODS.get(method)?.(query, step);
}

/** Another query, without brackets. */
function wholeText(value: Value, tools: Tools): Fragment | undefined {
  const query = partQuery(value, tools);
  return query && textOf(whole(query), tools.dialect);
}

function textOfRaw(value: Value, tools: Tools): Fragment | undefined {
  return value.kind === "deferred" && isRaw(value.data) ? part(value, tools) : undefined;
}

/** `orderBy("a", "desc")`, `orderBy([{ column: "a", order: "desc" }, "b"])`. */
function orderKeys({
  arguments: [value, order, nulls],
  tools,
}: Step): readonly Fragment[] | undefined {
  const items = value && tools.items(value);
  if (nulls && nulls.kind !== "undefined") return undefined;
  if (!items) return traverse([value], (each) => orderKey(each, order, tools));
  return traverse(items, (item) => {
    const field = (name: string): Value | undefined =>
      item.kind === "object" ? tools.member(item, name) : undefined;
    return orderKey(field("column") ?? item, field("order"), tools);
  });
}

function orderKey(
  column: Value | undefined,
  order: Value | undefined,
  tools: Tools,
): Fragment | undefined {
  const own = columnOf(column, tools);
  if (!own || !order || order.kind === "undefined") return own;
  const word = constantText(order)?.toLowerCase();
  return word === undefined ? undefined : sequence(own, word === "desc" ? " DESC" : "");
}

/** `merge()`, `merge(["a"])`, `merge({ a: 1 })` of what an INSERT finds. */
function merged({ arguments: [value], tools }: Step, draft: Draft): Partial<Draft> | undefined {
  const { dialect } = tools;
  const isPostgres = dialect === "postgres";
  const head = sequence(
    isPostgres ? (draft.conflict ?? " ON CONFLICT") : [],
    isPostgres ? " DO UPDATE SET " : " ON DUPLICATE KEY UPDATE ",
  );
  if (!value || value.kind === "undefined") return { conflict: head, mergesRow: true };
  const names = namesIn(value, tools);
  const count = tools.items(value)?.length ?? names.length;
  const set = names.length > 0 && names.length === count ? names.map((each) => [each, proposed(each, tools)] as const) : setIn(value, { ...draft, verb: "update" }, tools); // prettier-ignore
  if (!set || set.length === 0) return undefined;
  return { conflict: sequence(head, setText(set, dialect)) };
}

/** The values of the row that was to be inserted. */
function proposed(column: string, { dialect }: Tools): Fragment {
  const own = quoteIdentifier(column, dialect);
  return raw(dialect === "postgres" ? `excluded.${own}` : `VALUES(${own})`);
}
