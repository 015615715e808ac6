// `+ - * / % ^` and the operators on bits, on numbers, dates, times and intervals.
import { failure } from "../sqlError";
import { converter, numberOf } from "../values/cast";
import {
  addDecimals,
  decimal,
  divideDecimals,
  isDecimal,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  quotientScale,
  remainderOf,
  rescale,
  toDecimal,
  truncate,
  type Decimal,
} from "../values/decimal";
import {
  addInterval,
  addIntervals,
  DAY,
  formatClock,
  formatDay,
  formatMoment,
  interval,
  microsOf,
  momentOf,
  negateInterval,
  parseClock,
  parseDay,
  scaleInterval,
} from "../values/temporal";
import {
  isFloat,
  isInteger,
  isNumeric,
  isTemporal,
  postgresName,
  widest,
  type SqlType,
} from "../values/types";
import { isInterval, type Interval, type SqlValue } from "../values/value";
import { checkedWhole, computeWhole, whole, type WholeOperation } from "../values/wholes";
import { plainText } from "../values/text";
import { coerceNode, isPostgres, type Compiler, type Env, type Node } from "./node";

/** A binary operator whose result is a number, a time or an interval; undefined for other operators. */
export function arithmetic(
  operator: string,
  left: Node,
  right: Node,
  compiler: Compiler,
): Node | undefined {
  if (!OPERATORS.has(operator)) return undefined;
  return isPostgres(compiler)
    ? (timeArithmetic(operator, left, right, compiler) ??
        postgresArithmetic(operator, left, right, compiler))
    : mysqlArithmetic(operator, left, right);
}

const OPERATORS = new Set(["+", "-", "*", "/", "%", "^", "&", "|", "#", "<<", ">>", "div"]);

/** A node of two operands that is NULL when one of them is. */
export function strict(
  type: SqlType,
  left: Node,
  right: Node,
  compute: (left: SqlValue, right: SqlValue, env: Env) => SqlValue,
): Node {
  return {
    type,
    constant: left.constant && right.constant,
    run: (env) => {
      const a = left.run(env);
      if (a === null) return null;
      const b = right.run(env);
      return b === null ? null : compute(a, b, env);
    },
  };
}

export function noOperator(operator: string, left: SqlType, right: SqlType): Error {
  return failure(
    "noFunction",
    `operator does not exist: ${postgresName(left)} ${operator} ${postgresName(right)}`,
  );
}

function postgresArithmetic(operator: string, left: Node, right: Node, compiler: Compiler): Node {
  const common =
    left.type === "unknown" && right.type === "unknown" ? undefined : widest(left.type, right.type);
  if (common === undefined || !isNumeric(common)) throw noOperator(operator, left.type, right.type);
  // Shifts have a left operand of any size.
  if (operator === "<<" || operator === ">>") {
    if (!isInteger(left.type)) throw noOperator(operator, left.type, right.type);
    return wholes(operator, left.type, left, coerceNode(right, "int4", compiler), true);
  }
  const [a, b] = [coerceNode(left, common, compiler), coerceNode(right, common, compiler)];
  if (operator === "^") {
    return power(common, a, b, compiler);
  }
  const isWhole = operator === "&" || operator === "|" || operator === "#";
  if (isInteger(common)) return wholes(wholeOperation(operator), common, a, b, true);
  if (isWhole || operator === "div") throw noOperator(operator, left.type, right.type);
  return common === "numeric"
    ? decimals(operator, a, b, true)
    : floats(operator, common, a, b, true);
}

function wholeOperation(operator: string): WholeOperation {
  switch (operator) {
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "&":
    case "|":
    case "#":
    case "<<":
    case ">>":
      return operator;
    default:
      throw failure("noFunction", `operator does not exist: ${operator}`);
  }
}

function power(type: SqlType, left: Node, right: Node, compiler: Compiler): Node {
  const isExact = type === "numeric";
  const [a, b] = isExact
    ? [left, right]
    : [coerceNode(left, "float8", compiler), coerceNode(right, "float8", compiler)];
  return strict(isExact ? "numeric" : "float8", a, b, (base, exponent) => {
    if (!isDecimal(base) || !isDecimal(exponent)) return Number(base) ** Number(exponent);
    return powerOfDecimals(base, exponent);
  });
}

/** A power with PostgreSQL's 16 digits; whole exponents are exact before that. */
export function powerOfDecimals(base: Decimal, exponent: Decimal): Decimal {
  const whole = truncate(exponent, 0);
  if (
    whole.units >= 0n &&
    whole.units < 200n &&
    rescale(whole, exponent.scale).units === exponent.units
  ) {
    const exact = decimal(base.units ** whole.units, base.scale * Number(whole.units));
    return rescale(exact, Math.max(16 - leadingDigits(exact), base.scale, 0));
  }
  const float = Number(base.units) / 10 ** base.scale;
  const power = float ** (Number(exponent.units) / 10 ** exponent.scale);
  return rescale(toDecimal(power), 16);
}

/** How many digits stand before the point, in groups of four as PostgreSQL counts them. */
function leadingDigits({ units, scale }: Decimal): number {
  const digits = (units < 0n ? -units : units).toString().length - scale;
  return digits <= 0 ? 0 : Math.floor((digits - 1) / 4) * 4;
}

/** `fails`: division by zero is an error in any statement. */
function wholes(
  operator: WholeOperation,
  type: SqlType,
  left: Node,
  right: Node,
  fails: boolean,
): Node {
  const divides = operator === "/" || operator === "%";
  return strict(type, left, right, (a, b, env) => {
    if (!isWholeValue(a) || !isWholeValue(b)) return null;
    if (divides && Number(b) === 0) return byZero(fails, env);
    return checkedWhole(computeWhole(operator, a, b), type);
  });
}

function isWholeValue(value: SqlValue): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** NULL in a query of MySQL, an error elsewhere. */
function byZero(fails: boolean, env: Env): null {
  if (!fails && !env.work.changes) {
    env.work.warn({ level: "Warning", code: 1365, message: "Division by 0" });
    return null;
  }
  throw failure("divisionByZero", fails ? "division by zero" : "Division by 0");
}

function decimals(operator: string, left: Node, right: Node, fails: boolean): Node {
  return strict("numeric", left, right, (a, b, env) => {
    const [x, y] = [asDecimal(a), asDecimal(b)];
    switch (operator) {
      case "+":
        return addDecimals(x, y);
      case "-":
        return addDecimals(x, negateDecimal(y));
      case "*":
        return multiplyDecimals(x, y);
      case "/":
        if (y.units === 0n) return byZero(fails, env);
        return divideDecimals(x, y, fails ? quotientScale(x, y) : x.scale + 4);
      default:
        return y.units === 0n ? byZero(fails, env) : remainderOf(x, y);
    }
  });
}

function asDecimal(value: SqlValue): Decimal {
  if (isDecimal(value)) return value;
  return typeof value === "number" || typeof value === "bigint" ? toDecimal(value) : decimal(0n, 0);
}

function floats(operator: string, type: SqlType, left: Node, right: Node, fails: boolean): Node {
  return strict(type, left, right, (a, b, env) => {
    const [x, y] = [Number(a), Number(b)];
    if ((operator === "/" || operator === "%") && y === 0) return byZero(fails, env);
    const result = onFloats(operator, x, y);
    if (!Number.isFinite(result) && Number.isFinite(x) && Number.isFinite(y)) {
      throw failure("valueOutOfRange", "value out of range: overflow");
    }
    return type === "float4" ? Math.fround(result) : result;
  });
}

function onFloats(operator: string, x: number, y: number): number {
  switch (operator) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return x / y;
    default:
      return x % y;
  }
}

/** Numbers of MySQL: whole ones stay whole except under `/`, texts count as floats. */
function mysqlArithmetic(operator: string, left: Node, right: Node): Node {
  const [a, b] = [mysqlNumber(left), mysqlNumber(right)];
  const wholeNumbers = isInteger(a.type) && isInteger(b.type);
  if (BITS.has(operator)) return bits(operator, a, b);
  if (operator === "div") {
    if (wholeNumbers) return wholes("/", widest(a.type, b.type) ?? "int8", a, b, false);
    const quotient = decimals("/", a, b, false);
    return {
      ...quotient,
      type: "int8",
      run: (env) => {
        const result = quotient.run(env);
        return isDecimal(result) ? whole(truncate(result, 0).units) : result;
      },
    };
  }
  if (isFloat(a.type) || isFloat(b.type)) {
    return floats(operator, "float8", numbered(a), numbered(b), false);
  }
  if (operator === "/") return decimals("/", a, b, false);
  if (!wholeNumbers) return decimals(operator, a, b, false);
  const type = a.type === "uint8" || b.type === "uint8" ? "uint8" : "int8";
  return wholes(wholeOperation(operator), type, a, b, false);
}

const BITS = new Set(["&", "|", "^", "<<", ">>"]);

/** MySQL computes bits on unsigned numbers of 64 bits. */
function bits(operator: string, left: Node, right: Node): Node {
  return strict("uint8", left, right, (a, b) => {
    const [x, y] = [unsigned(a), unsigned(b)];
    const operation = operator === "^" ? "#" : wholeOperation(operator);
    return whole(BigInt.asUintN(64, BigInt(computeWhole(operation, whole(x), whole(y)))));
  });
}

function unsigned(value: SqlValue): bigint {
  const rounded = isDecimal(value) ? rescale(value, 0).units : BigInt(Math.round(Number(value)));
  return BigInt.asUintN(64, typeof value === "bigint" ? value : rounded);
}

/** A node as a number: truth values are 1 and 0, texts floats. */
export function mysqlNumber(node: Node): Node {
  const { type, run, constant } = node;
  if (type === "bool") {
    return {
      type: "int8",
      constant,
      run: (env) => {
        const value = run(env);
        return value === null ? null : Number(value);
      },
    };
  }
  if (isNumeric(type)) return node;
  if (isTemporal(type)) {
    return {
      type: "int8",
      constant,
      run: (env) => numberOf(run(env), type),
    };
  }
  return { type: "float8", constant, run: (env) => numberOf(run(env), type) };
}

function numbered(node: Node): Node {
  const convert = converter(node.type, "float8", "mysql");
  return convert === undefined ? node : { ...node, run: (env) => convert(node.run(env)) };
}

/** `-x` and `~x`. */
export function unary(operator: "-" | "~", operand: Node, compiler: Compiler): Node {
  const node = isPostgres(compiler)
    ? operand.type === "unknown"
      ? coerceNode(operand, "float8", compiler)
      : operand
    : mysqlNumber(operand);
  if (operator === "~") {
    const flip = (value: SqlValue): SqlValue => {
      if (!isWholeValue(value)) return null;
      return isPostgres(compiler)
        ? whole(~BigInt(value))
        : whole(BigInt.asUintN(64, ~BigInt(value)));
    };
    return {
      type: isPostgres(compiler) ? node.type : "uint8",
      constant: node.constant,
      run: (env) => flip(node.run(env)),
    };
  }
  const { type } = node;
  if (!isNumeric(type) && type !== "interval") {
    throw failure("noFunction", `operator does not exist: - ${postgresName(type)}`);
  }
  const result = type === "uint8" ? "int8" : type;
  return {
    type: result,
    constant: node.constant,
    run: (env) => {
      const value = node.run(env);
      if (isWholeValue(value)) {
        if (isFloat(type)) return -Number(value);
        return checkedWhole(computeWhole("-", 0, value), result);
      }
      if (isDecimal(value)) return negateDecimal(value);
      return isInterval(value) ? negateInterval(value) : value;
    },
  };
}

/** Dates, times and intervals of PostgreSQL; undefined when none takes part. */
function timeArithmetic(
  operator: string,
  left: Node,
  right: Node,
  compiler: Compiler,
): Node | undefined {
  const [a, b] = timeOperands(operator, left, right, compiler);
  const isTime = (type: SqlType): boolean => isTemporal(type) || type === "interval";
  if (!isTime(a.type) && !isTime(b.type)) return undefined;
  if (operator === "+" && !isTemporal(a.type) && isTemporal(b.type)) {
    return timeArithmetic("+", b, a, compiler);
  }
  if (operator === "*" && b.type === "interval") return timeArithmetic("*", b, a, compiler);
  const sign = operator === "-" ? -1 : 1;
  if (operator === "+" || operator === "-") {
    if (b.type === "interval") {
      const signed = (by: SqlValue): Interval =>
        isInterval(by) ? (sign < 0 ? negateInterval(by) : by) : interval(0, 0, 0);
      if (a.type === "interval") {
        return strict("interval", a, b, (x, y) =>
          isInterval(x) ? addIntervals(x, signed(y)) : null,
        );
      }
      if (a.type === "time") {
        return strict("time", a, b, (x, y) => {
          const total = (parseClock(plainText(x))?.micros ?? 0) + signed(y).micros;
          return formatClock(((total % DAY) + DAY) % DAY);
        });
      }
      const type = a.type === "date" ? "timestamp" : a.type;
      return strict(type, a, b, (x, y) =>
        formatMoment(addInterval(momentOf(plainText(x)), signed(y))),
      );
    }
    if (a.type === "date" && isInteger(b.type)) {
      return strict("date", a, b, (x, y) =>
        formatDay((parseDay(plainText(x)) ?? 0) + sign * Number(y)),
      );
    }
    if (operator === "-" && a.type === "date" && b.type === "date") {
      return strict(
        "int4",
        a,
        b,
        (x, y) => (parseDay(plainText(x)) ?? 0) - (parseDay(plainText(y)) ?? 0),
      );
    }
    if (operator === "-" && isTemporal(a.type) && isTemporal(b.type) && a.type !== "time") {
      return strict("interval", a, b, (x, y) => {
        const micros = microsOf(momentOf(plainText(x))) - microsOf(momentOf(plainText(y)));
        const days = Math.trunc(micros / DAY);
        return interval(0, days, micros - days * DAY);
      });
    }
    if (operator === "+" && a.type === "date" && b.type === "time") {
      return strict("timestamp", a, b, (x, y) => `${plainText(x)} ${plainText(y)}`);
    }
  }
  if ((operator === "*" || operator === "/") && a.type === "interval" && isNumeric(b.type)) {
    const factor = coerceNode(b, "float8", compiler);
    return strict("interval", a, factor, (x, y) => {
      if (operator === "/" && y === 0) throw failure("divisionByZero", "division by zero");
      return isInterval(x) ? scaleInterval(x, operator === "*" ? Number(y) : 1 / Number(y)) : null;
    });
  }
  throw noOperator(operator, a.type, b.type);
}

/** A literal beside a time is one of the same type under `-`, and an interval under `+`. */
function timeOperands(
  operator: string,
  left: Node,
  right: Node,
  compiler: Compiler,
): readonly [Node, Node] {
  const beside = (other: SqlType): SqlType => {
    if (other === "interval") return operator === "+" || operator === "-" ? "interval" : "float8";
    if (other === "date" && operator === "+") return "int4";
    return operator === "+" ? "interval" : other;
  };
  const isTime = (type: SqlType): boolean => isTemporal(type) || type === "interval";
  if (left.type === "unknown" && isTime(right.type)) {
    return [coerceNode(left, beside(right.type), compiler), right];
  }
  if (right.type === "unknown" && isTime(left.type)) {
    return [left, coerceNode(right, beside(left.type), compiler)];
  }
  return [left, right];
}

/** A number as it is written: the smallest integer type of PostgreSQL that holds it, or a decimal. */
export function numberLiteral(
  text: string,
  compiler: Compiler,
): { readonly type: SqlType; readonly value: SqlValue } {
  const postgres = isPostgres(compiler);
  if (/^-?\d+$/.test(text)) {
    const value = whole(BigInt(text));
    if (postgres && value <= 2147483647 && value >= -2147483648) return { type: "int4", value };
    if (value <= 2n ** 63n - 1n) return { type: "int8", value };
    if (!postgres && value <= 2n ** 64n - 1n) return { type: "uint8", value };
  }
  if (/^0x[0-9a-f]+$/i.test(text)) return { type: "int8", value: whole(BigInt(text)) };
  if (/e/i.test(text) && !postgres) return { type: "float8", value: Number(text) };
  const value = parseDecimal(text);
  if (value === undefined) throw failure("syntax", `${text} is not a number`);
  return { type: "numeric", value };
}
