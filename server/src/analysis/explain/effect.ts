// Effect of one executed statement, in a few words: "reads account[1].balance = 100".
import type { CellAccess, ExecutedStep } from "../../store/execution";
import { leavesAsItIs } from "./shape";
import { cellsText, listText, resultText, rowText, writtenText } from "./words";

/** The effect of a step for people; never empty. */
export function effectOf(step: ExecutedStep): string {
  if (step.statement === "commit") return "commits";
  if (step.statement === "rollback") return step.why ? `rolls back: ${step.why}` : "rolls back";
  if (step.waitsFor) return `waits for ${listText(step.waitsFor)}`;
  if (step.why !== undefined) return `fails: ${step.why}; a handler goes on`;
  const kind = step.source?.kind;
  if (kind === "insert" || kind === "update" || kind === "delete") return writeEffect(step, kind);
  if (kind === "lock") return lockEffect(step);
  return readEffect(step);
}

function lockEffect({ source, affected }: ExecutedStep): string {
  if (source?.kind === "lock" && source.releases) return "gives up a lock";
  const isRefused = source?.kind === "lock" && source.granted !== undefined && affected === 0;
  return isRefused ? "is refused a lock" : "takes a lock";
}

function readEffect(step: ExecutedStep): string {
  const locks = step.source?.kind === "select" && step.source.query.lock !== undefined;
  const verb = locks ? "locks and reads" : "reads";
  const cells = returnedCells(step);
  if (step.result.length === 0)
    return `${locks ? "finds no row to lock" : "finds no row"}${inTables(step)}`;
  if (cells.length > 0 && !aggregates(step)) return `${verb} ${cellsText(cells)}`;
  const counted = countOf(step);
  if (counted !== undefined)
    return `counts ${String(counted)} row${counted === 1 ? "" : "s"}${inTables(step)}`;
  if (asksWhether(step)) {
    const count = step.result.length;
    return `${locks ? "locks" : "finds"} ${String(count)} row${count === 1 ? "" : "s"}${inTables(step)}`;
  }
  const rows = step.result.slice(0, 2).map(resultText);
  const others = step.result.length - 2;
  const more = others > 0 ? ` and ${String(others)} more row${others === 1 ? "" : "s"}` : "";
  return `${verb} ${rows.join(", ")}${more}${inTables(step)}`;
}

/** True for `SELECT 1 FROM ...`, whose result only says that rows exist. */
function asksWhether({ source }: ExecutedStep): boolean {
  if (source?.kind !== "select") return false;
  const { outputs, relations } = source.query;
  return relations.length > 0 && outputs.every(({ value }) => value.kind === "literal");
}

/** The count, if the statement selects nothing but a count of whole rows. */
function countOf({ source, result }: ExecutedStep): number | undefined {
  if (source?.kind !== "select" || source.query.groupBy.length > 0) return undefined;
  const [output, another] = source.query.outputs;
  if (output?.value.kind !== "aggregate" || another || source.query.lock) return undefined;
  const { function: name, operand } = output.value;
  const [value] = Object.values(result[0] ?? {});
  return name === "count" && !operand && typeof value === "number" ? value : undefined;
}

function writeEffect(step: ExecutedStep, kind: "insert" | "update" | "delete"): string {
  const rows = [...new Set(step.writes.map((write) => rowText(write.table, write.key)))];
  if (leavesAsItIs(step)) return `leaves ${keptText(step)}: the values are there already`;
  if (step.affected === 0 || rows.length === 0) return `${kind}s no row${inTables(step)}`;
  if (kind === "delete") return `deletes ${listText(rows.slice(0, 3))}${andMore(rows.length - 3)}`;
  const inserted = step.writes.some((write) => write.column === "@" && write.value === true);
  return inserted ? `inserts ${cellsText(step.writes)}` : `writes ${writtenText(step.writes)}`;
}

/** "account[1] as it is": the rows that an update left unchanged, as far as they are known. */
function keptText(step: ExecutedStep): string {
  const rows = [...new Set(step.reads.map((read) => rowText(read.table, read.key)))];
  const what = rows.length === step.affected ? listText(rows) : `what it finds${inTables(step)}`;
  return `${what} as ${rows.length > 1 && rows.length === step.affected ? "they are" : "it is"}`;
}

/** Cells of rows that the statement returned, as opposed to rows that it only tested. */
function returnedCells(step: ExecutedStep): readonly CellAccess[] {
  const names = new Set(step.result.flatMap((row) => Object.keys(row)));
  const dead = new Set(
    step.reads
      .filter((read) => read.column === "@" && read.value !== true)
      .map((read) => rowText(read.table, read.key)),
  );
  return step.reads.filter(
    (read) =>
      read.column !== "@" && names.has(read.column) && !dead.has(rowText(read.table, read.key)),
  );
}

/** True if the result is computed from cells rather than being them. */
function aggregates(step: ExecutedStep): boolean {
  if (step.source?.kind !== "select") return false;
  const { query } = step.source;
  return (
    query.relations.length !== 1 ||
    query.groupBy.length > 0 ||
    query.outputs.some((output) => output.value.kind !== "column") ||
    new Set(step.reads.map((read) => read.key)).size !== step.result.length
  );
}

function inTables(step: ExecutedStep): string {
  const touched = [...step.reads, ...step.writes].map((cell) => cell.table);
  const tables = [...new Set(touched.length > 0 ? touched : tablesOf(step))];
  return tables.length === 0 ? "" : ` in ${listText(tables)}`;
}

function andMore(count: number): string {
  return count > 0 ? ` and ${String(count)} more` : "";
}

/** The tables that the statement names, for one that touched no row. */
function tablesOf({ source }: ExecutedStep): readonly string[] {
  switch (source?.kind) {
    case "select":
      return source.query.relations
        .filter((relation) => relation.kind === "base")
        .map((relation) => relation.table);
    case "update":
    case "delete":
      return [source.relation.table];
    case "insert":
      return [source.table];
    case "lock":
    case "opaque":
    case undefined:
      return [];
  }
}
