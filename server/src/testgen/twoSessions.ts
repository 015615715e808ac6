// An anomaly as a script for people: each session's statements with their values in schedule order, what each reads and writes, and the
// outcome of every serial order.
import type { Level } from "../isolation/levels";
import { namedLevel } from "../program/declaredLevel";
import { ownEntry } from "../protocol/dictionary";
import type { Step } from "../protocol/report";
import type { Outcome, Row } from "../protocol/witness";
import { completeRows } from "../replay/initialRows";
import { isForbidden } from "../replay/jobs";
import { literal, quoteName } from "../replay/literal";
import { missingTables } from "../replay/schemaSql";
import { isAboutTrigger, tablesWithTriggers } from "../replay/triggers";
import { oneLine, titleOf } from "./plan";
import { scannedFiles } from "./placeholders";
import { productOf, unrolledTexts } from "./unrolling";
import { wrapText } from "./lineWrap";
import type { TestInput } from "./input";

/** The script, for psql, the mysql client or any other SQL window. */
export function twoSessionScript(input: TestInput): string {
  const { anomaly, levelOf } = input;
  const { witness } = anomaly;
  const names = witness.instances.map(({ instance }) => instance);
  const level = levelOf(names[0] ?? "");
  return [
    ...comment(`${titleOf(anomaly)} (isolens ${anomaly.id})`),
    "--",
    ...comment(anomaly.message),
    "--",
    ...comment(
      `Open one window (psql, mysql, ...) per session: ${names.join(", ")}. Run the steps from top to bottom, each in the` +
        " window of the session that it names. Where a step is said to wait, go on with the next one.",
    ),
    "",
    "-- Before: in any window, in an empty database",
    ...setUp(input),
    ...stepsOf(input).flatMap((lines) => ["", ...lines]),
    "",
    "-- After: in any window",
    ...Object.keys(witness.outcome.final).map((table) => `SELECT * FROM ${named(level, table)};`),
    "",
    ...comment(`At ${level.label} this gives:`),
    ...outcomeLines(witness.outcome),
    ...anomaly.serial.flatMap(({ order, outcome }) => [
      ...comment(
        `${order.join(", then ")} one after the other ${order.length > 1 ? "give" : "gives"}:`,
      ),
      ...outcomeLines(outcome),
    ]),
    "",
  ].join("\n");
}

function comment(text: string): readonly string[] {
  return wrapText(text).map((line) => `-- ${line}`);
}

function setUp(input: TestInput): readonly string[] {
  const { anomaly, program, levelOf } = input;
  const level = levelOf(anomaly.witness.instances[0]?.instance ?? "");
  const definitions = scannedFiles(input)
    .flatMap(({ lines, ddl }) => {
      const written = lines.written ?? lines.text;
      return ddl.map(({ start, end }) => written.slice(start, end).trim());
    })
    .filter((sql) => !isForbidden(sql) && !isAboutTrigger(sql));
  const rows = completeRows(program.schema, anomaly.witness.initial).flatMap((each) =>
    each.rows.map((row) => {
      const columns = Object.keys(row).map((name) => named(level, name));
      const values = Object.values(row).map(literal);
      return `INSERT INTO ${named(level, each.table.name)} (${columns.join(", ")}) VALUES (${values.join(", ")});`;
    }),
  );
  const modelled = missingTables(program.schema, scannedFiles(input), productOf(input));
  const created = modelled.ok
    ? modelled.definitions.map((sql) => `${sql};`)
    : comment(`Some tables cannot be written down: ${modelled.reason}`);
  const isWithout = tablesWithTriggers(scannedFiles(input)).size > 0;
  const without = isWithout
    ? comment("Without the triggers: what they do is among the steps.")
    : [];
  return [...definitions.map((sql) => `${sql};`), ...created, ...without, ...rows];
}

/** Blocks of lines, one per step. */
function stepsOf(input: TestInput): readonly (readonly string[])[] {
  const { anomaly, levelOf } = input;
  const texts = unrolledTexts(input);
  const begun = new Set<string>();
  const ended = new Set<string>();
  const blocks: (readonly string[])[] = [];
  const end = (instance: string, how: "COMMIT" | "ROLLBACK"): void => {
    if (ended.has(instance)) return;
    ended.add(instance);
    blocks.push([`-- ${String(blocks.length + 1)}. ${instance}`, `${how};`]);
  };
  const openParts = new Map<string, number>();
  for (const step of anomaly.steps) {
    const { instance } = step;
    const at = typeof step.statement === "number" ? step.statement - 1 : -1;
    const executed = texts.get(instance)?.[at];
    const part = executed?.part;
    const open = openParts.get(instance);
    // A unit's transaction without further reads and writes ends before the next one begins.
    if (open !== undefined && part !== undefined && part !== open) {
      end(instance, "COMMIT");
      openParts.delete(instance);
    }
    if (part !== undefined && !openParts.has(instance)) ended.delete(instance);
    if (step.statement === "commit") end(instance, "COMMIT");
    else if (step.statement === "rollback") end(instance, "ROLLBACK");
    else {
      const head = `-- ${String(blocks.length + 1)}. ${instance}`;
      const begins = part === undefined ? !begun.has(instance) : !openParts.has(instance);
      const starts = begins && executed?.isAlone !== true ? beginLines(levelOf(instance)) : [];
      const title = begun.has(instance) ? head : `${head}: ${callText(input, instance)}`;
      begun.add(instance);
      if (part !== undefined && executed?.isAlone === false) openParts.set(instance, part);
      const text = executed?.text ?? step.text;
      blocks.push([title, ...starts, ...comment(effectText(step)), `${text.trim()};`]);
      if (executed?.isAlone === true) ended.add(instance);
      else if (step.commits) end(instance, "COMMIT");
    }
    if (ended.has(instance)) openParts.delete(instance);
  }
  for (const { instance } of anomaly.witness.instances)
    if (begun.has(instance)) end(instance, "COMMIT");
  return blocks;
}

function effectText(step: Step): string {
  const { waitedFor } = step;
  const effect = step.effect.replace(/, commits$/, "");
  return waitedFor === undefined ? effect : `waits until ${waitedFor} has ended, then ${effect}`;
}

function callText({ anomaly, program }: TestInput, instance: string): string {
  const found = anomaly.witness.instances.find((each) => each.instance === instance);
  const transaction = program.transactions.find(({ id }) => id === found?.transaction);
  const values = Object.entries(found?.arguments ?? {}).map(
    ([name, value]) => `${name} = ${literal(value)}`,
  );
  const place = transaction
    ? `, ${transaction.source.file}:${String(transaction.source.range.start.line + 1)}`
    : "";
  return `${found?.transaction ?? instance}(${values.join(", ")})${place}`;
}

/** The statement that begins a transaction at the level; a comment if the product has none. */
function beginLines(level: Level): readonly string[] {
  if (level.family !== "product") return [`-- begin a transaction at ${level.label}`];
  const { name = "", isAtBegin } = namedLevel(level.name);
  const words = name
    .replace(/^[^:]*:/, "")
    .replace(/\(.*\)$/, "")
    .replaceAll("-", " ")
    .toUpperCase();
  const settings = /\(snapshot-isolation=(\w+)\)$/.exec(name)?.[1];
  switch (level.product) {
    case "postgres":
      return [`BEGIN ISOLATION LEVEL ${words};`];
    case "mysql":
    case "mariadb":
      return [
        ...(settings === undefined
          ? []
          : [`SET SESSION innodb_snapshot_isolation = ${settings.toUpperCase()};`]),
        `SET SESSION TRANSACTION ISOLATION LEVEL ${words};`,
        `START TRANSACTION${isAtBegin ? " WITH CONSISTENT SNAPSHOT" : ""};`,
      ];
    default:
      return [`-- begin a transaction at ${level.label}`];
  }
}

function outcomeLines({ final, status, returned }: Outcome): readonly string[] {
  const rows = Object.entries(final).flatMap(([table, all]) =>
    all.length === 0
      ? [`--   ${table}: no rows`]
      : all.map((row) => `--   ${table}: ${rowText(row)}`),
  );
  const sessions = Object.entries(status).map(([name, end]) => {
    const values = ownEntry(returned, name) ?? [];
    return `--   ${name}: ${end}${values.length > 0 ? `, returns ${oneLine(values.join("; "), 100)}` : ""}`;
  });
  return [...rows, ...sessions];
}

function rowText(row: Row): string {
  return Object.entries(row)
    .map(
      ([name, value]) => `${name} = ${typeof value === "number" ? String(value) : literal(value)}`,
    )
    .join(", ");
}

/** A name in the product's quotes. */
function named(level: Level, name: string): string {
  const isMysql =
    level.family === "product" && (level.product === "mysql" || level.product === "mariadb");
  return isMysql && quoteName(name) !== name
    ? `\`${name.replaceAll("`", "``")}\``
    : quoteName(name);
}
