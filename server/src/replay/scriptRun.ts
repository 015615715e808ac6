// A script on a server: the store's machine decides what comes next, from what the server returned; the server executes
// the user's own text, with values in place of its placeholders.
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { Program } from "../program/program";
import type { Statement } from "../program/statement";
import type { Position } from "../protocol/source";
import type { Row, Value, WitnessInstance } from "../protocol/witness";
import { freshValuesFrom } from "../store/freshValues";
import type { ResultRows } from "../store/frame";
import { deliver, nextOf, startMachine, type Next, type Undo } from "../store/machine";
import { fromValue, toValue, type SqlValue } from "../store/value";
import { bindText } from "./literal";

/** What the script does next, with the text for the server. */
export type ScriptStep =
  | { readonly kind: "statement"; readonly statement: Statement; readonly sql: readonly string[] }
  | { readonly kind: "end"; readonly sql: "COMMIT" | "ROLLBACK" }
  /** The script cannot go on here. */
  | { readonly kind: "stuck"; readonly reason: string };

export interface ScriptRun {
  next(): ScriptStep;
  /** What the server answered to the statement at hand; the rows as the caller sees them, if they are for him. */
  took(statement: Statement, rows: readonly Row[], affected: number): boolean;
}

/** A run of its own of an instance whose transaction is a script. */
export function startScript(
  program: Program,
  instance: WitnessInstance,
  file: ScannedFile,
): ScriptRun {
  const machine = startMachine(program, instance, freshValuesFrom(1_000_000));
  let marks = 0;
  let before: string[] = [];
  let anonymous = 0;
  const undo: Undo = {
    mark() {
      marks++;
      before.push(`SAVEPOINT isolens_${String(marks)}`);
      return marks;
    },
    undoTo(mark) {
      before.push(`ROLLBACK TO SAVEPOINT isolens_${String(mark)}`);
    },
  };

  function valueOf(name: string): Value | undefined {
    const value: SqlValue | undefined =
      machine.variables[name] ?? machine.parameters[name] ?? machine.variables[name.toLowerCase()];
    return value === undefined ? undefined : toValue(value);
  }

  function statementStep(statement: Statement): ScriptStep {
    const { range } = statement.source;
    const span = { start: offsetOf(file, range.start), end: offsetOf(file, range.end) };
    const bound = bindText(file.lines, span, anonymous, valueOf);
    if (!bound.ok) return { kind: "stuck", reason: `the value of ${bound.missing} is not known` };
    anonymous = bound.anonymous;
    const sql = [...before, bound.sql];
    before = [];
    return { kind: "statement", statement, sql };
  }

  return {
    next() {
      const next: Next = nextOf(machine, undo);
      switch (next.kind) {
        case "statement":
          return statementStep(next.statement);
        case "commit":
          return { kind: "end", sql: "COMMIT" };
        case "rollback":
          return { kind: "end", sql: "ROLLBACK" };
        case "failure":
          return { kind: "stuck", reason: next.failure.message };
      }
    },
    took(statement, rows, affected) {
      const into = intoOf(statement);
      const plain: ResultRows = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, sqlValue(value)])),
      );
      deliver(machine, statement, { into, rows: plain, affected, drawn: machine.drawn });
      return statement.kind !== "select" || !statement.discarded;
    },
  };
}

function intoOf(statement: Statement): string | undefined {
  if (statement.kind === "select") return statement.into;
  return "returning" in statement ? statement.returning?.into : undefined;
}

/** Numbers with a fraction come as text, lest they lose digits. */
function sqlValue(value: Value): SqlValue {
  const isDecimal = typeof value === "string" && /^-?\d+\.\d+$/.test(value);
  return isDecimal ? fromValue(Number(value), "decimal") : fromValue(value, typeOf(value));
}

function typeOf(value: Value) {
  if (typeof value === "number") return "int";
  return typeof value === "boolean" ? "bool" : "text";
}

function offsetOf({ lines }: Pick<ScannedFile, "lines">, { line, character }: Position): number {
  return (lines.starts[line] ?? lines.text.length) + character;
}
