// Optimistic locking: an UPDATE fails if the row differs from the stale read. It compares the row's version if that is read and every
// writer increments it, else the values that were read. A failed transaction must be retried.
import type { CodeTree } from "../../../frontend/code/workspace/codeParsers";
import { walkCommand } from "../../../frontend/sql/walk";
import type { Transaction } from "../../../program/program";
import type { Column, Table } from "../../../program/schema";
import type { Assignment, SelectStatement, Statement } from "../../../program/statement";
import { statementsOf } from "../../operations/tables";
import type { Candidate, Proposals, Refusal, TextEdit } from "../candidate";
import { statementAround } from "../idioms/addStatement";
import { codeUpdate } from "../idioms/codeUpdate";
import {
  codeValueOf,
  keyIn,
  namesOf,
  sharedFunction,
  type CodeColumn,
} from "../idioms/columnValue";
import { entityVersion } from "../idioms/entityVersion";
import { checkedInJava } from "../idioms/javaCheck";
import { NO_VARIABLES } from "../idioms/reasons";
import { checkedRoutine } from "../idioms/routineCheck";
import { isOfSameRow, updatesBehind, type ReadSite, type UpdateSite } from "../pairs";
import { isOfOneRow } from "../predicate";
import type { Site, Workshop } from "../workshop";

/** One candidate per stale read of one row that the same transaction updates: each such UPDATE gets the check. */
export function versionChecks(workshop: Workshop): Proposals {
  const candidates: Candidate[] = [];
  const refusals: Refusal[] = [];
  for (const site of workshop.staleReads) {
    const { statement, transaction } = site;
    if (statement.kind !== "select") continue;
    const read: ReadSite = { ...site, statement };
    const [relation] = statement.query.relations;
    const table = workshop.program.schema.tables.find(({ name }) => name === relation?.table);
    if (!table || !isOfOneRow(statement, table.primaryKey)) continue;
    const versioned = entityVersion(workshop, table, read);
    if (typeof versioned === "string") refusals.push({ kind: "version-check", reason: versioned });
    else if (versioned)
      candidates.push({
        kind: "version-check",
        title: `Give ${table.name} a version that each change checks`,
        edits: versioned,
        costs: [
          "a run that comes too late is refused: the caller has to run it again",
          "it needs a migration: the table has the column before the program runs with it",
        ],
      });
    const updates = updatesBehind(workshop, read).filter((update) =>
      isOfSameRow(workshop, read, update),
    );
    const written = updates.map((update) => checked(workshop, table, read, update));
    const reason = written.find((each) => typeof each === "string");
    if (reason !== undefined) refusals.push({ kind: "version-check", reason });
    const edits = written.flatMap((each) => (typeof each === "string" ? [] : each));
    if (reason !== undefined || edits.length === 0) continue;
    candidates.push({
      kind: "version-check",
      title: `Change ${table.name} in ${transaction.name} only while it is what was read`,
      edits,
      costs: ["a run that comes too late is refused: the caller has to run it again"],
    });
  }
  return { candidates, refusals };
}

function checked(
  workshop: Workshop,
  table: Table,
  read: ReadSite,
  update: UpdateSite,
): readonly TextEdit[] | string {
  const columns = comparable(table, read.statement);
  if (columns.length === 0) return "what it reads may be missing, or is of a type that is not compared exactly"; // prettier-ignore
  if (isChangedBetween(workshop, read, update, columns))
    return "the transaction itself may change the row between them";
  const message = `${table.name} changed meanwhile`;
  const tree = workshop.treeOf(read.file);
  if (!tree) return checkedRoutine(workshop, { read, update, columns, message });
  if (tree.language === "java") return checkedInJava(tree, { read, update, columns, message });
  const owner = sharedFunction(tree, read, update);
  if (!owner) return "the read and the UPDATE stand in different functions";
  const names = namesOf(read.statement);
  const held = columns.flatMap((column) => {
    const own: CodeColumn = { tree, owner, names: names.get(column) ?? new Set() };
    const value = codeValueOf(own, read.end, endOfCall(tree, update));
    return value === undefined ? [] : [{ column, value, own }];
  });
  if (held.length === 0) return NO_VARIABLES;
  const written = codeUpdate(
    workshop,
    update,
    held.map(({ column, value, own }) => ({
      column,
      key: keyIn(own) ?? column,
      // Only the check is added; nothing is computed differently.
      held: { ...own, names: new Set<string>() },
      guards: [{ comparison: "=" as const, value }],
    })),
    `throw new Error(${JSON.stringify(message)});`,
  );
  return typeof written === "string" ? written : written.edits;
}

/** True if the transaction itself may write these columns between a read and an UPDATE, or another round of it. */
function isChangedBetween(
  workshop: Workshop,
  read: ReadSite,
  update: UpdateSite,
  columns: readonly string[],
): boolean {
  const { transaction, statement } = update;
  const { table } = statement.relation;
  const before = workshop
    .sitesOf(transaction)
    .filter(({ file, start }) => file !== read.file || (start > read.end && start < update.start));
  return (
    before.some((each) => writesAnyOf(each.statement, table, columns)) ||
    (writesAnyOf(statement, table, columns) && isInFurtherLoop(transaction, read, update))
  );
}

function writesAnyOf(statement: Statement, table: string, columns: readonly string[]): boolean {
  const sets = (set: readonly Assignment[]): boolean =>
    set.some(({ column }) => columns.includes(column));
  switch (statement.kind) {
    case "update":
      return statement.relation.table === table && sets(statement.set);
    case "insert":
      return statement.table === table && sets(statement.onConflict?.set ?? []);
    case "delete":
      return statement.relation.table === table;
    default:
      return false;
  }
}

/** True if a loop repeats the UPDATE without the read. */
function isInFurtherLoop({ body }: Transaction, read: ReadSite, update: UpdateSite): boolean {
  let isFound = false;
  walkCommand(body, {
    command: (command) => {
      if (command.kind !== "loop") return;
      const ids = [...statementsOf(command.body)].map(({ id }) => id);
      isFound ||= ids.includes(update.statement.id) && !ids.includes(read.statement.id);
    },
  });
  return isFound;
}

/** The end of the statement around an UPDATE: its values follow its text. */
function endOfCall(tree: CodeTree, update: Site): number {
  return statementAround(tree, update)?.end ?? update.end;
}

/** The version column, if it is read; else the read columns that can be compared exactly. */
function comparable({ columns, primaryKey }: Table, { query }: SelectStatement): readonly string[] {
  const read = new Set(
    query.outputs.flatMap(({ value }) => (value.kind === "column" ? [value.column] : [])),
  );
  const own = columns.filter(
    ({ name, type, nullable }) =>
      read.has(name) && !primaryKey.includes(name) && !nullable && EXACT.has(type),
  );
  const version = own.find(({ name, type }) => type === "int" && VERSION.test(name));
  return (version ? [version] : own).map(({ name }) => name);
}

const EXACT: ReadonlySet<Column["type"]> = new Set(["int", "text", "bool", "decimal"]);
const VERSION = /^(?:row_?|lock_?|opt_?lock_?)?version$/iu;
