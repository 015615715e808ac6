// SQL in the string literals of code, found by quotes alone: no syntax tree, no data flow. What stands in a hole of a
// template, or between two literals that are added, becomes a placeholder; where that makes no SQL, no parser takes it.
import { dictionary } from "../../../server/src/protocol/dictionary";

/** How a language writes comments and strings. */
interface Quoting {
  readonly line: string;
  /** The longest first. */
  readonly quotes: readonly string[];
  readonly block?: readonly [string, string];
}

const C_LIKE = { line: "//", block: ["/*", "*/"] } as const;
const SCRIPT: Quoting = { ...C_LIKE, quotes: ["`", '"', "'"] };
const JVM: Quoting = { ...C_LIKE, quotes: ['"""', '"', "'"] };
const LANGUAGES: ReadonlyMap<string, Quoting> = new Map([
  ...["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"].map((each) => [each, SCRIPT] as const),
  ...["java", "kt", "scala"].map((each) => [each, JVM] as const),
  ["go", { ...C_LIKE, quotes: ["`", '"', "'"] }],
  ["py", { line: "#", quotes: ['"""', "'''", '"', "'"] }],
]);

/** True if strings of that file are looked at. */
export function isCode(file: string): boolean {
  return LANGUAGES.has(extensionOf(file));
}

/** The strings of a file that look like SQL, as SQL. Linear in the text. */
export function sqlInCode(file: string, text: string): readonly string[] {
  const quoting = LANGUAGES.get(extensionOf(file));
  if (quoting === undefined) return [];
  return stringsIn(text, quoting).filter((each) => STARTS.test(each));
}

const STARTS =
  /^[\s(]*(?:select\b[^]*\bfrom\b|with\s+\w+[^]*\bas\s*\(|insert\s+into\s|update\s+[\w".]+\s[^]*\bset\b|delete\s+from\s|merge\s+into\s|lock\s+table\s|truncate\s+table\s|create\s+(?:unique\s+)?(?:table|index|view|function)\s|alter\s+table\s|drop\s+(?:table|index)\s)/i;

function extensionOf(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? "";
}

/** Texts of the literals, those that are added to each other as one. */
function stringsIn(text: string, quoting: Quoting): readonly string[] {
  const found: string[] = [];
  let open: Joined | undefined;
  const close = (): void => {
    if (open !== undefined) found.push(open.text);
    open = undefined;
  };
  for (let at = 0; at < text.length;) {
    const after = skipComment(text, at, quoting);
    if (after !== undefined) {
      at = after;
      continue;
    }
    const quote = quoting.quotes.find((each) => text.startsWith(each, at));
    if (quote === undefined) {
      at += 1;
      continue;
    }
    const start = at;
    if (open !== undefined) {
      const between = text.slice(open.end, start);
      if (/^\s*\+[\s\w.()[\]]{1,80}\+\s*$/.test(between)) open.text += hole(open);
      else if (!/^\s*\+\s*$/.test(between)) close();
    }
    open ??= { text: "", end: start, holes: 0 };
    at = readString(text, start, quote, open);
    open.end = at;
  }
  close();
  return found;
}

interface Joined {
  text: string;
  end: number;
  holes: number;
}

/** Placeholders of our own begin where no statement's own numbers reach. */
function hole(joined: Joined): string {
  joined.holes += 1;
  return `$${String(900 + joined.holes)}`;
}

function skipComment(text: string, at: number, { line, block }: Quoting): number | undefined {
  if (text.startsWith(line, at) && text[at - 1] !== ":") {
    const end = text.indexOf("\n", at);
    return end < 0 ? text.length : end;
  }
  if (block === undefined || !text.startsWith(block[0], at)) return undefined;
  const end = text.indexOf(block[1], at + block[0].length);
  return end < 0 ? text.length : end + block[1].length;
}

/** Appends the literal's text; gives where it ends. One that its line does not close is none. */
function readString(text: string, start: number, quote: string, into: Joined): number {
  const severalLines = quote.length === 3 || quote === "`";
  for (let at = start + quote.length; at < text.length;) {
    const character = text[at] ?? "";
    if (text.startsWith(quote, at)) return at + quote.length;
    if (character === "\\") {
      into.text += ESCAPES[text[at + 1] ?? ""] ?? text[at + 1] ?? "";
      at += 2;
    } else if (quote === "`" && character === "$" && text[at + 1] === "{") {
      into.text += hole(into);
      at = endOfHole(text, at + 2);
    } else if (character === "\n" && !severalLines) {
      into.text = "";
      return at;
    } else {
      into.text += character;
      at += 1;
    }
  }
  return text.length;
}

const ESCAPES = dictionary<string | undefined>({
  n: "\n",
  t: "\t",
  r: "\r",
  "\n": "",
});

function endOfHole(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
