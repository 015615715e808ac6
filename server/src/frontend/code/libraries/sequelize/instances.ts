// Methods of rows that Sequelize gave: they save themselves.
import { attribute } from "../../../../query/nodes";
import { constantText, type Value } from "../../values";
import type { Fragment } from "../builders/draft";
import type { Call, Tools } from "../library";
import { columnOf, roleOf, type ModelColumn } from "../orm/model";
import { ownMethod } from "../orm/ownMethods";
import {
  byKey,
  columnText,
  equals,
  isRowData,
  runSelect,
  runUnknownWrite,
  runUpdate,
  selectColumns,
  startOn,
  type Place,
  isGiven,
} from "../orm/statements";
import { isOfCaller } from "./argumentRows";
import { associationCall } from "./associationMethods";
import { onConnection } from "./find";
import { tellHooks } from "./hooks";
import { changes, columnsSet, deletion } from "./operations";

type Row = Extract<Value, { kind: "row" }>;

/** Results that a row was read again from, by what was assigned to it since. */
const reloaded = attribute<Row["overlay"], Set<string>>();

/** The methods of rows that run a statement. */
export const STATEMENTS_OF_ROWS: ReadonlySet<string> = new Set(
  "save update increment decrement destroy restore reload".split(" "),
);

const NO_OPTIONS: ReadonlyMap<string, Value> = new Map();

/** A method of a row; undefined where it is not known. */
export function instanceCall(
  row: Row,
  method: string,
  call: Call,
  tools: Tools,
): Value | undefined {
  if (!isRowData(row.data) || row.data.model.isEntity) return undefined;
  const { model, connection } = row.data;
  const { source } = call;
  if (method.includes(".")) {
    if (!isIdle(method)) tools.lose(`what ${model.name}'s ${method}() does is not known`, source, "opaque"); // prettier-ignore
    return undefined;
  }
  const [first, second] = call.arguments;
  const options = (value: Value | undefined): ReadonlyMap<string, Value> => {
    const fields = isGiven(value) ? tools.fields(value) : NO_OPTIONS;
    if (!fields) tools.lose(`the options that ${method}() is given are not known`, source);
    return fields ?? NO_OPTIONS;
  };
  // A row does not remember the transaction that it was read in.
  const pool = connection && !connection.isPool ? { id: "sequelize", isPool: true } : connection;
  const base: Place = { model, connection: pool, source, tools };
  tellHooks(base, method, call.arguments, "row");
  switch (method) {
    case "save": {
      const place = onConnection(base, options(first));
      save(place, row, changedFields(row));
      return row;
    }
    case "update": {
      const fields = first && tools.fields(first);
      const place = onConnection(base, options(second));
      if (!fields) {
        runUnknownWrite(place, "what is updated is not known");
        return row;
      }
      save(place, row, new Map([...changedFields(row), ...fields]));
      for (const [name, value] of fields) {
        if (value.kind !== "undefined") tools.assign(row, name, value);
      }
      return row;
    }
    case "increment":
    case "decrement": {
      const place = onConnection(base, options(second));
      const set = first && changes(place, first, options(second).get("by"), method);
      const key = byKey(place, (name) => tools.member(row, name));
      if (!set || !key) return undefined;
      runUpdate(place, set, key, { isVersioned: false });
      return row;
    }
    case "destroy": {
      const place = onConnection(base, options(first));
      const key = byKey(place, (name) => tools.member(row, name));
      if (!key) return undefined;
      deletion(place, [...key, ...versionIs(place, row)], false);
      return row;
    }
    case "reload":
      return reload(onConnection(base, options(first)), row, options(first));
    case "getDataValue": {
      // No getter stands before it.
      const read = { ...row, columns: { ...row.columns, relatedTo: new Map() } };
      return first?.kind === "text" ? tools.member(read, constantText(first) ?? "") : row;
    }
    case "get":
      return first?.kind === "text" ? tools.member(row, constantText(first) ?? "") : row;
    case "set":
    case "setDataValue": {
      const fields = first && tools.fields(first);
      const name = constantText(first);
      if (fields) for (const [key, value] of fields) tools.assign(row, key, value);
      else if (name !== undefined && second) tools.assign(row, name, second);
      else return undefined;
      return row;
    }
    case "toJSON":
      return row;
    default:
      return (
        associationCall(base, row, ...associationAsked(method, call.arguments)) ??
        unreadMethod(row, call, method, base)
      );
  }
}

/** `$get("owner")` of sequelize-typescript is `getOwner()`. */
function associationAsked(
  method: string,
  args: readonly Value[],
): readonly [method: string, args: readonly Value[]] {
  const name = constantText(args[0]);
  if (!method.startsWith("$") || name === undefined) return [method, args];
  return [`${method.slice(1)}${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, args.slice(1)];
}

/** A method of the model's own; of others (of its prototype, of a plugin) nothing is known. */
function unreadMethod(
  row: Row,
  call: Call,
  method: string,
  { model, source, tools }: Place,
): Value | undefined {
  const own = ownMethod(row, method, call, tools);
  if (own || isIdle(method)) return own;
  tools.lose(`what ${model.name}'s ${method}() does is not known`, source, "opaque");
  return undefined;
}

/** True if a method is one of every row, or of a list, text or date in it, and changes nothing of the database. */
function isIdle(path: string): boolean {
  const method = path.split(".").at(-1) ?? path;
  return (
    IDLE.has(method) || (path !== method && OF_DATA.some((each) => Object.hasOwn(each, method)))
  );
}

const OF_DATA: readonly object[] = [Array, String, Number, Date, Object].map((each) => each.prototype as object); // prettier-ignore

/** Methods of every row that change nothing. */
const IDLE: ReadonlySet<string> = new Set(
  "changed previous validate equals equalsOneOf isSoftDeleted hasOwnProperty toString valueOf where then catch finally".split(
    " ",
  ),
);

/** The fields that were assigned since the row was read. */
function changedFields(row: Row): ReadonlyMap<string, Value> {
  const again = reloaded.get(row.overlay);
  return new Map(
    [...row.overlay].flatMap(([name, { value }]) => {
      if (isOfCaller(row, name)) return [];
      const isRead =
        value?.kind === "scalar" &&
        value.expression.kind === "field" &&
        again?.has(value.expression.result) === true;
      return value && !isRead ? [[name, value] as const] : [];
    }),
  );
}

/** Updates the fields of a row by its key; with a version, only the row of that version. */
function save(place: Place, row: Row, fields: ReadonlyMap<string, Value>): void {
  const { tools, source } = place;
  const set = columnsSet(place, fields);
  if (set.size === 0) return;
  const key = byKey(place, (name) => tools.member(row, name));
  if (!key) {
    runUnknownWrite(place, "what is saved is not known");
    return;
  }
  const version = versionIs(place, row);
  const { count } = runUpdate(place, set, [...key, ...version]);
  if (version.length === 0) return;
  const left = tools.expression(count);
  const none = { kind: "literal", value: 0, type: "int" } as const;
  const holds = { kind: "comparison", operator: ">", left, right: none } as const;
  tools.require(holds, "the version is another one", source);
}

function versionIs(place: Place, row: Row): readonly Fragment[] {
  const column: ModelColumn | undefined = roleOf(place.model, "version");
  if (!column) return [];
  const read = place.tools.member(row, column.property ?? column.column);
  return [equals(columnText(place, column), read)];
}

function reload(place: Place, row: Row, options: ReadonlyMap<string, Value>): Value | undefined {
  const { tools } = place;
  const key = byKey(place, (name) => tools.member(row, name));
  if (!key) return undefined;
  const lock = options.get("lock");
  const rows = runSelect(place, {
    ...startOn(place, "select"),
    columns: selectColumns(place),
    where: key,
    ...(lock && lock.kind !== "undefined" && { lock: "FOR UPDATE" }),
  });
  if (rows.kind !== "rows") return row;
  const again = reloaded.get(row.overlay) ?? new Set<string>();
  reloaded.set(row.overlay, again.add(rows.result));
  const fresh = tools.firstRow(rows);
  for (const { property } of place.model.columns) {
    if (property !== undefined && columnOf(place.model, property)) {
      tools.assign(row, property, tools.member(fresh, property));
    }
  }
  return row;
}
