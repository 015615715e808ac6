// The commands of a routine as transactions: one, or several if it commits.
import type { Taint } from "../../../program/precision";
import type { DeclaredLevel, Parameter, Transaction } from "../../../program/program";
import type { Table } from "../../../program/schema";
import type { Command } from "../../../program/statement";
import type { SourceRange } from "../../../protocol/source";
import { inferParameterTypes } from "../types";
import { walkCommand } from "../walk";
import { withoutDeadAssignments } from "./deadAssignments";
import type { RoutineState } from "./state";

/** The commands in one transaction of a routine. */
export interface RoutinePart {
  readonly commands: readonly Command[];
  /** Commands of other parts that may leave values in variables. */
  readonly outside: readonly Command[];
  readonly boundary: Transaction["boundary"];
  readonly level?: DeclaredLevel;
  /** Parameters of this part only. */
  readonly parameters?: readonly Parameter[];
}

export interface RoutineParts {
  readonly name: string;
  readonly header: SourceRange;
  readonly source: SourceRange;
  readonly parameters: readonly Parameter[];
  /** In text order. */
  readonly parts: readonly RoutinePart[];
  readonly table: (name: string) => Table | undefined;
}

/** A transaction for each part that touches a table; values left in variables by other parts are its arguments. */
export function transactionsOf(state: RoutineState, routine: RoutineParts): readonly Transaction[] {
  const { name, header, source, table } = routine;
  const parts = routine.parts.filter(({ commands }) => touchesTables(commands));
  const counts = { autocommit: 0, other: 0 };
  const single = parts.length === 1;
  return parts.map((part): Transaction => {
    const { commands, outside, boundary, level } = part;
    const isSingle = boundary === "autocommit" && !single;
    const number = isSingle ? ++counts.autocommit : ++counts.other;
    const numbered = number === 1 ? name : `${name} part ${number}`;
    const id = isSingle ? `${name} statement ${number}` : numbered;
    const carried = carriedOver(state, header, commands, outside);
    const body = withoutDeadAssignments({
      kind: "sequence",
      commands: [...carried.commands, ...outside.flatMap(sessionLocksIn), ...commands],
    });
    const own = [...carried.parameters, ...(part.parameters ?? [])];
    return {
      id,
      name: id,
      header,
      source,
      boundary,
      parameters: [
        ...typed(routine.parameters, body, table),
        ...typed(used(own, body), body, table),
      ],
      preconditions: [],
      body,
      ...(level === undefined ? {} : { level }),
      annotations: [],
      taint: state.taint,
    };
  });
}

/** The parameters that the body uses. */
function used(parameters: readonly Parameter[], body: Command): readonly Parameter[] {
  const names = new Set<string>();
  walkCommand(body, {
    expression: (part) => part.kind === "parameter" && names.add(part.name),
  });
  return parameters.filter(({ name }) => names.has(name));
}

/** True if the commands read or change a table. */
export function touchesTables(commands: readonly Command[]): boolean {
  let touches = false;
  walkCommand(
    { kind: "sequence", commands },
    {
      relation: () => {
        touches = true;
      },
      statement: (statement) => {
        const { kind } = statement;
        if (kind !== "select" && (kind !== "lock" || statement.table !== undefined)) touches = true;
      },
    },
  );
  return touches;
}

/** The locks that the session takes there, and may hold while another part runs. */
export function sessionLocksIn(command: Command): readonly Command[] {
  const found: Command[] = [];
  walkCommand(command, {
    command: (each) => {
      if (each.kind !== "statement" || each.statement.kind !== "lock") return;
      const { granted: _, ...statement } = each.statement;
      if (statement.outlives !== true || statement.releases === true) return;
      const { source } = statement;
      const loss: Taint = { effect: "outside", reason: CARRIED, source };
      const taint = [...statement.taint, loss];
      found.push({ ...each, statement: { ...statement, taint } });
    },
  });
  return found;
}

const CARRIED = "a lock of the session that another part of the routine asks for";

/** Parameters of an uninformative type get the type of what they are compared with. */
function typed(
  parameters: readonly Parameter[],
  body: Command,
  table: RoutineParts["table"],
): readonly Parameter[] {
  if (parameters.every(({ type }) => type !== "other")) return parameters;
  const inferred = inferParameterTypes(body, table).scalars;
  return parameters.map((parameter) =>
    parameter.type === "other"
      ? { ...parameter, type: inferred.get(parameter.name) ?? "other" }
      : parameter,
  );
}

/** A part of a procedure starts with arbitrary values of the other parts' variables. */
function carriedOver(
  state: RoutineState,
  header: SourceRange,
  commands: readonly Command[],
  outside: readonly Command[],
): { readonly parameters: readonly Parameter[]; readonly commands: readonly Command[] } {
  const set = new Set<string>();
  walkCommand(
    { kind: "sequence", commands: outside },
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
