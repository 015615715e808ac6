// Errors as MySQL tells them: it names a table, a routine or a reference with its database.
import type { Dialect } from "../program/dialect";
import type { SqlError } from "./sqlError";

/** The error as the product tells it in that database. */
export function errorIn(error: SqlError, dialect: Dialect, database: string): SqlError {
  if (dialect === "postgres") return error;
  const { number, table, routine, message } = error;
  if (routine !== undefined)
    return { ...error, message: message.replace(routine, `${database}.${routine}`) };
  if (REFERENCES.has(number))
    return { ...error, message: message.replace("(`", `(\`${database}\`.\``) };
  if (number !== UNKNOWN_TABLE || table === undefined) return error;
  const name = table.includes(".") ? table : `${database}.${table}`;
  return { ...error, message: `Table '${name}' doesn't exist` };
}

const UNKNOWN_TABLE = 1146;
const REFERENCES: ReadonlySet<number> = new Set([1451, 1452]);
