// Calls that can do nothing with a database and are long: what they give is all that is asked of them, which is not worth
// following them for.
import { heldBy, someWithin } from "../values/subvalues";
import type { Scope, Value } from "../../values";
import { namedIn } from "../../modules/references";
import { originOf } from "../../queries/origins";
import { mayFail } from "../errors/failures";
import { lose, sourceOf, type CallSite, type State } from "../state";
import { isInput } from "../../roots/provenance";
import { readsOf } from "../values/convert";
import { escape } from "../values/escape";
import { areIdle } from "../values/idleValues";
import { isInUnknown } from "../transactions/unknownTransactions";
import { semanticsOf } from "../../semantics";
import { giveAway } from "./escapingArguments";
import { unfollowedResult } from "./opaqueResults";

type FunctionValue = Extract<Value, { kind: "function" }>;

/** Parts of HIR that are followed all the same, and those where they may refuse what they are given, or that was read. */
const LARGEST = 250;
const LARGEST_ASKED = 1500;
/** Those where nobody asks for what they give. */
const LARGEST_UNUSED = 32;

/**
 * The result of a call that need not be followed: neither what the function names nor what it is given leads to a database,
 * and it is long, or it refuses and changes nothing, what it is given was not read, and it is not short. Of what is not
 * used nothing is asked. Undefined for all others.
 */
export function idleCall(
  state: State,
  callee: FunctionValue,
  args: readonly Value[],
  site: CallSite,
): Value | undefined {
  const { function: hir, scope } = callee;
  const { file } = scope.module;
  const { leads, reach } = state.workspace;
  // The function that it returns is known by following it alone.
  if (reach.returnsFunction(hir)) return undefined;
  // The content of an AsyncLocalStorage is handed in, too.
  if (!semanticsOf(file).namesByImport || isInUnknown(state) || state.stores.size > 0)
    return undefined;
  const own = leads.extentOf(file, hir);
  const { parts, leads: isLeading } = own;
  const given = args.flatMap((arg) =>
    arg.kind === "function" ? leads.extentOf(arg.scope.module.file, arg.function) : [],
  );
  const throws = [own, ...given].some((each) => each.throws);
  const changes = [own, ...given].some((each) => each.changes);
  const isUnused = site.isUnused === true && !throws && !changes;
  if (parts <= (isUnused ? LARGEST_UNUSED : LARGEST)) return undefined;
  if (isLeading || args.some(isClosure) || assignsAround(callee)) return undefined;
  if (!areIdle(state, [callee, ...args], callee)) return undefined;
  const isAsked =
    throws || changes || (!isUnused && !args.every((arg) => readsOf(arg).every(isInput)));
  if (isAsked && parts <= LARGEST_ASKED) return undefined;
  const name = callee.name ?? hir.name ?? site.name;
  const source = sourceOf(state, site.span);
  const long = `${name}() is too long to be followed`;
  const operands = callee.self ? [callee.self, ...args] : args;
  if (throws && !operands.every(isConstant))
    lose(state, `${long}: whether it refuses what it is given is not known`, source);
  if (changes && !operands.every(isImmutable))
    lose(state, `${long}: what it changes of what it is given is not known`, source);
  for (const arg of operands) {
    escape(state, arg);
    giveAway(state, arg, name);
  }
  mayFail(state, name, source);
  return unfollowedResult(state, callee, name, args);
}

/** True if a value depends on nothing: neither on arguments nor on what was read. */
function isConstant(value: Value): boolean {
  return readsOf(value).every(({ kind }) => kind === "literal");
}

/** True if nobody can change a value who is given it. What is in an unknown value may be anything. */
function isImmutable({ kind }: Value): boolean {
  return kind === "scalar" || kind === "text" || kind === "undefined" || kind === "function";
}

/** True if a value is a function, or has one, that may change what is around it. */
function isClosure(value: Value): boolean {
  return someWithin(value, (each) => {
    if (each.kind === "choice") return [each.then, each.otherwise];
    if (each.kind === "function") return each.scope.parent !== undefined;
    return each.kind === "object" && !each.class && heldBy(each);
  });
}

/** True if a function assigns variables of the functions around it. */
function assignsAround({ function: hir, scope }: FunctionValue): boolean {
  const { assigned } = namedIn(originOf(hir));
  for (let at: Scope | undefined = scope; at?.parent; at = at.parent) {
    for (const name of at.bindings.keys()) if (assigned.has(name)) return true;
  }
  return false;
}
