// Java's functions as HIR: parameters, lambdas, and method references as lambdas.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirArgument, HirExpression, HirFunction, HirParameter, HirStatement } from "../hir";
import type { Span } from "../../sql/text/split";
import { parameterType, withoutArguments } from "./declarations";
import { spanOf, textOf, type JavaReader } from "./reader";
import { innerScope, ownMethod, typeOfName, type Scope } from "./scope";

/** Parameters in order; they become variables of `scope`. */
export function readParameters(
  reader: JavaReader,
  list: SyntaxNode | undefined,
  scope: Scope,
): readonly HirParameter[] {
  if (list === undefined) return [];
  // `x -> ...` has no list, `(x, y) -> ...` has names alone.
  const nodes = list.type === "identifier" ? [list] : namedChildren(list);
  return nodes.flatMap((node): readonly HirParameter[] => {
    const isKnown = PARAMETERS.has(node.type);
    const declarator = node.children.find(({ type }) => type === "variable_declarator");
    const name = node.type === "identifier" ? node : childOf(declarator ?? node, "name");
    if (!isKnown || name === undefined) return [];
    const type = parameterType(node, reader.text);
    scope.variables.set(textOf(reader, name), type);
    return [
      {
        pattern: { kind: "bind", name: textOf(reader, name), span: spanOf(name) },
        ...(type !== undefined && { type }),
        isRest: node.type === "spread_parameter",
        annotations: reader.annotations(node, scope),
        span: spanOf(node),
      },
    ];
  });
}

const PARAMETERS: ReadonlySet<string> = new Set([
  "identifier",
  "formal_parameter",
  "spread_parameter",
]);

export function readLambda(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const inner = innerScope(scope);
  const parameters = readParameters(reader, childOf(node, "parameters"), inner);
  const body = childOf(node, "body");
  const span = spanOf(node);
  const header = { start: node.start, end: body?.start ?? node.end };
  const statements =
    body?.type === "block" ? reader.block(body, inner) : returned(reader, body, inner);
  return { kind: "function", function: arrow(parameters, statements, header, span), span };
}

function returned(
  reader: JavaReader,
  body: SyntaxNode | undefined,
  scope: Scope,
): readonly HirStatement[] {
  if (body === undefined) return [];
  const pending: HirStatement[] = [];
  const value = reader.expression(body, innerScope(scope, { pending }));
  return [...pending, { kind: "return", value, span: spanOf(body) }];
}

export function arrow(
  parameters: readonly HirParameter[],
  body: readonly HirStatement[],
  header: Span,
  span: Span,
): HirFunction {
  return { header, parameters, body, annotations: [], isArrow: true, isGenerator: false, span };
}

/** `a::b`, `A::b` and `A::new` as functions. What stands before `::` is evaluated at each call. */
export function readCallable(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const span = spanOf(node);
  const [object, name] = namedChildren(node);
  const isNew = node.children.some(({ type }) => type === "new");
  if (object === undefined || (!isNew && name === undefined)) {
    return { kind: "unknown", what: "method reference", parts: [], span };
  }
  if (isNew) return creation(reader, object, span);
  const method = textOf(reader, name);
  const own = object.type === "this" ? ownMethod(method, scope) : undefined;
  const receiver = receiverClass(reader, object, scope);
  if (receiver !== undefined) {
    const known = scope.file.classes.get(receiver)?.methods.get(method);
    const isStatic = known ? known.isStatic : STATIC.test(`${receiver}.${method}`);
    const target: HirExpression = { kind: "name", name: receiver, span: spanOf(object) };
    return isStatic
      ? forwarding(target, method, known?.arity, span)
      : onFirst(method, known?.arity ?? 0, span);
  }
  return forwarding(reader.expression(object, scope), method, own?.arity, span);
}

/** The class that stands before `::`, without type arguments. */
function receiverClass(reader: JavaReader, object: SyntaxNode, scope: Scope): string | undefined {
  if (object.type === "generic_type" || object.type === "type_identifier") {
    return withoutArguments(object, reader.text);
  }
  const written = textOf(reader, object);
  const isVariable = typeOfName(written, scope) !== undefined;
  return /^(?:[a-z]\w*\.)*[A-Z]\w*$/u.test(written) && !isVariable ? written : undefined;
}

/** Methods of other classes that take all they need as arguments; others are called on the first argument. */
const STATIC =
  /\.(?:valueOf|of|ofNullable|copyOf|from\w*|parse\w*|asList|requireNonNull\w*|(?:is|non)Null|format|now|sleep|randomUUID)$|^(?:Math|Objects|Arrays|Collections|Files|Collectors|StringUtils|\w+(?:Utils?|Helper|Factory|Mapper))\./u;

function creation(reader: JavaReader, object: SyntaxNode, span: Span): HirExpression {
  const isArray = object.type === "array_type";
  const element = isArray ? childOf(object, "element") : undefined;
  const name = isArray ? "Array" : withoutArguments(object, reader.text);
  return restFunction(span, (rest) => ({
    kind: "new",
    callee: { kind: "name", name, span: spanOf(object) },
    arguments: rest,
    ...(element && { typeArguments: [textOf(reader, element)] }),
    span,
  }));
}

function forwarding(
  object: HirExpression,
  property: string,
  arity: number | undefined,
  span: Span,
): HirExpression {
  const body = (given: readonly HirArgument[]): HirExpression => ({
    kind: "call",
    callee: { kind: "member", object, property, optional: false, span },
    arguments: given,
    optional: false,
    span,
  });
  return arity === undefined ? restFunction(span, body) : fixedFunction(span, arity, body);
}

function onFirst(property: string, arity: number, span: Span): HirExpression {
  return fixedFunction(span, arity + 1, ([object, ...given]) => ({
    kind: "call",
    callee: {
      kind: "member",
      object: object?.value ?? { kind: "unknown", what: "method reference", parts: [], span },
      property,
      optional: false,
      span,
    },
    arguments: given,
    optional: false,
    span,
  }));
}

/** Names that no one can write, so that they hide no variable. */
function fixedFunction(
  span: Span,
  arity: number,
  body: (given: readonly HirArgument[]) => HirExpression,
): HirExpression {
  const names = Array.from({ length: arity }, (_none, i) => `#${String(i)}`);
  const given = names.map((name) => ({ value: { kind: "name" as const, name, span }, isSpread: false })); // prettier-ignore
  return functionOf(
    names.map((name) => parameter(name, span, false)),
    body(given),
    span,
  );
}

function restFunction(
  span: Span,
  body: (given: readonly HirArgument[]) => HirExpression,
): HirExpression {
  const given: HirArgument = { value: { kind: "name", name: "#", span }, isSpread: true };
  return functionOf([parameter("#", span, true)], body([given]), span);
}

function parameter(name: string, span: Span, isRest: boolean): HirParameter {
  return { pattern: { kind: "bind", name, span }, isRest, annotations: [], span };
}

function functionOf(
  parameters: readonly HirParameter[],
  value: HirExpression,
  span: Span,
): HirExpression {
  const body: readonly HirStatement[] = [{ kind: "return", value, span }];
  return { kind: "function", function: arrow(parameters, body, span, span), span };
}
