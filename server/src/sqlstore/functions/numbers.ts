// Functions on numbers, and choices between values that work on numbers as on all else.
import { commonType, comparable, mysqlCommonType, unify } from "../compile/operators";
import { choice, isTest } from "../compile/logic";
import { mysqlNumber, powerOfDecimals } from "../compile/arithmetic";
import {
  constant,
  convertNode,
  isPostgres,
  defaultToText,
  truth,
  type Compiler,
  type Node,
} from "../compile/node";
import { failure } from "../sqlError";
import {
  decimal,
  isDecimal,
  negateDecimal,
  remainderOf,
  rescale,
  toDecimal,
  truncate,
} from "../values/decimal";
import { comparer } from "../values/compare";
import { isFloat, isInteger, isNumeric, type SqlType } from "../values/types";
import type { SqlValue } from "../values/value";
import { whole } from "../values/wholes";
import {
  computeNode,
  integer,
  only,
  plain,
  tableOf,
  type FunctionTable,
  type MakeCall,
} from "./define";

export const NUMBERS: FunctionTable = tableOf({
  abs: keeping((value) =>
    isDecimal(value)
      ? value.units < 0n
        ? negateDecimal(value)
        : value
      : typeof value === "bigint"
        ? value < 0n
          ? -value
          : value
        : Math.abs(Number(value)),
  ),
  "ceil ceiling": rounding((value) => {
    const cut = truncate(value, 0);
    return cut.units * 10n ** BigInt(value.scale) < value.units ? decimal(cut.units + 1n, 0) : cut;
  }, Math.ceil),
  floor: rounding((value) => {
    const cut = truncate(value, 0);
    return cut.units * 10n ** BigInt(value.scale) > value.units ? decimal(cut.units - 1n, 0) : cut;
  }, Math.floor),
  round: round(rescale, (value, postgres) => (postgres ? halfToEven(value) : halfAway(value))),
  "trunc truncate": round(truncate, (value) => Math.trunc(value)),
  mod: (args, compiler) => {
    const [left, right] = args;
    if (left === undefined || right === undefined || args.length > 2) return undefined;
    return modulo(left, right, compiler);
  },
  "power pow": [
    only("postgres", (args, compiler) =>
      args.length === 2 &&
      args.some((node) => node.type === "numeric") &&
      !args.some((node) => isFloat(node.type))
        ? computeNode(
            "numeric",
            args.map((node) => convertNode(node, "numeric", compiler)),
            compiler,
            ([a = null, b = null]) => (isDecimal(a) && isDecimal(b) ? powerOfDecimals(a, b) : null),
          )
        : undefined,
    ),
    plain("float8", ["float8", "float8"], ([base, exponent]) => Number(base) ** Number(exponent)),
  ],
  sqrt: [
    plain("float8", ["float8"], ([value], _env, compiler) => {
      if (Number(value) >= 0) return Math.sqrt(Number(value));
      if (!isPostgres(compiler)) return null;
      throw failure("badArgument", "cannot take square root of a negative number");
    }),
  ],
  exp: plain("float8", ["float8"], ([value]) => Math.exp(Number(value))),
  ln: plain("float8", ["float8"], ([value]) => Math.log(Number(value))),
  sign: plain("float8", ["float8"], ([value]) => Math.sign(Number(value))),
  pi: plain("float8", [], () => Math.PI),
  random: only(
    "postgres",
    plain("float8", [], (_args, env) => env.work.random()),
  ),
  rand: only(
    "mysql",
    plain("float8", ["int8"], (_args, env) => env.work.random(), { least: 0 }),
  ),
  coalesce: (args, compiler) => coalesce(args, compiler),
  ifnull: only("mysql", (args, compiler) =>
    args.length === 2 ? coalesce(args, compiler) : undefined,
  ),
  nullif: (args, compiler) => {
    const [left, right] = args;
    if (left === undefined || right === undefined || args.length > 2) return undefined;
    const { sides, compare } = comparable("=", left, right, compiler);
    const value = defaultToText(left);
    return {
      type: value.type,
      constant: false,
      run: (env) => {
        const [a, b] = [sides[0].run(env), sides[1].run(env)];
        return a !== null && b !== null && compare(a, b) === 0 ? null : value.run(env);
      },
    };
  },
  if: only("mysql", (args, compiler) => {
    const [condition, then, otherwise] = args;
    if (condition === undefined || then === undefined || otherwise === undefined) return undefined;
    return choice([{ when: truth(condition, compiler, "IF"), then }], otherwise, compiler);
  }),
  isnull: only("mysql", ([value], compiler) =>
    value === undefined ? undefined : isTest(value, "null", false, compiler),
  ),
  greatest: extreme(1),
  least: extreme(-1),
  div: only(
    "postgres",
    plain("numeric", ["numeric", "numeric"], ([a = null, b = null]) => {
      if (!isDecimal(a) || !isDecimal(b)) return null;
      if (b.units === 0n) throw failure("divisionByZero", "division by zero");
      const scale = Math.max(a.scale, b.scale);
      return decimal(rescale(a, scale).units / rescale(b, scale).units, 0);
    }),
  ),
  cardinality: plain("int4", ["text[]"], ([list]) => (Array.isArray(list) ? list.length : 0)),
  bit_count: only(
    "mysql",
    plain(
      "int8",
      ["int8"],
      ([value]) => [...BigInt(integer(value)).toString(2)].filter((bit) => bit === "1").length,
    ),
  ),
});

function modulo(left: Node, right: Node, compiler: Compiler): Node {
  const prepared = (node: Node): Node => (isPostgres(compiler) ? node : mysqlNumber(node));
  const [a, b] = [prepared(left), prepared(right)];
  const type = commonType([a, b]) ?? "numeric";
  const exact = isInteger(type) ? type : "numeric";
  const nodes = [convertNode(a, "numeric", compiler), convertNode(b, "numeric", compiler)];
  return computeNode(exact, nodes, compiler, ([x = null, y = null]) => {
    if (!isDecimal(x) || !isDecimal(y)) return null;
    if (y.units === 0n) {
      if (!isPostgres(compiler)) return null;
      throw failure("divisionByZero", "division by zero");
    }
    const rest = remainderOf(x, y);
    return isInteger(exact) ? whole(rest.units) : rest;
  });
}

/** A function of one number that gives the same type. */
function keeping(compute: (value: SqlValue) => SqlValue): MakeCall {
  return (args, compiler) => {
    const [given] = args;
    if (given === undefined || args.length > 1) return undefined;
    const node = numeric(given, compiler);
    return node && computeNode(node.type, [node], compiler, ([value = null]) => compute(value));
  };
}

function numeric(node: Node, compiler: Compiler): Node | undefined {
  if (!isPostgres(compiler)) return mysqlNumber(node);
  if (node.type === "unknown") return convertNode(node, "float8", compiler);
  return isNumeric(node.type) ? node : undefined;
}

function rounding(
  exact: (value: ReturnType<typeof toDecimal>) => SqlValue,
  float: (value: number) => number,
): MakeCall {
  return (args, compiler) => {
    const [given] = args;
    const node = given && numeric(given, compiler);
    if (node === undefined || args.length > 1) return undefined;
    if (isFloat(node.type)) {
      return computeNode("float8", [node], compiler, ([value]) => float(Number(value)));
    }
    // Whole numbers become floats in PostgreSQL, and stay what they are in MySQL.
    if (isInteger(node.type)) {
      const type: SqlType = isPostgres(compiler) ? "float8" : node.type;
      return computeNode(type, [node], compiler, ([value = null]) =>
        isPostgres(compiler) ? Number(value) : value,
      );
    }
    const type: SqlType = isPostgres(compiler) ? "numeric" : "int8";
    return computeNode(type, [node], compiler, ([value = null]) => {
      const result = isDecimal(value) ? exact(value) : value;
      return type === "int8" && isDecimal(result) ? whole(result.units) : result;
    });
  };
}

function round(
  exact: typeof rescale,
  float: (value: number, postgres: boolean) => number,
): MakeCall {
  return (args, compiler) => {
    const [given, digits] = args;
    const node = given && numeric(given, compiler);
    if (node === undefined || args.length > 2) return undefined;
    const count =
      digits === undefined ? constant("int4", 0) : convertNode(digits, "int4", compiler);
    const postgres = isPostgres(compiler);
    if (isFloat(node.type)) {
      if (postgres && digits !== undefined) return undefined;
      return computeNode("float8", [node, count], compiler, ([value, places]) => {
        const factor = 10 ** integer(places);
        return float(Number(value) * factor, postgres) / factor;
      });
    }
    if (isInteger(node.type) && !postgres) {
      return computeNode(node.type, [node, count], compiler, ([value = null, places]) => {
        if (integer(places) >= 0 || (typeof value !== "number" && typeof value !== "bigint"))
          return value;
        return whole(exact(toDecimal(value), integer(places)).units);
      });
    }
    if (isInteger(node.type) && digits === undefined) {
      return computeNode("float8", [node], compiler, ([value]) => Number(value));
    }
    const source = convertNode(node, "numeric", compiler);
    return computeNode("numeric", [source, count], compiler, ([value = null, places]) => {
      if (!isDecimal(value)) return value;
      const most = integer(places);
      // MySQL adds no digits.
      if (!postgres && most >= value.scale) return value;
      return exact(value, most);
    });
  };
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

function halfAway(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function coalesce(args: readonly Node[], compiler: Compiler): Node | undefined {
  if (args.length === 0) return undefined;
  const nodes = unify(args, compiler, "COALESCE");
  const [first] = nodes;
  return {
    type: first?.type ?? "text",
    constant: nodes.every((node) => node.constant),
    run: (env) => {
      for (const node of nodes) {
        const value = node.run(env);
        if (value !== null) return value;
      }
      return null;
    },
  };
}

/** GREATEST and LEAST: PostgreSQL leaves NULLs out, MySQL gives NULL. */
function extreme(sign: 1 | -1): MakeCall {
  return (args, compiler) => {
    if (args.length === 0) return undefined;
    const nodes = unify(args, compiler, sign > 0 ? "GREATEST" : "LEAST");
    const type = isPostgres(compiler)
      ? (nodes[0]?.type ?? "text")
      : mysqlCommonType(args.map((node) => node.type));
    const compare = comparer(type, compiler.dialect);
    return computeNode(
      type,
      nodes,
      compiler,
      (values) => {
        const known = values.filter((value) => value !== null);
        if (known.length < values.length && !isPostgres(compiler)) return null;
        return known.reduce<SqlValue>(
          (best, value) => (best === null || sign * compare(value, best) > 0 ? value : best),
          null,
        );
      },
      true,
    );
  };
}
