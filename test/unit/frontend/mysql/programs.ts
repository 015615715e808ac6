// Helpers of the tests of stored routines: a schema, and what routines of a text become.
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Note, Transaction } from "../../../../server/src/program/program";
import type { Table } from "../../../../server/src/program/schema";
import type { FileId } from "../../../../server/src/protocol/source";
import { readCanonical } from "../../../../server/src/frontend/sql/text/canonical";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import {
  lowerStoredRoutines,
  readStoredRoutines,
  storedContext,
} from "../../../../server/src/frontend/sql/mysql/routines";
import { statementKind } from "../../../../server/src/frontend/sql/text/statementKind";
import { schemaOf } from "../pg/programs";

/** The tables that the tests use, in one database; their types are the same in all dialects. */
const SCHEMA = `
CREATE TABLE accounts (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL DEFAULT 0);
CREATE TABLE orders (id serial PRIMARY KEY, account_id int, amount int, status text DEFAULT 'new');
CREATE TABLE log (id serial PRIMARY KEY, account_id int, note text);
CREATE TABLE stock (item int PRIMARY KEY, quantity int NOT NULL CHECK (quantity >= 0));
`;

let tables: Promise<readonly Table[]> | undefined;

export interface RoutinesRead {
  readonly transactions: readonly Transaction[];
  readonly notes: readonly Note[];
}

/** The transactions of all routines of a text. */
export async function routines(text: string, dialect: Dialect = "mysql"): Promise<RoutinesRead> {
  tables ??= schemaOf(SCHEMA).then((schema) =>
    schema.tables.map((table) => ({ ...table, schema: "bank" })),
  );
  const known = await tables;
  return read(text, known, dialect);
}

/** The same over given tables. */
export function read(text: string, known: readonly Table[], dialect: Dialect): RoutinesRead {
  const canonical = readCanonical(text, dialect);
  // Any text will do for an opaque file name.
  const file = "test.sql" as FileId;
  const lines = { ...indexLines(file, canonical.text), written: text };
  const slices = canonical.slices
    .filter(({ start, end }) => statementKind(canonical.text, start, end, dialect) === "routine")
    .map(({ start, end }) => ({ start, end, annotations: [] }));
  const notes: Note[] = [];
  const stored = readStoredRoutines([{ lines, routines: slices, ddl: [], dialect }]);
  const byName = new Map(known.map((table) => [table.name, table] as const));
  const context = storedContext(stored, {
    table: (name) => byName.get(name),
    view: () => undefined,
    note: (note) => {
      notes.push(note);
    },
  });
  const transactions = lowerStoredRoutines(stored, context);
  return { transactions, notes: [...stored.notes, ...notes] };
}
