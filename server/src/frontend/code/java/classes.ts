// Java's classes as HIR: fields, methods, nested classes; enums' constants become fields, records' components become
// fields with their constructor and accessors.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type {
  HirAnnotation,
  HirClass,
  HirExpression,
  HirField,
  HirFunction,
  HirMethod,
  HirParameter,
  HirStatement,
} from "../hir";
import type { Span } from "../../sql/text/split";
import { declaredNames, hasModifier, isClassDeclaration, membersOf, superNames, superTypes, withoutArguments } from "./declarations"; // prettier-ignore
import { readAnnotationArguments, readArguments } from "./expressions";
import { readParameters } from "./functions";
import { fieldText, spanOf, textOf, type JavaReader } from "./reader";
import { withLombok } from "./lombok";
import { innerScope, type ClassNames, type Scope } from "./scope";

export function readClass(reader: JavaReader, node: SyntaxNode, scope: Scope): HirClass {
  const names = declaredNames(node, reader.text);
  const inner = innerScope(scope, { class: names });
  const body = childOf(node, "body");
  const superclass = node.children.find(({ type }) => type === "superclass");
  const [extended] = superclass ? namedChildren(superclass) : [];
  const extending = extended && withoutArguments(extended, reader.text);
  const interfaces = [...superNames(node, reader.text)].slice(extended ? 1 : 0);
  const isInterface = /^(?:interface|annotation_type)_declaration$/u.test(node.type);
  const isRecord = node.type === "record_declaration";
  const components = isRecord ? childOf(node, "parameters") : undefined;
  const read = readMembers(reader, membersOf(body), {
    names,
    scope: inner,
    isInterface,
    components,
  });
  const members = isRecord ? withComponents(reader, node, read, inner) : read;
  const own: HirClass = {
    ...(names.name !== undefined && { name: names.name }),
    header: headerOf(reader, node, body),
    ...(extending !== undefined && { superclass: extending }),
    interfaces,
    ...(interfaces.length > 0 && {
      supertypes: [...superTypes(node)].map((each) => textOf(reader, each)),
    }),
    isInterface,
    ...members,
    annotations: reader.annotations(node, scope),
    span: spanOf(node),
  };
  return reader.hasLombok ? withLombok(own) : own;
}

export function readAnonymousClass(
  reader: JavaReader,
  body: SyntaxNode,
  superclass: string,
  scope: Scope,
): HirClass {
  const names: ClassNames = { ...declaredNames(body, reader.text), supers: [superclass] };
  const inner = innerScope(scope, { class: names });
  return {
    header: { start: body.start, end: body.start },
    superclass,
    interfaces: [],
    isInterface: false,
    ...readMembers(reader, membersOf(body), { names, scope: inner, isInterface: false }),
    annotations: [],
    span: spanOf(body),
  };
}

type Members = Pick<HirClass, "fields" | "methods" | "classes">;

/** The class whose members are read. */
interface Owner {
  readonly names: ClassNames;
  readonly scope: Scope;
  readonly isInterface: boolean;
  /** The parameters that a record's compact constructor has without writing them. */
  readonly components?: SyntaxNode | undefined;
}

function readMembers(reader: JavaReader, nodes: readonly SyntaxNode[], owner: Owner): Members {
  const { scope, isInterface } = owner;
  const fields: HirField[] = [];
  const methods: HirMethod[] = [];
  const classes: HirClass[] = [];
  const initial: HirStatement[] = [];
  const staticInitial: HirStatement[] = [];
  const isPlain = nodes.every(isPlainConstant);
  for (const node of nodes) {
    switch (node.type) {
      case "field_declaration":
      case "constant_declaration":
        fields.push(...readFields(reader, node, scope, isInterface));
        break;
      case "enum_constant":
        fields.push(readConstant(reader, node, owner, isPlain));
        break;
      case "method_declaration":
      case "constructor_declaration":
      case "compact_constructor_declaration":
      case "annotation_type_element_declaration":
        methods.push(readMethod(reader, node, owner));
        break;
      case "static_initializer":
        staticInitial.push(...reader.block(namedChildren(node)[0], scope));
        break;
      case "block":
        initial.push(...reader.block(node, scope));
        break;
      default:
        if (isClassDeclaration(node)) classes.push(reader.class(node, scope));
    }
  }
  const set = setOnce(fields, staticInitial);
  if (set.rest.length > 0) methods.push(initialiser(set.rest));
  return { fields: set.fields, methods: initialised(methods, initial), classes };
}

function readFields(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
  isInterface: boolean,
): readonly HirField[] {
  const declarators = node.children.filter(({ field }) => field === "declarator");
  const annotations = reader.annotations(node, scope);
  return declarators.map((declarator): HirField => {
    const value = childOf(declarator, "value");
    const type = fieldText(reader, node, "type") + fieldText(reader, declarator, "dimensions");
    return {
      name: fieldText(reader, declarator, "name"),
      type,
      ...(value && { value: reader.expression(value, scope) }),
      isStatic: isInterface || hasModifier(node, "static"),
      isFinal: isInterface || hasModifier(node, "final"),
      annotations,
      span: declarators.length === 1 ? spanOf(node) : spanOf(declarator),
    };
  });
}

/** A constant of an enum that has nothing but constants without parts is its name. */
function readConstant(
  reader: JavaReader,
  node: SyntaxNode,
  { names: { name: owner = "" }, scope }: Owner,
  isPlain: boolean,
): HirField {
  const span = spanOf(node);
  const body = childOf(node, "body");
  const at = spanOf(childOf(node, "name") ?? node);
  const name = fieldText(reader, node, "name");
  const value: HirExpression = isPlain
    ? { kind: "text", runs: [{ text: name, start: at.start }], span: at }
    : {
        kind: "new",
        callee: { kind: "name", name: owner, span: at },
        arguments: readArguments(reader, node, scope),
        ...(body && { body: reader.anonymousClass(body, owner, scope) }),
        span,
      };
  const annotations = reader.annotations(node, scope);
  return { name, type: owner, value, isStatic: true, isFinal: true, annotations, span };
}

function isPlainConstant(node: SyntaxNode): boolean {
  const isPart = ({ type }: SyntaxNode): boolean => /^(?:argument_list|class_body)$/u.test(type);
  return node.type === "enum_constant" && !node.children.some(isPart);
}

function readMethod(reader: JavaReader, node: SyntaxNode, owner: Owner): HirMethod {
  const inner = innerScope(owner.scope);
  const isCompact = node.type === "compact_constructor_declaration";
  const list = isCompact ? owner.components : childOf(node, "parameters");
  const parameters = readParameters(reader, list, inner);
  const body = childOf(node, "body");
  const name = fieldText(reader, node, "name");
  const returns = fieldText(reader, node, "type") + fieldText(reader, node, "dimensions");
  const thrown = node.children.find(({ type }) => type === "throws");
  const throws =
    thrown && namedChildren(thrown).map((each) => textOf(reader, each).replace(/^.*\./su, ""));
  const isConstructor = node.type.endsWith("constructor_declaration");
  const statements = reader.block(body, inner);
  return {
    name,
    kind: isConstructor ? "constructor" : "method",
    isStatic: hasModifier(node, "static"),
    isPrivate: hasModifier(node, "private"),
    ...(body === undefined && !isConstructor && { isAbstract: true }),
    function: {
      name,
      header: headerOf(reader, node, body),
      parameters,
      ...(returns !== "" && { returns }),
      ...(throws && { throws }),
      body: isCompact ? [...statements, ...assignments(parameters)] : statements,
      annotations: reader.annotations(node, owner.scope),
      isArrow: false,
      isGenerator: false,
      span: spanOf(node),
    },
    span: spanOf(node),
  };
}

/** From the first annotation or modifier to before the body. */
function headerOf(reader: JavaReader, node: SyntaxNode, body: SyntaxNode | undefined): Span {
  const written = reader.text.slice(node.start, body?.start ?? node.end);
  return { start: node.start, end: node.start + written.trimEnd().length };
}

/** Static final fields without a value that a static initialiser sets once, at its own level, have that value. */
function setOnce(
  fields: readonly HirField[],
  statements: readonly HirStatement[],
): { readonly fields: readonly HirField[]; readonly rest: readonly HirStatement[] } {
  const values = new Map<string, HirExpression>();
  const rest: HirStatement[] = [];
  for (const statement of statements) {
    const set = statement.kind === "expression" ? assignedField(statement.expression) : undefined;
    const field = set && fields.find(({ name }) => name === set.name);
    if (set && field?.isFinal === true && field.isStatic && !field.value && !values.has(set.name)) {
      values.set(set.name, set.value);
    } else {
      rest.push(statement);
    }
  }
  // With other statements around, a value may be made of variables that only they know.
  if (rest.length > 0) return { fields, rest: statements };
  return {
    fields: fields.map((field) => {
      const value = values.get(field.name);
      return value ? { ...field, value } : field;
    }),
    rest,
  };
}

function assignedField(
  expression: HirExpression,
): { readonly name: string; readonly value: HirExpression } | undefined {
  if (expression.kind !== "assign" || expression.operator !== undefined) return undefined;
  const { target, value } = expression;
  return target.kind === "place" && target.place.kind === "member"
    ? { name: target.place.property, value }
    : undefined;
}

/** The remains of static initialisers: a method that no one can call. */
function initialiser(body: readonly HirStatement[]): HirMethod {
  const span = { start: body[0]?.span.start ?? 0, end: body.at(-1)?.span.end ?? 0 };
  return {
    name: "<clinit>",
    kind: "method",
    isStatic: true,
    isPrivate: true,
    function: plainFunction("<clinit>", [], body, span),
    span,
  };
}

function plainFunction(
  name: string,
  parameters: HirFunction["parameters"],
  body: readonly HirStatement[],
  span: Span,
): HirFunction {
  const header = { start: span.start, end: span.start };
  return { name, header, parameters, body, annotations: [], isArrow: false, isGenerator: false, span }; // prettier-ignore
}

/** Instance initialisers run in every constructor that does not call another one of its class, behind `super(...)`. */
function initialised(
  methods: readonly HirMethod[],
  initial: readonly HirStatement[],
): readonly HirMethod[] {
  const [first] = initial;
  if (first === undefined) return methods;
  const constructors = methods.filter(({ kind }) => kind === "constructor");
  if (constructors.length === 0) {
    const span = { start: first.span.start, end: initial.at(-1)?.span.end ?? first.span.end };
    const own = plainFunction("<init>", [], initial, span);
    return [...methods, { name: "<init>", kind: "constructor", isStatic: false, isPrivate: false, function: own, span }]; // prettier-ignore
  }
  return methods.map((method) => {
    if (method.kind !== "constructor") return method;
    const [call, ...rest] = method.function.body;
    const called = call?.kind === "expression" && call.expression.kind === "call" && call.expression.callee.kind; // prettier-ignore
    if (called === "this") return method;
    const body =
      call && called === "super"
        ? [call, ...initial, ...rest]
        : [...initial, ...method.function.body];
    return { ...method, function: { ...method.function, body } };
  });
}

/** A record's components as final fields, with the constructor and the accessors that are not written. */
function withComponents(
  reader: JavaReader,
  node: SyntaxNode,
  members: Members,
  scope: Scope,
): Members {
  const inner = innerScope(scope);
  const parameters = readParameters(reader, childOf(node, "parameters"), inner);
  const name = fieldText(reader, node, "name");
  const components = parameters.flatMap(({ pattern, type, span, annotations }) =>
    pattern.kind === "bind" ? [{ name: pattern.name, type, span, annotations }] : [],
  );
  const fields = components.map((component): HirField => ({
    name: component.name,
    ...(component.type !== undefined && { type: component.type }),
    isStatic: false,
    isFinal: true,
    annotations: component.annotations,
    span: component.span,
  }));
  const accessors = components
    .filter((component) => !members.methods.some(isAccessor(component.name)))
    .map((component): HirMethod => {
      const { span } = component;
      const body: readonly HirStatement[] = [{ kind: "return", value: ownField(component.name, span), span }]; // prettier-ignore
      const own = plainFunction(component.name, [], body, span);
      const returns = component.type !== undefined && { returns: component.type };
      return { name: component.name, kind: "method", isStatic: false, isPrivate: false, function: { ...own, ...returns }, span }; // prettier-ignore
    });
  const span = spanOf(childOf(node, "parameters") ?? node);
  const isCanonical = members.methods.some(
    (method) =>
      method.kind === "constructor" && method.function.parameters.length === parameters.length,
  );
  const canonical: HirMethod = {
    name,
    kind: "constructor",
    isStatic: false,
    isPrivate: false,
    function: plainFunction(name, parameters, assignments(parameters), span),
    span,
  };
  return {
    fields: [...fields, ...members.fields],
    methods: [...(isCanonical ? [] : [canonical]), ...accessors, ...members.methods],
    classes: members.classes,
  };
}

function isAccessor(component: string): (method: HirMethod) => boolean {
  return ({ name, kind, function: { parameters } }) =>
    kind === "method" && name === component && parameters.length === 0;
}

function ownField(property: string, span: Span): HirExpression {
  return { kind: "member", object: { kind: "this", span }, property, optional: false, span };
}

/** Every component gets the value of the parameter with its name. */
function assignments(parameters: readonly HirParameter[]): readonly HirStatement[] {
  return parameters.flatMap(({ pattern, span }): readonly HirStatement[] => {
    if (pattern.kind !== "bind") return [];
    const { name } = pattern;
    const target = { kind: "place" as const, place: ownField(name, span), span };
    const value: HirExpression = { kind: "name", name, span };
    return [{ kind: "expression", expression: { kind: "assign", target, value, span }, span }];
  });
}

/** The annotations among the modifiers of a declaration. */
export function readAnnotations(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): readonly HirAnnotation[] {
  const modifiers = node.children.find(({ type }) => type === "modifiers");
  return (modifiers?.children ?? [])
    .filter(({ type }) => type === "annotation" || type === "marker_annotation")
    .map((annotation) => ({
      name: fieldText(reader, annotation, "name"),
      arguments: readAnnotationArguments(reader, annotation, scope),
      span: spanOf(annotation),
    }));
}
