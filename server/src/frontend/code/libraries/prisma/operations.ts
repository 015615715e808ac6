// The operations of a model of the Prisma client as statements of the AR: what each reads, writes, returns and throws.
import type { Expression, Output } from "../../../../program/expression";
import type { Assignment, OnConflict } from "../../../../program/statement";
import { dictionary } from "../../../../protocol/dictionary";
import { literal, TRUE } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type { PrismaModel } from "../../../schema/prisma/model";
import { scalar, UNDEFINED, type Value } from "../../values";
import type { Tools } from "../library";
import { ownConnection } from "../ownConnection";
import { isLiteral } from "../../evaluate/values/convert";
import { aggregateOperation, countOperation, groupByOperation } from "./aggregates";
import { withArguments } from "./arguments";
import {
  columnOf,
  fieldNameOf,
  fieldOf,
  queryOf,
  relationTo,
  run,
  type Operation,
  type RowScope,
  scopeOf,
  type Work,
} from "./context";
import { createData, updateData, type DataReading } from "./data";
import { namesRelations, oneOf, setsSomething, setWhere } from "./emptyData";
import { knownFields, argumentField, isTrue } from "./argumentValues";
import { removeDependants } from "./integrity";
import { linksBefore, writesBehind, type KeyOf } from "./nestedWrites";
import { withPage } from "./page";
import { requestedCounts, outputsOf, requestedRelations, resultOf } from "./results";
import { allOutputs, equatedColumns, keyOutputs, mustAffect } from "./rowsRead";
import { withKey } from "./uniqueWhere";
import { conditionOf } from "./where";

/** The operations, by whether they write. */
const OPERATIONS = dictionary<(work: Work) => Value>({
  findUnique: (work) => find(work, "row"),
  findUniqueOrThrow: (work) => find(work, "present"),
  findFirst: (work) => find(work, "row"),
  findFirstOrThrow: (work) => find(work, "present"),
  findMany: (work) => find(work, "rows"),
  count: countOperation,
  aggregate: aggregateOperation,
  groupBy: groupByOperation,
  create,
  createMany: (work) => createMany(work, false),
  createManyAndReturn: (work) => createMany(work, true),
  update: (work) => update(work, "one"),
  updateMany: (work) => update(work, "many"),
  updateManyAndReturn: (work) => update(work, "returned"),
  upsert,
  delete: (work) => remove(work, true),
  deleteMany: (work) => remove(work, false),
});

export function isOperation(name: string): boolean {
  return Object.hasOwn(OPERATIONS, name);
}

/** Runs an operation; a write of several statements is a transaction of its own unless one is open. */
export function operate(work: Work): Value {
  return withArguments(work, operateWith);
}

function operateWith(asked: Work): Value {
  const work = withKey(asked);
  const { operation, name } = work;
  const { tools, connection, source } = operation;
  const carry = OPERATIONS[name];
  if (carry === undefined) return UNDEFINED;
  if (!isCompound(work)) return carry(work);
  const own = ownConnection(connection, tools);
  if (own === connection) return carry(work);
  return tools.inTransaction(own, { source }, () =>
    carry({ ...work, operation: { ...operation, connection: own } }),
  );
}

/** True if a write may take several statements. */
function isCompound(work: Work): boolean {
  return !isLiteral(takesSeveral(work), false);
}

/**
 * When a write takes several statements: nested writes (also empty ones), related rows in its result, no upsert of the
 * database's own.
 */
function takesSeveral({ operation, model, name, args, isPart }: Work): Expression {
  if (isPart === true) return TRUE;
  if (name.startsWith("find") || ["count", "aggregate", "groupBy"].includes(name)) return NEVER;
  const { tools, schema } = operation;
  if (requestedRelations(operation, model, args).length > 0) return TRUE;
  const parts = ["data", "create", "update"].flatMap(
    (key) => argumentField(tools, args, key) ?? [],
  );
  const related = oneOf(parts.map((part) => namesRelations(operation, model, part)));
  if (name === "upsert") {
    return isLiteral(related, false) && isNative({ operation, model, name, args }) ? NEVER : TRUE;
  }
  if (name === "delete" && !givesBack(tools)) return TRUE;
  return name.startsWith("delete") && schema.integrity === "client" ? TRUE : related;
}

const NEVER = literal(false);

/** True if the client lets the database give back the row that a statement wrote. */
function givesBack({ dialect }: Tools): boolean {
  return dialect === "postgres" || dialect === "sqlite";
}

function find(work: Work, kind: "row" | "present" | "rows"): Value {
  const { operation, model, args } = work;
  const { tools, source } = operation;
  const scope = scopeOf(work.operation, work.model);
  const where = conditionOf(scope, argumentField(tools, args, "where"));
  const outputs = [...outputsOf(scope, args), ...requestedCounts(scope, args)];
  const base = { ...queryOf([relationTo(model.table)], where), outputs };
  const page = withPage(scope, base, args);
  const query = work.name.startsWith("findFirst") ? { ...page, limit: literal(1) } : page;
  const into = tools.fresh("r");
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  if (kind === "present") {
    const isThere = compare(">", { kind: "size", result: into }, literal(0));
    tools.require(isThere, `no ${model.name} was found`, source);
  }
  return resultOf(operation, model, into, outputs, args, kind === "rows" ? "rows" : "row");
}

function create(work: Work): Value {
  const { operation, model, args } = work;
  return insertOne(work, argumentField(operation.tools, args, "data"), (row, into) => ({
    kind: "insert",
    table: model.table,
    rows: [row],
    returning: { into, outputs: allOutputs(model) },
  }));
}

type InsertDraft = Extract<Parameters<typeof run>[1], { readonly kind: "insert" }>;

function insertOne(
  work: Work,
  data: Value | undefined,
  draft: (row: readonly Assignment[], into: string) => InsertDraft,
): Value {
  const { operation, model } = work;
  const scope = scopeOf(work.operation, work.model);
  const reading = createData(scope, data, []);
  const before = linksBefore(scope, reading.nested);
  const row = reading.set.map(
    (each) => before.find(({ column }) => column === each.column) ?? each,
  );
  const into = operation.tools.fresh("r");
  run(operation, draft(row, into), scope.losses);
  writesBehind(operation, reading.nested, keyOfResult(model, into));
  return written(work, into);
}

/** The row that a write returns: read again where the write took several statements. */
function written(work: Work, into: string): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const several = takesSeveral(work);
  const asWritten = (): Value => resultOf(operation, model, into, returned(model), args, "row");
  if (isLiteral(several, false)) return asWritten();
  if (!isLiteral(several, true)) {
    // The row that is read again is what was written.
    tools.either(
      several,
      () => readAgain(work, into),
      () => UNDEFINED,
    );
    return asWritten();
  }
  return readAgain(work, into);
}

function readAgain(work: Work, into: string): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const scope = scopeOf(work.operation, work.model);
  const keyOf = keyOfResult(model, into);
  const key = (model.keys[0]?.fields ?? []).flatMap((name) => {
    const field = model.fields.get(name);
    return field?.kind === "scalar" ? [field.column] : [];
  });
  const isRow = connective(
    "and",
    key.map((column) => compare("=", columnOf(model.table, column), keyOf(column))),
  );
  const again = tools.fresh("r");
  const outputs = [...outputsOf(scope, args), ...requestedCounts(scope, args)];
  const query = { ...queryOf([relationTo(model.table)], isRow), outputs };
  run(operation, { kind: "select", query, into: again, discarded: false }, scope.losses);
  return resultOf(operation, model, again, outputs, args, "row");
}

function keyOfResult(model: PrismaModel, into: string): KeyOf {
  return (column) => fieldOf(into, fieldNameOf(model, column));
}

function returned(model: PrismaModel): readonly Output[] {
  return allOutputs(model);
}

function createMany(work: Work, isReturned: boolean): Value {
  const { operation, model, args } = work;
  const { tools, source } = operation;
  const scope = scopeOf(work.operation, work.model);
  const data = argumentField(tools, args, "data");
  const items = data && (tools.items(data) ?? (data.kind === "object" ? [data] : undefined));
  const skips = isTrue(argumentField(tools, args, "skipDuplicates"));
  const onConflict: OnConflict = { target: [], action: "nothing", set: [] };
  const into = tools.fresh("r");
  const insert = (rows: readonly (readonly Assignment[])[]): string =>
    run(
      operation,
      {
        kind: "insert",
        table: model.table,
        rows,
        ...(skips && { onConflict }),
        ...(isReturned && { returning: { into, outputs: returned(model) } }),
      },
      scope.losses,
    );
  const rowOf = (item: Value | undefined): readonly Assignment[] => createData(scope, item, []).set;
  if (items !== undefined) {
    if (items.length === 0) return countResult(work, scalar(literal(0), "int"), isReturned, into);
    const statement = insert(items.map(rowOf));
    return countResult(work, affected(statement), isReturned, into);
  }
  if (data === undefined) return UNDEFINED;
  tools.each(data, source, (item) => {
    insert([rowOf(item)]);
  });
  return countResult(work, tools.member(data, "length"), isReturned, into);
}

function affected(statement: string): Value {
  return scalar({ kind: "affected", statement }, "int");
}

/** `{ count }`, or the rows where they are returned. */
function countResult(work: Work, count: Value, isReturned: boolean, into: string): Value {
  const { operation, model, args } = work;
  if (!isReturned) return operation.tools.object({ count });
  return resultOf(operation, model, into, returned(model), args, "rows");
}

function update(work: Work, kind: "one" | "many" | "returned"): Value {
  const { operation, args } = work;
  const { tools } = operation;
  const scope = scopeOf(work.operation, work.model);
  const where = argumentField(tools, args, "where");
  const condition = conditionOf(scope, where);
  const data = argumentField(tools, args, "data");
  const reading = updateData(scope, data);
  const set = [...reading.set, ...linksBefore(scope, reading.nested)];
  const sets = setsSomething(scope, data);
  const isEmpty = set.length === 0 || (isLiteral(sets, false) && reading.nested.length === 0);
  if (isEmpty) return untouched(work, condition, reading, tools.fresh("r"));
  if (sets.kind === "literal" && sets.value === true) {
    return changed({ work, scope, condition, reading, set }, kind);
  }
  if (reading.nested.length > 0) {
    scope.losses.push("an update that may set nothing");
    return changed({ work, scope, condition, reading, set }, kind);
  }
  return eitherOf(
    operation,
    sets,
    () => changed({ work, scope, condition, reading, set: setWhere(sets, set) }, kind),
    () => untouched(work, condition, reading, tools.fresh("r")),
  );
}

/** The columns that an update sets, and in which rows. */
interface Change {
  readonly work: Work;
  readonly scope: RowScope;
  readonly condition: Expression;
  readonly reading: DataReading;
  readonly set: readonly Assignment[];
}

function changed(
  { work, scope, condition, reading, set }: Change,
  kind: "one" | "many" | "returned",
): Value {
  const { operation, model } = work;
  const into = operation.tools.fresh("r");
  const isSilent = kind === "many";
  const statement = run(
    operation,
    {
      kind: "update",
      relation: relationTo(model.table),
      from: [],
      set,
      where: condition,
      ...(!isSilent && { returning: { into, outputs: returned(model) } }),
    },
    scope.losses,
  );
  if (kind !== "one") return countResult(work, affected(statement), kind === "returned", into);
  mustAffect(operation, statement, model);
  writesBehind(operation, reading.nested, keyOfResult(model, into));
  return written(work, into);
}

/** An update of one row that sets nothing reads it, and may write related ones. */
function untouched(
  work: Work,
  condition: ReturnType<typeof conditionOf>,
  reading: DataReading,
  into: string,
): Value {
  const { operation, model, name } = work;
  const scope = scopeOf(work.operation, work.model);
  // Many rows are not asked for anything, and none is counted.
  if (name === "updateManyAndReturn") return operation.tools.list([]);
  if (name === "updateMany") return operation.tools.object({ count: scalar(literal(0), "int") });
  const outputs = returned(model);
  const query = { ...queryOf([relationTo(model.table)], condition), outputs };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  const isThere = compare(">", { kind: "size", result: into }, literal(0));
  operation.tools.require(isThere, `no ${model.name} was found`, operation.source);
  writesBehind(operation, reading.nested, keyOfResult(model, into));
  return written(work, into);
}

/**
 * True if the client leaves an upsert to the database: one unique key in `where` and nothing else, with the same values
 * in `create`, something to update, and neither nested writes nor related rows (documented, and seen with 7.10).
 */
function isNative(work: Work): boolean {
  const { operation, model, args } = work;
  const { tools } = operation;
  if (!givesBack(tools)) return false;
  const [where, data] = [argumentField(tools, args, "where"), argumentField(tools, args, "create")];
  const names = where && knownFields(tools, where)?.map(([name]) => name);
  const key = names?.length === 1 ? model.keys.find((each) => each.name === names[0]) : undefined;
  const change = argumentField(tools, args, "update");
  const isChange = change !== undefined && (knownFields(tools, change) ?? [change]).length > 0;
  if (where === undefined || data === undefined || key === undefined || !isChange) return false;
  return [...valuesOf(tools, where, key.fields)].every(([name, value]) => {
    const other = argumentField(tools, data, name);
    return other !== undefined && isSameValue(tools, other, value);
  });
}

/** The values in a `where` for the fields of a key. */
function valuesOf(
  tools: Tools,
  where: Value,
  names: readonly string[],
): ReadonlyMap<string, Value | undefined> {
  const [only] = knownFields(tools, where)?.map(([, value]) => value) ?? [];
  const of = names.length === 1 ? where : only;
  return new Map(names.map((name) => [name, argumentField(tools, of, name)]));
}

/** True if two values are one: by what they are, or, where that is not known, by where they came from. */
function isSameValue(tools: Tools, left: Value, right: Value | undefined): boolean {
  if (right === undefined || left === right) return left === right;
  return JSON.stringify(tools.expression(left)) === JSON.stringify(tools.expression(right));
}

function upsert(work: Work): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const where = argumentField(tools, args, "where");
  const data = argumentField(tools, args, "create");
  const isPlain = !isCompound(work);
  if (isPlain && where !== undefined && isNative(work)) {
    const target = equatedColumns(operation, model, where).map(([column]) => column);
    const scope = scopeOf(work.operation, work.model);
    const change = argumentField(tools, args, "update");
    const { set } = updateData(scope, change);
    const sets = setsSomething(scope, change);
    if (sets.kind !== "literal") scope.losses.push("an upsert that may have nothing to update");
    return insertOne(work, data, (row, into) => ({
      kind: "insert",
      table: model.table,
      rows: [row],
      onConflict: { target, action: "update", set },
      returning: { into, outputs: returned(model) },
      taint: scope.losses,
    }));
  }
  const scope = scopeOf(work.operation, work.model);
  const into = tools.fresh("r");
  const condition = conditionOf(scope, where);
  const query = { ...queryOf([relationTo(model.table)], condition), outputs: keyOutputs(model) };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  const isMissing = compare("=", { kind: "size", result: into }, literal(0));
  const asCreate = tools.object({ ...shared(work), ...(data && { data }) });
  const change = argumentField(tools, args, "update");
  const asUpdate = tools.object({
    ...shared(work),
    ...(where && { where }),
    ...(change && { data: change }),
  });
  return eitherOf(
    operation,
    isMissing,
    () => create({ ...work, name: "create", args: asCreate, isPart: true }),
    () => update({ ...work, name: "update", args: asUpdate, isPart: true }, "one"),
  );
}

/** One of two operations, with what it gives. */
function eitherOf(
  { tools, source }: Operation,
  condition: Expression,
  first: () => Value,
  second: () => Value,
): Value {
  const results: Value[] = [];
  const [then, otherwise] = [first, second].map((each) =>
    tools.collected(() => {
      results.push(each());
    }),
  );
  if (then) tools.emit({ kind: "if", condition, then, ...(otherwise && { otherwise }), source });
  const [made = UNDEFINED, other = UNDEFINED] = results;
  return { kind: "choice", condition, then: made, otherwise: other };
}

/** The result of an upsert. */
function shared({ operation, args }: Work): Readonly<Record<string, Value>> {
  const parts = ["select", "include", "omit"].flatMap((name) => {
    const value = argumentField(operation.tools, args, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(parts);
}

function remove(work: Work, isOne: boolean): Value {
  const { operation, model, args } = work;
  const { tools } = operation;
  const isRead =
    isOne && (!givesBack(tools) || requestedRelations(operation, model, args).length > 0);
  // Rows that a deletion does not give back are read before it, and the error is that of the reading.
  const read = isRead ? find(work, "present") : undefined;
  const scope = scopeOf(work.operation, work.model);
  const where = conditionOf(scope, argumentField(tools, args, "where"));
  removeDependants(operation, model, where);
  const into = tools.fresh("r");
  const outputs = returned(model);
  const statement = run(
    operation,
    {
      kind: "delete",
      relation: relationTo(model.table),
      using: [],
      where: connective("and", [where]),
      ...(isOne && !isRead && { returning: { into, outputs } }),
    },
    scope.losses,
  );
  if (!isOne) return tools.object({ count: affected(statement) });
  if (read) return read;
  mustAffect(operation, statement, model);
  return resultOf(operation, model, into, outputs, args, "row");
}
