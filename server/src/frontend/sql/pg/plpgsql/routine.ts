// Routines as transactions: a function or procedure called by a client is a transaction, one called by another routine is inlined there.
import type { TypeName } from "libpg-query";
import type { Expression, ValueType } from "../../../../program/expression";
import { ONE_SNAPSHOT } from "../../../../program/declaredLevel";
import type { DeclaredLevel, Parameter, Transaction } from "../../../../program/program";
import type { Command, Statement } from "../../../../program/statement";
import { createIds } from "../../lowering";
import { createNames, declare, declareRecord, declareVariable, fieldOf } from "../../routine/names";
import { assign } from "../../routine/state";
import { transactionsOf } from "../../routine/transactions";
import { walkCommand } from "../../walk";
import { typeText } from "../ast";
import { valueTypeOf } from "../valueType";
import type { State } from "./state";
import { assignedIn, createState, finishReturn, lowerBody, rowOf, START } from "./routineBody";
import { declaredType, type RoutineDefinition, type RoutineContext } from "./routineDefinition";

/**
 * The transactions of a routine: one, or several if it is a procedure that commits; none for a trigger function and for a routine that
 * touches no table. Never fails.
 */
export function lowerRoutine(
  definition: RoutineDefinition,
  shared: RoutineContext,
): readonly Transaction[] {
  // Trigger functions run where their triggers fire.
  if (definition.isTrigger) return [];
  const { name } = definition;
  const state = createState(definition, shared, createIds(name), createNames(), []);
  const parameters = declareArguments(state);
  lowerBody(state);
  finishReturn(state);
  const parts = [...state.finished, state.commands];
  const level: DeclaredLevel | undefined =
    definition.readsOneSnapshot && !changesRows(parts.flat())
      ? { name: ONE_SNAPSHOT, from: "sql", source: definition.header }
      : undefined;
  return transactionsOf(state, {
    name,
    header: definition.header,
    source: definition.source,
    parameters,
    parts: parts.map((commands, at) => ({
      commands,
      outside: parts.slice(0, at).flat(),
      boundary: "routine",
      ...(level && { level }),
    })),
    table: shared.table,
  });
}

/** True for anything but reads, which a STABLE function may only do through VOLATILE ones that it calls. */
function changesRows(commands: readonly Command[]): boolean {
  let changes = false;
  const statement = ({ kind }: Statement): void => {
    changes ||= kind !== "select";
  };
  walkCommand({ kind: "sequence", commands }, { statement });
  return changes;
}

/** The transaction's parameters, bound to their names in the body. */
function declareArguments(state: State): readonly Parameter[] {
  const { definition, names, shared } = state;
  const assigned = assignedIn(definition);
  const parameters: Parameter[] = [];
  const nullable = definition.isStrict ? {} : { nullable: true as const };
  for (const argument of definition.arguments) {
    const { name } = argument;
    const type = declaredType(argument.type, shared.table);
    const columns = rowOf(argument, shared);
    if (columns !== undefined) {
      const record = declareRecord(names, name, columns);
      if (!argument.isInput) continue;
      for (const column of columns) {
        const parameter = `${name}.${column.name}`;
        parameters.push({ name: parameter, type: column.type, origin: "argument", ...nullable });
        const value: Expression = { kind: "parameter", name: parameter };
        assign(state, fieldOf(names, record, column.name), value, START);
      }
      continue;
    }
    if (!argument.isInput) {
      declareVariable(names, name, type);
      continue;
    }
    const elements = elementsOf(argument.type);
    parameters.push({ name, type, ...(elements && { elements }), origin: "argument", ...nullable });
    const value: Expression = elements
      ? { kind: "array", parameter: name, elements }
      : { kind: "parameter", name };
    if (!assigned.has(name) && !argument.isOutput) declare(names, name, { kind: "value", value });
    else assign(state, declareVariable(names, name, type), value, START);
  }
  return parameters;
}

/** The type of an array's elements. */
function elementsOf(type: TypeName | undefined): ValueType | undefined {
  const name = typeText(type);
  return name.endsWith("[]") ? valueTypeOf(name.slice(0, -2)) : undefined;
}
