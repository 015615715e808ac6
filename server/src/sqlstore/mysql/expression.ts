// Expressions of MySQL's and MariaDB's syntax tree as expressions of ours.
import type {
  SyntaxExpression,
  SyntaxFrameBound,
  SyntaxWindow,
} from "../../frontend/sql/dialects/syntax";
import { unsupported } from "../sqlError";
import type { SqlCall, SqlExpression, SqlFrameBound, SqlWindow } from "../tree";
import { queryOf } from "./recursion";

/** An expression; constructs that the store does not have are refused by name. */
export function expressionOf(tree: SyntaxExpression): SqlExpression {
  switch (tree.kind) {
    case "literal":
      return literalOf(tree);
    case "time":
      return {
        kind: "cast",
        operand: { kind: "string", value: tree.value },
        type: { name: timeType(tree.value), modifiers: [], array: false },
      };
    case "placeholder":
      return { kind: "parameter", number: tree.number };
    case "name":
      return { kind: "column", path: tree.path.slice(-2) };
    case "star":
      return { kind: "star", path: tree.path.slice(-1) };
    case "variable":
      return { kind: "variable", name: tree.name.replace(/^@/, "") };
    case "system":
      return { kind: "setting", name: tree.name };
    case "assign":
      return {
        kind: "variable",
        name: tree.variable.replace(/^@/, ""),
        assigned: expressionOf(tree.value),
      };
    case "unary":
      return unaryOf(tree.operator, expressionOf(tree.operand));
    case "binary":
      return {
        kind: "binary",
        operator:
          tree.operator === "=="
            ? "="
            : tree.operator === "&&"
              ? "and"
              : tree.operator === "||"
                ? "or"
                : tree.operator,
        left: expressionOf(tree.left),
        right: expressionOf(tree.right),
      };
    case "in":
      return {
        kind: "in",
        operand: expressionOf(tree.operand),
        values: "outputs" in tree.values ? queryOf(tree.values) : tree.values.map(expressionOf),
        negated: false,
      };
    case "between":
      return {
        kind: "between",
        operand: expressionOf(tree.operand),
        low: expressionOf(tree.low),
        high: expressionOf(tree.high),
        symmetric: false,
        negated: false,
      };
    case "like":
      return likeOf(tree.operand, tree.pattern);
    case "is":
      return { kind: "is", operand: expressionOf(tree.operand), what: tree.what, negated: false };
    case "call":
      return callOf(tree);
    case "case":
      return {
        kind: "case",
        ...(tree.subject === undefined ? {} : { subject: expressionOf(tree.subject) }),
        arms: tree.arms.map(({ when, then }) => ({
          when: expressionOf(when),
          then: expressionOf(then),
        })),
        ...(tree.otherwise === undefined ? {} : { otherwise: expressionOf(tree.otherwise) }),
      };
    case "cast": {
      const name =
        tree.unsigned === true && tree.type !== "unsigned" ? `${tree.type} unsigned` : tree.type;
      return {
        kind: "cast",
        operand: expressionOf(tree.operand),
        type: { name, modifiers: tree.sizes ?? [], array: false },
      };
    }
    case "query":
      return { kind: "query", query: queryOf(tree.query) };
    case "exists":
      return { kind: "exists", query: queryOf(tree.query) };
    case "quantified":
      return {
        kind: "quantified",
        operator: tree.operator,
        all: tree.all,
        left: expressionOf(tree.left),
        right: queryOf(tree.query),
      };
    case "row":
      return { kind: "row", values: tree.values.map(expressionOf) };
    case "proposed":
      return { kind: "proposed", column: tree.column };
    case "default":
      return { kind: "default" };
    case "interval":
      return { kind: "interval", amount: expressionOf(tree.amount), unit: tree.unit };
    case "other":
      return otherOf(tree.what, tree.parts);
    default:
      return tree satisfies never;
  }
}

function literalOf(tree: Extract<SyntaxExpression, { readonly kind: "literal" }>): SqlExpression {
  const { value, text } = tree;
  if (value === null) return { kind: "null" };
  if (typeof value === "boolean") return { kind: "boolean", value };
  return typeof value === "string"
    ? { kind: "string", value }
    : { kind: "number", text: text ?? String(value) };
}

function timeType(text: string): string {
  if (/^\d+:/.test(text.trim())) return "time";
  return text.includes(":") ? "datetime" : "date";
}

function unaryOf(operator: string, operand: SqlExpression): SqlExpression {
  switch (operator) {
    case "not":
      return negation(operand);
    case "-":
    case "+":
    case "~":
      return { kind: "unary", operator, operand };
    default:
      throw unsupported(`the prefix operator ${operator}`);
  }
}

/** NOT IN, NOT LIKE and the like are nodes of their own. */
function negation(operand: SqlExpression): SqlExpression {
  switch (operand.kind) {
    case "in":
    case "between":
    case "like":
    case "is":
      return { ...operand, negated: !operand.negated };
    default:
      return { kind: "unary", operator: "not", operand };
  }
}

function likeOf(
  operand: SyntaxExpression,
  pattern: SyntaxExpression,
  escape?: SyntaxExpression,
): SqlExpression {
  return {
    kind: "like",
    operand: expressionOf(operand),
    pattern: expressionOf(pattern),
    ...(escape === undefined ? {} : { escape: expressionOf(escape) }),
    form: "like",
    negated: false,
  };
}

function otherOf(what: string, parts: readonly SyntaxExpression[]): SqlExpression {
  const [first, second, third] = parts;
  if (what === "LIKE ... ESCAPE" && first !== undefined && second !== undefined) {
    return likeOf(first, second, third);
  }
  if ((what === "REGEXP" || what === "RLIKE") && first !== undefined && second !== undefined) {
    return {
      kind: "binary",
      operator: "regexp",
      left: expressionOf(first),
      right: expressionOf(second),
    };
  }
  throw unsupported(what);
}

/** Names by which the functions of the store know those of MySQL. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["character_length", "char_length"],
  ["json_keys", "json_keys"],
]);

function callOf(tree: Extract<SyntaxExpression, { readonly kind: "call" }>): SqlCall {
  const { name, distinct, windowed } = tree;
  if (windowed && tree.over === undefined)
    throw unsupported(`${name.toUpperCase()}() FILTER in this dialect`);
  if (tree.rest === true)
    throw unsupported(`a call of ${name.toUpperCase()}() with words of its own`);
  const star =
    name === "count" && tree.arguments.length === 1 && tree.arguments[0]?.kind === "star";
  const args = star ? [] : argumentsOf(tree);
  if (distinct && args.length > 1)
    throw unsupported(`${name.toUpperCase()}(DISTINCT) of several values`);
  const separator: readonly SqlExpression[] =
    tree.separator === undefined ? [] : [{ kind: "string", value: tree.separator }];
  return {
    kind: "call",
    name: OTHER_NAMES.get(name) ?? name,
    arguments:
      name === "group_concat"
        ? [args.length === 1 ? (args[0] ?? { kind: "null" }) : joined(args), ...separator]
        : args,
    star,
    distinct,
    orderBy: (tree.orderBy ?? []).map(({ value, descending }) => ({
      value: expressionOf(value),
      descending,
    })),
    withinGroup: false,
    ...(tree.over === undefined ? {} : { over: windowOf(tree.over) }),
  };
}

/** A window of OVER or of WINDOW. */
export function windowOf({ base, partitionBy, orderBy, frame, excluded }: SyntaxWindow): SqlWindow {
  if (excluded === true) throw unsupported("EXCLUDE in a window frame");
  const bound = (at: SyntaxFrameBound): SqlFrameBound =>
    "offset" in at ? { kind: at.kind, offset: expressionOf(at.offset) } : at;
  return {
    ...(base === undefined ? {} : { base }),
    partitionBy: partitionBy.map(expressionOf),
    orderBy: orderBy.map(({ value, descending }) => ({ value: expressionOf(value), descending })),
    ...(frame === undefined
      ? {}
      : { frame: { unit: frame.unit, start: bound(frame.start), end: bound(frame.end) } }),
  };
}

/** Several values in GROUP_CONCAT are one text. */
function joined(args: readonly SqlExpression[]): SqlExpression {
  return {
    kind: "call",
    name: "concat",
    arguments: args,
    star: false,
    distinct: false,
    orderBy: [],
    withinGroup: false,
  };
}

/** Functions whose first argument is the name of a sequence. */
const OF_SEQUENCES: ReadonlySet<string> = new Set(["nextval", "lastval", "setval"]);

/** TRIM(BOTH 'x' FROM y) and POSITION(a IN b) have arguments in an order of their own. */
function argumentsOf(
  tree: Extract<SyntaxExpression, { readonly kind: "call" }>,
): readonly SqlExpression[] {
  const args = tree.arguments.map(expressionOf);
  const [first] = args;
  if (OF_SEQUENCES.has(tree.name) && first?.kind === "column")
    return [{ kind: "string", value: first.path.at(-1) ?? "" }, ...args.slice(1)];
  if (tree.name === "trim" && args.length > 1) throw unsupported("TRIM() of other characters");
  if (tree.name === "position") {
    if (first?.kind !== "in" || "kind" in first.values)
      throw unsupported("POSITION() in this form");
    return [...first.values, first.operand];
  }
  return args;
}
