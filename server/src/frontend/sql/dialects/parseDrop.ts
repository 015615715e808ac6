// DROP and RENAME of MySQL, MariaDB, SQL Server and SQLite.
import type { WrittenName } from "../relationNames";
import { expect, take, takeAny, takeQualified, takeTable, takeWord, type Reader } from "./reader";
import type { Definition } from "./definition";

/** The rest after DROP. */
export function drop(reader: Reader): Definition {
  takeAny(reader, "temporary");
  if (take(reader, "index")) {
    ifExists(reader);
    const { name } = takeQualified(reader);
    return take(reader, "on")
      ? { kind: "drop key", name, table: takeTable(reader) }
      : { kind: "drop key", name };
  }
  if (takeAny(reader, "database", "schema") !== undefined) {
    ifExists(reader);
    return { kind: "drop schema", schema: takeWord(reader) };
  }
  if (!take(reader, "table")) return { kind: "nothing" };
  ifExists(reader);
  const tables: string[] = [];
  do tables.push(takeTable(reader));
  while (take(reader, ","));
  return { kind: "drop", tables };
}

/** The rest after RENAME. */
export function rename(reader: Reader): Definition {
  if (!take(reader, "table") && !take(reader, "tables")) return { kind: "nothing" };
  const pairs: { from: string; to: WrittenName }[] = [];
  do {
    const from = takeTable(reader);
    expect(reader, "to");
    pairs.push({ from, to: takeQualified(reader) });
  } while (take(reader, ","));
  return { kind: "renames", pairs };
}

/** Skips IF [NOT] EXISTS. */
export function ifExists(reader: Reader): void {
  if (take(reader, "if")) {
    take(reader, "not");
    expect(reader, "exists");
  }
}
