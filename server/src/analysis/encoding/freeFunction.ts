// Uninterpreted functions: equal arguments give equal values, nothing else is known.
import type { ValueType } from "../../program/expression";
import { FALSE, apply, eq, imp, ite, or } from "./smt";
import type { Script, Smt } from "./smt";
import { asInt, sqlBool, sqlInt } from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/**
 * Assumption for readable witnesses: rows exist where they are looked up, writes change them, and corresponding arguments of two instances
 * differ.
 */
export const TELLING = "N_telling";

export interface FreeFunction {
  readonly name: string;
  readonly type: ValueType;
  /** True if a NULL argument gives NULL. */
  readonly strict: boolean;
}

/**
 * The function's value; the same name and arity are the same function throughout a script. Under the literal `wish` it is the database's
 * value for plain texts, where that can be expressed.
 */
export function applyFree(
  script: Script,
  wish: string,
  { name, type, strict }: FreeFunction,
  args: readonly SqlValue[],
): SqlValue {
  const isNull = or(...args.map((each) => each.isNull));
  const values = args.map(asInt);
  // Otherwise NULL is an ordinary argument, distinct from all values.
  const given = strict
    ? values
    : args.flatMap((each, at) => [
        ite(each.isNull, "0", values[at] ?? "0"),
        ite(each.isNull, "1", "0"),
      ]);
  const sort = type === "bool" ? "Bool" : "Int";
  const symbol = `g${strict ? "s" : ""}_${sort}_${String(args.length)}_${symbolOf(name)}`;
  const value = script.name(apply(script.fn(symbol, given.length, sort), given), sort);
  const usual = usualValue(name, values);
  if (usual !== undefined) script.assert(imp(script.constant(wish, "Bool"), eq(value, usual)));
  const nothing = strict ? isNull : FALSE;
  return type === "bool" ? sqlBool(value, nothing) : sqlInt(value, nothing);
}

/** The usual result for lower-case letters and patterns without wildcards. */
function usualValue(name: string, args: readonly Smt[]): Smt | undefined {
  const [first, second] = args;
  if (first === undefined) return undefined;
  if (second === undefined) return ["lower", "trim", "btrim"].includes(name) ? first : undefined;
  return name === "LIKE" || name === "ILIKE" ? eq(first, second) : undefined;
}

/** An injective encoding of names into letters and digits. */
function symbolOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]/giu, (each) => `_${String(each.charCodeAt(0))}_`);
}
