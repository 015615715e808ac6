// Statements of the abstract representation as SQL, for statements in application code without SQL of their own. Whatever has no text is
// refused, never guessed.
import { identifierText } from "../program/identifier";
import { operandsOf } from "../program/operands";
import type { Expression, LockClause, Query, Relation } from "../program/expression";
import type { Schema } from "../program/schema";
import type {
  Assignment,
  DeleteStatement,
  InsertStatement,
  LockStatement,
  OnConflict,
  Returning,
  Statement,
  UpdateStatement,
} from "../program/statement";
import { literal } from "./literal";

export interface SqlWriter {
  readonly product: "postgres" | "mariadb";
  readonly schema: Schema;
  /** The text of a row-independent expression; undefined to write its parts. */
  readonly value: (expression: Expression) => string | undefined;
}

export type WrittenSql =
  { readonly ok: true; readonly sql: string } | { readonly ok: false; readonly reason: string };

/** The statement's SQL, in one line. Linear in the statement. */
export function statementSql(statement: Statement, writer: SqlWriter): WrittenSql {
  return guarded(() => {
    const [lost] = statement.taint;
    if (lost !== undefined) throw new NoText(`its SQL is not known exactly: ${lost.reason}`);
    return writeStatement(statement, writer);
  });
}

/** An expression as SQL. */
export function expressionSql(expression: Expression, writer: SqlWriter): WrittenSql {
  return guarded(() => write(expression, writer));
}

/** A name in the product's quotes if necessary. */
export function nameSql({ product }: Pick<SqlWriter, "product">, name: string): string {
  return identifierText(name, product);
}

/** A part without text, with the reason. */
class NoText extends Error {}

function guarded(make: () => string): WrittenSql {
  try {
    return { ok: true, sql: make() };
  } catch (problem) {
    if (!(problem instanceof NoText)) throw problem;
    return { ok: false, reason: problem.message };
  }
}

function writeStatement(statement: Statement, writer: SqlWriter): string {
  switch (statement.kind) {
    case "select":
      return queryText(statement.query, writer);
    case "insert":
      return insertText(statement, writer);
    case "update":
      return updateText(statement, writer);
    case "delete":
      return deleteText(statement, writer);
    case "lock":
      return lockText(statement, writer);
    case "opaque":
      throw new NoText("its SQL is not known");
    default:
      return statement satisfies never;
  }
}

function insertText(statement: InsertStatement, writer: SqlWriter): string {
  const { rows, onConflict, returning } = statement;
  const replaces = onConflict?.action === "replace";
  if (replaces && writer.product === "postgres") throw new NoText("PostgreSQL has no REPLACE");
  const verb = replaces ? "REPLACE" : ignores(onConflict, writer) ? "INSERT IGNORE" : "INSERT";
  const head = `${verb} INTO ${nameSql(writer, statement.table)}`;
  const tail = [
    ...(onConflict && !replaces ? conflictText(onConflict, writer) : []),
    ...returningText(returning, writer),
  ];
  const listed = (columns: readonly string[]): string =>
    `(${columns.map((column) => nameSql(writer, column)).join(", ")})`;
  if ("query" in rows) {
    const columns = rows.columns.length > 0 ? [listed(rows.columns)] : [];
    return [head, ...columns, queryText(rows.query, writer), ...tail].join(" ");
  }
  const columns = [...new Set(rows.flatMap((row) => row.map(({ column }) => column)))];
  if (columns.length === 0) {
    const nothing = writer.product === "postgres" ? "DEFAULT VALUES" : "() VALUES ()";
    return [head, nothing, ...tail].join(" ");
  }
  const values = rows.map((row) => {
    const texts = columns.map((column) => {
      const given = row.find((each) => each.column === column);
      return given ? givenText(statement.table, given, writer) : "DEFAULT";
    });
    return `(${texts.join(", ")})`;
  });
  return [head, listed(columns), "VALUES", values.join(", "), ...tail].join(" ");
}

/** A number that the server generates is requested by DEFAULT. */
function givenText(name: string, { column, value }: Assignment, writer: SqlWriter): string {
  const table = writer.schema.tables.find((each) => each.name === name);
  const usual = table?.columns.find((each) => each.name === column)?.default;
  const isDrawn = value.kind === "fresh" && value.why === "sequence" && usual?.kind === "fresh";
  return isDrawn ? "DEFAULT" : write(value, writer);
}

function ignores(onConflict: OnConflict | undefined, { product }: SqlWriter): boolean {
  return product === "mariadb" && onConflict?.action === "nothing";
}

function conflictText(onConflict: OnConflict, writer: SqlWriter): readonly string[] {
  const { target, action, set, where } = onConflict;
  if (writer.product === "mariadb")
    return action === "nothing" ? [] : [`ON DUPLICATE KEY UPDATE ${setText(set, writer)}`];
  const columns = target.map((column) => nameSql(writer, column)).join(", ");
  const head = target.length > 0 ? `ON CONFLICT (${columns})` : "ON CONFLICT";
  if (action === "nothing") return [`${head} DO NOTHING`];
  return [`${head} DO UPDATE SET ${setText(set, writer)}`, ...whereText(where, writer)];
}

function updateText(
  { relation, from, set, where, returning }: UpdateStatement,
  writer: SqlWriter,
): string {
  const isJoin = from.length > 0;
  if (isJoin && writer.product === "mariadb") throw new NoText("it updates a join");
  return [
    `UPDATE ${tableText(relation, writer)} SET ${setText(set, writer)}`,
    ...(isJoin ? [`FROM ${relationsText(from, writer)}`] : []),
    ...whereText(where, writer),
    ...returningText(returning, writer),
  ].join(" ");
}

function deleteText(
  { relation, using, where, returning }: DeleteStatement,
  writer: SqlWriter,
): string {
  if (writer.product === "mariadb" && (using.length > 0 || relation.alias !== relation.table))
    throw new NoText("it deletes from a table by another name, or from a join");
  return [
    `DELETE FROM ${tableText(relation, writer)}`,
    ...(using.length > 0 ? [`USING ${relationsText(using, writer)}`] : []),
    ...whereText(where, writer),
    ...returningText(returning, writer),
  ].join(" ");
}

function lockText({ table, mode, key }: LockStatement, writer: SqlWriter): string {
  if (writer.product !== "postgres") throw new NoText("locks of MySQL's sessions are not written");
  if (table !== undefined)
    return `LOCK TABLE ${nameSql(writer, table)} IN ${mode.toUpperCase()} MODE`;
  if (key === undefined) throw new NoText("what it locks is not known");
  const shared = mode.includes("share") ? "_shared" : "";
  return `SELECT pg_advisory_xact_lock${shared}(hashtext((${write(key, writer)})::text))`;
}

function setText(set: readonly Assignment[], writer: SqlWriter): string {
  return set
    .map(({ column, value }) => `${nameSql(writer, column)} = ${write(value, writer)}`)
    .join(", ");
}

function whereText(where: Expression | undefined, writer: SqlWriter): readonly string[] {
  if (where === undefined || (where.kind === "literal" && where.value === true)) return [];
  return [`WHERE ${writeBare(where, writer)}`];
}

function returningText(returning: Returning | undefined, writer: SqlWriter): readonly string[] {
  if (returning === undefined || returning.outputs.length === 0) return [];
  if (writer.product === "mariadb") throw new NoText("what it returns is no SQL of MySQL");
  return [`RETURNING ${outputsText(returning.outputs, writer)}`];
}

function outputsText(outputs: Query["outputs"], writer: SqlWriter): string {
  if (outputs.length === 0) return "1";
  return outputs
    .map(({ name, value }) => {
      const isOwnName = value.kind === "column" && value.column === name;
      const text = writeBare(value, writer);
      return isOwnName ? text : `${text} AS ${nameSql(writer, name)}`;
    })
    .join(", ");
}

function queryText(query: Query, writer: SqlWriter): string {
  const { relations, where, outputs, groupBy, having, orderBy, limit, offset, lock } = query;
  const select = [
    `SELECT ${distinctText(query, writer)}${outputsText(outputs, writer)}`,
    ...(relations.length > 0 ? [`FROM ${relationsText(relations, writer)}`] : []),
    ...whereText(where, writer),
    ...(groupBy.length > 0
      ? [`GROUP BY ${groupBy.map((each) => write(each, writer)).join(", ")}`]
      : []),
    ...(having === undefined ? [] : [`HAVING ${write(having, writer)}`]),
  ].join(" ");
  const others = query.setOperations.map(
    ({ operator, query: other }) => `${operator.toUpperCase()} (${queryText(other, writer)})`,
  );
  const order = orderBy.map(
    ({ value, descending }) => `${write(value, writer)}${descending ? " DESC" : ""}`,
  );
  return [
    others.length > 0 ? `(${select})` : select,
    ...others,
    ...(order.length > 0 ? [`ORDER BY ${order.join(", ")}`] : []),
    ...(limit === undefined ? [] : [`LIMIT ${write(limit, writer)}`]),
    ...(offset === undefined ? [] : [`OFFSET ${write(offset, writer)}`]),
    ...(lock ? [lockClause(lock, writer)] : []),
  ].join(" ");
}

function distinctText({ distinct, distinctOn }: Query, writer: SqlWriter): string {
  if (distinctOn === undefined) return distinct ? "DISTINCT " : "";
  if (writer.product !== "postgres") throw new NoText("DISTINCT ON is no SQL of MySQL");
  return `DISTINCT ON (${distinctOn.map((each) => write(each, writer)).join(", ")}) `;
}

function lockClause({ strength, of, wait }: LockClause, writer: SqlWriter): string {
  const words = { update: "UPDATE", "no-key-update": "NO KEY UPDATE" } as const;
  const shares = { share: "SHARE", "key-share": "KEY SHARE" } as const;
  const strengths = { ...words, ...shares };
  const mysql = strength === "update" || strength === "no-key-update" ? "FOR UPDATE" : undefined;
  const head =
    writer.product === "mariadb"
      ? (mysql ?? "LOCK IN SHARE MODE")
      : `FOR ${strengths[strength]}${of.length > 0 ? ` OF ${of.map((each) => nameSql(writer, each)).join(", ")}` : ""}`;
  const waits = { block: "", nowait: " NOWAIT", "skip-locked": " SKIP LOCKED" };
  return head + waits[wait];
}

function relationsText(relations: readonly Relation[], writer: SqlWriter): string {
  return relations
    .map((relation, at) => {
      const text = tableText(relation, writer);
      if (at === 0) return text;
      const on = relation.on === undefined ? "" : ` ON ${write(relation.on, writer)}`;
      const isPlain = relation.join === "cross" || relation.join === "inner";
      if (on === "" && isPlain) return ` CROSS JOIN ${text}`;
      const join = relation.join === "cross" ? "inner" : relation.join;
      return ` ${join === "inner" ? "" : `${join.toUpperCase()} `}JOIN ${text}${on || " ON true"}`;
    })
    .join("");
}

function tableText({ alias, table, kind, query, lateral }: Relation, writer: SqlWriter): string {
  const name = nameSql(writer, alias);
  if (kind === "derived" && query !== undefined)
    return `${lateral === true ? "LATERAL " : ""}(${queryText(query, writer)}) AS ${name}`;
  if (kind !== "base") throw new NoText(`it reads from ${alias}, which is not understood`);
  return alias === table ? name : `${nameSql(writer, table)} AS ${name}`;
}

/** With parentheses if it has several parts. */
function write(expression: Expression, writer: SqlWriter): string {
  const known = isFreeOfRows(expression) ? writer.value(expression) : undefined;
  if (known !== undefined) return known;
  const part = (each: Expression): string => write(each, writer);
  switch (expression.kind) {
    case "literal":
      return literal(expression.value);
    case "column":
      return `${nameSql(writer, expression.relation)}.${nameSql(writer, expression.column)}`;
    case "excluded": {
      const column = nameSql(writer, expression.column);
      return writer.product === "postgres" ? `excluded.${column}` : `VALUES(${column})`;
    }
    case "arithmetic": {
      const [left, right] = [part(expression.left), part(expression.right)];
      if (expression.operator !== "||") return `(${left} ${expression.operator} ${right})`;
      return writer.product === "postgres" ? `(${left} || ${right})` : `CONCAT(${left}, ${right})`;
    }
    case "comparison":
      return `(${part(expression.left)} ${expression.operator} ${part(expression.right)})`;
    case "sameValue": {
      const operator = writer.product === "postgres" ? "IS NOT DISTINCT FROM" : "<=>";
      return `(${part(expression.left)} ${operator} ${part(expression.right)})`;
    }
    case "negate":
      return `(- ${part(expression.operand)})`;
    case "and":
    case "or": {
      const [first, ...others] = expression.operands;
      if (first === undefined) return String(expression.kind === "and");
      const word = ` ${expression.kind.toUpperCase()} `;
      return others.length === 0 ? part(first) : `(${[first, ...others].map(part).join(word)})`;
    }
    case "not":
      return `(NOT ${part(expression.operand)})`;
    case "isNull":
      return `(${part(expression.operand)} IS NULL)`;
    case "in": {
      const values = expression.values.map(part);
      return values.length === 0
        ? "false"
        : `(${part(expression.operand)} IN (${values.join(", ")}))`;
    }
    case "inQuery":
      return `(${part(expression.operand)} IN (${queryText(expression.query, writer)}))`;
    case "exists":
      return `EXISTS (${queryText(expression.query, writer)})`;
    case "subquery":
      return `(${queryText(expression.query, writer)})`;
    case "like": {
      const word = expression.insensitive && writer.product === "postgres" ? "ILIKE" : "LIKE";
      return `(${part(expression.operand)} ${word} ${part(expression.pattern)})`;
    }
    case "conditional":
      return `(CASE WHEN ${part(expression.condition)} THEN ${part(expression.then)} ELSE ${part(expression.otherwise)} END)`;
    case "coalesce":
      return `COALESCE(${expression.operands.map(part).join(", ")})`;
    case "aggregate":
      return aggregateText(expression, writer);
    case "call":
      if (!expression.deterministic || !/^[a-z_][a-z0-9_]*$/i.test(expression.name))
        throw new NoText(`what ${expression.name} gives is not known`);
      return `${expression.name}(${expression.arguments.map(part).join(", ")})`;
    case "fresh":
      return freshText(expression, writer);
    case "unknown":
      throw new NoText(`a value in it is not known: ${expression.why}`);
    case "parameter":
    case "variable":
      throw new NoText(`the value of ${expression.name} is not known`);
    case "array":
    case "element":
    case "field":
    case "size":
    case "affected":
    case "among":
      throw new NoText("a value that it uses is not known");
    default:
      return expression satisfies never;
  }
}

function aggregateText(
  expression: Extract<Expression, { kind: "aggregate" }>,
  writer: SqlWriter,
): string {
  const { function: name, operand, distinct } = expression;
  if (name === "other" || name === "exists") throw new NoText("an aggregate is not understood");
  const over = operand === undefined ? "*" : write(operand, writer);
  return `${name}(${distinct ? "DISTINCT " : ""}${over})`;
}

function freshText(
  { why }: Extract<Expression, { kind: "fresh" }>,
  { product }: SqlWriter,
): string {
  switch (why) {
    case "now":
      return "now()";
    case "uuid":
      return product === "postgres" ? "gen_random_uuid()" : "UUID()";
    case "random":
      return product === "postgres" ? "random()" : "RAND()";
    case "sequence":
      throw new NoText("it draws a number whose sequence is not known");
    default:
      return why satisfies never;
  }
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
      return false;
    default:
      return operandsOf(expression).every(isFreeOfRows);
  }
}

/** Without outer parentheses. */
function writeBare(expression: Expression, writer: SqlWriter): string {
  const [only, ...others] = expression.kind === "and" ? expression.operands : [];
  if (only !== undefined && others.length === 0) return writeBare(only, writer);
  const text = write(expression, writer);
  const isWrapped = text.startsWith("(") && expression.kind !== "subquery";
  return isWrapped ? text.slice(1, -1) : text;
}
