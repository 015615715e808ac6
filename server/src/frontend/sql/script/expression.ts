// The expressions of \set and \if: pgbench's grammar, which contains what psql allows there.
import type { Expression } from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { COMPARISONS, literal } from "../expressions";
import { isWordPart, nextToken, stringOf, type Token } from "../text/tokens";

export interface ScriptNames {
  readonly variable: (name: string) => Expression;
  /** The value of random(...) and the like: chosen by the client, so an argument of the transaction. */
  readonly random: (from: Expression | undefined, to: Expression | undefined) => Expression;
  readonly unknown: (why: string, dependsOn: readonly Expression[]) => Expression;
}

/**
 * The expression in `[start, end)` of a text. Text outside of the grammar is a string, as in psql, or an unknown value if it mentions
 * variables.
 */
export function readScriptExpression(
  text: string,
  start: number,
  end: number,
  names: ScriptNames,
): Expression {
  const reader: Reader = { text, tokens: tokens(text, start, end), at: 0, names, depth: 0 };
  const value = binary(reader, 0);
  if (value !== undefined && reader.at === reader.tokens.length) return value;
  const written = text.slice(start, end);
  return /[:`]/.test(written)
    ? names.unknown(`the value of "${written}"`, [])
    : literal(written.replace(/^'(.*)'$/, "$1"));
}

interface Lexeme {
  readonly kind: Token["kind"] | "variable" | "defined";
  readonly word: string;
}

interface Reader {
  readonly text: string;
  readonly tokens: readonly Lexeme[];
  at: number;
  readonly names: ScriptNames;
  depth: number;
}

/** Nesting limit, against stack overflow. */
const DEEPEST = 200;

function tokens(text: string, start: number, end: number): readonly Lexeme[] {
  const found: Lexeme[] = [];
  for (let at = start; ;) {
    const token = nextToken(text, at, end);
    if (token === undefined) return found;
    at = token.end;
    const next = text[at] ?? "";
    if (token.kind === "backslash" || token.kind === "comment") continue;
    const defined =
      token.word === ":" ? DEFINED.exec(text.slice(at, Math.min(end, at + 80))) : null;
    if (defined !== null) {
      at += defined[0].length;
      found.push({ kind: "defined", word: defined[1] ?? "" });
    } else if (token.word === ":" && at < end && isWordPart(next)) {
      while (at < end && isWordPart(text[at] ?? "")) at++;
      found.push({ kind: "variable", word: text.slice(token.end, at) });
    } else if (token.kind === "symbol" && DOUBLE.has(token.word + next) && at < end) {
      at++;
      found.push({ kind: "symbol", word: token.word + next });
    } else if (token.kind === "string") {
      found.push({ kind: "string", word: stringOf(text, token) });
    } else {
      found.push({ kind: token.kind, word: text.slice(token.start, token.end).toLowerCase() });
    }
  }
}

/** `:{?name}`: whether a variable is set. */
const DEFINED = /^\{\?([A-Za-z_]\w*)\}/;

const DOUBLE = new Set(["<=", ">=", "<>", "!=", "<<", ">>"]);

/** Binding powers of the infix operators, loosest first. */
const POWERS = dictionary<number>({
  or: 1,
  and: 2,
  "=": 4,
  "<>": 4,
  "!=": 4,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "|": 5,
  "#": 5,
  "&": 5,
  "<<": 5,
  ">>": 5,
  "+": 6,
  "-": 6,
  "*": 7,
  "/": 7,
  "%": 7,
});

function binary(reader: Reader, least: number): Expression | undefined {
  if (++reader.depth > DEEPEST) return undefined;
  let left = prefix(reader);
  while (left !== undefined) {
    const word = reader.tokens[reader.at]?.word ?? "";
    if (word === "is" && least <= 4) {
      reader.at++;
      left = isTest(reader, left);
      continue;
    }
    const power = POWERS[word];
    if (power === undefined || power < least) break;
    reader.at++;
    const right = binary(reader, power + 1);
    left = right === undefined ? undefined : combine(reader, word, left, right);
  }
  reader.depth--;
  return left;
}

function combine(
  reader: Reader,
  operator: string,
  left: Expression,
  right: Expression,
): Expression {
  switch (operator) {
    case "or":
    case "and":
      return { kind: operator, operands: [left, right] };
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return { kind: "arithmetic", operator, left, right };
    default: {
      const comparison = COMPARISONS[operator];
      return comparison === undefined
        ? reader.names.unknown(`the operator ${operator}`, [left, right])
        : { kind: "comparison", operator: comparison, left, right };
    }
  }
}

function isTest(reader: Reader, operand: Expression): Expression | undefined {
  const negated = take(reader, "not");
  const word = reader.tokens[reader.at++]?.word;
  let test: Expression | undefined;
  if (word === "null") test = { kind: "isNull", operand };
  if (word === "true" || word === "false") {
    test = { kind: "sameValue", left: operand, right: literal(word === "true") };
  }
  return negated && test !== undefined ? { kind: "not", operand: test } : test;
}

function prefix(reader: Reader): Expression | undefined {
  const token = reader.tokens[reader.at++];
  if (token === undefined) return undefined;
  switch (token.kind) {
    case "variable":
      return reader.names.variable(token.word);
    case "defined":
      return isSet(reader.names.variable(token.word));
    case "number":
      return literal(Number(token.word));
    case "string":
      return literal(token.word);
    case "symbol":
      return prefixOperator(reader, token.word);
    case "word":
      return word(reader, token.word);
    default:
      return undefined;
  }
}

function prefixOperator(reader: Reader, operator: string): Expression | undefined {
  if (operator === "(") {
    const inner = binary(reader, 0);
    return take(reader, ")") ? inner : undefined;
  }
  if (operator !== "-" && operator !== "+" && operator !== "~") return undefined;
  const operand = binary(reader, 8);
  if (operand === undefined || operator === "+") return operand;
  if (operator === "~") return reader.names.unknown("the operator ~", [operand]);
  return operand.kind === "literal" && typeof operand.value === "number"
    ? literal(-operand.value)
    : { kind: "negate", operand };
}

/** `:{?name}`: psql unsets a variable that receives NULL. */
export function isSet(variable: Expression): Expression {
  return { kind: "not", operand: { kind: "isNull", operand: variable } };
}

function word(reader: Reader, name: string): Expression | undefined {
  switch (name) {
    case "true":
    case "on":
    case "yes":
      return literal(true);
    case "false":
    case "off":
    case "no":
      return literal(false);
    case "null":
      return literal(null);
    case "not": {
      const operand = binary(reader, 3);
      return operand === undefined ? undefined : { kind: "not", operand };
    }
    case "case":
      return caseOf(reader);
    default:
      return take(reader, "(") ? call(reader, name) : undefined;
  }
}

function caseOf(reader: Reader): Expression | undefined {
  const arms: { condition: Expression; then: Expression }[] = [];
  while (take(reader, "when")) {
    const condition = binary(reader, 0);
    if (condition === undefined || !take(reader, "then")) return undefined;
    const then = binary(reader, 0);
    if (then === undefined) return undefined;
    arms.push({ condition, then });
  }
  const otherwise = take(reader, "else") ? binary(reader, 0) : literal(null);
  if (otherwise === undefined || arms.length === 0 || !take(reader, "end")) return undefined;
  return arms.reduceRight<Expression>(
    (rest, { condition, then }) => ({ kind: "conditional", condition, then, otherwise: rest }),
    otherwise,
  );
}

const EVALUATED = new Set(["abs", "greatest", "least", "mod"]);

function call(reader: Reader, name: string): Expression | undefined {
  const values: Expression[] = [];
  while (!take(reader, ")")) {
    if (values.length > 0 && !take(reader, ",")) return undefined;
    const value = binary(reader, 0);
    if (value === undefined) return undefined;
    values.push(value);
  }
  if (name.startsWith("random")) return reader.names.random(values[0], values[1]);
  if (EVALUATED.has(name)) {
    return { kind: "call", name, arguments: values, deterministic: true };
  }
  const [only] = values;
  if ((name === "int" || name === "debug") && only !== undefined) return only;
  return reader.names.unknown(`the function ${name}()`, values);
}

function take(reader: Reader, word: string): boolean {
  if (reader.tokens[reader.at]?.word !== word) return false;
  if (reader.tokens[reader.at]?.kind === "string") return false;
  reader.at++;
  return true;
}
