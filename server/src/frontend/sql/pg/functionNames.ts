// Which function a name stands for: pg_catalog's come first where they take the same types, and otherwise the one whose
// types fit the arguments (PostgreSQL, 10.3).
import type { FuncCall } from "libpg-query";
import { lastName, schemaOf } from "./ast";
import { builtInSignatures } from "./builtInSignatures";
import { lowerExpression } from "./recursion";
import { typeIn, type Scope, type Work } from "./scope";
import { valueTypeOf } from "./valueType";

/** True if a call is one of a function of the workspace, although PostgreSQL may have one of that name. */
export function callsOwn(call: FuncCall, scope: Scope, work: Work): boolean {
  const name = lastName(call.funcname);
  const schema = schemaOf(call.funcname);
  const args = call.args ?? [];
  if (call.agg_star === true || call.over !== undefined) return false;
  const types = work.context.owns?.(name, args.length, schema);
  if (types === undefined) return false;
  if (schema !== undefined || !rivals(name, args.length)) return true;
  // Both may be meant: the arguments whose types are known decide.
  return args.every((node, at) => {
    const wanted = valueTypeOf(types[at] ?? "");
    const given = typeIn(lowerExpression(node, scope, work), scope, work);
    return given === undefined || given === "other" || wanted === "other" || given === wanted;
  });
}

/** True if a function with these types is one that a name without a schema never stands for. */
export function isHidden(name: string, types: readonly string[]): boolean {
  return builtInSignatures(name).includes(types.join(","));
}

/** True if PostgreSQL has a function of that name for so many arguments. */
function rivals(name: string, count: number): boolean {
  return builtInSignatures(name).some((each) => countOf(each) === count);
}

function countOf(signature: string): number {
  return signature === "" ? 0 : signature.split(",").length;
}
