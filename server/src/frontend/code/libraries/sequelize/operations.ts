// Reads and writes of the methods of Sequelize's models.
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare } from "../../../sql/terms";
import {
  constant,
  constantScalar,
  constantText,
  scalar,
  UNDEFINED,
  type Value,
} from "../../values";
import { valueFragment, namesIn, quoteIdentifier, raw, runDraft, sequence, type Fragment } from "../builders/draft"; // prettier-ignore
import type { SqlOutcome } from "../library";
import { columnOf, keysOf, roleOf, type ModelColumn } from "../orm/model";
import {
  columnText,
  loseField,
  modelRows,
  runAggregate,
  runDelete,
  runInsert,
  runSelect,
  runUnknownWrite,
  runUpdate,
  selectColumns,
  startOn,
  type Columns,
  type Place,
  isGiven,
} from "../orm/statements";
import { keyFilter } from "../orm/filter";
import { rowsOf } from "../rawSql";
import { writeProperty } from "./accessors";
import { conditions, findRows, onConnection, one } from "./find";
import { argumentsOf } from "./scopes";
import { textOfValue, whereOf, type Fields } from "./where";

/** Methods of a model. */
export const METHODS: ReadonlySet<string> = new Set(
  (
    "findAll findOne findByPk findOrCreate findCreateFind findAndCountAll count max min sum create bulkCreate build update destroy " +
    "increment decrement upsert restore truncate scope unscoped schema"
  ).split(" "),
);

/** A call of a model's method on the connection of its options; undefined where it is not understood. */
export function modelCall(
  place: Place,
  method: string,
  given: readonly Value[],
): Value | undefined {
  const { tools } = place;
  const args = argumentsOf(place, method, given);
  if (args === "unknown") {
    if (!CHANGES.has(method)) return undefined;
    runUnknownWrite(place, "which rows are meant is not known");
    return UNDEFINED;
  }
  const [first, second] = args;
  const none: Fields = new Map();
  const of = (value: Value | undefined): Fields => (value && tools.fields(value)) ?? none;
  switch (method) {
    case "findAll":
    case "findOne": {
      const isFirst = method === "findOne";
      const rows = findRows(onConnection(place, of(first)), of(first), { isFirst });
      return rows && one(place, rows, of(first), isFirst);
    }
    case "findByPk": {
      const own = onConnection(place, of(second));
      const where = (at: Place) => first && keyFilter(at, first);
      const rows = findRows(own, of(second), { where, isOne: true });
      return rows && one(place, rows, of(second), true);
    }
    case "findAndCountAll": {
      const own = onConnection(place, of(first));
      const where = conditions(own, of(first));
      if (!where || of(first).has("include")) return undefined;
      const count = runAggregate(own, "COUNT(*)", where);
      const rows = findRows(own, of(first));
      return rows && tools.object({ count, rows });
    }
    case "count": {
      const own = onConnection(place, of(first));
      const where = conditions(own, of(first));
      const isKnown = !["group", "distinct", "include"].some((name) =>
        isGiven(of(first).get(name)),
      );
      return where && isKnown ? runAggregate(own, "COUNT(*)", where) : undefined;
    }
    case "max":
    case "min":
    case "sum": {
      const own = onConnection(place, of(second));
      const where = conditions(own, of(second));
      const column = columnOf(own.model, constantText(first) ?? "");
      if (!where || !column) return undefined;
      return runAggregate(own, `${method.toUpperCase()}(${columnText(own, column)})`, where);
    }
    case "create":
      return insertInstance(onConnection(place, of(second)), first);
    case "bulkCreate":
      return createdAll(onConnection(place, of(second)), first, of(second));
    case "build":
      return undefined;
    case "findOrCreate":
    case "findCreateFind":
      return foundOrCreated(onConnection(place, of(first)), of(first));
    case "update":
      return updated(onConnection(place, of(second)), first, of(second));
    case "destroy":
      return destroyed(onConnection(place, of(first)), of(first));
    case "truncate":
      return runDelete(onConnection(place, of(first)), []).count;
    case "restore": {
      const own = onConnection(place, of(first));
      const where = whereOf(own, of(first).get("where"));
      const column = roleOf(own.model, "deleted");
      if (!where || !column) return undefined;
      return runUpdate(own, new Map([[column.column, raw("NULL")]]), where, UNVERSIONED).count;
    }
    case "increment":
    case "decrement": {
      const own = onConnection(place, of(second));
      const where = whereOf(own, of(second).get("where"));
      const set = first && changes(own, first, of(second).get("by"), method);
      if (!where || !set) return undefined;
      return tools.list([tools.list([]), runUpdate(own, set, where, UNVERSIONED).count]);
    }
    case "upsert":
      return upserted(onConnection(place, of(second)), first, of(second));
    default:
      return undefined;
  }
}

/** Methods that change the rows that their options tell. */
const CHANGES: ReadonlySet<string> = new Set(["update", "destroy", "increment", "decrement", "restore"]); // prettier-ignore

/** Only `save` of an instance looks at the version. */
export const UNVERSIONED = { isVersioned: false } as const;

/** The columns that fields set. */
export function columnsSet(place: Place, fields: Fields): Columns {
  const set = new Map<string, Fragment>();
  for (const [name, value] of fields) {
    if (value.kind === "undefined") continue;
    const column = columnOf(place.model, name);
    if (column)
      set.set(column.column, textOfValue(writeProperty(place.model, column, value, place.tools)));
    else if (place.model.others?.has(name) !== true) loseField(place, name);
  }
  return set;
}

/** The columns of a new row: what fields say, and what Sequelize itself gives those that are left out. */
function columnsOfNew(place: Place, fields: Fields): Columns {
  const set = new Map(columnsSet(place, fields));
  for (const column of place.model.columns) {
    const { column: name, default: usual, role } = column;
    if (set.has(name)) continue;
    const isNow = usual?.kind === "fresh" && usual.why === "now";
    if (role === "created" || role === "updated" || isNow) set.set(name, raw("CURRENT_TIMESTAMP"));
    else {
      const value = initialOf(place, column);
      if (value) set.set(name, textOfValue(value));
    }
  }
  return set;
}

/** Sequelize's own value for a column of a new row; undefined where it leaves that to the database. */
function initialOf(place: Place, column: ModelColumn): Value | undefined {
  const { tools, source } = place;
  const { default: usual, generated, initial, type } = column;
  if (generated === "uuid") {
    return scalar({ kind: "fresh", id: tools.fresh("f"), type, why: "uuid" }, type);
  }
  if (usual?.kind === "literal") return scalar(usual);
  return initial?.kind === "function" ? tools.settle(tools.call(initial, [], source)) : initial;
}

/** Parts of a new row, with the keys that are made before it is written: they are known then. */
function withKeys(place: Place, fields: Fields): Fields {
  const made = place.model.columns.flatMap((column): readonly (readonly [string, Value])[] => {
    const { property, column: name, generated } = column;
    const said = fields.get(property ?? name) ?? fields.get(name);
    const value = generated === "uuid" && !isGiven(said) ? initialOf(place, column) : undefined;
    return value ? [[property ?? name, value]] : [];
  });
  return new Map([...fields, ...made]);
}

/** Inserts a row; gives it as it is then. */
export function insertInstance(place: Place, values: Value | undefined): Value {
  const { tools, model, connection, source } = place;
  const said = values && tools.fields(values);
  if (!said) {
    runUnknownWrite(place, "what is created is not known");
    return UNDEFINED;
  }
  const fields = withKeys(place, said);
  const row = columnsOfNew(place, fields);
  if (tools.dialect === "postgres") {
    const returning = selectColumns(place, model.columns.map(({ property, column }) => property ?? column)); // prettier-ignore
    const draft = { ...startOn(place, "insert"), rows: [row], returning };
    return tools.firstRow(modelRows(place, runDraft(draft, connection, source, tools)));
  }
  const { outcome } = runInsert(place, [row]);
  const [key] = keysOf(model);
  const id = key?.generated === "sequence" ? outcome.insertId : undefined;
  const own = id && key?.property !== undefined ? { [key.property]: id } : {};
  const kept = [...fields].map(([name, value]): readonly [string, Value] => {
    const column = columnOf(model, name);
    return [name, column ? writeProperty(model, column, value, tools) : value];
  });
  return tools.object({ ...Object.fromEntries(kept), ...own });
}

function createdAll(place: Place, list: Value | undefined, options: Fields): Value {
  const { tools } = place;
  const items = list && tools.items(list);
  const rows = items?.map((item) => {
    const fields = tools.fields(item);
    return fields && columnsOfNew(place, fields);
  });
  if (!rows?.every((row) => row !== undefined)) {
    if (list && !items) {
      tools.each(list, place.source, (item) => {
        insertInstance(place, item);
      });
    } else runUnknownWrite(place, "what is created is not known");
    return tools.list([]);
  }
  if (rows.length === 0) return tools.list([]);
  const changing = namesIn(options.get("updateOnDuplicate"), tools);
  const isIgnoring = constantScalar(options.get("ignoreDuplicates")) === true;
  const conflict = isIgnoring
    ? raw(" ON CONFLICT DO NOTHING")
    : changing.length > 0
      ? updating(place, changing)
      : undefined;
  const { made } = runInsert(place, rows, conflict);
  return made ?? tools.list(items ?? []);
}

/** `ON CONFLICT (key) DO UPDATE SET ...` of the named properties. */
function updating(
  place: Place,
  names: readonly string[],
  key: readonly string[] = keysOf(place.model).flatMap(({ property }) => property ?? []),
): Fragment {
  const { tools } = place;
  const columns = names.flatMap((name) => columnOf(place.model, name) ?? []);
  if (tools.dialect === "mysql" || tools.dialect === "mariadb") {
    const set = columns
      .map((each) => columnText(place, each))
      .map((own) => `${own} = VALUES(${own})`);
    return raw(` ON DUPLICATE KEY UPDATE ${set.join(", ")}`);
  }
  const set = columns
    .map((each) => columnText(place, each))
    .map((own) => `${own} = EXCLUDED.${own}`);
  const keys = key.map((name) => {
    const column = columnOf(place.model, name);
    return column ? columnText(place, column) : quoteIdentifier(name, tools.dialect);
  });
  return raw(` ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${set.join(", ")}`);
}

/** Inserts a row, or updates the one with its key or with its unique values. */
/** A row that is inserted, or one with the same values of a unique key that is updated. */
function upserted(place: Place, values: Value | undefined, options: Fields): Value {
  const { tools, model } = place;
  const fields = values && tools.fields(values);
  const asked = namesIn(options.get("conflictFields"), tools);
  const keys = [keysOf(model), ...uniqueKeysOf(place)];
  const names = keys.map((key) => key.flatMap(({ property }) => property ?? []));
  const known = names.find((key) => key.length > 0 && key.every((name) => fields?.has(name)));
  const key = asked.length > 0 ? asked : known;
  if (!fields || !key) {
    runUnknownWrite(place, "what is inserted or updated is not known");
    return tools.list([]);
  }
  runInsert(place, [columnsOfNew(place, fields)], updating(place, [...fields.keys()], key));
  return tools.list([values]);
}

/** The unique keys of the table, as the model's columns. */
function uniqueKeysOf({ model, tools }: Place): readonly (readonly ModelColumn[])[] {
  const keys = tools.table(model.table)?.uniqueKeys ?? [];
  return keys.flatMap(({ columns }) => {
    const own = columns.flatMap(
      (name) => model.columns.find(({ column }) => column === name) ?? [],
    );
    return own.length === columns.length ? [own] : [];
  });
}

/** Reads a row, and inserts it where there is none: in a transaction of its own, unless it is given one. */
function foundOrCreated(outer: Place, options: Fields): Value | undefined {
  const { tools, source } = outer;
  const where = conditions(outer, options);
  const fields = tools.fields(options.get("where") ?? UNDEFINED);
  if (!where || !fields) return undefined;
  const defaults = tools.fields(options.get("defaults") ?? UNDEFINED) ?? new Map<string, Value>();
  const own = { ...(outer.connection ?? tools.connection(false)), isPool: false };
  const place: Place = { ...outer, connection: own };
  const run = (): Value => {
    const rows = runSelect(place, {
      ...startOn(place, "select"),
      columns: selectColumns(place),
      where,
      limit: raw("1"),
    });
    const row = tools.firstRow(rows);
    const isThere: Expression = tools.condition(row);
    let fresh: Value = UNDEFINED;
    const otherwise = tools.collected(() => {
      fresh = insertInstance(place, tools.object(Object.fromEntries([...fields, ...defaults])));
    });
    const isMissing = compare("<=", tools.expression(tools.member(rows, "length")), literal(0));
    tools.emit({ kind: "if", condition: isMissing, then: otherwise, source });
    const instance: Value = { kind: "choice", condition: isThere, then: row, otherwise: fresh };
    return tools.list([instance, scalar(isMissing, "bool")]);
  };
  if (own.isGiven === true) return run();
  return tools.inTransaction(own, { source }, run);
}

/** `update({ a: 1 }, { where })` gives `[count]`, with `returning` also the rows. */
function updated(place: Place, values: Value | undefined, options: Fields): Value {
  const { tools } = place;
  const fields = values && tools.fields(values);
  const where = conditions(place, options);
  if (!fields || !where) {
    runUnknownWrite(place, "what is updated is not known");
    return tools.list([]);
  }
  const outcome = runUpdate(place, columnsSet(place, fields), where, UNVERSIONED);
  return tools.list([outcome.count, rowsOf(outcome, tools)]);
}

function destroyed(place: Place, options: Fields): Value {
  const where = conditions(place, options);
  if (!where) {
    runUnknownWrite(place, "what is deleted is not known");
    return constant(0);
  }
  const isForced = constantScalar(options.get("force")) === true;
  return deletion(place, where, isForced).count;
}

/** Deletes rows; paranoid models only mark them. */
export function deletion(place: Place, where: readonly Fragment[], isForced: boolean): SqlOutcome {
  const column = roleOf(place.model, "deleted");
  if (!column || isForced) return runDelete(place, where);
  const set = new Map([[column.column, raw("CURRENT_TIMESTAMP")]]);
  return runUpdate(place, set, where, UNVERSIONED);
}

/** `increment("a", { by: 2 })`, `increment(["a", "b"])`, `increment({ a: 1 })`. */
export function changes(
  place: Place,
  what: Value,
  by: Value | undefined,
  method: "increment" | "decrement",
): Columns | undefined {
  const { tools } = place;
  const names = namesIn(what, tools);
  const fields =
    names.length > 0
      ? new Map(names.map((name) => [name, by ?? constant(1)] as const))
      : tools.fields(what);
  if (!fields) return undefined;
  const set = new Map<string, Fragment>();
  for (const [name, amount] of fields) {
    const column = columnOf(place.model, name);
    if (!column) return undefined;
    const text = columnText(place, column);
    set.set(
      column.column,
      sequence(`${text} ${method === "increment" ? "+" : "-"} `, valueFragment(amount)),
    );
  }
  return set;
}
