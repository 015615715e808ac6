// Comparisons that code makes between a read and a write, as conditions on the row: those that leave the function, and those around the
// write.
import {
  childOf,
  namedChildren,
  type CodeTree,
  type SyntaxNode,
} from "../../../frontend/code/workspace/codeParsers";
import type { Column } from "../../../program/schema";
import {
  changeOf,
  functionAround,
  isColumnValue,
  mentions,
  operatorOf,
  textOf,
  withoutWrappers,
  type CodeColumn,
} from "./columnValue";
import { statementAround } from "./addStatement";
import { indentAt } from "./indentation";
import { nodesIn } from "./syntax";

export type Comparison = ">" | ">=" | "<" | "<=" | "=" | "<>";

/** A condition on the column for the write: `column >= amount`, `column is null`. */
export interface CodeGuard {
  readonly comparison: Comparison | "is" | "is not";
  /** An expression of the host language; `null` for `is` and `is not`. */
  readonly value: string;
  /** The statement that runs if it is false, with its semicolon, or a block that begins at the left; absent if the write is merely skipped. */
  readonly exit?: string;
}

/** The guards in text order; a sentence if a condition on the column has another form. */
export function codeGuardsBetween(
  column: CodeColumn & { readonly declared?: Column },
  start: number,
  write: { readonly start: number; readonly end: number },
): readonly CodeGuard[] | string {
  const guards: CodeGuard[] = [];
  for (const node of ifsIn(column.owner)) {
    const [condition, then] = [childOf(node, "condition"), childOf(node, "consequence")];
    if (!condition || !then || node.start < start || node.start > write.start) continue;
    if (!mentions(column, condition)) continue;
    const isAround = then.start <= write.start && write.end <= then.end;
    const leaving = isAround ? undefined : exitOf(column, then);
    if (!isAround && (leaving === undefined || childOf(node, "alternative")))
      return "a condition on what was read leads elsewhere than out of the function";
    const exit = leaving && isUsableAt(column.tree, then, write) ? leaving : undefined;
    for (const part of partsOf(column, condition, isAround ? "&&" : "||")) {
      if (!mentions(column, part)) continue;
      const found = guardOf(column, part, !isAround);
      if (!found) return `the condition \`${textOf(column.tree, part)}\` has no words in an UPDATE`;
      guards.push({ ...found, ...(exit !== undefined && { exit }) });
    }
  }
  return guards;
}

/** The column is, or is not, true for JavaScript; undefined for types with more than one value that is not. */
function truthGuard({ type, nullable }: Column, isTrue: boolean): CodeGuard | undefined {
  if (type === "bool" && (isTrue || !nullable)) return { comparison: "=", value: String(isTrue) };
  return type === "time" || type === "json" || type === "bytes" ? nullGuard(!isTrue) : undefined;
}

function nullGuard(isNull: boolean): CodeGuard {
  return { comparison: isNull ? "is" : "is not", value: "null" };
}

function ifsIn(owner: SyntaxNode): readonly SyntaxNode[] {
  return nodesIn(owner).filter(({ type }) => type === "if_statement");
}

/**
 * The code that runs where a read found no row, such as `throw new Error("unknown")` of `if (!row)` behind it; undefined if there is none
 * that can stand at the write as well.
 */
export function exitWithoutRow(
  tree: CodeTree,
  owner: SyntaxNode,
  read: { readonly start: number; readonly end: number },
  write: { readonly start: number; readonly end: number },
): string | undefined {
  const statement = statementAround(tree, read);
  const declared = statement ? textOf(tree, statement) : "";
  for (const node of ifsIn(owner)) {
    const [condition, then] = [childOf(node, "condition"), childOf(node, "consequence")];
    if (!condition || !then || node.start < read.end || then.end > write.start) continue;
    const [, name = ""] = ABSENT.exec(textOf(tree, condition)) ?? [];
    if (name === "" || !new RegExp(`\\b${name}\\b`, "u").test(declared)) continue;
    if (!isUsableAt(tree, then, write)) return undefined;
    return exitOf({ tree }, then);
  }
  return undefined;
}

/** `(!row)`, `(rows.length === 0)`, `(row == null)`. */
const ABSENT =
  /^\(\s*(?:!\s*)?(\w+)(?:\.length\s*={2,3}\s*0|\s*={2,3}\s*(?:null|undefined))?\s*\)$/u;

/** True if a branch that leaves does the same at another place: a `return` leaves only its own function. */
function isUsableAt(
  tree: CodeTree,
  branch: SyntaxNode,
  write: { readonly start: number; readonly end: number },
): boolean {
  const isReturn = /\breturn\b/u.test(textOf(tree, branch));
  return !isReturn || functionAround(tree, branch) === functionAround(tree, write);
}

/** A branch that leaves the function: its only statement, or the block with all of them. */
function exitOf({ tree }: Pick<CodeColumn, "tree">, then: SyntaxNode): string | undefined {
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

function guardOf(
  column: CodeColumn & { readonly declared?: Column },
  node: SyntaxNode,
  isExit: boolean,
): CodeGuard | undefined {
  const { tree } = column;
  const isNegated = node.type === "unary_expression" && operatorOf(tree, node) === "!";
  const [operand = node] = isNegated ? namedChildren(node) : [];
  if (column.declared && isColumnValue(column, operand))
    return truthGuard(column.declared, isExit === isNegated);
  const comparison = COMPARISONS.get(operatorOf(tree, node));
  const [left, right] = [childOf(node, "left"), childOf(node, "right")];
  if (node.type !== "binary_expression" || !comparison || !left || !right) return undefined;
  const isNullTest = /^(?:null|undefined)$/u.test(textOf(tree, right));
  if (column.declared && isNullTest && isColumnValue(column, left))
    return nullGuard((comparison === "=") !== isExit);
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
