// Byte literals (`0x10`, `x'10'`, `b'101'`) of MySQL and MariaDB: numbers in arithmetic and numeric comparisons, texts elsewhere.
import type { Dialect } from "../../program/dialect";
import type { Expression, ValueType } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Taint } from "../../program/precision";
import type { Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { ofNode, ofNodes } from "../../query/nodes";
import { bytesOfText } from "./text/bytes";
import { mapSharing } from "./dialectDetection/sharedParts";
import { walkCommand, type Scope } from "./walk";

/** The transactions with byte literals converted by context. Linear in their text. */
export function withByteLiterals(
  transactions: readonly Transaction[],
  tables: readonly Table[],
  dialect: Dialect,
): readonly Transaction[] {
  if (dialect !== "mysql" && dialect !== "mariadb") return transactions;
  return transactions.map((each) => withOwn(tables, each));
}

const withOwn = ofNodes((declared: readonly Table[], transaction: Transaction): Transaction => {
  const tables = byName(declared);
  const meant = new Map<object, Expression>();
  const open: Taint[] = [];
  const isOf = (side: Expression, scope: Scope): ValueType | undefined => {
    if (side.kind === "literal") return side.type;
    if (side.kind === "arithmetic") return side.operator === "||" ? "text" : "decimal";
    if (side.kind === "negate" || side.kind === "size") return "decimal";
    if (side.kind !== "column") return undefined;
    const relation = scope.find(({ alias }) => alias === side.relation);
    const table = relation?.kind === "base" ? tables.get(relation.table) : undefined;
    return table?.columns.find(({ name }) => name === side.column)?.type;
  };
  const beside = (sides: readonly Expression[], scope: Scope): void => {
    const own = sides.filter(isBytes);
    const types = sides.filter((side) => !isBytes(side)).map((side) => isOf(side, scope));
    if (own.length === 0 || types.length === 0) return;
    for (const each of own) {
      if (types.some(isNumber)) meant.set(each, numberOf(each));
      else if (types.includes(undefined)) open.push(lossOf(transaction));
    }
  };
  walkCommand(transaction.body, {
    expression: (expression, scope) => {
      const { kind } = expression;
      if (isBytes(expression) && !meant.has(expression)) meant.set(expression, textOf(expression));
      if (kind === "comparison" || kind === "in" || kind === "sameValue")
        beside(operandsOf(expression), scope);
      const isCalculated = kind === "arithmetic" && expression.operator !== "||";
      if (isCalculated || kind === "negate")
        for (const each of operandsOf(expression).filter(isBytes)) meant.set(each, numberOf(each));
    },
    assignment: (table, column, value) => {
      const type = tables.get(table)?.columns.find(({ name }) => name === column)?.type;
      if (isBytes(value)) meant.set(value, asColumnValue(value, type));
    },
  });
  if (meant.size === 0) return transaction;
  const body = mapSharing(transaction.body, (part) => meant.get(part) ?? part);
  return { ...transaction, body, taint: [...transaction.taint, ...open.slice(0, 1)] };
});

const byName = ofNode(
  (tables: readonly Table[]) => new Map(tables.map((each) => [each.name, each] as const)),
);

/** The value that a column of a type stores for such a literal; other values are unchanged. */
export function asColumnValue(value: Expression, type: ValueType | undefined): Expression {
  if (!isBytes(value)) return value;
  return isNumber(type) ? numberOf(value) : textOf(value);
}

type Bytes = Extract<Expression, { kind: "literal" }> & { readonly value: string };

function isBytes(expression: Expression): expression is Bytes {
  return expression.kind === "literal" && expression.type === "bytes";
}

function isNumber(type: ValueType | undefined): boolean {
  return type === "int" || type === "decimal" || type === "bool";
}

/** The bytes as a big-endian number; above 2^53 it is not exact. */
function numberOf({ value }: Bytes): Expression {
  let number = 0;
  for (const byte of bytesOfText(value)) number = number * 256 + byte;
  if (Number.isSafeInteger(number)) return { kind: "literal", value: number, type: "int" };
  return { kind: "unknown", id: value, type: "decimal", dependsOn: [], why: "a large number" };
}

function textOf({ value }: Bytes): Expression {
  return { kind: "literal", value, type: "text" };
}

function lossOf({ header }: Transaction): Taint {
  const reason = "a literal of bytes may be a number or a text beside what it is compared with";
  return { effect: "over", reason, source: header };
}
