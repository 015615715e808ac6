// The initial rows of a tuple, shared by all of its runs: uninterpreted functions over keys and, for closed tables, a list of all rows that
// may exist.
import { lengthName } from "../../../program/arrays";
import type { ValueType } from "../../../program/expression";
import { ownEntry } from "../../../protocol/dictionary";
import { startReferences } from "../../operations/flatInvariant";
import { HIDDEN, INTERNED_BASE } from "../../operations/operation";
import type { FlatTable, FlatTransaction, Term } from "../../operations/operation";
import { subterms } from "../../operations/terms";
import { checkName, createAssumptions, invariantAsserter } from "../assumptions";
import type { Assumptions } from "../assumptions";
import { bindOutsideFunctions, outsideValues } from "../outsideFunctions";
import { alikeRows, type AlikeRows } from "../alikeRows";
import { limitsOfCounts } from "../countLimits";
import { applyFree } from "../freeFunction";
import { FALSE, TRUE, add, and, apply, eq, imp, int, le, lt, not, or, sameAll } from "../smt";
import type { Script, Smt, Sort } from "../smt";
import { isFalse, sqlBool, sqlInt, sqlLiteral } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import { termValue } from "../termValue";
import type { ProductTuple, TupleTable } from "./tuple";
import { PRESENCE, READABLE, SPARSE } from "./names";

/** A row: the values of its key's columns, as atoms. */
export type RowKey = readonly Smt[];

export interface Database {
  /** True if the row exists at the start. */
  alive(table: TupleTable, row: RowKey): Smt;
  /** A column's value at the start. */
  column(table: TupleTable, column: string, row: RowKey): SqlValue;
  /** Rows of a closed table that may exist initially; one row may be listed twice. */
  rows(table: TupleTable): readonly RowKey[];
  /** The row of a closed table that represents several, with its initial multiplicity. */
  alike(table: TupleTable): Alike | undefined;
  /** A parameter of an instance. */
  parameter(instance: number, name: string): SqlValue;
  /** Initial values that runs look at, as constants. */
  readonly inputs: readonly { readonly name: Smt; readonly sort: Sort }[];
  /** An unknown value of an instance. */
  unknown(instance: number, id: string, type: ValueType): SqlValue;
  /** Assumptions about the initial rows. */
  readonly assumptions: Assumptions;
  /** Rows of an open table that must exist because an invariant requires them. */
  asked(table: TupleTable): readonly RowKey[];
}

/** The numbers of rows per closed table beyond those that transactions name. */
const FURTHER_ROWS = { least: 2, most: 10 };

/** Above this number of accesses to a table further rows are too expensive. */
const FEW_ACCESSES = 6;

/** A row that represents `times` rows with the same values in all columns that are looked at. */
export interface Alike {
  readonly row: RowKey;
  readonly times: Smt;
  readonly differing: readonly string[];
}

export interface DatabaseOptions {
  /** True if other transactions take part, whose rows and generated values are unknown: rows that may not exist are unconstrained. */
  readonly open?: boolean;
}

/** The initial rows; their constraints are asserted as rows are mentioned. */
export function makeDatabase(
  script: Script,
  tuple: ProductTuple,
  { open: isOpen = false }: DatabaseOptions = {},
): Database {
  const known = new Map<string, readonly RowKey[]>();
  const open = new Map<string, readonly RowKey[]>();
  const mentioned = new Set<string>();
  const inputs: { readonly name: Smt; readonly sort: Sort }[] = [];
  const unknowns = new Map<string, string>();
  const asked = new Map<string, RowKey[]>();
  const alike = new Map<string, Alike>();
  const assumptions = createAssumptions(script);
  const asserted = new Set<Smt>();
  /** Asserts under PRESENCE, once, what is usual of a term. */
  const usually = (term: Smt, value: boolean): Smt => {
    if (asserted.has(term)) return term;
    asserted.add(term);
    script.assert(imp(script.constant(PRESENCE, "Bool"), value ? term : not(term)));
    return term;
  };
  const database: Database = {
    inputs,
    assumptions,
    asked: (table) => asked.get(table.table.name) ?? [],
    alike: (table) => alike.get(table.table.name),
    parameter: (member, name) => {
      const instance = tuple.leads[member] ?? member;
      const transaction = tuple.transactions[instance];
      const at = transaction?.parameters.findIndex((each) => each.name === name) ?? -1;
      const declared = transaction?.parameters[at];
      const symbol = parameterName(instance, at < 0 ? name.length : at);
      const isNull = declared?.nullable
        ? usually(script.constant(nullArgument(symbol), "Bool"), false)
        : FALSE;
      if (declared?.type === "bool") return sqlBool(script.constant(symbol, "Bool"), isNull);
      return sqlInt(script.constant(symbol, "Int"), isNull);
    },
    unknown: (member, id, type) => {
      const instance = tuple.leads[member] ?? member;
      const key = `${String(instance)} ${id}`;
      const symbol = unknowns.get(key) ?? `u${String(instance)}_${String(unknowns.size)}`;
      unknowns.set(key, symbol);
      if (type === "bool") return sqlBool(script.constant(symbol, "Bool"));
      return sqlInt(script.constant(symbol, "Int"));
    },
    alive: (table, row) => {
      touch(table, row);
      if (!isFree(table)) return TRUE;
      const { primaryKey } = table.table;
      const term = apply(script.fn(aliveName(table), primaryKey.length, "Bool"), row);
      mention(table, row, term);
      return table.missed ? term : usually(term, true);
    },
    column: (table, column, row) => {
      touch(table, row);
      const at = table.table.primaryKey.indexOf(column);
      if (at >= 0) return sqlInt(row[at] ?? "0");
      const type = columnType(table.table, column);
      const sort = type === "bool" ? "Bool" : "Int";
      const arity = row.length;
      const value = script.name(
        apply(script.fn(columnName(table, column), arity, sort), row),
        sort,
      );
      const isNull = mayBeNull(table, column)
        ? apply(script.fn(nullName(table, column), arity, "Bool"), row)
        : FALSE;
      if (isNull !== FALSE && !table.nullable.has(column)) usually(isNull, false);
      if (!mentioned.has(value)) {
        mentioned.add(value);
        inputs.push({ name: value, sort });
        if (sort === "Int") bound(script, tuple, type, value, { least: 0, most: 200 });
      }
      return { isNull, value, sort };
    },
    rows: (table) => {
      const rows = known.get(table.table.name);
      if (rows) return rows;
      const made = table.closed ? listRows(script, tuple, database, table) : [];
      const last = made.at(-1);
      const many = table.closed && !isOpen && fewAccesses(tuple, table) ? alikeRows(tuple, table, FURTHER_ROWS.most) : undefined; // prettier-ignore
      if (last && many) alike.set(table.table.name, standingFor(script, table, last, many));
      known.set(table.table.name, made);
      for (const row of made) {
        checkRow(script, tuple, database, table, row);
        invariants.add(table.table.name, row);
      }
      uniqueRows(script, database, table, made);
      return made;
    },
  };
  const tableAt = (name: string): TupleTable => {
    const table = tuple.tables.get(name);
    if (!table) throw new Error(`the table ${name} is not part of the tuple`);
    return table;
  };
  const invariants = invariantAsserter({
    flat: tuple.flat,
    script,
    assumptions,
    references: isOpen ? [] : startReferences(tuple.flat, new Set(tuple.tables.keys())),
    alive: (table, row) => database.alive(tableAt(table), row),
    column: (table, row, column) => database.column(tableAt(table), column, row),
    value: (term, column) => startValue(tuple, database, term, column),
    knows: (table) => tuple.tables.has(table),
    mention: (table, row) => {
      if (!tableAt(table).closed) asked.set(table, [...(asked.get(table) ?? []), row]);
    },
  });
  /** Rows of an open table become known one by one: each differs from the earlier ones in every unique key. */
  const touch = (table: TupleTable, row: RowKey): void => {
    if (table.closed) return;
    const name = table.table.name;
    const before = open.get(name) ?? [];
    if (before.some((each) => each.join() === row.join())) return;
    open.set(name, [...before, row]);
    for (const other of before) uniqueRows(script, database, table, [other, row]);
    checkRow(script, tuple, database, table, row);
    invariants.add(name, row);
  };
  const mention = (table: TupleTable, row: RowKey, alive: Smt): void => {
    if (mentioned.has(alive)) return;
    mentioned.add(alive);
    if (table.closed && !isOpen) {
      const rows = database.rows(table);
      const listed = rows.some((each) => each.join() === row.join());
      if (!listed) script.assert(imp(alive, or(...rows.map((each) => sameAll(each, row)))));
    }
  };
  bindParameters(script, tuple, database, isOpen);
  const leading = tuple.transactions.flatMap(({ parameters }, instance) =>
    tuple.leads[instance] === instance
      ? outsideValues(parameters, (name) => database.parameter(instance, name))
      : [],
  );
  bindOutsideFunctions(script, leading);
  return database;
}

/** True if rows of the table may be absent initially, unless they represent locks. */
function isFree(table: TupleTable): boolean {
  return !table.table.name.startsWith(HIDDEN);
}

/** True if the column may be NULL initially. */
function mayBeNull({ table }: TupleTable, column: string): boolean {
  return table.columns.some(({ name, nullable }) => name === column && nullable);
}

/** The constant that says that a parameter is NULL. */
export function nullArgument(parameter: string): string {
  return `${parameter}n`;
}

export function parameterName(instance: number, position: number): string {
  return `p${String(instance)}_${String(position)}`;
}

export function aliveName(table: TupleTable): string {
  return `a${String(table.id)}`;
}

export function columnName(table: TupleTable, column: string): string {
  return `v${String(table.id)}_${String(columnAt(table, column))}`;
}

export function nullName(table: TupleTable, column: string): string {
  return `n${String(table.id)}_${String(columnAt(table, column))}`;
}

export function columnType(table: FlatTable, column: string): ValueType {
  return table.columns.find((each) => each.name === column)?.type ?? "other";
}

export function isNumber(type: ValueType): boolean {
  return type === "int" || type === "decimal";
}

function columnAt(table: TupleTable, column: string): number {
  return table.table.columns.findIndex((each) => each.name === column);
}

/** Rows whose keys parameters and literals give, then a few that no transaction names. */
function listRows(
  script: Script,
  tuple: ProductTuple,
  database: Database,
  table: TupleTable,
): readonly RowKey[] {
  const rows = new Map<string, RowKey>();
  for (const accesses of tuple.accesses)
    for (const { instance, operation, point, table: own } of accesses) {
      if (own !== table || !point) continue;
      const terms = table.table.primaryKey.map((column) => ownEntry(operation.key, column));
      if (!terms.every((term) => term !== undefined && isEarly(term))) continue;
      const row = terms.map((term) =>
        term ? script.name(earlyInt(script, database, instance, term), "Int") : "0",
      );
      rows.set(row.join(" "), row);
    }
  const named = [...rows.values()];
  const further: RowKey[] = [];
  const count = furtherRows(tuple, table);
  for (let index = 0; index < count; index += 1) {
    const row = table.table.primaryKey.map((_, at) =>
      script.constant(`z${String(table.id)}_${String(index)}_${String(at)}`, "Int"),
    );
    for (const [at, value] of row.entries()) {
      const type = columnType(table.table, table.table.primaryKey[at] ?? "");
      bound(script, tuple, type, value, { least: 1, most: 20 });
    }
    for (const other of [...named, ...further]) script.assert(not(sameAll(other, row)));
    if (index > 0) {
      const alive = script.fn(aliveName(table), row.length, "Bool");
      script.assert(imp(script.constant(SPARSE, "Bool"), not(apply(alive, row))));
    }
    further.push(row);
  }
  return [...named, ...further];
}

/** The number of further rows: as many as a count of them is compared with, since both results of the comparison need that many. */
function furtherRows(tuple: ProductTuple, table: TupleTable): number {
  if (!fewAccesses(tuple, table)) return FURTHER_ROWS.least;
  const limits = tuple.transactions.flatMap((transaction) =>
    limitsOfCounts(transaction, table.table.name),
  );
  const wanted = limits.filter((limit) => limit <= FURTHER_ROWS.most);
  return Math.max(FURTHER_ROWS.least, ...wanted);
}

function fewAccesses(tuple: ProductTuple, table: TupleTable): boolean {
  const own = tuple.accesses.flat().filter((access) => access.table === table);
  return own.length <= FEW_ACCESSES;
}

function standingFor(script: Script, { id }: TupleTable, row: RowKey, many: AlikeRows): Alike {
  const times = script.constant(`w${String(id)}`, "Int");
  script.assert(and(le("1", times), le(times, String(many.most))));
  return { row, times, differing: many.differing };
}

/** True for a key that is known before anything is read. */
function isEarly(term: Term): boolean {
  return ![...subterms(term)].some(({ kind }) => READ.has(kind));
}

const READ: ReadonlySet<Term["kind"]> = new Set([
  "output",
  "found",
  "count",
  "over",
  "failed",
  "null",
]);

function earlyInt(script: Script, database: Database, instance: number, term: Term): Smt {
  const value = termValue(term, {
    parameter: (name) => database.parameter(instance, name),
    unknown: (id, type) => database.unknown(instance, id, type),
    apply: (what, args) => applyFree(script, READABLE, what, args),
    output: () => sqlLiteral(null),
    found: () => FALSE,
    count: () => "0",
  });
  return value.sort === "Int" ? value.value : `(ite ${value.value} 1 0)`;
}

/** Asserts the CHECK constraints of an initial row. */
function checkRow(
  script: Script,
  tuple: ProductTuple,
  database: Database,
  table: TupleTable,
  row: RowKey,
): void {
  const alive = isFree(table) ? apply(script.fn(aliveName(table), row.length, "Bool"), row) : TRUE;
  for (const [index, check] of table.table.checks.entries()) {
    const value = startValue(tuple, database, check, (column) =>
      database.column(table, column, row),
    );
    const assumed = database.assumptions.literal(checkName(table.table.name, index));
    script.assert(imp(and(assumed, alive), not(isFalse(value))));
  }
}

/** The value of a term over initial rows. */
function startValue(
  tuple: ProductTuple,
  database: Database,
  term: Term,
  column: (name: string) => SqlValue,
): SqlValue {
  return termValue(term, {
    parameter: () => sqlLiteral(null),
    unknown: (id, type) => database.unknown(-1 - tuple.transactions.length, id, type),
    output: () => sqlLiteral(null),
    found: () => FALSE,
    count: () => "0",
    column,
  });
}

/** Asserts that no two initial rows agree on a unique key. */
function uniqueRows(
  script: Script,
  database: Database,
  table: TupleTable,
  rows: readonly RowKey[],
): void {
  const { uniqueKeys, deferredKeys = [] } = table.table;
  for (const key of [...uniqueKeys, ...deferredKeys])
    for (const [at, row] of rows.entries())
      for (const other of rows.slice(0, at)) {
        const same = key.map((column) => {
          const [a, b] = [
            database.column(table, column, row),
            database.column(table, column, other),
          ];
          return and(not(a.isNull), not(b.isNull), eq(a.value, b.value));
        });
        const both = and(database.alive(table, row), database.alive(table, other));
        script.assert(imp(and(both, ...same), sameAll(row, other)));
      }
}

/** Asserts the range of a value by type, and a small range under READABLE. */
function bound(
  script: Script,
  tuple: ProductTuple,
  type: ValueType,
  value: Smt,
  range: { readonly least: number; readonly most: number },
): void {
  script.constant(READABLE, "Bool");
  const small = and(le(int(range.least), value), le(value, int(range.most)));
  if (isNumber(type)) {
    // Generated values are above all values that anybody names beforehand.
    script.assert(lt(value, int(FIRST_FRESH)));
    script.assert(imp(READABLE, small));
    return;
  }
  const end = int(INTERNED_BASE + tuple.flat.interned.length);
  const interned = le(int(INTERNED_BASE), value);
  script.assert(and(le("0", value), lt(value, end)));
  script.assert(imp(READABLE, or(and(le("0", value), le(value, "25")), interned)));
}

function bindParameters(
  script: Script,
  tuple: ProductTuple,
  database: Database,
  isOpen: boolean,
): void {
  const fresh: Smt[] = [];
  const settings = new Map<string, Smt>();
  for (const [instance, transaction] of tuple.transactions.entries()) {
    if (tuple.leads[instance] !== instance) continue;
    for (const { name, type, fresh: isFresh, constant, isSetting } of transaction.parameters) {
      const { value } = database.parameter(instance, name);
      const first = tuple.transactions.findIndex(({ id }) => id === transaction.id);
      if (constant === true) script.assert(eq(value, database.parameter(first, name).value));
      if (isSetting) {
        const key = `${type} ${name}`;
        const same = eq(value, settings.get(key) ?? value);
        settings.set(key, settings.get(key) ?? value);
        script.assert(imp(script.constant(PRESENCE, "Bool"), same));
      }
      if (type === "bool") continue;
      if (isFresh) {
        // Generated values are consecutive above everything else: different from all rows and from each other.
        const before = fresh.at(-1);
        if (!isOpen) script.assert(eq(value, add(int(FIRST_FRESH), int(fresh.length))));
        else script.assert(before ? lt(before, value) : le(int(FIRST_FRESH), value));
        fresh.push(value);
      } else {
        const most = name.endsWith(lengthName("")) ? mostElements(transaction) : 99;
        bound(script, tuple, type, value, { least: 1, most });
      }
    }
  }
}

/** The maximal array length: arrays must not require more rounds of a loop than are unrolled. */
function mostElements({ uncovered = [] }: FlatTransaction): number {
  return uncovered.length > 0 ? Math.max(1, ...uncovered.map((each) => each.rounds)) : 99;
}

export const FIRST_FRESH = 500_000;
