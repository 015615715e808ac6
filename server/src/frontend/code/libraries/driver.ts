// Drivers that send SQL text, as data: which clients a package makes, and what their methods do. `isolens.models` of a
// workspace has the same form, so a model is plain JSON; what it cannot say is a hook of the library.
import { ownEntry } from "../../../protocol/dictionary";
import { literal } from "../../sql/expressions";
import { compare } from "../../sql/terms";
import {
  constantText,
  scalar,
  UNDEFINED,
  unknown,
  type Connection,
  type HandleValue,
  type Value,
} from "../values";
import { calledBack, withoutCallback } from "./callback";
import type { ClientModel, DriverModel, Effect, Result, ResultPart } from "./driverModel";
import { levelOf } from "./levels";
import type { Call, Library, SqlOutcome, SqlParameters, Tools } from "./library";
import { allOrNone, ownConnection } from "./ownConnection";
import { asksConnection, parametersIn, queryOf, rowsOf, shapedConnection } from "./rawSql";

/** Calls that a model cannot describe. */
export type DriverHooks = Partial<Library> & {
  /** The text and parameters of a call as the client sends them. */
  readonly query?: (handle: HandleValue, call: Call, tools: Tools) => Query | undefined;
};

export interface Query {
  readonly text: Value;
  readonly parameters: SqlParameters;
}

type Scope = Extract<Effect, { kind: "scope" }>;

/** The first client of each name under which code writes it. */
function clientNames(
  { clients }: DriverModel,
  key: "types" | "made" | "exported",
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [of, each] of Object.entries(clients))
    for (const name of each[key] ?? []) if (!found.has(name)) found.set(name, of);
  return found;
}

/** The library that a model describes. Reading a call takes constant time. */
export function driver(model: DriverModel, { query, ...hooks }: DriverHooks = {}): Library {
  const { name, modules, clients, duckTyped } = model;
  const effects = effectsOf(model);
  const client = (of: string, tools: Tools, connection?: Connection): HandleValue => {
    const {
      kind,
      isPerhapsOne,
      as = of,
    }: ClientModel = ownEntry(clients, of) ?? {
      kind: "connection",
    };
    const own = connection ?? tools.connection(kind === "pool");
    return tools.handle(as, undefined, isPerhapsOne === true ? { ...own, mayBeOne: true } : own);
  };
  const names = { types: clientNames(model, "types"), made: clientNames(model, "made"), exported: clientNames(model, "exported") }; // prettier-ignore
  const clientBy = (key: keyof typeof names, written: string, tools: Tools): Value | undefined => {
    const found = names[key].get(written);
    return found === undefined ? undefined : client(found, tools);
  };
  const run = (
    effect: Effect,
    handle: HandleValue,
    call: Call,
    tools: Tools,
  ): Value | undefined => {
    const back = (...found: readonly Value[]): Value | undefined =>
      model.callbacks === true ? calledBack(call, found, tools) : undefined;
    const { connection } = handle;
    switch (effect.kind) {
      case "nothing":
        return UNDEFINED;
      case "done":
        return back() ?? UNDEFINED;
      case "begin":
        tools.begin(connection, { source: call.source });
        return back() ?? UNDEFINED;
      case "commit":
      case "rollback":
        tools[effect.kind](connection, call.source);
        return back() ?? UNDEFINED;
      case "itself":
        return {
          ...handle,
          path: effect.client ?? handle.path.slice(0, handle.path.lastIndexOf(".")),
        };
      case "argument":
        return call.arguments[0] ?? UNDEFINED;
      case "client": {
        const made = client(effect.client, tools);
        return back(made, { kind: "external", name: "release" }) ?? made;
      }
      case "open": {
        const made = client(effect.client, tools, ownConnection(connection, tools));
        const level = levelIn(effect.level, call, tools);
        tools.begin(made.connection, { source: call.source, ...level });
        return back(made) ?? made;
      }
      case "batch":
        return batch(effect.result, connection, call, tools);
      case "prepare":
        return tools.handle(effect.client, call.arguments[0], connection);
      case "sql": {
        const own = model.callbacks === true ? withoutCallback(call) : call;
        const { text, parameters } =
          query?.(handle, own, tools) ?? queryFor(effect.parameters, handle, own, tools);
        const outcome = tools.sql(connection, text, parameters, call.source);
        const made = resultOf(effect, outcome, () => methodOf(handle), call, tools);
        const isSpread = Array.isArray(made);
        return back(...(isSpread ? made : [made])) ?? (isSpread ? tools.list(made) : made);
      }
      case "scope":
        return effect.isWrapper === true
          ? tools.handle(`wrapped:${effect.client}`, call.arguments[0], connection)
          : scope(effect, handle, call, tools);
    }
  };
  /** A function that a wrapper made runs where it is called. */
  const wrapped = (handle: HandleValue, call: Call, tools: Tools): Value | undefined => {
    const isWrapper = /^wrapped:\w+(?:\.(?:default|deferred|exclusive|immediate))?$/u;
    const work = isWrapper.test(handle.path) ? valueIn(handle.data) : undefined;
    if (!work) return undefined;
    // The function names the database itself, which is the transaction's one connection.
    const { connection } = handle;
    const own =
      connection?.isPool === false ? connection : { ...tools.connection(false), isAny: true };
    const { source } = call;
    const inner = (): Value => tools.settle(tools.call(work, call.arguments, source));
    return tools.inTransaction(own, { source, isNested: true }, inner);
  };
  return {
    name,
    modules,
    extended: (superclass, tools) => clientBy("made", superclass, tools),
    ...hooks,
    imported: (from, module, tools) =>
      hooks.imported?.(from, module, tools) ?? clientBy("exported", `${module}:${from}`, tools),
    typed: (type, tools, of) =>
      hooks.typed?.(type, tools, of) ??
      clientBy("types", type.slice(type.lastIndexOf(".") + 1), tools),
    call: (handle, call, tools) => {
      const effect = effects.get(handle.path);
      return effect === undefined
        ? (wrapped(handle, call, tools) ?? hooks.call?.(handle, call, tools))
        : run(effect, handle, call, tools);
    },
    ...(duckTyped && {
      asks: (call) => asksConnection(call, new Set(duckTyped.methods)),
      shaped: (shape, tools) => {
        const { dialects, methods, pool, connection } = duckTyped;
        if (!dialects.includes(tools.dialect)) return undefined;
        const path = (isPool: boolean): string => (isPool ? pool : connection);
        return shapedConnection(shape, { library: name, methods: new Set(methods), path }, tools);
      },
    }),
  };
}

/** Effects of calls by path. */
function effectsOf({ clients, methods }: DriverModel): ReadonlyMap<string, Effect> {
  const made = Object.entries(clients).flatMap(([client, { made: paths = [] }]) =>
    paths.map((path) => [path, { kind: "client", client }] as const),
  );
  const told = Object.entries(methods).flatMap(([key, effect]) => {
    const [owners = "", names] = key.includes(": ") ? key.split(": ") : ["", key];
    return owners.split("|").flatMap((owner) =>
      (names ?? "").split(" ").map((method) => {
        return [owner === "" ? method : `${owner}.${method}`, effect] as const;
      }),
    );
  });
  return new Map<string, Effect>([...made, ...told]);
}

function queryFor(
  form: Extract<Effect, { kind: "sql" }>["parameters"],
  handle: HandleValue,
  call: Call,
  tools: Tools,
): Query {
  const text = valueIn(handle.data);
  const all = text ? [text, ...call.arguments] : call.arguments;
  const [first = UNDEFINED, second, ...rest] = all;
  if (form === undefined || second === undefined) {
    return queryOf({ ...call, arguments: all }, tools);
  }
  const isOne = rest.length === 0 && (tools.items(second) ?? tools.fields(second)) !== undefined;
  return {
    text: first,
    parameters: isOne ? parametersIn(second, tools) : { positional: [second, ...rest] },
  };
}

/** State of a handle that is a value of the program: the text that it was made with. */
function valueIn(data: unknown): Value | undefined {
  const isValue = typeof data === "object" && data !== null && "kind" in data;
  // Only `prepare` and wrappers put data into handles of drivers, and these are values.
  return isValue ? (data as Value) : undefined;
}

/** Result of a statement; a list gives its items, which callbacks get one by one. */
function resultOf(
  { result, changed = result, isRequired }: Extract<Effect, { kind: "sql" }>,
  outcome: SqlOutcome,
  method: () => string,
  { source }: Call,
  tools: Tools,
): Value | Value[] {
  if (isRequired === true && outcome.rows) {
    tools.require(isFound(outcome.rows.result), `${method()}() found no row`, source);
  }
  const made = (of: Result): Value => {
    if (typeof of === "string") return partOf(of, outcome, tools);
    if (isList(of)) return tools.list(of.map(made));
    return tools.object(
      Object.fromEntries(Object.entries(of).map(([key, each]) => [key, made(each)])),
    );
  };
  const shape = outcome.kind === "select" ? result : changed;
  return isList(shape) ? shape.map(made) : made(shape);
}

function methodOf({ path }: HandleValue): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function isList(of: Result): of is readonly Result[] {
  return Array.isArray(of);
}

function isFound(result: string) {
  return compare(">", { kind: "size", result }, literal(0));
}

function partOf(part: ResultPart, outcome: SqlOutcome, tools: Tools): Value {
  const rows = rowsOf(outcome, tools);
  switch (part) {
    case "rows":
      return rows;
    case "row":
      return outcome.rows ? tools.firstRow(rows) : rows;
    case "value":
    case "values": {
      if (!outcome.rows) return rows;
      const [only, ...others] = outcome.rows.columns.order;
      const row = part === "value" ? tools.firstRow(rows) : undefined;
      if (row && only !== undefined && others.length === 0) return tools.field(row, only);
      return unknown("the only column of rows", [tools.expression(row ?? rows)]);
    }
    case "exists":
      return outcome.rows ? scalar(isFound(outcome.rows.result), "bool") : rows;
    case "count":
      return outcome.count;
    case "insertId":
      return outcome.insertId ?? unknown("the number that an INSERT made");
    case "fields":
      return unknown("the fields of a result");
    case "nothing":
      return UNDEFINED;
  }
}

function scope(effect: Scope, handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { client, isTransaction, isNested, level, doubt, doubtsOptions } = effect;
  const work = call.arguments.findLast((each) => each.kind === "function");
  if (!work) return undefined;
  const { source } = call;
  const own = ownConnection(handle.connection, tools);
  const run = (): Value =>
    tools.settle(tools.call(work, [tools.handle(client, undefined, own)], source));
  const isDoubted = doubtsOptions !== true || call.arguments.length > 1;
  if (doubt !== undefined && isDoubted) tools.lose(doubt, source, "opaque");
  if (!isTransaction) return run();
  const asked = levelIn(level, call, tools);
  const nested = isNested === true ? { isNested } : {};
  return tools.inTransaction(own, { source, ...nested, ...asked }, run);
}

/** The level that the option of that name asks for. */
function levelIn(option: string | undefined, call: Call, tools: Tools): ReturnType<typeof levelOf> {
  if (option === undefined) return {};
  const options = call.arguments.find((each) => each.kind === "object");
  return levelOf(options && tools.fields(options)?.get(option));
}

/** Statements of a list, all or none of them. */
function batch(
  result: Result,
  connection: Connection | undefined,
  call: Call,
  tools: Tools,
): Value | undefined {
  const [list] = call.arguments;
  if (!list) return undefined;
  const one = (own: Connection, item: Value): Value => {
    const pair = tools.items(item);
    const { text, parameters } = queryOf({ ...call, arguments: pair ?? [item] }, tools);
    const outcome = tools.sql(own, text, parameters, call.source);
    const made = resultOf({ kind: "sql", result }, outcome, () => "batch", call, tools);
    return Array.isArray(made) ? tools.list(made) : made;
  };
  const items = tools.items(list);
  const made: Value[] = [];
  allOrNone(connection, call.source, tools, (own) => {
    if (items) made.push(...items.map((item) => one(own, item)));
    else tools.each(list, call.source, (item) => void one(own, item));
  });
  return items ? tools.list(made) : unknown("what the statements of a list give");
}

/** True if a text is known: the hooks of drivers ask. */
export function textOrEmpty(value: Value | undefined): string {
  return (value && constantText(value)) ?? "";
}
