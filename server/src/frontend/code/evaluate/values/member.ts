// `value.property`: fields of rows and records, methods of classes, parts of libraries.
import type { Expression } from "../../../../program/expression";
import { dictionary } from "../../../../protocol/dictionary";
import type { SourceRange } from "../../../../protocol/source";
import { literal } from "../../../sql/expressions";
import type { Span } from "../../../sql/text/split";
import {
  type Cell,
  constant,
  constantText,
  fieldExpression,
  isArray,
  type ObjectValue,
  partPlace,
  type ResultColumns,
  type RowValue,
  scalar,
  UNDEFINED,
  unknown,
  unknownItem,
  type Value,
} from "../../values";
import { notePoint } from "../errors/attempts";
import { ofMaker } from "../calls/callbackResults";
import { noteRead, noteNewField } from "../lists/lastReads";
import { distinctItems } from "../lists/collections";
import { fillingOf } from "../lists/items";
import { madeItem, noteItemWrite } from "../lists/lazyItems";
import { spelledOut } from "../lists/conditionalAppend";
import { countItems, searchedItem } from "../lists/rowSearch";
import { isPending } from "../calls/awaits";
import { emit, sourceOf, write, type State } from "../state";
import { semanticsOf } from "../../semantics";
import type { ErrorClass } from "../errors/errorClass";
import { libraryOf } from "../../libraries/library";
import { itemTypeOf, typeTree } from "../../typeTree";
import { knowing, presentIn } from "./presence";
import { readField, mayBeAbsent } from "./absentFields";
import { assignedElsewhere, firstOverlay, noteRowAssignment } from "./rowAssignments";
import { listFromCall } from "./outside";
import { choose, isNullish } from "./operators";
import { ANY_KEY, fieldNamesOf } from "./fieldNames";
import { unknownOf } from "./subvalues";
import { isPresent, negate, presenceOf, readsOf } from "./convert";
import { ofPerhapsNothing } from "./nullishAccess";
import { heldBy, nowOf } from "./inputParts";
import { changedTo } from "./foreignValues";
import { boundMethod, methodOf } from "./methods";
import { besideFields, besideFieldsIfThere } from "./rowGetters";
import { setStatic, staticMember } from "./statics";

type Input = Extract<Value, { kind: "input" }>;

/** The property of a value. Where there is nothing to have one, an error of the code ends the function. */
export function memberOf(state: State, value: Value, property: string, site: Span): Value {
  // A query that was put together is a promise, too.
  if (PROMISE_METHODS.has(property) && isPending(value)) {
    return { kind: "builtin", name: `deferred.${property}`, self: value };
  }
  const made = OF_ANY_OBJECT.has(property) ? undefined : ofMaker(value, property);
  if (made) return made;
  switch (value.kind) {
    case "row": {
      mustBeThere(state, value, sourceOf(state, site));
      const field = fieldOf(value, property);
      return field.kind === "builtin"
        ? (besideFields(state, value, property, site) ?? field)
        : field;
    }
    case "rows":
      if (property === "length" || property === "count") return sizeOf(value.result);
      if (/^\d+$/u.test(property)) return itemOf(state, value, Number(property));
      return { kind: "builtin", name: `list.${property}`, self: value };
    case "list":
    case "joined":
    case "derived": {
      if (
        property === "length" ||
        (property === "size" && !semanticsOf(state.frame.file).hasAccessors)
      ) {
        return lengthOf(state, value);
      }
      if (/^\d+$/u.test(property)) return itemOf(state, value, Number(property));
      return { kind: "builtin", name: `list.${property}`, self: value };
    }
    case "object":
      return objectMember(state, value, property, site);
    case "input":
      if (value.isOnce && (property === "length" || property === "size")) {
        return lengthOf(state, value);
      }
      return partOfInput(state, value, property);
    case "handle": {
      const tools = state.evaluator.tools(state, libraryOf(value));
      const own = libraryOf(value).member?.(value, property, tools);
      return own ?? { ...value, path: `${value.path}.${property}` };
    }
    case "choice":
      return choiceMember(state, value, property, site);
    case "undefined":
      // No program is written to fail in this way: what is taken for nothing here is something that is not known.
      if (OF_ANY_OBJECT.has(property)) return { kind: "builtin", name: `undefined.${property}` };
      return unknown(`${property} is asked of nothing`);
    case "unknown":
      // A function that is given to an unknown promise gives what comes of it where it is kept or fails.
      return PROMISE_METHODS.has(property)
        ? { kind: "builtin", name: `unknown.${property}`, self: value }
        : value;
    case "class":
      return staticMember(state, value, property, site);
    case "namespace":
      return value.lookup(property) ?? UNDEFINED;
    case "builtin":
      if (Object.hasOwn(CONSTANTS, `${value.name}.${property}`)) {
        return constant(CONSTANTS[`${value.name}.${property}`] ?? null);
      }
      if (LIST_METHODS.has(property)) {
        const list = listFromCall(state, value);
        if (list) return memberOf(state, list, property, site);
      }
      return { kind: "builtin", name: `${value.name}.${property}`, self: value.self ?? value };
    case "external":
      return { ...value, name: `${value.name}.${property}` };
    case "function":
      if (semanticsOf(state.frame.file).hasAccessors && !COMBINING.has(property)) return value;
      return { kind: "builtin", name: `function.${property}`, self: value };
    case "text": {
      const text = constantText(value);
      if (property === "length" && text !== undefined) return scalar(literal(text.length), "int");
      return { kind: "builtin", name: `text.${property}`, self: value };
    }
    default: {
      const whole = wholeOf(value, property);
      if (whole) return memberOf(state, whole, property, site);
      const list = LIST_METHODS.has(property) ? listFromCall(state, value) : undefined;
      if (list) return memberOf(state, list, property, site);
      return { kind: "builtin", name: `${value.kind}.${property}`, self: value };
    }
  }
}

/** The record behind a scalar that is one at times: not for what texts, lists, numbers or dates have as well. */
function wholeOf(value: Value, property: string): Value | undefined {
  if (value.kind !== "scalar" || value.whole === undefined) return undefined;
  const isOfScalars = [String, Array, Number, Date, Object].some((each) =>
    Object.hasOwn(each.prototype, property),
  );
  return isOfScalars ? undefined : value.whole;
}

/** Constants of the language's own classes. */
const CONSTANTS = dictionary<number | boolean>({
  "BigDecimal.ZERO": 0,
  "BigDecimal.ONE": 1,
  "BigDecimal.TEN": 10,
  "BigInteger.ZERO": 0,
  "BigInteger.ONE": 1,
  "Integer.MAX_VALUE": 2_147_483_647,
  "Integer.MIN_VALUE": -2_147_483_648,
  "Boolean.TRUE": true,
  "Boolean.FALSE": false,
});

/** Members that lists have and texts have not. */
const LIST_METHODS: ReadonlySet<string> = new Set(
  "map forEach filter reduce flatMap some every find findIndex findLast findLastIndex entries sort".split(
    " ",
  ),
);

/** Methods of Java's functions that make others of them. */
const COMBINING: ReadonlySet<string> = new Set(["andThen", "compose", "negate", "reversed"]);

/** `value?.property`. */
export function optionalMember(state: State, value: Value, property: string, site: Span): Value {
  if (isNothing(value)) return UNDEFINED;
  const made = ofMaker(value, property);
  if (made) return made;
  if (value.kind === "row") return fieldIfThere(state, value, property, site);
  const whole = wholeOf(value, property);
  if (whole) return optionalMember(state, whole, property, site);
  if (value.kind === "choice") {
    return choose(
      value.condition,
      optionalMember(state, value.then, property, site),
      optionalMember(state, value.otherwise, property, site),
    );
  }
  const member = memberOf(state, value, property, site);
  return value.kind === "input" ? ofPerhapsNothing(state, value, member) : member;
}

/** The field of a row that may be missing, or what a getter of its class gives where the row is there. */
function fieldIfThere(
  state: State,
  row: Extract<Value, { kind: "row" }>,
  property: string,
  site: Span,
): Value {
  const field = fieldOf(row, property);
  if (field.kind === "builtin") return besideFieldsIfThere(state, row, property, site) ?? field;
  if (field.kind !== "scalar" || isPresent(state, row)) return field;
  return { ...field, where: presenceOf(row) };
}

/** Writes `value.property = written`. */
export function setMember(state: State, value: Value, property: string, written: Value): boolean {
  if (value.kind === "class") return setStatic(state, value, property, written);
  if (value.kind !== "object" && value.kind !== "row") return false;
  const cells = value.kind === "object" ? value.fields : value.overlay;
  const cell = cells.get(property) ?? fieldCell(value, property);
  cells.set(property, cell);
  // Rows are written to be saved: what the last round of a loop leaves in them is worth a round that carries it.
  if (value.kind === "row") {
    noteRead(cells);
    noteRowAssignment(state, value, property, written);
  } else noteItemWrite(state, value, property, written);
  if (cell.value === undefined && value.born !== undefined) noteNewField(cell, cells);
  write(state, cell, written);
  return true;
}

/** A field that has not been written, as old as its record may be: what a loop writes is there behind it. */
function fieldCell(value: ObjectValue | RowValue, property: string): Cell {
  const { born = 0 } = value;
  return { value: undefined, birth: 0, made: born, unset: unsetField(value, property) };
}

function unsetField(value: ObjectValue | RowValue, property: string): Value {
  if (value.kind === "row") return fieldOf(value, property);
  const { rest, fields } = value;
  if (rest) return unknown("a field of a record that is not known", readsOf(rest));
  return fields.get(ANY_KEY)?.value ?? UNDEFINED;
}

/** Writes a record under a key that is only known when it runs: any of its fields may be what was written. */
export function setAnyMember(state: State, value: Value, written: Value): boolean {
  if (value.kind !== "object") return false;
  const why = "a record is written under a key that is only known when it runs";
  const lost = (old: Value = UNDEFINED): Value => unknownOf([old, written], why, readsOf(written));
  for (const [name, { value: old }] of value.fields) {
    const isCode = old?.kind === "handle" || old?.kind === "function" || old?.kind === "class";
    if (!isCode && name !== ANY_KEY) setMember(state, value, name, lost(old));
  }
  return setMember(state, value, ANY_KEY, lost(value.fields.get(ANY_KEY)?.value));
}

/** The field of a row as it was read, or as it was set since. */
export function fieldOf(row: Extract<Value, { kind: "row" }>, property: string): Value {
  const set = row.overlay.get(property)?.value;
  if (set !== undefined) return set;
  noteRead(row.overlay);
  const other = assignedElsewhere(row, property);
  if (other) return other;
  const { columns, at } = row;
  const related = columns.related?.get(property);
  const toRow = columns.relatedTo?.get(property);
  if (toRow !== undefined) return toRow(row);
  if (related !== undefined) return at === "first" ? related : notTold(property, related);
  const name = columns.renamed?.get(property) ?? namedLike(columns, property);
  const isKnown = columns.order.length === 0 || columns.order.includes(name);
  if (!isKnown) return { kind: "builtin", name: `row.${property}`, self: row };
  const isNullable = columns.required !== undefined && !columns.required.has(name);
  const read = scalar(fieldExpression(row, name), columns.types.get(name));
  const isWide = columns.wide?.has(name) === true;
  if (read.kind !== "scalar" || (!isNullable && !isWide)) return read;
  return { ...read, ...(isNullable && { mayBeNull: true }), ...(isWide && { isWide: true }) };
}

function namedLike({ order, foldsCase }: ResultColumns, property: string): string {
  if (foldsCase !== true || order.includes(property)) return property;
  const folded = property.toLowerCase();
  return order.find((each) => each.toLowerCase() === folded) ?? property;
}

/** Values that were read along with several rows are not told apart by them. */
function notTold(property: string, relatedTo: Value): Value {
  return unknown(`"${property}" of one of several rows`, readsOf(relatedTo));
}

/** An item of rows or of a list, counted from zero. */
export function itemOf(state: State, of: Value, at: number): Value {
  const value = changedTo(of) ?? of;
  switch (value.kind) {
    case "rows": {
      if (at === 0) return firstRow(value);
      const size: Expression = { kind: "size", result: value.result };
      return unknown(`row ${String(at + 1)} of a result is not told from the others`, [size]);
    }
    case "list": {
      if (value.isOnce && at > 0 && !distinctItems(value)) {
        return unknownItem("an item of a set is not told from the others", readsOf(value));
      }
      const filling = fillingOf(value);
      if (filling) return itemOf(state, filling, at);
      return itemsThere(value)[at] ?? (value.grown.value === undefined ? UNDEFINED : grown(value));
    }
    case "derived": {
      const isFirst = at === 0 && value.how === "filter";
      const first = isFirst ? searchedItem(state, value, "first") : undefined;
      if (first) return first;
      const item = itemOf(state, value.from, at);
      if (value.how !== "map") {
        const list = { filter: "filtered list", order: "sorted list", flat: "list of lists" };
        const why = `an item of a ${list[value.how]} is not told from the others`;
        return unknownItem(why, readsOf(item));
      }
      const span = { start: 0, end: 0 };
      const site = { span, isNew: false, typeArguments: [], name: "map" };
      const made = (): Value => madeItem(state, value, item, constant(at), site);
      // Nothing is made of no row.
      const isThere = item.kind === "row" ? presenceOf(item) : literal(true);
      const isKnown = presentIn(isThere, true).some((each) => state.present.has(each));
      return isKnown ? made() : state.evaluator.branches(state, isThere, made, () => UNDEFINED, span); // prettier-ignore
    }
    case "input":
      // Each item of a list has parts of its own.
      return value.element ? inputMember(value, String(at)) : elementOf(value, literal(at + 1));
    case "choice":
      return choose(
        value.condition,
        itemOf(state, value.then, at),
        itemOf(state, value.otherwise, at),
      );
    default: {
      const list = listFromCall(state, value);
      return (
        (list && itemOf(state, list, at)) ??
        unknownItem("an item of this is not known", readsOf(value))
      );
    }
  }
}

function itemsThere(list: Extract<Value, { kind: "list" }>): readonly Value[] {
  return list.items.flatMap((cell) => (cell.value ? [cell.value] : []));
}

function grown(value: Value): Value {
  return unknownItem(
    "an item of a list that a loop filled is not told from the others",
    readsOf(value),
  );
}

/** The first row of a result. */
export function firstRow(rows: Extract<Value, { kind: "rows" }>): Value {
  const { result, columns, data, born, assigned } = rows;
  const own = { ...(born !== undefined && { born }), ...(assigned && { assigned }) };
  return { kind: "row", result, columns, at: "first", data, overlay: firstOverlay(rows), ...own };
}

/** An element of an argument that is an array; `index` counts from one. */
export function elementOf(value: Input, index: Expression, born?: number): Value {
  const { path, origin, item } = value;
  const element = { array: path, field: "", index };
  const place = { path: `${path}[]`, element, ...(born !== undefined && { born }) };
  return item?.(place) ?? { kind: "input", origin, ...place };
}

/** A part of an argument, or what the code wrote there. */
function partOfInput(state: State, value: Input, property: string): Value {
  const now = nowOf(state, value);
  // The rest of a list is asked where the list is.
  if (now.kind === "unknown") return now;
  const part = inputMember(value, property);
  return part.kind === "input" ? nowOf(state, heldBy(state, part)) : part;
}

/** A part of an argument, as it was given. */
export function inputMember(value: Input, property: string): Value {
  const { members, item, standsFor: _name, mayLack: _lacks, isOnce: _set, ofType: _whole, type, ...own } = value; // prettier-ignore
  const typed = members?.(property);
  if (typed) return typed;
  // A type of the whole says nothing of a part, but for methods of collections, which are asked of their items.
  const isMethod = MAP_METHODS.has(property) && type !== undefined && itemTypeOf(typeTree(type)) !== undefined; // prettier-ignore
  const isKept = type !== undefined && (isArray(value) || isMethod || OF_LIBRARY.test(type));
  const rest = {
    ...own,
    ...(isKept && { type }),
    ...(type !== undefined && { ofType: type }),
    ...(item && { item }),
  };
  return { ...rest, ...partPlace(own, property) };
}

const MAP_METHODS: ReadonlySet<string> = new Set("get set has add delete".split(" "));

/** Types of Prisma's for what may be a value or an instruction, whose parts are such, too. */
const OF_LIBRARY = /(?:Input|Filter)\b/u;

/** How many items a list has. */
export function lengthOf(state: State, value: Value): Value {
  switch (value.kind) {
    case "rows":
      return sizeOf(value.result);
    case "list": {
      if (value.isOnce) {
        const items = distinctItems(value);
        return items ? constant(items.length) : ofSet(value);
      }
      const filling = fillingOf(value);
      if (filling) return lengthOf(state, filling);
      const spelled = spelledOut(state, value);
      if (spelled.kind === "choice") return lengthOf(state, spelled);
      return value.grown.value === undefined
        ? scalar(literal(itemsThere(value).length), "int")
        : unknown("the length of a list that a loop filled", readsOf(value));
    }
    case "derived":
      if (value.isOnce) return ofSet(value);
      if (value.how === "map" || value.how === "order") return lengthOf(state, value.from);
      return (
        countOf(state, value) ??
        unknown(
          `the length of a ${value.how === "flat" ? "list of lists" : "filtered list"}`,
          readsOf(value),
        )
      );
    case "choice":
      return choose(value.condition, lengthOf(state, value.then), lengthOf(state, value.otherwise));
    case "input":
      return value.isOnce ? ofSet(value) : inputMember(value, "length");
    default:
      return unknown("the length of this is not known", readsOf(value));
  }
}

function ofSet(value: Value): Value {
  return unknown("the size of a set", readsOf(value));
}

function countOf(state: State, list: Value): Value | undefined {
  const count = countItems(state, list);
  return count && scalar(count, "int");
}

function sizeOf(result: string): Value {
  return scalar({ kind: "size", result }, "int");
}

function objectMember(
  state: State,
  value: Extract<Value, { kind: "object" }>,
  property: string,
  site: Span,
): Value {
  // The keys of a map are no members of it.
  const own = value.isMap === true ? undefined : value.fields.get(property)?.value;
  if (own !== undefined) return readField(own);
  noteRead(value.fields);
  const method = value.class && methodOf(state, value.class, property);
  if (method !== undefined) {
    const callee = boundMethod(state, method, value);
    if (method.method.kind !== "get") return callee;
    return state.evaluator.call(state, callee, [], {
      span: site,
      isNew: false,
      typeArguments: [],
      name: property,
    });
  }
  if (value.isMap === true) {
    if (property !== "size") return { kind: "builtin", name: `map.${property}`, self: value };
    const isSure = [...value.fields.values()].every(({ value: own }) => !own || !mayBeAbsent(own));
    const names = isSure ? fieldNamesOf(value) : undefined;
    return names ? constant(names.length) : unknown("the size of a map", readsOf(value));
  }
  if (property === "constructor" && value.class) return { kind: "class", ...value.class };
  const { hasAccessors } = semanticsOf(state.frame.file);
  const isOfAny = property === "getClass" && hasAccessors;
  if (value.rest && !isOfAny) {
    const member = memberOf(state, value.rest, property, site);
    return value.rest.kind === "input" ? ofPerhapsNothing(state, value.rest, member) : member;
  }
  // Without accessors by name, the keys of maps are no members of them.
  const hasMembers = value.class !== undefined || !hasAccessors;
  const other = !hasMembers ? undefined : value.fields.get(ANY_KEY)?.value;
  if (other !== undefined && !OF_ANY_OBJECT.has(property)) return other;
  const isKnown = value.class === undefined && !hasAccessors;
  if (isKnown && !OF_ANY_OBJECT.has(property)) return UNDEFINED;
  return { kind: "builtin", name: `object.${property}`, self: value };
}

/** The methods of promises. */
export const PROMISE_METHODS: ReadonlySet<string> = new Set(["then", "catch", "finally"]);

/** Members that records have without being given them; what is awaited may already be there. */
const OF_ANY_OBJECT: ReadonlySet<string> = new Set([
  ...PROMISE_METHODS,
  ...["hasOwnProperty", "toString", "valueOf", "constructor", "toJSON"],
]);

function choiceMember(
  state: State,
  value: Extract<Value, { kind: "choice" }>,
  property: string,
  site: Span,
): Value {
  return askedOfChoice(state, value, property, site, (of, isSure) =>
    isSure ? memberOf(state, of, property, site) : optionalMember(state, of, property, site),
  );
}

/** The answer of one value or another; `isSure`: of that one alone, since there is nothing in the other. */
export function askedOfChoice(
  state: State,
  { condition, then, otherwise }: Extract<Value, { kind: "choice" }>,
  property: string,
  site: Span,
  ask: (of: Value, isSure: boolean) => Value,
): Value {
  // A branch without anything to ask is an error there, and the other one goes on.
  if (isNothing(then)) {
    requireThat(state, negate(condition), property, site);
    return ask(otherwise, true);
  }
  if (isNothing(otherwise)) {
    requireThat(state, condition, property, site);
    return ask(then, true);
  }
  return choose(condition, ask(then, false), ask(otherwise, false));
}

function isNothing(value: Value): boolean {
  if (value.kind === "undefined") return true;
  return (
    value.kind === "scalar" &&
    value.expression.kind === "literal" &&
    value.expression.value === null
  );
}

function requireThat(state: State, holds: Expression, property: string, site: Span): void {
  requireHolds(state, holds, `${property} is asked of nothing`, sourceOf(state, site));
}

/** Ends the function with an error unless the condition holds; `thrown`: which one, in Java. */
export function requireHolds(
  state: State,
  holds: Expression,
  why: string,
  source: SourceRange,
  thrown?: ErrorClass,
): void {
  if (isPresence(holds) && presentIn(holds, true).every((each) => state.present.has(each))) return;
  const condition = negate(holds);
  if (condition.kind === "literal" && condition.value === false) return;
  const then = { kind: "rollback", why, code: USER_ERROR, source } as const;
  if (thrown) state.thrown.set(then, thrown);
  notePoint(state, source);
  emit(state, { kind: "if", condition, then, source });
  knowing(state, holds, true);
}

/** True if a condition says that a result has a row, and nothing more. */
function isPresence(condition: Expression): boolean {
  if (condition.kind === "among") return condition.function === "any";
  if (condition.kind !== "comparison" || condition.left.kind !== "size") return false;
  const { operator, right } = condition;
  return operator === ">" && right.kind === "literal" && right.value === 0;
}

/** The SQLSTATE class that stands for errors of the code itself: those that users raise. */
export const USER_ERROR = "P0001";

/** Asking a row that is not there is an error of the code. */
function mustBeThere(
  state: State,
  row: Extract<Value, { kind: "row" }>,
  source: SourceRange,
): void {
  if (isPresent(state, row)) return;
  requireHolds(state, presenceOf(row), "a row that is not there is asked for a field", source);
}

/** That a value is there: neither null nor undefined. */
export function isThere(state: State, value: Value): Expression {
  return negate(isNullish(state, value));
}
