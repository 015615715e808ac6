// Calls of Java beyond those of other languages: methods of one name with different parameters, constructors that call
// each other, the `this` of outer classes, classes that stand behind interfaces.
import type { HirClass, HirFunction, HirMethod } from "../../hir";
import { UNDEFINED, type ObjectValue, type Scope, type Value } from "../../values";
import type { Span } from "../../../sql/text/split";
import { askedOfChoice, memberOf, optionalMember } from "../values/member";
import { methodValue, superclassOf } from "../values/methods";
import { choose } from "../values/operators";
import { newCell, type CallSite, type State } from "../state";
import { semanticsOf } from "../../semantics";

type FunctionValue = Extract<Value, { kind: "function" }>;
type Owner = NonNullable<ObjectValue["class"]>;

/** The method among those of one name that takes that many arguments. */
export function overloadOf(callee: FunctionValue, count: number): FunctionValue {
  const { self, function: own } = callee;
  if (takes(own, count)) return callee;
  const owner = self?.kind === "object" ? self.class : self?.kind === "class" ? self : undefined;
  for (let of: Owner | undefined = owner, depth = 0; of && depth < 8; depth += 1) {
    const found = of.class.methods.find(
      (method) => method.name === own.name && takes(method.function, count),
    );
    if (found) return { ...callee, function: found.function, scope: of.scope };
    of = superclassOf(of);
  }
  return callee;
}

function takes({ parameters }: HirFunction, count: number): boolean {
  return parameters.at(-1)?.isRest === true
    ? count >= parameters.length - 1
    : count === parameters.length;
}

/** The constructor for that many arguments; without arguments, the one that asks for most. */
export function constructorFor(
  { methods }: HirClass,
  count: number | undefined,
): HirMethod | undefined {
  const all = methods.filter(({ kind }) => kind === "constructor");
  const fitting = count === undefined ? undefined : all.find((each) => takes(each.function, count));
  const [first, ...others] = all;
  if (count !== undefined || first === undefined) return fitting ?? first;
  return others.reduce(
    (most, each) =>
      each.function.parameters.length > most.function.parameters.length ? each : most,
    first,
  );
}

/** `this(...)` and `super(...)`: another constructor runs on the same object. */
export function callConstructor(
  state: State,
  self: Value | undefined,
  kind: "this" | "super",
  args: readonly Value[],
  site: CallSite,
): Value {
  const own =
    self?.kind === "object" && self.class ? writtenIn(state, self.class, site.span) : undefined;
  const of = kind === "this" ? own : own && constructedAs(own);
  const constructor = of && constructorFor(of.class, args.length);
  if (!self || !constructor) return UNDEFINED;
  const { hasOverloads, inheritsConstructors } = semanticsOf(of.scope.module.file);
  if (hasOverloads && !takes(constructor.function, args.length)) return UNDEFINED;
  const callee: Value = { kind: "function", function: constructor.function, scope: of.scope, self };
  if (kind === "super" && inheritsConstructors && self.kind === "object")
    keepParameters(state, self, of, constructor.function, args);
  state.evaluator.call(state, callee, args, site);
  return UNDEFINED;
}

/** The class, of an object's own and those above, that a call stands in. Linear in these. */
export function writtenIn({ frame }: State, own: Owner, span: Span): Owner {
  const seen = new Set<HirClass>();
  for (let at: Owner | undefined = own; at && !seen.has(at.class); at = superclassOf(at)) {
    seen.add(at.class);
    const { start, end } = at.class.span;
    if (at.scope.module.file === frame.file && start <= span.start && span.end <= end) return at;
  }
  return own;
}

/** The class above whose constructor runs: in JavaScript one without a constructor has that of the next. */
function constructedAs(own: Owner): Owner | undefined {
  const seen = new Set<HirClass>();
  let at = superclassOf(own);
  const { inheritsConstructors } = semanticsOf(own.scope.module.file);
  while (
    at &&
    inheritsConstructors &&
    !seen.has(at.class) &&
    !constructorFor(at.class, undefined)
  ) {
    seen.add(at.class);
    at = superclassOf(at);
  }
  return at;
}

/** TypeScript's `constructor(private x: X)` of a class above: what it is given becomes the object's. */
function keepParameters(
  state: State,
  { fields }: ObjectValue,
  { class: above, scope }: Owner,
  { parameters }: HirFunction,
  args: readonly Value[],
): void {
  parameters.forEach(({ pattern }, at) => {
    const inner = pattern.kind === "default" ? pattern.pattern : pattern;
    const own = args[at] ?? UNDEFINED;
    const given =
      own.kind === "undefined" && pattern.kind === "default"
        ? state.evaluator.expression(state, scope, pattern.value)
        : own;
    if (inner.kind !== "bind") return;
    const isField = above.fields.some((field) => field.name === inner.name && !field.isStatic);
    if (isField) fields.set(inner.name, newCell(state, given));
  });
}

/** `Outer.this`: the object around that is of that class. */
export function outerSelf(scope: Scope, name: string): Value | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    if (at.self?.kind === "object" && at.self.class?.class.name === name) return at.self;
  }
  return undefined;
}

/**
 * The value of something declared with an interface, or with a class that cannot be made: an object of the only class that
 * implements it.
 */
export function implementing(state: State, declared: HirClass): Owner | undefined {
  if (declared.name === undefined) return undefined;
  const { modules, moduleScope } = state.workspace;
  const found = modules.java.implementer(declared.name);
  const value = found && moduleScope(found.file)?.lookup(found.name);
  return value?.kind === "class" ? value : undefined;
}

/** The target of a call of a method: in Java, fields of the same name are something else. */
export function calledMember(state: State, self: Value, name: string, site: Span): Value {
  if (self.kind === "choice" && semanticsOf(state.frame.file).hasOverloads) {
    return askedOfChoice(state, self, name, site, (of, isSure) =>
      isSure ? calledMember(state, of, name, site) : calledIfThere(state, of, name, site),
    );
  }
  return javaMethod(state, self, name) ?? memberOf(state, self, name, site);
}

function calledIfThere(state: State, self: Value, name: string, site: Span): Value {
  if (self.kind !== "choice") {
    return javaMethod(state, self, name) ?? optionalMember(state, self, name, site);
  }
  return choose(
    self.condition,
    calledIfThere(state, self.then, name, site),
    calledIfThere(state, self.otherwise, name, site),
  );
}

function javaMethod(state: State, self: Value, name: string): Value | undefined {
  if (self.kind !== "object" || !self.class) return undefined;
  const { hasOverloads } = semanticsOf(self.class.scope.module.file);
  return hasOverloads ? methodValue(state, self, name) : undefined;
}

/** A service that is given itself (`@Autowired private Bookings self`) calls itself as others do. */
export function addItself(state: State, self: ObjectValue): void {
  const fields = self.class?.class.fields ?? [];
  const own = fields.filter(
    ({ type, annotations }) =>
      type !== undefined &&
      type === self.class?.class.name &&
      annotations.some(({ name }) => /^(?:Autowired|Inject|Resource|Lazy)$/u.test(name)),
  );
  const seen: ObjectValue = { ...self, fields: new Map(self.fields) };
  for (const { name } of own) self.fields.set(name, newCell(state, seen));
}

/** True if a class leaves methods to those that extend it. */
export function isOpen({ isInterface, methods }: HirClass): boolean {
  return isInterface || methods.some(({ isAbstract }) => isAbstract === true);
}

/** True if a library runs the method of an object by itself, so that it is no part of what calls it besides. */
export function standsAlone(
  { workspace }: State,
  { self, function: { name = "" } }: FunctionValue,
): boolean {
  if (self?.kind !== "object") return false;
  return workspace.libraries.some((library) => library.standsAlone?.(self, name) === true);
}

/** True if an object calls a method on itself. */
export function isOwnCall({ name }: CallSite): boolean {
  return /^(?:this|super)\.\w+$/u.test(name);
}
