// The result of an SQL statement inside of a routine: its commands, its rows, and their number.
import type { Expression } from "../../../program/expression";
import { hidesColumns } from "../../../program/precision";
import type { Command, SelectStatement, Statement } from "../../../program/statement";
import type { Lowering } from "../lowering";
import type { Rows } from "./assign";
import { hasQuery } from "./hoist";

export interface Ran {
  readonly commands: readonly Command[];
  readonly rows: Rows | undefined;
  /** The number of returned or changed rows, if known. */
  readonly count: Expression | undefined;
  /** A SELECT of values without tables: only its values matter, unless its rows are returned. */
  readonly values?: SelectStatement;
}

/** A lowered statement as a part of a routine; `returned` if its rows go to the caller. */
export function resultOf(lowered: Lowering, returned: boolean): Ran {
  const { result } = lowered;
  const only = lowered.statements.length === 1 ? lowered.statements[0] : undefined;
  const quiet = (statement: Statement): Statement =>
    statement.kind === "select" ? { ...statement, discarded: !returned } : statement;
  const commands =
    lowered.commands?.map((command) => mapStatements(command, quiet)) ??
    lowered.statements.map((each): Command => ({ kind: "statement", statement: quiet(each) }));
  const last = lowered.commands?.at(-1);
  // A change that runs once per row of another one changes as many rows.
  const count: Expression | undefined =
    last?.kind === "loop" && last.over.kind === "rows"
      ? { kind: "size", result: last.over.result }
      : countOf(lowered.statements.at(-1), result);
  const rows = result === undefined ? undefined : rowsOf(result, lowered.statements);
  const values = only?.kind === "select" && readsNothing(only) ? { values: only } : {};
  return { commands, rows, count, ...values };
}

/** The result, and whether all of its columns are known. */
export function rowsOf(
  result: NonNullable<Lowering["result"]>,
  statements: readonly Statement[],
): Rows {
  return { ...result, complete: !statements.some(({ taint }) => hidesColumns(taint)) };
}

function mapStatements(command: Command, map: (statement: Statement) => Statement): Command {
  switch (command.kind) {
    case "statement":
      return { ...command, statement: map(command.statement) };
    case "sequence":
      return { ...command, commands: command.commands.map((each) => mapStatements(each, map)) };
    case "loop":
      return { ...command, body: mapStatements(command.body, map) };
    case "if":
      return { ...command, then: mapStatements(command.then, map) };
    default:
      return command;
  }
}

function readsNothing(statement: SelectStatement): boolean {
  const { query } = statement;
  const always = query.where.kind === "literal" && query.where.value === true;
  const plain = query.setOperations.length === 0 && query.groupBy.length === 0 && always;
  const values = query.outputs.map((output) => output.value);
  const aggregates = JSON.stringify(values).includes('"kind":"aggregate"');
  return query.relations.length === 0 && plain && !aggregates && !values.some(hasQuery);
}

/** The number of rows that a statement returned or changed. */
function countOf(
  statement: Statement | undefined,
  result: Lowering["result"],
): Expression | undefined {
  switch (statement?.kind) {
    case "select":
      return result === undefined ? undefined : { kind: "size", result: result.name };
    case "insert":
    case "update":
    case "delete":
      return { kind: "affected", statement: statement.id };
    default:
      return undefined;
  }
}
