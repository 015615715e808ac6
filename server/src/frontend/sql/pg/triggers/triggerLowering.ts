// The function of a trigger as commands, for one row that a statement changes: NEW and OLD are variables.
import type { Expression } from "../../../../program/expression";
import type { Table } from "../../../../program/schema";
import type { Command } from "../../../../program/statement";
import { literal } from "../../expressions";
import { declare, declareRecord, freshVariable } from "../../routine/names";
import { assign } from "../../routine/state";
import { calledFrom, withoutReturns } from "../../routine/withoutReturns";
import { contextFor } from "../plpgsql/state";
import { lowerExpression } from "../recursion";
import { createState, lowerBody, START } from "../plpgsql/routineBody";
import { NO_SOURCES } from "../scope";
import { startWork } from "../statement";
import type { RoutineContext } from "../plpgsql/routineDefinition";
import {
  bodyOf,
  type FiringSite,
  type RowVariables,
  type TriggerBody,
  type TriggerEvent,
  type TriggerLanguage,
} from "../../triggers/trigger";
import { firesWhen } from "../columnNames";
import type { Trigger } from "./triggerDefinitions";

/** Triggers of PostgreSQL, which run by their names. */
export function pgTriggers(shared: RoutineContext): TriggerLanguage<Trigger> {
  return {
    table: shared.table,
    lower: (trigger, event, table, site) => lowerTrigger(trigger, event, table, shared, site),
    inOrder: (triggers) => triggers.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    firesWhen,
  };
}

/** The body of the trigger's function for that event; the reason where it cannot be run here. Never throws. */
function lowerTrigger(
  trigger: Trigger,
  event: TriggerEvent,
  table: Table,
  shared: RoutineContext,
  { ids, names, site, fires }: FiringSite,
): TriggerBody | string {
  const definition = shared.routine(trigger.runs, 0, trigger.runsIn);
  if (definition === undefined) return `its function ${trigger.runs} is not known`;
  if (!definition.isTrigger || definition.language !== "plpgsql")
    return `its function ${trigger.runs} is not written in PL/pgSQL`;
  if (trigger.hasTransitions) return "it names the changed rows as tables";
  if (trigger.isDeferred) return "it runs when the transaction commits";
  const quiet: RoutineContext = { ...shared, note: () => undefined };
  const state = createState(definition, quiet, ids, names, [`trigger ${trigger.name}`]);
  state.nested = 1;
  const row = (name: "new" | "old"): RowVariables =>
    declareRecord(names, name, table.columns).fields;
  const isThere = {
    new: trigger.perRow && event !== "delete" && event !== "truncate",
    old: trigger.perRow && event !== "insert" && event !== "truncate",
  };
  const rows = { new: row("new"), old: row("old") };
  // A row that is not there has no values.
  for (const which of ["new", "old"] as const)
    if (!isThere[which])
      for (const variable of rows[which].values()) assign(state, variable, literal(null), START);
  // Generated columns are computed behind BEFORE triggers, whatever these give them.
  const later =
    trigger.timing === "before" ? table.columns.filter(({ generated }) => generated) : [];
  const computed = new Set(later.map(({ name }) => name));
  for (const [column, variable] of isThere.new ? rows.new : [])
    if (computed.has(column)) assign(state, variable, literal(null), START);
  const given = { tg_op: event.toUpperCase(), tg_table_name: trigger.table, tg_name: trigger.name };
  const constants: Readonly<Record<string, string | number>> = {
    ...given,
    tg_relname: trigger.table,
    tg_when: trigger.timing.toUpperCase(),
    tg_level: trigger.perRow ? "ROW" : "STATEMENT",
    tg_nargs: trigger.arguments.length,
  };
  for (const [name, value] of Object.entries(constants))
    declare(names, name, { kind: "value", value: literal(value) });
  declare(names, "tg_argv", { kind: "value", value: argumentsOf(trigger) });
  const condition = conditionOf(trigger, state);
  const before = state.commands;
  state.commands = [];
  lowerBody(state);
  const value = freshVariable(names, `${trigger.name} skips`);
  const done = freshVariable(names, `${trigger.name} done`);
  const source = definition.header;
  const inner = withoutReturns(
    { kind: "sequence", commands: state.commands },
    {
      value,
      done,
      source,
    },
  );
  const start: Command = { kind: "assign", variable: value, value: literal(false), source };
  const whole: Command =
    condition === undefined ? inner : { kind: "if", condition, then: inner, source };
  const run: Command =
    fires === undefined ? whole : { kind: "if", condition: fires, then: whole, source };
  const command = calledFrom(
    { kind: "sequence", commands: [...before, start, run] } as const,
    site,
  );
  return bodyOf(
    {
      trigger,
      event,
      commands: command.kind === "sequence" ? command.commands : [command],
      ...rows,
      skips: value,
      losses: state.taint,
    },
    computed,
  );
}

/** WHEN (...), over NEW and OLD. */
function conditionOf(
  trigger: Trigger,
  state: ReturnType<typeof createState>,
): Expression | undefined {
  if (trigger.when === undefined) return undefined;
  const work = startWork(contextFor(state, trigger.piece, START));
  const condition = lowerExpression(trigger.when, NO_SOURCES, work);
  state.taint.push(...work.taint);
  return condition;
}

/** TG_ARGV: its elements are read by their numbers, from zero. */
function argumentsOf(trigger: Trigger): Expression {
  const values = trigger.arguments.map((each) => literal(each));
  return { kind: "call", name: "tg_argv", arguments: values, deterministic: true };
}
