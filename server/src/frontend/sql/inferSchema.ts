// Tables that no DDL declares, guessed from the statements that use them.
import type { Expression, ValueType, Query } from "../../program/expression";
import type { Note, Transaction } from "../../program/program";
import type { Column, Table } from "../../program/schema";
import { operandsOf } from "../../program/operands";
import type { InsertStatement, Statement } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import { namedTables } from "./tableNames";
import { typeOf, type TypeEnvironment } from "./types";
import { walkCommand, type Scope } from "./walk";

export interface InferredSchema {
  readonly tables: readonly Table[];
  /** One note per table, at its first use. */
  readonly notes: readonly Note[];
}

/**
 * The tables that transactions use and `known` lacks. Columns are those that statements name; the primary key is `id` or `<table>_id`, else
 * the columns that ON CONFLICT names, which a server refuses where they are no key, else those that point queries equate with values. Columns
 * by which some query counts or orders rows are no key, since several rows share them; nor are columns by which a transaction looks for a row
 * before it inserts one with them: a key would refuse the second row, and whether there is one is what nobody declared.
 */
export function inferSchema(
  transactions: readonly Transaction[],
  known: (name: string) => Table | undefined,
): InferredSchema {
  const drafts = new Map<string, Draft>();
  for (const transaction of transactions) {
    const named = namedTables(transaction.body).tables.keys();
    if ([...named].some((name) => known(name) === undefined)) collect(transaction, known, drafts);
  }
  const tables: Table[] = [];
  const notes: Note[] = [];
  for (const [name, draft] of drafts) {
    const table = tableOf(name, draft);
    tables.push(table);
    if (!isWritten(name)) continue;
    const key = table.primaryKey.join(", ");
    const checked = [...draft.checked].filter((columns) => !isUnique(columns.split("\n"), table));
    const guess = [
      key === "" ? "it has no key that can be guessed" : `its key is taken to be ${key}`,
      ...(checked.length > 0
        ? [`nothing says whether ${checked.join(" or ").replaceAll("\n", ", ")} is unique`]
        : []),
    ].join(", and ");
    const message = `No CREATE TABLE was found for ${name}: its columns come from the statements, ${guess}.`;
    const { source } = draft;
    notes.push({ severity: "warning", code: "unknown-table", message, source, table: name });
  }
  return { tables, notes };
}

/** True if a key that was guessed allows only one row with the same values of these columns. */
function isUnique(columns: readonly string[], { primaryKey, uniqueKeys }: Table): boolean {
  const keys = [primaryKey, ...uniqueKeys.map((key) => key.columns)];
  return keys.some((key) => key.length > 0 && key.every((column) => columns.includes(column)));
}

/** False for a name made at run time: its place holds a placeholder, or nothing. */
function isWritten(name: string): boolean {
  return name !== "" && !name.includes(":");
}

interface Draft {
  readonly source: SourceRange;
  readonly columns: Map<string, ValueType | undefined>;
  /** The frequency with which each set of columns is equated with values. */
  readonly equated: Map<string, number>;
  /** The sets of these that several rows share. */
  readonly shared: Set<string>;
  /** Those of them that a transaction looks for before it inserts. */
  readonly checked: Set<string>;
  /** The sets of columns that ON CONFLICT names. */
  readonly arbiters: Set<string>;
}

function collect(
  transaction: Transaction,
  known: (name: string) => Table | undefined,
  drafts: Map<string, Draft>,
): void {
  let current: Statement | undefined;
  const lookups: Lookup[] = [];
  const refused = new Set<Statement>();
  const parameters = new Map(transaction.parameters.map(({ name, type }) => [name, type] as const));
  const environment: TypeEnvironment = {
    table: (name) => known(name) ?? draftTable(name, drafts.get(name)),
    parameters,
    variables: new Map(),
    results: new Map(),
  };

  function draftOf(name: string): Draft | undefined {
    if (known(name) !== undefined || current === undefined) return undefined;
    let draft = drafts.get(name);
    if (draft === undefined) {
      draft = {
        source: current.source,
        columns: new Map(),
        equated: new Map(),
        shared: new Set(),
        checked: new Set(),
        arbiters: new Set(),
      };
      drafts.set(name, draft);
    }
    return draft;
  }

  function addColumn(table: string, column: string, type?: ValueType): void {
    const columns = draftOf(table)?.columns;
    if (columns !== undefined) columns.set(column, columns.get(column) ?? type);
  }

  function tableOfAlias(alias: string, scope: Scope): string | undefined {
    const relation = scope.find((each) => each.alias === alias);
    return relation?.kind === "base" ? relation.table : undefined;
  }

  walkCommand(transaction.body, {
    command: (command) => {
      // A handler of the violation of a key knows of the key.
      if (command.kind === "try" && command.catches?.some((code) => DUPLICATE.has(code)) === true)
        walkCommand(command.body, { statement: (each) => refused.add(each) });
    },
    statement: (statement) => {
      current = statement;
      if (statement.kind === "insert") {
        const draft = draftOf(statement.table);
        if (!refused.has(statement))
          for (const lookup of lookups) if (lookup.draft === draft) shareLookup(statement, lookup);
        addArbiter(statement, draft);
      }
      if (statement.kind === "opaque") for (const table of statement.tables) draftOf(table);
      if (statement.kind === "lock" && statement.table !== undefined) draftOf(statement.table);
      if (statement.kind === "update" || statement.kind === "delete") {
        countEquated(statement.where, statement.relation.alias, draftOf(statement.relation.table));
      }
      if (statement.kind === "select" && statement.query.relations.length === 1) {
        const [relation] = statement.query.relations;
        if (relation?.kind === "base") {
          const draft = draftOf(relation.table);
          const key = countEquated(statement.query.where, relation.alias, draft);
          if (draft && key !== undefined) {
            lookups.push({ draft, key });
            if (isOfSeveral(statement.query)) draft.shared.add(key);
          }
        }
      }
    },
    query: ({ relations, where }) => {
      const [relation, ...others] = relations;
      if (current?.kind !== "insert" || relation?.kind !== "base" || others.length > 0) return;
      const draft = relation.table === current.table ? draftOf(relation.table) : undefined;
      const key = equatedIn(where, relation.alias);
      if (draft && key !== undefined) shareLookup(current, { draft, key });
    },
    relation: (relation) => {
      if (relation.kind === "base") draftOf(relation.table);
    },
    assignment: (table, column, value, scope) =>
      addColumn(table, column, typeOf(value, scope, environment)),
    expression: (expression, scope) => {
      if (expression.kind === "column") {
        const table = tableOfAlias(expression.relation, scope);
        if (table !== undefined) addColumn(table, expression.column);
      } else if (expression.kind === "comparison") {
        const { left, right } = expression;
        for (const [side, other] of [[left, right] as const, [right, left] as const]) {
          if (side.kind !== "column") continue;
          const table = tableOfAlias(side.relation, scope);
          if (table !== undefined) addColumn(table, side.column, typeOf(other, scope, environment));
        }
      } else if (expression.kind === "arithmetic" && expression.operator !== "||") {
        for (const side of [expression.left, expression.right]) {
          if (side.kind !== "column") continue;
          const table = tableOfAlias(side.relation, scope);
          if (table !== undefined) addColumn(table, side.column, "int");
        }
      }
    },
  });
}

/** SQLSTATEs of the violation of a key: PostgreSQL's own, MySQL's, and their class. */
const DUPLICATE: ReadonlySet<string> = new Set(["23505", "23000", "23"]);

/** The columns by which a query looks for rows of a table. */
interface Lookup {
  readonly draft: Draft;
  readonly key: string;
}

/**
 * Takes the columns of a look-up that an insertion gives values for as shared by several rows, unless the insertion knows of a key: then it may
 * be that one.
 */
function shareLookup(insert: InsertStatement, { draft, key }: Lookup): void {
  if (insert.onConflict?.target.length === 0 || !givesAll(insert, key.split("\n"))) return;
  draft.shared.add(key);
  draft.checked.add(key);
}

/**
 * Records the columns that ON CONFLICT names, if the insertion gives them values; with a condition, which is not read, they may be a key of some
 * rows only.
 */
function addArbiter(insert: InsertStatement, draft: Draft | undefined): void {
  const target = insert.onConflict?.target ?? [];
  if (target.length === 0 || insert.taint.length > 0 || !givesAll(insert, target)) return;
  draft?.arbiters.add([...target].sort().join("\n"));
}

function givesAll({ rows }: InsertStatement, columns: readonly string[]): boolean {
  const given = "columns" in rows ? rows.columns : rows.flat().map(({ column }) => column);
  return columns.every((each) => given.includes(each));
}

/** True if a query expects several rows: it aggregates or orders them. */
function isOfSeveral({ outputs, orderBy }: Query): boolean {
  const counts = (value: Expression): boolean =>
    value.kind === "aggregate" || operandsOf(value).some(counts);
  return orderBy.length > 0 || outputs.some(({ value }) => counts(value));
}

/** Records the set of columns that a conjunction equates with something other than a column. */
function countEquated(
  where: Expression,
  alias: string,
  draft: Draft | undefined,
): string | undefined {
  const key = draft && equatedIn(where, alias);
  if (key !== undefined) draft?.equated.set(key, (draft.equated.get(key) ?? 0) + 1);
  return key;
}

function equatedIn(where: Expression, alias: string): string | undefined {
  const columns = new Set<string>();
  for (const each of where.kind === "and" ? where.operands : [where]) {
    if (each.kind !== "comparison" || each.operator !== "=") continue;
    for (const [side, other] of [
      [each.left, each.right] as const,
      [each.right, each.left] as const,
    ]) {
      const isOwn = side.kind === "column" && side.relation === alias;
      if (isOwn && other.kind !== "column") columns.add(side.column);
    }
  }
  return columns.size === 0 ? undefined : [...columns].sort().join("\n");
}

function draftTable(name: string, draft: Draft | undefined): Table | undefined {
  return draft === undefined ? undefined : tableOf(name, draft);
}

function tableOf(name: string, draft: Draft): Table {
  const primaryKey = guessKey(name, draft);
  const uniqueKeys = [...draft.arbiters]
    .filter((key) => key !== [...primaryKey].sort().join("\n"))
    .map((key) => ({ columns: key.split("\n") }));
  const columns: Column[] = [...draft.columns].map(([column, type]) => ({
    name: column,
    // Integers are the most frequent columns, and equality is treated alike for all types.
    type: type === undefined || type === "other" ? "int" : type,
    nullable: !primaryKey.includes(column),
  }));
  const dot = name.lastIndexOf(".");
  return {
    name,
    ...(dot > 0 && { schema: name.slice(0, dot) }),
    columns,
    primaryKey,
    uniqueKeys,
    foreignKeys: [],
    checks: [],
    inferred: true,
  };
}

function guessKey(name: string, draft: Draft): readonly string[] {
  const plain = name.slice(name.lastIndexOf(".") + 1);
  const singular = plain.replace(/ies$/, "y").replace(/s$/, "");
  for (const candidate of ["id", `${plain}_id`, `${singular}_id`, `${plain}id`, `${singular}id`]) {
    if (draft.columns.has(candidate)) return [candidate];
  }
  const [arbiter] = draft.arbiters;
  if (arbiter !== undefined) return arbiter.split("\n");
  const shared = [...draft.shared].map((key) => key.split("\n"));
  const isShared = (columns: readonly string[]): boolean =>
    shared.some((set) => columns.every((column) => set.includes(column)));
  // The smallest set of columns that some statement equates; among equals the most frequent one.
  const sets = [...draft.equated]
    .map(([key, count]) => ({ columns: key.split("\n"), count }))
    .filter(({ columns }) => !isShared(columns));
  sets.sort((a, b) => a.columns.length - b.columns.length || b.count - a.count);
  return sets[0]?.columns ?? [];
}
