// The language-independent plan of a generated test: the SQL that it loads, where sessions stop, the schedule, and what is compared. Plain
// data that the languages only print.
import type { SqlParsers } from "../frontend/sql/parsers";
import type { ScannedFile } from "../frontend/sql/scanFile";
import { positionAt } from "../frontend/sql/text/lines";
import type { Transaction } from "../program/program";
import type { Table } from "../program/schema";
import { breaksData, type Anomaly, type Step } from "../protocol/report";
import type { Row, Value, WitnessInstance } from "../protocol/witness";
import { completeRows } from "../replay/initialRows";
import { argumentText } from "../replay/jobs";
import { literal, quoteName } from "../replay/literal";
import { missingTables } from "../replay/schemaSql";
import { isSqlFile } from "../replay/sqlFiles";
import { routinesOf } from "../replay/routines";
import { sendsTriggers, tablesWithTriggers } from "../replay/triggers";
import { KINDS } from "../analysis/explain/kinds/kinds";
import { scannedFiles } from "./placeholders";
import { anchorsIn, type Anchor } from "./anchors";
import { codeScriptOf, type CodeScript } from "./codeLines";
import { unrolledTexts } from "./unrolling";
import { scriptOf, type Script } from "./scriptLines";
import { definitionsOf, type Definitions } from "./definitions";
import type { TestInput } from "./input";

/** One session with its lines, each a statement or a psql command. */
export interface PlannedSession {
  readonly name: string;
  readonly transaction: string;
  /** The transaction's place, "bank.sql:12". */
  readonly from: string;
  /** The level for BEGIN ISOLATION LEVEL. */
  readonly level: string;
  /** Values of the placeholders in the lines. */
  readonly values: Readonly<Record<string, Value>>;
  readonly script: readonly string[];
}

/** One line of the schedule: the session continues to this place and stops after it; "commit" for its end. */
export interface PlannedStep {
  readonly session: string;
  readonly place: number | "commit";
  /** The statement in one line. */
  readonly text: string;
}

export interface ComparedTable {
  readonly name: string;
  /** Columns with server-generated values. */
  readonly without: readonly string[];
}

export interface TestPlan {
  readonly title: string;
  readonly message: string;
  readonly id: string;
  readonly folder: string;
  readonly definitions: Definitions;
  readonly anchors: readonly Anchor[];
  readonly sessions: readonly PlannedSession[];
  readonly schedule: readonly PlannedStep[];
  /** Statements that empty all tables and insert the initial rows. */
  readonly initial: readonly string[];
  readonly tables: readonly ComparedTable[];
}

export type PlanResult =
  { readonly ok: true; readonly plan: TestPlan } | { readonly ok: false; readonly reason: string };

/** Plans the test, or returns the reason why there is none. */
export function planTest(input: TestInput): PlanResult {
  const { anomaly, program, parsers, levelOf, folder } = input;
  if (!breaksData(anomaly)) {
    const reason = "a test compares data, and none breaks here; isolens replay makes it happen";
    return { ok: false, reason };
  }
  const scanned = scannedFiles(input);
  const foreign = anomaly.witness.instances
    .map(({ instance }) => levelOf(instance))
    .find((level) => level.family !== "product" || level.product !== "postgres");
  if (foreign) {
    const reason = `tests run on PostgreSQL, which has no ${foreign.label}; --lang sql gives a script for people`;
    return { ok: false, reason };
  }
  const qualified = qualifiedDefinition(scanned);
  if (qualified !== undefined) {
    const reason = `a test makes a schema of its own, and "${oneLine(qualified)}" names another one`;
    return { ok: false, reason };
  }
  const anchors: Anchor[] = [];
  for (const file of scanned)
    anchors.push(...anchorsIn(file, anomaly.steps, parsers, anchors.length));
  const scripts = new Map<string, Script>();
  const codes = new Map<string, CodeScript>();
  const unrolled = unrolledTexts(input);
  const triggered = tablesWithTriggers(scanned);
  const sessions: PlannedSession[] = [];
  for (const instance of anomaly.witness.instances) {
    const transaction = program.transactions.find(({ id }) => id === instance.transaction);
    if (!transaction) return { ok: false, reason: `${instance.transaction} is not in these files` };
    const { file, range } = transaction.source;
    const common = {
      name: instance.instance,
      transaction: transaction.name,
      from: `${file}:${String(range.start.line + 1)}`,
      level: levelOf(instance.instance).name.replace(/^.*:/, "").replaceAll("-", " ").toUpperCase(),
    };
    if (transaction.boundary === "unit") {
      const reason = `${transaction.name} commits before its end: no test is written for such anomalies`;
      return { ok: false, reason };
    }
    if (transaction.boundary === "routine") {
      const call = callOf(scanned, transaction, instance, parsers);
      if (!call.ok) return { ok: false, reason: `${transaction.name}: ${call.reason}` };
      sessions.push({ ...common, values: {}, script: [call.sql] });
      continue;
    }
    const fires = sendsTriggers(transaction, triggered);
    if (fires !== undefined) return { ok: false, reason: `${transaction.name}: ${fires}` };
    if (!isSqlFile(transaction.source)) {
      const code = codeScriptOf(program, transaction, instance.arguments);
      if (typeof code === "string") return { ok: false, reason: `${transaction.name}: ${code}` };
      codes.set(instance.instance, code);
      sessions.push({ ...common, values: code.values, script: code.lines });
      continue;
    }
    const script = scriptOf(scanned, transaction, instance.arguments);
    if (typeof script === "string") return { ok: false, reason: `${transaction.name}: ${script}` };
    scripts.set(instance.instance, script);
    sessions.push({ ...common, values: script.values, script: script.lines });
  }
  const modelled = missingTables(program.schema, scanned, "postgres");
  if (!modelled.ok) return modelled;
  const codePlaceOf = ({ instance, statement }: Step): number | undefined => {
    if (typeof statement !== "number") return undefined;
    const executed = unrolled.get(instance)?.[statement - 1];
    return executed && codes.get(instance)?.placeOf(executed.id);
  };
  const placeOf = (step: Step): number | undefined =>
    codes.has(step.instance)
      ? codePlaceOf(step)
      : scripts.has(step.instance)
        ? scripts.get(step.instance)?.placeOf(step.range.start)
        : anchors.find((anchor) => anchor.holds(step))?.place;
  return {
    ok: true,
    plan: {
      title: titleOf(anomaly),
      message: anomaly.message,
      id: anomaly.id,
      folder,
      definitions: [...definitionsOf(scanned), ...modelledDefinition(modelled.definitions)],
      anchors,
      sessions,
      schedule: scheduleOf(anomaly, placeOf),
      initial: initialOf(input),
      tables: comparedTables(input),
    },
  };
}

/** Tables that no SQL file declares. */
function modelledDefinition(definitions: readonly string[]): Definitions {
  if (definitions.length === 0) return [];
  return [{ file: "tables", text: definitions.map((sql) => `${sql};`).join("\n\n") }];
}

type Call =
  { readonly ok: true; readonly sql: string } | { readonly ok: false; readonly reason: string };

/** The call of a routine with the witness's arguments. */
function callOf(
  files: readonly ScannedFile[],
  { source }: Transaction,
  { arguments: values }: WitnessInstance,
  parsers: SqlParsers,
): Call {
  const file = files.find(({ lines }) => lines.file === source.file);
  const routine = (file ? routinesOf(file, parsers) : []).find(({ lines, span }) => {
    const { line, character } = positionAt(lines, span.start);
    return line === source.range.start.line && character === source.range.start.character;
  });
  if (!routine) return { ok: false, reason: "its routine cannot be read" };
  if (routine.isTrigger) return { ok: false, reason: "triggers run only with their statements" };
  const given = routine.arguments.filter(({ isInput }) => isInput);
  const args = given.map(({ name }) => argumentText(name, values));
  if (args.includes(undefined))
    return { ok: false, reason: "the witness does not say all of its arguments" };
  const call = `${quoteName(routine.name)}(${args.join(", ")})`;
  return { ok: true, sql: routine.isProcedure ? `CALL ${call}` : `SELECT * FROM ${call}` };
}

/** CREATE of an object with a schema-qualified name. */
const QUALIFIED =
  /^\s*(?:create|alter)\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|type|sequence)\s+(?:if\s+not\s+exists\s+)?(?!pg_temp\.)"?\w+"?\s*\.\s*"?\w/i;

function qualifiedDefinition(files: readonly ScannedFile[]): string | undefined {
  return files
    .flatMap(({ lines, ddl, routines }) =>
      [...ddl, ...routines].map(({ start, end }) => lines.text.slice(start, end)),
    )
    .find((sql) => QUALIFIED.test(sql));
}

/** The anomaly's kind for people, and its transactions. */
export function titleOf({ kind, transactions }: Anomaly): string {
  const title = KINDS.find(({ name }) => name === kind)?.title ?? kind;
  return `${title}: ${transactions.join(", ")}`;
}

/** A text in one line, shortened. */
export function oneLine(text: string, most = 80): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function scheduleOf(
  { witness, steps }: Anomaly,
  placeOf: (step: Step) => number | undefined,
): readonly PlannedStep[] {
  const planned: PlannedStep[] = [];
  for (const { instance, statement } of witness.schedule) {
    if (statement === "commit") {
      planned.push({ session: instance, place: "commit", text: "commits" });
      continue;
    }
    const step = steps.find((each) => each.instance === instance && each.statement === statement);
    // Place 0 is the beginning.
    const place = (step && placeOf(step)) ?? 0;
    const last = planned.findLast(({ session }) => session === instance);
    if (last?.place === place) continue;
    planned.push({ session: instance, place, text: oneLine(step?.text ?? "") });
  }
  return planned;
}

function initialOf({ anomaly, program }: TestInput): readonly string[] {
  const complete = completeRows(program.schema, anomaly.witness.initial);
  if (complete.length === 0) return [];
  const names = complete.map(({ table }) => quoteName(table.name)).join(", ");
  const inserts = complete.flatMap(({ table, rows }) => {
    const pushes = rows.length === 0 ? [] : numbered(table).map((column) => push(table, column));
    return [...rows.map((row) => insertText(table, row)), ...pushes];
  });
  return [`TRUNCATE ${names} RESTART IDENTITY CASCADE`, ...inserts];
}

function insertText(table: Table, row: Row): string {
  const columns = Object.keys(row).map(quoteName).join(", ");
  const values = Object.values(row).map(literal).join(", ");
  const numbers = numbered(table).length > 0 ? " OVERRIDING SYSTEM VALUE" : "";
  return `INSERT INTO ${quoteName(table.name)} (${columns})${numbers} VALUES (${values})`;
}

/** Columns filled by a sequence. */
function numbered({ columns }: Table): readonly string[] {
  return columns
    .filter(({ default: given, type }) => given?.kind === "fresh" && type === "int")
    .map(({ name }) => name);
}

function push(table: Table, column: string): string {
  const name = quoteName(table.name);
  const sequence = `pg_get_serial_sequence(${literal(name)}, ${literal(column)})`;
  return `SELECT setval(${sequence}, (SELECT max(${quoteName(column)}) FROM ${name}))`;
}

/** The compared tables, without server-generated values and references to them, which may differ between equal orders. */
function comparedTables({ anomaly, program }: TestInput): readonly ComparedTable[] {
  const { tables } = program.schema;
  const madeUp = (table: Table): readonly string[] =>
    table.columns.filter(({ default: given }) => given?.kind === "fresh").map(({ name }) => name);
  return tables
    .filter(({ name }) => Object.hasOwn(anomaly.witness.outcome.final, name))
    .map((table) => {
      const references = table.foreignKeys.flatMap((key) => {
        const target = tables.find(({ name }) => name === key.table);
        const made = target ? madeUp(target) : [];
        return key.columns.filter((_, at) => made.includes(key.referenced[at] ?? ""));
      });
      return { name: table.name, without: [...new Set([...madeUp(table), ...references])] };
    });
}
