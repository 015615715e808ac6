// Receivers of which nothing else is known, told by how a query builder is called on it: what a framework, a request or
// a container hands on (`app.db.selectFrom("job")`, `request.knex("job")`, `db.insert(jobs)`).
import { constantText, type Connection, type HandleValue } from "../../values";
import type { WrittenCall } from "../../modules/references";
import type { Shape, Tools } from "../library";
import { isTable } from "./drizzleTables";

/** A handle of Kysely's for the method that is called; undefined where the call is no query of its. */
export function kyselyShape(shape: Shape, tools: Tools): HandleValue | undefined {
  const { method, arguments: args, used } = shape;
  if (!used.has("kysely")) return undefined;
  const isQuery =
    /^(?:selectFrom|insertInto|updateTable|deleteFrom)$/u.test(method) &&
    (constantText(args[0]) !== undefined || args[0]?.kind === "list");
  const isTransaction =
    method === "transaction" && args.length === 0 && isOnly(shape, "kysely", OPENERS);
  if (!isQuery && !isTransaction) return undefined;
  return tools.handle(`db.${method}`, undefined, connectionOf(shape));
}

/** The same for Drizzle: what names one of its tables, what is called like a database. */
export function drizzleShape(shape: Shape, tools: Tools): HandleValue | undefined {
  const { method, name, arguments: args, used } = shape;
  if (!used.has("drizzle-orm")) return undefined;
  const [first] = args;
  const handle = (path: string): HandleValue =>
    tools.handle(path, { kind: "client" }, connectionOf(shape));
  switch (method) {
    case "insert":
    case "update":
    case "delete":
      return first?.kind === "handle" && isTable(first.data) ? handle(`db.${method}`) : undefined;
    case "select":
    case "selectDistinct":
    case "execute":
    case "$count":
      if (method === "select" && first !== undefined && first.kind !== "object") return undefined;
      return isCalledLikeClient(name) ? handle(`db.${method}`) : undefined;
    case "findFirst":
    case "findMany": {
      const [, client, key] = /^(.*)\.query\.(\w+)$/u.exec(name) ?? [];
      return client !== undefined && key !== undefined
        ? tools.handle(
            `db.query.${key}.${method}`,
            { kind: "client" },
            connectionOf({ ...shape, name: client }),
          )
        : undefined;
    }
    case "transaction":
      return first?.kind === "function" && isOnly(shape, "drizzle-orm", GIVEN_WORK)
        ? handle("db.transaction")
        : undefined;
    default:
      return undefined;
  }
}

/** The same for knex, which is called itself. */
export function knexShape(shape: Shape, tools: Tools): HandleValue | undefined {
  const { method, name, arguments: args, used } = shape;
  if (!used.has("knex")) return undefined;
  const [first] = args;
  // `knex("job")`, `app.knex("job")`: the receiver is what is called.
  const called = name === "" ? method : `${name}.${method}`;
  const table = args.length === 1 ? constantText(first) : undefined;
  if (table !== undefined && TABLE.test(table) && isCalledLikeClient(called)) {
    return tools.handle("knex", undefined, connectionOf({ ...shape, name: called }));
  }
  const [, client] = /^(.*)\.fn$/u.exec(name) ?? [];
  if (method === "now" && client !== undefined && isCalledLikeClient(client)) {
    return tools.handle("knex.fn.now", undefined, connectionOf({ ...shape, name: client }));
  }
  const isTransaction =
    method === "transaction" && first?.kind === "function" && isOnly(shape, "knex", GIVEN_WORK);
  const isBegun = BEGUN.test(method) && isCalledLikeClient(name);
  if (name === "" || (!isTransaction && !isBegun)) return undefined;
  return tools.handle(`knex.${method}`, undefined, connectionOf(shape));
}

/** True if one of these may know a call by how it is written. */
export function asksBuilder(
  { method, object, isOfMember }: WrittenCall,
  library: string,
  used: ReadonlySet<string>,
): boolean {
  if (!used.has(library)) return false;
  if (method === "transaction") return true;
  switch (library) {
    case "kysely":
      return /^(?:selectFrom|insertInto|updateTable|deleteFrom)$/u.test(method);
    case "drizzle-orm":
      // The target of an insertion is a table of its own, which is named somewhere or given.
      if (/^(?:findFirst|findMany)$/u.test(method)) return isOfMember;
      return /^(?:select|selectDistinct|execute|\$count)$/u.test(method) && CLIENT.test(object);
    default:
      if (CLIENT.test(method)) return true;
      return (BEGUN.test(method) && CLIENT.test(object)) || (method === "now" && object === "fn");
  }
}

const BEGUN = /^(?:select|from|table|insert|batchInsert|raw|transaction)$/u;

const TABLE = /^[\w.]+(?:\s+as\s+\w+)?$/iu;

/** As programmers call clients, and functions that give one. */
const CLIENT =
  /(?:^|[a-z\d_$])(?:db|database|knex|drizzle|kysely|orm|tx|trx|conn|connection)(?:\(\))?$/iu;

function isCalledLikeClient(name: string): boolean {
  return CLIENT.test(lastOf(name));
}

function lastOf(name: string): string {
  return name.split(".").at(-1) ?? name;
}

/** Libraries with `x.transaction()`, and those that give `x.transaction(work)` a client. */
const OPENERS = ["kysely", "knex", "sequelize", "typeorm"];
const GIVEN_WORK = ["drizzle-orm", "knex", "sequelize", "typeorm"];

function isOnly({ used }: Shape, library: string, among: readonly string[]): boolean {
  return among.every((each) => each === library || !used.has(each));
}

/** A value that is called like a transaction is one that somebody else began. */
function connectionOf({ name, receiver }: Shape): Connection {
  const isOfTransaction = /(?:tx|trx|transaction)$/iu.test(lastOf(name));
  const isGiven = receiver.kind === "input";
  return {
    id: `${isGiven ? "given" : "shaped"}:${name}`,
    isPool: !isOfTransaction,
    ...(isOfTransaction && isGiven && { isGiven }),
  };
}
