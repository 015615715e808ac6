// PostgreSQL's expressions in the AR. What is not understood becomes `unknown` with a reason and a loss.
import type { BooleanTest, CaseExpr, ColumnRef, MinMaxExpr, Node } from "libpg-query";
import { TODAY } from "../currentDate";
import type { Expression } from "../../../program/expression";
import { literal } from "../expressions";
import { connective, negatedIf } from "../terms";
import { constantOf, kindOf, stringOf, stringsOf } from "./ast";
import { lowerCall } from "./call";
import { lowerCast } from "./cast";
import { lowerOperator } from "./operator";
import { ofSession } from "./outside";
import { lowerAll, lowerExpression } from "./recursion";
import { lose, loseOutside, resolveColumn, resolveRow, type Scope, type Work } from "./scope";
import { lowerSubLink } from "./subLink";

/** An expression of the tree, called by `lowerExpression` of recursion.ts. */
export function expressionOf(node: Node, scope: Scope, work: Work): Expression {
  if ("A_Const" in node) return literal(constantOf(node.A_Const));
  if ("ColumnRef" in node) return columnRef(node.ColumnRef, scope, work);
  if ("A_Expr" in node) return lowerOperator(node.A_Expr, scope, work);
  if ("BoolExpr" in node) return junction(node, scope, work);
  if ("FuncCall" in node) return lowerCall(node.FuncCall, scope, work);
  if ("SubLink" in node) return lowerSubLink(node.SubLink, scope, work);
  if ("TypeCast" in node) return lowerCast(node.TypeCast, scope, work);
  if ("ParamRef" in node) {
    const number = node.ParamRef.number ?? 0;
    return work.context.placeholder(number) ?? lose(work, `the parameter $${number}`);
  }
  if ("NullTest" in node) {
    const operand = lowerExpression(node.NullTest.arg, scope, work);
    return nullTest(operand, node.NullTest.nulltesttype === "IS_NOT_NULL");
  }
  if ("BooleanTest" in node) return booleanTest(node.BooleanTest, scope, work);
  if ("CaseExpr" in node) return caseOf(node.CaseExpr, scope, work);
  if ("CoalesceExpr" in node) {
    return { kind: "coalesce", operands: lowerAll(node.CoalesceExpr.args, scope, work) };
  }
  if ("MinMaxExpr" in node) return minMax(node.MinMaxExpr, scope, work);
  if ("SQLValueFunction" in node) return valueFunction(node.SQLValueFunction.op ?? "", work);
  // The value is unchanged; only the order of texts differs, which is unknown anyway.
  if ("CollateClause" in node) return lowerExpression(node.CollateClause.arg, scope, work);
  if ("A_Indirection" in node) return indirection(node, scope, work);
  if ("NamedArgExpr" in node) return lowerExpression(node.NamedArgExpr.arg, scope, work);
  if ("RowExpr" in node) return applied("row", lowerAll(node.RowExpr.args, scope, work));
  if ("A_ArrayExpr" in node)
    return applied("array", lowerAll(node.A_ArrayExpr.elements, scope, work));
  if ("SetToDefault" in node) return lose(work, "DEFAULT outside of a list of values");
  return loseOutside(work, `the construct ${kindOf(node)}`);
}

/** An uninterpreted function of values. */
function applied(name: string, args: readonly Expression[]): Expression {
  return { kind: "call", name, arguments: args, deterministic: true };
}

/** A record is NULL if all of its fields are, and NOT NULL if none of them is. */
function nullTest(operand: Expression, negated: boolean): Expression {
  const fields = operand.kind === "call" && operand.name === "row" ? operand.arguments : [operand];
  const tests = fields.map((field) => negatedIf(negated, { kind: "isNull", operand: field }));
  return connective("and", tests);
}

function columnRef(reference: ColumnRef, scope: Scope, work: Work): Expression {
  const fields = reference.fields ?? [];
  const path = stringsOf(fields);
  if (fields.some((field) => "A_Star" in field)) return resolveRow(path.at(-1) ?? "", scope, work);
  return resolveColumn(path, scope, work);
}

function junction(
  node: Extract<Node, { readonly BoolExpr: unknown }>,
  scope: Scope,
  work: Work,
): Expression {
  const operands = lowerAll(node.BoolExpr.args, scope, work);
  const [first] = operands;
  switch (node.BoolExpr.boolop) {
    case "AND_EXPR":
      return connective("and", operands);
    case "OR_EXPR":
      return connective("or", operands);
    case "NOT_EXPR":
      return first === undefined ? lose(work, "NOT of nothing") : { kind: "not", operand: first };
    default:
      return lose(work, "a Boolean expression", operands);
  }
}

function booleanTest(test: BooleanTest, scope: Scope, work: Work): Expression {
  const operand = lowerExpression(test.arg, scope, work);
  const is = (value: boolean): Expression => {
    return { kind: "sameValue", left: operand, right: literal(value) };
  };
  switch (test.booltesttype) {
    case "IS_TRUE":
      return is(true);
    case "IS_NOT_TRUE":
      return { kind: "not", operand: is(true) };
    case "IS_FALSE":
      return is(false);
    case "IS_NOT_FALSE":
      return { kind: "not", operand: is(false) };
    case "IS_UNKNOWN":
      return { kind: "isNull", operand };
    case "IS_NOT_UNKNOWN":
      return { kind: "not", operand: { kind: "isNull", operand } };
    default:
      return lose(work, "a Boolean test", [operand], "bool");
  }
}

function caseOf(expression: CaseExpr, scope: Scope, work: Work): Expression {
  const subject =
    expression.arg === undefined ? undefined : lowerExpression(expression.arg, scope, work);
  let result: Expression =
    expression.defresult === undefined
      ? literal(null)
      : lowerExpression(expression.defresult, scope, work);
  for (const arm of (expression.args ?? []).toReversed()) {
    if (!("CaseWhen" in arm)) continue;
    const tested = lowerExpression(arm.CaseWhen.expr, scope, work);
    const condition: Expression =
      subject === undefined
        ? tested
        : { kind: "comparison", operator: "=", left: subject, right: tested };
    const then = lowerExpression(arm.CaseWhen.result, scope, work);
    result = { kind: "conditional", condition, then, otherwise: result };
  }
  return result;
}

function minMax(expression: MinMaxExpr, scope: Scope, work: Work): Expression {
  const name = expression.op === "IS_LEAST" ? "least" : "greatest";
  const args = lowerAll(expression.args, scope, work);
  return { kind: "call", name, arguments: args, deterministic: true };
}

function valueFunction(operation: string, work: Work): Expression {
  if (operation === "SVFOP_CURRENT_DATE") return TODAY;
  if (/TIME/.test(operation)) {
    return { kind: "fresh", id: work.context.ids.fresh("f"), type: "time", why: "now" };
  }
  const name = operation.replace(/^SVFOP_/, "").toLowerCase();
  return ofSession(`the session's ${name}`, work);
}

/** `(record).field`, `array[index]`. */
function indirection(
  node: Extract<Node, { readonly A_Indirection: unknown }>,
  scope: Scope,
  work: Work,
): Expression {
  const { arg, indirection: steps = [] } = node.A_Indirection;
  const [step] = steps;
  const field = steps.length === 1 ? stringOf(step) : undefined;
  if (field !== undefined && arg !== undefined && "ColumnRef" in arg) {
    return resolveColumn([...stringsOf(arg.ColumnRef.fields), field], scope, work);
  }
  const value = lowerExpression(arg, scope, work);
  const index = steps.length === 1 ? indexOf(step) : undefined;
  if (value.kind === "array" && index !== undefined) {
    return { kind: "element", array: value, index: lowerExpression(index, scope, work) };
  }
  if (steps.length !== 1) return lose(work, "an element of an array of arrays", [value]);
  if (value.kind === "call" && value.name === "tg_argv" && index !== undefined) {
    const at = lowerExpression(index, scope, work);
    const given = at.kind === "literal" ? value.arguments[Number(at.value)] : undefined;
    return given ?? lose(work, "an element of TG_ARGV");
  }
  if (index !== undefined) return applied("element", [value, lowerExpression(index, scope, work)]);
  if (field !== undefined) return applied(`field ${field}`, [value]);
  if (step !== undefined && "A_Indices" in step) {
    const { lidx, uidx } = step.A_Indices;
    return applied("slice", [
      value,
      ...[lidx, uidx].map((each) => lowerExpression(each, scope, work)),
    ]);
  }
  return lose(work, "a part of a value", [value]);
}

/** The index in `[index]`; undefined for a slice. */
function indexOf(step: Node | undefined): Node | undefined {
  if (step === undefined || !("A_Indices" in step) || step.A_Indices.is_slice === true)
    return undefined;
  return step.A_Indices.uidx;
}
