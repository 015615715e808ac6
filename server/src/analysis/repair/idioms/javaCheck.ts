// An UPDATE sent by Java that fails if the row differs from what was read into local variables.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import { tokensOf } from "../../../frontend/sql/text/tokens";
import type { TextEdit } from "../candidate";
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
  const { root, text } = tree;
  const literal = literalAround(root, update.start, update.end);
  const connection = connectionOf(tree, update);
  if (!literal || !connection) return "the UPDATE is no text that a call sends";
  const method = pathTo(root, read.start, read.end).findLast(
    ({ type }) => type === "method_declaration",
  );
  if (!method || update.end > method.end)
    return "the read and the UPDATE stand in different methods";
  const held = columns.flatMap((column) => {
    const found = variableOf(tree, method, read, column);
    return found ? [{ column, ...found }] : [];
  });
  if (held.length === 0) return NO_VARIABLES;
  const tokens = tokensOf(text, update.start, update.end);
  const where = tokens.findIndex(({ word }) => word === "where");
  if (where < 0 || tokens.slice(where).some(({ word }) => word === "or")) return NO_PLACE;
  const marks = tokens.filter(({ word }) => word === "?").length;
  const edit = (at: number, newText: string, end = at): TextEdit => ({
    file: update.file,
    start: at,
    end,
    newText,
  });
  const conditions = held.map(({ column }) => ` AND ${column} = ?`).join("");
  const added = edit(update.end, conditions);
  if (connection.library === "template") {
    const call = statementAround(tree, update);
    const given = argumentsAround(root, literal);
    if (call?.type !== "expression_statement" || !given) return "what the UPDATE gives is used";
    const sent = text.slice(call.start, call.end).replace(/;$/u, "");
    if (!sent.startsWith(`${connection.receiver}.`)) return "what the UPDATE gives is used";
    const values = held.map(({ name }) => `, ${name}`).join("");
    const thrown = `throw new IllegalStateException(${JSON.stringify(message)});`;
    return [
      added,
      edit(call.start, "if ("),
      edit(given.end - 1, values),
      edit(call.end - 1, ` == 0) ${thrown}`, call.end),
    ];
  }
  const declared = pathTo(root, literal.start, literal.end).findLast(
    ({ type }) => type === "variable_declarator" || type === "resource",
  );
  const name = declared && childOf(declared, "name");
  const executing =
    name && executionOf(tree, method, text.slice(name.start, name.end), literal.end);
  if (!name || !executing) return "its statement is not executed by a call of its own";
  const statement = text.slice(name.start, name.end);
  const indent = indentAt(text, executing.start);
  const setters = held.map(
    ({ name: value, setter }, at) =>
      `${statement}.${setter}(${String(marks + at + 1)}, ${value});\n${indent}`,
  );
  const thrown = `throw new java.sql.SQLException(${JSON.stringify(message)}, "40001");`;
  return [
    added,
    edit(
      executing.start,
      `${setters.join("")}if (${statement}.executeUpdate() == 0) ${thrown}`,
      executing.end,
    ),
  ];
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

interface JavaVariable {
  readonly name: string;
  /** The setter method of a prepared statement. */
  readonly setter: string;
}

/** The local variable whose only value is the column: `stock = result.getInt("stock")`. */
function variableOf(
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
