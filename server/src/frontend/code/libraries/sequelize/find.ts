// Reads of Sequelize's `find` methods: rows by conditions, with locks and what is included.
import { constantScalar, constantText, isArray, UNDEFINED, type Connection, type Value } from "../../values"; // prettier-ignore
import { valueFragment, namesIn, quoteIdentifier, raw, sequence, type Draft, type Fragment } from "../builders/draft"; // prettier-ignore
import { columnOf, keysOf, lockClause, roleOf, type Model } from "../orm/model";
import { columnText, modelRows, quoteName, runDraftOf, selectColumns, startOn, type Place, isGiven } from "../orm/statements"; // prettier-ignore
import { includesOf, joinsOf, withRelations, type Reading } from "./includes";
import { modelOfValue } from "./models";
import { isSqlPart, textOfValue, whereOf, type Fields } from "./where";

/** The place with the connection of the transaction that the options name. */
export function onConnection(place: Place, options: Fields): Place {
  const connection = connectionIn(options);
  return connection ? { ...place, connection } : place;
}

export function connectionIn(options: Fields): Connection | undefined {
  const value = options.get("transaction");
  if (value?.kind === "handle") return value.connection;
  // `transaction` of a caller that may give none.
  if (value?.kind === "choice") {
    const { then, otherwise } = value;
    const one = then.kind === "handle" ? then : otherwise;
    return one.kind === "handle" ? one.connection : undefined;
  }
  if (value?.kind === "input") return { id: `given:${value.path}`, isPool: false, isGiven: true };
  return undefined;
}

/** The options' `where`, and that rows are not deleted. */
export function conditions(place: Place, options: Fields): readonly Fragment[] | undefined {
  const where = whereOf(place, options.get("where"));
  const column = roleOf(place.model, "deleted");
  const isAll = !column || constantScalar(options.get("paranoid")) === false;
  return where && [...where, ...(isAll ? [] : [raw(`${columnText(place, column)} IS NULL`)])];
}

/** Reads rows by options; undefined where these are not understood. */
export function findRows(outer: Place, options: Fields, reading: Reading = {}): Value | undefined {
  const { tools } = outer;
  const includes = includesOf(outer, options.get("include"));
  const isOne = reading.isOne === true || (reading.isFirst === true && isByKey(outer, options));
  const joined = joinsOf(outer, includes, isOne);
  const hasAlias = joined.joins.length > 0 || reading.joins !== undefined;
  const place: Place = hasAlias ? { ...outer, alias: outer.model.name } : outer;
  const own = reading.where ? reading.where(place) : [];
  const where = conditions(place, options);
  const order = orderOf(place, options.get("order"));
  const columns = columnsOf(place, options.get("attributes"));
  const lock = lockOf(place, options);
  if (!own || !where || !order || !columns || lock === undefined) return undefined;
  const isOuter = joined.parts.some(({ include }) => !include.isRequired);
  if (isOuter && tools.dialect === "postgres" && lock !== "" && !lock.includes(" OF ")) {
    tools.lose("PostgreSQL refuses to lock rows that are included without being required", outer.source); // prettier-ignore
  }
  const [limit, offset] = [options.get("limit"), options.get("offset")];
  const group = namesIn(options.get("group"), tools);
  const isLimited = reading.isFirst === true && !(isOne && joined.isMany);
  const draft: Draft = {
    ...startOn(place, "select"),
    columns: [...columns, ...joined.columns, ...(reading.more ?? [])],
    joins: [...(reading.joins?.(place) ?? []), ...joined.joins],
    where: [...own, ...where],
    orderBy: order,
    groupBy: group.flatMap((name) => {
      const column = columnOf(place.model, name);
      return column ? [raw(columnText(place, column))] : [];
    }),
    ...(isLimited ? { limit: raw("1") } : isGiven(limit) && { limit: valueFragment(limit) }),
    ...(isGiven(offset) && { offset: valueFragment(offset) }),
    ...(lock !== "" && { lock }),
  };
  // Rows as the driver gives them have no getters.
  const isRaw = constantScalar(options.get("raw")) === true;
  const reader = isRaw ? { ...outer, model: withoutChanges(outer.model) } : outer;
  const rows = modelRows(reader, runDraftOf(place, draft));
  const isOfOne = reading.isFirst === true || reading.isOne === true;
  return withRelations(outer, rows, { ...joined, isOfOne, options, find: findRows });
}

function withoutChanges(model: Model): Model {
  return { ...model, columns: model.columns.map(({ changes: _changes, ...rest }) => rest) };
}

/** True if the conditions ask for one value of a key or of a unique column. */
function isByKey({ model, tools }: Place, options: Fields): boolean {
  const where = options.get("where");
  const fields = where?.kind === "object" ? tools.fields(where) : undefined;
  const [key, ...more] = keysOf(model);
  return [...(fields ?? [])].some(([name, value]) => {
    const column = columnOf(model, name);
    const isKey = column !== undefined && ((column === key && more.length === 0) || column.unique === true); // prettier-ignore
    const isPlain = value.kind === "scalar" || value.kind === "text" || (value.kind === "input" && !isArray(value)); // prettier-ignore
    return isKey && isPlain && constantScalar(value) !== null;
  });
}

export function one(place: Place, rows: Value, options: Fields, isFirst: boolean): Value {
  if (!isFirst) return rows;
  const { tools, source } = place;
  const row = tools.firstRow(rows);
  const reject = options.get("rejectOnEmpty");
  if (isGiven(reject) && constantScalar(reject) !== false) {
    tools.require(tools.condition(row), "no row was found", source);
  }
  return row;
}

/** `attributes: ["a", ["b", "c"], [fn("MAX", col("n")), "most"]]`, `{ exclude: ["a"] }`. */
export function columnsOf(place: Place, value: Value | undefined): readonly Fragment[] | undefined {
  const { tools, model } = place;
  if (!isGiven(value)) return selectColumns(place);
  const items = tools.items(value);
  if (!items) {
    const left = namesIn(tools.fields(value)?.get("exclude"), tools);
    const names = model.columns.flatMap(({ property }) => property ?? []);
    const isKnown = tools.fields(value)?.has("include") === false;
    return isKnown
      ? selectColumns(
          place,
          names.filter((name) => !left.includes(name)),
        )
      : undefined;
  }
  const parts = items.map((item): Fragment | undefined => {
    const name = constantText(item);
    if (name !== undefined) return selectColumns(place, [name])[0];
    const [what, as] = tools.items(item) ?? [];
    const alias = constantText(as);
    if (!what || alias === undefined) return undefined;
    const column = columnOf(model, constantText(what) ?? "");
    const text = column ? raw(columnText(place, column)) : textOfValue(what);
    return sequence(text, ` AS ${quoteIdentifier(alias, tools.dialect)}`);
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** `order: [["a", "DESC"], "b"]`. */
export function orderOf(place: Place, value: Value | undefined): readonly Fragment[] | undefined {
  const { tools, model } = place;
  if (!isGiven(value)) return [];
  const items = tools.items(value);
  if (!items) {
    const column = columnOf(model, constantText(value) ?? "");
    return column && [raw(columnText(place, column))];
  }
  const isOne = items.length === 2 && /^(?:asc|desc)$/iu.test(constantText(items[1]) ?? "");
  const parts = (isOne ? [value] : items).map((item): Fragment | undefined => {
    const [what, direction] = tools.items(item) ?? [item];
    const column = columnOf(model, constantText(what) ?? "");
    const isDown = /^desc/iu.test(constantText(direction) ?? "");
    const isPart = what?.kind === "handle" && isSqlPart(what.data);
    if (!column && !isPart) return undefined;
    const text = column ? raw(columnText(place, column)) : textOfValue(what ?? UNDEFINED);
    return sequence(text, isDown ? " DESC" : "");
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** `lock: true`, `lock: t.LOCK.UPDATE`, `skipLocked: true`; empty without a lock. */
function lockOf(place: Place, options: Fields): string | undefined {
  const { tools } = place;
  const lock = options.get("lock");
  if (!isGiven(lock) || constantScalar(lock) === false) return "";
  const level = lock.kind === "object" ? tools.fields(lock)?.get("level") : lock;
  const name = level?.kind === "handle" ? level.path.split(".").at(-1) : constantText(level);
  const of = lock.kind === "object" ? tools.fields(lock)?.get("of") : undefined;
  const model = modelOfValue(of, tools);
  if (of && !model) return undefined;
  const called = model && (place.alias === undefined ? model.table : model.name);
  const only = called === undefined ? "" : ` OF ${quoteName(called, tools)}`;
  const waits = `${only}${constantScalar(options.get("skipLocked")) === true ? " SKIP LOCKED" : ""}`;
  if (constantScalar(level) === true || name === "UPDATE") return `FOR UPDATE${waits}`;
  switch (name) {
    case "SHARE":
      return `${lockClause("share", tools.dialect)}${waits}`;
    case "KEY_SHARE":
    case "NO_KEY_UPDATE":
      return `FOR ${name.replaceAll("_", " ")}${waits}`;
    default:
      return undefined;
  }
}
