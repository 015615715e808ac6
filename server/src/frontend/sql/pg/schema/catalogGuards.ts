// Conditions on the catalogues, by which definitions in DO blocks run once: IF NOT EXISTS (SELECT FROM pg_constraint ...).
import type { Node, SelectStmt } from "libpg-query";
import type { Table } from "../../../../program/schema";
import { dictionary } from "../../../../protocol/dictionary";
import { constantOf, lastName, tableName } from "../ast";
import type { State } from "./schemaState";

/**
 * True if the condition holds for what the definitions have left so far; undefined where that is not told by them.
 * Linear in the condition and the names that are defined.
 */
export function holdsNow(condition: Node, state: State): boolean | undefined {
  if ("BoolExpr" in condition) {
    const { boolop, args = [] } = condition.BoolExpr;
    const values = args.map((each) => holdsNow(each, state));
    if (boolop === "NOT_EXPR") return values[0] === undefined ? undefined : !values[0];
    const deciding = boolop === "OR_EXPR";
    if (values.includes(deciding)) return deciding;
    return values.includes(undefined) ? undefined : !deciding;
  }
  if ("SubLink" in condition) {
    const { subLinkType, subselect } = condition.SubLink;
    if (subLinkType !== "EXISTS_SUBLINK" || subselect === undefined) return undefined;
    return "SelectStmt" in subselect ? hasRow(subselect.SelectStmt, state) : undefined;
  }
  if ("NullTest" in condition) {
    const { arg, nulltesttype } = condition.NullTest;
    const isThere = arg === undefined ? undefined : relationExists(arg, state);
    return isThere === undefined ? undefined : isThere === (nulltesttype === "IS_NOT_NULL");
  }
  return undefined;
}

/** `to_regclass('name')`: whether there is one. */
function relationExists(value: Node, state: State): boolean | undefined {
  if ("TypeCast" in value && value.TypeCast.arg !== undefined)
    return relationExists(value.TypeCast.arg, state);
  if (!("FuncCall" in value) || lastName(value.FuncCall.funcname) !== "to_regclass")
    return undefined;
  const name = textOf(value.FuncCall.args?.[0]);
  return name === undefined ? undefined : isRelation(plainName(name), state);
}

function hasRow(select: SelectStmt, state: State): boolean | undefined {
  const [from, ...others] = select.fromClause ?? [];
  if (from === undefined || !("RangeVar" in from) || others.length > 0) return undefined;
  const catalogue = CATALOGUES[tableName(from.RangeVar)];
  const wanted = new Map<string, string>();
  if (catalogue === undefined || !collect(select.whereClause, wanted)) return undefined;
  return catalogue(wanted, state);
}

type Catalogue = (wanted: ReadonlyMap<string, string>, state: State) => boolean | undefined;

const CATALOGUES = dictionary<Catalogue | undefined>({
  columns: (wanted, { tables }) => {
    const table = tables.get(wanted.get("table_name") ?? "");
    const column = wanted.get("column_name");
    if (column === undefined) return table === undefined ? undefined : true;
    return table?.columns.some(({ name }) => name === column);
  },
  tables: (wanted, state) => named(wanted, "table_name", (name) => isTable(name, state)),
  pg_tables: (wanted, state) => named(wanted, "tablename", (name) => isTable(name, state)),
  pg_class: (wanted, state) => named(wanted, "relname", (name) => isRelation(name, state)),
  pg_indexes: (wanted, state) => named(wanted, "indexname", (name) => isRelation(name, state)),
  pg_type: (wanted, state) =>
    named(wanted, "typname", (name) => state.types.has(name) || state.domains.has(name)),
  pg_constraint: (wanted, state) =>
    named(wanted, "conname", (name) => isConstraint(name, wanted.get("conrelid"), state)),
  table_constraints: (wanted, state) =>
    named(wanted, "constraint_name", (name) => isConstraint(name, wanted.get("table_name"), state)),
  pg_trigger: (wanted, state) =>
    named(wanted, "tgname", (name) =>
      [...state.triggers.values()].some((each) => each.name === name),
    ),
});

function named(
  wanted: ReadonlyMap<string, string>,
  column: string,
  isThere: (name: string) => boolean,
): boolean | undefined {
  const name = wanted.get(column);
  return name === undefined ? undefined : isThere(name);
}

const isTable = (name: string, { tables }: State): boolean => tables.has(name);

/** A table, a view, or an index that is a key: other indexes are not kept, and mean nothing. */
const isRelation = (name: string, { tables, views }: State): boolean =>
  tables.has(name) ||
  views.has(name) ||
  [...tables.values()].some(({ uniqueKeys }) => uniqueKeys.some((key) => key.name === name));

function isConstraint(name: string, of: string | undefined, { tables, names }: State): boolean {
  const isOf = (table: Table): boolean =>
    names.get(table.primaryKey) === name ||
    (table.primaryKey.length > 0 && `${table.name}_pkey` === name) ||
    [...table.uniqueKeys, ...table.foreignKeys].some((key) => key.name === name) ||
    table.checks.some((check) => names.get(check) === name);
  return [...tables.values()].some(
    (table) => (of === undefined || table.name === plainName(of)) && isOf(table),
  );
}

/** Adds what the conjuncts `column = 'text'` say. False where something else is asked for. */
function collect(where: Node | undefined, wanted: Map<string, string>): boolean {
  if (where === undefined) return true;
  if ("BoolExpr" in where)
    return (
      where.BoolExpr.boolop === "AND_EXPR" &&
      (where.BoolExpr.args ?? []).every((each) => collect(each, wanted))
    );
  if (!("A_Expr" in where) || where.A_Expr.kind !== "AEXPR_OP") return false;
  const { lexpr, rexpr } = where.A_Expr;
  if (lexpr === undefined || rexpr === undefined || lastName(where.A_Expr.name) !== "=")
    return false;
  const [column, value] = "ColumnRef" in lexpr ? [lexpr, rexpr] : [rexpr, lexpr];
  const name = "ColumnRef" in column ? lastName(column.ColumnRef.fields) : "";
  const text = textOf(value);
  if (name !== "" && text !== undefined) wanted.set(name, text);
  // The schema is left out everywhere, here as well.
  return name !== "" && (text !== undefined || /schema|namespace/.test(name));
}

/** The text of a constant, cast or not. */
function textOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if ("TypeCast" in node) return textOf(node.TypeCast.arg);
  if (!("A_Const" in node)) return undefined;
  const value = constantOf(node.A_Const);
  return typeof value === "string" ? value : undefined;
}

/** `schema."Name"` as it is called here. */
function plainName(text: string): string {
  const last = text.split(".").at(-1) ?? text;
  return last.startsWith('"') ? last.slice(1, -1).replaceAll('""', '"') : last.toLowerCase();
}
