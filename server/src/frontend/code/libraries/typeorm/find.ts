// Reads of TypeORM's `find` methods: rows, with relations, locks and versions.
import { dictionary } from "../../../../protocol/dictionary";
import { constantScalar, constantText, UNDEFINED, unknown, type Value } from "../../values";
import { valueFragment, namesIn, raw, type Draft, type Fragment } from "../builders/draft";
import type { Tools } from "../library";
import { keysOf, lockClause, roleOf, type ModelRelation } from "../orm/model";
import {
  columnText,
  equals,
  isGiven,
  isRowData,
  runSelect,
  selectColumns,
  startOn,
  type Place,
} from "../orm/statements";
import { softDeletion, orderOf, whereOf } from "./where";

/** Reads rows by the options of `find`; undefined where they are not understood. */
export function findRows(
  place: Place,
  options: Value | undefined,
  { isFirst }: { readonly isFirst: boolean },
): Value | undefined {
  const { tools } = place;
  const fields = fieldsOf(options, tools);
  if (!fields) return undefined;
  const where = whereOf(place, fields.get("where"));
  const order = orderOf(place, fields.get("order"));
  const lock = lockOf(fields.get("lock"), tools);
  if (!where || !order || lock === undefined) return undefined;
  const [take, skip] = [fields.get("take"), fields.get("skip")];
  const withDeleted = constantScalar(fields.get("withDeleted")) === true;
  const draft: Draft = {
    ...startOn(place, "select"),
    columns: selectColumns(place, selectedNames(fields.get("select"), tools)),
    where: [...where, ...(withDeleted ? [] : softDeletion(place))],
    orderBy: order,
    ...(isFirst ? { limit: raw("1") } : isGiven(take) && { limit: valueFragment(take) }),
    ...(isGiven(skip) && { offset: valueFragment(skip) }),
    ...(lock !== "" && { lock }),
  };
  const rows = runSelect(place, draft);
  const loaded = withRelations(place, rows, relationNames(fields, tools), { isFirst, lock });
  requireVersion(place, loaded, fields.get("lock"));
  return loaded;
}

function fieldsOf(
  options: Value | undefined,
  tools: Tools,
): ReadonlyMap<string, Value> | undefined {
  if (!isGiven(options)) return new Map();
  return tools.fields(options);
}

/** `select: ["a"]` or `{ a: true }`. */
function selectedNames(value: Value | undefined, tools: Tools): readonly string[] | undefined {
  if (!isGiven(value)) return undefined;
  const fields = tools.fields(value);
  if (!fields) return namesIn(value, tools);
  return [...fields].flatMap(([name, each]) => (constantScalar(each) === true ? [name] : []));
}

function relationNames(fields: ReadonlyMap<string, Value>, tools: Tools): readonly string[] {
  return selectedNames(fields.get("relations"), tools) ?? [];
}

const LOCKS = dictionary<string | undefined>({
  pessimistic_partial_write: "FOR UPDATE SKIP LOCKED",
  pessimistic_write_or_fail: "FOR UPDATE NOWAIT",
  for_no_key_update: "FOR NO KEY UPDATE",
  for_key_share: "FOR KEY SHARE",
  optimistic: "",
});

/** The clause of a lock mode; undefined where the mode is not known. */
export function lockText(mode: string | undefined, tools: Tools): string | undefined {
  if (mode === "pessimistic_write") return lockClause("update", tools.dialect);
  if (mode === "pessimistic_read") return lockClause("share", tools.dialect);
  return mode === undefined ? undefined : LOCKS[mode];
}

/** `lock: { mode: "pessimistic_write", onLocked: "nowait" }`; empty without a lock. */
function lockOf(lock: Value | undefined, tools: Tools): string | undefined {
  if (!isGiven(lock)) return "";
  const fields = tools.fields(lock);
  const text = lockText(constantText(fields?.get("mode")), tools);
  const locked = constantText(fields?.get("onLocked"));
  if (text === undefined || locked === undefined) return text;
  return `${text} ${locked === "nowait" ? "NOWAIT" : "SKIP LOCKED"}`;
}

/** `lock: { mode: "optimistic", version }`: another version is an error. */
function requireVersion(place: Place, rows: Value, lock: Value | undefined): void {
  const { tools, model, source } = place;
  const fields = lock && tools.fields(lock);
  const wanted = fields?.get("version");
  const column = roleOf(model, "version");
  if (constantText(fields?.get("mode")) !== "optimistic" || !wanted || !column) return;
  const row = tools.firstRow(rows);
  const found = tools.expression(tools.member(row, column.property ?? column.column));
  const right = tools.expression(wanted);
  tools.require(
    { kind: "comparison", operator: "=", left: found, right },
    "the version is another one",
    source,
  );
}

/**
 * The rows with their relations. TypeORM joins them; of one row they are read by its keys, which gives the same rows as
 * long as nothing commits in between. Of several rows they are not told apart.
 */
function withRelations(
  place: Place,
  rows: Value,
  names: readonly string[],
  { isFirst, lock }: { readonly isFirst: boolean; readonly lock: string },
): Value {
  const { model, tools, source } = place;
  const wanted = model.relations.filter(
    ({ property, isEager }) => names.includes(property) || isEager === true,
  );
  const unknownNames = names.filter(
    (name) => !model.relations.some(({ property }) => property === name),
  );
  if (unknownNames.length > 0) {
    tools.lose(`the relation ${unknownNames.join(", ")} is not followed`, source);
  }
  if (wanted.length === 0 || rows.kind !== "rows" || !isRowData(rows.data)) return rows;
  if (!isFirst) {
    tools.lose("relations of several rows are not followed", source);
    return rows;
  }
  const related = wanted.map(
    (relation) => [relation.property, relatedTo(place, rows, relation, lock)] as const,
  );
  return { ...rows, columns: { ...rows.columns, related: new Map(related) } };
}

function relatedTo(
  place: Place,
  rows: Extract<Value, { kind: "rows" }>,
  relation: ModelRelation,
  lock: string,
): Value {
  const { tools, model } = place;
  const other = relation.target();
  const [own] = keysOf(model);
  const [key] = other ? keysOf(other) : [];
  if (!other || !own || !key) return unknown("the related rows are not known");
  const target: Place = { ...place, model: other };
  const back = other.relations.find(({ property }) => property === relation.inverse)?.column;
  const [column, field] =
    relation.column === undefined ? [back, own.column] : [key.column, relation.column];
  if (column === undefined) return unknown("the related rows are not known");
  const value: Value = {
    kind: "scalar",
    expression: { kind: "field", result: rows.result, field, at: "first" },
  };
  const where: Fragment = equals(columnText(target, { column, type: key.type }), value);
  const found = runSelect(target, {
    ...startOn(target, "select"),
    columns: selectColumns(target),
    where: [where],
    ...(lock !== "" && { lock }),
  });
  return relation.isMany ? found : tools.firstRow(found);
}

/** The first of the rows, or an error without one. */
export function firstOf(place: Place, rows: Value, isRequired: boolean): Value {
  const { tools, source } = place;
  const row = tools.firstRow(rows);
  if (row === UNDEFINED) return row;
  if (isRequired) tools.require(tools.condition(row), "no entity was found", source);
  return row;
}
