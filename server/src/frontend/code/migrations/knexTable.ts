// Changes of a table by a callback of knex's `createTable` and `alterTable`.
import type { HirExpression, HirFunction } from "../hir";
import { chainOf, type Link } from "./chains";
import {
  behind,
  defaultSql,
  fieldsOf,
  isFalse,
  isTrue,
  textOf,
  textsOf,
  type Names,
} from "./constants";
import type { ColumnDraft, Constraint, Definition, Reference } from "./definitions";

/** The changes in order; `isNew`: all of them make one CREATE TABLE. */
export function knexTable(
  table: string,
  callback: HirFunction,
  isNew: boolean,
  names: Names,
): readonly Definition[] {
  const columns: ColumnDraft[] = [];
  const constraints: Constraint[] = [];
  const changes: Definition[] = [];
  for (const statement of callback.body) {
    const expression =
      statement.kind === "expression"
        ? statement.expression
        : statement.kind === "return"
          ? statement.value
          : undefined;
    if (expression === undefined) continue;
    const [first, ...modifiers] = chainOf(expression).links;
    if (first === undefined) continue;
    const own = constraintOf(first, modifiers, names);
    if (own) constraints.push(own);
    else if (/^drop(?:Column|Columns|Timestamps)$/u.test(first.method)) {
      const dropped =
        first.method === "dropTimestamps"
          ? ["created_at", "updated_at"]
          : first.arguments.flatMap(({ value }) => textsOf(value, names));
      for (const column of dropped) changes.push({ kind: "dropColumn", table, column });
    } else if (first.method === "renameColumn") {
      const [from, to] = first.arguments.map(({ value }) => textOf(value, names));
      if (from !== undefined && to !== undefined) {
        changes.push({ kind: "renameColumn", table, from, to });
      }
    } else if (!modifiers.some(({ method }) => method === "alter")) {
      columns.push(...columnsOf(first, modifiers, names));
    }
  }
  if (isNew) return [{ kind: "create", table, columns, constraints }, ...changes];
  return [
    ...changes,
    ...columns.map((column): Definition => ({ kind: "addColumn", table, column })),
    ...constraints.map((constraint): Definition => ({ kind: "constrain", table, constraint })),
  ];
}

function constraintOf(
  { method, arguments: given }: Link,
  modifiers: readonly Link[],
  names: Names,
): Constraint | undefined {
  const columns = textsOf(given[0]?.value, names);
  if (columns.length === 0) return undefined;
  if (method === "primary") return { kind: "primary", columns };
  // A partial one holds for some rows alone.
  const isPartial = fieldsOf(given[1]?.value, names).has("predicate");
  if (method === "unique") return isPartial ? undefined : { kind: "unique", columns };
  if (method !== "foreign") return undefined;
  const references = referenceOf(modifiers, names);
  return references && { kind: "foreign", columns, references };
}

function referenceOf(modifiers: readonly Link[], names: Names): Reference | undefined {
  const given = (method: string): HirExpression | undefined =>
    modifiers.find((each) => each.method === method)?.arguments[0]?.value;
  const columns = textsOf(given("references"), names);
  const inTable = textOf(given("inTable") ?? given("on"), names);
  const [first] = columns;
  if (first === undefined) return undefined;
  const parts = first.split(".");
  const table = inTable ?? (parts.length > 1 ? parts.slice(0, -1).join(".") : undefined);
  if (table === undefined) return undefined;
  const onDelete = textOf(given("onDelete"), names);
  return {
    table,
    columns: columns.map((column) => column.split(".").at(-1) ?? column),
    ...(onDelete !== undefined && { onDelete }),
  };
}

function columnsOf(
  { method, arguments: given }: Link,
  modifiers: readonly Link[],
  names: Names,
): readonly ColumnDraft[] {
  const has = (name: string): boolean => modifiers.some((each) => each.method === name);
  if (method === "timestamps") {
    const [first, second, third] = given.map(({ value }) => value);
    const options = fieldsOf(first, names);
    const isSet = (key: string, own: HirExpression | undefined): boolean =>
      isTrue(options.get(key) ?? own, names);
    const byDefault = isSet("defaultToNow", second) && {
      isRequired: true,
      default: "CURRENT_TIMESTAMP",
    };
    const isCamel = isSet("useCamelCase", third);
    return (isCamel ? ["createdAt", "updatedAt"] : ["created_at", "updated_at"]).map((name) => ({
      name,
      type: "timestamp",
      ...byDefault,
    }));
  }
  const isKey = /^(?:big)?increments$/iu.test(method);
  const name = textOf(given[0]?.value, names) ?? (isKey ? "id" : undefined);
  if (
    name === undefined ||
    /^(?:index|comment|engine|charset|drop\w+|set\w+|check\w*|inherits)$/u.test(method)
  ) {
    return [];
  }
  const isSpecific = method === "specificType" || method === "enu" || method === "enum";
  const type = isSpecific
    ? method === "specificType"
      ? textOf(given[1]?.value, names)
      : "text"
    : method;
  const references = referenceOf(modifiers, names);
  const byDefault = modifiers.find((each) => each.method === "defaultTo")?.arguments[0]?.value;
  const constant = byDefault && defaultSql(byDefault, names);
  const isPlain = isKey && isFalse(fieldsOf(given[1]?.value, names).get("primaryKey"), names);
  return [
    {
      name,
      type: isKey && /^big/iu.test(method) ? "bigincrements" : (type ?? "text"),
      isGenerated: isKey,
      isPrimary: (isKey && !isPlain) || has("primary"),
      isUnique: has("unique"),
      isRequired: has("notNullable"),
      ...(references && { references }),
      ...(constant !== undefined && { default: constant }),
    },
  ];
}

/** The function that a value is. */
export function functionOf(
  given: HirExpression | undefined,
  names: Names,
): HirFunction | undefined {
  const expression = behind(given, names);
  return expression?.kind === "function" ? expression.function : undefined;
}
