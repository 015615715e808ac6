// An UPDATE sent by Java that fails if the row differs from what was read into local variables.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { tokensOf } from "../../../frontend/sql/text/tokens";
import type { TextEdit } from "../candidate";
import type { Site } from "../workshop";
import { statementAround } from "./addStatement";
import { plainKey } from "./columnValue";
import { connectionOf } from "./connection";
import { indentAt } from "./indentation";
import { NO_PLACE, NO_VARIABLES } from "./reasons";
import type { CheckedPair } from "./routineCheck";
import { literalAround, nodesIn, pathTo } from "./syntax";

/** The edits, or the reason why there are none: for a JDBC prepared statement, or for a template's `update`. */
export function checkedInJava(
  tree: CodeTree,
  { read, update, columns, message }: CheckedPair,
): readonly TextEdit[] | string {
  const method = methodAround(tree, read, update);
  if (!method) return OTHER_METHODS;
  const conditions = columns.flatMap((column): readonly JavaCondition[] => {
    const found = variableOf(tree, method, read, column);
    return found ? [{ column, comparison: "=", value: found.name, setter: found.setter }] : [];
  });
  if (conditions.length === 0) return NO_VARIABLES;
  const said = JSON.stringify(message);
  return updateOnlyIf(tree, method, update, conditions, (isTemplate) =>
    isTemplate
      ? `throw new IllegalStateException(${said});`
      : `throw new java.sql.SQLException(${said}, "40001");`,
  );
}

/** The method that contains both; undefined if they stand in different ones. */
export function methodAround({ root }: CodeTree, read: Span, update: Span): SyntaxNode | undefined {
  const method = pathTo(root, read.start, read.end).findLast(
    ({ type }) => type === "method_declaration",
  );
  return method && update.end <= method.end ? method : undefined;
}

export const OTHER_METHODS = "the read and the UPDATE stand in different methods";

type Span = Pick<SyntaxNode, "start" | "end">;

/** A condition of an UPDATE, with a value of Java and how a prepared statement is given it. */
export interface JavaCondition {
  readonly column: string;
  readonly comparison: string;
  readonly value: string;
  readonly setter: string;
}

/** The edits that add conditions to an UPDATE, and what happens where no row meets them, or why there are none. */
export function updateOnlyIf(
  tree: CodeTree,
  method: SyntaxNode,
  update: Site,
  conditions: readonly JavaCondition[],
  exitOf: (isTemplate: boolean) => string,
): readonly TextEdit[] | string {
  const { root, text } = tree;
  const literal = literalAround(root, update.start, update.end);
  const connection = connectionOf(tree, update);
  if (!literal || !connection) return NO_CALL;
  const tokens = tokensOf(text, update.start, update.end);
  const where = tokens.findIndex(({ word }) => word === "where");
  if (where < 0 || tokens.slice(where).some(({ word }) => word === "or")) return NO_PLACE;
  const edit = (at: number, newText: string, end = at): TextEdit => ({
    file: update.file,
    start: at,
    end,
    newText,
  });
  const added = edit(
    update.end,
    conditions.map(({ column, comparison }) => ` AND ${column} ${comparison} ?`).join(""),
  );
  if (connection.library === "template") {
    const call = statementAround(tree, update);
    const given = argumentsAround(root, literal);
    if (call?.type !== "expression_statement" || !given) return "what the UPDATE gives is used";
    const sent = text.slice(call.start, call.end).replace(/;$/u, "");
    if (!sent.startsWith(`${connection.receiver}.`)) return "what the UPDATE gives is used";
    const values = conditions.map(({ value }) => `, ${value}`).join("");
    return [
      added,
      edit(call.start, "if ("),
      edit(given.end - 1, values),
      edit(
        call.end - 1,
        ` == 0) ${exitOf(true).replaceAll("\n", `\n${indentAt(text, call.start)}`)}`,
        call.end,
      ),
    ];
  }
  const statement = preparedName(tree, literal);
  const executing =
    statement === undefined ? undefined : executionOf(tree, method, statement, literal.end);
  if (statement === undefined || !executing)
    return "its statement is not executed by a call of its own";
  const marks = tokens.filter(({ word }) => word === "?").length;
  const indent = indentAt(text, executing.start);
  const setters = conditions.map(
    ({ value, setter }, at) =>
      `${statement}.${setter}(${String(marks + at + 1)}, ${value});\n${indent}`,
  );
  return [
    added,
    edit(
      executing.start,
      `${setters.join("")}if (${statement}.executeUpdate() == 0) ${exitOf(false).replaceAll("\n", `\n${indent}`)}`,
      executing.end,
    ),
  ];
}

export const NO_CALL = "the UPDATE is no text that a call sends";

/** The variable of the statement that a text is prepared for. */
export function preparedName({ root, text }: CodeTree, literal: SyntaxNode): string | undefined {
  const declared = pathTo(root, literal.start, literal.end).findLast(
    ({ type }) => type === "variable_declarator" || type === "resource",
  );
  const name = declared && childOf(declared, "name");
  return name && text.slice(name.start, name.end);
}

/** The statement that only executes a prepared statement. */
function executionOf(
  tree: CodeTree,
  method: SyntaxNode,
  name: string,
  from: number,
): SyntaxNode | undefined {
  return nodesIn(method).find(
    (node) =>
      node.type === "expression_statement" &&
      node.start > from &&
      tree.text.slice(node.start, node.end).replaceAll(/\s/gu, "") === `${name}.executeUpdate();`,
  );
}

function argumentsAround(root: SyntaxNode, literal: SyntaxNode): SyntaxNode | undefined {
  const call = pathTo(root, literal.start, literal.end).findLast(
    ({ type }) => type === "method_invocation",
  );
  return call && childOf(call, "arguments");
}

export interface JavaVariable {
  readonly name: string;
  /** The setter method of a prepared statement. */
  readonly setter: string;
}

/** The local variable whose only value is the column: `stock = result.getInt("stock")`. */
export function variableOf(
  { text }: CodeTree,
  method: SyntaxNode,
  { start, statement }: CheckedPair["read"],
  column: string,
): JavaVariable | undefined {
  const at = statement.query.outputs.findIndex(
    ({ value }) => value.kind === "column" && value.column === column,
  );
  const output = statement.query.outputs[at];
  const assigned = nodesIn(method).flatMap((node) => {
    const isDeclared = node.type === "variable_declarator";
    if (!isDeclared && node.type !== "assignment_expression") return [];
    const target = childOf(node, isDeclared ? "name" : "left");
    const value = childOf(node, isDeclared ? "value" : "right");
    return target && value ? [{ name: text.slice(target.start, target.end), value }] : [];
  });
  const found = assigned.find(({ value }) => {
    // `int stock = jdbc.queryForObject("SELECT stock ...", Integer.class, id)`
    if (value.start < start && value.end > start) return statement.query.outputs.length === 1;
    if (value.start < start || value.type !== "method_invocation") return false;
    const [given, ...others] = namedChildren(childOf(value, "arguments") ?? value);
    const name = childOf(value, "name");
    if (!given || others.length > 0 || !name || !/^get[A-Z]/u.test(text.slice(name.start, name.end))) return false; // prettier-ignore
    const written = text.slice(given.start, given.end);
    return (
      written === String(at + 1) ||
      plainKey(written) === plainKey(column) ||
      plainKey(written) === plainKey(output?.name ?? column)
    );
  });
  if (!found || assigned.filter(({ name }) => name === found.name).length > 1) return undefined;
  const isCounted = nodesIn(method).some(
    (node) =>
      node.type === "update_expression" &&
      text.slice(node.start, node.end).replaceAll(/[-+\s]/gu, "") === found.name,
  );
  if (isCounted) return undefined;
  const getter = childOf(found.value, "name");
  const word = getter ? text.slice(getter.start + "get".length, getter.end) : "Object";
  return { name: found.name, setter: `set${word}` };
}
