// Tables of the flat form: keys that identify rows, and texts interned as integers.
import { accessedBy } from "../../program/accessedTables";
import type { Program } from "../../program/program";
import { isDeferred, type Table, type UniqueKey } from "../../program/schema";
import type { Command, Statement } from "../../program/statement";
import type { FlatTable, Operation, Term } from "./operation";
import { HIDDEN, INTERNED_BASE } from "./operation";

/** The column that identifies rows of a table without a key. */
export const ROW_KEY = `${HIDDEN}row`;

/** The table whose rows represent table and advisory locks. */
export const LOCKS = `${HIDDEN}locks`;

export interface FlatTables {
  readonly all: Map<string, FlatTable>;
  readonly interned: string[];
  /** Reasons of failures: results like texts, but no value of a row or an argument. */
  readonly reasons: string[];
  readonly declared: ReadonlyMap<string, Table>;
  /** Tables that some transaction uses for more than foreign key checks. */
  readonly accessed: ReadonlySet<string>;
}

/** The tables of a program; `tableOf` adds those without a declaration. */
export function createTables(program: Program): FlatTables {
  const statements = program.transactions.flatMap((each) => [...statementsOf(each.body)]);
  const all = new Map(
    program.schema.tables.map((table) => [table.name, flatTable(table, statements)] as const),
  );
  return {
    all,
    interned: [],
    reasons: [],
    declared: new Map(program.schema.tables.map((table) => [table.name, table])),
    accessed: new Set(statements.flatMap(accessedBy)),
  };
}

/** The deferred keys with a column that the operation may write. */
export function deferredKeysOf(
  { kind, set, update = {} }: Operation,
  table: FlatTable | undefined,
): readonly (readonly string[])[] {
  if (kind === "read" || kind === "delete") return [];
  const given = { ...set, ...update };
  return (table?.deferredKeys ?? []).filter((key) =>
    key.some((column) => Object.hasOwn(given, column)),
  );
}

/** The table of that name; an undeclared one has no columns but its rows' identity. */
export function tableOf(tables: FlatTables, name: string): FlatTable {
  const known = tables.all.get(name);
  if (known) return known;
  const table: FlatTable = {
    name,
    primaryKey: [ROW_KEY],
    columns: [{ name: ROW_KEY, type: "int", nullable: false }],
    uniqueKeys: [],
    checks: [],
  };
  tables.all.set(name, table);
  return table;
}

/** The table for locks on other things than rows. */
export function locksTable(tables: FlatTables): FlatTable {
  const known = tables.all.get(LOCKS);
  if (known) return known;
  const columns = ["kind", "key"].map((name) => ({ name, type: "int" as const, nullable: false }));
  const table: FlatTable = {
    name: LOCKS,
    primaryKey: ["kind", "key"],
    columns,
    uniqueKeys: [],
    checks: [],
  };
  tables.all.set(LOCKS, table);
  return table;
}

/** The integer that represents a text. */
export function intern(tables: FlatTables, text: string): Term {
  return { kind: "int", value: INTERNED_BASE + indexIn(tables.interned, text) };
}

/** Above all texts: a witness shows none of them as a value. */
const REASON_BASE = 2 * INTERNED_BASE;

/** The integer that represents the reason of a failure. */
export function internReason(tables: FlatTables, why: string): Term {
  return { kind: "int", value: REASON_BASE + indexIn(tables.reasons, why) };
}

function indexIn(texts: string[], text: string): number {
  const known = texts.indexOf(text);
  return known >= 0 ? known : texts.push(text) - 1;
}

/** All statements of a command, including those in branches and loops. */
export function* statementsOf(command: Command): Iterable<Statement> {
  switch (command.kind) {
    case "statement":
      yield command.statement;
      return;
    case "sequence":
      for (const each of command.commands) yield* statementsOf(each);
      return;
    case "if":
      yield* statementsOf(command.then);
      if (command.otherwise) yield* statementsOf(command.otherwise);
      return;
    case "loop":
    case "atomic":
      yield* statementsOf(command.body);
      return;
    case "try":
      yield* statementsOf(command.body);
      yield* statementsOf(command.handler);
      return;
    default:
      return;
  }
}

function flatTable(table: Table, statements: readonly Statement[]): FlatTable {
  const key = keyOf(table, statements);
  const hidden = key.length === 0;
  const columns = table.columns.map(({ name, type, nullable }) => ({ name, type, nullable }));
  const others = [
    table.primaryKey,
    ...table.uniqueKeys.filter(isWhole).map((each) => each.columns),
  ];
  const deferred = table.uniqueKeys.filter(isDeferred).map((each) => each.columns);
  return {
    name: table.name,
    primaryKey: hidden ? [ROW_KEY] : key,
    columns: hidden ? [{ name: ROW_KEY, type: "int", nullable: false }, ...columns] : columns,
    uniqueKeys: others.filter((other) => other.length > 0 && other.join() !== key.join()),
    ...(deferred.length > 0 && { deferredKeys: deferred }),
    ...(table.foreignKeys.length > 0 && {
      foreignKeys: table.foreignKeys.map(({ columns, table, referenced, isUnvalidated }) => ({
        columns,
        table,
        referenced,
        ...(isUnvalidated && { isUnvalidated }),
      })),
    }),
    checks: [],
  };
}

/** The declared key, or the unique key of ON CONFLICT. */
function keyOf(table: Table, statements: readonly Statement[]): readonly string[] {
  const unique = [
    table.primaryKey,
    ...table.uniqueKeys.filter(isWhole).map((each) => each.columns),
  ];
  const arbiter = statements.flatMap((statement) =>
    statement.kind === "insert" && statement.table === table.name && statement.onConflict
      ? [statement.onConflict.target]
      : [],
  )[0];
  const named = unique.find((key) => key.length > 0 && sameColumns(key, arbiter ?? []));
  return named ?? unique.find((key) => key.length > 0) ?? [];
}

/** True if the key identifies all rows at every moment. */
function isWhole(key: UniqueKey): boolean {
  return key.where === undefined && !isDeferred(key);
}

function sameColumns(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((column) => b.includes(column));
}
