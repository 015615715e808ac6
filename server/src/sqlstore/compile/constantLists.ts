// `x IN (...)` over long lists of constants and parameters: the list is made a set once a statement, so that a row costs
// one look and not one comparison for each entry.
import type { SqlExpression } from "../tree";
import { identity } from "../values/compare";
import { isInteger, isText } from "../values/types";
import type { Compiler, Env, Node } from "./node";
import { comparable } from "./operators";

/** A set is not worth its making for fewer. */
const FEWEST = 16;

/** The test, or undefined where the list is short, depends on the row, or is compared in several types. */
export function constantListNode(
  left: Node,
  entries: readonly { readonly tree: SqlExpression; readonly node: Node }[],
  compiler: Compiler,
  negated: boolean,
): Node | undefined {
  if (entries.length < FEWEST || !entries.every(({ tree }) => isConstant(tree))) return undefined;
  const pairs = entries.map(({ node }) => comparable("=", left, node, compiler).sides);
  const [operand] = pairs[0] ?? [];
  if (operand === undefined) return undefined;
  const { type } = operand;
  if (!isInteger(type) && !isText(type) && type !== "uuid") return undefined;
  if (pairs.some((sides) => sides.some((side) => side.type !== type))) return undefined;
  const sets = new WeakMap<Env["work"], Members>();
  return {
    type: "bool",
    constant: false,
    run: (env) => {
      const value = operand.run(env);
      if (value === null) return null;
      const known = sets.get(env.work) ?? members(pairs, env, compiler);
      sets.set(env.work, known);
      if (known.names.has(identity(value, type, compiler.dialect))) return !negated;
      return known.hasNull ? null : negated;
    },
  };
}

interface Members {
  readonly names: ReadonlySet<string>;
  readonly hasNull: boolean;
}

function members(
  pairs: readonly (readonly [Node, Node])[],
  env: Env,
  { dialect }: Compiler,
): Members {
  const values = pairs.map(([, entry]) => ({ value: entry.run(env), type: entry.type }));
  return {
    names: new Set(
      values.flatMap(({ value, type }) => (value === null ? [] : identity(value, type, dialect))),
    ),
    hasNull: values.some(({ value }) => value === null),
  };
}

function isConstant(tree: SqlExpression): boolean {
  return ["number", "string", "parameter", "null"].includes(tree.kind);
}
