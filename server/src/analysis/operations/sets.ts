// Set-returning calls as terms: the n-th value of each, whether it exists, and their number.
import { setCallsIn, type Call } from "../../program/operands";
import type { Query } from "../../program/expression";
import type { Builder, ResultTerms, RowTerms, Scope } from "./builder";
import { applyTerm, unknownTerm } from "./builder";
import { elementsOf, flattenExpression, lengthOf } from "./expression";
import type { Term } from "./operation";
import { outputsOf } from "./outputs";
import { FALSE, NULL, TRUE, and, compare, conditional, int, or } from "./terms";

/** The set-returning calls in a query's outputs. */
export function setsOf(query: Query): readonly Call[] {
  return query.outputs.flatMap(({ value }) => setCallsIn(value));
}

/**
 * The first `rows` rows of a query without relations whose outputs contain set-returning calls. Calls other than those on arrays are
 * uninterpreted functions of their arguments.
 */
export function rowsOfSets(
  builder: Builder,
  query: Query,
  calls: readonly Call[],
  found: Term,
  outer: Scope,
  rows: number,
): ResultTerms {
  const at = (set: number): RowTerms & Pick<ResultTerms, "values"> => {
    const scope = { ...outer, set };
    const { values, row } = outputsOf(builder, query, scope);
    const here = and(found, hasRow(builder, calls, scope));
    return {
      values: values.map((value) => conditional(here, value, NULL)),
      row: Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, conditional(here, value, NULL)]),
      ),
      found: here,
    };
  };
  const written = calls.map(elementsOf);
  if (written.some((each) => each === undefined || each.length > rows))
    builder.losses.add("one row stands for those that a function gives");
  const first = at(0);
  const next = Array.from({ length: Math.max(0, rows - 1) }, (_, index) => at(index + 1));
  return { ...first, next, size: conditional(first.found, sizeOf(builder, calls, outer), int(0)) };
}

/** True if the calls return a row with index `scope.set`, from 0. */
export function hasRow(builder: Builder, calls: readonly Call[], scope: Scope): Term {
  const at = scope.set ?? 0;
  return or(
    ...calls.map((call): Term => {
      const [first] = call.arguments;
      const known = elementsOf(call);
      if (known !== undefined) return at < known.length ? TRUE : FALSE;
      if (call.name === "unnest" && first?.kind === "array")
        return compare("<", int(at), lengthOf(first.parameter));
      const name = `${call.name} has ${String(at + 1)}`;
      const why = `the function ${call.name} gives any number of values`;
      const what = { name, type: "bool", strict: false } as const;
      return applyTerm(builder, what, argumentsOf(builder, call, scope), why);
    }),
  );
}

function sizeOf(builder: Builder, calls: readonly Call[], outer: Scope): Term {
  const [call] = calls;
  const [first] = call?.arguments ?? [];
  const alone = call !== undefined && new Set(calls.map((each) => JSON.stringify(each))).size === 1;
  const known = alone ? elementsOf(call) : undefined;
  if (known !== undefined) return int(known.length);
  if (alone && call.name === "unnest" && first?.kind === "array") return lengthOf(first.parameter);
  for (const each of calls) argumentsOf(builder, each, outer);
  const id = `size of ${JSON.stringify(calls)}`;
  return unknownTerm(builder, id, "int", "the number of rows that a function gives is any number");
}

function argumentsOf(builder: Builder, call: Call, scope: Scope): readonly Term[] {
  return call.arguments.map((each) => flattenExpression(builder, each, scope));
}
