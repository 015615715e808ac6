// Row statements of MySQL, MariaDB, SQL Server and SQLite as syntax trees.
import { parseExpression, startsQuery, typeName, type Parsing } from "./parseExpression";
import {
  parsingOf,
  readLimit,
  readOrder,
  readOutputs,
  readQuery,
  readRelations,
  readRows,
  readWith,
} from "./parseQuery";
import {
  createReader,
  expect,
  isAlias,
  offsetAt,
  peek,
  skipParentheses,
  take,
  takeAny,
  takeName,
  takeNames,
  takeQualified,
  takeTable,
  takeTarget,
  unexpectedToken,
  Unreadable,
  wordAt,
  type Reader,
  type ReaderInput,
} from "./reader";
import type {
  SyntaxAssignment,
  SyntaxDelete,
  SyntaxExpression,
  SyntaxInsert,
  SyntaxOutput,
  SyntaxRelation,
  SyntaxStatement,
  SyntaxUpdate,
  SyntaxWith,
} from "./syntax";

export type ParseResult<Tree> =
  | { readonly ok: true; readonly tree: Tree; readonly losses: readonly string[] }
  /** `offset` is the position where the parser stopped. */
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Longer statements are lists of rows and the like, and not worth parsing. */
const LONGEST = 200_000;

/** The statement in a whole canonical text of up to `longest` characters. Never throws for bad input; linear in the text. */
export function parseStatement(
  input: ReaderInput,
  longest = LONGEST,
): ParseResult<SyntaxStatement> {
  return parseWhole(
    input,
    (reader) => {
      const tree = statement(reader);
      take(reader, ";");
      if (peek(reader) !== undefined) throw unexpectedToken(reader);
      return tree;
    },
    longest,
  );
}

/** The expression in a whole canonical text. */
export function parseValue(input: ReaderInput): ParseResult<SyntaxExpression> {
  return parseWhole(input, (reader) => {
    const tree = parseExpression(parsingOf(reader));
    if (peek(reader) !== undefined) throw unexpectedToken(reader);
    return tree;
  });
}

/** Runs a parser over a whole text; a syntax error becomes the result. */
export function parseWhole<Tree>(
  input: ReaderInput,
  read: (reader: Reader) => Tree,
  longest = LONGEST,
): ParseResult<Tree> {
  if (input.text.length > longest) return { ok: false, message: "too long", offset: 0 };
  const reader = createReader(input);
  try {
    const tree = read(reader);
    return { ok: true, tree, losses: reader.losses };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, message: error.message, offset: error.offset };
  }
}

function statement(reader: Reader): SyntaxStatement {
  if (take(reader, "explain")) {
    reader.at = reader.lexemes.length;
    return { kind: "nothing" };
  }
  if (take(reader, "do")) {
    const values: SyntaxExpression[] = [];
    do values.push(parseExpression(parsingOf(reader)));
    while (take(reader, ","));
    return { kind: "do", values };
  }
  const ctes = wordAt(reader) === "with" && !startsPlainQuery(reader) ? readWith(reader) : [];
  switch (wordAt(reader)) {
    case "insert":
    case "replace":
      return insert(reader, ctes);
    case "update":
      return update(reader, ctes);
    case "delete":
      return remove(reader, ctes);
    case "truncate":
      reader.at++;
      take(reader, "table");
      return { kind: "truncate", table: takeTable(reader) };
    case "set":
      return set(reader);
    case "declare":
      return declare(reader);
    case "call":
    case "exec":
    case "execute":
      return call(reader);
    default: {
      const query = readQuery(reader);
      return { kind: "select", query: { ...query, with: [...ctes, ...query.with] } };
    }
  }
}

/** True if the WITH clause belongs to a query: its lists end before SELECT. */
function startsPlainQuery(reader: Reader): boolean {
  const before = reader.at;
  const { losses } = reader;
  readWith(reader);
  const word = wordAt(reader);
  reader.at = before;
  reader.losses = losses;
  return word === "select" || word === "(";
}

function insert(reader: Reader, ctes: readonly SyntaxWith[]): SyntaxInsert {
  const parsing = parsingOf(reader);
  const isReplace = takeAny(reader, "insert", "replace") === "replace";
  let action: "error" | "nothing" | "replace" = isReplace ? "replace" : "error";
  for (;;) {
    if (take(reader, "ignore")) action = "nothing";
    else if (take(reader, "or")) action = orAction(reader);
    else if (takeAny(reader, "low_priority", "delayed", "high_priority") === undefined) break;
  }
  if (reader.dialect === "sqlserver" && take(reader, "top")) {
    parseExpression(parsing, 20);
    reader.losses.push("INSERT TOP");
  }
  take(reader, "into");
  const own = takeQualified(reader);
  const table = reader.nameOf(own);
  if (take(reader, "partition")) skipParentheses(reader);
  tableHint(reader);
  const alias =
    take(reader, "as") || (isAlias(reader) && wordAt(reader) !== "values")
      ? takeName(reader, true)
      : undefined;
  const draft: Inserted = {
    kind: "insert",
    with: ctes,
    table,
    ...(own.name !== table && { written: own.name }),
    ...(alias === undefined ? {} : { alias }),
    columns: [],
    losses: [],
  };
  if (take(reader, "set")) {
    const set = assignments(parsing);
    draft.columns = set.map((each) => each.path.at(-1) ?? "");
    draft.rows = [set.map((each) => each.value)];
  } else {
    if (wordAt(reader) === "(" && !startsQuery(reader)) draft.columns = takeNames(reader);
    const before = output(parsing);
    if (before !== undefined) draft.returning = before;
    source(parsing, draft);
  }
  conflicts(parsing, draft, action);
  if (take(reader, "returning")) draft.returning = readOutputs(parsing);
  return draft;
}

type Inserted = { -readonly [Key in keyof SyntaxInsert]: SyntaxInsert[Key] };

/** INSERT OR REPLACE, OR IGNORE of SQLite; the other words say what an error does. */
function orAction(reader: Reader): "error" | "nothing" | "replace" {
  const word = takeAny(reader, "replace", "ignore", "abort", "fail", "rollback");
  if (word === undefined) throw unexpectedToken(reader);
  if (word === "rollback" || word === "fail") reader.losses.push(`INSERT OR ${word.toUpperCase()}`);
  return word === "replace" ? "replace" : word === "ignore" ? "nothing" : "error";
}

function tableHint(reader: Reader): void {
  if (reader.dialect === "sqlserver" && wordAt(reader) === "with" && wordAt(reader, 1) === "(") {
    reader.at++;
    skipParentheses(reader);
  }
}

function source(parsing: Parsing, draft: Inserted): void {
  const { reader } = parsing;
  if (take(reader, "default", "values")) {
    draft.rows = [[]];
    draft.columns = [];
  } else if (takeAny(reader, "values", "value") !== undefined) {
    draft.rows = readRows(parsing);
  } else if (wordAt(reader) === "exec" || wordAt(reader) === "execute") {
    throw new Unreadable("the rows come from a procedure", offsetAt(reader));
  } else {
    draft.query = readQuery(reader);
  }
}

function conflicts(
  parsing: Parsing,
  draft: Inserted,
  action: "error" | "nothing" | "replace",
): void {
  const { reader } = parsing;
  if (action !== "error") draft.onConflict = { action, target: [], set: [] };
  const proposed = rowAlias(reader);
  if (take(reader, "on", "duplicate", "key", "update")) {
    const set = assignments(parsing);
    draft.onConflict = {
      action: "update",
      target: [],
      set,
      ...(proposed === undefined ? {} : { proposed }),
    };
    return;
  }
  while (take(reader, "on", "conflict")) {
    const target = wordAt(reader) === "(" ? takeNames(reader) : [];
    if (take(reader, "where")) {
      parseExpression(parsing);
      reader.losses.push("ON CONFLICT with a condition on its key");
    }
    expect(reader, "do");
    if (draft.onConflict?.action === "update") reader.losses.push("several ON CONFLICT clauses");
    if (take(reader, "nothing")) {
      draft.onConflict ??= { action: "nothing", target, set: [] };
      continue;
    }
    expect(reader, "update", "set");
    const set = assignments(parsing);
    const where = take(reader, "where") ? { where: parseExpression(parsing) } : {};
    draft.onConflict = { action: "update", target, set, ...where };
  }
}

/** `AS new` or `AS new(a, b)` after the rows. */
function rowAlias(
  reader: Reader,
): { readonly alias: string; readonly columns: readonly string[] } | undefined {
  if (!take(reader, "as")) return undefined;
  const alias = takeName(reader, true);
  return { alias, columns: wordAt(reader) === "(" ? takeNames(reader) : [] };
}

/** `a = 1, t.b = b + 1`; SQL Server also has `a += 1`, SQLite `(a, b) = (1, 2)`. */
function assignments(parsing: Parsing): readonly SyntaxAssignment[] {
  const { reader } = parsing;
  const found: SyntaxAssignment[] = [];
  do {
    if (wordAt(reader) === "(") {
      const names = takeNames(reader);
      expect(reader, "=");
      const value = parseExpression(parsing);
      if (value.kind !== "row" || value.values.length !== names.length) {
        throw new Unreadable("a row assigned from a query", offsetAt(reader));
      }
      value.values.forEach((each, at) => found.push({ path: [names[at] ?? ""], value: each }));
      continue;
    }
    found.push(assignment(parsing));
  } while (take(reader, ","));
  return found;
}

function assignment(parsing: Parsing): SyntaxAssignment {
  const { reader } = parsing;
  const variable = peek(reader);
  if (variable?.kind === "variable") {
    reader.at++;
    expect(reader, "=");
    const value = parseExpression(parsing);
    // UPDATE t SET @x = a = a + 1: the variable gets the column's new value.
    if (value.kind === "binary" && value.operator === "=" && value.left.kind === "name") {
      const kept: SyntaxExpression = {
        kind: "assign",
        variable: variable.word,
        value: value.right,
      };
      return { path: value.left.path, value: kept };
    }
    return { path: [variable.word], value };
  }
  const path = [takeName(reader, true)];
  while (take(reader, ".")) path.push(takeName(reader, true));
  const operator = takeAny(reader, "+", "-", "*", "/", "%");
  if (!take(reader, ":=")) expect(reader, "=");
  const value = parseExpression(parsing);
  if (operator === undefined) return { path, value };
  const left: SyntaxExpression = { kind: "name", path };
  return { path, value: { kind: "binary", operator, left, right: value } };
}

/** OUTPUT inserted.a, deleted.b of SQL Server. */
function output(parsing: Parsing): readonly SyntaxOutput[] | undefined {
  const { reader } = parsing;
  if (reader.dialect !== "sqlserver" || !take(reader, "output")) return undefined;
  const outputs = readOutputs(parsing);
  if (take(reader, "into")) {
    const target = peek(reader);
    if (target?.kind === "variable") reader.at++;
    else takeTable(reader);
    if (wordAt(reader) === "(") skipParentheses(reader);
    reader.losses.push("OUTPUT ... INTO");
  }
  return outputs;
}

type Updated = { -readonly [Key in keyof SyntaxUpdate]: SyntaxUpdate[Key] };

function update(reader: Reader, ctes: readonly SyntaxWith[]): SyntaxUpdate {
  const parsing = parsingOf(reader);
  expect(reader, "update");
  while (takeAny(reader, "low_priority", "ignore") !== undefined) continue;
  if (take(reader, "or")) orAction(reader);
  const draft: Updated = {
    kind: "update",
    with: ctes,
    tables: [],
    set: [],
    from: [],
    orderBy: [],
    losses: [],
  };
  if (reader.dialect === "sqlserver" && take(reader, "top"))
    draft.limit = parseExpression(parsing, 20);
  draft.tables = readRelations(parsing);
  expect(reader, "set");
  draft.set = assignments(parsing);
  const returned = output(parsing);
  if (take(reader, "from")) draft.from = readRelations(parsing);
  filter(parsing, draft);
  if (returned !== undefined) draft.returning = returned;
  return draft;
}

/** WHERE, ORDER BY, LIMIT and RETURNING of an UPDATE or DELETE. */
function filter(parsing: Parsing, draft: Updated | Deleted): void {
  const { reader } = parsing;
  if (take(reader, "where")) draft.where = parseExpression(parsing);
  if (take(reader, "order", "by")) draft.orderBy = readOrder(parsing);
  readLimit(parsing, draft);
  if (take(reader, "returning")) draft.returning = readOutputs(parsing);
  if (take(reader, "option")) skipParentheses(reader);
}

type Deleted = { -readonly [Key in keyof SyntaxDelete]: SyntaxDelete[Key] };

function remove(reader: Reader, ctes: readonly SyntaxWith[]): SyntaxDelete {
  const parsing = parsingOf(reader);
  expect(reader, "delete");
  while (takeAny(reader, "low_priority", "quick", "ignore") !== undefined) continue;
  const draft: Deleted = {
    kind: "delete",
    with: ctes,
    targets: [],
    from: [],
    orderBy: [],
    losses: [],
  };
  if (reader.dialect === "sqlserver" && take(reader, "top"))
    draft.limit = parseExpression(parsing, 20);
  if (take(reader, "from")) {
    const first = readRelations(parsing);
    const returned = output(parsing);
    if (take(reader, "using") || take(reader, "from")) {
      // DELETE FROM a, b USING ...; DELETE FROM a FROM ... of SQL Server.
      draft.targets = first.map(nameOf);
      draft.from = readRelations(parsing);
    } else {
      draft.targets = first.slice(0, 1).map(nameOf);
      draft.from = first;
    }
    filter(parsing, draft);
    if (returned !== undefined) draft.returning = returned;
    return draft;
  }
  // DELETE a, b FROM a JOIN b ...
  const targets: string[] = [];
  do {
    targets.push(takeTarget(reader));
    if (take(reader, ".")) expect(reader, "*");
  } while (take(reader, ","));
  const returned = output(parsing);
  draft.targets = targets;
  if (take(reader, "from")) draft.from = readRelations(parsing);
  else draft.from = targets.map(plainRelation);
  filter(parsing, draft);
  if (returned !== undefined) draft.returning = returned;
  return draft;
}

function nameOf({ alias, written, table = "" }: SyntaxRelation): string {
  return alias ?? written ?? table;
}

function plainRelation(table: string): SyntaxRelation {
  return { table, columns: [], join: "inner", natural: false, using: [], hints: [] };
}

/** SET @a = 1, @b := 2; other settings only concern the session. */
function set(reader: Reader): SyntaxStatement {
  const parsing = parsingOf(reader);
  expect(reader, "set");
  const found: { variable: string; value: SyntaxExpression }[] = [];
  do {
    const target = peek(reader);
    if (target?.kind !== "variable") {
      // A session setting, or a local variable of a routine.
      const path = target?.kind === "system" ? undefined : setting(reader);
      if (target?.kind === "system") reader.at++;
      if (!take(reader, "=") && !take(reader, ":=")) return { kind: "nothing" };
      const value = parseExpression(parsing);
      if (path !== undefined) found.push({ variable: path, value });
      continue;
    }
    reader.at++;
    const operator = takeAny(reader, "+", "-", "*", "/", "%");
    if (!take(reader, ":=")) expect(reader, "=");
    const right = parseExpression(parsing);
    const left: SyntaxExpression = { kind: "variable", name: target.word };
    const value: SyntaxExpression =
      operator === undefined ? right : { kind: "binary", operator, left, right };
    found.push({ variable: target.word, value });
  } while (take(reader, ","));
  return found.length === 0 ? { kind: "nothing" } : { kind: "set", assignments: found };
}

/** The name before `=`; undefined for a session setting. */
function setting(reader: Reader): string | undefined {
  const scope = takeAny(reader, "session", "global", "local", "persist", "names", "character");
  if (scope !== undefined || peek(reader)?.kind === "symbol") {
    reader.at = reader.lexemes.length;
    return undefined;
  }
  const name = takeName(reader, true);
  return wordAt(reader) === "=" || wordAt(reader) === ":=" ? name : undefined;
}

/** DECLARE @a INT = 1, @b DECIMAL(10, 2); */
function declare(reader: Reader): SyntaxStatement {
  const parsing = parsingOf(reader);
  expect(reader, "declare");
  const found: { variable: string; value: SyntaxExpression }[] = [];
  do {
    const target = peek(reader);
    if (target?.kind !== "variable") throw unexpectedToken(reader);
    reader.at++;
    take(reader, "as");
    if (wordAt(reader) === "table") {
      reader.at++;
      skipParentheses(reader);
      reader.losses.push("a table variable");
      continue;
    }
    typeName(reader);
    if (take(reader, "=")) found.push({ variable: target.word, value: parseExpression(parsing) });
  } while (take(reader, ","));
  return found.length === 0 ? { kind: "nothing" } : { kind: "set", assignments: found };
}

function call(reader: Reader): SyntaxStatement {
  const parsing = parsingOf(reader);
  const isCall = takeAny(reader, "call", "exec", "execute") === "call";
  const name = takeQualified(reader).name.toLowerCase();
  const values: SyntaxExpression[] = [];
  const inParentheses = isCall && take(reader, "(");
  const ended = (): boolean => (inParentheses ? take(reader, ")") : peek(reader) === undefined);
  if (!ended()) {
    do {
      const variable = peek(reader);
      if (!isCall && variable?.kind === "variable" && wordAt(reader, 1) === "=") reader.at += 2;
      values.push(parseExpression(parsing));
      takeAny(reader, "output", "out");
    } while (take(reader, ","));
    if (inParentheses) expect(reader, ")");
  }
  return { kind: "call", name, arguments: values };
}
