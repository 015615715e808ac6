// Function name resolution: pg_catalog takes precedence for equal types, and otherwise the types of the arguments decide (PostgreSQL,
// 10.3).
import type { FuncCall } from "libpg-query";
import { lastName, schemaOf } from "./ast";
import { builtInSignatures } from "./builtInSignatures";
import { lowerExpression } from "./recursion";
import { typeIn, type Scope, type Work } from "./scope";
import { valueTypeOf } from "./valueType";

/** True if a call means a workspace function, although PostgreSQL may have one of that name. */
export function callsOwn(call: FuncCall, scope: Scope, work: Work): boolean {
  const name = lastName(call.funcname);
  const schema = schemaOf(call.funcname);
  const args = call.args ?? [];
  if (call.agg_star === true || call.over !== undefined) return false;
  const types = work.context.owns?.(name, args.length, schema);
  if (types === undefined) return false;
  if (schema !== undefined || !rivals(name, args.length)) return true;
  // Both are possible: the known argument types decide.
  return args.every((node, at) => {
    const wanted = valueTypeOf(types[at] ?? "");
    const given = typeIn(lowerExpression(node, scope, work), scope, work);
    return given === undefined || given === "other" || wanted === "other" || given === wanted;
  });
}

/** True if pg_catalog hides a function with these types when it is called without a schema. */
export function isHidden(name: string, types: readonly string[]): boolean {
  return builtInSignatures(name).includes(types.join(","));
}

/** True if PostgreSQL has a function of that name with this number of arguments. */
function rivals(name: string, count: number): boolean {
  return builtInSignatures(name).some((each) => countOf(each) === count);
}

function countOf(signature: string): number {
  return signature === "" ? 0 : signature.split(",").length;
}
