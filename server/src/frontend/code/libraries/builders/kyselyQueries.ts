// Kysely's queries: what each method adds to a statement.
import { kindGuard } from "../kindGuard";
import { constantText, scalar, type HandleValue, type Value } from "../../values";
import type { Call, Tools } from "../library";
import { traverse } from "../../traverse";
import { allOf, either, namesIn, raw, insertRows, joinFragments, sequence, setText, textOf, type Draft, type Fragment } from "./draft"; // prettier-ignore
import { adds, addsAll, argument, bounds, clears, compounds, drops, keeps, locks, methods, puts, waits, type Reader, type Step } from "./methods"; // prettier-ignore
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

export const isJoining = kindGuard<Joining>("joining");

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
function joined({ method, arguments: [first, second, third], tools }: Step): Fragment | undefined {
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

const compared: Reader<Fragment> = ({ method, arguments: args, tools }) =>
  (method.endsWith("Ref") ? comparedRefs : conditionOf)(args, tools);

const METHODS = methods<Query>({
  select: addsAll("columns", argument(columnsIn)),
  selectAll: addsAll("columns", ({ arguments: [of], tools }) =>
    of ? referencesIn(of, tools)?.map((table) => sequence(table, ".*")) : [raw("*")],
  ),
  distinct: puts(() => ({ isDistinct: true })),
  distinctOn: puts(({ arguments: [of], tools }) => {
    const columns = referencesIn(of, tools);
    return columns && { distinctOn: joinFragments(columns, ", ") };
  }),
  "where whereRef": adds("where", compared),
  "having havingRef": adds("having", compared),
  "innerJoin leftJoin rightJoin fullJoin crossJoin innerJoinLateral leftJoinLateral": adds(
    "joins",
    joined,
  ),
  "from using": puts(({ arguments: [of], tools }, { from }) => {
    const tables = tableOf(of, tools);
    return tables && { from: from ? sequence(from, ", ", tables) : tables };
  }),
  groupBy: addsAll("groupBy", ({ arguments: [of], tools }) => referencesIn(of, tools)),
  orderBy: adds("orderBy", ({ arguments: [of, order], tools }) => {
    const [, name, way] = /^(\S+)\s+(asc|desc)$/iu.exec(constantText(of) ?? "") ?? [];
    const key = name === undefined ? reference(of, tools) : raw(identifier(name, tools));
    const direction = way === undefined ? directionOf(order, tools) : raw(` ${way}`);
    return key && direction && sequence(key, direction);
  }),
  "limit offset": bounds(argument(fragment)),
  "union unionAll intersect except": compounds(({ arguments: args, tools }) =>
    traverse(args.slice(0, 1), (each) => operand(each, tools)),
  ),
  "forUpdate forShare forNoKeyUpdate forKeyShare": locks(({ arguments: [of], tools }) =>
    namesIn(of, tools).map((each) => identifier(each, tools)),
  ),
  "skipLocked noWait nowait": waits,
  set: puts(({ arguments: [of, value], tools }, draft) => {
    if (!value) {
      const set = of && setIn(of, draft, tools);
      return set && { set: [...draft.set, ...set] };
    }
    const name = constantText(of);
    if (name === undefined) return undefined;
    const column = databaseName(name, tools);
    const text = columnSet(column, value, draft, tools);
    return { set: [...draft.set, ...(text ? [[column, text] as const] : [])] };
  }),
  values: puts(({ arguments: [of], tools }, draft) => {
    const rows = of?.kind === "function" ? callBuilder(of, [tools.handle("eb")], tools) : of;
    return rows && insertRows(rows, (item) => setIn(item, draft, tools), tools);
  }),
  defaultValues: puts(() => ({ rows: [] })),
  columns: puts(({ arguments: [of], tools }) => ({
    columns: namesIn(of, tools).map((each) => raw(identifier(each, tools))),
  })),
  expression: puts(({ arguments: [of], tools }) => {
    const taken = of && operand(of, tools);
    return taken && { taken };
  }),
  returning: addsAll("returning", argument(columnsIn)),
  returningAll: adds("returning", () => raw("*")),
  onConflict: puts(
    ({ arguments: [of], source, tools }, draft) =>
    of?.kind === "function" ? conflict({ kind: "query", draft, target: [], source }, of, tools) : undefined, // prettier-ignore
  ),
  clearSelect: clears("columns"),
  clearWhere: clears("where"),
  clearOrderBy: clears("orderBy"),
  clearGroupBy: clears("groupBy"),
  clearReturning: clears("returning"),
  clearLimit: drops("limit"),
  clearOffset: drops("offset"),
  "$castTo $narrowType $assertType $asTuple $notNull": keeps,
});

/** A method of a query: the query with what the call adds; undefined where it is not known. */
export function extendQuery(
  query: Query,
  method: string,
  call: Call,
  tools: Tools,
): Query | undefined {
  return METHODS.get(method)?.(query, { ...call, method, tools });
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
  start: Query,
  callback: Extract<Value, { kind: "function" }>,
  tools: Tools,
): Partial<Draft> | undefined {
  const made = dataOf(callBuilder(callback, [tools.handle("conflict", start)], tools));
  const text = isQuery(made) ? made.draft.conflict : undefined;
  return text && { conflict: text };
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
      const head = query.draft.conflict ?? raw(on);
      return put(sequence(head, " DO UPDATE SET ", setText(set, tools.dialect)), { target: [] });
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
