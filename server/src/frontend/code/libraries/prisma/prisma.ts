// The Prisma client: `prisma.model.operation(...)`, `$transaction` with a list or a function, SQL text.
import type { PrismaModel, PrismaSchema } from "../../../schema/prisma/model";
import { leadsInto } from "../../../schema/prisma/paths";
import { plainName } from "../../../sql/relationNames";
import { nameOfTable } from "../orm/model";
import {
  constantText,
  textOf,
  UNDEFINED,
  unknown as unknownValue,
  type Connection,
  type HandleValue,
  type Value,
} from "../../values";
import type { Asking, Call, Library, Shape, Tools, TransactionOptions } from "../library";
import type { WrittenCall } from "../../modules/references";
import { ownConnection } from "../ownConnection";
import { argumentField } from "./argumentValues";
import { extendedBy, READ_REPLICAS, runWithHooks, type Hooks } from "./hooks";
import { isOperation, operate } from "./operations";
import { fragmentOf, spliceText, sqlTextOf } from "./rawSql";

/** Modules of the client; generated ones are told by the schema's `output`. */
const MODULES = [
  "@prisma/client",
  "@prisma/client/edge",
  "@prisma/client/wasm",
  "@prisma/client/extension",
  ".prisma/client",
  "@prisma/extension-read-replicas",
];

export const PRISMA: Library = {
  name: "prisma",
  modules: MODULES,
  isModule: (from, file, models) =>
    from.startsWith("@prisma/client/") || leadsInto(modelsOf(models)?.outputs ?? [], file, from),
  imported: (name, _module, tools) => importedValue(name, tools),
  typed: (type, tools) => typedValue(type, tools),
  extended: (superclass, tools) => (superclass === "PrismaClient" ? client(tools) : undefined),
  member: memberOf,
  // Clients of transactions begin none, by which code tells them from others.
  has: (handle, property) =>
    isClient(handle) && property === "$transaction" ? handle.connection?.isPool : undefined,
  call: callOf,
  // A client that was kept in a global variable is declared without its extension.
  joined: (then, otherwise) => {
    const isWhole = [then, otherwise].every(
      ({ path, connection }) => path === "client" && connection?.isPool === true,
    );
    if (!isWhole) return undefined;
    return clientPart(then).hooks ? then : otherwise;
  },
  tagged: (handle, template, tools) => {
    const part = fragmentOf(handle.path, template, tools);
    if (part !== undefined) return part;
    const { method } = clientPart(handle);
    if (method === undefined || !RAW.test(method)) return undefined;
    return rawSql(handle, method, spliceText(template.text), [], template.source, tools);
  },
  asks: isAsked,
  shaped: shapedHandle,
};

/** Kind of a handle of a client: the client, a model of it, or a method of either. */
interface ClientPart {
  /** The fields of each model that the client was told to leave out. */
  readonly omitted?: Value;
  readonly hooks?: Hooks;
  readonly model?: PrismaModel;
  readonly method?: string;
  /** The function by which a hook goes on with an operation. */
  readonly goOn?: (args: Value | undefined) => Value;
}

const CLIENT: ClientPart = {};

function clientPart(handle: HandleValue): ClientPart {
  // `client` and `memberOf` are all that makes handles of these paths, and their data is this.
  return handle.path.startsWith("client")
    ? ((handle.data as ClientPart | undefined) ?? CLIENT)
    : CLIENT;
}

/** The client as its parts know it. */
function wholeOf(handle: HandleValue): ClientPart {
  const { omitted, hooks } = clientPart(handle);
  return { ...(omitted && { omitted }), ...(hooks && { hooks }) };
}

function isClient(handle: HandleValue): boolean {
  return handle.path.startsWith("client");
}

function client(
  tools: Tools,
  connection: Connection = tools.connection(true),
  part: ClientPart = CLIENT,
): HandleValue {
  return tools.handle("client", part, connection);
}

function importedValue(name: string, tools: Tools): Value | undefined {
  const enumeration = schemaOf(tools)?.enums.get(name);
  if (enumeration !== undefined) {
    const values = [...enumeration.values.keys()].map((each) => [each, textOf(each)] as const);
    return tools.object(Object.fromEntries(values));
  }
  return undefined;
}

/** Types of parameters and fields that are clients, whoever declares them. */
function typedValue(type: string, tools: Tools): Value | undefined {
  if (
    /^(Prisma\.|\w+\.)?(Prisma)?(TransactionClient|Transaction|Tx)$/.test(type) &&
    /Client|Prisma/.test(type)
  ) {
    return client(tools, tools.connection(false));
  }
  return /^(Extended)?Prisma(Client|Service|ClientType)$/.test(type) ? client(tools) : undefined;
}

/** The models of the workspace's schema; undefined without one. */
function schemaOf(tools: Tools): PrismaSchema | undefined {
  const schema = modelsOf(tools.models("prisma"));
  return schema && inDatabase(schema, tools);
}

/** The models with the names that the database's own definitions give their tables. */
function inDatabase(schema: PrismaSchema, tools: Tools): PrismaSchema {
  const moved = [...schema.models].flatMap(([name, model]) => {
    if (model.schema === undefined) return [];
    const written = plainName({ name: model.table, schema: model.schema });
    const table = nameOfTable({ name: written, schema: model.schema }, tools);
    return table === model.table ? [] : [[name, { ...model, table }] as const];
  });
  return moved.length === 0 ? schema : { ...schema, models: new Map([...schema.models, ...moved]) };
}

function modelsOf(models: unknown): PrismaSchema | undefined {
  // Whoever runs the evaluator gives this library's models as `readPrismaSchema` made them.
  return models === undefined ? undefined : (models as PrismaSchema);
}

/** The model that a client has under that name: `user` for `User`. */
function modelNamed(tools: Tools, property: string): PrismaModel | undefined {
  const schema = schemaOf(tools);
  return schema && modelIn(schema, property);
}

function modelIn({ models }: PrismaSchema, property: string): PrismaModel | undefined {
  const name = property.charAt(0).toUpperCase() + property.slice(1);
  const model = models.get(name) ?? models.get(property);
  return model?.isHidden === true ? undefined : model;
}

function memberOf(handle: HandleValue, property: string, tools: Tools): Value | undefined {
  if (!isClient(handle)) {
    const path = `${handle.path}.${property}`;
    const level = /^Prisma\.TransactionIsolationLevel\.(\w+)$/.exec(path)?.[1];
    if (level !== undefined) return textOf(level);
    if (/^(?:Prisma\.)?Decimal$/.test(path)) return { kind: "builtin", name: "BigDecimal" };
    const enumeration =
      handle.path === "prisma" || handle.path === "$Enums"
        ? importedValue(property, tools)
        : undefined;
    if (enumeration !== undefined) return enumeration;
    return tools.handle(handle.path === "prisma" ? property : path);
  }
  const path = `${handle.path}.${property}`;
  const { model, ...kept } = clientPart(handle);
  if (model !== undefined) {
    const part: ClientPart = { ...kept, model, method: property };
    return tools.handle(path, part, handle.connection);
  }
  const own = property.startsWith("$") ? undefined : modelNamed(tools, property);
  const part: ClientPart = { ...kept, ...(own ? { model: own } : { method: property }) };
  return tools.handle(path, part, handle.connection);
}

const RAW = /^\$(query|execute)Raw(Unsafe|Typed)?$/;

function callOf(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  if (!isClient(handle)) {
    if (handle.path === "PrismaClient" && call.isNew) {
      const omitted = argumentField(tools, call.arguments[0], "omit");
      return client(tools, tools.connection(true), omitted ? { omitted } : CLIENT);
    }
    if (handle.path === "readReplicas") return tools.handle(READ_REPLICAS);
    if (handle.path === "Prisma.validator") return { kind: "external", name: handle.path };
    if (handle.path === "Prisma.defineExtension") return call.arguments[0];
    return fragmentOf(handle.path, call, tools);
  }
  const { model, method, omitted, hooks, goOn } = clientPart(handle);
  const { source } = call;
  if (goOn) return prepared(handle.connection, () => goOn(call.arguments[0]));
  if (method === undefined) return undefined;
  if (model !== undefined) {
    const schema = schemaOf(tools);
    if (schema === undefined || !isOperation(method)) return undefined;
    return prepared(handle.connection, (connection) => {
      const base = { tools, schema, connection, source, ...(omitted && { omitted }) };
      const hooked = {
        ...{ model, name: method, args: call.arguments[0], source },
        isInTransaction: connection?.isPool === false,
        run: (args: Value | undefined, losses: readonly string[]): Value =>
          operate({ operation: { ...base, losses }, model, name: method, args }),
        asQuery: (run: (args: Value | undefined) => Value): HandleValue =>
          tools.handle("client.query", { goOn: run } satisfies ClientPart, connection),
      };
      return runWithHooks(hooks, hooked, tools);
    });
  }
  if (RAW.test(method)) {
    const [text, ...values] = call.arguments;
    const isUnsafe = method.endsWith("Unsafe");
    return rawSql(
      handle,
      method,
      isUnsafe ? (text ?? UNDEFINED) : sqlTextOf(text),
      values,
      source,
      tools,
    );
  }
  switch (method) {
    case "$transaction":
      return transaction(handle, call, tools);
    case "$extends":
      return extendedClient(handle, call, tools);
    case "$primary":
      return primaryOf(handle, tools);
    case "$connect":
    case "$disconnect":
    case "$on":
      return UNDEFINED;
    case "$use":
      return UNDEFINED;
    default:
      return undefined;
  }
}

/** The client whose queries no replica answers; undefined for one without replicas. */
function primaryOf(handle: HandleValue, tools: Tools): Value | undefined {
  const whole = wholeOf(handle);
  if (whole.hooks?.isReplicated !== true) return undefined;
  const { isReplicated: _replicas, ...hooks } = whole.hooks;
  return client(tools, handle.connection, { ...whole, hooks });
}

function extendedClient(handle: HandleValue, call: Call, tools: Tools): Value {
  const [extension] = call.arguments;
  if (extension === undefined) return handle;
  const { hooks } = clientPart(handle);
  const whole = wholeOf(handle);
  const base = client(tools, handle.connection, whole);
  if (extension.kind === "function") {
    const made = tools.settle(tools.call(extension, [base], call.source));
    if (made.kind === "handle" && isClient(made)) return made;
  }
  const now = extendedBy(hooks, extension, tools);
  return client(tools, handle.connection, { ...whole, ...(now && { hooks: now }) });
}

function rawSql(
  handle: HandleValue,
  method: string,
  text: Value,
  values: readonly Value[],
  source: Call["source"],
  tools: Tools,
): Value {
  return prepared(handle.connection, (connection) => {
    const outcome = tools.sql(connection, text, { positional: values }, source);
    if (!method.startsWith("$query")) return outcome.count;
    return outcome.rows ?? outcome.choice ?? tools.list([]);
  });
}

/** A function runs with a client of its own; a list of operations runs one after the other. */
function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const [body, options] = call.arguments;
  const { source } = call;
  if (body === undefined) return undefined;
  const connection = ownConnection(handle.connection, tools);
  const isOpen = connection === handle.connection;
  const run = (): Value =>
    body.kind === "function"
      ? tools.settle(tools.call(body, [client(tools, connection, wholeOf(handle))], source))
      : settledOn(connection, body, source, tools);
  const given = { ...optionsOf(options, tools), source };
  // Awaited or not, a transaction begins when it is called for.
  return isOpen ? run() : tools.inTransaction(connection, given, run);
}

/** The operations of a list were made with another client; here they run in the transaction, one after the other. */
function settledOn(
  connection: Connection,
  list: Value,
  source: Call["source"],
  tools: Tools,
): Value {
  const one = (item: Value): Value => {
    if (item.kind === "choice") {
      const { condition, then, otherwise } = item;
      return tools.either(
        condition,
        () => one(then),
        () => one(otherwise),
      );
    }
    const prepared = item.kind === "deferred" ? preparedOf(item.data) : undefined;
    return prepared === undefined ? tools.settle(item) : prepared.runOn(connection);
  };
  const items = tools.items(list);
  if (items !== undefined) return tools.list(items.map(one));
  // Lists of which some are spread into one, and one of two lists.
  const parts = list.kind === "joined" ? list.parts : [];
  for (const part of parts) settledOn(connection, part, source, tools);
  if (list.kind === "choice") {
    const side = (each: Value) => (): Value => settledOn(connection, each, source, tools);
    return tools.either(list.condition, side(list.then), side(list.otherwise));
  }
  if (list.kind === "list" && list.grown.value?.kind === "unknown") {
    for (const { value } of list.items) if (value) one(value);
    const taint = ["operations of a list that is not known"];
    tools.statement(connection, { kind: "opaque", tables: [], writes: true, taint }, source);
  } else if (list.kind !== "joined") {
    tools.each(list, source, (item) => {
      one(item);
    });
  }
  return unknownValue("what the operations of a list return");
}

/** An operation that runs when it is awaited, or in a transaction that it is given to. */
interface Prepared {
  readonly runOn: (connection: Connection | undefined) => Value;
}

function prepared(connection: Connection | undefined, runOn: Prepared["runOn"]): Value {
  const data: Prepared = { runOn };
  return { kind: "deferred", run: () => runOn(connection), data };
}

function preparedOf(data: unknown): Prepared | undefined {
  const isPrepared = typeof data === "object" && data !== null && "runOn" in data;
  // `prepared` is what makes values with this property.
  return isPrepared ? (data as Prepared) : undefined;
}

function optionsOf(options: Value | undefined, tools: Tools): TransactionOptions {
  const level = constantText(argumentField(tools, options, "isolationLevel"));
  if (level !== undefined)
    return { level: level.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toUpperCase() };
  const isGiven = argumentField(tools, options, "isolationLevel") !== undefined;
  return isGiven ? { level: "" } : {};
}

/** Kind of an unknown receiver: `x.user.findMany(...)` of a model that the schema has, `x.$transaction(...)`. */
function isAsked({ method, object, isOfMember }: WrittenCall, { models }: Asking): boolean {
  const schema = modelsOf(models("prisma"));
  if (schema === undefined) return false;
  if (OF_CLIENTS.test(method)) return true;
  return isOfMember && isOperation(method) && modelIn(schema, object) !== undefined;
}

const OF_CLIENTS = /^\$(?:(?:query|execute)Raw\w*|transaction|extends)$/u;

function shapedHandle(shape: Shape, tools: Tools): HandleValue | undefined {
  if (schemaOf(tools) === undefined) return undefined;
  const { method, name } = shape;
  const parts = name.replace(/^this\./, "").split(/\??\./);
  if (RAW.test(method) || method === "$transaction" || method === "$extends") {
    return tools.handle(
      `client.${method}`,
      { method } satisfies ClientPart,
      connectionFor(shape, tools),
    );
  }
  if (!isOperation(method)) return undefined;
  const model = modelNamed(tools, parts.at(-1) ?? "");
  if (model === undefined || parts.length < 2) return undefined;
  const part: ClientPart = { model, method };
  return tools.handle(`client.${model.name}.${method}`, part, connectionFor(shape, tools));
}

/** Something called `tx` is a transaction's client, whoever opened it: the caller, where it is an argument. */
function connectionFor({ name, receiver }: Shape, tools: Tools): Connection {
  const parts = name.replace(/^this\./, "").split(/\??\./);
  const at = parts.findIndex((part) => /^(tx|trx|transaction)$/i.test(part));
  if (at < 0) return tools.connection(true);
  if (receiver.kind !== "input") return tools.connection(false);
  const id = `given:${parts.slice(0, at + 1).join(".")}`;
  return { id, isPool: false, isGiven: true };
}
