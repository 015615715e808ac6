// Writes of TypeORM's `save` and its like: a row that was read is read again and its changed fields are updated; an
// object becomes a new row, or an old one's new fields where it has a key. All of one call is in one transaction.
import type { Command } from "../../../../program/statement";
import type { Value } from "../../values";
import { valueFragment, quoteIdentifier, raw, sequence, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { columnValue } from "../orm/entityColumns";
import { columnOf, keysOf, roleOf, type Model } from "../orm/model";
import {
  assignGenerated,
  byKey,
  columnText,
  isRowData,
  loseField,
  runDelete,
  runInsert,
  runSelect,
  runUnknownWrite,
  runUpdate,
  selectColumns,
  startOn,
  type Columns,
  type Place,
} from "../orm/statements";
import { entityOf } from "./entities";

/** Runs something in a transaction of its own unless one is open on the connection. */
function together(place: Place, run: (inner: Place) => void): void {
  const { connection, tools, source } = place;
  // A caller's may have begun one.
  if (connection?.isGiven === true) {
    run(place);
    return;
  }
  const own = { ...(connection ?? tools.connection(false)), isPool: false };
  tools.inTransaction(own, { source }, () => {
    run({ ...place, connection: own });
    return { kind: "undefined" };
  });
}

/** The entity of a value: the row's own, or its class's. */
export function modelOfValue(value: Value, tools: Tools): Model | undefined {
  switch (value.kind) {
    case "row":
    case "rows":
      return isRowData(value.data) ? value.data.model : undefined;
    case "object":
      return value.class && entityOf({ kind: "class", ...value.class }, tools);
    case "choice":
      return modelOfValue(value.then, tools) ?? modelOfValue(value.otherwise, tools);
    case "list": {
      const items = value.items.flatMap((cell) => (cell.value ? [cell.value] : []));
      return items.map((item) => modelOfValue(item, tools)).find((each) => each !== undefined);
    }
    default:
      return undefined;
  }
}

/** Runs one of two things by a condition of the program. */
export function either(
  place: Place,
  condition: Extract<Command, { kind: "if" }>["condition"],
  then: () => void,
  otherwise: () => void,
): void {
  const { tools, source } = place;
  const [first, second] = [tools.collected(then), tools.collected(otherwise)];
  tools.emit({ kind: "if", condition, then: first, otherwise: second, source });
}

export function saveValue(place: Place, value: Value): void {
  const { tools, source } = place;
  switch (value.kind) {
    case "row":
      saveRow(place, value);
      return;
    case "object":
      saveObject(place, value);
      return;
    case "choice":
      either(
        place,
        value.condition,
        () => {
          saveValue(place, value.then);
        },
        () => {
          saveValue(place, value.otherwise);
        },
      );
      return;
    case "list":
    case "rows":
    case "derived":
      together(place, (inner) => {
        tools.each(value, source, (item) => {
          saveValue(inner, item);
        });
      });
      return;
    case "undefined":
      return;
    default:
      runUnknownWrite(place, "what is saved is not known");
  }
}

function saveRow(place: Place, row: Extract<Value, { kind: "row" }>): void {
  const { tools } = place;
  if (!isRowData(row.data)) {
    runUnknownWrite(place, "what is saved is not known");
    return;
  }
  const own: Place = { ...place, model: row.data.model };
  const key = byKey(own, (name) => tools.member(row, name));
  const changed = [...row.overlay].flatMap(([name, { value }]) =>
    value ? [[name, value] as const] : [],
  );
  const set = columnsSet(own, new Map(changed));
  if (!key || !set) {
    runUnknownWrite(own, "what is saved is not known");
    return;
  }
  // TypeORM compares with what the database has by now, before it begins a transaction.
  runSelect(own, { ...startOn(own, "select"), columns: selectColumns(own), where: key });
  if (set.size === 0) return;
  together(own, (inner) => {
    runUpdate(inner, set, key);
  });
}

function saveObject(place: Place, object: Extract<Value, { kind: "object" }>): void {
  const { tools, model } = place;
  const fields = tools.fields(object);
  const set = fields && columnsSet(place, fields);
  if (!set) {
    runUnknownWrite(place, "what is saved is not known");
    return;
  }
  const insert = (): void => {
    together(place, (inner) => {
      assignGenerated(place, object, runInsert(inner, [set]));
    });
  };
  const key = byKey(place, (name) => fields.get(name));
  if (!key) {
    insert();
    return;
  }
  const rows = runSelect(place, {
    ...startOn(place, "select"),
    columns: selectColumns(place),
    where: key,
  });
  const keys = new Set(keysOf(model).map(({ column }) => column));
  const others = new Map([...set].filter(([column]) => !keys.has(column)));
  either(
    place,
    tools.condition(tools.firstRow(rows)),
    () => {
      if (others.size === 0) return;
      together(place, (inner) => {
        runUpdate(inner, others, key);
      });
    },
    () => {
      together(place, (inner) => {
        runInsert(inner, [set]);
      });
    },
  );
}

/** The columns that the fields of an entity set; undefined where a value is not understood. */
export function columnsSet(place: Place, fields: ReadonlyMap<string, Value>): Columns | undefined {
  const { model, tools } = place;
  const set = new Map<string, Fragment>();
  for (const [name, value] of fields) {
    if (value.kind === "undefined") continue;
    const relation = model.relations.find(({ property }) => property === name);
    if (relation) {
      if (relation.column === undefined) {
        tools.lose(`what is written to ${name} along with it is not followed`, place.source);
        continue;
      }
      set.set(relation.column, valueFragment(columnValue(model, name, value, tools)));
      continue;
    }
    const column = columnOf(model, name);
    // A property that the class declares as no column is not written.
    if (column) set.set(column.column, textOfValue(place, value));
    else if (model.others?.has(name) !== true) loseField(place, name);
  }
  return set;
}

/** A value, or `() => "SQL"`. */
function textOfValue({ tools, source }: Place, value: Value): Fragment {
  if (value.kind !== "function") return valueFragment(value);
  const text = tools.call(value, [], source);
  return text.kind === "text" ? text.parts : valueFragment(text);
}

/** Reads the rows of entities, and then deletes them in one transaction, or marks them as deleted. */
export function removeValue(
  place: Place,
  value: Value,
  { isSoft }: { readonly isSoft: boolean },
): void {
  forRows(place, value, (key) => {
    runSelect(place, { ...startOn(place, "select"), columns: selectColumns(place), where: key });
  });
  together(place, (inner) => {
    forRows(
      inner,
      value,
      (key) => {
        if (isSoft) runSoftDelete(inner, key);
        else runDelete(inner, key);
      },
      () => {
        runUnknownWrite(inner, "what is removed is not known");
      },
    );
  });
}

/** Runs something for each of the entities that a value is, by its key. */
function forRows(
  place: Place,
  value: Value,
  run: (key: readonly Fragment[]) => void,
  runUnknown?: () => void,
): void {
  const { tools, source } = place;
  if (value.kind === "list" || value.kind === "rows" || value.kind === "derived") {
    tools.each(value, source, (item) => {
      forRows(place, item, run, runUnknown);
    });
    return;
  }
  const isEntity = value.kind === "row" || value.kind === "object" || value.kind === "input";
  const key = isEntity ? byKey(place, (name) => tools.member(value, name)) : undefined;
  if (key) run(key);
  else runUnknown?.();
}

/** Marks rows as deleted. */
export function runSoftDelete(place: Place, where: readonly Fragment[]) {
  const column = roleOf(place.model, "deleted");
  if (!column) return runDelete(place, where);
  return runUpdate(place, new Map([[column.column, raw("CURRENT_TIMESTAMP")]]), where);
}

/** The text behind the rows of an INSERT that updates a row that is there already. */
export function conflictText(
  place: Place,
  targets: readonly string[],
  rows: readonly Columns[],
  /** The columns that are set there; all that the rows give unless it is told. */
  overwritten?: readonly string[],
): Fragment {
  const { tools, model } = place;
  const { dialect } = tools;
  const names = targets.map((name) => columnOf(model, name)?.column ?? relationColumn(model, name));
  const given = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const columns = overwritten
    ? overwritten.map((name) => columnOf(model, name)?.column ?? relationColumn(model, name))
    : given;
  const isMysql = dialect === "mysql" || dialect === "mariadb";
  const set = columns.map((column) => {
    const name = quoteIdentifier(column, dialect);
    return isMysql ? `${name} = VALUES(${name})` : `${name} = EXCLUDED.${name}`;
  });
  if (isMysql) return raw(` ON DUPLICATE KEY UPDATE ${set.join(", ")}`);
  const target = names.map((name) => quoteIdentifier(name, dialect)).join(", ");
  const action = set.length === 0 ? "NOTHING" : `UPDATE SET ${set.join(", ")}`;
  return raw(` ON CONFLICT (${target}) DO ${action}`);
}

function relationColumn(model: Model, name: string): string {
  return model.relations.find(({ property }) => property === name)?.column ?? name;
}

/** `column = column + by`. */
export function changedBy(
  place: Place,
  name: string,
  by: Value,
  operator: "+" | "-",
): Columns | undefined {
  const column = columnOf(place.model, name);
  if (!column) return undefined;
  const text = columnText(place, column);
  return new Map([[column.column, sequence(`${text} ${operator} `, valueFragment(by))]]);
}
