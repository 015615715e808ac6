// Clients of databases whose statements are not read: what is called on them is a statement of which nothing is known,
// so that nothing which uses one is taken for safe, and transactions that they open are seen.
import {
  constantText,
  UNDEFINED,
  unknown,
  type Connection,
  type HandleValue,
  type Value,
} from "../values";
import { opensByName } from "../callGraph/transactionOpeners";
import type { Call, Library, Tools } from "./library";
import { ownConnection } from "./ownConnection";

const PACKAGES = [
  "@mikro-orm/better-sqlite",
  "@mikro-orm/knex",
  "@mikro-orm/libsql",
  "@mikro-orm/mssql",
  "@mikro-orm/sqlite",
  "bookshelf",
  "orchid-orm",
  "oracledb",
  "tedious",
  "zapatos/db",
] as const;

const PATHS: ReadonlySet<string> = new Set(PACKAGES.map((name) => pathOf(name, "")));

/** They hold one connection. */
const OF_ONE = /sqlite/u;

/** Operations that make something, or do nothing with the database by themselves. */
const MAKES =
  /^(?:(?:add|create|define|get|init|open|set|use)[A-Z]\w*|[A-Z]\w*|assign|bind|clear|close|configure|connect|create|default|destroy|dispose|end|fork|init|input|merge|off|on|once|open|output|persist|pool|pragma|prepare|release|request|verbose)$/u;

const BEGINS = /^(?:begin|beginTransaction|startTransaction)$/u;

export const UNREAD: Library = {
  name: "unread",
  modules: PACKAGES,
  imported: (name, module, tools) => tools.handle(pathOf(module, name)),
  typed: (type, tools) => {
    if (!PATHS.has(pathOf(packageOf(type), ""))) return undefined;
    const isPool = /(?:Pool|ORM|Database|Knex|DataSource)$/u.test(type);
    return tools.handle(pathOf(packageOf(type), "client"), undefined, tools.connection(isPool));
  },
  tagged: (handle, { source }, tools) => statement(handle, source, tools),
  call: (handle, call, tools) => {
    const method = /[^.]*$/u.exec(handle.path)?.[0] ?? "";
    const work = call.arguments.findLast((each) => each.kind === "function");
    if (work) return given(handle, work, method, call, tools);
    return control(handle, method, call, tools) ?? other(handle, method, call, tools);
  },
};

/** Paths begin with the package, in which dots would divide it. */
function pathOf(module: string, name: string): string {
  return `${module.replaceAll(".", "_")}.${name}`;
}

function packageOf(path: string): string {
  return path.split(".")[0] ?? path;
}

/** A function that is given to a client: it runs with one, in a transaction where the method is called so. */
function given(
  handle: HandleValue,
  work: Value,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const isOpening = opensByName(method) || BEGINS.test(method);
  if (isOpening) return inside(handle, work, call, tools);
  // Any other callback hears of what a statement gave, or of an error.
  const result = MAKES.test(method) ? UNDEFINED : statement(handle, call.source, tools);
  const own = clientOn(handle, handle.connection, tools);
  const inputs = [MAKES.test(method) ? own : unknown("what a callback is given"), result];
  tools.settle(tools.call(work, inputs, call.source));
  return result;
}

function clientOn(
  { path }: HandleValue,
  connection: Connection | undefined,
  tools: Tools,
): HandleValue {
  return tools.handle(pathOf(packageOf(path), "client"), undefined, connection);
}

function inside(handle: HandleValue, work: Value, call: Call, tools: Tools): Value {
  const { source } = call;
  const connection = ownConnection(handle.connection, tools);
  const args = [clientOn(handle, connection, tools)];
  return tools.inTransaction(connection, { source, isNested: true }, () => {
    const result = tools.settle(tools.call(work, args, source));
    // Changes in memory are written at the end.
    if (handle.path.startsWith("@mikro-orm/")) statement(handle, source, tools);
    return result;
  });
}

/** Calls that begin and end transactions. */
function control(
  { path, connection }: HandleValue,
  method: string,
  { arguments: [first], source }: Call,
  tools: Tools,
): Value | undefined {
  const text = /^(?:exec|execute|query|run)$/u.test(method) ? (constantText(first) ?? "") : method;
  const isBegin = BEGINS.test(method) || /^\s*(?:begin|start\s+transaction)\b/iu.test(text);
  if (isBegin) tools.begin(connection, { source });
  else if (
    /^\s*(?:commit|end)\b\s*(?:transaction\s*)?(?:;\s*)?$|^commitTransaction$/iu.test(text)
  ) {
    if (path.startsWith("@mikro-orm/")) statement({ path, connection }, source, tools);
    tools.commit(connection, source);
  } else if (/^\s*rollback\b|^rollbackTransaction$/iu.test(text))
    tools.rollback(connection, source);
  else return undefined;
  return UNDEFINED;
}

function other(handle: HandleValue, method: string, call: Call, tools: Tools): Value {
  const { isNew, arguments: args, source } = call;
  const isTop = handle.connection === undefined;
  if (!isNew && !isTop && !MAKES.test(method)) return statement(handle, source, tools);
  // `new Request(transaction)` runs on the transaction's connection.
  const on = args.find((each) => each.kind === "handle" && each.library === UNREAD);
  const connection =
    (on?.kind === "handle" ? ownOf(on, method, tools) : undefined) ??
    handle.connection ??
    tools.connection(!OF_ONE.test(handle.path) && !/Transaction|Client|Connection$/u.test(method));
  return clientOn(handle, connection, tools);
}

function ownOf(on: HandleValue, method: string, tools: Tools): Connection | undefined {
  return method === "Transaction" ? tools.connection(false) : on.connection;
}

function statement(
  {
    path,
    connection,
  }: Pick<HandleValue, "path"> & { readonly connection?: Connection | undefined },
  source: Call["source"],
  tools: Tools,
): Value {
  const why = `the library ${packageOf(path)} is not known: its statements are not read`;
  tools.statement(connection, { kind: "opaque", tables: [], writes: true, taint: [why] }, source);
  return unknown(why);
}
