// The expression language of assertions over results: result(s1[0]) + result(s2[0]) <= 100. Accepts JavaScript's and SQL's operators: `==`
// and `=`, `&&` and `and`. Parsing builds closures; no text is executed as code.
import { dictionary } from "../protocol/dictionary";
import {
  calculate,
  compare,
  element,
  FUNCTIONS,
  member,
  negate,
  same,
  truthOf,
  type ResultValue,
} from "./assertionValues";

/** The outcome of one transaction of a run. */
export interface TransactionOutcome {
  readonly status: "committed" | "aborted";
  /** Its result; null if it returned nothing or was aborted. */
  readonly result: ResultValue;
  /** The reason of an abort. */
  readonly error?: string;
}

/** The data for evaluating an assertion. */
export interface AssertionContext {
  /** The outcome of a transaction, by zero-based indexes. */
  outcome(session: number, transaction: number): TransactionOutcome | undefined;
  /** The value of a query over the final state: one value, or a list of rows. */
  query(text: string): ResultValue;
}

export interface AssertionExpression {
  /** The value; throws AssertionFault if there is none. */
  evaluate(context: AssertionContext): ResultValue;
  /** Queries over the final state in it. */
  readonly queries: readonly string[];
  /** The transactions that it names, with the offsets of their names. */
  readonly transactions: readonly NamedTransaction[];
}

export interface NamedTransaction {
  readonly session: number;
  readonly transaction: number;
  readonly offset: number;
  readonly length: number;
}

export type ExpressionResult =
  | { readonly ok: true; readonly expression: AssertionExpression }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Parses an expression; stops at the first error, with its offset. */
export function readExpression(text: string): ExpressionResult {
  const tokens = tokenize(text);
  if ("message" in tokens) return { ok: false, ...tokens };
  const reader: Reader = { tokens: tokens.tokens, at: 0, queries: [], transactions: [] };
  try {
    const run = readBinary(reader, 0);
    const rest = reader.tokens[reader.at];
    if (rest !== undefined && rest.kind !== "end")
      throw new ReadingFault(`"${rest.text}" does not belong here`, rest.offset);
    const { queries, transactions } = reader;
    return { ok: true, expression: { evaluate: run, queries, transactions } };
  } catch (fault) {
    if (!(fault instanceof ReadingFault)) throw fault;
    return { ok: false, message: fault.message, offset: fault.offset };
  }
}

type Run = (context: AssertionContext) => ResultValue;

interface Token {
  readonly kind: "number" | "string" | "name" | "sign" | "end";
  readonly text: string;
  readonly value: ResultValue;
  readonly offset: number;
}

interface Reader {
  readonly tokens: readonly Token[];
  at: number;
  readonly queries: string[];
  readonly transactions: NamedTransaction[];
}

class ReadingFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const TOKEN =
  /\s+|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")|(?<name>[\p{L}_$][\p{L}\p{N}_$]*)|(?<sign>===|!==|==|!=|<>|<=|>=|&&|\|\||[-+*/%<>=!()[\].,])/uy;

function tokenize(
  text: string,
): { readonly tokens: readonly Token[] } | { readonly message: string; readonly offset: number } {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return { message: `"${text[at] ?? ""}" is not understood`, offset: at };
    const { number, string, name, sign } = found.groups ?? {};
    if (number !== undefined)
      tokens.push({ kind: "number", text: number, value: Number(number), offset: at });
    else if (string !== undefined)
      tokens.push({ kind: "string", text: string, value: unquoted(string), offset: at });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, value: null, offset: at });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, value: null, offset: at });
  }
  tokens.push({ kind: "end", text: "the end", value: null, offset: text.length });
  return { tokens };
}

function unquoted(quoted: string): string {
  return quoted.slice(1, -1).replace(/\\(.)|''/gu, (whole, escaped: string | undefined) => {
    if (escaped === undefined) return whole === "''" ? "'" : whole;
    return escaped === "n" ? "\n" : escaped === "t" ? "\t" : escaped;
  });
}

/** Binary operators, loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ["||", "or"],
  ["&&", "and"],
  ["==", "=", "===", "!=", "!==", "<>", "<", "<=", ">", ">="],
  ["+", "-"],
  ["*", "/", "%"],
];

function readBinary(reader: Reader, level: number): Run {
  const operators = LEVELS[level];
  if (operators === undefined) return readUnary(reader);
  if (level === 2 && word(reader) === "not") return readUnary(reader);
  let left = readBinary(reader, level + 1);
  for (;;) {
    const operator = word(reader);
    if (operator === undefined || !operators.includes(operator)) return left;
    reader.at += 1;
    left = binary(operator, left, readBinary(reader, level + 1));
  }
}

/** The current symbol or word; words are case-insensitive. */
function word(reader: Reader): string | undefined {
  const token = reader.tokens[reader.at];
  if (token?.kind === "sign") return token.text;
  return token?.kind === "name" ? token.text.toLowerCase() : undefined;
}

function readUnary(reader: Reader): Run {
  const operator = word(reader);
  if (operator === "-") {
    reader.at += 1;
    const operand = readUnary(reader);
    return (context) => calculate("-", 0, operand(context));
  }
  if (operator === "!" || operator === "not") {
    reader.at += 1;
    // `not` binds looser than a comparison, `!` tighter.
    const operand = operator === "not" ? readBinary(reader, 2) : readUnary(reader);
    return (context) => negate(truthOf(operand(context)));
  }
  return readPath(reader);
}

function readPath(reader: Reader): Run {
  let value = readPrimary(reader);
  for (;;) {
    if (take(reader, ".")) {
      const name = next(reader);
      if (name.kind !== "name")
        throw new ReadingFault("a name is missing after the dot", name.offset);
      const inner = value;
      value = (context) => member(inner(context), name.text);
    } else if (take(reader, "[")) {
      const inner = value;
      const index = readBinary(reader, 0);
      expect(reader, "]");
      value = (context) => element(inner(context), index(context));
    } else return value;
  }
}

function readPrimary(reader: Reader): Run {
  const token = next(reader);
  if (token.kind === "number" || token.kind === "string") {
    const { value } = token;
    return () => value;
  }
  if (token.kind === "sign" && token.text === "(") {
    const inner = readBinary(reader, 0);
    expect(reader, ")");
    return inner;
  }
  if (token.kind === "sign" && token.text === "[") {
    const items = readList(reader, "]");
    return (context) => items.map((each) => each(context));
  }
  if (token.kind !== "name")
    throw new ReadingFault(`a value is missing before ${quoted(token)}`, token.offset);
  const name = token.text.toLowerCase();
  if (name === "true" || name === "false") return () => name === "true";
  if (name === "null" || name === "undefined") return () => null;
  return readCall(reader, token);
}

function readCall(reader: Reader, token: Token): Run {
  const name = token.text.toLowerCase();
  if (!take(reader, "("))
    throw new ReadingFault(
      `"${token.text}" is not known: a transaction's result is result(s1[0])`,
      token.offset,
    );
  const about = ABOUT[name];
  if (about !== undefined) {
    const which = readTransaction(reader);
    expect(reader, ")");
    return (context) => {
      const outcome = context.outcome(which.session, which.transaction);
      return outcome === undefined ? null : about(outcome);
    };
  }
  if (name === "sql") {
    const text = next(reader);
    if (text.kind !== "string" || typeof text.value !== "string")
      throw new ReadingFault("sql(...) takes a query in quotes", text.offset);
    const query = text.value;
    reader.queries.push(query);
    expect(reader, ")");
    return (context) => context.query(query);
  }
  const made = FUNCTIONS[name];
  if (made === undefined) {
    const known = [...Object.keys(ABOUT), "sql", ...Object.keys(FUNCTIONS)].join(", ");
    throw new ReadingFault(
      `there is no function "${token.text}"; there are ${known}`,
      token.offset,
    );
  }
  const given = readList(reader, ")");
  return (context) => made(given.map((each) => each(context)));
}

/** `s1[0]`: the first transaction of the first session. */
function readTransaction(reader: Reader): NamedTransaction {
  const token = next(reader);
  const session = /^s([1-9]\d{0,3})$/iu.exec(token.text)?.[1];
  if (session === undefined)
    throw new ReadingFault(
      "a transaction is named as s1[0]: session 1, transaction 0",
      token.offset,
    );
  expect(reader, "[");
  const index = next(reader);
  if (index.kind !== "number" || !/^\d{1,4}$/u.test(index.text))
    throw new ReadingFault("a transaction's number in its session is missing", index.offset);
  const end = reader.tokens[reader.at]?.offset ?? index.offset;
  expect(reader, "]");
  const named: NamedTransaction = {
    session: Number(session) - 1,
    transaction: Number(index.text),
    offset: token.offset,
    length: end + 1 - token.offset,
  };
  reader.transactions.push(named);
  return named;
}

function readList(reader: Reader, closing: string): readonly Run[] {
  const items: Run[] = [];
  if (take(reader, closing)) return items;
  do items.push(readBinary(reader, 0));
  while (take(reader, ","));
  expect(reader, closing);
  return items;
}

function next(reader: Reader): Token {
  const token = reader.tokens[reader.at];
  // The last token is the end marker, which is never consumed.
  if (token === undefined) throw new ReadingFault("the expression ends early", 0);
  if (token.kind === "end") throw new ReadingFault("the expression ends early", token.offset);
  reader.at += 1;
  return token;
}

function take(reader: Reader, sign: string): boolean {
  const token = reader.tokens[reader.at];
  if (token?.kind !== "sign" || token.text !== sign) return false;
  reader.at += 1;
  return true;
}

function expect(reader: Reader, sign: string): void {
  const token = reader.tokens[reader.at];
  if (!take(reader, sign))
    throw new ReadingFault(
      `"${sign}" is missing${token === undefined ? "" : ` before ${quoted(token)}`}`,
      token?.offset ?? 0,
    );
}

function quoted(token: Token): string {
  return token.kind === "end" ? "the end" : `"${token.text}"`;
}

const ABOUT = dictionary<(outcome: TransactionOutcome) => ResultValue>({
  result: ({ result }) => result,
  committed: ({ status }) => status === "committed",
  aborted: ({ status }) => status === "aborted",
  error: ({ error }) => error ?? null,
});

function binary(operator: string, left: Run, right: Run): Run {
  switch (operator) {
    case "&&":
    case "and":
      return (context) => {
        const first = truthOf(left(context));
        if (first === false) return false;
        const second = truthOf(right(context));
        return second === false ? false : first === null || second === null ? null : true;
      };
    case "||":
    case "or":
      return (context) => {
        const first = truthOf(left(context));
        if (first === true) return true;
        const second = truthOf(right(context));
        return second === true ? true : first === null || second === null ? null : false;
      };
    case "=":
    case "==":
    case "===":
      return (context) => same(left(context), right(context));
    case "!=":
    case "!==":
    case "<>":
      return (context) => !same(left(context), right(context));
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (context) => compare(operator, left(context), right(context));
    default:
      return (context) => calculate(operator, left(context), right(context));
  }
}
