// Results of functions that are not evaluated become arguments of transactions: equal calls give equal values.
import type { OutsideFunction } from "../../program/program";
import type { FlatTransaction } from "../operations/operation";
import { FALSE, and, eq, imp, not, or } from "./smt";
import type { Script, Smt } from "./smt";
import type { SqlValue } from "./sqlValue";

/** The result of such a function, and its arguments. */
export interface OutsideValue {
  readonly of: OutsideFunction;
  readonly arguments: readonly SqlValue[];
  readonly value: SqlValue;
}

/** The results among the parameters of one instance. */
export function outsideValues(
  parameters: FlatTransaction["parameters"],
  valueOf: (name: string) => SqlValue,
): readonly OutsideValue[] {
  return parameters.flatMap(({ name, of }) =>
    of ? [{ of, arguments: of.arguments.map(valueOf), value: valueOf(name) }] : [],
  );
}

/**
 * Asserts congruence: equal functions of equal arguments are equal, and for digests also the reverse. Quadratic in the values of one
 * function.
 */
export function bindOutsideFunctions(script: Script, values: readonly OutsideValue[]): void {
  for (const [at, one] of values.entries())
    for (const other of values.slice(at + 1)) {
      const isOne = one.of.function === other.of.function;
      if (!isOne || one.value.sort !== other.value.sort) continue;
      const alike = and(...one.arguments.map((each, n) => isSame(each, other.arguments[n])));
      const same = isSame(one.value, other.value);
      if (alike !== FALSE) script.assert(imp(alike, same));
      if (one.of.isInjective && alike !== FALSE) script.assert(imp(same, alike));
    }
}

function isSame(left: SqlValue, right: SqlValue | undefined): Smt {
  if (right?.sort !== left.sort) return FALSE;
  const isNull = and(left.isNull, right.isNull);
  return or(isNull, and(not(left.isNull), not(right.isNull), eq(left.value, right.value)));
}
