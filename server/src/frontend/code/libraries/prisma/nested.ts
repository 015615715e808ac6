// Writes to related rows within a write of the Prisma client: one or several statements each, in its transaction.
import type { Expression } from "../../../../program/expression";
import type { Assignment } from "../../../../program/statement";
import { literal, TRUE } from "../../../sql/expressions";
import { compare, joined } from "../../../sql/terms";
import type { PrismaLink, PrismaModel, PrismaRelation } from "../../../schema/prisma/model";
import type { Value } from "../../values";
import {
  columnOf,
  fieldOf,
  queryOf,
  relationTo,
  run,
  type Losses,
  type Operation,
  type RowScope,
} from "./context";
import { createData, updateData, type NestedWrite } from "./data";
import { fieldsGiven, given, isAbsent, isNull, listGiven } from "./given";
import { conditionOf } from "./where";

/** Columns of the row that related ones belong to. */
export type KeyOf = (column: string) => Expression;

/** What links say before the row itself is written: columns of its own, some from rows that are written first. */
export function linksBefore(
  scope: RowScope,
  nested: readonly NestedWrite[],
): readonly Assignment[] {
  return nested.flatMap(({ relation, actions }) => {
    const { link } = relation;
    if (link?.at !== "here") return [];
    return actions.flatMap(([name, value]) => linkHere(scope, relation, link, name, value));
  });
}

type KeptLink = Extract<PrismaLink, { readonly at: "here" | "there" }>;
type LinkBetween = Extract<PrismaLink, { readonly at: "between" }>;

function linkHere(
  scope: RowScope,
  relation: PrismaRelation,
  link: KeptLink,
  action: string,
  value: Value,
): readonly Assignment[] {
  const { operation } = scope;
  const model = operation.schema.models.get(relation.model);
  if (model === undefined || isAbsent(value)) return [];
  const set = (of: (column: string) => Expression): readonly Assignment[] =>
    link.columns.map((column, at) => ({ column, value: of(link.referenced[at] ?? "") }));
  switch (action) {
    case "create": {
      const into = inserted(operation, model, value, []);
      return set((column) => fieldOf(into, fieldNameOf(model, column)));
    }
    case "connect":
      return set(connected(scope, model, link.referenced, value));
    case "connectOrCreate": {
      const where = given(operation.tools, value, "where");
      orCreated(operation, model, where, given(operation.tools, value, "create"), []);
      return where === undefined ? [] : set(connected(scope, model, link.referenced, where));
    }
    case "disconnect":
      return set(() => literal(null));
    // Done behind the row itself.
    case "update":
    case "upsert":
    case "delete":
      return action === "delete" ? set(() => literal(null)) : [];
    default:
      scope.losses.push(`"${action}" of ${relation.name}`);
      return [];
  }
}

/** Columns of the row that a unique `where` names: given by it, or read. */
function connected(
  scope: RowScope,
  model: PrismaModel,
  referenced: readonly string[],
  where: Value,
): (column: string) => Expression {
  const { operation } = scope;
  const known = new Map(equatedColumns(operation, model, where));
  if (referenced.every((column) => known.has(column))) {
    return (column) => known.get(column) ?? literal(null);
  }
  const into = found(operation, model, where);
  operation.tools.require(
    compare(">", { kind: "size", result: into }, literal(0)),
    `no ${model.name} to connect`,
    operation.source,
  );
  return (column) => fieldOf(into, fieldNameOf(model, column));
}

/** The columns that a unique `where` equates with values. */
export function equatedColumns(
  operation: Operation,
  model: PrismaModel,
  where: Value,
): readonly (readonly [string, Expression])[] {
  const { tools } = operation;
  return (fieldsGiven(tools, where) ?? []).flatMap(([name, value]) => {
    const field = model.fields.get(name);
    if (field?.kind === "scalar") {
      const isPlain = value.kind !== "object" && value.kind !== "choice" && !isNull(value);
      return isPlain ? [[field.column, tools.expression(value)] as const] : [];
    }
    const isKey = model.keys.some((key) => key.name === name);
    return isKey ? equatedColumns(operation, model, value) : [];
  });
}

function fieldNameOf(model: PrismaModel, column: string): string {
  const field = [...model.fields.values()].find(
    (each) => each.kind === "scalar" && each.column === column,
  );
  return field?.name ?? column;
}

/** Reads the row that a `where` finds; gives the result. */
function found(operation: Operation, model: PrismaModel, where: Value | undefined): string {
  const losses: Losses = [];
  const scope: RowScope = { operation, model, alias: model.table, losses };
  const into = operation.tools.fresh("r");
  const query = {
    ...queryOf([relationTo(model.table)], conditionOf(scope, where)),
    outputs: allOutputs(model),
  };
  run(operation, { kind: "select", query, into, discarded: false }, losses);
  return into;
}

/** All columns of a model, by the names of their fields. */
export function allOutputs(model: PrismaModel) {
  return [...model.fields.values()].flatMap((field) =>
    field.kind === "scalar"
      ? [{ name: field.name, value: columnOf(model.table, field.column) }]
      : [],
  );
}

/** Inserts a row with what belongs to it; gives the result that has its columns. */
export function inserted(
  operation: Operation,
  model: PrismaModel,
  data: Value | undefined,
  linked: readonly Assignment[],
): string {
  const losses: Losses = [];
  const scope: RowScope = { operation, model, alias: model.table, losses };
  const reading = createData(scope, data, linked);
  const before = linksBefore(scope, reading.nested);
  const row = reading.set.map(
    (each) => before.find(({ column }) => column === each.column) ?? each,
  );
  const into = operation.tools.fresh("r");
  run(
    operation,
    {
      kind: "insert",
      table: model.table,
      rows: [row],
      returning: { into, outputs: allOutputs(model) },
    },
    losses,
  );
  const keyOf: KeyOf = (column) => fieldOf(into, fieldNameOf(model, column));
  writesBehind(operation, reading.nested, keyOf);
  return into;
}

/** Where a `where` finds nothing, a row is created. */
function orCreated(
  operation: Operation,
  model: PrismaModel,
  where: Value | undefined,
  data: Value | undefined,
  linked: readonly Assignment[],
): void {
  const { tools, source } = operation;
  const into = found(operation, model, where);
  const condition = compare("=", { kind: "size", result: into }, literal(0));
  const then = tools.collected(() => {
    inserted(operation, model, data, linked);
  });
  tools.emit({ kind: "if", condition, then, source });
}

/** Writes to related rows that follow the row itself. */
export function writesBehind(
  operation: Operation,
  nested: readonly NestedWrite[],
  keyOf: KeyOf,
): void {
  for (const { relation, actions } of nested) {
    const target = operation.schema.models.get(relation.model);
    const { link } = relation;
    if (target === undefined || link === undefined) {
      operation.tools.lose(`what is written to ${relation.name}`, operation.source);
      continue;
    }
    for (const [name, value] of actions) {
      if (isAbsent(value)) continue;
      if (link.at === "between") {
        writeBetween({ operation, relation, target, keyOf }, link, name, value);
      } else if (link.at === "there") {
        writeThere({ operation, relation, target, keyOf }, link, name, value);
      } else writeReferenced({ operation, relation, target, keyOf }, link, name, value);
    }
  }
}

interface Nesting {
  readonly operation: Operation;
  readonly relation: PrismaRelation;
  readonly target: PrismaModel;
  readonly keyOf: KeyOf;
}

/** One or several, each a record. */
function eachOf({ operation }: Nesting, value: Value, write: (item: Value) => void): void {
  const items = listGiven(operation.tools, value);
  if (items === undefined) operation.tools.each(value, operation.source, write);
  else items.forEach(write);
}

function scopeOf({ operation, target }: Nesting): RowScope {
  return { operation, model: target, alias: target.table, losses: [] };
}

/** Rows that point here: their columns say whom they belong to. */
function writeThere(nesting: Nesting, link: KeptLink, action: string, value: Value): void {
  const { operation, target, keyOf } = nesting;
  const { tools } = operation;
  const linked = link.columns.map((column, at): Assignment => {
    return { column, value: keyOf(link.referenced[at] ?? "") };
  });
  const unlinked = link.columns.map((column): Assignment => ({ column, value: literal(null) }));
  const mine = joined(
    "and",
    linked.map(({ column, value: key }) => compare("=", columnOf(target.table, column), key)),
  );
  switch (action) {
    case "create":
      eachOf(nesting, value, (item) => {
        inserted(operation, target, item, linked);
      });
      return;
    case "createMany": {
      const data = given(tools, value, "data");
      if (data) {
        eachOf(nesting, data, (item) => {
          inserted(operation, target, item, linked);
        });
      }
      return;
    }
    case "connect":
      eachOf(nesting, value, (item) => {
        changed(nesting, linked, TRUE, item, true);
      });
      return;
    case "connectOrCreate":
      eachOf(nesting, value, (item) => {
        const where = given(tools, item, "where");
        changed(nesting, linked, TRUE, where, false);
        orCreated(operation, target, where, given(tools, item, "create"), linked);
      });
      return;
    case "disconnect":
      eachOf(nesting, value, (item) => {
        changed(nesting, unlinked, mine, item, false);
      });
      return;
    case "set":
      changed(nesting, unlinked, mine, undefined, false);
      eachOf(nesting, value, (item) => {
        changed(nesting, linked, TRUE, item, true);
      });
      return;
    default:
      writeFound(nesting, mine, linked, action, value);
  }
}

/** Rows that this one points to. What it points to was said before. */
function writeReferenced(nesting: Nesting, link: KeptLink, action: string, value: Value): void {
  if (["create", "connect", "connectOrCreate", "disconnect"].includes(action)) return;
  const mine = joined(
    "and",
    link.referenced.map((column, at) => {
      const key = nesting.keyOf(link.columns[at] ?? "");
      return compare("=", columnOf(nesting.target.table, column), key);
    }),
  );
  writeFound(nesting, mine, [], action, value);
}

/** Rows that a table between the two links. */
function writeBetween(nesting: Nesting, link: LinkBetween, action: string, value: Value): void {
  const { operation, target, keyOf } = nesting;
  const { tools } = operation;
  const own = keyOf(link.ownKey);
  const put = (other: Expression): void => {
    const row = [
      { column: link.own, value: own },
      { column: link.other, value: other },
    ];
    const onConflict = { target: [], action: "nothing", set: [] } as const;
    run(operation, { kind: "insert", table: link.table, rows: [row], onConflict }, []);
  };
  const remove = (more: Expression, losses: Losses): void => {
    const relation = relationTo(link.table);
    const where = joined("and", [compare("=", columnOf(link.table, link.own), own), more]);
    run(operation, { kind: "delete", relation, using: [], where }, losses);
  };
  const keyOfOther = (where: Value): Expression =>
    connected(scopeOf(nesting), target, [link.otherKey], where)(link.otherKey);
  const created = (data: Value | undefined): void => {
    const into = inserted(operation, target, data, []);
    put(fieldOf(into, fieldNameOf(target, link.otherKey)));
  };
  switch (action) {
    case "create":
      eachOf(nesting, value, created);
      return;
    case "connect":
      eachOf(nesting, value, (item) => {
        put(keyOfOther(item));
      });
      return;
    case "connectOrCreate":
      eachOf(nesting, value, (item) => {
        const where = given(tools, item, "where");
        orCreated(operation, target, where, given(tools, item, "create"), []);
        if (where) put(keyOfOther(where));
      });
      return;
    case "set":
      remove(TRUE, []);
      eachOf(nesting, value, (item) => {
        put(keyOfOther(item));
      });
      return;
    case "disconnect":
      eachOf(nesting, value, (item) => {
        remove(compare("=", columnOf(link.table, link.other), keyOfOther(item)), []);
      });
      return;
    default: {
      const between = tools.fresh("t");
      const inner = joined("and", [
        compare("=", columnOf(between, link.own), own),
        compare("=", columnOf(between, link.other), columnOf(target.table, link.otherKey)),
      ]);
      const mine: Expression = {
        kind: "exists",
        query: queryOf([relationTo(link.table, between)], inner),
      };
      writeFound(nesting, mine, [], action, value);
    }
  }
}

/** `update`, `upsert`, `delete` and their kin: of the related rows, those that a `where` finds. */
function writeFound(
  nesting: Nesting,
  mine: Expression,
  linked: readonly Assignment[],
  action: string,
  value: Value,
): void {
  const { operation, relation, target } = nesting;
  const { tools, source } = operation;
  switch (action) {
    case "update":
    case "updateMany":
      eachOf(nesting, value, (item) => {
        const isMany = action === "updateMany";
        const where = given(tools, item, "where");
        const data = given(tools, item, "data");
        // `update: { name: "x" }` of a single row has neither.
        const isBare = data === undefined && where === undefined && !relation.isList;
        updated(nesting, mine, where, isBare ? item : data, !isMany);
      });
      return;
    case "upsert":
      eachOf(nesting, value, (item) => {
        const where = given(tools, item, "where");
        const into = updated(nesting, mine, where, given(tools, item, "update"), false);
        const condition = compare("=", { kind: "affected", statement: into }, literal(0));
        const then = tools.collected(() => {
          inserted(operation, target, given(tools, item, "create"), linked);
        });
        tools.emit({ kind: "if", condition, then, source });
      });
      return;
    case "delete":
    case "deleteMany": {
      const one = (item: Value | undefined): void => {
        const scope = scopeOf(nesting);
        const where = joined("and", [mine, conditionOf(scope, item)]);
        const statement = {
          kind: "delete",
          relation: relationTo(target.table),
          using: [],
          where,
        } as const;
        const id = run(operation, statement, scope.losses);
        if (action === "delete") mustAffect(operation, id, target);
      };
      if (value.kind === "scalar") one(undefined);
      else eachOf(nesting, value, one);
      return;
    }
    default:
      tools.lose(`"${action}" of ${relation.name} is not known`, source, "opaque");
  }
}

function updated(
  nesting: Nesting,
  mine: Expression,
  where: Value | undefined,
  data: Value | undefined,
  mustBeThere: boolean,
): string {
  const { operation, target } = nesting;
  const scope = scopeOf(nesting);
  const reading = updateData(scope, data);
  const set = [...reading.set, ...linksBefore(scope, reading.nested)];
  const relation = relationTo(target.table);
  const condition = joined("and", [mine, conditionOf(scope, where)]);
  const into = operation.tools.fresh("r");
  const returning = { into, outputs: allOutputs(target) };
  const id = run(
    operation,
    { kind: "update", relation, from: [], set, where: condition, returning },
    scope.losses,
  );
  if (mustBeThere) mustAffect(operation, id, target);
  const keyOf: KeyOf = (column) => fieldOf(into, fieldNameOf(target, column));
  writesBehind(operation, reading.nested, keyOf);
  return id;
}

function changed(
  nesting: Nesting,
  set: readonly Assignment[],
  mine: Expression,
  where: Value | undefined,
  mustBeThere: boolean,
): void {
  const { operation, target } = nesting;
  const scope = scopeOf(nesting);
  // `disconnect: true` of a single row finds it by its link alone.
  const filter = where?.kind === "scalar" ? undefined : where;
  const condition = joined("and", [mine, conditionOf(scope, filter)]);
  const relation = relationTo(target.table);
  const id = run(
    operation,
    { kind: "update", relation, from: [], set, where: condition },
    scope.losses,
  );
  if (mustBeThere) mustAffect(operation, id, target);
}

/** The client throws where there was no row to change. */
export function mustAffect(operation: Operation, statement: string, model: PrismaModel): void {
  const holds = compare(">", { kind: "affected", statement }, literal(0));
  operation.tools.require(holds, `no ${model.name} was found`, operation.source);
}
