// Parts of a schema as the text that would make them: what the pg_get_* functions give.
import type { Catalog, Column, Table } from "../catalog";
import type { SqlExpression } from "../tree";
import { postgresName } from "../values/types";
import { expressionText, quotedName } from "./expressionText";
import { enumerationOf, referencedColumns, type IndexFacts } from "./objects";

/** The default of a column; undefined where it has none. */
export function defaultText(catalog: Catalog, column: Column): string | undefined {
  const { automatic, default: value, generated, declared } = column;
  if (generated !== undefined) return expressionText(generated);
  if (automatic !== undefined && automatic.identity !== true)
    return `nextval('${quotedName(automatic.sequence)}'::regclass)`;
  if (value === undefined) return undefined;
  const text = expressionText(value);
  const isLiteral: readonly SqlExpression["kind"][] = ["string", "null"];
  const own = enumerationOf(catalog, declared);
  const type = own === undefined ? postgresName(declared.type) : quotedName(own);
  return isLiteral.includes(value.kind) ? `${text}::${type}` : text;
}

function names(table: Table, columns: readonly number[]): string {
  return columns.flatMap((at) => quotedName(table.columns[at]?.name ?? "")).join(", ");
}

/** The columns and expressions of an index. */
export function indexParts(
  table: Table,
  { columns, expressions = [] }: Pick<IndexFacts["key"], "columns" | "expressions">,
): readonly string[] {
  const parts = columns.map((at) => quotedName(table.columns[at]?.name ?? ""));
  for (const { at, value } of expressions) {
    const text = expressionText(value);
    parts.splice(at, 0, value.kind === "call" || text.startsWith("(") ? text : `(${text})`);
  }
  return parts;
}

/** CREATE INDEX for an index. */
export function indexText({ table, key, unique }: IndexFacts): string {
  const where = key.where === undefined ? "" : ` WHERE ${expressionText(key.where)}`;
  const head = `CREATE ${unique ? "UNIQUE " : ""}INDEX ${quotedName(key.name)}`;
  return `${head} ON public.${quotedName(table.name)} USING btree (${indexParts(table, key).join(", ")})${where}`;
}

/** The constraint behind CONSTRAINT and a name; undefined where the table has none of that name. */
export function constraintText(catalog: Catalog, table: Table, name: string): string | undefined {
  const key = table.keys.find((each) => each.name === name);
  if (key !== undefined)
    return `${key.primary ? "PRIMARY KEY" : "UNIQUE"} (${names(table, key.columns)})`;
  const check = table.checks.find((each) => each.name === name);
  if (check !== undefined) return `CHECK (${expressionText(check.condition)})`;
  const reference = table.foreignKeys.find((each) => each.name === name);
  if (reference === undefined) return undefined;
  const { columns, table: parent, onDelete, onUpdate, deferrable } = reference;
  const list = (each: readonly string[]): string => each.map(quotedName).join(", ");
  const action = (when: string, what: string): string =>
    what === "no action" ? "" : ` ON ${when} ${what.toUpperCase()}`;
  const target = `${quotedName(parent)}(${list(referencedColumns(catalog, reference))})`;
  const when =
    deferrable === undefined
      ? ""
      : ` DEFERRABLE${deferrable === "deferred" ? " INITIALLY DEFERRED" : ""}`;
  return `FOREIGN KEY (${list(columns)}) REFERENCES ${target}${action("UPDATE", onUpdate)}${action("DELETE", onDelete)}${when}`;
}
