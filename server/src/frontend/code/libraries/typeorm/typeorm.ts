// TypeORM: data sources, entity managers, repositories, query runners and builders over entities in code.
import type { HirExpression, HirFunction } from "../../hir";
import {
  constant,
  constantText,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type Value,
} from "../../values";
import { levelOf } from "../levels";
import type { Call, ClassValue, Library, Tools, TransactionOptions } from "../library";
import { transactionalOptions } from "../decoratorOptions";
import { extendsLibrary } from "../orm/entityClass";
import { isModel, tableOf, type Model } from "../orm/model";
import { ownMember, ownMethod } from "../orm/ownMethods";
import { isRowData, type Place } from "../orm/statements";
import { parametersIn, rowsOf } from "../rawSql";
import { ownConnection } from "../ownConnection";
import { isMutable, queryIn, setQuery } from "../builders/mutableQuery";
import { entityOf } from "./entities";
import { builder, BUILDER_QUERIES, extendBuilder, isRun, run, startQuery } from "./queryBuilder";
import { METHODS, repositoryCall } from "./repository";
import { modelOfValue } from "./save";
import { operatorOf } from "./where";

const NAME = "typeorm";

/** All pools are taken for one: a decorated method's transaction is that of whatever runs inside of it. */
const POOL: Connection = { id: NAME, isPool: true };

/** Methods of rows that save themselves. */
const OF_ROWS: ReadonlySet<string> = new Set("save remove softRemove recover reload".split(" "));

export const TYPEORM: Library = {
  name: NAME,
  modules: [NAME, "typeorm-transactional", "typeorm-transactional-cls-hooked"],
  imported: (name, _module, tools) => tools.handle(name === "default" ? "*" : name),
  typed: (type, tools, of) => typedValue(type, tools, of),
  member: memberOf,
  declares: (declared, tools) => {
    if (declared.kind !== "class") return undefined;
    const decorator = declared.scope.module.lookup("Entity");
    // Other mappers have a decorator of that name.
    if (decorator?.kind === "handle" && decorator.library !== TYPEORM) return undefined;
    const model = entityOf(declared, tools);
    return model && tableOf(model);
  },
  classMember: (of, property, tools) => {
    if (!METHODS.has(property) && property !== "createQueryBuilder") return undefined;
    const model = isActive(of) ? entityOf(of, tools) : undefined;
    return model && tools.handle(`repository.${property}`, model, POOL);
  },
  rowMember: ownMember,
  statementsOfRows: OF_ROWS,
  rowCall: (row, method, call, tools) =>
    rowCall(row, method, call, tools) ?? ownMethod(row, method, call, tools),
  boundary: ({ function: hir, named }) => transactionalOptions(hir, named, NAME),
  call: callOf,
};

function typedValue(type: string, tools: Tools, of: readonly Value[] = []): Value | undefined {
  switch (type) {
    case "DataSource":
    case "Connection":
      return tools.handle("source", undefined, POOL);
    case "EntityManager":
      return tools.handle("manager", undefined, tools.connection(false));
    case "QueryRunner":
      return tools.handle("runner", undefined, tools.connection(false));
    case "Repository":
    case "TreeRepository":
      return tools.handle("repository", entityOf(of[0], tools), POOL);
    case "SelectQueryBuilder":
      return undefined;
    default:
      return undefined;
  }
}

function memberOf(handle: HandleValue, property: string, tools: Tools): Value | undefined {
  const { path, connection } = handle;
  switch (`${path}.${property}`) {
    case "source.manager":
    case "runner.manager":
    case "repository.manager":
      return tools.handle("manager", undefined, connection);
    case "manager.connection":
    case "manager.dataSource":
    case "runner.connection":
      return tools.handle("source", undefined, POOL);
    case "manager.queryRunner":
      return tools.handle("runner", undefined, connection);
    case "runner.isTransactionActive":
    case "source.isInitialized":
      return constant(true);
    case "runner.isReleased":
      return constant(false);
    default:
      // `import * as typeorm`.
      return path === "*" ? tools.handle(property) : undefined;
  }
}

function callOf(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path, data, connection } = handle;
  const { source } = call;
  const [first, second] = call.arguments;
  const dot = path.lastIndexOf(".");
  const [owner, method] = dot === -1 ? ["", path] : [path.slice(0, dot), path.slice(dot + 1)];
  // Only `wrapInTransaction` makes handles of this path.
  if (path === "wrapped") return ranInside(data as Wrapped, call.arguments, call, tools);
  if (isMutable(data)) {
    const query = queryIn(data, BUILDER_QUERIES, tools);
    if (!query) return undefined;
    if (isRun(method)) return run(query, method, connection, tools);
    const next = extendBuilder(query, method, call, { connection, source, tools });
    if (!next) return undefined;
    if (method === "clone") return builder(next, connection, tools);
    setQuery(data, next, tools);
    return { ...handle, path: "builder" };
  }
  switch (owner) {
    case "":
      return topCall(method, call, tools);
    case "source":
    case "manager":
    case "runner":
      return connectionCall(handle, owner, method, call, tools);
    case "repository": {
      const model = isModel(data) ? data : undefined;
      if (method === "query") return query(handle, first, second, call, tools);
      if (method === "createQueryBuilder") {
        return builder(startQuery(model, constantText(first), source), connection, tools);
      }
      if (!model) return undefined;
      if (method === "extend") return extendedBy(first, handle, model, tools);
      const added = model.added && tools.fields(model.added)?.get(method);
      if (added?.kind === "function") {
        const self: HandleValue = { ...handle, path: "repository" };
        return tools.call({ ...added, self }, call.arguments, source);
      }
      return repositoryCall({ model, connection, source, tools }, method, call.arguments);
    }
    default:
      return undefined;
  }
}

/** `repository.extend({ ... })`: one with more methods, which are called on it. */
function extendedBy(
  given: Value | undefined,
  handle: HandleValue,
  model: Model,
  tools: Tools,
): Value | undefined {
  const fields = given && tools.fields(given);
  if (!fields) return undefined;
  const earlier = model.added ? tools.fields(model.added) : undefined;
  const all = new Map([...(earlier ?? []), ...fields]);
  return {
    ...handle,
    path: "repository",
    data: { ...model, added: tools.object(Object.fromEntries(all)) },
  };
}

/** Functions and classes of the module itself. */
function topCall(name: string, call: Call, tools: Tools): Value | undefined {
  const [first] = call.arguments;
  switch (name) {
    case "DataSource":
    case "Connection":
    case "createConnection":
    case "getConnection":
      return tools.handle("source", undefined, POOL);
    case "getManager":
      return tools.handle("manager", undefined, POOL);
    case "getRepository":
      return tools.handle("repository", entityOf(first, tools), POOL);
    case "Brackets":
    case "NotBrackets":
      return tools.handle("brackets", first);
    case "runInTransaction":
      return ranInside({ work: first ?? UNDEFINED, options: call.arguments[1] }, [], call, tools);
    case "wrapInTransaction":
      return tools.handle("wrapped", { work: first ?? UNDEFINED, options: call.arguments[1] });
    case "initializeTransactionalContext":
    case "addTransactionalDataSource":
      return first ?? UNDEFINED;
    default:
      return operatorOf(name, call, tools);
  }
}

/** A function and the options of the transaction that it runs in. */
interface Wrapped {
  readonly work: Value;
  readonly options: Value | undefined;
}

/** Calls a function in a transaction of typeorm-transactional's, or in the one that is open. */
function ranInside(
  { work, options }: Wrapped,
  args: readonly Value[],
  { source }: Call,
  tools: Tools,
): Value {
  const own = { source, ...levelOf(options && tools.fields(options)?.get("isolationLevel")) };
  return tools.inTransaction({ id: NAME, isPool: false }, own, () =>
    tools.settle(tools.call(work, args, source)),
  );
}

/** Methods that data sources, managers and query runners have. */
function connectionCall(
  handle: HandleValue,
  owner: string,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { connection } = handle;
  const { source } = call;
  const [first, second, ...more] = call.arguments;
  switch (method) {
    case "transaction":
      return transaction(handle, call, tools);
    case "getRepository":
    case "getTreeRepository":
      return tools.handle("repository", entityOf(first, tools), connection);
    case "withRepository":
    case "getCustomRepository":
      return first?.kind === "handle" ? { ...first, ...(connection && { connection }) } : undefined;
    case "createQueryBuilder": {
      const query = startQuery(entityOf(first, tools), constantText(second), source);
      return builder(query, connection, tools);
    }
    case "createQueryRunner":
      return tools.handle("runner", undefined, tools.connection(false));
    case "createEntityManager":
      return tools.handle("manager", undefined, connection);
    case "query":
      return query(handle, first, second, call, tools);
    case "startTransaction":
      tools.begin(connection, { source, ...levelIn(first) });
      return UNDEFINED;
    case "commitTransaction":
      tools.commit(connection, source);
      return UNDEFINED;
    case "rollbackTransaction":
      tools.rollback(connection, source);
      return UNDEFINED;
    case "initialize":
    case "connect":
      return handle.path.startsWith("runner")
        ? UNDEFINED
        : tools.handle("source", undefined, connection);
    case "destroy":
    case "close":
    case "release":
      return UNDEFINED;
    default:
  }
  if (owner !== "manager" || !METHODS.has(method)) return undefined;
  const named = entityOf(first, tools);
  if (named) {
    const args = second === undefined ? [] : [second, ...more];
    return repositoryCall({ model: named, connection, source, tools }, method, args);
  }
  const model = first && modelOfValue(first, tools);
  return model && repositoryCall({ model, connection, source, tools }, method, call.arguments);
}

/** The first argument of what begins a transaction, which may be the function to run in it. */
function levelIn(value: Value | undefined): Pick<TransactionOptions, "level"> {
  return value?.kind === "function" ? {} : levelOf(value);
}

/** `transaction([level,] async (manager) => ...)`; inside of an open one it is a part of that. */
function transaction(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const callback = call.arguments.find((each) => each.kind === "function");
  if (!callback) return undefined;
  const { source } = call;
  const connection = ownConnection(handle.connection, tools);
  const inner = tools.handle("manager", undefined, connection);
  return tools.inTransaction(
    connection,
    { source, isNested: true, ...levelIn(call.arguments[0]) },
    () => tools.settle(tools.call(callback, [inner], source)),
  );
}

/** SQL text: rows, or with PostgreSQL for UPDATE and DELETE the rows and how many there were. */
function query(
  { connection }: HandleValue,
  text: Value | undefined,
  values: Value | undefined,
  { source }: Call,
  tools: Tools,
): Value {
  const outcome = tools.sql(connection, text ?? UNDEFINED, parametersIn(values, tools), source);
  if (outcome.kind !== "change") return rowsOf(outcome, tools);
  if (tools.dialect !== "postgres") {
    const { count, insertId } = outcome;
    return tools.object({ affectedRows: count, ...(insertId && { insertId }) });
  }
  const isInsert = /^\s*insert/iu.test(constantText(text) ?? "");
  return isInsert ? rowsOf(outcome, tools) : tools.list([rowsOf(outcome, tools), outcome.count]);
}

/** True if a class's rows save themselves: it extends `BaseEntity`. */
function isActive(of: ClassValue): boolean {
  return extendsLibrary(of, NAME, "BaseEntity");
}

function rowCall(
  row: Extract<Value, { kind: "row" | "rows" | "object" }>,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { source } = call;
  const [, part, last = ""] = /^(.+)\.(\w+)$/u.exec(method) ?? [];
  if (part !== undefined) {
    const isSaved = OF_ROWS.has(last) && row.kind === "row" && isRowData(row.data);
    if (isSaved) tools.lose(`what ${method}() writes is not known`, source, "opaque");
    return undefined;
  }
  if (row.kind === "object") {
    const own = row.class && repositoryClass({ kind: "class", ...row.class }, tools);
    if (own && METHODS.has(method)) {
      return repositoryCall({ ...own, source, tools }, method, call.arguments);
    }
    if (own && method === "createQueryBuilder") {
      const alias = constantText(call.arguments[0]);
      return builder(startQuery(own.model, alias, source), own.connection, tools);
    }
    if (!row.class || !isActive({ kind: "class", ...row.class })) return undefined;
  }
  if (row.kind === "rows" || (row.kind === "row" && !isRowData(row.data))) return undefined;
  const model = modelOfValue(row, tools);
  if (model?.class === undefined || !isActive(model.class)) return undefined;
  if (method !== "save" && method !== "remove" && method !== "softRemove") return undefined;
  return repositoryCall({ model, connection: POOL, source, tools }, method, [row]);
}

/** A class of the workspace that extends `Repository`, whose entity its constructor or decorator names. */
function repositoryClass(
  of: ClassValue,
  tools: Tools,
): Pick<Place, "model" | "connection"> | undefined {
  const { superclass, annotations, methods } = of.class;
  const parent = superclass === undefined ? undefined : of.scope.module.lookup(superclass);
  const isRepository =
    parent?.kind === "handle" &&
    parent.library.name === NAME &&
    /^(?:Tree)?Repository$|^AbstractRepository$/u.test(parent.path);
  if (!isRepository) return undefined;
  const decorator = annotations.find(({ name }) => name === "EntityRepository");
  const constructor = methods.find(({ kind }) => kind === "constructor");
  const entity = decorator?.arguments[0] ?? superArgument(constructor?.function);
  const model: Model | undefined = entity && entityOf(tools.evaluate(entity, of.scope), tools);
  return model && { model, connection: POOL };
}

/** `super(User, ...)`. */
function superArgument(hir: HirFunction | undefined): HirExpression | undefined {
  for (const statement of hir?.body ?? []) {
    if (statement.kind !== "expression" || statement.expression.kind !== "call") continue;
    const { callee, arguments: args } = statement.expression;
    if (callee.kind === "super") return args[0]?.value;
  }
  return undefined;
}
