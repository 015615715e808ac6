// Functions that give rows and stand in the list of outputs: each is a relation beside those of FROM, whose value the
// outputs show.
import { unsupported } from "../sqlError";
import type { SqlCall, SqlExpression, SqlOutput, SqlRelation } from "../tree";
import { isPostgres, type Compiler, type Scope } from "./node";
import { SET_FUNCTIONS } from "./setFunctions";
import { partsOf, textOfTree } from "./walk";

type FunctionRelation = Extract<SqlRelation, { readonly kind: "function" }>;

/** No name of a relation in a text begins so. */
const ALIAS = "#set";

/** The relations of such calls; several run in step on the server, which is refused unless they are the same. */
export function setsOf(
  outputs: readonly SqlOutput[],
  compiler: Compiler,
): readonly FunctionRelation[] {
  if (!isPostgres(compiler)) return [];
  const calls = new Map<string, SqlCall>();
  for (const { value } of outputs)
    for (const call of callsIn(value, compiler)) calls.set(textOfTree(call), call);
  if (calls.size > 1) throw unsupported("a list of several functions that give rows");
  return [...calls.values()].map((call) => ({
    kind: "function",
    call,
    alias: ALIAS,
    columns: [],
    ordinality: false,
  }));
}

function callsIn(expression: SqlExpression, compiler: Compiler): readonly SqlCall[] {
  const isSet =
    expression.kind === "call" &&
    (SET_FUNCTIONS.has(expression.name) ||
      compiler.catalog.routines.get(expression.name)?.some(({ returnsSet }) => returnsSet) ===
        true);
  return isSet ? [expression] : partsOf(expression).flatMap((part) => callsIn(part, compiler));
}

/** Makes the relations known to the outputs, and to nothing else. */
export function nameSets(sets: readonly FunctionRelation[], scope: Scope): void {
  const [set] = sets;
  const at = scope.sources.findIndex(({ alias }) => alias === ALIAS);
  const source = scope.sources[at];
  if (set === undefined || source === undefined) return;
  scope.sources[at] = { ...source, onlyQualified: true };
  scope.sets = new Map([[textOfTree(set.call), at]]);
}
