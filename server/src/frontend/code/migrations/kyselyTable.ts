// Changes by a chain of Kysely's schema builder: `db.schema.createTable("t").addColumn("id", "serial")...`.
import type { HirExpression } from "../hir";
import { chainOf, type Link } from "./chains";
import { defaultSql, textOf, textsOf, type Names } from "./constants";
import type { ColumnDraft, Definition, Reference } from "./definitions";
import { functionOf } from "./knexTable";

/** The changes of the links behind `createTable` or `alterTable`. */
export function kyselyTable(
  table: string,
  links: readonly Link[],
  isNew: boolean,
  names: Names,
): readonly Definition[] {
  const changes = links.flatMap((link) => changeOf(table, link, names) ?? []);
  if (!isNew) return changes;
  return [
    {
      kind: "create",
      table,
      columns: changes.flatMap((each) => (each.kind === "addColumn" ? [each.column] : [])),
      constraints: changes.flatMap((each) => (each.kind === "constrain" ? [each.constraint] : [])),
    },
  ];
}

/** `createIndex("i").unique().on("t").columns([...])`; a partial one says nothing. */
export function kyselyIndex(links: readonly Link[], names: Names): readonly Definition[] {
  const given = (method: string): HirExpression | undefined =>
    links.find((each) => each.method === method)?.arguments[0]?.value;
  const table = textOf(given("on"), names);
  const columns = textsOf(given("columns") ?? given("column"), names);
  const isUnique = links.some(({ method }) => method === "unique");
  const isPartial = links.some(({ method }) => method === "where" || method === "expression");
  if (table === undefined || columns.length === 0 || !isUnique || isPartial) return [];
  return [{ kind: "constrain", table, constraint: { kind: "unique", columns } }];
}

function changeOf(table: string, link: Link, names: Names): Definition | undefined {
  const [first, second, third, fourth] = link.arguments.map(({ value }) => value);
  const name = textOf(first, names);
  switch (link.method) {
    case "addColumn":
      return name === undefined
        ? undefined
        : { kind: "addColumn", table, column: columnOf(name, second, third, names) };
    case "dropColumn":
      return name === undefined ? undefined : { kind: "dropColumn", table, column: name };
    case "renameColumn": {
      const to = textOf(second, names);
      return name === undefined || to === undefined
        ? undefined
        : { kind: "renameColumn", table, from: name, to };
    }
    case "addPrimaryKeyConstraint":
    case "addUniqueConstraint": {
      const columns = textsOf(second, names);
      const kind = link.method === "addUniqueConstraint" ? "unique" : "primary";
      return columns.length > 0
        ? { kind: "constrain", table, constraint: { kind, columns } }
        : undefined;
    }
    case "addForeignKeyConstraint": {
      const other = textOf(third, names);
      const columns = textsOf(second, names);
      if (other === undefined || columns.length === 0) return undefined;
      const references = { table: other, columns: textsOf(fourth, names) };
      return { kind: "constrain", table, constraint: { kind: "foreign", columns, references } };
    }
    default:
      return undefined;
  }
}

function columnOf(
  name: string,
  type: HirExpression | undefined,
  build: HirExpression | undefined,
  names: Names,
): ColumnDraft {
  const [last] = functionOf(build, names)?.body ?? [];
  const links = last?.kind === "return" && last.value ? chainOf(last.value).links : [];
  const has = (method: string): boolean => links.some((each) => each.method === method);
  const given = (method: string): HirExpression | undefined =>
    links.find((each) => each.method === method)?.arguments[0]?.value;
  const references = referenceOf(textOf(given("references"), names), given("onDelete"), names);
  const written = textOf(type, names) ?? "text";
  const constant = defaultSql(given("defaultTo"), names);
  return {
    name,
    type: written,
    isGenerated:
      /serial$/iu.test(written) ||
      ["autoIncrement", "generatedAlwaysAsIdentity", "generatedByDefaultAsIdentity"].some(has),
    isPrimary: has("primaryKey"),
    isUnique: has("unique"),
    isRequired: has("notNull"),
    ...(references && { references }),
    ...(constant !== undefined && { default: constant }),
  };
}

/** `person.id` is a table and its column. */
function referenceOf(
  written: string | undefined,
  onDelete: HirExpression | undefined,
  names: Names,
): Reference | undefined {
  const parts = written?.split(".") ?? [];
  const column = parts.at(-1);
  if (column === undefined || parts.length < 2) return undefined;
  const action = textOf(onDelete, names);
  return {
    table: parts.slice(0, -1).join("."),
    columns: [column],
    ...(action !== undefined && { onDelete: action }),
  };
}
