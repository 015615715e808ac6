// Programs with the Prisma client as the AR, printed.
import { loadPgParser } from "../../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../../server/src/engine/treeSitter";
import type { CodeParsers } from "../../../../server/src/frontend/code/workspace/codeParsers";
import { createModuleReader } from "../../../../server/src/frontend/code/modules/modules";
import { readCode } from "../../../../server/src/frontend/code/readCode";
import { atOnce } from "../../../../server/src/frontend/code/queries/slices";
import { readPrismaSchema } from "../../../../server/src/frontend/schema/prisma/readSchema";
import { indexLines } from "../../../../server/src/frontend/sql/text/lines";
import { languageOf } from "../../../../server/src/frontend/sql/language";
import { spellingOf } from "../../../../server/src/frontend/sql/text/spelling";
import { createLowering } from "../../../../server/src/frontend/sql/lowerSql";
import type { PgParser } from "../../../../server/src/frontend/sql/pg/pgParser";
import { precisionOf } from "../../../../server/src/program/precision";
import type { Program, Transaction } from "../../../../server/src/program/program";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { ownEntry } from "../../../../server/src/protocol/dictionary";
import type { FileId } from "../../../../server/src/protocol/source";
import { renderCommand } from "../sql/render";
import type { NullCheck } from "../../../../server/src/frontend/code/modules/codeFiles";

let parsers: { readonly code: CodeParsers; readonly pg: PgParser } | undefined;

/** The transactions of files of code by name, over the models of a schema.prisma. */
export async function transactionsOf(
  schemaText: string,
  texts: Readonly<Record<string, string>>,
  nullChecks: readonly NullCheck[] = [],
): Promise<readonly Transaction[]> {
  return (await programOf(schemaText, texts, nullChecks)).transactions;
}

/** The same with the tables that the schema declares. */
export async function programOf(
  schemaText: string,
  texts: Readonly<Record<string, string>>,
  nullChecks: readonly NullCheck[] = [],
): Promise<Program> {
  parsers ??= { code: await loadCodeParsers(), pg: await loadPgParser() };
  // File ids of tests.
  const id = (name: string): FileId => name as FileId;
  const files = Object.keys(texts).map(id);
  const schema = readPrismaSchema([{ file: id("prisma/schema.prisma"), text: schemaText }]);
  const dialect = schema.datasource?.dialect ?? "postgres";
  const language = languageOf(dialect, createLowering({ pg: parsers.pg }));
  const lower = language.lower(spellingOf(schema.tables));
  const modules = createModuleReader(parsers.code).modules({
    files,
    text: (file) => ownEntry(texts, file),
    packages: [],
    pathMaps: [],
    nullChecks,
  });
  const { transactions } = atOnce(
    readCode({
      modules,
      files,
      lines: (file) => indexLines(file, ownEntry(texts, file) ?? ""),
      dialect,
      table: (name) => schema.tables.find((each) => each.name === name),
      lowerSql: lower,
      note: () => undefined,
      models: (library) => (library === "prisma" ? schema : undefined),
    }),
  );
  return { schema: { tables: schema.tables }, transactions, notes: [], files };
}

/** Schemas of several tests. */
export const PROJECTS = `datasource db { provider = "postgresql" }
model Project { id Int @id
  plan Int
  mails Mail[] }
model Mail { id Int @id
  kind Int
  projectId Int
  project Project @relation(fields: [projectId], references: [id]) }`;

export const ITEMS = `
datasource db {
  provider = "postgresql"
}
model Item {
  id    Int     @id
  place Int
  kind  String?
}
`;

/** Transactions as text: a line with name, boundary and level, the body, and what was lost. */
export function printed(transactions: readonly Transaction[]): readonly string[] {
  return transactions.flatMap((each) => {
    const level = each.level === undefined ? "" : ` @ ${each.level.name}`;
    return [
      `${each.name} ${each.boundary}${level}`,
      ...renderCommand(each.body, "  "),
      ...losses(each).map((reason) => `  ! ${reason}`),
    ];
  });
}

/** The losses, in the transaction and in its statements. */
export function losses(transaction: Transaction): readonly string[] {
  const found = transaction.taint.map(({ reason }) => reason);
  walkCommand(transaction.body, {
    statement: ({ taint }) => {
      if (precisionOf(taint) !== "exact") found.push(...taint.map(({ reason }) => reason));
    },
  });
  return found;
}
