// Invariants in flat form: one term over a row of each table, and the row that must exist, if any.
import type { Expression } from "../../program/expression";
import type { Invariant } from "../../program/program";
import { ownEntry, setEntry } from "../../protocol/dictionary";
import type { Builder, Scope } from "./builder";
import { flattenExpression } from "./expression";
import type { FlatInvariant, FlatProgram, Term } from "./operation";
import { fromRowColumn, rowColumn } from "./operation";
import { tableOf } from "./tables";
import { FALSE, TRUE, and, columnsIn, compare, isNull, not } from "./terms";

/** The flat form; undefined if a part has no exact term, since a weakened invariant is worthless. */
export function flattenInvariant(
  builder: Builder,
  invariant: Invariant,
): FlatInvariant | undefined {
  const { condition, relations, text, where } = invariant;
  const tables = relations.map(({ table }) => table);
  const names = relations.map(({ alias }) => alias);
  const premise = flattenExpression(builder, where, rowsOf(names));
  const exists = condition.kind === "exists" ? soughtRow(builder, condition, names) : undefined;
  const holds = exists ? FALSE : flattenExpression(builder, condition, rowsOf(names));
  const exact = builder.losses.size + builder.guesses.size === 0 && builder.operations.length === 0;
  if (!exact || (condition.kind === "exists" && !exists)) return undefined;
  return { text, tables, broken: and(premise, not(holds)), ...(exists && { exists }) };
}

/** Columns of the rows of these relations; a missing column is a loss, which the caller checks. */
function rowsOf(names: readonly string[]): Scope {
  return {
    column: (relation, column) => {
      const row = names.indexOf(relation);
      return row < 0 ? undefined : { kind: "column", column: rowColumn(row, column) };
    },
  };
}

function soughtRow(
  builder: Builder,
  { query }: Extract<Expression, { kind: "exists" }>,
  outer: readonly string[],
): FlatInvariant["exists"] {
  const [relation] = query.relations;
  if (!relation || query.relations.length > 1) return undefined;
  const where = flattenExpression(builder, query.where, rowsOf([...outer, relation.alias]));
  const { primaryKey } = tableOf(builder.tables, relation.table);
  const isSought = (term: Term): boolean =>
    [...columnsIn(term)].some((name) => fromRowColumn(name).row === outer.length);
  const key: Record<string, Term> = {};
  const rest = (where.kind === "and" ? where.operands : [where]).filter((part) => {
    if (part.kind !== "compare" || part.operator !== "=") return true;
    for (const [column, value] of [
      [part.left, part.right],
      [part.right, part.left],
    ]) {
      if (column?.kind !== "column" || !isSought(column) || !value || isSought(value)) continue;
      const name = fromRowColumn(column.column).column;
      if (!primaryKey.includes(name) || ownEntry(key, name)) continue;
      setEntry(key, name, value);
      return false;
    }
    return true;
  });
  return { table: relation.table, key, where: rest.length === 0 ? TRUE : and(...rest) };
}

/** Further tables in which invariants over these tables require rows. */
export function askedTables(flat: FlatProgram, known: ReadonlySet<string>): readonly string[] {
  const present = new Set(known);
  for (let before = -1; before < present.size;) {
    before = present.size;
    for (const { tables, exists } of flat.invariants ?? [])
      if (exists && tables.every((table) => present.has(table))) present.add(exists.table);
  }
  return [...present].filter((table) => !known.has(table));
}

/**
 * The foreign keys between these tables as invariants of the initial rows: a row with non-NULL columns has its parent, unless the key was
 * never validated. Parents in other tables are added to a witness.
 */
export function startReferences(
  flat: FlatProgram,
  tables: ReadonlySet<string>,
): readonly FlatInvariant[] {
  return [...tables].flatMap((name) =>
    (ownEntry(flat.tables, name)?.foreignKeys ?? []).flatMap((foreign): FlatInvariant[] => {
      if (foreign.isUnvalidated) return [];
      const parent = tables.has(foreign.table) ? ownEntry(flat.tables, foreign.table) : undefined;
      if (!parent) return [];
      const referenced = foreign.referenced.length > 0 ? foreign.referenced : parent.primaryKey;
      const pairs = foreign.columns.map((column, at): readonly [string, Term] => [
        referenced[at] ?? "",
        { kind: "column", column: rowColumn(0, column) },
      ]);
      const isKey = ([column]: readonly [string, Term]): boolean =>
        parent.primaryKey.includes(column);
      const others = pairs.filter((pair) => !isKey(pair));
      return [
        {
          text: `${name} refers to ${parent.name}`,
          tables: [name],
          broken: and(...pairs.map(([, value]) => not(isNull(value)))),
          exists: {
            table: parent.name,
            key: Object.fromEntries(pairs.filter(isKey)),
            where: and(
              ...others.map(([column, value]) =>
                compare("=", { kind: "column", column: rowColumn(1, column) }, value),
              ),
            ),
          },
        },
      ];
    }),
  );
}

/** Columns of the table whose initial values are constrained by CHECKs, invariants or references. */
export function assumedColumns(
  flat: FlatProgram,
  table: string,
  references: readonly FlatInvariant[],
): ReadonlySet<string> {
  const columns = new Set(columnsIn(...(ownEntry(flat.tables, table)?.checks ?? [])));
  for (const { tables, broken, exists } of [...(flat.invariants ?? []), ...references]) {
    const rows = exists ? [...tables, exists.table] : tables;
    const terms = exists ? [broken, exists.where, ...Object.values(exists.key)] : [broken];
    for (const name of columnsIn(...terms)) {
      const { row, column } = fromRowColumn(name);
      if (rows[row] === table) columns.add(column);
    }
  }
  return columns;
}
