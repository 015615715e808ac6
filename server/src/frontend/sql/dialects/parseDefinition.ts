// DDL of MySQL, MariaDB, SQL Server and SQLite, as far as tables, keys and views go.
import { parseExpression } from "./parseExpression";
import { drop, ifExists, rename } from "./parseDrop";
import { changedOptions, collationAfter, tableOption, tableOptions } from "./parseOptions";
import { parsingOf, readQuery } from "./parseQuery";
import {
  expect,
  peek,
  skipParentheses,
  take,
  takeAny,
  takeName,
  takeWord,
  takeNames,
  takeQualified,
  takeTable,
  unexpectedToken,
  Unreadable,
  wordAt,
  type Reader,
} from "./reader";
import { isIndex, plainIndex, readIndex, toColumns } from "./parseIndex";
import type { SyntaxExpression, SyntaxQuery } from "./syntax";
import type { ColumnDefinition, ConstraintDefinition, TableChange, Definition } from "./definition";

/** The definition at the reader; irrelevant DDL is "nothing". */
export function readDefinition(reader: Reader): Definition {
  switch (takeAny(reader, "create", "alter", "drop", "rename")) {
    case "create":
      return create(reader);
    case "alter":
      if (wordAt(reader) !== "table" && wordAt(reader) !== "ignore") return { kind: "nothing" };
      take(reader, "ignore");
      expect(reader, "table");
      return alter(reader);
    case "drop":
      return drop(reader);
    case "rename":
      return rename(reader);
    default:
      return { kind: "nothing" };
  }
}

function create(reader: Reader): Definition {
  take(reader, "or", "replace");
  take(reader, "or", "alter");
  takeAny(reader, "temporary", "temp", "global");
  while (!/^(table|unique|index|view|)$/.test(wordAt(reader)) && isViewWord(reader)) reader.at++;
  if (take(reader, "table")) return createTable(reader);
  const isUnique = take(reader, "unique");
  if (isUnique || wordAt(reader) === "index") {
    const index = readIndex(reader, isUnique);
    return index === undefined ? { kind: "nothing" } : { kind: "index", ...index };
  }
  if (!take(reader, "view")) return { kind: "nothing" };
  ifExists(reader);
  const own = takeQualified(reader);
  const columns = wordAt(reader) === "(" ? takeNames(reader) : [];
  while (peek(reader) !== undefined && wordAt(reader) !== "as") reader.at++;
  expect(reader, "as");
  return { kind: "view", ...own, columns, query: readQuery(reader) };
}

/** ALGORITHM = MERGE DEFINER = a@b SQL SECURITY DEFINER, before VIEW. */
function isViewWord(reader: Reader): boolean {
  const lexeme = peek(reader);
  if (lexeme === undefined) return false;
  const before = reader.lexemes.slice(0, reader.at + 14);
  return before.some((each) => each.kind === "word" && each.word === "view");
}

function createTable(reader: Reader): Definition {
  ifExists(reader);
  const { name: table, ...place } = takeQualified(reader);
  enter(reader, place.schema);
  const columns: ColumnDefinition[] = [];
  const constraints: ConstraintDefinition[] = [];
  const unread: Unreadable[] = [];
  const alike = (): Definition => {
    const like = takeTable(reader);
    return { kind: "create", table, ...place, columns, constraints, like, options: [], unread };
  };
  if (take(reader, "like")) return alike();
  if (wordAt(reader) === "(" && !/^(select|with)$/.test(wordAt(reader, 1))) {
    reader.at++;
    if (take(reader, "like")) return alike();
    do {
      const start = reader.at;
      try {
        member(reader, columns, constraints);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        unread.push(error);
        reader.at = start;
        skipMember(reader);
      }
    } while (take(reader, ","));
    expect(reader, ")");
  }
  const options = tableOptions(reader);
  const query = queryAfterOptions(reader);
  const parts = { table, ...place, columns, constraints, options, unread };
  const definition = { kind: "create", ...parts } as const;
  return query === undefined ? definition : { ...definition, query };
}

/** Foreign keys refer to their own database; in SQL Server to the standard schema. */
function enter(reader: Reader, schema: string | undefined): void {
  if (reader.dialect !== "sqlserver") reader.own = schema;
}

/** CREATE TABLE ... AS SELECT: the query after the table's options. */
function queryAfterOptions(reader: Reader): SyntaxQuery | undefined {
  while (peek(reader) !== undefined && !/^(select|with)$/.test(wordAt(reader))) {
    if (wordAt(reader) === "(" && !/^(select|with)$/.test(wordAt(reader, 1)))
      skipParentheses(reader);
    else reader.at++;
  }
  if (peek(reader) === undefined) return undefined;
  if (wordAt(reader) === "with" && !/^(as|\()$/.test(wordAt(reader, 2))) return undefined;
  return readQuery(reader);
}

/** Skips to the comma or parenthesis after a column or constraint. */
function skipMember(reader: Reader): void {
  while (peek(reader) !== undefined && wordAt(reader) !== "," && wordAt(reader) !== ")") {
    if (wordAt(reader) === "(") skipParentheses(reader);
    else reader.at++;
  }
}

function member(
  reader: Reader,
  columns: ColumnDefinition[],
  constraints: ConstraintDefinition[],
): void {
  const read = constraint(reader);
  if (read === "skipped") return;
  if (read !== undefined) constraints.push(read);
  else columns.push(column(reader));
  skipMember(reader);
}

/** A table constraint; `skipped` for an index of expressions or of another kind. Undefined at a column. */
function constraint(reader: Reader): ConstraintDefinition | "skipped" | undefined {
  let name: string | undefined;
  if (take(reader, "constraint") && !isConstraintWord(wordAt(reader)))
    name = takeName(reader, true);
  switch (wordAt(reader)) {
    case "primary":
      if (wordAt(reader, 1) !== "key") return undefined;
      reader.at += 2;
      toColumns(reader);
      return { kind: "primary", columns: takeNames(reader) };
    case "unique": {
      reader.at++;
      takeAny(reader, "index", "key");
      const start = reader.at;
      toColumns(reader);
      const own = reader.at > start ? reader.lexemes[start]?.word : undefined;
      const columns = takeNames(reader);
      const known = own === undefined || /^(clustered|nonclustered|using)$/.test(own) ? name : own;
      return { kind: "unique", columns, ...(known === undefined ? {} : { name: known }) };
    }
    case "foreign": {
      reader.at++;
      expect(reader, "key");
      toColumns(reader);
      const columns = takeNames(reader);
      return { ...reference(reader, columns), ...(name === undefined ? {} : { name }) };
    }
    case "check":
      reader.at++;
      return {
        kind: "check",
        condition: parenthesised(reader),
        ...(name === undefined ? {} : { name }),
      };
    case "index":
    case "key":
    case "fulltext":
    case "spatial":
    case "exclude":
    case "period": {
      if (!isIndex(reader)) return undefined;
      const index = plainIndex(reader);
      skipMember(reader);
      return index === undefined ? "skipped" : { kind: "index", ...index };
    }
    default:
      if (name !== undefined) throw unexpectedToken(reader);
      return undefined;
  }
}

function isConstraintWord(word: string): boolean {
  return /^(primary|unique|foreign|check)$/.test(word);
}

function parenthesised(reader: Reader): SyntaxExpression {
  take(reader, "not", "for", "replication");
  expect(reader, "(");
  const value = parseExpression(parsingOf(reader));
  expect(reader, ")");
  return value;
}

function reference(
  reader: Reader,
  columns: readonly string[],
): Extract<ConstraintDefinition, { readonly kind: "foreign" }> {
  expect(reader, "references");
  const target = takeQualified(reader);
  const table = reader.nameOf({ ...target, schema: target.schema ?? reader.own });
  const referenced = wordAt(reader) === "(" ? takeNames(reader) : [];
  let onDelete: "cascade" | "set" | "none" | undefined;
  let onUpdate: "cascade" | "set" | "none" | undefined;
  for (;;) {
    if (take(reader, "match")) reader.at++;
    else if (take(reader, "on", "delete")) onDelete = action(reader) ?? onDelete;
    else if (take(reader, "on", "update")) onUpdate = action(reader) ?? onUpdate;
    else break;
  }
  return {
    kind: "foreign",
    columns,
    table,
    referenced,
    ...(onDelete === undefined ? {} : { onDelete }),
    ...(onUpdate === undefined ? {} : { onUpdate }),
  };
}

function action(reader: Reader): "cascade" | "set" | "none" | undefined {
  if (take(reader, "cascade")) return "cascade";
  if (take(reader, "set")) {
    reader.at++;
    return "set";
  }
  if (take(reader, "no", "action")) return "none";
  take(reader, "restrict");
  return undefined;
}

type ColumnDraft = { -readonly [Key in keyof ColumnDefinition]: ColumnDefinition[Key] };

function column(reader: Reader): ColumnDefinition {
  const name = takeName(reader, true);
  const draft: ColumnDraft = {
    name,
    type: "",
    nullable: true,
    automatic: false,
    generated: false,
    constraints: [],
  };
  const next = peek(reader);
  const isType = next?.kind === "name" || (next?.kind === "word" && !ATTRIBUTES.has(next.word));
  if (isType) readType(reader, draft);
  // SQLite's columns need no type, and computed ones have none.
  else if (reader.dialect !== "sqlite" && wordAt(reader) !== "as") throw unexpectedToken(reader);
  // Irrelevant words are skipped; the next one may matter.
  while (peek(reader) !== undefined && wordAt(reader) !== "," && wordAt(reader) !== ")") {
    if (attribute(reader, draft)) continue;
    if (wordAt(reader) === "(") skipParentheses(reader);
    else reader.at++;
  }
  return draft;
}

const ATTRIBUTES = new Set(
  "not null default auto_increment autoincrement identity primary unique references check generated as collate constraint comment".split(
    " ",
  ),
);

function readType(reader: Reader, draft: ColumnDraft): void {
  let type = takeWord(reader);
  while (take(reader, ".")) type = takeWord(reader);
  draft.type = type;
  if (type === "serial") draft.automatic = true;
  const start = reader.at;
  if (wordAt(reader) === "(") skipParentheses(reader);
  const inside = reader.lexemes.slice(start, reader.at);
  draft.sizes = inside.flatMap((each) => (each.kind === "number" ? [Number(each.word)] : []));
  draft.labels = inside.flatMap((each) => (each.kind === "string" ? [each.word] : []));
  for (;;) {
    const word = takeAny(
      reader,
      "unsigned",
      "signed",
      "zerofill",
      "precision",
      "varying",
      "binary",
      "integer",
    );
    if (word === undefined) break;
    if (word === "unsigned") draft.unsigned = true;
    if (word === "binary") draft.collation = "bytes";
    if (wordAt(reader) === "(") skipParentheses(reader);
  }
}

/** One attribute of a column; false if there is none. */
function attribute(reader: Reader, draft: ColumnDraft): boolean {
  const add = (constraint: ConstraintDefinition): void => {
    draft.constraints = [...draft.constraints, constraint];
  };
  const columns = [draft.name];
  const word = wordAt(reader);
  switch (word) {
    case "not":
      reader.at++;
      if (take(reader, "null")) draft.nullable = false;
      return true;
    case "null":
      reader.at++;
      return true;
    case "default":
      reader.at++;
      draft.default = parseExpression(parsingOf(reader), 6);
      return true;
    case "auto_increment":
    case "autoincrement":
      reader.at++;
      draft.automatic = true;
      return true;
    case "identity":
      reader.at++;
      if (wordAt(reader) === "(") skipParentheses(reader);
      draft.automatic = true;
      return true;
    case "primary":
    case "key":
      reader.at++;
      take(reader, "key");
      takeAny(reader, "asc", "desc", "clustered", "nonclustered");
      add({ kind: "primary", columns });
      draft.nullable = false;
      // SQLite's row ids.
      if (reader.dialect === "sqlite" && draft.type === "integer") draft.automatic = true;
      return true;
    case "unique":
      reader.at++;
      takeAny(reader, "key", "clustered", "nonclustered");
      add({ kind: "unique", columns });
      return true;
    case "references":
      add(reference(reader, columns));
      return true;
    case "check":
      reader.at++;
      add({ kind: "check", condition: parenthesised(reader) });
      return true;
    case "constraint":
      reader.at++;
      if (!isConstraintWord(wordAt(reader)) && !ATTRIBUTES.has(wordAt(reader)))
        takeName(reader, true);
      return true;
    case "generated":
    case "as":
      reader.at++;
      take(reader, "always");
      take(reader, "as");
      draft.generated = true;
      if (wordAt(reader) === "(") draft.default = parenthesised(reader);
      return true;
    case "on":
      // ON UPDATE CURRENT_TIMESTAMP, ON CONFLICT IGNORE
      if (wordAt(reader, 1) === "update") draft.touched = true;
      reader.at += 3;
      if (wordAt(reader) === "(") skipParentheses(reader);
      return true;
    case "character":
    case "charset":
    case "collate":
      draft.collation = collationAfter(draft.collation, tableOption(reader)) ?? "letters";
      return true;
    case "comment":
    case "column_format":
    case "storage":
      reader.at += 2;
      return true;
    case "first":
      reader.at++;
      draft.place = { after: undefined };
      return true;
    case "after":
      reader.at++;
      draft.place = { after: takeName(reader, true) };
      return true;
    case "stored":
    case "virtual":
    case "persisted":
    case "invisible":
    case "visible":
    case "sparse":
    case "rowguidcol":
      reader.at++;
      return true;
    default:
      return false;
  }
}

function alter(reader: Reader): Definition {
  ifExists(reader);
  const changed = takeQualified(reader);
  const table = reader.nameOf(changed);
  enter(reader, changed.schema);
  if (take(reader, "with")) takeAny(reader, "check", "nocheck");
  const changes: TableChange[] = [];
  do {
    changes.push(...change(reader));
    skipMember(reader);
  } while (take(reader, ","));
  return { kind: "alter", table, changes };
}

function change(reader: Reader): readonly TableChange[] {
  switch (takeAny(reader, "add", "drop", "modify", "change", "rename", "alter")) {
    case "add":
      return added(reader);
    case "drop":
      return [dropped(reader)];
    case "modify":
      take(reader, "column");
      ifExists(reader);
      return [replacing(column(reader))];
    case "change": {
      take(reader, "column");
      ifExists(reader);
      const replaces = takeName(reader, true);
      return [{ kind: "column", column: column(reader), replaces }];
    }
    case "rename":
      return [renamed(reader)];
    case "alter":
      return [altered(reader)];
    default:
      return changedOptions(reader).map((option) => ({ kind: "option", option }));
  }
}

function replacing(definition: ColumnDefinition): TableChange {
  return { kind: "column", column: definition, replaces: definition.name };
}

function added(reader: Reader): readonly TableChange[] {
  take(reader, "column");
  ifExists(reader);
  if (wordAt(reader) === "(") {
    reader.at++;
    const columns: ColumnDefinition[] = [];
    const constraints: ConstraintDefinition[] = [];
    do member(reader, columns, constraints);
    while (take(reader, ","));
    expect(reader, ")");
    return [
      ...columns.map((each) => ({ kind: "column" as const, column: each })),
      ...constraints.map((each) => ({ kind: "constraint" as const, constraint: each })),
    ];
  }
  const read = constraint(reader);
  if (read === "skipped") return [];
  return [
    read === undefined
      ? { kind: "column", column: column(reader) }
      : { kind: "constraint", constraint: read },
  ];
}

function dropped(reader: Reader): TableChange {
  if (take(reader, "primary", "key")) return { kind: "drop primary key" };
  if (
    takeAny(reader, "index", "key", "constraint", "check") !== undefined ||
    take(reader, "foreign", "key")
  ) {
    ifExists(reader);
    return { kind: "drop key", name: takeName(reader, true) };
  }
  take(reader, "column");
  ifExists(reader);
  return { kind: "drop column", name: takeName(reader, true) };
}

function renamed(reader: Reader): TableChange {
  if (take(reader, "column")) {
    const from = takeName(reader, true);
    expect(reader, "to");
    return { kind: "rename column", from, to: takeName(reader, true) };
  }
  if (takeAny(reader, "index", "key") !== undefined) return { kind: "nothing" };
  takeAny(reader, "to", "as");
  return { kind: "rename", to: takeQualified(reader) };
}

/** ALTER COLUMN a SET DEFAULT 1, DROP DEFAULT; SQL Server's ALTER COLUMN a INT NOT NULL. */
function altered(reader: Reader): TableChange {
  if (!take(reader, "column") && wordAt(reader, 1) !== "set" && wordAt(reader, 1) !== "drop") {
    return { kind: "nothing" };
  }
  if (reader.dialect === "sqlserver") return replacing(column(reader));
  const name = takeName(reader, true);
  if (take(reader, "drop", "default")) return { kind: "default", column: name };
  if (!take(reader, "set", "default")) return { kind: "nothing" };
  return { kind: "default", column: name, value: parseExpression(parsingOf(reader)) };
}
