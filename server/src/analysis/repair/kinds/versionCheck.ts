// Optimistic: an UPDATE is refused where the row is no longer what the stale read gave. By the row's version where it is
// read and every writer counts it up, else by the values that were read. What is refused has to be run again.
import type { CodeTree } from "../../../frontend/code/workspace/codeParsers";
import type { Column, Table } from "../../../program/schema";
import type { SelectStatement, UpdateStatement } from "../../../program/statement";
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
import { checkedInJava } from "../idioms/javaCheck";
import { checkedRoutine } from "../idioms/routineCheck";
import { equalitiesOf, isOfOneRow } from "../predicate";
import type { Site, Workshop } from "../workshop";

export type ReadSite = Site & { readonly statement: SelectStatement };
export type UpdateSite = Site & { readonly statement: UpdateStatement };

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
    const updates = workshop.sitesOf(transaction).filter(isUpdateOf(read, table));
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

function isUpdateOf(read: ReadSite, { name }: Table): (site: Site) => site is UpdateSite {
  const keys = JSON.stringify(keysOf(read.statement));
  return (site): site is UpdateSite =>
    site.statement.kind === "update" &&
    site.file === read.file &&
    site.start > read.end &&
    site.statement.from.length === 0 &&
    site.statement.relation.table === name &&
    JSON.stringify(keysOf(site.statement)) === keys;
}

function keysOf(statement: SelectStatement | UpdateStatement): readonly unknown[] {
  return equalitiesOf(statement).map(({ table, column, value }) => [table, column, value]);
}

function checked(
  workshop: Workshop,
  table: Table,
  read: ReadSite,
  update: UpdateSite,
): readonly TextEdit[] | string {
  const columns = comparable(table, read.statement);
  if (columns.length === 0) return "what it reads may be missing, or is of a type that is not compared exactly"; // prettier-ignore
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
  if (held.length === 0) return "what it reads is not kept in variables of its own";
  const written = codeUpdate(
    workshop,
    update,
    held.map(({ column, value, own }) => ({
      column,
      key: keyIn(own) ?? column,
      // Nothing is to be computed otherwise.
      held: { ...own, names: new Set<string>() },
      guards: [{ comparison: "=" as const, value }],
    })),
    `throw new Error(${JSON.stringify(message)});`,
  );
  return typeof written === "string" ? written : written.edits;
}

/** Where the statement around an UPDATE ends: its values stand behind its text. */
function endOfCall(tree: CodeTree, update: Site): number {
  return statementAround(tree, update)?.end ?? update.end;
}

/** The column that counts versions, where it is read; else the columns that are read and that a value surely equals. */
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
