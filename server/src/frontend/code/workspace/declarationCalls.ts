// Calls by which code says something of the workspace as a whole, wherever they stand: models that are defined or tied
// to each other at the tops of modules, or in functions that run when the program starts.
import { ofNodes } from "../../../query/nodes";
import type { FileId } from "../../../protocol/source";
import type { HirClass, HirExpression, HirFunction, HirModule, HirStatement } from "../hir";
import { childrenOf } from "../nodes";
import { numberOf, originOf } from "../queries/origins";

export interface DeclaringCall {
  readonly file: FileId;
  /** `object.method(...arguments)`; `method()`, `new Name()` of a call of the name alone, which is the object then. */
  readonly method: string;
  readonly object: HirExpression;
  readonly arguments: readonly HirExpression[];
  /** The constant that holds what it gives. */
  readonly bound?: string;
  /** The class around it. */
  readonly class?: HirClass;
  /** The functions around it, the outermost first. */
  readonly functions: readonly HirFunction[];
}

type Found = Omit<DeclaringCall, "file">;

const foundIn = ofNodes((names: ReadonlySet<string>, statement: HirStatement): readonly Found[] => [
  ...callsIn(statement, names, { functions: [] }),
]);

/** The calls of methods of those names (of functions: `name()`, `new Name()`; of classes with an annotation: `@Name`) in a module, in order. Linear in its size, once for each statement. */
export function declaringCalls(
  file: FileId,
  module: HirModule | undefined,
  names: ReadonlySet<string>,
): readonly DeclaringCall[] {
  return (module?.body ?? []).flatMap((statement) =>
    foundIn(names, statement).map((each) => ({ ...each, file })),
  );
}

/** The statements that hold the calls of a module, by which it is known whether these are others than before. */
export function declaringText(module: HirModule | undefined, names: ReadonlySet<string>): string {
  return holding(module, names)
    .map(({ statement }) => String(numberOf(originOf(statement))))
    .join(",");
}

/** The places of these statements among those of the module. */
export function declaringPlaces(
  module: HirModule | undefined,
  names: ReadonlySet<string>,
): readonly number[] {
  return holding(module, names).map(({ at }) => at);
}

function holding(
  module: HirModule | undefined,
  names: ReadonlySet<string>,
): readonly { readonly statement: HirStatement; readonly at: number }[] {
  if (module === undefined) return [];
  // No file is told apart by its calls.
  const isHolding = (statement: HirStatement): boolean =>
    declaringCalls("" as FileId, { ...module, body: [statement] }, names).length > 0;
  return module.body.flatMap((statement, at) => (isHolding(statement) ? [{ statement, at }] : []));
}

type Around = Pick<DeclaringCall, "functions" | "class" | "bound">;

function* callsIn(node: object, names: ReadonlySet<string>, around: Around): Generator<Found> {
  const call = callOf(node, names);
  if (call) yield { ...call, ...around };
  if (isClass(node)) {
    const { name: own = "", span } = node;
    for (const annotation of node.annotations) {
      const method = `@${annotation.name}`;
      const object = { kind: "name", name: own, span } as const;
      const given = annotation.arguments;
      if (names.has(method)) yield { method, object, arguments: given, ...around, class: node };
    }
  }
  const { bound: _bound, ...rest } = around;
  const inner = Array.isArray(node) ? around : within(node, rest);
  for (const child of childrenOf(node)) yield* callsIn(child, names, inner);
}

function callOf(
  node: object,
  names: ReadonlySet<string>,
): Pick<Found, "method" | "object" | "arguments"> | undefined {
  if (!isExpression(node)) return undefined;
  const { callee } = node;
  const given = node.arguments.map(({ value }) => value);
  if (callee.kind === "name") {
    const method = node.kind === "new" ? `new ${callee.name}()` : `${callee.name}()`;
    return names.has(method) ? { method, object: callee, arguments: given } : undefined;
  }
  if (node.kind === "new" || callee.kind !== "member" || !names.has(callee.property))
    return undefined;
  return { method: callee.property, object: callee.object, arguments: given };
}

function within(node: object, around: Around): Around {
  if ("isArrow" in node) {
    // Functions alone have this property.
    return { ...around, functions: [...around.functions, node as HirFunction] };
  }
  if (isClass(node)) return { ...around, class: node };
  if (isStatement(node) && node.kind === "let" && node.pattern.kind === "bind") {
    return { ...around, bound: node.pattern.name };
  }
  return around;
}

function isClass(node: object): node is HirClass {
  return "methods" in node && "interfaces" in node;
}

// Nodes of HIR that have a kind of these names are of these types.
function isExpression(node: object): node is Extract<HirExpression, { kind: "call" | "new" }> {
  return "kind" in node && (node.kind === "call" || node.kind === "new");
}

function isStatement(node: object): node is HirStatement {
  return "kind" in node && node.kind === "let";
}

/** The class of that name in one of the functions, the innermost first. */
export function classIn(functions: readonly HirFunction[], name: string): HirClass | undefined {
  for (const { body } of functions.toReversed()) {
    const found = body.find((each) => each.kind === "class" && each.class.name === name);
    if (found?.kind === "class") return found.class;
  }
  return undefined;
}
