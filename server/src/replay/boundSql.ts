// The machine's current statement as SQL, with the current values of its variables, arguments and results.
import type { Expression } from "../program/expression";
import type { Statement } from "../program/statement";
import { bareFrame } from "../store/bareFrame";
import { evaluate } from "../store/evaluateExpression";
import { NotExecutable, SqlFailure } from "../store/failure";
import { environmentOf, type Machine } from "../store/machine";
import { toValue } from "../store/value";
import { literal } from "./literal";
import { statementSql, type SqlWriter, type WrittenSql } from "./sqlText";

/** The text, or the reason why there is none. The machine does not advance. */
export function boundSql(
  machine: Machine,
  statement: Statement,
  product: SqlWriter["product"],
): WrittenSql {
  const { schema } = machine.program;
  const drawn = { ...machine.drawn };
  const frame = bareFrame(schema, environmentOf(machine, drawn));
  const value = (expression: Expression): string | undefined => {
    // The server generates times and identifiers itself, in the column's format.
    if (expression.kind === "fresh" && expression.type !== "int") return undefined;
    try {
      const found = evaluate(expression, frame);
      const isTerm = typeof found === "object" && found !== null && found.kind === "opaque";
      return isTerm ? undefined : literal(toValue(found));
    } catch (problem) {
      // A statement that the store cannot evaluate, or refuses, is left to the server.
      if (problem instanceof NotExecutable || problem instanceof SqlFailure) return undefined;
      throw problem;
    }
  };
  return statementSql(statement, { product, schema, value });
}
