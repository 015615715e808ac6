// Changes of tables that exist: ALTER TABLE, indexes that are keys, DROP and RENAME.
import type { AlterTableCmd, IndexStmt, Node, RangeVar } from "libpg-query";
import type { Expression } from "../../../../program/expression";
import type { Column, ForeignKey, Table, UniqueKey } from "../../../../program/schema";
import { itemsOf, stringsOf, tableName, typeText } from "../ast";
import { homeOf, viewKey } from "../../relationNames";
import { nameIn } from "../relationNames";
import { unfollowedInDefinition } from "../definitionTree";
import {
  dropRule,
  dropTrigger,
  dropTriggersOf,
  renameTrigger,
} from "../triggers/triggerDefinitions";
import { isWide } from "../valueType";
import { changesNothing } from "../inertDefinitions";
import { nameOfMoved, renameProperty, renameTable } from "./renameTable";
import { isLooseText } from "./collations";
import { takesOfType } from "./enumerations";
import { change, condition, nameSpace, recordLoss, say, typeOf, type State } from "./schemaState";
import {
  withColumn,
  withColumnConstraints,
  withConstraint,
  withEqualNulls,
  withExpressionIndex,
  withNullable,
  withoutUnvalidated,
  withParent,
  withUnfollowed,
} from "./tableDefinition";
import { dropPoliciesOf, dropPolicy } from "./policies";

/** The table as the command leaves it; what it says that nothing follows weakens what uses the table. */
export function alterTable(table: Table, command: AlterTableCmd, state: State): Table {
  if (changesNothing(command)) return table;
  const said = unfollowedInDefinition("AlterTableCmd", command);
  const after = withUnfollowed(changed(table, command, state), said);
  const known = table.doubts?.length ?? 0;
  for (const { reason } of after.doubts?.slice(known) ?? []) recordLoss(state, reason);
  return after;
}

function changed(table: Table, command: AlterTableCmd, state: State): Table {
  const { subtype, name = "", def } = command;
  switch (subtype) {
    case "AT_AddColumn":
      if (def === undefined || !("ColumnDef" in def)) return table;
      return withColumnConstraints(withColumn(table, def.ColumnDef, state), def.ColumnDef, state);
    case "AT_DropColumn":
      return withoutColumn(table, name);
    case "AT_AddConstraint":
      if (def === undefined || !("Constraint" in def)) return table;
      return withConstraint(table, def.Constraint, [], state);
    case "AT_DropConstraint":
      return withoutConstraint(table, name, state);
    case "AT_ValidateConstraint":
      return withoutUnvalidated(withValidated(table, name), name);
    case "AT_AttachPartition":
      if (def === undefined || !("PartitionCmd" in def)) return table;
      change(state, def.PartitionCmd.name, (partition) => withParent(partition, table.name));
      return table;
    case "AT_AddInherit":
      return withParent(table, def && "RangeVar" in def ? tableName(def.RangeVar) : "another");
    case "AT_DropExpression":
      return withoutExpression(table, name);
    case "AT_SetNotNull":
      return withNullable(table, [name], false);
    case "AT_DropNotNull":
      return withNullable(table, [name], true);
    case "AT_AddIdentity":
      return withDefault(table, name, {
        kind: "fresh",
        id: "default",
        type: "int",
        why: "sequence",
      });
    case "AT_ColumnDefault":
      return withDefault(table, name, def === undefined ? undefined : condition(def, table, state));
    case "AT_AlterColumnType": {
      if (def === undefined || !("ColumnDef" in def)) return table;
      const written = typeText(def.ColumnDef.typeName);
      const type = typeOf(written, state);
      const takes = takesOfType(def.ColumnDef.typeName, state);
      const columns = table.columns.map((each): Column => {
        if (each.name !== name) return each;
        const { takes: _before, isWide: _width, isLoose: _collation, ...rest } = each;
        const wide = isWide(written) && { isWide: true as const };
        const loose = isLooseText(def.ColumnDef.typeName, def.ColumnDef.collClause, state);
        return {
          ...rest,
          type,
          ...(takes && { takes }),
          ...wide,
          ...(loose && { isLoose: true as const }),
        };
      });
      return { ...table, columns };
    }
    case "AT_DropIdentity":
      return withDefault(table, name, undefined);
    default:
      return withUnfollowed(table, [`the change ${subtype ?? "unknown"}`]);
  }
}

function withValidated(table: Table, name: string): Table {
  const foreignKeys = table.foreignKeys.map((key): ForeignKey => {
    const usual = [table.name, ...key.columns, "fkey"].join("_");
    const { isUnvalidated: _before, ...validated } = key;
    return (key.name ?? usual) === name ? validated : key;
  });
  return { ...table, foreignKeys };
}

/** A column that is computed no longer. */
function withoutExpression(table: Table, name: string): Table {
  const columns = table.columns.map((column): Column => {
    if (column.name !== name) return column;
    const { generated: _before, default: _value, ...rest } = column;
    return rest;
  });
  return { ...table, columns };
}

function withDefault(table: Table, name: string, value: Expression | undefined): Table {
  const columns = table.columns.map((column): Column => {
    if (column.name !== name) return column;
    const { default: _before, ...rest } = column;
    return value === undefined ? rest : { ...rest, default: value };
  });
  return { ...table, columns };
}

function withoutColumn(table: Table, name: string): Table {
  return {
    ...table,
    columns: table.columns.filter((column) => column.name !== name),
    primaryKey: table.primaryKey.includes(name) ? [] : table.primaryKey,
    uniqueKeys: table.uniqueKeys.filter((key) => !key.columns.includes(name)),
    foreignKeys: table.foreignKeys.filter((key) => !key.columns.includes(name)),
    checks: table.checks.filter((check) => !JSON.stringify(check).includes(`"column":"${name}"`)),
  };
}

/** Constraints without a name have those that PostgreSQL gives them. */
function withoutConstraint(table: Table, name: string, { names }: State): Table {
  const usual = (columns: readonly string[], end: string): string =>
    [table.name, ...columns, end].join("_");
  const isNamed = (key: UniqueKey | ForeignKey, end: string): boolean =>
    (key.name ?? usual(key.columns, end)) === name;
  const isKey = (names.get(table.primaryKey) ?? `${table.name}_pkey`) === name;
  return {
    ...table,
    primaryKey: isKey ? [] : table.primaryKey,
    uniqueKeys: table.uniqueKeys.filter((key) => !isNamed(key, "key")),
    foreignKeys: table.foreignKeys.filter((key) => !isNamed(key, "fkey")),
    checks: table.checks.filter((check) => names.get(check) !== name),
  };
}

export function uniqueIndex(index: IndexStmt, state: State): void {
  if (index.unique !== true) return;
  const columns = (index.indexParams ?? []).map((node) =>
    "IndexElem" in node ? node.IndexElem.name : undefined,
  );
  const name = index.idxname;
  if (columns.includes(undefined)) {
    say(state, `The unique index ${name ?? ""} on an expression is not analysed.`);
    change(state, index.relation, (table) => withExpressionIndex(table, index));
    return;
  }
  change(state, index.relation, (table) => {
    const key: UniqueKey = {
      columns: columns.flatMap((column) => column ?? []),
      ...(name === undefined ? {} : { name }),
      ...(index.whereClause === undefined
        ? {}
        : { where: condition(index.whereClause, table, state) }),
    };
    const keyed = withUnfollowed(
      { ...table, uniqueKeys: [...table.uniqueKeys, key] },
      unfollowedInDefinition("IndexStmt", index),
    );
    return index.nulls_not_distinct === true ? withEqualNulls(keyed, key.columns) : keyed;
  });
}

export function drop(type: string | undefined, objects: readonly Node[], state: State): void {
  for (const object of objects) {
    const path = "String" in object ? [object.String.sval ?? ""] : stringsOf(itemsOf(object));
    const [own = ""] = path.slice(-1);
    const name = nameOfPath(path, state);
    const part = [nameOfPath(path.slice(0, -1), state), own];
    if (type === "OBJECT_TRIGGER") dropTrigger(part, state.triggers);
    if (type === "OBJECT_RULE") dropRule(part, state.triggers);
    if (type === "OBJECT_POLICY") dropPolicy(part, state.policies);
    if (type === "OBJECT_SCHEMA") dropSchema(own, state);
    if (type === "OBJECT_TABLE" || type === "OBJECT_MATVIEW") {
      dropTable(name, state);
    }
    if (type === "OBJECT_VIEW")
      state.views.delete(viewKey({ name: own, schema: path.at(-2) ?? state.schema }, "postgres"));
    if (type === "OBJECT_INDEX") {
      const [schema] = path.slice(-2, -1);
      for (const table of state.tables.values()) {
        if (schema !== undefined && homeOf(table, "postgres") !== schema) continue;
        const uniqueKeys = table.uniqueKeys.filter((key) => key.name !== own);
        if (uniqueKeys.length < table.uniqueKeys.length) {
          state.tables.set(table.name, { ...table, uniqueKeys });
        }
      }
    }
  }
}

function nameOfPath(path: readonly string[], state: State): string {
  const [relname = "", schemaname] = path.toReversed();
  return nameIn({ relname, ...(schemaname !== undefined && { schemaname }) }, nameSpace(state));
}

function dropTable(name: string, state: State): void {
  state.tables.delete(name);
  dropPoliciesOf(name, state.policies);
  dropTriggersOf(name, state.triggers);
}

/** DROP SCHEMA, with CASCADE where it has something. */
function dropSchema(schema: string, state: State): void {
  for (const table of [...state.tables.values()])
    if (homeOf(table, "postgres") === schema) dropTable(table.name, state);
  for (const [name, view] of [...state.views])
    if (homeOf(view, "postgres") === schema) state.views.delete(name);
}

export function rename(
  type: string | undefined,
  relation: RangeVar | undefined,
  from: string,
  to: string,
  state: State,
): void {
  if (type === "OBJECT_TRIGGER") renameTrigger(tableName(relation), from, to, state.triggers);
  const table = state.tables.get(tableName(relation));
  if (table === undefined) return;
  if (type === "OBJECT_TABLE") {
    renameTable(table.name, nameOfMoved(table, { name: to, schema: table.schema }, state), state);
  } else if (type === "OBJECT_COLUMN") {
    const swap = (columns: readonly string[]): readonly string[] =>
      columns.map((column) => (column === from ? to : column));
    const columns = table.columns.map((each) =>
      each.name === from ? { ...each, name: to } : each,
    );
    state.tables.set(table.name, {
      ...table,
      columns,
      primaryKey: swap(table.primaryKey),
      uniqueKeys: table.uniqueKeys.map((key) => ({ ...key, columns: swap(key.columns) })),
      foreignKeys: table.foreignKeys.map((key) => ({ ...key, columns: swap(key.columns) })),
      checks: renameProperty(table.checks, "column", from, to),
    });
  } else if (type === "OBJECT_TABCONSTRAINT") {
    const uniqueKeys = table.uniqueKeys.map((key) =>
      key.name === from ? { ...key, name: to } : key,
    );
    state.tables.set(table.name, { ...table, uniqueKeys });
  }
}
