// What each instance of a witness does on the server: a call of the user's routine, or the statements of a script.
import type { SqlParsers } from "../frontend/sql/parsers";
import { scanFile, type ScannedFile } from "../frontend/sql/scanFile";
import { positionAt } from "../frontend/sql/lines";
import type { SourceFile } from "../frontend/sql/readProgram";
import { firstWords } from "../frontend/sql/statementKind";
import type { Program, Transaction } from "../program/program";
import type { Anomaly, Step } from "../protocol/report";
import type { Position } from "../protocol/source";
import type { Value, WitnessInstance } from "../protocol/witness";
import { instrumentRoutines, type Instrumented } from "./instrument";
import { literal, quoteName } from "./literal";
import { startScript, type ScriptRun } from "./scriptRun";

export type Job = CallJob | ScriptJob;

/** A routine with gates: `gateOf` of a step is the number of the gate before it. */
export interface CallJob {
  readonly kind: "call";
  readonly instance: string;
  readonly sql: string;
  readonly gateOf: (step: Step) => number | undefined;
}

/** A script that the client runs statement by statement; each run starts afresh. */
export interface ScriptJob {
  readonly kind: "script";
  readonly instance: string;
  readonly start: () => ScriptRun;
}

export interface Jobs {
  /** Tables, types, views and routines, in an order in which they can be created. */
  readonly definitions: readonly string[];
  readonly jobs: readonly Job[];
}

export type JobsResult =
  { readonly ok: true; readonly value: Jobs } | { readonly ok: false; readonly reason: string };

/** Reads the files again for what a server needs of them. `gate` gives the text of a gate's call. */
export function jobsOf(
  anomaly: Anomaly,
  program: Program,
  files: readonly SourceFile[],
  parsers: SqlParsers,
  gate: (number: number) => string,
): JobsResult {
  const scanned = files.map(({ file, text }) => scanFile(file, text));
  const routines = scanned.flatMap((file) => {
    const places = anomaly.steps
      .filter((step) => step.file === file.lines.file)
      .map(({ range }) => range.start);
    return instrumentRoutines(file, parsers, places, gate).map((routine) => ({ routine, file }));
  });
  const jobs: Job[] = [];
  for (const instance of anomaly.witness.instances) {
    const transaction = program.transactions.find(({ id }) => id === instance.transaction);
    if (!transaction) return { ok: false, reason: `${instance.transaction} is not in these files` };
    const file = scanned.find(({ lines }) => lines.file === transaction.source.file);
    if (!file) return { ok: false, reason: `${transaction.source.file} is not among the files` };
    const job =
      transaction.boundary === "routine"
        ? callJob(instance, transaction, routines)
        : {
            kind: "script" as const,
            instance: instance.instance,
            start: () => startScript(program, instance, file),
          };
    if (typeof job === "string") return { ok: false, reason: `${instance.transaction}: ${job}` };
    jobs.push(job);
  }
  const definitions = [
    ...scanned.flatMap(({ lines, ddl }) =>
      ddl.map(({ start, end }) => lines.text.slice(start, end)),
    ),
    ...routines.map(({ routine }) => routine.sql),
  ].filter((sql) => !isForbidden(sql));
  return { ok: true, value: { definitions, jobs } };
}

/** What must not be done to a server that is not ours: databases, roles, schemas, and rights. */
export function isForbidden(sql: string): boolean {
  const [first, second] = firstWords(sql, 0, sql.length, 2);
  return (
    first === "drop" ||
    first === "grant" ||
    first === "revoke" ||
    (second !== undefined && ["database", "role", "user", "schema", "extension"].includes(second))
  );
}

function callJob(
  { instance, arguments: values }: WitnessInstance,
  transaction: Transaction,
  routines: readonly { readonly routine: Instrumented; readonly file: ScannedFile }[],
): CallJob | string {
  const own = routines.find(
    ({ routine, file }) =>
      file.lines.file === transaction.source.file &&
      isSame(positionAt(file.lines, routine.definition.span.start), transaction.source.range.start),
  );
  if (!own) return "its routine cannot be read";
  const { definition } = own.routine;
  if (definition.isTrigger) return "triggers run only with their statements";
  const given = definition.arguments.filter(({ isInput }) => isInput);
  const args = given.map(({ name }) => argumentText(name, values));
  if (args.includes(undefined)) return "the witness does not say all of its arguments";
  const call = `${quoteName(definition.name)}(${args.join(", ")})`;
  return {
    kind: "call",
    instance,
    sql: definition.isProcedure ? `CALL ${call}` : `SELECT * FROM ${call}`,
    gateOf: (step) =>
      routines
        .filter(({ file }) => file.lines.file === step.file)
        .map(({ routine }) => routine.gateOf(step.range.start))
        .find((gate) => gate !== undefined),
  };
}

/** An argument as SQL; arrays are given element by element. */
export function argumentText(name: string, values: Readonly<Record<string, Value>>): string | undefined {
  const length = values[`${name}.length`];
  if (typeof length === "number") {
    const elements = Array.from(
      { length },
      (_, at) => values[`${name}[${String(at + 1)}]`] ?? null,
    );
    return `'{${elements.map((each) => (each === null ? "NULL" : `"${String(each).replaceAll("'", "''")}"`)).join(",")}}'`;
  }
  const value = values[name];
  return value === undefined ? undefined : literal(value);
}

function isSame(one: Position, other: Position): boolean {
  return one.line === other.line && one.character === other.character;
}
