// Reads that look at copies of their tables which nobody writes: whatever is possible in the program without these reads
// going stale is possible with the copies too.
import { replaceStatements } from "../../frontend/sql/dialectDetection/replaceStatements";
import { walkCommand, walkStatement } from "../../frontend/sql/walk";
import type { Expression } from "../../program/expression";
import type { Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command, SelectStatement, Statement } from "../../program/statement";
import type { StaleRead } from "../findings/causes";

/**
 * The program in which each of the reads finds rows of its own, another set in every run. It does all that the program
 * does but for the reads' going stale, and more: their values are free and they lock nothing. So a race that it has not,
 * the program has not without one of these reads. Undefined where a read cannot be told apart from the rest. Linear.
 */
export function withPrivateCopies(
  program: Program,
  reads: readonly StaleRead[],
): Program | undefined {
  const tables = new Map(program.schema.tables.map((table) => [table.name, table]));
  const copies: Table[] = [];
  const replaced = new Set<StaleRead>();
  const copyOf = (transaction: Transaction): Transaction => {
    const own = reads.filter((read) => read.transaction === transaction.id);
    // A loop would find the same rows each time.
    if (own.length === 0 || hasLoop(transaction.body)) return transaction;
    const parameters: Transaction["parameters"][number][] = [];
    const changed = replaceStatements(transaction, (statement) => {
      const meant = own.filter((read) => isAt(statement, read));
      if (meant.length === 0 || statement.kind !== "select") return undefined;
      const run = `${NAME}_${String(copies.length)}`;
      const copied = privateRead(statement, tables, run);
      if (!copied) return undefined;
      for (const read of meant) replaced.add(read);
      copies.push(...copied.tables);
      parameters.push({ name: run, type: "int", origin: "argument" });
      return [{ kind: "statement", statement: copied.statement }];
    });
    return { ...changed, parameters: [...changed.parameters, ...parameters] };
  };
  const transactions = program.transactions.map(copyOf);
  if (reads.some((read) => !replaced.has(read))) return undefined;
  const schema = { ...program.schema, tables: [...program.schema.tables, ...copies] };
  return { ...program, transactions, schema };
}

const NAME = "isolens_copy";

function privateRead(
  statement: SelectStatement,
  tables: ReadonlyMap<string, Table>,
  run: string,
): { readonly statement: SelectStatement; readonly tables: readonly Table[] } | undefined {
  const { lock: _, ...query } = statement.query;
  const sources = query.relations.flatMap(({ kind, table }) =>
    kind === "base" ? (tables.get(table) ?? []) : [],
  );
  if (sources.length < query.relations.length || looksElsewhere(statement)) return undefined;
  const nameOf = (at: number): string => `${run}_${String(at)}`;
  const isOfRun = query.relations.map(({ alias }): Expression => ({
    kind: "comparison",
    operator: "=",
    left: { kind: "column", relation: alias, column: NAME },
    right: { kind: "parameter", name: run },
  }));
  const relations = query.relations.map((each, at) => ({ ...each, table: nameOf(at) }));
  const where: Expression = { kind: "and", operands: [...isOfRun, query.where] };
  return {
    statement: { ...statement, query: { ...query, relations, where } },
    tables: sources.map((table, at) => ({
      name: nameOf(at),
      columns: [...table.columns, { name: NAME, type: "int", nullable: false }],
      primaryKey: [],
      uniqueKeys: [],
      foreignKeys: [],
      checks: [],
      inferred: false,
    })),
  };
}

function hasLoop(body: Command): boolean {
  let has = false;
  walkCommand(body, {
    command: ({ kind }) => {
      if (kind === "loop") has = true;
    },
  });
  return has;
}

/** True if other queries are part of it, or rows that an outer join makes up, of no run. */
function looksElsewhere(statement: SelectStatement): boolean {
  let queries = 0;
  walkStatement(statement, {
    // Parts of expressions are looked into where they are asked for.
    expression: () => undefined,
    query: () => {
      queries += 1;
    },
  });
  const { relations } = statement.query;
  return queries > 1 || relations.some(({ join }) => join !== "inner" && join !== "cross");
}

function isAt({ source }: Statement, { read }: StaleRead): boolean {
  return (
    read !== undefined &&
    source.file === read.file &&
    JSON.stringify(source.range) === JSON.stringify(read.range)
  );
}
