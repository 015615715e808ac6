// Programs for the store's tests, from SQL text and tables.
import type { SqlParsers } from "../../../server/src/frontend/sql/parsers";
import { readProgram } from "../../../server/src/frontend/sql/readProgram";
import {
  findLevel,
  MODELLED_LEVELS,
  type Level,
  type ProductLevel,
} from "../../../server/src/isolation/levels";
import type { ValueType } from "../../../server/src/program/expression";
import type { Program } from "../../../server/src/program/program";
import type { Table } from "../../../server/src/program/schema";
import type { FileId } from "../../../server/src/protocol/source";
import type { Row, Value, WitnessInstance } from "../../../server/src/protocol/witness";

/** The program of scripts over the given tables; each script is a transaction of that name. */
export function programOf(
  scripts: Readonly<Record<string, string>>,
  tables: readonly Table[],
  parsers: SqlParsers = {},
): Program {
  // The front end learns the columns from a statement that names them all.
  const naming = tables.map((each) => {
    const columns = each.columns.map((column) => column.name).join(", ");
    return `SELECT ${columns} FROM ${each.name};`;
  });
  const text = Object.entries({ ...scripts, [NAMING]: naming.join("\n") })
    .map(([name, body]) => `-- @isolens transaction ${name}\nBEGIN;\n${body.trim()}\nCOMMIT;\n`)
    .join("\n");
  // The one place of a test where a plain name becomes a file.
  const program = readProgram([{ file: "test.sql" as FileId, text }], parsers);
  const transactions = program.transactions.filter((each) => each.name !== NAMING);
  return { ...program, transactions, schema: { tables } };
}

const NAMING = "naming";

/** A table whose first column is its key, unless `more` says otherwise. */
export function table(
  name: string,
  columns: Readonly<Record<string, ValueType>>,
  more: Partial<Table> = {},
): Table {
  const names = Object.keys(columns);
  return {
    name,
    columns: Object.entries(columns).map(([column, type]) => ({
      name: column,
      type,
      nullable: column !== names[0],
    })),
    primaryKey: names.slice(0, 1),
    uniqueKeys: [],
    foreignKeys: [],
    checks: [],
    inferred: false,
    ...more,
  };
}

/** Instances T1, T2, ... of the named transactions. */
export function instances(
  ...started: readonly (string | readonly [string, Readonly<Record<string, Value>>])[]
): readonly WitnessInstance[] {
  return started.map((each, index) => {
    const [transaction, values] = typeof each === "string" ? [each, {}] : each;
    return { instance: `T${index + 1}`, transaction, arguments: values };
  });
}

/** Rows `{id, v}` from `id: v`. */
export function rowsOf(values: Readonly<Record<string, number>>): readonly Row[] {
  return Object.entries(values).map(([id, v]) => ({ id: Number(id), v }));
}

export function levelOf(name: string): Level {
  const level = findLevel(name);
  if (level === undefined) throw new Error(`no level ${name}`);
  return level;
}

/** A product's level, also one that is modelled and not searched. */
export function productOf(name: string): ProductLevel {
  const wanted = name.replaceAll("_", "-");
  const level = MODELLED_LEVELS.find(
    (each) => each.name === wanted || each.aliases.includes(wanted),
  );
  if (level === undefined) throw new Error(`${name} is no product's level`);
  return level;
}
