// The programs of test/data/statements, as they were recorded and as they are read.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Dialect } from "../../../../server/src/program/dialect";
import { readOver } from "./codePrograms";
import {
  differences,
  parameterNames,
  toldByClient,
  toldByStore,
  type RecordedRun,
  type Rows,
} from "./statementOracle";

const folder = path.join(__dirname, "../../../data/statements");
const text = (...names: readonly string[]): string =>
  readFileSync(path.join(folder, ...names), "utf8");
const initial = JSON.parse(text("rows.json")) as Rows;
const programs = readdirSync(path.join(folder, "programs")).map((file) => path.parse(file));
/** The files of programs. */
export const LIBRARIES = programs.map(({ name }) => name);

export interface Difference {
  /** Of the function. */
  readonly name: string;
  readonly text: string;
}

/** The differences between the client and the reading, run by run. */
export async function compareRuns(library: string): Promise<readonly Difference[]> {
  const dialect: Dialect = library.includes("mysql") ? "mysql" : "postgres";
  const { base = "" } = programs.find(({ name }) => name === library) ?? {};
  const source = text("programs", base);
  const ddl = text(dialect === "mysql" ? "tables.mysql.sql" : "tables.sql");
  const reading = await readOver(ddl, { [base]: source }, dialect);
  // Written by `npm run record:statements`.
  const { runs } = JSON.parse(text("recorded", `${library}.json`)) as {
    readonly runs: readonly RecordedRun[];
  };
  return runs.flatMap((run) => {
    const given = JSON.stringify(run.arguments).slice(1, -1);
    const call = `${run.name}(${given})`;
    const transaction = reading.transactions.find(
      (each) => each.name.split(".").at(-1) === run.name,
    );
    const { name } = run;
    if (!transaction)
      return run.statements.length > 0 ? [{ name, text: `${call}: is not found` }] : [];
    const sent = toldByClient(run, reading, dialect, initial);
    const names = parameterNames(source, name);
    const read = toldByStore(transaction, run, names, reading, initial);
    const found = differences(sent, read, transaction);
    return found.length > 0 ? [{ name, text: [call, ...found].join("\n    ") }] : [];
  });
}
