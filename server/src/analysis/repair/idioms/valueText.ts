// The surrounding text's expression for the value that a read compares a column with.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { nameOf, tokensOf } from "../../../frontend/sql/text/tokens";
import type { Equality } from "../predicate";
import type { Site, Workshop } from "../workshop";
import { chainAround, literalAround, nodesIn, pathTo } from "./syntax";

/** The value in the host language; undefined if it is no single expression of the text. */
export function valueText(workshop: Workshop, site: Site, equality: Equality): string | undefined {
  const tree = workshop.treeOf(site.file);
  const text = workshop.textOf(site.file)?.text;
  if (text === undefined) return undefined;
  if (!tree) return sqlValue(text, site, equality.column)?.written;
  const literal = literalAround(tree.root, site.start, site.end);
  if (!literal) return namedValue(tree, site, equality);
  const written = sqlValue(text, site, equality.column);
  return written && hostValue(tree, literal, written);
}

/** A value in SQL, and the number of `?` before it. */
interface SqlValue {
  readonly written: string;
  readonly marks: number;
}

/** The value after `column =`. */
function sqlValue(text: string, { start, end }: Site, column: string): SqlValue | undefined {
  const tokens = tokensOf(text, start, end);
  for (const [at, token] of tokens.entries()) {
    if (token.word !== "=" || !tokens[at - 1]) continue;
    const before = tokens[at - 1];
    if (!before || nameOf(text, before).replaceAll("`", "") !== column) continue;
    const rest = tokens.slice(at + 1);
    const until = rest.findIndex(({ word }) => ENDS.has(word));
    const value = until < 0 ? rest : rest.slice(0, until);
    const [first, last] = [value[0], value.at(-1)];
    if (!first || !last) return undefined;
    const marks = tokens.slice(0, at).filter(({ word }) => word === "?").length;
    return { written: text.slice(first.start, last.end), marks };
  }
  return undefined;
}

const ENDS: ReadonlySet<string> = new Set(
  "and or group order limit for having union ) ; offset into".split(" "),
);

/** The argument of a placeholder. */
function hostValue(
  { root, text, language }: CodeTree,
  literal: SyntaxNode,
  { written, marks }: SqlValue,
): string | undefined {
  const hole = /^\$\{([^]*)\}$/u.exec(written)?.[1];
  if (hole !== undefined) return hole;
  const number = /^\$(\d+)/u.exec(written)?.[1];
  if (number !== undefined || written === "?") {
    const nth = number === undefined ? marks : Number(number) - 1;
    const value = valuesBeside(root, literal)?.[nth];
    return value && text.slice(value.start, value.end);
  }
  // A named parameter of Java: Map.of("shop", shop).
  const named = /^:(\w+)$/u.exec(written)?.[1];
  const given = callAround(root, literal);
  if (named === undefined || language !== "java" || !given) return undefined;
  return new RegExp(`\\b${named}\\b`, "u").test(text.slice(given.start, given.end))
    ? named
    : undefined;
}

/** The arguments of the call that a text is passed to. */
function callAround(root: SyntaxNode, literal: SyntaxNode): SyntaxNode | undefined {
  const call = pathTo(root, literal.start, literal.end).findLast(({ type }) =>
    ["call_expression", "method_invocation"].includes(type),
  );
  return call && childOf(call, "arguments");
}

/** The values for the placeholders of a text, in order: those of a list, or all later arguments. */
export function valuesBeside(
  root: SyntaxNode,
  literal: SyntaxNode,
): readonly SyntaxNode[] | undefined {
  const given = callAround(root, literal);
  if (!given) return undefined;
  const others = namedChildren(given).filter(({ start }) => start > literal.start);
  const list = others.find(({ type }) => type === "array");
  return list
    ? namedChildren(list)
    : others.filter(({ type }) => type !== "class_literal" && type !== "lambda_expression");
}

/** In query builder calls a value has the name of the argument. */
function namedValue(tree: CodeTree, site: Site, { value }: Equality): string | undefined {
  if (value.kind !== "parameter") return undefined;
  const { root, text } = tree;
  const call = chainAround(root, text, site.start, site.end).at(-1)?.call;
  if (!call) return undefined;
  return identifiersIn(call, text).has(value.name) ? value.name : undefined;
}

function identifiersIn(node: SyntaxNode, text: string): ReadonlySet<string> {
  const names = nodesIn(node).filter(
    ({ type }) => type === "identifier" || type === "shorthand_property_identifier",
  );
  return new Set(names.map(({ start, end }) => text.slice(start, end)));
}
