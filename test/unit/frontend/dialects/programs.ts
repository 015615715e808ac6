// Texts of other dialects read over a schema, and what becomes of them as lines.
import type { Dialect } from "../../../../server/src/program/dialect";
import { readProgram } from "../../../../server/src/frontend/sql/readProgram";
import type { Command } from "../../../../server/src/program/statement";
import type { FileId } from "../../../../server/src/protocol/source";
import { walkCommand } from "../../../../server/src/frontend/sql/walk";
import { renderCommand } from "../sql/render";

const SCHEMA = `
CREATE TABLE accounts (id INT PRIMARY KEY, owner VARCHAR(40), balance INT NOT NULL, active BOOLEAN, rate DECIMAL(10,2));
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, account INT NOT NULL, total INT DEFAULT 0, at DATETIME DEFAULT NOW());
CREATE TABLE stock (item INT, place INT, qty INT NOT NULL, PRIMARY KEY (item, place));
`;

const SCHEMAS: Readonly<Partial<Record<Dialect, string>>> = {
  sqlserver: SCHEMA.replace("INT AUTO_INCREMENT", "INT IDENTITY(1, 1)").replace("BOOLEAN", "BIT"),
  sqlite: SCHEMA.replace("INT AUTO_INCREMENT PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT"),
};

/** The transactions of a text as lines: their commands, losses and notes. */
export function read(text: string, dialect: Dialect): readonly string[] {
  const schema = { file: "schema.sql" as FileId, text: SCHEMAS[dialect] ?? SCHEMA };
  const program = { file: "program.sql" as FileId, text };
  const { transactions, notes } = readProgram([schema, program], {}, { dialect });
  const lines = transactions.flatMap(({ name, boundary, body, level, taint }) => [
    ...(transactions.length > 1 || name !== "t" ? [`${name} ${boundary}`] : []),
    ...(level === undefined ? [] : [`level ${level.name}`]),
    ...renderCommand(body),
    ...[...taint.map(({ effect, reason }) => `${effect}: ${reason}`), ...losses(body)].map(
      (loss) => `! ${loss}`,
    ),
  ]);
  const remarks = notes.map(({ message }) => `# ${message}`);
  const all = [...lines, ...remarks];
  return all.length === 0
    ? ["nothing"]
    : all.flatMap((each) => each.split("\n")).map((each) => each.trimEnd());
}

function losses(body: Command): readonly string[] {
  const found = new Set<string>();
  walkCommand(body, {
    statement: ({ taint }) => {
      for (const { effect, reason } of taint) found.add(`${effect}: ${reason}`);
    },
  });
  return [...found];
}
