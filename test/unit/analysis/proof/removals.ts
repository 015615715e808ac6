// A program without one of the things that make programs safe: an update in place, a lock, a key.
import type { Expression } from "../../../../server/src/program/expression";
import type { Program } from "../../../../server/src/program/program";
import type { Table } from "../../../../server/src/program/schema";
import type {
  Command,
  SelectStatement,
  Statement,
  UpdateStatement,
} from "../../../../server/src/program/statement";

export interface Removal {
  /** The part that is removed, and of whom. */
  readonly what: string;
  readonly program: Program;
}

/** Each program that lacks one of them. */
export function removalsOf(program: Program): readonly Removal[] {
  return [...ofStatements(program), ...ofKeys(program)];
}

function ofStatements(program: Program): readonly Removal[] {
  const removals: Removal[] = [];
  for (const { id, name, body } of program.transactions)
    for (const statement of statementsIn(body)) {
      const without = replacement(statement);
      if (!without) continue;
      const transactions = program.transactions.map((each) =>
        each.id === id ? { ...each, body: replaced(each.body, statement, without.by) } : each,
      );
      const text = statement.text.replace(/\s+/g, " ").slice(0, 50);
      removals.push({
        what: `${without.what} of ${name}: ${text}`,
        program: { ...program, transactions },
      });
    }
  return removals;
}

function replacement(
  statement: Statement,
): { readonly what: string; readonly by: readonly Statement[] } | undefined {
  if (statement.kind === "select" && statement.query.lock) {
    const { lock: _, ...query } = statement.query;
    return { what: "the lock", by: [{ ...statement, query }] };
  }
  if (statement.kind !== "update") return undefined;
  const by = readFirst(statement);
  return by && { what: "the update in place", by };
}

/** The columns that the assignments mention are read by a statement of its own before. */
function readFirst(
  statement: UpdateStatement,
): readonly [SelectStatement, UpdateStatement] | undefined {
  const { relation, from, set, where, id, source, text, taint } = statement;
  const columns = new Set<string>();
  const into = `read before ${id}`;
  const moved = set.map(({ column, value }) => ({
    column,
    value: mapColumns(value, (named) => {
      columns.add(named);
      return { kind: "field", result: into, field: named, at: "first" };
    }),
  }));
  if (columns.size === 0 || from.length > 0) return undefined;
  const outputs = [...columns].map((name) => ({
    name,
    value: { kind: "column", relation: relation.alias, column: name } as const,
  }));
  const query = {
    relations: [relation],
    where,
    outputs,
    groupBy: [],
    orderBy: [],
    distinct: false,
    setOperations: [],
  };
  const base = { id: `${id}/before`, source, text, taint };
  return [
    { ...base, kind: "select", query, into, discarded: false },
    { ...statement, set: moved },
  ];
}

function mapColumns(value: Expression, map: (column: string) => Expression): Expression {
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    return "kind" in part && part.kind === "column" && "column" in part
      ? map(String(part.column))
      : part;
  });
  // Plain data of the same type: columns became expressions.
  return JSON.parse(text) as Expression;
}

function statementsIn(command: Command): readonly Statement[] {
  if (command.kind === "statement") return [command.statement];
  return partsOf(command).flatMap(statementsIn);
}

function partsOf(command: Command): readonly Command[] {
  switch (command.kind) {
    case "sequence":
      return command.commands;
    case "if":
      return [command.then, ...(command.otherwise ? [command.otherwise] : [])];
    case "loop":
    case "atomic":
      return [command.body];
    case "try":
      return [command.body, command.handler];
    default:
      return [];
  }
}

function replaced(command: Command, old: Statement, by: readonly Statement[]): Command {
  const inside = (each: Command): Command => replaced(each, old, by);
  switch (command.kind) {
    case "statement": {
      if (command.statement !== old) return command;
      const commands = by.map((statement) => ({ kind: "statement", statement }) as const);
      return { kind: "sequence", commands };
    }
    case "sequence":
      return { ...command, commands: command.commands.map(inside) };
    case "if": {
      const { then, otherwise } = command;
      return { ...command, then: inside(then), ...(otherwise && { otherwise: inside(otherwise) }) };
    }
    case "loop":
    case "atomic":
      return { ...command, body: inside(command.body) };
    case "try":
      return { ...command, body: inside(command.body), handler: inside(command.handler) };
    default:
      return command;
  }
}

function ofKeys(program: Program): readonly Removal[] {
  const { tables } = program.schema;
  const withTable = (changed: Table): Program => ({
    ...program,
    schema: {
      ...program.schema,
      tables: tables.map((each) => (each.name === changed.name ? changed : each)),
    },
  });
  return tables.flatMap((table): readonly Removal[] => [
    ...(table.primaryKey.length > 0
      ? [
          {
            what: `the primary key of ${table.name}`,
            program: withTable({ ...table, primaryKey: [] }),
          },
        ]
      : []),
    ...table.uniqueKeys.map((key) => ({
      what: `the unique key of ${table.name} on ${key.columns.join(", ")}`,
      program: withTable({ ...table, uniqueKeys: table.uniqueKeys.filter((each) => each !== key) }),
    })),
    ...table.foreignKeys.map((key) => ({
      what: `the foreign key of ${table.name} to ${key.table}`,
      program: withTable({
        ...table,
        foreignKeys: table.foreignKeys.filter((each) => each !== key),
      }),
    })),
  ]);
}
