// Variables of MySQL's users (`@x`): each has the type of the value that it was given last.
import type { SqlExpression } from "../tree";
import { converter } from "../values/cast";
import type { SqlType } from "../values/types";
import type { Node, UserVariables, Scope } from "./node";
import { compileExpression } from "./recursion";

/** The types that variables have now, by the names under which a plan knows them. */
export function typesOfVariables(
  variables: UserVariables,
): readonly (readonly [string, SqlType])[] {
  return [...variables].map(([name, { type }]) => [planName(name), type]);
}

function planName(name: string): string {
  return `@${name}`;
}

/** A variable, or `@x := value`. */
export function variableNode(
  name: string,
  assigned: SqlExpression | undefined,
  scope: Scope,
): Node {
  if (assigned === undefined) {
    const { locals, dialect } = scope.compiler;
    const type = locals?.get(planName(name)) ?? "text";
    return {
      type,
      constant: false,
      run({ work }) {
        const known = work.variables.get(name);
        if (known === undefined || known.value === null) return null;
        // The statement itself may have given it a value of another type.
        const convert = known.type === type ? undefined : converter(known.type, type, dialect);
        return convert === undefined ? known.value : convert(known.value);
      },
    };
  }
  const { type, run } = compileExpression(assigned, scope);
  return {
    type,
    constant: false,
    run(env) {
      const value = run(env);
      env.work.variables.set(name, { type, value });
      return value;
    },
  };
}
