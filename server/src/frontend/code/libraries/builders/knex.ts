// knex: query builders by table names, `raw`, transactions by callback or by hand.
import {
  constantScalar,
  constantText,
  textOf as valueText,
  UNDEFINED,
  unknown,
  type HandleValue,
  type Value,
} from "../../values";
import { levelOf } from "../levels";
import type { Call, Library, SqlOutcome, Tools } from "../library";
import { parametersIn, rowsOf } from "../rawSql";
import { ownConnection } from "../ownConnection";
import {
  allOf,
  draftOf,
  either,
  flagOf,
  given,
  namesIn,
  quoted,
  raw,
  rowsGiven,
  runDraft,
  runUnread,
  separated,
  sequence,
  textOf,
  type Draft,
  type Fragment,
} from "./draft";
import { asksBuilder, knexShape } from "./shapes";

interface Query {
  readonly draft: Draft;
  /** Only the first row is asked for. */
  readonly isFirst: boolean;
  /** Only the values of that column are asked for. */
  readonly plucked?: string;
  /** The statement as it is written: what the code reads first. */
  readonly source: Call["source"];
}

const isQuery = (data: unknown): data is Query =>
  typeof data === "object" && data !== null && "draft" in data;

/** Queries are changed in place: what a variable holds is a record with the query by now. */
interface Held {
  readonly kind: "held";
  readonly held: Value;
}

const isHeld = (data: unknown): data is Held =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "held";

function held(query: Query, tools: Tools): Held {
  return { kind: "held", held: tools.object({ query: tools.handle("query", query) }) };
}

/** The query by now; undefined where it differs by path in more than its conditions. */
function queryIn(data: Held, tools: Tools): Query | undefined {
  return queryOf(tools.member(data.held, "query"));
}

function queryOf(value: Value): Query | undefined {
  if (value.kind === "handle") return isQuery(value.data) ? value.data : undefined;
  if (value.kind !== "choice") return undefined;
  const [then, otherwise] = [queryOf(value.then), queryOf(value.otherwise)];
  if (!then || !otherwise) return undefined;
  const draft = either(flagOf(value), then.draft, otherwise.draft);
  return draft && { ...then, draft };
}

/** A method of a query: the query with what the call adds; undefined where it is not known. */
function extended(query: Query, method: string, call: Call, tools: Tools): Query | undefined {
  const { draft } = query;
  const [first, second, third] = call.arguments;
  const put = (change: Partial<Draft>): Query => ({ ...query, draft: { ...draft, ...change } });
  const { dialect } = tools;
  const name = (value: Value | undefined): string => quoted(constantText(value) ?? "?", dialect);
  const also = (condition: Fragment | undefined): Query | undefined =>
    condition && put({ where: [...draft.where, condition] });
  switch (method) {
    case "having":
    case "andHaving": {
      const holds = condition(first, second, third, tools);
      return holds && put({ having: [...draft.having, holds] });
    }
    case "whereExists":
    case "whereNotExists": {
      const query = first && subquery(first, tools);
      return query && also(sequence(method === "whereExists" ? "EXISTS " : "NOT EXISTS ", query));
    }
    case "where":
    case "andWhere":
      return also(condition(first, second, third, tools));
    case "whereNot":
      return also(negated(condition(first, second, third, tools)));
    case "orWhere": {
      const other = condition(first, second, third, tools);
      if (!other) return undefined;
      const before = draft.where.map((each) => sequence("(", each, ")"));
      return put({ where: [sequence("(", separated(before, " AND "), ") OR (", other, ")")] });
    }
    case "whereIn":
      return also(membership(first, second, "IN", tools));
    case "whereNotIn":
      return also(membership(first, second, "NOT IN", tools));
    case "whereNull":
      return also(raw(`${name(first)} IS NULL`));
    case "whereNotNull":
      return also(raw(`${name(first)} IS NOT NULL`));
    case "whereBetween": {
      const [low, high] = (second && tools.items(second)) ?? [];
      if (!low || !high) return undefined;
      return also(sequence(`${name(first)} BETWEEN `, given(low), " AND ", given(high)));
    }
    case "whereRaw":
      return first && also(rawText(first, second, tools));
    case "select":
    case "column":
    case "columns": {
      const names = call.arguments.flatMap((each) => columnsIn(each, tools));
      return put({ columns: [...draft.columns, ...names] });
    }
    case "distinct":
      return put({
        isDistinct: true,
        columns: [
          ...draft.columns,
          ...namesIn(first, tools).map((each) => raw(quoted(each, dialect))),
        ],
      });
    case "first": {
      const columns = call.arguments.flatMap((each) => columnsIn(each, tools));
      const more = columns.length > 0 ? { columns } : {};
      return { ...put({ ...more, limit: raw("1") }), isFirst: true };
    }
    case "count":
    case "sum":
    case "max":
    case "min":
    case "avg":
      return put({ columns: [...draft.columns, aggregate(method, first, tools)] });
    case "join":
    case "innerJoin":
    case "leftJoin": {
      const kind = method === "leftJoin" ? "LEFT JOIN" : "JOIN";
      const [left, right] = [second, call.arguments.at(-1)];
      const on = `${kind} ${tableName(first, dialect)} ON ${name(left)} = ${name(right)}`;
      return put({ joins: [...draft.joins, raw(on)] });
    }
    case "groupBy":
      return put({ groupBy: namesIn(first, tools).map((each) => raw(quoted(each, dialect))) });
    case "orderBy": {
      const keys = first?.kind === "list" ? tools.items(first) : undefined;
      if (keys) {
        const parts = keys.map((key) => {
          const column = constantText(key) ?? constantText(tools.member(key, "column"));
          const down = /^desc$/iu.test(constantText(tools.member(key, "order")) ?? "");
          return raw(`${quoted(column ?? "?", dialect)}${down ? " DESC" : ""}`);
        });
        return put({ orderBy: [...draft.orderBy, ...parts] });
      }
      const isDown = constantText(second)?.toLowerCase() === "desc";
      return put({ orderBy: [...draft.orderBy, raw(`${name(first)}${isDown ? " DESC" : ""}`)] });
    }
    case "limit":
      return first && put({ limit: given(first) });
    case "offset":
      return first && put({ offset: given(first) });
    case "forUpdate":
      return put({ lock: "FOR UPDATE" });
    case "forShare":
      return put({ lock: "FOR SHARE" });
    case "forNoKeyUpdate":
      return put({ lock: "FOR NO KEY UPDATE" });
    case "skipLocked":
    case "noWait": {
      const wait = method === "noWait" ? "NOWAIT" : "SKIP LOCKED";
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} ${wait}` });
    }
    case "insert": {
      const rows = first && rowsIn(first, tools);
      return rows && put({ verb: "insert", ...rows, returning: returned(second, tools) });
    }
    case "update": {
      const single = constantText(first);
      const set =
        single !== undefined && second
          ? [[single, given(second)] as const]
          : first && setIn(first, tools);
      return set && put({ verb: "update", set });
    }
    case "increment":
    case "decrement": {
      const column = constantText(first);
      const fields = column === undefined && first ? tools.fields(first) : undefined;
      const by = second ? given(second) : raw("1");
      const changes = fields
        ? [...fields].map(([each, amount]) => [each, given(amount)] as const)
        : column === undefined
          ? []
          : [[column, by] as const];
      if (changes.length === 0) return undefined;
      const sign = method === "increment" ? "+" : "-";
      const set = changes.map(([each, amount]): Draft["set"][number] => {
        return [each, sequence(`${quoted(each, dialect)} ${sign} `, amount)];
      });
      return put({ verb: "update", set: [...draft.set, ...set] });
    }
    case "del":
    case "delete":
      return put({ verb: "delete" });
    case "returning":
      return put({ returning: returned(first, tools) });
    case "onConflict": {
      const columns = namesIn(first, tools).map((each) => quoted(each, dialect));
      return put({
        conflict: raw(` ON CONFLICT${columns.length > 0 ? ` (${columns.join(", ")})` : ""}`),
      });
    }
    case "ignore":
      return put({ conflict: sequence(draft.conflict ?? " ON CONFLICT", " DO NOTHING") });
    case "merge": {
      const [row] = draft.rows;
      const names = first ? namesIn(first, tools) : [...(row?.keys() ?? [])];
      const isPostgres = dialect === "postgres";
      // The row that was to be inserted.
      const proposed = (column: string): Fragment =>
        raw(
          isPostgres ? `excluded.${quoted(column, dialect)}` : `VALUES(${quoted(column, dialect)})`,
        );
      const set =
        names.length > 0
          ? names.map((column) => [column, proposed(column)] as const)
          : first && setIn(first, tools);
      if (!set) return undefined;
      const parts = set.map(([column, value]) => sequence(`${quoted(column, dialect)} = `, value));
      const head = isPostgres ? (draft.conflict ?? "") : "";
      const word = isPostgres ? " DO UPDATE SET " : " ON DUPLICATE KEY UPDATE ";
      return put({ conflict: sequence(head, word, separated(parts, ", ")) });
    }
    case "pluck":
      return { ...put({ columns: [raw(name(first))] }), plucked: constantText(first) ?? "" };
    case "transacting":
    case "clone":
    case "timeout":
    case "from":
    case "into":
    case "table":
      return method === "from" || method === "into" || method === "table"
        ? put({ table: raw(tableName(first, dialect)) })
        : query;
    default:
      return undefined;
  }
}

/** `where({ a: 1 })`, `where("a", 1)`, `where("a", ">", 1)`, `where((q) => ...)`. */
function condition(
  first: Value | undefined,
  second: Value | undefined,
  third: Value | undefined,
  tools: Tools,
): Fragment | undefined {
  if (!first) return undefined;
  const name = constantText(first);
  if (name !== undefined && second) {
    const own = quoted(name, tools.dialect);
    if (!third) return compared(own, "=", second);
    return compared(own, constantText(second) ?? "=", third);
  }
  if (first.kind === "deferred" && isRaw(first.data)) return first.data.text;
  if (first.kind === "function") return group(first, tools);
  const fields = tools.fields(first);
  if (!fields) return undefined;
  const parts = [...fields].map(([column, value]) =>
    compared(quoted(column, tools.dialect), "=", value),
  );
  return parts.length === 0 ? raw("TRUE") : separated(parts, " AND ");
}

/** The conditions that a callback adds to the builder that it gets, as its argument and as `this`. */
function group(callback: Extract<Value, { kind: "function" }>, tools: Tools): Fragment | undefined {
  const start = { line: 0, character: 0 };
  const source = { file: callback.scope.module.file, range: { start, end: start } };
  const inner = held({ draft: draftOf("select", []), isFirst: false, source }, tools);
  const builder = tools.handle("query", inner);
  tools.call({ ...callback, self: builder }, [builder], source);
  const { where = [] } = queryIn(inner, tools)?.draft ?? {};
  return where.length === 0 ? raw("TRUE") : allOf(where);
}

/** A query as a part of another one. */
function subquery(value: Value, tools: Tools): Fragment | undefined {
  const query =
    value.kind === "handle" && isHeld(value.data) ? queryIn(value.data, tools) : undefined;
  return query && sequence("(", textOf(query.draft, tools.dialect), ")");
}

function compared(column: string, operator: string, value: Value): Fragment {
  const isNull = value.kind === "undefined" || constantScalar(value) === null;
  if (isNull && operator === "=") return raw(`${column} IS NULL`);
  return sequence(`${column} ${operator} `, given(value));
}

function negated(condition: Fragment | undefined): Fragment | undefined {
  return condition && sequence("NOT (", condition, ")");
}

function membership(
  first: Value | undefined,
  second: Value | undefined,
  operator: string,
  tools: Tools,
): Fragment | undefined {
  const name = constantText(first);
  const items = second && tools.members(second);
  if (name === undefined || !second) return undefined;
  const own = quoted(name, tools.dialect);
  const query = subquery(second, tools);
  if (query) return sequence(`${own} ${operator} `, query);
  if (!items) return sequence(`${own} ${operator} (`, given(second), ")");
  if (items.length === 0) return raw(operator === "IN" ? "FALSE" : "TRUE");
  return sequence(`${own} ${operator} (`, separated(items.map(given), ", "), ")");
}

/** `"a as b"`, `{ b: "a" }`, raw text, or a list of these. */
function columnsIn(value: Value, tools: Tools): readonly Fragment[] {
  const name = constantText(value);
  if (name !== undefined) {
    const [column = name, alias] = name.split(/\s+as\s+/iu);
    const as = alias === undefined ? "" : ` AS ${quoted(alias, tools.dialect)}`;
    return [raw(`${quoted(column.trim(), tools.dialect)}${as}`)];
  }
  if (value.kind === "deferred" && isRaw(value.data)) return [value.data.text];
  return (tools.items(value) ?? []).flatMap((item) => columnsIn(item, tools));
}

/** `sum("a as b")`, `sum({ b: "a" })`, `count()`. */
function aggregate(name: string, value: Value | undefined, tools: Tools): Fragment {
  const { dialect } = tools;
  const [named] = value?.kind === "object" ? [...(tools.fields(value) ?? [])] : [];
  const written = named ? constantText(named[1]) : constantText(value);
  const [column = "*", other = name] = (written ?? "*").split(/\s+as\s+/iu);
  const inner = column === "*" ? "*" : quoted(column.trim(), dialect);
  return raw(`${name}(${inner}) AS ${quoted(named?.[0] ?? other, dialect)}`);
}

function rowsIn(value: Value, tools: Tools): ReturnType<typeof rowsGiven> {
  const row = (item: Value): ReadonlyMap<string, Fragment> | undefined => {
    const set = setIn(item, tools);
    return set && new Map(set);
  };
  return rowsGiven(value, row, tools);
}

function setIn(value: Value, tools: Tools): Draft["set"] | undefined {
  const fields = tools.fields(value);
  if (!fields) return undefined;
  return [...fields]
    .filter(([, each]) => each.kind !== "undefined")
    .map(([column, each]) => {
      const text = each.kind === "deferred" && isRaw(each.data) ? each.data.text : given(each);
      return [column, text] as const;
    });
}

function returned(value: Value | undefined, tools: Tools): readonly Fragment[] {
  return namesIn(value, tools).map((each) => raw(quoted(each, tools.dialect)));
}

function tableName(value: Value | undefined, dialect: Tools["dialect"]): string {
  const written = constantText(value) ?? "?";
  const [table = written, alias] = written.split(/\s+as\s+/iu);
  return `${quoted(table.trim(), dialect)}${alias === undefined ? "" : ` AS ${quoted(alias, dialect)}`}`;
}

/** `raw(...)`: a part of another query, or a query of its own once it is awaited. */
interface Raw {
  readonly text: Fragment;
  readonly value: Value;
}

const isRaw = (data: unknown): data is Raw =>
  typeof data === "object" && data !== null && "text" in data && "value" in data;

function rawPart(
  { connection }: HandleValue,
  text: Value,
  bindings: Value | undefined,
  { source }: Call,
  tools: Tools,
): Value {
  const data: Raw = { text: rawText(text, bindings, tools), value: text };
  const run = (): Value => {
    const parameters = bindings ? parametersIn(bindings, tools) : {};
    const outcome = tools.sql(connection, text, parameters, source);
    return tools.object({ rows: rowsOf(outcome, tools), rowCount: outcome.count });
  };
  return { kind: "deferred", data, run };
}

/** Text with `?` for its bindings. */
function rawText(text: Value, bindings: Value | undefined, tools: Tools): Fragment {
  const whole = constantText(text);
  const items = bindings ? (tools.items(bindings) ?? [bindings]) : [];
  if (whole === undefined) return text.kind === "text" ? text.parts : given(text);
  const pieces = whole.split("?");
  return pieces.flatMap((piece, at) => {
    const item = items[at];
    return at < pieces.length - 1 && item ? sequence(piece, given(item)) : raw(piece);
  });
}

/** What a query gives when it is awaited. */
function run(handle: HandleValue, query: Query, tools: Tools): Value {
  const outcome = runDraft(query.draft, handle.connection, query.source, tools);
  return resultOf(query, outcome, tools);
}

function resultOf({ draft, isFirst, plucked }: Query, outcome: SqlOutcome, tools: Tools): Value {
  if (draft.verb !== "select" && draft.returning.length === 0) {
    if (draft.verb !== "insert" || tools.dialect === "postgres") return outcome.count;
    return tools.list([outcome.insertId ?? unknown("the number that an INSERT made")]);
  }
  const rows = rowsOf(outcome, tools);
  if (plucked !== undefined) {
    return { kind: "derived", from: rows, how: "map", by: tools.handle("pluck", plucked) };
  }
  return isFirst ? tools.firstRow(rows) : rows;
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value {
  const callback = call.arguments.find((each) => each.kind === "function");
  const options = call.arguments.find((each) => each.kind === "object");
  const { source } = call;
  const named = levelOf(options && tools.fields(options)?.get("isolationLevel"));
  const connection = ownConnection(handle.connection, tools);
  const inner = tools.handle("knex", undefined, connection);
  if (!callback) {
    tools.begin(connection, { source, ...named });
    return inner;
  }
  return tools.inTransaction(connection, { source, isNested: true, ...named }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

function root(tools: Tools): HandleValue {
  return tools.handle("knex", undefined, tools.connection(true));
}

export const KNEX: Library = {
  name: "knex",
  modules: ["knex"],
  imported: (_name, _module, tools) => tools.handle("makeKnex"),
  typed: (type, tools) => {
    switch (type) {
      case "Knex":
      case "makeKnex":
        return root(tools);
      case "Knex.Transaction":
      case "makeKnex.Transaction":
        return tools.handle("knex", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  asks: (call, { used }) => asksBuilder(call, "knex", used),
  shaped: knexShape,
  awaited: (handle, tools) => {
    const query = isHeld(handle.data) ? queryIn(handle.data, tools) : undefined;
    return query && run(handle, query, tools);
  },
  call: (handle, call, tools) => {
    const { path, data } = handle;
    const { source } = call;
    const [first, second] = call.arguments;
    if (isHeld(data)) {
      const method = path.split(".").at(-1) ?? "";
      const query = queryIn(data, tools);
      if (!query) return undefined;
      if (method === "then" || method === "catch") {
        const value = run(handle, query, tools);
        return first && method === "then" ? tools.call(first, [value], source) : value;
      }
      if (method === "transacting" && first?.kind === "handle" && first.connection) {
        return { ...handle, path: "query", connection: first.connection };
      }
      if (method === "clone") return { ...handle, path: "query", data: held(query, tools) };
      if (method === "modify") {
        if (first) tools.call(first, [handle, ...call.arguments.slice(1)], source);
        return { ...handle, path: "query" };
      }
      const next = extended(query, method, call, tools);
      if (!next) {
        const why = `knex: ${method}() of a query is not known`;
        return runUnread(query.draft, why, handle.connection, query.source, tools);
      }
      tools.assign(data.held, "query", tools.handle("query", next));
      return { ...handle, path: "query" };
    }
    switch (path) {
      case "makeKnex":
        return root(tools);
      case "knex":
      case "knex.table":
      case "knex.from": {
        const draft = draftOf("select", raw(tableName(first, tools.dialect)));
        const query: Query = { draft, isFirst: false, source };
        return { ...handle, path: "query", data: held(query, tools) };
      }
      case "pluck":
        return first && typeof data === "string" ? tools.member(first, data) : undefined;
      case "knex.batchInsert": {
        const rows = second && rowsIn(second, tools);
        if (!rows) return undefined;
        const draft = draftOf("insert", raw(tableName(first, tools.dialect)));
        const query: Query = { draft: { ...draft, ...rows }, isFirst: false, source };
        return { ...handle, path: "query", data: held(query, tools) };
      }
      case "knex.insert": {
        const start: Query = { draft: draftOf("insert", []), isFirst: false, source };
        const query = extended(start, "insert", call, tools);
        return query && { ...handle, path: "query", data: held(query, tools) };
      }
      case "knex.select": {
        const start: Query = { draft: draftOf("select", []), isFirst: false, source };
        const query = extended(start, "select", call, tools);
        return query && { ...handle, path: "query", data: held(query, tools) };
      }
      case "knex.raw":
        return first && rawPart(handle, first, second, call, tools);
      case "knex.fn.now":
        return rawPart(handle, valueText("CURRENT_TIMESTAMP"), undefined, call, tools);
      case "knex.transaction":
        return transaction(handle, call, tools);
      case "knex.commit":
        tools.commit(handle.connection, source);
        return UNDEFINED;
      case "knex.rollback":
        tools.rollback(handle.connection, source);
        return UNDEFINED;
      case "knex.destroy":
      case "knex.on":
        return UNDEFINED;
      default:
        return undefined;
    }
  },
};
