// Expressions of PostgreSQL's parse tree as expressions of ours.
import type {
  A_Expr,
  FuncCall,
  Node,
  SortBy,
  SubLink,
  TypeName as PgType,
  WindowDef,
} from "libpg-query";
import { itemsOf, kindOf, lastName, rowOf, stringsOf } from "../../frontend/sql/pg/ast";
import { unsupported } from "../sqlError";
import type {
  SqlCall,
  SqlExpression,
  SqlFrame,
  SqlFrameBound,
  SqlOrder,
  SqlQuery,
  SqlWindow,
} from "../tree";
import type { TypeName } from "../values/types";
import { queryOf } from "./recursion";

/** An expression; constructs that the store does not have are refused by name. */
export function expressionOf(node: Node): SqlExpression {
  if ("A_Const" in node) return constantOf(node.A_Const);
  if ("ColumnRef" in node) return columnOf(node.ColumnRef.fields ?? []);
  if ("ParamRef" in node) return { kind: "parameter", number: node.ParamRef.number ?? 1 };
  if ("A_Expr" in node) return operation(node.A_Expr);
  if ("BoolExpr" in node) {
    const { boolop, args = [] } = node.BoolExpr;
    const parts = args.map(expressionOf);
    if (boolop === "NOT_EXPR") {
      return { kind: "unary", operator: "not", operand: parts[0] ?? { kind: "null" } };
    }
    const operator = boolop === "OR_EXPR" ? "or" : "and";
    return parts.reduce((left, right) => ({ kind: "binary", operator, left, right }));
  }
  if ("FuncCall" in node) return callOf(node.FuncCall);
  if ("TypeCast" in node) {
    const { arg, typeName } = node.TypeCast;
    return { kind: "cast", operand: requiredExpression(arg), type: typeOf(typeName) };
  }
  if ("NullTest" in node) {
    const { arg, nulltesttype } = node.NullTest;
    return {
      kind: "is",
      operand: requiredExpression(arg),
      what: "null",
      negated: nulltesttype === "IS_NOT_NULL",
    };
  }
  if ("BooleanTest" in node)
    return booleanTest(
      node.BooleanTest.booltesttype ?? "",
      requiredExpression(node.BooleanTest.arg),
    );
  if ("SubLink" in node) return subLink(node.SubLink);
  if ("CaseExpr" in node) return caseOf(node.CaseExpr);
  if ("CoalesceExpr" in node)
    return plainCall("coalesce", (node.CoalesceExpr.args ?? []).map(expressionOf));
  if ("MinMaxExpr" in node) {
    const name = node.MinMaxExpr.op === "IS_LEAST" ? "least" : "greatest";
    return plainCall(name, (node.MinMaxExpr.args ?? []).map(expressionOf));
  }
  if ("A_ArrayExpr" in node) {
    return { kind: "array", items: (node.A_ArrayExpr.elements ?? []).map(expressionOf) };
  }
  if ("A_Indirection" in node) {
    const { arg, indirection = [] } = node.A_Indirection;
    return indirection.reduce<SqlExpression>((operand, each) => {
      if ("String" in each) return { kind: "field", operand, name: each.String.sval ?? "" };
      if (!("A_Indices" in each)) throw unsupported("all fields of a row");
      const { lidx, uidx, is_slice: isSlice } = each.A_Indices;
      if (isSlice !== true) return { kind: "subscript", operand, index: requiredExpression(uidx) };
      return {
        kind: "slice",
        operand,
        ...(lidx && { from: expressionOf(lidx) }),
        ...(uidx && { to: expressionOf(uidx) }),
      };
    }, requiredExpression(arg));
  }
  if ("RowExpr" in node) return { kind: "row", values: (rowOf(node) ?? []).map(expressionOf) };
  if ("SQLValueFunction" in node) return valueFunction(node.SQLValueFunction.op ?? "");
  if ("CollateClause" in node) {
    const { arg, collname } = node.CollateClause;
    return { kind: "collate", operand: requiredExpression(arg), collation: lastName(collname) };
  }
  if ("GroupingFunc" in node)
    return plainCall("grouping", (node.GroupingFunc.args ?? []).map(expressionOf));
  if ("SetToDefault" in node) return { kind: "default" };
  if ("JsonIsPredicate" in node) throw unsupported("IS JSON");
  throw unsupported(CONSTRUCTS.get(kindOf(node)) ?? `the construct ${kindOf(node)}`);
}

const CONSTRUCTS: ReadonlyMap<string, string> = new Map([
  ["XmlExpr", "XML"],
  ["CurrentOfExpr", "WHERE CURRENT OF"],
  ["JsonFuncExpr", "a function of SQL/JSON paths"],
  ["MergeSupportFunc", "merge_action()"],
]);

/** The tree leaves it out only in texts that the parser refuses. */
export function requiredExpression(node: Node | undefined): SqlExpression {
  return node === undefined ? { kind: "null" } : expressionOf(node);
}

export function plainCall(name: string, args: readonly SqlExpression[]): SqlCall {
  return {
    kind: "call",
    name,
    arguments: args,
    star: false,
    distinct: false,
    orderBy: [],
    withinGroup: false,
  };
}

function constantOf(
  constant: Extract<Node, { readonly A_Const: unknown }>["A_Const"],
): SqlExpression {
  if (constant.isnull === true) return { kind: "null" };
  if (constant.ival !== undefined) return { kind: "number", text: String(constant.ival.ival ?? 0) };
  if (constant.fval !== undefined) return { kind: "number", text: constant.fval.fval ?? "0" };
  if (constant.boolval !== undefined) {
    return { kind: "boolean", value: constant.boolval.boolval ?? false };
  }
  if (constant.bsval !== undefined) throw unsupported("a bit string");
  return { kind: "string", value: constant.sval?.sval ?? "" };
}

function columnOf(fields: readonly Node[]): SqlExpression {
  const path = stringsOf(fields);
  const last = fields.at(-1);
  if (last !== undefined && "A_Star" in last) return { kind: "star", path };
  // schema.table.column
  return { kind: "column", path: path.slice(-2) };
}

function operation(node: A_Expr): SqlExpression {
  const name = lastName(node.name);
  const left = (): SqlExpression => requiredExpression(node.lexpr);
  const right = (): SqlExpression => requiredExpression(node.rexpr);
  switch (node.kind) {
    case "AEXPR_OP":
      if (node.lexpr === undefined) {
        if (name === "-" && node.rexpr !== undefined) return negated(expressionOf(node.rexpr));
        if (name === "+") return right();
        if (name === "~") return { kind: "unary", operator: "~", operand: right() };
        throw unsupported(`the prefix operator ${name}`);
      }
      return { kind: "binary", operator: name, left: left(), right: right() };
    case "AEXPR_OP_ANY":
    case "AEXPR_OP_ALL":
      return {
        kind: "quantified",
        operator: name,
        all: node.kind === "AEXPR_OP_ALL",
        left: left(),
        right: right(),
      };
    case "AEXPR_DISTINCT":
      return { kind: "binary", operator: "is distinct from", left: left(), right: right() };
    case "AEXPR_NOT_DISTINCT":
      return { kind: "binary", operator: "is not distinct from", left: left(), right: right() };
    case "AEXPR_NULLIF":
      return plainCall("nullif", [left(), right()]);
    case "AEXPR_IN":
      return {
        kind: "in",
        operand: left(),
        values: itemsOf(node.rexpr).map(expressionOf),
        negated: name === "<>",
      };
    case "AEXPR_LIKE":
    case "AEXPR_ILIKE":
      return likeOf(node, name);
    case "AEXPR_SIMILAR":
      throw unsupported("SIMILAR TO");
    case "AEXPR_BETWEEN":
    case "AEXPR_NOT_BETWEEN":
    case "AEXPR_BETWEEN_SYM":
    case "AEXPR_NOT_BETWEEN_SYM": {
      const [low, high] = itemsOf(node.rexpr);
      return {
        kind: "between",
        operand: left(),
        low: requiredExpression(low),
        high: requiredExpression(high),
        symmetric: node.kind.endsWith("_SYM"),
        negated: node.kind.startsWith("AEXPR_NOT"),
      };
    }
    default:
      throw unsupported(`the operator ${name}`);
  }
}

function negated(operand: SqlExpression): SqlExpression {
  return { kind: "unary", operator: "-", operand };
}

function likeOf(node: A_Expr, name: string): SqlExpression {
  const pattern = requiredExpression(node.rexpr);
  // The parser writes ESCAPE as a call of like_escape() around the pattern.
  const escaped =
    pattern.kind === "call" && pattern.name === "like_escape" ? pattern.arguments : undefined;
  const [inner, escape] = escaped ?? [];
  return {
    kind: "like",
    operand: requiredExpression(node.lexpr),
    pattern: inner ?? pattern,
    ...(escape === undefined ? {} : { escape }),
    form: node.kind === "AEXPR_ILIKE" ? "ilike" : "like",
    negated: name.startsWith("!"),
  };
}

function booleanTest(type: string, operand: SqlExpression): SqlExpression {
  const [, not, what] = /^IS_(NOT_)?(TRUE|FALSE|UNKNOWN)$/.exec(type) ?? [];
  const word = what === "TRUE" ? "true" : what === "FALSE" ? "false" : "unknown";
  return { kind: "is", operand, what: word, negated: not !== undefined };
}

function subLink(node: SubLink): SqlExpression {
  const { subselect, testexpr, subLinkType, operName } = node;
  if (subselect === undefined || !("SelectStmt" in subselect)) throw unsupported("this subquery");
  const query: SqlQuery = queryOf(subselect.SelectStmt);
  switch (subLinkType) {
    case "EXISTS_SUBLINK":
      return { kind: "exists", query };
    case "ARRAY_SUBLINK":
      return { kind: "array query", query };
    case "ANY_SUBLINK":
    case "ALL_SUBLINK": {
      const left = requiredExpression(testexpr);
      const operator = lastName(operName);
      if (operator === "" && subLinkType === "ANY_SUBLINK") {
        return { kind: "in", operand: left, values: query, negated: false };
      }
      return {
        kind: "quantified",
        operator,
        all: subLinkType === "ALL_SUBLINK",
        left,
        right: query,
      };
    }
    default:
      return { kind: "query", query };
  }
}

function caseOf(node: Extract<Node, { readonly CaseExpr: unknown }>["CaseExpr"]): SqlExpression {
  return {
    kind: "case",
    ...(node.arg === undefined ? {} : { subject: expressionOf(node.arg) }),
    arms: (node.args ?? []).flatMap((each) =>
      "CaseWhen" in each
        ? [
            {
              when: requiredExpression(each.CaseWhen.expr),
              then: requiredExpression(each.CaseWhen.result),
            },
          ]
        : [],
    ),
    ...(node.defresult === undefined ? {} : { otherwise: expressionOf(node.defresult) }),
  };
}

function valueFunction(operation: string): SqlExpression {
  const name = operation
    .replace(/^SVFOP_/, "")
    .replace(/_N$/, "")
    .toLowerCase();
  return plainCall(name === "current_catalog" ? "current_database" : name, []);
}

export function callOf(node: FuncCall): SqlCall {
  const name = lastName(node.funcname).toLowerCase();
  const args = (node.args ?? []).map((each) => {
    if ("NamedArgExpr" in each) throw unsupported(`a named argument of ${name}()`);
    return expressionOf(each);
  });
  if (node.func_variadic === true) throw unsupported(`VARIADIC in a call of ${name}()`);
  return {
    kind: "call",
    name: name === "substring" || name !== "overlay" ? name : "overlay",
    arguments: args,
    star: node.agg_star === true,
    distinct: node.agg_distinct === true,
    orderBy: ordersOf(node.agg_order),
    withinGroup: node.agg_within_group === true,
    ...(node.agg_filter === undefined ? {} : { filter: expressionOf(node.agg_filter) }),
    ...(node.over === undefined ? {} : { over: windowOf(node.over) }),
  };
}

export function ordersOf(nodes: readonly Node[] | undefined): readonly SqlOrder[] {
  return (nodes ?? []).flatMap((node) => ("SortBy" in node ? [orderOf(node.SortBy)] : []));
}

function orderOf(node: SortBy): SqlOrder {
  if (node.sortby_dir === "SORTBY_USING") throw unsupported("ORDER BY ... USING");
  const value = requiredExpression(node.node);
  const descending = node.sortby_dir === "SORTBY_DESC";
  if (node.sortby_nulls === "SORTBY_NULLS_FIRST") return { value, descending, nulls: "first" };
  if (node.sortby_nulls === "SORTBY_NULLS_LAST") return { value, descending, nulls: "last" };
  return { value, descending };
}

/** As PostgreSQL numbers what a frame says (`FRAMEOPTION_*` in its parsenodes.h). */
const FRAME = {
  given: 0x1,
  range: 0x2,
  rows: 0x4,
  groups: 0x8,
  startUnbounded: 0x20,
  endUnbounded: 0x100,
  startCurrent: 0x200,
  endCurrent: 0x400,
  startPreceding: 0x800,
  endPreceding: 0x1000,
  startFollowing: 0x2000,
  endFollowing: 0x4000,
  excluding: 0x38000,
} as const;

export function windowOf(node: WindowDef): SqlWindow {
  const base =
    node.refname ??
    (node.partitionClause === undefined && node.orderClause === undefined ? node.name : undefined);
  const frame = frameOf(node);
  return {
    ...(base === undefined || base === "" ? {} : { base }),
    partitionBy: (node.partitionClause ?? []).map(expressionOf),
    orderBy: ordersOf(node.orderClause),
    ...(frame === undefined ? {} : { frame }),
  };
}

function frameOf(node: WindowDef): SqlFrame | undefined {
  const options = node.frameOptions ?? 0;
  const has = (bit: number): boolean => (options & bit) !== 0;
  if (!has(FRAME.given)) return undefined;
  if (has(FRAME.excluding)) throw unsupported("EXCLUDE in a window frame");
  const start: SqlFrameBound = has(FRAME.startUnbounded)
    ? { kind: "unbounded preceding" }
    : has(FRAME.startCurrent)
      ? { kind: "current row" }
      : {
          kind: has(FRAME.startPreceding) ? "preceding" : "following",
          offset: requiredExpression(node.startOffset),
        };
  const end: SqlFrameBound = has(FRAME.endUnbounded)
    ? { kind: "unbounded following" }
    : has(FRAME.endCurrent)
      ? { kind: "current row" }
      : {
          kind: has(FRAME.endPreceding) ? "preceding" : "following",
          offset: requiredExpression(node.endOffset),
        };
  const unit = has(FRAME.rows) ? "rows" : has(FRAME.groups) ? "groups" : "range";
  return { unit, start, end };
}

/** A type as it is written. */
export function typeOf(node: PgType | undefined): TypeName {
  const modifiers = (node?.typmods ?? []).flatMap((each) => {
    const value = expressionOf(each);
    return value.kind === "number" ? [Number(value.text)] : [];
  });
  const name = lastName(node?.names).toLowerCase();
  // INTERVAL DAY TO SECOND and the like say what is kept, which is all here.
  return {
    name,
    modifiers: name === "interval" ? [] : modifiers,
    array: (node?.arrayBounds ?? []).length > 0,
  };
}
