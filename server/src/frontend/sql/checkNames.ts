// Columns that a declared table lacks: a note at their place; the rest is analysed normally.
import type { Note, Transaction } from "../../program/program";
import type { Table } from "../../program/schema";
import { ofNode } from "../../query/nodes";
import type { Statement } from "../../program/statement";
import type { SourceRange } from "../../protocol/source";
import { nearestName } from "./annotations/annotations";
import { positionAt, indexLines } from "./text/lines";
import { namedTables } from "./tableNames";
import { nameOf, tokensOf } from "./text/tokens";
import { walkCommand } from "./walk";

/** Columns that PostgreSQL gives to every table. */
const SYSTEM = new Set(["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid"]);

/** One note per unknown column of a statement. Undeclared tables are not checked. */
export function unknownColumns(
  transaction: Transaction,
  table: (name: string) => Table | undefined,
): readonly Note[] {
  let isKnown = true;
  for (const [name, columns] of namedTables(transaction.body).tables) {
    isKnown &&= hasAll(table(name), columns);
  }
  if (isKnown) return [];
  const notes: Note[] = [];
  const reported = new Set<string>();
  let current: Statement | undefined;

  function check(name: string, column: string): void {
    const declared = table(name);
    if (current === undefined || declared === undefined || has(declared, column)) return;
    const key = `${current.id} ${name} ${column}`;
    if (reported.has(key)) return;
    reported.add(key);
    const columns = declared.columns.map((each) => each.name);
    const near = nearestName(column, columns);
    const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
    const message = `The table ${name} has no column "${column}".${hint}`;
    const source = wordIn(current, column);
    notes.push({ severity: "warning", code: "unknown-column", message, source });
  }

  walkCommand(transaction.body, {
    statement: (statement) => {
      current = statement;
    },
    assignment: (name, column) => check(name, column),
    expression: (expression, scope) => {
      if (expression.kind !== "column") return;
      const relation = scope.find((each) => each.alias === expression.relation);
      if (relation?.kind === "base") check(relation.table, expression.column);
    },
  });
  return notes;
}

function hasAll(table: Table | undefined, columns: ReadonlySet<string>): boolean {
  if (table === undefined) return true;
  for (const column of columns) if (!has(table, column)) return false;
  return true;
}

const columnNames = ofNode(
  ({ columns }: Table): ReadonlySet<string> => new Set(columns.map(({ name }) => name)),
);

function has(table: Table, column: string): boolean {
  if (table.inferred || SYSTEM.has(column)) return true;
  return columnNames(table).has(column);
}

/** The first use of a name in a statement, or the statement if its text does not contain it. */
function wordIn(statement: Statement, name: string): SourceRange {
  const { source, text } = statement;
  const token = tokensOf(text, 0, text.length).find(
    (each) => (each.kind === "word" || each.kind === "name") && nameOf(text, each) === name,
  );
  if (token === undefined) return source;
  const lines = indexLines(source.file, text);
  const shift = (offset: number) => {
    const { line, character } = positionAt(lines, offset);
    const { start } = source.range;
    return {
      line: start.line + line,
      character: line === 0 ? start.character + character : character,
    };
  };
  return { ...source, range: { start: shift(token.start), end: shift(token.end) } };
}
