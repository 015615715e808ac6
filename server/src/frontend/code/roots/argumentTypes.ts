// Types of handlers' arguments, from the surrounding code: the schemas of a procedure, the contract of a router.
import { dictionary } from "../../../protocol/dictionary";
import { requestType } from "../libraries/validators/tsRest";
import { schemaType } from "../libraries/validators/zod";
import type { State } from "../evaluate/state";
import type { HirExpression, HirModule } from "../hir";
import { declarations } from "../queries/dependencies";
import type { ModuleScope, Value } from "../values";

/** The code around an expression that contains handlers. */
export interface Around {
  /** The type of a handler's first argument. */
  readonly argument?: string;
  /** The function that returns the type for each property of a record of handlers. */
  readonly routes?: Value;
}

type Call = Extract<HirExpression, { readonly kind: "call" }>;

/** For each method that takes a schema, the property of the argument that the schema describes. */
const SCHEMAS = dictionary<string>({
  input: "input",
  schema: "parsedInput",
  inputSchema: "parsedInput",
});

/** Methods that take the handler. */
const HANDLED = /^(?:query|mutation|subscription|action|stateAction|handler)$/u;

/**
 * The surroundings of the handlers that are passed to a call: `procedure.input(schema).mutation(handler)`, and `router(contract, { route:
 * handler })`. Linear in the chain of calls.
 */
export function aroundArguments(
  hir: Call,
  module: HirModule,
  { scope }: ModuleScope,
  state: State,
): Around {
  const [first, second] = hir.arguments;
  if (second?.value.kind === "object" && isPath(first?.value)) {
    const routes = state.evaluator.expression(state, scope, first.value);
    return routes.kind === "object" ? { routes } : {};
  }
  if (hir.callee.kind !== "member" || !HANDLED.test(hir.callee.property)) return {};
  const types = new Map<string, string>();
  for (const [method, argument] of schemasOf(hir.callee.object, module)) {
    const type = schemaType(state.evaluator.expression(state, scope, argument));
    const part = SCHEMAS[method];
    if (type === undefined || part === undefined) continue;
    const other = types.get(part);
    types.set(part, other === undefined ? type : `${type} & ${other}`);
  }
  const members = [...types].map(([name, type]) => `${name}: ${type}`);
  return members.length === 0 ? {} : { argument: `{ ${members.join("; ")} }` };
}

/** The code around a property of a record of handlers. */
export function aroundProperty({ routes, argument }: Around, name: string): Around {
  const route = routes?.kind === "object" ? routes.fields.get(name)?.value : undefined;
  const own = requestType(route) ?? argument;
  return { ...(own !== undefined && { argument: own }), ...(route && { routes: route }) };
}

/** The schemas that a chain of calls takes, last first; the chain may begin at a name of the module. */
function schemasOf(
  hir: HirExpression,
  module: HirModule,
): readonly (readonly [string, HirExpression])[] {
  const found: (readonly [string, HirExpression])[] = [];
  let at: HirExpression | undefined = hir;
  for (let left = LONGEST; at && left > 0; left -= 1) {
    if (at.kind === "name") {
      const statement = declarations(module).get(at.name);
      at = statement?.kind === "let" ? statement.value : undefined;
    } else if (at.kind === "call" && at.callee.kind === "member") {
      const { property, object } = at.callee;
      const [first] = at.arguments;
      if (first && Object.hasOwn(SCHEMAS, property)) found.push([property, first.value]);
      at = object;
    } else {
      at = undefined;
    }
  }
  return found;
}

const LONGEST = 40;

function isPath(hir: HirExpression | undefined): hir is HirExpression {
  return hir?.kind === "name" || (hir?.kind === "member" && isPath(hir.object));
}
