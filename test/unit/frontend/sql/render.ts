// The AR as short text, for expectations that people can read.
import type { Expression, Query, Relation } from "../../../../server/src/program/expression";
import type { Command, Statement } from "../../../../server/src/program/statement";

/** One line per command, indented by two spaces per level. */
export function renderCommand(command: Command, indent = ""): readonly string[] {
  const inner = `${indent}  `;
  switch (command.kind) {
    case "sequence":
      return command.commands.flatMap((each) => renderCommand(each, indent));
    case "statement":
      return [indent + renderStatement(command.statement)];
    case "assign":
      return [`${indent}@${command.variable} := ${render(command.value)}`];
    case "if":
      return [
        `${indent}if ${render(command.condition)}`,
        ...renderCommand(command.then, inner),
        ...(command.otherwise === undefined
          ? []
          : [`${indent}else`, ...renderCommand(command.otherwise, inner)]),
      ];
    case "loop":
      return [`${indent}loop ${command.over.kind}`, ...renderCommand(command.body, inner)];
    case "atomic": {
      const level = command.level === undefined ? "" : ` ${command.level.name}`;
      return [`${indent}atomic${level}`, ...renderCommand(command.body, inner)];
    }
    case "try":
      return [
        `${indent}try`,
        ...renderCommand(command.body, inner),
        `${indent}handler${command.catches ? ` ${command.catches.join(" ")}` : ""}`,
        ...renderCommand(command.handler, inner),
      ];
    case "return":
      return [`${indent}return${command.value === undefined ? "" : ` ${render(command.value)}`}`];
    case "rollback":
      return [`${indent}rollback`];
    case "savepoint":
    case "release":
    case "rollbackTo":
      return [`${indent}${command.kind} ${command.name}`];
    case "exit":
    case "continue":
      return [`${indent}${command.kind}`];
  }
}

export function renderStatement(statement: Statement): string {
  switch (statement.kind) {
    case "select":
      return `${statement.into} = ${renderQuery(statement.query)}`;
    case "insert": {
      const rows =
        "query" in statement.rows
          ? `(${statement.rows.columns.join(", ")}) ${renderQuery(statement.rows.query)}`
          : statement.rows.map((row) => `{${assignments(row)}}`).join(" ");
      return `insert ${statement.table} ${rows}${conflict(statement)}${returning(statement)}`;
    }
    case "update": {
      const from = statement.from.length === 0 ? "" : ` from ${relations(statement.from)}`;
      const set = assignments(statement.set);
      const target = relations([statement.relation]);
      return `update ${target} set ${set}${from}${where(statement.where)}${returning(statement)}`;
    }
    case "delete": {
      const using = statement.using.length === 0 ? "" : ` using ${relations(statement.using)}`;
      const target = relations([statement.relation]);
      return `delete ${target}${using}${where(statement.where)}${returning(statement)}`;
    }
    case "lock":
      return `lock ${statement.table ?? ""} ${statement.mode}`;
    case "opaque":
      return `opaque ${statement.writes ? "writes" : "reads"} ${statement.tables.join(", ")}`;
  }
}

function conflict(statement: Statement & { readonly kind: "insert" }): string {
  const { onConflict } = statement;
  if (onConflict === undefined) return "";
  const set = onConflict.set.length === 0 ? "" : ` ${assignments(onConflict.set)}`;
  const condition = onConflict.where === undefined ? "" : where(onConflict.where);
  return ` on conflict (${onConflict.target.join(", ")}) ${onConflict.action}${set}${condition}`;
}

function returning(
  statement: Statement & { readonly kind: "insert" | "update" | "delete" },
): string {
  if (statement.returning === undefined) return "";
  const { into, outputs: all } = statement.returning;
  return ` returning ${into}: ${outputs(all)}`;
}

function assignments(
  all: readonly { readonly column: string; readonly value: Expression }[],
): string {
  return all.map(({ column, value }) => `${column} = ${render(value)}`).join(", ");
}

function outputs(all: readonly { readonly name: string; readonly value: Expression }[]): string {
  return all.map(({ name, value }) => `${render(value)} as ${name}`).join(", ");
}

function where(condition: Expression): string {
  return condition.kind === "literal" && condition.value === true
    ? ""
    : ` where ${render(condition)}`;
}

export function renderQuery(query: Query): string {
  const on = query.distinctOn?.map(render).join(", ");
  const distinct = on === undefined ? "distinct " : `distinct on (${on}) `;
  const parts = [`select ${query.distinct ? distinct : ""}${outputs(query.outputs)}`];
  if (query.relations.length > 0) parts.push(`from ${relations(query.relations)}`);
  const condition = where(query.where).trim();
  if (condition !== "") parts.push(condition);
  if (query.groupBy.length > 0) parts.push(`group by ${query.groupBy.map(render).join(", ")}`);
  if (query.having !== undefined) parts.push(`having ${render(query.having)}`);
  for (const { operator, query: other } of query.setOperations) {
    parts.push(`${operator} ${renderQuery(other)}`);
  }
  if (query.orderBy.length > 0) {
    const keys = query.orderBy.map((key) => render(key.value) + (key.descending ? " desc" : ""));
    parts.push(`order by ${keys.join(", ")}`);
  }
  if (query.limit !== undefined) parts.push(`limit ${render(query.limit)}`);
  if (query.offset !== undefined) parts.push(`offset ${render(query.offset)}`);
  if (query.lock !== undefined) {
    const of = query.lock.of.length === 0 ? "" : ` of ${query.lock.of.join(", ")}`;
    const wait = query.lock.wait === "block" ? "" : ` ${query.lock.wait}`;
    parts.push(`for ${query.lock.strength}${of}${wait}`);
  }
  return parts.join(" ");
}

function relations(all: readonly Relation[]): string {
  return all
    .map((relation, at) => {
      const { kind, alias, table, query, join, on, lateral } = relation;
      const what =
        kind === "derived" && query !== undefined
          ? `${lateral === true ? "lateral " : ""}(${renderQuery(query)})`
          : kind === "opaque"
            ? "?"
            : table;
      const name = what === alias ? what : `${what} ${alias}`;
      const condition = on === undefined ? "" : ` on ${render(on)}`;
      if (at === 0) return name + condition;
      return join === "inner" && on === undefined
        ? `, ${name}`
        : ` ${join} join ${name}${condition}`;
    })
    .join("");
}

export function render(expression: Expression): string {
  switch (expression.kind) {
    case "literal":
      return JSON.stringify(expression.value);
    case "parameter":
      return `:${expression.name}`;
    case "array":
      return `:${expression.parameter}`;
    case "element":
      return `${render(expression.array)}[${render(expression.index)}]`;
    case "variable":
      return `@${expression.name}`;
    case "column":
      return `${expression.relation}.${expression.column}`;
    case "field":
      return `${expression.result}.${expression.field}`;
    case "size":
      return `size(${expression.result})`;
    case "among": {
      const { function: asks, result, where: test, value } = expression;
      return `${asks}(${value ? `${render(value)} ` : ""}of ${result} where ${render(test)})`;
    }
    case "affected":
      return `affected(${expression.statement})`;
    case "arithmetic":
    case "comparison":
      return `(${render(expression.left)} ${expression.operator} ${render(expression.right)})`;
    case "sameValue":
      return `(${render(expression.left)} == ${render(expression.right)})`;
    case "negate":
      return `-${render(expression.operand)}`;
    case "and":
    case "or":
      return `(${expression.operands.map(render).join(` ${expression.kind} `)})`;
    case "not":
      return `not ${render(expression.operand)}`;
    case "isNull":
      return `(${render(expression.operand)} is null)`;
    case "in":
      return `(${render(expression.operand)} in [${expression.values.map(render).join(", ")}])`;
    case "inQuery":
      return `(${render(expression.operand)} in (${renderQuery(expression.query)}))`;
    case "exists":
      return `exists (${renderQuery(expression.query)})`;
    case "subquery":
      return `(${renderQuery(expression.query)})`;
    case "like": {
      const operator = expression.insensitive ? "ilike" : "like";
      return `(${render(expression.operand)} ${operator} ${render(expression.pattern)})`;
    }
    case "conditional": {
      const { condition, then, otherwise } = expression;
      return `(${render(condition)} ? ${render(then)} : ${render(otherwise)})`;
    }
    case "coalesce":
      return `coalesce(${expression.operands.map(render).join(", ")})`;
    case "aggregate": {
      const operand = expression.operand === undefined ? "*" : render(expression.operand);
      return `${expression.name ?? expression.function}(${expression.distinct ? "distinct " : ""}${operand})`;
    }
    case "call":
      return `${expression.set === true ? "each " : ""}${expression.name}(${expression.arguments.map(render).join(", ")})`;
    case "excluded":
      return `excluded.${expression.column}`;
    case "fresh":
      return `fresh ${expression.why}`;
    case "unknown":
      return `unknown(${expression.dependsOn.map(render).join(", ")})`;
  }
}
