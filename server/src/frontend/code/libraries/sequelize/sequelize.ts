// Sequelize: models by definition or class, managed and unmanaged transactions, SQL text.
import {
  AN_ERROR,
  constantScalar,
  constantText,
  textOf,
  UNDEFINED,
  type Connection,
  type HandleValue,
  type Value,
} from "../../values";
import { plainName } from "../../../sql/relationNames";
import { valueFragment, raw, type Fragment } from "../builders/draft";
import { levelOf } from "../levels";
import type { Call, Library, Shape, Tools } from "../library";
import { camelCase, isModel, modelTable, snakeCase, tableOf, type Model } from "../orm/model";
import { ownMember } from "../orm/ownMethods";
import { withParameters } from "../orm/parameters";
import { isRowData } from "../orm/statements";
import { rowsOf } from "../rawSql";
import { allModels, withAssociations, findModel } from "./associations";
import { argumentRow } from "./argumentRows";
import { tellHooks } from "./hooks";
import { instanceCall, STATEMENTS_OF_ROWS } from "./instances";
import { defaultsOf, extendsModel, isDefaults, modelOf, modelOfClass, modelOfValue, pluralOf } from "./models"; // prettier-ignore
import { connectionIn } from "./find";
import { joinsTransactions } from "./clsTransactions";
import { FIELD, fieldHandle } from "./includes";
import { METHODS, modelCall } from "./operations";
import { scopedAs } from "./scopes";
import { OPERATOR, partOf } from "./where";

const NAME = "sequelize";
const POOL: Connection = { id: NAME, isPool: true };

export const SEQUELIZE: Library = {
  name: NAME,
  modules: [NAME, "@sequelize/core", "sequelize-typescript"],
  imported: (name, _module, tools) =>
    tools.handle(name === "default" || name === "*" ? "Sequelize" : name),
  typed: (type, tools) => {
    switch (type) {
      case "Sequelize":
        return tools.handle("db", undefined, POOL);
      case "Transaction":
        return tools.handle("transaction", undefined, tools.connection(false));
      default:
        return undefined;
    }
  },
  member: memberOf,
  declares: (declared, tools) => {
    const model = modelOfValue(declared, tools);
    return model && tableOf(withAssociations(model, tools));
  },
  tables: (tools) => allModels(tools).map(tableOf),
  classMember: (of, property, tools) => {
    if (!METHODS.has(property) || !extendsModel(of)) return undefined;
    const model = modelOfClass(of, tools);
    return model && tools.handle(`model.${property}`, withAssociations(model, tools), POOL);
  },
  rowCall: (self, method, call, tools) => {
    const row = self.kind === "object" ? argumentRow(self, POOL, tools) : self;
    if (row?.kind === "row") return instanceCall(row, method, call, tools);
    const of = self.kind === "object" ? self.class : undefined;
    if (of && extendsModel({ kind: "class", ...of }) && STATEMENTS_OF_ROWS.has(method))
      tools.lose(`which row ${method}() is called on is not known`, call.source, "opaque");
    return undefined;
  },
  statementsOfRows: STATEMENTS_OF_ROWS,
  rowMember: (row, property, source, tools) =>
    property === "sequelize" && isRowData(row.data)
      ? tools.handle("db", undefined, POOL)
      : ownMember(row, property, source, tools),
  call: callOf,
  asks: ({ method, object, isOfPackage }, { used }) =>
    used.has(NAME) &&
    (METHODS.has(method)
      ? /^[A-Z]/u.test(object) && !isOfPackage && !Object.hasOwn(globalThis, object)
      : object === "sequelize" && /^(?:transaction|query)$/u.test(method)),
  shaped: shapedModel,
};

/** Parts of the module are reached through it, too: `Sequelize.Op`, `Sequelize.DataTypes`. */
function memberOf(handle: HandleValue, property: string, tools: Tools): Value | undefined {
  const path = handle.path.replace(/^(?:Sequelize|db\.Sequelize)\.(?=[A-Z])/u, "");
  if (path === "Op") return textOf(`${OPERATOR}${property})`);
  if (path === "Sequelize" && property === "Sequelize") return handle;
  if (path === "db" && property === "models") return tools.handle("models", undefined, POOL);
  return undefined;
}

function callOf(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path, data, connection } = handle;
  const { source } = call;
  const [first, second, third] = call.arguments;
  const method = path.split(".").at(-1) ?? path;
  if (path === "Sequelize" && call.isNew) {
    return tools.handle("db", defaultsOf(call.arguments, tools), POOL);
  }
  if (isModel(data)) {
    if (method === "schema") {
      const schema = constantText(first);
      if (schema === undefined) return undefined;
      const place = modelTable(
        tools,
        [plainName({ name: data.table, schema: data.schema })],
        schema,
      );
      return { ...handle, path: "model", data: { ...data, ...place } };
    }
    if (method === "scope" || method === "unscoped") {
      const scoped = scopedAs(withAssociations(data, tools), method, call, tools);
      return { ...handle, path: "model", data: scoped };
    }
    // The class's own method of that name is called on the scoped class, too.
    if (data.scoped && hasStatic(data, method)) return undefined;
    if (DECLARING.test(method)) return UNDEFINED;
    const model = withAssociations(data, tools);
    const place = { model, connection: connection ?? POOL, source, tools };
    tellHooks(place, method, call.arguments, "model");
    return modelCall(place, method, call.arguments);
  }
  switch (path) {
    case "db.define": {
      const name = constantText(first);
      const define = isDefaults(data) ? data.define : new Map<string, Value>();
      const model = name === undefined ? undefined : modelOf(name, second, third, define, tools);
      return model && tools.handle("model", model, POOL);
    }
    case FIELD:
      return fieldHandle(data, first, tools);
    case "db.transaction":
      return transaction(call, tools);
    case "db.query":
      return query(first, second, call, tools);
    case "transaction.commit":
      tools.commit(connection, source);
      return UNDEFINED;
    case "transaction.rollback":
      tools.rollback(connection, source);
      return UNDEFINED;
    case "transaction.afterCommit":
    case "db.authenticate":
    case "db.sync":
    case "db.close":
    case "Sequelize.useCLS":
      return UNDEFINED;
    default:
  }
  if (/(?:^|\.)DataTypes?\.|^Sequelize\.[A-Z]+$/u.test(path)) return handle;
  if (call.isNew && path.endsWith("Error")) return AN_ERROR;
  return partOf(method, call.arguments, tools);
}

function hasStatic({ class: of }: Model, method: string): boolean {
  return of?.class.methods.some(({ name, isStatic }) => isStatic && name === method) === true;
}

const DECLARING = /^(?:hasMany|hasOne|belongsTo|belongsToMany|sync|addHook|addScope|before\w+|after\w+)$/u; // prettier-ignore

/** With a callback it is managed; without one it is the caller's to end. */
function transaction(call: Call, tools: Tools): Value {
  const { source } = call;
  const callback = call.arguments.find((each) => each.kind === "function");
  const options = call.arguments.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  const outer = fields && connectionIn(fields);
  const connection = outer ?? tools.connection(false);
  const own = tools.handle("transaction", undefined, connection);
  const level = levelOf(fields?.get("isolationLevel"));
  if (callback) {
    const joined = joinsTransactions(tools) ? { ...connection, isAny: true } : connection;
    return tools.inTransaction(joined, { source, isNested: true, ...level }, () =>
      tools.settle(tools.call(callback, [own], source)),
    );
  }
  tools.begin(connection, { source, ...level });
  return own;
}

/** SQL text with `replacements` or `bind`; what it gives depends on its `type`. */
function query(
  text: Value | undefined,
  options: Value | undefined,
  { source }: Call,
  tools: Tools,
): Value {
  const fields = (options && tools.fields(options)) ?? new Map<string, Value>();
  const [replacements, bind] = [fields.get("replacements"), fields.get("bind")];
  const listed = replacements && tools.items(replacements);
  const named = replacements && tools.fields(replacements);
  const parts: Fragment = text?.kind === "text" ? text.parts : [];
  const written: Value =
    named && text?.kind === "text"
      ? { kind: "text", parts: withParameters(parts, named, tools, { spread: ":" }) }
      : listed && text?.kind === "text"
        ? { kind: "text", parts: replaced(parts, listed) }
        : (text ?? UNDEFINED);
  const bound = bind && tools.items(bind);
  const byName = bind && tools.fields(bind);
  const outcome = tools.sql(
    connectionIn(fields) ?? POOL,
    written,
    {
      ...(bound && { positional: bound }),
      ...(byName && { named: (name: string) => byName.get(name) }),
    },
    source,
  );
  const type = fields.get("type");
  const kind = type?.kind === "handle" ? type.path.split(".").at(-1) : constantText(type);
  const rows = rowsOf(outcome, tools);
  if (constantScalar(fields.get("plain")) === true) return tools.firstRow(rows);
  if (kind === "SELECT") return rows;
  if (kind === "UPDATE" || kind === "INSERT") return tools.list([rows, outcome.count]);
  return kind === "DELETE" ? UNDEFINED : tools.list([rows, outcome.count]);
}

/** `?` by the values in order. */
function replaced(parts: Fragment, values: readonly Value[]): Fragment {
  let at = 0;
  return parts.flatMap((part): Fragment => {
    if (part.kind === "hole") return [part];
    const pieces = part.run.text.split("?");
    return pieces.flatMap((piece, index): Fragment => {
      const value = index < pieces.length - 1 ? values[at++] : undefined;
      return value ? [...raw(piece), ...valueFragment(value)] : raw(piece);
    });
  });
}

/** `db.User.findOne(...)` where models are put together when the program runs: the table of that name. */
function shapedModel({ method, name, used }: Shape, tools: Tools): HandleValue | undefined {
  if (!used.has(NAME)) return undefined;
  const isDatabase = /(?:^|\.)sequelize$/u.test(name);
  if (isDatabase && (method === "transaction" || method === "query")) {
    return tools.handle(`db.${method}`, undefined, POOL);
  }
  if (!METHODS.has(method)) return undefined;
  const called = name.split(".").at(-1) ?? name;
  if (!/^[A-Z]\w*$/u.test(called)) return undefined;
  const model = findModel(called, tools) ?? modelOfTable(called, tools);
  return model && tools.handle(`model.${method}`, model, POOL);
}

/** A model as its table tells it. */
function modelOfTable(name: string, tools: Tools): Model | undefined {
  const plural = pluralOf(name);
  const names = [plural, name, snakeCase(plural), snakeCase(name), plural.toLowerCase()];
  const table = names.map((each) => tools.table(each)).find((each) => each !== undefined);
  if (!table || table.inferred) return undefined;
  const roles = { createdAt: "created", updatedAt: "updated", deletedAt: "deleted" } as const;
  return {
    kind: "model",
    name,
    table: table.name,
    columns: table.columns.map((column) => {
      const property = camelCase(column.name);
      const role = Object.entries(roles).find(([key]) => key === property)?.[1];
      return {
        property: table.columns.some((each) => each.name === property) ? column.name : property,
        column: column.name,
        type: column.type,
        isKey: table.primaryKey.includes(column.name),
        isRequired: !column.nullable,
        ...(column.default?.kind === "fresh" &&
          column.default.why === "sequence" && { generated: "sequence" as const }),
        ...(role && { role }),
      };
    }),
    relations: [],
    uniqueKeys: table.uniqueKeys,
  };
}
