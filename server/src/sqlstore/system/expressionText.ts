// Expressions as text again, as PostgreSQL shows defaults, checks and views: every operation in parentheses.
import type { SqlExpression, SqlOrder, SqlQuery, SqlQueryBody, SqlRelation } from "../tree";
import { postgresName, postgresType, type DeclaredType, type TypeName } from "../values/types";

/** The text of an expression in PostgreSQL's dialect. */
export function expressionText(expression: SqlExpression): string {
  switch (expression.kind) {
    case "null":
      return "NULL";
    case "boolean":
      return String(expression.value);
    case "number":
      return expression.text;
    case "string":
      return quotedText(expression.value);
    case "parameter":
      return `$${String(expression.number)}`;
    case "column":
      return expression.path.map(quotedName).join(".");
    case "star":
      return [...expression.path.map(quotedName), "*"].join(".");
    case "variable":
      return `@${expression.name}`;
    case "setting":
      return `@@${expression.name}`;
    case "unary":
      return `(${expression.operator === "not" ? "NOT " : expression.operator} ${expressionText(expression.operand)})`;
    case "binary":
      return `(${expressionText(expression.left)} ${expression.operator.toUpperCase()} ${expressionText(expression.right)})`;
    case "is": {
      const what = `${expression.negated ? "NOT " : ""}${expression.what.toUpperCase()}`;
      return `(${expressionText(expression.operand)} IS ${what})`;
    }
    case "in": {
      const { values, negated } = expression;
      const inside = "kind" in values ? queryText(values) : listText(values);
      return `(${expressionText(expression.operand)} ${negated ? "NOT IN" : "IN"} (${inside}))`;
    }
    case "between": {
      const { operand, low, high, negated, symmetric } = expression;
      const word = `${negated ? "NOT " : ""}BETWEEN${symmetric ? " SYMMETRIC" : ""}`;
      return `(${expressionText(operand)} ${word} ${expressionText(low)} AND ${expressionText(high)})`;
    }
    case "like": {
      const { operand, pattern, form, negated, escape } = expression;
      const word = form === "similar" ? "SIMILAR TO" : form.toUpperCase();
      const end = escape === undefined ? "" : ` ESCAPE ${expressionText(escape)}`;
      return `(${expressionText(operand)} ${negated ? "NOT " : ""}${word} ${expressionText(pattern)}${end})`;
    }
    case "quantified": {
      const { left, operator, all, right } = expression;
      const inside = right.kind === "select" ? queryText(right) : expressionText(right);
      return `(${expressionText(left)} ${operator} ${all ? "ALL" : "ANY"} (${inside}))`;
    }
    case "exists":
      return `(EXISTS (${queryText(expression.query)}))`;
    case "query":
      return `(${queryText(expression.query)})`;
    case "array query":
      return `ARRAY(${queryText(expression.query)})`;
    case "call":
      return callText(expression);
    case "case": {
      const { subject, arms, otherwise } = expression;
      const head = subject === undefined ? "" : ` ${expressionText(subject)}`;
      const all = arms.map(
        ({ when, then }) => ` WHEN ${expressionText(when)} THEN ${expressionText(then)}`,
      );
      const end = otherwise === undefined ? "" : ` ELSE ${expressionText(otherwise)}`;
      return `CASE${head}${all.join("")}${end} END`;
    }
    case "cast": {
      const { operand, type } = expression;
      const text = expressionText(operand);
      const isPlain = operand.kind === "string" || operand.kind === "null";
      return `${isPlain ? text : `(${text})`}::${typeText(type)}`;
    }
    case "array":
      return `ARRAY[${listText(expression.items)}]`;
    case "subscript":
      return `${expressionText(expression.operand)}[${expressionText(expression.index)}]`;
    case "slice": {
      const { operand, from, to } = expression;
      return `(${expressionText(operand)})[${from ? expressionText(from) : ""}:${to ? expressionText(to) : ""}]`;
    }
    case "field":
      return `(${expressionText(expression.operand)}).${quotedName(expression.name)}`;
    case "row":
      return `ROW(${listText(expression.values)})`;
    case "interval":
      return `INTERVAL ${expressionText(expression.amount)} ${expression.unit}`;
    case "collate":
      return `(${expressionText(expression.operand)} COLLATE ${quotedName(expression.collation)})`;
    case "proposed":
      return `VALUES(${quotedName(expression.column)})`;
    case "default":
      return "DEFAULT";
    default:
      return expression satisfies never;
  }
}

/** The text of a query. */
export function queryText(query: SqlQuery): string {
  const parts = [bodyText(query.body)];
  if (query.orderBy.length > 0) parts.push(`ORDER BY ${orderText(query.orderBy)}`);
  if (query.limit !== undefined) parts.push(`LIMIT ${expressionText(query.limit)}`);
  if (query.offset !== undefined) parts.push(`OFFSET ${expressionText(query.offset)}`);
  return parts.join(" ");
}

/** A name as it is written: with quotes unless it is plain. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function listText(items: readonly SqlExpression[]): string {
  return items.map(expressionText).join(", ");
}

/** Functions that are written without parentheses. */
const BARE =
  /^(current_(date|time|timestamp|user|role|catalog|schema)|session_user|localtime(stamp)?)$/;

function callText(call: Extract<SqlExpression, { readonly kind: "call" }>): string {
  if (call.arguments.length === 0 && BARE.test(call.name)) return call.name.toUpperCase();
  if (call.name === "coalesce" || call.name === "nullif")
    return `${call.name.toUpperCase()}(${listText(call.arguments)})`;
  const inside = call.star ? "*" : listText(call.arguments);
  const order = call.orderBy.length > 0 ? ` ORDER BY ${orderText(call.orderBy)}` : "";
  const filter = call.filter === undefined ? "" : ` FILTER (WHERE ${expressionText(call.filter)})`;
  return `${quotedName(call.name)}(${call.distinct ? "DISTINCT " : ""}${inside}${order})${filter}`;
}

function orderText(orders: readonly SqlOrder[]): string {
  return orders
    .map(({ value, descending, nulls }) => {
      const end = nulls === undefined ? "" : ` NULLS ${nulls.toUpperCase()}`;
      return `${expressionText(value)}${descending ? " DESC" : ""}${end}`;
    })
    .join(", ");
}

function typeText(type: TypeName): string {
  const own = (): DeclaredType => ({ type: "enum" });
  const declared = postgresType({ ...type, array: false, modifiers: [] }, own).type;
  const name = declared === "enum" ? quotedName(type.name) : postgresName(declared);
  const modifiers = type.modifiers.length > 0 ? `(${type.modifiers.join(",")})` : "";
  return `${name}${modifiers}${type.array ? "[]" : ""}`;
}

function bodyText(body: SqlQueryBody): string {
  switch (body.kind) {
    case "values":
      return `VALUES ${body.rows.map((row) => `(${listText(row)})`).join(", ")}`;
    case "set": {
      const word = `${body.operator.toUpperCase()}${body.all ? " ALL" : ""}`;
      return `${queryText(body.left)} ${word} ${queryText(body.right)}`;
    }
    case "select": {
      const outputs = body.outputs.map(({ value, alias }) =>
        alias === undefined
          ? expressionText(value)
          : `${expressionText(value)} AS ${quotedName(alias)}`,
      );
      const parts = [`SELECT ${body.distinct === false ? "" : "DISTINCT "}${outputs.join(", ")}`];
      if (body.from.length > 0) parts.push(`FROM ${body.from.map(relationText).join(", ")}`);
      if (body.where !== undefined) parts.push(`WHERE ${expressionText(body.where)}`);
      if (body.groupBy.length > 0) parts.push(`GROUP BY ${listText(body.groupBy)}`);
      if (body.having !== undefined) parts.push(`HAVING ${expressionText(body.having)}`);
      return parts.join(" ");
    }
    default:
      return body satisfies never;
  }
}

function relationText(relation: SqlRelation): string {
  const named = (text: string, alias: string | undefined): string =>
    alias === undefined ? text : `${text} ${quotedName(alias)}`;
  switch (relation.kind) {
    case "table":
      return named(quotedName(relation.name), relation.alias);
    case "query":
      return named(`(${queryText(relation.query)})`, relation.alias);
    case "function":
      return named(callText(relation.call), relation.alias);
    case "join": {
      const { join, natural, using, on } = relation;
      const word = `${natural ? "NATURAL " : ""}${join === "inner" ? "" : `${join.toUpperCase()} `}JOIN`;
      const condition =
        on !== undefined
          ? ` ON ${expressionText(on)}`
          : using.length > 0
            ? ` USING (${using.map(quotedName).join(", ")})`
            : "";
      return `(${relationText(relation.left)} ${word} ${relationText(relation.right)}${condition})`;
    }
    default:
      return relation satisfies never;
  }
}
