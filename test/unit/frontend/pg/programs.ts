// Helpers of the tests of PostgreSQL's lowering: a schema, statements and routines as short text.
import { indexLines, type LineIndex } from "../../../../server/src/frontend/sql/text/lines";
import {
  createIds,
  plainPiece,
  type LoweringContext,
  type SqlPiece,
} from "../../../../server/src/frontend/sql/lowering";
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import type { PgParser } from "../../../../server/src/frontend/sql/pg/pgParser";
import { lowerRoutine } from "../../../../server/src/frontend/sql/pg/plpgsql/routine";
import {
  readDefinition,
  type RoutineDefinition,
} from "../../../../server/src/frontend/sql/pg/plpgsql/routineDefinition";
import {
  readPgSchema,
  type PgSchemaReading,
} from "../../../../server/src/frontend/sql/pg/schema/schema";
import { lowerWithPg } from "../../../../server/src/frontend/sql/pg/statement";
import { byCall } from "../../../../server/src/frontend/sql/routines";
import { splitStatements } from "../../../../server/src/frontend/sql/text/split";
import type { Note, Transaction } from "../../../../server/src/program/program";
import type { Taint } from "../../../../server/src/program/precision";
import type { Command } from "../../../../server/src/program/statement";
import type { FileId } from "../../../../server/src/protocol/source";
import { renderCommand } from "../sql/render";

/** The tables that most tests use. */
export const SCHEMA = `
CREATE TYPE state AS ENUM ('new', 'done');
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance numeric(12,2) NOT NULL DEFAULT 0);
CREATE TABLE items (id serial PRIMARY KEY, name text UNIQUE, stock int NOT NULL DEFAULT 0 CHECK (stock >= 0));
CREATE TABLE orders (id bigserial PRIMARY KEY, item_id int REFERENCES items, quantity int, status state DEFAULT 'new', created_at timestamptz DEFAULT now());
CREATE TABLE log (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), account_id int, amount numeric, note text);
CREATE TABLE jobs (id int PRIMARY KEY, state text, worker int, tries int DEFAULT 0, run_at timestamptz);
CREATE TABLE t (a int, b int, c text, d boolean, PRIMARY KEY (a));
CREATE TABLE u (a int, x int, y text);
CREATE VIEW rich AS SELECT id, owner FROM accounts WHERE balance > 1000;
CREATE VIEW numbered AS SELECT id, n FROM accounts, generate_series(1, 2) AS n;
`;

let loaded: Promise<PgParser> | undefined;

/** PostgreSQL's parser, loaded once. */
export function parser(): Promise<PgParser> {
  loaded ??= loadPgParser();
  return loaded;
}

function lines(text: string, name = "test.sql"): LineIndex {
  // Any text will do for an opaque file name.
  return indexLines(name as FileId, text);
}

/** The statements of a text as pieces. */
export function pieces(text: string, name?: string): readonly SqlPiece[] {
  const index = lines(text, name);
  return splitStatements(text).slices.map(({ start, end }) => plainPiece(index, start, end));
}

export async function schemaOf(ddl: string): Promise<PgSchemaReading> {
  return readPgSchema(pieces(ddl), await parser());
}

export interface Read {
  /** One line per command. */
  readonly commands: readonly string[];
  readonly losses: readonly Taint[];
  readonly notes: readonly Note[];
}

/** One statement in the schema above; `$n` is the parameter `n`, names that are no column are unknown. */
export async function statement(
  sql: string,
): Promise<Read & { readonly columns: readonly string[] }> {
  const schema = await schemaOf(SCHEMA);
  const notes: Note[] = [];
  const table = (name: string) => schema.tables.find((each) => each.name === name);
  const context: LoweringContext = {
    piece: plainPiece(lines(sql), 0, sql.length),
    table,
    view: (name) => schema.view(name, table),
    placeholder: (number) => ({ kind: "parameter", name: String(number) }),
    variable: () => undefined,
    ids: createIds("s"),
    note: (note) => {
      notes.push(note);
    },
  };
  const result = lowerWithPg(context, await parser());
  if (!result.ok) return { commands: [`! ${result.message}`], losses: [], notes, columns: [] };
  const { statements, commands, result: rows } = result.lowered;
  const all =
    commands ?? statements.map((each): Command => ({ kind: "statement", statement: each }));
  return {
    commands: all.flatMap((command) => renderCommand(command)),
    losses: statements.flatMap((each) => each.taint),
    notes,
    columns: rows?.columns ?? [],
  };
}

export interface RoutineRead {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

/** The transactions of all routines of a text, over its own DDL behind the schema above. */
export async function routines(text: string): Promise<RoutineRead> {
  const pg = await parser();
  const notes: Note[] = [];
  const index = lines(text);
  const schema = readPgSchema([...pieces(SCHEMA, "schema.sql"), ...pieces(text)], pg);
  const table = (name: string) => schema.tables.find((each) => each.name === name);
  const definitions: RoutineDefinition[] = [];
  for (const slice of splitStatements(text).slices) {
    if (
      !/^\s*(create\s+(or\s+replace\s+)?(function|procedure)|do)\b/i.test(
        text.slice(slice.start, slice.end),
      )
    )
      continue;
    const read = readDefinition({ lines: index, start: slice.start, end: slice.end }, pg);
    if (read.ok) definitions.push(read.definition);
    else
      notes.push({ severity: "error", code: "syntax", message: read.message, source: read.source });
  }
  const shared = {
    parser: pg,
    table,
    view: (name: string) => schema.view(name, table),
    note: (note: Note) => {
      notes.push(note);
    },
    routine: byCall(definitions),
  };
  const transactions = definitions.flatMap((each) => lowerRoutine(each, shared));
  return { transactions, notes };
}

/** A transaction as text, its losses last. */
export function describe(transaction: Transaction): readonly string[] {
  const parameters = transaction.parameters.map(({ name, type }) => `${name} ${type}`).join(", ");
  const losses = [...transaction.taint, ...lossesOf(transaction.body)];
  return [
    `${transaction.name}(${parameters})`,
    ...renderCommand(transaction.body, "  "),
    ...losses.map(({ effect, reason }) => `! ${effect}: ${reason}`),
  ];
}

/** The losses of all statements of a command. */
export function lossesOf(command: Command): readonly Taint[] {
  switch (command.kind) {
    case "statement":
      return command.statement.taint;
    case "sequence":
      return command.commands.flatMap(lossesOf);
    case "if":
      return [
        ...lossesOf(command.then),
        ...(command.otherwise === undefined ? [] : lossesOf(command.otherwise)),
      ];
    case "loop":
      return lossesOf(command.body);
    case "try":
      return [...lossesOf(command.body), ...lossesOf(command.handler)];
    default:
      return [];
  }
}
