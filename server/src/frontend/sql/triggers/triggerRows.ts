// Shared state of the triggers of one statement: their rows in variables, and the rows that the statement returns for
// them.
import type { Expression, Output } from "../../../program/expression";
import { mapParts } from "../../../program/operands";
import { isDeferred, type Table } from "../../../program/schema";
import type {
  Command,
  DeleteStatement,
  InsertStatement,
  Statement,
  UpdateStatement,
} from "../../../program/statement";
import { literal } from "../expressions";
import type { Ids } from "../lowering";
import { hasQuery } from "../routine/hoist";
import type { RowVariables, TriggerBody } from "./trigger";

/** The triggers that fire at the rows of one statement. */
export interface Firing {
  readonly table: Table;
  readonly ids: Ids;
  readonly before: readonly TriggerBody[];
  readonly after: readonly TriggerBody[];
}

/** The commands that stand for the statement, or why its triggers cannot be said. */
export type Outcome = readonly Command[] | { readonly reason: string };

/** Gives the variables of a row their values; where there is none they keep what they have. */
export function assignRow(
  variables: RowVariables,
  value: (column: string) => Expression | undefined,
  { source }: Statement,
): readonly Command[] {
  return [...variables].flatMap(([column, variable]): readonly Command[] => {
    const given = value(column);
    return given === undefined ? [] : [{ kind: "assign", variable, value: given, source }];
  });
}

export type At = Extract<Expression, { readonly kind: "field" }>["at"];

type Change = InsertStatement | UpdateStatement | DeleteStatement;

/** The statement with further outputs of the rows that it changes; `field` reads one of them. */
export function returningAlso<Kind extends Change>(
  statement: Kind,
  outputs: readonly Output[],
  ids: Ids,
): {
  readonly statement: Kind;
  readonly into: string;
} {
  const { returning } = statement;
  const into = returning?.into ?? ids.result();
  return {
    statement: {
      ...statement,
      returning: { into, outputs: [...(returning?.outputs ?? []), ...outputs] },
    },
    into,
  };
}

/** The name of the output of a column for the triggers. */
export function outputOf(column: string): string {
  return `row.${column}`;
}

/** For each row of a result, or for its only one: `always` where it surely has one. */
export function forRows(
  into: string,
  many: "one" | "at most one" | "many",
  { source }: Statement,
  ids: Ids,
  commands: (at: At) => readonly Command[],
): readonly Command[] {
  if (many === "many") {
    const id = ids.fresh("loop");
    const body: Command = { kind: "sequence", commands: commands({ loop: id }) };
    return [{ kind: "loop", id, over: { kind: "rows", result: into }, body, source }];
  }
  const all = commands("first");
  return many === "one" ? all : [{ kind: "if", ...foundIn(into, all), source }];
}

/** The commands where the result has a row. */
export function foundIn(
  into: string,
  commands: readonly Command[],
): { readonly condition: Expression; readonly then: Command } {
  const left: Expression = { kind: "size", result: into };
  return {
    condition: { kind: "comparison", operator: ">", left, right: literal(0) },
    then: { kind: "sequence", commands },
  };
}

/** The expression with the columns of a relation replaced; undefined where it asks the database. */
export function atRow(
  expression: Expression,
  alias: string,
  value: (column: string) => Expression,
): Expression | undefined {
  if (hasQuery(expression)) return undefined;
  const replace = (part: Expression): Expression =>
    part.kind === "column" && part.relation === alias
      ? value(part.column)
      : mapParts(part, replace);
  return replace(expression);
}

/** The columns of a relation that an expression names outside of its queries. */
export function columnsIn(expression: Expression, alias: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (part: Expression): Expression => {
    if (part.kind === "column" && part.relation === alias) found.add(part.column);
    return mapParts(part, visit);
  };
  visit(expression);
  return found;
}

/** True if it depends on a row, of whichever relation. */
function hasColumn(expression: Expression): boolean {
  let found = expression.kind === "column";
  mapParts(expression, (part) => {
    found ||= hasColumn(part);
    return part;
  });
  return found;
}

/** True if the condition chooses one row at most, by all columns of a key. */
export function isKeyed(where: Expression, alias: string, table: Table): boolean {
  const fixed = new Set<string>();
  const visit = (part: Expression): void => {
    if (part.kind === "and") part.operands.forEach(visit);
    if (part.kind !== "comparison" || part.operator !== "=") return;
    for (const [own, other] of [
      [part.left, part.right],
      [part.right, part.left],
    ] as const) {
      const isOwn = own.kind === "column" && own.relation === alias;
      if (isOwn && !hasColumn(other) && !hasQuery(other)) fixed.add(own.column);
    }
  };
  visit(where);
  const keys = [
    table.primaryKey,
    ...table.uniqueKeys
      .filter((key) => key.where === undefined && !isDeferred(key))
      .map(({ columns }) => columns),
  ];
  return keys.some((key) => key.length > 0 && key.every((column) => fixed.has(column)));
}

/** True if the body may leave its row out. */
export function maySkip({ commands, skips }: TriggerBody): boolean {
  const visit = (command: Command): boolean => {
    switch (command.kind) {
      case "assign": {
        const { value } = command;
        return command.variable === skips && !(value.kind === "literal" && value.value === false);
      }
      case "sequence":
        return command.commands.some(visit);
      case "if":
        return visit(command.then) || (command.otherwise !== undefined && visit(command.otherwise));
      case "loop":
      case "atomic":
        return visit(command.body);
      case "try":
        return visit(command.body) || visit(command.handler);
      default:
        return false;
    }
  };
  return commands.some(visit);
}
