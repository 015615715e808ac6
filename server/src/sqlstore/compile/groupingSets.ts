// GROUPING SETS, ROLLUP and CUBE: rows are grouped by several sets of expressions; those that are not in the set of a group
// are NULL there.
import { failure } from "../sqlError";
import type { SqlCall, SqlExpression, SqlOrder } from "../tree";
import { groupEnvs } from "./aggregates";
import { isPostgres, type Env, type Grouping, type Node, type Scope } from "./node";
import { sortInTurns, sortOf } from "./ordering";
import { findColumn } from "./scope";
import type { Slices } from "./slices";
import { textOfTree } from "./walk";

/** The place of an expression among those that rows are grouped by. */
export function groupingPlace(expression: SqlExpression, scope: Scope): number | undefined {
  const { grouping } = scope;
  if (grouping === undefined) return undefined;
  const text = textOfTree(expression);
  const own = expression.kind === "column" ? findColumn(scope, expression.path) : undefined;
  const at = grouping.all.findIndex(
    ({ text: other, column }) =>
      other === text ||
      (own !== undefined && column?.source === own.source && column.column === own.column),
  );
  return at < 0 ? undefined : at;
}

/** The value of a group for an expression that may not be in its set: NULL there. */
export function absentAsNull(node: Node, at: number): Node {
  const { type, origin, shape, run } = node;
  return {
    type,
    constant: false,
    ...(origin && { origin }),
    ...(shape && { shape }),
    run: (env) => (env.absent?.has(at) === true ? null : run(env)),
  };
}

/** GROUPING(a, b): a bit for each that is not in the group's set. */
export function groupingCall(call: SqlCall, scope: Scope): Node {
  const places = call.arguments.map((argument) => {
    const at = groupingPlace(argument, scope);
    if (at !== undefined) return at;
    throw isPostgres(scope.compiler)
      ? failure(
          "grouping",
          "arguments to GROUPING must be grouping expressions of the associated query level",
        )
      : failure("grouping", "Argument #1 of GROUPING function is not in GROUP BY");
  });
  return {
    type: isPostgres(scope.compiler) ? "int4" : "int8",
    constant: false,
    run: ({ absent }) =>
      places.reduce((bits, at) => bits * 2 + (absent?.has(at) === true ? 1 : 0), 0),
  };
}

const RISING: Omit<SqlOrder, "value"> = { descending: false };

/** The groups of all sets; those of MySQL's ROLLUP have each sum behind what it is the sum of. */
export function* groupsOfSets(
  rows: readonly Env[],
  env: Env,
  keys: readonly Node[],
  { sets = [] }: Grouping,
  scope: Scope,
): Slices<readonly Env[]> {
  const found: Env[] = [];
  // The products give no row of all rows where there are none but for an empty set.
  for (const set of sets) {
    const absent = new Set([...keys.keys()].filter((at) => !set.includes(at)));
    const own = set.flatMap((at) => keys[at] ?? []);
    const isOne = own.length === 0 && isPostgres(scope.compiler);
    for (const group of yield* groupEnvs(rows, env, own, !isOne, scope))
      found.push({ ...group, absent });
  }
  if (isPostgres(scope.compiler)) return found;
  const sorts = keys.flatMap((node, at) => {
    const isAbsent: Node = {
      type: "int4",
      constant: false,
      run: ({ absent }) => (absent?.has(at) === true ? 1 : 0),
    };
    return [isAbsent, node].map((each) =>
      sortOf(each, { ...RISING, value: { kind: "null" } }, scope.compiler),
    );
  });
  return yield* sortInTurns(found, sorts, (each, sort) => sort.node.run(each), env.work.isDue);
}
