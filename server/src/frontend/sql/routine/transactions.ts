// The commands of a routine as transactions: one, or several where it commits in between.
import type { Parameter, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { inferParameterTypes } from "../types";
import { walkCommand } from "../walk";
import { withoutDeadAssignments } from "./deadAssignments";
import type { RoutineState } from "./state";

export interface RoutineParts {
  readonly name: string;
  readonly header: SourceRange;
  readonly source: SourceRange;
  readonly parameters: readonly Parameter[];
  /** What runs in each of its transactions, in order. */
  readonly parts: readonly (readonly Command[])[];
  readonly table: (name: string) => Table | undefined;
}

/** A transaction for each part that touches a table; later ones take what earlier ones left in variables. */
export function transactionsOf(state: RoutineState, routine: RoutineParts): readonly Transaction[] {
  const { name, header, source, table } = routine;
  const parts = routine.parts.filter(touchesTables);
  return parts.map((commands, at): Transaction => {
    const id = at === 0 ? name : `${name} part ${at + 1}`;
    const carried =
      at === 0
        ? { parameters: [], commands: [] }
        : carriedOver(state, header, commands, parts.slice(0, at));
    const body = withoutDeadAssignments({
      kind: "sequence",
      commands: [...carried.commands, ...commands],
    });
    return {
      id,
      name: id,
      header,
      source,
      boundary: "routine",
      parameters: [...typed(routine.parameters, body, table), ...carried.parameters],
      preconditions: [],
      body,
      annotations: [],
      taint: state.taint,
    };
  });
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
  table: RoutineParts["table"],
): readonly Parameter[] {
  if (parameters.every(({ type }) => type !== "other")) return parameters;
  const inferred = inferParameterTypes(body, table);
  return parameters.map((parameter) =>
    parameter.type === "other"
      ? { ...parameter, type: inferred.get(parameter.name) ?? "other" }
      : parameter,
  );
}

/** A later part of a procedure goes on with the variables of the earlier ones, whatever they are. */
function carriedOver(
  state: RoutineState,
  header: SourceRange,
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
      source: header,
    })),
  };
}
