// The statements of an execution with values in place of parameters, placeholders and variables, ready to be typed. The store replays the
// witness to get the variables' values.
import { offsetsOf } from "../frontend/sql/text/lines";
import { tokensOf, type Token } from "../frontend/sql/text/tokens";
import type { ScannedFile } from "../frontend/sql/scanFile";
import type { Level } from "../isolation/levels";
import type { Levels } from "../isolation/mixedLevels";
import type { Program } from "../program/program";
import type { Statement } from "../program/statement";
import { actionsOf } from "../replay/actions";
import { boundSql } from "../replay/boundSql";
import { bindText, literal } from "../replay/literal";
import { intoOf, plainSqlValue, variableOf } from "../replay/machineValues";
import { isSqlFile } from "../replay/sqlFiles";
import type { SqlWriter } from "../replay/sqlText";
import { routinesOf } from "../replay/routines";
import { sendsTriggers, tablesWithTriggers } from "../replay/triggers";
import { freshValues } from "../store/freshValues";
import {
  commitsAtOnce,
  continueUnit,
  deliver,
  endsPart,
  nextOf,
  placeOf,
  startMachine,
  type Machine,
} from "../store/machine";
import { runSchedule } from "../store/run";
import { scannedFiles } from "./placeholders";
import type { TestInput } from "./input";

/** An executed statement. */
export interface UnrolledStatement {
  readonly id: string;
  readonly text: string;
  /** In a unit: the index of its transaction, and whether it is a single-statement one. */
  readonly part?: number;
  readonly isAlone: boolean;
}

/** By instance, in execution order. */
export type UnrolledTexts = ReadonlyMap<string, readonly UnrolledStatement[]>;

/** The texts; empty if the store cannot replay the witness. */
export function unrolledTexts(input: TestInput): UnrolledTexts {
  const { anomaly, program } = input;
  const { witness } = anomaly;
  const ran = runSchedule(program, levelsOf(input), witness);
  const texts = new Map<string, readonly UnrolledStatement[]>();
  if (!ran.ok) return texts;
  const scanned = scannedFiles(input);
  const product = productOf(input);
  const triggered = tablesWithTriggers(scanned);
  const fresh = freshValues(witness);
  for (const instance of witness.instances) {
    const machine = startMachine(program, instance, fresh);
    // Includes the effects of triggers: the script runs without them.
    const isFired = sendsTriggers(machine.transaction, triggered) !== undefined;
    const isWrittenOut = actionsOf(machine.transaction);
    const steps = ran.execution.steps.filter((step) => step.instance === instance.instance);
    const own: UnrolledStatement[] = [];
    let anonymous = 0;
    let marks = 0;
    const undo = { mark: () => ++marks, undoTo: () => undefined };
    for (const step of steps) {
      let next = nextOf(machine, undo);
      for (; endsPart(next); next = nextOf(machine, undo)) continueUnit(machine);
      if (next.kind !== "statement" || typeof step.statement !== "number") break;
      const { statement } = next;
      const add = (text: string): void => {
        const isAlone = commitsAtOnce(machine);
        own.push({ id: statement.id, text, isAlone, ...placeOf(machine) });
      };
      const file = scanned.find(({ lines }) => lines.file === statement.source.file);
      if (!isSqlFile(machine.transaction.source) || isFired || isWrittenOut(statement)) {
        const written = boundSql(machine, statement, product);
        add(written.ok ? written.sql : statement.text);
      } else if (file && machine.transaction.boundary !== "routine") {
        const span = offsetsOf(file.lines, statement.source.range);
        const bound = bindText(file.lines, span, anonymous, (name) => variableOf(machine, name));
        add(bound.ok ? bound.sql : statement.text);
        if (bound.ok) ({ anonymous } = bound);
      } else add(withValues(program, machine, statement, fillsAt(input, file, statement)));
      const rows = step.result.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, plainSqlValue(value)]),
        ),
      );
      const { affected } = step;
      const alone = commitsAtOnce(machine);
      deliver(machine, statement, { into: intoOf(statement), rows, affected, drawn: {} });
      if (alone) continueUnit(machine);
    }
    texts.set(instance.instance, own);
  }
  return texts;
}

/** The product whose SQL is used for code's statements. */
export function productOf({ anomaly, levelOf }: TestInput): SqlWriter["product"] {
  const level = levelOf(anomaly.witness.instances[0]?.instance ?? "");
  return level.family === "product" && level.product !== "postgres" ? "mariadb" : "postgres";
}

function levelsOf({ anomaly, levelOf }: TestInput): Levels {
  const levels = anomaly.witness.instances.map(
    ({ instance, transaction }): readonly [string, Level] => [transaction, levelOf(instance)],
  );
  const [first, ...rest] = levels;
  if (first && rest.every(([, level]) => level.name === first[1].name)) return first[1];
  return { family: "mixed", perTransaction: Object.fromEntries(levels), serializablePairs: [] };
}

/** The variables that the routine's statement fills. */
function fillsAt(
  { parsers }: TestInput,
  file: ScannedFile | undefined,
  statement: Statement,
): readonly string[] {
  if (!file) return [];
  const { start } = offsetsOf(file.lines, statement.source.range);
  const all = routinesOf(file, parsers).flatMap(({ statements }) => statements);
  return all.findLast((each) => each.start <= start && start < each.end)?.fills ?? [];
}

/** The routine's statement without INTO, with values for the names of variables. */
function withValues(
  program: Program,
  machine: Machine,
  statement: Statement,
  fills: readonly string[],
): string {
  const text = withoutInto(statement.text, fills);
  const columns = new Set(
    program.schema.tables.flatMap((table) => table.columns.map(({ name }) => name.toLowerCase())),
  );
  const tokens = tokensOf(text, 0, text.length);
  let written = "";
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const name = text.slice(token.start, token.end);
    if (token.kind !== "word" || isPlaceOfColumn(tokens, index, columns.has(token.word))) continue;
    const value = variableOf(machine, name);
    if (value === undefined) continue;
    written += text.slice(at, token.start) + literal(value);
    at = token.end;
  }
  return written + text.slice(at);
}

function withoutInto(text: string, fills: readonly string[]): string {
  if (fills.length === 0) return text;
  const names = fills.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("\\s*,\\s*");
  return text.replace(new RegExp(`\\s+into\\s+(?:strict\\s+)?${names}(?![\\w.])`, "i"), "");
}

/** True if a word names a column, table, alias or function even if a variable has the same name. */
function isPlaceOfColumn(tokens: readonly Token[], index: number, isColumn: boolean): boolean {
  const before = tokens[index - 1]?.word;
  const after = tokens[index + 1]?.word;
  if (before === "." || after === "." || after === "(" || before === "as") return true;
  if (!isColumn) return false;
  // SET column = ..., and the column list of an INSERT.
  if (after === "=" && (before === "set" || before === ",")) return true;
  const start = tokens.slice(0, index).findLastIndex(({ word }) => word === "(");
  return start >= 2 && tokens[start - 2]?.word === "into";
}
