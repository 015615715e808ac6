// Operators on any types: comparisons, texts, patterns, JSON and arrays.
import { dictionary } from "../../protocol/dictionary";
import { failure, unsupported } from "../sqlError";
import { converter, mysqlText } from "../values/cast";
import { comparer, identity } from "../values/compare";
import { formatValue } from "../values/format";
import {
  formatJson,
  isJsonList,
  jsonContains,
  jsonStep,
  jsonText,
  mysqlPath,
  parseJson,
  type Json,
} from "../values/json";
import {
  arrayOf,
  elementOf,
  isJson,
  isNumeric,
  isTemporal,
  isText,
  widest,
  type SqlType,
} from "../values/types";
import { isList, type SqlValue } from "../values/value";
import { plainText } from "../values/text";
import { arithmetic, mysqlNumber, noOperator, strict } from "./arithmetic";
import { coerceNode, constant, isPostgres, defaultToText, type Compiler, type Node } from "./node";
import { isLike, regularExpression } from "./patterns";

const COMPARISONS = dictionary<(order: number) => boolean>({
  "=": (order) => order === 0,
  "<>": (order) => order !== 0,
  "!=": (order) => order !== 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
});

/** Two operands under an operator. */
export function binary(operator: string, left: Node, right: Node, compiler: Compiler): Node {
  const test = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (test !== undefined) {
    const { sides, compare } = comparable(operator, left, right, compiler);
    return strict("bool", sides[0], sides[1], (a, b) => test(compare(a, b)));
  }
  if (operator === "<=>" || operator === "is not distinct from") {
    return distinct(left, right, compiler, false);
  }
  if (operator === "is distinct from") return distinct(left, right, compiler, true);
  const special = isPostgres(compiler)
    ? postgresOperator(operator, left, right, compiler)
    : mysqlOperator(operator, left, right);
  if (special !== undefined) return special;
  const result = arithmetic(operator, left, right, compiler);
  if (result === undefined) throw unsupported(`the operator ${operator}`);
  return result;
}

/** Both sides brought to one type, and its order. */
export function comparable(
  operator: string,
  left: Node,
  right: Node,
  compiler: Compiler,
): {
  readonly sides: readonly [Node, Node];
  readonly compare: (a: SqlValue, b: SqlValue) => number;
} {
  const type = isPostgres(compiler)
    ? commonType([left, right])
    : mysqlComparisonType(left.type, right.type);
  if (type === undefined) throw noOperator(operator, left.type, right.type);
  if (type === "json") throw noOperator(operator, left.type, right.type);
  const to = (node: Node): Node => asType(node, type, compiler);
  const { labels } = left.origin?.declared ?? right.origin?.declared ?? {};
  return { sides: [to(left), to(right)], compare: comparer(type, compiler.dialect, labels) };
}

/** A node in the type in which it is compared, which in MySQL may take any conversion. */
export function asType(node: Node, type: SqlType, compiler: Compiler): Node {
  if (isPostgres(compiler)) return coerceNode(node, type, compiler);
  if (isNumeric(type)) {
    const number = mysqlNumber(node);
    if (number.type === type || type !== "float8") return number;
    const convert = converter(number.type, "float8", compiler.dialect);
    return convert === undefined
      ? number
      : { type, constant: number.constant, run: (env) => convert(number.run(env)) };
  }
  const convert = converter(node.type, type, compiler.dialect);
  if (convert === undefined || node.type === type) return node;
  return { type, constant: node.constant, run: (env) => convert(node.run(env)) };
}

/** The type to which PostgreSQL brings several expressions, in a comparison, CASE, UNION and the like. */
export function commonType(nodes: readonly Node[]): SqlType | undefined {
  let type: SqlType = "unknown";
  for (const node of nodes) {
    const wider = widest(type, node.type);
    if (wider === undefined) return undefined;
    type = wider;
  }
  return type === "unknown" ? "text" : type;
}

/** The type in which MySQL compares two operands. */
function mysqlComparisonType(left: SqlType, right: SqlType): SqlType {
  if (left === "bool" || right === "bool") {
    const other = left === "bool" ? right : left;
    if (other === "bool" || isNumeric(other)) return "numeric";
  }
  if (isNumeric(left) && isNumeric(right)) return widest(left, right) ?? "numeric";
  if (left === "unknown" || right === "unknown") return left === "unknown" ? right : left;
  if (isTemporal(left) || isTemporal(right)) {
    if (isNumeric(left) || isNumeric(right)) return "float8";
    if (left === right) return left;
    if (left === "time" || right === "time") return "time";
    return left === "date" && right === "date" ? "date" : "timestamp";
  }
  if (isNumeric(left) || isNumeric(right) || left === "bool" || right === "bool") return "float8";
  if (isJson(left) && isJson(right)) return "jsonb";
  return "text";
}

/** The type of a CASE, COALESCE or UNION in MySQL. */
export function mysqlCommonType(types: readonly SqlType[]): SqlType {
  let common: SqlType = "unknown";
  for (const each of types) {
    const type = each === "bool" ? "int8" : each === "int2" || each === "int4" ? "int8" : each;
    if (common === "unknown" || type === "unknown") common = common === "unknown" ? type : common;
    else common = widest(common, type) ?? "text";
  }
  return common === "unknown" ? "text" : common;
}

/** Several branches of one expression in their common type. */
export function unify(nodes: readonly Node[], compiler: Compiler, what: string): readonly Node[] {
  if (!isPostgres(compiler)) {
    const type = mysqlCommonType(nodes.map((node) => node.type));
    return nodes.map((node) => asValueOf(node, type, compiler));
  }
  const type = commonType(nodes);
  if (type === undefined) {
    const [first, ...others] = nodes;
    const other = others.find((node) => widest(first?.type ?? "text", node.type) === undefined);
    throw failure(
      "typeMismatch",
      `${what} types ${first?.type ?? ""} and ${other?.type ?? ""} cannot be matched`,
    );
  }
  return nodes.map((node) => coerceNode(node, type, compiler));
}

function asValueOf(node: Node, type: SqlType, compiler: Compiler): Node {
  if (node.type === type) return node;
  const convert = converter(node.type, type, compiler.dialect);
  return convert === undefined
    ? node
    : { type, constant: node.constant, run: (env) => convert(node.run(env)) };
}

function distinct(left: Node, right: Node, compiler: Compiler, negated: boolean): Node {
  const { sides, compare } = comparable("=", left, right, compiler);
  const [a, b] = sides;
  return {
    type: "bool",
    constant: a.constant && b.constant,
    run: (env) => {
      const [x, y] = [a.run(env), b.run(env)];
      const same = x === null || y === null ? x === y : compare(x, y) === 0;
      return same !== negated;
    },
  };
}

function postgresOperator(
  operator: string,
  left: Node,
  right: Node,
  compiler: Compiler,
): Node | undefined {
  switch (operator) {
    case "||":
      return concatenation(left, right, compiler);
    case "~":
    case "~*":
    case "!~":
    case "!~*": {
      const negated = operator.startsWith("!");
      const insensitive = operator.endsWith("*");
      const [a, b] = [
        coerceNode(defaultToText(left), "text", compiler),
        coerceNode(defaultToText(right), "text", compiler),
      ];
      return strict(
        "bool",
        a,
        b,
        (text, pattern) =>
          regularExpression(plainText(pattern), insensitive).test(plainText(text)) !== negated,
      );
    }
    case "->":
    case "->>":
      return isJson(left.type) ? jsonMember(operator, left, right, compiler) : undefined;
    case "#>":
    case "#>>":
      return strict(
        operator === "#>" ? "jsonb" : "text",
        left,
        coerceNode(right, "text[]", compiler),
        (value, path) => {
          let at: Json | undefined = parseJson(plainText(value));
          for (const step of isList(path) ? path : []) {
            at = at === undefined ? undefined : jsonStep(at, plainText(step));
          }
          return jsonResult(at, operator === "#>>");
        },
      );
    case "@>":
      return containment(operator, left, right, compiler);
    case "<@":
      return containment(operator, right, left, compiler);
    case "&&": {
      const element = elementOf(left.type) ?? elementOf(right.type);
      if (element === undefined) throw noOperator(operator, left.type, right.type);
      const { sides } = comparable("=", left, right, compiler);
      const names = (list: SqlValue): Set<string> => new Set(identitiesOf(list, element, compiler));
      return strict("bool", sides[0], sides[1], (a, b) => {
        const seen = names(a);
        return identitiesOf(b, element, compiler).some((each) => seen.has(each));
      });
    }
    case "?":
      if (!isJson(left.type)) return undefined;
      return strict("bool", left, coerceNode(right, "text", compiler), (value, key) => {
        const read = parseJson(plainText(value));
        if (read instanceof Map) return read.has(plainText(key));
        return Array.isArray(read) ? read.includes(plainText(key)) : read === key;
      });
    case "-":
      if (left.type !== "jsonb") return undefined;
      return strict(
        "jsonb",
        left,
        right.type === "unknown" ? coerceNode(right, "text", compiler) : right,
        (value, key) => {
          const read = parseJson(plainText(value));
          if (read instanceof Map) {
            return formatJson(new Map([...read].filter(([name]) => name !== plainText(key))));
          }
          if (!Array.isArray(read)) throw failure("badArgument", "cannot delete from scalar");
          const at = Number(key) < 0 ? read.length + Number(key) : Number(key);
          return formatJson(read.filter((_, index) => index !== at));
        },
      );
    default:
      return undefined;
  }
}

function identitiesOf(list: SqlValue, element: SqlType, compiler: Compiler): readonly string[] {
  return isList(list)
    ? list.filter((each) => each !== null).map((each) => identity(each, element, compiler.dialect))
    : [];
}

function containment(operator: string, outer: Node, inner: Node, compiler: Compiler): Node {
  if (isJson(outer.type) || isJson(inner.type)) {
    const [a, b] = [coerceNode(outer, "jsonb", compiler), coerceNode(inner, "jsonb", compiler)];
    return strict("bool", a, b, (left, right) => {
      const [x, y] = [parseJson(plainText(left)), parseJson(plainText(right))];
      return x !== undefined && y !== undefined && jsonContains(x, y);
    });
  }
  const element = elementOf(outer.type) ?? elementOf(inner.type);
  if (element === undefined) throw noOperator(operator, outer.type, inner.type);
  const { sides } = comparable("=", outer, inner, compiler);
  return strict("bool", sides[0], sides[1], (a, b) => {
    const seen = new Set(identitiesOf(a, element, compiler));
    const wanted = identitiesOf(b, element, compiler);
    return (!isList(b) || wanted.length === b.length) && wanted.every((each) => seen.has(each));
  });
}

function jsonMember(operator: string, left: Node, right: Node, compiler: Compiler): Node {
  const key = right.type === "unknown" ? coerceNode(right, "text", compiler) : right;
  const byPosition = key.type !== "text";
  const type = operator === "->>" ? "text" : left.type;
  return strict(type, left, key, (value, step) => {
    const read = parseJson(plainText(value));
    if (read === undefined || byPosition !== Array.isArray(read)) return null;
    return jsonResult(
      jsonStep(read, byPosition ? Number(step) : plainText(step)),
      operator === "->>",
    );
  });
}

function jsonResult(value: Json | undefined, asText: boolean): SqlValue {
  if (value === undefined) return null;
  return asText ? (jsonText(value) ?? null) : formatJson(value);
}

function concatenation(left: Node, right: Node, compiler: Compiler): Node {
  const [leftElement, rightElement] = [elementOf(left.type), elementOf(right.type)];
  if (leftElement !== undefined || rightElement !== undefined) {
    const type = arrayOf(leftElement ?? rightElement ?? "text");
    const element = leftElement ?? rightElement ?? "text";
    const joined = (node: Node, isArray: boolean): Node =>
      isArray || node.type === "unknown"
        ? coerceNode(node, type, compiler)
        : coerceNode(node, element, compiler);
    const a = joined(left, leftElement !== undefined);
    const b = joined(right, rightElement !== undefined);
    const items = (value: SqlValue, node: Node): readonly SqlValue[] =>
      node.type === type ? (isList(value) ? value : []) : [value];
    return {
      type,
      constant: a.constant && b.constant,
      run: (env) => [...items(a.run(env), a), ...items(b.run(env), b)],
    };
  }
  if (left.type === "jsonb" || right.type === "jsonb") {
    const [a, b] = [coerceNode(left, "jsonb", compiler), coerceNode(right, "jsonb", compiler)];
    return strict("jsonb", a, b, (x, y) =>
      joinJson(parseJson(plainText(x)), parseJson(plainText(y))),
    );
  }
  if (
    !isText(left.type) &&
    !isText(right.type) &&
    left.type !== "unknown" &&
    right.type !== "unknown"
  ) {
    throw noOperator("||", left.type, right.type);
  }
  const [a, b] = [textOf(defaultToText(left)), textOf(defaultToText(right))];
  return strict("text", a, b, (x, y) => plainText(x) + plainText(y));
}

function joinJson(left: Json | undefined, right: Json | undefined): SqlValue {
  if (left === undefined || right === undefined) return null;
  if (left instanceof Map && right instanceof Map) return formatJson(new Map([...left, ...right]));
  const items = (value: Json): readonly Json[] => (isJsonList(value) ? value : [value]);
  return formatJson([...items(left), ...items(right)]);
}

/** Any value as text, as `||` and concat() take it. */
export function textOf(node: Node): Node {
  if (isText(node.type) && node.type !== "bpchar") return node;
  const { type, run, constant } = node;
  return {
    type: "text",
    constant,
    run: (env) => {
      const value = run(env);
      if (value === null) return null;
      const shown = formatValue(value, type);
      return type === "bpchar" ? shown.replace(/ +$/, "") : shown;
    },
  };
}

function mysqlOperator(operator: string, left: Node, right: Node): Node | undefined {
  switch (operator) {
    case "||":
    case "concat":
      return strict(
        "text",
        left,
        right,
        (a, b) => mysqlText(a, left.type) + mysqlText(b, right.type),
      );
    case "regexp":
    case "rlike":
      return strict("bool", left, right, (text, pattern) =>
        regularExpression(plainText(pattern), true).test(mysqlText(text, left.type)),
      );
    case "->":
    case "->>": {
      const path = mysqlPath(right.literal ?? "");
      if (path === undefined) throw unsupported("a path into JSON that is not a plain literal");
      return jsonAt(left, path, operator === "->>");
    }
    default:
      return undefined;
  }
}

/** The value at a path inside a JSON text. */
export function jsonAt(node: Node, path: readonly (string | number)[], asText: boolean): Node {
  return {
    type: asText ? "text" : "json",
    constant: node.constant,
    run: (env) => {
      const value = node.run(env);
      if (value === null) return null;
      let at: Json | undefined = parseJson(plainText(value));
      for (const step of path) at = at === undefined ? undefined : jsonStep(at, step);
      if (at === undefined) return null;
      return asText ? (typeof at === "string" ? at : formatJson(at)) : formatJson(at);
    },
  };
}

/** LIKE in all its forms. */
export function like(
  left: Node,
  pattern: Node,
  escape: Node | undefined,
  insensitive: boolean,
  compiler: Compiler,
): Node {
  const ignoresCase = insensitive || !isPostgres(compiler);
  const prepared = (node: Node): Node => {
    const settledNode = defaultToText(node);
    if (!isPostgres(compiler)) return settledNode;
    if (!isText(settledNode.type)) throw noOperator("~~", left.type, pattern.type);
    return settledNode;
  };
  const [a, b] = [prepared(left), prepared(pattern)];
  const mark = escape === undefined ? constant("text", "\\") : defaultToText(escape);
  return strict("bool", a, b, (text, form, env) => {
    const character = mark.run(env);
    if (character === null) return null;
    return isLike(mysqlText(text, a.type), mysqlText(form, b.type), {
      escape: mysqlText(character, mark.type),
      insensitive: ignoresCase,
    });
  });
}
