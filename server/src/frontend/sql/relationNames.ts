// Names of tables in products with several schemas (MySQL calls them databases): tables of one name in several schemas are told apart by
// their schema, all others go by their name alone.
import type { Dialect } from "../../program/dialect";
import type { Table } from "../../program/schema";
import { schemaPathAt } from "./text/currentSchema";
import type { LineIndex } from "./text/lines";

/** A name as a text has it. */
export interface WrittenName {
  readonly name: string;
  readonly schema?: string | undefined;
}

/** The surroundings in which a name is looked up. */
export interface NameSpace {
  readonly dialect: Dialect;
  readonly table: (name: string) => Table | undefined;
  /** The schemas that `USE` or `SET search_path` has made the default; empty for the product's own. */
  readonly path?: readonly string[];
}

interface Housed {
  readonly schema?: string | undefined;
}

/** The schema of tables that nothing names one for: that of the connection in MySQL, which has no name here. */
export function defaultSchema(dialect: Dialect): string {
  if (dialect === "postgres") return "public";
  if (dialect === "sqlserver") return "dbo";
  return dialect === "sqlite" ? "main" : "";
}

/** The schema of a table or view. */
export function homeOf({ schema }: Housed, dialect: Dialect): string {
  return schema ?? defaultSchema(dialect);
}

export function qualifiedName(schema: string, name: string): string {
  return `${schema}.${name}`;
}

/** The name of a table without the schema that it may go by. */
export function plainName({ name, schema }: WrittenName): string {
  const before = schema === undefined ? undefined : qualifiedName(schema, "");
  return before !== undefined && name.startsWith(before) ? name.slice(before.length) : name;
}

interface PlacedText {
  readonly lines: LineIndex;
  readonly start: number;
}

/** The name space of a piece of text. */
export function nameSpaceOf(
  { piece, table }: Pick<NameSpace, "table"> & { readonly piece: PlacedText },
  dialect: Dialect,
): NameSpace {
  return { dialect, table, path: schemaPathAt(piece.lines, piece.start) };
}

/** The name of the table that a reference means. */
export function relationName(
  { name, schema }: WrittenName,
  { dialect, table, path = [] }: NameSpace,
): string {
  const asked = schema === undefined ? path : [schema];
  const [first] = asked;
  if (first === undefined) return name;
  const known = table(name);
  const home = isDefined(known) ? homeOf(known, dialect) : undefined;
  for (const each of asked) {
    const qualified = qualifiedName(each, name);
    if (isDefined(table(qualified))) return qualified;
    if (home === each) return name;
  }
  const standard = defaultSchema(dialect);
  const own = asked.includes(standard) ? standard : first;
  return own === standard && home === undefined ? name : qualifiedName(own, name);
}

function isDefined(table: Table | undefined): table is Table {
  return table?.inferred === false;
}

/** The tables and views of a schema by their names, where each table may be renamed. */
export interface NamedTables {
  readonly known: (name: string) => Housed | undefined;
  /** Names that tables of several schemas have, none of them the default one. */
  readonly shared: Set<string>;
  readonly rename: (from: string, to: string) => void;
}

/**
 * The name of a table that is defined: by its schema where another schema has one of its name. The default schema's table goes by its name
 * alone, whichever comes first; the other one goes by its schema from there on.
 */
export function nameOfNew(
  { name, schema }: WrittenName,
  { known: find, shared, rename }: NamedTables,
  dialect: Dialect,
): string {
  const standard = defaultSchema(dialect);
  const own = schema ?? standard;
  const qualified = qualifiedName(own, name);
  if (find(qualified) !== undefined) return qualified;
  const known = find(name);
  const isOther = known !== undefined && homeOf(known, dialect) !== own;
  if (isOther && homeOf(known, dialect) !== standard) {
    shared.add(name);
    rename(name, qualifiedName(homeOf(known, dialect), name));
  }
  return own !== standard && (isOther || shared.has(name)) ? qualified : name;
}

/** The key of a view: its schema is before its name unless it is the default one. */
export function viewKey({ name, schema }: WrittenName, dialect: Dialect): string {
  return schema === undefined || schema === defaultSchema(dialect)
    ? name
    : qualifiedName(schema, name);
}

/** The view of that name; else the sole one that a name without a schema may find, where there is no such table. */
export function viewNamed<View extends Housed>(
  name: string,
  views: ReadonlyMap<string, View>,
  { table, dialect }: Pick<NameSpace, "table" | "dialect">,
): View | undefined {
  const own = views.get(name);
  if (own !== undefined || isDefined(table(name))) return own;
  const found = [...views].filter(
    ([key, { schema }]) => key === viewKey({ name, schema }, dialect),
  );
  return found.length === 1 ? found[0]?.[1] : undefined;
}

/** The tables with what their foreign keys refer to, which may be defined later. Linear in the tables. */
export function withReferences(tables: readonly Table[], dialect: Dialect): readonly Table[] {
  const names = new Map(
    tables.map((each) => [qualifiedName(homeOf(each, dialect), plainName(each)), each.name]),
  );
  return tables.map((table) => {
    if (table.foreignKeys.every((key) => !names.has(key.table))) return table;
    const foreignKeys = table.foreignKeys.map((key) => {
      return { ...key, table: names.get(key.table) ?? key.table };
    });
    return { ...table, foreignKeys };
  });
}

/** True if two definitions say the same, wherever they stand. */
export function isSameDefinition(left: Table, right: Table): boolean {
  const text = ({ source: _source, schema: _schema, ...table }: Table): string =>
    JSON.stringify(table);
  return text(left) === text(right);
}
