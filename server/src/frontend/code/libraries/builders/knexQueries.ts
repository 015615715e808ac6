// knex' queries: what each method adds to a statement.
import { constantText, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { valueFragment, LOCKS, namesIn, quoteIdentifier, raw, joinFragments, sequence, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
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
  const not = (text: Fragment | undefined): Fragment | undefined =>
    text && (isNot ? sequence("NOT (", text, ")") : text);
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

/** A method of a query: the query with what the call adds; undefined where it is not known. */
export function extendQuery(
  query: Query,
  method: string,
  call: Call,
  tools: Tools,
): Query | undefined {
  const { draft } = query;
  const { dialect } = tools;
  const [first, second, third] = call.arguments;
  const put = (change: Partial<Draft>): Query => ({ ...query, draft: { ...draft, ...change } });
  const [, word, rest] = /^(?:(and|or)(?=[A-Z]))?((?:where|on)(?:[A-Z].*)?)$/iu.exec(method) ?? [];
  if (rest !== undefined && !rest.startsWith("onC")) {
    const name = rest.charAt(0).toLowerCase() + rest.slice(1);
    const holds = name.startsWith("on") ? joinCondition(name, call, tools) : conditionOf(name, call, tools); // prettier-ignore
    return holds && withCondition(query, holds, word === "or");
  }
  const [, kind] = /^(inner|left|right|full|leftOuter|rightOuter|fullOuter|cross)?join$/iu.exec(method) ?? []; // prettier-ignore
  if (/join$/iu.test(method)) {
    const join = joined(kind ?? "", call, tools);
    return join && put({ joins: [...draft.joins, join] });
  }
  if (/^(?:and)?having/iu.test(method)) {
    const name = method.replace(/^andH/u, "h");
    const holds = conditionOf(name, call, tools);
    return holds && put({ having: [...draft.having, holds] });
  }
  switch (method) {
    case "select":
    case "column":
    case "columns": {
      const columns = columnsOf(call.arguments, tools);
      return columns && put({ columns: [...draft.columns, ...columns] });
    }
    case "distinct": {
      const columns = columnsOf(call.arguments, tools);
      return columns && put({ isDistinct: true, columns: [...draft.columns, ...columns] });
    }
    case "distinctOn": {
      const columns = columnsOf(call.arguments, tools);
      return columns && put({ distinctOn: joinFragments(columns, ", ") });
    }
    case "first": {
      const columns = columnsOf(call.arguments, tools);
      return columns && { ...put({ columns: [...draft.columns, ...columns], limit: raw("1") }), isFirst: true }; // prettier-ignore
    }
    case "count":
    case "countDistinct":
    case "sum":
    case "sumDistinct":
    case "max":
    case "min":
    case "avg": {
      const column = aggregate(method, call.arguments, tools);
      return column && put({ columns: [...draft.columns, column] });
    }
    case "joinRaw":
      return first && put({ joins: [...draft.joins, rawText(first, second, tools)] });
    case "groupBy": {
      const keys = columnsOf(call.arguments, tools);
      return keys && put({ groupBy: [...draft.groupBy, ...keys] });
    }
    case "groupByRaw":
      return first && put({ groupBy: [...draft.groupBy, rawText(first, second, tools)] });
    case "orderByRaw":
      return first && put({ orderBy: [...draft.orderBy, rawText(first, second, tools)] });
    case "orderBy": {
      const items = first && tools.items(first);
      const keys = items
        ? items.map((item) => {
            const column = constantText(item) === undefined && item.kind === "object" ? tools.member(item, "column") : item; // prettier-ignore
            const order = item.kind === "object" ? tools.member(item, "order") : undefined;
            return orderKey(column, order, tools);
          })
        : [orderKey(first, second, tools)];
      if (third && third.kind !== "undefined") return undefined;
      return keys.every((key) => key !== undefined)
        ? put({ orderBy: [...draft.orderBy, ...keys] })
        : undefined;
    }
    case "limit":
    case "offset":
      return first && put({ [method]: valueFragment(first) });
    case "forUpdate":
    case "forShare":
    case "forNoKeyUpdate":
    case "forKeyShare": {
      const tables = columnsOf(call.arguments, tools);
      if (!tables) return undefined;
      const names = call.arguments.flatMap((each) => namesIn(each, tools));
      const of = names.map((each) => quoteIdentifier(each, dialect)).join(", ");
      return put({ lock: `${LOCKS[method] ?? ""}${of === "" ? "" : ` OF ${of}`}` });
    }
    case "skipLocked":
    case "noWait": {
      const wait = method === "noWait" ? "NOWAIT" : "SKIP LOCKED";
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} ${wait}` });
    }
    case "union":
    case "unionAll":
    case "intersect":
    case "except": {
      const given = first && (tools.items(first) ?? call.arguments.filter(({ kind }) => kind !== "scalar")); // prettier-ignore
      const queries = given?.map((each) => partQuery(each, tools));
      if (!queries?.every((each) => each !== undefined)) return undefined;
      const name = method === "unionAll" ? "UNION ALL" : method.toUpperCase();
      const parts = queries.map((each) => sequence(`${name} `, textOf(whole(each), dialect)));
      return put({ compound: joinFragments([...(draft.compound ? [draft.compound] : []), ...parts], " ") }); // prettier-ignore
    }
    case "with":
    case "withRecursive": {
      const name = constantText(first);
      const value = call.arguments.at(-1);
      const columns = third && second ? namesIn(second, tools).map((each) => quoteIdentifier(each, dialect)) : []; // prettier-ignore
      const made = value && partQuery(value, tools);
      const isText = value?.kind === "deferred" && isRaw(value.data);
      const inner = made ? textOf(whole(made), dialect) : isText && value ? part(value, tools) : undefined; // prettier-ignore
      if (name === undefined || !inner) return undefined;
      const start = method === "with" ? "WITH " : "WITH RECURSIVE ";
      const head = `${quoteIdentifier(name, dialect)}${columns.length > 0 ? ` (${columns.join(", ")})` : ""} AS (`; // prettier-ignore
      const before = draft.prefix ? sequence(draft.prefix, ", ") : start;
      return put({ prefix: sequence(before, head, inner, ")") });
    }
    case "insert": {
      const rows = first && rowsIn(first, draft, tools);
      const returning = columnsOf(second ? [second] : [], tools);
      return rows && returning && put({ verb: "insert", ...rows, returning });
    }
    case "update": {
      const single = constantText(first);
      const update: Draft = { ...draft, verb: "update" };
      const set =
        single !== undefined && second
          ? setIn(tools.object({ [single]: second }), update, tools)
          : first && setIn(first, update, tools);
      const back = single === undefined ? second : third;
      const returning = back && back.kind !== "object" ? columnsOf([back], tools) : draft.returning;
      return set && returning && put({ verb: "update", set: [...draft.set, ...set], returning });
    }
    case "increment":
    case "decrement": {
      const column = constantText(first);
      const fields = column === undefined && first ? tools.fields(first) : undefined;
      const by = second ? valueFragment(second) : raw("1");
      const changes = fields
        ? [...fields].map(([each, amount]) => [each, valueFragment(amount)] as const)
        : column === undefined
          ? []
          : [[column, by] as const];
      if (changes.length === 0) return undefined;
      const sign = method === "increment" ? "+" : "-";
      const set = changes.map(([each, amount]): Draft["set"][number] => {
        return [each, sequence(`${quoteIdentifier(each, dialect)} ${sign} `, amount)];
      });
      return put({ verb: "update", set: [...draft.set, ...set] });
    }
    case "del":
    case "delete": {
      const returning = first && first.kind !== "object" ? columnsOf([first], tools) : draft.returning; // prettier-ignore
      return returning && put({ verb: "delete", returning });
    }
    case "returning": {
      const returning = columnsOf(first ? [first] : [], tools);
      return returning && put({ returning });
    }
    case "onConflict": {
      if (!first || first.kind === "undefined") return put({ conflict: raw(" ON CONFLICT") });
      const columns = columnsOf([first], tools);
      const isText = first.kind === "deferred";
      const target = columns && joinFragments(columns, ", ");
      return target && put({ conflict: isText ? sequence(" ON CONFLICT ", target) : sequence(" ON CONFLICT (", target, ")") }); // prettier-ignore
    }
    case "ignore":
      return put({ conflict: sequence(draft.conflict ?? " ON CONFLICT", " DO NOTHING") });
    case "merge":
      return merged(query, first, tools);
    case "pluck": {
      const column = columnOf(first, tools);
      const name = constantText(first)?.split(".").at(-1) ?? "";
      return column && { ...put({ columns: [column] }), plucked: name };
    }
    case "as": {
      const alias = constantText(first);
      return alias === undefined ? undefined : { ...query, alias };
    }
    case "clearSelect":
      return put({ columns: [] });
    case "clearOrder":
      return put({ orderBy: [] });
    case "clearGroup":
      return put({ groupBy: [] });
    case "clearWhere": {
      const { otherwise: _otherwise, ...rest } = put({ where: [] });
      return rest;
    }
    case "from":
    case "into":
    case "table": {
      const table = tableOf(first, tools);
      return table && put({ table });
    }
    case "timeout":
    case "queryContext":
      return query;
    default:
      return undefined;
  }
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
function merged({ ...query }: Query, first: Value | undefined, tools: Tools): Query | undefined {
  const { draft } = query;
  const { dialect } = tools;
  const isPostgres = dialect === "postgres";
  const head = isPostgres ? (draft.conflict ?? raw(" ON CONFLICT")) : [];
  const word = isPostgres ? " DO UPDATE SET " : " ON DUPLICATE KEY UPDATE ";
  if (!first || first.kind === "undefined") {
    return { ...query, draft: { ...draft, conflict: sequence(head, word), mergesRow: true } };
  }
  const names = namesIn(first, tools);
  const count = tools.items(first)?.length ?? names.length;
  const set = names.length > 0 && names.length === count ? names.map((each) => [each, proposed(each, tools)] as const) : setIn(first, { ...draft, verb: "update" }, tools); // prettier-ignore
  if (!set || set.length === 0) return undefined;
  const parts = set.map(([column, value]) =>
    sequence(`${quoteIdentifier(column, dialect)} = `, value),
  );
  return {
    ...query,
    draft: { ...draft, conflict: sequence(head, word, joinFragments(parts, ", ")) },
  };
}

/** The values of the row that was to be inserted. */
function proposed(column: string, { dialect }: Tools): Fragment {
  const own = quoteIdentifier(column, dialect);
  return raw(dialect === "postgres" ? `excluded.${own}` : `VALUES(${own})`);
}
