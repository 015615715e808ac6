// Java's switch, as a statement and as an expression. A switch over patterns compares `true` with a test per case.
import { childOf, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirExpression, HirStatement } from "../hir";
import { arrow } from "./functions";
import { declareBefore, readPattern } from "./patterns";
import { spanOf, textOf, type JavaReader } from "./reader";
import { innerScope, typeOfName, type Scope } from "./scope";

interface Case {
  readonly node: SyntaxNode;
  readonly tests: readonly HirExpression[];
  readonly isArrow: boolean;
  readonly body: readonly SyntaxNode[];
  readonly scope: Scope;
}

export function readSwitch(reader: JavaReader, node: SyntaxNode, scope: Scope): HirStatement {
  const { subject, cases } = readCases(reader, node, scope);
  const shared = innerScope(scope);
  return {
    kind: "switch",
    subject,
    cases: cases.map((one) => {
      // Variables of a group of statements are known in the groups behind it, too.
      const body = bodyOf(reader, one, one.isArrow ? one.scope : shared);
      const end = { start: one.node.end, end: one.node.end };
      return {
        tests: one.tests,
        body: one.isArrow && !leaves(body) ? [...body, { kind: "break", span: end }] : body,
      };
    }),
    span: spanOf(node),
  };
}

/** The statements of a case; a block is not taken apart. */
function bodyOf(reader: JavaReader, one: Case, scope: Scope): readonly HirStatement[] {
  const [only] = one.body;
  return one.body.length === 1 && only?.type === "block"
    ? reader.block(only, scope)
    : reader.statements(one.body, scope);
}

export function readChoice(reader: JavaReader, node: SyntaxNode, scope: Scope): HirExpression {
  const { subject, cases } = readCases(reader, node, scope);
  const span = spanOf(node);
  return {
    kind: "choose",
    subject,
    cases: cases.map((one, i) => ({
      tests: one.tests,
      ...readResult(reader, one, cases.slice(i)),
    })),
    span,
  };
}

/** The body and value of a case of a switch expression. `onwards`: it and the cases that it may fall through to. */
function readResult(
  reader: JavaReader,
  one: Case,
  onwards: readonly Case[],
): { readonly body: readonly HirStatement[]; readonly value?: HirExpression } {
  const [only] = one.body;
  if (one.isArrow && only?.type === "expression_statement") {
    const [expression] = namedChildren(only);
    const pending: HirStatement[] = [];
    const value = reader.expression(expression, innerScope(one.scope, { pending }));
    return { body: pending, value };
  }
  const nodes = one.isArrow ? statementsOf(one.body) : fallenThrough(onwards);
  const last = nodes.at(-1);
  if (last?.type === "throw_statement" && !nodes.some(yieldsInside)) {
    return { body: reader.statements(nodes, one.scope) };
  }
  if (last?.type === "yield_statement" && !nodes.slice(0, -1).some(yieldsInside)) {
    const inner = innerScope(one.scope);
    const body = reader.statements(nodes.slice(0, -1), inner);
    const pending: HirStatement[] = [];
    const [given] = namedChildren(last);
    const value = reader.expression(given, innerScope(inner, { pending }));
    return { body: [...body, ...pending], value };
  }
  // A switch that yields in several places is a function that is called at once: its `return` is `yield`.
  const span = spanOf(one.node);
  const body = reader.statements(nodes, innerScope(one.scope));
  const callee: HirExpression = {
    kind: "function",
    function: arrow([], body, { start: span.start, end: span.start }, span),
    span,
  };
  return { body: [], value: { kind: "call", callee, arguments: [], optional: false, span } };
}

function statementsOf(body: readonly SyntaxNode[]): readonly SyntaxNode[] {
  const [only] = body;
  return body.length === 1 && only?.type === "block" ? namedChildren(only) : body;
}

/** The statements from a group on, up to the first one that surely leaves. */
function fallenThrough(cases: readonly Case[]): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  for (const { body } of cases) {
    for (const statement of body) {
      nodes.push(statement);
      if (/^(?:yield|throw|return)_statement$/u.test(statement.type)) return nodes;
    }
  }
  return nodes;
}

/** A yield of this switch, not of one inside. */
function yieldsInside(node: SyntaxNode): boolean {
  if (node.type === "yield_statement") return true;
  return !/^(?:switch_expression|lambda_expression|class_body)$/u.test(node.type)
    ? node.children.some(yieldsInside)
    : false;
}

function readCases(
  reader: JavaReader,
  node: SyntaxNode,
  scope: Scope,
): { readonly subject: HirExpression; readonly cases: readonly Case[] } {
  const condition = childOf(node, "condition");
  const groups = namedChildren(childOf(node, "body") ?? node).filter(({ type }) =>
    /^switch_(?:rule|block_statement_group)$/u.test(type),
  );
  const subject = reader.expression(condition, scope);
  if (!groups.some(hasPattern)) {
    const constants = constantsOf(reader, condition, scope);
    return { subject, cases: groups.map((group) => readPlain(reader, group, scope, constants)) };
  }
  // The subject is evaluated once: with the first test where it is more than a name.
  const isSimple = subject.kind === "name" || subject.kind === "this";
  const { span } = subject;
  const name = `#switch${String(node.start)}`;
  if (!isSimple) declareBefore(name, undefined, span, scope);
  const held: HirExpression = isSimple ? subject : { kind: "name", name, span };
  let isFirst = !isSimple;
  const cases = groups.map((group) => {
    const read = readMatched(reader, group, held, scope);
    const [test, ...others] = read.tests;
    if (!isFirst || test === undefined) return read;
    isFirst = false;
    const assign: HirExpression = {
      kind: "assign",
      target: { kind: "bind", name, span },
      value: subject,
      span,
    };
    const first: HirExpression = { kind: "sequence", parts: [assign, test], span: test.span };
    return { ...read, tests: [first, ...others] };
  });
  return { subject: { kind: "literal", value: true, span }, cases };
}

function labelsOf(group: SyntaxNode): readonly SyntaxNode[] {
  return group.children.filter(({ type }) => type === "switch_label");
}

function hasPattern(group: SyntaxNode): boolean {
  return labelsOf(group).some((label) =>
    label.children.some(({ type }) => type === "pattern" || type === "guard"),
  );
}

function caseOf(group: SyntaxNode, scope: Scope): Omit<Case, "tests"> {
  const body = namedChildren(group).filter(({ type }) => type !== "switch_label");
  const isArrow = group.type === "switch_rule";
  return { node: group, isArrow, body, scope: innerScope(scope, { isCase: true }) };
}

function isDefault(reader: JavaReader, label: SyntaxNode): boolean {
  return label.children.some((child) => textOf(reader, child) === "default");
}

function readPlain(
  reader: JavaReader,
  group: SyntaxNode,
  scope: Scope,
  constants: string | undefined,
): Case {
  const base = caseOf(group, scope);
  const labels = labelsOf(group);
  if (labels.some((label) => isDefault(reader, label))) return { ...base, tests: [] };
  const tests = labels.flatMap((label) =>
    namedChildren(label).map((test): HirExpression => {
      if (test.type !== "identifier" || constants === undefined) {
        return reader.expression(test, scope);
      }
      const span = spanOf(test);
      const object: HirExpression = { kind: "name", name: constants, span };
      return { kind: "member", object, property: textOf(reader, test), optional: false, span };
    }),
  );
  return { ...base, tests };
}

/** The enum whose constants the cases of a switch over a variable name, as far as its type is written. */
function constantsOf(
  reader: JavaReader,
  condition: SyntaxNode | undefined,
  scope: Scope,
): string | undefined {
  const written = textOf(reader, condition).replace(/^[(\s]+|[)\s]+$/gu, "");
  const type = typeOfName(written.replace(/^this\./u, ""), scope);
  return type !== undefined && /^[A-Z][\w.]*$/u.test(type) && !NO_ENUM.has(type) ? type : undefined;
}

const NO_ENUM: ReadonlySet<string> = new Set([
  "String",
  "Integer",
  "Long",
  "Short",
  "Byte",
  "Character",
  "Object",
]);

function readMatched(
  reader: JavaReader,
  group: SyntaxNode,
  subject: HirExpression,
  scope: Scope,
): Case {
  const base = caseOf(group, scope);
  const labels = labelsOf(group);
  if (labels.some((label) => isDefault(reader, label))) return { ...base, tests: [] };
  const tests = labels.flatMap((label) => {
    const guard = label.children.find(({ type }) => type === "guard");
    return namedChildren(label)
      .filter((child) => child !== guard)
      .map((child): HirExpression => {
        const span = spanOf(child);
        const test: HirExpression =
          child.type === "pattern"
            ? readPattern(reader, child, subject, base.scope)
            : {
                kind: "binary",
                operator: "===",
                left: subject,
                right: reader.expression(child, scope),
                span,
              };
        if (guard === undefined) return test;
        const [condition] = namedChildren(guard);
        const right = reader.expression(condition, base.scope);
        return { kind: "binary", operator: "&&", left: test, right, span };
      });
  });
  return { ...base, tests };
}

function leaves(body: readonly HirStatement[]): boolean {
  const last = body.at(-1);
  return last !== undefined && /^(?:return|throw|break|continue)$/u.test(last.kind);
}
