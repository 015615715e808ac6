// The conditions of dynamic SQL (OGNL): comparisons of parameters, joined by `and`, `or` and `not`. What is known when
// the statement is put together is decided; the rest becomes a condition in SQL.
import { constantScalar, constantText, type Value } from "../../../values";
import type { Tools } from "../../library";

export type Decision =
  | { readonly kind: "known"; readonly holds: boolean }
  | { readonly kind: "sql"; readonly text: string; readonly values: readonly Value[] };

interface Reading {
  readonly tokens: readonly string[];
  at: number;
  readonly lookup: (path: string) => Value;
  readonly tools: Tools;
}

/** Undefined where a condition is not understood. */
export function decide(
  test: string,
  lookup: (path: string) => Value,
  tools: Tools,
): Decision | undefined {
  const tokens = test.match(TOKENS) ?? [];
  const reading: Reading = { tokens, at: 0, lookup, tools };
  const decision = either(reading);
  return reading.at === tokens.length ? decision : undefined;
}

const TOKENS =
  /'[^']*'|"[^"]*"|\d+(?:\.\d+)?|[A-Za-z_]\w*(?:\.\w+|\(\))*|==|!=|<=|>=|&&|\|\||[<>!()]|\S/gu;

const KNOWN_TRUE: Decision = { kind: "known", holds: true };
const KNOWN_FALSE: Decision = { kind: "known", holds: false };

function take(reading: Reading, ...any: readonly string[]): boolean {
  if (!any.includes(reading.tokens[reading.at] ?? "")) return false;
  reading.at += 1;
  return true;
}

function either(reading: Reading): Decision | undefined {
  let left = both(reading);
  while (left && take(reading, "or", "||")) left = joined("OR", left, both(reading));
  return left;
}

function both(reading: Reading): Decision | undefined {
  let left = one(reading);
  while (left && take(reading, "and", "&&")) left = joined("AND", left, one(reading));
  return left;
}

function joined(
  word: "AND" | "OR",
  left: Decision,
  right: Decision | undefined,
): Decision | undefined {
  const isDone = (each: Decision): boolean => each.kind === "known" && each.holds === (word === "OR"); // prettier-ignore
  // The part that decides alone is the whole condition.
  if (isDone(left)) return left;
  if (!right) return undefined;
  if (isDone(right)) return right;
  if (left.kind === "known") return right;
  if (right.kind === "known") return left;
  return { kind: "sql", text: `(${left.text} ${word} ${right.text})`, values: [...left.values, ...right.values] }; // prettier-ignore
}

function one(reading: Reading): Decision | undefined {
  if (take(reading, "!", "not")) {
    const inner = one(reading);
    if (inner?.kind === "known") return inner.holds ? KNOWN_FALSE : KNOWN_TRUE;
    return inner && { ...inner, text: `NOT (${inner.text})` };
  }
  if (take(reading, "(")) {
    const inner = either(reading);
    return take(reading, ")") ? inner : undefined;
  }
  const left = reading.tokens[reading.at] ?? "";
  reading.at += 1;
  const [operator] = OPERATORS.get(reading.tokens[reading.at] ?? "") ?? [];
  if (operator === undefined) return flag(reading, left);
  reading.at += 1;
  const right = reading.tokens[reading.at] ?? "";
  reading.at += 1;
  return compared(reading, left, operator, right);
}

/** A parameter that is true or false, or `true` itself. */
function flag({ lookup }: Reading, path: string): Decision | undefined {
  if (path === "true" || path === "false") return path === "true" ? KNOWN_TRUE : KNOWN_FALSE;
  if (!/^[A-Za-z_][\w.]*$/u.test(path)) return undefined;
  const value = lookup(path);
  const known = constantScalar(value);
  if (typeof known === "boolean") return known ? KNOWN_TRUE : KNOWN_FALSE;
  const isFlag = value.kind === "input" && /^(?:java\.lang\.)?[bB]oolean$/u.test(value.type ?? "");
  return isFlag ? { kind: "sql", text: "? = TRUE", values: [value] } : undefined;
}

const OPERATORS = new Map(
  Object.entries({
    "==": ["="], eq: ["="], "!=": ["<>"], neq: ["<>"], "<": ["<"], lt: ["<"],
    ">": [">"], gt: [">"], "<=": ["<="], lte: ["<="], ">=": [">="], gte: [">="],
  } as const),
); // prettier-ignore

function compared(
  { lookup, tools }: Reading,
  left: string,
  operator: string,
  right: string,
): Decision | undefined {
  if (!/^[A-Za-z_]/u.test(left) || !isLiteral(right)) return undefined;
  const size = /^(.+)\.(?:size|length)\(\)$|^(.+)\.length$/u.exec(left);
  if (size) {
    const items = tools.items(lookup(size[1] ?? size[2] ?? ""));
    if (!items || !/^\d/u.test(right)) return undefined;
    return { kind: "known", holds: holds(items.length, operator, Number(right)) };
  }
  // Texts with blanks alone are taken for none where code asks for what is left without them.
  const path = left.replace(/\.trim\(\)$/u, "");
  if (path.includes("(")) return undefined;
  const value = lookup(path);
  const isEquality = operator === "=" || operator === "<>";
  if (right === "null") {
    if (!isEquality) return undefined;
    const isNull = tools.items(value) ? false : nullness(value);
    if (isNull !== undefined) return isNull === (operator === "=") ? KNOWN_TRUE : KNOWN_FALSE;
    return { kind: "sql", text: `? IS ${operator === "=" ? "" : "NOT "}NULL`, values: [value] };
  }
  const known = constantText(value) ?? constantScalar(value);
  const other = literalOf(right);
  if (known !== undefined && known !== null && typeof known === typeof other)
    return { kind: "known", holds: holds(known, operator, other) };
  // A number is never an empty text.
  if (other === "" && !isText(value)) return operator === "<>" ? KNOWN_TRUE : KNOWN_FALSE;
  if (nullness(value) === true) return operator === "<>" ? KNOWN_TRUE : KNOWN_FALSE;
  const sql = typeof other === "string" ? `'${other.replaceAll("'", "''")}'` : String(other);
  return { kind: "sql", text: `? ${operator} ${sql}`, values: [value] };
}

function isLiteral(token: string): boolean {
  return /^(?:null|true|false|\d|'|")/u.test(token);
}

function literalOf(token: string): string | number | boolean {
  if (token === "true" || token === "false") return token === "true";
  return /^\d/u.test(token) ? Number(token) : token.slice(1, -1);
}

function holds<Kind extends string | number | boolean>(
  a: Kind,
  operator: string,
  b: Kind | string | number | boolean,
): boolean {
  // prettier-ignore
  switch (operator) {
    case "=":
      return a === b;
    case "<>":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    default:
      return a >= b;
  }
}

function isText(value: Value): boolean {
  if (constantText(value) !== undefined) return true;
  return value.kind === "input" && /^(?:java\.lang\.)?String$/u.test(value.type ?? "");
}

/** True or false where it is known; a primitive type of Java is never null. */
function nullness(value: Value): boolean | undefined {
  switch (value.kind) {
    case "undefined":
      return true;
    case "object":
    case "list":
    case "rows":
    case "text":
      return false;
    case "input":
      return PRIMITIVE.test(value.type ?? "") ? false : undefined;
    default: {
      const known = constantScalar(value);
      return known === undefined ? undefined : known === null;
    }
  }
}

const PRIMITIVE = /^(?:int|long|short|byte|double|float|boolean|char)$/u;
