// Expressions of the tree as nodes.
import { ownType } from "../catalog";
import { isNumberSetting, selectedSetting } from "../mysql/settings";
import { failure, unsupported } from "../sqlError";
import type { SqlCall, SqlExpression } from "../tree";
import { objectKind, objectNumber } from "../system/references";
import { converter } from "../values/cast";
import { limiter } from "../values/fit";
import { intervalOf } from "../values/temporal";
import {
  arrayOf,
  elementOf,
  isNumeric,
  isText,
  mysqlType,
  postgresName,
  postgresType,
  type DeclaredType,
  type SqlType,
  type TypeName,
} from "../values/types";
import { isList } from "../values/value";
import { plainText } from "../values/text";
import { whole } from "../values/wholes";
import { variableNode } from "./userVariables";
import { isAggregate, aggregateNode } from "./aggregates";
import { numberLiteral, unary } from "./arithmetic";
import { functionNode } from "./call";
import { constantListNode } from "./constantLists";
import { shiftedDate } from "./dates";
import { domainCheck } from "./domain";
import { absentAsNull, groupingCall, groupingPlace } from "./groupingSets";
import { any, both, choice, either, isTest, negation, oneOf } from "./logic";
import {
  coerceNode,
  constant,
  convertNode,
  isPostgres,
  truth,
  type Compiler,
  type Node,
  type Scope,
} from "./node";
import { binary, like, unify } from "./operators";
import { compileExpression } from "./recursion";
import { nullNode, resolveColumn, setValue } from "./scope";
import { existsNode, inQueryNode, queryNode, quantifiedNode, arrayQueryNode } from "./subquery";
import { textOfTree } from "./walk";
import { windowNode } from "./windows";

/** The expression in a scope: what `compileExpression` gives. */
export function expressionNode(expression: SqlExpression, scope: Scope): Node {
  const { grouping, compiler } = scope;
  if (grouping?.sets !== undefined) {
    const at = groupingPlace(expression, scope);
    if (at !== undefined) {
      scope.grouping = undefined;
      const node = compileExpression(expression, scope);
      scope.grouping = grouping;
      return absentAsNull(node, at);
    }
  }
  if (
    grouping !== undefined &&
    expression.kind !== "column" &&
    grouping.expressions.has(textOfTree(expression))
  ) {
    // It is what the rows are grouped by, so each row of the group gives the same.
    scope.grouping = undefined;
    const node = compileExpression(expression, scope);
    scope.grouping = grouping;
    return node;
  }
  const compile = (part: SqlExpression): Node => compileExpression(part, scope);
  switch (expression.kind) {
    case "null":
      return nullNode();
    case "boolean":
      return constant("bool", expression.value);
    case "number": {
      const { type, value } = numberLiteral(expression.text, compiler);
      return { ...constant(type, value), literal: expression.text };
    }
    case "string":
      return stringLiteral(expression.value, compiler);
    case "parameter":
      return parameter(expression.number, compiler);
    case "column":
      return column(expression.path, scope);
    case "star":
      // PostgreSQL's `t.*` inside of an expression is the row.
      if (expression.path.length > 0 && isPostgres(compiler))
        return resolveColumn(scope, expression.path.slice(-1));
      throw failure("syntax", "* stands where an expression is expected");
    case "variable":
      return variableNode(expression.name, expression.assigned, scope);
    case "setting": {
      const { name } = expression;
      const { dialect } = compiler;
      return {
        type: isNumberSetting(name, dialect) ? "int8" : "text",
        run: (env) => {
          const text = selectedSetting(name, plainText(env.work.setting(name) ?? ""), dialect);
          return isNumberSetting(name, dialect) ? whole(BigInt(text)) : text;
        },
        constant: true,
      };
    }
    case "unary":
      if (expression.operator === "not") return negation(compile(expression.operand), compiler);
      if (expression.operator === "+") return compile(expression.operand);
      return unary(expression.operator, compile(expression.operand), compiler);
    case "binary":
      return binaryNode(expression, scope);
    case "is":
      return (
        rowIsNull(expression, scope) ??
        isTest(compile(expression.operand), expression.what, expression.negated, compiler)
      );
    case "in":
      return inNode(expression, scope);
    case "between": {
      const operand = compile(expression.operand);
      const [low, high] = [compile(expression.low), compile(expression.high)];
      const within = (from: Node, to: Node): Node =>
        both(binary(">=", operand, from, compiler), binary("<=", operand, to, compiler), compiler);
      const test = expression.symmetric
        ? either(within(low, high), within(high, low), compiler)
        : within(low, high);
      return expression.negated ? negation(test, compiler) : test;
    }
    case "like": {
      if (expression.form === "similar") throw unsupported("SIMILAR TO");
      const test = like(
        compile(expression.operand),
        compile(expression.pattern),
        expression.escape && compile(expression.escape),
        expression.form === "ilike",
        compiler,
      );
      return expression.negated ? negation(test, compiler) : test;
    }
    case "quantified":
      return quantifiedNode(expression, scope);
    case "exists":
      return existsNode(expression.query, scope);
    case "query":
      return queryNode(expression.query, scope);
    case "array query":
      return arrayQueryNode(expression.query, scope);
    case "call":
      if (expression.name === "grouping" && grouping !== undefined)
        return groupingCall(expression, scope);
      return call(expression, scope);
    case "case":
      return caseNode(expression, scope);
    case "cast":
      return castNode(compile(expression.operand), expression.type, compiler);
    case "array":
      return arrayNode(expression.items.map(compile), compiler);
    case "subscript": {
      const operand = compile(expression.operand);
      const index = coerceNode(compile(expression.index), "int4", compiler);
      const element = elementOf(operand.type);
      if (element === undefined) {
        throw failure("typeMismatch", `cannot subscript type ${postgresName(operand.type)}`);
      }
      const { first = 1 } = operand.shape ?? {};
      return {
        type: element,
        constant: false,
        run: (env) => {
          const [list, at] = [operand.run(env), index.run(env)];
          return isList(list) && at !== null ? (list[Number(at) - first] ?? null) : null;
        },
      };
    }
    case "slice":
      return sliceNode(expression, scope);
    case "field": {
      const operand = compile(expression.operand);
      const at = operand.shape?.fields?.findIndex(({ name }) => name === expression.name) ?? -1;
      const field = operand.shape?.fields?.[at];
      if (field === undefined) {
        throw failure(
          "noColumn",
          `could not identify column "${expression.name}" in record data type`,
          {
            column: expression.name,
          },
        );
      }
      return {
        type: field.type,
        constant: false,
        run: (env) => {
          const row = operand.run(env);
          return isList(row) ? (row[at] ?? null) : null;
        },
      };
    }
    case "row": {
      const values = expression.values.map(compile);
      const fields = values.map(({ type }, at) => ({ name: `f${String(at + 1)}`, type }));
      return {
        type: "record",
        shape: { fields },
        constant: values.every((value) => value.constant),
        run: (env) => values.map((value) => value.run(env)),
      };
    }
    case "interval":
      return intervalNode(compile(expression.amount), expression.unit, compiler);
    case "collate":
      return collated(compile(expression.operand), expression.collation);
    case "proposed":
      return resolveColumn(scope, ["values()", expression.column]);
    case "default":
      throw failure("syntax", "DEFAULT is not allowed in this context");
    default:
      return expression satisfies never;
  }
}

function stringLiteral(text: string, compiler: Compiler): Node {
  if (!isPostgres(compiler)) return { ...constant("text", text), literal: text };
  return {
    ...constant("unknown", text),
    literal: text,
    coerce: (type) => {
      const convert = converter("unknown", type, compiler.dialect);
      if (convert === undefined)
        throw failure("typeMismatch", `'${text}' is no ${postgresName(type)}`);
      // PostgreSQL reads the literal when it plans the statement, so what is wrong with it is always told.
      return { ...constant(type, convert(text)), literal: text };
    },
  };
}

function parameter(number: number, compiler: Compiler): Node {
  const local = `$${number}`;
  const own = compiler.locals?.get(local);
  if (own !== undefined)
    return { type: own, run: (env) => env.work.locals?.get(local)?.value ?? null, constant: true };
  compiler.highestParameter = Math.max(compiler.highestParameter, number);
  const known = compiler.parameters.get(number);
  const typed = (type: SqlType): Node => ({
    type,
    run: (env) => env.work.parameter(number, type),
    constant: true,
  });
  if (known !== undefined) return typed(known);
  return {
    ...typed("unknown"),
    coerce: (type) => {
      const decided = compiler.parameters.get(number);
      if (decided === undefined) {
        if (type !== "unknown") compiler.parameters.set(number, type);
        return typed(type);
      }
      return convertNode(typed(decided), type, compiler);
    },
  };
}

function column(path: readonly string[], scope: Scope): Node {
  const [name = ""] = path;
  const alias = path.length === 1 ? scope.aliases.get(name) : undefined;
  if (alias === undefined) return resolveColumn(scope, path);
  // In MySQL a column of the relations goes before an alias, except in HAVING and ORDER BY, where both are the same.
  const { aliases } = scope;
  scope.aliases = new Map();
  const node = compileExpression(alias, scope);
  scope.aliases = aliases;
  return node;
}

type Of<Kind extends SqlExpression["kind"]> = Extract<SqlExpression, { readonly kind: Kind }>;

function binaryNode(expression: Of<"binary">, scope: Scope): Node {
  const { operator, left, right } = expression;
  const { compiler } = scope;
  if (left.kind === "row" && right.kind === "row") return rows(operator, left, right, scope);
  if (left.kind === "row" && right.kind === "query" && operator === "=") {
    return inQueryNode(left, right.query, false, scope);
  }
  const sides = [compileExpression(left, scope), compileExpression(right, scope)] as const;
  const [a, b] = [asName(sides[0], sides[1]), asName(sides[1], sides[0])];
  switch (operator) {
    case "and":
      return both(a, b, compiler);
    case "or":
      return either(a, b, compiler);
    case "xor":
      return oneOf(a, b, compiler);
    case "+":
    case "-":
      return dated(operator, a, b) ?? binary(operator, a, b, compiler);
    case "||":
      if (!isPostgres(compiler)) return either(a, b, compiler);
      return binary(operator, a, b, compiler);
    default:
      return binary(operator, a, b, compiler);
  }
}

/** An object of the catalogue beside a text is its name. */
function asName(node: Node, other: Node): Node {
  return node.shown !== undefined && isText(other.type) ? node.shown : node;
}

/** MySQL's `date + INTERVAL 1 DAY`. */
function dated(operator: "+" | "-", left: Node, right: Node): Node | undefined {
  if (left.dated !== undefined && operator === "+") return left.dated(right, 1);
  return right.dated?.(left, operator === "+" ? 1 : -1);
}

/** Rows are compared from left to right. */
function rows(operator: string, left: Of<"row">, right: Of<"row">, scope: Scope): Node {
  const { compiler } = scope;
  if (left.values.length !== right.values.length) {
    throw failure("operandColumns", "unequal number of entries in row expressions");
  }
  const pairs = left.values.map(
    (value, at) =>
      [
        compileExpression(value, scope),
        compileExpression(right.values[at] ?? { kind: "null" }, scope),
      ] as const,
  );
  const each = (which: string): Node =>
    pairs
      .map(([a, b]) => binary(which, a, b, compiler))
      .reduce((result, test) => both(result, test, compiler));
  if (operator === "=" || operator === "<=>") return each(operator);
  if (operator === "<>") return negation(each("="), compiler);
  const strictly = operator.startsWith("<") ? "<" : ">";
  if (!/^[<>]=?$/.test(operator)) throw unsupported(`rows under the operator ${operator}`);
  return pairs.reduceRight<Node>(
    (rest, [a, b]) =>
      either(
        binary(strictly, a, b, compiler),
        both(binary("=", a, b, compiler), rest, compiler),
        compiler,
      ),
    constant("bool", operator.endsWith("=")),
  );
}

/** A row is NULL when all of it is, and NOT NULL when nothing of it is. */
function rowIsNull(expression: Of<"is">, scope: Scope): Node | undefined {
  const { operand, what, negated } = expression;
  if (operand.kind !== "row" || what !== "null") return undefined;
  const tests = operand.values.map((value) =>
    isTest(compileExpression(value, scope), "null", negated, scope.compiler),
  );
  return tests.reduce((result, test) => both(result, test, scope.compiler));
}

function inNode(expression: Of<"in">, scope: Scope): Node {
  const { operand, values, negated } = expression;
  const { compiler } = scope;
  if (!Array.isArray(values)) {
    return "kind" in values ? inQueryNode(operand, values, negated, scope) : nullNode();
  }
  if (operand.kind === "row") {
    const tests = values.map((value: SqlExpression) => {
      if (value.kind !== "row") throw failure("operandColumns", "Operand should contain a row");
      return rows("=", operand, value, scope);
    });
    return any(tests, compiler, negated);
  }
  const left = compileExpression(operand, scope);
  const entries = values.map((tree: SqlExpression) => {
    return { tree, node: compileExpression(tree, scope) };
  });
  return (
    constantListNode(left, entries, compiler, negated) ??
    any(
      entries.map(({ node }) => binary("=", left, node, compiler)),
      compiler,
      negated,
    )
  );
}

/** Elements of an array from one number to another, counted from one anew. */
function sliceNode(expression: Of<"slice">, scope: Scope): Node {
  const operand = compileExpression(expression.operand, scope);
  if (elementOf(operand.type) === undefined)
    throw failure("typeMismatch", `cannot subscript type ${postgresName(operand.type)}`);
  const bound = (of: SqlExpression | undefined): Node | undefined =>
    of && coerceNode(compileExpression(of, scope), "int4", scope.compiler);
  const [from, to] = [bound(expression.from), bound(expression.to)];
  return {
    type: operand.type,
    constant: false,
    run: (env) => {
      const list = operand.run(env);
      const low = from === undefined ? 1 : from.run(env);
      const high = to === undefined && isList(list) ? list.length : (to?.run(env) ?? null);
      if (!isList(list) || low === null || high === null) return null;
      return list.slice(Math.max(Number(low) - 1, 0), Math.max(Number(high), 0));
    },
  };
}

function call(expression: SqlCall, scope: Scope): Node {
  const set = scope.sets.size === 0 ? undefined : scope.sets.get(textOfTree(expression));
  if (set !== undefined) return setValue(scope, set);
  if (expression.over !== undefined) return windowNode(expression, expression.over, scope);
  if (isAggregate(expression, scope.compiler)) return aggregateNode(expression, scope);
  return functionNode(expression, scope);
}

function caseNode(expression: Of<"case">, scope: Scope): Node {
  const { compiler } = scope;
  const subject = expression.subject && compileExpression(expression.subject, scope);
  const arms = expression.arms.map(({ when, then }) => {
    const condition = compileExpression(when, scope);
    const test = subject === undefined ? condition : binary("=", subject, condition, compiler);
    return { when: truth(test, compiler, "CASE/WHEN"), then: compileExpression(then, scope) };
  });
  const otherwise =
    expression.otherwise === undefined
      ? nullNode()
      : compileExpression(expression.otherwise, scope);
  return choice(arms, otherwise, compiler);
}

/** The type of a cast or of a declaration in the dialect at hand. */
export function declaredType(name: TypeName, compiler: Compiler): DeclaredType {
  return isPostgres(compiler)
    ? postgresType(name, (own) => ownType(compiler.catalog, own))
    : mysqlType(name);
}

/** An explicit cast: texts are cut to their length. */
export function castNode(operand: Node, name: TypeName, compiler: Compiler): Node {
  const kind = isPostgres(compiler) && !name.array ? objectKind(name.name) : undefined;
  if (kind !== undefined) return objectNumber(kind, operand, compiler, { missing: "error" });
  const declared = declaredType(name, compiler);
  const node = convertNode(operand, declared.type, compiler);
  const limit = limiter(isPostgres(compiler) ? declared : withoutLength(declared), true);
  const { origin: _column, ...rest } = node;
  // A value of the domain stays one, and be it the NULL of a row that is missing.
  const { domain } = declared;
  const isValue = domain !== undefined && operand.origin?.declared?.domain === domain;
  const check = isValue ? undefined : domainCheck(declared, compiler);
  return {
    ...rest,
    origin: { declared },
    run: (env) => {
      const value = limited(node.run(env), limit);
      check?.(value, env);
      return value;
    },
  };
}

function limited(
  value: ReturnType<Node["run"]>,
  limit: (value: ReturnType<Node["run"]>) => ReturnType<Node["run"]>,
): ReturnType<Node["run"]> {
  return value === null ? null : limit(value);
}

/** CAST(x AS CHAR) of MySQL takes any length. */
function withoutLength(declared: DeclaredType): DeclaredType {
  return declared.type === "bpchar" && declared.length === 1 ? { type: "text" } : declared;
}

function arrayNode(items: readonly Node[], compiler: Compiler): Node {
  if (items.length === 0) {
    return {
      ...constant("unknown", []),
      coerce: (type) => constant(type, []),
    };
  }
  const same = unify(items, compiler, "ARRAY");
  const type = same[0]?.type ?? "text";
  return {
    type: elementOf(type) === undefined ? arrayOf(type) : type,
    constant: items.every((item) => item.constant),
    run: (env) => same.map((item) => item.run(env)),
  };
}

/** INTERVAL n unit: a value that only stands beside a date. */
function intervalNode(amount: Node, unit: string, compiler: Compiler): Node {
  if (intervalOf(1, unit) === undefined) throw unsupported(`INTERVAL ... ${unit.toUpperCase()}`);
  const number = isNumeric(amount.type) ? amount : convertNode(amount, "float8", compiler);
  const count = convertNode(number, "float8", compiler);
  const by: Node = {
    type: "interval",
    constant: amount.constant,
    literal: /^(microsecond|second|minute|hour)$/.test(unit) ? "time" : "date",
    run: (env) => {
      const size = count.run(env);
      return size === null ? null : (intervalOf(Number(size), unit) ?? null);
    },
  };
  return { ...by, dated: (date, sign) => shiftedDate(date, by, sign) };
}

/** A collation that compares bytes is respected where texts are compared; others are what the dialect does anyway. */
function collated(operand: Node, collation: string): Node {
  if (/(^c$|^posix$|_bin$|^binary$|^default$|_ci$|^ucs_basic$)/i.test(collation)) {
    return /_bin$|^binary$/i.test(collation) ? { ...operand, type: "bytea" } : operand;
  }
  throw unsupported(`the collation ${collation}`);
}
