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
import { isInUnknown } from "../transactions/unknownTransactions";
import { semanticsOf } from "../../semantics";
import { libraryOf } from "../../libraries/library";
import { giveAway } from "./escapingArguments";
import { unfollowedResult } from "./opaqueResults";

type FunctionValue = Extract<Value, { kind: "function" }>;

/** Parts of HIR that are followed all the same, and those where they may refuse what they are given, or that was read. */
const LARGEST = 250;
const LARGEST_ASKED = 1500;
/** Those where nobody asks for what they give. */
const LARGEST_UNUSED = 32;

/** Values in values, up to which these are looked through. */
const MOST_PARTS = 2000;

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
  const { leads } = state.workspace;
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
  if (!arePlain(state, [callee, ...args])) return undefined;
  const isAsked =
    throws || changes || (!isUnused && !args.every((arg) => readsOf(arg).every(isInput)));
  if (isAsked && parts <= LARGEST_ASKED) return undefined;
  const name = callee.name ?? hir.name ?? site.name;
  const source = sourceOf(state, site.span);
  const long = `${name}() is too long to be followed`;
  if (throws) lose(state, `${long}: whether it refuses what it is given is not known`, source);
  if (changes) lose(state, `${long}: what it changes of what it is given is not known`, source);
  for (const arg of callee.self ? [callee.self, ...args] : args) {
    escape(state, arg);
    giveAway(state, arg, name);
  }
  mayFail(state, name, source);
  return unfollowedResult(state, callee, name, args);
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

/** The inputs of a function without its arguments: its object, and what it names of the functions around it. */
function reachedFrom({ function: hir, self, scope }: FunctionValue): readonly Value[] {
  const found: Value[] = self ? [self] : [];
  const { values } = namedIn(originOf(hir));
  for (let at: Scope | undefined = scope; at?.parent; at = at.parent) {
    if (at.self) found.push(at.self);
    for (const [name, { value }] of at.bindings) if (value && values.has(name)) found.push(value);
  }
  return found;
}

/** Libraries whose rows can be saved. */
const ROWS_WITH_METHODS = ["sequelize", "typeorm"];

/** True if no statement can come of values, whatever is done with them. The first is what is called. */
function arePlain(state: State, values: readonly Value[]): boolean {
  const { leads, used } = state.workspace;
  const [callee] = values;
  // Grows while it is gone over.
  const open = new Set(values);
  const add = (value: Value | undefined): void => {
    if (value) open.add(value);
  };
  for (const value of open) {
    if (open.size > MOST_PARTS) return false;
    switch (value.kind) {
      case "scalar":
      case "text":
      case "undefined":
      case "unknown":
        break;
      case "rows":
      case "row":
        if (ROWS_WITH_METHODS.some((each) => used.has(each))) return false;
        break;
      case "input":
        if (value.members && value.holder && leads.mayHold(value.holder, value.type ?? ""))
          return false;
        break;
      case "list":
        for (const cell of value.items) add(cell.value);
        add(value.grown.value);
        break;
      case "joined":
        for (const part of value.parts) add(part);
        break;
      case "derived":
        add(value.from);
        add(value.by);
        break;
      case "choice":
        add(value.then);
        add(value.otherwise);
        break;
      case "external":
        if (value.isDataAccess === true) return false;
        break;
      case "builtin":
        add(value.self);
        break;
      case "handle":
        if (value.connection || libraryOf(value).isTable?.(value.data) === true) return false;
        break;
      case "function":
        if (value !== callee && leads.extentOf(value.scope.module.file, value.function).leads)
          return false;
        for (const held of reachedFrom(value)) open.add(held);
        break;
      case "object": {
        const of = value.class;
        const [method] = of?.class.methods ?? [];
        if (of && method && leads.mayLead(of.scope.module.file, method.function)) return false;
        for (const cell of value.fields.values()) add(cell.value);
        add(value.rest);
        add(value.pairs);
        break;
      }
      default:
        return false;
    }
  }
  return true;
}
