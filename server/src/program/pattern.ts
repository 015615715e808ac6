// Regular expressions of CHECKs: which texts match, and texts that do. Only what PostgreSQL and JavaScript read alike: characters, classes,
// groups and counts, each as a whole between `^` and `$`; no counts within counts, so that matching is fast.

/** A part that stands a number of times: one of these characters, or one of these sequences. */
interface Part {
  readonly of: { readonly characters: string } | { readonly sequences: readonly Sequence[] };
  readonly least: number;
  readonly most: number;
}

type Sequence = readonly Part[];

interface Reader {
  readonly text: string;
  at: number;
}

class Unread extends Error {}

/** True if a text of ASCII matches the pattern; undefined if that cannot be told. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  if (read(pattern) === undefined || /[^\0-\x7f]/u.test(text)) return undefined;
  return new RegExp(pattern, "s").test(text);
}

/** A text that matches, another one for each number; undefined if there are not so many, or the pattern is not understood. */
export function matchingText(pattern: string, number: number): string | undefined {
  const sequences = read(pattern);
  if (sequences === undefined) return undefined;
  const rest = { number };
  const text = written(sequences, rest);
  return rest.number === 0 && matchesPattern(pattern, text) === true ? text : undefined;
}

/** Longer texts of a pattern are never invented. */
const USUAL_LENGTH = 3;

/** The text of a number: its digits, the last ones first, choose among the characters. */
function written(sequences: readonly Sequence[], rest: { number: number }): string {
  const [sequence = []] = sequences;
  let text = "";
  for (const { of, least, most } of sequence.toReversed()) {
    const times = Math.max(least, Math.min(most, USUAL_LENGTH));
    for (let time = 0; time < times; time += 1) {
      if ("sequences" in of) text = written(of.sequences, rest) + text;
      else {
        const count = of.characters.length;
        text = (of.characters[rest.number % count] ?? "") + text;
        rest.number = Math.floor(rest.number / count);
      }
    }
  }
  return text;
}

function read(pattern: string): readonly Sequence[] | undefined {
  const body = /^\^(.*)\$$/su.exec(pattern)?.[1];
  if (body === undefined) return undefined;
  const reader: Reader = { text: body, at: 0 };
  try {
    const sequences = alternatives(reader);
    // `^a|b$` holds at either end alone.
    return reader.at === body.length && sequences.length === 1 ? sequences : undefined;
  } catch (problem) {
    if (problem instanceof Unread) return undefined;
    throw problem;
  }
}

function alternatives(reader: Reader): readonly Sequence[] {
  const sequences: Sequence[] = [];
  do sequences.push(sequence(reader));
  while (take(reader, "|"));
  return sequences;
}

function sequence(reader: Reader): Sequence {
  const parts: Part[] = [];
  while (reader.at < reader.text.length && !/[|)]/u.test(next(reader))) parts.push(part(reader));
  return parts;
}

function part(reader: Reader): Part {
  const of = take(reader, "(") ? group(reader) : { characters: characters(reader) };
  const [least, most] = times(reader);
  const isCounted = least !== 1 || most !== 1;
  if (isCounted && "sequences" in of && of.sequences.flat().some(counts)) throw new Unread();
  return { of, least, most };
}

function counts({ of, least, most }: Part): boolean {
  return least !== most || ("sequences" in of && of.sequences.flat().some(counts));
}

function group(reader: Reader): Part["of"] {
  if (take(reader, "?") && !take(reader, ":")) throw new Unread();
  const sequences = alternatives(reader);
  if (!take(reader, ")")) throw new Unread();
  return { sequences };
}

function times(reader: Reader): readonly [number, number] {
  if (take(reader, "*")) return [0, Infinity];
  if (take(reader, "+")) return [1, Infinity];
  if (take(reader, "?")) return [0, 1];
  const counted = /^\{(\d{1,3})(?:(,)(\d{0,3}))?\}/u.exec(reader.text.slice(reader.at));
  const [whole = "", least = "1", comma, most = ""] = counted ?? [];
  reader.at += whole.length;
  if (comma === undefined) return [Number(least), Number(least)];
  return [Number(least), most === "" ? Infinity : Number(most)];
}

/** The characters that an atom may be, at least those that are written in texts. */
function characters(reader: Reader): string {
  if (take(reader, ".")) return ALL;
  if (take(reader, "[")) return classOf(reader);
  if (/[*+?{}^$\]]/u.test(next(reader))) throw new Unread();
  return one(reader);
}

const DIGITS = "0123456789";
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ALL = `${LETTERS}${DIGITS}-_. /:+@#,;!`;
const CLASSES: ReadonlyMap<string, string> = new Map([
  ["d", DIGITS],
  ["w", `${LETTERS}${DIGITS}_`],
  ["s", " "],
]);

/** A character, or the class that a backslash begins. */
function one(reader: Reader): string {
  if (!take(reader, "\\")) return advance(reader);
  const escaped = advance(reader);
  const known = CLASSES.get(escaped);
  if (known === undefined && /\w/u.test(escaped)) throw new Unread();
  return known ?? escaped;
}

function classOf(reader: Reader): string {
  const isOther = take(reader, "^");
  const members = new Set<string>();
  while (!take(reader, "]")) {
    if (next(reader) === "[") throw new Unread();
    const from = one(reader);
    const isRange = next(reader) === "-" && reader.text[reader.at + 1] !== "]";
    if (isRange) reader.at += 1;
    for (const each of isRange ? between(from, one(reader)) : from) members.add(each);
  }
  if (members.size === 0) throw new Unread();
  const all = isOther ? [...ALL].filter((each) => !members.has(each)) : [...members];
  if (all.length === 0) throw new Unread();
  return all.join("");
}

function between(from: string, to: string): readonly string[] {
  const [first = 0, last = -1] = [from.codePointAt(0), to.codePointAt(0)];
  if (from.length !== 1 || to.length !== 1 || last < first || last > 0x7f) throw new Unread();
  return Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at));
}

function next({ text, at }: Reader): string {
  return text[at] ?? "";
}

function take(reader: Reader, character: string): boolean {
  if (next(reader) !== character) return false;
  reader.at += 1;
  return true;
}

function advance(reader: Reader): string {
  const character = next(reader);
  if (character === "" || character > "\x7f") throw new Unread();
  reader.at += 1;
  return character;
}
