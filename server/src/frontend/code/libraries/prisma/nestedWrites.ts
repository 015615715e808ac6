// Writes to related rows within a write of the Prisma client: one or several statements each, in its transaction.
import type { Expression } from "../../../../program/expression";
import type { Assignment } from "../../../../program/statement";
import { literal, TRUE } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import type { PrismaLink, PrismaModel, PrismaRelation } from "../../../schema/prisma/model";
import { sameExpression, isLiteral } from "../../evaluate/values/convert";
import { UNDEFINED, type Value } from "../../values";
import {
  columnOf,
  fieldNameOf,
  fieldOf,
  queryOf,
  relationTo,
  run,
  scopeOf,
  type Losses,
  type Operation,
  type RowScope,
} from "./context";
import { createData, updateData, type NestedWrite } from "./data";
import { givesSomething, setsSomething, setWhere } from "./emptyData";
import { argumentField, isAbsent, itemsOrSelf } from "./argumentValues";
import { createEach, type PutOff } from "./deferredCreates";
import { allOutputs, equatedColumns, keyOutputs, linkingOutputs, mustAffect } from "./rowsRead";
import { conditionOf } from "./where";

/** Columns of the row that related ones belong to. */
export type KeyOf = (column: string) => Expression;

/** The columns that links give before the row itself is written: some from rows that are written first. */
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
      const into = insertRow(operation, model, value, []);
      return set((column) => fieldOf(into, fieldNameOf(model, column)));
    }
    case "connect":
      return set(connected(scope, model, value, link.referenced));
    case "connectOrCreate": {
      const where = argumentField(operation.tools, value, "where");
      orCreated(operation, model, where, argumentField(operation.tools, value, "create"), []);
      if (where === undefined) return [];
      const known = new Map(equatedColumns(operation, model, where));
      if (!link.referenced.every((column) => known.has(column)))
        return set(connected(scope, model, where, link.referenced));
      return set((column) => known.get(column) ?? literal(null));
    }
    case "disconnect":
      return set(() => literal(null));
    // Done behind the row itself; what a deletion leaves of the key is for the foreign key to say.
    case "update":
    case "upsert":
    case "delete":
      return [];
    default:
      scope.losses.push(`"${action}" of ${relation.name}`);
      return [];
  }
}

/** The `referenced` columns of the row that a unique `where` names, which is read first: it must be there. */
function connected(
  { operation }: Pick<RowScope, "operation">,
  model: PrismaModel,
  where: Value,
  referenced: readonly string[],
): (column: string) => Expression {
  const known = new Map(equatedColumns(operation, model, where));
  const into = found(operation, model, where, referenced);
  operation.tools.require(
    compare(">", { kind: "size", result: into }, literal(0)),
    `no ${model.name} to connect`,
    operation.source,
  );
  return (column) => known.get(column) ?? fieldOf(into, fieldNameOf(model, column));
}

/** Reads of the row that a `where` finds its key and further columns; gives the result. */
function found(
  operation: Operation,
  model: PrismaModel,
  where: Value | undefined,
  further: readonly string[] = [],
): string {
  const losses: Losses = [];
  const scope: RowScope = { operation, model, alias: model.table, losses };
  const into = operation.tools.fresh("r");
  const query = {
    ...queryOf([relationTo(model.table)], conditionOf(scope, where)),
    outputs: keyOutputs(model, further),
  };
  run(operation, { kind: "select", query, into, discarded: false }, losses);
  return into;
}

/** Inserts a row with what belongs to it; gives the result that has its columns. */
export function insertRow(
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
    insertRow(operation, model, data, linked);
  });
  tools.emit({ kind: "if", condition, then, source });
}

/** Writes to related rows that follow the row itself. */
export function writesBehind(
  operation: Operation,
  nested: readonly NestedWrite[],
  keyOf: KeyOf,
): void {
  const later: (() => void)[] = [];
  for (const { where = TRUE, ...write } of nested) {
    const putOff: PutOff = [];
    onlyWhere(operation, where, () => {
      writeBehind(operation, write, keyOf, putOff);
    });
    const behind = putOff.map((command) => (): void => {
      onlyWhere(operation, where, () => {
        operation.tools.emit(command);
      });
    });
    later.unshift(...behind);
  }
  for (const write of later) write();
}

function writeBehind(
  operation: Operation,
  { relation, actions }: NestedWrite,
  keyOf: KeyOf,
  later: PutOff,
): void {
  const target = operation.schema.models.get(relation.model);
  const { link } = relation;
  if (target === undefined || link === undefined) {
    operation.tools.lose(`what is written to ${relation.name}`, operation.source);
    return;
  }
  const nesting: Nesting = { operation, relation, target, keyOf, later };
  for (const [name, value] of actions) {
    if (isAbsent(value)) continue;
    if (link.at === "between") writeBetween(nesting, link, name, value);
    else if (link.at === "there") writeThere(nesting, link, name, value);
    else writeReferenced(nesting, link, name, value);
  }
}

interface Nesting {
  readonly operation: Operation;
  readonly relation: PrismaRelation;
  readonly target: PrismaModel;
  readonly keyOf: KeyOf;
  /** The writes behind all others. */
  readonly later: PutOff;
}

/** One or several, each a record. */
function eachOf({ operation }: Nesting, value: Value, write: (item: Value) => void): void {
  const items = itemsOrSelf(operation.tools, value);
  if (items === undefined) operation.tools.each(value, operation.source, write);
  else items.forEach(write);
}

/** Rows that point here: their columns say whom they belong to. */
function writeThere(nesting: Nesting, link: KeptLink, action: string, value: Value): void {
  const { operation, target, keyOf } = nesting;
  const { tools } = operation;
  const linked = link.columns.map((column, at): Assignment => {
    return { column, value: keyOf(link.referenced[at] ?? "") };
  });
  const unlinked = link.columns.map((column): Assignment => ({ column, value: literal(null) }));
  const mine = connective(
    "and",
    linked.map(({ column, value: key }) => compare("=", columnOf(target.table, column), key)),
  );
  switch (action) {
    case "create":
      createEach(operation, target, value, nesting.later, (item) => {
        insertRow(operation, target, item, linked);
      });
      return;
    case "createMany": {
      const data = argumentField(tools, value, "data");
      if (data) {
        eachOf(nesting, data, (item) => {
          insertRow(operation, target, item, linked);
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
        const where = argumentField(tools, item, "where");
        changed(nesting, linked, TRUE, where, false);
        orCreated(operation, target, where, argumentField(tools, item, "create"), linked);
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
  const mine = connective(
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
  const keyOfOther = (where: Value): Expression =>
    connected(nesting, target, where, [link.otherKey])(link.otherKey);
  const created = (data: Value | undefined): void => {
    const into = insertRow(operation, target, data, []);
    put(fieldOf(into, fieldNameOf(target, link.otherKey)));
  };
  switch (action) {
    case "create":
      createEach(operation, target, value, nesting.later, created);
      return;
    case "connect":
      eachOf(nesting, value, (item) => {
        put(keyOfOther(item));
      });
      return;
    case "connectOrCreate":
      eachOf(nesting, value, (item) => {
        const where = argumentField(tools, item, "where");
        orCreated(operation, target, where, argumentField(tools, item, "create"), []);
        const known = where && new Map(equatedColumns(operation, target, where));
        if (where) put(known?.get(link.otherKey) ?? keyOfOther(where));
      });
      return;
    case "set":
      unlink(nesting, link, undefined);
      eachOf(nesting, value, (item) => {
        put(keyOfOther(item));
      });
      return;
    case "disconnect":
      eachOf(nesting, value, (item) => {
        unlink(nesting, link, item);
      });
      return;
    default: {
      writeFound(nesting, linkedBy(nesting, link), [], action, value);
    }
  }
}

/** That a row of the other model is linked to this one. */
function linkedBy({ operation, target, keyOf }: Nesting, link: LinkBetween): Expression {
  const between = operation.tools.fresh("t");
  const inner = connective("and", [
    compare("=", columnOf(between, link.own), keyOf(link.ownKey)),
    compare("=", columnOf(between, link.other), columnOf(target.table, link.otherKey)),
  ]);
  return { kind: "exists", query: queryOf([relationTo(link.table, between)], inner) };
}

/** Removes the links to the rows that a `where` finds, which are read first; to all without one. */
function unlink(nesting: Nesting, link: LinkBetween, where: Value | undefined): void {
  const { operation, target, keyOf } = nesting;
  const { tools, source } = operation;
  const into = chosen(nesting, linkedBy(nesting, link), where, false);
  const loop = tools.fresh("loop");
  const name = fieldNameOf(target, link.otherKey);
  const other: Expression = { kind: "field", result: into, field: name, at: { loop } };
  const condition = connective("and", [
    compare("=", columnOf(link.table, link.own), keyOf(link.ownKey)),
    compare("=", columnOf(link.table, link.other), other),
  ]);
  const relation = relationTo(link.table);
  const body = tools.collected(() => {
    run(operation, { kind: "delete", relation, using: [], where: condition }, []);
  });
  tools.emit({ kind: "loop", id: loop, over: { kind: "rows", result: into }, body, source });
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
        const where = argumentField(tools, item, "where");
        const data = argumentField(tools, item, "data");
        // `update: { name: "x" }` of a single row has neither.
        const isBare = data === undefined && where === undefined && !relation.isList;
        updated(nesting, mine, where, isBare ? item : data, isMany);
      });
      return;
    case "upsert":
      eachOf(nesting, value, (item) => {
        const where = argumentField(tools, item, "where");
        const into = chosen(nesting, mine, where, false);
        const condition = compare("=", { kind: "size", result: into }, literal(0));
        const then = tools.collected(() => {
          insertRow(operation, target, argumentField(tools, item, "create"), linked);
        });
        const otherwise = tools.collected(() => {
          updateChosen(nesting, into, where, argumentField(tools, item, "update"));
        });
        tools.emit({ kind: "if", condition, then, otherwise, source });
      });
      return;
    case "delete":
    case "deleteMany": {
      const one = (item: Value | undefined): void => {
        const into = chosen(nesting, mine, item, action === "delete");
        eachChosen(nesting, into, (isRow) => {
          const statement = {
            kind: "delete",
            relation: relationTo(target.table),
            using: [],
          } as const;
          run(operation, { ...statement, where: isRow }, []);
        });
      };
      if (value.kind === "scalar") one(undefined);
      else eachOf(nesting, value, one);
      return;
    }
    default:
      tools.lose(`"${action}" of ${relation.name} is not known`, source, "opaque");
  }
}

/**
 * Of the related rows those that a `where` finds, by their keys: the client reads these first and then writes rows by
 * their keys, whatever has become of them meanwhile. Gives the result.
 */
function chosen(
  nesting: Nesting,
  mine: Expression,
  where: Value | undefined,
  mustBeThere: boolean,
): string {
  const { operation, target } = nesting;
  const scope = scopeOf(nesting.operation, nesting.target);
  const into = operation.tools.fresh("r");
  const condition = connective("and", [conditionOf(scope, where), mine]);
  const outputs = linkingOutputs(target);
  const query = { ...queryOf([relationTo(target.table)], condition), outputs };
  run(operation, { kind: "select", query, into, discarded: false }, scope.losses);
  if (mustBeThere) {
    const isThere = compare(">", { kind: "size", result: into }, literal(0));
    operation.tools.require(isThere, `no ${target.name} was found`, operation.source);
  }
  return into;
}

/** Runs something for each row that was chosen, told by its key. */
function eachChosen(
  { operation, target }: Nesting,
  result: string,
  write: (isRow: Expression) => void,
): void {
  const { tools, source } = operation;
  const loop = tools.fresh("loop");
  const key = target.keys[0]?.fields ?? [];
  const isRow = connective(
    "and",
    key.map((name) => {
      const field = target.fields.get(name);
      const column = field?.kind === "scalar" ? field.column : name;
      const value: Expression = { kind: "field", result, field: name, at: { loop } };
      return compare("=", columnOf(target.table, column), value);
    }),
  );
  const body = tools.collected(() => {
    write(isRow);
  });
  tools.emit({ kind: "loop", id: loop, over: { kind: "rows", result }, body, source });
}

/** Without data the client does not even look for a single row. */
function updated(
  nesting: Nesting,
  mine: Expression,
  where: Value | undefined,
  data: Value | undefined,
  isMany: boolean,
): void {
  if (isMany) {
    updateChosen(nesting, chosen(nesting, mine, where, false), undefined, data);
    return;
  }
  const { operation, target } = nesting;
  const isSaid = givesSomething(scopeOf(operation, target), data);
  onlyWhere(operation, isSaid, () => {
    updateChosen(nesting, chosen(nesting, mine, where, true), where, data, isSaid);
  });
}

/** Does something where a condition holds. */
function onlyWhere(operation: Operation, condition: Expression, run: () => void): void {
  const then = (): Value => {
    run();
    return UNDEFINED;
  };
  if (isLiteral(condition, true)) run();
  else operation.tools.either(condition, then, () => UNDEFINED);
}

/** Updates the rows that were chosen; one that is told by a unique `where` must still satisfy it. `isSaid` holds already. */
function updateChosen(
  nesting: Nesting,
  chosenRows: string,
  where: Value | undefined,
  data: Value | undefined,
  isSaid: Expression = TRUE,
): void {
  const { operation, target } = nesting;
  eachChosen(nesting, chosenRows, (isRow) => {
    const scope = scopeOf(nesting.operation, nesting.target);
    const reading = updateData(scope, data);
    const set = [...reading.set, ...linksBefore(scope, reading.nested)];
    const condition = connective("and", [isRow, conditionOf(scope, where)]);
    const into = operation.tools.fresh("r");
    if (set.length > 0) {
      const sets = setsSomething(scope, data);
      const isOpen = !isLiteral(sets, true) && !sameExpression(sets, isSaid);
      const isSure = !isOpen || reading.nested.length > 0;
      if (isOpen && isSure) scope.losses.push("an update that may set nothing");
      onlyWhere(operation, isSure ? TRUE : sets, () => {
        const draft = {
          kind: "update",
          relation: relationTo(target.table),
          from: [],
          set: setWhere(sets, set),
          where: condition,
          returning: { into, outputs: allOutputs(target) },
        } as const;
        run(operation, draft, scope.losses);
      });
    }
    const key = set.length > 0 ? into : chosenRows;
    writesBehind(operation, reading.nested, (column) => fieldOf(key, fieldNameOf(target, column)));
  });
}

function changed(
  nesting: Nesting,
  set: readonly Assignment[],
  mine: Expression,
  where: Value | undefined,
  mustBeThere: boolean,
): void {
  const { operation, target } = nesting;
  const scope = scopeOf(nesting.operation, nesting.target);
  // `disconnect: true` of a single row finds it by its link alone.
  const filter = where?.kind === "scalar" ? undefined : where;
  const condition = connective("and", [mine, conditionOf(scope, filter)]);
  const relation = relationTo(target.table);
  const id = run(
    operation,
    { kind: "update", relation, from: [], set, where: condition },
    scope.losses,
  );
  if (mustBeThere) mustAffect(operation, id, target);
}
