// Scopes of Java's names: variables of methods and lambdas, fields and methods of the classes around them as far as the
// file shows them.
import type { Span } from "../../sql/text/split";
import type { HirExpression, HirStatement } from "../hir";

/** The declarations of a class of this file. */
export interface ClassNames {
  /** Anonymous classes have none. */
  readonly name?: string;
  readonly fields: ReadonlyMap<string, Member>;
  readonly methods: ReadonlyMap<string, Member>;
  /** Names of its superclass and interfaces, without type arguments. */
  readonly supers: readonly string[];
  /** Names of a record's components, in order. */
  readonly components?: readonly string[];
}

export interface Member {
  readonly isStatic: boolean;
  /** The type of a field, or that which a method returns. As written. */
  readonly type?: string;
  /** How many parameters a method has; `undefined` where several of that name differ. */
  readonly arity?: number;
}

export interface FileNames {
  /** The classes of the file by their simple names; the first one of each name. */
  readonly classes: ReadonlyMap<string, ClassNames>;
  /** Local names of single static imports. */
  readonly staticImports: ReadonlySet<string>;
  readonly hasStaticStar: boolean;
}

/** A block, a function or a class body. */
export interface Scope {
  readonly file: FileNames;
  readonly parent?: Scope;
  /** Variables with their types as written. */
  readonly variables: Map<string, string | undefined>;
  readonly class?: ClassNames;
  /** Where variables that a pattern inside an expression binds are declared: before the statement that is being read. */
  readonly pending?: HirStatement[];
  /** A case of a switch: variables of its patterns are known in it alone, though they are declared before the switch. */
  readonly isCase?: boolean;
}

export function innerScope(
  parent: Scope,
  more: Pick<Scope, "class" | "pending" | "isCase"> = {},
): Scope {
  return { file: parent.file, parent, variables: new Map(), ...more };
}

/** The type of a name as written, where the file shows it. */
export function typeOfName(name: string, scope: Scope): string | undefined {
  for (const at of around(scope)) {
    if (at.variables.has(name)) return at.variables.get(name);
    const field = at.class && findMember(at.class, "fields", name, scope.file);
    if (field) return field.type;
  }
  return undefined;
}

export function typeOfMethod(name: string, scope: Scope): string | undefined {
  for (const { class: own } of around(scope)) {
    const method = own && findMember(own, "methods", name, scope.file);
    if (method) return method.type;
  }
  return undefined;
}

/** The class whose instance `this` is. */
export function classOf(scope: Scope): ClassNames | undefined {
  for (const at of around(scope)) if (at.class) return at.class;
  return undefined;
}

/**
 * A name that stands alone. Fields become members of `this`, of an outer `this` (`Outer.this`, a member of the class's
 * name) or of their class; a name that must be inherited from a class of another file becomes a member of `this`.
 */
export function readName(name: string, span: Span, scope: Scope): HirExpression {
  for (const at of around(scope)) if (at.variables.has(name)) return { kind: "name", name, span };
  const found = memberOf(name, "fields", span, scope);
  if (found) return found;
  const { staticImports, hasStaticStar, classes } = scope.file;
  const isClass = classes.has(name) || /^[A-Z]\w*[a-z]/u.test(name) || /^[A-Z]$/u.test(name);
  if (isClass || staticImports.has(name) || hasStaticStar) return { kind: "name", name, span };
  return inheritedOf(name, span, scope) ?? { kind: "name", name, span };
}

/** The target of a call without a receiver. */
export function readOwnCallee(name: string, span: Span, scope: Scope): HirExpression {
  const found = memberOf(name, "methods", span, scope);
  if (found) return found;
  const { staticImports, hasStaticStar } = scope.file;
  if (staticImports.has(name)) return { kind: "name", name, span };
  const inherited = inheritedOf(name, span, scope);
  if (inherited) return inherited;
  return hasStaticStar
    ? { kind: "name", name, span }
    : { kind: "member", object: { kind: "this", span }, property: name, optional: false, span };
}

/** The method that `this::name` or a call without a receiver reaches, as far as the file shows it. */
export function ownMethod(name: string, scope: Scope): Member | undefined {
  const own = classOf(scope);
  return own && findMember(own, "methods", name, scope.file);
}

function memberOf(
  name: string,
  kind: "fields" | "methods",
  span: Span,
  scope: Scope,
): HirExpression | undefined {
  let isInnermost = true;
  for (const { class: own } of around(scope)) {
    if (own === undefined) continue;
    const member = findMember(own, kind, name, scope.file);
    if (member) return { kind: "member", object: holder(own, member, isInnermost, span), property: name, optional: false, span }; // prettier-ignore
    isInnermost = false;
  }
  return undefined;
}

function holder(own: ClassNames, member: Member, isInnermost: boolean, span: Span): HirExpression {
  if (member.isStatic && own.name !== undefined) return { kind: "name", name: own.name, span };
  return isInnermost || own.name === undefined ? { kind: "this", span } : outerThis(own.name, span);
}

/** `Outer.this`. */
export function outerThis(name: string, span: Span): HirExpression {
  const object: HirExpression = { kind: "name", name, span };
  return { kind: "member", object, property: "this", optional: false, span };
}

function inheritedOf(name: string, span: Span, scope: Scope): HirExpression | undefined {
  let isInnermost = true;
  for (const { class: own } of around(scope)) {
    if (own === undefined) continue;
    if (hasUnknownSuper(own, scope.file, new Set())) {
      const object = holder(own, { isStatic: false }, isInnermost, span);
      return { kind: "member", object, property: name, optional: false, span };
    }
    isInnermost = false;
  }
  return undefined;
}

function hasUnknownSuper(own: ClassNames, file: FileNames, seen: Set<ClassNames>): boolean {
  if (seen.has(own)) return false;
  seen.add(own);
  return own.supers.some((name) => {
    const known = file.classes.get(name);
    return known === undefined || hasUnknownSuper(known, file, seen);
  });
}

function findMember(
  own: ClassNames,
  kind: "fields" | "methods",
  name: string,
  file: FileNames,
  seen = new Set<ClassNames>(),
): Member | undefined {
  if (seen.has(own)) return undefined;
  seen.add(own);
  const member = own[kind].get(name);
  if (member) return member;
  for (const above of own.supers) {
    const known = file.classes.get(above);
    const inherited = known && findMember(known, kind, name, file, seen);
    if (inherited) return inherited;
  }
  return undefined;
}

function* around(scope: Scope): Generator<Scope> {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) yield at;
}
