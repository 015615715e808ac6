// Comparisons that code makes between a read and a write, as conditions on the row: those that leave the function, and those around the
// write.
import {
  childOf,
  namedChildren,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import {
  changeOf,
  isColumnValue,
  mentions,
  operatorOf,
  textOf,
  withoutWrappers,
  type CodeColumn,
} from "./columnValue";
import { indentAt } from "./indentation";
import { nodesIn } from "./syntax";

export type Comparison = ">" | ">=" | "<" | "<=" | "=" | "<>";

/** A condition on the column for the write: `column >= amount`. */
export interface CodeGuard {
  readonly comparison: Comparison;
  /** An expression of the host language. */
  readonly value: string;
  /** The statement that runs if it is false, with its semicolon, or a block that begins at the left; absent if the write is merely skipped. */
  readonly exit?: string;
}

/** The guards in text order; a sentence if a condition on the column has another form. */
export function codeGuardsBetween(
  column: CodeColumn,
  start: number,
  write: { readonly start: number; readonly end: number },
): readonly CodeGuard[] | string {
  const guards: CodeGuard[] = [];
  for (const node of ifsIn(column.owner)) {
    const [condition, then] = [childOf(node, "condition"), childOf(node, "consequence")];
    if (!condition || !then || node.start < start || node.start > write.start) continue;
    if (!mentions(column, condition)) continue;
    const isAround = then.start <= write.start && write.end <= then.end;
    const exit = isAround ? undefined : exitOf(column, then);
    if (!isAround && (exit === undefined || childOf(node, "alternative")))
      return "a condition on what was read leads elsewhere than out of the function";
    for (const part of partsOf(column, condition, isAround ? "&&" : "||")) {
      if (!mentions(column, part)) continue;
      const found = guardOf(column, part, !isAround);
      if (!found) return `the condition \`${textOf(column.tree, part)}\` has no words in an UPDATE`;
      guards.push({ ...found, ...(exit !== undefined && { exit }) });
    }
  }
  return guards;
}

function ifsIn(owner: SyntaxNode): readonly SyntaxNode[] {
  return nodesIn(owner).filter(({ type }) => type === "if_statement");
}

/** A branch that leaves the function: its only statement, or the block with all of them. */
function exitOf({ tree }: CodeColumn, then: SyntaxNode): string | undefined {
  const isBlock = then.type === "statement_block" || then.type === "block";
  const statements = isBlock ? namedChildren(then) : [then];
  const last = statements.at(-1);
  if (last?.type !== "throw_statement" && last?.type !== "return_statement") return undefined;
  if (statements.length === 1) return textOf(tree, last);
  return textOf(tree, then).replaceAll(`\n${indentAt(tree.text, then.end - 1)}`, "\n");
}

/** The operands of a logical operator. */
function partsOf(column: CodeColumn, node: SyntaxNode, join: string): readonly SyntaxNode[] {
  const inner = withoutWrappers(column.tree, node);
  const [left, right] = [childOf(inner, "left"), childOf(inner, "right")];
  const isJoin =
    inner.type === "binary_expression" && operatorOf(column.tree, inner) === join && left && right;
  return isJoin ? [...partsOf(column, left, join), ...partsOf(column, right, join)] : [inner];
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
  ["==", "="],
  ["===", "="],
  ["!=", "<>"],
  ["!==", "<>"],
]);

const TURNED: Readonly<Record<Comparison, Comparison>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "=": "=",
  "<>": "<>",
};

const OPPOSITE: Readonly<Record<Comparison, Comparison>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  "=": "<>",
  "<>": "=",
};

function guardOf(column: CodeColumn, node: SyntaxNode, isExit: boolean): CodeGuard | undefined {
  const { tree } = column;
  const comparison = COMPARISONS.get(operatorOf(tree, node));
  const [left, right] = [childOf(node, "left"), childOf(node, "right")];
  if (node.type !== "binary_expression" || !comparison || !left || !right) return undefined;
  const told = (each: Comparison): Comparison => (isExit ? OPPOSITE[each] : each);
  if (!mentions(column, right)) {
    const value = textOf(tree, right);
    if (isColumnValue(column, left)) return { comparison: told(comparison), value };
    // `row.column - amount < 0`
    const change = changeOf(column, left);
    if (change?.operator === "-" && value === "0")
      return { comparison: told(comparison), value: textOf(tree, change.by) };
    return undefined;
  }
  const isTurned = isColumnValue(column, right) && !mentions(column, left);
  return isTurned ? { comparison: told(TURNED[comparison]), value: textOf(tree, left) } : undefined;
}
