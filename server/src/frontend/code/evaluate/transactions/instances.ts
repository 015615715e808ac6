// Values that are there before anything ran: parameters by their types, objects of classes that somebody else made.
import { attribute } from "../../../../query/nodes";
import type { SourceRange } from "../../../../protocol/source";
import { heldBy, someWithin } from "../values/subvalues";
import type { Expression } from "../../../../program/expression";
import { literal } from "../../../sql/expressions";
import { compare, connective } from "../../../sql/terms";
import { classKey } from "../../queries/origins";
import type { HirClass, HirField, HirFunction, HirParameter } from "../../hir";
import {
  partPath,
  partPlace,
  UNDEFINED,
  unknown,
  type ArgumentPlace,
  type ModuleScope,
  type ObjectValue,
  type Scope,
  type Value,
} from "../../values";
import { ANY_METHOD } from "../../callGraph/reachability";
import { bind, innerScope } from "../bindings";
import { listOf } from "../lists/collections";
import { lacksOf, withNull } from "../values/fieldDecorators";
import { expressionOf } from "../values/convert";
import { inferredType } from "../values/schemaTypes";
import { livedElsewhere } from "../values/moduleState";
import { choose } from "../values/operators";
import { addItself, constructorFor, implementing, isOpen } from "../calls/javaCalls";
import { settle } from "../calls/awaits";
import { methodValue, superclassOf } from "../values/methods";
import { appliedType, givenToCallback, isOfFunction } from "../values/typeArguments";
import { alternativesOf, isNothing, isUndefined, typeTree, type Type } from "../../typeTree";
import { meetType } from "../values/typeMeet";
import { typeOfItem, typeOfMember, typeOfName } from "../values/memberTypes";
import type { WrittenType } from "../values/unionTypes";
import { within } from "../fork";
import {
  bornNow,
  collectCommands,
  emit,
  newCell,
  newConnection,
  sourceOf,
  type CallSite,
  type State,
} from "../state";
import { isOfLanguage, semanticsOf } from "../../semantics";
import { libraryOf } from "../../libraries/library";
import { extendsHandle, argumentEntity, argumentField, argumentPlace, isEntity, isTable,
  nameArgument, sameEntity, type EntityObject } from "./entities"; // prettier-ignore
import { dataAccess } from "./dataAccess";
import { assignedFields, runConstructor } from "./constructors";
import { hasCode, unassigned } from "./fieldValues";
import { madeOnce, noteCut } from "./services";

/** The value of a function's parameter that is called by something unknown. */
export function inputOf(state: State, parameter: HirParameter, prefix = ""): Value {
  const { pattern, type: written, isRest, annotations } = parameter;
  const type = written && withNull(written, lacksOf(annotations));
  const inner = pattern.kind === "default" ? pattern.pattern : pattern;
  const name = inner.kind === "bind" ? inner.name : "";
  const path = prefix === "" ? name : name === "" ? prefix : `${prefix}.${name}`;
  const module = state.workspace.moduleScope(state.frame.file);
  const value: Value =
    type === undefined || !module
      ? { kind: "input", path, origin: "argument" }
      : inputOfType(state, { text: type, module, isOptional: mayLack(parameter) }, { path });
  return isRest && value.kind === "input" ? { ...value, isRest } : value;
}

function mayLack({ pattern, isOptional = false, annotations }: HirParameter): boolean {
  return isOptional || pattern.kind === "default" || lacksOf(annotations).mayLack;
}

/** An argument of a caller that has a type, and what is in it. */
export function inputOfType(state: State, type: WrittenType, place: ArgumentPlace): Value {
  const { text, module } = type;
  const { path } = place;
  const bound = type.bound?.get(text.trim());
  if (bound) return inputOfType(state, bound, place);
  const meant = appliedType(state, type) ?? type;
  const typed = typedValue(state, text, module.scope);
  if (
    typed &&
    isOfTransaction(typed) &&
    (type.isOptional === true || alternativesOf(typeTree(text)).some(isNothing))
  ) {
    if (state.lacks.isWithout) return UNDEFINED;
    state.lacks.given ??= path;
  }
  if (typed && !isRecord(typed)) {
    noteHanded(state, text, module.scope, typed);
    return isEntity(state, typed) || isData(typed)
      ? argumentEntity(state, typed, place)
      : given(typed);
  }
  const input: Value = {
    ...{ kind: "input", ...place, origin: "argument", type: text },
    ...((type.isOptional === true || alternativesOf(typeTree(text)).some(isUndefined)) && {
      mayLack: true,
    }),
  };
  const interfaces = interfacesOf(text);
  const ofInterface = (property: string): Value | undefined => {
    const isReached = interfaces.some((each) => state.workspace.reach.isReachedBy(each, property));
    return isReached ? { kind: "external", name: partPath(path, property), isDataAccess: true } : undefined; // prettier-ignore
  };
  const item = (at: ArgumentPlace): Value | undefined => itemOfType(state, meant, at);
  if (!semanticsOf(module.file).hasStructuralTypes) return { ...input, members: ofInterface, item };
  const name = /^[\w$]+$/u.exec(text.trim())?.[0];
  const named = name === undefined ? undefined : typeOfName(state, module, name);
  const standsFor =
    inferredType(state, named?.module ?? module, typeTree(named?.text ?? text)) ?? named?.text;
  const members = (property: string): Value | undefined => {
    const reached = ofInterface(property);
    if (reached) return reached;
    const inherited = ofBound(state, meant, property);
    if (inherited) return inherited;
    const member = typeOfMember(state, meant, property);
    if (!member) return undefined;
    if (property === "length") state.lengthFields.add(partPath(path, property));
    const part = partPlace(place, property);
    const value = inputOfType(state, member, part);
    if (value.kind === "input" && member.missing) {
      return choose(isTagged(state, member.missing, place), UNDEFINED, value);
    }
    if (value.kind === "undefined" || value.kind === "input") return value;
    if (value.kind === "object" && (hasConnection(value) || ofFactories.has(value))) return value;
    if (isEntity(state, value)) return sameEntity(state, value, part);
    if (value.kind !== "handle" || !value.connection) return undefined;
    // The same however often it is asked for.
    return {
      ...value,
      connection: { ...value.connection, id: `given:${part.path}` },
    };
  };
  const gives = (argument: number, parameter: number): Value | undefined => {
    const own = givenToCallback(state, meant, argument, parameter);
    return own && inputOfType(state, own, place);
  };
  return {
    ...{ ...input, members, holder: module.file, item },
    ...(standsFor !== undefined && { standsFor }),
    ...(isOfFunction(named ?? meant) && { gives }),
  };
}

/** The items of a list of that type, wherever they stand: undefined for what is no list. */
function itemOfType(state: State, type: WrittenType, place: ArgumentPlace): Value | undefined {
  const of = typeOfItem(state, type);
  const value = of && inputOfType(state, of, place);
  if (value?.kind === "input") return value;
  const isRow = value?.kind === "object" && argumentPlace(value) !== undefined;
  return isRow ? sameEntity(state, value, place) : undefined;
}

/** The members of an object that use a database and are a part of a type: `T & { more: string }`. */
function ofBound(state: State, { text, bound }: WrittenType, property: string): Value | undefined {
  const tree = typeTree(text);
  for (const part of bound && tree.kind === "intersection" ? tree.parts : [tree]) {
    const type = bound?.get(part.text);
    const value = type && typedValue(state, type.text, type.module.scope);
    if (value?.kind !== "object" || !hasConnection(value)) continue;
    const own = methodValue(state, value, property) ?? value.fields.get(property)?.value;
    if (own) return own;
  }
  return undefined;
}

/** That a property of an argument is one of some constants. */
function isTagged(
  state: State,
  { property, values }: NonNullable<WrittenType["missing"]>,
  place: ArgumentPlace,
): Expression {
  const tag: Value = { kind: "input", ...partPlace(place, property), origin: "argument" };
  const operand = expressionOf(state, tag);
  return connective("or", values.map((each) => compare("=", operand, literal(each)))); // prettier-ignore
}

/** Notes that the caller gives a connection. */
function noteHanded(state: State, type: string, scope: Scope, typed: Value): void {
  if (!hasConnection(typed)) return;
  const parts = typedParts(state, type, scope).filter(hasConnection);
  state.handed.isGiven ||= isOfTransaction(typed);
  state.handed.isEither ||= parts.some(isOfTransaction) && !parts.every(isOfTransaction);
}

/** Facts about something by its declared type alone, where classes that implement it may use a database. */
export function declaredInput(state: State, type: WrittenType, name: string): Value | undefined {
  const { reach } = state.workspace;
  const isReached = interfacesOf(type.text).some((each) => reach.isReachedBy(each, ANY_METHOD));
  return isReached ? inputOfType(state, type, { path: name }) : undefined;
}

/** The names in a type whose members are its own: `A | undefined`, `A & B`, `A<T>`. */
function interfacesOf(type: string): readonly string[] {
  const namesIn = (tree: Type): readonly string[] => {
    if (tree.kind === "union" || tree.kind === "intersection") return tree.parts.flatMap(namesIn);
    return tree.kind === "name" && !tree.name.includes(".") ? [tree.name] : [];
  };
  return namesIn(typeTree(type));
}

/** An object of a class of TypeScript with nothing but fields: its caller gives what is in them. */
function isRecord(value: Value): boolean {
  return !hasConnection(value) && isOfFields(value);
}

function isOfFields(value: Value): value is ObjectValue {
  if (value.kind !== "object" || !value.class) return false;
  const { class: of, scope } = value.class;
  const { hasStructuralTypes } = semanticsOf(scope.module.file);
  if (!hasStructuralTypes || extendsHandle(value.class)) return false;
  return of.methods.every(({ kind }) => kind === "constructor");
}

/** An object of a nominal class that uses no database: its caller gives what is in its fields, whichever constructor ran. */
function isData(value: Value): value is EntityObject {
  if (value.kind !== "object" || value.class === undefined || hasConnection(value)) return false;
  const { class: of, scope } = value.class;
  return !semanticsOf(scope.module.file).hasStructuralTypes && !isOpen(of) && !hasCode(value);
}

/** The argument of a caller. */
function given(value: Value): Value {
  if (isOfFields(value)) {
    const fields = [...value.fields].map(
      ([name, cell]) => [name, cell.value ? { ...cell, value: given(cell.value) } : cell] as const,
    );
    return { ...value, fields: new Map(fields) };
  }
  if (value.kind !== "handle" || !value.connection || value.connection.isPool) return value;
  return { ...value, connection: { ...value.connection, isGiven: true } };
}

/** The meaning of the declared type of something: a part of a library, an object of a class of the workspace. */
export function typedValue(state: State, type: string, scope?: Scope): Value | undefined {
  const module = scope?.module ?? state.workspace.moduleScope(state.frame.file);
  const name = type
    .replace(/^typeof /u, "")
    .replace(/<.*$/su, "")
    .replace(/\s*\|.*$/su, "")
    .trim();
  const semantics = module && semanticsOf(module.file);
  if (module && semantics?.hasStructuralTypes === true) {
    if (PRIMITIVES.has(type.trim())) return undefined;
    const composed = composedType(state, type.trim(), module);
    if (composed) return composed.value;
  }
  const [first = name, ...rest] = name.split(".");
  const declared = module?.lookup(first);
  // Another name of a type may be an object or a client already.
  if (isOfType(declared) && rest.length === 0) return declared;
  if (declared?.kind === "handle") {
    const path = [declared.path, ...rest].join(".");
    const of = typeArguments(type).map((each) => module?.lookup(each) ?? UNDEFINED);
    return libraryOf(declared).typed?.(path, state.evaluator.tools(state, libraryOf(declared)), of);
  }
  if (declared?.kind === "class") return objectOf(state, declared) ?? dataAccess(name);
  if (declared?.kind === "external" && declared.isOfOthers === true && OF_MANY.test(name)) {
    return undefined;
  }
  // A record of the code's own may be called as something of a library is.
  const isRecord = module && semantics?.hasStructuralTypes === true && typeOfName(state, module, name)?.text.endsWith("}"); // prettier-ignore
  if (isRecord === true) return undefined;
  for (const library of state.workspace.libraries) {
    if (!isOfLanguage(library, semantics ?? semanticsOf(state.frame.file))) continue;
    const value = library.typed?.(name, state.evaluator.tools(state, library));
    if (value) return value;
  }
  return dataAccess(name);
}

/** Types of TypeScript's own, which nobody declares. */
const PRIMITIVES: ReadonlySet<string> = new Set(
  "string number boolean bigint symbol null undefined void never any unknown object".split(" "),
);

/** Names of types that others than databases use, too. */
const OF_MANY = /^(?:Client|Connection|Pool|Request|Transaction|Session|Database)$/u;

/** A type of TypeScript that is made of others; undefined where it is a name. */
function composedType(
  state: State,
  type: string,
  module: ModuleScope,
): { readonly value: Value | undefined } | undefined {
  const valueOf = (each: string): Value | undefined => typedValue(state, each.trim(), module.scope);
  const factory = RESULT_OF.exec(type)?.[1];
  if (factory !== undefined) return { value: resultOf(state, module.lookup(factory)) };
  const client = clientOfTransaction(type);
  if (client !== undefined) return { value: inTransactionOf(state, valueOf(client)) };
  const tree = typeTree(type);
  if (tree.kind === "union" || tree.kind === "intersection") {
    const values = tree.parts.flatMap(({ text }) => valueOf(text) ?? []);
    // Where it may be a transaction's, it is up to the caller.
    return { value: values.find(isOfTransaction) ?? values[0] };
  }
  return tree.kind === "record" || tree.kind === "function" ? { value: undefined } : undefined;
}

/** `ReturnType<typeof createStore>`, also awaited. */
const RESULT_OF = /^(?:Awaited<\s*)?ReturnType<\s*typeof\s+([\w$]+)\s*>(?:\s*>)?$/su;

/** Results of functions of the workspace: a name of its type stands for it. */
const ofFactories = attribute<Value, true>();

/** Result of a function that somebody else called, with arguments as their types say: one and the same in a root. */
function resultOf(state: State, callee: Value | undefined): Value | undefined {
  if (callee?.kind !== "function") return undefined;
  const { factories: known } = state;
  const { function: hir, scope } = callee;
  if (known.has(hir)) return known.get(hir);
  // One that is asked for while it is made holds itself.
  known.set(hir, undefined);
  const { frame, emitted } = state;
  let value: Value | undefined;
  within(state, { frame: { ...frame, file: scope.module.file } }, () => {
    const inputs = hir.parameters.map(
      (parameter) =>
        ofItsMaker(state, parameter, scope) ?? inputOf(state, parameter, hir.name ?? ""),
    );
    const site = { span: hir.span, isNew: false, typeArguments: [], name: hir.name ?? "" };
    collectCommands(state, () => {
      value = settle(state, state.evaluator.call(state, callee, inputs, site));
    });
  });
  const found = state.emitted === emitted && value?.kind === "object" ? value : undefined;
  if (found) ofFactories.set(found, true);
  known.set(hir, found);
  return found;
}

function isOfTransaction(value: Value): boolean {
  return value.kind === "handle" && value.connection?.isPool === false;
}

/** The same client in a transaction of somebody else. */
function inTransactionOf(state: State, client: Value | undefined): Value | undefined {
  if (client?.kind !== "handle" || !client.connection) return undefined;
  return { ...client, connection: newConnection(state, false) };
}

/** The client whose transactions a type is about, as clients without `$transaction` and what callbacks are given. */
function clientOfTransaction(type: string): string | undefined {
  const omitted = /^Omit<(.+?),[^,]*(?:transaction|ITXClientDenyList)/su.exec(type)?.[1]?.trim();
  return omitted ?? GIVEN_TO_CALLBACK.exec(type)?.[1];
}

/** `Parameters<Parameters<typeof db.transaction>[0]>[0]`, with the method as a member or in brackets. */
const GIVEN_TO_CALLBACK =
  /^Parameters<\s*Parameters<\s*\(?((?:typeof\s+)?[\w$.]+?)\)?(?:\.|\[\s*["'])\$?(?:transaction|begin)(?:["']\s*\])?\s*>\s*\[\s*0\s*\]\s*>\s*\[\s*0\s*\]$/su;

function isOfType(value: Value | undefined): value is Value {
  if (value?.kind === "handle") return value.connection !== undefined;
  return value?.kind === "object" && (value.class !== undefined || ofFactories.has(value));
}

/** The names in `<A, B>` that stand there by themselves. */
function typeArguments(type: string): readonly string[] {
  const inner = /<([^<>]*)>/su.exec(type)?.[1];
  return inner === undefined ? [] : inner.split(",").map((each) => each.trim());
}

/** An object of a class that something is declared with. */
function objectOf(state: State, declared: Extract<Value, { kind: "class" }>): Value | undefined {
  const behind = isOpen(declared.class) ? implementing(state, declared.class) : undefined;
  const made = behind ?? (declared.class.isInterface ? undefined : declared);
  if (made) return livedElsewhere(state, instanceOf(state, made, undefined), declared.class.name);
  for (const library of state.workspace.libraries) {
    const value = library.implemented?.(declared, state.evaluator.tools(state, library));
    if (value) return value;
  }
  for (const name of declared.class.interfaces) {
    for (const library of state.workspace.libraries) {
      const value = library.extended?.(name, state.evaluator.tools(state, library));
      if (value) return value;
    }
  }
  return undefined;
}

/** Binds the arguments to the parameters. */
export function bindParameters(
  state: State,
  scope: Scope,
  hir: HirFunction,
  args: readonly Value[],
): void {
  const rest = args.findIndex(isRest);
  hir.parameters.forEach((parameter, at) => {
    const value = parameter.isRest
      ? restOf(state, scope, args.slice(at))
      : rest !== -1 && at >= rest
        ? inputOf(state, parameter)
        : meetType(state, args[at] ?? UNDEFINED, parameter.type, scope);
    bind(state, scope, parameter.pattern, value, true);
  });
}

/** The arguments from a rest parameter on; in Java an array that is given alone is all of them. */
function restOf(state: State, { module }: Scope, args: readonly Value[]): Value {
  const [only] = args;
  if (only && isRest(only)) return only;
  const isAll =
    args.length === 1 && only?.kind === "list" && semanticsOf(module.file).takesArrayAsRest;
  return isAll ? only : listOf(state, args);
}

function isRest(value: Value): boolean {
  return value.kind === "input" && value.isRest === true;
}

/**
 * An object of a class. Without arguments it is one that somebody else made: its constructor's parameters are what
 * their types say. Above another one, whose constructor calls this one's, nothing is run here.
 */
export function instanceOf(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
  args: readonly Value[] | undefined,
  site?: CallSite,
  isAbove = false,
): Value {
  const library = libraryObject(state, of);
  const isPlain = of.class.methods.every(({ kind }) => kind === "constructor");
  const { hasStructuralTypes } = semanticsOf(of.scope.module.file);
  if (library && hasStructuralTypes && isPlain) return library;
  const make = (): Value => newObject(state, of, args, library, site, isAbove);
  return args === undefined ? madeOnce(state, of.class, make) : make();
}

function newObject(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
  args: readonly Value[] | undefined,
  library: Value | undefined,
  site: CallSite | undefined,
  isAbove: boolean,
): Value {
  const key = classKey(of.scope.module.file, of.class);
  if (state.calls.includes(key)) {
    noteCut(state);
    return unknown("an object that holds one of its own class");
  }
  const frame = { ...state.frame, file: of.scope.module.file, isRoot: false, returns: [] };
  const from = { site, source: site && sourceOf(state, site.span), isAbove };
  const make = (): ObjectValue => filledObject(state, of, args, library, from);
  const self = within(state, { calls: [...state.calls, key], frame }, make);
  addItself(state, self);
  return self;
}

/** The call that makes an object, if one is known; `isAbove`: of the class above. */
interface MadeFrom {
  readonly site: CallSite | undefined;
  readonly source: SourceRange | undefined;
  readonly isAbove: boolean;
}

function filledObject(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
  args: readonly Value[] | undefined,
  library: Value | undefined,
  { site, source, isAbove }: MadeFrom,
): ObjectValue {
  const parent = superclassOf(of);
  const constructor = constructorFor(of.class, args?.length);
  // The arguments of a constructor to the one above, and their effect, are told where it calls that.
  const { inheritsConstructors } = semanticsOf(of.scope.module.file);
  const isAsked = isAbove || (constructor !== undefined && inheritsConstructors);
  const inherited = parent && instanceOf(state, parent, args, constructor ? undefined : site, isAsked); // prettier-ignore
  // A member that a class inherits from a library's is asked of the library.
  const rest = library ?? (inherited?.kind === "object" ? inherited.rest : undefined);
  const fields = new Map(inherited?.kind === "object" ? inherited.fields : []);
  const born = bornNow(state);
  const self: ObjectValue = { kind: "object", fields, born, class: of, ...(rest && { rest }) };
  const scope = innerScope(of.scope, self);
  const assigned = assignedFields(constructor?.function);
  const { name: className = "" } = of.class;
  // Rows hold rows, all of which would be made with each of them.
  const isRow = args === undefined && isTable(state, of);
  const place = { path: className };
  if (isRow) nameArgument(self, place);
  const heldIn = (field: HirField): Value | undefined => {
    if (field.type === undefined) return undefined;
    if (isRow) return argumentField(field, place);
    const type = { text: field.type, module: of.scope.module };
    return (
      heldValue(state, field.type, of.scope) ??
      declaredInput(state, type, `${className}.${field.name}`)
    );
  };
  for (const field of of.class.fields) {
    if (field.isStatic || (!field.value && assigned.has(field.name))) continue;
    const value = field.value
      ? meetType(state, state.evaluator.expression(state, scope, field.value), field.type, of.scope)
      : (heldIn(field) ?? (args && unassigned(field, of.scope)));
    if (value) self.fields.set(field.name, newCell(state, value));
  }
  if (constructor) {
    const hir = constructor.function;
    const inputs =
      args ??
      hir.parameters.map(
        (parameter) =>
          ofItsMaker(state, parameter, of.scope) ?? inputOf(state, parameter, of.class.name ?? ""),
      );
    bindParameters(state, scope, hir, inputs);
    hir.parameters.forEach(({ pattern }, at) => {
      // TypeScript's `constructor(private x: X)`.
      const inner = pattern.kind === "default" ? pattern.pattern : pattern;
      if (inner.kind !== "bind") return;
      const { name } = inner;
      if (!of.class.fields.some((field) => field.name === name)) return;
      const value = pattern.kind === "default" ? scope.bindings.get(name)?.value : inputs[at];
      if (!value) return;
      // An argument says more than its declared type, if anything is known of it.
      const isLeftOut = args === undefined && value.kind === "undefined";
      if (!self.fields.has(name) || isKnown(value) || isLeftOut)
        self.fields.set(name, newCell(state, value));
    });
    const isCalled = args !== undefined && !isAbove;
    for (const each of runConstructor(state, scope, hir, { source, isCalled })) emit(state, each);
  }
  return self;
}

/** The arguments of an object that somebody else made: no client of a transaction where that may be left out. */
function ofItsMaker(state: State, parameter: HirParameter, scope: Scope): Value | undefined {
  const { type } = parameter;
  const value = type === undefined ? undefined : heldValue(state, type, scope);
  return value && isOfTransaction(value) && mayLack(parameter) ? UNDEFINED : value;
}

/** Content of an object, by its type: of clients that may be of a transaction or not, one that is of none. */
export function heldValue(state: State, type: string, scope: Scope): Value | undefined {
  const typed = typedValue(state, type, scope);
  if (!typed || !isOfTransaction(typed)) return typed;
  const parts = typedParts(state, type, scope);
  return parts.find((each) => hasConnection(each) && !isOfTransaction(each)) ?? typed;
}

/** The parts of a type: `A | B`, also by a name. */
function typedParts(state: State, type: string, scope: Scope): readonly Value[] {
  const named = typeOfName(state, scope.module, type);
  const inner = named?.module.scope ?? scope;
  return alternativesOf(typeTree(named?.text ?? type)).flatMap(
    ({ text }) => typedValue(state, text, inner) ?? [],
  );
}

function isKnown({ kind }: Value): boolean {
  return kind !== "unknown" && kind !== "external" && kind !== "input" && kind !== "undefined";
}

/** An object of a class that extends a class of a library (`class Db extends PrismaClient`). */
function libraryObject(
  state: State,
  of: { readonly class: HirClass; readonly scope: Scope },
): Value | undefined {
  const { superclass } = of.class;
  if (superclass === undefined) return undefined;
  for (const library of state.workspace.libraries) {
    const value = library.extended?.(superclass, state.evaluator.tools(state, library));
    if (value) return value;
  }
  return undefined;
}

export function hasConnection(value: Value): boolean {
  if (value.kind !== "handle" && value.kind !== "object") return false;
  return someWithin(value, (each) =>
    each.kind === "object" ? heldBy(each) : each.kind === "handle" && each.connection !== undefined,
  );
}

/** True if an object without methods of its own has the client of a transaction in a field: `{ transaction: t }`. */
export function holdsTransaction(value: Value): boolean {
  if (value.kind !== "object" || value.class) return false;
  return [...value.fields.values()].some(
    ({ value: held }) => held?.kind === "handle" && held.connection?.isPool === false,
  );
}
