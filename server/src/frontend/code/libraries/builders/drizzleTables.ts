// Drizzle's tables: `pgTable("users", { id: serial("id").primaryKey() }, (t) => [...])` and their columns.
import { kindGuard } from "../kindGuard";
import type { Dialect } from "../../../../program/dialect";
import type { Expression, ValueType } from "../../../../program/expression";
import type { Column, ForeignKey, Table, UniqueKey } from "../../../../program/schema";
import { takesOf, type Takes } from "../../../../program/takes";
import { dictionary } from "../../../../protocol/dictionary";
import {
  constant,
  constantScalar,
  constantText,
  scalar,
  unknown,
  type HandleValue,
  type Value,
} from "../../values";
import { nameOfTable } from "../orm/model";
import { labelsOf } from "../labels";
import type { Call, Tools } from "../library";
import type { Fragment } from "./draft";
import { columnName } from "./drizzleCasing";

export interface DrizzleColumn {
  readonly kind: "column";
  /** In the database; of a column without one, the key of the record. */
  readonly name: string | undefined;
  readonly table?: string;
  readonly type: ValueType;
  readonly takes?: Takes;
  readonly isSequence: boolean;
  readonly isRequired: boolean;
  readonly isKey: boolean;
  readonly unique?: string | true;
  readonly default?: Expression;
  /** Something fills it where a row does not say it; `isGenerated`: the database alone. */
  readonly hasDefault?: true;
  readonly isGenerated?: true;
  /** How the code sees its values: `{ mode: "bigint" }`. */
  readonly mode?: string;
  /** Texts are at most so long. */
  readonly hasLength?: true;
  /** The values that the code puts into rows that do not say it: into new ones, into those that are changed. */
  readonly onInsert?: Value;
  readonly onUpdate?: Value;
  readonly references?: Value;
  readonly onDelete?: string;
}

export interface DrizzleTable {
  readonly kind: "table";
  readonly name: string;
  readonly schema?: string;
  readonly alias?: string;
  /** The text of a query that others read from as from a table. */
  readonly query?: Fragment;
  readonly columns: ReadonlyMap<string, DrizzleColumn>;
  readonly dialect: Dialect;
  readonly primaryKey: readonly string[];
  readonly uniqueKeys: readonly UniqueKey[];
}

const DIALECTS = dictionary<Dialect | undefined>({
  pgTable: "postgres",
  mysqlTable: "mysql",
  sqliteTable: "sqlite",
});

/** The results of `pgEnum("mood", [...])` and `customType({...})`: functions that make columns. */
const ENUM_COLUMN = "enumColumn";
const CUSTOM_COLUMN = "customColumn";

/** The argument of `pgTable("t", (types) => ({ id: types.integer() }))`. */
export const COLUMN_TYPES = "columnTypes";

const TYPES = dictionary<ValueType | undefined>({
  ...typed(
    "int",
    "integer int bigint smallint tinyint mediumint year serial bigserial smallserial",
  ),
  ...typed("decimal", "numeric decimal real doublePrecision double float"),
  ...typed(
    "text",
    "text tinytext mediumtext longtext varchar char uuid mysqlEnum inet cidr macaddr",
  ),
  ...typed("text", ENUM_COLUMN),
  ...typed("bool", "boolean"),
  ...typed("time", "timestamp date time datetime interval"),
  ...typed("json", "json jsonb"),
  ...typed("bytes", "bytea blob binary varbinary"),
  ...typed("other", "bit point line geometry vector halfvec sparsevec"),
  ...typed("other", CUSTOM_COLUMN),
});

/** The code's types for SQLite's numbers: `integer("done", { mode: "boolean" })`. */
const MODES = dictionary<ValueType | undefined>({
  boolean: "bool",
  timestamp: "time",
  timestamp_ms: "time",
});

/** `pgSchema("s")`, which makes tables of that schema. */
interface DrizzleSchema {
  readonly kind: "schema";
  readonly name: string | undefined;
  readonly dialect: Dialect;
}

const SCHEMAS = dictionary<Dialect | undefined>({
  pgSchema: "postgres",
  mysqlSchema: "mysql",
});

/** `pgTableCreator((name) => ...)`: what makes tables under other names. */
interface TableCreator {
  readonly kind: "creator";
  readonly dialect: Dialect;
  readonly named: Value;
}

const CREATORS = dictionary<Dialect | undefined>({
  pgTableCreator: "postgres",
  mysqlTableCreator: "mysql",
  sqliteTableCreator: "sqlite",
});

const isSchema = kindGuard<DrizzleSchema>("schema");

const isCreator = kindGuard<TableCreator>("creator");

/** The type of `pgEnum`: `labels` as far as they are known. */
interface Enumeration {
  readonly kind: "enumeration";
  readonly labels: readonly string[];
}

const isEnumeration = kindGuard<Enumeration>("enumeration");

function typed(type: ValueType, names: string): Record<string, ValueType> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

export const isTable = kindGuard<DrizzleTable>("table");

export const isColumn = kindGuard<DrizzleColumn>("column");

/** A column that something unknown declares. */
export const UNKNOWN_COLUMN: DrizzleColumn = {
  kind: "column",
  name: undefined,
  type: "other",
  isSequence: false,
  isRequired: false,
  isKey: false,
};

/** A call that makes a table or a column, or says more of a column; undefined for all others. */
export function declaration(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path, data } = handle;
  const method = path.split(".").at(-1) ?? path;
  if (isColumn(data)) return tools.handle("column", withMore(data, method, call, tools));
  // Who may read its rows is no part of a table here.
  if (isTable(data) && method === "enableRLS") return tools.handle("table", data);
  const made = maker(handle, method, call, tools);
  if (made !== undefined) return made;
  const listed = TYPES[method];
  const isPlain = path === method;
  if (listed === undefined || !isPlain) return undefined;
  const [first] = call.arguments;
  const options = call.arguments.find((each) => each.kind === "object");
  const mode = options && constantText(tools.fields(options)?.get("mode"));
  const type = modeType(listed, mode) ?? listed;
  const name = constantText(first);
  const takes = takesOfColumn(method, handle.data, call, tools);
  const column: DrizzleColumn = {
    kind: "column",
    name,
    type,
    ...(takes && { takes }),
    ...(mode !== undefined && { mode }),
    ...(options && tools.fields(options)?.has("length") === true && { hasLength: true }),
    isSequence: /serial$/iu.test(method),
    isRequired: /serial$/iu.test(method),
    isKey: false,
  };
  return tools.handle("column", column);
}

function modeType(listed: ValueType, mode: string | undefined): ValueType | undefined {
  if (mode === "json") return listed === "text" || listed === "bytes" ? "json" : undefined;
  return listed === "int" ? MODES[mode ?? ""] : undefined;
}

/** `uuid()`, `char({ length: 2 })`, `mysqlEnum("s", [...])`, `text({ enum: [...] })`, and columns of a `pgEnum`. */
function takesOfColumn(method: string, data: unknown, call: Call, tools: Tools): Takes | undefined {
  if (isEnumeration(data)) return takesOf("enum", data);
  const options = call.arguments.find((each) => each.kind === "object");
  const fields = options && tools.fields(options);
  const listed =
    fields?.get("enum") ?? (method === "mysqlEnum" ? call.arguments.at(-1) : undefined);
  const labels = labelsOf(listed, tools);
  const length = constantScalar(fields?.get("length"));
  const sizes = typeof length === "number" ? [length] : [];
  return takesOf(labels.length > 0 ? "enum" : method.toLowerCase(), { sizes, labels });
}

/** A table, or what makes tables or columns. */
function maker(handle: HandleValue, method: string, call: Call, tools: Tools): Value | undefined {
  const { path, data } = handle;
  const [first] = call.arguments;
  if (isSchema(data)) {
    if (method === "table") return table(data.dialect, call, tools, data.name);
    return method === "enum" ? enumeration(call, tools) : undefined;
  }
  if (isCreator(data)) {
    if (!first) return undefined;
    const name = tools.call(data.named, [first], call.source);
    return table(data.dialect, { ...call, arguments: [name, ...call.arguments.slice(1)] }, tools);
  }
  if (path !== method) return undefined;
  const dialect = DIALECTS[method];
  if (dialect !== undefined) return table(dialect, call, tools);
  const inSchema = SCHEMAS[method];
  if (inSchema !== undefined)
    return tools.handle("schema", {
      kind: "schema",
      name: constantText(first),
      dialect: inSchema,
    } satisfies DrizzleSchema);
  const created = CREATORS[method];
  if (created !== undefined && first)
    return tools.handle("creator", {
      kind: "creator",
      dialect: created,
      named: first,
    } satisfies TableCreator);
  if (method === "pgEnum") return enumeration(call, tools);
  return method === "customType" ? tools.handle(CUSTOM_COLUMN) : undefined;
}

function enumeration(call: Call, tools: Tools): Value {
  const labels = labelsOf(call.arguments[1], tools);
  return tools.handle(ENUM_COLUMN, { kind: "enumeration", labels } satisfies Enumeration);
}

/** Methods behind which something fills a column that a row does not say. */
const FILLS = /^(?:\$?default\w*|\$onUpdate(?:Fn)?|autoincrement|generated\w+)$/u;

function withMore(of: DrizzleColumn, method: string, call: Call, tools: Tools): DrizzleColumn {
  const [first] = call.arguments;
  const column: DrizzleColumn = {
    ...of,
    ...(FILLS.test(method) && { hasDefault: true }),
    ...(method.startsWith("generatedAlways") && { isGenerated: true }),
  };
  switch (method) {
    case "primaryKey":
      return { ...column, isKey: true, isRequired: true };
    case "notNull":
      return { ...column, isRequired: true };
    case "autoincrement":
    case "generatedAlwaysAsIdentity":
    case "generatedByDefaultAsIdentity":
      return { ...column, isSequence: true };
    case "unique":
      return { ...column, unique: constantText(first) ?? true };
    case "default": {
      const value = constantScalar(first);
      if (value === undefined || !first) return column;
      return { ...column, default: tools.expression(first) };
    }
    case "defaultRandom":
      return { ...column, default: fresh("uuid", "text") };
    case "defaultNow":
      return { ...column, default: fresh("now", "time") };
    case "$defaultFn":
    case "$default":
      return { ...column, ...(first && { onInsert: first }) };
    case "$onUpdateFn":
    case "$onUpdate":
      return { ...column, ...(first && { onUpdate: first }) };
    case "references": {
      const onDelete = call.arguments[1]
        ? constantText(tools.fields(call.arguments[1])?.get("onDelete"))
        : undefined;
      return { ...column, ...(first && { references: first }), ...(onDelete && { onDelete }) };
    }
    default:
      return column;
  }
}

/** The table under another name: `alias(users, "u")`. */
export function aliasTable(table: DrizzleTable, alias: string): DrizzleTable {
  const columns = [...table.columns].map(
    ([key, each]) => [key, { ...each, table: alias }] as const,
  );
  return { ...table, alias, columns: new Map(columns) };
}

/** The code's value for a column in a statement that does not set it; undefined: nothing. */
export function filledIn(
  column: DrizzleColumn,
  verb: "insert" | "update",
  source: Call["source"],
  tools: Tools,
): Value | undefined {
  const onUpdate = verb === "update" || column.default === undefined ? column.onUpdate : undefined;
  const make = (verb === "insert" ? column.onInsert : undefined) ?? onUpdate;
  if (!make) return undefined;
  const made = tools.settle(tools.call(make, [], source));
  // A value that is made for a key is another one each time, whoever makes it.
  const isNew = made.kind === "unknown" && (column.isKey || column.unique !== undefined);
  return isNew ? scalar(fresh("uuid", column.type), column.type) : made;
}

/** The database's value for a new row that does not say it. */
export function defaultOf(column: DrizzleColumn): Value {
  const { name = "", type, isSequence, hasDefault } = column;
  if (isSequence) return scalar({ kind: "fresh", id: name, type, why: "sequence" }, type);
  if (column.default) return scalar(column.default, type);
  return hasDefault ? unknown(`the default of ${name} is not known`) : constant(null);
}

function fresh(why: "uuid" | "now", type: ValueType): Expression {
  return { kind: "fresh", id: why, type, why };
}

function table(dialect: Dialect, call: Call, tools: Tools, schema?: string): Value | undefined {
  const [first, second, third] = call.arguments;
  const written = constantText(first);
  const name = written && nameOfTable({ name: written, schema }, tools);
  const declared =
    second?.kind === "function"
      ? tools.call(second, [tools.handle(COLUMN_TYPES)], call.source)
      : second;
  const fields = declared && tools.fields(declared);
  if (name === undefined || !fields) return undefined;
  const columns = new Map<string, DrizzleColumn>();
  for (const [key, value] of fields) {
    const isDeclared = value.kind === "handle" && isColumn(value.data);
    const column = isDeclared ? value.data : UNKNOWN_COLUMN;
    // SQLite numbers rows by an INTEGER PRIMARY KEY.
    const isSequence = column.isSequence || (dialect === "sqlite" && column.isKey && column.type === "int"); // prettier-ignore
    columns.set(key, {
      ...column,
      isSequence,
      name: column.name ?? columnName(key, tools),
      table: name,
    });
  }
  const made: DrizzleTable = {
    kind: "table",
    name,
    ...(schema !== undefined && { schema }),
    columns,
    dialect,
    primaryKey: [],
    uniqueKeys: [],
  };
  if (!third) return tools.handle("table", made);
  const extras = tools.call(third, [tools.handle("table", made)], call.source);
  const listed = tools.items(extras) ?? [...(tools.fields(extras)?.values() ?? [])];
  const keys = listed.flatMap((each) =>
    each.kind === "handle" && isKey(each.data) ? [{ path: each.path, ...each.data }] : [],
  );
  const complete: DrizzleTable = {
    ...made,
    primaryKey: keys.find(({ path }) => path === "primaryKey")?.columns ?? [],
    uniqueKeys: keys
      .filter(({ path }) => path.startsWith("unique"))
      .map(({ columns: names }) => ({ columns: names })),
  };
  return tools.handle("table", complete);
}

interface DrizzleKey {
  readonly kind: "key";
  readonly columns: readonly string[];
}

const isKey = kindGuard<DrizzleKey>("key");

/** `primaryKey({ columns: [t.a, t.b] })`, `uniqueIndex("x").on(t.a, t.b)`, `unique().on(...)`. */
export function keyDeclaration(handle: HandleValue, call: Call, tools: Tools): Value | undefined {
  const { path } = handle;
  const names = (values: readonly Value[]): DrizzleKey => {
    const columns = values.flatMap((each) =>
      each.kind === "handle" && isColumn(each.data) ? (each.data.name ?? []) : [],
    );
    return { kind: "key", columns };
  };
  switch (path) {
    case "primaryKey": {
      const [first] = call.arguments;
      const columns = first && tools.fields(first)?.get("columns");
      return tools.handle(path, names((columns && tools.items(columns)) ?? call.arguments));
    }
    case "uniqueIndex":
    case "unique":
      return tools.handle(path);
    case "uniqueIndex.on":
    case "unique.on":
      return tools.handle(path, names(call.arguments));
    case "index":
    case "index.on":
    case "foreignKey":
    case "check":
      return tools.handle(path);
    default:
      return undefined;
  }
}

/** The table as the schema knows it. */
export function schemaTable(declared: DrizzleTable, tools: Tools): Table {
  const entries = [...declared.columns.values()];
  const keys = entries.filter(({ isKey }) => isKey).map(({ name = "" }) => name);
  const uniqueKeys = entries.flatMap(({ unique, name = "" }): readonly UniqueKey[] => {
    if (unique === undefined) return [];
    return [{ columns: [name], ...(unique !== true && { name: unique }) }];
  });
  return {
    name: declared.name,
    ...(declared.schema !== undefined && { schema: declared.schema }),
    columns: entries.map((each) => columnOf(each)),
    primaryKey: declared.primaryKey.length > 0 ? declared.primaryKey : keys,
    uniqueKeys: [...uniqueKeys, ...declared.uniqueKeys],
    foreignKeys: entries.flatMap((each) => foreignKeyOf(each, tools)),
    checks: [],
    inferred: false,
  };
}

function columnOf({ name = "", type, isSequence, isRequired, ...rest }: DrizzleColumn): Column {
  const value = isSequence
    ? ({ kind: "fresh", id: name, type, why: "sequence" } as const)
    : rest.default;
  const { takes } = rest;
  return {
    name,
    type,
    nullable: !isRequired,
    ...(takes && { takes }),
    ...(value && { default: value }),
  };
}

function foreignKeyOf(
  { name = "", references, onDelete }: DrizzleColumn,
  tools: Tools,
): readonly ForeignKey[] {
  if (references?.kind !== "function") return [];
  const { module } = references.scope;
  const start = { line: 0, character: 0 };
  const target = tools.call(references, [], { file: module.file, range: { start, end: start } });
  if (target.kind !== "handle" || !isColumn(target.data)) return [];
  const { table: parent, name: column } = target.data;
  if (parent === undefined || column === undefined) return [];
  const deletes =
    onDelete === "cascade" ? "cascade" : onDelete?.startsWith("set") === true ? "set" : undefined;
  return [
    {
      columns: [name],
      table: parent,
      referenced: [column],
      ...(deletes && { onDelete: deletes }),
    },
  ];
}
