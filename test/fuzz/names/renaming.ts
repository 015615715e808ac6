// SQL with other names: what its definitions and DECLAREs name is called otherwise wherever it stands.
import type { SourceFile } from "../../../server/src/frontend/sql/readProgram";
import { nameOf, nextToken, type Token } from "../../../server/src/frontend/sql/text/tokens";

export type Product = "postgres" | "mysql";

/** The names that the texts declare: tables, columns, types, routines with their arguments, variables. */
export function declaredNames(files: readonly SourceFile[]): readonly string[] {
  const names = new Set<string>();
  for (const { text } of files) collect(text, names);
  return [...names].filter((name) => !isKept(name));
}

/** True if a word stays what it is where a program has it as a name: no other name may become it. */
export function isKept(name: string): boolean {
  return WORDS.has(name);
}

/** The texts with other names; transactions keep those that comments give them. */
export function renamed(
  files: readonly SourceFile[],
  names: ReadonlyMap<string, string>,
  product: Product,
): readonly SourceFile[] {
  return files.map((file) => ({ ...file, text: withNames(file.text, names, product) }));
}

/** Texts of any language with other words. */
export function renamedWords(
  files: readonly SourceFile[],
  names: ReadonlyMap<string, string>,
): readonly SourceFile[] {
  return files.map((file) => ({
    ...file,
    text: file.text.replaceAll(/[\w$]+/gu, (word) => names.get(word) ?? word),
  }));
}

/** True if a text speaks of names in strings, where no renaming finds them. */
export function isDynamic(text: string): boolean {
  return /\bexecute\b|\bprepare\b|\bformat\s*\(/iu.test(text);
}

/** Words of the grammar and of built-in functions that programs use as names of their own as well. */
const WORDS: ReadonlySet<string> = new Set(
  (
    "primary unique foreign check constraint exclude key index like in out inout variadic date text time value " +
    "begin declare count sum min max now name type level first last left right row rows for"
  ).split(" "),
);

function collect(given: string, names: Set<string>): void {
  const text = given.replaceAll(/`(\w+)`/gu, "$1");
  const tokens = tokensOf(text);
  for (const [at, token] of tokens.entries()) {
    if (token.kind === "string" && isBody(text, token)) collect(bodyOf(text, token), names);
    if (token.word === "declare") collectVariables(text, tokens, at + 1, names);
    if (token.word !== "create") continue;
    const kindAt = tokens.findIndex((each, place) => place > at && KINDS.has(each.word));
    if (kindAt < 0 || kindAt > at + 3) continue;
    const skipped = ["if", "not", "exists"];
    const nameAt = tokens.findIndex(
      (each, place) => place > kindAt && !skipped.includes(each.word),
    );
    const own = tokens[nameAt];
    if (own === undefined || !isName(own)) continue;
    names.add(nameOf(text, own));
    if (LISTED.has(tokens[kindAt]?.word ?? "") && tokens[nameAt + 1]?.word === "(")
      collectList(text, tokens, nameAt + 1, names);
  }
}

const KINDS: ReadonlySet<string> = new Set("table function procedure type domain view".split(" "));
const LISTED: ReadonlySet<string> = new Set(["table", "function", "procedure"]);
const MODES: ReadonlySet<string> = new Set(["in", "out", "inout", "variadic"]);

/** The first names between commas of a list in parentheses. */
function collectList(
  text: string,
  tokens: readonly Token[],
  open: number,
  names: Set<string>,
): void {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const { word } = tokens[at] ?? { word: "" };
    if (word === ")") depth -= 1;
    if (word === "(") depth += 1;
    if (depth === 0) return;
    if (depth !== 1 || (word !== "(" && word !== ",")) continue;
    const next = MODES.has(tokens[at + 1]?.word ?? "") ? tokens[at + 2] : tokens[at + 1];
    if (next !== undefined && isName(next)) names.add(nameOf(text, next));
  }
}

/** PostgreSQL: all up to BEGIN, one behind each semicolon; MySQL: one behind each DECLARE, which stands behind BEGIN. */
function collectVariables(
  text: string,
  tokens: readonly Token[],
  from: number,
  names: Set<string>,
): void {
  const isOne =
    tokens[from - 2] !== undefined && [";", "begin"].includes(tokens[from - 2]?.word ?? "");
  let isStart = true;
  for (const token of tokens.slice(from)) {
    if (token.word === "begin" || HANDLING.has(token.word)) return;
    if (isStart && isName(token)) names.add(nameOf(text, token));
    if (isOne) return;
    isStart = token.word === ";" || token.word === "declare";
  }
}

const HANDLING: ReadonlySet<string> = new Set(["continue", "exit", "undo"]);

function withNames(given: string, names: ReadonlyMap<string, string>, product: Product): string {
  const text = product === "mysql" ? given.replaceAll(/`(\w+)`/gu, "$1") : given;
  let result = "";
  let end = 0;
  let before: Token | undefined;
  for (const token of tokensOf(text)) {
    result += text.slice(end, token.start) + spelled(text, token, before, names, product);
    end = token.end;
    before = token;
  }
  return result + text.slice(end);
}

function spelled(
  text: string,
  token: Token,
  before: Token | undefined,
  names: ReadonlyMap<string, string>,
  product: Product,
): string {
  const written = text.slice(token.start, token.end);
  if (token.kind === "comment")
    return /@isolens/u.test(written)
      ? written.replaceAll(/[\w]+/gu, (word) => names.get(word) ?? word)
      : written;
  if (token.kind === "string" && isBody(text, token)) {
    const body = bodyOf(text, token);
    return written.replace(body, () => withNames(body, names, product));
  }
  if (!isName(token) || (before?.word === "@" && before.end === token.start)) return written;
  const isArgument = before?.word === ":" && before.end === token.start;
  if (isArgument) return psqlName(token.word, names) ?? written;
  const name = names.get(nameOf(text, token));
  return name === undefined ? written : quoted(name, product);
}

/** psql's variable is called as the column, perhaps with a prefix that \gset names. */
function psqlName(word: string, names: ReadonlyMap<string, string>): string | undefined {
  const whole = names.get(word);
  if (whole !== undefined) return whole;
  for (let at = word.indexOf("_"); at >= 0; at = word.indexOf("_", at + 1)) {
    const rest = names.get(word.slice(at + 1));
    if (rest !== undefined) return word.slice(0, at + 1) + rest;
  }
  return undefined;
}

function quoted(name: string, product: Product): string {
  if (product === "mysql") return `\`${name.replaceAll("`", "``")}\``;
  return `"${name.replaceAll('"', '""')}"`;
}

function isName({ kind }: Token): boolean {
  return kind === "word" || kind === "name";
}

function isBody(text: string, { start }: Token): boolean {
  return text[start] === "$";
}

function bodyOf(text: string, { start, end }: Token): string {
  const mark = /^\$\w*\$/u.exec(text.slice(start, end))?.[0] ?? "";
  return text.slice(start + mark.length, end - mark.length);
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let token = nextToken(text, 0, text.length); token;) {
    tokens.push(token);
    token = nextToken(text, token.end, text.length);
  }
  return tokens;
}
