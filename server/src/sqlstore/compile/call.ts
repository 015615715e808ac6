// Calls of functions: which of those with the name takes the arguments.
import { failure } from "../sqlError";
import { CATALOGUE } from "../functions/catalogue";
import { DOCUMENTS } from "../functions/documents";
import type { FunctionTable } from "../functions/define";
import { NUMBERS } from "../functions/numbers";
import { SESSION } from "../functions/session";
import { TEXTS } from "../functions/texts";
import { TIMES } from "../functions/times";
import type { SqlCall } from "../tree";
import { postgresName } from "../values/types";
import { routineFor } from "../routine/call";
import { compileExpression } from "./recursion";
import { isPostgres, defaultToText, type Node, type Scope } from "./node";

const TABLES: readonly FunctionTable[] = [TEXTS, NUMBERS, TIMES, DOCUMENTS, CATALOGUE, SESSION];

/** Arguments of a call. A parameter of no type stands for what the function gives out, and is none of them. */
export function callArguments(call: SqlCall, scope: Scope): readonly Node[] {
  const args = call.arguments.map((argument) => compileExpression(argument, scope));
  return args.filter(({ type }, at) => type !== "void" || call.arguments[at]?.kind !== "parameter");
}

/** A call of a plain function. Fails as the databases do where none of that name takes the arguments. */
export function functionNode(call: SqlCall, scope: Scope): Node {
  const { compiler } = scope;
  const args = callArguments(call, scope);
  for (const table of TABLES) {
    for (const make of table.get(call.name) ?? []) {
      const node = make(args, compiler, call);
      if (node !== undefined) return node;
    }
  }
  const own = routineFor(compiler.catalog.routines.get(call.name), args.length);
  if (own !== undefined && !own.isProcedure) {
    const nodes = args.map(defaultToText);
    return {
      type: own.returns?.type ?? (own.isTrigger ? "void" : "record"),
      constant: false,
      ...(own.returns && { origin: { declared: own.returns } }),
      run(env) {
        const values = nodes.map((node) => ({ type: node.type, value: node.run(env) }));
        const [row = []] = compiler.routine(own, values, env);
        return own.returns === undefined && row.length > 1 ? row : (row[0] ?? null);
      },
    };
  }
  if (isPostgres(compiler)) {
    const types = args.map((node) => postgresName(node.type)).join(", ");
    throw failure("noFunction", `function ${call.name}(${types}) does not exist`);
  }
  throw failure("noFunction", `FUNCTION ${call.name} does not exist`, { routine: call.name });
}
