// node-sql-parser's expressions in the AR. What is not understood becomes `unknown` with a reason.
import { TODAY } from "../currentDate";
import type {
  AggregateFunction,
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
  ValueType,
} from "../../../program/expression";
import { dictionary } from "../../../protocol/dictionary";
import { COMPARISONS, literal, ofRows } from "../expressions";
import { valueTypeOf } from "../pg/valueType";
import { calculatesWith } from "../terms";
import { child, children, identifier, isNode, text, type Node } from "./ast";
import { lose, resolveColumn, typeIn, type Scope, type Work } from "./scope";

/** Nesting limit, against stack overflow here and later. */
const DEEPEST = 300;

/** An expression of the tree. Never fails. */
export function lowerExpression(node: Node | undefined, scope: Scope, work: Work): Expression {
  if (work.depth.now >= DEEPEST) return lose(work, "an expression that is nested too deeply", []);
  work.depth.now++;
  const lowered = lowerNode(node, scope, work);
  work.depth.now--;
  return lowered;
}

function lowerNode(node: Node | undefined, scope: Scope, work: Work): Expression {
  if (node === undefined) return lose(work, "an expression that was not read", []);
  if (isNode(node["ast"])) return scalar(node, scope, work);
  switch (node["type"]) {
    case "number":
    case "bigint":
      return literal(Number(text(node, "value")));
    case "single_quote_string":
    case "string":
      return literal((text(node, "value") ?? "").replaceAll("''", "'"));
    case "bool":
      return literal(node["value"] === true);
    case "null":
      return literal(null);
    case "date":
    case "timestamp":
    case "time":
      return { kind: "literal", value: text(node, "value") ?? "", type: "time" };
    case "var":
      return placeholder(node, work);
    case "column_ref":
      return column(node, scope, work);
    case "binary_expr":
      return binary(node, scope, work);
    case "unary_expr":
      return unary(node, scope, work);
    case "function":
      return call(node, scope, work);
    case "aggr_func":
      return aggregate(node, scope, work);
    case "case":
      return caseOf(node, scope, work);
    case "cast":
      return cast(node, scope, work);
    case "expr_list": {
      const [only, ...others] = children(node, "value");
      return only !== undefined && others.length === 0
        ? lowerExpression(only, scope, work)
        : lose(work, "a row of values", lowerAll(children(node, "value"), scope, work));
    }
    case "extract": {
      const source = child(child(node, "args"), "source");
      return lose(work, "the function extract()", [lowerExpression(source, scope, work)]);
    }
    case "window_func":
      return ofRows(lose(work, `the window function ${text(node, "name") ?? ""}()`, []));
    default:
      return lose(work, `an expression of kind ${String(node["type"])}`, []);
  }
}

function lowerAll(nodes: readonly Node[], scope: Scope, work: Work): readonly Expression[] {
  return nodes.map((node) => lowerExpression(node, scope, work));
}

function scalar(node: Node, scope: Scope, work: Work): Expression {
  return { kind: "subquery", query: work.lowerQuery(child(node, "ast"), scope, work) };
}

function placeholder(node: Node, work: Work): Expression {
  if (node["prefix"] === "$$") return literal(text(node, "name") ?? "");
  const number = Number(text(node, "name"));
  const value = Number.isInteger(number) ? work.context.placeholder(number) : undefined;
  return value ?? lose(work, `the variable ${text(node, "name") ?? ""}`, []);
}

function column(node: Node, scope: Scope, work: Work): Expression {
  const name = identifier(node, "column") ?? "";
  return resolveColumn(identifier(node, "table"), name, scope, work);
}

/** An operator on dates, JSON and the like differs from that on numbers. */
function arithmetic(
  operator: ArithmeticOperator,
  left: Expression,
  right: Expression,
  scope: Scope,
  work: Work,
): Expression {
  const types = [typeIn(left, scope, work), typeIn(right, scope, work)];
  const strange = types.find((type) => !calculatesWith(operator, type));
  if (strange === undefined) return { kind: "arithmetic", operator, left, right };
  return lose(work, `the operator ${operator} on ${strange} values`, [left, right]);
}

function binary(node: Node, scope: Scope, work: Work): Expression {
  const operator = text(node, "operator") ?? "";
  if (operator === "AND" || operator === "OR") return junction(node, scope, work);
  const left = child(node, "left");
  const right = child(node, "right");
  const lower = (part: Node | undefined): Expression => lowerExpression(part, scope, work);
  const comparison = COMPARISONS[operator];
  if (comparison !== undefined) return compare(comparison, left, right, scope, work);
  switch (operator) {
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "||":
      return arithmetic(operator, lower(left), lower(right), scope, work);
    case "IS":
    case "IS NOT":
      return negatedIf(operator === "IS NOT", isTest(lower(left), right));
    case "IN":
    case "NOT IN":
      return negatedIf(operator === "NOT IN", isIn(left, right, scope, work));
    case "LIKE":
    case "NOT LIKE":
    case "ILIKE":
    case "NOT ILIKE":
      return negatedIf(operator.startsWith("NOT"), {
        kind: "like",
        operand: lower(left),
        pattern: lower(right),
        insensitive: operator.endsWith("ILIKE"),
      });
    case "BETWEEN":
    case "NOT BETWEEN":
      return negatedIf(operator === "NOT BETWEEN", between(left, right, scope, work));
    default: {
      const parts = [left, right].flatMap((part) => (part === undefined ? [] : [lower(part)]));
      return lose(work, `the operator ${operator}`, parts);
    }
  }
}

/**
 * AND and OR with the right precedence: node-sql-parser gives both the same, so that `a OR b AND c` comes as
 * `(a OR b) AND c`. Reading the leaves in the order of the text, up to real parentheses, gives it back.
 */
function junction(node: Node, scope: Scope, work: Work): Expression {
  const groups: Expression[][] = [[]];
  // An explicit stack: a chain of a thousand ORs is a tree as deep.
  const waiting: ("or" | Node | undefined)[] = [node];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (part === "or") {
      groups.push([]);
    } else if (isJunction(part) && (part === node || part["parentheses"] !== true)) {
      waiting.push(child(part, "right"));
      if (part["operator"] === "OR") waiting.push("or");
      waiting.push(child(part, "left"));
    } else {
      groups.at(-1)?.push(lowerExpression(part, scope, work));
    }
  }
  const conjunctions = groups.map((operands): Expression => join("and", operands));
  return join("or", conjunctions);
}

function isJunction(node: Node | undefined): node is Node {
  const operator = node?.["operator"];
  return node?.["type"] === "binary_expr" && (operator === "AND" || operator === "OR");
}

function join(kind: "and" | "or", operands: readonly Expression[]): Expression {
  const flat = operands.flatMap((each) => (each.kind === kind ? each.operands : [each]));
  const [first] = flat;
  return first !== undefined && flat.length === 1 ? first : { kind, operands: flat };
}

function negatedIf(negated: boolean, operand: Expression): Expression {
  return negated ? { kind: "not", operand } : operand;
}

function compare(
  operator: ComparisonOperator,
  left: Node | undefined,
  right: Node | undefined,
  scope: Scope,
  work: Work,
): Expression {
  const quantified = functionName(right);
  if (quantified === "any" || quantified === "some" || quantified === "all") {
    return quantifiedComparison(operator, quantified, left, right, scope, work);
  }
  const leftRow = rowOf(left);
  const rightRow = rowOf(right);
  if (leftRow !== undefined && rightRow !== undefined && operator === "=") {
    const pairs = leftRow.map((each, at): Expression => ({
      kind: "comparison",
      operator,
      left: lowerExpression(each, scope, work),
      right: lowerExpression(rightRow[at], scope, work),
    }));
    return join("and", pairs);
  }
  return {
    kind: "comparison",
    operator,
    left: lowerExpression(left, scope, work),
    right: lowerExpression(right, scope, work),
  };
}

function rowOf(node: Node | undefined): readonly Node[] | undefined {
  if (node?.["type"] !== "expr_list") return undefined;
  const parts = children(node, "value");
  return parts.length > 1 ? parts : undefined;
}

function quantifiedComparison(
  operator: ComparisonOperator,
  quantifier: string,
  left: Node | undefined,
  right: Node | undefined,
  scope: Scope,
  work: Work,
): Expression {
  const [set] = children(child(right, "args"), "value");
  const operand = lowerExpression(left, scope, work);
  const isAny = quantifier !== "all";
  if (isNode(set?.["ast"]) && isAny && operator === "=") {
    return { kind: "inQuery", operand, query: work.lowerQuery(child(set, "ast"), scope, work) };
  }
  if (set?.["type"] === "array") {
    const values = lowerAll(children(child(set, "expr_list"), "value"), scope, work);
    if (isAny && operator === "=") return { kind: "in", operand, values };
    if (!isAny && operator === "<>") {
      return { kind: "not", operand: { kind: "in", operand, values } };
    }
  }
  const dependsOn = set === undefined ? [] : [lowerExpression(set, scope, work)];
  return lose(work, `${operator} ${quantifier.toUpperCase()} of an array`, [operand, ...dependsOn]);
}

function isTest(operand: Expression, right: Node | undefined): Expression {
  if (right?.["type"] === "bool") {
    return { kind: "sameValue", left: operand, right: literal(right["value"] === true) };
  }
  return { kind: "isNull", operand };
}

function isIn(
  left: Node | undefined,
  right: Node | undefined,
  scope: Scope,
  work: Work,
): Expression {
  const operand = lowerExpression(left, scope, work);
  const values = children(right, "value");
  const [first] = values;
  if (values.length === 1 && isNode(first?.["ast"])) {
    return { kind: "inQuery", operand, query: work.lowerQuery(child(first, "ast"), scope, work) };
  }
  return { kind: "in", operand, values: lowerAll(values, scope, work) };
}

function between(
  left: Node | undefined,
  right: Node | undefined,
  scope: Scope,
  work: Work,
): Expression {
  const operand = lowerExpression(left, scope, work);
  const [from, to] = children(right, "value");
  const low = lowerExpression(from, scope, work);
  const high = lowerExpression(to, scope, work);
  return {
    kind: "and",
    operands: [
      { kind: "comparison", operator: ">=", left: operand, right: low },
      { kind: "comparison", operator: "<=", left: operand, right: high },
    ],
  };
}

function unary(node: Node, scope: Scope, work: Work): Expression {
  const operator = text(node, "operator") ?? "";
  const inner = child(node, "expr");
  if (operator === "EXISTS" || operator === "NOT EXISTS") {
    const query = work.lowerQuery(child(inner, "ast") ?? inner, scope, work);
    return negatedIf(operator === "NOT EXISTS", { kind: "exists", query });
  }
  const operand = lowerExpression(inner, scope, work);
  switch (operator) {
    case "NOT":
    case "!":
      return { kind: "not", operand };
    case "+":
      return operand;
    case "-":
      return operand.kind === "literal" && typeof operand.value === "number"
        ? literal(-operand.value)
        : { kind: "negate", operand };
    default:
      return lose(work, `the operator ${operator}`, [operand]);
  }
}

function functionName(node: Node | undefined): string | undefined {
  if (node?.["type"] !== "function") return undefined;
  return children(child(node, "name"), "name")
    .map((part) => text(part, "value") ?? "")
    .at(-1)
    ?.toLowerCase();
}

const EVALUATED = new Set(["greatest", "least", "abs", "lower", "upper", "length", "mod"]);

/** Functions that return a new value each time, with its type. */
const FRESH = dictionary<{
  readonly why: "sequence" | "uuid" | "now" | "random";
  readonly type: ValueType;
}>({
  nextval: { why: "sequence", type: "int" },
  gen_random_uuid: { why: "uuid", type: "text" },
  uuid_generate_v4: { why: "uuid", type: "text" },
  now: { why: "now", type: "time" },
  clock_timestamp: { why: "now", type: "time" },
  statement_timestamp: { why: "now", type: "time" },
  transaction_timestamp: { why: "now", type: "time" },
  current_timestamp: { why: "now", type: "time" },
  current_time: { why: "now", type: "time" },
  localtimestamp: { why: "now", type: "time" },
  random: { why: "random", type: "decimal" },
});

function call(node: Node, scope: Scope, work: Work): Expression {
  const name = functionName(node) ?? "";
  const nodes = children(child(node, "args"), "value");
  const [first] = nodes;
  if (name === "exists" && isNode(first?.["ast"])) {
    return { kind: "exists", query: work.lowerQuery(child(first, "ast"), scope, work) };
  }
  if (name === "current_date") return TODAY;
  const fresh = FRESH[name];
  if (fresh !== undefined) {
    const id = work.context.ids.fresh("f");
    return { kind: "fresh", id, type: fresh.type, why: fresh.why };
  }
  const values = lowerAll(nodes, scope, work);
  const [left, right] = values;
  if (name === "not" && left !== undefined) return { kind: "not", operand: left };
  if (name === "coalesce") return { kind: "coalesce", operands: values };
  if (name === "nullif" && left !== undefined && right !== undefined) {
    return {
      kind: "conditional",
      condition: { kind: "comparison", operator: "=", left, right },
      then: literal(null),
      otherwise: left,
    };
  }
  if (EVALUATED.has(name)) {
    return { kind: "call", name, arguments: values, deterministic: true };
  }
  return lose(work, `the function ${name}()`, values, "outside");
}

const AGGREGATES = dictionary<AggregateFunction>({
  count: "count",
  sum: "sum",
  min: "min",
  max: "max",
  avg: "avg",
});

function aggregate(node: Node, scope: Scope, work: Work): Expression {
  const name = (text(node, "name") ?? "").toLowerCase();
  const kind = AGGREGATES[name] ?? "other";
  const args = child(node, "args");
  const argument = child(args, "expr");
  if (isNode(node["over"])) return ofRows(lose(work, `the window function ${name}()`, []));
  const distinct = args?.["distinct"] === "DISTINCT";
  if (kind === "other" || isNode(node["filter"])) {
    const why = kind === "other" ? `the aggregate ${name}()` : "an aggregate with FILTER";
    work.taint.push({ effect: "over", reason: why, source: work.source });
  }
  const isStar =
    argument === undefined || argument["type"] === "star" || argument["column"] === "*";
  if (isStar) return { kind: "aggregate", function: kind, distinct };
  const operand = lowerExpression(argument, scope, work);
  return { kind: "aggregate", function: kind, operand, distinct };
}

function caseOf(node: Node, scope: Scope, work: Work): Expression {
  const subject = child(node, "expr");
  let result: Expression = literal(null);
  for (const arm of children(node, "args").toReversed()) {
    const then = lowerExpression(child(arm, "result"), scope, work);
    if (arm["type"] === "else") {
      result = then;
      continue;
    }
    const tested = lowerExpression(child(arm, "cond"), scope, work);
    const condition: Expression =
      subject === undefined
        ? tested
        : {
            kind: "comparison",
            operator: "=",
            left: lowerExpression(subject, scope, work),
            right: tested,
          };
    result = { kind: "conditional", condition, then, otherwise: result };
  }
  return result;
}

/** A cast that keeps the value, judged by types; parameters have the type of their use. */
function cast(node: Node, scope: Scope, work: Work): Expression {
  const operand = lowerExpression(child(node, "expr"), scope, work);
  const [target] = children(node, "target");
  const name = (text(target, "dataType") ?? "").toLowerCase();
  const to = valueTypeOf(name);
  const from = typeIn(operand, scope, work);
  const rounds = to === "decimal" && target?.["scale"] !== undefined && target["scale"] !== null;
  const keeps = from === to ? !rounds : from === "int" && to === "decimal";
  if (from === undefined || keeps) return operand;
  return lose(work, `the cast from ${from} to ${name}`, [operand]);
}
