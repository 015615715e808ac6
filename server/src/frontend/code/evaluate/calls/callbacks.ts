// Functions that are given to others: which of them bring work, and which are only wrapped.
import type { SourceRange } from "../../../../protocol/source";
import type { Scope, Value } from "../../values";
import { unknownExpression } from "../values/convert";
import { follow, type Path } from "../fork";
import { addIf, merge } from "../merge";
import { lose, type State } from "../state";
import { opensByName } from "../../callGraph/transactionOpeners";

/** True if a value is a function that may run statements, or that calls one that it was written beside. */
export function bringsWork(state: State, value: Value, depth = 3): boolean {
  return broughtBy(state, value, depth).length > 0;
}

/** The functions that may run statements and that a value calls which was written beside them. */
export function broughtBy(state: State, value: Value, depth = 3): readonly FunctionValue[] {
  if (value.kind === "choice") {
    return [...broughtBy(state, value.then, depth), ...broughtBy(state, value.otherwise, depth)];
  }
  if (value.kind !== "function" || depth === 0) return [];
  const { reach } = state.workspace;
  if (reach.mayReach(value.function)) return [value];
  return [...reach.calls(value.function)].flatMap((name) => {
    const called = localValue(value.scope, name);
    return called ? broughtBy(state, called, depth - 1) : [];
  });
}

type FunctionValue = Extract<Value, { kind: "function" }>;

/** A function with another `this`: what `call`, `apply` and `bind` give it, where that is something known. */
export function boundTo(callee: Value, self: Value | undefined): Value {
  if (callee.kind !== "function" || callee.function.isArrow) return callee;
  return self?.kind === "object" || self?.kind === "class" ? { ...callee, self } : callee;
}

/** The value of a name within the functions around a scope, not at the top of the module. */
function localValue(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const cell = at.bindings.get(name);
    if (cell) return cell.value;
  }
  return undefined;
}

/** True if what is evaluated is the top of a module, and no function that runs by itself. */
export function isAtTop({ frame }: State): boolean {
  let outermost = frame;
  while (outermost.caller) outermost = outermost.caller;
  return outermost.span.end === 0;
}

/** Goes on behind a path that something unknown runs, or that it may run. */
export function perhaps(
  state: State,
  path: Path,
  { isSure, name, source }: { isSure: boolean; name: string; source: SourceRange },
): void {
  if (isSure) {
    follow(state, path);
    return;
  }
  if (path.written.size + path.commands.length === 0) return;
  const why = `whether ${name}() runs the function that it is given`;
  const condition = unknownExpression(state, why, [], "bool");
  const other: Path = { commands: [], written: new Map(), left: false };
  merge(state, condition, path, other, source);
  addIf(state, { condition, then: path, otherwise: other, source });
}

/** Names of methods that keep what they are given for requests, messages or events to come. */
export const HANDLES =
  /\.(get|post|put|patch|delete|all|use|on|once|route|openapi|handle|register|process|listen|subscribe|consume|work|task|job|query|mutation|action|command|addListener|addEventListener)$/u;

/** Names of classes whose objects run what they are made with for jobs, messages or times to come. */
export const MADE_TO_HANDLE =
  /(?:^|\.)(\w*(?:Worker|Consumer|Subscriber|Scheduler|Cron|CronJob))$/u;

/** Names of functions that give the function that they are given, with its results kept. */
export const CACHES = /(?:^|[._])(?:cache|memoize)$/iu;

/** Names of functions of tracing, locks and queues: they run what they are given, once, and what it throws is thrown. */
const KNOWN_ONCE =
  /(?:^|\.)(?:(?:tracer|[Ss]entry|apm)\.\w+|start(?:Active|New)?Span|(?:with|in)(?:Active)?Span|trace|traced|withScope|withIsolationScope|continueTrace|context\.with|runExclusive|withLock|(?:red)?lock\.using|limit|enqueue)$/u;

/** Names of functions that seem to run what they are given: that they do so once is said. */
export const RUNS_ONCE =
  /retry|with\w|wrap|run|transaction|trace|span|timed|measure|guard|lock|using|handle|catch|async|once|exec/iu;

/** True if a call is one of a step that has a name, by which whoever repeats the function knows that it was run. */
function isStep(name: string, [key, work]: readonly Value[]): boolean {
  const isNamed = key?.kind === "text" || (key?.kind === "object" && key.fields.has("id"));
  return isNamed && work?.kind === "function" && STEPS.test(name);
}

/** Says what is not known of how an unknown function runs one that it is given, and that has statements. */
export function tellRun(
  state: State,
  name: string,
  args: readonly Value[],
  source: SourceRange,
): void {
  if (!isStep(name, args)) {
    if (KNOWN_ONCE.test(name) || opensByName(name)) return;
    lose(state, `${name}() is taken to run the function that it is given once`, source);
    return;
  }
  const why = `${name}() may skip its function and give what it kept of it`;
  if (!state.taint.some(({ reason }) => reason === why)) lose(state, why, source);
}

const STEPS = /\.(?:run|runTask|runStep|step|do|sideEffect)$/u;
