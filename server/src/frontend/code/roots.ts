// The functions of a module that run by themselves: those that no other function of it holds.
import type { FileId } from "../../protocol/source";
import { instanceOf } from "./evaluate/calls";
import { inheritedRoot, rootOf, type Root } from "./evaluate/evaluator";
import type { State } from "./evaluate/state";
import type { HirClass, HirExpression, HirFunction, HirModule, HirStatement } from "./hir";
import { inheritedMethods } from "./inherited";
import type { Trace, Used } from "./trace";
import { constantText, type ModuleScope, type Value } from "./values";

/** A root of a module, with what it took to find it. */
export interface ModuleRoot {
  readonly key: string;
  readonly name: string;
  readonly function: HirFunction;
  /** The file that its function stands in. */
  readonly file: FileId;
  /** Makes the object that a method is called on, which may take long. */
  readonly root: () => Root;
  readonly used: Used;
}

/**
 * The roots of a module in order: functions at its top, methods of its classes, functions that are given to calls at
 * its top (handlers). `state` evaluates what the module's names are.
 */
export function rootsOf(
  file: FileId,
  hir: HirModule,
  scope: ModuleScope,
  state: State,
  trace: Trace,
): readonly ModuleRoot[] {
  const roots: ModuleRoot[] = [];
  const known = new Set<unknown>();
  const within = (run: (add: Add) => void): void => {
    const used: Used = new Set();
    const add: Add = (name, callee, on) => {
      if (callee?.kind !== "function") return;
      const heir = on?.heir;
      if (!heir) known.add(callee.function);
      const rootFrom = (own: FunctionValue): Root =>
        heir
          ? inheritedRoot({ name, callee: own }, { file, class: heir })
          : rootOf({ name, callee: own });
      const { key } = rootFrom(callee);
      roots.push({
        key,
        name,
        function: callee.function,
        file: callee.scope.module.file,
        root: () => rootFrom(on ? { ...callee, self: on.self() } : callee),
        used,
      });
    };
    trace.during(used, () => {
      run(add);
    });
  };
  for (const statement of hir.body) {
    within((add) => {
      addRoots(statement, scope, state, add);
    });
  }
  for (const { name, local } of hir.exports) {
    // `export default { ... }` and `export default async () => ...` have no name of their own.
    if (local === undefined) continue;
    within((add) => {
      const value = scope.lookup(local);
      if (value?.kind !== "function" || known.has(value.function)) return;
      add(name === "default" ? baseName(file) : name, value);
    });
  }
  return roots;
}

function addRoots(statement: HirStatement, scope: ModuleScope, state: State, add: Add): void {
  switch (statement.kind) {
    case "function":
      add(statement.function.name, scope.lookup(statement.function.name));
      return;
    case "class":
      if (statement.class.name === undefined) return;
      // What it inherits is done as it says, wherever that stands.
      scope.lookup(statement.class.name);
      addMethods(statement.class, scope, state, add);
      return;
    case "let":
      addDeclared(statement, scope, state, add);
      return;
    case "expression":
      addHeld(statement.expression, "", scope, state, add);
      return;
    default:
      return;
  }
}

/** `on`: what a method is called on, and the class that inherits it. */
type Add = (
  name: string,
  callee: Value | undefined,
  on?: { readonly self: () => Value; readonly heir?: HirClass },
) => void;

type FunctionValue = Extract<Value, { kind: "function" }>;

function baseName(file: FileId): string {
  return (file.split("/").at(-1) ?? file).replace(/\.[^.]*$/u, "");
}

function addMethods(hir: HirClass, scope: ModuleScope, state: State, add: Add): void {
  if (hir.isInterface) return;
  const of = { class: hir, scope: scope.scope };
  let made: Value | undefined;
  const self = (): Value => (made ??= instanceOf(state, of, undefined));
  for (const method of hir.methods) {
    if (method.kind === "constructor" || method.kind === "set") continue;
    const name = `${hir.name ?? "class"}.${method.name}`;
    const owner = method.isStatic ? (): Value => ({ kind: "class", ...of }) : self;
    add(
      name,
      { kind: "function", function: method.function, scope: of.scope, name },
      { self: owner },
    );
  }
  for (const { method, from } of inheritedMethods(of, state.workspace.reach.calls)) {
    const name = `${hir.name ?? "class"}.${method.name}`;
    const callee: Value = { kind: "function", function: method.function, scope: from.scope, name };
    add(name, callee, { self, heir: hir });
  }
  for (const inner of hir.classes) addMethods(inner, scope, state, add);
}

/** `const f = () => ...`, `const service = { f() { ... } }`, `const POST = wrap(async () => ...)`. */
function addDeclared(
  statement: Extract<HirStatement, { kind: "let" }>,
  scope: ModuleScope,
  state: State,
  add: Add,
): void {
  const { pattern, value } = statement;
  if (!value) return;
  const name = pattern.kind === "bind" ? pattern.name : "";
  addHeld(value, name, scope, state, add);
}

/** The functions that an expression at the top holds, outermost first. */
function addHeld(
  hir: HirExpression,
  name: string,
  scope: ModuleScope,
  state: State,
  add: Add,
): void {
  switch (hir.kind) {
    case "function": {
      const label = name === "" ? (hir.function.name ?? "handler") : name;
      add(label, state.evaluator.expression(state, scope.scope, hir));
      return;
    }
    case "object":
      for (const entry of hir.entries) {
        if (entry.kind !== "property") continue;
        const key = typeof entry.key === "string" ? entry.key : "";
        addHeld(entry.value, name === "" ? key : `${name}.${key}`, scope, state, add);
      }
      return;
    case "array":
      for (const item of hir.items) addHeld(item.value, name, scope, state, add);
      return;
    case "class":
      addMethods(hir.class, scope, state, add);
      return;
    case "call":
    case "new": {
      if (hir.kind === "call" && hir.callee.kind === "member") {
        addHeld(hir.callee.object, name, scope, state, add);
      }
      const label = name === "" ? routeName(hir, state, scope) : name;
      for (const { value } of hir.arguments) addHeld(value, label, scope, state, add);
      // A function that is called on the spot is not one that runs by itself; its statements are the module's.
      if (hir.callee.kind === "function") addHeld(hir.callee, label, scope, state, add);
      return;
    }
    case "await":
    case "typed":
      addHeld(hir.operand, name, scope, state, add);
      return;
    default:
      return;
  }
}

/** `app.post("/transfer", ...)` is known as `POST /transfer`. */
function routeName(
  hir: Extract<HirExpression, { kind: "call" | "new" }>,
  state: State,
  scope: ModuleScope,
): string {
  const { callee } = hir;
  const verb =
    callee.kind === "member" ? callee.property : callee.kind === "name" ? callee.name : "";
  const [first] = hir.arguments;
  const path =
    first?.value.kind === "text"
      ? constantText(state.evaluator.expression(state, scope.scope, first.value))
      : undefined;
  return path === undefined ? verb : `${verb.toUpperCase()} ${path}`;
}
