// Read-only tables that tell about the database itself. Their rows are computed whenever they are read, outside of all
// transactions.
import { ownEntry } from "../../protocol/dictionary";
import type { Catalog, View } from "../catalog";
import type { SessionFacts, ScopeColumn } from "../compile/node";
import { isInteger, type SqlType } from "../values/types";
import type { SqlRow, SqlValue } from "../values/value";

/** The inputs of rows. */
export interface About {
  readonly catalog: Catalog;
  readonly session: SessionFacts;
  /** Names and types of a view's columns. */
  readonly viewColumns: (view: View) => readonly ScopeColumn[];
  /** A setting of the session. */
  readonly setting: (name: string) => SqlValue;
}

export interface SystemTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly ScopeColumn[];
  readonly rows: (about: About) => readonly SqlRow[];
}

/** Some columns of a row; the others are NULL, 0, or false. */
export type Fields = Readonly<Record<string, SqlValue>>;

/**
 * A table whose columns are written as `name:type name:type`, where the type of the one before is the type of a name
 * without one. The elements of an `int2vector` are counted from zero.
 */
export function systemTable(
  schema: string,
  name: string,
  columns: string,
  records: (about: About) => readonly Fields[] = () => [],
): SystemTable {
  const described = columnsOf(columns);
  return {
    schema,
    name,
    columns: described,
    rows: (about) =>
      records(about).map((fields) =>
        described.map((column) =>
          Object.hasOwn(fields, column.name)
            ? (ownEntry(fields, column.name) ?? null)
            : usual(column.type),
        ),
      ),
  };
}

function columnsOf(text: string): readonly ScopeColumn[] {
  let last: Omit<ScopeColumn, "name"> = { type: "text" };
  return text.split(/\s+/).map((each) => {
    const [name = "", type] = each.split(":");
    if (type === "int2vector" || type === "oidvector") last = { type, shape: { first: 0 } };
    else if (type !== undefined) last = { type: typeNamed(type) };
    return { name, ...last };
  });
}

function typeNamed(name: string): SqlType {
  const found = TYPES.find((type) => type === name);
  if (found === undefined) throw new Error(`a system table has the unknown type ${name}`);
  return found;
}

const TYPES = [
  "bool",
  "int2",
  "int4",
  "oid",
  "int8",
  "float4",
  "float8",
  "text",
  "varchar",
  "char",
  "name",
  "text[]",
  "name[]",
  "char[]",
  "int2[]",
  "int4[]",
  "oid[]",
  "int2vector",
  "oidvector",
  "timestamptz",
] as const satisfies readonly SqlType[];

function usual(type: SqlType): SqlValue {
  if (type === "bool") return false;
  return isInteger(type) || type === "float4" || type === "float8" ? 0 : null;
}
