// Routines as transactions: a function or procedure that a client calls is a transaction of its own, one that
// another routine calls is inlined there.
import type { Expression } from "../../../program/expression";
import type { Parameter, Transaction } from "../../../program/program";
import type { Command } from "../../../program/statement";
import { createIds } from "../lowering";
import { inferParameterTypes } from "../types";
import { walkCommand } from "../walk";
import { withoutDeadAssignments } from "../routine/deadAssignments";
import { createNames, declare, declareRecord, declareVariable, fieldOf } from "../routine/names";
import { assign } from "../routine/state";
import type { RoutineContext, State } from "./plState";
import { assignedIn, createState, finishReturn, lowerBody, rowOf, START } from "./routineBody";
import { declaredType, type RoutineDefinition } from "./routineDefinition";

/**
 * The transactions of a routine: one, or several when it is a procedure that commits in between; none for a
 * trigger function and for a routine that touches no table. Never fails.
 */
export function lowerRoutine(
  definition: RoutineDefinition,
  shared: RoutineContext,
): readonly Transaction[] {
  if (definition.isTrigger) {
    const message = `${definition.name} is run by a trigger, which is not analysed.`;
    const source = definition.header;
    shared.note({ severity: "information", code: "trigger", message, source });
    return [];
  }
  const { name } = definition;
  const state = createState(definition, shared, createIds(name), createNames(), []);
  const parameters = declareArguments(state);
  lowerBody(state);
  finishReturn(state);
  const parts = [...state.finished, state.commands].filter(touchesTables);
  return parts.map((commands, at): Transaction => {
    const id = at === 0 ? name : `${name} part ${at + 1}`;
    const carried =
      at === 0
        ? { parameters: [], commands: [] }
        : carriedOver(state, commands, parts.slice(0, at));
    const body = withoutDeadAssignments({
      kind: "sequence",
      commands: [...carried.commands, ...commands],
    });
    return {
      id,
      name: id,
      header: definition.header,
      source: definition.source,
      boundary: "routine",
      parameters: [...typed(parameters, body, shared), ...carried.parameters],
      preconditions: [],
      body,
      annotations: [],
      taint: state.taint,
    };
  });
}

/** The arguments of the transaction, with what their names stand for in the body. */
function declareArguments(state: State): readonly Parameter[] {
  const { definition, names, shared } = state;
  const assigned = assignedIn(definition);
  const parameters: Parameter[] = [];
  for (const argument of definition.arguments) {
    const { name } = argument;
    const type = declaredType(argument.type, shared.table);
    const columns = rowOf(argument, shared);
    if (columns !== undefined) {
      const record = declareRecord(names, name, columns);
      if (!argument.isInput) continue;
      for (const column of columns) {
        const parameter = `${name}.${column.name}`;
        parameters.push({ name: parameter, type: column.type, origin: "argument" });
        const value: Expression = { kind: "parameter", name: parameter };
        assign(state, fieldOf(names, record, column.name), value, START);
      }
      continue;
    }
    if (!argument.isInput) {
      declareVariable(names, name, type);
      continue;
    }
    parameters.push({ name, type, origin: "argument" });
    const value: Expression = { kind: "parameter", name };
    if (!assigned.has(name) && !argument.isOutput) declare(names, name, { kind: "value", value });
    else assign(state, declareVariable(names, name, type), value, START);
  }
  return parameters;
}

function touchesTables(commands: readonly Command[]): boolean {
  let touches = false;
  walkCommand(
    { kind: "sequence", commands },
    {
      relation: () => {
        touches = true;
      },
      statement: (statement) => {
        if (statement.kind !== "select") touches = true;
      },
    },
  );
  return touches;
}

/** Arguments of a type that says nothing get the type of what they are compared with. */
function typed(
  parameters: readonly Parameter[],
  body: Command,
  shared: RoutineContext,
): readonly Parameter[] {
  if (parameters.every(({ type }) => type !== "other")) return parameters;
  const inferred = inferParameterTypes(body, shared.table);
  return parameters.map((parameter) =>
    parameter.type === "other"
      ? { ...parameter, type: inferred.get(parameter.name) ?? "other" }
      : parameter,
  );
}

/** A later part of a procedure goes on with the variables of the earlier ones, whatever they are. */
function carriedOver(
  state: State,
  commands: readonly Command[],
  before: readonly (readonly Command[])[],
): { readonly parameters: readonly Parameter[]; readonly commands: readonly Command[] } {
  const set = new Set<string>();
  walkCommand(
    { kind: "sequence", commands: before.flat() },
    { command: (command) => command.kind === "assign" && set.add(command.variable) },
  );
  const read = new Set<string>();
  walkCommand(
    { kind: "sequence", commands },
    { expression: (part) => part.kind === "variable" && set.has(part.name) && read.add(part.name) },
  );
  const names = [...read];
  return {
    parameters: names.map((name) => ({
      name,
      type: state.names.types.get(name) ?? "other",
      origin: "argument",
    })),
    commands: names.map((name) => ({
      kind: "assign",
      variable: name,
      value: { kind: "parameter", name },
      source: state.definition.header,
    })),
  };
}
