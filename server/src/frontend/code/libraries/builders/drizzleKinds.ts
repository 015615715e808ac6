// `is(value, PgTransaction)`: which of Drizzle's classes something is of.
import { kindGuard } from "../kindGuard";
import type { Dialect } from "../../../../program/dialect";
import { constant, unknown, type Value } from "../../values";
import type { Tools } from "../library";
import { isPart, isQuery } from "./drizzleParts";
import { isColumn, isTable } from "./drizzleTables";

/** The results of `drizzle()` and `transaction(...)`. */
export interface Client {
  readonly kind: "client";
  readonly schema?: Value;
  /** Absent: it may be one. */
  readonly isTransaction?: boolean;
}

export const isClient = kindGuard<Client>("client");

/** True if a value is of the class that is named: true or false where that is known. */
export function isOfClass(value: Value, of: Value, tools: Tools): Value {
  if (value.kind === "choice") {
    const { condition, then, otherwise } = value;
    return tools.either(
      condition,
      () => isOfClass(then, of, tools),
      () => isOfClass(otherwise, of, tools),
    );
  }
  const told = of.kind === "handle" ? toldOf(value, of.path, tools.dialect) : undefined;
  return told === undefined
    ? unknown("drizzle-orm: which class a value is of", [tools.expression(value)])
    : constant(told);
}

const NO_OBJECTS: ReadonlySet<Value["kind"]> = new Set([
  "undefined",
  "text",
  "list",
  "rows",
  "row",
]);

function toldOf(value: Value, name: string, dialect: Dialect): boolean | undefined {
  if (NO_OBJECTS.has(value.kind)) return false;
  if (value.kind === "scalar") return value.type === undefined ? undefined : false;
  if (value.kind !== "handle") return undefined;
  const { data } = value;
  const [, product = "", kind = ""] = CLASS.exec(name) ?? [];
  if (!KINDS.has(kind)) return undefined;
  const isOf = kindsOf(data);
  const own = isOf?.(kind);
  if (own !== true || product === "" || product === PRODUCTS[dialect]) return own;
  // Drivers have classes of their own, of which only the code that makes them tells.
  return PRODUCT_NAMES.has(product) ? false : undefined;
}

const CLASS =
  /^(?:Base)?(Pg|MySql|SQLite|\w*?)(Transaction|Database|Table|Column|SQL|View|Subquery)$/u;
const KINDS: ReadonlySet<string> = new Set(["Transaction", "Database", "Table", "Column", "SQL", "View", "Subquery"]); // prettier-ignore
const PRODUCTS: Readonly<Partial<Record<Dialect, string>>> = {
  postgres: "Pg",
  mysql: "MySql",
  mariadb: "MySql",
  sqlite: "SQLite",
};
const PRODUCT_NAMES: ReadonlySet<string | undefined> = new Set(Object.values(PRODUCTS));

function kindsOf(data: unknown): ((kind: string) => boolean | undefined) | undefined {
  if (isClient(data)) {
    const { isTransaction } = data;
    // A transaction is a database as well.
    return (kind) => (kind === "Transaction" ? isTransaction : kind === "Database");
  }
  if (isTable(data)) {
    const own = data.query ? "Subquery" : "Table";
    return (kind) => kind === own;
  }
  if (isColumn(data)) return (kind) => kind === "Column";
  if (isPart(data)) return (kind) => kind === "SQL";
  return isQuery(data) ? () => false : undefined;
}
