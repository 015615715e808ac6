// Terms of the flat form as symbolic SQL values; what the leaves stand for is the caller's business.
import type { ValueType } from "../../program/expression";
import type { Term } from "../operations/operation";
import type { Smt } from "./smt";
import {
  sqlAnd,
  sqlArithmetic,
  sqlBool,
  sqlCompare,
  sqlIf,
  sqlInt,
  sqlIsNull,
  sqlLiteral,
  sqlNegate,
  sqlNot,
  sqlOr,
} from "./sqlValue";
import type { SqlValue } from "./sqlValue";

/** What the leaves of a term stand for. */
export interface TermScope {
  parameter(name: string): SqlValue;
  output(operation: number, name: string): SqlValue;
  found(operation: number): Smt;
  count(operation: number): Smt;
  /** A column of the row at hand. */
  column(column: string): SqlValue;
  unknown(id: string, type: ValueType): SqlValue;
}

/** The value of a term under SQL's three-valued logic. */
export function termValue(term: Term, scope: TermScope): SqlValue {
  const of = (operand: Term): SqlValue => termValue(operand, scope);
  switch (term.kind) {
    case "int":
    case "bool":
      return sqlLiteral(term.value);
    case "null":
      return sqlLiteral(null);
    case "parameter":
      return scope.parameter(term.name);
    case "output":
      return scope.output(term.operation, term.name);
    case "found":
      return sqlBool(scope.found(term.operation));
    case "count":
      return sqlInt(scope.count(term.operation));
    case "column":
      return scope.column(term.column);
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
      return sqlArithmetic(term.kind, of(term.left), of(term.right));
    case "negate":
      return sqlNegate(of(term.operand));
    case "compare":
      return sqlCompare(term.operator, of(term.left), of(term.right));
    case "and":
      return sqlAnd(term.operands.map(of));
    case "or":
      return sqlOr(term.operands.map(of));
    case "not":
      return sqlNot(of(term.operand));
    case "isNull":
      return sqlIsNull(of(term.operand));
    case "conditional":
      return sqlIf(of(term.condition), of(term.then), of(term.otherwise));
    case "unknown":
      return scope.unknown(term.id, term.type);
    default: {
      const never: never = term;
      return never;
    }
  }
}

/** The columns of the row at hand that a term mentions. */
export function columnsOf(term: Term): ReadonlySet<string> {
  const found = new Set<string>();
  visit(term, (each) => {
    if (each.kind === "column") found.add(each.column);
  });
  return found;
}

/** Whether a term depends on what the transaction read. */
export function dependsOnReads(term: Term): boolean {
  let depends = false;
  visit(term, (each) => {
    if (each.kind === "output" || each.kind === "found" || each.kind === "count") depends = true;
  });
  return depends;
}

function visit(term: Term, see: (term: Term) => void): void {
  see(term);
  switch (term.kind) {
    case "add":
    case "subtract":
    case "multiply":
    case "divide":
    case "modulo":
    case "compare":
      visit(term.left, see);
      visit(term.right, see);
      return;
    case "negate":
    case "not":
    case "isNull":
      visit(term.operand, see);
      return;
    case "and":
    case "or":
      for (const operand of term.operands) visit(operand, see);
      return;
    case "conditional":
      visit(term.condition, see);
      visit(term.then, see);
      visit(term.otherwise, see);
      return;
    case "int":
    case "bool":
    case "null":
    case "parameter":
    case "output":
    case "found":
    case "count":
    case "column":
    case "unknown":
      return;
    default: {
      const never: never = term;
      return never;
    }
  }
}
