// SELECT of MySQL, MariaDB, SQL Server and SQLite: relations, clauses, locks, INTO, set operations.
import { parseExpression, startsQuery, type Parsing } from "./parseExpression";
import { readWindow } from "./parseWindow";
import {
  expect,
  offsetAt,
  isAlias,
  peek,
  skipParentheses,
  take,
  takeAny,
  takeName,
  takeWord,
  writtenName,
  takeNames,
  takeQualified,
  takeTable,
  takeTarget,
  unexpectedToken,
  Unreadable,
  wordAt,
  type Reader,
} from "./reader";
import type {
  SyntaxExpression,
  SyntaxLock,
  SyntaxOrder,
  SyntaxOutput,
  SyntaxQuery,
  SyntaxRelation,
  SyntaxWith,
  SyntaxWindow,
} from "./syntax";

type Draft = { -readonly [Key in keyof SyntaxQuery]: SyntaxQuery[Key] };

/** Nesting limit of queries, against stack overflow. */
const DEEPEST = 60;

/** The query at the reader, with its set operations, order, limit and locks. */
export function readQuery(reader: Reader): SyntaxQuery {
  reader.depth += 4;
  if (reader.depth > 4 * DEEPEST) throw new Unreadable("nested too deeply", reader.text.length);
  const parsing = parsingOf(reader);
  const ctes = wordAt(reader) === "with" ? readWith(reader) : [];
  const query: Draft = { ...operand(parsing) };
  const setOperations = [...query.setOperations];
  for (;;) {
    const word = takeAny(reader, "union", "intersect", "except", "minus");
    if (word === undefined) break;
    if (setOperations.length === 0 && (query.limit ?? query.offset) !== undefined) {
      reader.losses.push("LIMIT in a part of a UNION");
    }
    const all = take(reader, "all");
    if (!all) take(reader, "distinct");
    const operator = SET_OPERATORS[word];
    if (all && operator !== "union") reader.losses.push(`${word.toUpperCase()} ALL`);
    const known = all && operator === "union" ? "union all" : operator;
    setOperations.push({ operator: known, query: operand(parsing) });
  }
  query.setOperations = setOperations;
  tail(parsing, query);
  reader.depth -= 4;
  return { ...query, with: [...ctes, ...query.with] };
}

/** The parsing context of expressions. */
export function parsingOf(reader: Reader): Parsing {
  return { reader, readQuery };
}

const SET_OPERATORS = {
  union: "union",
  intersect: "intersect",
  except: "except",
  minus: "except",
} as const;

/** One SELECT, a list of rows, or a query in parentheses. */
function operand(parsing: Parsing): SyntaxQuery {
  const { reader } = parsing;
  if (wordAt(reader) === "(") {
    reader.at++;
    const query = readQuery(reader);
    expect(reader, ")");
    return query;
  }
  if (take(reader, "values")) return { ...EMPTY, rows: readRows(parsing) };
  if (take(reader, "table")) {
    const table = relation(takeTable(reader));
    const star: SyntaxOutput = { value: { kind: "star", path: [] }, text: "*" };
    return { ...EMPTY, outputs: [star], from: [table] };
  }
  expect(reader, "select");
  return select(parsing);
}

const EMPTY: SyntaxQuery = {
  with: [],
  distinct: false,
  outputs: [],
  from: [],
  groupBy: [],
  orderBy: [],
  into: [],
  setOperations: [],
  losses: [],
};

function relation(table: string): SyntaxRelation {
  return { table, columns: [], join: "inner", natural: false, using: [], hints: [] };
}

const MODIFIERS = [
  "all",
  "distinctrow",
  "high_priority",
  "straight_join",
  "sql_small_result",
  "sql_big_result",
  "sql_buffer_result",
  "sql_cache",
  "sql_no_cache",
  "sql_calc_found_rows",
];

/** The part of a query that readers of applications do not follow. */
export const ROLLUP = "WITH ROLLUP";

function select(parsing: Parsing): SyntaxQuery {
  const { reader } = parsing;
  const query: Draft = { ...EMPTY };
  for (;;) {
    if (take(reader, "distinct")) query.distinct = true;
    else if (takeAny(reader, ...MODIFIERS) === undefined) break;
  }
  if (reader.dialect === "sqlserver" && take(reader, "top")) query.limit = top(parsing);
  query.outputs = readOutputs(parsing);
  readInto(reader, query);
  if (take(reader, "from")) query.from = readRelations(parsing);
  if (take(reader, "where")) query.where = parseExpression(parsing);
  if (take(reader, "group", "by")) {
    query.groupBy = listOf(parsing);
    if (take(reader, "with", "rollup")) {
      query.rollup = true;
      reader.losses.push(ROLLUP);
    }
  }
  if (take(reader, "having")) query.having = parseExpression(parsing);
  if (take(reader, "window")) {
    const windows = new Map<string, SyntaxWindow>();
    do {
      const name = takeName(reader);
      expect(reader, "as");
      windows.set(
        name,
        readWindow(reader, () => parseExpression(parsing)),
      );
    } while (take(reader, ","));
    query.windows = windows;
  }
  return query;
}

/** TOP 5, TOP (@n), TOP (1) WITH TIES. */
function top(parsing: Parsing): SyntaxExpression {
  const { reader } = parsing;
  const value = parseExpression(parsing, 20);
  if (take(reader, "percent")) reader.losses.push("TOP ... PERCENT");
  if (take(reader, "with", "ties")) reader.losses.push("TOP ... WITH TIES");
  return value;
}

function listOf(parsing: Parsing): readonly SyntaxExpression[] {
  const values: SyntaxExpression[] = [];
  do {
    values.push(parseExpression(parsing));
    takeAny(parsing.reader, "asc", "desc");
  } while (take(parsing.reader, ","));
  return values;
}

/** ORDER BY, LIMIT, OFFSET, FETCH, locks and INTO, in any dialect's order. */
function tail(parsing: Parsing, query: Draft): void {
  const { reader } = parsing;
  for (let at = -1; at !== reader.at;) {
    at = reader.at;
    if (take(reader, "order", "by")) query.orderBy = readOrder(parsing);
    readLimit(parsing, query);
    readInto(reader, query);
    readLock(reader, query);
    if (take(reader, "option")) skipParentheses(reader);
    if (take(reader, "procedure", "analyse")) skipParentheses(reader);
  }
}

export function readOrder(parsing: Parsing): readonly SyntaxOrder[] {
  const { reader } = parsing;
  const order: SyntaxOrder[] = [];
  do {
    const value = parseExpression(parsing);
    const descending = takeAny(reader, "asc", "desc") === "desc";
    if (take(reader, "nulls")) takeAny(reader, "first", "last");
    order.push({ value, descending });
  } while (take(reader, ","));
  return order;
}

interface Limited {
  limit?: SyntaxExpression;
  offset?: SyntaxExpression;
}

/** LIMIT n, LIMIT m, n, LIMIT n OFFSET m, OFFSET m ROWS FETCH NEXT n ROWS ONLY. */
export function readLimit(parsing: Parsing, query: Limited): void {
  const { reader } = parsing;
  if (take(reader, "limit")) {
    const first = parseExpression(parsing);
    if (take(reader, ",")) {
      query.offset = first;
      query.limit = parseExpression(parsing);
    } else {
      query.limit = first;
    }
  }
  if (take(reader, "offset")) {
    query.offset = parseExpression(parsing);
    takeAny(reader, "row", "rows");
  }
  if (wordAt(reader) === "fetch" && /^(first|next)$/.test(wordAt(reader, 1))) {
    reader.at += 2;
    query.limit = /^rows?$/.test(wordAt(reader))
      ? { kind: "literal", value: 1 }
      : parseExpression(parsing);
    takeAny(reader, "row", "rows");
    takeAny(reader, "only");
  }
}

/** INTO @a, b; INTO OUTFILE '...'. INTO a new table is another kind of statement. */
function readInto(reader: Reader, query: Draft): void {
  if (wordAt(reader) !== "into") return;
  if (reader.dialect === "sqlserver" || reader.dialect === "sqlite") return;
  reader.at++;
  if (takeAny(reader, "outfile", "dumpfile") !== undefined) {
    reader.at++;
    reader.losses.push("a result that goes to a file");
    return;
  }
  const names: string[] = [];
  do {
    const variable = peek(reader);
    if (variable?.kind === "variable") {
      reader.at++;
      names.push(variable.word);
    } else {
      names.push(takeWord(reader));
    }
  } while (take(reader, ","));
  query.into = names;
}

function readLock(reader: Reader, query: Draft): void {
  if (take(reader, "lock", "in", "share", "mode")) {
    query.lock = stronger(query.lock, { strength: "share", of: [], wait: wait(reader) });
    return;
  }
  if (wordAt(reader) !== "for") return;
  const strength = wordAt(reader, 1);
  if (strength !== "update" && strength !== "share") return;
  reader.at += 2;
  const of: string[] = [];
  if (take(reader, "of")) {
    do of.push(takeTarget(reader));
    while (take(reader, ","));
  }
  query.lock = stronger(query.lock, { strength, of, wait: wait(reader) });
}

function wait(reader: Reader): SyntaxLock["wait"] {
  if (take(reader, "nowait")) return "nowait";
  if (take(reader, "skip", "locked")) return "skip-locked";
  if (take(reader, "wait")) reader.at++;
  return "block";
}

function stronger(before: SyntaxLock | undefined, added: SyntaxLock): SyntaxLock {
  if (before === undefined) return added;
  const strength = before.strength === "update" ? "update" : added.strength;
  const all = before.of.length === 0 || added.of.length === 0;
  return { strength, of: all ? [] : [...before.of, ...added.of], wait: added.wait };
}

/** A select list, or the list of RETURNING. */
export function readOutputs(parsing: Parsing): readonly SyntaxOutput[] {
  const { reader } = parsing;
  const outputs: SyntaxOutput[] = [];
  do {
    const start = offsetAt(reader);
    const value = selected(parsing);
    const end = reader.lexemes[reader.at - 1]?.end ?? start;
    const text = reader.text.slice(start, end);
    const alias = readAlias(reader, true);
    const last = reader.lexemes[reader.at - 1];
    const isNamed = last?.kind === "name" || last?.kind === "word" || last?.kind === "string";
    outputs.push({
      value,
      text,
      ...(alias !== undefined && { alias }),
      ...(isNamed &&
        (alias !== undefined || value.kind === "name") && {
          label: writtenName(reader.text, last),
        }),
    });
  } while (take(reader, ","));
  return outputs;
}

/** `@x = value` of SQL Server is an assignment; everything else is an expression. */
function selected(parsing: Parsing): SyntaxExpression {
  const { reader } = parsing;
  const variable = peek(reader);
  const compound = reader.dialect === "sqlserver" && variable?.kind === "variable";
  if (!compound) return parseExpression(parsing);
  if (wordAt(reader, 1) === "=") {
    reader.at += 2;
    return { kind: "assign", variable: variable.word, value: parseExpression(parsing) };
  }
  const operator = wordAt(reader, 1);
  if (/^[-+*/%]$/.test(operator) && wordAt(reader, 2) === "=") {
    reader.at += 3;
    const left: SyntaxExpression = { kind: "variable", name: variable.word };
    const value: SyntaxExpression = {
      kind: "binary",
      operator,
      left,
      right: parseExpression(parsing),
    };
    return { kind: "assign", variable: variable.word, value };
  }
  return parseExpression(parsing);
}

function readAlias(reader: Reader, allowsText = false): string | undefined {
  const isText = (): boolean => allowsText && peek(reader)?.kind === "string";
  if (!take(reader, "as") && !isAlias(reader) && !isText()) return undefined;
  if (isText()) {
    const text = peek(reader)?.word ?? "";
    reader.at++;
    return reader.spelling(text);
  }
  return takeName(reader, true);
}

const JOINS = new Set([
  "join",
  "inner",
  "left",
  "right",
  "full",
  "cross",
  "natural",
  "straight_join",
]);

/** The relations of FROM (or after UPDATE): a list with joins. */
export function readRelations(parsing: Parsing): readonly SyntaxRelation[] {
  const { reader } = parsing;
  const relations: SyntaxRelation[] = [];
  do relations.push(...joined(parsing));
  while (take(reader, ","));
  checkNames(reader, relations);
  return relations;
}

/** Tables of one name in several databases, without aliases, are not told apart in expressions. */
function checkNames(reader: Reader, relations: readonly SyntaxRelation[]): void {
  const tables = new Map<string, string>();
  for (const { alias, written, table } of relations) {
    const name = alias ?? written ?? table;
    if (name === undefined || table === undefined) continue;
    const other = tables.get(name) ?? table;
    if (other !== table)
      throw new Unreadable(`${other} and ${table} without aliases`, offsetAt(reader));
    tables.set(name, table);
  }
}

function joined(parsing: Parsing): readonly SyntaxRelation[] {
  const { reader } = parsing;
  const relations = [...single(parsing)];
  while (JOINS.has(wordAt(reader)) || /^(cross|outer)$/.test(wordAt(reader))) {
    if (
      wordAt(reader, 1) === "apply" ||
      (wordAt(reader) === "outer" && wordAt(reader, 1) === "apply")
    ) {
      reader.losses.push("APPLY");
      reader.at += 2;
      relations.push(...single(parsing));
      continue;
    }
    const natural = take(reader, "natural");
    const kind = takeAny(reader, "inner", "left", "right", "full", "cross");
    take(reader, "outer");
    if (take(reader, "straight_join") || take(reader, "join")) {
      const join = kind === undefined ? "inner" : (JOIN_KINDS[kind] ?? "inner");
      const [first, ...rest] = single(parsing);
      if (first === undefined) throw unexpectedToken(reader);
      relations.push(condition(parsing, { ...first, join, natural }), ...rest);
    } else {
      throw unexpectedToken(reader);
    }
  }
  return relations;
}

const JOIN_KINDS: Readonly<Record<string, SyntaxRelation["join"] | undefined>> = {
  inner: "inner",
  left: "left",
  right: "right",
  full: "full",
  cross: "cross",
};

function condition(parsing: Parsing, of: SyntaxRelation): SyntaxRelation {
  const { reader } = parsing;
  if (take(reader, "on")) return { ...of, on: parseExpression(parsing) };
  if (take(reader, "using")) return { ...of, using: takeNames(reader) };
  return of;
}

function single(parsing: Parsing): readonly SyntaxRelation[] {
  const { reader } = parsing;
  take(reader, "lateral");
  if (wordAt(reader) === "(") {
    if (startsQuery(reader)) {
      reader.at++;
      const query = readQuery(reader);
      expect(reader, ")");
      return [withAlias(reader, { ...relation(""), query })];
    }
    reader.at++;
    const inner = readRelations(parsing);
    expect(reader, ")");
    return inner;
  }
  const first = wordAt(reader, 1) === "." ? peek(reader)?.word.toLowerCase() : undefined;
  const own = takeQualified(reader);
  const table = reader.nameOf(own);
  if (wordAt(reader) === "(") {
    skipParentheses(reader);
    return [withAlias(reader, { ...relation(""), unknown: `${own.name}()` })];
  }
  if (take(reader, "partition")) {
    skipParentheses(reader);
    reader.losses.push("PARTITION");
  }
  if (wordAt(reader) === "for" && wordAt(reader, 1).startsWith("system_time"))
    throw unexpectedToken(reader);
  const place = {
    ...(first !== undefined && { schema: first }),
    ...(own.name !== table && { written: own.name }),
  };
  const named = withAlias(reader, { ...relation(""), table, ...place });
  indexHints(reader);
  return [{ ...named, hints: [...named.hints, ...tableHints(reader)] }];
}

function withAlias(reader: Reader, of: SyntaxRelation): SyntaxRelation {
  const hints = tableHints(reader);
  const { table, ...rest } = of;
  const named = table === undefined || table === "" ? rest : { ...rest, table };
  const alias = readAlias(reader);
  if (alias === undefined) return { ...named, hints };
  const columns = of.query !== undefined && wordAt(reader) === "(" ? takeNames(reader) : [];
  return { ...named, alias, columns, hints };
}

/** USE INDEX (...), FORCE INDEX FOR JOIN (...). */
function indexHints(reader: Reader): void {
  while (/^(use|force|ignore)$/.test(wordAt(reader)) && /^(index|key)$/.test(wordAt(reader, 1))) {
    reader.at += 2;
    if (take(reader, "for")) {
      if (!take(reader, "join")) reader.at += 2;
    }
    skipParentheses(reader);
    take(reader, ",");
  }
}

/** WITH (UPDLOCK, HOLDLOCK) */
function tableHints(reader: Reader): readonly string[] {
  if (reader.dialect !== "sqlserver") return [];
  if (wordAt(reader) !== "with" || wordAt(reader, 1) !== "(") return [];
  reader.at++;
  const start = reader.at;
  skipParentheses(reader);
  return reader.lexemes
    .slice(start, reader.at)
    .filter((lexeme) => lexeme.kind === "word")
    .map((lexeme) => lexeme.word);
}

/** WITH a AS (...), b (x, y) AS (...) */
export function readWith(reader: Reader): readonly SyntaxWith[] {
  expect(reader, "with");
  const recursive = take(reader, "recursive");
  const found: SyntaxWith[] = [];
  do {
    const name = takeName(reader);
    const columns = wordAt(reader) === "(" ? takeNames(reader) : [];
    expect(reader, "as");
    take(reader, "not");
    take(reader, "materialized");
    expect(reader, "(");
    const query = readQuery(reader);
    expect(reader, ")");
    found.push({ name, columns, query, recursive });
  } while (take(reader, ","));
  return found;
}

/** `(1, 2), (3, 4)`, each optionally after ROW. */
export function readRows(parsing: Parsing): readonly (readonly SyntaxExpression[])[] {
  const { reader } = parsing;
  const rows: (readonly SyntaxExpression[])[] = [];
  do {
    take(reader, "row");
    expect(reader, "(");
    const row: SyntaxExpression[] = [];
    if (!take(reader, ")")) {
      do row.push(parseExpression(parsing));
      while (take(reader, ","));
      expect(reader, ")");
    }
    rows.push(row);
  } while (take(reader, ","));
  return rows;
}
