// Values that one transaction of a routine passes to a later one: what came from tables becomes an argument there.
import type { Expression, ValueType } from "../../../program/expression";
import type { Parameter } from "../../../program/program";
import type { Command, LoopRange } from "../../../program/statement";
import { freshVariable } from "../routine/names";
import { sessionLocksIn, touchesTables } from "../routine/transactions";
import { walkCommand } from "../walk";
import type { Before, State } from "./state";

/** Commands without nested sequences. */
export function flattenSequences(commands: readonly Command[]): readonly Command[] {
  return commands.flatMap((command) =>
    command.kind === "sequence" ? flattenSequences(command.commands) : [command],
  );
}

/** Local computations before a transaction; their results from tables, conditional or not, become arguments. */
export function valuesBefore(
  state: State,
  before: readonly Before[],
): { readonly commands: readonly Command[]; readonly parameters: readonly Parameter[] } {
  const parameters: Parameter[] = [];
  const taken = new Set(state.definition.arguments.map(({ name }) => name));
  const commands = before.flatMap((each) =>
    flattenSequences(each.commands).flatMap((command): readonly Command[] => {
      if (each.isCertain && isLocal(command)) return [command];
      const values = assignedBy(command).map((variable): Command => {
        const name = taken.has(variable) ? freshVariable(state.names, variable) : variable;
        const type = state.names.types.get(variable) ?? "other";
        parameters.push({ name, type, origin: "argument" });
        const { header: source } = state.definition;
        return { kind: "assign", variable, value: { kind: "parameter", name }, source };
      });
      return [...sessionLocksIn(command), ...values];
    }),
  );
  const byName = new Map(parameters.map((each) => [each.name, each] as const));
  return { commands, parameters: [...byName.values()] };
}

/** True for neither a statement nor a use of its result. */
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

/** The commands with fields, sizes and counts of foreign results as parameters. */
export function carriedResults(
  commands: readonly Command[],
  types: ReadonlyMap<string, ValueType>,
): { readonly commands: readonly Command[]; readonly parameters: readonly Parameter[] } {
  const own = new Set<string>();
  const whole: Command = { kind: "sequence", commands };
  walkCommand(whole, {
    statement: (statement) => {
      own.add(statement.id);
      if (statement.kind === "select") own.add(statement.into);
      else if ("returning" in statement && statement.returning !== undefined)
        own.add(statement.returning.into);
    },
  });
  const parameters = new Map<string, Parameter>();
  let loops = 0;
  walkCommand(whole, {
    command: (each) => {
      if (each.kind === "loop" && each.over.kind === "rows" && !own.has(each.over.result)) loops++;
    },
    expression: (each) => {
      const name = foreignName(each, own);
      if (name === undefined) return;
      const type = each.kind === "field" ? (types.get(name) ?? "other") : "int";
      parameters.set(name, { name, type, origin: "argument" });
    },
  });
  if (parameters.size === 0 && loops === 0) return { commands, parameters: [] };
  return { commands: replaced(commands, own), parameters: [...parameters.values()] };
}

/** The parameter name for a field, size or count of a foreign result. */
function foreignName(expression: Expression, own: ReadonlySet<string>): string | undefined {
  switch (expression.kind) {
    case "field": {
      const { result, field } = expression;
      return own.has(result) ? undefined : `${result}.${field}`;
    }
    case "size":
      return own.has(expression.result) ? undefined : `rows of ${expression.result}`;
    case "affected":
      return own.has(expression.statement) ? undefined : `rows of ${expression.statement}`;
    default:
      return undefined;
  }
}

/** A copy with these as parameters; a loop over foreign rows runs any number of times. */
function replaced<Part>(part: Part, own: ReadonlySet<string>): Part {
  if (Array.isArray(part)) {
    // A mapped array of the same elements has the type of the array.
    return part.map((each: unknown) => replaced(each, own)) as Part;
  }
  if (typeof part !== "object" || part === null) return part;
  // Only commands, expressions and loop ranges are objects with these kinds.
  const node = part as Partial<Expression> | Partial<LoopRange>;
  if (node.kind === "rows" && !own.has(node.result ?? "")) {
    const unknown: LoopRange = { kind: "unknown" };
    return unknown as Part;
  }
  if (node.kind === "field" || node.kind === "size" || node.kind === "affected") {
    const name = foreignName(node as Expression, own);
    const parameter: Expression | undefined =
      name === undefined ? undefined : { kind: "parameter", name };
    if (parameter !== undefined) return parameter as Part;
  }
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => {
    return [key, key === "source" ? value : replaced(value, own)] as const;
  });
  // The same properties with values of the same types.
  return Object.fromEntries(entries) as Part;
}
