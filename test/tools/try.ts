// `npm run try -- FILE...`: the program that Isolens reads in files: tables, transactions with their statements, and what
// was not understood. Nothing is searched, so this is the first thing to look at after a change of a reader.
import process from "node:process";
import { loadPgParser } from "../../server/src/engine/pgParser";
import { loadCodeParsers } from "../../server/src/engine/treeSitter";
import type { Program } from "../../server/src/program/program";
import type { Table } from "../../server/src/program/schema";
import { createProjectReader } from "../../server/src/service/readProject";
import { statementsOf } from "../../server/src/service/statements";
import { loadProjects } from "../../server/src/workspace/projects";
import { transactionText } from "../bench/transactionText";

async function main(paths: readonly string[]): Promise<number> {
  if (paths.length === 0) {
    process.stderr.write("npm run try -- FILE...: which file or folder?\n");
    return 3;
  }
  const { projects, problems } = await loadProjects(paths, { cwd: process.cwd() });
  for (const problem of problems) process.stderr.write(`${problem.message}\n`);
  const reader = createProjectReader({ pg: await loadPgParser() }, await loadCodeParsers());
  for (const project of projects) process.stdout.write(`${programText(reader.read(project))}\n`);
  return problems.length > 0 ? 3 : 0;
}

function programText({ schema, transactions, notes }: Program): string {
  return [
    ...schema.tables.map(tableText),
    ...transactions.flatMap((transaction) => {
      const { name, header, parameters, body } = transaction;
      const count = statementsOf(body).length;
      const title = `${name}(${parameters.map((each) => `${each.name} ${each.type}`).join(", ")})`;
      const place = `${header.file}:${String(header.range.start.line + 1)}`;
      return ["", `${title}  ${place}, statements: ${String(count)}`, ...transactionText(transaction)]; // prettier-ignore
    }),
    ...(notes.length > 0 ? [""] : []),
    ...notes.map(
      ({ severity, message, source: { file, range } }) =>
        `${severity}: ${file}:${String(range.start.line + 1)}: ${message}`,
    ),
  ].join("\n");
}

function tableText({ name, columns, primaryKey }: Table): string {
  const key = primaryKey.length === 0 ? "" : `; key ${primaryKey.join(", ")}`;
  return `table ${name} (${columns.map((each) => `${each.name} ${each.type}`).join(", ")}${key})`;
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
