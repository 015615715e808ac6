// Triggers of MySQL and MariaDB: their bodies for one row, and what a server does to the statement that fires them
// (measured on MariaDB 10.11).
import { changedTable } from "../../../program/accessedTables";
import type { Taint } from "../../../program/precision";
import type { Table } from "../../../program/schema";
import type { Command, Statement } from "../../../program/statement";
import { inStatements } from "../dialectDetection/replaceStatements";
import { hasQuery } from "../routine/hoist";
import { declareRecord, freshVariable, type RecordBinding } from "../routine/names";
import { calledFrom, withoutReturns } from "../routine/withoutReturns";
import {
  bodyOf,
  type FiringSite,
  type RowTrigger,
  type RowVariables,
  type TriggerBody,
  type TriggerEvent,
  type TriggerLanguage,
} from "../triggers/trigger";
import { namedTables } from "../tableNames";
import { walkCommand } from "../walk";
import type { WrittenName } from "../relationNames";
import { createState } from "./calls";
import type { RoutineDefinition } from "./definition";
import { parseBody } from "./parser";
import { lowerBody } from "./routine";
import type { RoutineContext, State } from "./state";
import { someStatement, type RoutineStatement } from "./tree";

export interface StoredTrigger extends RowTrigger {
  /** Its table as its definition has it. */
  readonly on: WrittenName;
  /** Its body, as of a procedure without arguments. */
  readonly definition: RoutineDefinition;
  /** FOLLOWS or PRECEDES another one of the same moment. */
  readonly beside?: { readonly where: "behind" | "before"; readonly name: string };
  /** Why nobody can say what it does. */
  readonly unread?: string;
}

/** The triggers of a schema, which stand in the order in which they run. */
export function storedTriggers(shared: RoutineContext): TriggerLanguage<StoredTrigger> {
  return {
    table: shared.table,
    lower: (trigger, event, table, site) => lowerStored(trigger, event, table, shared, site),
    inOrder: (triggers) => triggers,
    whole: (statement, commands, bodies) => {
      const refused = refusedTable(statement, bodies);
      if (refused !== undefined)
        return {
          reason: `a trigger that changes ${refused}, which its own statement uses: the server refuses it`,
        };
      return inOneView(statement, commands);
    },
  };
}

/** NEW and OLD are records of the columns; reading goes on as in a procedure. */
function lowerStored(
  trigger: StoredTrigger,
  event: TriggerEvent,
  table: Table,
  shared: RoutineContext,
  { ids, names, site, outermost }: FiringSite,
): TriggerBody | string {
  const { definition, unread } = trigger;
  if (unread !== undefined) return unread;
  if (parseBody(definition.body.text).problems.length > 0) return "a part of it cannot be read";
  const quiet: RoutineContext = { ...shared, note: () => undefined };
  const state = createState(definition, quiet, ids, names, lowerBody);
  const ends = ({ kind }: RoutineStatement): boolean => kind === "control" || kind === "ddl";
  if (someStatement(state.tree, ends)) return "it begins or ends transactions";
  state.nested = 1;
  state.readLocks = lockingOf(outermost);
  const rows = {
    new: event === "delete" ? NO_ROW : rowOf(declareRecord(names, "new", table.columns), table),
    old: event === "insert" ? NO_ROW : rowOf(declareRecord(names, "old", table.columns), table),
  };
  lowerBody(state);
  const source = definition.header;
  const value = freshVariable(names, `${trigger.name} returns`);
  const done = freshVariable(names, `${trigger.name} done`);
  const skips = freshVariable(names, `${trigger.name} skips`);
  const inner = withoutReturns(
    { kind: "sequence", commands: state.commands },
    { value, done, source },
  );
  const command = calledFrom(inner, site);
  const body = bodyOf({
    trigger,
    event,
    commands: command.kind === "sequence" ? command.commands : [command],
    ...rows,
    skips,
    losses: [],
  });
  return { ...body, losses: [...state.taint, ...lossesOf(body, table, state)] };
}

const NO_ROW: RowVariables = new Map();

/** Columns are found whatever the case of their names. */
function rowOf(record: RecordBinding, { columns }: Table): RowVariables {
  const variables = new Map<string, string>();
  for (const { name } of columns) {
    const variable = record.fields.get(name);
    if (variable === undefined) continue;
    variables.set(name, variable);
    record.fields.set(name.toLowerCase(), variable);
  }
  return variables;
}

/** Losses where a session's state, or values that the server makes later, decide. */
function lossesOf(
  { trigger, event, reads }: TriggerBody,
  table: Table,
  state: State,
): readonly Taint[] {
  const { header: source } = state.definition;
  const reasons: string[] = [];
  for (const name of state.user.keys()) reasons.push(`the value of ${name}, which its session has`);
  const { rowCount, foundRows, lastId } = state.asks;
  if (rowCount || foundRows || lastId) reasons.push("what the session says of its last statement");
  if (trigger.timing === "before")
    for (const { name, generated, default: given } of table.columns) {
      if (!reads.new.has(name)) continue;
      const isMade = given?.kind === "fresh" && given.why === "sequence" && event === "insert";
      if (isMade) reasons.push(`NEW.${name}, which is 0 until the server counts`);
      if (generated !== undefined) reasons.push(`NEW.${name}, which the server computes later`);
    }
  return reasons.map((reason) => ({ effect: "approx", reason, source }));
}

/**
 * The locks of queries in a trigger, which the statement that the session sent decides: INSERT of values, DELETE and a change of several
 * tables lock what they read at every level, UPDATE and INSERT ... SELECT from REPEATABLE READ on.
 */
function lockingOf(outermost: Statement | undefined): State["readLocks"] {
  switch (outermost?.kind) {
    case "update":
      return outermost.from.length > 0 ? "always" : "by level";
    case "insert":
      return "query" in outermost.rows ? "by level" : "always";
    default:
      return "always";
  }
}

/** A table that a trigger changes and the statement uses, directly or through its queries. */
function refusedTable(statement: Statement, bodies: readonly TriggerBody[]): string | undefined {
  const used = namedTables({ kind: "statement", statement }).tables;
  let refused: string | undefined;
  for (const { commands } of bodies)
    walkCommand(
      { kind: "sequence", commands },
      {
        statement: (each) => {
          const changed = changedTable(each);
          if (changed !== undefined && used.has(changed)) refused ??= changed;
        },
      },
    );
  return refused;
}

/**
 * Plain reads of all triggers of a statement share a read view, at READ COMMITTED as well; and triggers run between the rows of a statement,
 * not behind all of them.
 */
function inOneView(statement: Statement, commands: readonly Command[]): readonly Command[] {
  const whole: Command = { kind: "sequence", commands };
  const plain: Statement[] = [];
  let between = false;
  walkCommand(whole, {
    statement: (each) => {
      if (each.kind === "select" && each.query.lock === undefined) plain.push(each);
    },
    command: (each) => {
      const rows = each.kind === "loop" && each.over.kind === "rows" && each.over.result;
      if (each.kind === "loop" && rows === resultOf(whole, statement)) between ||= reads(each.body);
    },
  });
  const reasons = [
    ...(plain.length > 0 && plain.length + (readsByLevel(statement) ? 1 : 0) > 1
      ? ["the read view that all plain reads of its triggers share"]
      : []),
    ...(between ? ["what its triggers read between the rows that it changes"] : []),
  ];
  if (reasons.length === 0) return commands;
  const { source, id } = statement;
  const losses = reasons.map((reason): Taint => ({ effect: "approx", reason, source }));
  return commands.map((each) => withLosses(each, id, losses));
}

function resultOf(whole: Command, { id }: Statement): string | undefined {
  let found: string | undefined;
  walkCommand(whole, {
    statement: (each) => {
      if (each.id === id && "returning" in each) found = each.returning?.into;
    },
  });
  return found;
}

function reads(command: Command): boolean {
  let found = false;
  walkCommand(command, {
    statement: ({ kind }) => (found ||= kind === "select"),
    expression: (part) => (found ||= hasQuery(part)),
  });
  return found;
}

/** True if the statement's own queries are plain reads at READ COMMITTED. */
function readsByLevel(statement: Statement): boolean {
  if (lockingOf(statement) !== "by level") return false;
  return (
    reads({ kind: "statement", statement }) ||
    (statement.kind === "insert" && "query" in statement.rows)
  );
}

function withLosses(command: Command, id: string, losses: readonly Taint[]): Command {
  return inStatements(command, (statement) =>
    statement.id === id
      ? [{ kind: "statement", statement: { ...statement, taint: [...statement.taint, ...losses] } }]
      : undefined,
  );
}
