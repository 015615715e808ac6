// How names are written. MySQL's dialects look names up in lower case, and show columns as they were written: those of a
// result as the query writes them, those that `*` stands for as their table does.
import { ofNodes } from "../../query/nodes";
import { createReader } from "../../frontend/sql/dialects/reader";
import { inLowerCase } from "../../frontend/sql/text/spelling";
import type { Dialect } from "../../program/dialect";
import { storageOf, type Catalog, type Table } from "../catalog";
import type { QueryColumn } from "../compile/node";
import type { SqlDefinition } from "../definitionTree";
import type { SqlOutput } from "../tree";

/** Names of a statement that are not all in lower case, by what they are looked up under. */
export type Spelling = ReadonlyMap<string, string>;

const NO_SPELLING: Spelling = new Map();

/** The names of one statement; of two ways to write one, that behind AS counts, else the first. `canonical` is as long as `text`. */
export function spellingOf(text: string, canonical: string, dialect: Dialect): Spelling {
  if (!/\p{Lu}/u.test(text)) return NO_SPELLING;
  const found = new Map<string, string>();
  let isAlias = false;
  for (const { kind, word, start, end } of createReader({
    text: canonical,
    dialect,
    spelling: inLowerCase,
  }).lexemes) {
    // A string may be an alias, too.
    if (kind === "word" || kind === "name" || kind === "string") {
      const raw = text.slice(start, end);
      const written = kind === "word" ? raw : unquoted(raw);
      const folded = word.toLowerCase();
      if (written.toLowerCase() === folded && (isAlias || !found.has(folded)))
        found.set(folded, written);
    }
    isAlias = kind === "word" && word === "as";
  }
  return found;
}

/** The spelling, with that of outputs whose names are their texts. */
export function withOutputs(
  spelling: Spelling,
  outputs: readonly SqlOutput[],
  text: string,
  canonical: string,
): Spelling {
  if (text === canonical) return spelling;
  const found = new Map(spelling);
  let from = 0;
  for (const { alias, text: name } of outputs) {
    if (alias !== undefined || name === undefined) continue;
    const start = canonical.indexOf(name, from);
    if (start < 0) continue;
    from = start + name.length;
    const written = text.slice(start, from);
    if (written !== name && name !== "") found.set(name, written);
  }
  return found;
}

function unquoted(raw: string): string {
  const quote = raw[0] ?? "";
  return raw.slice(1, -1).replaceAll(quote + quote, quote);
}

/** Takes note of the names that a definition gave. */
export function rememberSpelling(
  catalog: Catalog,
  definition: SqlDefinition,
  spelling: Spelling,
): void {
  const note = (name: string | undefined): void => {
    if (name !== undefined) catalog.spelling.set(name, spelling.get(name) ?? name);
  };
  const noteColumn = (table: string, column: string): void => {
    const own = catalog.tables.get(table);
    if (own) catalog.spelling.set(columnPlace(own, column), spelling.get(column) ?? column);
  };
  switch (definition.kind) {
    case "create table":
      note(definition.table);
      for (const { name } of definition.columns) noteColumn(definition.table, name);
      copyColumns(catalog, definition.like, definition.table);
      for (const { name } of definition.constraints) note(name);
      break;
    case "alter table":
      for (const change of definition.changes) {
        if (change.kind === "add column" || change.kind === "replace column")
          noteColumn(definition.table, change.column.name);
        else if (change.kind === "rename column") noteColumn(definition.table, change.to);
        else if (change.kind === "add constraint") note(change.constraint.name);
        else if (change.kind === "rename") note(change.to);
      }
      break;
    case "create index":
      note(definition.name);
      break;
    case "create view":
      note(definition.name);
      for (const [name, written] of spelling)
        catalog.spelling.set(viewPlace(definition.name, name), written);
      break;
    default:
  }
}

/** CREATE TABLE ... LIKE */
function copyColumns(catalog: Catalog, from: string | undefined, to: string): void {
  const source = from === undefined ? undefined : catalog.tables.get(from);
  const target = catalog.tables.get(to);
  if (source && target) copySpelling(catalog, source, target);
}

/** Columns of one table are written as those of another one. */
export function copySpelling(catalog: Catalog, source: Table, target: Table): void {
  for (const { name } of source.columns)
    catalog.spelling.set(columnPlace(target, name), shownColumn(catalog, source, name));
}

/** A table's or a key's name as it was written. */
export function shownName({ spelling }: Catalog, name: string): string {
  return spelling.get(name) ?? name;
}

/** A column of a table as it was written where it was defined. */
export function shownColumn({ spelling }: Catalog, table: Table, name: string): string {
  return spelling.get(columnPlace(table, name)) ?? name;
}

/** A column of a view as its definition writes it. */
export function shownInView({ spelling }: Catalog, view: string, name: string): string {
  return spelling.get(viewPlace(view, name)) ?? name;
}

/** The columns of a result as its clients see them. */
export function shownColumns(
  columns: readonly QueryColumn[],
  spelling: Spelling = NO_SPELLING,
): readonly QueryColumn[] {
  return spelledColumns(columns, spelling);
}

const spelledColumns = ofNodes(
  (columns: readonly QueryColumn[], spelling: Spelling): readonly QueryColumn[] =>
    columns.map(({ name, type, origin, shape, shown }) => ({
      name: shown ?? spelling.get(name) ?? name,
      type,
      ...(origin && { origin }),
      ...(shape && { shape }),
    })),
);

/** Where a table's rows are kept does not change with its name. */
function columnPlace(table: Table, column: string): string {
  return `${storageOf(table)} ${column}`;
}

function viewPlace(view: string, column: string): string {
  return `${view}() ${column}`;
}
