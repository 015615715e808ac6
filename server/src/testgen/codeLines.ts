// A transaction of application code as lines that a test runs: its statements, with values as psql variables and branches as psql
// conditionals. Loops and handlers have no such lines and are refused.
import type { Expression } from "../program/expression";
import type { Program, Transaction } from "../program/program";
import type { Command, Statement } from "../program/statement";
import { setEntry } from "../protocol/dictionary";
import type { Value } from "../protocol/witness";
import { intoOf } from "../replay/machineValues";
import { expressionSql, nameSql, statementSql, type SqlWriter } from "../replay/sqlText";

export interface CodeScript {
  readonly lines: readonly string[];
  readonly values: Readonly<Record<string, Value>>;
  /** The line number of a statement, from 1. */
  readonly placeOf: (statement: string) => number | undefined;
}

/** The lines, or the reason why a test cannot run the code. */
export function codeScriptOf(
  program: Program,
  { body }: Transaction,
  args: Readonly<Record<string, Value>>,
): CodeScript | string {
  // All values that the code reads are known after a first pass.
  const read = new Set<string>();
  const first = writeLines(program, body, args, read);
  return typeof first === "string" ? first : writeLines(program, body, args, read);
}

function writeLines(
  program: Program,
  body: Command,
  args: Readonly<Record<string, Value>>,
  read: Set<string>,
): CodeScript | string {
  const values: Record<string, Value> = {};
  const names = new Map<string, string>();
  const nameOf = (what: string, value: Value = null): string => {
    const known = names.get(what);
    if (known !== undefined) return known;
    const wanted = what.replace(/[^A-Za-z0-9_]+/gu, "_").replace(/^(?=\d)/u, "_");
    let name = wanted;
    for (let again = 2; Object.hasOwn(values, name); again++) name = `${wanted}_${String(again)}`;
    names.set(what, name);
    setEntry(values, name, value);
    return name;
  };
  for (const [name, value] of Object.entries(args)) nameOf(name, value);
  const reading = (what: string): string => {
    read.add(what);
    return `:${nameOf(what)}`;
  };
  const value = (expression: Expression): string | undefined => {
    switch (expression.kind) {
      case "parameter":
        return Object.hasOwn(args, expression.name) ? `:${nameOf(expression.name)}` : undefined;
      case "variable":
        return `:${nameOf(`variable ${expression.name}`)}`;
      case "field":
        if (expression.at !== "first" || !/^\w+$/u.test(expression.field)) return undefined;
        read.add(`result ${expression.result}`);
        return `:${nameOf(fieldOf(expression.result, expression.field))}`;
      case "size":
        return reading(`size ${expression.result}`);
      case "affected":
        return reading(`affected ${expression.statement}`);
      default:
        return undefined;
    }
  };
  const writer: SqlWriter = { product: "postgres", schema: program.schema, value };
  const script: Writing = { lines: [], places: new Map(), writer, nameOf, read };
  const problem = add(script, body);
  if (problem !== undefined) return problem;
  return { lines: script.lines, values, placeOf: (id) => script.places.get(id) };
}

interface Writing {
  readonly lines: string[];
  readonly places: Map<string, number>;
  readonly writer: SqlWriter;
  readonly nameOf: (what: string) => string;
  /** The results, sizes and counts that are read. */
  readonly read: ReadonlySet<string>;
}

/** `\\gset` prefixes the column name. */
function prefixOf(result: string): string {
  return `${result.replace(/[^A-Za-z0-9_]+/gu, "_").replace(/^(?=\d)/u, "_")}_`;
}

function fieldOf(result: string, field: string): string {
  return prefixOf(result) + field;
}

/** Adds the command's lines; returns the reason if there are none. */
function add(script: Writing, command: Command): string | undefined {
  const { lines, writer } = script;
  switch (command.kind) {
    case "sequence":
      for (const each of command.commands) {
        const problem = add(script, each);
        if (problem !== undefined) return problem;
      }
      return undefined;
    case "statement":
      return addStatement(script, command.statement);
    case "assign": {
      const written = expressionSql(command.value, writer);
      if (!written.ok) return written.reason;
      lines.push(`\\set ${script.nameOf(`variable ${command.variable}`)} (${written.sql})`);
      return undefined;
    }
    case "if": {
      const condition = expressionSql(command.condition, writer);
      if (!condition.ok) return condition.reason;
      lines.push(`\\if ${condition.sql}`);
      const problem = add(script, command.then);
      if (problem !== undefined) return problem;
      if (command.otherwise) {
        lines.push("\\else");
        const other = add(script, command.otherwise);
        if (other !== undefined) return other;
      }
      lines.push("\\endif");
      return undefined;
    }
    case "return":
      lines.push("COMMIT");
      return undefined;
    case "rollback":
      lines.push("ROLLBACK");
      return undefined;
    case "savepoint":
      lines.push(`SAVEPOINT ${nameSql(writer, command.name)}`);
      return undefined;
    case "release":
      lines.push(`RELEASE SAVEPOINT ${nameSql(writer, command.name)}`);
      return undefined;
    case "rollbackTo":
      lines.push(`ROLLBACK TO SAVEPOINT ${nameSql(writer, command.name)}`);
      return undefined;
    case "loop":
    case "exit":
    case "continue":
      return "it loops, which a test of its statements cannot; --lang sql gives a script for people";
    case "try":
      return "it goes on after errors, which a test of its statements cannot; --lang sql gives a script for people";
    case "atomic":
      return "it commits before its end";
    default:
      return command satisfies never;
  }
}

function addStatement(script: Writing, statement: Statement): string | undefined {
  const { lines, writer, nameOf, read } = script;
  const written = statementSql(statement, writer);
  if (!written.ok) return written.reason;
  const into = intoOf(statement) ?? "";
  script.places.set(statement.id, lines.length + 1);
  const isRead = read.has(`result ${into}`);
  lines.push(isRead ? `${written.sql} \\gset ${prefixOf(into)}` : written.sql);
  for (const what of [`size ${into}`, `affected ${statement.id}`])
    if (read.has(what)) lines.push(`\\set ${nameOf(what)} (:ROW_COUNT)`);
  const isShown = isRead && !(statement.kind === "select" && statement.discarded);
  const outputs = outputsOf(statement).filter((name) => /^\w+$/u.test(name));
  if (!isShown || outputs.length === 0) return undefined;
  // Its caller receives what it reads.
  const given = outputs.map(
    (name) => `:${nameOf(fieldOf(into, name))} AS ${nameSql(writer, name)}`,
  );
  lines.push(`SELECT ${given.join(", ")}`);
  return undefined;
}

function outputsOf(statement: Statement): readonly string[] {
  if (statement.kind === "select") return statement.query.outputs.map(({ name }) => name);
  if (!("returning" in statement)) return [];
  return (statement.returning?.outputs ?? []).map(({ name }) => name);
}
