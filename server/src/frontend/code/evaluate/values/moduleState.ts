// State at the top of a module lives on between the calls of functions: what these change in it is not as it was made.
import { ANY_CHANGE, fieldOfChange, INSIDE } from "../../effects/writeTargets";
import { changesOf, ownChanges } from "../../effects/modRef";
import type { HirClass, HirModule } from "../../hir";
import {
  type Cell,
  constantScalar,
  type ObjectValue,
  oneOfSeveral,
  unknown,
  type Scope,
  type Value,
} from "../../values";
import { isOfScalars, itemTypeOf, typeTree, type Type } from "../../typeTree";
import { grownCell } from "../lists/collections";
import { newCell, type State } from "../state";
import { readsOf } from "./convert";
import { ANY_KEY } from "./fieldNames";
import { superclassOf } from "./methods";
import { unknownOfType } from "./subvalues";

/** The value of a name at the top of a module, without what the module changes in it. Clients and functions stay. */
export function livingOn(
  state: State,
  module: HirModule,
  value: Value | undefined,
  { name, type }: { readonly name: string; readonly type: string | undefined },
): Value | undefined {
  if (value?.kind === "function") return livedAround(state, value, name);
  if (value?.kind !== "list" && value?.kind !== "object") return value;
  const { workspace, frame } = state;
  workspace.trace.use(workspace.trace.facts.changes.cell(frame.file, name));
  const changes = new Set([...changesOf(module, name), ...changedByOthers(state, name)]);
  if (value.kind === "list" || value.isMap === true) {
    const declared = type === undefined ? undefined : typeTree(type);
    return changes.has(ANY_CHANGE) ? mutate(state, value, name, declared) : value;
  }
  const own = value.class ? livedIn(state, value, name) : value;
  return changes.size === 0 ? own : withChanges(state, own, changes, name);
}

/** A function of an object that its module made has what others of its functions left there. */
function livedAround(state: State, value: FunctionValue, name: string): Value {
  if (value.self?.kind === "object") livedIn(state, value.self, name);
  for (let at: Scope | undefined = value.scope; at?.parent; at = at.parent) {
    if (at.self?.kind === "object") livedIn(state, at.self, name);
  }
  return value;
}

type FunctionValue = Extract<Value, { kind: "function" }>;

/** The fields of a name at the top of the module at hand that other modules change. */
export function changedByOthers(
  { workspace, frame }: State,
  name: string,
  file = frame.file,
): ReadonlySet<string> {
  const { trace, changedElsewhere } = workspace;
  trace.use(trace.facts.changedElsewhere.cell(file, name));
  return changedElsewhere(file, name);
}

/** An object that somebody else made, as far as it is known what stood in it at first. */
export function livedElsewhere(state: State, value: Value, name = "object"): Value {
  if (value.kind !== "object" || !value.class) return value;
  const had = new Set(value.fields.keys());
  const changes = [...changesOfClass(state, value)].filter(
    (each) => had.has(fieldOfChange(each).field) || each === ANY_CHANGE,
  );
  return changes.length > 0 ? withChanges(state, value, new Set(changes), name) : value;
}

/** An object of a class that more than one call has: its methods have changed it since it was made. */
export function livedIn(
  state: State,
  value: ObjectValue,
  name: string,
  seen = new Set<ReadonlyMap<string, Cell>>(),
): ObjectValue {
  if (seen.has(value.fields)) return value;
  seen.add(value.fields);
  const changes = changesOfClass(state, value);
  const own = changes.size > 0 ? withChanges(state, value, changes, name) : value;
  // So have those of objects that it made for itself.
  for (const [field, { value: part }] of own.fields) {
    if (part?.kind === "object" && part.class) livedIn(state, part, `${name}.${field}`, seen);
  }
  return own;
}

/** The changes of an object's methods in it. */
function changesOfClass(state: State, value: ObjectValue): ReadonlySet<string> {
  const changes = new Set<string>();
  const seen = new Set<HirClass>();
  for (let of = value.class; of && !seen.has(of.class); of = superclassOf(of)) {
    seen.add(of.class);
    for (const each of ownChanges(of.class)) changes.add(each);
    const { class: { name }, scope } = of; // prettier-ignore
    if (name === undefined) continue;
    for (const each of changedByOthers(state, `${name}.this`, scope.module.file)) changes.add(each);
  }
  return changes;
}

function withChanges(
  state: State,
  value: ObjectValue,
  changes: ReadonlySet<string>,
  name: string,
): ObjectValue {
  const isAny = changes.has(ANY_CHANGE);
  const { fields } = value;
  const assigned = new Set([...changes].filter((each) => !each.endsWith(INSIDE)).map((each) => fieldOfChange(each).field)); // prettier-ignore
  for (const change of isAny ? [...fields.keys(), ...changes] : changes) {
    const { field, isAny: isOther } = fieldOfChange(change);
    const before = fields.get(field)?.value;
    // A value that is made when it is first asked for is the same ever after.
    const isFirst = isEmpty(before) && !isOther;
    const isSame = change.endsWith(INSIDE) && before?.kind !== "list" && before?.kind !== "object";
    if (field === ANY_CHANGE || isFirst || isSame || !mayChange(before)) continue;
    const inside = isAny || assigned.has(field) ? undefined : before;
    const type = typeOfField(value, field);
    const own = `${name}.${field}`;
    const now = inside ? mutate(state, inside, own, type) : changing(own, before, type);
    fields.set(field, newCell(state, now));
  }
  if (isAny) fields.set(ANY_KEY, newCell(state, changing(name, value)));
  return value;
}

/** Objects that change in ways that are not followed. `type`: theirs, where it is declared. */
export function mutate(state: State, value: Value, name: string, type?: Type): Value {
  if (value.kind === "object" && value.class) return livedIn(state, value, name);
  const isMap = value.kind === "object" && value.isMap === true;
  if (value.kind !== "list" && !isMap)
    return mayChange(value) ? changing(name, value, type) : value;
  const item = changing(name, value, type && itemTypeOf(type));
  if (isMap) return { ...value, fields: new Map([[ANY_KEY, newCell(state, item)]]) };
  return { kind: "list", items: [], grown: grownCell(state, item) };
}

/** The declared type of a field of an object. */
function typeOfField({ class: of }: ObjectValue, name: string): Type | undefined {
  const declared = of?.class.fields.find((each) => each.name === name && !each.isStatic)?.type;
  return declared === undefined ? undefined : typeTree(declared);
}

/** True if there is nothing: `null` or `undefined`. */
export function isEmpty(value: Value | undefined): boolean {
  return value === undefined || value.kind === "undefined" || constantScalar(value) === null;
}

/** Clients, functions, and objects of classes are the same ever after. */
function mayChange(before: Value | undefined): boolean {
  switch (before?.kind) {
    case "scalar":
    case "text":
    case "list":
    case "undefined":
    case undefined:
      return true;
    case "object":
      return before.class === undefined;
    default:
      return false;
  }
}

/** A value that differs from call to call, as far as its declared type tells what it is; `isData`: nothing but data is put there. */
export function changing(
  name: string,
  value: Value | undefined,
  type?: Type,
  isData = false,
): Value {
  const why = `${name} changes from call to call`;
  const reads = value ? readsOf(value) : [];
  if (isData) return unknown(why, reads);
  const isOther = type === undefined || isOfScalars(type);
  return isOther ? oneOfSeveral(why, reads) : unknownOfType(type, why, reads);
}
