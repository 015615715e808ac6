// Accumulators of the aggregate functions, and the types of their results.
import { failure, unsupported } from "../sqlError";
import type { SqlCall } from "../tree";
import { mysqlText } from "../values/cast";
import { comparer } from "../values/compare";
import {
  addDecimals,
  decimal,
  divideDecimals,
  quotientScale,
  toDecimal,
  type Decimal,
} from "../values/decimal";
import { formatValue } from "../values/format";
import { addIntervals, interval, scaleInterval } from "../values/temporal";
import {
  arrayOf,
  isFloat,
  isInteger,
  isNumeric,
  postgresName,
  type SqlType,
} from "../values/types";
import { isInterval, type SqlValue } from "../values/value";
import { computeWhole, isNumericValue } from "../values/wholes";
import { plainText } from "../values/text";
import { mysqlNumber } from "./arithmetic";
import { toJson } from "./jsonValues";
import {
  convertNode,
  isPostgres,
  defaultToText,
  type Compiler,
  type Env,
  type Node,
  type Accumulator,
} from "./node";

export const AGGREGATES = new Set(
  (
    "count sum avg min max bool_and bool_or every string_agg group_concat array_agg json_agg jsonb_agg " +
    "json_arrayagg json_object_agg jsonb_object_agg json_objectagg percentile_cont percentile_disc mode " +
    "any_value bit_and bit_or bit_xor stddev stddev_samp stddev_pop variance var_samp var_pop std"
  ).split(" "),
);

export interface Aggregate {
  readonly inputs: readonly Node[];
  readonly type: SqlType;
  readonly skipsNull: boolean;
  readonly start: (env: Env) => Accumulator;
}

/** The aggregate that a call names, over its arguments. */
export function accumulatorOf(
  call: SqlCall,
  given: readonly Node[],
  compiler: Compiler,
): Aggregate {
  const { name } = call;
  const [first] = given;
  if (name === "count") {
    if (!call.star && first === undefined) throw missing(name);
    return { inputs: given, type: "int8", skipsNull: !call.star, start: counting };
  }
  if (first === undefined) throw missing(name);
  const input = defaultToText(first);
  switch (name) {
    case "sum":
    case "avg":
      return adding(name, input, compiler);
    case "min":
    case "max":
      return extreme(name === "min" ? 1 : -1, input, compiler);
    case "bool_and":
    case "every":
    case "bool_or":
      return deciding(name === "bool_or", convertNode(input, "bool", compiler));
    case "string_agg":
    case "group_concat":
      return joining(name, input, given[1], compiler);
    case "array_agg":
      return collecting(input, arrayOf(input.type), (values) => values);
    case "json_agg":
    case "jsonb_agg":
    case "json_arrayagg": {
      const type = name === "jsonb_agg" ? "jsonb" : "json";
      return collecting(
        input,
        type,
        (values) =>
          `[${values.map((value) => toJson(value, input.type, compiler.dialect)).join(", ")}]`,
      );
    }
    case "any_value":
      return { ...collecting(input, input.type, (values) => values[0] ?? null), skipsNull: false };
    case "bit_and":
    case "bit_or":
      return combining(name === "bit_and" ? "&" : "|", input);
    case "percentile_cont":
      return percentile(convertNode(input, "float8", compiler), given[1], compiler);
    default:
      throw unsupported(`the aggregate function ${name}`);
  }
}

function missing(name: string): Error {
  return failure("noFunction", `function ${name}() does not exist`);
}

function counting(): Accumulator {
  let count = 0;
  return {
    add: () => {
      count++;
    },
    result: () => count,
  };
}

function adding(name: "sum" | "avg", given: Node, compiler: Compiler): Aggregate {
  const postgres = isPostgres(compiler);
  const input = postgres ? given : mysqlNumber(given);
  if (input.type === "interval") return addingIntervals(name, input);
  if (!isNumeric(input.type)) {
    throw failure("noFunction", `function ${name}(${postgresName(input.type)}) does not exist`);
  }
  if (isFloat(input.type)) {
    return { inputs: [input], type: "float8", skipsNull: true, start: () => floats(name) };
  }
  const type =
    name === "sum" && postgres && (input.type === "int2" || input.type === "int4")
      ? "int8"
      : "numeric";
  const start = (): Accumulator => {
    let total: Decimal | undefined;
    let count = 0;
    return {
      add: ([value]) => {
        if (value === undefined || !isNumericValue(value)) return;
        const next = toDecimal(value);
        total = total === undefined ? next : addDecimals(total, next);
        count++;
      },
      result: () => {
        if (total === undefined) return null;
        if (name === "sum") return type === "int8" ? wholeOf(total) : total;
        const divisor = decimal(BigInt(count), 0);
        const scale = postgres ? quotientScale(total, divisor) : total.scale + 4;
        return divideDecimals(total, divisor, scale);
      },
    };
  };
  return { inputs: [input], type, skipsNull: true, start };
}

function wholeOf(total: Decimal): SqlValue {
  const { units } = total;
  const number = Number(units);
  return Number.isSafeInteger(number) ? number : units;
}

function floats(name: "sum" | "avg"): Accumulator {
  let total = 0;
  let count = 0;
  return {
    add: ([value]) => {
      total += Number(value);
      count++;
    },
    result: () => (count === 0 ? null : name === "sum" ? total : total / count),
  };
}

function addingIntervals(name: "sum" | "avg", input: Node): Aggregate {
  const start = (): Accumulator => {
    let total = interval(0, 0, 0);
    let count = 0;
    return {
      add: ([value = null]) => {
        if (!isInterval(value)) return;
        total = addIntervals(total, value);
        count++;
      },
      result: () => (count === 0 ? null : name === "sum" ? total : scaleInterval(total, 1 / count)),
    };
  };
  return { inputs: [input], type: "interval", skipsNull: true, start };
}

function extreme(sign: 1 | -1, input: Node, compiler: Compiler): Aggregate {
  const compare = comparer(input.type, compiler.dialect, input.origin?.declared.labels);
  const start = (): Accumulator => {
    let best: SqlValue = null;
    return {
      add: ([value = null]) => {
        if (best === null || (value !== null && sign * compare(value, best) < 0)) best = value;
      },
      result: () => best,
    };
  };
  const type = input.type === "varchar" ? "text" : input.type;
  return { inputs: [input], type, skipsNull: true, start };
}

function deciding(any: boolean, input: Node): Aggregate {
  const start = (): Accumulator => {
    let result: boolean | null = null;
    return {
      add: ([value]) => {
        const next = value === true;
        result = result === null ? next : any ? result || next : result && next;
      },
      result: () => result,
    };
  };
  return { inputs: [input], type: "bool", skipsNull: true, start };
}

function joining(
  name: string,
  input: Node,
  separator: Node | undefined,
  compiler: Compiler,
): Aggregate {
  const mark = separator && defaultToText(separator);
  if (name === "string_agg" && mark === undefined) throw missing(name);
  const text = (value: SqlValue): string =>
    isPostgres(compiler) ? formatValue(value, input.type) : mysqlText(value, input.type);
  const start = (): Accumulator => {
    let result: string | null = null;
    return {
      add: ([value = null, between = null]) => {
        const joined = mark === undefined ? "," : between === null ? "" : plainText(between);
        result = result === null ? text(value) : result + joined + text(value);
      },
      result: () => result,
    };
  };
  const inputs = mark === undefined ? [input] : [input, mark];
  return { inputs, type: "text", skipsNull: true, start };
}

function collecting(
  input: Node,
  type: SqlType,
  result: (values: readonly SqlValue[]) => SqlValue,
): Aggregate {
  const start = (): Accumulator => {
    const values: SqlValue[] = [];
    return {
      add: ([value = null]) => {
        values.push(value);
      },
      result: () => (values.length === 0 ? null : result(values)),
    };
  };
  return { inputs: [input], type, skipsNull: false, start };
}

function combining(operator: "&" | "|", input: Node): Aggregate {
  if (!isInteger(input.type)) throw unsupported("bits of what is no whole number");
  const start = (): Accumulator => {
    let result: SqlValue = null;
    return {
      add: ([value = null]) => {
        if (typeof value !== "number" && typeof value !== "bigint") return;
        const before = result;
        result =
          typeof before === "number" || typeof before === "bigint"
            ? computeWhole(operator, before, value)
            : value;
      },
      result: () => result,
    };
  };
  return { inputs: [input], type: input.type, skipsNull: true, start };
}

/** Values come sorted, since the call orders them. */
function percentile(input: Node, fraction: Node | undefined, compiler: Compiler): Aggregate {
  if (fraction === undefined) throw missing("percentile_cont");
  const share = convertNode(fraction, "float8", compiler);
  const start = (): Accumulator => {
    const values: number[] = [];
    let at = 0;
    return {
      add: ([value, where]) => {
        values.push(Number(value));
        at = Number(where);
      },
      result: () => {
        if (values.length === 0) return null;
        const place = at * (values.length - 1);
        const low = values[Math.floor(place)] ?? 0;
        const high = values[Math.ceil(place)] ?? low;
        return low + (high - low) * (place - Math.floor(place));
      },
    };
  };
  return { inputs: [input, share], type: "float8", skipsNull: true, start };
}
