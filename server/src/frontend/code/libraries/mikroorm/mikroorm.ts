// MikroORM: entity managers, which keep what they read and write what changed at a flush, and their repositories.
import { ofNode } from "../../../../query/nodes";
import {
  constant,
  constantScalar,
  constantText,
  UNDEFINED,
  unknown,
  type Connection,
  type HandleValue,
  type ObjectValue,
  type RowValue,
  type Value,
} from "../../values";
import { valueFragment, raw, type Fragment } from "../builders/draft";
import { findAnnotation } from "../annotations";
import { transactionalOptions } from "../decoratorOptions";
import { levelOf } from "../levels";
import type { Call, Library, Tools } from "../library";
import { keysOf, lockClause, roleOf, tableOf, type Model } from "../orm/model";
import { ownMember, ownMethod } from "../orm/ownMethods";
import {
  byKey,
  columnText,
  isRowData,
  runAggregate,
  runDelete,
  runSelect,
  runUnknownWrite,
  runUpdate,
  startOn,
  type Place,
} from "../orm/statements";
import { columnValue, heldIn, modelOfRow, orNull, writable } from "../orm/entityColumns";
import { requireVersion } from "../orm/rowVersions";
import {
  flushRow,
  flushUnit,
  isKept,
  keep,
  keptByKey,
  mayFlush,
  mayKeep,
  readUnlessKept,
  releaseAll,
  setKnown,
  stage,
  type UnitStyle,
} from "../orm/unitOfWork";
import { ownConnection } from "../ownConnection";
import { queryOf, rowsOf } from "../rawSql";
import { entityOf } from "./entities";
import { whereOf } from "./where";

/** Only what changed is written. */
const STYLE: UnitStyle = {
  isWhole: () => false,
  countsInDatabase: true,
  isStrict: false,
};

const NAME = "mikro-orm";

export const MIKRO_ORM: Library = {
  name: NAME,
  modules: [
    "@mikro-orm/core",
    "@mikro-orm/postgresql",
    "@mikro-orm/mysql",
    "@mikro-orm/mariadb",
    "@mikro-orm/nestjs",
  ],
  imported: (name, _module, tools) => tools.handle(name),
  typed: (type, tools, of) => {
    if (/^(?:Sql)?EntityManager$/u.test(type)) return manager(tools, SHARED);
    if (type === "MikroORM") return tools.handle("orm");
    const model = type === "EntityRepository" || type === "SqlEntityRepository" ? entityOf(of?.[0], tools) : undefined; // prettier-ignore
    return model && { ...manager(tools, SHARED), path: "repository", data: model };
  },
  member: (handle, property, tools) => {
    if (handle.path === "orm" && property === "em") return manager(tools, SHARED);
    if (handle.path === "repository" && property === "em") return { ...handle, path: "em", data: undefined }; // prettier-ignore
    return undefined;
  },
  declares: (declared, tools) => {
    const isOwn = declared.kind === "class" && isDeclaredHere(declared.scope.module.lookup("Entity")); // prettier-ignore
    const model = isOwn ? entityOf(declared, tools) : undefined;
    return model && tableOf(model);
  },
  rowMember: ownMember,
  rowCall: ownMethod,
  rounded: ({ start, row, source }, tools) => {
    const { connection: own } = row && isRowData(row.data) ? row.data : {};
    const isOfManager = [...connectionsOf(tools)].some(({ id }) => id === own?.id);
    if (row && isRowData(row.data) && isOfManager)
      flushRow({ ...row.data, tools, source }, row, STYLE);
    for (const connection of connectionsOf(tools)) {
      if (!mayFlush(tools, connection, undefined, start)) continue;
      if (!tools.isOpen(connection)) tools.lose(LATER, source);
      flushUnit(tools, connection, source, start);
    }
  },
  boundary: ({ function: hir, named }) => transactionalOptions(hir, named, NAME),
  committed: (connection, { source }, tools) => {
    if (connection.id === SHARED.id) flushUnit(tools, connection, source);
  },
  tagged: (handle, { text }, tools) =>
    handle.path === "sql" ? tools.handle("fragment", text) : undefined,
  call: (handle, call, tools) => called(handle, call, tools),
};

/** A value, or the text of a `sql` template. */
function fragmentOf(value: Value): Fragment {
  // Only `tagged` makes handles of this path.
  const text = value.kind === "handle" && value.path === "fragment" ? (value.data as Value) : undefined; // prettier-ignore
  return text?.kind === "text" ? text.parts : valueFragment(orNull(value));
}

const LATER = "what a loop changes is written in its rounds, and not at the flush";

function isDeclaredHere(value: Value | undefined): boolean {
  return value?.kind === "handle" && value.library.name === NAME;
}

const connectionsOf = ofNode((_tools: Tools) => new Set<Connection>());

/** The manager of a request: whoever asks for one in a transaction gets that of the transaction. */
const SHARED: Connection = { id: NAME, isPool: false };

/** An entity manager, on a connection of its own unless one is given. */
function manager(tools: Tools, connection = tools.connection(false)): HandleValue {
  connectionsOf(tools).add(connection);
  return tools.handle("em", undefined, connection);
}

function called(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path, connection, data } = handle;
  const dot = path.lastIndexOf(".");
  const [owner, name] = dot === -1 ? ["", path] : [path.slice(0, dot), path.slice(dot + 1)];
  const { source, arguments: args } = call;
  switch (owner) {
    case "":
      return name === "MikroORM" && call.isNew ? tools.handle("orm") : undefined;
    case "MikroORM":
      return /^init/u.test(name) ? tools.handle("orm") : undefined;
    case "orm":
      return /^(?:close|connect|isConnected)$/u.test(name) ? UNDEFINED : undefined;
    case "repository": {
      // Only `getRepository` and `typed` make such handles.
      const model = data as Model;
      return (
        entityCall({ model, connection, source, tools }, name, args) ??
        managerCall({ ...handle, path: "em" }, name, call, tools)
      );
    }
    case "em": {
      const own = managerCall(handle, name, call, tools);
      if (own) return own;
      const [first, ...rest] = args;
      const model = entityOf(first, tools);
      return model && entityCall({ model, connection, source, tools }, name, rest);
    }
    default:
      return undefined;
  }
}

/** Names that are no entity class. */
function managerCall(
  handle: HandleValue,
  name: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  const { connection } = handle;
  const { source, arguments: args } = call;
  const [first = UNDEFINED, second = UNDEFINED] = args;
  const flush = (): void => {
    together(connection, source, tools, () => {
      flushUnit(tools, connection, source);
    });
  };
  switch (name) {
    case "fork":
      return manager(tools);
    case "getRepository": {
      const model = entityOf(first, tools);
      return model && { ...handle, path: "repository", data: model };
    }
    case "getConnection":
    case "getContext":
      return { ...handle, path: "em" };
    case "execute": {
      if (mayFlush(tools, connection, undefined)) flush();
      const { text, parameters } = queryOf(call, tools);
      return rowsOf(tools.sql(connection, text, parameters, source), tools);
    }
    case "persist":
    case "persistAndFlush":
    case "remove":
    case "removeAndFlush":
      each(first, { connection, source, tools }, (place, entity) => {
        staged(place, entity, name.startsWith("persist") ? "insert" : "delete");
      });
      if (name.endsWith("Flush")) flush();
      return { ...handle, path: "em" };
    case "flush":
      flush();
      return UNDEFINED;
    case "clear":
      releaseAll(tools, connection);
      return UNDEFINED;
    case "assign": {
      const fields = tools.fields(second);
      if (!fields) return undefined;
      for (const [key, value] of fields) tools.assign(first, key, value);
      return first;
    }
    case "lock":
      return locked({ connection, source, tools }, first, second);
    case "transactional": {
      const work = first.kind === "function" ? first : undefined;
      if (!work) return undefined;
      const own = ownConnection(connection, tools);
      const options = tools.fields(second);
      return tools.inTransaction(
        own,
        { source, isNested: true, ...levelOf(options?.get("isolationLevel")) },
        () => {
          // prettier-ignore
          const inner = { ...handle, path: "em", connection: own };
          const result = tools.settle(tools.call(work, [inner], source));
          flushUnit(tools, own, source);
          return result;
        },
      );
    }
    case "begin":
      tools.begin(connection, { source, ...levelOf(tools.fields(first)?.get("isolationLevel")) });
      return UNDEFINED;
    case "commit":
      flushUnit(tools, connection, source);
      tools.commit(connection, source);
      return UNDEFINED;
    case "rollback":
      tools.rollback(connection, source);
      return UNDEFINED;
    default:
      return undefined;
  }
}

/** Runs something in the open transaction, or in one of its own. */
function together(
  connection: Connection | undefined,
  source: Call["source"],
  tools: Tools,
  run: () => void,
): void {
  // A caller's may have begun one.
  if (connection?.isGiven === true) {
    run();
    return;
  }
  const own = ownConnection(connection, tools);
  tools.inTransaction(own, { source }, () => {
    run();
    return UNDEFINED;
  });
}

/** Runs something for the entity that a value is, or for each of a list. */
function each(
  value: Value,
  around: Omit<Place, "model">,
  run: (place: Place, entity: Value) => void,
): void {
  const { tools, source } = around;
  if (/^(?:list|rows|derived|joined)$/u.test(value.kind)) {
    tools.each(value, source, (item) => {
      each(item, around, run);
    });
    return;
  }
  const model = modelOfRow(value) ?? (value.kind === "object" && value.class ? entityOf({ kind: "class", ...value.class }, tools) : undefined); // prettier-ignore
  if (model) run({ ...around, model }, value);
  else if (value.kind !== "undefined") tools.lose("what is persisted or removed is not known", source, "opaque"); // prettier-ignore
}

/** Says what runs around what is done with rows, and what is no column. */
function tellUnread({ model: { name, class: of }, tools, source }: Place): void {
  const methods = (of?.class.methods ?? []).filter(({ function: { annotations } }) =>
    annotations.some(({ name: decorator }) => /(?:Before|After|On)[A-Z]\w*$/u.test(decorator)),
  );
  const fields = (of?.class.fields ?? []).filter(({ annotations }) => findAnnotation(annotations, "Embedded")); // prettier-ignore
  const isFiltered = of && findAnnotation(of.class.annotations, "Filter") !== undefined;
  const all = [...methods, ...fields].map((each) => each.name);
  const unread = isFiltered === true ? [...all, "@Filter"] : all;
  if (unread.length > 0) tools.lose(`${unread.join(", ")} of ${name} is not followed`, source);
}

function staged(place: Place, entity: Value, action: "insert" | "delete"): void {
  tellUnread(place);
  if (action === "insert" && isKept(place, entity)) return;
  if (entity.kind === "object" || entity.kind === "row") stage(place, entity, STYLE, action);
  else runUnknownWrite(place, "what is persisted or removed is not known");
}

/** The clause of a lock mode: a member of `LockMode`, or its number. */
function lockText(value: Value | undefined, tools: Tools): string | undefined {
  const path = value?.kind === "handle" ? value.path.replace(/^.*\./u, "") : constantScalar(value);
  switch (path) {
    case "PESSIMISTIC_WRITE":
    case 4:
      return lockClause("update", tools.dialect);
    case "PESSIMISTIC_READ":
    case 2:
      return lockClause("share", tools.dialect);
    case "PESSIMISTIC_PARTIAL_WRITE":
      return "FOR UPDATE SKIP LOCKED";
    case "PESSIMISTIC_WRITE_OR_FAIL":
      return "FOR UPDATE NOWAIT";
    default:
      return undefined;
  }
}

/** `em.lock(entity, mode)`: what was read stays; an optimistic one compares the version. */
function locked(around: Omit<Place, "model">, entity: Value, mode: Value): Value | undefined {
  const { tools } = around;
  const model = modelOfRow(entity);
  const clause = lockText(mode, tools);
  if (!model || (entity.kind !== "row" && entity.kind !== "object")) return undefined;
  const place: Place = { ...around, model };
  const [column] = keysOf(model);
  const key = byKey(place, (name) => heldIn(entity, name, tools));
  if (clause === undefined || !column || !key) return undefined;
  runSelect(place, {
    ...startOn(place, "select"),
    columns: [raw("1")],
    where: key,
    lock: clause,
  });
  return UNDEFINED;
}

/** A call of a manager with an entity class, or of a repository. */
function entityCall(place: Place, name: string, args: readonly Value[]): Value | undefined {
  const { tools, connection, model, source } = place;
  const [first, second] = args;
  switch (name) {
    case "find":
    case "findAll":
      return found(place, name === "find" ? first : undefined, name === "find" ? second : first);
    case "findOne":
    case "findOneOrFail": {
      const rows = found(place, first, second, { isFirst: true });
      const row = rows && (rows.kind === "rows" ? tools.firstRow(rows) : rows);
      if (row && name === "findOneOrFail") tools.require(tools.condition(row), "no entity was found", source); // prettier-ignore
      return row;
    }
    case "findAndCount": {
      const rows = found(place, first, second);
      const where = whereOf(place, first);
      return rows && where && tools.list([rows, runAggregate(place, "COUNT(*)", where)]);
    }
    case "count": {
      before(place);
      const where = whereOf(place, first);
      return where && runAggregate(place, "COUNT(*)", where);
    }
    case "create": {
      const fields = first ? tools.fields(first) : new Map<string, Value>();
      if (!fields || !model.class) return undefined;
      const made = tools.object(Object.fromEntries(fields));
      if (made.kind !== "object") return undefined;
      tellUnread(place);
      const object: ObjectValue = { ...made, class: model.class };
      const options = second && tools.fields(second);
      if (constantScalar(options?.get("persist")) !== false) stage(place, object, STYLE, "insert");
      return object;
    }
    case "getReference":
      return found(place, first, undefined, { isFirst: true });
    case "nativeUpdate": {
      const where = whereOf(place, first);
      const fields = second && tools.fields(second);
      const set = new Map<string, Fragment>();
      for (const [property, value] of fields ?? []) {
        const column =
          model.columns.find((each) => each.property === property)?.column ??
          model.relations.find((each) => each.property === property)?.column;
        if (column !== undefined) set.set(column, fragmentOf(columnValue(model, property, value, tools))); // prettier-ignore
      }
      if (!where || set.size === 0 || set.size !== fields?.size) {
        runUnknownWrite(place, "what is updated is not known");
        return unknown("how many rows are updated");
      }
      return runUpdate(place, set, where, { isVersioned: false }).count;
    }
    case "nativeDelete": {
      const where = whereOf(place, first);
      if (where) return runDelete(place, where).count;
      runUnknownWrite(place, "what is deleted is not known");
      return unknown("how many rows are deleted");
    }
    case "lock":
      return locked({ connection, source, tools }, first ?? UNDEFINED, second ?? UNDEFINED);
    default:
      return undefined;
  }
}

/** `{ number: "desc" }`, or a list of such. */
function orderOf(place: Place, value: Value | undefined): readonly Fragment[] {
  const { tools, model } = place;
  const all = value ? (tools.items(value) ?? [value]) : [];
  return all.flatMap((item) =>
    [...(tools.fields(item) ?? [])].flatMap(([name, way]) => {
      const column = model.columns.find(({ property }) => property === name);
      const isDown = /^desc|^-1$/iu.test(
        (constantText(way) ?? constantScalar(way) ?? "").toString(),
      );
      return column ? [raw(`${columnText(place, column)} ${isDown ? "DESC" : "ASC"}`)] : [];
    }),
  );
}

/** Changes are written before a query of their table. */
function before({ tools, connection, model, source }: Place): void {
  if (!mayFlush(tools, connection, new Set([model.table]))) return;
  together(connection, source, tools, () => {
    flushUnit(tools, connection, source);
  });
}

/** Rows by a condition, kept by the manager; a row that is kept already is not read again by its key. */
function found(
  place: Place,
  where: Value | undefined,
  options: Value | undefined,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): Value | undefined {
  const { tools, model, source } = place;
  const asked = options && options.kind !== "undefined" ? tools.fields(options) : new Map<string, Value>(); // prettier-ignore
  if (!asked) return undefined;
  const [column] = keysOf(model);
  const fields = where && where.kind !== "row" ? tools.fields(where) : undefined;
  const key = fields?.size === 1 ? fields.get(column?.property ?? "id") : fields ? undefined : where; // prettier-ignore
  const isKey = isFirst && key !== undefined && (key.kind === "scalar" || key.kind === "text" || key.kind === "input"); // prettier-ignore
  const expression = isKey ? tools.expression(key) : undefined;
  const mode = asked.get("lockMode");
  const known = expression && keptByKey(place, expression);
  const isAgain = mode !== undefined || constantScalar(asked.get("refresh")) === true;
  if (known && !isAgain) return known;
  const conditions = whereOf(place, where);
  if (!conditions) return undefined;
  const read = (): Value => {
    tellUnread(place);
    before(place);
    if (!known && mayKeep(place, { asked: isKey })) {
      tools.lose(`a row of ${model.name} that was read before becomes what is read now`, source);
    }
    const [limit, offset] = [asked.get("limit"), asked.get("offset")];
    const lock = lockText(mode, tools);
    if (asked.has("populate")) tools.lose("what is read along with rows is not followed", source);
    const rows = runSelect(place, {
      ...startOn(place, "select"),
      where: conditions,
      orderBy: orderOf(place, asked.get("orderBy")),
      ...(isFirst ? { limit: raw("1") } : limit && { limit: valueFragment(limit) }),
      ...(offset && { offset: valueFragment(offset) }),
      ...(lock !== undefined && { lock }),
    });
    const version = asked.get("lockVersion");
    const own = roleOf(model, "version");
    if (version && own) {
      const expected = tools.object({ [own.property ?? own.column]: version });
      requireVersion(place, tools.firstRow(rows), expected);
    }
    if (!known) keep(place, rows, STYLE, expression);
    return rows;
  };
  if (known) return renewed(place, known, tools.firstRow(read()));
  if (!expression || isAgain) return read();
  return readUnlessKept(place, expression, () => tools.firstRow(read()));
}

/** A row that is kept becomes what is read now, but for its version. What the code changed was written before. */
function renewed(place: Place, known: RowValue | ObjectValue, row: Value): Value {
  const { tools, model } = place;
  for (const { column, name } of writable(model)) {
    const value = tools.field(row, column.property ?? column.column);
    tools.assign(known, name, value);
    setKnown(place, known, name, value);
  }
  return tools.either(
    tools.condition(row),
    () => known,
    () => constant(null),
  );
}
