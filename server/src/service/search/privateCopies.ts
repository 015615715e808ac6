// Reads redirected to private copies of their tables that nobody writes. Every behaviour of the program in which these reads do not go
// stale is a behaviour with the copies.
import { replaceStatements } from "../../frontend/sql/dialectDetection/replaceStatements";
import { walkCommand, walkStatement } from "../../frontend/sql/walk";
import type { Expression } from "../../program/expression";
import type { Program, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import type { Command, SelectStatement, Statement } from "../../program/statement";
import type { StaleRead } from "../findings/causes";

/**
 * The program in which each of the reads finds its own, arbitrary rows in every run. It over-approximates the program without stale results
 * of these reads: their values are free and they lock nothing. So a race that it lacks needs one of these reads in the original. Undefined
 * if a read cannot be located. Linear.
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
    // A loop would read the same copy in every round.
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

/** True if the read contains other queries, or an outer join that produces NULL rows. */
function looksElsewhere(statement: SelectStatement): boolean {
  let queries = 0;
  walkStatement(statement, {
    // The callbacks of `query` look into expressions.
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
