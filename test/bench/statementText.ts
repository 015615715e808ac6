// A statement of the program as one line that people can compare with the code that it was made of.
import type { Expression, Query, Relation } from "../../server/src/program/expression";
import type { Assignment, Statement } from "../../server/src/program/statement";

/** All that the statement says, in the manner of SQL. */
export function statementText(statement: Statement): string {
  const text = partsOf(statement).filter((part) => part !== "");
  return text.join(" ");
}

function partsOf(statement: Statement): readonly string[] {
  switch (statement.kind) {
    case "select":
      return [
        `${statement.into} :=`,
        query(statement.query),
        statement.discarded ? "(unused)" : "",
      ];
    case "insert": {
      const { rows, onConflict } = statement;
      const values =
        "query" in rows
          ? `(${rows.columns.join(", ")}) ${query(rows.query)}`
          : rows.map((row) => `{${assignments(row)}}`).join(", ");
      const conflict = onConflict
        ? `ON CONFLICT (${onConflict.target.join(", ")}) ${onConflict.action} ${assignments(onConflict.set)}`
        : "";
      return ["INSERT", statement.table, values, conflict];
    }
    case "update":
      return [
        "UPDATE",
        relation(statement.relation),
        `SET ${assignments(statement.set)}`,
        from(statement.from),
        `WHERE ${expressionText(statement.where)}`,
      ];
    case "delete":
      return [
        "DELETE",
        relation(statement.relation),
        from(statement.using),
        `WHERE ${expressionText(statement.where)}`,
      ];
    case "lock":
      return ["LOCK", statement.table ?? "", statement.mode, optional("", statement.key)];
    case "opaque":
      return [statement.writes ? "WRITES" : "READS", statement.tables.join(", ")];
  }
}

function query(of: Query): string {
  const { outputs, relations, lock, limit, offset, having } = of;
  const order = of.orderBy.map(
    ({ value, descending }) => expressionText(value) + (descending ? " DESC" : ""),
  );
  const parts = [
    `SELECT${of.distinct ? " DISTINCT" : ""}`,
    of.distinctOn ? `ON (${of.distinctOn.map(expressionText).join(", ")})` : "",
    outputs.map(({ name, value }) => output(name, value)).join(", "),
    from(relations),
    `WHERE ${expressionText(of.where)}`,
    of.groupBy.length > 0 ? `GROUP BY ${of.groupBy.map(expressionText).join(", ")}` : "",
    optional("HAVING", having),
    order.length > 0 ? `ORDER BY ${order.join(", ")}` : "",
    optional("LIMIT", limit),
    optional("OFFSET", offset),
    ...of.setOperations.map((each) => `${each.operator} ${query(each.query)}`),
    lock ? `FOR ${lock.strength} ${lock.wait}` : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function output(name: string, value: Expression): string {
  return value.kind === "column" && value.column === name
    ? name
    : `${expressionText(value)} AS ${name}`;
}

function from(relations: readonly Relation[]): string {
  return relations.length > 0 ? `FROM ${relations.map(relation).join(" ")}` : "";
}

function relation({ alias, table, query: inner, join, on }: Relation): string {
  const what = inner ? `(${query(inner)})` : table;
  const name = alias === table ? what : `${what} ${alias}`;
  return (join === "cross" ? "" : `${join} `) + name + (on ? ` ON ${expressionText(on)}` : "");
}

function assignments(list: readonly Assignment[]): string {
  return list.map(({ column, value }) => `${column} = ${expressionText(value)}`).join(", ");
}

function optional(word: string, value: Expression | undefined): string {
  return value ? `${word} ${expressionText(value)}` : "";
}

/** The expression in the manner of SQL. */
export function expressionText(of: Expression): string {
  const list = (all: readonly Expression[]): string => all.map(expressionText).join(", ");
  switch (of.kind) {
    case "literal":
      return JSON.stringify(of.value);
    case "parameter":
    case "variable":
      return `:${of.name}`;
    case "among": {
      const value = of.value ? `${expressionText(of.value)} ` : "";
      return `${of.function}(${value}of ${of.result} where ${expressionText(of.where)})`;
    }
    case "array":
      return `:${of.parameter}[]`;
    case "element":
      return `${expressionText(of.array)}[${expressionText(of.index)}]`;
    case "column":
      return `${of.relation}.${of.column}`;
    case "field":
      return `${of.result}[${of.at === "first" ? "0" : of.at.loop}].${of.field}`;
    case "size":
      return `${of.result}.length`;
    case "affected":
      return `affected(${of.statement})`;
    case "arithmetic":
    case "comparison":
      return `(${expressionText(of.left)} ${of.operator} ${expressionText(of.right)})`;
    case "negate":
      return `-${expressionText(of.operand)}`;
    case "and":
    case "or":
      return `(${of.operands.map(expressionText).join(` ${of.kind} `)})`;
    case "not":
      return `not ${expressionText(of.operand)}`;
    case "isNull":
      return `(${expressionText(of.operand)} is null)`;
    case "sameValue":
      return `(${expressionText(of.left)} <=> ${expressionText(of.right)})`;
    case "in":
      return `(${expressionText(of.operand)} in (${list(of.values)}))`;
    case "inQuery":
      return `(${expressionText(of.operand)} in (${query(of.query)}))`;
    case "exists":
    case "subquery":
      return `${of.kind}(${query(of.query)})`;
    case "like":
      return `(${expressionText(of.operand)} like ${expressionText(of.pattern)})`;
    case "conditional":
      return `(${expressionText(of.condition)} ? ${expressionText(of.then)} : ${expressionText(of.otherwise)})`;
    case "coalesce":
      return `coalesce(${list(of.operands)})`;
    case "aggregate":
      return `${of.name ?? of.function}(${of.operand ? expressionText(of.operand) : "*"})`;
    case "call":
      return `${of.set === true ? "EACH " : ""}${of.name}(${list(of.arguments)})`;
    case "excluded":
      return `excluded.${of.column}`;
    case "fresh":
      return `fresh ${of.why}`;
    case "unknown":
      return `unknown(${of.why}; ${list(of.dependsOn)})`;
  }
}
