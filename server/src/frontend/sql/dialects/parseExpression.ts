// Expressions of MySQL, MariaDB, SQL Server and SQLite, by precedence climbing.
import { dictionary } from "../../../protocol/dictionary";
import {
  expect,
  peek,
  skipArguments,
  skipParentheses,
  take,
  takeAny,
  takeName,
  takeWord,
  unexpectedToken,
  Unreadable,
  wordAt,
  type Reader,
} from "./reader";
import { orderAndMark, type Concatenation } from "./concatenation";
import { readWindow } from "./parseWindow";
import type { SyntaxExpression, SyntaxQuery, SyntaxWindow } from "./syntax";

/** Reads a query: injected because expressions and queries contain each other. */
export type ReadQuery = (reader: Reader) => SyntaxQuery;

export interface Parsing {
  readonly reader: Reader;
  readonly readQuery: ReadQuery;
}

/** Nesting limit, against stack overflow here and later. */
const DEEPEST = 250;

/** A chain of operators is a tree as deep as it is long. */
const LONGEST_CHAIN = 2000;

const POWERS = dictionary<number>({
  or: 1,
  "||": 1,
  xor: 2,
  and: 3,
  "&&": 3,
  "=": 5,
  "==": 5,
  "<=>": 5,
  "<>": 5,
  "!=": 5,
  "<": 5,
  "<=": 5,
  ">": 5,
  ">=": 5,
  "!<": 5,
  "!>": 5,
  is: 5,
  isnull: 5,
  notnull: 5,
  like: 5,
  glob: 5,
  match: 5,
  regexp: 5,
  rlike: 5,
  in: 5,
  between: 5,
  not: 5,
  sounds: 5,
  member: 5,
  "|": 6,
  "&": 7,
  "<<": 8,
  ">>": 8,
  "+": 9,
  "-": 9,
  "*": 10,
  "/": 10,
  "%": 10,
  div: 10,
  mod: 10,
  "^": 11,
  collate: 12,
  "->": 13,
  "->>": 13,
});

/** The expression at the reader. */
export function parseExpression(parsing: Parsing, least = 0): SyntaxExpression {
  const { reader } = parsing;
  if (++reader.depth > DEEPEST) throw new Unreadable("nested too deeply", reader.text.length);
  let left = prefix(parsing);
  for (let length = 0; ; length++) {
    if (length > LONGEST_CHAIN) throw new Unreadable("an expression of this length", 0);
    const operator = wordAt(reader);
    const power = powerOf(reader, operator);
    if (power === undefined || power < least) break;
    reader.at++;
    left = infix(parsing, left, operator, power);
  }
  reader.depth--;
  return left;
}

function powerOf(reader: Reader, operator: string): number | undefined {
  if (peek(reader)?.kind === "symbol" && operator === "||" && concatenates(reader)) return 9.5;
  return Object.hasOwn(POWERS, operator) ? POWERS[operator] : undefined;
}

/** `||` is OR in MySQL and concatenation elsewhere. */
function concatenates({ dialect }: Reader): boolean {
  return dialect !== "mysql" && dialect !== "mariadb";
}

function infix(
  parsing: Parsing,
  left: SyntaxExpression,
  operator: string,
  power: number,
): SyntaxExpression {
  const { reader } = parsing;
  switch (operator) {
    case "is":
      return isTest(parsing, left);
    case "isnull":
      return { kind: "is", operand: left, what: "null" };
    case "notnull":
      return not({ kind: "is", operand: left, what: "null" });
    case "not": {
      const negated = takeAny(
        reader,
        "in",
        "like",
        "between",
        "regexp",
        "rlike",
        "glob",
        "match",
        "null",
      );
      if (negated === undefined) throw unexpectedToken(reader);
      if (negated === "null") return not({ kind: "is", operand: left, what: "null" });
      return not(predicate(parsing, left, negated));
    }
    case "in":
    case "like":
    case "between":
    case "regexp":
    case "rlike":
    case "glob":
    case "match":
      return predicate(parsing, left, operator);
    case "sounds":
      expect(reader, "like");
      return other("SOUNDS LIKE", left, parseExpression(parsing, 6));
    case "member":
      take(reader, "of");
      return other("MEMBER OF", left, parseExpression(parsing, 6));
    case "collate":
      takeName(reader, true);
      reader.losses.push("COLLATE");
      return left;
    default:
      return comparison(parsing, left, operator, power);
  }
}

function not(operand: SyntaxExpression): SyntaxExpression {
  return { kind: "unary", operator: "not", operand };
}

function other(what: string, ...parts: readonly SyntaxExpression[]): SyntaxExpression {
  return { kind: "other", what, parts };
}

function comparison(
  parsing: Parsing,
  left: SyntaxExpression,
  operator: string,
  power: number,
): SyntaxExpression {
  const { reader } = parsing;
  if (power === 5) {
    const quantifier =
      wordAt(reader, 1) === "(" ? takeAny(reader, "any", "some", "all") : undefined;
    if (quantifier !== undefined) {
      expect(reader, "(");
      const query = parsing.readQuery(reader);
      expect(reader, ")");
      return { kind: "quantified", operator, all: quantifier === "all", left, query };
    }
  }
  const right = parseExpression(parsing, power + 0.1);
  return { kind: "binary", operator: SPELLINGS[operator] ?? operator, left, right };
}

const SPELLINGS = dictionary<string>({
  "&&": "and",
  "!=": "<>",
  "==": "=",
  "!<": ">=",
  "!>": "<=",
  mod: "%",
});

function isTest(parsing: Parsing, operand: SyntaxExpression): SyntaxExpression {
  const { reader } = parsing;
  const negated = take(reader, "not");
  const word = takeAny(reader, "null", "true", "false", "unknown");
  let test: SyntaxExpression;
  if (word === "true" || word === "false") test = { kind: "is", operand, what: word };
  else if (word !== undefined) test = { kind: "is", operand, what: "null" };
  else {
    // IS [NOT] [DISTINCT FROM] of SQLite and SQL Server compares with NULL equal to NULL.
    const distinct = take(reader, "distinct", "from");
    const same: SyntaxExpression = {
      kind: "binary",
      operator: "<=>",
      left: operand,
      right: parseExpression(parsing, 6),
    };
    return negated === distinct ? same : not(same);
  }
  return negated ? not(test) : test;
}

function predicate(parsing: Parsing, operand: SyntaxExpression, word: string): SyntaxExpression {
  const { reader } = parsing;
  switch (word) {
    case "in": {
      if (wordAt(reader) !== "(") return other("IN", operand, parseExpression(parsing, 6));
      expect(reader, "(");
      if (startsQuery(reader)) {
        const values = parsing.readQuery(reader);
        expect(reader, ")");
        return { kind: "in", operand, values };
      }
      const values = take(reader, ")") ? [] : listUntilClose(parsing);
      return { kind: "in", operand, values };
    }
    case "between": {
      const low = parseExpression(parsing, 6);
      expect(reader, "and");
      return { kind: "between", operand, low, high: parseExpression(parsing, 6) };
    }
    case "like": {
      const pattern = parseExpression(parsing, 6);
      if (take(reader, "escape"))
        return other("LIKE ... ESCAPE", operand, pattern, parseExpression(parsing, 6));
      return { kind: "like", operand, pattern };
    }
    default:
      return other(word.toUpperCase(), operand, parseExpression(parsing, 6));
  }
}

/** `a, b)` */
function listUntilClose(parsing: Parsing): readonly SyntaxExpression[] {
  const values: SyntaxExpression[] = [];
  do values.push(parseExpression(parsing));
  while (take(parsing.reader, ","));
  expect(parsing.reader, ")");
  return values;
}

/** True if a query follows, in any number of parentheses. */
export function startsQuery(reader: Reader): boolean {
  let ahead = 0;
  while (wordAt(reader, ahead) === "(") ahead++;
  const word = wordAt(reader, ahead);
  if (word === "values") return wordAt(reader, ahead + 1) === "row";
  return word === "select" || word === "with";
}

function prefix(parsing: Parsing): SyntaxExpression {
  const { reader } = parsing;
  const lexeme = peek(reader);
  if (lexeme === undefined) throw unexpectedToken(reader);
  switch (lexeme.kind) {
    case "number":
      reader.at++;
      return { kind: "literal", value: Number(lexeme.word), text: lexeme.word };
    case "string":
      reader.at++;
      return { kind: "literal", value: strings(reader, lexeme.word), isBytes: lexeme.isBytes };
    case "placeholder":
      reader.at++;
      return { kind: "placeholder", number: Number(lexeme.word.slice(1)) };
    case "variable":
      reader.at++;
      if (take(reader, ":=")) {
        return { kind: "assign", variable: lexeme.word, value: parseExpression(parsing) };
      }
      return { kind: "variable", name: lexeme.word };
    case "system":
      reader.at++;
      return { kind: "system", name: lexeme.word.slice(2) };
    case "symbol":
      return symbol(parsing, lexeme.word);
    case "name":
      return path(parsing);
    case "word":
      return word(parsing, lexeme.word);
    default:
      return lexeme.kind satisfies never;
  }
}

/** Adjacent strings are concatenated. */
function strings(reader: Reader, first: string): string {
  let text = first;
  for (let next = peek(reader); next?.kind === "string"; next = peek(reader)) {
    text += next.word;
    reader.at++;
  }
  return text;
}

function symbol(parsing: Parsing, operator: string): SyntaxExpression {
  const { reader } = parsing;
  switch (operator) {
    case "(": {
      reader.at++;
      if (startsQuery(reader)) {
        const query = parsing.readQuery(reader);
        expect(reader, ")");
        return { kind: "query", query };
      }
      const values = listUntilClose(parsing);
      const [only] = values;
      return only !== undefined && values.length === 1 ? only : { kind: "row", values };
    }
    case "-":
    case "+":
    case "~":
    case "!":
      reader.at++;
      return {
        kind: "unary",
        operator: operator === "!" ? "not" : operator,
        operand: parseExpression(parsing, 11.5),
      };
    case "*":
      reader.at++;
      return { kind: "star", path: [] };
    default:
      throw unexpectedToken(reader);
  }
}

function word(parsing: Parsing, first: string): SyntaxExpression {
  const { reader } = parsing;
  const next = wordAt(reader, 1);
  switch (first) {
    case "null":
      reader.at++;
      return { kind: "literal", value: null };
    case "true":
    case "false":
      reader.at++;
      return { kind: "literal", value: first === "true" };
    case "not":
      reader.at++;
      return not(parseExpression(parsing, 4));
    case "exists": {
      reader.at++;
      expect(reader, "(");
      const query = parsing.readQuery(reader);
      expect(reader, ")");
      return { kind: "exists", query };
    }
    case "case":
      reader.at++;
      return caseOf(parsing);
    case "binary":
      if (next === "(" || peek(reader, 1) === undefined) break;
      reader.at++;
      return {
        kind: "cast",
        operand: parseExpression(parsing, 11.5),
        type: "binary",
        rounds: false,
      };
    case "interval": {
      if (next === ",") break;
      reader.at++;
      const amount = parseExpression(parsing);
      const unit = takeWord(reader);
      return { kind: "interval", amount, unit };
    }
    case "date":
    case "time":
    case "timestamp": {
      const value = peek(reader, 1);
      if (value?.kind !== "string") break;
      reader.at += 2;
      return { kind: "time", value: value.word };
    }
    case "default":
      if (next === "(") break;
      reader.at++;
      return { kind: "default" };
    case "row":
      if (next !== "(") break;
      reader.at += 2;
      return { kind: "row", values: listUntilClose(parsing) };
    case "values":
    case "value": {
      if (next !== "(") break;
      reader.at += 2;
      const names = path(parsing);
      expect(reader, ")");
      return { kind: "proposed", column: names.kind === "name" ? (names.path.at(-1) ?? "") : "" };
    }
    case "cast":
    case "convert":
    case "try_cast":
      if (next === "(") return castOf(parsing, first);
      break;
    case "match":
      return matchAgainst(parsing);
    case "next":
    case "previous":
      if (next !== "value") break;
      reader.at += 2;
      expect(reader, "for");
      return {
        kind: "call",
        name: first === "next" ? "nextval" : "lastval",
        arguments: [path(parsing)],
        distinct: false,
        windowed: false,
      };
    default:
      break;
  }
  if (next === "(" && !RESERVED.has(first)) return call(parsing, first);
  if (NILADIC.has(first)) {
    reader.at++;
    return { kind: "call", name: first, arguments: [], distinct: false, windowed: false };
  }
  return path(parsing, false);
}

const RESERVED = new Set("select from where and or in on".split(" "));

/** Functions called without parentheses. */
const NILADIC = new Set(
  "current_timestamp current_date current_time localtime localtimestamp utc_timestamp current_user".split(
    " ",
  ),
);

/** A name, a qualified name, `t.*`, or a call of a qualified function. */
function path(parsing: Parsing, anyWord = true): SyntaxExpression {
  const { reader } = parsing;
  const parts = [takeName(reader, anyWord)];
  while (wordAt(reader) === ".") {
    reader.at++;
    if (take(reader, "*")) return { kind: "star", path: parts };
    parts.push(takeName(reader, true));
  }
  if (wordAt(reader) === "(" && parts.length > 1) {
    reader.at--;
    return call(parsing, (parts.at(-1) ?? "").toLowerCase());
  }
  return { kind: "name", path: parts };
}

function call(parsing: Parsing, name: string): SyntaxExpression {
  const { reader } = parsing;
  reader.at++;
  expect(reader, "(");
  const distinct = take(reader, "distinct");
  if (!distinct) take(reader, "all");
  const values: SyntaxExpression[] = [];
  let concatenation: Concatenation = {};
  let rest = false;
  // Keywords between the arguments of a call.
  if (name === "extract" && wordAt(reader, 1) === "from") {
    values.push({ kind: "literal", value: takeWord(reader) });
  }
  const side = name === "trim" ? takeAny(reader, "both", "leading", "trailing") : undefined;
  if (side !== undefined) values.push({ kind: "literal", value: side });
  if (UNITS_FIRST.has(name) && peek(reader)?.kind === "word" && wordAt(reader, 1) === ",") {
    values.push({ kind: "literal", value: takeWord(reader) });
    expect(reader, ",");
  }
  if (!take(reader, ")")) {
    // EXTRACT(YEAR FROM x), TRIM(FROM x), SUBSTRING(x FROM 1 FOR 2)
    take(reader, "from");
    do values.push(parseExpression(parsing));
    while (take(reader, ",") || takeAny(reader, "from", "for") !== undefined);
    if (name === "group_concat" || name === "string_agg") {
      concatenation = orderAndMark(reader, () => parseExpression(parsing));
    }
    rest = wordAt(reader) !== ")";
    skipArguments(reader);
  }
  let windowed = false;
  let over: SyntaxWindow | undefined;
  if (take(reader, "filter")) {
    skipParentheses(reader);
    windowed = true;
  }
  if (take(reader, "over")) {
    over = readWindow(reader, () => parseExpression(parsing));
    windowed = true;
  }
  return {
    kind: "call",
    name,
    arguments: values,
    distinct,
    windowed,
    ...(over && { over }),
    ...concatenation,
    ...(rest ? { rest } : {}),
  };
}

/** Functions whose first argument is a unit of time. */
const UNITS_FIRST = new Set(["timestampdiff", "timestampadd", "datediff", "dateadd", "datepart"]);

function caseOf(parsing: Parsing): SyntaxExpression {
  const { reader } = parsing;
  const subject = wordAt(reader) === "when" ? {} : { subject: parseExpression(parsing) };
  const arms: { when: SyntaxExpression; then: SyntaxExpression }[] = [];
  while (take(reader, "when")) {
    const when = parseExpression(parsing);
    expect(reader, "then");
    arms.push({ when, then: parseExpression(parsing) });
  }
  const otherwise = take(reader, "else") ? { otherwise: parseExpression(parsing) } : {};
  expect(reader, "end");
  return { kind: "case", ...subject, arms, ...otherwise };
}

/** CAST(x AS type), CONVERT(x, type), CONVERT(type, x) of SQL Server, CONVERT(x USING charset). */
function castOf(parsing: Parsing, name: string): SyntaxExpression {
  const { reader } = parsing;
  reader.at++;
  expect(reader, "(");
  if (name === "convert" && reader.dialect === "sqlserver") {
    const type = typeName(reader);
    expect(reader, ",");
    const operand = parseExpression(parsing);
    skipArguments(reader);
    return { kind: "cast", operand, ...type };
  }
  const operand = parseExpression(parsing);
  if (take(reader, "using")) {
    takeName(reader, true);
    expect(reader, ")");
    return operand;
  }
  if (!take(reader, "as")) expect(reader, ",");
  const type = typeName(reader);
  skipArguments(reader);
  return { kind: "cast", operand, ...type };
}

/** The words of a type, and whether it has decimals. */
export function typeName(reader: Reader): {
  readonly type: string;
  readonly rounds: boolean;
  readonly sizes: readonly number[];
  readonly unsigned: boolean;
} {
  let type = takeWord(reader);
  if (type === "double" && take(reader, "precision")) type = "double";
  let rounds = false;
  const sizes: number[] = [];
  if (wordAt(reader) === "(") {
    rounds = wordAt(reader, 2) === ",";
    const start = reader.at;
    skipParentheses(reader);
    for (const each of reader.lexemes.slice(start, reader.at)) {
      if (each.kind === "number") sizes.push(Number(each.word));
    }
  }
  let unsigned = type === "unsigned";
  for (;;) {
    const word = takeAny(reader, "unsigned", "signed", "zerofill", "integer", "varying");
    if (word === undefined) return { type, rounds, sizes, unsigned };
    if (word === "unsigned") unsigned = true;
  }
}

function matchAgainst(parsing: Parsing): SyntaxExpression {
  const { reader } = parsing;
  reader.at++;
  const parts: SyntaxExpression[] = [];
  if (wordAt(reader) === "(") {
    reader.at++;
    parts.push(...listUntilClose(parsing));
  }
  expect(reader, "against");
  skipParentheses(reader);
  return { kind: "other", what: "MATCH ... AGAINST", parts };
}
