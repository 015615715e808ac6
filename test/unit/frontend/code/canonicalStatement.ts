// A statement as text that is the same for the same statement, however it was written: names of relations by their
// tables, conditions in parts and in order, values in place of what does not depend on rows.
import { operandsOf } from "../../../../server/src/program/operands";
import type { Schema } from "../../../../server/src/program/schema";
import type { Expression, Query, Relation } from "../../../../server/src/program/expression";
import type { Assignment, Statement } from "../../../../server/src/program/statement";
import type { Value } from "../../../../server/src/protocol/witness";

/** The value of what does not depend on rows; undefined where it is not known. */
export type ValueOf = (expression: Expression) => Value | undefined;

/** Numbers from here on were made by the server, or stand for such. */
export const FIRST_MADE = 1000;

interface Names {
  readonly valueOf: ValueOf;
  readonly schema: Schema;
  readonly aliases: ReadonlyMap<string, string>;
}

/** One line for each row that is inserted, one for every other statement. */
export function canonicalStatement(
  statement: Statement,
  valueOf: ValueOf,
  schema: Schema,
): readonly string[] {
  const { rows } = statement.kind === "insert" ? statement : { rows: [] };
  if (statement.kind !== "insert" || "query" in rows) return [lineOf(statement, valueOf, schema)];
  return rows.map((row) => lineOf({ ...statement, rows: [row] }, valueOf, schema));
}

function lineOf(statement: Statement, valueOf: ValueOf, schema: Schema): string {
  const outside: Names = { valueOf, schema, aliases: new Map() };
  switch (statement.kind) {
    case "select":
      return queryText(statement.query, outside);
    case "insert": {
      const { table, rows, onConflict } = statement;
      const own = { ...outside, aliases: new Map([[table, table]]) };
      const set = (all: readonly Assignment[]): string => assignments(all, own);
      const values =
        "query" in rows
          ? [`(${rows.columns.join(", ")}) ${queryText(rows.query, outside)}`]
          : rows.map((row) => `{${set(row)}}`);
      const conflict = onConflict
        ? ` on conflict (${[...onConflict.target].sort().join(", ")}) ${onConflict.action} ${set(onConflict.set)}${where(onConflict.where, own)}`
        : "";
      return `insert ${table} ${values.join(" ")}${conflict}`;
    }
    case "update": {
      const { names, from, on } = relationsText([statement.relation, ...statement.from], outside);
      const set = assignments(statement.set, names);
      return `update ${from} set ${set}${condition([statement.where, ...on], names)}`;
    }
    case "delete": {
      const { names, from, on } = relationsText([statement.relation, ...statement.using], outside);
      return `delete ${from}${condition([statement.where, ...on], names)}`;
    }
    case "lock":
      return `lock ${statement.table ?? ""} ${statement.mode}`;
    case "opaque":
      return `opaque ${statement.tables.join(", ")}`;
  }
}

/** A value as all that counts of it: what servers make is the same as what stands for it. */
export function plain(value: unknown): unknown {
  if (typeof value === "number" && value >= FIRST_MADE) return "made";
  if (typeof value !== "string") return value ?? null;
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value)) return "time";
  if (/^new-\d+$/.test(value)) return "made";
  // Parameters travel as text.
  return /^-?\d+(\.\d+)?$/.test(value) ? plain(Number(value)) : value;
}

function queryText(query: Query, outside: Names): string {
  const { names, from, on } = relationsText(query.relations, outside);
  const write = (each: Expression): string => text(each, names);
  const outputs = query.outputs.map(({ value }) => write(value)).sort();
  const order = query.orderBy.map((key) => write(key.value) + (key.descending ? " desc" : ""));
  const { lock, limit, offset } = query;
  return [
    `select ${query.distinct ? "distinct " : ""}${[...new Set(outputs)].join(", ")} from ${from}`,
    condition([query.where, ...on], names),
    query.groupBy.length > 0 ? ` group by ${query.groupBy.map(write).sort().join(", ")}` : "",
    query.having ? ` having ${write(query.having)}` : "",
    ...query.setOperations.map(
      ({ operator, query: other }) => ` ${operator} ${queryText(other, outside)}`,
    ),
    order.length > 0 ? ` order by ${order.join(", ")}` : "",
    limit && !isOne(query, names) ? ` limit ${write(limit)}` : "",
    offset && write(offset) !== "0" ? ` offset ${write(offset)}` : "",
    lock
      ? ` for ${lock.strength} of ${lock.of.map((each) => names.aliases.get(each) ?? each).join(", ")} ${lock.wait}`
      : "",
  ].join("");
}

/** A unique key leads to one row, with or without a limit. */
function isOne({ relations, where: asked }: Query, names: Names): boolean {
  const [only, ...others] = relations;
  const table = names.schema.tables.find(({ name }) => name === only?.table);
  if (!table || others.length > 0) return false;
  const parts = asked.kind === "and" ? asked.operands : [asked];
  const fixed = new Set(
    parts.flatMap((each) => {
      if (each.kind !== "comparison" || each.operator !== "=") return [];
      const { left, right } = each;
      return left.kind === "column" && right.kind !== "column" ? [left.column] : [];
    }),
  );
  const keys = [table.primaryKey, ...table.uniqueKeys.map(({ columns }) => columns)];
  return keys.some((key) => key.length > 0 && key.every((column) => fixed.has(column)));
}

function relationsText(
  relations: readonly Relation[],
  outside: Names,
): { readonly names: Names; readonly from: string; readonly on: readonly Expression[] } {
  const aliases = new Map(outside.aliases);
  const taken = new Set(aliases.values());
  for (const { alias, table } of relations) {
    let name = table;
    for (let number = 2; taken.has(name); number++) name = `${table}#${String(number)}`;
    taken.add(name);
    aliases.set(alias, name);
  }
  const names = { ...outside, aliases };
  // Conditions of inner joins are a part of the condition.
  const isInner = ({ join }: Relation): boolean => join === "inner" || join === "cross";
  const on = relations.flatMap((each) => (isInner(each) && each.on ? [each.on] : []));
  const from = relations.map((each) => {
    const name = aliases.get(each.alias) ?? each.table;
    const what = each.query ? `(${queryText(each.query, outside)}) ${name}` : name;
    if (isInner(each)) return what;
    return `${each.join} join ${what}${each.on ? ` on ${text(each.on, names)}` : ""}`;
  });
  return { names, from: from.join(", "), on };
}

function assignments(all: readonly Assignment[], names: Names): string {
  return all
    .map(({ column, value }) => ({ column, value: text(value, names) }))
    .filter(({ column, value }) => !value.endsWith(`.${column}`) || /[( ]|^excluded/.test(value))
    .map(({ column, value }) => `${column} = ${value}`)
    .sort()
    .join(", ");
}

function where(expression: Expression | undefined, names: Names): string {
  return condition(expression ? [expression] : [], names);
}

function condition(all: readonly Expression[], names: Names): string {
  const parts = [...new Set(all.flatMap((each) => conjuncts(each, names)))].sort();
  return parts.length > 0 ? ` where ${parts.join(" and ")}` : "";
}

function conjuncts(expression: Expression, names: Names): readonly string[] {
  if (expression.kind === "and") {
    const parts = expression.operands.flatMap((each) => conjuncts(each, names));
    return parts.includes("false") ? ["false"] : parts;
  }
  if (expression.kind === "or") {
    // Of a choice that the code made, one side is left.
    const left = expression.operands.filter((each) => text(each, names) !== "false");
    const [only] = left;
    if (only && left.length === 1) return conjuncts(only, names);
  }
  const written = text(expression, names);
  return written === "true" ? [] : [written];
}

function joined(parts: readonly string[], word: "and" | "or"): string {
  const [only, ...others] = [...new Set(parts)].sort();
  if (only === undefined) return String(word === "and");
  return others.length === 0 ? only : `(${[only, ...others].join(` ${word} `)})`;
}

function text(expression: Expression, names: Names): string {
  const own = (each: Expression): string => text(each, names);
  if (isFreeOfRows(expression)) {
    const value = names.valueOf(expression);
    if (value !== undefined) return JSON.stringify(plain(value));
  }
  switch (expression.kind) {
    case "column":
      return `${names.aliases.get(expression.relation) ?? expression.relation}.${expression.column}`;
    case "excluded":
      return `excluded.${expression.column}`;
    case "fresh":
      return expression.why === "now" ? '"time"' : '"made"';
    case "and":
      return joined(conjuncts(expression, names), "and");
    case "or": {
      const parts = expression.operands.map(own).filter((each) => each !== "false");
      return parts.includes("true") ? "true" : joined(parts, "or");
    }
    case "in": {
      const values = [...new Set(expression.values.map(own))].sort();
      const [only, ...others] = values;
      if (only !== undefined && others.length === 0) return equal(own(expression.operand), only);
      return `(${own(expression.operand)} in ${values.join(", ")})`;
    }
    case "comparison": {
      const [left, right] = [own(expression.left), own(expression.right)];
      if (expression.operator === "=") return equal(left, right);
      const flipped = { ">": "<", ">=": "<=" } as const;
      const { operator } = expression;
      if (operator === ">" || operator === ">=") return `(${right} ${flipped[operator]} ${left})`;
      return `(${left} ${operator} ${right})`;
    }
    case "conditional": {
      const holds = own(expression.condition);
      if (holds === "true") return own(expression.then);
      if (holds === "false" || holds === "null") return own(expression.otherwise);
      return `(if ${holds} then ${own(expression.then)} else ${own(expression.otherwise)})`;
    }
    case "not": {
      const { operand } = expression;
      const isEquation = operand.kind === "comparison" && operand.operator === "=";
      return isEquation ? own({ ...operand, operator: "<>" }) : `not(${own(operand)})`;
    }
    case "arithmetic":
      return `(${own(expression.left)} ${expression.operator} ${own(expression.right)})`;
    case "inQuery":
      return `(${own(expression.operand)} in ${queryText(expression.query, names)})`;
    case "exists":
    case "subquery":
      return `${expression.kind} (${queryText(expression.query, names)})`;
    case "aggregate": {
      const { operand } = expression;
      const counts = operand && !(expression.function === "count" && operand.kind === "literal");
      const over = counts ? own(operand) : "*";
      return `${expression.function}(${expression.distinct ? "distinct " : ""}${over})`;
    }
    case "literal":
      return JSON.stringify(plain(expression.value));
    case "call":
      return `${expression.name}(${expression.arguments.map(own).join(", ")})`;
    case "like": {
      const word = expression.insensitive ? "ilike" : "like";
      return `(${own(expression.operand)} ${word} ${own(expression.pattern)})`;
    }
    case "parameter":
    case "variable":
      return `?${expression.name}`;
    default:
      return `${expression.kind}(${operandsOf(expression).map(own).join(", ")})`;
  }
}

function equal(left: string, right: string): string {
  return `(${[left, right].sort().join(" = ")})`;
}

function isFreeOfRows(expression: Expression): boolean {
  switch (expression.kind) {
    case "column":
    case "excluded":
    case "aggregate":
    case "exists":
    case "subquery":
    case "inQuery":
    case "unknown":
    case "fresh":
      return false;
    default:
      return operandsOf(expression).every(isFreeOfRows);
  }
}
