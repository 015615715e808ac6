// Programs of application code as the AR, printed.
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { CodeParsers } from "../../../../server/src/frontend/code/workspace/codeParsers";
import { createModuleReader } from "../../../../server/src/frontend/code/modules/modules";
import { librariesWith } from "../../../../server/src/frontend/code/libraries/libraries";
import { readCode } from "../../../../server/src/frontend/code/readCode";
import { atOnce } from "../../../../server/src/frontend/code/queries/slices";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { languageOf } from "../../../../server/src/frontend/sql/language";
import { spellingOf } from "../../../../server/src/frontend/sql/text/spelling";
import { createLowering } from "../../../../server/src/frontend/sql/lowerSql";
import type { PgParser } from "../../../../server/src/frontend/sql/pg/pgParser";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { LowerSql } from "../../../../server/src/frontend/sql/script/state";
import type { Dialect } from "../../../../server/src/program/dialect";
import type { Note, Transaction } from "../../../../server/src/program/program";
import type { Table } from "../../../../server/src/program/schema";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import type { FileId } from "../../../../server/src/protocol/source";

/** Tables of several tests. */
export const ACCOUNTS_AND_LOG = `
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id serial PRIMARY KEY, amount int NOT NULL);
`;

let parsers: { readonly code: CodeParsers; readonly pg: PgParser } | undefined;

/** The transactions of files of code by name, over the tables of a DDL script. */
export async function transactionsOf(
  ddl: string,
  texts: Readonly<Record<string, string>>,
  dialect: Dialect = "postgres",
): Promise<readonly Transaction[]> {
  return (await readOver(ddl, texts, dialect)).transactions;
}

export interface CodeReading {
  readonly transactions: readonly Transaction[];
  readonly tables: readonly Table[];
  readonly notes: readonly Note[];
  /** Functions that make statements of SQL text. */
  readonly lower: LowerSql;
}

/** The same, with what it was read with. `among`: stands between the code and what makes statements of its SQL. */
export async function readOver(
  ddl: string,
  texts: Readonly<Record<string, string>>,
  dialect: Dialect,
  among: (lower: LowerSql) => LowerSql = (lower) => lower,
): Promise<CodeReading> {
  parsers ??= { code: await loadCodeParsers(), pg: await loadPgParser() };
  // File ids of tests.
  const id = (name: string): FileId => name as FileId;
  const isMapper = (name: string): boolean => name.endsWith(".xml");
  const files = Object.keys(texts)
    .filter((name) => !isMapper(name))
    .map(id);
  const mappers = Object.entries(texts).flatMap(([name, text]) => (isMapper(name) ? [text] : []));
  const schema = { file: id("schema.sql"), text: ddl };
  const { tables } = readProgram([schema], { pg: parsers.pg }, { dialect }).schema;
  const language = languageOf(dialect, createLowering({ pg: parsers.pg }));
  const lower = among(language.lower(spellingOf(tables)));
  const modules = createModuleReader(parsers.code).modules({
    files,
    text: (file) => ownEntry(texts, file),
    packages: [],
    pathMaps: [],
  });
  const notes: Note[] = [];
  const { transactions } = atOnce(
    readCode({
      modules,
      files,
      lines: (file) => indexLines(file, ownEntry(texts, file) ?? ""),
      dialect,
      table: (name) => tables.find((each) => each.name === name),
      lowerSql: lower,
      note: (note) => notes.push(note),
      models: () => undefined,
      libraries: librariesWith(mappers),
    }),
  );
  return { transactions, tables, lower, notes };
}
