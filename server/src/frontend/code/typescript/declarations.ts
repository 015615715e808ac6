// TypeScript's declarations that are values at run time: enums, namespaces, and ambient variables with their types.
import { childOf, isComment, namedChildren, type SyntaxNode } from "../workspace/codeParsers";
import type { HirEntry, HirExpression, HirStatement } from "../hir";
import { boundNames } from "../modules/boundNames";
import { readKey } from "./patterns";
import { nameAt, slice, spanOf, unknown, type Reading } from "./reading";

/** An enum as a constant object. The way back from a number to its name is left out. */
export function readEnum(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const [name, body] = [childOf(node, "name"), childOf(node, "body")];
  if (name === undefined || body === undefined) return [];
  const entries: HirEntry[] = [];
  // Members without a value count on from the one before.
  let next: number | undefined = 0;
  for (const member of namedChildren(body)) {
    const key = member.type === "enum_assignment" ? childOf(member, "name") : member;
    const given = childOf(member, "value");
    if (key === undefined || member.type === "ERROR") continue;
    const span = spanOf(member);
    const value: HirExpression = given
      ? reading.expression(given)
      : next === undefined
        ? unknown(member, "enum member")
        : { kind: "literal", value: next, span };
    const number: unknown = value.kind === "literal" ? value.value : undefined;
    next = typeof number === "number" ? number + 1 : undefined;
    entries.push({ kind: "property", key: readKey(reading, key), value, span });
  }
  const span = spanOf(node);
  const value: HirExpression = { kind: "object", entries, span };
  return [{ kind: "let", pattern: reading.pattern(name), value, isMutable: false, span }];
}

/** A namespace is what it becomes: a function called at once, which returns what is exported. */
export function readNamespace(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const [name, body] = [childOf(node, "name"), childOf(node, "body")];
  // `declare module "x"` says types only.
  if (name === undefined || body === undefined || name.type === "string") return [];
  const span = spanOf(node);
  const [first = "", ...inner] = slice(reading, name).split(/\s*\.\s*/u);
  const value = inner.reduceRight<HirExpression>(
    (held, key) => ({
      kind: "object",
      entries: [{ kind: "property", key, value: held, span }],
      span,
    }),
    calledAtOnce(reading, body),
  );
  const pattern = { kind: "bind" as const, name: first, span: spanOf(name) };
  return [{ kind: "let", pattern, value, isMutable: false, span }];
}

function calledAtOnce(reading: Reading, body: SyntaxNode): HirExpression {
  const span = spanOf(body);
  const statements: HirStatement[] = [];
  const entries: HirEntry[] = [];
  for (const child of body.children) {
    if (!child.isNamed || isComment(child)) continue;
    const declaration = child.type === "export_statement" ? childOf(child, "declaration") : child;
    if (declaration === undefined) continue;
    const read = reading.statements([declaration]);
    statements.push(...read);
    if (declaration === child) continue;
    for (const exported of read.flatMap(boundNames)) {
      const value = nameAt(declaration, exported);
      entries.push({ kind: "property", key: exported, value, span: spanOf(declaration) });
    }
  }
  const value: HirExpression = { kind: "object", entries, span };
  const callee: HirExpression = {
    kind: "function",
    function: {
      header: { start: body.start, end: body.start },
      parameters: [],
      body: [...statements, { kind: "return", value, span }],
      annotations: [],
      isArrow: true,
      isGenerator: false,
      span,
    },
    span,
  };
  return { kind: "call", callee, arguments: [], optional: false, span };
}

/** `declare const x: X` has no value here, but a type. */
export function readAmbient(reading: Reading, node: SyntaxNode): readonly HirStatement[] {
  const variables = node.children.filter(
    ({ type }) => type === "lexical_declaration" || type === "variable_declaration",
  );
  return reading.statements(variables);
}
