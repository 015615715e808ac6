// The methods of TypeORM's repositories and entity managers.
import { constantText, UNDEFINED, type Value } from "../../values";
import { namesIn, raw, type Fragment } from "../builders/draft";
import type { SqlOutcome, Tools } from "../library";
import { columnOf, roleOf } from "../orm/model";
import {
  assignGenerated,
  columnText,
  runAggregate,
  runDelete,
  runExists,
  runInsert,
  runUnknownWrite,
  runUpdate,
  type Place,
} from "../orm/statements";
import { findRows, firstOf } from "./find";
import { changedBy, columnsSet, conflictText, removeValue, runSoftDelete, saveValue } from "./save";
import { tellSubscribers } from "./subscribers";
import { criteriaOf, softDeletion, whereOf } from "./where";

/** Methods of a repository; a manager has them with the entity before the other arguments. */
export const METHODS: ReadonlySet<string> = new Set(
  (
    "find findBy findOne findOneBy findOneOrFail findOneByOrFail findByIds findAndCount findAndCountBy findOneById " +
    "count countBy exists exist existsBy sum average minimum maximum save insert update delete remove softDelete softRemove " +
    "restore recover increment decrement upsert create merge preload clear"
  ).split(" "),
);

const AGGREGATES: Readonly<Record<string, string | undefined>> = {
  sum: "SUM",
  average: "AVG",
  minimum: "MIN",
  maximum: "MAX",
};

/** A call of a repository's method; undefined where it is not understood. */
export function repositoryCall(
  place: Place,
  method: string,
  args: readonly Value[],
): Value | undefined {
  const { tools, model } = place;
  const [first, second, third] = args;
  tellSubscribers(place, method);
  const by = (where: Value | undefined): Value => tools.object(where ? { where } : {});
  switch (method) {
    case "find":
      return findRows(place, first, { isFirst: false });
    case "findBy":
      return findRows(place, by(first), { isFirst: false });
    case "findOne":
    case "findOneOrFail": {
      const rows = findRows(place, first, { isFirst: true });
      return rows && firstOf(place, rows, method === "findOneOrFail");
    }
    case "findOneBy":
    case "findOneByOrFail": {
      const rows = findRows(place, by(first), { isFirst: true });
      return rows && firstOf(place, rows, method === "findOneByOrFail");
    }
    case "findAndCount":
    case "findAndCountBy": {
      const options = method === "findAndCount" ? first : by(first);
      const rows = findRows(place, options, { isFirst: false });
      const fields = options && tools.fields(options);
      const where = whereOf(place, fields?.get("where"));
      if (!rows || !where) return undefined;
      // Without a page the rows are all that are counted.
      const isPage = method === "findAndCount" && (fields?.has("take") ?? fields?.has("skip"));
      if (isPage !== true) return tools.list([rows, tools.member(rows, "length")]);
      return tools.list([
        rows,
        runAggregate(place, "COUNT(*)", [...where, ...softDeletion(place)]),
      ]);
    }
    case "count":
    case "countBy":
    case "exists":
    case "exist":
    case "existsBy": {
      const isBy = method.endsWith("By");
      const where = whereOf(place, isBy ? first : first && tools.fields(first)?.get("where"));
      if (!where) return undefined;
      const all = [...where, ...softDeletion(place)];
      return method.startsWith("count")
        ? runAggregate(place, "COUNT(*)", all)
        : runExists(place, all);
    }
    case "sum":
    case "average":
    case "minimum":
    case "maximum": {
      const column = columnOf(model, constantText(first) ?? "");
      const where = whereOf(place, second);
      if (!column || !where) return undefined;
      const text = `${AGGREGATES[method] ?? ""}(${columnText(place, column)})`;
      return runAggregate(place, text, [...where, ...softDeletion(place)]);
    }
    case "create":
      return created(place, first);
    case "merge":
      return merged(first, args.slice(1), tools);
    case "save":
      if (first) saveValue(place, first);
      return first ?? UNDEFINED;
    case "remove":
    case "softRemove":
      if (first) removeValue(place, first, { isSoft: method === "softRemove" });
      return first ?? UNDEFINED;
    case "insert":
      return first && inserted(place, first);
    case "upsert":
      return first && upserted(place, first, second);
    case "update": {
      const where = criteriaOf(place, first);
      const fields = second && tools.fields(second);
      const set = fields && columnsSet(place, fields);
      if (!where || !set || set.size === 0) {
        runUnknownWrite(place, "what is updated is not known");
        return resultOf(undefined, tools);
      }
      return resultOf(runUpdate(place, set, where), tools);
    }
    case "delete":
    case "softDelete": {
      const where = criteriaOf(place, first);
      if (!where) {
        runUnknownWrite(place, "what is deleted is not known");
        return resultOf(undefined, tools);
      }
      const run = method === "delete" ? runDelete : runSoftDelete;
      return resultOf(run(place, where), tools);
    }
    case "restore": {
      const where = criteriaOf(place, first);
      const column = roleOf(model, "deleted");
      if (!where || !column) return undefined;
      const set = new Map<string, Fragment>([[column.column, raw("NULL")]]);
      return resultOf(runUpdate(place, set, where), tools);
    }
    case "increment":
    case "decrement": {
      const where = criteriaOf(place, first);
      const operator = method === "increment" ? "+" : "-";
      const set = third && changedBy(place, constantText(second) ?? "", third, operator);
      if (!where || !set) return undefined;
      return resultOf(runUpdate(place, set, where), tools);
    }
    case "clear":
      return resultOf(runDelete(place, []), tools);
    default:
      return undefined;
  }
}

function resultOf(outcome: SqlOutcome | undefined, tools: Tools): Value {
  const count = outcome?.count;
  return tools.object(count ? { affected: count, raw: count } : {});
}

/** `create({ ... })`: an object of the entity's class that is not saved yet. */
function created(place: Place, given: Value | undefined): Value | undefined {
  const { tools, model } = place;
  const items = given && tools.items(given);
  if (items) return tools.list(items.map((item) => created(place, item) ?? item));
  const fields = given === undefined ? new Map<string, Value>() : tools.fields(given);
  if (!fields) {
    // A record of the caller's: its fields are the entity's.
    return given?.kind === "input" || given?.kind === "object" ? given : undefined;
  }
  const made = tools.object(Object.fromEntries(fields));
  const of = model.class;
  return made.kind === "object" && of ? { ...made, class: of } : made;
}

/** `merge(entity, a, b)` assigns the fields of the others. */
function merged(
  entity: Value | undefined,
  others: readonly Value[],
  tools: Tools,
): Value | undefined {
  for (const other of others) {
    const fields = tools.fields(other);
    if (!fields || !entity) return undefined;
    for (const [name, value] of fields) {
      if (value.kind !== "undefined") tools.assign(entity, name, value);
    }
  }
  return entity;
}

function inserted(place: Place, value: Value): Value {
  const { tools } = place;
  const items = tools.items(value) ?? [value];
  const rows = items.map((item) => {
    const fields = tools.fields(item);
    return fields && columnsSet(place, fields);
  });
  if (!rows.every((row) => row !== undefined)) {
    runUnknownWrite(place, "what is inserted is not known");
    return tools.object({});
  }
  if (rows.length === 0) return tools.object({});
  const done = runInsert(place, rows);
  const [only] = items;
  if (only?.kind === "object" && items.length === 1) assignGenerated(place, only, done);
  const maps = done.made ?? tools.list(items);
  return tools.object({ identifiers: maps, generatedMaps: maps, raw: maps });
}

function upserted(place: Place, value: Value, options: Value | undefined): Value {
  const { tools } = place;
  const items = tools.items(value) ?? [value];
  const rows = items.map((item) => {
    const fields = tools.fields(item);
    return fields && columnsSet(place, fields);
  });
  const paths = options && (tools.fields(options)?.get("conflictPaths") ?? options);
  const named = namesIn(paths, tools);
  const flags = named.length === 0 && paths ? tools.fields(paths) : undefined;
  const targets = flags ? [...flags.keys()] : named;
  if (!rows.every((row) => row !== undefined) || targets.length === 0) {
    runUnknownWrite(place, "what is inserted or updated is not known");
    return tools.object({});
  }
  runInsert(place, rows, conflictText(place, targets, rows));
  return tools.object({});
}
