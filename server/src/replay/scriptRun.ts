// A script on a server: the store's machine decides what comes next, from what the server returned; the server executes
// the user's own text, with values in place of its placeholders.
import { offsetAt, offsetsOf } from "../frontend/sql/lines";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { ScriptItem } from "../frontend/sql/scriptRegions";
import type { Program } from "../program/program";
import type { Statement } from "../program/statement";
import type { Range } from "../protocol/source";
import type { Row, Value, WitnessInstance } from "../protocol/witness";
import { freshValuesFrom } from "../store/freshValues";
import type { ResultRows } from "../store/frame";
import { deliver, nextOf, startMachine, type Next, type Undo } from "../store/machine";
import { fromValue, type SqlValue } from "../store/value";
import { bindText } from "./literal";
import { intoOf, plainSqlValue, variableOf } from "./machineValues";

/** What the script does next, with the text for the server. */
export type ScriptStep =
  | {
      readonly kind: "statement";
      readonly statement: Statement;
      /** The last one is the statement itself. */
      readonly sql: readonly string[];
      /** Where its rows went into variables of the session: what gives them. */
      readonly rowsAfter?: string;
    }
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
  const { dialect } = file;
  const items = dialect === "postgres" ? [] : itemsAround(file, machine.transaction.source.range);
  let nextItem = 0;
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

  function statementStep(statement: Statement): ScriptStep {
    const { range } = statement.source;
    const own = offsetsOf(file.lines, range);
    const at = items.findIndex(({ start, end }) => start <= own.start && own.start < end);
    // What a session of MySQL assigns to its variables on the way there; two reads may be of one statement.
    const spans = at < 0 ? [own] : items.slice(nextItem, at + 1).filter(isExecuted);
    const sql = [...before];
    for (const span of spans) {
      const bound = bindText(file.lines, span, anonymous, (name) => variableOf(machine, name));
      if (!bound.ok) return { kind: "stuck", reason: `the value of ${bound.missing} is not known` };
      anonymous = bound.anonymous;
      sql.push(bound.sql);
    }
    if (sql.length === 0) sql.push("DO 0");
    before = [];
    nextItem = at + 1;
    const rowsAfter = variablesText(file, items[at], statement);
    return { kind: "statement", statement, sql, ...(rowsAfter !== undefined && { rowsAfter }) };
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

function itemsAround({ lines, regions }: ScannedFile, { start }: Range): readonly ScriptItem[] {
  const first = offsetAt(lines, start);
  const found = regions.find(
    ({ region: { source } }) => source.start <= first && first < source.end,
  );
  return found?.region.items ?? [];
}

function isExecuted(item: ScriptItem): boolean {
  return item.kind === "statement";
}

/** The query for variables that `INTO @a, @b` or `SET @a = (SELECT ...)` filled. */
function variablesText(
  { lines }: ScannedFile,
  item: ScriptItem | undefined,
  statement: Statement,
): string | undefined {
  if (!item || statement.kind !== "select") return undefined;
  const text = (lines.written ?? lines.text).slice(item.start, item.end);
  const into = /\binto\s+((?:@[\w.$]+\s*,\s*)*@[\w.$]+)/i.exec(text)?.[1]?.split(",");
  const set = /^\s*set\s+(@[\w.$]+)/i.exec(text)?.[1];
  const variables = into ?? (set === undefined ? undefined : [set]);
  if (!variables) return undefined;
  const columns = statement.query.outputs.map(
    ({ name }, at) => `${variables[at]?.trim() ?? "NULL"} AS \`${name}\``,
  );
  return `SELECT ${columns.join(", ")}`;
}

/** Numbers with a fraction come as text, lest they lose digits. */
function sqlValue(value: Value): SqlValue {
  const isDecimal = typeof value === "string" && /^-?\d+\.\d+$/.test(value);
  return isDecimal ? fromValue(Number(value), "decimal") : plainSqlValue(value);
}
