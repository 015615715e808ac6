// A script on a server: the store's machine decides the next step from the server's results; the server executes the user's own text, with
// values for its placeholders, or the SQL of application code's statements.
import { offsetAt, offsetsOf } from "../frontend/sql/text/lines";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { ScriptItem } from "../frontend/sql/script/region";
import type { Program } from "../program/program";
import type { Statement } from "../program/statement";
import type { Range } from "../protocol/source";
import type { Row, Value, WitnessInstance } from "../protocol/witness";
import { freshValuesFrom } from "../store/freshValues";
import type { ResultRows } from "../store/frame";
import {
  commitsAtOnce,
  continueUnit,
  declaredLevel,
  deliver,
  endsPart,
  isUnit,
  nextOf,
  startMachine,
  type Machine,
  type Next,
  type Undo,
} from "../store/machine";
import { fromValue, type SqlValue } from "../store/value";
import { actionsOf } from "./actions";
import { boundSql } from "./boundSql";
import { bindText } from "./literal";
import { intoOf, plainSqlValue, variableOf } from "./machineValues";
import type { SqlWriter } from "./sqlText";

/** The next step of the script, with the text for the server. */
export type ScriptStep =
  | {
      readonly kind: "statement";
      readonly statement: Statement;
      /** The last one is the statement itself. */
      readonly sql: readonly string[];
      /** The query for the rows, if they went into session variables. */
      readonly rowsAfter?: string;
    }
  /** A transaction of the unit ends and the unit continues. */
  | { readonly kind: "part"; readonly sql: "COMMIT" | "ROLLBACK" }
  | { readonly kind: "end"; readonly sql: "COMMIT" | "ROLLBACK" }
  /** The script cannot continue. */
  | { readonly kind: "stuck"; readonly reason: string };

export interface ScriptRun {
  next(): ScriptStep;
  /** The server's answer to the current statement; the rows as the caller sees them, if they are for it. */
  took(statement: Statement, rows: readonly Row[], affected: number): boolean;
  /** The server has ended the current transaction. */
  tookPart(): void;
}

/** The texts of a statement, the last one being the statement itself, or the reason why there are none. */
type StatementTexts =
  | { readonly ok: true; readonly sql: readonly string[]; readonly rowsAfter?: string }
  | { readonly ok: false; readonly reason: string };

/** A new run of an instance whose transaction is a script. */
export function startScript(
  program: Program,
  instance: WitnessInstance,
  file: ScannedFile,
): ScriptRun {
  const machine = startMachine(program, instance, freshValuesFrom(1_000_000));
  let anonymous = 0;
  const { dialect } = file;
  const product = dialect === "postgres" ? "postgres" : "mariadb";
  const isWrittenOut = actionsOf(machine.transaction);
  const around = itemsAround(file, machine.transaction.source.range);
  const items = dialect === "postgres" ? [] : around;
  const settings = dialect === "postgres" ? around.filter((each) => isSentSetting(file, each)) : [];
  let nextItem = 0;
  let nextSetting = 0;

  function textsOf(statement: Statement): StatementTexts {
    const { range } = statement.source;
    const own = offsetsOf(file.lines, range);
    const at = items.findIndex(({ start, end }) => start <= own.start && own.start < end);
    const isWritten = isWrittenOut(statement);
    // Assignments to session variables of MySQL on the way; two reads may belong to one statement.
    const spans =
      at < 0
        ? isWritten
          ? []
          : [own]
        : items.slice(nextItem, isWritten ? at : at + 1).filter(isExecuted);
    const sql: string[] = [];
    for (; (settings[nextSetting]?.end ?? Infinity) <= own.start; nextSetting++) {
      const { start = 0, end = 0 } = settings[nextSetting] ?? {};
      sql.push(file.lines.text.slice(start, end));
    }
    for (const span of spans) {
      const bound = bindText(file.lines, span, anonymous, (name) => variableOf(machine, name));
      if (!bound.ok) return { ok: false, reason: `the value of ${bound.missing} is not known` };
      anonymous = bound.anonymous;
      sql.push(bound.sql);
    }
    nextItem = at + 1;
    if (isWritten) {
      const written = boundSql(machine, statement, product);
      return written.ok ? { ok: true, sql: [...sql, written.sql] } : written;
    }
    const rowsAfter = variablesText(file, items[at], statement);
    return { ok: true, sql, ...(rowsAfter !== undefined && { rowsAfter }) };
  }

  return runOf(machine, textsOf, () => ["BEGIN"]);
}

/** A new run of an instance whose transaction is application code; `begin` is for the transactions of a unit. */
export function startCode(
  program: Program,
  instance: WitnessInstance,
  { product, begin }: Pick<SqlWriter, "product"> & { readonly begin: BeginPart },
): ScriptRun {
  const machine = startMachine(program, instance, freshValuesFrom(1_000_000));
  return runOf(
    machine,
    (statement) => {
      const written = boundSql(machine, statement, product);
      return written.ok ? { ok: true, sql: [written.sql] } : written;
    },
    begin,
  );
}

/** The statements that begin a unit's transaction with this declared level, or none. */
export type BeginPart = (declared: string | undefined) => readonly string[];

function runOf(
  machine: Machine,
  textsOf: (statement: Statement) => StatementTexts,
  begin: BeginPart,
): ScriptRun {
  let marks = 0;
  let before: string[] = [];
  let isOpen = false;
  let at: ScriptStep | undefined;
  const undo: Undo = {
    mark() {
      marks++;
      // Outside of a transaction there is nothing to return to.
      if (!isUnit(machine) || isOpen) before.push(`SAVEPOINT isolens_${String(marks)}`);
      return marks;
    },
    undoTo(mark) {
      if (!isUnit(machine) || isOpen) before.push(`ROLLBACK TO SAVEPOINT isolens_${String(mark)}`);
    },
  };

  function statementStep(statement: Statement): ScriptStep {
    const texts = textsOf(statement);
    if (!texts.ok) return { kind: "stuck", reason: texts.reason };
    const begins = isUnit(machine) && !isOpen && !commitsAtOnce(machine);
    if (begins) isOpen = true;
    const first = begins ? begin(declaredLevel(machine)) : [];
    const sql = [...first, ...before, ...texts.sql];
    if (sql.length === 0) sql.push("DO 0");
    before = [];
    const { rowsAfter } = texts;
    return { kind: "statement", statement, sql, ...(rowsAfter !== undefined && { rowsAfter }) };
  }

  function stepOf(next: Next): ScriptStep {
    switch (next.kind) {
      case "statement":
        return statementStep(next.statement);
      case "commit":
        return { kind: endsPart(next) ? "part" : "end", sql: "COMMIT" };
      case "rollback":
        return { kind: endsPart(next) ? "part" : "end", sql: "ROLLBACK" };
      case "failure":
        return { kind: "stuck", reason: next.failure.message };
    }
  }

  return {
    next() {
      if (at !== undefined) return at;
      let next: Next = nextOf(machine, undo);
      // A transaction that was never begun need not be ended.
      for (; endsPart(next) && !isOpen; next = nextOf(machine, undo)) continueUnit(machine);
      at = stepOf(next);
      return at;
    },
    took(statement, rows, affected) {
      at = undefined;
      const into = intoOf(statement);
      const plain: ResultRows = rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, sqlValue(value)])),
      );
      deliver(machine, statement, { into, rows: plain, affected, drawn: machine.drawn });
      return statement.kind !== "select" || !statement.discarded;
    },
    tookPart() {
      at = undefined;
      isOpen = false;
      before = [];
      continueUnit(machine);
    },
  };
}

/** True for a PostgreSQL session setting, which the search ignores and the server needs; false where psql's \if decides. */
export function isSentSetting({ lines, regions }: ScannedFile, item: ScriptItem): boolean {
  if (item.kind !== "statement" || item.what !== "session") return false;
  const region = regions.find(
    ({ region: { source } }) => source.start <= item.start && item.start < source.end,
  );
  const isPlain = region?.region.items.every((each) => !decides(each)) ?? false;
  return isPlain && /^set\b/i.test(lines.text.slice(item.start, item.end));
}

function decides(item: ScriptItem): boolean {
  return (
    item.kind === "meta" && ["if", "elif", "else", "include", "dynamic"].includes(item.command.kind)
  );
}

/** The statements of the script around a position. */
export function itemsAround(
  { lines, regions }: ScannedFile,
  { start }: Range,
): readonly ScriptItem[] {
  const first = offsetAt(lines, start);
  const found = regions.find(
    ({ region: { source } }) => source.start <= first && first < source.end,
  );
  return found?.region.items ?? [];
}

function isExecuted(item: ScriptItem): boolean {
  return item.kind === "statement";
}

/** The query for variables filled by `INTO @a, @b` or `SET @a = (SELECT ...)`. */
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

/** Fractions are transferred as text, to keep all digits. */
function sqlValue(value: Value): SqlValue {
  const isDecimal = typeof value === "string" && /^-?\d+\.\d+$/.test(value);
  return isDecimal ? fromValue(Number(value), "decimal") : plainSqlValue(value);
}
