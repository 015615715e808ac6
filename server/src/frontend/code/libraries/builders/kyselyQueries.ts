// Kysely's queries: what each method adds to a statement.
import { constantText, scalar, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { allOf, either, LOCKS, namesIn, quoteIdentifier, raw, insertRows, joinFragments, sequence, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
import {
  callBuilder,
  columnsIn,
  columnSet,
  comparedRefs,
  conditionOf,
  dataOf,
  directionOf,
  fragment,
  isQuery,
  reference,
  referencesIn,
  setIn,
  tableOf,
  type Query,
} from "./kyselyParts";
import { identifier, databaseName } from "./kyselyNames";

/** The conditions of a callback of a join so far. */
interface Joining {
  readonly kind: "joining";
  readonly on: readonly Fragment[];
}

export const isJoining = (data: unknown): data is Joining =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "joining";

/** `join.onRef("a.id", "=", "b.id").on("b.kind", "=", 1)`. */
export function joinCall(
  handle: HandleValue,
  { on }: Joining,
  call: Call,
  tools: Tools,
): Value | undefined {
  const method = handle.path.split(".").at(-1);
  const condition =
    method === "onRef"
      ? comparedRefs(call.arguments, tools)
      : method === "on"
        ? conditionOf(call.arguments, tools)
        : method === "onTrue"
          ? raw("TRUE")
          : undefined;
  return condition && tools.handle("join", { kind: "joining", on: [...on, condition] });
}

/** `JOIN ... ON ...`; undefined where table or condition are not known. */
function joined(method: string, call: Call, tools: Tools): Fragment | undefined {
  const [first, second, third] = call.arguments;
  const [, kind = ""] = /^(inner|left|right|full|cross)Join/u.exec(method) ?? [];
  const table = tableOf(first, tools);
  if (!table) return undefined;
  const word = kind === "inner" ? "JOIN " : `${kind.toUpperCase()} JOIN `;
  const side = sequence(word, method.endsWith("Lateral") ? "LATERAL " : "", table);
  if (kind === "cross") return side;
  if (second?.kind === "function") {
    const made = dataOf(
      callBuilder(second, [tools.handle("join", { kind: "joining", on: [] })], tools),
    );
    if (!isJoining(made)) return undefined;
    return sequence(side, " ON ", made.on.length === 0 ? "TRUE" : allOf(made.on));
  }
  const [left, right] = [reference(second, tools), reference(third, tools)];
  return left && right && sequence(side, " ON ", left, " = ", right);
}

/** A method of a query: the query with what the call adds; undefined where it is not known. */
export function extendQuery(
  query: Query,
  method: string,
  call: Call,
  tools: Tools,
): Query | undefined {
  const { draft } = query;
  const [first, second] = call.arguments;
  const put = (change: Partial<Draft>): Query => ({ ...query, draft: { ...draft, ...change } });
  switch (method) {
    case "select": {
      const columns = columnsIn(first, tools);
      return columns && put({ columns: [...draft.columns, ...columns] });
    }
    case "selectAll": {
      const tables = first ? referencesIn(first, tools) : [];
      const all = tables?.map((table) => sequence(table, ".*"));
      return all && put({ columns: [...draft.columns, ...(first ? all : [raw("*")])] });
    }
    case "distinct":
      return put({ isDistinct: true });
    case "distinctOn": {
      const columns = referencesIn(first, tools);
      return columns && put({ distinctOn: joinFragments(columns, ", ") });
    }
    case "where":
    case "whereRef": {
      const compared = method === "where" ? conditionOf : comparedRefs;
      const condition = compared(call.arguments, tools);
      return condition && put({ where: [...draft.where, condition] });
    }
    case "having":
    case "havingRef": {
      const compared = method === "having" ? conditionOf : comparedRefs;
      const condition = compared(call.arguments, tools);
      return condition && put({ having: [...draft.having, condition] });
    }
    case "innerJoin":
    case "leftJoin":
    case "rightJoin":
    case "fullJoin":
    case "crossJoin":
    case "innerJoinLateral":
    case "leftJoinLateral": {
      const join = joined(method, call, tools);
      return join && put({ joins: [...draft.joins, join] });
    }
    case "from":
    case "using": {
      const tables = tableOf(first, tools);
      return tables && put({ from: draft.from ? sequence(draft.from, ", ", tables) : tables });
    }
    case "groupBy": {
      const keys = referencesIn(first, tools);
      return keys && put({ groupBy: [...draft.groupBy, ...keys] });
    }
    case "orderBy": {
      const [, name, way] = /^(\S+)\s+(asc|desc)$/iu.exec(constantText(first) ?? "") ?? [];
      const key = name === undefined ? reference(first, tools) : raw(identifier(name, tools));
      const direction = way === undefined ? directionOf(second, tools) : raw(` ${way}`);
      return key && direction && put({ orderBy: [...draft.orderBy, sequence(key, direction)] });
    }
    case "limit":
    case "offset": {
      const many = first && fragment(first, tools);
      return many && put({ [method]: many });
    }
    case "union":
    case "unionAll":
    case "intersect":
    case "except": {
      const other = first && operand(first, tools);
      const word = method === "unionAll" ? "UNION ALL" : method.toUpperCase();
      const before = draft.compound ? sequence(draft.compound, " ") : [];
      return other && put({ compound: sequence(before, `${word} `, other) });
    }
    case "forUpdate":
    case "forShare":
    case "forNoKeyUpdate":
    case "forKeyShare": {
      const tables = first ? namesIn(first, tools).map((each) => identifier(each, tools)) : [];
      const of = tables.length > 0 ? ` OF ${tables.join(", ")}` : "";
      return put({ lock: `${LOCKS[method] ?? ""}${of}` });
    }
    case "skipLocked":
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} SKIP LOCKED` });
    case "noWait":
    case "nowait":
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} NOWAIT` });
    case "set": {
      const name = second && constantText(first);
      if (second && name === undefined) return undefined;
      const column = databaseName(name ?? "", tools);
      const value = second && columnSet(column, second, draft, tools);
      const set = second ? (value ? [[column, value] as const] : []) : first && setIn(first, draft, tools); // prettier-ignore
      return set && put({ set: [...draft.set, ...set] });
    }
    case "values": {
      const row = (item: Value): ReadonlyMap<string, Fragment> | undefined => {
        const set = setIn(item, draft, tools);
        return set && new Map(set);
      };
      const given =
        first?.kind === "function" ? callBuilder(first, [tools.handle("eb")], tools) : first;
      const rows = given && insertRows(given, row, tools);
      return rows && put(rows);
    }
    case "defaultValues":
      return put({ rows: [] });
    case "columns":
      return put({ columns: namesIn(first, tools).map((each) => raw(identifier(each, tools))) });
    case "expression": {
      const taken = first && operand(first, tools);
      return taken && put({ taken });
    }
    case "returning": {
      const columns = columnsIn(first, tools);
      return columns && put({ returning: [...draft.returning, ...columns] });
    }
    case "returningAll":
      return put({ returning: [...draft.returning, raw("*")] });
    case "onConflict":
      return first?.kind === "function" ? conflict(query, first, tools) : undefined;
    case "clearSelect":
      return put({ columns: [] });
    case "clearWhere":
      return put({ where: [] });
    case "clearOrderBy":
      return put({ orderBy: [] });
    case "clearGroupBy":
      return put({ groupBy: [] });
    case "clearReturning":
      return put({ returning: [] });
    case "clearLimit": {
      const { limit: _limit, ...rest } = draft;
      return { ...query, draft: rest };
    }
    case "clearOffset": {
      const { offset: _offset, ...rest } = draft;
      return { ...query, draft: rest };
    }
    case "$castTo":
    case "$narrowType":
    case "$assertType":
    case "$asTuple":
    case "$notNull":
      return query;
    default:
      return undefined;
  }
}

/** A query without brackets, or a part. */
export function operand(value: Value, tools: Tools): Fragment | undefined {
  const made = value.kind === "function" ? callBuilder(value, [tools.handle("eb")], tools) : value;
  const data = dataOf(made);
  if (isQuery(data))
    return data.unread === undefined ? textOf(data.draft, tools.dialect) : undefined;
  return made.kind === "handle" ? fragment(made, tools) : undefined;
}

/** `$if(condition, (query) => ...)`: the query, or one of two where these differ in more than conditions. */
export function perhaps(
  handle: HandleValue,
  query: Query,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first, second] = call.arguments;
  if (!first || !second) return undefined;
  const condition = tools.condition(first);
  const isKnown = condition.kind === "literal";
  if (isKnown && condition.value !== true) return handle;
  const then = (): Value => tools.call(second, [handle], call.source);
  if (isKnown) return then();
  const made = second.kind === "function" ? callBuilder(second, [handle], tools) : then();
  const data = dataOf(made);
  if (!isQuery(data)) return undefined;
  const draft = data.unread === query.unread ? either(scalar(condition, "bool"), data.draft, query.draft) : undefined; // prettier-ignore
  if (draft) return { ...handle, data: { ...query, draft } };
  return { kind: "choice", condition, then: made, otherwise: handle };
}

/** `onConflict((oc) => oc.column("id").doNothing())`. */
function conflict(
  query: Query,
  callback: Extract<Value, { kind: "function" }>,
  tools: Tools,
): Query | undefined {
  const { source, draft } = query;
  const start: Query = { kind: "query", draft, target: [], source };
  const made = dataOf(callBuilder(callback, [tools.handle("conflict", start)], tools));
  const text = isQuery(made) ? made.draft.conflict : undefined;
  return text && { ...query, draft: { ...draft, conflict: text } };
}

/** The answer of a callback of `onConflict`. */
export function conflictCall(
  handle: HandleValue,
  query: Query,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first] = call.arguments;
  const columns = (query.target ?? []).join(", ");
  const on = /^ON CONSTRAINT /u.test(columns) ? ` ON CONFLICT ${columns}` : ` ON CONFLICT${columns === "" ? "" : ` (${columns})`}`; // prettier-ignore
  const again = (change: Partial<Query>): Value => ({
    ...handle,
    path: "conflict",
    data: { ...query, ...change },
  });
  const put = (conflict: Fragment, more: Partial<Query> = {}): Value =>
    again({ ...more, draft: { ...query.draft, conflict } });
  switch (handle.path) {
    case "conflict.column":
    case "conflict.columns": {
      const named = namesIn(first, tools).map((name) => identifier(name, tools));
      const count = first && tools.items(first)?.length;
      if (named.length === 0 || (count !== undefined && named.length < count)) return undefined;
      return again({ target: [...(query.target ?? []), ...named] });
    }
    case "conflict.constraint": {
      const name = constantText(first);
      if (name === undefined) return undefined;
      return again({ target: [`ON CONSTRAINT ${identifier(name, tools)}`] });
    }
    case "conflict.doNothing":
      return put(sequence(query.draft.conflict ?? on, " DO NOTHING"));
    case "conflict.doUpdateSet": {
      const set = first && setIn(first, { verb: "update", table: query.draft.table }, tools);
      if (!set) return undefined;
      const list = set.map(([name, value]) =>
        sequence(`${quoteIdentifier(name, tools.dialect)} = `, value),
      );
      const head = query.draft.conflict ?? raw(on);
      return put(sequence(head, " DO UPDATE SET ", joinFragments(list, ", ")), { target: [] });
    }
    case "conflict.where":
    case "conflict.whereRef": {
      const compared = handle.path === "conflict.where" ? conditionOf : comparedRefs;
      const holds = compared(call.arguments, tools);
      if (!holds) return undefined;
      // Before the update it chooses a partial index.
      const before = query.draft.conflict ?? raw(on);
      const isMore = query.isGuarded === true;
      return put(sequence(before, isMore ? " AND (" : " WHERE (", holds, ")"), { isGuarded: true });
    }
    default:
      return undefined;
  }
}
