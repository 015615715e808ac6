// An UPDATE sent by Java that computes from the row itself, and is refused where what was checked before no longer holds.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { nameOf, tokensOf } from "../../../frontend/sql/text/tokens";
import type { TextEdit } from "../candidate";
import type { ReadSite, UpdateSite } from "../pairs";
import type { GuardedEdits } from "./updateIdiom";
import { codeGuardsBetween } from "./codeGuards";
import { changeOf, namesOf, plainKey, textOf, type CodeColumn } from "./columnValue";
import { connectionOf } from "./connection";
import {
  methodAround,
  NO_CALL,
  OTHER_METHODS,
  preparedName,
  updateOnlyIf,
  variableOf,
  type JavaCondition,
} from "./javaCheck";
import { NO_VARIABLES } from "./reasons";
import { literalAround, nodesIn } from "./syntax";
import { valuesBeside } from "./valueText";

/** The edits, or the reason why there are none. Read and UPDATE concern the same row. */
export function guardedInJava(
  tree: CodeTree,
  read: ReadSite,
  update: UpdateSite,
): GuardedEdits | string {
  const method = methodAround(tree, read, update);
  if (!method) return OTHER_METHODS;
  const literal = literalAround(tree.root, update.start, update.end);
  if (!literal) return NO_CALL;
  const edits: TextEdit[] = [];
  const conditions: JavaCondition[] = [];
  const exits: string[] = [];
  let isRead = false;
  for (const column of namesOf(read.statement).keys()) {
    const variable = variableOf(tree, method, read, column);
    if (!variable) continue;
    isRead = true;
    const held: CodeColumn = { tree, owner: method, names: new Set(), variable: variable.name };
    const guards = codeGuardsBetween(held, read.end, update);
    if (typeof guards === "string") return guards;
    for (const { comparison, value, exit } of guards) {
      const setter = setterOf(tree, method, value) ?? variable.setter;
      conditions.push({ column, comparison, value, setter });
      if (exit !== undefined) exits.push(exit);
    }
    edits.push(...computing(held, update, literal, column));
  }
  if (!isRead) return NO_VARIABLES;
  const isComputed = edits.length > 0;
  if (!isComputed && conditions.length === 0)
    return "the UPDATE does not compute from what was read by adding to it";
  if (conditions.length === 0) return { edits, isChecked: false, isComputed };
  const message = JSON.stringify(`${update.statement.relation.table} changed meanwhile`);
  const written = updateOnlyIf(tree, method, update, conditions, (isTemplate) => {
    const error = isTemplate ? "IllegalStateException" : "java.sql.SQLException";
    return exits[0] ?? `throw new ${error}(${message});`;
  });
  return typeof written === "string"
    ? written
    : { edits: [...edits, ...written], isChecked: true, isComputed };
}

/** `SET stock = ?` given `stock - amount` becomes `SET stock = stock - ?` given `amount`; none where it is given anything else. */
function computing(
  held: CodeColumn,
  update: UpdateSite,
  literal: SyntaxNode,
  column: string,
): readonly TextEdit[] {
  const { tree } = held;
  const { file } = update;
  const tokens = tokensOf(tree.text, update.start, update.end);
  const at = tokens.findIndex(
    (token, n) =>
      plainKey(nameOf(tree.text, token)) === plainKey(column) &&
      tokens[n + 1]?.word === "=" &&
      tokens[n + 2]?.word === "?",
  );
  const where = tokens.findIndex(({ word }) => word === "where");
  const place = tokens[at + 2];
  if (at < 0 || at > where || !place) return [];
  const nth = tokens.slice(0, at).filter(({ word }) => word === "?").length;
  const value = valueAt(held, update, literal, nth);
  const change = value && changeOf(held, value);
  if (!value || !change) return [];
  return [
    { file, start: place.start, end: place.start, newText: `${column} ${change.operator} ` },
    { file, start: value.start, end: value.end, newText: textOf(tree, change.by) },
  ];
}

/** The value that a placeholder is given: beside the text, or by a setter of the prepared statement. */
function valueAt(
  { tree, owner }: CodeColumn,
  site: UpdateSite,
  literal: SyntaxNode,
  nth: number,
): SyntaxNode | undefined {
  if (connectionOf(tree, site)?.library === "template")
    return valuesBeside(tree.root, literal)?.[nth];
  const prepared = preparedName(tree, literal);
  const [value, ...others] = nodesIn(owner).flatMap((node): readonly SyntaxNode[] => {
    const [object, name, given] = ["object", "name", "arguments"].map((each) => childOf(node, each)); // prettier-ignore
    if (node.start < literal.end || !object || !name || !given) return [];
    if (textOf(tree, object) !== prepared || !/^set[A-Z]/u.test(textOf(tree, name))) return [];
    const [number, own] = namedChildren(given);
    return number && own && textOf(tree, number) === String(nth + 1) ? [own] : [];
  });
  return others.length === 0 ? value : undefined;
}

/** The setter for a value by its type, as far as the method tells it. */
function setterOf({ text }: CodeTree, method: SyntaxNode, value: string): string | undefined {
  if (/^-?\d+$/u.test(value)) return "setInt";
  if (!/^\w+$/u.test(value)) return undefined;
  const declared = new RegExp(`\\b(\\w+)\\s+${value}\\s*[,;)=]`, "u");
  return SETTERS.get(declared.exec(text.slice(method.start, method.end))?.[1] ?? "");
}

const SETTERS: ReadonlyMap<string, string> = new Map([
  ["int", "setInt"],
  ["Integer", "setInt"],
  ["long", "setLong"],
  ["Long", "setLong"],
  ["double", "setDouble"],
  ["BigDecimal", "setBigDecimal"],
  ["String", "setString"],
]);
