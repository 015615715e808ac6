// Variables at the tops of modules and static fields that functions assign: what one call leaves there, the next finds.
import type { Expression } from "../../../../program/expression";
import { compare } from "../../../sql/terms";
import { TRUE } from "../../../sql/expressions";
import {
  assignmentsTo,
  assignmentsToStatic,
  type AssignmentRecord,
  type Assignments,
} from "../../effects/assignments";
import { ANY_CHANGE, fieldOfChange, isMade, isNothing } from "../../effects/writeTargets";
import { changesOf, ownStaticChanges } from "../../effects/modRef";
import type { HirClass, HirModule } from "../../hir";
import { typeTree, type Type } from "../../typeTree";
import { UNDEFINED, unknown, type Cell, type Scope, type Value } from "../../values";
import { doesSomething } from "../lazySingletons";
import { declaredClient } from "../transactions/clientTypes";
import { declaredInput, hasConnection, heldValue } from "../transactions/instances";
import { newCell, type State } from "../state";
import { semanticsIn } from "../../semantics";
import { isAtom } from "./subvalues";
import { expressionOf } from "./convert";
import { changedByOthers, changing, isEmpty, livedIn, mutate } from "./moduleState";
import { choose } from "./operators";

/** Something that is assigned, as it is declared. */
export interface Variable {
  readonly name: string;
  readonly type: string | undefined;
  /** Its first content. */
  readonly initial: Value;
}

/** Content of a variable at the top of a module when a function begins; undefined where nothing assigns it. */
export function variableIn(
  state: State,
  module: HirModule,
  scope: Scope,
  variable: Variable,
): Value | undefined {
  useChanges(state, variable.name);
  const assigned = assignmentsTo(module, variable.name);
  return isAssigned(assigned) ? foundIn(state, scope, variable, assigned) : undefined;
}

/** The static fields of a class at the top of a module that the module changes, as functions find them. */
export function staticsOf(
  state: State,
  module: HirModule,
  scope: Scope,
  of: HirClass,
): ReadonlyMap<string, Cell> {
  const { name: own = "" } = of;
  const found = new Map<string, Cell>();
  if (!semanticsIn(module.language).namesByImport) return staticClients(state, scope, of);
  const fields = of.fields.filter(({ isStatic, isFinal, name }) => isStatic && name !== "" && !isFinal); // prettier-ignore
  if (fields.length === 0) return found;
  const elsewhere = useChanges(state, own);
  const itself: Value = { kind: "class", class: of, scope, statics: found };
  const inner: Scope = { bindings: new Map([[own, newCell(state, itself)]]), parent: scope, module: scope.module }; // prettier-ignore
  const changes = [...changesOf(module, own), ...ownStaticChanges(of), ...elsewhere];
  const changed = new Set(changes.map((each) => fieldOfChange(each).field));
  for (const { name, type, value } of fields) {
    if (!changed.has(name) && !changed.has(ANY_CHANGE)) continue;
    const initial = value ? state.evaluator.expression(state, inner, value) : UNDEFINED;
    const assigned = assignmentsToStatic(module, of, name);
    const variable = { name: `${own}.${name}`, type, initial };
    // Something of its type, where nothing is there at first.
    const isElsewhere = elsewhere.has(name) || elsewhere.has(ANY_CHANGE);
    const isOther = assigned.isOther || isElsewhere;
    const held =
      isAssigned(assigned) || (isElsewhere && isEmpty(initial))
        ? foundIn(state, inner, variable, { ...assigned, isOther })
        : mutate(state, initial, variable.name, treeOf(type));
    found.set(name, livingCell(state, held));
  }
  return found;
}

/** Connections and the like that static fields of Java hold, which some method or block gives them. */
function staticClients(state: State, scope: Scope, of: HirClass): ReadonlyMap<string, Cell> {
  const found = new Map<string, Cell>();
  for (const { name, type, value, isStatic, isFinal } of of.fields) {
    if (!isStatic || (isFinal && value)) continue;
    const client = type === undefined ? undefined : declaredClient(state, type, scope);
    if (!client) continue;
    const initial = value ? state.evaluator.expression(state, scope, value) : UNDEFINED;
    found.set(name, livingCell(state, initial.kind === "handle" ? initial : client));
  }
  return found;
}

/** The place of a variable that holds that when a function begins. */
export function livingCell(state: State, value: Value): Cell {
  return { ...newCell(state, value), isLiving: true };
}

/** Gives the fields that other modules change. */
function useChanges(state: State, name: string): ReadonlySet<string> {
  const { workspace: { trace }, frame: { file } } = state; // prettier-ignore
  trace.use(trace.facts.changes.cell(file, name));
  return changedByOthers(state, name);
}

function isAssigned({ values, isOther }: Assignments): boolean {
  return values.length > 0 || isOther;
}

/** A value that is made when it is first asked for is taken to be there; of all else, what its type says. */
function foundIn(
  state: State,
  scope: Scope,
  variable: Variable,
  { values, isOther }: Assignments,
): Value {
  const { name, initial, type } = variable;
  const [given, ...others] = values.filter(({ value }) => !isNothing(value));
  const isOne = isEmpty(initial) && !isOther && others.length === 0;
  if (isOne && given === undefined) return initial;
  const made =
    isOne && given && isMade(given.value) ? madeOnce(state, scope, given, name) : undefined;
  const kept = made && keptOf(state, made, name);
  if (kept) return kept;
  const typed = type === undefined ? undefined : typedAs(state, scope, type, name);
  if (!typed) return changing(name, initial, treeOf(type), made && isAtom(made));
  const isAlways = !isEmpty(initial) && !values.some(({ value }) => isNothing(value));
  return isAlways ? typed : choose(isThere(state, name), typed, UNDEFINED);
}

/** The only value that is ever assigned; undefined where making it runs statements. */
function madeOnce(
  state: State,
  scope: Scope,
  { value: hir, inner }: AssignmentRecord,
  name: string,
): Value | undefined {
  const before = state.emitted;
  const bindings = new Map<string, Cell>();
  for (const [own, type] of inner) {
    const known = type === undefined ? undefined : typedAs(state, scope, type, own);
    const given = known ?? unknown(`${own} is that of the call that assigned ${name}`);
    bindings.set(own, newCell(state, given));
  }
  const around: Scope = { bindings, parent: scope, module: scope.module };
  const value = state.evaluator.expression(state, inner.size > 0 ? around : scope, hir);
  return state.emitted > before ? undefined : value;
}

/** The same ever after: a client, a function, an object of a class. Undefined for data. */
function keptOf(state: State, value: Value, name: string): Value | undefined {
  switch (value.kind) {
    case "handle":
    case "function":
    case "class":
    case "namespace":
      return value;
    case "object":
      if (value.class) return livedIn(state, value, name);
      return doesSomething(value) ? value : undefined;
    default:
      return undefined;
  }
}

/** The meaning of a type for something that has methods or a connection. */
function typedAs(state: State, scope: Scope, type: string, name: string): Value | undefined {
  const value =
    heldValue(state, type, scope) ??
    declaredInput(state, { text: type, module: scope.module }, name);
  if (value?.kind !== "object") return value;
  const hasMethods = value.class?.class.methods.some(({ kind }) => kind !== "constructor") === true;
  return hasMethods || hasConnection(value) ? livedIn(state, value, name) : undefined;
}

function treeOf(type: string | undefined): Type | undefined {
  return type === undefined ? undefined : typeTree(type);
}

function isThere(state: State, name: string): Expression {
  const path = `${name} is there`;
  return compare("=", expressionOf(state, { kind: "input", path, origin: "argument" }), TRUE);
}
