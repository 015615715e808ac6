// LOAD DATA LOCAL INFILE of MySQL: which rows a client's file holds, and where they go.
import type { Lexeme } from "../../frontend/sql/dialects/reader";
import type { LoadOptions, SqlCopy } from "../statementTree";
import { failure, unsupported } from "../sqlError";

/** Fails with 1235 for the forms that are not followed. */
export function loadStatement(lexemes: readonly Lexeme[]): SqlCopy {
  let at = 1;
  const word = (): string => (lexemes[at]?.kind === "string" ? "" : (lexemes[at]?.word ?? ""));
  const take = (...words: readonly string[]): boolean => {
    const isThere = words.every((each, index) => {
      const lexeme = lexemes[at + index];
      return lexeme?.kind !== "string" && lexeme?.word === each;
    });
    if (isThere) at += words.length;
    return isThere;
  };
  const next = (): string => lexemes[at++]?.word ?? "";
  const expect = (...words: readonly string[]): void => {
    if (!take(...words))
      throw failure("syntax", `You have an error in your SQL syntax: unexpected ${word()}`);
  };
  expect("data");
  if (!take("low_priority")) take("concurrent");
  if (!take("local")) throw unsupported("LOAD DATA without LOCAL");
  expect("infile");
  const file = next();
  const conflict = take("replace") ? "replace" : "ignore";
  take("ignore");
  expect("into", "table");
  let table = next();
  if (take(".")) table = next();
  if (take("character", "set")) next();
  const options = { fieldEnd: "\t", quote: "", escape: "\\", lineEnd: "\n", skipped: 0 };
  if (take("fields") || take("columns"))
    for (;;) {
      if (take("terminated", "by")) options.fieldEnd = next();
      else if (take("optionally", "enclosed", "by") || take("enclosed", "by"))
        options.quote = next();
      else if (take("escaped", "by")) options.escape = next();
      else break;
    }
  if (take("lines")) {
    if (take("starting")) throw unsupported("LINES STARTING BY");
    if (take("terminated", "by")) options.lineEnd = next();
  }
  if (take("ignore")) {
    options.skipped = Number(next());
    if (!take("lines")) expect("rows");
  }
  const columns: string[] = [];
  if (take("("))
    while (!take(")")) {
      if (at >= lexemes.length) expect(")");
      if (lexemes[at]?.kind === "variable") throw unsupported("LOAD DATA into variables");
      columns.push(next());
      take(",");
    }
  if (word() === "set") throw unsupported("SET in LOAD DATA");
  take(";");
  if (at < lexemes.length) expect("");
  const load = { ...options, file, conflict } satisfies LoadOptions;
  return { kind: "copy", isFrom: true, table, columns, options: PLAIN, load };
}

const PLAIN: SqlCopy["options"] = {
  format: "text",
  delimiter: "\t",
  null: "\\N",
  header: false,
  quote: '"',
  escape: "\\",
};

type Cells = readonly (string | null)[];

/** The meaning of a letter behind the escape character. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ["0", "\0"],
  ["b", "\b"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["Z", "\u001a"],
]);

/** The rows of a file. Linear. */
export function loadedRows(text: string, options: LoadOptions): readonly Cells[] {
  const { fieldEnd, lineEnd, quote, escape, skipped } = options;
  const rows: Cells[] = [];
  let cells: (string | null)[] = [];
  let value = "";
  let isNull = false;
  let isQuoted = false;
  const endCell = (): void => {
    cells.push(isNull || (!isQuoted && quote !== "" && value === "NULL") ? null : value);
    [value, isNull, isQuoted] = ["", false, false];
  };
  const endRow = (): void => {
    endCell();
    rows.push(cells);
    cells = [];
  };
  const isAt = (part: string, at: number): boolean => part !== "" && text.startsWith(part, at);
  let isInside = false;
  let at = 0;
  while (at < text.length) {
    const each = text[at] ?? "";
    if (
      escape !== "" &&
      each === escape &&
      at + 1 < text.length &&
      !(isInside && escape === quote)
    ) {
      const letter = text[at + 1] ?? "";
      if (letter === "N" && value === "") isNull = true;
      else value += MEANINGS.get(letter) ?? letter;
      at += 2;
    } else if (isInside) {
      if (!isAt(quote, at)) {
        value += each;
        at++;
      } else if (isAt(quote, at + 1)) {
        value += quote;
        at += 2;
      } else {
        isInside = false;
        at++;
      }
    } else if (isAt(quote, at) && value === "") {
      isInside = isQuoted = true;
      at++;
    } else if (isAt(fieldEnd, at)) {
      endCell();
      at += fieldEnd.length;
    } else if (isAt(lineEnd, at)) {
      endRow();
      at += lineEnd.length;
    } else {
      value += each;
      at++;
    }
  }
  if (value !== "" || isNull || isQuoted || cells.length > 0) endRow();
  return rows.slice(skipped);
}
