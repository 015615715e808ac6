// The shared parts of all runs of a tuple: arguments, initial rows, and all mentioned rows.
import type { ValueType } from "../../../program/expression";
import { startReferences } from "../../operations/flatInvariant";
import type { FlatInvariant, FlatProgram, FlatTable } from "../../operations/operation";
import { checkName, createAssumptions, invariantAsserter, preconditionName } from "../assumptions";
import type { Assumptions } from "../assumptions";
import { bindOutsideFunctions, outsideValues } from "../outsideFunctions";
import { TELLING, applyFree } from "../freeFunction";
import { termValue } from "../termValue";
import type { TermScope } from "../termValue";
import { FALSE, TRUE, and, apply, eq, imp, le, not, or } from "../smt";
import type { Script, Smt } from "../smt";
import { isFalse, isTrue, sqlBool, sqlInt } from "../sqlValue";
import type { SqlValue } from "../sqlValue";
import type { Instance } from "./instances";
import { EXISTENCE, keyColumns, tableOf } from "./instances";

/** A row by its key: one atomic term per key column. */
export type RowTerm = readonly Smt[];

export interface Database {
  readonly flat: FlatProgram;
  readonly script: Script;
  parameter(instance: number, name: string): SqlValue;
  unknown(instance: number, id: string, type: ValueType): SqlValue;
  /** True if the row exists at the start. */
  alive(table: string, row: RowTerm): Smt;
  /** The column's value at the start. */
  value(table: string, row: RowTerm, column: string): SqlValue;
  /** Adds a row. Rows that exist initially are among the mentioned ones; each satisfies the table's checks and keys. */
  mention(table: string, row: RowTerm): void;
  mentioned(table: string): readonly RowTerm[];
  /** The foreign keys that the initial rows satisfy. */
  readonly references: readonly FlatInvariant[];
  /** Assumptions about the initial rows. */
  readonly assumptions: Assumptions;
  readonly names: DatabaseNames;
}

/** Names of the shared values in a model. */
export interface DatabaseNames {
  parameter(instance: number, name: string): string;
  alive(table: string): string;
  column(table: string, column: string): string;
  isNull(table: string, column: string): string;
}

/** One of several databases in a script: `differs` says which initial values are its own; the others are shared. */
export interface OwnStart {
  readonly prefix: string;
  /** The assumptions of the whole script, if its databases guarantee different things. */
  readonly assumptions?: Assumptions;
  differs(table: string, column: string): boolean;
}

/** The database of these instances. */
export function makeDatabase(
  flat: FlatProgram,
  script: Script,
  instances: readonly Instance[],
  own?: OwnStart,
): Database {
  const names = databaseNames(flat, instances, own);
  const unknowns = new Map<string, string>();
  const mentioned = new Map<string, RowTerm[]>();
  // The rows of one database among several are a mixture of versions, in which parents may be missing.
  const references = own ? [] : startReferences(flat, accessedTables(instances));
  const database: Database = {
    flat,
    references,
    script,
    names,
    assumptions: own?.assumptions ?? createAssumptions(script),
    parameter: (instance, name) => {
      const declared = instances[instance]?.transaction.parameters.find(
        (parameter) => parameter.name === name,
      );
      const constant = names.parameter(instance, name);
      const isNull = declared?.nullable ? script.constant(nullArgument(constant), "Bool") : FALSE;
      return declared?.type === "bool"
        ? sqlBool(script.constant(constant, "Bool"), isNull)
        : sqlInt(script.constant(constant, "Int"), isNull);
    },
    unknown: (instance, id, type) => {
      const key = `${String(instance)} ${id}`;
      const name = unknowns.get(key) ?? `${own?.prefix ?? ""}u${String(unknowns.size)}`;
      unknowns.set(key, name);
      return type === "bool"
        ? sqlBool(script.constant(name, "Bool"))
        : sqlInt(script.constant(name, "Int"));
    },
    alive: (table, row) => apply(script.fn(names.alive(table), row.length, "Bool"), row),
    value: (table, row, column) => {
      const { columns } = tableOf(flat, table);
      const nullable = columns.find((each) => each.name === column)?.nullable ?? true;
      return sqlInt(
        apply(script.fn(names.column(table, column), row.length, "Int"), row),
        nullable ? apply(script.fn(names.isNull(table, column), row.length, "Bool"), row) : FALSE,
      );
    },
    mention: (table, row) => {
      const known = mentioned.get(table) ?? [];
      if (known.some((other) => other.join(" ") === row.join(" "))) return;
      mentioned.set(table, [...known, row]);
      for (const other of known) distinctKeys(database, table, row, other);
      restrict(database, table, row);
      invariants.add(table, row);
    },
    mentioned: (table) => mentioned.get(table) ?? [],
  };
  const invariants = invariantAsserter({
    flat,
    script,
    assumptions: database.assumptions,
    references,
    alive: database.alive,
    column: (table, row, column) => cellAt(database, tableOf(flat, table), row, column),
    value: (term, column) => termValue(term, { ...argumentScope(database, -1), column }),
    knows: (table) => Object.hasOwn(flat.tables, table),
    mention: database.mention,
  });
  for (const instance of instances) constrainParameters(database, instance, instances);
  const values = instances.flatMap(({ index, transaction: { parameters } }) =>
    outsideValues(parameters, (name) => database.parameter(index, name)),
  );
  bindOutsideFunctions(script, values);
  return database;
}

function accessedTables(instances: readonly Instance[]): ReadonlySet<string> {
  const operations = instances.flatMap(({ transaction }) => transaction.operations);
  return new Set(operations.map(({ table }) => table));
}

/** The same tables with other, unconstrained rows and values. */
export function otherStart(
  { flat, script, names }: Database,
  prefix: string,
): Pick<Database, "alive" | "value"> {
  return {
    alive: (table, row) =>
      apply(script.fn(`${prefix}${names.alive(table)}`, row.length, "Bool"), row),
    value: (table, row, column) => {
      const nullable =
        tableOf(flat, table).columns.find((each) => each.name === column)?.nullable ?? true;
      const name = (of: string, sort: "Int" | "Bool"): Smt =>
        apply(script.fn(`${prefix}${of}`, row.length, sort), row);
      return sqlInt(
        name(names.column(table, column), "Int"),
        nullable ? name(names.isNull(table, column), "Bool") : FALSE,
      );
    },
  };
}

/** The constant that says that a parameter is NULL. */
export function nullArgument(parameter: string): string {
  return `${parameter}n`;
}

function databaseNames(
  flat: FlatProgram,
  instances: readonly Instance[],
  own: OwnStart | undefined,
): DatabaseNames {
  const tables = Object.keys(flat.tables).sort();
  const table = (name: string): string => String(tables.indexOf(name));
  const prefix = (of: string, name: string): string =>
    own?.differs(of, name) === true ? own.prefix : "";
  const column = (of: string, name: string): string => {
    const { columns } = tableOf(flat, of);
    return String(columns.findIndex((each) => each.name === name));
  };
  return {
    parameter: (instance, name) => {
      const at = instances[instance]?.transaction.parameters.findIndex(
        (parameter) => parameter.name === name,
      );
      return `a${String(instance)}_${String(at ?? -1).replace("-", "m")}`;
    },
    alive: (of) => `${prefix(of, EXISTENCE)}r0_${table(of).replace("-", "m")}`,
    column: (of, name) =>
      `${prefix(of, name)}i${table(of).replace("-", "m")}_${column(of, name).replace("-", "m")}`,
    isNull: (of, name) =>
      `${prefix(of, name)}n${table(of).replace("-", "m")}_${column(of, name).replace("-", "m")}`,
  };
}

/** Asserts preconditions; generated values differ between all instances. */
function constrainParameters(
  database: Database,
  instance: Instance,
  instances: readonly Instance[],
): void {
  const scope = argumentScope(database, instance.index);
  const { id, preconditions } = instance.transaction;
  for (const [at, precondition] of preconditions.entries()) {
    const assumed = database.assumptions.literal(preconditionName(id, at));
    database.script.assert(imp(assumed, isTrue(termValue(precondition, scope))));
  }
  for (const parameter of instance.transaction.parameters) {
    const own = database.parameter(instance.index, parameter.name);
    if (isWord(parameter.type)) database.script.assert(le("0", own.value));
    const first = instances.find(({ transaction }) => transaction.id === instance.transaction.id);
    if (parameter.constant === true && first !== undefined)
      database.script.assert(eq(own.value, database.parameter(first.index, parameter.name).value));
    if (!parameter.fresh) continue;
    for (const other of instances) {
      for (const theirs of other.transaction.parameters) {
        const same = other.index === instance.index && theirs.name === parameter.name;
        if (!theirs.fresh || other.index < instance.index || same) continue;
        database.script.assert(
          not(eq(own.value, database.parameter(other.index, theirs.name).value)),
        );
      }
    }
  }
}

/** Preconditions only mention arguments. */
function argumentScope(database: Database, instance: number): TermScope {
  return {
    parameter: (name) => database.parameter(instance, name),
    unknown: (id, type) => database.unknown(instance, id, type),
    apply: (what, args) => applyFree(database.script, TELLING, what, args),
    output: (operation, name) => database.unknown(instance, `${String(operation)} ${name}`, "int"),
    found: () => TRUE,
    count: () => "1",
    column: (column) => database.unknown(instance, column, "int"),
  };
}

/** Asserts checks and domains of an initial row. */
function restrict(database: Database, table: string, row: RowTerm): void {
  const { script, flat } = database;
  const described = tableOf(flat, table);
  const key = keyColumns(described);
  const scope = rowScope(database, described, row);
  const facts = described.checks.map((check, index) =>
    imp(
      database.assumptions.literal(checkName(table, index)),
      not(isFalse(termValue(check, scope))),
    ),
  );
  described.columns.forEach((column) => {
    const at = key.indexOf(column.name);
    const value = at >= 0 ? row[at] : database.value(table, row, column.name).value;
    if (value === undefined) return;
    if (isWord(column.type)) facts.push(le("0", value));
    if (column.type === "bool") facts.push(or(eq(value, "0"), eq(value, "1")));
  });
  script.assert(imp(database.alive(table, row), and(...facts)));
}

function rowScope(database: Database, table: FlatTable, row: RowTerm): TermScope {
  return {
    ...argumentScope(database, -1),
    column: (column) => cellAt(database, table, row, column),
  };
}

/** A column of an initial row. */
function cellAt(database: Database, table: FlatTable, row: RowTerm, column: string): SqlValue {
  const at = row[keyColumns(table).indexOf(column)];
  return at === undefined ? database.value(table.name, row, column) : sqlInt(at);
}

/** Asserts that two different initial rows differ in every unique key. */
function distinctKeys(database: Database, table: string, row: RowTerm, other: RowTerm): void {
  const described = tableOf(database.flat, table);
  const same = and(...row.map((term, index) => eq(term, other[index] ?? term)));
  if (same === TRUE) return;
  for (const unique of [...described.uniqueKeys, ...(described.deferredKeys ?? [])]) {
    const equal = unique.map((column) => {
      const a = cellAt(database, described, row, column);
      const b = cellAt(database, described, other, column);
      return and(not(a.isNull), not(b.isNull), eq(a.value, b.value));
    });
    database.script.assert(
      imp(
        and(database.alive(table, row), database.alive(table, other), not(same)),
        not(and(...equal)),
      ),
    );
  }
}

/** True for types whose integers are interned values; negative numbers represent none. */
export function isWord(type: ValueType): boolean {
  return type !== "int" && type !== "decimal" && type !== "bool";
}
