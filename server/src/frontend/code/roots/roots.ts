// The roots of a module: functions that run by themselves, as opposed to those inside of another function.
import type { FileId } from "../../../protocol/source";
import type { Span } from "../../sql/text/split";
import { instanceOf } from "../evaluate/transactions/instances";
import { livedIn } from "../evaluate/values/moduleState";
import { boundNames } from "../modules/boundNames";
import { innerScope } from "../evaluate/bindings";
import { applyDecorators } from "../evaluate/transactions/decorators";
import { inheritedRoot, rootOf, type Root } from "../evaluate/evaluator";
import type { State } from "../evaluate/state";
import type { HirClass, HirExpression, HirFunction, HirModule, HirStatement } from "../hir";
import { inheritedMethods, type ClassInScope } from "../modules/inheritance";
import { functionKey, madeKey } from "../queries/origins";
import { declarations, type Trace, type Dependencies } from "../queries/dependencies";
import { constantText, unknown, type ModuleScope, type Value } from "../values";
import { isRoute, namesByPlace, routeName } from "./routes";
import { behindMiddleware } from "./middleware";
import { aroundArguments, aroundProperty, type Around } from "./argumentTypes";

/** A root of a module, with its cost. */
export interface ModuleRoot {
  readonly key: string;
  readonly name: string;
  readonly function: HirFunction;
  /** The file that contains its function. */
  readonly file: FileId;
  /** The type of its first argument, if the surrounding code determines it. */
  readonly argument?: string;
  /** It is not kept in the memo. */
  readonly isPassing?: boolean;
  /** Creates the receiver of the method, which may take long. */
  readonly root: () => Root;
  readonly used: Dependencies;
}

/** The context of finding the roots of a module. */
interface Finding {
  /** A state for evaluating the module's names. */
  readonly state: () => State;
  readonly trace: Trace;
  /** Collects the dependencies. */
  readonly used: Dependencies;
  /** Called with the error that ended the search in a statement or an export, whose remaining roots are not known. */
  readonly failed: (error: unknown, at: { readonly name: string; readonly span: Span }) => void;
}

/** The roots of a module in order: top-level functions, methods of classes, functions that are passed to top-level calls (handlers). */
export function rootsOf(
  file: FileId,
  hir: HirModule,
  scope: ModuleScope,
  { state: fresh, trace, used: into, failed }: Finding,
): readonly ModuleRoot[] {
  const roots: ModuleRoot[] = [];
  let state = fresh();
  const known = new Set<unknown>();
  const placed = namesByPlace(file, hir);
  const within = (
    at: { readonly name: string; readonly span: Span },
    run: (add: Add) => void,
  ): void => {
    const used: Dependencies = new Set();
    const current = state;
    const add: Add = (given, callee, on = {}) => {
      if (callee?.kind !== "function") return;
      const name = placed.get(given) ?? given;
      const { heir, madeOf, argument } = on;
      const typed = argument === undefined ? {} : { argument };
      const [shown = callee] = madeOf ?? [];
      if (!heir) known.add(callee.made ?? callee.function);
      const rootFrom = (own: FunctionValue): Root =>
        heir
          ? inheritedRoot({ name, callee: own }, { file, class: heir })
          : { ...rootOf({ name, callee: own }), ...typed };
      const own = (): Root => {
        if (madeOf) return { ...rootFrom(callee), madeOf, isWrapper: true };
        const method = on.self ? calledOn(callee, on.self()) : callee;
        const around = on.method && applyDecorators(current, on.method, method);
        return around && around.function !== method.function
          ? { ...rootFrom(around), madeOf: [method] }
          : rootFrom(method);
      };
      roots.push({
        key: rootFrom(callee).key,
        name: madeOf ? `${name}~` : name,
        function: shown.function,
        file: shown.scope.module.file,
        ...typed,
        // A function of another file may be passed on unchanged.
        isPassing: shown !== callee && shown.scope.module.file !== file,
        root: own,
        used,
      });
    };
    try {
      trace.during(used, () => {
        run(add);
      });
    } catch (error) {
      failed(error, at);
      state = fresh();
    }
    for (const each of used) into.add(each);
  };
  for (const statement of hir.body) {
    const [name = "what stands at the top"] = boundNames(statement);
    within({ name, span: statement.span }, (add) => {
      addRoots(statement, { hir, scope, state, add });
    });
  }
  for (const { name, local, span } of hir.exports) {
    // `export default { ... }` and `export default async () => ...` have no name of their own.
    if (local === undefined) continue;
    within({ name, span }, (add) => {
      const value = scope.lookup(local);
      if (value?.kind !== "function" || known.has(value.made ?? value.function)) return;
      // The argument of the call that created it stands for it, unless that call opens a transaction around it.
      if (value.made !== undefined && isWrapped(hir, local)) return;
      add(placed.get(local) ?? (name === "default" ? baseName(file) : name), value);
    });
  }
  return roots;
}

/** The module that is searched for roots. */
interface Looking {
  readonly hir: HirModule;
  readonly scope: ModuleScope;
  readonly state: State;
  readonly add: Add;
}

function addRoots(statement: HirStatement, looking: Looking): void {
  const { scope, state, add } = looking;
  switch (statement.kind) {
    case "function":
      add(statement.function.name, scope.lookup(statement.function.name));
      return;
    case "class":
      if (statement.class.name === undefined) return;
      // An inherited method runs in its own class, wherever that is.
      scope.lookup(statement.class.name);
      addMethods(statement.class, scope, state, add);
      return;
    case "let":
      addDeclared(statement, looking);
      return;
    case "expression":
      addHeld(statement.expression, "", looking);
      return;
    default:
      return;
  }
}

/**
 * `on`: the receiver of a method, and the inheriting class; the method itself if it has decorators; the original of a function that a
 * wrapper returned.
 */
type Add = (
  name: string,
  callee: Value | undefined,
  on?: {
    readonly self?: () => Value;
    readonly heir?: HirClass;
    readonly method?: Parameters<typeof applyDecorators>[1];
    readonly madeOf?: readonly FunctionValue[];
    readonly argument?: string | undefined;
  },
) => void;

type FunctionValue = Extract<Value, { kind: "function" }>;

function baseName(file: FileId): string {
  return (file.split("/").at(-1) ?? file).replace(/\.[^.]*$/u, "");
}

function addMethods(hir: HirClass, scope: ModuleScope, state: State, add: Add): void {
  if (hir.isInterface) return;
  const of = { class: hir, scope: scope.scope };
  let made: Value | undefined;
  const self = (): Value => (made ??= madeOf(state, of));
  for (const method of hir.methods) {
    if (method.kind === "constructor" || method.kind === "set") continue;
    const name = `${hir.name ?? "class"}.${method.name}`;
    const owner = method.isStatic ? (): Value => ({ kind: "class", ...of }) : self;
    const { function: own } = method;
    const found = own.annotations.length > 0 ? { method: { method, of } } : {};
    add(
      name,
      { kind: "function", function: own, scope: of.scope, name },
      { self: owner, ...found },
    );
  }
  for (const { name, value, isStatic } of hir.fields) {
    if (value?.kind !== "function") continue;
    const label = `${hir.name ?? "class"}.${name}`;
    const owner = isStatic ? (): Value => ({ kind: "class", ...of }) : self;
    const { function: own } = value;
    add(label, { kind: "function", function: own, scope: of.scope, name: label }, { self: owner });
  }
  for (const { method, from } of inheritedMethods(of, state.workspace.reach.calls)) {
    const name = `${hir.name ?? "class"}.${method.name}`;
    const callee: Value = { kind: "function", function: method.function, scope: from.scope, name };
    add(name, callee, { self, heir: hir });
  }
  for (const inner of hir.classes) addMethods(inner, scope, state, add);
}

/** An object of a class that unknown code created. */
function madeOf(state: State, of: ClassInScope): Value {
  const own = instanceOf(state, of, undefined);
  return own.kind === "object" ? livedIn(state, own, "this") : own;
}

/** A function of a class, called on a receiver. */
function calledOn(callee: FunctionValue, self: Value): FunctionValue {
  const { function: own, scope } = callee;
  return { ...callee, self, ...(own.isArrow && { scope: innerScope(scope, self) }) };
}

/** `Thing.prototype.f = function () { ... }` and `Thing.f = ...`. */
function addAssigned(
  { target, value }: Extract<HirExpression, { kind: "assign" }>,
  { scope, state, add }: Looking,
): void {
  const place = target.kind === "place" ? target.place : undefined;
  if (place?.kind !== "member" || value.kind !== "function") return;
  const object = withoutType(place.object);
  const isOfObjects = object.kind === "member" && object.property === "prototype";
  const of = isOfObjects ? withoutType(object.object) : object;
  if (of.kind !== "name") return;
  const owner = scope.lookup(of.name);
  if (!owner) return;
  const self = (): Value =>
    !isOfObjects ? owner : owner.kind === "class" ? madeOf(state, owner) : UNKNOWN_SELF;
  const label = `${of.name}.${place.property}`;
  const own = { kind: "function", function: value.function, scope: scope.scope, name: label } as const; // prettier-ignore
  add(label, own, value.function.isArrow ? {} : { self });
}

const UNKNOWN_SELF = unknown("this is not known");

function withoutType(hir: HirExpression): HirExpression {
  return hir.kind === "typed" ? withoutType(hir.operand) : hir;
}

/** `const f = () => ...`, `const service = { f() { ... } }`, `const POST = wrap(async () => ...)`. */
function addDeclared(statement: Extract<HirStatement, { kind: "let" }>, looking: Looking): void {
  const { pattern, value } = statement;
  if (!value) return;
  const name = pattern.kind === "bind" ? pattern.name : "";
  addHeld(value, name, looking);
}

/** The functions in a top-level expression, outermost first. */
function addHeld(hir: HirExpression, name: string, looking: Looking, around: Around = {}): void {
  const { scope, state, add } = looking;
  switch (hir.kind) {
    case "function": {
      const label = name === "" ? (hir.function.name ?? "handler") : name;
      const { argument } = around;
      add(label, state.evaluator.expression(state, scope.scope, hir), { argument });
      return;
    }
    case "object":
      for (const entry of hir.entries) {
        if (entry.kind !== "property") continue;
        const key = typeof entry.key === "string" ? entry.key : "";
        const label = name === "" ? key : `${name}.${key}`;
        addHeld(entry.value, label, looking, aroundProperty(around, key));
      }
      return;
    case "array":
      for (const item of hir.items) addHeld(item.value, name, looking);
      return;
    case "class":
      addMethods(hir.class, scope, state, add);
      return;
    case "assign":
      addAssigned(hir, looking);
      return;
    case "call":
    case "new": {
      if (hir.kind === "call" && hir.callee.kind === "member") {
        addHeld(hir.callee.object, name, looking);
      }
      const constantOf = (value: HirExpression): string | undefined =>
        constantText(state.evaluator.expression(state, scope.scope, value));
      const label = name === "" || isRoute(hir) ? routeName(hir, constantOf) : name;
      const made =
        hir.kind === "call"
          ? (wrapper(hir, name, scope, state) ?? behindMiddleware(hir, scope, state))
          : undefined;
      if (made) add(label, made.callee, { madeOf: made.of });
      const inner = hir.kind === "call" ? aroundArguments(hir, looking.hir, scope, state) : {};
      for (const { value } of hir.arguments)
        addHeld(value, label, looking, { ...around, ...inner });
      // A function that is called at once is no root; its statements are the module's.
      if (hir.callee.kind === "function") addHeld(hir.callee, label, looking);
      return;
    }
    case "await":
    case "typed":
      addHeld(hir.operand, name, looking, around);
      return;
    default:
      return;
  }
}

/** The function returned by a call that may open a transaction around its arguments. */
function wrapper(
  hir: Extract<HirExpression, { kind: "call" }>,
  name: string,
  { file, scope, lookup }: ModuleScope,
  state: State,
): { readonly callee: FunctionValue; readonly of: readonly FunctionValue[] } | undefined {
  const given = hir.arguments.filter(
    ({ value }) => value.kind === "function" || value.kind === "name",
  );
  if (given.length === 0 || !isPath(hir.callee)) return undefined;
  const { evaluator, workspace } = state;
  const around = evaluator.expression(state, scope, hir.callee);
  if (around.kind !== "function" || !workspace.reach.mayOpen(around.function)) return undefined;
  const of = given.flatMap(({ value }) => {
    const own =
      value.kind === "name" ? lookup(value.name) : evaluator.expression(state, scope, value);
    return own?.kind === "function" ? [own] : [];
  });
  const callee = evaluator.expression(state, scope, hir);
  const [first] = of;
  if (callee.kind !== "function" || !callee.scope.parent || !first) return undefined;
  if (of.some((each) => each.function === callee.function)) return undefined;
  const key = `${functionKey(first.scope.module.file, first.function)}~`;
  return { callee: { ...callee, made: name === "" ? key : madeKey(file, name) }, of };
}

/** `f`, `a.f` and `f(x)`, each of which may be the callee of a wrapping call. */
function isPath(hir: HirExpression): boolean {
  if (hir.kind === "member") return isPath(hir.object);
  return hir.kind === "name" || (hir.kind === "call" && hir.callee.kind === "name");
}

/** True if a top-level name is the result of a call with functions as arguments. */
function isWrapped(module: HirModule, name: string): boolean {
  const statement = declarations(module).get(name);
  if (statement?.kind !== "let" || statement.value?.kind !== "call") return false;
  return statement.value.arguments.some(({ value }) => value.kind === "function");
}
