// The text and CSV formats of COPY: rows of texts, null for NULL.
import { failure } from "./sqlError";
import type { CopyOptions } from "./statementTree";

type Cells = readonly (string | null)[];

/** Reads all rows of a text. Fails with 22P04 where it is not in the format. Linear. */
export function readCopy(text: string, options: CopyOptions): readonly Cells[] {
  const rows = options.format === "csv" ? csvRows(text, options) : textRows(text, options);
  return options.header ? rows.slice(1) : rows;
}

/** A row as one line, its end included. */
export function copyLine(cells: Cells, options: CopyOptions): string {
  const { format, delimiter, null: none } = options;
  const shown = cells.map((cell) => {
    if (cell === null) return none;
    return format === "csv" ? csvCell(cell, options) : escapedText(cell, delimiter);
  });
  return `${shown.join(delimiter)}\n`;
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ["\b", "b"],
  ["\f", "f"],
  ["\n", "n"],
  ["\r", "r"],
  ["\t", "t"],
  ["\v", "v"],
  ["\\", "\\"],
]);
const MEANINGS = new Map([...LETTERS].map(([character, letter]) => [letter, character]));

function escapedText(text: string, delimiter: string): string {
  let shown = "";
  for (const each of text) {
    const letter = LETTERS.get(each);
    if (letter !== undefined) shown += `\\${letter}`;
    else shown += each === delimiter ? `\\${each}` : each;
  }
  return shown;
}

function csvCell(cell: string, { delimiter, quote, escape, null: none }: CopyOptions): string {
  const isPlain =
    cell !== none &&
    !new RegExp(`[\\r\\n]`, "u").test(cell) &&
    !cell.includes(delimiter) &&
    !cell.includes(quote);
  if (isPlain && cell !== "") return cell;
  if (isPlain && none !== "") return cell;
  const inner = [...cell].map((each) => (each === quote || each === escape ? escape + each : each));
  return quote + inner.join("") + quote;
}

function textRows(text: string, { delimiter, null: none }: CopyOptions): readonly Cells[] {
  const rows: Cells[] = [];
  for (const line of linesOf(text)) {
    if (line === "\\.") break;
    const cells: (string | null)[] = [];
    let raw = "";
    let value = "";
    const end = (): void => {
      cells.push(raw === none ? null : value);
      raw = "";
      value = "";
    };
    for (let at = 0; at < line.length; at++) {
      const each = line[at] ?? "";
      if (each === delimiter) end();
      else if (each === "\\" && at + 1 < line.length) {
        at++;
        const next = line[at] ?? "";
        const code = /^(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3})/.exec(line.slice(at, at + 3))?.[0];
        raw += `\\${code ?? next}`;
        if (code === undefined) value += MEANINGS.get(next) ?? next;
        else {
          const isHex = code.startsWith("x");
          value += String.fromCharCode(parseInt(isHex ? code.slice(1) : code, isHex ? 16 : 8));
          at += code.length - 1;
        }
      } else {
        raw += each;
        value += each;
      }
    }
    end();
    rows.push(cells);
  }
  return rows;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function csvRows(text: string, options: CopyOptions): readonly Cells[] {
  const { delimiter, quote, escape, null: none } = options;
  const rows: Cells[] = [];
  let cells: (string | null)[] = [];
  let value = "";
  let wasQuoted = false;
  const endCell = (): void => {
    cells.push(!wasQuoted && value === none ? null : value);
    value = "";
    wasQuoted = false;
  };
  const endRow = (): void => {
    endCell();
    rows.push(cells);
    cells = [];
  };
  let at = 0;
  while (at < text.length) {
    const each = text[at] ?? "";
    if (each === quote) {
      wasQuoted = true;
      at++;
      for (;;) {
        if (at >= text.length) throw failure("badCopy", "unterminated CSV quoted field");
        const inner = text[at] ?? "";
        const next = text[at + 1];
        if (inner === escape && (next === quote || next === escape)) {
          value += next;
          at += 2;
        } else if (inner === quote) break;
        else {
          value += inner;
          at++;
        }
      }
      at++;
    } else if (each === delimiter) {
      endCell();
      at++;
    } else if (each === "\n" || each === "\r") {
      if (value === "\\." && cells.length === 0 && !wasQuoted) return rows;
      endRow();
      at += each === "\r" && text[at + 1] === "\n" ? 2 : 1;
    } else {
      value += each;
      at++;
    }
  }
  if (value !== "" || cells.length > 0 || wasQuoted) endRow();
  return rows;
}
