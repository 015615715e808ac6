// Programs: texts of SQL and code that are read, and small ones that are checked as well.
import path from "node:path";
import { loadPgParser } from "../../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../../server/src/engine/treeSitter";
import { findLevel } from "../../../server/src/isolation/levels";
import type { Program } from "../../../server/src/program/program";
import type { FileId } from "../../../server/src/protocol/source";
import { createProjectReader } from "../../../server/src/service/readProject";
import { openSession } from "../../../server/src/service/session";
import { DEFAULT_CONFIGURATION } from "../../../server/src/workspace/configuration";
import type { Face, OpenFace } from "./face";
import { filesIn, texts } from "./seeds";

/** Milliseconds of reading one small file. */
const READING = 5000;
const CHECKING = 2000;

const SCHEMA = `CREATE TABLE account (id int PRIMARY KEY, owner int NOT NULL, balance int NOT NULL);
CREATE TABLE item (id serial PRIMARY KEY, account int REFERENCES account, n int);`;

type Named = Readonly<Record<string, string>>;

function reading(
  seeds: () => readonly Buffer[],
  files: (text: string) => Named,
  dialect?: "mysql",
): Face {
  const open = async (): Promise<OpenFace> => {
    const [pg, code] = await Promise.all([loadPgParser(), loadCodeParsers()]);
    return {
      take: (input) => {
        const all = Object.entries(files(input.toString("utf8"))).map(([name, text]) => ({
          // A file of a project that is made up.
          file: name as FileId,
          text,
        }));
        const program = createProjectReader({ pg }, code).read({
          files: all,
          context: [],
          configuration: { ...DEFAULT_CONFIGURATION, ...(dialect && { dialect }) },
        });
        return Promise.resolve({ said: JSON.stringify(program.notes), way: wayOf(program) });
      },
      close: () => Promise.resolve(),
    };
  };
  return { seeds, isText: true, budget: READING, open };
}

/** How a program was read: the kinds of its notes and how much of it there is. */
function wayOf({ transactions, notes }: Program): string {
  const kinds = notes.map(({ message }) => message.replace(/"[^"]*"|\d+/g, "").slice(0, 40));
  return `${String(Math.min(transactions.length, 6))} ${[...new Set(kinds)].sort().slice(0, 3).join("|")}`;
}

async function openCheck(): Promise<OpenFace> {
  const session = await openSession({
    tool: "isolens fuzz",
    workerScript: path.resolve(__dirname, "../../../dist/worker.js"),
    workers: 1,
  });
  const levels = [
    "postgres:read-committed",
    "postgres:serializable",
    "mysql:repeatable-read",
    "causal",
  ];
  let count = 0;
  return {
    take: async (input) => {
      count += 1;
      const level = findLevel(levels[count % levels.length] ?? "");
      const { report, program, remarks } = await session.checkWorkspace(
        {
          project: {
            // The only file of a project that is made up.
            files: [{ file: "program.sql" as FileId, text: input.toString("utf8") }],
            context: [],
            configuration: DEFAULT_CONFIGURATION,
          },
          ...(level && { level }),
          maxTransactions: 2,
          budget: CHECKING,
        },
        new AbortController().signal,
      );
      const kinds = report.anomalies.map(({ kind }) => kind);
      return {
        said: JSON.stringify([report, program.notes, remarks]),
        way: `${report.verdict} ${[...new Set(kinds)].sort().join()} ${wayOf(program)}`,
      };
    },
    close: () => session.dispose(),
  };
}

export const CODE_FACES: ReadonlyMap<string, Face> = new Map(
  Object.entries({
    "sql-postgres": reading(
      () => filesIn("apps", /\.sql$/),
      (text) => ({ "program.sql": text }),
    ),
    "sql-mysql": reading(
      () => filesIn("apps", /mysql.*\.sql$/),
      (text) => ({ "program.sql": text }),
      "mysql",
    ),
    typescript: reading(
      () => filesIn("apps", /\.ts$/),
      (text) => ({ "schema.sql": SCHEMA, "code.ts": text }),
    ),
    javascript: reading(
      () => [...filesIn("clients", /\.m?js$/), ...filesIn("apps", /\.ts$/)],
      (text) => ({ "schema.sql": SCHEMA, "code.js": text }),
    ),
    java: reading(
      () => filesIn("apps", /\.java$/),
      (text) => ({ "schema.sql": SCHEMA, "Code.java": text }),
    ),
    prisma: reading(
      () => [...filesIn("apps", /\.prisma$/), ...filesIn("data/prisma", /\.prisma$/)],
      (text) => ({
        "prisma/schema.prisma": text,
        "code.ts": `import { PrismaClient } from "@prisma/client";
const prisma = new PrismaClient();
export const add = (id: number) => prisma.$transaction(async (tx) => {
  const found = await tx.item.findUnique({ where: { id } });
  if (found) await tx.item.update({ where: { id }, data: { amount: found.amount + 1 } });
});`,
      }),
    ),
    migrations: reading(
      () => [
        ...filesIn("apps", /schema\.sql$/),
        ...texts(
          "ALTER TABLE account ADD COLUMN note text; ALTER TABLE account RENAME TO accounts;",
          "ALTER TABLE account DROP COLUMN owner, ALTER COLUMN balance TYPE bigint; DROP TABLE item;",
          "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; DROP FUNCTION f();",
        ),
      ],
      (text) => ({
        "migrations/0001_first.sql": SCHEMA,
        "migrations/0002_second.sql": text,
        "program.sql":
          "-- @transaction a\nBEGIN;\nUPDATE account SET balance = 1 WHERE id = :id;\nCOMMIT;",
      }),
    ),
    check: {
      seeds: () => filesIn("apps", /\.sql$/),
      isText: true,
      budget: CHECKING + 1000,
      open: openCheck,
    },
  }),
);
