// Tables from DDL by node-sql-parser, for the light path.
import type { Expression, ValueType } from "../../../program/expression";
import type { Note } from "../../../program/program";
import {
  emptyTable,
  type Column,
  type ForeignKey,
  type Table,
  type UniqueKey,
} from "../../../program/schema";
import { ownEntry } from "../../../protocol/dictionary";
import { createIds, sourceOf, type LoweringContext, type SqlPiece } from "../lowering";
import { child, children, identifier, isNode, text, type Node } from "./ast";
import { lowerExpression } from "./expression";
import { parseWithNsp } from "./parse";
import { lowerSubquery } from "./query";
import { columnsOf, startWork, type Scope } from "./scope";

interface SchemaReading {
  readonly tables: readonly Table[];
  readonly notes: readonly Note[];
}

/** The tables after CREATE TABLE, ALTER TABLE, CREATE UNIQUE INDEX and DROP TABLE, replayed in order. */
export function readNspSchema(pieces: readonly SqlPiece[]): SchemaReading {
  const tables = new Map<string, Table>();
  const notes: Note[] = [];
  for (const piece of pieces) {
    if (!/^\s*(create|alter|drop)\s+(table|unique|(if\s|only\s)*table)/i.test(piece.sql)) continue;
    const parsed = parseWithNsp(piece.sql);
    if (parsed.ok) {
      replay(parsed.node, piece, tables);
    } else {
      const message = `This definition cannot be read: ${parsed.message}.`;
      notes.push({ severity: "warning", code: "ddl", message, source: sourceOf(piece) });
    }
  }
  return { tables: [...tables.values()], notes };
}

function replay(node: Node, piece: SqlPiece, tables: Map<string, Table>): void {
  const type = node["type"];
  const keyword = text(node, "keyword");
  if (type === "create" && keyword === "table") {
    createTable(node, piece, tables);
  } else if (type === "create" && keyword === "index" && text(node, "index_type") === "unique") {
    change(tables, identifier(child(node, "table"), "table"), (table) => {
      const where = child(node, "where");
      const unique: UniqueKey = {
        columns: columnNames(children(node, "index_columns")),
        ...(where === undefined ? {} : { where: condition(where, table, piece) }),
      };
      return { ...table, uniqueKeys: [...table.uniqueKeys, unique] };
    });
  } else if (type === "drop" && keyword === "table") {
    for (const each of children(node, "name")) tables.delete(identifier(each, "table") ?? "");
  } else if (type === "alter") {
    const [target] = children(node, "table");
    for (const action of children(node, "expr")) {
      change(tables, identifier(target, "table"), (table) => altered(table, action, piece));
    }
  }
}

function change(
  tables: Map<string, Table>,
  name: string | undefined,
  update: (table: Table) => Table,
): void {
  const table = name === undefined ? undefined : tables.get(name);
  if (table !== undefined) tables.set(table.name, update(table));
}

function createTable(node: Node, piece: SqlPiece, tables: Map<string, Table>): void {
  const [target] = children(node, "table");
  const name = identifier(target, "table");
  if (name === undefined || tables.has(name)) return;
  let table = emptyTable(name, sourceOf(piece));
  const definitions = children(node, "create_definitions");
  for (const definition of definitions) {
    if (definition["resource"] === "column") table = withColumn(table, definition, piece);
  }
  for (const definition of definitions) {
    if (definition["resource"] === "constraint") table = withConstraint(table, definition, piece);
  }
  tables.set(name, table);
}

function altered(table: Table, action: Node, piece: SqlPiece): Table {
  if (action["resource"] === "column") {
    if (action["action"] === "add") return withColumn(table, action, piece);
    const name = identifier(child(action, "column"), "column");
    if (action["action"] !== "drop") return table;
    return { ...table, columns: table.columns.filter((column) => column.name !== name) };
  }
  const definition = child(action, "create_definitions");
  return definition === undefined ? table : withConstraint(table, definition, piece);
}

function withColumn(table: Table, node: Node, piece: SqlPiece): Table {
  const name = identifier(child(node, "column"), "column") ?? "";
  const type = (text(child(node, "definition"), "dataType") ?? "").toLowerCase();
  const isKey = node["primary_key"] !== undefined && node["primary_key"] !== null;
  const value = defaultOf(node, type, table, piece);
  const nullable = !isKey && text(child(node, "nullable"), "type") !== "not null";
  const column: Column = {
    name,
    type: valueType(type),
    nullable: nullable && !type.includes("serial"),
    ...(value === undefined ? {} : { default: value }),
  };
  let result: Table = { ...table, columns: [...table.columns, column] };
  if (isKey) result = { ...result, primaryKey: [name] };
  if (typeof node["unique"] === "string") {
    result = { ...result, uniqueKeys: [...result.uniqueKeys, { columns: [name] }] };
  }
  const reference = child(node, "reference_definition");
  if (reference !== undefined) result = withForeignKey(result, [name], reference);
  const check = child(node, "check");
  return check === undefined ? result : withConstraint(result, check, piece);
}

function withConstraint(table: Table, node: Node, piece: SqlPiece): Table {
  const definition = children(node, "definition");
  const columns = columnNames(definition);
  switch (text(node, "constraint_type")?.toLowerCase()) {
    case "primary key":
      return {
        ...table,
        primaryKey: columns,
        columns: table.columns.map((column) =>
          columns.includes(column.name) ? { ...column, nullable: false } : column,
        ),
      };
    case "unique":
      return { ...table, uniqueKeys: [...table.uniqueKeys, { columns }] };
    case "foreign key": {
      const reference = child(node, "reference_definition");
      return reference === undefined ? table : withForeignKey(table, columns, reference);
    }
    case "check": {
      const checks = definition.map((each) => condition(each, table, piece));
      return { ...table, checks: [...table.checks, ...checks] };
    }
    default:
      return table;
  }
}

function withForeignKey(table: Table, columns: readonly string[], reference: Node): Table {
  const [target] = children(reference, "table");
  const key: ForeignKey = {
    columns,
    table: identifier(target, "table") ?? "",
    referenced: columnNames(children(reference, "definition")),
  };
  return { ...table, foreignKeys: [...table.foreignKeys, key] };
}

function columnNames(nodes: readonly Node[]): readonly string[] {
  return nodes.map((node) => identifier(node, "column") ?? text(node, "value") ?? "");
}

function defaultOf(
  node: Node,
  type: string,
  table: Table,
  piece: SqlPiece,
): Expression | undefined {
  const generated = Object.keys(node).some(
    (key) => key.startsWith("generated") && isNode(ownEntry(node, key)),
  );
  if (generated || type.includes("serial")) {
    return { kind: "fresh", id: "default", type: "int", why: "sequence" };
  }
  const value = child(child(node, "default_val"), "value");
  return value === undefined ? undefined : condition(value, table, piece);
}

/** An expression over the columns of the table. */
function condition(node: Node, table: Table, piece: SqlPiece): Expression {
  const context: LoweringContext = {
    piece,
    table: () => table,
    placeholder: () => undefined,
    variable: () => undefined,
    ids: createIds(table.name),
    note: () => undefined,
  };
  const work = startWork(context, lowerSubquery);
  const relation = { alias: table.name, table: table.name, kind: "base", join: "inner" } as const;
  const scope: Scope = { sources: [{ relation, columns: columnsOf(relation, work) }] };
  return lowerExpression(node, scope, work);
}

const TYPES: readonly (readonly [RegExp, ValueType])[] = [
  [/\[\]$/, "other"],
  [/int|serial/, "int"],
  [/numeric|decimal|real|double|float|money/, "decimal"],
  [/bool/, "bool"],
  [/timestamp|date|time/, "time"],
  [/json/, "json"],
  [/bytea/, "bytes"],
  [/char|text|uuid|citext|name/, "text"],
];

function valueType(type: string): ValueType {
  if (type === "interval" || type === "point") return "other";
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? "other";
}
