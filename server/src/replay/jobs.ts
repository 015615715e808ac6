// The job of each instance of a witness on the server: a call of the user's routine, or the statements of a script.
import { createDialectReader } from "../frontend/sql/dialectDetection/dialectsOf";
import { offsetAt } from "../frontend/sql/text/lines";
import type { SqlParsers } from "../frontend/sql/parsers";
import { scanFile } from "../frontend/sql/scanFile";
import type { SourceFile } from "../frontend/sql/readProgram";
import { firstWords } from "../frontend/sql/text/statementKind";
import { sameFamily, type Dialect } from "../program/dialect";
import type { Program, Transaction } from "../program/program";
import { ownEntry } from "../protocol/dictionary";
import type { Anomaly, Step } from "../protocol/report";
import type { Value, WitnessInstance } from "../protocol/witness";
import type { Gates } from "./gates";
import { isSqlFile } from "./sqlFiles";
import { instrument, type Instrumentation } from "./instrument";
import { literal, quoteName } from "./literal";
import { standingRoutines, type LiveRoutine } from "./routines";
import { missingTables } from "./schemaSql";
import { isAboutTrigger, sendsTriggers, tablesWithTriggers } from "./triggers";
import { omissionsOfCode, omissionsOfDefinitions, omissionsOfScript } from "./omissions";
import {
  isSentSetting,
  itemsAround,
  startCode,
  startScript,
  type BeginPart,
  type ScriptRun,
} from "./scriptRun";
import type { LiveServer } from "./servers/liveServer";

export type Job = CallJob | ScriptJob;

/** A routine with gates: `gateOf` of a step is the gate before it. */
export interface CallJob {
  readonly kind: "call";
  readonly instance: string;
  /** Statements that its session executes first. */
  readonly before: readonly string[];
  readonly sql: string;
  /** The query for the values that the call left in session variables. */
  readonly outputs?: string;
  /** True if the routine begins and ends its transaction itself. */
  readonly isOwnTransaction: boolean;
  readonly gateOf: (step: Step) => number | undefined;
}

/** A script that the client runs statement by statement; each run starts afresh. */
export interface ScriptJob {
  readonly kind: "script";
  readonly instance: string;
  /** Statements that its session executes first. */
  readonly before: readonly string[];
  /** True if it begins and ends its transactions itself. */
  readonly isOwnTransaction: boolean;
  readonly start: () => ScriptRun;
}

export interface Jobs {
  /** Tables, types, views and routines in creation order. */
  readonly definitions: readonly string[];
  /** Definitions of triggers, behind all of these. */
  readonly triggers: readonly string[];
  readonly jobs: readonly Job[];
  /** The numbers of all gates. */
  readonly gates: readonly number[];
  /** Parts of the program that are not sent to the server. */
  readonly leftOut: readonly string[];
}

export type JobsResult =
  { readonly ok: true; readonly value: Jobs } | { readonly ok: false; readonly reason: string };

export interface JobsInput {
  readonly anomaly: Anomaly;
  readonly program: Program;
  readonly files: readonly SourceFile[];
  /** The dialect of all files; detected per file if absent. */
  readonly dialect?: Dialect | undefined;
  readonly parsers: SqlParsers;
  readonly product: LiveServer["product"];
  readonly begin: BeginPart;
}

/** Reads the files again for the parts that a server needs: those in its own dialect. */
export function jobsOf(input: JobsInput, gates: Pick<Gates, "call" | "note">): JobsResult {
  const { anomaly, program, parsers, product } = input;
  const told = { dialect: input.dialect };
  const dialects = createDialectReader().dialects(input.files, told);
  const own = product === "postgres" ? "postgres" : "mysql";
  const scanned = input.files.filter(isSqlFile).flatMap(({ file, text }) => {
    const dialect = dialects.get(file) ?? "postgres";
    return sameFamily(dialect, own) ? [scanFile(file, text, dialect)] : [];
  });
  const routines = standingRoutines(scanned, parsers).map((routine) => {
    const places = anomaly.steps
      .filter((step) => step.file === routine.lines.file)
      .map(({ range }) => range.start);
    return instrument(routine, places, gates);
  });
  const triggered = tablesWithTriggers(scanned);
  const jobs: Job[] = [];
  const leftOut = new Set<string>();
  const leave = (reasons: readonly string[]): void => {
    for (const each of reasons) leftOut.add(each);
  };
  for (const instance of anomaly.witness.instances) {
    const transaction = program.transactions.find(({ id }) => id === instance.transaction);
    if (!transaction) return { ok: false, reason: `${instance.transaction} is not in these files` };
    const fires = sendsTriggers(transaction, triggered);
    const asScript = fires === undefined ? undefined : `${transaction.name}: ${fires}`;
    if (!isSqlFile(transaction.source)) {
      if (asScript !== undefined) return { ok: false, reason: asScript };
      leave(omissionsOfCode(transaction));
      jobs.push({
        kind: "script",
        instance: instance.instance,
        before: [],
        isOwnTransaction: transaction.boundary === "unit",
        start: () => startCode(program, instance, input),
      });
      continue;
    }
    const file = scanned.find(({ lines }) => lines.file === transaction.source.file);
    if (!file) {
      const words = product === "postgres" ? "PostgreSQL" : "MySQL or MariaDB";
      return { ok: false, reason: `${transaction.source.file} is not in the SQL of ${words}` };
    }
    const holder = routines.find(({ routine }) => holds(routine, transaction));
    const others = program.transactions.filter(
      (each) => holder && each.id !== transaction.id && holds(holder.routine, each),
    );
    if (others.length > 0)
      return { ok: false, reason: `the routine of ${transaction.id} runs several transactions` };
    if (!holder && asScript !== undefined) return { ok: false, reason: asScript };
    const job = holder
      ? callJob(instance, holder, routines, product)
      : transaction.boundary === "routine"
        ? "its routine cannot be read"
        : {
            kind: "script" as const,
            instance: instance.instance,
            before: file.dialect === "postgres" ? [] : assignments(instance),
            isOwnTransaction: false,
            start: () => startScript(program, instance, file),
          };
    if (typeof job === "string") return { ok: false, reason: `${instance.transaction}: ${job}` };
    if (job.kind === "script" && file.dialect === "postgres") {
      const items = itemsAround(file, transaction.source.range);
      leave(omissionsOfScript(transaction, file, items, (item) => isSentSetting(file, item)));
    }
    jobs.push(job);
  }
  const written = missingTables(program.schema, scanned, product);
  if (!written.ok) return written;
  const modelled = written.definitions;
  const given = scanned.flatMap(({ lines, ddl }) =>
    ddl.map(({ start, end }) => (lines.written ?? lines.text).slice(start, end)),
  );
  const definitions = [
    ...given.filter((sql) => !isAboutTrigger(sql)),
    ...modelled,
    ...routines.flatMap(({ routine, sql }) => (routine.isBound ? [] : [sql])),
  ].filter((sql) => !isForbidden(sql));
  const triggers = [
    ...given.filter((sql) => isAboutTrigger(sql) && !isForbidden(sql)),
    ...routines.flatMap(({ routine, sql }) => (routine.isBound ? [sql] : [])),
  ];
  const places = [...new Set(routines.flatMap((routine) => routine.gates))];
  leave(omissionsOfDefinitions(given));
  return { ok: true, value: { definitions, triggers, jobs, gates: places, leftOut: [...leftOut] } };
}

/** Assignments of arguments that MySQL scripts take from session variables. */
function assignments({ arguments: values }: WitnessInstance): readonly string[] {
  const named = Object.entries(values).filter(([name]) => /^[\w.$]+$/.test(name));
  const items = named.map(([name, value]) => `@${name} = ${literal(value)}`);
  return items.length > 0 ? [`SET ${items.join(", ")}`] : [];
}

/** True for statements that must not reach a foreign server: on databases, roles, schemas, and rights. */
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
  own: Instrumentation,
  routines: readonly Instrumentation[],
  product: LiveServer["product"],
): CallJob | string {
  const { routine } = own;
  if (routine.isTrigger) return "triggers run only with their statements";
  const isMysql = product === "mariadb";
  const args: string[] = [];
  const outputs: string[] = [];
  const before: string[] = [];
  for (const { name, isInput, isOutput } of routine.arguments) {
    const value = isInput ? argumentText(name, values) : "NULL";
    if (value === undefined) return "the witness does not say all of its arguments";
    if (isMysql && isOutput) {
      const variable = `@isolens_${String(outputs.length + 1)}`;
      before.push(`SET ${variable} = ${value}`);
      outputs.push(`${variable} AS ${quoted(name)}`);
      args.push(variable);
    } else if (isInput || routine.isProcedure) args.push(value);
  }
  const name = isMysql ? quoted(routine.name) : quoteName(routine.name);
  const call = `${name}(${args.join(", ")})`;
  const select = isMysql ? `SELECT ${call} AS result` : `SELECT * FROM ${call}`;
  return {
    kind: "call",
    instance,
    before,
    sql: routine.isProcedure ? `CALL ${call}` : select,
    ...(outputs.length > 0 && { outputs: `SELECT ${outputs.join(", ")}` }),
    isOwnTransaction: own.isOwnTransaction,
    gateOf: (step) =>
      routines
        .filter((each) => each.routine.lines.file === step.file)
        .map((each) => each.gateOf(step.range.start))
        .find((gate) => gate !== undefined),
  };
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** An argument as SQL; arrays are passed element by element. */
export function argumentText(
  name: string,
  values: Readonly<Record<string, Value>>,
): string | undefined {
  const length = ownEntry(values, `${name}.length`);
  if (typeof length === "number") {
    const elements = Array.from(
      { length },
      (_, at) => ownEntry(values, `${name}[${String(at + 1)}]`) ?? null,
    );
    return `'{${elements.map((each) => (each === null ? "NULL" : `"${String(each).replaceAll("'", "''")}"`)).join(",")}}'`;
  }
  const value = ownEntry(values, name);
  return value === undefined ? undefined : literal(value);
}

/** True if the transaction is in the routine's text. */
function holds({ lines, span }: LiveRoutine, { source }: Transaction): boolean {
  const at = offsetAt(lines, source.range.start);
  return lines.file === source.file && span.start <= at && at < span.end;
}
