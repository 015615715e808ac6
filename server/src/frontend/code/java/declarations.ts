// Declarations of the classes of a Java file, by name: the first look at a file, before its code is read.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { ClassNames, Member } from "./scope";

const CLASSES: ReadonlySet<string> = new Set([
  "class_declaration",
  "interface_declaration",
  "enum_declaration",
  "record_declaration",
  "annotation_type_declaration",
]);

export function isClassDeclaration({ type }: SyntaxNode): boolean {
  return CLASSES.has(type);
}

/** Nested classes and those inside methods are among them; of several with one name the first counts. */
export function declaredClasses(root: SyntaxNode, text: string): ReadonlyMap<string, ClassNames> {
  const classes = new Map<string, ClassNames>();
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isClassDeclaration(node)) {
      const declared = declaredNames(node, text);
      if (declared.name !== undefined && !classes.has(declared.name)) {
        classes.set(declared.name, declared);
      }
    }
    for (let i = node.children.length - 1; i >= 0; i -= 1) {
      const child = node.children[i];
      if (child && child.children.length > 0) waiting.push(child);
    }
  }
  return classes;
}

/** The members that a class declaration, or the body of an anonymous class or of an enum's constant, declares. */
export function declaredNames(node: SyntaxNode, text: string): ClassNames {
  const isDeclaration = isClassDeclaration(node);
  const name = isDeclaration ? childOf(node, "name") : undefined;
  const fields = new Map<string, Member>();
  const methods = new Map<string, Member>();
  const components = node.type === "record_declaration" ? parameterNames(node, text) : undefined;
  for (const { name: component, type } of components ?? []) {
    fields.set(component, { isStatic: false, ...(type !== undefined && { type }) });
    methods.set(component, { isStatic: false, arity: 0, ...(type !== undefined && { type }) });
  }
  const isInterface = /interface|annotation/u.test(node.type);
  for (const member of membersOf(isDeclaration ? childOf(node, "body") : node)) {
    const isStatic = hasModifier(member, "static");
    const type = childOf(member, "type");
    const written = type && text.slice(type.start, type.end);
    if (member.type === "field_declaration" || member.type === "constant_declaration") {
      for (const declarator of member.children) {
        const declared = declarator.field === "declarator" && childOf(declarator, "name");
        if (!declared) continue;
        const dimensions = childOf(declarator, "dimensions");
        const full = `${written ?? ""}${dimensions ? text.slice(dimensions.start, dimensions.end) : ""}`;
        const field = { isStatic: isStatic || isInterface, type: full };
        fields.set(text.slice(declared.start, declared.end), field);
      }
    } else if (member.type === "enum_constant") {
      const declared = childOf(member, "name");
      const own = name && text.slice(name.start, name.end);
      if (declared) {
        const field = { isStatic: true, ...(own !== undefined && { type: own }) };
        fields.set(text.slice(declared.start, declared.end), field);
      }
    } else if (member.type === "method_declaration") {
      const declared = childOf(member, "name");
      if (!declared) continue;
      const key = text.slice(declared.start, declared.end);
      const arity = parameterNames(member, text).length;
      const isVariable = childOf(member, "parameters")?.children.some(
        ({ type: kind }) => kind === "spread_parameter",
      );
      const before = methods.get(key);
      const isSame = before === undefined || before.arity === arity;
      methods.set(key, {
        isStatic: before?.isStatic ?? isStatic,
        ...(isSame && isVariable !== true && { arity }),
        ...(written !== undefined && { type: written }),
      });
    }
  }
  const own = name && text.slice(name.start, name.end);
  const modifiers = node.children.find(({ type }) => type === "modifiers");
  // Lombok's, which is written nowhere.
  if (modifiers && /@(?:lombok\.)?Builder\b/u.test(text.slice(modifiers.start, modifiers.end))) {
    if (!methods.has("builder")) methods.set("builder", { isStatic: true, arity: 0 });
  }
  return {
    ...(own !== undefined && { name: own }),
    fields,
    methods,
    supers: isDeclaration ? [...superNames(node, text)] : [],
    ...(components && { components: components.map((component) => component.name) }),
  };
}

/** Members of a class body; what stands in a part that could not be parsed is among them. */
export function membersOf(body: SyntaxNode | undefined): readonly SyntaxNode[] {
  return body === undefined
    ? []
    : namedChildren(body).flatMap((member) =>
        member.type === "enum_body_declarations" || member.type === "ERROR"
          ? membersOf(member)
          : [member],
      );
}

export function hasModifier(node: SyntaxNode, modifier: string): boolean {
  const modifiers = node.children.find(({ type }) => type === "modifiers");
  return modifiers?.children.some(({ type }) => type === modifier) === true;
}

/** The types that a class extends and implements, without type arguments. */
export function* superNames(node: SyntaxNode, text: string): Generator<string> {
  for (const type of superTypes(node)) yield withoutArguments(type, text);
}

/** The types that a class extends and implements. */
export function* superTypes(node: SyntaxNode): Generator<SyntaxNode> {
  for (const child of node.children) {
    if (child.type === "superclass") yield* namedChildren(child);
    else if (child.type === "super_interfaces" || child.type === "extends_interfaces") {
      for (const list of namedChildren(child)) yield* namedChildren(list);
    }
  }
}

/** A type's name without type arguments and annotations. */
export function withoutArguments(type: SyntaxNode, text: string): string {
  if (type.type !== "generic_type" && type.type !== "annotated_type") {
    return text.slice(type.start, type.end);
  }
  const inner = namedChildren(type).find((child) =>
    /type_identifier|generic_type/u.test(child.type),
  );
  return inner ? withoutArguments(inner, text) : text.slice(type.start, type.end);
}

export interface ParameterName {
  readonly name: string;
  readonly type?: string;
}

/** The names and types of a method's parameters or a record's components. */
export function parameterNames(node: SyntaxNode, text: string): readonly ParameterName[] {
  return namedChildren(childOf(node, "parameters") ?? node).flatMap((parameter) => {
    if (parameter.type !== "formal_parameter" && parameter.type !== "spread_parameter") return [];
    const holder = parameter.children.find(({ type }) => type === "variable_declarator");
    const name = childOf(holder ?? parameter, "name");
    if (name === undefined) return [];
    const type = parameterType(parameter, text);
    return [{ name: text.slice(name.start, name.end), ...(type !== undefined && { type }) }];
  });
}

/** As written, with the brackets behind the name; `T...` is `T[]`. */
export function parameterType(parameter: SyntaxNode, text: string): string | undefined {
  const isSpread = parameter.type === "spread_parameter";
  const type = isSpread
    ? namedChildren(parameter).find(
        (child) => child.type !== "modifiers" && child.type !== "variable_declarator",
      )
    : childOf(parameter, "type");
  if (type === undefined) return undefined;
  const dimensions = childOf(parameter, "dimensions");
  const written = text.slice(type.start, type.end);
  const brackets = dimensions ? text.slice(dimensions.start, dimensions.end) : "";
  return `${written}${brackets}${isSpread ? "[]" : ""}`;
}
