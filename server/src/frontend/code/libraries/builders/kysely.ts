// Kysely: typed builders by names, expressions by callbacks, transactions with a level.
import {
  constantScalar,
  constantText,
  scalar,
  UNDEFINED,
  type HandleValue,
  type TextPart,
  type Value,
} from "../../values";
import { levelOf } from "../levels";
import type { Call, Library, SqlOutcome, Template, Tools } from "../library";
import { rowsOf } from "../rawSql";
import {
  allOf,
  draftOf,
  either,
  given,
  namesIn,
  quoted,
  oneQuery,
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
import { asksBuilder, kyselyShape } from "./shapes";

interface Query {
  readonly kind: "query";
  readonly draft: Draft;
  /** Columns of `onConflict`. */
  readonly target?: readonly string[];
  /** Its update has a condition already. */
  readonly isGuarded?: boolean;
  readonly source: Call["source"];
}

const isQuery = (data: unknown): data is Query =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "query";

interface Part {
  readonly kind: "part";
  readonly text: Fragment;
}

const isPart = (data: unknown): data is Part =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "part";

interface Beginning {
  readonly kind: "beginning";
  readonly level?: string;
}

const isBeginning = (data: unknown): data is Beginning =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "beginning";

/** What a callback of a join has asked for so far. */
interface Joining {
  readonly kind: "joining";
  readonly on: readonly Fragment[];
}

const isJoining = (data: unknown): data is Joining =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === "joining";

function joining(on: readonly Fragment[]): Joining {
  return { kind: "joining", on };
}

/** `join.onRef("a.id", "=", "b.id").on("b.kind", "=", 1)`. */
function joinCall(
  handle: HandleValue,
  { on }: Joining,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first, second, third] = call.arguments;
  const { dialect } = tools;
  const [left, right] = [constantText(first), constantText(third)];
  const isRef = handle.path.endsWith(".onRef") && left !== undefined && right !== undefined;
  const condition = isRef
    ? raw(`${quoted(left, dialect)} ${constantText(second) ?? "="} ${quoted(right, dialect)}`)
    : handle.path.endsWith(".on")
      ? conditionOf(first, second, third, tools)
      : undefined;
  return condition && tools.handle("join", joining([...on, condition]));
}

const STARTS: Readonly<Record<string, Draft["verb"] | undefined>> = {
  selectFrom: "select",
  insertInto: "insert",
  updateTable: "update",
  deleteFrom: "delete",
};

/** A method of a query: the query with what the call adds; undefined where it is not known. */
function extended(query: Query, method: string, call: Call, tools: Tools): Query | undefined {
  const { draft } = query;
  const { dialect } = tools;
  const [first, second, third] = call.arguments;
  const put = (change: Partial<Draft>): Query => ({ ...query, draft: { ...draft, ...change } });
  switch (method) {
    case "select": {
      const columns = columnsIn(first, tools);
      return columns && put({ columns: [...draft.columns, ...columns] });
    }
    case "selectAll":
      return put({ columns: [...draft.columns, raw("*")] });
    case "distinct":
      return put({ isDistinct: true });
    case "where":
    case "having": {
      const condition = conditionOf(first, second, third, tools);
      if (!condition) return undefined;
      return method === "where"
        ? put({ where: [...draft.where, condition] })
        : put({ having: [...draft.having, condition] });
    }
    case "whereRef": {
      const [left, right] = [constantText(first), constantText(third)];
      if (left === undefined || right === undefined) return undefined;
      const text = `${quoted(left, dialect)} ${constantText(second) ?? "="} ${quoted(right, dialect)}`;
      return put({ where: [...draft.where, raw(text)] });
    }
    case "innerJoin":
    case "leftJoin": {
      const table = constantText(first);
      const [left, right] = [constantText(second), constantText(third)];
      const made =
        second?.kind === "function"
          ? tools.call(second, [tools.handle("join", joining([]))], call.source)
          : undefined;
      const on =
        made?.kind === "handle" && isJoining(made.data)
          ? allOf(made.data.on)
          : left !== undefined && right !== undefined
            ? raw(`${quoted(left, dialect)} = ${quoted(right, dialect)}`)
            : undefined;
      if (table === undefined || !on) return undefined;
      const word = method === "leftJoin" ? "LEFT JOIN" : "JOIN";
      return put({ joins: [...draft.joins, sequence(`${word} ${named(table, tools)} ON `, on)] });
    }
    case "groupBy":
      return put({ groupBy: namesIn(first, tools).map((name) => raw(quoted(name, dialect))) });
    case "orderBy": {
      const name = constantText(first);
      if (name === undefined) return undefined;
      const isDown = constantText(second) === "desc";
      const key = raw(`${quoted(name, dialect)}${isDown ? " DESC" : ""}`);
      return put({ orderBy: [...draft.orderBy, key] });
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
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} SKIP LOCKED` });
    case "noWait":
      return put({ lock: `${draft.lock ?? "FOR UPDATE"} NOWAIT` });
    case "set": {
      const set = second ? oneSet(first, second, tools) : first && setIn(first, tools);
      return set && put({ set: [...draft.set, ...set] });
    }
    case "values": {
      const row = (item: Value): ReadonlyMap<string, Fragment> | undefined => {
        const set = setIn(item, tools);
        return set && new Map(set);
      };
      const rows = first && rowsGiven(first, row, tools);
      return rows && put(rows);
    }
    case "returning": {
      const columns = columnsIn(first, tools);
      return columns && put({ returning: columns });
    }
    case "returningAll":
      return put({ returning: [raw("*")] });
    case "onConflict":
      return first && conflict(query, first, call, tools);
    case "as":
    case "$castTo":
    case "$narrowType":
      return query;
    case "$if": {
      const made = second && tools.call(second, [tools.handle("query", query)], call.source);
      const other = made?.kind === "handle" && isQuery(made.data) ? made.data : undefined;
      if (!first || !other) return undefined;
      const flag = scalar(tools.condition(first), "bool");
      const chosen = either(flag, other.draft, draft);
      return chosen && { ...query, draft: chosen };
    }
    case "$call": {
      const made = first && tools.call(first, [tools.handle("query", query)], call.source);
      return made?.kind === "handle" && isQuery(made.data) ? made.data : undefined;
    }
    default:
      return undefined;
  }
}

/** `onConflict((oc) => oc.column("id").doNothing())`. */
function conflict(query: Query, callback: Value, call: Call, tools: Tools): Query | undefined {
  const start = tools.handle("conflict", {
    kind: "query",
    draft: query.draft,
    target: [],
    source: call.source,
  } satisfies Query);
  const made = tools.call(callback, [start], call.source);
  if (made.kind !== "handle" || !isQuery(made.data)) return undefined;
  const text = made.data.draft.conflict;
  return text && { ...query, draft: { ...query.draft, conflict: text } };
}

function conflictCall(
  handle: HandleValue,
  query: Query,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [first] = call.arguments;
  const { dialect } = tools;
  const columns = (query.target ?? []).map((name) => quoted(name, dialect)).join(", ");
  const on = ` ON CONFLICT${columns === "" ? "" : ` (${columns})`}`;
  const put = (text: Fragment): Value => ({
    ...handle,
    path: "conflict",
    data: { ...query, draft: { ...query.draft, conflict: text } },
  });
  switch (handle.path) {
    case "conflict.column":
    case "conflict.columns": {
      const target = [...(query.target ?? []), ...namesIn(first, tools)];
      return { ...handle, path: "conflict", data: { ...query, target } };
    }
    case "conflict.doNothing":
      return put(raw(`${on} DO NOTHING`));
    case "conflict.doUpdateSet": {
      const set = first && setIn(first, tools);
      if (!set) return undefined;
      const list = set.map(([name, value]) => sequence(`${quoted(name, dialect)} = `, value));
      return put(sequence(`${on} DO UPDATE SET `, separated(list, ", ")));
    }
    case "conflict.where": {
      // Before the update it would choose a partial index.
      const { conflict: before } = query.draft;
      const holds = before && conditionOf(first, call.arguments[1], call.arguments[2], tools);
      if (!holds) return undefined;
      const conflict = sequence(before, query.isGuarded ? " AND (" : " WHERE (", holds, ")");
      const data: Query = { ...query, isGuarded: true, draft: { ...query.draft, conflict } };
      return { ...handle, path: "conflict", data };
    }
    default:
      return undefined;
  }
}

/** `where("a", "=", 1)`, `where((eb) => eb.and([...]))`, `where(eb("a", "=", 1))`. */
function conditionOf(
  first: Value | undefined,
  second: Value | undefined,
  third: Value | undefined,
  tools: Tools,
): Fragment | undefined {
  if (!first) return undefined;
  const name = constantText(first);
  const left = name === undefined ? fragment(first, tools) : raw(quoted(name, tools.dialect));
  if (!second || !third) return name === undefined ? left : undefined;
  const operator = (constantText(second) ?? "=").toLowerCase();
  if (!left) return undefined;
  const isNull = third.kind === "undefined" || constantScalar(third) === null;
  if ((operator === "is" || operator === "is not") && isNull) {
    return sequence(left, ` ${operator.toUpperCase()} NULL`);
  }
  if (operator === "in" || operator === "not in") {
    const word = ` ${operator.toUpperCase()} `;
    if (third.kind === "handle" || third.kind === "function") {
      const query = fragment(third, tools);
      return query && sequence(left, word, query);
    }
    const items = tools.members(third);
    const right = items ? separated(items.map(given), ", ") : given(third);
    return sequence(left, word, "(", right, ")");
  }
  const right = third.kind === "handle" ? fragment(third, tools) : given(third);
  return right && sequence(left, ` ${operator === "!=" ? "<>" : operator} `, right);
}

/** A value, or what an expression builder made. */
function fragment(value: Value, tools: Tools): Fragment | undefined {
  if (value.kind === "function") {
    const start = { line: 0, character: 0 };
    const source = { file: value.scope.module.file, range: { start, end: start } };
    return fragment(tools.call(value, [tools.handle("eb")], source), tools);
  }
  if (value.kind === "handle") {
    if (isPart(value.data)) return value.data.text;
    if (isQuery(value.data)) return sequence("(", textOf(value.data.draft, tools.dialect), ")");
    return undefined;
  }
  return given(value);
}

/** Calls of an expression builder: `eb("a", "+", 1)`, `eb.and([...])`, `eb.fn.count("id")`. */
function expression(path: string, call: Call, tools: Tools): Value | undefined {
  const [first, second, third] = call.arguments;
  const part = (...parts: readonly (string | Fragment)[]): Value =>
    tools.handle("part", { kind: "part", text: sequence(...parts) } satisfies Part);
  switch (path) {
    case "eb": {
      const made = conditionOf(first, second, third, tools);
      return made && part("(", made, ")");
    }
    case "eb.and":
    case "eb.or": {
      const fields = first?.kind === "object" ? tools.fields(first) : undefined;
      if (fields && fields.size > 0) {
        const each = [...fields].map(([name, value]) =>
          sequence(raw(quoted(name, tools.dialect)), " = ", given(value)),
        );
        return part("(", separated(each, path === "eb.and" ? " AND " : " OR "), ")");
      }
      const items = (first && tools.items(first)) ?? call.arguments;
      const parts = items.flatMap((item) => fragment(item, tools) ?? []);
      if (items.length === 0 || parts.length === 0) return undefined;
      const each = items.map((item) => fragment(item, tools) ?? []);
      return part("(", separated(each, path === "eb.and" ? " AND " : " OR "), ")");
    }
    case "eb.not": {
      const inner = first && fragment(first, tools);
      return inner && part("NOT ", inner);
    }
    case "eb.val":
    case "eb.lit":
      return first && part(given(first));
    case "eb.ref": {
      const name = constantText(first);
      return name === undefined ? undefined : part(quoted(name, tools.dialect));
    }
    case "eb.exists": {
      const inner = first && fragment(first, tools);
      return inner && part("EXISTS ", inner);
    }
    default: {
      const name = /^eb\.fn\.(count|countAll|sum|max|min|avg)$/u.exec(path)?.[1];
      if (name === undefined) return undefined;
      const column = constantText(first);
      const inner = column === undefined ? "*" : quoted(column, tools.dialect);
      return part(`${name === "countAll" ? "count" : name}(${inner})`);
    }
  }
}

function columnsIn(value: Value | undefined, tools: Tools): readonly Fragment[] | undefined {
  if (!value) return undefined;
  if (value.kind === "function") {
    const start = { line: 0, character: 0 };
    const source = { file: value.scope.module.file, range: { start, end: start } };
    return columnsIn(tools.call(value, [tools.handle("eb")], source), tools);
  }
  const name = constantText(value);
  if (name !== undefined) return [raw(named(name, tools))];
  const items = tools.items(value);
  if (items) {
    const parts = items.map((item) => columnsIn(item, tools));
    return parts.every((each) => each !== undefined) ? parts.flat() : undefined;
  }
  const text = fragment(value, tools);
  return value.kind === "handle" && text ? [text] : undefined;
}

/** `a.b as c`, in the dialect's quotes. */
function named(written: string, { dialect }: Tools): string {
  const [name = written, alias] = written.split(/\s+as\s+/iu);
  return `${quoted(name.trim(), dialect)}${alias === undefined ? "" : ` AS ${quoted(alias.trim(), dialect)}`}`;
}

function setIn(value: Value, tools: Tools): Draft["set"] | undefined {
  if (value.kind === "function") {
    const start = { line: 0, character: 0 };
    const source = { file: value.scope.module.file, range: { start, end: start } };
    return setIn(tools.call(value, [tools.handle("eb")], source), tools);
  }
  const fields = tools.fields(value);
  if (!fields) return undefined;
  return [...fields]
    .filter(([, each]) => each.kind !== "undefined")
    .map(([column, each]) => [column, fragment(each, tools) ?? given(each)] as const);
}

function oneSet(first: Value | undefined, second: Value, tools: Tools): Draft["set"] | undefined {
  const name = constantText(first);
  return name === undefined ? undefined : [[name, fragment(second, tools) ?? given(second)]];
}

function run(
  handle: HandleValue,
  query: Query,
  method: string,
  source: Call["source"],
  tools: Tools,
): Value {
  const { draft } = query;
  const outcome = runDraft(draft, handle.connection, query.source, tools);
  const gives = draft.verb === "select" || draft.returning.length > 0;
  if (!gives) {
    const count = counted(draft, outcome, tools);
    return method === "execute" ? tools.list([count]) : count;
  }
  const rows = rowsOf(outcome, tools);
  if (method === "execute") return rows;
  const row = tools.firstRow(rows);
  if (method === "executeTakeFirstOrThrow") {
    tools.require(tools.condition(row), "no result", source);
  }
  return row;
}

function counted({ verb }: Draft, outcome: SqlOutcome, tools: Tools): Value {
  const names = {
    insert: "numInsertedOrUpdatedRows",
    update: "numUpdatedRows",
    delete: "numDeletedRows",
  };
  return verb === "select" ? outcome.count : tools.object({ [names[verb]]: outcome.count });
}

function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [callback] = call.arguments;
  const level = isBeginning(handle.data) ? handle.data.level : undefined;
  if (!callback) return undefined;
  const { source } = call;
  const connection = tools.connection(false);
  const inner = tools.handle("db", undefined, connection);
  return tools.inTransaction(connection, { source, ...(level !== undefined && { level }) }, () =>
    tools.settle(tools.call(callback, [inner], source)),
  );
}

/** A transaction that the code ends itself. */
function controlled(handle: HandleValue, { source }: Call, tools: Tools): HandleValue {
  const connection = tools.connection(false);
  const level = isBeginning(handle.data) ? handle.data.level : undefined;
  tools.begin(connection, { source, ...(level !== undefined && { level }) });
  return tools.handle("db", undefined, connection);
}

/** `sql`...``. */
function template({ text }: Template, tools: Tools): Value {
  const parts: readonly TextPart[] = text.kind === "text" ? text.parts : [];
  const own = parts.flatMap((part) =>
    part.kind === "hole" ? (fragment(part.value, tools) ?? given(part.value)) : [part],
  );
  return tools.handle("part", { kind: "part", text: own } satisfies Part);
}

export const KYSELY: Library = {
  name: "kysely",
  modules: ["kysely"],
  imported: (name, _module, tools) => (name === "*" ? undefined : tools.handle(name)),
  typed: (type, tools) => {
    if (type === "Kysely") return tools.handle("db", undefined, tools.connection(true));
    if (type === "Transaction") return tools.handle("db", undefined, tools.connection(false));
    return undefined;
  },
  asks: (call, { used }) => asksBuilder(call, "kysely", used),
  shaped: kyselyShape,
  joined: oneQuery(isQuery),
  tagged: (handle, made, tools) => (handle.path === "sql" ? template(made, tools) : undefined),
  call: (handle, call, tools) => {
    const { path, data } = handle;
    const { source } = call;
    const method = path.split(".").at(-1) ?? "";
    if (isQuery(data)) {
      if (path.startsWith("conflict")) return conflictCall(handle, data, call, tools);
      if (/^execute(?:TakeFirst(?:OrThrow)?)?$/u.test(method)) {
        return run(handle, data, method, source, tools);
      }
      const next = extended(data, method, call, tools);
      if (next) return { ...handle, path: "query", data: next };
      const why = `kysely: ${method}() of a query is not known`;
      return runUnread(data.draft, why, handle.connection, data.source, tools);
    }
    if (isJoining(data)) return joinCall(handle, data, call, tools);
    if (isPart(data)) {
      const [first] = call.arguments;
      if (method === "as") {
        const name = quoted(constantText(first) ?? "?", tools.dialect);
        const text = sequence(data.text, ` AS ${name}`);
        return tools.handle("part", { kind: "part", text } satisfies Part);
      }
      if (method === "execute" && first?.kind === "handle") {
        const text: Value = { kind: "text", parts: data.text };
        const outcome = tools.sql(first.connection, text, {}, source);
        return tools.object({ rows: rowsOf(outcome, tools), numAffectedRows: outcome.count });
      }
      return undefined;
    }
    const verb = path.startsWith("db.") || path.startsWith("eb.") ? STARTS[method] : undefined;
    if (verb !== undefined) {
      const table = constantText(call.arguments[0]);
      if (table === undefined) return undefined;
      const query: Query = {
        kind: "query",
        draft: draftOf(verb, raw(named(table, tools))),
        source,
      };
      return { ...handle, path: "query", data: query };
    }
    switch (path) {
      case "Kysely":
        return tools.handle("db", undefined, tools.connection(true));
      case "db.transaction":
        return { ...handle, path: "transaction", data: { kind: "beginning" } satisfies Beginning };
      case "transaction.setIsolationLevel": {
        const beginning: Beginning = { kind: "beginning", ...levelOf(call.arguments[0]) };
        return { ...handle, path: "transaction", data: beginning };
      }
      case "db.startTransaction":
        return { ...handle, path: "controlled", data: { kind: "beginning" } satisfies Beginning };
      case "controlled.setIsolationLevel": {
        const beginning: Beginning = { kind: "beginning", ...levelOf(call.arguments[0]) };
        return { ...handle, path: "controlled", data: beginning };
      }
      case "controlled.setAccessMode":
        return { ...handle, path: "controlled" };
      case "controlled.execute":
        return controlled(handle, call, tools);
      case "db.commit":
      case "db.rollback":
        return { ...handle, path: `ending.${path}` };
      case "ending.db.commit.execute":
        tools.commit(handle.connection, call.source);
        return UNDEFINED;
      case "ending.db.rollback.execute":
        tools.rollback(handle.connection, call.source);
        return UNDEFINED;
      case "db.savepoint":
      case "db.rollbackToSavepoint":
      case "db.releaseSavepoint":
        tools.lose("savepoints of Kysely are not followed", call.source, "opaque");
        return { ...handle, path: "saved" };
      case "saved.execute":
        return { ...handle, path: "db" };
      case "transaction.setAccessMode":
        return { ...handle, path: "transaction" };
      case "transaction.execute":
        return transaction(handle, call, tools);
      case "sql.ref":
      case "sql.id": {
        const text = raw(quoted(constantText(call.arguments[0]) ?? "?", tools.dialect));
        return tools.handle("part", { kind: "part", text } satisfies Part);
      }
      // Written into the text or sent beside it, a value is the same.
      case "sql.lit":
      case "sql.val":
        return call.arguments[0] ?? UNDEFINED;
      case "db.destroy":
        return UNDEFINED;
      default:
        if (call.isNew && /(?:Dialect|Plugin)$/u.test(path)) return tools.handle(path);
        return path.startsWith("eb") ? expression(path, call, tools) : undefined;
    }
  },
};
