// Set-returning calls: their values for the current row. Each row of a query with such calls in its outputs becomes one row per value.
import { elementName, lengthName } from "../program/arrays";
import type { Expression, Query } from "../program/expression";
import { setCallsIn, type Call } from "../program/operands";
import { ownEntry } from "../protocol/dictionary";
import { ofNode } from "../query/nodes";
import { callFunction } from "./callFunction";
import type { Evaluate } from "./evaluateAggregate";
import { NotExecutable, SqlFailure } from "./failure";
import type { Frame } from "./frame";
import type { SqlValue } from "./value";

/** The limit of values per call. */
const MOST = 1000;

/** The frames in which a query's outputs are evaluated for the current row: one, unless there are set-returning calls. */
export function framesOf(query: Query, inside: Frame, evaluate: Evaluate): readonly Frame[] {
  const calls = callsOf(query);
  if (calls.length === 0) return [inside];
  const lists = calls.map((call) => setValues(call, inside, evaluate));
  const most = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: most }, (_, at) => {
    const sets = new Map<Expression, SqlValue>(
      calls.map((call, of) => [call, lists[of]?.[at] ?? null]),
    );
    return { ...inside, sets };
  });
}

const callsOf = ofNode((query: Query): readonly Call[] => {
  const parts = [
    ...[...query.outputs, ...query.orderBy].map(({ value }) => value),
    ...(query.distinctOn ?? []),
  ];
  return [...new Set(parts.flatMap(setCallsIn))];
});

/**
 * The values of a call. An unknown function is assumed to return one value, a term of its arguments; throws NotExecutable if the argument
 * is a literal, for which the number of values is known to differ.
 */
export function setValues(call: Call, frame: Frame, evaluate: Evaluate): readonly SqlValue[] {
  const counts = call.name.endsWith(ORDINALITY);
  const name = counts ? call.name.slice(0, -ORDINALITY.length) : call.name;
  const values = valuesOf(name, call, frame, evaluate);
  return counts ? values.map((_, at) => at + 1) : values;
}

/** Function name suffix: the numbers of its values instead of these. */
const ORDINALITY = " with ordinality";

function valuesOf(name: string, call: Call, frame: Frame, evaluate: Evaluate): readonly SqlValue[] {
  const [first] = call.arguments;
  if (name === "unnest" && first?.kind === "array") return elementsOf(first.parameter, frame);
  if (name === "unnest" && first?.kind === "call" && first.name === "array")
    return first.arguments.map((each) => evaluate(each, frame));
  const values = call.arguments.map((each) => evaluate(each, frame));
  if (values.includes(null)) return [];
  if (name === "generate_series") {
    const series = seriesOf(values);
    if (series !== undefined) return series;
  }
  if (first === undefined || first.kind === "literal")
    throw new NotExecutable(`the rows of ${name}() are not understood`);
  return [callFunction(name, values)];
}

function elementsOf(parameter: string, { environment }: Frame): readonly SqlValue[] {
  const { parameters } = environment;
  const length = ownEntry(parameters, lengthName(parameter)) ?? 0;
  const count = typeof length === "number" ? length : 0;
  return Array.from(
    { length: count },
    (_, at) => ownEntry(parameters, elementName(parameter, at + 1)) ?? null,
  );
}

/** Integers from one to another; undefined for other arguments. */
function seriesOf([from, to, step = 1]: readonly SqlValue[]): readonly number[] | undefined {
  if (typeof from !== "number" || typeof to !== "number" || typeof step !== "number")
    return undefined;
  if (step === 0) throw new SqlFailure("22023", "step size cannot equal zero");
  const count = Math.max(0, Math.floor((to - from) / step) + 1);
  if (count > MOST) throw new NotExecutable(`${String(count)} rows of generate_series()`);
  return Array.from({ length: count }, (_, at) => from + at * step);
}
