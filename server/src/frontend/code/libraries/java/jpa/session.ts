// Operations of an entity manager: finding, persisting, merging, removing and locking them.
import type { Expression } from "../../../../../program/expression";
import { constant, constantScalar, UNDEFINED, type ObjectValue, type Value } from "../../../values";
import { literal } from "../../../../sql/expressions";
import { raw } from "../../builders/draft";
import { keysOf, lockClause, roleOf, type ModelColumn } from "../../orm/model";
import {
  byKey,
  columnText,
  equals,
  isNothing,
  modelRows,
  runDelete,
  runDraftOf,
  runSelect,
  runUnknownWrite,
  selectColumns,
  startOn,
  type Place,
} from "../../orm/statements";
import { heldIn, modelOfRow } from "../../orm/entityColumns";
import { forceVersion, requireVersion } from "../../orm/rowVersions";
import {
  beforeCommit,
  flushUnit,
  insertObject,
  isKept,
  keep,
  keptByKey,
  mayDelete,
  mayKeep,
  readUnlessKept,
  release,
  setKnown,
  stage,
  type UnitStyle,
} from "../../orm/unitOfWork";
import type { Tools } from "../../library";
import { beforeInsert, entityOf, isJpaModel, isPrimitive, type JpaModel } from "./entities";

/** Hibernate's: all columns, unless the entity says that they are to be told one by one. */
export const HIBERNATE: UnitStyle = {
  isWhole: (model) => !isJpaModel(model) || !model.isDynamic,
  countsInDatabase: false,
  isStrict: true,
};

export interface Session extends Place {
  readonly model: JpaModel;
  /** True if what is read is kept: outside of a transaction of Spring's each call has a session of its own. */
  readonly keeps: boolean;
}

/** The clause of a lock mode in a query. PostgreSQL gets the weaker one of its locks for writing. */
export function queryLock(mode: string | undefined, tools: Tools): string | undefined {
  const isPostgres = tools.dialect === "postgres";
  switch (mode) {
    case "PESSIMISTIC_WRITE":
    case "PESSIMISTIC_FORCE_INCREMENT":
    case "UPGRADE":
      return isPostgres ? "FOR NO KEY UPDATE" : "FOR UPDATE";
    case "UPGRADE_NOWAIT":
      return `${isPostgres ? "FOR NO KEY UPDATE" : "FOR UPDATE"} NOWAIT`;
    case "UPGRADE_SKIPLOCKED":
      return `${isPostgres ? "FOR NO KEY UPDATE" : "FOR UPDATE"} SKIP LOCKED`;
    case "PESSIMISTIC_READ":
      return lockClause("share", tools.dialect);
    default:
      return undefined;
  }
}

/** The last name of a lock mode: `LockModeType.PESSIMISTIC_WRITE`. */
export function modeOf(value: Value | undefined): string | undefined {
  const path = value?.kind === "handle" ? value.path : value?.kind === "external" ? value.name : "";
  return /\.([A-Z_]+)$/u.exec(path)?.[1];
}

/** The row of a key, which is null where there is none. */
export function findEntity(session: Session, key: Value, mode?: string): Value {
  const { tools, model } = session;
  const [column, ...others] = keysOf(model);
  if (!column || others.length > 0) {
    const rows = runSelect(session, {
      ...startOn(session, "select"),
      columns: selectColumns(session),
    });
    tools.lose("a key of several columns is not followed", session.source);
    return tools.firstRow(rows);
  }
  const expression = tools.expression(key);
  const known = session.keeps ? keptByKey(session, expression) : undefined;
  if (known) {
    lockEntity(session, known, mode);
    return known;
  }
  if (mayDelete(session)) flushUnit(tools, session.connection, session.source);
  if (session.keeps && mayKeep(session, { asked: true })) tellKept(session);
  const lock = queryLock(mode, tools);
  const read = (): Value => {
    const rows = runSelect(session, {
      ...startOn(session, "select"),
      columns: selectColumns(session),
      where: [equals(columnText(session, column), key)],
      ...(lock !== undefined && { lock }),
    });
    return enterRow(session, rows, { key: expression, mode });
  };
  return session.keeps ? readUnlessKept(session, expression, read) : read();
}

/** Says that what is read may be a row that stays as it was read before. */
export function tellKept({ model, tools, source }: Session): void {
  tools.lose(`a row of ${model.name} that was read before is given as it was read then`, source);
}

function tellUnread({ model: { name, unread }, tools, source }: Session): void {
  if (unread.length > 0) tools.lose(`${unread.join(", ")} of ${name} is not followed`, source);
}

/** Keeps the first row of a result, with what its lock mode does at once. */
export function enterRow(
  session: Session,
  rows: Value,
  { key, mode }: { readonly key?: Expression | undefined; readonly mode?: string | undefined } = {},
): Value {
  const { tools } = session;
  tellUnread(session);
  if (session.keeps) keep(session, rows, HIBERNATE, key);
  const row = tools.firstRow(rows);
  if (mode?.endsWith("FORCE_INCREMENT") === true) forceVersion(session, row);
  if (isOptimistic(mode)) checkedLast(session, row);
  return row;
}

function isOptimistic(mode: string | undefined): boolean {
  return mode === "OPTIMISTIC" || mode === "READ";
}

/** Asks for the version of a row once more before the commit. */
function checkedLast(session: Session, entity: Value): void {
  const { tools, model } = session;
  const version = roleOf(model, "version");
  if (!version) return;
  beforeCommit(session, entity, HIBERNATE, (place) => {
    const key = byKey(place, (name) => heldIn(entity, name, tools));
    if (!key) return;
    const columns = [raw(columnText(place, version))];
    const rows = runSelect(place, { ...startOn(place, "select"), columns, where: key });
    requireVersion(place, tools.firstRow(rows), entity);
  });
}

/** Locks what is kept: its fields stay as they were read. */
export function lockEntity(session: Session, entity: Value, mode: string | undefined): void {
  const { tools, model } = session;
  if (mode === undefined || mode === "NONE") return;
  if (mode.endsWith("FORCE_INCREMENT")) {
    forceVersion(session, entity);
    return;
  }
  const key = byKey(session, (name) => heldIn(entity, name, tools));
  const version = roleOf(model, "version");
  if (!key || isOptimistic(mode)) {
    checkedLast(session, entity);
    return;
  }
  const [column] = keysOf(model);
  const guard = version
    ? [
        equals(
          columnText(session, version),
          heldIn(entity, version.property ?? version.column, tools),
        ),
      ]
    : [];
  const lock = mode === "PESSIMISTIC_READ" ? lockClause("share", tools.dialect) : "FOR UPDATE";
  const rows = modelRows(session, runDraftOf(session, {
    ...startOn(session, "select"),
    columns: column ? [raw(columnText(session, column))] : [],
    where: [...key, ...guard],
    lock,
  })); // prettier-ignore
  const isThere = tools.condition(tools.firstRow(rows));
  tools.require(isThere, version ? "another transaction has changed the row" : "the row is not there any more", session.source); // prettier-ignore
}

/** Reads a row again. */
export function refreshEntity(session: Session, entity: Value, mode: string | undefined): void {
  const { tools, model } = session;
  const key = byKey(session, (name) => heldIn(entity, name, tools));
  if (!key || (entity.kind !== "row" && entity.kind !== "object")) {
    runUnknownWrite(session, "what is refreshed is not known");
    return;
  }
  const lock = queryLock(mode, tools);
  const rows = runSelect(session, {
    ...startOn(session, "select"),
    columns: selectColumns(session),
    where: key,
    ...(lock !== undefined && { lock }),
  });
  const row = tools.firstRow(rows);
  for (const name of propertiesOf(model)) {
    const value = heldIn(row, name, tools);
    tools.assign(entity, name, value);
    setKnown(session, entity, name, value);
  }
}

function propertiesOf({ columns, relations }: JpaModel): readonly string[] {
  const related = relations.flatMap(({ property, column }) =>
    column === undefined ? [] : [property],
  );
  return [...columns.flatMap(({ property }) => property ?? []), ...related];
}

/** The session for an entity of another model. */
export function sessionFor(session: Session, entity: Value): Session | undefined {
  const { tools } = session;
  const own = modelOfRow(entity) ?? (entity.kind === "object" && entity.class ? entityOf({ kind: "class", ...entity.class }, tools) : undefined); // prettier-ignore
  return isJpaModel(own) ? { ...session, model: own } : undefined;
}

/** Runs something for the entity that a value is, or for each of several. */
function eachEntity(
  session: Session,
  value: Value,
  run: (own: Session, entity: Value) => void,
): void {
  const { tools, source } = session;
  switch (value.kind) {
    case "choice": {
      const path = (part: Value) => (): Value => {
        eachEntity(session, part, run);
        return UNDEFINED;
      };
      tools.either(value.condition, path(value.then), path(value.otherwise));
      return;
    }
    case "list":
    case "rows":
    case "derived":
    case "joined":
      tools.each(value, source, (item) => {
        eachEntity(session, item, run);
      });
      return;
    case "undefined":
      return;
    default:
      run(sessionFor(session, value) ?? session, value);
  }
}

/** `save`: a new entity is persisted, another one merged; gives the one that is kept. */
export function saveEntity(session: Session, value: Value): Value {
  let result = value;
  eachEntity(session, value, (own, entity) => {
    const { tools } = own;
    const kept = tools.either(
      entity.kind === "object" ? newness(own, entity) : literal(false),
      () => {
        if (entity.kind === "object") persisted(own, entity);
        return entity;
      },
      () => mergeEntity(own, entity),
    );
    if (entity === value) result = kept;
  });
  return result;
}

export function persistedAll(session: Session, value: Value): void {
  eachEntity(session, value, (own, entity) => {
    if (entity.kind === "object") persisted(own, entity);
    else if (entity.kind !== "row" || !isKept(own, entity)) runUnknownWrite(own, "what is persisted is not known"); // prettier-ignore
  });
}

/** True if Spring takes an object for new: it has no version yet, or no key. */
function isNew(session: Session, object: ObjectValue): boolean {
  const condition = newness(session, object);
  return condition.kind === "literal" && condition.value === true;
}

/** The condition that an object is new. */
function newness({ model, tools }: Session, object: ObjectValue): Expression {
  const version = roleOf(model, "version");
  const isOfVersion = version !== undefined && !isPrimitive(typeOf(model, version));
  const column = isOfVersion ? version : keysOf(model)[0];
  const value = column && heldIn(object, column.property ?? column.column, tools);
  if (!column || !value || isNothing(value)) return literal(true);
  const constantValue = constantScalar(value);
  if (constantValue !== undefined) return literal(constantValue === 0);
  if (value.kind !== "input") return literal(false);
  const right = literal(isPrimitive(typeOf(model, column)) ? 0 : null);
  return { kind: "sameValue", left: tools.expression(value), right };
}

function typeOf({ class: of }: JpaModel, { property }: ModelColumn): string {
  return of?.class.fields.find(({ name }) => name === property)?.type ?? "";
}

function persisted(session: Session, object: ObjectValue): void {
  const { model } = session;
  if (isKept(session, object)) return;
  tellUnread(session);
  const { source, tools } = session;
  for (const { of, function: run } of object.class
    ? beforeInsert({ kind: "class", ...object.class })
    : []) {
    tools.call({ kind: "function", function: run, scope: of.scope, self: object }, [], source);
  }
  // A key that its caller gave would be refused.
  const [key] = keysOf(model);
  const name = key?.generated === undefined ? undefined : key.property;
  if (name !== undefined && heldIn(object, name, session.tools).kind === "input") {
    session.tools.assign(object, name, constant(null));
  }
  cascaded(session, object, "PERSIST", { toMany: false });
  insertObject(session, object, HIBERNATE, (column) => initial(model, column));
  cascaded(session, object, "PERSIST", { toMany: true });
  if (!session.keeps) release(session, object);
}

/** Java's value of a field that nothing was assigned to. */
function initial(model: JpaModel, column: ModelColumn): Value | undefined {
  if (column.role === "version") return constant(0);
  if (column.role !== undefined) return undefined;
  const type = typeOf(model, column);
  if (!isPrimitive(type)) return constant(null);
  return type === "boolean" ? constant(false) : constant(0);
}

/** Cascades: a change of a new row is one of new ones that belong to it. */
function cascaded(
  session: Session,
  object: ObjectValue,
  cascade: string,
  { toMany }: { readonly toMany: boolean },
): void {
  const { model } = session;
  for (const { property, isMany, cascades } of model.relations) {
    const value = object.fields.get(property)?.value;
    if (isMany !== toMany || !value || !(cascades.has(cascade) || cascades.has("ALL"))) continue;
    eachEntity(session, value, (own, entity) => {
      if (entity.kind === "object" && isNew(own, entity)) persisted(own, entity);
    });
  }
}

/** The kept row of a key with the fields of another entity, or a new one where there is none. */
export function mergeEntity(session: Session, entity: Value): Value {
  const { tools, model } = session;
  if (isKept(session, entity)) return entity;
  const known = entity.kind === "row" || entity.kind === "object";
  const [column] = keysOf(model);
  const key = known && column ? heldIn(entity, column.property ?? column.column, tools) : undefined;
  if (!key || isNothing(key) || (entity.kind !== "row" && entity.kind !== "object")) {
    runUnknownWrite(session, "what is saved is not known");
    return entity;
  }
  const row = findEntity({ ...session, keeps: true }, key);
  const isThere = tools.condition(row);
  const copy = (): Value => {
    requireVersion(session, row, entity);
    for (const name of propertiesOf(model)) {
      const value = fieldOf(session, entity, name);
      const isCopied = name !== column?.property && roleName(model, name) === undefined;
      if (isCopied && value.kind !== "undefined") tools.assign(row, name, value);
    }
    return UNDEFINED;
  };
  if (column?.generated !== undefined || entity.kind === "row") {
    tools.require(isThere, "the row is not there any more", session.source);
    copy();
    return row;
  }
  tools.either(isThere, copy, () => {
    insertObject(session, entity, HIBERNATE, (each) => initial(model, each));
    return UNDEFINED;
  });
  return row;
}

function roleName(model: JpaModel, name: string): ModelColumn["role"] {
  return model.columns.find(({ property }) => property === name)?.role;
}

/** A field; of a relation that was not assigned its key. */
function fieldOf({ model, tools }: Session, entity: Value, name: string): Value {
  const column = model.relations.find(({ property }) => property === name)?.column;
  const isRead = entity.kind === "row" && entity.overlay.get(name)?.value === undefined;
  return heldIn(entity, isRead && column !== undefined ? column : name, tools);
}

/** Deletes the row of an entity, and what belongs to it, at the next flush. */
export function removeEntity(session: Session, value: Value): void {
  eachEntity(session, value, (own, entity) => {
    const { tools } = own;
    if (entity.kind !== "row" && entity.kind !== "object") {
      runUnknownWrite(own, "what is removed is not known");
      return;
    }
    release(own, entity);
    stage(own, entity, HIBERNATE, "delete", (place) => {
      deleteParts({ ...own, ...place, model: own.model }, entity);
    });
    if (!own.keeps) flushUnit(tools, own.connection, own.source);
  });
}

/** Deletes the rows that belong to one. */
function deleteParts(own: Session, entity: Value): void {
  const { tools, model } = own;
  for (const relation of model.relations) {
    const { cascades, isMany, target } = relation;
    const other = target();
    const isTaken = cascades.has("REMOVE") || cascades.has("ALL");
    const theirs = relation.theirs ?? other?.relations.find(({ property }) => property === relation.inverse)?.column; // prettier-ignore
    if (!isTaken || !isMany || !isJpaModel(other) || theirs === undefined) continue;
    const place = { ...own, model: other };
    const [column] = keysOf(model);
    if (!column) continue;
    const text = columnText(place, { column: theirs, type: column.type });
    runDelete(place, [equals(text, heldIn(entity, column.property ?? column.column, tools))]);
  }
}
