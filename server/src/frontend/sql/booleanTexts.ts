// Texts beside a Boolean column (`active = 'true'`, `on_call IN ('t')`): PostgreSQL reads such a literal as the column's type.
import type { Dialect } from "../../program/dialect";
import type { Expression, ValueType } from "../../program/expression";
import { operandsOf } from "../../program/operands";
import type { Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { ofNode, ofNodes } from "../../query/nodes";
import { mapSharing } from "./dialectDetection/sharedParts";
import { walkCommand, type Scope } from "./walk";

/** The transactions with Booleans for texts that are compared with Boolean columns. Linear in their text. */
export function withBooleanTexts(
  transactions: readonly Transaction[],
  tables: readonly Table[],
  dialect: Dialect,
): readonly Transaction[] {
  if (dialect !== "postgres") return transactions;
  if (!tables.some(({ columns }) => columns.some(({ type }) => type === "bool")))
    return transactions;
  return transactions.map((each) => withOwn(tables, each));
}

const withOwn = ofNodes((declared: readonly Table[], transaction: Transaction): Transaction => {
  const tables = byName(declared);
  const meant = new Map<object, Expression>();
  const typeOf = (side: Expression, scope: Scope): ValueType | undefined => {
    if (side.kind !== "column") return undefined;
    const relation = scope.find(({ alias }) => alias === side.relation);
    const table = relation?.kind === "base" ? tables.get(relation.table) : undefined;
    return table?.columns.find(({ name }) => name === side.column)?.type;
  };
  walkCommand(transaction.body, {
    expression: (expression, scope) => {
      const { kind } = expression;
      if (kind !== "comparison" && kind !== "in" && kind !== "sameValue") return;
      const sides = operandsOf(expression);
      if (!sides.some((side) => typeOf(side, scope) === "bool")) return;
      for (const side of sides) {
        const value = booleanOf(side);
        if (value !== undefined) meant.set(side, { kind: "literal", value, type: "bool" });
      }
    },
  });
  if (meant.size === 0) return transaction;
  return { ...transaction, body: mapSharing(transaction.body, (part) => meant.get(part) ?? part) };
});

const byName = ofNode(
  (tables: readonly Table[]) => new Map(tables.map((each) => [each.name, each] as const)),
);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...["t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["f", "fa", "fal", "fals", "false", "n", "no", "off", "0"].map(
    (word) => [word, false] as const,
  ),
]);

function booleanOf(side: Expression): boolean | undefined {
  if (side.kind !== "literal" || typeof side.value !== "string") return undefined;
  return BOOLEANS.get(side.value.trim().toLowerCase());
}
