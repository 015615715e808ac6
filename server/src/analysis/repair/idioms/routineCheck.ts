// An UPDATE in an SQL file that fails if the row differs from what was read into variables.
import { tokensOf, type Token } from "../../../frontend/sql/text/tokens";
import type { Assignment } from "../../../program/statement";
import type { TextEdit } from "../candidate";
import type { ReadSite, UpdateSite } from "../pairs";
import type { Workshop } from "../workshop";
import { nameText } from "./lockRow";
import { NO_PLACE, NO_ROW, NO_TEXT, NO_VARIABLES } from "./reasons";
import { heldColumns, occurrences } from "./routineVariables";

/** A read of one row, a later UPDATE of it, and the columns that must be unchanged. */
export interface CheckedPair {
  readonly read: ReadSite;
  readonly update: UpdateSite;
  readonly columns: readonly string[];
  /** The error message if they changed. */
  readonly message: string;
}

/** The edits, or the reason why there are none. */
export function checkedRoutine(
  workshop: Workshop,
  { read, update, columns, message }: CheckedPair,
): readonly TextEdit[] | string {
  const text = workshop.textOf(read.file)?.text;
  if (text === undefined) return NO_TEXT;
  if (update.transaction.boundary !== "routine")
    return "a script has no words for what is to happen where it changes no row";
  const held = heldColumns(text, read).filter(({ column }) => columns.includes(column));
  if (held.length === 0) return NO_VARIABLES;
  const between = tokensOf(text, read.end, update.start);
  const isAssigned = held.some(({ name }) =>
    occurrences(text, between, name).some((at) => mayBeAssigned(between, at, name.length)),
  );
  if (isAssigned) return "the variable of what it reads gets another value before the UPDATE";
  const tokens = tokensOf(text, update.start, update.end);
  const where = tokens.findIndex(({ word }) => word === "where");
  const last = tokens.at(-1);
  const end = text.indexOf(";", update.end) + 1;
  if (where < 0 || !last || end === 0) return NO_ROW;
  if (tokens.slice(where).some(({ word }) => word === "or" || word === "returning"))
    return NO_PLACE;
  const conditions = held.map(
    ({ name, column }) => ` AND ${nameText(workshop, column)} = ${name.join("")}`,
  );
  const indent = /[ \t]*$/u.exec(text.slice(0, update.start))?.[0] ?? "";
  const isMysql = workshop.dialect !== "postgres";
  if (isMysql && !update.statement.set.some(isCounted)) return NOT_COUNTED;
  const said = message.replaceAll("'", "''");
  const refusing = isMysql
    ? `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '${said}';`
    : `RAISE EXCEPTION '${said.replaceAll("%", "%%")}' USING ERRCODE = '40001';`;
  const missed = isMysql ? "ROW_COUNT() = 0" : "NOT FOUND";
  const check = `\n${indent}IF ${missed} THEN\n${indent}  ${refusing}\n${indent}END IF;`;
  const { file } = update;
  return [
    { file, start: last.end, end: last.end, newText: conditions.join("") },
    { file, start: end, end, newText: check },
  ];
}

/** The reason why MySQL's ROW_COUNT() does not tell if the UPDATE found its row. */
export const NOT_COUNTED =
  "ROW_COUNT() counts no row that the UPDATE leaves as it is, so that a run alone might be refused";

/** True if a name of `length` tokens may be assigned here: by an assignment, INTO, a loop or a call. */
function mayBeAssigned(tokens: readonly Token[], at: number, length: number): boolean {
  const next = tokens[at + length]?.word;
  const before = tokens[at - 1]?.word ?? "";
  if (next === ":=" || (next === "=" && STARTS.has(before))) return true;
  const start = tokens.slice(0, at).findLastIndex(({ word }) => word === ";") + 1;
  const words = tokens.slice(start, at).map(({ word }) => word);
  const into = words.lastIndexOf("into");
  const isTarget = into >= 0 && words[into - 1] !== "insert";
  return isTarget || before === "for" || before === "foreach" || words.includes("call");
}

/** Words that an assignment may follow. */
const STARTS: ReadonlySet<string> = new Set([";", "then", "else", "loop", "begin", "set", "do", ",", "diagnostics"]); // prettier-ignore

/** True if a column certainly changes: it is incremented. */
function isCounted({ column, value }: Assignment): boolean {
  return (
    value.kind === "arithmetic" &&
    (value.operator === "+" || value.operator === "-") &&
    value.left.kind === "column" &&
    value.left.column === column &&
    value.right.kind === "literal" &&
    value.right.value !== 0
  );
}
