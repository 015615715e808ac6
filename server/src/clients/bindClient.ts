// Binds a client program to the workspace: calls become instances of its transactions, rows are checked against tables, assertions become
// queries or expressions.
import type { Key, Value as Version } from "../exploration/client";
import type { Program, Transaction, Parameter } from "../program/program";
import type { ValueType } from "../program/expression";
import type { Schema } from "../program/schema";
import type { Range } from "../protocol/source";
import type { Row, Value, WitnessInstance } from "../protocol/witness";
import { elementName, lengthName } from "../program/arrays";
import { setEntry } from "../protocol/dictionary";
import { firstFreshNumber } from "../store/freshValues";
import { NotExecutable } from "../store/failure";
import { unknownText } from "../workspace/configuration";
import type { AccessRules } from "./statementView";
import type {
  ClientArgument,
  ClientCall,
  ClientProblem,
  InitialTable,
  JsonClient,
  PlacedArgument,
} from "./clientProgram";
import { initialVersions, uniqueValuesOf } from "./rowKeys";
import { sqlSession, type ObservedStep } from "./sqlSession";
import type { ExplorableClient, ClientTransaction } from "./explorableClient";

/** Binds a client to its program. Absent if an error prevents running it. */
export function bindClient(
  client: JsonClient,
  program: Program,
): { readonly bound?: BoundClient; readonly problems: readonly ClientProblem[] } {
  const problems: ClientProblem[] = [];
  const initial = bindRows(client.initial, program.schema, problems);
  const sessions = client.sessions.map((calls, session) =>
    calls.flatMap((call, index) => {
      const instance = bindCall(call, transactionName(session, index), program, problems);
      return instance === undefined ? [] : [{ call, ...instance }];
    }),
  );
  if (client.sessions.every((calls) => calls.length === 0))
    problems.push({
      severity: "error",
      message: 'there is nothing to run: "sessions" has no call',
      range: START,
    });
  let versions: ReadonlyMap<Key, Version> = new Map();
  try {
    versions = initialVersions(program.schema, initial);
  } catch (error) {
    if (!(error instanceof NotExecutable)) throw error;
    const range = client.initial[0]?.nameRange ?? START;
    problems.push({ severity: "error", message: error.message, range });
  }
  if (problems.some(({ severity }) => severity === "error")) return { problems };
  return { bound: { program, initial, versions, sessions }, problems };
}

/** The name of a client's transaction for people and assertions. */
export function transactionName(session: number, index: number): string {
  return `s${String(session + 1)}[${String(index)}]`;
}

export interface BoundClient {
  readonly program: Program;
  readonly initial: Readonly<Record<string, readonly Row[]>>;
  readonly versions: ReadonlyMap<Key, Version>;
  readonly sessions: readonly (readonly BoundCall[])[];
}

export interface BoundCall {
  readonly call: ClientCall;
  readonly instance: WitnessInstance;
  readonly transaction: Transaction;
}

/** The client in the explorer's form. */
export function explorable(bound: BoundClient, rules: AccessRules): ExplorableClient {
  const instances = bound.sessions.flat().map(({ instance }) => instance);
  const first = firstFreshNumber({ instances, initial: bound.initial });
  const places = new Map(instances.map(({ instance }, at) => [instance, at]));
  const firstFresh = (instance: string): number =>
    first + (places.get(instance) ?? places.size) * FRESH_PER_INSTANCE;
  const part = (calls: readonly (readonly BoundCall[])[]): ExplorableClient => ({
    initial: bound.versions,
    uniqueValues: (key, value) => uniqueValuesOf(bound.program.schema, key, value),
    transactions: calls.map((session) => session.map(describe)),
    open: (observe?: (step: ObservedStep) => void) =>
      calls.map((session, at) =>
        sqlSession(
          `session ${String(at + 1)}`,
          session.map(({ instance }) => instance),
          { program: bound.program, rules, firstFresh, ...(observe && { observe }) },
        ),
      ),
    without: (left) =>
      part(calls.map((session) => session.filter(({ instance }) => !left.has(instance.instance)))),
  });
  return part(bound.sessions);
}

/** The distance between the generated values of two instances. */
const FRESH_PER_INSTANCE = 1000;

const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

function describe({ call, instance, transaction }: BoundCall): ClientTransaction {
  const given = Object.values(instance.arguments)
    .map((value) => JSON.stringify(value))
    .join(", ");
  return {
    name: instance.instance,
    title: `${transaction.name}(${given})`,
    instance,
    range: call.range,
  };
}

function bindRows(
  tables: readonly InitialTable[],
  schema: Schema,
  problems: ClientProblem[],
): Readonly<Record<string, readonly Row[]>> {
  const initial: Record<string, readonly Row[]> = {};
  for (const { name, nameRange, rows } of tables) {
    const table =
      schema.tables.find((each) => each.name === name) ??
      schema.tables.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (table === undefined) {
      const known = schema.tables.map((each) => each.name);
      wrong(problems, nameRange, unknownText("table", name, known));
      continue;
    }
    setEntry(
      initial,
      table.name,
      rows.map(({ row, range }) => {
        const fitting: Record<string, Value> = {};
        for (const [column, value] of Object.entries(row)) {
          const declared =
            table.columns.find((each) => each.name === column) ??
            table.columns.find((each) => each.name.toLowerCase() === column.toLowerCase());
          if (declared === undefined && !table.inferred) {
            const known = table.columns.map((each) => each.name);
            wrong(problems, range, `${unknownText("column", column, known)} (table ${table.name})`);
            continue;
          }
          const type = declared?.type ?? "other";
          const misfit = misfitOf(value, type);
          if (misfit !== undefined)
            wrong(problems, range, `the column ${column} of ${table.name} ${misfit}`);
          setEntry(fitting, declared?.name ?? column, value);
        }
        for (const column of table.columns) {
          if (Object.hasOwn(fitting, column.name)) continue;
          if (table.primaryKey.includes(column.name))
            wrong(problems, range, `the row has no ${column.name}, which is of its primary key`);
          setEntry(fitting, column.name, literalDefault(column.default) ?? null);
        }
        return fitting;
      }),
    );
  }
  return initial;
}

/** A constant default; others would need a statement. */
function literalDefault(
  given: Schema["tables"][number]["columns"][number]["default"],
): Value | undefined {
  return given?.kind === "literal" ? given.value : undefined;
}

function bindCall(
  call: ClientCall,
  name: string,
  program: Program,
  problems: ClientProblem[],
): { readonly instance: WitnessInstance; readonly transaction: Transaction } | undefined {
  const transaction = findTransaction(call, program, problems);
  if (transaction === undefined) return undefined;
  const values: Record<string, Value> = {};
  const { parameters } = transaction;
  const given = call.arguments;
  if (given.by === "name") {
    for (const [written, argument] of given.named) {
      const parameter = parameters.find((each) => bare(each.name) === bare(written));
      if (parameter === undefined) {
        const known = parameters.map((each) => each.name);
        const message =
          known.length === 0
            ? `${transaction.name} takes no arguments`
            : `${unknownText("parameter", written, known)} (transaction ${transaction.name})`;
        wrong(problems, argument.range, message);
      } else bindArgument(parameter, argument, values, problems);
    }
    const missing = parameters.filter((each) => !isGiven(each, values));
    if (missing.length > 0)
      wrong(
        problems,
        call.range,
        `${transaction.name} needs ${missing.map((each) => each.name).join(", ")} as well`,
      );
  } else {
    const { list } = given;
    if (list.length !== parameters.length) {
      const takes = parameters.map((each) => each.name).join(", ");
      const count =
        parameters.length === 1 ? "1 argument" : `${String(parameters.length)} arguments`;
      wrong(
        problems,
        call.range,
        `${transaction.name} takes ${count}${takes === "" ? "" : ` (${takes})`}, and ${String(list.length)} are given`,
      );
    }
    parameters.forEach((parameter, at) => {
      const argument = list[at];
      if (argument !== undefined) bindArgument(parameter, argument, values, problems);
    });
  }
  return {
    instance: { instance: name, transaction: transaction.id, arguments: values },
    transaction,
  };
}

function findTransaction(
  call: ClientCall,
  program: Program,
  problems: ClientProblem[],
): Transaction | undefined {
  const exact = program.transactions.find((each) => each.id === call.name);
  if (exact !== undefined) return exact;
  const named = program.transactions.filter(
    (each) => each.name.toLowerCase() === call.name.toLowerCase(),
  );
  const [only, ...more] = named;
  if (only !== undefined && more.length === 0) return only;
  const known = program.transactions.map((each) => each.id);
  const message =
    only !== undefined
      ? `several transactions are called "${call.name}": write ${named.map((each) => `"${each.id}"`).join(" or ")}`
      : known.length === 0
        ? `there is no transaction "${call.name}": no transactions were found beside the client program; "program" names the SQL files that hold them`
        : unknownText("transaction", call.name, known);
  wrong(problems, call.nameRange, message);
  return undefined;
}

function bindArgument(
  parameter: Parameter,
  { value, range }: PlacedArgument,
  values: Record<string, Value>,
  problems: ClientProblem[],
): void {
  if (isList(value)) {
    const { elements } = parameter;
    if (elements === undefined) {
      wrong(problems, range, `${parameter.name} ${expected(parameter.type)}, and is a list`);
      return;
    }
    setEntry(values, lengthName(parameter.name), value.length);
    value.forEach((each, at) => {
      const misfit = misfitOf(each, elements);
      if (misfit !== undefined) wrong(problems, range, `an element of ${parameter.name} ${misfit}`);
      setEntry(values, elementName(parameter.name, at + 1), each);
    });
    return;
  }
  if (parameter.elements !== undefined && value !== null) {
    wrong(problems, range, `${parameter.name} is an array: write a list, as [1, 2]`);
    return;
  }
  const misfit = misfitOf(value, parameter.type);
  if (misfit !== undefined) wrong(problems, range, `${parameter.name} ${misfit}`);
  setEntry(values, parameter.name, value);
}

function isGiven(parameter: Parameter, values: Readonly<Record<string, Value>>): boolean {
  return Object.hasOwn(values, parameter.name) || Object.hasOwn(values, lengthName(parameter.name));
}

/** Parameters may be written with or without their sigil. */
function bare(name: string): string {
  return name.replace(/^[:$@]/u, "").toLowerCase();
}

/** The reason why a value does not fit its type; undefined if it does. NULL fits everywhere. */
function misfitOf(value: Value, type: ValueType): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
    return "is larger than numbers in JSON are exact: it stands in double quotes";
  const fits: Readonly<Record<ValueType, boolean>> = {
    int: Number.isSafeInteger(value) || (typeof value === "string" && /^-?\d+$/u.test(value)),
    decimal:
      typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/u.test(value)),
    text: typeof value === "string",
    bool: typeof value === "boolean" || value === 0 || value === 1,
    time: typeof value === "string",
    json: true,
    bytes: typeof value === "string",
    other: true,
  };
  return fits[type] ? undefined : `${expected(type)}, and is ${JSON.stringify(value)}`;
}

function expected(type: ValueType): string {
  switch (type) {
    case "int":
      return "is a whole number";
    case "decimal":
      return "is a number";
    case "bool":
      return "is true or false";
    case "time":
      return "is a date or a time in double quotes";
    case "text":
    case "bytes":
    case "json":
    case "other":
      return "is a text in double quotes";
  }
}

function isList(value: ClientArgument): value is readonly Value[] {
  return Array.isArray(value);
}

function wrong(problems: ClientProblem[], range: Range, message: string): void {
  problems.push({ severity: "error", message, range });
}
