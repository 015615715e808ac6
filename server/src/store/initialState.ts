// Validity of a setup as the start of a run: initial rows satisfy the database's keys and checks, and arguments satisfy the preconditions.
import type { Program } from "../program/program";
import type { Schema, Table } from "../program/schema";
import { ownEntry } from "../protocol/dictionary";
import type { WitnessInstance } from "../protocol/witness";
import { uniqueKeysOf } from "./constraints";
import { evaluate, truth } from "./evaluateExpression";
import { NOBODY, bareFrame } from "./bareFrame";
import { NotExecutable } from "./failure";
import { withRows, type Environment, type Frame } from "./frame";
import { brokenInvariant } from "./invariants";
import { argumentsOf } from "./machine";
import { findTable, type DerivedRow, type TableRows } from "./row";
import { renderValue, type SqlValue } from "./value";

/**
 * Throws NotExecutable if rows share a unique key, violate a CHECK or break an invariant. Foreign keys are not checked: a witness omits
 * parents that nothing touches.
 */
export function requireValidRows(program: Program, tables: ReadonlyMap<string, TableRows>): void {
  const { schema } = program;
  for (const [name, rows] of tables) {
    const table = findTable(schema, name);
    requireKeys(table, rows, schema);
    for (const row of rows) requireChecks(table, row.values, schema);
  }
  const broken = brokenInvariant(program, tables);
  if (broken !== undefined)
    throw new NotExecutable(`the initial rows break the invariant "${broken.text}"`);
}

/**
 * Throws NotExecutable if arguments break a precondition, if a fresh parameter is shared, if one function gives different results for equal
 * arguments, or if a constant parameter differs.
 */
export function requireValidArguments(
  program: Program,
  instances: readonly WitnessInstance[],
): void {
  const passed = new Map<string, string[]>();
  const given = new Map<string, string>();
  for (const instance of instances) {
    const transaction = program.transactions.find((each) => each.id === instance.transaction);
    if (transaction === undefined) continue;
    const environment: Environment = { ...NOBODY, parameters: argumentsOf(transaction, instance) };
    for (const condition of transaction.preconditions)
      if (truth(evaluate(condition, bareFrame(program.schema, environment))) === false)
        throw new NotExecutable(`the arguments of ${instance.instance} break a precondition`);
    const textOf = (name: string): string => renderValue(ownEntry(environment.parameters, name) ?? null); // prettier-ignore
    for (const { name, origin, of } of transaction.parameters) {
      const call = of && JSON.stringify([of.function, ...of.arguments.map(textOf)]);
      if (call !== undefined && (given.get(call) ?? textOf(name)) !== textOf(name))
        throw new NotExecutable(`${name} is not the same for the same arguments`);
      if (call !== undefined) given.set(call, textOf(name));
      if (origin === "argument") continue;
      const place = `${origin} ${transaction.id} ${name}`;
      const values = passed.get(place) ?? [];
      passed.set(place, [...values, textOf(name)]);
    }
  }
  for (const [place, values] of passed) {
    const distinct = new Set(values).size;
    if (place.startsWith("fresh") && distinct < values.length)
      throw new NotExecutable("two instances share an argument that is new in each");
    if (place.startsWith("constant") && distinct > 1)
      throw new NotExecutable("an argument that is the same in all instances differs");
  }
}

function requireKeys(table: Table, rows: TableRows, schema: Schema): void {
  for (const key of uniqueKeysOf(table)) {
    const seen = new Set<string>();
    for (const { values } of rows) {
      if (key.columns.some((column) => (ownEntry(values, column) ?? null) === null)) continue;
      if (
        key.where !== undefined &&
        truth(evaluate(key.where, frameOf(table, values, schema))) !== true
      )
        continue;
      const text = key.columns
        .map((column) => renderValue(ownEntry(values, column) ?? null))
        .join(",");
      if (seen.has(text))
        throw new NotExecutable(`two initial rows of ${table.name} have the key ${text}`);
      seen.add(text);
    }
  }
}

function requireChecks(
  table: Table,
  values: Readonly<Record<string, SqlValue>>,
  schema: Schema,
): void {
  for (const check of table.checks)
    if (truth(evaluate(check, frameOf(table, values, schema))) === false)
      throw new NotExecutable(`an initial row of ${table.name} violates a CHECK`);
}

function frameOf(table: Table, values: Readonly<Record<string, SqlValue>>, schema: Schema): Frame {
  const row: DerivedRow = { kind: "derived", values };
  return withRows(bareFrame(schema, NOBODY), { [table.name]: row });
}
