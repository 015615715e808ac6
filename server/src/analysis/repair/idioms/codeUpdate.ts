// An UPDATE in code that computes from the row itself and has conditions on it, in the idiom of its library.
import { namedChildren, type SyntaxNode } from "../../../frontend/code/workspace/codeParsers";
import { nameOf, tokensOf } from "../../../frontend/sql/text/tokens";
import type { TextEdit } from "../candidate";
import type { Site, Workshop } from "../workshop";
import { builderUpdate } from "./builderUpdate";
import { connectionOf, type CodeConnection } from "./connection";
import { changeOf, plainKey, textOf } from "./columnValue";
import { importsOf } from "./imports";
import { statementAround } from "./addStatement";
import { NO_PLACE, NO_ROW } from "./reasons";
import { chainAround, literalAround } from "./syntax";
import { RESULT, type GuardedColumn, type Idiom, type Place } from "./updateIdiom";
import { valuesBeside } from "./valueText";

export interface CodeUpdate {
  readonly edits: readonly TextEdit[];
  /** Columns that are now computed from the row. */
  readonly computed: readonly string[];
}

/** The edits, or the reason why there are none. `missing` is the code for the case that no row satisfies the conditions any more. */
export function codeUpdate(
  workshop: Workshop,
  site: Site,
  columns: readonly GuardedColumn[],
  missing: string,
): CodeUpdate | string {
  const [first] = columns;
  if (!first) return "nothing of what was read is used by the UPDATE";
  const { tree, owner } = first.held;
  const connection = connectionOf(tree, site);
  if (!connection) return "the call of the UPDATE is of no shape that is known";
  const place: Place = {
    site,
    connection,
    isMysql: workshop.dialect !== "postgres",
    edit: (start, end, newText) => ({ file: site.file, start, end, newText }),
  };
  const literal = literalAround(tree.root, site.start, site.end);
  const idiom = literal
    ? literalUpdate(place, literal, columns)
    : builderUpdate(place, chainAround(tree.root, tree.text, site.start, site.end), columns);
  if (typeof idiom === "string") return idiom;
  const { edits, computed, result, imports } = idiom;
  const imported = imports ? importsOf(tree, site.file, imports.from, imports.names) : [];
  const isGuarded = columns.some(({ guards }) => guards.length > 0);
  if (!isGuarded) return { edits: [...edits, ...imported], computed };
  const statement = statementAround(tree, site);
  if (!result || !statement) return "how many rows it changes is not known";
  const written = textOf(tree, statement);
  if (statement.type !== "expression_statement" || !/^await\b/u.test(written))
    return "the UPDATE is no awaited statement of its own";
  if (new RegExp(`\\b${RESULT}\\b`, "u").test(textOf(tree, owner)))
    return `the name "${RESULT}" is taken`;
  const line = tree.text.lastIndexOf("\n", statement.start - 1) + 1;
  const indent = /^[ \t]*/u.exec(tree.text.slice(line, statement.start))?.[0] ?? "";
  return {
    computed,
    edits: [
      ...edits,
      ...imported,
      place.edit(statement.start, statement.start, `const ${result.binding} = `),
      place.edit(
        statement.end,
        statement.end,
        `\n${indent}if (${result.none}) ${missing.replaceAll("\n", `\n${indent}`)}`,
      ),
    ],
  };
}

/** The UPDATE in code's SQL: with numbered or question mark placeholders, or values inside a template. */
function literalUpdate(
  { site, connection, isMysql, edit }: Place,
  literal: SyntaxNode,
  columns: readonly GuardedColumn[],
): Idiom | string {
  const [first] = columns;
  if (!first) return "nothing is to be written";
  const { tree } = first.held;
  const { text } = tree;
  const tokens = tokensIn(text, site, literal);
  const where = tokens.findIndex(({ word }) => word === "where");
  if (where < 0) return NO_ROW;
  const isTemplate = connection.library === "tagged" || connection.library === "prisma";
  const values = isTemplate ? [] : (valuesBeside(tree.root, literal) ?? []);
  const edits: TextEdit[] = [];
  const computed: string[] = [];
  for (const { column, held } of columns) {
    const at = tokens.findIndex(
      (token, n) =>
        n < where &&
        plainKey(nameOf(text, token)) === plainKey(column) &&
        tokens[n + 1]?.word === "=",
    );
    const start = tokens[at + 2]?.start;
    if (at < 0 || start === undefined) continue;
    const node = isTemplate
      ? holeAt(literal, start)
      : values[markNumber(text, tokens[at + 2], tokens.slice(0, at + 2))];
    const change = node && changeOf(held, node);
    if (!node || !change) continue;
    computed.push(column);
    const written = text.slice(tokens[at]?.start ?? start, tokens[at]?.end ?? start);
    edits.push(edit(start, start, `${written} ${change.operator} `));
    edits.push(edit(node.start, node.end, textOf(held.tree, change.by)));
  }
  const guards = columns.flatMap(({ column, guards: all }) =>
    all.map((guard) => ({ column, ...guard })),
  );
  if (guards.length > 0) {
    const rest = tokens.slice(where);
    if (rest.some(({ word }) => word === "or")) return "its conditions are joined by OR";
    const end = rest.findIndex(({ word }) => ENDS.has(word));
    const last = end < 0 ? rest.at(-1) : rest[end - 1];
    if (!last || (end >= 0 && rest.slice(end).some(({ word }) => word === "?"))) return NO_PLACE;
    const marks = marker(text, tokens);
    const constants = new Set(["null", "true", "false"]);
    const valued = guards.filter(({ value }) => !constants.has(value));
    const added = guards.map(({ column, comparison, value }) => {
      const written = constants.has(value) ? value : isTemplate ? `\${${value}}` : marks();
      return ` AND ${column} ${comparison} ${written}`.replace(/ is( not)? null$/u, (text) =>
        text.toUpperCase(),
      );
    });
    edits.push(edit(last.end, last.end, added.join("")));
    const lastValue = values.at(-1);
    if (!isTemplate && valued.length > 0) {
      if (!lastValue) return "it has no list of values";
      const more = valued.map(({ value }) => `, ${value}`).join("");
      edits.push(edit(lastValue.end, lastValue.end, more));
    }
  }
  const result = literalResult(
    connection,
    isMysql,
    textOf(tree, statementOr(tree.root, first, site)),
  );
  if (guards.length > 0 && connection.method === "none") {
    const dot = text.lastIndexOf(".none", literal.start);
    edits.push(edit(dot, dot + ".none".length, ".result"));
  }
  return { edits, computed, result };
}

function statementOr(root: SyntaxNode, { held }: GuardedColumn, site: Site): SyntaxNode {
  return statementAround(held.tree, site) ?? root;
}

const ENDS: ReadonlySet<string> = new Set(["returning", "limit", "order", ";"]);

function literalResult(
  { library, method, receiver }: CodeConnection,
  isMysql: boolean,
  statement: string,
): NonNullable<Idiom["result"]> {
  if (library === "prisma") return { binding: RESULT, none: `${RESULT} === 0` };
  if (library === "tagged") {
    const isOwn = statement.replace(/^await\s+/u, "").startsWith(`${receiver}\``);
    return { binding: RESULT, none: `${RESULT}.${isOwn ? "count" : "rowCount"} === 0` };
  }
  return isMysql && (method === "query" || method === "execute")
    ? { binding: `[${RESULT}]`, none: `${RESULT}.affectedRows === 0` }
    : { binding: RESULT, none: `${RESULT}.rowCount === 0` };
}

/** The tokens of a text; a template's substitution is one token. */
function tokensIn(text: string, { start, end }: Site, literal: SyntaxNode): Tokens {
  const holes = literal.children.filter(({ type }) => type === "template_substitution");
  return tokensOf(text, start, holes.length > 0 ? literal.end - 1 : end).flatMap((token) => {
    const hole = holes.find((each) => each.start <= token.start && token.start < each.end);
    if (!hole) return [token];
    return hole.start === token.start ? [{ ...token, end: hole.end }] : [];
  });
}

/** The value inside a template substitution. */
function holeAt(literal: SyntaxNode, at: number): SyntaxNode | undefined {
  const hole = literal.children.find(
    ({ type, start, end }) => type === "template_substitution" && start <= at && at < end,
  );
  return hole && namedChildren(hole)[0];
}

type Tokens = ReturnType<typeof tokensOf>;

/** The index of the value for a placeholder. */
function markNumber(text: string, token: Tokens[number] | undefined, before: Tokens): number {
  if (!token) return -1;
  const number = /^\$(\d+)/u.exec(text.slice(token.start, token.end))?.[1];
  if (number !== undefined) return Number(number) - 1;
  return token.word === "?" ? before.filter(({ word }) => word === "?").length : -1;
}

/** Generates further placeholders in the text's style. */
function marker(text: string, tokens: Tokens): () => string {
  const all = text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
  let number = Math.max(0, ...[...all.matchAll(/\$(\d+)/gu)].map(([, digits]) => Number(digits)));
  const isNumbered = number > 0;
  return () => {
    number += 1;
    return isNumbered ? `$${String(number)}` : "?";
  };
}
