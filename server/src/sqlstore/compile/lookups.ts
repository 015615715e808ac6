// Which rows of a table a condition can be about: values that it gives to columns of keys and indexes.
import type { SqlExpression } from "../tree";
import { elementOf, isInteger, isNumeric, isText, type SqlType } from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { numberOf } from "../values/cast";
import { isPlaced, placeOf } from "../values/places";
import { compileExpression } from "./recursion";
import { coerceNode, isPostgres, type Env, type Node, type Scope } from "./node";
import { findColumn, track } from "./scope";
import { contains } from "./walk";

/** The column has one of these values, in every row for which the condition is true. */
export interface Lookup {
  readonly source: number;
  readonly column: number;
  readonly values: (env: Env) => readonly SqlValue[];
  /** Relations that must be known before. */
  readonly uses: ReadonlySet<number>;
}

/** A column is not beyond this value, in every row for which the condition is true. */
export interface Bound {
  readonly source: number;
  readonly column: number;
  readonly side: "from" | "to";
  /** The place of the value in the order of the column's type; undefined where it has none. */
  readonly place: (env: Env) => number | undefined;
  readonly uses: ReadonlySet<number>;
}

/** Bounds of columns of keys and indexes in a condition. */
export function boundsOf(condition: SqlExpression, scope: Scope): readonly Bound[] {
  if (condition.kind === "between") {
    const { operand, low, high, symmetric, negated } = condition;
    if (symmetric || negated) return [];
    return [...bound(operand, ">=", low, scope), ...bound(operand, "<=", high, scope)];
  }
  if (condition.kind !== "binary") return [];
  const { operator, left, right } = condition;
  const turned = TURNED.get(operator);
  if (turned === undefined) return [];
  return [...bound(left, operator, right, scope), ...bound(right, turned, left, scope)];
}

/** Comparisons, with the same ones from the other side. */
const TURNED: ReadonlyMap<string, string> = new Map([
  ["<", ">"],
  ["<=", ">="],
  [">", "<"],
  [">=", "<="],
]);

function bound(
  side: SqlExpression,
  operator: string,
  other: SqlExpression,
  scope: Scope,
): readonly Bound[] {
  const target = keyColumn(side, scope);
  if (target === undefined || !isPlaced(target.type) || !isPlain(other)) return [];
  // Another range for each row of the query around would be read one by one.
  if (contains(other, (part) => isOutside(part, scope))) return [];
  const { result: node, uses } = track(scope, () =>
    keyValue(compileExpression(other, scope), target.type, scope),
  );
  if (node === undefined || uses.has(target.source)) return [];
  const { source, column } = target;
  // Whole numbers beyond a whole number begin with the next one.
  const step = operator === "<" ? -1 : operator === ">" ? 1 : 0;
  const place = (env: Env): number | undefined => {
    const value = node.run(env);
    const at = placeOf(value);
    return at !== undefined && isInteger(target.type) && Number.isSafeInteger(value)
      ? at + step
      : at;
  };
  return [{ source, column, side: operator.startsWith("<") ? "to" : "from", place, uses }];
}

/** True of a column of a query around. */
function isOutside(part: SqlExpression, scope: Scope): boolean {
  if (part.kind !== "column" || scope.parent === undefined) return false;
  const isVariable = scope.compiler.locals?.has(part.path.join(".")) === true;
  return !isVariable && findColumn(scope, part.path) === undefined;
}

/** The keys of the scope's tables in a condition. */
export function lookupsOf(condition: SqlExpression, scope: Scope): readonly Lookup[] {
  if (condition.kind === "binary" && condition.operator === "=") {
    const { left, right } = condition;
    if (left.kind === "row" && right.kind === "row") {
      return left.values.flatMap((each, at) => {
        const other = right.values[at];
        return other === undefined ? [] : equality(each, [other], scope);
      });
    }
    return [...equality(left, [right], scope), ...equality(right, [left], scope)];
  }
  if (condition.kind === "in" && !condition.negated && !("kind" in condition.values)) {
    return equality(condition.operand, condition.values, scope);
  }
  if (condition.kind === "quantified" && condition.operator === "=" && !condition.all) {
    const { right } = condition;
    return right.kind === "select" ? [] : membership(condition.left, right, scope);
  }
  return [];
}

function keyColumn(
  expression: SqlExpression,
  scope: Scope,
): { readonly source: number; readonly column: number; readonly type: SqlType } | undefined {
  if (expression.kind !== "column") return undefined;
  const found = findColumn(scope, expression.path);
  if (found === undefined) return undefined;
  const source = scope.sources[found.source];
  if (source?.indexed?.has(found.column) !== true) return undefined;
  return { ...found, type: source.columns[found.column]?.type ?? "unknown" };
}

/** Expressions without effects and without queries: they are computed once more than the text says. */
function isPlain(expression: SqlExpression): boolean {
  return !contains(
    expression,
    (part) =>
      part.kind === "query" ||
      part.kind === "exists" ||
      part.kind === "array query" ||
      part.kind === "variable" ||
      (part.kind === "call" &&
        (part.over !== undefined ||
          /^(nextval|rand|random|uuid|gen_random_uuid|setval|last_insert_id)$/.test(part.name))) ||
      (part.kind === "in" && "kind" in part.values) ||
      (part.kind === "quantified" && part.right.kind === "select"),
  );
}

function equality(
  side: SqlExpression,
  others: readonly SqlExpression[],
  scope: Scope,
): readonly Lookup[] {
  const target = keyColumn(side, scope);
  if (target === undefined || !others.every(isPlain)) return [];
  const { result, uses } = track(scope, () =>
    others.map((other) => keyValue(compileExpression(other, scope), target.type, scope)),
  );
  if (uses.has(target.source)) return [];
  const nodes = result.flatMap((node) => node ?? []);
  if (nodes.length < others.length) return [];
  const { source, column } = target;
  return [{ source, column, uses, values: (env) => nodes.map((node) => node.run(env)) }];
}

function membership(side: SqlExpression, list: SqlExpression, scope: Scope): readonly Lookup[] {
  const target = keyColumn(side, scope);
  if (target === undefined || !isPlain(list)) return [];
  const { result: node, uses } = track(scope, () => {
    const compiled = compileExpression(list, scope);
    return compiled.type === "unknown"
      ? coerceNode(
          compiled,
          `${target.type === "varchar" ? "text" : baseOf(target.type)}[]`,
          scope.compiler,
        )
      : compiled;
  });
  const element = elementOf(node.type);
  if (element === undefined || !fits(element, target.type, scope) || uses.has(target.source)) {
    return [];
  }
  const { source, column } = target;
  const values = (env: Env): readonly SqlValue[] => {
    const value = node.run(env);
    return isList(value) ? value : [];
  };
  return [{ source, column, uses, values }];
}

function baseOf(type: SqlType): "int4" | "int8" | "text" | "uuid" {
  return type === "int4" || type === "int8" || type === "uuid" ? type : "text";
}

/** True if equal values of both types make equal keys. */
function fits(type: SqlType, column: SqlType, scope: Scope): boolean {
  if (type === column) return true;
  // PostgreSQL takes the spaces at the end away where a character(n) stands beside another text.
  if (isText(type) && isText(column)) return type !== "bpchar" || !isPostgres(scope.compiler);
  if (isNumeric(column) && isNumeric(type)) return true;
  return !isPostgres(scope.compiler) && isInteger(column) && isText(type);
}

/** The value as one of the column's type; undefined where equal values may make other keys. */
export function keyValue(node: Node, column: SqlType, scope: Scope): Node | undefined {
  if (node.type === "unknown") {
    return node.coerce === undefined ? undefined : node.coerce(column);
  }
  if (!fits(node.type, column, scope)) return undefined;
  if (isNumeric(column) && isText(node.type)) {
    return { ...node, type: "float8", run: (env) => numberOf(node.run(env), "text") };
  }
  return node;
}
