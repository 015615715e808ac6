// What one transaction of a routine leaves to a later one: what came from tables are arguments there.
import type { Expression, ValueType } from "../../../program/expression";
import type { Parameter } from "../../../program/program";
import type { Command } from "../../../program/statement";
import { freshVariable } from "../routine/names";
import { touchesTables } from "../routine/transactions";
import { walkCommand } from "../walk";
import type { Before, State } from "./state";

/** Commands without sequences inside of each other. */
export function flattened(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command) =>
    command.kind === "sequence" ? flattened(command.commands) : [command],
  );
}

/** Local computations before a transaction; what they make of tables, in branches or not, is an argument. */
export function valuesBefore(
  state: State,
  before: readonly Before[],
): { readonly commands: readonly Command[]; readonly parameters: readonly Parameter[] } {
  const parameters: Parameter[] = [];
  const taken = new Set(state.definition.arguments.map(({ name }) => name));
  const commands = before.flatMap((each) =>
    flattened(each.commands).flatMap((command): readonly Command[] => {
      if (each.isCertain && isLocal(command)) return [command];
      return assignedBy(command).map((variable) => {
        const name = taken.has(variable) ? freshVariable(state.names, variable) : variable;
        const type = state.names.types.get(variable) ?? "other";
        parameters.push({ name, type, origin: "argument" });
        const { header: source } = state.definition;
        return { kind: "assign", variable, value: { kind: "parameter", name }, source };
      });
    }),
  );
  const byName = new Map(parameters.map((each) => [each.name, each] as const));
  return { commands, parameters: [...byName.values()] };
}

/** Neither a statement nor what one has given. */
function isLocal(command: Command): boolean {
  if (touchesTables([command])) return false;
  let isFree = true;
  walkCommand(command, {
    statement: () => {
      isFree = false;
    },
    expression: ({ kind }) => {
      if (kind === "field" || kind === "size" || kind === "affected") isFree = false;
    },
  });
  return isFree;
}

function assignedBy(command: Command): readonly string[] {
  const names = new Set<string>();
  walkCommand(command, {
    command: (each) => each.kind === "assign" && names.add(each.variable),
  });
  return [...names];
}

/** The commands with fields, sizes and counts of results from elsewhere as parameters. */
export function carriedResults(
  commands: readonly Command[],
  types: ReadonlyMap<string, ValueType>,
): { readonly commands: readonly Command[]; readonly parameters: readonly Parameter[] } {
  const own = new Set<string>();
  walkCommand(
    { kind: "sequence", commands },
    {
      statement: (statement) => {
        own.add(statement.id);
        if (statement.kind === "select") own.add(statement.into);
        else if ("returning" in statement && statement.returning !== undefined)
          own.add(statement.returning.into);
      },
    },
  );
  const parameters = new Map<string, Parameter>();
  const nameOf = (part: object): string | undefined => {
    const of = (key: string): string => {
      const value: unknown = Reflect.get(part, key);
      return typeof value === "string" ? value : "";
    };
    const from = (result: string, name: string): string | undefined =>
      own.has(result) ? undefined : name;
    switch (of("kind")) {
      case "field":
        return from(of("result"), `${of("result")}.${of("field")}`);
      case "size":
        return from(of("result"), `rows of ${of("result")}`);
      case "affected":
        return from(of("statement"), `rows of ${of("statement")}`);
      default:
        return undefined;
    }
  };
  const replaced = <Part>(part: Part): Part => {
    if (Array.isArray(part)) {
      // A mapped array of the same elements has the type of the array.
      return part.map((each: unknown) => replaced(each)) as Part;
    }
    if (typeof part !== "object" || part === null) return part;
    const name = nameOf(part);
    if (name !== undefined) {
      const type = name.startsWith("rows of") ? "int" : (types.get(name) ?? "other");
      parameters.set(name, { name, type, origin: "argument" });
      // A parameter is an expression like the one that it stands for.
      const parameter: Expression = { kind: "parameter", name };
      return parameter as Part;
    }
    const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
      return [key, key === "source" ? value : replaced(value)] as const;
    });
    // The same properties with values of the same types.
    return Object.fromEntries(entries) as Part;
  };
  return { commands: replaced(commands), parameters: [...parameters.values()] };
}
