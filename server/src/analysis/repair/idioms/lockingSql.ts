// Locking reads in SQL, in a separate file or inside a text of code: FOR UPDATE after the query; for aggregates, in a query before it.
import type { Expression } from "../../../program/expression";
import type { SelectStatement } from "../../../program/statement";
import { walkExpression } from "../../../frontend/sql/walk";
import { tokensOf, type Token } from "../../../frontend/sql/text/tokens";
import type { Site, Workshop } from "../workshop";
import { isAggregate } from "../../operations/aggregatesIn";
import { addBefore } from "./addStatement";
import { NO_TEXT } from "./reasons";
import { literalAround } from "./syntax";
import { refusal, type EditOutcome } from "./sourceForms";

export function lockingSql(
  workshop: Workshop,
  site: Site,
  statement: SelectStatement,
): EditOutcome {
  const { file, start, end } = site;
  const index = workshop.textOf(file);
  if (!index) return refusal(NO_TEXT);
  const tokens = tokensOf(index.text, start, end);
  const query = queryTokens(tokens);
  const last = query.at(-1);
  if (!last) return refusal("its query stands in another text");
  const clause = " FOR UPDATE";
  if (isPlainRead(statement)) {
    const outer = statement.query.relations.find(({ join }) => join === "left" || join === "right");
    const own = statement.query.relations[0]?.alias;
    const of = outer && own !== undefined ? ` OF ${own}` : "";
    // A text of code may end with a value that is no SQL token.
    const at = query === tokens ? endOfText(workshop, site, index.text) : last.end;
    return { ok: true, edits: [{ file, start: at, end: at, newText: clause + of }] };
  }
  return lockingBefore(workshop, site, statement, query, clause);
}

/** The end of a statement, including a template value at its end. */
function endOfText(workshop: Workshop, { file, start, end }: Site, text: string): number {
  const tree = workshop.treeOf(file);
  const literal = tree && literalAround(tree.root, start, end);
  const value = literal?.children.find(
    (child) => child.type === "template_substitution" && child.start < end && end < child.end,
  );
  return value?.end ?? start + text.slice(start, end).trimEnd().length;
}

/** Locks the rows of an aggregating SELECT by a statement before it. */
function lockingBefore(
  workshop: Workshop,
  site: Site,
  { query: { relations, groupBy, distinct, setOperations, outputs } }: SelectStatement,
  tokens: readonly Token[],
  clause: string,
): EditOutcome {
  const [relation, ...others] = relations;
  const isWhole = groupBy.length === 0 && !distinct && setOperations.length === 0;
  if (!relation || relation.kind !== "base" || others.length > 0 || !isWhole)
    return refusal("rows that are grouped, joined or put together cannot be locked by the read");
  if (outputs.some(({ value }) => hasQuery(value)))
    return refusal("the rows of its subquery would not be locked");
  const from = tokens.find(({ word }) => word === "from");
  const last = tokens.at(-1);
  const text = workshop.textOf(site.file)?.text;
  if (!from || !last || text === undefined) return refusal("it reads no table");
  if (/[$?]|:\w/u.test(text.slice(from.start, last.end)) && workshop.treeOf(site.file))
    return refusal("the values of its condition would have to be handed over twice");
  const key = workshop.program.schema.tables.find(
    ({ name }) => name === relation.table,
  )?.primaryKey;
  // A common lock order avoids deadlocks.
  const order = key && key.length > 0 ? ` ORDER BY ${key.join(", ")}` : "";
  const before = `SELECT 1 ${text.slice(from.start, last.end)}${order}${clause}`;
  return addBefore(workshop, site, { before, values: [], after: "", isVoid: false });
}

/** The query inside of a statement: the whole, or the part in parentheses of `v := (SELECT ...)`. */
function queryTokens(tokens: readonly Token[]): readonly Token[] {
  const first = tokens[0];
  if (!first) return [];
  if (["select", "perform", "with"].includes(first.word)) return tokens;
  const select = tokens.findIndex(({ word }) => word === "select");
  const isInside = tokens[select - 1]?.word === "(";
  if (select < 0 || !isInside) return [];
  let depth = 1;
  for (let at = select; at < tokens.length; at += 1) {
    const { word } = tokens[at] ?? { word: "" };
    if (word === "(") depth += 1;
    if (word === ")") depth -= 1;
    if (depth === 0) return tokens.slice(select, at);
  }
  return [];
}

function hasQuery(expression: Expression): boolean {
  let has = false;
  walkExpression(expression, [], {
    expression: (part) => {
      if ("query" in part) has = true;
    },
  });
  return has;
}

/** True if the statement itself can lock rows of its tables. */
export function isPlainRead({ query }: SelectStatement): boolean {
  return (
    query.relations.length > 0 &&
    !query.distinct &&
    query.setOperations.length === 0 &&
    !isAggregate(query)
  );
}
