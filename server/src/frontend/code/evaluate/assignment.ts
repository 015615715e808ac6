// Assignments to places: names, properties, elements of lists.
import type { HirPattern } from "../hir";
import { constantScalar, type Scope, UNDEFINED, unknown, type Value } from "../values";
import { isInput } from "../roots/provenance";
import { join } from "./lattice";
import { changedData } from "./builtins/dates";
import { setElement } from "./lists/arrays";
import { changedByListener } from "./calls/listeners";
import { listOf } from "./lists/collections";
import { readsOf } from "./values/convert";
import { isKept } from "./values/weakReferences";
import { bind } from "./bindings";
import { keep } from "./lazySingletons";
import { weakUpdate, push } from "./lists/iteration";
import { optionalMember, setAnyMember, setMember } from "./values/member";
import { choose } from "./values/operators";
import { changedByWrite } from "./values/foreignObjects";
import { writeInput, writeInside, writeWhole } from "./values/inputEffects";
import { ofDeclaredType } from "./transactions/clientTypes";
import { lose, sourceOf, write, type State } from "./state";

/** Assigns to what a pattern names. */
export function place(state: State, scope: Scope, pattern: HirPattern, value: Value): void {
  if (pattern.kind === "place") {
    const { place: target } = pattern;
    if (target.kind === "name") {
      bind(state, scope, { kind: "bind", name: target.name, span: target.span }, value, false);
      return;
    }
    if (target.kind === "member" || target.kind === "index") {
      const object = state.evaluator.expression(state, scope, target.object);
      const index =
        target.kind === "index"
          ? state.evaluator.expression(state, scope, target.index)
          : undefined;
      const name = target.kind === "member" ? target.property : index && keyOf(index);
      if (value.kind === "function" && isElsewhere(object)) {
        const site = { span: target.span, isNew: false, typeArguments: [], name: name ?? "" };
        const given = value.function.parameters.map(() => unknown("what a listener is given"));
        changedByListener(state, value, site.name, () => {
          state.evaluator.call(state, value, given, site);
        });
      }
      const typed = name === undefined ? value : ofField(state, object, name, value);
      if (name !== undefined && setProperty(state, object, name, typed)) return;
      const data = changedData(object, "=", [value]);
      if (data)
        place(state, scope, { kind: "place", place: target.object, span: target.span }, data);
      keep(state, scope, target, value);
      overwritten(state, object, index, value, name);
      // A row that was read may be among those that are not told apart.
      if (isKept(object) && !object.dependsOn.every(isInput)) {
        lose(state, ONE_OF_SEVERAL, sourceOf(state, target.span));
      }
      itemWritten(state, object, value);
    }
    // A result that nobody reads from the database's side is no loss.
    return;
  }
  bind(state, scope, pattern, value, false);
}

/** An object that is not the code's own runs functions that it is given when it likes: `parser.onRow = ...`. */
function isElsewhere({ kind }: Value): boolean {
  return kind === "input" || kind === "external" || kind === "unknown" || kind === "scalar";
}

/** The content of a field of an object or class that is given that: a client where its type says so and the value nothing. */
function ofField(state: State, object: Value, name: string, value: Value): Value {
  const of = object.kind === "object" ? object.class : object.kind === "class" ? object : undefined;
  const field = of?.class.fields.find((each) => each.name === name);
  return of ? ofDeclaredType(state, value, field?.type, of.scope) : value;
}

const ONE_OF_SEVERAL = "which of several records the code assigned a field is not known";

/** An item of an argument, of which it is not known which, is written. */
function itemWritten(state: State, object: Value, value: Value): void {
  if (object.kind !== "unknown" || object.among !== "items") return;
  const [of, ...others] = object.dependsOn;
  if (of?.kind !== "parameter" || others.length > 0) return;
  const whole = { kind: "input", path: of.name, origin: "argument" } as const;
  const why = "which part of an argument is written is not told";
  writeInside(state, whole, join(whole, value, why));
}

/** Some part of a list or record is written, and it is not known which. */
function overwritten(
  state: State,
  object: Value,
  index: Value | undefined,
  value: Value,
  name?: string,
): void {
  if (object.kind === "choice") {
    overwritten(state, object.then, index, value, name);
    overwritten(state, object.otherwise, index, value, name);
  } else if (object.kind === "list") setElement(state, object, index ?? UNDEFINED, value);
  else if (object.kind === "input" && !object.foreign) {
    const why = "which part of an argument is written is not told";
    writeWhole(state, object, join(object, value, why));
  } else if (!changedByWrite(state, object, name, value)) setAnyMember(state, object, value);
}

function setProperty(state: State, object: Value, name: string, value: Value): boolean {
  if (object.kind === "choice") {
    const { condition, then, otherwise } = object;
    const { start, end } = { start: 0, end: 0 };
    const old = [then, otherwise].map((each) => optionalMember(state, each, name, { start, end }));
    const first = setProperty(state, then, name, choose(condition, value, old[0] ?? UNDEFINED));
    const second = setProperty(
      state,
      otherwise,
      name,
      choose(condition, old[1] ?? UNDEFINED, value),
    );
    return first && second;
  }
  if (name === "length" && cutShort(state, object, value)) return true;
  if (object.kind === "list" && /^\d+$/u.test(name)) {
    const cell = object.items[Number(name)];
    // One of a length that is not known is written as at any index.
    if (!cell && object.grown.value !== undefined) return false;
    if (cell) write(state, cell, value);
    else if (Number(name) === object.items.length) push(state, object, value);
    else weakUpdate(state, object, value);
    return true;
  }
  // Elements of lists are asked for by their indexes.
  if (object.kind === "input" && !object.foreign && !/^\d+$/u.test(name)) {
    writeInput(state, object, name, value);
    return true;
  }
  return setMember(state, object, name, value);
}

/** `list.length = 0` */
function cutShort(state: State, list: Value, length: Value): boolean {
  const isEmpty = constantScalar(length) === 0;
  if (list.kind === "list") {
    for (const cell of isEmpty ? list.items : []) write(state, cell, undefined);
    if (isEmpty) write(state, list.grown, undefined);
    else weakUpdate(state, list, UNDEFINED);
  } else if (list.kind === "input") {
    const why = "a list among the arguments that is cut short";
    writeWhole(state, list, isEmpty ? listOf(state, []) : unknown(why, readsOf(list)));
  } else return false;
  return true;
}

/** A key as a property's name. */
export function keyOf(value: Value): string | undefined {
  const known = constantScalar(value);
  return known === undefined || known === null ? undefined : String(known);
}
