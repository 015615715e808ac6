// Functions around queries that only log, measure or trace them: what they are given goes on unchanged, and so does
// what comes back.
import type { HirExpression, HirFunction, HirPattern, HirStatement } from "../../hir";
import { childrenOf, isNode, visit } from "../../nodes";
import { textOf } from "../../textRuns";

/** The names of what is asked for and of what runs it, in a function around queries. */
interface Passing {
  readonly given: string;
  readonly next: string;
}

/** True if `({ args, query }) => ...` does nothing but run the query as it is asked for. Linear in its text. */
export function passesQueryOn(around: HirFunction): boolean {
  const [parameter] = around.parameters;
  const names = parameter && destructured(parameter.pattern);
  return names !== undefined && passesOn(around.body, names);
}

/** The same for `(params, next) => ...`. */
export function passesParametersOn({ parameters, body }: HirFunction): boolean {
  const names = namesOf(parameters);
  return names !== undefined && passesOn(body, names);
}

/**
 * The models and actions that a middleware is about, where it says so: `if (params.model === "User") {...}` before all
 * others are passed on. Undefined: it may be about any. Linear in its text.
 */
export function aboutOf(
  middleware: HirFunction,
): readonly { readonly model?: string; readonly action?: string }[] | undefined {
  const names = namesOf(middleware.parameters);
  if (!names) return undefined;
  const found: { readonly model?: string; readonly action?: string }[] = [];
  const others: HirStatement[] = [];
  for (const statement of middleware.body) {
    const about = statement.kind === "if" ? comparedIn(statement.condition, names.given) : {};
    const isSpecial = about.model !== undefined || about.action !== undefined;
    if (!isSpecial || statement.kind !== "if" || statement.otherwise.length > 0) {
      others.push(statement);
    } else if (!passesOn([...statement.then, ...middleware.body.slice(-1)], names)) {
      found.push(about);
    }
  }
  return passesOn(others, names) ? found : undefined;
}

function comparedIn(
  test: HirExpression,
  parameters: string,
): { readonly model?: string; readonly action?: string } {
  if (test.kind !== "binary") return {};
  if (test.operator === "&&") {
    return { ...comparedIn(test.left, parameters), ...comparedIn(test.right, parameters) };
  }
  const { left, right } = test;
  if (!/^={2,3}$/u.test(test.operator) || left.kind !== "member" || right.kind !== "text")
    return {};
  if (left.object.kind !== "name" || left.object.name !== parameters) return {};
  const { property } = left;
  const text = textOf(right.runs);
  return property === "model" || property === "action" ? { [property]: text } : {};
}

function namesOf(parameters: HirFunction["parameters"]): Passing | undefined {
  const [given, next] = parameters.map(({ pattern }) =>
    pattern.kind === "bind" ? pattern.name : undefined,
  );
  return given === undefined || next === undefined ? undefined : { given, next };
}

function destructured(pattern: HirPattern): Passing | undefined {
  if (pattern.kind !== "object" || pattern.rest) return undefined;
  const named = (name: string): string | undefined => {
    const entry = pattern.entries.find(({ key }) => key === name);
    return entry?.pattern.kind === "bind" ? entry.pattern.name : undefined;
  };
  const [given, next] = [named("args"), named("query")];
  return given === undefined || next === undefined ? undefined : { given, next };
}

function passesOn(body: readonly HirStatement[], names: Passing): boolean {
  const results = new Set<string>();
  const passing = new Set<object>();
  let mayWait = true;
  visit(body, (node) => {
    if (isRun(node, names)) passing.add(node);
    if (isStatement(node) && node.kind === "let" && node.pattern.kind === "bind") {
      if (node.value && isRun(unawaited(node.value), names)) results.add(node.pattern.name);
    }
  });
  visit(body, (node) => {
    if (!("kind" in node)) return;
    if (node.kind === "await" && "operand" in node) mayWait &&= passing.has(node.operand as object);
    // Errors that come by go on.
    if (node.kind === "throw" && "value" in node) mayWait &&= isNamed(node.value);
  });
  return (
    passing.size > 0 &&
    mayWait &&
    endsIn(body) &&
    isLeftAlone(body, names, results, passing) &&
    returnsIn(body).every((value) => isResult(value, results, passing))
  );
}

/** `query(args)` */
function isRun(node: object, { given, next }: Passing): boolean {
  if (!("kind" in node) || node.kind !== "call" || !("callee" in node)) return false;
  const [call] = [node as Extract<HirExpression, { kind: "call" }>]; // nodes of this kind are calls
  const [only, ...others] = call.arguments;
  const isGiven = only?.value.kind === "name" && only.value.name === given && !only.isSpread;
  return call.callee.kind === "name" && call.callee.name === next && isGiven && others.length === 0;
}

/** The query is only passed on or asked for its model, and the result is only given back or looked at. */
function isLeftAlone(
  part: object,
  names: Passing,
  results: ReadonlySet<string>,
  passing: ReadonlySet<object>,
): boolean {
  if (passing.has(part)) return true;
  if ("kind" in part) {
    if (part.kind === "name" && "name" in part) {
      return (
        part.name !== names.given && part.name !== names.next && !results.has(String(part.name))
      );
    }
    if (part.kind === "return" && "value" in part && isNamed(part.value, results)) return true;
    if (part.kind === "member" && "object" in part && "property" in part) {
      const isAsked = /^(?:model|action|length|runInTransaction)$/u.test(String(part.property));
      if (isAsked && isNamed(part.object)) return true;
    }
    if (part.kind === "place" || part.kind === "increment") {
      let isOwn = true;
      visit(part, (node) => {
        if (isNamed(node, results) || isNamed(node, new Set([names.given]))) isOwn = false;
      });
      if (!isOwn) return false;
    }
    if (part.kind === "assign" && "target" in part && isBound(part.target, results)) return false;
  }
  return childrenOf(part).every((child) => isLeftAlone(child, names, results, passing));
}

function isBound(target: unknown, names: ReadonlySet<string>): boolean {
  const isBinding = isNode(target) && "kind" in target && target.kind === "bind";
  return isBinding && "name" in target && names.has(String(target.name));
}

function isNamed(node: unknown, names?: ReadonlySet<string>): boolean {
  if (!isNode(node) || !("kind" in node) || node.kind !== "name" || !("name" in node)) return false;
  return names === undefined || names.has(String(node.name));
}

/** True if all ways through end with a return or an error. */
function endsIn(body: readonly HirStatement[]): boolean {
  const last = body.at(-1);
  if (last?.kind === "return" || last?.kind === "throw") return true;
  if (last?.kind !== "try") return false;
  return endsIn(last.body) && last.handlers.every((handler) => endsIn(handler.body));
}

function returnsIn(body: readonly HirStatement[]): readonly (HirExpression | undefined)[] {
  const found: (HirExpression | undefined)[] = [];
  visit(body, (node) => {
    if (isStatement(node) && node.kind === "return") found.push(node.value);
  });
  return found;
}

function isResult(
  value: HirExpression | undefined,
  results: ReadonlySet<string>,
  passing: ReadonlySet<object>,
): boolean {
  if (!value) return false;
  const direct = unawaited(value);
  if (passing.has(direct) || isNamed(direct, results)) return true;
  // `return span(() => query(args))`: a function around the call that hands on what it returns.
  if (direct.kind !== "call") return false;
  const last = direct.arguments.at(-1)?.value;
  if (last?.kind !== "function") return false;
  const returned = returnsIn(last.function.body);
  return returned.length > 0 && returned.every((each) => isResult(each, results, passing));
}

function unawaited(value: HirExpression): HirExpression {
  return value.kind === "await" || value.kind === "typed" ? unawaited(value.operand) : value;
}

function isStatement(node: object): node is HirStatement {
  return "kind" in node;
}
