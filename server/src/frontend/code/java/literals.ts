// The values of Java's literals: numbers, characters, strings and text blocks with the places of their characters.
import { dictionary } from "../../../protocol/dictionary";
import type { TextRun } from "../hir";
import { textRuns } from "../textRuns";

/** The number of a literal as written; `undefined` where a double cannot hold it exactly or it is malformed. */
export function readNumber(written: string): number | undefined {
  const digits = written.replaceAll("_", "").toLowerCase();
  if (/^0x[\da-f]*(?:\.[\da-f]*)?p/u.test(digits)) return undefined;
  const value = /^0[xb]/u.test(digits)
    ? wrapped(digits.replace(/l$/u, ""), digits.endsWith("l") ? 64 : 32)
    : /^0[0-7]+l?$/u.test(digits)
      ? wrapped(`0o${digits.slice(1).replace(/l$/u, "")}`, digits.endsWith("l") ? 64 : 32)
      : Number(digits.replace(/[lfd]$/u, ""));
  const isWhole = !/[.ef]/u.test(digits) || digits.startsWith("0x");
  return Number.isNaN(value) || (isWhole && !Number.isSafeInteger(value)) ? undefined : value;
}

/** Literals that are not decimal give all bits, so that the highest one is the sign. */
function wrapped(digits: string, bits: number): number {
  if (!/^0(x[\da-f]+|b[01]+|o[0-7]+)$/u.test(digits)) return Number.NaN;
  return Number(BigInt.asIntN(bits, BigInt(digits)));
}

/**
 * The value of a string, character or text block that stands from `start` to `end` of the file, quotes included (JLS
 * 3.10.4 to 3.10.7). What does not end, or an escape that is none, is kept as it stands. Linear.
 */
export function readText(text: string, start: number, end: number): readonly TextRun[] {
  const isBlock = text.startsWith('"""', start);
  const quote = isBlock ? '"""' : text.charAt(start);
  const from = start + quote.length;
  const isClosed = end - from >= quote.length && text.endsWith(quote, end);
  const to = isClosed ? end - quote.length : end;
  if (!isBlock) return unescaped(text, from, to);
  const runs = blockRuns(text.slice(from, to), from);
  return joined(
    runs.flatMap((run) =>
      run.length === undefined ? unescaped(text, run.start, run.start + run.text.length) : [run],
    ),
  );
}

/** The lines of a text block without their common indentation and trailing blanks; escapes are still there. */
function blockRuns(inner: string, start: number): readonly TextRun[] {
  const lines = linesOf(inner, start);
  // The opening quotes end with their line.
  const [opening, ...content] = lines;
  if (opening?.text.trim() !== "") return [{ text: inner, start }];
  const last = content.length - 1;
  const counted = content.filter(({ text }, i) => text.trim() !== "" || i === last);
  const indent = Math.min(...counted.map(({ text }) => text.length - text.trimStart().length));
  return content.flatMap(({ text, at, lineEnd }, i): readonly TextRun[] => {
    const isBlank = text.trim() === "";
    const kept = isBlank ? "" : text.slice(indent).trimEnd();
    const from = isBlank ? at : at + indent;
    const run: readonly TextRun[] = kept === "" ? [] : [{ text: kept, start: from }];
    if (lineEnd === 0) return run;
    const next = content[i + 1];
    const nextFrom =
      next === undefined || next.text.trim() === "" ? at + text.length + lineEnd : next.at + indent;
    return [
      ...run,
      { text: "\n", start: from + kept.length, length: nextFrom - from - kept.length },
    ];
  });
}

interface Line {
  readonly text: string;
  readonly at: number;
  /** Characters of the line terminator. */
  readonly lineEnd: number;
}

function linesOf(text: string, start: number): readonly Line[] {
  const lines: Line[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/gu)) {
    lines.push({ text: text.slice(from, index), at: start + from, lineEnd: end.length });
    from = index + end.length;
  }
  return [...lines, { text: text.slice(from), at: start + from, lineEnd: 0 }];
}

const ESCAPE = /\\(?:([0-3][0-7]{0,2}|[4-7][0-7]?)|u+([\da-fA-F]{4})|(\r\n|[\s\S]))/uy;

function unescaped(text: string, start: number, end: number): readonly TextRun[] {
  return textRuns(text, start, end, /\\/u, (at) => {
    ESCAPE.lastIndex = at;
    const match = ESCAPE.exec(text);
    if (match === null || at + match[0].length > end) return undefined;
    const [all, octal, unicode, other] = match;
    const value =
      octal !== undefined
        ? String.fromCharCode(Number.parseInt(octal, 8))
        : unicode !== undefined
          ? String.fromCharCode(Number.parseInt(unicode, 16))
          : SIMPLE[other ?? ""];
    return value === undefined ? undefined : { text: value, length: all.length };
  });
}

const SIMPLE = dictionary<string | undefined>({
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  s: " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
});

/**
 * Without empty runs and without line ends that a backslash takes away, which need the run before them: the backslash
 * ends its line, so it is the last character of that run.
 */
function joined(runs: readonly TextRun[]): readonly TextRun[] {
  const result: TextRun[] = [];
  for (const run of runs) {
    const before = result.at(-1);
    const isLineEnd = run.text === "\n" && run.length !== undefined;
    if (isLineEnd && before?.length === undefined && before?.text.endsWith("\\") === true) {
      result.pop();
      if (before.text.length > 1) {
        result.push({ text: before.text.slice(0, -1), start: before.start });
      }
    } else {
      result.push(run.length === run.text.length ? { text: run.text, start: run.start } : run);
    }
  }
  return result;
}
